-- Calls for the sequences of spaces with slack: steps that end where the slack does.

local sequences = require "spec.support.sequences"

local call = sequences.call

-- A step as long as the slack, or a hair less or more. One that comes from its anchor ends on the
-- very border.
local function step_to_border(self, id)
  local random, entity = self.random, self.entities[id]
  if not entity then
    return nil
  end
  local place = { x = entity.x, y = entity.y, z = entity.z }
  for axis in random:pick({ "x", "y", "xy", "z" }):gmatch(".") do
    place[axis] = sequences.beside(random, place[axis] + random:pick { -1, 1 } * self.options.slack)
    if math.abs(place[axis]) == math.huge then
      return nil
    end
  end
  place = self:fence(place)
  self:note(id, place)
  return self:placing_call("move", id, place)
end

-- Makes the sequence one of a space with slack, of the kind that its coordinates are.
local function prepare(self)
  local random, radius = self.random, self.options.radius
  if not radius or radius > self.region.width then
    radius = self.region.width / 10
  end
  local slack = radius * random:pick { 0.01, 0.1, 0.1, 0.3, 0.3, 1, 3 }
  if random:chance(0.1) then
    slack = random:pick { 0, 2.0 ^ -1074, 1e308 }
  elseif self.style == "integer" then
    slack = math.ceil(slack)
  elseif self.style == "tenths" then
    slack = math.ceil(slack * 10) / 10
  end
  self.options.slack = slack
end

return {
  prepare = prepare,
  kinds = {
    { weight = 30, make = step_to_border },
    { weight = 0.5, make = function(self)
      return not self.options.deferred and call("tick") or nil -- an error
    end },
  },
}
