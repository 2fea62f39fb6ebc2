-- The callbacks of the client of scenes, those of view.on: which there are, and how they are told of a view.
-- Pure Lua, without skynet.
local names = require "aoi.skynet.names"

local callbacks = {}

-- The list, in which each may be left out:
--   entered(id, x, y [, z] [, e1 ... en], data, properties)   came into view. e1 ... en: the extras, in a
--                               scene that has them; data: a string or nil; properties: a table
--   moved(id, x, y [, z] [, e1 ... en])         moved within it, or only its extras are others
--   changed(id, data, properties)               data: the new one, "" for none any more, nil: as before;
--                                               properties: those that are others now, false: removed
--   left(id)                                    is out of it, or gone
--   said(id, ...)                               one in view says something
--   notified(...)               a message to us alone, by the scene's command `notify`
--   me_moved(x, y [, z])        others have set our place
--   me_changed { data =, properties =, traits = }   others have changed these of us; false: removed
--   refused(command, message, id)   a command that was sent, and not called, was wrong. id: the entity, or
--                               area, that it was about; nil: none
--   scene_is(scene)             we are in that scene now, though we have not gone there: our entity was
--                               transferred to it, or our scene was loaded into it
--   lost(scene)                 in a world: our entity was lost with its region. We enter again where
--                               we were last, with what we had given; `left` has come for all that was seen
--   gone(scene, why)            we are no longer in that scene, and in none, though we have not left it. why:
--                               "ended", the scene has; "removed", it goes on without us; "expelled", the
--                               node of the world that we asked was drained, or stood still too long
--   view(watcher, left, entered, moved, dims, changed, details, extras)   instead of entered, moved, changed
--                               and left: flat lists; details: id -> { data, properties }; extras: id -> list
--   said_to(watchers, id, ...)  instead of said: with those of our entities that see id
--   packet(text)                beside the others: each message as it came, to be passed on
local NAMES = { "entered", "moved", "changed", "left", "said", "notified", "me_moved", "me_changed",
  "refused", "scene_is", "lost", "gone", "view", "said_to", "packet" }
local is_name = {}
for _, name in ipairs(NAMES) do
  is_name[name] = true
end

-- The complaint about a list of callbacks; nil: none. without: set of names that may not be in it, or nil.
function callbacks.problem(list, without)
  if type(list) ~= "table" then
    return ("the argument is %s, expected a table of functions"):format(
      list == nil and "nil" or "a " .. type(list))
  end
  for name, callback in pairs(list) do
    if not is_name[name] or without and without[name] then
      local known = {}
      for _, other in ipairs(NAMES) do
        known[#known + 1] = not (without and without[other]) and other or nil
      end
      return ("callback %s is unknown%s, expected %s"):format(tostring(name), names.hint(name, known),
        table.concat(known, ", "))
    elseif type(callback) ~= "function" then
      return ("callback %s is a %s, expected a function"):format(name, type(callback))
    end
  end
end

-- Calls with a place, extras, and what stands behind them.
local function call_with_extras(call, id, place, extras, data, properties)
  local n = #place
  table.move(extras, 1, #extras, n + 1, place)
  n = n + #extras
  place[n + 1], place[n + 2] = data, properties
  call(id, table.unpack(place, 1, properties and n + 2 or n))
end

local function tell_entered(news, call)
  local list, details = news.entered, news.details or {}
  for i = 1, #list, news.dims + 1 do
    local id, x, y = list[i], list[i + 1], list[i + 2]
    local of, extras = details[id], news.extras and news.extras[id]
    local data, properties = of and of[1], of and of[2] or {}
    if extras then
      call_with_extras(call, id, table.move(list, i + 1, i + news.dims, 1, {}), extras, data, properties)
    elseif news.dims == 2 then
      call(id, x, y, data, properties)
    else
      call(id, x, y, list[i + 3], data, properties)
    end
  end
end

local function tell_moved(news, call)
  local list = news.moved
  for i = 1, #list, news.dims + 1 do
    local extras = news.extras and news.extras[list[i]]
    if extras then
      call_with_extras(call, list[i], table.move(list, i + 1, i + news.dims, 1, {}), extras)
    elseif news.dims == 2 then
      call(list[i], list[i + 1], list[i + 2])
    else
      call(list[i], list[i + 1], list[i + 2], list[i + 3])
    end
  end
end

-- Tells the news of a watcher, of known.lua, by these callbacks.
function callbacks.tell_view(called, watcher, news)
  if called.view then
    called.view(watcher, news.left or {}, news.entered or {}, news.moved or {}, news.dims, news.changed or {},
      news.details or {}, news.extras or {})
    return
  end
  if news.left and called.left then
    for _, id in ipairs(news.left) do
      called.left(id)
    end
  end
  if news.entered and called.entered then
    tell_entered(news, called.entered)
  end
  if news.moved and called.moved then
    tell_moved(news, called.moved)
  end
  if news.changed and called.changed then
    for _, id in ipairs(news.changed) do
      local details = news.details[id]
      called.changed(id, details[1], details[2] or {})
    end
  end
end

return callbacks
