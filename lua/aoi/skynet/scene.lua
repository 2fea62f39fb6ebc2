-- A scene as a skynet service: one space, the addresses of its entities, and a tick that tells them what
-- they see. Started with its options as words:
--
--   skynet.newservice("scene", "engine=grid", "width=3200", "height=3200", "radius=50", "tick=100")
--
-- docs/skynet.md describes the options, the commands and what agents receive.
local skynet = require "skynet"
local aoi = require "aoi"
local addresses = require "aoi.skynet.addresses"
local clock = require "aoi.skynet.clock"
local options = require "aoi.skynet.options"
local packet = require "aoi.skynet.packet"
local new_records = require "aoi.skynet.records"

local own, of_space = options.of_scene { ... }
if own.memory_limit then
  skynet.memlimit(own.memory_limit) -- skynet takes it only while the service's file is loaded
end

-- ---- the scene --------------------------------------------------------------------------------

-- What views.lua and the user's handlers see of us.
local scene = {
  space = nil,
  dims = of_space.dims or 2,
  tick = own.tick,
  addresses = nil,
  views = nil,     -- the functions of views.lua
  parting = {},    -- entity that has left since the last tick -> its address; false: that is dead
  unsaid = {},     -- list of { id, watchers, n, body }: said to watchers that the next tick tells of id
  newcomers = {},  -- set of entities whose address knows nothing yet: told all they see by the next tick
  counters = {
    messages = 0, bytes_sent = 0, events = 0, moves = 0, said = 0, refused = 0, handler_errors = 0,
    dead_addresses = 0, recorded = 0,
  },
}

local records = new_records(scene)

local handlers

local function on_error(err, watcher, marker, op)
  scene.counters.handler_errors = scene.counters.handler_errors + 1
  skynet.error(debug.traceback(("scene: a handler failed (watcher %s, marker %s, %s): %s"):format(
    watcher, marker, op or "view", err), 2))
end

-- Loads a module's file as it is now, past the cache that all services of a skynet share.
local function load_fresh(name)
  local path = assert(package.searchpath(name, package.path))
  local mode = skynet.cache.mode()
  skynet.cache.mode "OFF"
  local chunk, message = loadfile(path)
  skynet.cache.mode(mode)
  return assert(chunk, message)(name, path)
end

-- Makes the views and the handlers of the space, from files as they are now. A module of handlers returns
-- a function(scene) that gives a table for space:on{}; what is in it replaces what is here.
local function load_handlers(name)
  local views = load_fresh "aoi.skynet.views" (scene)
  local result = { on_view = views.on_view, on_error = on_error }
  if name then
    for kind, handler in pairs(load_fresh(name)(scene, views)) do
      result[kind] = handler or nil
    end
  end
  return views, result
end

local function ticks()
  return scene.tick > 0
end

-- ---- ticks ------------------------------------------------------------------------------------

-- Takes back into these notes (parting or newcomers) those of a tick that has told, or tells, them.
local function take_back(notes)
  local metatable = getmetatable(notes)
  for id, note in pairs(metatable and metatable.__index or {}) do
    if rawget(notes, id) == nil then
      notes[id] = note
    end
  end
  return setmetatable(notes, nil)
end

-- The same in a copy; the tick goes on as it was.
local function all_notes(notes)
  local copy = setmetatable({}, getmetatable(notes))
  for id, note in pairs(notes) do
    copy[id] = note
  end
  return take_back(copy)
end

-- Tells all changes since the last time.
local function tell()
  -- A handler may suspend us: what is gathered so far is sent all the same, right after this message.
  skynet.fork(scene.views.flush)
  -- A tick that waits in a handler tells the rest of its events only now.
  local parting, newcomers = take_back(scene.parting), take_back(scene.newcomers)
  scene.views.tell_newcomers()
  -- What is noted while we are suspended is for the next tick.
  parting, newcomers = setmetatable({}, { __index = parting }), setmetatable({}, { __index = newcomers })
  scene.parting, scene.newcomers = parting, newcomers
  local unsaid = scene.unsaid
  scene.unsaid = {}
  local ok, message = true, nil
  if ticks() then
    ok, message = pcall(scene.space.tick, scene.space)
  end
  scene.views.tell_lost()
  scene.views.flush()
  if ticks() then
    records.take()
  end
  if ok then
    setmetatable(parting, nil)
    setmetatable(newcomers, nil)
    scene.views.say_unsaid(unsaid)
  else
    scene.unsaid = table.move(scene.unsaid, 1, #scene.unsaid, #unsaid + 1, unsaid)
    take_back(parting)
    take_back(newcomers)
    skynet.error("scene: " .. tostring(message)) -- memory is short; a later tick tells all
  end
end

-- After a change: without ticks, all is told by now and only to be sent.
local function changed()
  if not ticks() then
    tell()
  end
end

-- ---- who receives -----------------------------------------------------------------------------

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
  changed()
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

-- An address as a number; false for none; nil and a message when it is no address.
local function to_address(value)
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
    address, message = to_address(traits.address)
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
  changed()
  return true, result
end

-- ---- commands ---------------------------------------------------------------------------------

-- Each gets the source and the arguments, and returns its answer. nil and a message: refused.
local command = {}

-- The answer of a method of the space that was called through pcall and gives nothing.
local function done(ok, message)
  if not ok then
    return nil, message
  end
  changed()
  return true
end

-- enter(id, x, y [, z] [, opts]) -> true, length of a tick in milliseconds
function command.enter(source, ...)
  local ok, message = place("enter", source, ...)
  return ok, ok and scene.tick or message
end

-- update(id, x, y [, z] [, opts]) -> true, whether it entered
function command.update(source, ...)
  return place("update", source, ...)
end

-- move(id, x, y [, z]) -> true
function command.move(_, ...)
  local space = scene.space
  local ok, message = done(pcall(space.move, space, ...))
  scene.counters.moves = scene.counters.moves + (ok and 1 or 0)
  return ok, message
end

-- leave(id) -> true
function command.leave(_, id)
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
  changed()
  return true
end

local questions = {
  rect = "query_rect", circle = "query_circle", sector = "query_sector", segment = "query_segment",
  nearest = "query_nearest", watchers_of = "watchers_of", markers_of = "markers_of", sees = "sees",
  has = "has", position = "position", positions = "positions", radius = "radius", ids = "ids",
}

local function answer(ok, ...)
  if not ok then
    return nil, (...)
  end
  return ...
end

-- query(shape, ...) -> what the method of the space gives
function command.query(_, shape, ...)
  local method = questions[shape]
  if not method then
    return nil, ("query: shape is %s, expected rect, circle, sector, segment, nearest or a question")
      :format(tostring(shape))
  end
  local space = scene.space
  return answer(pcall(space[method], space, ...))
end

-- The watchers of an entity that know it already, and the others: the next tick tells those of it.
local function by_knowledge(id, watchers, n)
  if not ticks() or own.said_at_once then
    return watchers, n, {}, 0
  end
  local told, known, unknown = {}, {}, {}
  local list, count = scene.space:told_to(id)
  for i = 1, count do
    told[list[i]] = not scene.newcomers[list[i]]
  end
  for i = 1, n do
    local to = told[watchers[i]] and known or unknown
    to[#to + 1] = watchers[i]
  end
  return known, #known, unknown, #unknown
end

-- say(id, ...) -> true; the message goes to all who see id: at once, or with the tick that tells them of id
function command.say(_, id, ...)
  local space = scene.space
  local ok, watchers, n = pcall(space.watchers_of, space, id)
  if not ok then
    return nil, "say: " .. tostring(watchers):gsub("^watchers_of: ", "")
  end
  id = math.tointeger(id)
  scene.counters.said = scene.counters.said + 1
  local known, n_known, unknown, n_unknown = by_knowledge(id, watchers, n)
  local body = skynet.packstring(...)
  scene.views.say(id, known, n_known, body)
  if n_unknown > 0 then
    scene.unsaid[#scene.unsaid + 1] = { id, unknown, n_unknown, body }
  end
  return true
end

-- tick() -> true; a tick now, beside those of the clock
function command.tick()
  tell()
  return true
end

-- Flat, so that the debug console shows all of it.
local function stats()
  local result = scene.space:stats()
  for name, value in pairs(scene.counters) do
    result[name] = value
  end
  for name, value in pairs(clock.stats()) do
    result[name] = value
  end
  result.tick = scene.tick
  result.followers = records.followers()
  result.addresses = scene.addresses:count()
  result.lua_bytes = math.floor(collectgarbage "count" * 1024)
  result.cpu = skynet.stat "cpu"
  result.mailbox = skynet.mqlen()
  return result
end

-- stats() -> table
function command.stats()
  return stats()
end

-- reload([name]) -> true; name: another module of handlers, false: none any more
function command.reload(_, name)
  if name == nil then
    name = own.handlers
  end
  local ok, views, new = pcall(load_handlers, name)
  if ok then
    ok, views = pcall(function()
      scene.space:on(new)
      return views
    end)
  end
  if not ok then
    return nil, "reload: " .. tostring(views)
  end
  scene.views.flush()
  scene.views, handlers, own.handlers = views, new, name
  return true
end

-- save() -> string
function command.save()
  local ok, space = pcall(scene.space.save, scene.space)
  if not ok then
    return nil, space
  end
  return skynet.packstring {
    scene = 1, -- version of this table
    space = space,
    dims = scene.dims,
    tick = scene.tick,
    addresses = scene.addresses.of,
    parting = all_notes(scene.parting),
    newcomers = all_notes(scene.newcomers),
    unsaid = scene.unsaid,
  }
end

-- A table of entity -> address as a command gets it, with addresses as numbers. Raises.
local function check_addresses(given)
  if type(given) ~= "table" then
    error(("load: addresses is %s, expected a table of entity and address"):format(tostring(given)), 0)
  end
  local checked = {}
  for id, value in pairs(given) do
    local address, message = to_address(value)
    if math.type(id) ~= "integer" then
      error(("load: an entity in addresses is %s, expected an integer"):format(tostring(id)), 0)
    elseif address == nil then
      error(("load: entity %d: %s"):format(id, message), 0)
    end
    checked[id] = address
  end
  return checked
end

-- Reads the string of save, and the addresses that are given instead of those saved. Raises when anything in
-- them is wrong.
local function unpack_saved(saved, given)
  local ok, state = pcall(skynet.unpack, saved)
  if type(saved) ~= "string" or not ok or type(state) ~= "table" or state.scene ~= 1 then
    error("load: this is no string of save", 0)
  end
  state.addresses = check_addresses(given == nil and state.addresses or given)
  return state, aoi.load(state.space, handlers)
end

-- load(saved [, addresses]) -> true; takes the place of what is in this scene. addresses: entity -> address
-- instead of those saved; they are told all that their entities see.
function command.load(_, saved, given)
  local ok, state, space = pcall(unpack_saved, saved, given)
  if not ok then
    return nil, state
  end
  for id in pairs(scene.addresses.of) do
    scene.addresses:set(id, nil)
  end
  records.finish()
  scene.space:close()
  scene.space, scene.dims, scene.tick = space, state.dims, state.tick
  scene.parting, scene.newcomers, scene.unsaid = state.parting, state.newcomers, state.unsaid
  for id, address in pairs(state.addresses) do
    if space:has(id) then
      scene.addresses:set(id, address)
      scene.newcomers[id] = given and true or scene.newcomers[id]
    end
  end
  clock.start(scene.tick, tell)
  changed()
  return true
end

-- follow() -> true; the source is sent the space as it is and from then on the record of it, see packet.lua
function command.follow(source)
  return records.follow(source)
end

-- unfollow() -> true
function command.unfollow(source)
  return records.unfollow(source)
end

-- record(path) -> true; a recording is written to this file from now on; false: to none
function command.record(_, path)
  return records.write_to(path)
end

-- ---- messages ---------------------------------------------------------------------------------

local function respond(session, source, name, result, ...)
  if result == nil and ... ~= nil then
    scene.counters.refused = scene.counters.refused + 1
    if session == 0 then
      scene.views.refuse(source, name, ...)
    end
  end
  if session ~= 0 then
    skynet.retpack(result, ...)
  end
end

local function dispatch(session, source, name, ...)
  local run = command[name]
  if run then
    respond(session, source, name, run(source, ...))
  else
    respond(session, source, tostring(name), nil, ("%s is no command of a scene"):format(tostring(name)))
  end
end

-- Moves that are sent are most of all messages. Taken in before skynet makes a coroutine for them, they cost
-- less than half, and a flood holds up the others that much less. Whatever else a message is, or a move that
-- is refused, goes the ordinary way. Without ticks a move calls handlers, which may yield: not here then.
local dispatch_message = skynet.dispatch_message

local function take_in(message_type, message, size, session, source)
  if message_type == skynet.PTYPE_LUA and session == 0 and ticks() then
    local name, id, x, y, z = skynet.unpack(message, size)
    if name == "move" and pcall(scene.space.move, scene.space, id, x, y, z) then
      scene.counters.moves = scene.counters.moves + 1
      return
    end
  end
  return dispatch_message(message_type, message, size, session, source)
end

local function probe()
  skynet.timeout(math.ceil(own.probe * 100), probe)
  scene.addresses:probe()
  records.probe()
end

-- The space that the options ask for: a new one, or that of the recording.
local function make_space()
  of_space.deferred = ticks() or nil
  if not own.recover then
    return aoi.new(of_space)
  end
  local space, message = aoi.recover(own.record)
  if message then
    skynet.error(("scene: %s: %s"):format(own.record, message))
  end
  local made = space and space:stats()
  if made and (made.deferred ~= ticks() or made.dims ~= scene.dims) then
    error(("scene: the recording %s has %d dimensions and is %s ticks, the options say otherwise"):format(
      own.record, made.dims, made.deferred and "with" or "without"), 0)
  end
  return space or aoi.new(of_space)
end

skynet.dispatch_message = take_in -- what skynet.start hands to skynet
skynet.start(function()
  packet.register()
  scene.addresses = addresses.new(packet.protocol, on_dead, on_deaf)
  scene.space = make_space()
  scene.views, handlers = load_handlers(own.handlers)
  scene.space:on(handlers)
  if own.record ~= "" then
    assert(records.write_to(own.record, own.recover))
  end
  clock.start(scene.tick, tell)
  probe()
  skynet.info_func(stats)
  skynet.dispatch("lua", dispatch)
end)
