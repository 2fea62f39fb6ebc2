-- The agents of one process in the model: whose their entities are, and in which stream, as these entities'
-- regions have said last. An agent is named by the key of its process.
local checks = require "spec.world_model.checks"
local numbers = require "aoi.skynet.world.numbers"

local Agents = {}
Agents.__index = Agents

local agents = {}

function agents.new(key)
  return setmetatable({
    key = key,
    of = {},    -- entity -> { id, stay, stream, address }
    heard = {}, -- stay -> the latest stream of the blocks that its agent has taken
  }, Agents)
end

-- An agent takes a block of this stream.
function Agents:hears(stay, stream)
  self.heard[stay] = math.max(stream, self.heard[stay] or stream)
end

-- A stay is over. The agent, if it is still here, hears that in the stream that is known here.
function Agents:over(id, stay)
  local known = self:here(id)
  if known and known.stay == stay and known.stream < (self.heard[stay] or known.stream) then
    checks.breach("the agent of %s hears the end of stream %d, and has heard stream %d", stay, known.stream,
      self.heard[stay])
  end
  if self.of[id] and self.of[id].stay == stay then
    self.of[id] = nil
  end
end

-- The member observes this.
function Agents:observed(member, what, ...)
  if what == "agent" then
    local id, stay, said = ...
    local known = member.directory[id]
    local before = self.of[id] and self.of[id].stay == stay and self.of[id]
    if known and known.stay == stay and (before or said.address == self.key) then
      if before and before.stream > said.stream then
        checks.breach("the agent of %d hears stream %d after stream %d", id, said.stream, before.stream)
      end
      self.of[id] = { id = id, stay = stay, stream = said.stream, address = said.address }
    end
  elseif what == "left" then
    self:over(...)
  elseif what == "lost" then
    for _, one in ipairs((...)) do
      self:over(one.id, one.stay)
    end
  end
end

-- The stay and the stream of an entity whose agent is here; nil: it is not.
function Agents:here(id)
  local one = self.of[id]
  return one and one.address == self.key and one or nil
end

-- As `agents` of member.lua's land.
function Agents:all()
  local list = {}
  for _, id in ipairs(numbers.sorted(self.of)) do
    list[#list + 1] = self.of[id]
  end
  return list
end

-- An entity has this agent from a command on. The number of its stream is a later one.
function agents.begin(entity, command)
  local before = entity.agent and entity.agent.stream or 0
  entity.agent = { address = command.key, stream = math.max(command.stream, before + 1) }
end

-- Entities were read from a store, which may be behind: where nodes know of later streams, these go on.
function agents.agree(list, known)
  local by_stay = {}
  for _, entity in ipairs(list) do
    by_stay[entity.stay] = entity
  end
  for _, one in ipairs(known) do
    local entity = by_stay[one.stay]
    if entity and (not entity.agent or one.stream > entity.agent.stream) then
      entity.agent = { address = one.address, stream = one.stream }
    end
  end
end

return agents
