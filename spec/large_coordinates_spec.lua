-- Far from the origin neighbouring doubles lie apart: 1.5e-8 at 1e8, 1/8 at 1e15; and floats, with
-- which some engines look for candidates, 8 and 67 million. A crowd of a few hundred, so that the
-- released build fills more than one block of a list, steps about there, by a few units or by a few
-- of those gaps; every engine with a radius must do what the model does.

local compare = require "spec.support.compare"
local differential = require "spec.support.differential"
local engines = require "spec.support.engine_features"
local Random = require "spec.support.random"
local seeds = require "spec.support.seeds"

local ENTITIES, CALLS = 150, 150
local SIZE, RADIUS = 128, 16
-- At 1e7 floats lie 1 apart: a ring still has a hole there, with a border that is as coarse.
local CORNERS = {
  { 1e8, 1e8 }, { 1e7, -1e7 }, { 1e15, -1e15 }, { -3e6, 1e7 }, { -1e8, 1e15 }, { -1e15, 0 }, { -64, 1e8 },
}

local function call(method, ...)
  return { method = method, n = select("#", ...), ... }
end

-- The distance of neighbouring doubles there, or a little more.
local function gap_at(value)
  return math.max(math.abs(value), 1) * 2.0 ^ -52
end

local Crowd = {}
Crowd.__index = Crowd

function Crowd:fence(value, axis)
  local low = self.corner[axis]
  return math.max(low, math.min(low + SIZE, value))
end

function Crowd:anywhere()
  local random, corner = self.random, self.corner
  return { random:float(corner[1], corner[1] + SIZE), random:float(corner[2], corner[2] + SIZE) }
end

-- A few units, a few gaps, or to the border of somebody's view and a few gaps beside it.
function Crowd:step_from(place)
  local random, next_place = self.random, {}
  local other = self.places[random:integer(1, ENTITIES)]
  local kind = random:integer(1, 3)
  for axis = 1, 2 do
    local value = place[axis]
    local gaps = random:integer(-3, 3) * gap_at(value)
    if kind == 1 then
      value = value + random:float(-4, 4)
    elseif kind == 2 then
      value = value + gaps
    elseif random:chance(0.7) then
      value = other[axis] + random:pick { -RADIUS, 0, RADIUS } + gaps
    end
    next_place[axis] = self:fence(value, axis)
  end
  return next_place
end

local function crowd_sequence(engine, seed)
  local random = Random.new(seed)
  local self = setmetatable({ random = random, corner = CORNERS[seed % #CORNERS + 1], places = {} }, Crowd)
  local options = {
    engine = engine.engine, radius = RADIUS, shape = random:pick { "square", "circle" },
  }
  if engine.has_map then
    options.x, options.y, options.width, options.height = self.corner[1], self.corner[2], SIZE, SIZE
  end
  local calls = {}
  for id = 1, ENTITIES do
    self.places[id] = self:anywhere()
    calls[id] = call("enter", id, self.places[id][1], self.places[id][2])
  end
  for _ = 1, CALLS do
    local id = random:integer(1, ENTITIES)
    self.places[id] = random:chance(0.1) and self:anywhere() or self:step_from(self.places[id])
    calls[#calls + 1] = call("move", id, self.places[id][1], self.places[id][2])
  end
  return { seed = seed, engine = engine, options = options, calls = calls }
end

-- Two lines of entities above and below somebody who steps to and fro: each stands a quarter of a
-- float's gap beside the next, and all along the lines somebody is at the inner border of the ring.
local function lines_sequence(engine, seed)
  local x, y = 1e7 + 64, -1e7 + 64
  local options = { engine = engine.engine, radius = RADIUS, shape = "square" }
  if engine.has_map then
    options.x, options.y, options.width, options.height = 1e7, -1e7, SIZE, SIZE
  end
  local calls = { call("enter", 1, x, y) }
  for offset = -RADIUS, RADIUS, 0.25 do
    for _, border in ipairs { -RADIUS, RADIUS } do
      calls[#calls + 1] = call("enter", #calls + 1, x + offset, y + border)
    end
  end
  for step = 1, 20 do
    calls[#calls + 1] = call("move", 1, x + 0.3 * (step % 7), y + step % 2)
  end
  return { seed = seed, engine = engine, options = options, calls = calls }
end

describe("Far from the origin a space does what the model does,", function()
  for _, engine in ipairs(engines) do
    for _, group in ipairs(engine.has_radius and seeds.groups(5, 4) or {}) do
      it(("on the %s, seeds %d to %d"):format(engine.name, group.first, group.last), function()
        for seed = group.first, group.last do
          local sequence = crowd_sequence(engine, seed)
          sequence.listener = compare.listeners[seed % #compare.listeners + 1]
          differential.run(sequence)
        end
      end)
    end
    if engine.has_radius then
      it("nobody is found twice on the " .. engine.name .. ", or not at all", function()
        local sequence = lines_sequence(engine, 1)
        sequence.listener = compare.listeners[3] -- without moves: those make a ring a whole box
        differential.run(sequence)
      end)
    end
  end
end)
