-- A scene as a skynet service: one space, the addresses of its entities, and a tick that tells them what
-- they see. Started with its options as words:
--
--   skynet.newservice("scene", "engine=grid", "width=3200", "height=3200", "radius=50", "tick=100")
--
-- docs/skynet.md describes the options, the commands and what agents receive. Here is how the service starts
-- and how messages reach the commands; what they do is in commands.lua and the files that it is made of.
local skynet = require "skynet"
local aoi = require "aoi"
local addresses = require "aoi.skynet.addresses"
local audiences = require "aoi.skynet.audiences"
local details = require "aoi.skynet.details"
local entities = require "aoi.skynet.entities"
local extras = require "aoi.skynet.extras"
local new_commands = require "aoi.skynet.commands"
local new_handlers = require "aoi.skynet.handlers"
local new_lives = require "aoi.skynet.lives"
local new_notices = require "aoi.skynet.notices"
local new_own_state = require("aoi.skynet.own_state").new
local new_parts = require "aoi.skynet.parts"
local new_records = require "aoi.skynet.records"
local new_resync = require "aoi.skynet.resync"
local new_saving = require "aoi.skynet.saving"
local new_speech = require "aoi.skynet.speech"
local new_steps = require "aoi.skynet.steps"
local new_store = require "aoi.skynet.store"
local new_ticks = require "aoi.skynet.ticks"
local new_transfer = require("aoi.skynet.transfer").new
local options = require "aoi.skynet.options"
local packet = require "aoi.skynet.packet"
local streams = require "aoi.skynet.streams"

local own, of_space = options.of_scene { ... }
if own.memory_limit then
  skynet.memlimit(own.memory_limit) -- skynet takes it only while the service's file is loaded
end

-- The scene as its parts, views.lua and the user's handlers know it.
local scene = {
  space = nil,
  dims = of_space.dims or 2,
  tick = own.tick,
  options = own,   -- of options.lua
  addresses = nil, -- of addresses.lua, made by entities.lua
  new_addresses = addresses.new,
  rawsend = skynet.rawsend, -- how a message goes to one of them; nil: it is dead
  views = nil,     -- the functions of views.lua
  unsent = { of = {}, order = {}, count = 0 }, -- address -> what waits for it, a block or a list; their order
  records = nil,   -- of records.lua
  details = details.new(),
  extra_values = extras.new(own.extras),
  streams = streams.new(function()
    return skynet.starttime() * 100 + skynet.now()
  end),
  orphans = {},    -- set of entities that had an address before the scene came back from its store
  departing = {},  -- set of entities that another scene is asked to take
  number = nil,    -- of the next tick, in a region; nil: one more than the last
  touched = nil,   -- set of entities to be told as if they had moved, in a region; else nil
  is_crowd = nil,  -- true: the space tells each watcher of a part of what it sees
  newcomers = {},  -- set of entities whose address is told all that they see after the next tick
  changes = {},    -- entity -> turn since which details are others, of those that the tick under way tells
  told = {},       -- in a crowd space: watcher -> marker -> first turn whose changes it has not been told of;
                   -- base: that of markers without one of their own
  notices = nil,   -- of notices.lua
  unsaid = {},     -- list of { id, watchers, n, body, is_text }: said to those whom the next tick tells of id
  counters = {
    messages = 0, bytes_sent = 0, events = 0, moves = 0, said = 0, notified = 0, refused = 0,
    handler_errors = 0, dead_addresses = 0, recorded = 0, stored = 0, store_failures = 0, late_steps = 0,
    late_commands = 0,
  },
  own = nil,       -- of own_state.lua
}

scene.own = new_own_state(scene)

scene.audiences = audiences.of_scene(scene)
scene.records = new_records(scene)

local parts = { own_state = scene.own }
local commands = new_commands(scene, parts)
parts.ticks = new_ticks(scene, parts)
parts.steps = new_steps(scene, parts.ticks)
parts.resync = new_resync(scene, parts.ticks)
scene.notices = new_notices(scene, parts.ticks)
parts.say = new_speech(scene, parts.ticks)
parts.lives = new_lives(scene, parts)
parts.handlers = new_handlers(scene, commands, parts.lives)
parts.of_entity = new_parts(scene, parts)
parts.saving = new_saving(scene, parts)
parts.transfer = new_transfer(scene, parts)
parts.store = own.store ~= "" and new_store(scene, parts) or nil

-- ---- messages ---------------------------------------------------------------------------------

local function respond(session, source, name, id, result, ...)
  if result == nil and ... ~= nil then
    scene.counters.refused = scene.counters.refused + 1
    if session == 0 then
      scene.views.refuse(source, name, (...), id)
    end
  end
  if session ~= 0 then
    skynet.retpack(result, ...)
  end
end

local function dispatch(session, source, name, ...)
  local run = commands[name] or parts.handlers.command(name)
  if run then
    respond(session, source, name, (...), run(source, ...))
  else
    respond(session, source, tostring(name), (...), nil,
      ("%s is no command of a scene"):format(tostring(name)))
  end
end

-- Moves that are sent are most of all messages, properties come next. Taken in before skynet makes a
-- coroutine for them, they cost less than half, and a flood holds up the others that much less. Whatever else
-- a message is, or one that is refused, goes the ordinary way. A move that calls handlers does so, too, as
-- these may yield: one without ticks, and one that comes while the tick under way waits in a handler.
local dispatch_message = skynet.dispatch_message

-- Returns false for one that is to go the ordinary way.
local function run_quickly(source, name, ...)
  if name == "move" then
    return scene.space:pending() == 0 and parts.steps.move(source, ...)
  end
  return name == "set_property" and parts.entities.set_property(source, ...)
end

local function take_in(message_type, message, size, session, source)
  if message_type == skynet.PTYPE_LUA and session == 0 and parts.ticks.are_on()
    and run_quickly(source, skynet.unpack(message, size)) then
    return
  end
  return dispatch_message(message_type, message, size, session, source)
end

-- ---- starting ---------------------------------------------------------------------------------

local function probe()
  skynet.timeout(options.units(own.probe), probe)
  scene.addresses:probe()
  scene.records.probe()
end

-- That of the store, else that of the recording; nil when there is none. Also what handlers have saved and
-- logged in the store.
local function come_back()
  local space, saved, logged
  if parts.store then
    space, saved, logged = parts.store.recover()
  end
  if not space and own.recover then
    local message
    space, message = aoi.recover(own.record_to)
    if message then
      skynet.error(("scene: %s: %s"):format(own.record_to, message))
    end
  end
  return space, saved, logged
end

-- The space that the options ask for: a new one, or one that was there before. For the others, see come_back.
local function make_space()
  local deferred = parts.ticks.are_on()
  of_space.deferred = deferred or nil
  local space, saved, logged = come_back()
  local made = space and space:stats()
  if made and (made.deferred ~= deferred or made.dims ~= scene.dims) then
    error(("scene: %s has %d dimensions and is %s ticks, the options say otherwise"):format(
      logged and "the store " .. own.store or "the recording " .. own.record_to, made.dims,
      made.deferred and "with" or "without"), 0)
  end
  if not space then
    space = options.new_space(of_space, options.SCENE_NAMES)
  end
  return space, saved, logged
end

local exit = skynet.exit

-- Ends the service in order: the debug command EXIT calls it, for one.
function skynet.exit()
  if parts.store then
    parts.store.save()
  end
  parts.handlers.stop()
  return exit()
end

skynet.dispatch_message = take_in -- what skynet.start hands to skynet
skynet.start(function()
  packet.register()
  parts.entities = entities.new(scene, parts)
  local saved, logged
  scene.space, saved, logged = make_space()
  scene.is_crowd = entities.is_crowd(scene.space)
  parts.handlers.start(saved, logged)
  if parts.store then
    parts.store.start()
  end
  if own.record_to ~= "" then
    assert(scene.records.write_to(own.record_to, own.recover))
  end
  parts.ticks.start()
  probe()
  skynet.info_func(commands.stats)
  skynet.dispatch("lua", dispatch)
end)
