-- The agents of one process in the model: whose their entities are, and in which stream, as these entities'
-- regions have said last. An agent is named by the key of its process.
local checks = require "spec.world_model.checks"
local numbers = require "aoi.skynet.world.numbers"
local stream_numbers = require "aoi.skynet.world.stream_numbers"
local whose = require "aoi.skynet.world.whose"

local KEPT = 5000 -- milliseconds

local Agents = {}
Agents.__index = Agents

local agents = {}

-- now: a function that gives the time by the clock of the process, which may be wrong. unsaved: set of stays
-- of which a disk has lost something.
function agents.new(key, now, unsaved)
  local self = setmetatable({
    key = key, unsaved = unsaved,
    streams = stream_numbers.new(now, KEPT),
    heard = {}, -- stay -> the latest stream of the blocks that its agent has taken
    ticks = {}, -- entity -> the tick of the block that its agent has taken last
    over = {},  -- entity -> { stay, stream, left = stay }: the latest of which a region has told the end
    told = {},  -- set of stays of which a region has told the end
    last = {},  -- entity -> { stay, stream, is_over }: the last stay of which its agent has heard
    ended = {}, -- entity -> the stay and the stream of which the node has told its agent last that it is over
  }, Agents)
  self.whose = whose.new {
    service = function(address)
      return address == key and key or nil
    end,
    agent = function(id)
      return self:here(id) and key
    end,
    stream = function(id, stream)
      self.streams:hear(id, stream)
    end,
    put = function() end,
    over = function(_, own)
      self:ends(own.stay, own.stream)
      self.ended[own.id] = { stay = own.stay, stream = own.stream }
      self:is_told(own.id, own.stay)
    end,
    remove = function() end,
  }
  return self
end

-- A damaged store may have a stay with a former agent, which was told its end and takes no block of it.
function Agents:is_back_in_vain(stay)
  return self.told[stay] and self.unsaved[stay]
end

-- An agent takes a block of this stream and this tick, one tick after the other. Of an earlier stay, which is
-- back from a store, it takes none.
function Agents:hears(id, stay, stream, tick)
  local before = self.ticks[id] or 0
  if tick <= before then
    checks.breach("the agent of %d hears what is seen in tick %d after that of tick %d", id, tick, before)
  end
  self.ticks[id] = tick
  local ended, over, last = self.ended[id], self.over[id], self.last[id]
  local is_back = over and over.left == stay or last and numbers.began_earlier(stay, last.stay)
  if over and stream <= over.stream and not is_back and not self:is_back_in_vain(stay) then
    checks.breach("the agent of %d takes no block of stream %d, as a region told it the end of stream %d", id,
      stream, over.stream)
  end
  -- A damaged store may have a stay that was lost: its agent enters again, as it was told that.
  local is_lost = ended and ended.stay == stay and self.unsaved[stay]
  if ended and stream <= ended.stream and not is_lost and not numbers.began_earlier(stay, ended.stay) then
    checks.breach("the agent of %d takes no block of stream %d, as it was told the end of stream %d", id,
      stream, ended.stream)
  end
  self.heard[stay] = math.max(stream, self.heard[stay] or stream)
  if last and stream < last.stream and not is_back then
    checks.breach("the agent of %d takes no block of stream %d, as it has heard stream %d", id, stream,
      last.stream)
  end
  if not last or last.stream < stream or last.stream == stream and last.stay ~= stay then
    self.last[id] = { stay = stay, stream = stream }
  end
end

-- An agent is told that a stay is over. stream: in which a region tells that, or nil. has_left: it may come
-- back from a store, and the agent takes no blocks of that.
function Agents:is_told(id, stay, stream, has_left)
  local over = self.over[id]
  if stream then
    self.told[stay] = true
    if not (over and over.stream > stream) then
      self.over[id] = { stay = stay, stream = stream, left = has_left and stay }
    end
  end
  local last = self.last[id]
  if last and (last.stay == stay or stream and stream > last.stream) then -- the later end counts, too
    last.is_over = true
  end
end

-- The stream in which an agent is told that its stay is over.
function Agents:ends(stay, stream)
  if stream < (self.heard[stay] or stream) and not self:is_back_in_vain(stay) then
    checks.breach("the agent of %s hears the end of stream %d, and has heard stream %d", stay, stream,
      self.heard[stay])
  end
end

-- The member observes this.
function Agents:observed(member, what, ...)
  if what == "agent" and select(3, ...).is_past then
    self.whose:heard(member, ...)
  elseif what == "agent" then
    local id, stay, said = ...
    local before = self.whose.of[id]
    if before and before.stay == stay and before.order > said.order then
      checks.breach("the agent of %d hears stream %d after stream %d", id, said.stream, before.stream)
    end
    self.whose:heard(member, ...)
    local known = self.whose.of[id]
    if known and known.stay == stay then
      known.order = said.order
    end
  elseif what == "left" then
    local id, stay = ...
    local known = self:here(id)
    if known and known.stay == stay then
      self:ends(stay, known.stream) -- the region tells it, behind its last block
    end
    self.whose:left(...)
  elseif what == "lost" then
    self.whose:lost(member, ...)
  elseif what == "begin" then
    self.whose:begin()
  elseif math.type(what) then
    self.whose:settle(member)
  end
end

-- The stay and the stream of an entity whose agent is here; nil: it is not.
function Agents:here(id)
  local one = self.whose.of[id]
  return one and one.address == self.key and one or nil
end

local order = 0

-- An entity has this agent from a command on, in the stream that the agent's node has numbered, or in a later
-- one than its last: then it returns true. What is later of two agents the model knows by their order; a
-- region compares streams.
function agents.begin(entity, command)
  local last = entity.agent and entity.agent.stream or 0
  order = order + 1
  entity.agent = { address = command.key, stream = math.max(command.stream, last + 1), order = order }
  return last >= command.stream
end

-- Entities are as they were before, read from a store or taken back: where nodes were told of later agents,
-- these are theirs.
function agents.agree(list)
  for _, entity in ipairs(list) do
    local said = entity.said
    if said then
      entity.agent = { address = said.address, stream = said.stream, order = said.order }
    end
  end
end

return agents
