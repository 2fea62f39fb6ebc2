-- The events that each agent must receive from a tick, by brute force: the pairs of the model now, compared
-- with those told by the last tick. Also compares them with the events received.
local Model = require "spec.support.model"
local harness = require "spec.skynet.harness"

local Expected = {}
Expected.__index = Expected

-- The options are those of the space.
function Expected.new(options)
  return setmetatable({ model = Model.new(options), pairs = {}, places = {} }, Expected)
end

-- All views: watcher -> set of markers.
local function all_views(model)
  local views = {}
  for watcher_id, watcher in pairs(model.entities) do
    views[watcher_id] = {}
    for marker_id, marker in pairs(model.entities) do
      views[watcher_id][marker_id] = model:entity_sees(watcher, marker) or nil
    end
  end
  return views
end

local function all_places(model)
  local places = {}
  for id, entity in pairs(model.entities) do
    places[id] = { entity.x, entity.y }
  end
  return places
end

local function sorted_keys(set)
  local keys = {}
  for key in pairs(set) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return keys
end

-- Ticks the model: watcher -> { left, entered, moved }, sorted; nothing for who has nothing to learn.
function Expected:tick()
  local before, now = self.pairs, all_views(self.model)
  local places_before, places = self.places, all_places(self.model)
  self.pairs, self.places = now, places
  local result = {}
  local watchers = {}
  for id in pairs(before) do watchers[id] = true end
  for id in pairs(now) do watchers[id] = true end
  for watcher in pairs(watchers) do
    local old, new = before[watcher] or {}, now[watcher] or {}
    local left, entered, moved = {}, {}, {}
    for _, id in ipairs(sorted_keys(old)) do
      if not new[id] then
        left[#left + 1] = id
      end
    end
    for _, id in ipairs(sorted_keys(new)) do
      local x, y = places[id][1], places[id][2]
      if not old[id] then
        table.move({ id, x, y }, 1, 3, #entered + 1, entered)
      elseif x ~= places_before[id][1] or y ~= places_before[id][2] then
        table.move({ id, x, y }, 1, 3, #moved + 1, moved)
      end
    end
    if #left + #entered + #moved > 0 then
      result[watcher] = { watcher = watcher, left = left, entered = entered, moved = moved }
    end
  end
  return result
end

-- Everything an entity sees, as entered: what a new address is told.
function Expected:whole_view(id)
  local entered = {}
  for _, marker in ipairs(sorted_keys(self.pairs[id] or {})) do
    table.move({ marker, self.places[marker][1], self.places[marker][2] }, 1, 3, #entered + 1, entered)
  end
  return #entered > 0 and { watcher = id, left = {}, entered = entered, moved = {} } or nil
end

-- A flat list of places, sorted by id.
local function sorted_places(list)
  local rows = {}
  for i = 1, #list, 3 do
    rows[#rows + 1] = { list[i], list[i + 1], list[i + 2] }
  end
  table.sort(rows, function(a, b) return a[1] < b[1] end)
  local flat = {}
  for _, row in ipairs(rows) do
    table.move(row, 1, 3, #flat + 1, flat)
  end
  return flat
end

local function sorted_view(view)
  if not view then
    return "nothing"
  end
  table.sort(view.left)
  return { watcher = view.watcher, left = view.left,
    entered = sorted_places(view.entered), moved = sorted_places(view.moved) }
end

-- Compares what one agent with one entity heard since the last tick. is_told: it is sent a message even when
-- there is nothing to learn, since a stay begins or ends.
function Expected.compare(heard, expected, what, is_told)
  harness.equal((expected or is_told) and 1 or 0, heard.messages, what .. ": number of messages")
  harness.equal(expected and 1 or 0, #heard.views, what .. ": number of views")
  harness.equal(expected or "nothing", sorted_view(heard.views[1]), what)
end

-- Sorts the lists of what a gate heard: watcher -> view.
function Expected.by_watcher(heard)
  local result = {}
  for _, view in ipairs(heard.views) do
    harness.is_true(not result[view.watcher], "two views of " .. view.watcher .. " in one tick")
    result[view.watcher] = sorted_view(view)
  end
  return result
end

return Expected
