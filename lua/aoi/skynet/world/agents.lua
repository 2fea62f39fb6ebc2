-- The agents of one process of a world: what they ask for, their answers, and which of them are dead.
local skynet = require "skynet"
local addresses = require "aoi.skynet.addresses"
local blocks = require "aoi.skynet.blocks"
local calls = require "aoi.skynet.world.calls"
local direct = require "aoi.skynet.world.direct"
local entities = require "aoi.skynet.entities"
local of_regions = require "aoi.skynet.region.addresses"
local packet = require "aoi.skynet.packet"
local refusals = require "aoi.refusals"
local stream_numbers = require "aoi.skynet.world.stream_numbers"
local whose = require "aoi.skynet.world.whose"

local global = of_regions.global

-- Commands about one entity, by its id.
local ABOUT_ONE = {
  enter = true, update = true, move = true, leave = true, set_property = true, say = true, say_in = true,
  notify = true, resync = true, set_traits = true, set_radius = true, set_visible_radius = true,
  set_mode = true, set_layers = true, set_sees_layers = true, set_limit = true, set_importance = true,
  set_sight = true, pin = true, unpin = true,
}

-- Hundredths of a second for which a node knows its agents' streams, beside the time that a call may wait.
local KEPT = 6000

-- `world` is the table of world.lua: map, member, key, dims, counters, times; `parts` has areas and lands.
return function(world, parts)
  local agents = {}
  local counters, map = world.counters, world.map
  local last_uid = 0

  -- Answers a command that was sent and refused.
  function agents.refuse(address, command, message, id)
    counters.refused = counters.refused + 1
    if address and skynet.rawsend(address, packet.protocol, packet.refused(command, message, id)) == nil then
      addresses.failed(address)
    end
  end

  local function new_uid()
    last_uid = last_uid + 1
    return last_uid
  end

  agents.new_uid = new_uid

  -- ---- answers --------------------------------------------------------------------------------

  -- The message that refuses a call which no region has seen.
  local function message_of(call)
    if call.kind == "enter" then
      return ("enter: id %s is already in the space"):format(call.id)
    end
    return ("%s: id %s is not in the space"):format(call.kind, call.id)
  end

  local function answer_of(call, outcome, text)
    if calls.is_undecided(outcome) then
      return skynet.packstring(nil, outcome)
    elseif outcome == "refused" then
      return text or skynet.packstring(nil, message_of(call))
    elseif text then
      return text
    elseif call.kind == "enter" then
      return skynet.packstring(true, map.tick)
    end
    return skynet.packstring(true, call.kind == "update" or nil)
  end

  -- Notes the address of an entity's agent here, nil: it has none; and who gave it.
  local function set_address(id, address, sender)
    agents.addresses:set(id, address, sender)
    direct.asked(world.member, id) -- its moves may go another way from now on
  end

  agents.AGAIN = 20 -- hundredths of a second until what is undecided is asked once more

  -- Of a process that was expelled the entities are orphans by now.
  local function ask_later(call)
    skynet.timeout(agents.AGAIN, function()
      if call.dead:match "^%x+" == world.key then
        agents.ask_to_leave(call.id, call.dead, call.why)
      end
    end)
  end

  -- A call has ended: see calls.lua. A result of one that wants no answer has its message as text.
  function agents.told(call, outcome, text)
    counters[outcome] = counters[outcome] and counters[outcome] + 1
    if call.dead then
      if calls.is_undecided(outcome) then
        ask_later(call)
      end
      return
    end
    if not call.uid then
      local is_moot = calls.is_undecided(outcome)
      agents.refuse(call.source, call.kind, is_moot and outcome or text or message_of(call), call.id)
      return
    end
    if call.respond then
      call.respond(true, answer_of(call, outcome, text))
    elseif outcome ~= "done" and call.source then
      local _, message = skynet.unpack(answer_of(call, outcome, text))
      agents.refuse(call.source, call.name or call.kind, message, call.id)
    end
  end

  -- The agent's own node numbers its streams, and no region: the clock of another node may be ahead, and the
  -- agent would take all later stays for earlier ones. A region only takes a later number where it has to.
  agents.streams = stream_numbers.new(function()
    return skynet.starttime() * 100 + skynet.now()
  end, KEPT + world.times.silence // 2)

  -- ---- agents that die ------------------------------------------------------------------------

  -- An entity whose address is dead, or takes no messages, is to leave, until that is judged. why: as the
  -- hook `ended` gets it.
  local function ask_to_leave(id, address, why)
    calls.ask(world.member, {
      id = id, kind = "leave", uid = new_uid(), dead = address, why = why,
      text = skynet.packstring("leave", id, address, why),
    }, world.now())
  end

  agents.ask_to_leave = ask_to_leave

  -- Entities whose address is dead leave, if the address is still theirs then.
  local function leave(ids, why)
    for _, id in ipairs(ids) do
      local address = agents.addresses.of[id]
      if address then
        set_address(id, nil)
        ask_to_leave(id, global(world.key, address), why)
      end
    end
  end

  local function on_dead(ids)
    counters.dead_addresses = counters.dead_addresses + 1
    leave(ids, "dead")
  end

  local function on_deaf(ids, address)
    agents.addresses:report_deaf("world", ids, address, function(sender, reason, id)
      agents.refuse(sender, "enter", reason, id)
    end)
    leave(ids, "refused")
  end

  agents.addresses = addresses.new(packet.protocol, on_dead, on_deaf)
  local addresses_of, sender_of = agents.addresses.of, agents.addresses.sender
  agents.failed = addresses.failed

  -- ---- whose entities are -----------------------------------------------------------------------

  local ENDINGS = { lost = blocks.LOST, expelled = blocks.EXPELLED } -- the others have no reason

  -- The service of this process that an address of region/addresses.lua names; nil: none.
  local function service_of(address)
    return address and of_regions.handle_in(world.key, address) or nil
  end

  -- Tells an agent here that a stay is over; how: as of whose.lua.
  function agents.tell_over(agent, id, stream, how)
    skynet.rawsend(agent, packet.protocol, blocks.over(id, stream, 0, ENDINGS[how]))
  end

  agents.whose = whose.new {
    service = service_of,
    agent = function(id)
      return addresses_of[id]
    end,
    stream = function(id, stream)
      agents.streams:hear(id, stream)
    end,
    put = function(id, service, said)
      set_address(id, service, said and service_of(said.sender))
    end,
    over = function(agent, own, how)
      counters.lost = counters.lost + (how == "lost" and 1 or 0)
      agents.tell_over(agent, own.id, own.stream, how)
    end,
    remove = function(id)
      calls.ask(world.member, { id = id, kind = "leave", text = skynet.packstring("leave", id) }, world.now())
    end,
  }

  -- ---- commands -------------------------------------------------------------------------------

  -- The address that opts name, as the regions know it: nil when the opts name none, false for none. Or nil
  -- and a message.
  local function address_in(opts)
    local wanted = opts and opts.address
    if wanted == nil then
      return nil
    elseif type(wanted) == "string" and wanted:find "^%x+:%x+$" then
      return wanted -- a service of another node
    end
    local handle, message = entities.to_address(wanted)
    return handle and global(world.key, handle), message
  end

  -- Fills in the call of an enter or update: where it enters, and whose entity it is then. Returns a message
  -- that refuses it, or nil.
  local function prepare(call, name, id, x, y, z, opts)
    local own = type(z) == "table" and z or type(opts) == "table" and opts or nil
    local full, message = address_in(own)
    if message then
      return name .. ": " .. message
    end
    call.region = map:region_at(x, y)
    call.takes_over = name == "enter" and own and own.take_over == true or nil
    local is_bare = (own or (z == nil or math.type(z)) and opts == nil) -- else it will be refused as it is
      and not (own and own.stream ~= nil)
    call.begins = full and true or nil
    if is_bare and full ~= false then
      -- A bare update of one that is in begins no stay, and takes no number of its own.
      call.hears = (name == "enter" or full) and agents.streams:ask(id) or agents.streams:time()
    end
    if full ~= nil then
      local copy = {}
      for word, value in pairs(own) do
        copy[word] = value
      end
      copy.address = full
      if own == z then
        call.text = skynet.packstring(name, id, x, y, copy)
      else
        call.text = skynet.packstring(name, id, x, y, z, copy)
      end
    end
  end

  -- Fills in the call of a set_traits, whose opts may name another address. Returns as `prepare`.
  local function prepare_traits(call, id, opts, carried)
    local full, message = address_in(type(opts) == "table" and opts or nil)
    if message then
      return "set_traits: " .. message
    elseif full ~= nil then
      local copy = {}
      for word, value in pairs(opts) do
        copy[word] = value
      end
      copy.address = full
      call.begins = full and true or nil
      call.hears = full and copy.stream == nil and agents.streams:ask(call.id) or nil
      call.text = skynet.packstring("set_traits", id, copy, carried)
    end
  end

  -- Asks the protocol for a command about one entity, of a service of this process. respond: answers it; nil:
  -- it was sent. Returns nil, or a message that refuses it.
  function agents.ask(respond, source, name, id, ...)
    local key = math.type(id) and math.tointeger(id)
    if not key then
      return ("%s: id is %s, expected an integer"):format(name, tostring(id))
    end
    local call = { id = key, kind = name, source = source, respond = respond }
    if name == "enter" or name == "update" or respond then
      call.uid = new_uid()
    end
    local message
    if name == "enter" or name == "update" then
      message = prepare(call, name, key, ...)
    elseif name == "set_traits" then
      message = prepare_traits(call, id, ...)
    end
    if message then
      return message
    end
    call.text = call.text or skynet.packstring(name, id, ...)
    calls.ask(world.member, call, world.now())
  end

  -- A command about areas. Returns as agents.ask.
  local function ask_area(respond, source, name, id, ...)
    local key = math.type(id) and math.tointeger(id)
    if not key then
      return ("%s: area is %s, expected an integer"):format(name, refusals.show(id))
    end
    calls.ask(world.member, {
      id = key, kind = "area", name = name, uid = new_uid(), source = source, respond = respond,
      text = skynet.packstring(name, id, ...), of_handlers = parts.lands.is_region(source) or nil,
    }, world.now())
  end

  -- A command of the user's handlers: the region that has the entity of this id, or any other.
  local function ask_handlers(source, name, id, ...)
    local key = math.type(id) and math.tointeger(id)
    local known = key and world.member.directory[key]
    return world.call_region(known and known.region or nil, "command", source, name, id, ...)
  end

  local function take(respond, source, name, ...)
    if parts.areas.has(name) then
      return ask_area(respond, source, name, ...)
    elseif ABOUT_ONE[name] then
      return agents.ask(respond, source, name, ...)
    else
      local ok, result = pcall(table.pack, ask_handlers(source, tostring(name), ...))
      result = ok and result or table.pack(nil, tostring(result))
      if respond then
        respond(true, skynet.packstring(table.unpack(result, 1, result.n)))
      elseif result[1] == nil and result[2] then
        return result[2]
      end
    end
  end

  local function pass_on(text)
    return text
  end

  -- A command that was sent.
  function agents.sent(source, name, ...)
    local message = take(nil, source, name, ...)
    if message then
      agents.refuse(source, tostring(name), message, (...))
    end
  end

  -- A command that was called, by the running coroutine. It is answered after its tick.
  function agents.called(source, name, ...)
    local respond = skynet.response(pass_on)
    local message = take(respond, source, name, ...)
    if message then
      respond(true, skynet.packstring(nil, message))
    end
  end

  -- A move that was sent, and is no direct one. Returns whether it is of the entity's own agent: all others
  -- go the ordinary way.
  function agents.move(source, id, ...)
    local is_own = source == addresses_of[id] or source == sender_of[id]
    if is_own then
      local call = { id = id, kind = "move", source = source, place = { ... } }
      local counter = calls.ask(world.member, call) and "replaced" or "moves"
      counters[counter] = counters[counter] + 1
    end
    return is_own
  end

  return agents
end
