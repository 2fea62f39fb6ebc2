-- The agents of one node of a world: what they ask for, what they are told, and which of them are dead.
local skynet = require "skynet"
local addresses = require "aoi.skynet.addresses"
local calls = require "aoi.skynet.calls"
local entities = require "aoi.skynet.entities"
local packet = require "aoi.skynet.packet"

local NAMED = 20    -- entities that are named in a line of the log; of more, how many
local RETURN = 300  -- hundredths of a second that they have to come back from a node that has begun anew

-- `world` is the table of world.lua: map, base, counters; `parts` has areas and commands, of
-- world/areas.lua and world/commands.lua.
return function(world, parts)
  local agents = {}
  local counters = world.counters

  -- Answers a command that was sent and refused.
  local function refuse(address, command, message, id)
    counters.refused = counters.refused + 1
    local text = packet.refused(command, message, id)
    if address and skynet.rawsend(address, packet.protocol, text) == nil then
      addresses.failed(address)
    end
  end

  -- Entities whose address is dead leave, if the address is still theirs then.
  local function leave(ids)
    for _, id in ipairs(ids) do
      local address = agents.addresses.of[id]
      if address then
        agents.addresses:set(id, nil)
        parts.commands.add(0, id, skynet.packstring("leave", id, world.base | address))
      end
    end
  end

  local function on_dead(ids)
    counters.dead_addresses = counters.dead_addresses + 1
    leave(ids)
  end

  local function on_deaf(ids, address)
    agents.addresses:report_deaf("world", ids, address, function(sender, reason, id)
      refuse(sender, "enter", reason, id)
    end)
    leave(ids)
  end

  agents.addresses = addresses.new(packet.protocol, on_dead, on_deaf)

  -- ---- commands -------------------------------------------------------------------------------

  -- The opts of an enter or update, whether they stand before or behind z.
  local function opts_of(z, opts)
    return type(z) == "table" and z or type(opts) == "table" and opts or nil
  end

  -- A function that passes on the answer of a command. respond: for a command that was called, else nil.
  local function new_owed(respond, source, name, id, address)
    return function(text)
      local result, message = skynet.unpack(text)
      if result and address and id then
        agents.addresses:set(id, address, source)
      elseif result and address == false and id then
        agents.addresses:set(id, nil)
      elseif result == nil and not respond then
        refuse(source, name, message, id)
      end
      if respond then
        respond(true, text)
      end
    end
  end

  -- The address that opts name, as the regions know it, and the handle to be watched here: nil when the opts
  -- name none, false for none. Or nil, nil and a message.
  local function address_in(opts)
    local given = opts and opts.address
    if given == nil then
      return nil
    elseif math.type(given) == "integer" and given >> 32 ~= 0 then
      return given -- a service of another node
    end
    local handle, message = entities.to_address(given)
    if message then
      return nil, nil, message
    end
    return handle and world.base | handle, handle
  end

  -- A stream for the stay that a command begins, later than any that the entity has had: the time, as clients
  -- take it. Each region would give streams of its own, and the next stay may begin in another one.
  local given, given_before, since = {}, {}, 0 -- entity -> stream, of this second and of the one before

  local function new_stream(id)
    local now = skynet.starttime() * 100 + skynet.now()
    if now - since >= 100 then
      given, given_before, since = {}, given, now
    end
    local before = given[id] or given_before[id] or 0
    given[id] = math.max(now, before + 1)
    return given[id] & 0xFFFFFFFF
  end

  -- A command about an entity, of a service of this node. respond: answers it; nil: it was sent. text: the
  -- command as it came, when that is at hand. Returns nil, or a message that refuses it.
  local function take(respond, source, text, name, ...)
    local address, goal
    local id, x, y, z, opts = ...
    if name == "enter" or name == "update" then
      goal = world.map:region_at(x, y)
      local own = opts_of(z, opts)
      local full, handle, message = address_in(own)
      if message then
        return name .. ": " .. message
      end
      address = handle
      local key = math.type(id) and math.tointeger(id)
      -- Not an update without an address: in one that is inside by then, a stream would ask for all anew.
      local begins = key and (name == "enter" or full ~= nil)
      if own then
        begins = begins and own.stream == nil
      else
        begins = begins and (z == nil or math.type(z)) and opts == nil -- else it will be refused as it is
      end
      if full ~= nil or begins then
        local copy = {}
        for word, value in pairs(own or {}) do
          copy[word] = value
        end
        copy.address = full
        copy.stream = begins and full ~= false and new_stream(key) or copy.stream
        if own == z then
          text = skynet.packstring(name, id, x, y, copy)
        else
          text = skynet.packstring(name, id, x, y, z, copy)
        end
      end
      if full == nil and name == "enter" then
        address = source
      end
    end
    text = text or skynet.packstring(name, ...)
    local owed
    if respond or address ~= nil or parts.areas.has(name) then
      owed = new_owed(respond, source, name, math.type(id) and math.tointeger(id), address)
    end
    if parts.areas.has(name) then
      goal = parts.commands.ALL
    end
    local _, message = parts.commands.add(source, id, text, owed, goal)
    return message
  end

  local function pass_on(text)
    return text
  end

  -- A command that was sent. text: as it came.
  function agents.sent(source, text, name, ...)
    local message = take(nil, source, text, name, ...)
    if message then
      refuse(source, name, message, (...))
    end
  end

  -- A command that was called, by the running coroutine. It is answered after its tick.
  function agents.called(source, name, ...)
    local respond = skynet.response(pass_on)
    local message = take(respond, source, nil, name, ...)
    if message then
      respond(true, skynet.packstring(nil, message))
    end
  end

  -- ---- what they are told ---------------------------------------------------------------------

  local ROW = "<i8s4"

  -- Passes packets on to services of this process: a list of texts with rows of address and text.
  function agents.relay(texts)
    local redirect, self, base = skynet.redirect, skynet.self(), world.base
    for _, text in ipairs(texts) do
      local at = 1
      while at <= #text do
        local address, message, next_row = ROW:unpack(text, at)
        at = next_row
        if address & ~0xFFFFFFFF == base then -- not of a process that was here before
          if redirect(address & 0xFFFFFFFF, self, packet.protocol, 0, message) then
            counters.relayed = counters.relayed + 1
          else
            agents.failed(address)
          end
        end
      end
    end
  end

  -- A message for this address could not be delivered.
  function agents.failed(address)
    if address & ~0xFFFFFFFF == world.base then -- else of a process before this one
      addresses.failed(address & 0xFFFFFFFF)
    end
  end

  -- Entities that have left need no watch.
  function agents.forget_left(news)
    local of = agents.addresses.of
    for _, part in ipairs(news) do
      local left = part.left or {}
      for i = 1, #left, 2 do
        if of[left[i]] then
          agents.addresses:set(left[i], nil)
        end
      end
    end
  end

  -- ---- nodes that are silent or begin anew ----------------------------------------------------

  -- Our agents may have missed something: they are told all that they see.
  function agents.tell_anew()
    local ids = {}
    for id in pairs(agents.addresses.of) do
      ids[#ids + 1] = id
    end
    table.sort(ids)
    for _, id in ipairs(ids) do
      parts.commands.add(0, id, skynet.packstring("resync", id))
    end
  end

  -- Refuses commands of this node's agents: a list of { stamp, source, session, text, node, id }, as that
  -- node is silent, or (node is nil) as no region was found that has the entity.
  function agents.refuse_all(list)
    for _, entry in ipairs(list) do
      local stamp, source, session, text, node, id = table.unpack(entry, 1, 6)
      local name = session == -1 and "move" or skynet.unpack(text)
      local message = node and ("%s: node %s of the world is silent"):format(name, world.map.nodes[node])
        or ("%s: the entity was not found in the world for too long"):format(name)
      if session == 1 then
        parts.commands.answer(stamp, skynet.packstring(nil, message))
      elseif source ~= 0 then
        refuse(source & 0xFFFFFFFF, name, message, id)
      end
    end
  end

  -- Entities of this node whose agents were in another process of that node leave. start: of the process that
  -- lives; nil: none does.
  function agents.leave_of_node(node, start)
    for _, address in pairs(world.regions) do
      local list = calls.call(address, "lua", "addresses_of", node, start) or {}
      for i = 1, #list, 2 do
        parts.commands.add(0, list[i], skynet.packstring("leave", list[i], list[i + 1]))
      end
    end
  end

  -- A list of entities for the log.
  local function text_of(ids)
    local text = table.concat(ids, ", ", 1, math.min(#ids, NAMED))
    return #ids > NAMED and ("%s and %d more"):format(text, #ids - NAMED) or text
  end

  -- Names those that are lost with a process, when messages that others have kept for it have brought back
  -- what they can.
  local function name_lost(region, node_name, ids)
    local t = world.barrier.tick
    parts.returns.miss(ids)
    skynet.timeout(RETURN, function()
      local lost = world.has_store and parts.returns.still_missed(ids) or world.directory:still_lost(ids, t)
      if #lost > 0 then
        skynet.error(("world: region %d of node %s has begun anew; of %d entities %d are lost: %s"):format(
          region, node_name, #ids, #lost, text_of(lost)))
      end
    end)
  end

  -- A node is another process than before. stamps: commands of which nobody knows what has become.
  function agents.restarted(node, stamps)
    local name = world.map.nodes[node]
    local text = skynet.packstring(nil, ("node %s of the world has begun anew: no answer"):format(name))
    for _, stamp in ipairs(stamps) do
      parts.commands.answer(stamp, text)
    end
    local start = world.nodes.start_of(node)
    if not world.has_store then -- else it may come back with them
      agents.forget(node)
    end
    skynet.timeout(world.orphan, function()
      if world.nodes.start_of(node) == start then -- else a later one has a time of its own
        agents.leave_of_node(node, start)
      end
    end)
  end

  local forgotten = {} -- entity of an agent here -> the epoch of its ownership that was lost

  local function note_forgotten(ids, epochs)
    for i, id in ipairs(ids) do
      forgotten[id] = agents.addresses.of[id] and epochs[i] or nil
    end
  end

  -- Of two owners that did not know of each other the later one may be lost, and the one before count again.
  -- Its streams are older than what the agent has heard since: it begins a new one.
  function agents.begin_anew()
    local ids = {}
    for id, lost in pairs(forgotten) do
      local epoch = world.directory.epoch[id]
      if epoch and epoch <= lost then
        ids[#ids + 1] = id
      end
      forgotten[id] = not epoch and agents.addresses.of[id] and lost or nil
    end
    table.sort(ids)
    for _, id in ipairs(ids) do
      parts.commands.add(0, id, skynet.packstring("resync", id, new_stream(id)))
    end
  end

  -- Gives up all that processes of a node owned before the one that lives.
  function agents.forget(node)
    for _, region in ipairs(world.map:regions_of(node)) do
      local ids, epochs = world.directory:forget(region, world.nodes.start_of(node))
      note_forgotten(ids, epochs)
      name_lost(region, world.map.nodes[node], ids)
    end
    parts.areas.sweep()
  end

  -- A node has become silent. Should it stay so, its agents are gone, and so is what its regions have shown.
  function agents.lost(node)
    local start = world.nodes.start_of(node)
    skynet.timeout(world.orphan, function()
      if world.barrier.state[node] ~= "silent" or world.nodes.start_of(node) ~= start then
        return
      end
      agents.leave_of_node(node)
      parts.messages.give_up(node)
      for _, region in ipairs(world.map:regions_of(node)) do
        local ids, epochs = world.directory:forget(region, math.maxinteger)
        note_forgotten(ids, epochs)
        skynet.error(("world: region %d of node %s is given up, and with it %d entities%s"):format(
          region, world.map.nodes[node], #ids, ids[1] and ": " .. text_of(ids) or ""))
        for _, address in pairs(world.regions) do
          skynet.send(address, "lua", "forget_region", region)
        end
      end
      parts.areas.sweep()
    end)
  end

  return agents
end
