-- The agents of entities, as regions have named them last to one node: of all entities that have an agent
-- there, or have had one in this stay. Pure Lua, without skynet.
local calls = require "aoi.skynet.world.calls"
local numbers = require "aoi.skynet.world.numbers"

local Whose = {}
Whose.__index = Whose

local whose = {}

-- options: functions of the node
--   service(address)       the service of this process that has the address, or nil
--   agent(id)              the service of an entity's agent here; nil: it has none, or that is dead
--   stream(id, stream)     an agent of this process has the entity in this stream, or had
--   put(id, service, said) this is the agent from now on; service nil: it is none of this process
--   over(agent, own, how)  the stay of this service, as of `of` below, is over: its entity has left ("left"),
--                          is lost with its region ("lost"), or the process is expelled ("expelled")
--   remove(id)             an earlier stay of an entity that is lost is to leave
function whose.new(options)
  return setmetatable({
    options = options,
    of = {},       -- entity -> { id, stay, address, stream, sender, tick }
    entering = {}, -- entity -> { stay, uids }: lost, with enters under way
    left_now = {}, left_before = {}, -- entity -> agent -> as of `of`: it left, or another agent took it over,
    -- since the last tick was over, and in that tick
    over_now = {}, over_before = {}, -- sets of stays that were over, in the same times
  }, Whose)
end

-- The stay of an agent here, if there is one, is over. Returns whether there was one.
function Whose:finish(id, how)
  local agent = self.options.agent(id)
  if agent then
    self.options.over(agent, self.of[id], how)
  end
  self.of[id] = nil
  self.options.put(id, nil)
  return agent ~= nil
end

-- Notes that the region tells the agent, with packets that may be lost, that its stay is over.
local function note_left(self, agent, own)
  local agents = self.left_now[own.id] or {}
  self.left_now[own.id], agents[agent] = agents, own
end

-- The agent has the entity again, so no end of before is told. agent nil: it is none of this process.
local function forget_left(self, id, agent)
  for _, left in ipairs { self.left_now, self.left_before } do
    if agent and left[id] then
      left[id][agent] = nil
    end
  end
end

-- An entity has left: it needs no watch. Its region tells the agent, with the packets of that tick.
-- is_late: the lists of a change alone say so; the region may be lost. goes_on: the agent hears of it from
-- world/transfer.lua.
function Whose:left(id, stay, is_late, goes_on)
  local own, agent = self.of[id], not goes_on and self.options.agent(id)
  self.over_now[stay] = not goes_on or nil
  if not own or own.stay ~= stay then
    return
  elseif agent and is_late then
    self.options.over(agent, own, "left")
  elseif agent then
    note_left(self, agent, own)
  end
  self.of[id] = nil
  self.options.put(id, nil)
end

-- A configuration begins. The packets of regions that are lost may be missing of the last two ticks. An agent
-- may hear twice of the end of a stay.
function Whose:begin()
  for _, left in ipairs { self.left_before, self.left_now } do
    for _, id in ipairs(numbers.sorted(left)) do
      for agent, own in pairs(left[id]) do
        self.options.over(agent, own, "left")
      end
    end
  end
  self.left_before, self.left_now = {}, {}
  self.over_before, self.over_now = {}, {}
end

-- The region of an entity says whose it is: its agent, or the one of before, is here, or a former region is
-- lost. said: as of region/agents.lua. With is_for_all it has not told an agent here that it is another's;
-- else it does so with the packets of that tick. That a lost stay is over it never tells.
function Whose:heard(member, id, stay, said)
  local known, before = member.directory[id], self.of[id]
  local service, is_new = self.options.service(said.address), before and before.stay ~= stay
  if service and said.stream then
    self.options.stream(id, said.stream)
  end
  if said.is_past then
    return
  end
  if not known or known.stay ~= stay then
    if service and (self.over_now[stay] or self.over_before[stay]) then -- the word was overtaken by the end
      forget_left(self, id, service)
      note_left(self, service, { id = id, stay = stay, address = said.address, stream = said.stream })
    end
    return
  end
  local agent = self.options.agent(id)
  if agent ~= service and (is_new or said.is_for_all) then
    self:finish(id, is_new and "lost" or "left")
  elseif agent and agent ~= service then
    note_left(self, agent, before)
  end
  forget_left(self, id, service)
  local is_ours = service or before and before.stay == stay
  self.of[id] = is_ours and {
    id = id, stay = stay, address = said.address, sender = said.sender, tick = said.tick,
    stream = said.stream or before and before.stream,
  } or nil
  self.options.put(id, service, said)
end

-- The enters without an answer: entity -> list of their uids.
local function enters_of(member)
  local enters = {}
  for uid, enter in pairs(member.calls.enters) do
    local id = enter.call.id
    enters[id] = enters[id] or {}
    table.insert(enters[id], uid)
  end
  return enters
end

-- Entities are lost, a list of { id, stay }: the stays of their agents here are over. If an enter of such an
-- entity is under way the agent is told only when that has ended, and in vain: sent again, it begins a later
-- stream. A store that is behind may have an earlier stay of the entity: that one is to leave, also when an
-- enter is on its way, as that stay keeps it out.
function Whose:lost(member, list)
  local enters = enters_of(member)
  for _, one in ipairs(list) do
    local known, own = member.directory[one.id], self.of[one.id]
    local is_earlier = known and numbers.began_earlier(known.stay, one.stay)
    local is_own = own and own.stay == one.stay
    if is_own and enters[one.id] and not is_earlier then
      self.entering[one.id] = { stay = one.stay, uids = enters[one.id] }
    elseif is_own and self:finish(one.id, "lost") and is_earlier then
      self.options.remove(one.id)
    end
  end
end

-- A tick is over: agents of lost stays hear that, if the enters that were under way have ended in vain. The
-- packets of the tick before are all here.
function Whose:settle(member)
  self.left_before, self.left_now = self.left_now, {}
  self.over_before, self.over_now = self.over_now, {}
  for _, id in ipairs(next(self.entering) and numbers.sorted(self.entering) or {}) do
    local lost, own = self.entering[id], self.of[id]
    if not calls.are_open(member, lost.uids) then
      self.entering[id] = nil
      if own and own.stay == lost.stay then
        self:finish(id, "lost")
      end
    end
  end
end

-- The process is expelled: all stays are over.
function Whose:gone()
  for _, id in ipairs(numbers.sorted(self.of)) do
    self:finish(id, "expelled")
  end
  self.entering, self.left_before, self.left_now = {}, {}, {}
end

-- All that was told here, a list: for regions of which entities are back from before.
function Whose:all()
  local list = {}
  for _, id in ipairs(numbers.sorted(self.of)) do
    list[#list + 1] = self.of[id]
  end
  return list
end

return whose
