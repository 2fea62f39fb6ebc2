-- The entities of a scene and who receives what they see: entering, moving and leaving with an address, and
-- what happens when an address is dead.
local skynet = require "skynet"
local addresses = require "aoi.skynet.addresses"
local packet = require "aoi.skynet.packet"

local entities = {}

-- An address as a number; false for none; nil and a message when it is no address.
function entities.to_address(value)
  if value == false or math.type(value) == "integer" and value > 0 then
    return value
  end
  local found = type(value) == "string" and
    (tonumber(value:match "^:(%x+)$" or "", 16) or value:find "^%." and skynet.localname(value))
  if found then
    return found
  end
  return nil, ("address is %s, expected a service's address or false"):format(tostring(value))
end

-- The entities of a scene; makes scene.addresses. `scene` is the table of scene.lua: space, views, counters
-- and the notes for the next tick; `ticks` is of ticks.lua. The functions return true and an answer, or nil
-- and a message.
function entities.new(scene, ticks)
  local self = {}

  -- Removes entities whose address is dead; their watchers are told.
  local function remove(ids)
    local remaining = {}
    for _, id in ipairs(ids) do
      -- Without ticks, leaving tells: the dead address must be forgotten by then.
      scene.addresses:set(id, nil)
      scene.parting[id] = scene.parting[id] or false
      scene.newcomers[id] = nil
      if not pcall(scene.space.leave, scene.space, id) and scene.space:has(id) then
        remaining[#remaining + 1] = id
      end
    end
    ticks.changed()
    if #remaining > 0 then
      skynet.timeout(100, function() -- memory was short
        remove(remaining)
      end)
    end
  end

  local function on_dead(ids)
    scene.counters.dead_addresses = scene.counters.dead_addresses + 1
    remove(ids)
  end

  -- Removes entities whose address takes no messages of ours: nobody would ever hear what they see.
  local function on_deaf(ids, address)
    local reason = ("service :%08x takes no messages of the protocol %s: require aoi.skynet.client there, or "
      .. "give another address (a clusterproxy and a cluster's agent deliver none)"):format(
      address, packet.protocol)
    for _, id in ipairs(ids) do
      skynet.error(("scene: entity %d is removed: %s"):format(id, reason))
      local sender = scene.addresses.sender[id]
      if sender and sender ~= address then
        scene.views.refuse(sender, "enter", reason)
      end
    end
    remove(ids)
  end

  scene.addresses = addresses.new(packet.protocol, on_dead, on_deaf)

  -- Gives the entity its address, as a part of entering or updating.
  local function give_address(id, address, entering, sender)
    local before = scene.addresses.of[id]
    if entering then
      before = scene.parting[id] -- who left and comes back within one tick counts as having stayed
    end
    if before ~= address and (not entering or before ~= nil) then
      scene.newcomers[id] = true
    end
    scene.addresses:set(id, address, sender)
  end

  -- enter or update, with `address` among the opts.
  local function place(method, source, id, x, y, z, opts)
    local space = scene.space
    local traits = type(z) == "table" and z or opts
    local address
    if type(traits) == "table" and traits.address ~= nil then
      local message
      address, message = entities.to_address(traits.address)
      if address == nil then
        return nil, method .. ": " .. message
      end
      traits.address = nil
    end
    local key = math.type(id) and math.tointeger(id)
    local inside = key and space:has(key)
    if not inside and address == nil then
      address = source
    end
    -- The address comes first: without ticks, the call itself tells.
    local before = key and scene.addresses.of[key]
    local newcomer = key and scene.newcomers[key]
    local gives = key and address ~= nil and not (inside and method == "enter")
    if gives then
      give_address(key, address, not inside, source)
    end
    local ok, result = pcall(space[method], space, id, x, y, z, opts)
    if not ok then
      if gives then
        scene.addresses:set(key, before)
        scene.newcomers[key] = newcomer
      end
      return nil, result
    end
    ticks.changed()
    return true, result
  end

  -- source: whose entity it is when the opts name no address.
  function self.enter(source, ...)
    return place("enter", source, ...)
  end

  -- Answers whether it entered.
  function self.update(source, ...)
    return place("update", source, ...)
  end

  function self.move(...)
    local space = scene.space
    local ok, message = pcall(space.move, space, ...)
    if not ok then
      return nil, message
    end
    ticks.changed()
    scene.counters.moves = scene.counters.moves + 1
    return true
  end

  function self.leave(id)
    local space = scene.space
    local ok, message = pcall(space.leave, space, id)
    if not ok then
      return nil, message
    end
    id = math.tointeger(id)
    -- It still hears its own leaves, by the next tick; not those of what it was never told.
    scene.parting[id] = not scene.newcomers[id] and scene.addresses.of[id] or scene.parting[id] or false
    scene.newcomers[id] = nil
    scene.addresses:set(id, nil)
    ticks.changed()
    return true
  end

  return self
end

return entities
