-- Calls for the sequences that concern everybody at once: a march of all by small steps, so that a
-- tick finds the whole space changed; and crowds, which are larger than the usual sequences have.

local sequences = require "spec.support.sequences"

local call = sequences.call

-- Everybody inside, or a share of them, takes a small step; a few may go far.
local function march(self)
  local random, flat = self.random, {}
  local share, far_share = random:pick { 1, 1, 0.9, 0.3, 0.05 }, random:pick { 0, 0, 0.02, 0.2 }
  local usual_step, usual_outside_share = self.step, self.outside_share
  self.step, self.outside_share = random:pick { usual_step, 0.01, 0.001 }, 0
  for _, id in ipairs(self.ids) do
    local entity = self.entities[id]
    if entity and random:chance(share) then
      local far = random:chance(far_share)
      local place = self:fence(far and self:fresh_place() or self:step_place(entity))
      self:append_row(flat, id, place)
      self:note(id, place)
    end
  end
  self.step, self.outside_share = usual_step, usual_outside_share
  return call("move_all", flat)
end

-- A share of those who are outside come in, all of one kind.
local function muster(self)
  local flat, opts = {}, self:opts(true)
  local share = self.random:pick { 0.9, 0.3, 0.1 }
  for _, id in ipairs(self.ids) do
    if not self.entities[id] and self.random:chance(share) then
      local place = self:place_in_map()
      self:append_row(flat, id, place)
      self:note(id, place, opts)
    end
  end
  return call("enter_all", flat, #flat // ((self.options.dims or 2) + 1), opts)
end

-- Makes the sequence one of a crowd. It is short, so ticks are frequent.
local function prepare(self)
  self.tick_share = self.random:pick { 0.2, 0.5, 1 }
  for index = #self.ids + 1, self.random:integer(200, 400) do
    self.ids[index] = index + (1 << 40)
  end
end

return {
  march = march,
  prepare = prepare,
  kinds = {
    { weight = 80, make = march },
    { weight = 15, make = function(self)
      local count = 0
      for _ in pairs(self.entities) do
        count = count + 1
      end
      return count < 0.7 * #self.ids and muster(self) or nil
    end },
  },
}
