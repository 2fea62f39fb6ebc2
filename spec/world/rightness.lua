-- Whether a world is right when all its wanderers stand still: every node knows the same entities, each once,
-- at the places that were confirmed; and each watcher knows those that it sees by brute force. Looks through
-- control.tell(node, command, ...), as spec/world/process.lua does commands.
local side_by_side = require "aoi.skynet.side_by_side"
local traits = require "spec.world.traits"

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

-- Whether a watcher sees an entity; at and place: where they stand.
local function sees(watcher, at, id, place)
  return traits.sees(watcher, at[1], at[2], id, place[1], place[2], place[4])
end

local function put_places(places, list)
  for _, entry in ipairs(list) do
    places[entry[1]] = { entry[2], entry[3], entry[4], entry[5] }
  end
end

-- Has all stand still, also those that have left when all_in is true; else these must be outside. Returns the
-- entities that are to be inside: id -> { x, y, data, whether they are rich }.
function rightness.places(control, all_in)
  local places = {}
  for _, list in pairs(rightness.of_all(control, function(node)
    return control.tell(node, "wanderers", "rest", REST, all_in)
  end)) do
    put_places(places, list)
  end
  return places
end

-- Stays that have ended while all stood still, which the agents were told, begin anew, and all stand still
-- again; so do all of the nodes in the list `anew`, all inside, whose new places are put into `places`.
-- Returns how many stays of other nodes they were; raises when an entity finds no rest.
function rightness.rest_again(control, anew, places)
  local n, is_new = 0, {}
  for _, node in ipairs(anew or {}) do
    is_new[node] = true
  end
  for _, result in pairs(rightness.of_all(control, function(node)
    return control.tell(node, "wanderers", is_new[node] and "rest" or "rest_again", REST, is_new[node])
  end)) do
    if type(result) == "table" then
      put_places(places, result)
    else
      n = n + result
    end
  end
  return n
end

-- A fault in the members of an area, asked at this node: nil, or a text. at: where it is.
local function what_is_wrong_in(control, node, area, opts, at, places)
  local ids, n = control.tell(node, "world", "query", "members_of", area)
  if not ids then
    return n
  end
  local members = {}
  for i = 1, n do
    members[ids[i]] = true
  end
  for id, place in pairs(places) do
    local is_member = traits.is_member(opts, at[1], at[2], id, place[1], place[2])
    if is_member ~= (members[id] or false) then
      return ("entity %d is %s of area %d"):format(id, is_member and "no member" or "a member", area)
    end
  end
end

-- A fault in all areas, and in what handlers keep, each asked for at one node: every answer takes a tick or
-- two.
local function what_is_wrong_with_rich(control, node, places)
  local list = {}
  for id, place in pairs(places) do
    if place[4] and id % #control.nodes + 1 == node then
      list[#list + 1] = function()
        local kept, message = control.tell(node, "world", "kept", id)
        return kept ~= place[3]
          and ("of %d handlers keep %s, expected %s"):format(id, kept or message, place[3])
      end
    end
    for area, opts in pairs(place[4] and traits.areas(id, place[1], place[2]) or {}) do
      if opts and area % #control.nodes + 1 == node then
        list[#list + 1] = function()
          return what_is_wrong_in(control, node, area, opts, place, places)
        end
      end
    end
  end
  for _, result in ipairs(list[1] and side_by_side(list) or {}) do
    if not result[1] or result[2] then
      return result[2]
    end
  end
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
  return what_is_wrong_with_rich(control, node, places)
end

-- A fault in what a watcher knows of a rich marker, beside place and data; nil: none.
local function what_is_wrong_of(watcher, id, marker, place)
  local extra, properties = traits.of(id, true).extras[1], traits.properties(watcher, place[3])
  if marker.extra ~= extra then
    return ("the extra of %d is %s, expected %s"):format(id, marker.extra, extra)
  end
  for key = 1, 3 do
    if marker.properties[key] ~= properties[key] then
      return ("property %d of %d is %s, expected %s"):format(key, id, marker.properties[key], properties[key])
    end
  end
end

-- A fault in the knowledge of a watcher; values: marker -> its property, as the first one knew it.
local function what_is_wrong_with(watcher, markers, places, values)
  local at = places[watcher]
  for id, marker in pairs(markers) do
    local place = places[id]
    local value = marker.properties[1]
    if not place or not sees(watcher, at, id, place) then
      return ("it knows of %d and doesn't see it"):format(id)
    elseif marker[1] ~= place[1] or marker[2] ~= place[2] then
      return ("it believes %d at %s, %s, expected %d, %d"):format(id, marker[1], marker[2], place[1],
        place[2])
    elseif marker.data ~= place[3] then
      return ("data of %d are %s, expected %s"):format(id, marker.data, place[3])
    elseif place[4] then
      local wrong = what_is_wrong_of(watcher, id, marker, place)
      if wrong then
        return wrong
      end
    elseif values[id] ~= nil and values[id] ~= (value or false) then
      return ("property of %d is %s, another watcher knows %s"):format(id, value, values[id])
    end
    values[id] = value or false
  end
  for id, place in pairs(places) do
    if sees(watcher, at, id, place) and not markers[id] then
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
    note(control.tell(node, "wanderers", "unheard"))
  end
  local heard = {}
  for _, known in pairs(rightness.of_all(control, function(node)
    return control.tell(node, "wanderers", "known")
  end)) do
    for watcher, markers in pairs(known) do
      heard[watcher] = markers
    end
  end
  for watcher, markers in pairs(heard) do
    note(not places[watcher] and next(markers)
      and ("watcher %d has left, and knows of others"):format(watcher))
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
