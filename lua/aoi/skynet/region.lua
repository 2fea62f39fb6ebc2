-- A region of a world as a skynet service: a scene whose clock, addresses and messages are the world's. Only
-- the service world starts it, with its own words and region=, world= (its handle), key= (of this process),
-- number= and token= (number and key of the configuration) and perhaps waits=1: it begins with the command
-- `load` or `own` then.
--
-- A tick has two halves: `begin` applies the commands and gives what the other regions must know, `finish`
-- takes in what they gave and tells the own entities what they see; the world gives the packets to agents.
local skynet = require "skynet"
local aoi = require "aoi"
local audiences = require "aoi.skynet.audiences"
local blocks = require "aoi.skynet.blocks"
local addresses = require "aoi.skynet.region.addresses"
local command_log = require "aoi.skynet.region.command_log"
local count = require "aoi.skynet.counts"
local details = require "aoi.skynet.details"
local entities = require "aoi.skynet.entities"
local extras = require "aoi.skynet.extras"
local ghosts = require "aoi.skynet.region.ghosts"
local new_agents = require "aoi.skynet.region.agents"
local new_areas = require "aoi.skynet.region.areas"
local new_commands = require "aoi.skynet.commands"
local new_handlers = require "aoi.skynet.handlers"
local new_parts = require "aoi.skynet.parts"
local new_notices = require "aoi.skynet.notices"
local new_own_state = require("aoi.skynet.own_state").new
local new_lives = require "aoi.skynet.lives"
local new_luggage = require "aoi.skynet.region.luggage"
local new_records = require "aoi.skynet.records"
local new_steps = require "aoi.skynet.steps"
local new_region_commands = require "aoi.skynet.region.commands"
local new_questions = require "aoi.skynet.region.questions"
local new_resync = require "aoi.skynet.resync"
local new_tick = require "aoi.skynet.region.tick"
local new_ticks = require "aoi.skynet.ticks"
local options = require "aoi.skynet.options"
local packet = require "aoi.skynet.packet"
local region_state = require "aoi.skynet.region.state"
local region_store = require "aoi.skynet.region.store"
local streams = require "aoi.skynet.streams"
local world_map = require "aoi.skynet.world.map"

local OWN = { region = true, world = true, key = true, number = true, token = true, waits = true }
local IS_TEXT = { key = true, token = true }

-- Takes the region's own words out of those of the world.
local function split(words)
  local own, others = {}, {}
  for _, word in ipairs(words) do
    local name, value = word:match "^(%l+)=(%x+)$"
    if OWN[name] then
      own[name] = IS_TEXT[name] and value or math.tointeger(value)
    else
      others[#others + 1] = word
    end
  end
  return own, others
end

local place, words = split { ... }
local map = world_map.new(words)
local own, of_space = options.of_scene(map.words)
if own.memory_limit then
  skynet.memlimit(own.memory_limit) -- skynet takes it only while the service's file is loaded
end
of_space.deferred = true
local home = addresses.global(place.key, skynet.self())

-- As that of scene.lua; below are the fields of regions alone.
local scene = {
  space = aoi.new(of_space),
  dims = of_space.dims or 2,
  tick = own.tick,
  options = own,
  addresses = addresses.new(),
  views = nil,
  unsent = { of = {}, order = {}, count = 0 },
  records = nil,
  details = details.new(),
  extra_values = extras.new(own.extras),
  streams = streams.new(function()
    return skynet.starttime() * 100 + skynet.now()
  end, true),
  orphans = {}, departing = {}, newcomers = {}, changes = {}, told = {}, unsaid = {},
  is_crowd = nil,
  number = 0,
  touched = {},
  counters = {
    messages = 0, bytes_sent = 0, events = 0, moves = 0, said = 0, notified = 0, refused = 0,
    handler_errors = 0, dead_addresses = 0, recorded = 0, late_steps = 0, late_commands = 0, hand_overs = 0,
    border_bytes = 0, ticks = 0, tick_time = 0, stored = 0, store_failures = 0,
  },
  map = map, region = place.region, world = place.world, home = home,
  configuration = { number = place.number, key = place.token },
  owned = {}, shown = {}, changed = {}, renewed = {}, speeches = {},
  handler_commands = 0, -- how many there were: their stamps differ, also where the region goes on elsewhere
  slack = (of_space.slack or 0) > 0, needs_radius = of_space.radius == nil,
  is_closed = false,
}

-- An address as opts give it: those of agents are whole, handlers name services of this process.
function scene.to_address(value)
  if type(value) == "string" and addresses.split(value) then
    return value
  end
  local handle, message = entities.to_address(value)
  return handle and addresses.global(place.key, handle), message
end

function scene.new_addresses()
  return scene.addresses
end

function scene.rawsend(address, _, text)
  return scene.addresses:send(address, text)
end

scene.is_crowd = entities.is_crowd(scene.space)
scene.own = new_own_state(scene)
scene.audiences = audiences.of_scene(scene)
scene.records = new_records(scene)

local parts = { own_state = scene.own, log = map.log ~= "" and command_log.new(place.region) or nil }
parts.areas, parts.agents = new_areas(scene), new_agents(scene)
scene.only_own = parts.areas.only_own
local of_scene = new_commands(scene, parts)
local commands, for_world = new_region_commands(scene, parts, of_scene)
parts.ticks = new_ticks(scene, parts)
parts.steps = new_steps(scene, parts.ticks)
parts.resync = new_resync(scene, parts.ticks)
scene.notices = new_notices(scene, parts.ticks)
parts.lives = new_lives(scene, parts)
parts.handlers = new_handlers(scene, commands, parts.lives)
parts.of_entity = new_parts(scene, parts)
parts.luggage = new_luggage(scene, parts)
parts.ghosts = ghosts.new(scene, parts)
parts.questions = new_questions(scene, parts, of_scene.query)
parts.state = region_state.new(scene, parts)
parts.store = map.store ~= "" and region_store.new(scene, parts) or nil

parts.state.add("ghosts", parts.ghosts)
parts.state.add("areas", parts.areas)
parts.state.add("gone", for_world.gone)
if parts.log then
  parts.state.add("log", {
    save = function() return parts.log:take() end,
    load = function(lines) parts.log.lines = lines end,
  })
end

local tick = new_tick(scene, parts, for_world)

-- ---- messages ---------------------------------------------------------------------------------

local asked = { "follow", "unfollow", "record_to", "reload" } -- of commands.lua
local run = {}
for _, name in ipairs(asked) do
  run[name] = function(source, ...)
    return of_scene[name](source, ...)
  end
end

-- Adds up how long a half of a tick has taken.
local function timed(half)
  return function(_, ...)
    local began = skynet.hpc()
    local result = half(...)
    scene.counters.tick_time = scene.counters.tick_time + (skynet.hpc() - began) / 1000000
    return result
  end
end

run.begin, run.finish = timed(tick.begin), timed(function(...)
  scene.counters.ticks = scene.counters.ticks + 1
  return tick.finish(...)
end)

-- take(shown, luggage); as `finish`, but nobody is told
function run.take(_, shown, luggage)
  tick.take_in(shown, luggage, false)
  return true
end

-- said: as of region/agents.lua. orphans: a list of entities that are nobody's for a while, and may be taken
-- over.
local function take_agents(said, orphans)
  parts.agents.go_on(said)
  for _, id in ipairs(orphans) do
    scene.orphans[id] = true
  end
end

-- configure(of); a configuration begins. of: number and key, for handlers; drop, a list of entities that are
-- not here any more; shown and luggage as of `finish`, that came before; back, luggage of entities that were
-- handed over from here, and their taker is lost; agents, what nodes were told of theirs since then, as of
-- region/agents.lua; fixed and owned, the areas of areas.lua; orphans: list of entities whose agents'
-- processes are no members, and may be taken over; anew: list of entities whose agents may have missed
-- something, and are told all; said: list of entities of which not all nodes may have heard whose they are.
function run.configure(_, of)
  scene.configuration = { number = of.number, key = of.key }
  tick.take_in(of.shown, of.luggage, false)
  for _, id in ipairs(of.drop) do
    for_world.drop(id)
  end
  tick.take_in({}, of.back, false, true)
  parts.areas.put_all(of.fixed, of.owned)
  take_agents(of.agents, of.orphans)
  for _, id in ipairs(of.anew) do
    scene.newcomers[id] = scene.addresses.of[id] and true or nil
  end
  parts.agents.say_anew(of.said)
  parts.ghosts.begin_anew()
  scene.is_closed = false
  parts.questions.open()
  for_world.wake()
  return true
end

-- command(source, name, ...); one of the user's handlers, for none of our entities
function run.command(_, source, name, ...)
  local of_handlers = parts.handlers.command(name)
  if not of_handlers then
    return nil, ("%s is no command of a world"):format(tostring(name))
  end
  return of_handlers(source, ...)
end

-- query(about, shape, ...); of region/questions.lua
function run.query(_, ...)
  return parts.questions.ask(...)
end

-- save() -> string, what handlers have saved, packed; or nil and a message. The region between two ticks;
-- nothing may change in it until the next one.
function run.save()
  local ok, text, kept = pcall(function()
    local of_handlers = parts.handlers.keep() -- which may wait, and others change something meanwhile
    return parts.state.save(), of_handlers
  end)
  if not ok then
    return nil, "save: " .. tostring(text)
  end
  scene.is_closed = true
  return text, kept
end

-- load(saved, kept) -> true; what `save` gave elsewhere, for a region that waits for it.
function run.load(_, saved, kept)
  if not place.waits then
    return nil, "load: this region has begun already"
  end
  place.waits = nil
  local ok, message = pcall(function()
    parts.state.load(saved)
    parts.handlers.go_on(kept and skynet.unpack(kept))
  end)
  return ok or nil, not ok and tostring(message) or nil
end

-- picture() -> what is owned here, a flat list of id, and traits and place packed; for picture.lua
function run.picture()
  local list = {}
  for id in pairs(scene.owned) do
    if scene.space:has(id) then
      list[#list + 1] = id
      list[#list + 1] = skynet.packstring(scene.space:traits(id), scene.space:position(id))
    end
  end
  return list
end

-- where(id) -> the address of an entity of this region, nil for none, and its stream; false: it is not here
function run.where(_, id)
  if not scene.owned[id] or not scene.space:has(id) then
    return false
  end
  return scene.addresses.of[id], scene.streams.of[id]
end

-- write(of) -> true, or nil: the next one has to be a full save; of region/store.lua
function run.write(_, of)
  return parts.store.write(of)
end

-- recover(path) -> list of texts of the world, areas, what can't be read; of region/store.lua
function run.recover(_, path)
  local ok, texts, areas, problem = pcall(parts.store.recover, path)
  if not ok then
    return nil, nil, texts
  end
  return texts, areas, problem
end

-- own(known, ids) -> true: these entities of what was read are here; known: number, key, areas, orphans and
-- agents as of `configure`
function run.own(_, known, ids)
  place.waits, scene.configuration = nil, { number = known.number, key = known.key }
  local saved, logged = parts.store.own(ids)
  parts.areas.put_all(known.fixed, known.owned)
  take_agents(known.agents, known.orphans)
  parts.agents.say_anew(ids)
  parts.handlers.go_on(saved, logged)
  return true
end

-- lost(ids): the region began empty, as its owner was lost, and these with it
function run.lost(_, ids)
  parts.handlers.run("lost", ids)
  return true
end

-- take_back(luggage, orphans, ids, agents) -> true; as `back`, `orphans` and `agents` of `configure`; all
-- nodes are to hear whose these are, ids
function run.take_back(_, luggage, orphans, ids, agents)
  tick.take_in({}, luggage, false, true)
  take_agents(agents, orphans)
  parts.agents.say_anew(ids)
  return true
end

-- unstore(): the region is elsewhere, and stored there
function run.unstore()
  parts.store.remove()
end

-- stats() -> table; flat
function run.stats()
  local result, n = count(scene), 0
  for id in pairs(scene.owned) do
    n = n + (scene.space:has(id) and 1 or 0)
  end
  result.region, result.owned, result.ghosts = scene.region, n, #scene.space - n
  return result
end

-- ghosts() -> list of the entities of other regions that are shown here. O(entities).
function run.ghosts()
  local list, ids, n = {}, scene.space:ids()
  for i = 1, n do
    list[#list + 1] = not scene.owned[ids[i]] and ids[i] or nil
  end
  return list
end

-- The others are for the world alone.
local OF_ALL = { follow = true, unfollow = true, stats = true, ghosts = true }

local function dispatch(session, source, name, ...)
  local result
  if run[name] and (OF_ALL[name] or source == place.world) then
    result = table.pack(run[name](source, ...))
  else
    result = table.pack(nil, ("%s is no command of a region: talk to the world"):format(tostring(name)))
  end
  if session ~= 0 then
    skynet.retpack(table.unpack(result, 1, result.n))
  end
end

local function probe()
  skynet.timeout(options.units(own.probe), probe)
  scene.records.probe()
end

local exit = skynet.exit

function skynet.exit()
  scene.is_ending = true
  scene.records.finish()
  parts.handlers.stop()
  return exit()
end

skynet.start(function()
  packet.register(function(_, _, text)
    local block = blocks.head(text, 1)
    local _, message = packet.refusal(text:sub(block.first, block.last))
    skynet.error("region: a handler's command is refused: " .. message)
  end)
  parts.entities = entities.new(scene, parts)
  if not place.waits then
    parts.handlers.start()
  end
  probe()
  skynet.info_func(run.stats)
  skynet.dispatch("lua", dispatch)
end)
