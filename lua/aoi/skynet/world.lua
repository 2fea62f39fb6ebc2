-- A world of many regions on many nodes, as a skynet service: one on each node of a cluster, all started with
-- the same words but for those about the node itself:
--
--   skynet.newservice("world", "node=a", "nodes=a,b", "columns=2", "rows=2", "width=3200", "height=3200",
--     "max_radius=100", "engine=grid", "radius=50")
--
-- Agents talk to the world of their own node, as to a scene. docs/world.md describes options and commands.
-- Here is how the service starts, and how messages reach the protocol (member.lua) and its other parts.
local skynet = require "skynet"
local cluster = require "skynet.cluster"
local greetings = require "aoi.skynet.world.greetings"
local new_gathered = require "aoi.skynet.world.gathered"
local member = require "aoi.skynet.world.member"
local new_agents = require "aoi.skynet.world.agents"
local new_areas = require "aoi.skynet.world.areas"
local new_asking = require "aoi.skynet.world.asking"
local new_lands = require "aoi.skynet.world.lands"
local name_of = require("aoi.skynet.world.map").name_of
local new_map = require("aoi.skynet.world.map").new
local new_operators = require "aoi.skynet.world.operators"
local new_overview = require "aoi.skynet.world.overview"
local new_post = require("aoi.skynet.world.post").new
local new_queries = require "aoi.skynet.world.queries"
local new_seat = require "aoi.skynet.world.seat"
local new_times = require("aoi.skynet.world.times").new
local new_timing = require "aoi.skynet.world.timing"
local new_transfer = require "aoi.skynet.world.transfer"
local options = require "aoi.skynet.options"
local packet = require "aoi.skynet.packet"

local words = { ... }
local map = new_map(words)
local of_scene, of_space = options.of_scene(map.words)
of_space.deferred = true
options.new_space(of_space, map.NAMES):close() -- what a region would refuse later is refused here
local times = new_times(map.tick, map.silence)
local PATIENCE = 2 * map.silence + 2000 -- milliseconds until calls are answered, whatever happens

-- The world as its parts know it.
local world = {
  map = map,
  words = words,
  dims = of_space.dims or 2,
  times = times,
  save_every = of_scene.save_every,
  key = nil,     -- of this process, as a member: drawn anew when it was expelled
  member = nil,  -- of member.lua
  gathered = nil, -- of gathered.lua
  post = nil,    -- of post.lua
  seat = nil,    -- of seat.lua
  is_unfit = false, -- true: a region could not be started here
  refused_at = -math.huge, -- when a coordinator whose words are others has answered last
  stood = 0,     -- milliseconds: how long the last change of the configuration took
  counters = {
    moves = 0, replaced = 0, refused = 0, relayed = 0, dead_addresses = 0, hand_overs = 0, lost = 0,
    expelled = 0, again = 0, unknown = 0,
  },
}

-- Milliseconds, of a clock that nobody sets.
function world.now()
  return skynet.hpc() / 1000000
end

local random = assert(io.open("/dev/urandom", "rb"))

function world.new_key()
  return ("%016x"):format((("<i8"):unpack(random:read(8))))
end

-- Entity -> region.
world.owner_of = setmetatable({}, { __index = function(_, id)
  local known = world.member.directory[id]
  return known and known.region
end })

local parts = {}
world.gathered = new_gathered(world.dims, function(id)
  local addresses = parts.agents.addresses
  return addresses.of[id], addresses.sender[id]
end, function(n, replaced)
  world.counters.moves = world.counters.moves + n
  world.counters.replaced = world.counters.replaced + replaced
end)
parts.areas = new_areas(world)
parts.agents = new_agents(world, parts)
parts.lands = new_lands(world, parts)
local came_from
world.timing, came_from = new_timing(world, parts.lands)
world.asking = new_asking(world, parts, PATIENCE)
world.call, world.call_fellow = world.asking.call, world.asking.call_fellow
world.call_region = world.asking.call_region
parts.queries = new_queries(world, parts, PATIENCE)
local over -- of world/transfer.lua
parts.transfer, over = new_transfer(world, parts, PATIENCE)

-- ---- the protocol -----------------------------------------------------------------------------

local MOST_NAMED = 20 -- entities in a line of the log

-- The log says that no coordinator has answered, or that messages do not reach all members.
local was_alone, was_unheard = false, false

-- List of functions that are to be called one after the other: steps of the present member. is_running: one
-- is being called.
local inbox = { is_running = false }

local flush

local function receive(message)
  if message.kind == "ask" then
    world.seat.receive(message)
  elseif world.member.is_busy and member.is_urgent(message) then
    member.receive(world.member, world.now(), message)
    flush()
  else
    world.step(function()
      came_from(message.from)
      member.receive(world.member, world.now(), message)
    end)
  end
end

-- Sends messages, also to this process.
function world.send(list)
  for _, message in ipairs(list) do
    if message.to == map.node then
      receive(message)
    else
      world.post:text(message.to, skynet.packstring(message))
    end
  end
end

function flush()
  local out = world.member.out
  world.member.out = {}
  world.send(out)
end

local begin

-- Calls a function of the protocol when those before have returned: they may wait for regions. When the
-- process is expelled meanwhile, those before need not return, and are over.
function world.step(f)
  local own = inbox
  own[#own + 1] = f
  if own.is_running then
    return
  end
  own.is_running = true
  while own == inbox and own[1] do
    local ok, message = xpcall(function()
      table.remove(own, 1)()
      flush()
    end, debug.traceback)
    if not ok and own == inbox then
      skynet.error(("world: this node begins anew%s: %s"):format(
        world.is_unfit and ", and takes no regions before it is started again" or "", message))
      member.gone(world.member)
    end
  end
  own.is_running = false
end

local alarm = 0

-- Has the next tick begin in time.
local function set_alarm()
  local wait = world.member.next_at - world.now()
  if world.member.phase == "ticking" and world.member.tick == world.member.finished and wait > 0
    and alarm ~= world.member.next_at then
    alarm = world.member.next_at
    skynet.timeout(math.ceil(wait / 10), function()
      world.step(function()
        member.go_on(world.member, world.now())
      end)
    end)
  end
end

-- ---- waiting for ticks --------------------------------------------------------------------------

local waits = {} -- list of { thread, key, tick }

-- Wakes who waits for a tick that was told, for one of a configuration that is over, or for too long.
local function wake_all()
  local list, configuration = waits, world.member.configuration
  waits = {}
  for _, one in ipairs(list) do
    local is_open = configuration and configuration.key == one.key and world.now() <= one.limit
    if is_open and world.member.finished < one.tick then
      waits[#waits + 1] = one
    else
      skynet.wakeup(one.thread)
    end
  end
end

-- Waits until tick t of the configuration with this key has been told; false: it is over before that, or no
-- tick is made for long.
function world.wait_for(key, t)
  local this, limit = coroutine.running(), world.now() + PATIENCE
  while true do
    local configuration = world.member.configuration
    if not configuration or configuration.key ~= key or world.now() > limit then
      return false
    elseif world.member.finished >= t then
      return true
    end
    waits[#waits + 1] = { thread = this, key = key, tick = t, limit = limit }
    skynet.wait(this)
  end
end

-- ---- members ------------------------------------------------------------------------------------

-- The process is expelled: its regions end, its agents are told, and it joins as a new one.
function world.gone()
  world.counters.expelled = world.counters.expelled + 1
  skynet.error(("world: node %s was expelled, and joins anew"):format(map.node))
  parts.lands.stop()
  parts.agents.whose:gone()
  world.asking.begin(nil)
  parts.queries.begin()
  begin()
  wake_all()
end

local was_member = false -- true: this process has been in a configuration

local hear = {}

function hear.left(_, id, stay, is_late)
  parts.agents.whose:left(id, stay, is_late, over(stay, "left"))
end

function hear.agent(of, id, stay, said)
  parts.agents.whose:heard(of, id, stay, said)
end

function hear.begin(of)
  parts.agents.whose:begin()
  world.stood = was_member and world.now() - of.ticked_at or 0
  world.refused_at, was_member = -math.huge, true
  local keys = {}
  for key in pairs(of.keys) do
    keys[key] = true
  end
  world.post:forget(keys)
  world.asking.begin(keys)
  parts.queries.begin()
  wake_all()
  local owners = {}
  for region = 1, map.count do
    owners[region] = of.configuration.owners[region] or "nobody"
  end
  skynet.error(("world: configuration %d from tick %d on, members %s, regions of %s"):format(
    of.configuration.number, of.first_tick, table.concat(of.names, " "), table.concat(owners, " ")))
end

-- Entities are lost with their region: its handlers hear it where it has begun again.
function hear.lost(of, list)
  parts.agents.whose:lost(of, list)
  local by_region = {}
  for _, one in ipairs(list) do
    over(one.stay, "lost")
    by_region[one.region] = by_region[one.region] or {}
    table.insert(by_region[one.region], one.id)
  end
  for region, ids in pairs(by_region) do
    skynet.error(("world: %d entities of region %d are lost: %s%s"):format(#ids, region,
      table.concat(ids, " ", 1, math.min(#ids, MOST_NAMED)), #ids > MOST_NAMED and " ..." or ""))
    local address = parts.lands.regions[region]
    if address then
      skynet.send(address, "lua", "lost", ids)
    end
  end
end

function hear.gone()
  world.gone()
end

function hear.replaced(_, n)
  world.counters.replaced = world.counters.replaced + n
end

function hear.vanished(_, uid)
  skynet.error(("world: call %d has vanished, and no member was lost"):format(uid))
end

local refusal

function hear.refused(_, word)
  world.refused_at = world.now()
  if refusal ~= word then
    refusal = word
    skynet.error(("world: node %s is refused: its %s is another one than the coordinator's"):format(
      map.node, name_of(word)))
  end
end

function begin()
  inbox, was_member = { is_running = false }, false
  local before = world.post or { pieces = 0, bytes = 0 }
  world.key = world.new_key()
  world.post = new_post(world.key, function(name, piece)
    cluster.send(name, "@" .. map.name, "world", piece)
  end)
  world.post.pieces, world.post.bytes = before.pieces, before.bytes -- as counted since the service began
  world.member = member.new {
    name = map.node, key = world.key, coordinators = { map.coordinator }, times = times,
    orphan_ticks = of_scene.orphan // map.tick, land = parts.lands, told = parts.agents.told,
    gathered = world.gathered,
    takes_none = not map.regions or world.is_unfit or nil, words = map.shared, clock = world.now,
    observe = function(of, what, ...)
      if hear[what] then
        hear[what](of, ...)
      elseif math.type(what) then
        parts.agents.whose:settle(of)
        wake_all()
      end
    end,
  }
  world.member.ticked_at, was_unheard = world.now(), false
end

-- ---- commands -------------------------------------------------------------------------------------

local commands = parts.queries.commands -- those that ask, and are not about one entity
for name, run in pairs(new_overview(world, parts).commands) do
  commands[name] = run
end

local of_fellows = { ask = parts.queries.ask }

-- The questions that call_region asks. Everything else is asked of a region by the world of its own process
-- alone: an agent that knows a member's key, which "configuration" tells, is no member by that.
local OF_REGIONS = { command = true, where = true, picture = true, reload = true }

function of_fellows.call_region(region, command, ...)
  if not OF_REGIONS[command] then
    return nil, "again"
  end
  return world.call_region(region, command, ...)
end

-- Of a process that is another one by now nothing was asked.
local function answer_fellow(key, name, ...)
  if key ~= world.key or not of_fellows[name] then
    return nil, "again"
  end
  return of_fellows[name](...)
end

-- tick() -> true; waits for the tick after the next, or for another configuration; or nil and "again"
function commands.tick()
  local configuration = world.member.configuration
  if not configuration or not world.wait_for(configuration.key, world.member.finished + 2)
    and world.member.configuration == configuration then
    return nil, "again"
  end
  return true
end

local operators = new_operators(world)
of_fellows.of_coordinator = operators.carry_out
for name, run in pairs(operators.commands) do
  commands[name] = run
end

-- A piece of a message of another process, as all of them are sent. Anything else is no such message.
local function take_piece(piece)
  local is_whole, message = pcall(function()
    local text = world.post:receive(piece)
    return text and skynet.unpack(text)
  end)
  if is_whole and type(message) == "table" then
    receive(message)
  end
end

-- Answers a command. One that was sent has an answer only when it is refused.
local function answer(session, source, name, id, ...)
  local first, message = ...
  if session ~= 0 then
    skynet.retpack(...) -- as many values as there are
  elseif first == nil and message then
    parts.agents.refuse(source, name, message, id)
  end
end

local function dispatch(session, source, name, ...)
  local run = commands[name]
  if name == "world" and session == 0 then
    take_piece((...))
  elseif name == "fellow" and type((...)) == "string" then
    skynet.retpack(answer_fellow(...))
  elseif run then
    answer(session, source, name, (...), run(...))
  elseif parts.transfer[name] then
    answer(session, source, name, (...), parts.transfer[name](source, ...))
  elseif session == 0 then
    parts.agents.sent(source, name, ...)
  else
    parts.agents.called(source, name, ...)
  end
  set_alarm()
end

-- ---- starting ---------------------------------------------------------------------------------

-- A process may wait for the coordinator's first answer, or for that of a member, for ever: the log is to say
-- so.
local function look_for_others()
  local now = world.now()
  if world.member.configuration or now <= world.member.ticked_at + PATIENCE then
    return
  end
  if not (world.member.is_heard or was_alone) then
    was_alone = true
    skynet.error(("world: no coordinator answers node %s: %s"):format(map.node,
      "it is away, or another process has the address of this node"))
  end
  local unheard = not was_unheard and greetings.unheard(world.member, now) or {}
  if unheard[1] then
    was_unheard = true
    skynet.error(("world: node %s can't join: no messages go between it and %s"):format(map.node,
      table.concat(unheard, ", ")))
  end
end

local function wake()
  skynet.timeout(times.wake // 10, wake)
  world.seat.wake()
  look_for_others()
  world.asking.wake()
  wake_all()
  if world.member.is_busy then
    member.wake_busy(world.member, world.now())
    flush()
    return
  end
  world.step(function()
    member.wake(world.member, world.now())
  end)
  set_alarm()
end

local function round()
  skynet.timeout(math.floor(times.round / 10), round)
  world.seat.round()
end

local function probe()
  skynet.timeout(options.units(of_scene.probe), probe)
  parts.agents.addresses:probe()
end

local exit = skynet.exit

-- Ends the service in order: the debug command EXIT calls it, for one. Its regions end with it.
function skynet.exit()
  parts.lands.stop()
  cluster.unregister(map.name)
  return exit()
end

-- The function that skynet.start hands to skynet. Moves that are sent are most of all messages: they get no
-- coroutine, and most of them no Lua value.
skynet.dispatch_message = world.gathered.taker(skynet.PTYPE_LUA, parts.agents.move, skynet.dispatch_message)
skynet.start(function()
  packet.register()
  begin()
  world.seat = new_seat(world)
  if map.log ~= "" then
    parts.lands.open_log(map.log)
  end
  skynet.info_func(commands.stats)
  skynet.dispatch("lua", dispatch)
  cluster.register(map.name)
  round()
  wake()
  probe()
end)
