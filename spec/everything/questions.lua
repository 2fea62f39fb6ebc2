-- Answers of a space: each question and query of the contract, by looking at everybody.
local areas = require "spec.everything.areas"
local crowd = require "spec.everything.crowd"
local exact = require "spec.everything.exact"
local sight = require "spec.everything.sight"

local questions = {}

local function keys_of(set)
  local keys = {}
  for key in pairs(set or {}) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return keys
end

function questions.ids(space)
  return keys_of(space.entities)
end

function questions.areas(space)
  return keys_of(space.areas)
end

function questions.sees(space, a, b)
  local w, m = space.entities[a], space.entities[b]
  return w ~= nil and m ~= nil and sight.sees(space, w, m)
end

function questions.markers_of(space, id)
  return keys_of(sight.view(space, space.entities[id]))
end

function questions.watchers_of(space, id)
  local watchers = {}
  for other, w in pairs(space.entities) do
    if sight.sees(space, w, space.entities[id]) then
      watchers[other] = true
    end
  end
  return keys_of(watchers)
end

function questions.told_markers_of(space, id)
  if not space.deferred then
    return questions.markers_of(space, id)
  end
  return keys_of(space.told[id])
end

function questions.told_watchers_of(space, id)
  if not space.deferred then
    return questions.watchers_of(space, id)
  end
  local watchers = {}
  for other in pairs(space.entities) do
    if space.told[other] and space.told[other][id] then
      watchers[other] = true
    end
  end
  return keys_of(watchers)
end

function questions.members_of(space, number)
  return keys_of(areas.members(space)[number])
end

function questions.areas_of(space, id)
  local found = {}
  for number, members in pairs(areas.members(space)) do
    found[number] = members[id]
  end
  return keys_of(found)
end

function questions.in_area(space, number, id)
  local area, m = space.areas[number], space.entities[id]
  local was = space.members[number] and space.members[number][id]
  return area ~= nil and m ~= nil and areas.is_member(space, area, m, was)
end

function questions.traits(space, id)
  local e = space.entities[id]
  return {
    radius = not space.classic and e.radius or nil,
    visible_radius = not space.classic and e.visible_radius or nil,
    mode = e.mode, layers = e.layers, sees_layers = e.sees_layers,
    limit = space.crowd and e.limit or nil, importance = space.crowd and e.importance or nil,
  }
end

-- A list of ids and words by turns.
function questions.sights(space, id)
  local list, ids = {}, keys_of(space.sights[id] or {})
  for _, m in ipairs(ids) do
    list[#list + 1] = m
    list[#list + 1] = space.sights[id][m]
  end
  return list
end

-- Returns the word, and the rank beside "limit".
function questions.explain(space, a, b)
  local w, m = space.entities[a], space.entities[b]
  if not w or not m then
    return "unknown"
  elseif a == b then
    return "self"
  elseif not sight.is_watcher(w) or not sight.is_marker(m) then
    return "mode"
  elseif sight.word(space, w, m) == false then
    return "hidden"
  elseif not sight.word(space, w, m) and m.layers & w.sees_layers == 0 then
    return "layer"
  elseif not sight.sees(space, w, m) then
    return "range"
  elseif space.crowd then
    return crowd.explain(space, w, m)
  end
  return "sees"
end

-- ---- queries: each is a predicate over places; nil where its formula has no number --------------

local within = {}
questions.within = within

function within.query_rect(space, call, place)
  for axis = 1, space.dims do
    local low, high = math.min(call.a[axis], call.b[axis]), math.max(call.a[axis], call.b[axis])
    if not (low <= place[axis] and place[axis] <= high) then
      return false
    end
  end
  return true
end

function within.query_circle(space, call, place)
  return sight.in_circle(call.a, call.r, place, space.dims)
end

function within.query_sector(_, call, place)
  if not sight.in_circle(call.a, call.r, place, 2) then
    return false
  end
  local dx, dy = place[1] - call.a[1], place[2] - call.a[2]
  if call.angle >= 2 * math.pi or dx == 0 and dy == 0 then
    return true
  end
  local first, last = call.direction - call.angle / 2, call.direction + call.angle / 2
  local after = math.cos(first) * dy - math.sin(first) * dx
  local before = dx * math.sin(last) - dy * math.cos(last)
  if after ~= after or before ~= before then
    return nil
  end
  after, before = after >= 0, before >= 0
  if call.angle > math.pi then
    return after or before
  end
  return after and before
end

function within.query_segment(_, call, place)
  local dx, dy = place[1] - call.a[1], place[2] - call.a[2]
  local ex, ey = call.b[1] - call.a[1], call.b[2] - call.a[2]
  local length2, t = ex * ex + ey * ey, 0
  if length2 > 0 then
    t = math.max(0, math.min(1, (dx * ex + dy * ey) / length2))
  end
  local px, py = dx - t * ex, dy - t * ey
  if t ~= t or px ~= px or py ~= py then
    return nil
  end
  return px * px + py * py <= (call.width / 2) * (call.width / 2)
end

function within.query_polygon(_, call, place)
  return exact.in_polygon(call.points, place[1], place[2])
end

function within.query_nearest(space, call, place)
  return not call.max_r or sight.in_circle(call.a, call.max_r, place, space.dims)
end

-- The ids that a query finds, in its order; nil where a formula has no number.
function questions.find(space, call)
  local found, bits = {}, call.bits and call.bits & 0xffffffff or 0xffffffff
  for id, m in pairs(space.entities) do
    if sight.is_marker(m) and m.layers & bits ~= 0 then
      local inside = within[call.name](space, call, m.place)
      if inside == nil then
        return nil
      elseif inside then
        found[#found + 1] = id
      end
    end
  end
  table.sort(found)
  if call.name == "query_nearest" then
    local distance = {}
    for _, id in ipairs(found) do
      distance[id] = sight.distance2(call.a, space.entities[id].place, space.dims)
    end
    table.sort(found, function(a, b)
      if distance[a] ~= distance[b] then
        return distance[a] < distance[b]
      end
      return a < b
    end)
    found = table.move(found, 1, math.min(call.k, #found), 1, {})
  end
  return found
end

return questions
