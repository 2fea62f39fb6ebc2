-- News of a watcher at one moment, as a sorted list of strings, one for each event: equal news have equal
-- lists. Pure Lua, without skynet.
local news = {}

local pack = string.pack
local LEFT, ENTERED, MOVED, CHANGED, SAID, NOTIFIED = 1, 2, 3, 4, 5, 6
local NAMES = { "leaves", "enters", "moves", "changes", "says", "is what it was notified of" }
local HEAD = "<Bi8"

-- A float that is a whole number is told as an integer.
local function show(value)
  return ("%q"):format(math.type(value) and math.tointeger(value) or value)
end

-- data: a string, "" for none any more, nil: none or as before; properties: a table, false for one that is
-- gone, or nil.
local function details(data, properties)
  local keys, parts = {}, {}
  for key in pairs(properties or {}) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  for i, key in ipairs(keys) do
    parts[i] = (" %d=%s"):format(key, properties[key] == false and "gone" or show(properties[key]))
  end
  return (data and " data=" .. show(data) or "") .. table.concat(parts)
end

-- extras: a list, or nil.
local function turned(extras)
  local parts = {}
  for i, value in ipairs(extras or {}) do
    parts[i] = (" e%d=%s"):format(i, show(value))
  end
  return table.concat(parts)
end

local function entered(id, x, y, data, properties, extras)
  return pack("<Bi8dd", ENTERED, id, x, y) .. turned(extras) .. details(data, properties)
end

local function is_turned(before, after)
  for i, value in ipairs(after or {}) do
    if before[i] ~= value then
      return true
    end
  end
  return false
end

function news.notified(text)
  return pack(HEAD, NOTIFIED, 0) .. " " .. text
end

function news.said(speaker, text)
  return pack(HEAD, SAID, speaker) .. " " .. text
end

-- The changes from one table of properties to another.
local function changes(before, after)
  local changed
  for key, value in pairs(after) do
    if before[key] ~= value then
      changed = changed or {}
      changed[key] = value
    end
  end
  for key in pairs(before) do
    if after[key] == nil then
      changed = changed or {}
      changed[key] = false
    end
  end
  return changed
end

-- The news between two tables of what a watcher believes, see one_space.lua.
function news.difference(before, after)
  local list, n = {}, 0
  for id in pairs(before) do
    if not after[id] then
      n = n + 1
      list[n] = pack(HEAD, LEFT, id)
    end
  end
  for id, now in pairs(after) do
    local was = before[id]
    if not was then
      n = n + 1
      list[n] = entered(id, now[1], now[2], now.data, now.properties, now.extras)
    elseif was ~= now then
      if was[1] ~= now[1] or was[2] ~= now[2] or is_turned(was.extras, now.extras) then
        n = n + 1
        list[n] = pack("<Bi8dd", MOVED, id, now[1], now[2]) .. turned(now.extras)
      end
      local data = was.data ~= now.data and (now.data or "") or nil
      local properties = changes(was.properties, now.properties)
      if data or properties then
        n = n + 1
        list[n] = pack(HEAD, CHANGED, id) .. details(data, properties)
      end
    end
  end
  table.sort(list)
  return list
end

-- The news that aoi.skynet.known gives to `view`, in two dimensions.
function news.of_known(given)
  local list, n = {}, 0
  local with, extras = given.details or {}, given.extras or {}
  for _, id in ipairs(given.left or {}) do
    n = n + 1
    list[n] = pack(HEAD, LEFT, id)
  end
  local places = given.entered or {}
  for i = 1, #places, 3 do
    n = n + 1
    local id = places[i]
    local of = with[id]
    list[n] = entered(id, places[i + 1], places[i + 2], of and of[1], of and of[2], extras[id])
  end
  places = given.moved or {}
  for i = 1, #places, 3 do
    n = n + 1
    list[n] = pack("<Bi8dd", MOVED, places[i], places[i + 1], places[i + 2]) .. turned(extras[places[i]])
  end
  for _, id in ipairs(given.changed or {}) do
    n = n + 1
    list[n] = pack(HEAD, CHANGED, id) .. details(with[id][1], with[id][2])
  end
  table.sort(list)
  return list
end

-- One event for people.
function news.show(event)
  local kind, id, at = HEAD:unpack(event)
  if kind == ENTERED or kind == MOVED then
    local x, y
    x, y, at = ("<dd"):unpack(event, at)
    return ("%d %s at %.17g, %.17g%s"):format(id, NAMES[kind], x, y, event:sub(at))
  end
  return ("%d %s%s"):format(id, NAMES[kind], event:sub(at))
end

return news
