-- Calls for the sequences of crowd spaces: limits, importance and pins that change, steps to where
-- rings end and ranks change, and everybody elsewhere at once. All are inside a few views, so that
-- there is always somebody who is not told.

local crowd_calls = require "spec.support.crowd_calls"
local sequences = require "spec.support.sequences"
local slack_calls = require "spec.support.slack_calls"
local tick_calls = require "spec.support.tick_calls"

local call = sequences.call

local TICKS, TICKS_OF_MANY = 40, 12
local UNKNOWN = 424242 -- an id that is never inside

-- ---- options ----------------------------------------------------------------------------------

local function some_limit(random)
  return random:pick { 0, 1, 1, 2, 2, 3, 5, 5.0, 8, math.huge }
end

local function some_importance(random)
  return random:pick { 0, 0, 1, 1, 2, 255, 255.0 }
end

-- Distances that occur, in ascending order.
local function some_bounds(self)
  local random, bounds = self.random, {}
  local usual, bound = self.options.radius or self.region.width / 4, 0
  if usual == math.huge then
    usual = self.region.width
  end
  for index = 1, random:integer(0, 3) do
    bound = bound + usual * random:pick { 0, 0.1, 0.2, 0.3, 0.5 }
    bound = self.style == "integer" and math.ceil(bound) or bound
    if bound == bounds[index - 1] or bound >= math.huge then
      break
    end
    bounds[index] = bound
  end
  return bounds
end

local function some_rates(self)
  local random, rates, period = self.random, {}, 1
  local bounds = some_bounds(self)
  bounds[#bounds + 1] = math.huge
  for index, bound in ipairs(bounds) do
    rates[index] = { bound, period }
    period = period + random:pick { 0, 1, 1, 2, 4 }
  end
  if random:chance(0.2) then -- the nearest are not told each tick either
    for _, rate in ipairs(rates) do
      rate[2] = rate[2] + 2
    end
  end
  if random:chance(0.2) then -- those far away hardly ever, or never
    rates[#rates][2] = random:pick { 2 ^ 29, 2 ^ 29 - 1, 2 ^ 28, math.huge, math.huge }
  end
  return rates
end

-- At least one of the options that make a crowd, and more.
local function add_crowd_options(self)
  local random, options = self.random, self.options
  local made = random:pick { "limit", "limit", "limit", "enter_budget", "rates", "move_budget" }
  if made == "limit" or random:chance(0.4) then
    options.limit = some_limit(random)
  end
  if made == "enter_budget" or random:chance(0.3) then
    options.enter_budget = random:pick { 1, 1, 2, 3 }
  end
  if made == "rates" or random:chance(0.5) then
    options.rates = some_rates(self)
  end
  if made == "move_budget" or random:chance(0.4) then
    options.move_budget = random:pick { 1, 1, 2, 4 }
  end
  if random:chance(0.7) then
    options.keep_factor = random:pick { 1, 1, 1.1, 1.5, 2, 2, 1000, 1 + 2.0 ^ -52 }
  end
  if random:chance(0.3) then
    options.limit_layers = random:pick { 0, 1, 1, 2, 3, 6, -1 }
    self.mixed_layers = true
  end
end

local function add_opts(self, opts)
  if self.random:chance(self.trait_share) then
    opts.limit = some_limit(self.random)
  end
  if self.random:chance(self.trait_share) then
    opts.importance = some_importance(self.random)
  end
end

-- ---- the taste --------------------------------------------------------------------------------

local function choose_ids(self, count)
  for index = #self.ids, count + 1, -1 do
    self.ids[index] = nil
  end
  for index = #self.ids + 1, count do
    self.ids[index] = index + (1 << 40)
  end
end

-- Views that hold many of them.
local function widen_views(self)
  local random, options = self.random, self.options
  if options.radius then
    local radius = self.region.width * random:pick { 0.2, 0.4, 0.4, 1 }
    if self.style == "integer" then
      radius = math.ceil(radius)
    end
    self:set_default_radius(random:chance(0.1) and math.huge or radius)
  elseif options.cols then
    options.cols, options.rows = random:integer(1, 5), random:integer(1, 5)
  end
end

-- Preparations that all sequences of crowds share.
local function prepare_any(self)
  local random = self.random
  tick_calls.prepare(self)
  self.tick_share = random:pick { 0.5, 1 }
  self.ticks = TICKS
  self.leave_share = random:pick { 0, 0.05, 0.2 }
  self.trait_share = random:pick { 0, 0.2, 0.5 }
  self.pin_share = random:pick { 0, 0.3, 1 }
  self.teleport_share = random:pick { 0, 0.3, 1 }
  self.jump_share = random:pick { 0, 0, 0.3, 1 }
  self.pins = {} -- pairs that were pinned
  choose_ids(self, random:integer(10, 25))
  self.add_opts = add_opts
end

-- Makes the sequence one of a crowd space.
local function prepare(self)
  prepare_any(self)
  widen_views(self)
  if self.engine.has_radius and self.random:chance(0.35) then
    slack_calls.prepare(self)
  end
  add_crowd_options(self)
end

-- The like with so many entities that trees grow; the model takes its time, so ticks are few.
local function prepare_many(self)
  prepare(self)
  self.ticks = TICKS_OF_MANY
  choose_ids(self, self.random:integer(60, 120))
end

-- The like where everything is often equal: whole coordinates on a small map, no preference for who
-- is told, rings that end at distances that occur.
local function prepare_ties(self)
  local random, options = self.random, self.options
  self.style, self.mixed_styles, self.outside_share = "integer", false, 0
  self.region = { x = 0, y = 0, width = 10, height = 7, high_x = 10, high_y = 7 }
  if self.engine.has_map then
    options.x, options.y, options.width, options.height = 0, 0, 10, 7
    options.cell, options.cols, options.rows = nil, nil, nil
  end
  if self.engine.has_radius then
    options.radius = random:pick { 3, 4, 5, 10 }
  else
    options.cols, options.rows = random:integer(1, 4), random:integer(1, 4)
  end
  self.cell_width, self.cell_height = 1, 1
  prepare_any(self)
  options.limit = random:pick { 1, 2, 3, 5 }
  options.keep_factor = 1
  options.rates = random:pick {
    { { 2, 1 }, { 5, 2 }, { math.huge, 3 } },
    { { 0, 1 }, { 1, 3 }, { 3, 3 }, { 4, 4 }, { math.huge, 7 } },
    { { 5, 1 }, { math.huge, 9 } },
  }
  options.move_budget = random:pick { false, 1, 2 } or nil
  options.enter_budget = random:pick { false, false, 1 } or nil
end

-- The like with many who stand at a few points, in no order of their ids.
local function prepare_points(self)
  local random, options = self.random, self.options
  prepare_ties(self)
  self.ticks = TICKS_OF_MANY
  choose_ids(self, random:integer(60, 120))
  for index = #self.ids, 2, -1 do
    local other = random:integer(1, index)
    self.ids[index], self.ids[other] = self.ids[other], self.ids[index]
  end
  local width, height = random:integer(0, 2), random:integer(0, 1)
  self.region = { x = 0, y = 0, width = width, height = height, high_x = width, high_y = height }
  self.mixed_layers = random:chance(0.5)
  options.limit = random:pick { 1, 5, 20, 40 }
  options.keep_factor = random:pick { 1, 1.2 }
  options.limit_layers = self.mixed_layers and random:pick { 1, 2, 6, -1 } or nil
end

-- ---- calls ------------------------------------------------------------------------------------

-- A move of the entity to this place, fenced.
local function move_to(self, id, place)
  for _, axis in ipairs { "x", "y", "z" } do
    if math.abs(place[axis]) == math.huge or place[axis] ~= place[axis] then
      return nil
    end
  end
  place = self:fence(place)
  self:note(id, place)
  return self:placing_call("move", id, place)
end

-- As far from somebody as a ring goes, along an axis or across a triangle of whole numbers, or a hair
-- beside it.
local function step_to_ring(self, id)
  local random, rates, other = self.random, self.options.rates, self:some_entity()
  if not self.entities[id] or not rates or not other then
    return nil
  end
  local bound = random:pick(rates)[1]
  local share_x, share_y = table.unpack(random:pick { { 1, 0 }, { 0, -1 }, { 0.6, 0.8 }, { -0.8, 0.6 } })
  local place = { x = other.x + bound * share_x, y = other.y + bound * share_y, z = other.z }
  if random:chance(0.3) then
    place.x = sequences.beside(random, place.x)
  end
  return move_to(self, id, place)
end

-- Nearer to one than another is, by the factor over which ranks change, or just as near; perhaps on the
-- other side.
local function step_to_rank(self, id)
  local random, watcher, other = self.random, self:some_entity(), self:some_entity()
  if not self.entities[id] or not watcher or not other then
    return nil
  end
  local factor = random:pick { 1, -1, 1 / (self.options.keep_factor or 1.2), -1 / (self.options.keep or 1.2) }
  local place = {}
  for _, axis in ipairs { "x", "y", "z" } do
    place[axis] = watcher[axis] + (other[axis] - watcher[axis]) * factor
  end
  if random:chance(0.3) then
    place.x = sequences.beside(random, place.x)
  end
  return move_to(self, id, place)
end

-- Everybody anywhere.
local function teleport(self)
  if not self.random:chance(self.teleport_share) then
    return nil
  end
  local flat, usual_outside_share = {}, self.outside_share
  self.outside_share = 0
  for _, id in ipairs(self.ids) do
    if self.entities[id] then
      local place = self:fence(self:fresh_place())
      self:append_row(flat, id, place)
      self:note(id, place)
    end
  end
  self.outside_share = usual_outside_share
  return call("move_all", flat)
end

local function some_id(self)
  return self.random:chance(0.05) and UNKNOWN or self.random:pick(self.ids)
end

-- Pins, and takes one of the last pins away again.
local function pin(self, id)
  local random, pins = self.random, self.pins
  if not random:chance(self.pin_share) then
    return nil
  elseif #pins > 0 and random:chance(0.4) then
    return call("unpin", table.unpack(table.remove(pins, random:integer(1, #pins))))
  end
  local marker = random:chance(0.05) and id or some_id(self)
  pins[#pins + 1] = { id, marker }
  return call(random:chance(0.95) and "pin" or "unpin", id, marker)
end

local function set_trait(self, id)
  local random = self.random
  if not random:chance(self.trait_share) then
    return nil
  elseif random:chance(0.5) then
    return call("set_limit", id, some_limit(random))
  end
  return call("set_importance", id, some_importance(random))
end

-- Calls that the contract forbids, unless the id is inside and the value means something.
local wrong_calls = {
  function(_, id) return call("set_limit", id, -1) end,
  function(_, id) return call("set_limit", id, 2 ^ 31) end,
  function(_, id) return call("set_importance", id, 256) end,
  function(_, id) return call("set_importance", id, 0.5) end,
  function(_, id) return call("pin", id, "1") end,
  function(_, id) return call("unpin", UNKNOWN, id) end,
  function() return call("touch", UNKNOWN) end,
  function(self, id)
    return self:placing_call("update", id, self:fresh_place(), { radius = 1, importance = -1 })
  end,
}

local function wrong(self, id)
  return self.random:pick(wrong_calls)(self, id)
end

-- A tick that comes long after the last one; all later ones have numbers, too.
local function late_tick(self)
  if not self.random:chance(self.jump_share) then
    return nil
  end
  self.late = (self.late or 0) + self.random:pick {
    2, 100, 2 ^ 28, 2 ^ 29 - 1, 2 ^ 29, 2 ^ 29 + 1, 2 ^ 30, 2 ^ 30 + 2, 2 ^ 31, 2 ^ 32 - 1, 2 ^ 32, 2 ^ 40,
  }
  return call("tick", self.late)
end

local function touch(self, id)
  self.just_touched = self.entities[id] and id or nil
  return call("touch", id)
end

-- Leaves, to come back soon, often before the next tick.
local function leave(self, id)
  id = self.just_touched or id
  self.just_touched = nil
  if not self.entities[id] then
    return nil
  end
  self.entities[id] = nil
  self.just_left = id
  return call("leave", id)
end

local function come_back(self)
  local id = self.just_left
  if not id or self.entities[id] then
    return nil
  end
  self.just_left = nil
  local place, opts = self.last_places[id], self:opts(true)
  if self.random:chance(0.5) then
    place = self:fence(self:step_place(place))
  end
  self:note(id, place, opts)
  return self:placing_call(self.random:pick { "enter", "enter", "update" }, id, place, opts)
end

local kinds = {
  { weight = 20, make = step_to_ring },
  { weight = 20, make = step_to_rank },
  { weight = 5, make = teleport },
  { weight = 15, make = pin },
  { weight = 10, make = set_trait },
  { weight = 6, make = touch },
  { weight = 4, make = late_tick },
  { weight = 6, make = leave },
  { weight = 60, make = come_back },
  { weight = 3, make = wrong },
  { weight = 3, make = function(self) return call("told_markers_of", some_id(self)) end },
  { weight = 3, make = function(self) return call("told_watchers_of", some_id(self)) end },
  { weight = 6, make = function(self) return call("explain", some_id(self), some_id(self)) end },
}

-- Calls that bring many in, and steps to the end of the slack where there is some.
for _, kind in ipairs(crowd_calls.kinds) do
  kinds[#kinds + 1] = { weight = kind.weight / 2, make = kind.make }
end
for _, kind in ipairs(slack_calls.kinds) do
  kinds[#kinds + 1] = { weight = kind.weight, make = function(self, id)
    return self.options.slack and kind.make(self, id) or nil
  end }
end
table.move(tick_calls.kinds, 1, #tick_calls.kinds, #kinds + 1, kinds)

return {
  kinds = kinds,
  prepare = prepare,
  prepare_many = prepare_many,
  prepare_ties = prepare_ties,
  prepare_points = prepare_points,
}
