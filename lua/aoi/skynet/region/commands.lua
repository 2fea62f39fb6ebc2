-- The commands of a region: those of a scene, for the entities that it owns. They come from the service
-- world, in the order in which they are to be applied, or from the user's handlers; what they change is noted
-- for the other regions.
local skynet = require "skynet"
local calls = require "aoi.skynet.calls"
local area_rules = require "aoi.skynet.area_rules"
local blocks = require "aoi.skynet.blocks"
local ghosts = require "aoi.skynet.region.ghosts"
local numbers = require "aoi.skynet.world.numbers"
local packet = require "aoi.skynet.packet"
local transfer = require "aoi.skynet.transfer"
local with_opts = require("aoi.skynet.entering").with_opts

-- Commands about one entity, and how much of it they may change for those who see it; false: nothing.
local PLACE, TRAITS = ghosts.PLACE, ghosts.TRAITS
local ABOUT_ONE = {
  enter = TRAITS, update = TRAITS, move = PLACE, leave = TRAITS, set_property = PLACE, say = PLACE,
  say_in = PLACE, notify = false, resync = false, set_traits = TRAITS,
  set_radius = false, set_visible_radius = TRAITS, set_mode = TRAITS, set_layers = TRAITS,
  set_sees_layers = false, set_limit = false, set_importance = TRAITS, set_sight = false, pin = false,
  unpin = false,
  pack = false, depart = TRAITS, arrive = TRAITS, -- of world/transfer.lua
}

local ENTERS = { enter = true, update = true, arrive = true }

-- Reasons for which the world has entities leave.
local WHY = { dead = true, refused = true, orphan = true, replaced = true }

-- Commands of a scene that a region does not have: its clock and its store are the world's.
local NOT_HERE = { "tick", "save", "load", "store" }

-- Commands of the world: one of the same name in a module of handlers would never be called.
local OF_WORLD = {
  "add_node", "areas_as_they_are", "begin", "configuration", "drain_node", "fellow", "migrate", "picture_of",
  "regions", "viewer", "where", "world",
}

--[[ `scene` is the table of scene.lua with what region/ghosts.lua adds, and
  world       the service world of this process
  home        the address of a service of this process, of region/addresses.lua
  is_ending   true when the service ends
  is_closed   true from when the other regions were told of the changes until the tick: nothing may change
`of_scene` are the commands of commands.lua; `parts` has areas and agents, of the files of their names in
region/, handlers, entities, of_entity and, if one is kept, log, of region/command_log.lua. Returns the
region's commands, called as those, and a table of functions for the world. ]]
return function(scene, parts, of_scene)
  local commands, for_world = {}, {}
  local left = {}    -- list of entities that left since the last tick; owned until the next
  local vain = {}    -- set of entities that were to come since the last tick, and could not be taken in

  for name, run in pairs(of_scene) do
    commands[name] = run
  end
  for _, list in ipairs { NOT_HERE, OF_WORLD } do
    for _, name in ipairs(list) do
      commands[name] = function()
        return nil, ("%s: this is a region of a world, which has no such command"):format(name)
      end
    end
  end

  -- The message that refuses a command of handlers that may have to wait; nil: it may.
  local function problem_with_waiting(name)
    local hook = parts.handlers.hook_at_once()
    if hook then
      return ("%s: the hook %s must not wait, and this does: call it with skynet.fork"):format(name, hook)
    elseif scene.is_ending then
      return name .. ": the region ends here"
    end
  end

  -- For handlers. An address of a scene is one of this node.
  function commands.transfer(_, ...)
    local message = problem_with_waiting "transfer"
    if message then
      return nil, message
    end
    return calls.call(scene.world, "lua", "transfer", ...)
  end

  -- ---- what differs from a scene --------------------------------------------------------------

  local function problem_with_radius(name, trait, radius)
    local most = scene.map.max_radius
    if math.type(radius) and radius > most then
      return ("%s: %s is %s, expected at most max_radius of the world, %s"):format(name, trait, radius, most)
    end
  end

  -- The complaint about traits of a command; nil: none, or they are no table.
  local function problem_with_traits(name, opts)
    if type(opts) == "table" then
      return problem_with_radius(name, "radius", opts.radius)
        or problem_with_radius(name, "visible_radius", opts.visible_radius)
    end
  end

  -- Enters or updates. Commands of agents name whole addresses; a handler names services of this process.
  local function place(name, source, id, ...)
    local z, opts = select(3, ...)
    local message = problem_with_traits(name, type(z) == "table" and z or opts)
    if message then
      return nil, message
    end
    return of_scene[name](source, id, ...)
  end

  local different, run = {}, nil

  -- An entity comes from elsewhere: a copy of it that has come back from the store leaves first, if that can
  -- come. ...: its place and opts.
  local function leave_copy(stamp, id, ...)
    if not scene.orphans[id] then
      return true
    end
    local z, opts = select(3, ...)
    local problem = problem_with_traits("enter", type(z) == "table" and z or opts)
    if problem then
      return nil, problem
    end
    local ok, result, last_stream = parts.entities.can_be(id, ...)
    if not ok then
      return nil, result, last_stream
    end
    return run("leave", stamp, false, id, nil, "replaced", result)
  end

  function different.enter(stamp, source, id, x, y, z, opts)
    local own = type(z) == "table" and z or opts
    if type(own) == "table" and own.anew == true then
      local ok, message, last = leave_copy(stamp, id, x, y, z, opts)
      if not ok then
        return nil, message, last
      end
    end
    return place("enter", source, id, x, y, z, opts)
  end

  function different.update(_, ...)
    return place("update", ...)
  end

  for _, trait in ipairs { "radius", "visible_radius" } do
    local name = "set_" .. trait
    different[name] = function(_, source, id, radius)
      local message = problem_with_radius(name, trait, radius)
      if message then
        return nil, message
      end
      return of_scene[name](source, id, radius)
    end
  end

  function different.set_traits(_, source, id, opts, carried)
    local message = problem_with_traits("set_traits", opts)
    if message then
      return nil, message
    end
    return of_scene.set_traits(source, id, opts, carried)
  end

  function different.set_sight(_, source, id, marker, how)
    if how == true then
      return nil, "set_sight: how is true, expected false or nil: a region of a world knows only who is near"
    end
    return of_scene.set_sight(source, id, marker, how)
  end

  -- address: that of the entity, which is dead or deaf; false: it is nobody's; nil: whatever it is; or what
  -- the command carries.
  -- why: of the world, for the hook `ended`; nil: somebody wants it. last: of entities.can_be, or nil.
  function different.leave(_, source, id, address, why, last)
    if type(address) == "table" or source or not WHY[why] then
      return of_scene.leave(source, id, address)
    elseif address ~= nil and (scene.addresses.of[id] or false) ~= address then
      return nil, ("leave: entity %s has another address by now"):format(tostring(id))
    end
    return parts.entities.leave(id, why, nil, last)
  end

  -- Packs the luggage of an entity that goes to another scene.
  function different.pack(_, _, id)
    if not (math.type(id) and scene.space:has(id)) then
      return nil, ("entity %s is unknown"):format(tostring(id))
    end
    return transfer.luggage(parts.of_entity, id)
  end

  -- It is in a scene from now on, as what it was in this stream. The world tells its own address, if any, in
  -- the block of the number that this answers.
  function different.depart(_, _, id, stream)
    local address, number = scene.addresses.of[id], 0
    if scene.streams.of[id] ~= stream then
      return nil, ("depart: entity %s has another address by now"):format(tostring(id))
    elseif address then
      scene.views.notify(scene.notices.hand_out(id) or {})
      scene.views.flush()
      number = scene.streams:count(id, 1)
    end
    scene.streams:finish(id) -- the world tells what becomes of the stay
    scene.addresses:set(id, nil)
    local ok, message = parts.entities.leave(id, "transferred")
    return ok, ok and number or message
  end

  -- It comes from another scene. opts: as those of `enter`.
  function different.arrive(stamp, source, id, x, y, z, opts, luggage)
    local all = transfer.opts(scene, luggage, opts)
    local message = problem_with_traits("enter", all)
    if message then
      return nil, message
    end
    if z == nil then
      z, all = all, nil
    end
    local ok, problem = leave_copy(stamp, id, x, y, z, all)
    if not ok then
      return nil, problem
    end
    ok, problem = parts.entities.arrive(source, luggage, id, x, y, z, all)
    return ok or nil, not ok and problem or nil
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
    scene.speeches[stamp] = { math.tointeger(id), body, is_text }
    return true
  end

  function different.say_in(stamp, source, id, stream, ...)
    local is_late, problem = parts.entities.is_late("say_in", id, { stream = stream })
    if is_late ~= false then
      return not problem or nil, problem or false
    end
    return different.say(stamp, source, id, ...)
  end

  -- ---- running --------------------------------------------------------------------------------

  local function note(name, id)
    if not scene.space:has(id) then
      left[#left + 1] = id
      parts.areas.left(id)
    else
      scene.owned[id] = true
    end
    scene.changed[id] = math.max(scene.changed[id] or PLACE, ABOUT_ONE[name])
  end

  -- Whether a command is about an entity that is none of this region's.
  local function problem_with_owner(name, id)
    local key = math.type(id) and math.tointeger(id)
    if name ~= "enter" and name ~= "arrive" and key and not scene.owned[key] and scene.space:has(key) then
      return ("%s: entity %s is in another region of the world"):format(name, id)
    end
  end

  -- Runs a command about one entity, and writes it down if that is wanted. Returns its answer.
  function run(name, stamp, source, id, ...)
    local key = math.type(id) and math.tointeger(id)
    local address, stream = scene.addresses.of[key], scene.streams.of[key]
    local result = table.pack(nil, problem_with_owner(name, id))
    if not result[2] then
      result = table.pack(parts.lives.hold(different[name] or function(_, ...)
        return of_scene[name](...)
      end, stamp, source, id, ...))
    end
    local ok = result[1] ~= nil
    local entered = ok and not scene.owned[key] and scene.space:has(key)
    if not ok and ENTERS[name] and key and not scene.owned[key] then
      vain[key] = true
    end
    if ok and ABOUT_ONE[name] then
      note(name, key)
      parts.agents.note(key, address, stream)
    end
    if parts.log then
      parts.log:command(stamp, ok, entered, name, id, ...)
    end
    parts.lives.run()
    return table.unpack(result, 1, result.n)
  end

  -- ---- for handlers ---------------------------------------------------------------------------

  local waiting = {} -- list of coroutines

  local function stamp_of_handlers()
    local count = scene.handler_commands + 1
    scene.handler_commands = count
    return numbers.stamp(scene.number + 1, numbers.HANDLERS, count * scene.map.count + scene.region & 0xFFFFF)
  end

  -- Waits until changes are possible. Returns a message when they will not be; else nil.
  local function wait_until_open(name)
    local message = problem_with_waiting(name)
    while scene.is_closed and not message do
      local this = coroutine.running()
      waiting[#waiting + 1] = this
      skynet.wait(this)
    end
    return message
  end

  -- An entity that is not here: the world gives the command to its region, or has it enter.
  local function send_on(name, id, ...)
    skynet.send(scene.world, "lua", name, id, ...)
    return true
  end

  for name in pairs(ABOUT_ONE) do
    commands[name] = function(source, id, ...)
      local message = wait_until_open(name)
      if message then
        return nil, message
      end
      if name == "enter" or name == "update" and (not scene.owned[id] or for_world.has_left(name, id)) then
        local args = table.pack(...)
        local at = scene.dims + 1
        local opts = { address = false }
        for word, value in pairs(type(args[at]) == "table" and args[at] or {}) do
          opts[word] = value
        end
        args[at], args.n = opts, math.max(at, args.n)
        return send_on(name, id, table.unpack(args, 1, args.n))
      end
      return run(name, stamp_of_handlers(), source, id, ...)
    end
  end

  for _, name in ipairs(area_rules.COMMANDS) do
    commands[name] = function(_, ...)
      local ok, message = parts.areas.check(name, ...)
      if not ok then
        return nil, message
      end
      return send_on(name, ...)
    end
  end

  -- ---- for the world --------------------------------------------------------------------------

  local move_row = "<i8" .. ("d"):rep(scene.dims)
  local row_size = move_row:packsize()

  -- Runs moves of the entities' own agents, in their order. text: rows of id and place; stamp: of the first,
  -- behind which the others follow. refuse(i, message) is called for each row that is wrong, from 1 on.
  function for_world.run_moves(text, stamp, refuse)
    local unpack, n = string.unpack, #text // row_size
    local are_done = pcall(scene.space.move_all, scene.space, text)
    if are_done then
      parts.ghosts.note_moves(text)
      scene.counters.moves = scene.counters.moves + n
    end
    for i = 1, are_done and not parts.log and 0 or n do
      local id, x, y, z = unpack(move_row, text, (i - 1) * row_size + 1)
      if scene.dims == 2 then
        z = nil
      end
      local ok, message = are_done, nil
      if are_done then
        parts.log:command(stamp + i - 1, true, false, "move", id, x, y, z)
      else
        ok, message = for_world.run("move", stamp + i - 1, scene.addresses.of[id], id, x, y, z)
      end
      if not ok then
        refuse(i, message)
      end
    end
  end

  -- The arguments of a command that begins a stay, with the number of its stream among the opts. Its node has
  -- numbered that by its own clock: that of the entity's last agent may be ahead.
  function for_world.number_stream(stream, source, name, id, ...)
    local number = scene.streams:next(id, stream)
    local args
    if name == "set_traits" then
      args = table.pack((...), ...)
      args[1].stream = number
    else
      args = table.pack(with_opts({ stream = number }, ...))
    end
    local address = args[1].address
    if number ~= stream then
      parts.agents.raised(id, address == nil and source or address, number)
    end
    return name, id, table.unpack(args, 2, args.n)
  end

  -- The entity that a command may have enter, as a whole number; nil or false: none.
  local function entering(name, id)
    return ENTERS[name] and math.type(id) and math.tointeger(id)
  end

  -- Whether a command would have an entity enter in a stay that has ended in this tick, or has not begun.
  function for_world.has_left(name, id)
    local key = entering(name, id)
    return key and (vain[key] or scene.owned[key] and not scene.space:has(key))
  end

  -- An entity that enters is nowhere, as all nodes have judged: what is here of it is left over.
  local function make_way(name, id)
    local key = entering(name, id)
    if key and not scene.owned[key] and scene.space:has(key) then
      skynet.error(("region: entity %d enters, and what was left of it is removed"):format(key))
      parts.ghosts.remove(key)
    end
  end

  -- Runs a command about one entity. One that raises is refused.
  function for_world.run(name, stamp, source, id, ...)
    make_way(name, id)
    local result = table.pack(pcall(run, name, stamp, source, id, ...))
    if not result[1] then
      skynet.error("region: a command raised: " .. tostring(result[2]))
      return nil, tostring(result[2])
    end
    return table.unpack(result, 2, result.n)
  end

  -- Calls a function that runs code of the user's, and returns when it is done or waits for something: not
  -- only for hooks of lives to be started. What it has forked until then has run.
  function for_world.try(f)
    local this = coroutine.running()
    skynet.fork(f)
    skynet.fork(parts.lives.when_started, function()
      skynet.wakeup(this)
    end)
    skynet.wait(this)
  end

  -- An entity that was owned here is so no more: another region has it, or nobody.
  function for_world.drop(id)
    scene.addresses:set(id, nil)
    parts.areas.left(id)
    if scene.space:has(id) then
      parts.entities.leave(id, "handed")
    end
    scene.owned[id], scene.changed[id] = nil, nil
  end

  -- The entities that left since the last time, and those that did not come in: a list.
  function for_world.take_left()
    local list = {}
    for id in pairs(vain) do
      list[#list + 1] = not scene.owned[id] and id or nil
    end
    vain = {}
    for _, id in ipairs(left) do
      if scene.owned[id] and not scene.space:has(id) then
        list[#list + 1] = id
        scene.owned[id] = nil
      end
    end
    left = {}
    return list
  end

  -- An entity that was handed over could not be taken in.
  function for_world.take_none(id)
    vain[id] = true
  end

  -- For state.lua: handlers may have entities leave between two ticks.
  for_world.gone = {
    save = function()
      return { left = left, vain = vain }
    end,
    load = function(saved)
      left, vain = saved.left, saved.vain
    end,
  }

  -- The tick comes: what changes from now on is told by the next one.
  function for_world.open()
    scene.is_closed = false
    parts.areas.open()
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
