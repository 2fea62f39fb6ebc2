-- A region of a world as a skynet service: a scene whose clock, addresses and messages are the world's. Only
-- the service world starts it, with its own words and region=, world= (its handle), start= (the number of
-- this process's start) and perhaps waits=1: it begins with the command `load` then.
--
-- A tick has two halves: `begin` applies the commands and gives what the other regions must know, `finish`
-- takes in what they gave and tells the own entities what they see.
local skynet = require "skynet"
local aoi = require "aoi"
local audiences = require "aoi.skynet.audiences"
local addresses = require "aoi.skynet.region.addresses"
local command_log = require "aoi.skynet.region.command_log"
local count = require "aoi.skynet.counts"
local details = require "aoi.skynet.details"
local entities = require "aoi.skynet.entities"
local extras = require "aoi.skynet.extras"
local ghosts = require "aoi.skynet.region.ghosts"
local new_areas = require "aoi.skynet.region.areas"
local new_commands = require "aoi.skynet.commands"
local new_handlers = require "aoi.skynet.handlers"
local new_parts = require "aoi.skynet.parts"
local new_lives = require "aoi.skynet.lives"
local new_luggage = require "aoi.skynet.region.luggage"
local new_store = require "aoi.skynet.region.store"
local new_records = require "aoi.skynet.records"
local new_steps = require "aoi.skynet.steps"
local new_region_commands = require "aoi.skynet.region.commands"
local new_resync = require "aoi.skynet.resync"
local new_ticks = require "aoi.skynet.ticks"
local options = require "aoi.skynet.options"
local packet = require "aoi.skynet.packet"
local region_state = require "aoi.skynet.region.state"
local streams = require "aoi.skynet.streams"
local world_map = require "aoi.skynet.world.map"

-- Ticks from when all that others have told has come until what was missed before that has been shown anew.
local DOUBTFUL = 16

local OWN = { region = true, world = true, start = true, waits = true }

-- Takes the region's own words out of those of the world.
local function split(words)
  local own, others = {}, {}
  for _, word in ipairs(words) do
    local name, number = word:match "^(%l+)=(%d+)$"
    if OWN[name] then
      own[name] = math.tointeger(number)
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
local home = addresses.global(map.node, place.start, skynet.self())

-- As that of scene.lua; below are the fields of regions alone.
local scene = {
  space = aoi.new(of_space),
  dims = of_space.dims or 2,
  tick = own.tick,
  options = own,
  addresses = addresses.new(home, place.world),
  views = nil,
  records = nil,
  details = details.new(),
  extra_values = extras.new(0),
  streams = streams.new(function()
    return skynet.starttime() * 100 + skynet.now()
  end, true),
  orphans = {}, departing = {}, newcomers = {}, changes = {}, told = {}, unsaid = {},
  is_crowd = nil,
  number = 0,
  touched = {},
  counters = {
    messages = 0, bytes_sent = 0, events = 0, moves = 0, said = 0, refused = 0, handler_errors = 0,
    dead_addresses = 0, recorded = 0, hand_overs = 0, stored = 0, store_failures = 0,
    border_bytes = 0, relay_bytes = 0, ghosts_renewed = 0,
  },
  map = map, region = place.region, world = place.world, home = home,
  owned = {}, shown = {}, changed = {}, speeches = {},
  slack = (of_space.slack or 0) > 0, needs_radius = of_space.radius == nil,
  upcoming = 1,
  is_closed = false, doubtful_until = 0,
}

function scene.new_addresses()
  return scene.addresses
end

function scene.rawsend(address, _, text)
  return scene.addresses:send(address, text)
end

scene.is_crowd = entities.is_crowd(scene.space)
scene.audiences = audiences.of_scene(scene)
scene.records = new_records(scene)

local parts = { log = map.log ~= "" and command_log.new(place.region) or nil }
parts.areas = new_areas(scene, parts)
scene.only_own = parts.areas.only_own
local of_scene = new_commands(scene, parts)
local commands, for_world = new_region_commands(scene, parts, of_scene)
parts.ticks = new_ticks(scene, parts)
parts.steps = new_steps(scene, parts.ticks)
parts.resync = new_resync(scene, parts.ticks)
parts.lives = new_lives(scene, parts)
parts.handlers = new_handlers(scene, commands, parts.lives)
parts.of_entity = new_parts(scene, parts)
parts.luggage = new_luggage(scene, parts)
parts.ghosts = ghosts.new(scene, parts)
parts.store = own.store ~= "" and new_store(scene, parts) or nil
parts.state = region_state.new(scene, parts)

parts.state.add("commands", for_world)
parts.state.add("ghosts", parts.ghosts)
parts.state.add("areas", parts.areas)
if parts.log then
  parts.state.add("log", {
    save = function() return parts.log:save() end,
    load = function(saved) parts.log:load(saved) end,
  })
end
if parts.store then
  parts.state.add("store", { save = parts.store.state, load = parts.store.load })
end

-- ---- a tick -----------------------------------------------------------------------------------

local answers = {}    -- stamp -> packed answer, of the tick that is on its way
local unanswered = {} -- stamp -> name, of commands of handlers that wait for something

parts.state.add("answers", {
  save = function() return answers end,
  load = function(saved) answers = saved end,
})

-- source: whose command it was; 0: nobody's, who need not be told.
local function refuse(source, name, message, id)
  scene.counters.refused = scene.counters.refused + 1
  if source ~= 0 then
    scene.views.refuse(source, name, message, id)
  end
end

-- Applies one command.
local function apply(stamp, source, session, name, ...)
  local id = ...
  unanswered[stamp] = session ~= 0 and name or nil
  for_world.run(function(result, ...)
    unanswered[stamp] = nil
    if session ~= 0 then
      scene.counters.refused = scene.counters.refused + (result == nil and ... ~= nil and 1 or 0)
      answers[stamp] = skynet.packstring(result, ...)
    elseif result == nil and ... ~= nil then
      refuse(source, name, (...), id)
    end
  end, stamp, source, name, ...)
end

local MOVES = -1 -- the session of a row that is a run of moves
local AREAS = -2 -- of one about an area with an owner

local function apply_all(rows)
  for i = 1, #rows, 4 do
    local session, text = rows[i + 2], rows[i + 3]
    if session == MOVES then
      for_world.run_moves(text, function(source, message, id)
        refuse(source, "move", message, id)
      end)
    elseif session == AREAS then
      parts.areas.run(rows[i], skynet.unpack(text))
    else
      apply(rows[i], rows[i + 1], session, skynet.unpack(text))
    end
  end
end

-- Packs an entity that goes to another region; `handed` is a list of id, region, epoch.
local function hand_over(handed, id, region)
  local letter, epoch = parts.luggage.pack(id, region)
  if letter then
    scene.counters.hand_overs = scene.counters.hand_overs + 1
    table.move({ id, region, epoch }, 1, 3, #handed + 1, handed)
    if parts.log then
      parts.log:handed(id, region)
    end
  end
  return letter, epoch
end

-- Counts the bytes of a table's texts; returns it.
local function counted(name, texts)
  for _, text in pairs(texts) do
    scene.counters[name] = scene.counters[name] + #text
  end
  return texts
end

local tick = {}

-- The first half of tick `number`. rows: a flat list of commands in the order of their stamps, four values
-- each: stamp, address of the source, session (0: no answer is wanted; -1: a run of moves), and the command
-- as skynet packs it. closed: a list of regions that nobody answers for now, or nil. known: with a store,
-- what region/store.lua has. areas: a list for areas.put of region/areas.lua, or nil; is_whole: all there is.
-- is_behind: not all that others have told up to the last tick has come. Returns a table:
--   out     region -> string for it
--   news    flat lists: entered (id, stamp), left (id, epoch), handed (id, region, epoch); and areas, as
--           areas.take of region/areas.lua gives it
function tick.begin(number, rows, closed, known, areas, is_whole, is_behind)
  scene.number, scene.upcoming = number, number
  scene.doubtful_until = is_behind and number + DOUBTFUL or scene.doubtful_until
  scene.details:count_as(number)
  if parts.log then
    parts.log.tick = number
  end
  local handed = parts.store and parts.store.begin(number, known) or {}
  if areas then
    parts.areas.put(areas, is_whole)
  end
  apply_all(rows)
  if parts.handlers.has_tick() then
    for_world.try(parts.handlers.tick)
  end
  scene.is_closed = true
  local out = parts.ghosts.write(closed or {}, handed, function(id, region)
    return hand_over(handed, id, region)
  end)
  local entered, left = for_world.news()
  local news = { entered = entered, left = left, handed = handed, areas = parts.areas.take() }
  if parts.store then
    parts.store.note(news)
  end
  return { out = counted("border_bytes", out), news = news }
end

-- An entity of ours is another region's. If it entered in this tick, that is refused.
function parts.give_way(id)
  local stamp = for_world.lose(id)
  if stamp then
    parts.ghosts.lose(id, nil) -- it may have been handed over after its enter
  end
  if stamp and answers[stamp] then
    answers[stamp] = skynet.packstring(nil, ("enter: entity %d is in the world already"):format(id))
  end
end

local function add_lost(lost, id, region)
  lost[region] = lost[region] or {}
  lost[region][id] = true
end

-- Takes out those whose enter did not count, or that another region owns with a higher epoch. refused: a flat
-- list of id, region. Returns region -> set of ids.
local function lose(refused)
  local lost = {}
  for i = 1, #refused, 2 do
    local id, region = refused[i], refused[i + 1]
    add_lost(lost, id, region)
    if region == scene.region then
      parts.give_way(id)
    else
      parts.ghosts.lose(id, region)
    end
  end
  return lost
end

-- Takes out those whose enter did not count, though the entity is handed over to that region. overruled: a
-- flat list of id, region. Adds to lost what that region must not tell of before.
local function overrule(overruled, lost)
  for i = 1, #overruled, 2 do
    local id, region = overruled[i], overruled[i + 1]
    if region ~= scene.region then
      add_lost(lost, id, region)
    elseif for_world.has_entered(id) then
      parts.give_way(id)
    end
  end
  return lost
end

-- Tells what was said, each to those whom the tick told of the speaker.
local function tell_speeches(speeches)
  table.sort(speeches, function(a, b) return a[1] < b[1] end)
  for _, speech in ipairs(speeches) do
    local id = speech[2]
    if scene.space:has(id) then
      local watchers, n = scene.space:told_watchers_of(id)
      scene.views.say(id, watchers, n, speech[3], speech[4])
    end
  end
end

local function tell()
  for_world.open()
  local speeches = scene.speeches
  scene.speeches = {}
  parts.ticks.tell()
  tell_speeches(speeches)
end

-- The second half. incoming: a flat list of region, string, in the order of ticks and of regions; refused: a
-- flat list of id, region: enters of this tick that do not count, as the same id entered elsewhere, and
-- entities of which another region is the owner; overruled: the same, of those that are handed over to that
-- region; nil: none. Returns a table:
--   packets  node -> rows <i8s4 of address and text; what goes to this node is there already
--   answers  stamp -> the answer, packed, of commands with a session
--   dead     addresses of this node that took no message
--   log      lines of region/command_log.lua, if that is wanted
function tick.finish(_, incoming, refused, overruled)
  local lost = refused and lose(refused)
  if overruled then
    lost = overrule(overruled, lost or {})
  end
  parts.ghosts.read(incoming, lost, parts.luggage.unpack)
  for_world.try(tell)
  for_world.wake()
  local given = answers
  answers = {}
  local packets = counted("relay_bytes", scene.addresses:take_packets())
  return {
    packets = packets, answers = given, dead = scene.addresses:take_dead(),
    log = parts.log and parts.log:take(),
  }
end

-- ---- messages ---------------------------------------------------------------------------------

local asked = { "follow", "unfollow", "record_to", "reload", "store" } -- of commands.lua
local run = {}
for _, name in ipairs(asked) do
  run[name] = function(source, ...)
    return of_scene[name](source, ...)
  end
end

function run.begin(_, ...)
  return tick.begin(...)
end

function run.finish(_, ...)
  return tick.finish(...)
end

local OF_AREAS = { areas_of = true } -- answers with areas, not with entities

-- query(is_own, shape, ...): as the command of a scene; is_own: of entities, only those of this region.
-- Areas of an entity of another region: only those whose owner is of this one.
function run.query(source, is_own, ...)
  if not is_own then
    return of_scene.query(source, ...)
  end
  local list, n = of_scene.query(source, ...)
  if type(list) ~= "table" then
    return list, n
  elseif OF_AREAS[...] then
    return parts.areas.only_known(list, n, (select(2, ...)))
  end
  local ids = {}
  for i = 1, n do
    ids[#ids + 1] = scene.owned[list[i]] and list[i] or nil
  end
  return ids, #ids
end

-- addresses_of(node, start) -> flat list of entity and address: those of the node, but not of this start (the
-- number of its process, or nil)
function run.addresses_of(_, node, start)
  local list = {}
  start = start and start & 0xFFFF -- as much of it as is in addresses
  for id, address in pairs(scene.addresses.of) do
    if address >> 48 == node and address >> 32 & 0xFFFF ~= start then
      list[#list + 1], list[#list + 2] = id, address
    end
  end
  return list
end

-- standing() -> what the other regions must know when this one has come back, or another one; of
-- region/store.lua
function run.standing()
  return parts.store.standing()
end

-- owned() -> flat list of entity and epoch
function run.owned()
  local list = {}
  for id, epoch in pairs(scene.owned) do
    if scene.space:has(id) then
      list[#list + 1], list[#list + 2] = id, epoch
    end
  end
  return list
end

-- lose(list); entities that the region has no more
function run.lose(_, list)
  for _, id in ipairs(list) do
    for_world.lose(id)
  end
  return true
end

-- settle(lost, taken); after a return: entities that the region has no more, though its store had them, and
-- region -> tick: letters that were taken
function run.settle(_, lost, taken)
  for _, id in ipairs(lost) do
    for_world.lose(id)
  end
  scene.letters:prune { taken = taken, written = {} }
  return true
end

-- orphans_of(node, start); those whose addresses addresses_of gives are taken over by who enters as them
function run.orphans_of(_, node, start)
  local list = run.addresses_of(nil, node, start)
  for i = 1, #list, 2 do
    scene.orphans[list[i]] = true
  end
  return true
end

-- areas() -> list, table; as areas.list of region/areas.lua gives them
function run.areas()
  return parts.areas.list()
end

-- show_all(region); that region is told everything with the next tick, whatever it knows
function run.show_all(_, region)
  return parts.ghosts.show_all(region)
end

-- forget_region(region); what that region owns is gone
function run.forget_region(_, region)
  return parts.ghosts.forget(region)
end

-- save() -> string, what handlers have saved; or nil and a message. The region between two ticks; nothing may
-- change in it until the next one.
function run.save()
  local ok, text, kept = pcall(function()
    return parts.state.save(), parts.handlers.save()
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
    parts.handlers.start(kept)
    if parts.store then
      parts.store.start()
    end
  end)
  return ok or nil, not ok and tostring(message) or nil
end

-- moved() -> flat list of stamp and packed answer; the region goes on in another service, and this one ends.
function run.moved()
  scene.records.finish()
  if parts.store then
    parts.store.remove()
  end
  local list = {}
  for stamp, name in pairs(unanswered) do
    list[#list + 1], list[#list + 2] = stamp, skynet.packstring(nil,
      ("%s: region %d has moved to another node meanwhile: no answer"):format(name, scene.region))
  end
  unanswered = {}
  return list
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

local function dispatch(session, source, name, ...)
  local result
  if run[name] then
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
  if parts.store then
    parts.store.save()
  end
  parts.handlers.stop()
  return exit()
end

skynet.start(function()
  packet.register()
  parts.entities = entities.new(scene, parts)
  if not place.waits then
    local saved, logged
    if parts.store then
      saved, logged = parts.store.recover()
    end
    parts.handlers.start(saved, logged)
    if parts.store then
      parts.store.start()
    end
  end
  probe()
  skynet.info_func(run.stats)
  skynet.dispatch("lua", dispatch)
end)
