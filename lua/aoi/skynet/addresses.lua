-- Which address receives what an entity sees, and which addresses are dead.
--
-- An address may stand for many entities. It is watched from its first entity on, for as long as it lives.
-- Services that get no other message are probed now and then, so that one that was killed is noticed without
-- traffic too.
--
-- skynet's debug command SUPPORT tells whether a service takes messages of the protocol at all. A
-- clusterproxy, or the agent through which a cluster calls us, takes them and delivers them nowhere.
local skynet = require "skynet"
local alive = require "aoi.skynet.alive"
local calls = require "aoi.skynet.calls"

local PATIENCE = 100 -- hundredths of a second for an answer that may be on its way

local addresses = {}
addresses.__index = addresses

local asked = {} -- address -> how many calls of SUPPORT wait for its answer, in this service

-- on_dead(ids, address) is called once when an address is found dead, with a list of its entities; and
-- on_deaf(ids, address) when one is found that does not take messages of this protocol.
function addresses.new(protocol, on_dead, on_deaf)
  return setmetatable({
    protocol = protocol,
    on_dead = on_dead,
    on_deaf = on_deaf,
    of = {},      -- entity -> address
    ids = {},     -- address -> set of its entities; none without an entity
    sender = {},  -- entity -> who gave it its address
    linked = {},  -- address -> true while it is watched
    changes = nil, -- entity -> whether it has an address, of those that were set since `take_changes`
  }, addresses)
end

-- The changes since the last time: a table of entity and true or false; nil when there is nothing, and the
-- first time.
function addresses:take_changes()
  local changes = self.changes
  self.changes = {}
  return changes and next(changes) and changes or nil
end

local function ids_of(self, address)
  local ids = {}
  for id in pairs(self.ids[address] or {}) do
    ids[#ids + 1] = id
  end
  return ids
end

-- Ends when the address is dead.
local function watch(self, address)
  local is_dead = alive.wait_for_end(address)
  self.linked[address] = nil
  local ids = ids_of(self, address)
  if is_dead and #ids > 0 then
    self.on_dead(ids, address)
  end
end

-- Asks a new address what it takes. One that is no Lua service does not answer, and is believed.
local function ask(self, address)
  asked[address] = (asked[address] or 0) + 1
  local answered, takes = pcall(calls.call, address, "debug", "SUPPORT", self.protocol)
  asked[address] = asked[address] > 1 and asked[address] - 1 or nil
  if answered and takes == false then
    self.on_deaf(ids_of(self, address), address)
  end
end

-- Gives an entity an address; nil or false: nobody hears what it sees. sender: whose wish it was, if known.
-- Whether the address lives is looked at one turn later: handlers are told of the entity before that.
function addresses:set(id, address, sender)
  local before = self.of[id]
  if before then
    local ids = self.ids[before]
    ids[id] = nil
    if not next(ids) then
      self.ids[before] = nil
    end
  end
  self.of[id] = address or nil
  if self.changes then
    self.changes[id] = address and true or false
  end
  self.sender[id] = address and sender or nil
  if address then
    local is_new = not self.ids[address]
    self.ids[address] = self.ids[address] or {}
    self.ids[address][id] = true
    if not self.linked[address] then
      self.linked[address] = true
      skynet.fork(skynet.fork, watch, self, address)
    end
    if is_new then
      skynet.fork(skynet.fork, ask, self, address)
    end
  end
end

-- To be called when a send to the address has failed.
function addresses.failed(address)
  if asked[address] then
    -- It may have answered before it died. An answer to a call that has ended is an error in skynet's log.
    skynet.timeout(PATIENCE, function() skynet.term(address) end)
  else
    -- In a coroutine of its own: skynet.term would drop the answer that the running one owes.
    skynet.fork(skynet.term, address)
  end
end

-- Sends something harmless to every address, to find the dead ones.
function addresses:probe()
  for address in pairs(self.linked) do
    if alive.is_dead(address) then
      addresses.failed(address)
    end
  end
end

-- Says of entities that they are removed, as their address takes no messages of our protocol: nobody would
-- ever hear what they see. what: scene or world, for the log; refuse(sender, reason, id) tells who gave it.
function addresses:report_deaf(what, ids, address, refuse)
  local reason = ("service :%08x takes no messages of the protocol %s: require aoi.skynet.client "
    .. "there, or give another address (a clusterproxy and a cluster's agent deliver none)"):format(
    address, self.protocol)
  for _, id in ipairs(ids) do
    skynet.error(("%s: entity %d is removed: %s"):format(what, id, reason))
    local sender = self.sender[id]
    if sender and sender ~= address then
      refuse(sender, "enter: " .. reason, id)
    end
  end
end

-- How many addresses have entities.
function addresses:count()
  local n = 0
  for _ in pairs(self.ids) do
    n = n + 1
  end
  return n
end

return addresses
