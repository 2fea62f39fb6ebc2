-- Crowds in the brute-force model: what each watcher is told of what it sees, by sorting all of it
-- at every tick, as the section "Crowds" of the contract says it.
--
-- A crowd is the options of the space, `tick`, the number of the last tick,
-- and `told_markers_of`: told[w][m] is what is kept of a told pair:
--   since   the tick of its last enter or move
--   due     the tick from which its next move may be told
-- `moved` is the last tick at which a marker moved, by id: pairs told before that wait.

local hand_over = require "spec.support.model_hand_over"
local values = require "spec.support.model_values"

local refuse, to_id, to_whole = values.refuse, values.to_id, values.to_whole

local MOST = 2 ^ 31 - 1 -- of whole numbers
local LONGEST_PERIOD = 2 ^ 29
local OLDEST = 2 ^ 30 -- more ticks since a pair was due count as equally many

local crowds = {}

-- ---- options and traits -----------------------------------------------------------------------

local function to_limit(value)
  return value == math.huge and value or to_whole("limit", value, 0, MOST)
end

local function to_importance(value)
  return to_whole("importance", value, 0, 255)
end

local function to_keep(value)
  if not math.type(value) or not (1 <= value and value <= 1000) then
    refuse("keep_factor %s is no number from 1 to 1000", value)
  end
  return value + 0.0
end

local function to_period(value)
  return value == math.huge and value or to_whole("period", value, 1, LONGEST_PERIOD)
end

-- A ring is { bound = distance, period = ticks }.
local function to_rings(rates)
  local rings = {}
  if type(rates) ~= "table" or #rates == 0 then
    refuse("rates are no list of rings")
  end
  for index, rate in ipairs(rates) do
    if type(rate) ~= "table" or #rate ~= 2 then
      refuse("a rate is no { bound, period }")
    end
    local bound, period = values.to_radius(rate[1]), to_period(rate[2])
    local inner = rings[index - 1]
    if inner and not (inner.bound < bound and inner.period <= period) then
      refuse("ring %d is not outside the one before, or told more often", index)
    end
    rings[index] = { bound = bound, period = period }
  end
  if rings[#rings].bound ~= math.huge then
    refuse("the last ring ends at %s", rings[#rings].bound)
  end
  return rings
end

local function is_crowd(options)
  return options.limit or options.enter_budget or options.rates or options.move_budget
end

-- The crowd of a space with these options; nil where it is none.
function crowds.new(options)
  local is_one = is_crowd(options)
  if is_one and not options.deferred then
    refuse("a crowd in a space that is not deferred")
  elseif not is_one and (options.keep_factor or options.limit_layers) then
    refuse("keep_factor or limit_layers in a space that is no crowd")
  elseif not is_one then
    return nil
  end
  return {
    limit = to_limit(options.limit or math.huge),
    limit_layers = values.to_bits(options.limit_layers or -1),
    keep = to_keep(options.keep_factor or 1.2),
    enter_budget = options.enter_budget and to_whole("enter_budget", options.enter_budget, 1, MOST)
      or math.huge,
    rings = to_rings(options.rates or { { math.huge, 1 } }),
    move_budget = options.move_budget and to_whole("move_budget", options.move_budget, 1, MOST) or math.huge,
    tick = 0,
    moved = {},
    told = {},
  }
end

-- Everything is gone, but ticks are counted on.
function crowds.clear(crowd)
  crowd.moved, crowd.told = {}, {}
end

-- Reads those of the opts that only crowds have.
function crowds.check_traits(model, opts, traits)
  if not model.crowd and (opts.limit ~= nil or opts.importance ~= nil) then
    refuse("limit or importance in a space that is no crowd")
  end
  traits.limit = opts.limit and to_limit(opts.limit)
  traits.importance = opts.importance and to_importance(opts.importance)
end

-- The traits of an entity that enters. `pins` is a set of ids, whether these are inside or not.
function crowds.new_traits(crowd)
  return { limit = crowd.limit, importance = 0, pins = {} }
end

-- ---- ranking ----------------------------------------------------------------------------------

function crowds.was_told(crowd, w, m)
  return crowd.told[w] ~= nil and crowd.told[w][m] ~= nil
end

-- The square of the distance that counts: of anchors. In a classic nine-grid there is no slack, so
-- that an anchor is the true place, with its cell.
local function d2_of(watcher, marker)
  local dx = marker.anchor.x - watcher.anchor.x
  local dy = marker.anchor.y - watcher.anchor.y
  local dz = marker.anchor.z - watcher.anchor.z
  return dx * dx + dy * dy + dz * dz
end

local function goes_before(a, b)
  if a.importance ~= b.importance then
    return a.importance > b.importance
  elseif a.distance ~= b.distance then
    return a.distance < b.distance
  elseif a.is_told ~= b.is_told then
    return a.is_told
  end
  return a.id < b.id
end

-- The place of m among those that w sees, for the sorting.
local function ranked_one(model, w, m)
  local crowd, watcher, marker = model.crowd, model.entities[w], model.entities[m]
  local is_told, distance = crowds.was_told(crowd, w, m), d2_of(watcher, marker)
  if not is_told then
    distance = distance * (crowd.keep * crowd.keep)
  end
  return { id = m, importance = marker.importance, distance = distance, is_told = is_told }
end

-- All that w sees now: the set of those who are free, and a list of the others, the first first.
local function rank(model, w)
  local watcher, free, ranked = model.entities[w], {}, {}
  for m, marker in pairs(model.entities) do
    if model:entity_sees(watcher, marker) then
      if watcher.pins[m] or marker.layers & model.crowd.limit_layers == 0 then
        free[m] = true
      else
        ranked[#ranked + 1] = ranked_one(model, w, m)
      end
    end
  end
  table.sort(ranked, goes_before)
  return free, ranked
end

-- The set of ids that w is told of from now on.
local function new_told_set(model, w)
  local crowd, limit = model.crowd, model.entities[w].limit
  local free, ranked = rank(model, w)
  local admitted, admitted_count = {}, 0
  for place, one in ipairs(ranked) do
    if place <= limit and not one.is_told and admitted_count < crowd.enter_budget then
      admitted[one.id] = true
      admitted_count = admitted_count + 1
    end
  end
  local set, count = free, 0
  for _, one in ipairs(ranked) do
    if (one.is_told or admitted[one.id]) and count < limit then
      set[one.id] = true
      count = count + 1
    end
  end
  return set
end

-- ---- a tick -----------------------------------------------------------------------------------

local function period_of(model, w, m)
  local d2 = d2_of(model.entities[w], model.entities[m])
  for _, ring in ipairs(model.crowd.rings) do
    if d2 <= ring.bound * ring.bound then
      return ring.period
    end
  end
end

-- The pair has just been told.
local function told_now(model, w, m)
  local now = model.crowd.tick
  return { since = now, due = now + period_of(model, w, m) }
end

-- The pair goes on being told, and nothing was told of it yet.
local function advance(model, w, m, pair)
  return { since = pair.since, due = math.min(pair.due, pair.since + period_of(model, w, m)) }
end

-- The ids of told[w] that get their move now.
local function choose_moves(crowd, told_of_w)
  local due = {}
  for m, pair in pairs(told_of_w) do
    local waits = (crowd.moved[m] or -1) > pair.since
    if waits and pair.due <= crowd.tick then
      due[#due + 1] = m
    end
  end
  local function overdue(m)
    return math.min(crowd.tick - told_of_w[m].due, OLDEST + 1)
  end
  table.sort(due, function(a, b)
    if overdue(a) ~= overdue(b) then
      return overdue(a) > overdue(b)
    end
    return a < b
  end)
  return table.move(due, 1, math.min(#due, crowd.move_budget), 1, {})
end

-- Ends what w was told of and is not any more, and adds the events to the change.
local function end_pairs(w, old, set, change)
  for m in pairs(old) do
    if not set[m] then
      change.leave[w .. " sees " .. m] = true
    end
  end
end

-- Makes `set` the told set of w, pair by pair; adds the events to the change.
local function tell(model, w, old, set, change)
  local told = {}
  for m in pairs(set) do
    if not old[m] then
      told[m] = told_now(model, w, m)
      change.enter[w .. " sees " .. m] = true
    else
      told[m] = advance(model, w, m, old[m])
    end
  end
  for _, m in ipairs(choose_moves(model.crowd, told)) do
    told[m] = told_now(model, w, m)
    change.move[w .. " sees " .. m] = true
  end
  return told
end

-- Notes the entities that moved at this tick: inside at the last tick and now. Nothing is known of others.
local function note_moves(model, places, has_moved)
  local crowd = model.crowd
  for m in pairs(model.entities) do
    if places[m] and has_moved(m) then
      crowd.moved[m] = crowd.tick
    end
  end
  for m in pairs(crowd.moved) do
    crowd.moved[m] = model.entities[m] and crowd.moved[m]
  end
  hand_over.note_moves(model)
end

-- The events of a tick. places: of those who were inside at the last tick; has_moved(marker) says so of one
-- who was and is now.
function crowds.tick(model, places, has_moved)
  local crowd = model.crowd
  local change, told = { leave = {}, enter = {}, move = {} }, {}
  crowd.tick = model.tick_number
  note_moves(model, places, has_moved)
  for w in pairs(model.entities) do
    local old, set = crowd.told[w] or {}, new_told_set(model, w)
    end_pairs(w, old, set, change)
    told[w] = tell(model, w, old, set, change)
  end
  for w, old in pairs(crowd.told) do
    if not model.entities[w] then
      end_pairs(w, old, {}, change)
    end
  end
  crowd.told = told
  return change
end

-- ---- questions --------------------------------------------------------------------------------

-- Why w, who sees m, is told of it or is not.
function crowds.explain(model, w, m)
  local free, ranked = rank(model, w)
  if crowds.was_told(model.crowd, w, m) then
    return "told"
  elseif free[m] then
    return "waits"
  end
  for place, one in ipairs(ranked) do
    if one.id == m and place <= model.entities[w].limit then
      return "waits"
    elseif one.id == m then
      return "limit", place
    end
  end
end

-- ---- calls ------------------------------------------------------------------------------------

-- Become methods of the model.
crowds.methods = {}

local function crowd_of(model)
  return model.crowd or refuse("the space is no crowd")
end

function crowds.methods:set_limit(id, limit)
  crowd_of(self)
  return self:set_trait(id, "limit", to_limit(limit))
end

function crowds.methods:set_importance(id, importance)
  crowd_of(self)
  return self:set_trait(id, "importance", to_importance(importance))
end

function crowds.methods:pin(w, m)
  crowd_of(self)
  self:existing(w).pins[to_id(m)] = true
  return {}
end

function crowds.methods:unpin(w, m)
  crowd_of(self)
  self:existing(w).pins[to_id(m)] = nil
  return {}
end

return crowds
