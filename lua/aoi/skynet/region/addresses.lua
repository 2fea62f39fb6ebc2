-- Which address receives what an entity of a region sees. In a world an address is a text that holds in all
-- processes: the key of its process, a colon, and skynet's handle there in hexadecimal digits. The service
-- world gives agents what is theirs, also those of this process: all of a tick before that of the next one.
local of_scene = require "aoi.skynet.addresses"

local addresses = {}
addresses.__index = addresses

-- The address of a service of the process with this key.
function addresses.global(key, handle)
  return ("%s:%08x"):format(key, handle)
end

-- The key of the process and the handle of an address; nil when it is none.
function addresses.split(address)
  local key, handle = address:match "^(%x+):(%x+)$"
  return key, handle and tonumber(handle, 16)
end

-- The service that an address names in the process with this key; nil: it is of another one, or no address.
function addresses.handle_in(key, address)
  local of, handle = addresses.split(address)
  return of == key and handle or nil
end

function addresses.new()
  return setmetatable({
    of = {},      -- entity -> address
    sender = {},  -- entity -> address of who gave it its address
    ids = {},     -- address -> set of its entities; none without an entity
    handles = {}, -- address -> { key, handle }
    packets = {}, -- key of a process -> flat list of handle and text that wait for it
    failed = function() end,
  }, addresses)
end

-- Gives an entity an address; nil or false: nobody hears what it sees. sender: whose wish it was, if known.
function addresses:set(id, address, sender)
  local before = self.of[id]
  if before then
    local ids = self.ids[before]
    ids[id] = nil
    if not next(ids) then
      self.ids[before], self.handles[before] = nil, nil
    end
  end
  self.of[id] = address or nil
  self.sender[id] = address and sender or nil
  if address then
    self.ids[address] = self.ids[address] or {}
    self.ids[address][id] = true
  end
end

-- A text is to go to an address, with those of its tick. true.
function addresses:send(address, text)
  local split = self.handles[address]
  if not split then
    split = { addresses.split(address) }
    self.handles[address] = split
  end
  local key, handle = split[1], split[2]
  local list = self.packets[key]
  if not list then
    list = {}
    self.packets[key] = list
  end
  local n = #list
  list[n + 1], list[n + 2] = handle, text
  return true
end

-- The packets that wait: key of a process -> flat list of handle and text.
function addresses:take_packets()
  local packets = self.packets
  self.packets = {}
  return packets
end

-- The address of each entity, and the packets that wait: a table for skynet.pack and `restore`.
function addresses:state()
  return { of = self.of, packets = self.packets }
end

-- Goes on where `state` was asked for, perhaps in another process.
function addresses:restore(state)
  for id, address in pairs(state.of) do
    self:set(id, address)
  end
  self.packets = state.packets
end

addresses.count = of_scene.count

return addresses
