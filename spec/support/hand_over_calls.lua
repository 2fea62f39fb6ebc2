-- Calls for the sequences of deferred spaces: entities that are handed out and, at once or much later, in
-- again; anchors; ticks with a number. hand_in(n) takes what the n-th hand_out gave, counted around.

local sequences = require "spec.support.sequences"

local call = sequences.call

local function hand_out(self, id)
  self.just_handed = self.random:chance(self.return_share)
  return call("hand_out", id)
end

-- Mostly what was handed out last; sometimes something old.
local function hand_in(self)
  if not self.just_handed and not self.random:chance(0.2) then
    return nil
  end
  self.just_handed = false
  return call("hand_in", self.random:chance(0.7) and 0 or self.random:integer(1, 100))
end

local function anchored(self, id)
  local random, slack = self.random, self.options.slack or 0
  local place = self:fence(self:fresh_place())
  local anchor = { place.x, place.y, self.options.dims == 3 and place.z or nil }
  for axis = 1, #anchor do
    if random:chance(0.5) then
      anchor[axis] = sequences.beside(random, anchor[axis] + random:pick { -1, 1 } * slack)
    elseif slack < 1e300 then
      anchor[axis] = anchor[axis] + random:float(-slack, slack)
    end
  end
  local opts = self:opts(self.entities[id] == nil) or {}
  opts.anchor = anchor
  self:note(id, place, opts)
  return self:placing_call(random:pick { "enter", "update", "update" }, id, place, opts)
end

local function numbered_tick(self)
  if not self.random:chance(self.tick_share) then
    return nil
  end
  self.number = (self.number or 0) + self.random:pick { 1, 1, 2, 7, 400 }
  return call("tick", self.number)
end

return {
  -- Makes the sequence one in which some return soon.
  prepare = function(self)
    self.return_share = self.random:pick { 0.3, 0.9, 1 }
  end,
  kinds = {
    { weight = 40, make = hand_out },
    { weight = 200, make = hand_in },
    { weight = 15, make = anchored },
    { weight = 10, make = numbered_tick },
    { weight = 5, make = function(self) return call("anchor", self.random:pick(self.ids)) end },
  },
}
