-- Calls for the sequences of deferred spaces: ticks, rare or after nearly every call, and what may
-- happen between two of them.

local compare = require "spec.support.compare"
local crowd_calls = require "spec.support.crowd_calls"
local group_listeners = require "spec.support.group_listeners"
local several_listeners = require "spec.support.several_listeners"
local sequences = require "spec.support.sequences"

local call = sequences.call

local nobody = {
  name = "nobody",
  code = "-- no handlers",
  kinds = {},
  listen = function() end,
}

-- All listeners; those that a call of `on` can set, which cannot make a space collect; and of
-- these, those that hear everything in one manner, so that one can go on where another ended.
local listeners, handlers, successors = {}, { nobody }, {}
for _, list in ipairs { compare.listeners, group_listeners, several_listeners } do
  table.move(list, 1, #list, #listeners + 1, listeners)
end
for _, listener in ipairs(listeners) do
  if not listener.gather then
    handlers[#handlers + 1] = listener
    local kinds = listener.kinds
    if kinds.enter and kinds.leave and kinds.move and not listener.are_several then
      successors[#successors + 1] = listener
    end
  end
end

-- Without moves to tell, whoever stays well inside a view is passed over: another way through a
-- tick, for which a third of the sequences are.
for index = 1, #listeners // 2 do
  listeners[#listeners + 1] = compare.listeners[index % 2 == 0 and 3 or 6]
end
assert(not listeners[#listeners].kinds.move and not listeners[#listeners - 1].kinds.move)

-- With `tick_share` 1 most ticks come after one call or none.
local function tick(self)
  if not self.random:chance(self.tick_share) then
    return nil
  end
  local made = call("tick")
  if self.random:chance(self.inside_share) then
    if self.random:chance(self.on_share) then
      made.inside = { method = "on", n = 0, listener = self.random:pick(self.successors or successors) }
    else
      local inside_call = self.inside_call or sequences.ordinary_call
      made.inside = inside_call(self, self.random:pick(self.ids))
    end
  end
  return made
end

-- An entity that has left comes back, often to where it was.
local function come_back(self, id)
  local place = self.last_places[id]
  if self.entities[id] or not place then
    return nil
  elseif self.random:chance(0.5) then
    place = self:fence(self:step_place(place))
  end
  local opts = self:opts(true)
  self:note(id, place, opts)
  return self:placing_call("enter", id, place, opts)
end

-- Often one that stands still.
local function touch(_, id)
  return call("touch", id)
end

local function replace_handlers(self)
  if not self.random:chance(self.on_share) then
    return nil
  end
  return { method = "on", n = 0, listener = self.random:pick(self.handlers or handlers) }
end

-- Makes the sequence one of a deferred space.
local function prepare(self)
  local random = self.random
  self.options.deferred = true
  self.tick_share = random:pick { 0.005, 0.05, 0.3, 1 }
  self.march_share = random:pick { 0.02, 0.3, 1 }
  self.inside_share = random:pick { 0, 0.3 }
  self.on_share = random:pick { 0, 0, 0.5 }
end

return {
  listeners = listeners,
  handlers = handlers,
  successors = successors,
  prepare = prepare,
  kinds = {
    { weight = 80, make = tick },
    { weight = 15, make = come_back },
    { weight = 15, make = touch },
    { weight = 40, make = function(self)
      return self.random:chance(self.march_share) and crowd_calls.march(self) or nil
    end },
    { weight = 10, make = replace_handlers },
  },
}
