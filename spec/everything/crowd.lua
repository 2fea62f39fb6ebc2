-- The told sets at a tick: the rule of crowds, and the plain one of other deferred spaces.
local sight = require "spec.everything.sight"

local crowd = {}

-- Dues further back than this are equally old.
local OLDEST = 1 << 30

-- The squared distance from which a marker is ranked and gets its ring.
local function distance2(space, w, m)
  if space.classic then
    return sight.distance2(w.place, m.place, space.dims)
  end
  return sight.distance2(w.anchor, m.anchor, space.dims)
end

local function period_of(space, d2)
  for _, ring in ipairs(space.crowd.rates) do
    if d2 <= ring[1] * ring[1] then
      return ring[2]
    end
  end
end

local function is_free(space, w, m)
  local pins = space.pins[w.id]
  return pins and pins[m.id] or m.layers & space.crowd.limit_layers == 0
end

local function before(a, b)
  if a.importance ~= b.importance then
    return a.importance > b.importance
  elseif a.weight ~= b.weight then
    return a.weight < b.weight
  elseif a.told ~= b.told then
    return a.told
  end
  return a.id < b.id
end

-- The view of w in two parts: a set of free ones, and the others ranked.
function crowd.rank(space, w)
  local free, ranked, told = {}, {}, space.told[w.id] or {}
  local keep = space.crowd.keep_factor
  for id in pairs(sight.view(space, w)) do
    local m = space.entities[id]
    if is_free(space, w, m) then
      free[id] = true
    else
      local d2 = distance2(space, w, m)
      ranked[#ranked + 1] = {
        id = id, importance = m.importance, told = told[id] ~= nil,
        weight = told[id] and d2 or d2 * (keep * keep),
      }
    end
  end
  table.sort(ranked, before)
  return free, ranked
end

-- The next told set of w, as a set of ids.
local function next_set(space, w)
  local set, ranked = crowd.rank(space, w)
  local admitted, admissions, taken = {}, 0, 0
  for place, entry in ipairs(ranked) do
    if place <= w.limit and not entry.told and admissions < space.crowd.enter_budget then
      admitted[entry.id], admissions = true, admissions + 1
    end
  end
  for _, entry in ipairs(ranked) do
    if taken < w.limit and (entry.told or admitted[entry.id]) then
      set[entry.id], taken = true, taken + 1
    end
  end
  return set
end

local function copy_of(point)
  return { point[1], point[2], point[3] }
end

local function same_place(a, b)
  return a[1] == b[1] and a[2] == b[2] and a[3] == b[3]
end

-- Notes which markers have moved at this tick: touched, at another place than at the last tick, or at
-- another one than a watcher that was handed in was told.
local function note_moved(space)
  for id, m in pairs(space.entities) do
    local last = space.last[id]
    if space.touched[id] or last and not same_place(last, m.place) then
      space.moved_at[id] = space.tick_number
    end
  end
  for watcher, set in pairs(space.told) do
    for id, pair in pairs(set) do
      local m = space.entities[watcher] and space.entities[id]
      if m and not same_place(pair.place, m.place) then
        space.moved_at[id] = space.tick_number
      end
    end
  end
end

local function note_places(space)
  space.last = {}
  for id in pairs(space.moved_at) do
    if not space.entities[id] then
      space.moved_at[id] = nil
    end
  end
  for id, m in pairs(space.entities) do
    space.last[id] = copy_of(m.place)
  end
end

-- Of the pairs that wait and are due, those whose move is told: the first move_budget by due, then id.
local function budgeted(space, waiting)
  local now = space.tick_number
  for _, entry in ipairs(waiting) do
    entry.due = math.max(entry.pair.due, now - OLDEST - 1)
  end
  table.sort(waiting, function(a, b)
    if a.due ~= b.due then
      return a.due < b.due
    end
    return a.id < b.id
  end)
  local chosen = {}
  for i = 1, math.min(#waiting, space.crowd.move_budget) do
    chosen[i] = waiting[i]
  end
  return chosen
end

-- Tells w the moves of the pairs that stay.
local function tell_moves(space, w, staying, change)
  local now, waiting = space.tick_number, {}
  for id, pair in pairs(staying) do
    local m = space.entities[id]
    local period = period_of(space, distance2(space, w, m))
    pair.due = math.min(pair.due, pair.since + period)
    pair.waits = pair.waits or (space.moved_at[id] or 0) > pair.since
    pair.place = copy_of(m.place)
    if pair.waits and pair.due <= now then
      waiting[#waiting + 1] = { id = id, pair = pair, period = period }
    end
  end
  for _, entry in ipairs(budgeted(space, waiting)) do
    entry.pair.since, entry.pair.due, entry.pair.waits = now, now + entry.period, false
    table.insert(change.move, { w.id, entry.id })
  end
end

-- Ends the pairs of a watcher that are not in `set`, begins new ones. Returns the set of pairs that stay.
local function change_pairs(space, id, set, change)
  local old, new, staying = space.told[id] or {}, {}, {}
  for marker, pair in pairs(old) do
    if set[marker] then
      new[marker], staying[marker] = pair, pair
    else
      table.insert(change.leave, { id, marker })
    end
  end
  local w, now = space.entities[id], space.tick_number
  for marker in pairs(set) do
    if not old[marker] then
      local m = space.entities[marker]
      new[marker] = { place = copy_of(m.place), since = now, waits = false }
      if space.crowd then
        new[marker].due = now + period_of(space, distance2(space, w, m))
      end
      table.insert(change.enter, { id, marker })
    end
  end
  space.told[id] = next(new) and new or nil
  return staying
end

local function told_or_inside(space)
  local ids = {}
  for id in pairs(space.told) do
    ids[id] = true
  end
  for id in pairs(space.entities) do
    ids[id] = true
  end
  return ids
end

-- Advances all told sets by a tick, and adds its events to `change`.
function crowd.tick(space, change)
  note_moved(space)
  for id in pairs(told_or_inside(space)) do
    local w = space.entities[id]
    local set = not w and {} or space.crowd and next_set(space, w) or sight.view(space, w)
    local staying = change_pairs(space, id, set, change)
    if space.crowd and w then
      tell_moves(space, w, staying, change)
    else
      for marker, pair in pairs(staying) do
        if space.touched[marker] or not same_place(pair.place, space.entities[marker].place) then
          table.insert(change.move, { id, marker })
        end
        pair.place = copy_of(space.entities[marker].place)
      end
    end
  end
  space.touched = {}
  note_places(space)
end

-- Why w is told of m or not, of two that see each other, in a crowd space.
function crowd.explain(space, w, m)
  local told = space.told[w.id]
  if told and told[m.id] then
    return "told"
  end
  local free, ranked = crowd.rank(space, w)
  if free[m.id] then
    return "waits"
  end
  for place, entry in ipairs(ranked) do
    if entry.id == m.id then
      if place > w.limit then
        return "limit", place
      end
      return "waits"
    end
  end
end

return crowd
