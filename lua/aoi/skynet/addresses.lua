-- Which address receives what an entity sees, and which addresses are dead.
--
-- An address may stand for many entities. It is watched from its first entity on, for as long as it lives:
-- skynet answers the debug command LINK with an error when a service exits. A service that is killed
-- answers nothing; then a send to it fails, and skynet.term ends the LINK. Services that get no other
-- message are probed now and then, so that this is noticed without traffic too.
local skynet = require "skynet"

local addresses = {}
addresses.__index = addresses

-- on_dead(ids) is called once when an address is found dead, with a list of its entities.
function addresses.new(on_dead)
  return setmetatable({
    on_dead = on_dead,
    of = {},      -- entity -> address
    ids = {},     -- address -> set of its entities; none without an entity
    linked = {},  -- address -> true while it is watched
  }, addresses)
end

-- Ends when the address is dead.
local function link(self, address)
  local answered = pcall(skynet.call, address, "debug", "LINK")
  self.linked[address] = nil
  if answered then
    return -- not one of skynet's Lua services: only failed sends tell
  end
  local ids = {}
  for id in pairs(self.ids[address] or {}) do
    ids[#ids + 1] = id
  end
  if #ids > 0 then
    self.on_dead(ids)
  end
end

-- Gives an entity an address; nil or false: nobody hears what it sees.
function addresses:set(id, address)
  local before = self.of[id]
  if before then
    local ids = self.ids[before]
    ids[id] = nil
    if not next(ids) then
      self.ids[before] = nil
    end
  end
  self.of[id] = address or nil
  if address then
    self.ids[address] = self.ids[address] or {}
    self.ids[address][id] = true
    if not self.linked[address] then
      self.linked[address] = true
      skynet.fork(link, self, address)
    end
  end
end

-- To be called when a send to the address has failed.
function addresses.failed(address)
  -- In a coroutine of its own: skynet.term would drop the answer that the running one owes.
  skynet.fork(skynet.term, address)
end

-- Sends something harmless to every address, to find the dead ones.
function addresses:probe()
  for address in pairs(self.linked) do
    if not skynet.send(address, "debug", "PING") then
      addresses.failed(address)
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
