-- Which address receives what an entity of a region sees. In a world an address is an integer that holds in
-- all processes: the number of the node, the number of that process's start, and skynet's handle there.
-- Which of them are dead the service world finds out, as it is on the same node.
local skynet = require "skynet"
local of_scene = require "aoi.skynet.addresses"
local packet = require "aoi.skynet.packet"

local addresses = {}
addresses.__index = addresses

local HANDLE = 0xFFFFFFFF

-- The address of a service of the node; start: the number of its process's start, 0 to 65535.
function addresses.global(node, start, handle)
  return node << 48 | start << 32 | handle
end

-- An address as opts give it, which may be that of a service of the sender's node: a handle or a text
-- ":01000010". near: the address of a service of that node.
function addresses.resolve(value, near)
  local handle = type(value) == "string" and tonumber(value:match "^:(%x+)$" or "", 16) or value
  if math.type(handle) == "integer" and handle > 0 and handle <= HANDLE then
    return near & ~HANDLE | handle
  end
  return value
end

-- own: the address of any service of this node. world: the handle of the service world here, from which all
-- messages come.
function addresses.new(own, world)
  local self
  self = setmetatable({
    own = own >> 32,
    world = world,
    of = {},      -- entity -> address
    ids = {},     -- address -> set of its entities; none without an entity
    packets = {}, -- node -> list of rows that wait for it
    dead = {},    -- list of addresses of this node that took no message
    failed = function(address)
      self.dead[#self.dead + 1] = address
    end,
  }, addresses)
  return self
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
  end
end

-- Sends a text: at once to this node, with `take_packets` to others. nil: the address is dead.
function addresses:send(address, text)
  if address >> 32 == self.own then
    return skynet.redirect(address & HANDLE, self.world, packet.protocol, 0, text)
  end
  local node = address >> 48
  if node == self.own >> 16 then
    return nil -- of an earlier start
  end
  local list = self.packets[node]
  if not list then
    list = {}
    self.packets[node] = list
  end
  list[#list + 1] = ("<i8s4"):pack(address, text)
  return true
end

-- The packets that wait for other nodes: a table of node and string, rows <i8s4 of address and text.
function addresses:take_packets()
  local packets = self.packets
  self.packets = {}
  for node, list in pairs(packets) do
    packets[node] = table.concat(list)
  end
  return packets
end

-- The addresses that were found dead since the last time.
function addresses:take_dead()
  local dead = self.dead
  self.dead = {}
  return dead
end

-- All that waits and who has which address: a table for skynet.pack and `restore`.
function addresses:state()
  return { of = self.of, packets = self.packets }
end

-- Goes on where `state` was asked for, perhaps on another node.
function addresses:restore(state)
  for id, address in pairs(state.of) do
    self:set(id, address)
  end
  for _, list in pairs(state.packets) do
    for _, row in ipairs(list) do
      local address, text = ("<i8s4"):unpack(row)
      if not self:send(address, text) then
        self.failed(address)
      end
    end
  end
end

addresses.count = of_scene.count

return addresses
