-- Whether a world is right when all its wanderers stand still: every node knows the same entities, each once,
-- at the places that were confirmed; and each watcher knows those that it sees by brute force. Looks through
-- control.tell(node, command, ...), as spec/world/process.lua does commands.
local side_by_side = require "aoi.skynet.side_by_side"

local rightness = {}

-- Seconds in which all wanderers must find rest.
local REST = 15

-- Calls f(node) for all nodes at once; returns node -> result. Raises the first error.
function rightness.of_all(control, f)
  local list, results = {}, {}
  for node = 1, #control.nodes do
    list[node] = function()
      return f(node)
    end
  end
  for node, result in ipairs(side_by_side(list)) do
    local ok, value, reason = table.unpack(result, 1, 3)
    if not ok or value == nil and reason then
      error(("node %s: %s"):format(control.nodes[node], ok and reason or value), 0)
    end
    results[node] = value
  end
  return results
end

-- True if the watcher sees id by the rules alone.
local function sees(watcher, x, y, id, to_x, to_y)
  local radius = watcher % 2 == 0 and 100 or 50
  return id ~= watcher and id % 10 ~= 7 and (to_x - x) ^ 2 + (to_y - y) ^ 2 <= radius ^ 2
end

-- Has all stand still. Returns the entities: id -> { x, y, data }.
function rightness.places(control)
  local places = {}
  for _, list in pairs(rightness.of_all(control, function(node)
    return control.tell(node, "wanderers", "rest", REST)
  end)) do
    for _, entry in ipairs(list) do
      places[entry[1]] = { entry[2], entry[3], entry[4] }
    end
  end
  return places
end

-- Stays that have ended while all stood still, which the agents were told, begin anew, and all stand still
-- again. Returns how many they were; raises when an entity finds no rest.
function rightness.rest_again(control)
  local n = 0
  for _, ended in pairs(rightness.of_all(control, function(node)
    return control.tell(node, "wanderers", "rest_again", REST)
  end)) do
    n = n + ended
  end
  return n
end

-- A fault in the answers of the regions, asked at this node: nil, or a text.
local function what_is_wrong_at(control, node, places)
  local ids, n = control.tell(node, "world", "query", "ids")
  if not ids then
    return n
  end
  local seen = {}
  for i = 1, n do
    if seen[ids[i]] then
      return ("entity %d is in the world twice"):format(ids[i])
    elseif not places[ids[i]] then
      return ("entity %d is in the world, and nobody's"):format(ids[i])
    end
    seen[ids[i]] = true
  end
  for id in pairs(places) do
    if not seen[id] then
      return ("entity %d is in no region"):format(id)
    end
  end
  local at, message = control.tell(node, "world", "query", "positions", ids, n)
  if not at then
    return message
  end
  for i = 1, n do
    local place = places[ids[i]]
    if at[2 * i - 1] ~= place[1] or at[2 * i] ~= place[2] then
      return ("entity %d is at %s, %s, expected %d, %d"):format(ids[i], at[2 * i - 1], at[2 * i], place[1],
        place[2])
    end
  end
end

-- A fault in the knowledge of a watcher; values: marker -> its property, as the first one knew it.
local function what_is_wrong_with(watcher, markers, places, values)
  local x, y = places[watcher][1], places[watcher][2]
  for id, marker in pairs(markers) do
    local place = places[id]
    if not place or not sees(watcher, x, y, id, place[1], place[2]) then
      return ("it knows of %d and doesn't see it"):format(id)
    elseif marker[1] ~= place[1] or marker[2] ~= place[2] then
      return ("it believes %d at %s, %s, expected %d, %d"):format(id, marker[1], marker[2], place[1],
        place[2])
    elseif marker.data ~= place[3] then
      return ("data of %d are %s, expected %s"):format(id, marker.data, place[3])
    elseif values[id] ~= nil and values[id] ~= (marker.value or false) then
      return ("property of %d is %s, another watcher knows %s"):format(id, marker.value, values[id])
    end
    values[id] = marker.value or false
  end
  for id, place in pairs(places) do
    if sees(watcher, x, y, id, place[1], place[2]) and not markers[id] then
      return ("it sees %d and doesn't know of it"):format(id)
    end
  end
end

-- Returns how many pairs were looked at, or nil and what is wrong, and how much.
function rightness.look(control, places)
  local pairs_seen, wrong, first, values = 0, 0, nil, {}
  local function note(text)
    wrong, first = wrong + (text and 1 or 0), first or text
  end
  for node = 1, #control.nodes do
    local text = what_is_wrong_at(control, node, places)
    note(text and ("by node %s: %s"):format(control.nodes[node], text))
  end
  local heard = {}
  for _, known in pairs(rightness.of_all(control, function(node)
    return control.tell(node, "wanderers", "known")
  end)) do
    for watcher, markers in pairs(known) do
      heard[watcher] = markers
    end
  end
  for id in pairs(places) do
    if id % 10 ~= 3 then
      local text = what_is_wrong_with(id, heard[id] or {}, places, values)
      note(text and ("watcher %d: %s"):format(id, text))
      for _ in pairs(heard[id] or {}) do
        pairs_seen = pairs_seen + 1
      end
    end
  end
  if wrong > 0 then
    return nil, first, wrong
  end
  return pairs_seen
end

return rightness
