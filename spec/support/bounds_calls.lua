-- Random set_bounds for the sequences: maps that move, grow and shrink; those that would leave an
-- entity outside must be refused, unless the space clamps.

local sequences = require "spec.support.sequences"

local function fits(self, region)
  for _, entity in pairs(self.entities) do
    if entity.x < region.x or entity.x > region.high_x
      or entity.y < region.y or entity.y > region.high_y then
      return false
    end
  end
  return true
end

local function set_bounds(self)
  if not self.engine.has_bounds then
    return nil
  end
  local random, old = self.random, self.region
  local grow = random:pick { 0, 0.1, 0.5, 0.9 }
  local region = {
    x = old.x - random:float(-0.1, 1) * grow * old.width,
    y = old.y - random:float(-0.1, 1) * grow * old.height,
    width = old.width * random:pick { 1, 0.8, 1 + 2 * grow },
    height = old.height * random:pick { 1, 0.8, 1 + 2 * grow },
  }
  if region.width > 1000 * self.first_width or region.width < self.first_width / 1000 then
    return nil
  end
  region.high_x, region.high_y = region.x + region.width, region.y + region.height
  if self.options.clamp or fits(self, region) then
    self.region = region
  end
  return sequences.call("set_bounds", region.x, region.y, region.width, region.height)
end

return {
  { weight = 2, make = function(self)
    self.first_width = self.first_width or self.region.width
    return set_bounds(self)
  end },
}
