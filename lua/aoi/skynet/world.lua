-- A world of many regions on many nodes, as a skynet service: one on each node of a cluster, all started with
-- the same words but for `node`:
--
--   skynet.newservice("world", "node=a", "nodes=a,b", "columns=2", "rows=2", "width=3200", "height=3200",
--     "max_radius=100", "engine=grid", "radius=50")
--
-- Agents talk to the world of their own node, as to a scene. docs/world.md describes options and commands.
-- Here is how the service starts and how messages reach its parts.
local skynet = require "skynet"
local cluster = require "skynet.cluster"
local directory = require "aoi.skynet.world.directory"
local new_agents = require "aoi.skynet.world.agents"
local new_areas = require "aoi.skynet.world.areas"
local new_barrier = require("aoi.skynet.world.barrier").new
local new_claims = require "aoi.skynet.world.claims"
local new_commands = require "aoi.skynet.world.commands"
local new_map = require("aoi.skynet.world.map").new
local new_messages = require "aoi.skynet.world.messages"
local new_migration = require "aoi.skynet.world.migration"
local new_nodes = require "aoi.skynet.world.nodes"
local new_overview = require "aoi.skynet.world.overview"
local new_queries = require "aoi.skynet.world.queries"
local new_returns = require "aoi.skynet.world.return"
local new_ticks = require "aoi.skynet.world.ticks"
local new_transfer = require "aoi.skynet.world.transfer"
local options = require "aoi.skynet.options"
local packet = require "aoi.skynet.packet"

local GATHER = 500 -- hundredths of a second that the first tick waits for nodes that are not there

local words = { ... }
local map = new_map(words)
local of_scene, of_space = options.of_scene(map.words)
if of_scene.extras > 0 then
  error("world: option extras is for a scene: entities of a world have none yet", 0)
end
local start = math.floor(skynet.time() * 100)

local function silence()
  return map.patience == math.huge and math.huge or math.max(1000, 10 * map.tick)
end

-- The world as its parts know it.
local world = {
  map = map,
  dims = of_space.dims or 2,
  start = start,                -- the number of this process, greater with each
  base = map.node << 48 | (start & 0xFFFF) << 32, -- added to a handle of this node: its address everywhere
  has_store = of_scene.store ~= "",
  store = of_scene.store,       -- its folder
  orphan = options.units(of_scene.orphan), -- how long entities wait for agents whose node is dead
  told = 0,                     -- the last tick that was told
  told_here = 0,                -- the last one that this process has told
  directory = directory.new(),
  barrier = new_barrier(map.node, #map.nodes, map.patience, silence()),
  regions = {},                 -- region of this node -> its service
  nodes = nil,                  -- of world/nodes.lua
  counters = {
    moves = 0, refused = 0, relayed = 0, dead_addresses = 0, hand_overs = 0, owners_changed = 0,
    migrations = 0, node_messages = 0, tick_waits = 0, ticks_late = 0,
  },
}

-- Milliseconds.
function world.now()
  return skynet.now() * 10
end

local parts = {}
parts.commands = new_commands(world)
parts.areas = new_areas(world, parts)
parts.agents = new_agents(world, parts)
parts.messages = new_messages(world, parts)
parts.returns = new_returns(world, parts)
parts.ticks = new_ticks(world, parts)
parts.claims = new_claims(world, parts)
parts.migration = new_migration(world, parts)
world.nodes = new_nodes(world, parts.ticks)
parts.queries = new_queries(world, parts)
parts.transfer = new_transfer(world, parts)

-- ---- messages ---------------------------------------------------------------------------------

local commands = parts.queries.commands -- those that ask, and are not about one entity
for name, run in pairs(new_overview(world).commands) do
  commands[name] = run
end

-- tick() -> true; a tick now, beside those of the clock, on all nodes
function commands.tick()
  parts.ticks.run()
  return true
end

-- migrate(region, node) -> true, milliseconds; see world/migration.lua
commands.migrate = parts.migration.migrate

-- store() -> true; a full save of the regions of this node into their stores now
commands.store = parts.returns.store

local function dispatch(session, source, name, ...)
  local run = commands[name]
  if name == "world" then
    world.nodes.hear(...)
  elseif run then
    skynet.retpack(run(...))
  elseif parts.transfer[name] then
    skynet.retpack(parts.transfer[name](source, ...))
  elseif session == 0 then
    parts.agents.sent(source, nil, name, ...)
  else
    parts.agents.called(source, name, ...)
  end
end

-- Moves that are sent are most of all messages, then come others about one entity. Taken in before skynet
-- makes a coroutine for them they cost less than half.
local DIRECT = {
  set_property = true, say = true, leave = true, resync = true, pin = true, unpin = true, set_radius = true,
  set_mode = true, set_layers = true, set_sees_layers = true, set_limit = true, set_importance = true,
}
local dispatch_message = skynet.dispatch_message

local function take_in(message_type, message, size, session, source)
  if message_type == skynet.PTYPE_LUA and session == 0 then
    local name, id, x, y, z, carried = skynet.unpack(message, size)
    if name == "move" and carried == nil and parts.commands.add_move(source, id, x, y, z) then
      world.counters.moves = world.counters.moves + 1
      return
    elseif DIRECT[name] then
      parts.agents.sent(source, skynet.tostring(message, size), name, id)
      return
    end
  end
  return dispatch_message(message_type, message, size, session, source)
end

-- ---- starting ---------------------------------------------------------------------------------

-- Starts the service of a region. waits: it begins when it is given what another one has saved.
function world.start_region(region, waits)
  local own = table.move(words, 1, #words, 1, {})
  own[#own + 1] = "region=" .. region
  own[#own + 1] = "world=" .. skynet.self()
  own[#own + 1] = "start=" .. (start & 0xFFFF)
  own[#own + 1] = waits and "waits=1" or nil
  return skynet.newservice("region", table.unpack(own))
end

local function start_regions()
  for _, region in ipairs(map:regions_of(map.node)) do
    world.regions[region] = world.start_region(region)
  end
end

local function probe()
  skynet.timeout(options.units(of_scene.probe), probe)
  parts.agents.addresses:probe()
end

local exit = skynet.exit

-- Ends the service in order: the debug command EXIT calls it, for one. Its regions end with it.
function skynet.exit()
  for _, address in pairs(world.regions) do
    skynet.send(address, "debug", "EXIT")
  end
  parts.migration.stop()
  cluster.unregister(map.name)
  return exit()
end

skynet.dispatch_message = take_in -- what skynet.start hands to skynet
skynet.start(function()
  packet.register()
  parts.claims.recall()
  start_regions()
  if map.log ~= "" then
    parts.ticks.open_log(map.log)
  end
  skynet.info_func(commands.stats)
  skynet.dispatch("lua", dispatch)
  cluster.register(map.name)
  parts.returns.begin()
  world.nodes.start()
  if #map.nodes == 1 then
    parts.ticks.start()
  elseif map.patience < math.huge then
    skynet.timeout(GATHER, parts.ticks.start)
  end
  probe()
end)
