-- The commands of a region: those of a scene, for the entities that it owns. They come from the service
-- world, in the order of their stamps, or from the user's handlers; what they change is noted for the other
-- regions.
--
-- A stamp is an integer: tick << 28 | node << 20 | place. Handlers have the node 255. Most commands are moves
-- that were sent: they come as runs, packed.
local skynet = require "skynet"
local calls = require "aoi.skynet.calls"
local addresses = require "aoi.skynet.region.addresses"
local area_rules = require "aoi.skynet.area_rules"
local blocks = require "aoi.skynet.blocks"
local ghosts = require "aoi.skynet.region.ghosts"
local packet = require "aoi.skynet.packet"
local transfer = require "aoi.skynet.transfer"

local HANDLERS_NODE = 255

-- Commands about one entity, and how much of it they may change for those who see it; false: nothing.
local PLACE, TRAITS = ghosts.PLACE, ghosts.TRAITS
local ABOUT_ONE = {
  enter = TRAITS, update = TRAITS, move = PLACE, leave = TRAITS, set_property = PLACE, say = PLACE,
  resync = false, set_radius = false, set_mode = TRAITS, set_layers = TRAITS, set_sees_layers = false,
  set_limit = false, set_importance = TRAITS, pin = false, unpin = false,
  pack = false, depart = TRAITS, arrive = TRAITS, -- of world/transfer.lua
}

-- Commands of a scene that a region does not have: its clock and its store are the world's.
local NOT_HERE = { "tick", "save", "load", "store", "notify" }

-- Commands of a scene that worlds are still to get.
local NOT_YET = {
  say_in = true, set_traits = true, update_area = true, set_visible_radius = true, set_sight = true,
}

--[[ `scene` is the table of scene.lua with what region/ghosts.lua adds, and
  world       the service world of this node
  home        the address of a service of this node, of region/addresses.lua
  upcoming    the number of the tick that tells what is changed now
  is_closed   true from when the other regions were told of the changes until the tick: nothing may change
`of_scene` are the commands of commands.lua; `parts` has areas, of region/areas.lua, handlers, entities,
of_entity and, if one is kept, log, of region/command_log.lua. Returns the region's commands, called as those,
and a table of functions for the world. ]]
return function(scene, parts, of_scene)
  local commands, for_world = {}, {}
  local entered = {} -- entity -> stamp: owned since the last tick
  local left = {}    -- set of owned entities that left since the last tick; they may be back
  local ending = {}  -- list of those that are not back, owned until the tick

  for name, run in pairs(of_scene) do
    commands[name] = run
  end
  for _, name in ipairs(NOT_HERE) do
    commands[name] = function()
      return nil, ("%s: this is a region of a world, which has no such command"):format(name)
    end
  end

  for name in pairs(NOT_YET) do
    commands[name] = function()
      return nil, ("%s: in a world: not yet"):format(name)
    end
  end

  -- For handlers. An address of a scene is one of this node.
  function commands.transfer(_, ...)
    return calls.call(scene.world, "lua", "transfer", ...)
  end

  -- ---- what differs from a scene --------------------------------------------------------------

  local function problem_with_radius(name, radius)
    local most = scene.map.max_radius
    if math.type(radius) and radius > most then
      return ("%s: radius is %s, expected at most max_radius of the world, %s"):format(name, radius, most)
    end
  end

  local function problem_with_visible_radius(name, opts)
    if opts.visible_radius ~= nil and opts.visible_radius ~= 0 then
      return ("%s: option visible_radius is given, expected none: this is a region of a world"):format(name)
    end
  end

  -- Enters or updates. An address in opts, which are the caller's, becomes one that holds everywhere.
  local function place(name, source, id, ...)
    local args = table.pack(...)
    local at = type(args[3]) == "table" and 3 or 4
    if type(args[at]) == "table" then
      local opts = {}
      for key, value in pairs(args[at]) do
        opts[key] = value
      end
      local message = problem_with_radius(name, opts.radius) or problem_with_visible_radius(name, opts)
      if message then
        return nil, message
      end
      local address = opts.address
      if type(address) == "string" and address:find "^%." then
        address = skynet.localname(address) or address
      end
      opts.address = addresses.resolve(address, source or scene.home)
      args[at] = opts
    end
    return of_scene[name](source, id, table.unpack(args, 1, args.n))
  end

  local different, run = {}, nil

  -- An entity comes from elsewhere: a copy of it that has come back from the store leaves first.
  local function leave_copy(stamp, source, id)
    if scene.orphans[id] then
      return run("leave", stamp, source, id)
    end
    return true
  end

  -- The answer to `enter` says to clients that commands carry no streams here.
  local function of_world(ok, tick, x, y, z)
    if not ok then
      return ok, tick
    end
    return ok, tick, x, y, z, "world"
  end

  function different.enter(stamp, source, id, x, y, z, opts)
    local own = type(z) == "table" and z or opts
    if type(own) == "table" and own.anew == true then
      local ok, message = leave_copy(stamp, source, id)
      if not ok then
        return nil, message
      end
    end
    return of_world(place("enter", source, id, x, y, z, opts))
  end

  function different.update(_, ...)
    return place("update", ...)
  end

  function different.set_radius(_, source, id, radius)
    local message = problem_with_radius("set_radius", radius)
    if message then
      return nil, message
    end
    return of_scene.set_radius(source, id, radius)
  end

  -- address: that of the entity, which is dead; nil: whatever it is.
  function different.leave(_, source, id, address)
    if type(address) == "table" then
      return of_scene.leave(source, id, address) -- which refuses it
    elseif address and scene.addresses.of[id] ~= address then
      return nil, ("leave: entity %s has another address by now"):format(tostring(id))
    end
    return of_scene.leave(source, id)
  end

  -- stream: what its agent is told from now on is of a stay of this number; nil: of the same.
  function different.resync(_, source, id, stream)
    if type(stream) == "table" then
      return of_scene.resync(source, id, stream) -- which refuses it
    end
    local problem = stream ~= nil and scene.streams.problem(stream)
    if problem then
      return nil, "resync: " .. problem
    end
    local answer, message = of_scene.resync(source, id)
    if answer and stream then
      local key = math.tointeger(id)
      scene.streams:begin(key, stream, scene.streams.of[key])
      scene.newcomers[key] = true
    end
    return answer, message
  end

  -- Packs the luggage of an entity that goes to another scene.
  function different.pack(_, _, id)
    if not (math.type(id) and scene.space:has(id)) then
      return nil, ("entity %s is unknown"):format(tostring(id))
    end
    return transfer.luggage(parts.of_entity, id)
  end

  -- It is in the scene of that address from now on. Its own address, if any, follows it.
  function different.depart(_, source, id, to)
    local address = scene.addresses.of[id]
    if address then
      scene.views.tell_elsewhere(address, id, to)
      scene.views.flush()
    end
    scene.streams:finish(id) -- the stay goes on: it is not over
    scene.addresses:set(id, nil)
    return of_scene.leave(source, id)
  end

  -- It comes from another scene. opts: as those of `enter`.
  function different.arrive(stamp, source, id, x, y, z, opts, luggage)
    local all = transfer.opts(scene, luggage, opts)
    local message = problem_with_radius("enter", all.radius)
    if message then
      return nil, message
    end
    local ok, problem = leave_copy(stamp, source, id)
    if not ok then
      return nil, problem
    elseif z == nil then
      return parts.entities.arrive(source, luggage, id, x, y, all)
    end
    return parts.entities.arrive(source, luggage, id, x, y, z, all)
  end

  -- Said with the tick, to all who know the speaker then.
  function different.say(stamp, _, id, ...)
    if not (math.type(id) and scene.space:has(id)) then
      return nil, ("say: entity %s is unknown"):format(tostring(id))
    end
    local body, is_text = packet.speech(...)
    if #body > blocks.SAID_LIMIT then
      return nil, ("say: what is said is %d bytes long, expected at most %d"):format(#body, blocks.SAID_LIMIT)
    end
    scene.counters.said = scene.counters.said + 1
    table.insert(scene.speeches, { stamp, math.tointeger(id), body, is_text })
    return true
  end

  -- ---- running --------------------------------------------------------------------------------

  local function note(name, id, stamp)
    scene.changed[id] = math.max(scene.changed[id] or PLACE, ABOUT_ONE[name])
    if name == "leave" or name == "depart" then
      left[id] = true
      parts.areas.left(id, stamp)
    elseif not scene.owned[id] then
      scene.owned[id], entered[id] = scene.upcoming, stamp
    end
  end

  -- Whether the entity is here, and another region's.
  local function is_foreign(id)
    local key = math.type(id) and math.tointeger(id)
    return key and not scene.owned[key] and scene.space:has(key)
  end

  -- Runs a command about one entity, and writes it down if that is wanted. Returns its answer.
  function run(name, stamp, source, id, ...)
    local key = math.type(id) and math.tointeger(id)
    local result
    if is_foreign(id) then
      result = table.pack(nil, ("%s: entity %s is in another region of the world"):format(name, id))
    elseif different[name] then
      result = table.pack(different[name](stamp, source, id, ...))
    else
      result = table.pack(of_scene[name](source, id, ...))
    end
    local ok = result[1] ~= nil
    if ok and ABOUT_ONE[name] then
      note(name, key, stamp)
    end
    if parts.log then
      parts.log:command(stamp, ok, name, id, ...)
    end
    return table.unpack(result, 1, result.n)
  end

  -- ---- for handlers ---------------------------------------------------------------------------

  local count = 0    -- of their commands
  local waiting = {} -- list of coroutines

  local function stamp_of_handlers()
    count = count + 1
    local place_in_tick = count * scene.map.count + scene.region & 0xFFFFF
    return scene.upcoming << 28 | HANDLERS_NODE << 20 | place_in_tick
  end

  -- Waits until changes are possible.
  local function wait_until_open()
    while scene.is_closed do
      local this = coroutine.running()
      waiting[#waiting + 1] = this
      skynet.wait(this)
    end
  end

  for name in pairs(ABOUT_ONE) do
    commands[name] = function(source, id, ...)
      wait_until_open()
      return run(name, stamp_of_handlers(), source, id, ...)
    end
  end

  for _, name in ipairs(area_rules.COMMANDS) do
    commands[name] = function(_, ...)
      wait_until_open()
      return parts.areas.ask(stamp_of_handlers(), name, ...)
    end
  end

  -- ---- for the world --------------------------------------------------------------------------

  local move_row = "<i8i8i8" .. ("d"):rep(scene.dims)

  -- Runs moves that were sent, in the order of their stamps. text: rows of stamp, address of the source, id
  -- and place. refuse(source, message, id) is called for each that is wrong.
  function for_world.run_moves(text, refuse)
    local space, owned, changed, n = scene.space, scene.owned, scene.changed, 0
    local at = 1
    while at <= #text do
      local stamp, source, id, x, y, z, after = move_row:unpack(text, at)
      if scene.dims == 2 then
        z, after = nil, z
      end
      at = after
      if owned[id] and pcall(space.move, space, id, x, y, z) then
        n = n + 1
        changed[id] = changed[id] or PLACE
        if parts.log then
          parts.log:command(stamp, true, "move", id, x, y, z)
        end
      else
        local ok, message = run("move", stamp, source, id, x, y, z)
        if not ok then
          refuse(source, message, id)
        end
      end
    end
    scene.counters.moves = scene.counters.moves + n
  end

  -- Runs a command, one of the user's handlers as far as it goes without waiting; `answer` gets what it
  -- returns, perhaps later.
  function for_world.run(answer, stamp, source, name, ...)
    local of_handlers = parts.handlers.command(name)
    if ABOUT_ONE[name] ~= nil then
      answer(run(name, stamp, source, ...))
    elseif NOT_YET[name] then
      answer(commands[name]())
    elseif not of_handlers then
      answer(nil, ("%s is no command of a world"):format(tostring(name)))
    else
      local arguments = table.pack(...)
      for_world.try(function()
        answer(of_handlers(source, table.unpack(arguments, 1, arguments.n)))
      end)
    end
  end

  -- Calls a function of the user's, and returns when it is done or waits for something.
  function for_world.try(f)
    local this = coroutine.running()
    skynet.fork(f)
    skynet.fork(function()
      skynet.wakeup(this)
    end)
    skynet.wait(this)
  end

  -- The news of entities since the last tick, after hand-overs: lists id, stamp of those that entered, and
  -- id, epoch of those that left.
  function for_world.news()
    local list_entered, list_left = {}, {}
    for id in pairs(left) do
      if scene.owned[id] and not scene.space:has(id) then
        ending[#ending + 1] = id
        if not entered[id] then
          list_left[#list_left + 1], list_left[#list_left + 2] = id, scene.owned[id]
        elseif parts.log then
          parts.log:drop(id) -- nobody learns of it, and another region may have the entity
        end
        entered[id] = nil
      end
    end
    for id, stamp in pairs(entered) do
      list_entered[#list_entered + 1] = id
      list_entered[#list_entered + 1] = stamp
    end
    left = {}
    return list_entered, list_left
  end

  -- Whether an entity has entered here in this tick.
  function for_world.has_entered(id)
    return entered[id] ~= nil
  end

  -- An entity is another region's: it entered there, too, and that counts. Returns the stamp of the command
  -- by which it entered here in this tick; nil: it did not.
  function for_world.lose(id)
    local stamp = entered[id]
    if not stamp and not scene.owned[id] then
      return nil
    end
    for i = #ending, 1, -1 do
      if ending[i] == id then -- it may come back as what it is elsewhere, in this very tick
        table.remove(ending, i)
      end
    end
    scene.addresses:set(id, nil) -- it hears nothing of it
    parts.areas.left(id)
    if scene.space:has(id) then
      parts.entities.leave(id)
    end
    parts.ghosts.disown(id, scene.owned[id])
    scene.owned[id], scene.changed[id] = nil, nil
    if parts.log then
      parts.log:drop(id)
    end
    return stamp
  end

  -- The tick comes: what changes from now on is told by the next one.
  function for_world.open()
    parts.areas.open(ending)
    for _, id in ipairs(ending) do
      scene.owned[id], scene.changed[id] = nil, nil
    end
    entered, ending = {}, {}
    scene.is_closed, scene.upcoming = false, scene.number + 1
  end

  -- The state between ticks, for region/state.lua.
  function for_world.save()
    return { entered = entered, left = left, count = count }
  end

  function for_world.load(saved)
    entered, left, count = saved.entered, saved.left, saved.count
  end

  -- The tick has been told: handlers that had to wait for that go on.
  function for_world.wake()
    local list = waiting
    waiting = {}
    for _, this in ipairs(list) do
      skynet.wakeup(this)
    end
  end

  return commands, for_world
end
