-- The entities of a scene and who receives what they see: entering, moving and leaving with an address, data
-- and properties, and what happens when an address is dead.
local skynet = require "skynet"
local blocks = require "aoi.skynet.blocks"
local names = require "aoi.skynet.names"
local new_stream_opts = require "aoi.skynet.stream_opts"
local options = require "aoi.skynet.options"
local packet = require "aoi.skynet.packet"

local math_type, tointeger = math.type, math.tointeger

local entities = {}

-- An address as a number; false for none; nil and a message when it is no address.
function entities.to_address(value)
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

-- The opts of enter and update that are the scene's own; the others are the space's.
local OWN_NAMES = { "address", "data", "extras", "stream", "anew", "take_over", "pushes", "call" }
local OWN = {}
for _, name in ipairs(OWN_NAMES) do
  OWN[name] = true
end

-- Takes them apart: those of the scene, and a table of the others. Tables of handlers are not ours to change.
local function take_apart(opts)
  local own, others = {}, {}
  for name, value in pairs(opts) do
    (OWN[name] and own or others)[name] = value
  end
  return own, others
end

-- The arguments behind x and y, z and opts or opts alone, with those of the scene taken out of opts. Returns
-- these, z and opts.
local function split_opts(z, opts)
  local own = {}
  if type(z) == "table" then
    own, z = take_apart(z)
  elseif type(opts) == "table" then
    own, opts = take_apart(opts)
  end
  return own, z, opts
end

-- Whether a space is a crowd space.
function entities.is_crowd(space)
  local _, message = pcall(space.unpin, space, math.mininteger, 0) -- in other spaces an error of its own
  return not tostring(message):find("is no crowd space", 1, true)
end

-- The entities of a scene; makes scene.addresses. `scene` is the table of scene.lua: space, views, counters
-- and the notes for the next tick; `parts` has ticks, lives and steps, each of the file of its name, and
-- of_entity, of parts.lua. The functions return true and an answer, or nil and a message.
function entities.new(scene, parts)
  local self = {}
  local ticks, lives, of_entity, mine = parts.ticks, parts.lives, parts.of_entity, scene.own
  local steps, extras, stream_opts = parts.steps, scene.extra_values, new_stream_opts(scene)

  -- Without ticks a handler of the space may wait while an entity enters, leaves or is updated; by the time
  -- that the call returns, the entity may have left, or be back. So what is to be noted of the change is
  -- noted once, by the call or by the next that changes the entity: entity -> function; nil: no handler waits
  -- in such a change.
  local unfinished = {}

  local function finish(id)
    local note = unfinished[id]
    unfinished[id] = nil
    if note then
      note()
    end
  end

  -- Another space is to take the place of this one: notes all that is not noted yet.
  function self.finish_all()
    local ids = {}
    for id in pairs(unfinished) do
      ids[#ids + 1] = id
    end
    table.sort(ids)
    for _, id in ipairs(ids) do
      finish(id)
    end
  end

  -- Changes the entity by f(...), which returns true, or nil and a message, and then notes that. Returns what
  -- f does.
  local function change_by(id, note, f, ...)
    unfinished[id] = note
    local ok, result = f(...)
    if unfinished[id] == note then
      unfinished[id] = ok and note or nil
      finish(id)
    end
    return ok, result
  end

  -- Has the space enter the entity or take it out. Returns as pcall does.
  local function change(id, note, method, ...)
    return change_by(id, note, pcall, scene.space[method], scene.space, id, ...)
  end

  -- Removes an entity that nobody is to hear of any more. False: memory is too short for it to leave.
  local function remove_one(id, why)
    finish(id)
    scene.streams:finish(id, scene.addresses.of[id])
    -- Without ticks, leaving tells: the dead address must be forgotten by then.
    scene.addresses:set(id, nil)
    local last = lives.last(id)
    local function note()
      of_entity.forget(id)
      lives.ended(id, why, last)
    end
    local ok = change(id, note, "leave")
    if not ok and scene.space:has(id) then
      return false
    elseif not ok then
      of_entity.forget(id)
    end
    return true
  end

  -- Removes entities whose address is dead or deaf, as long as it is theirs (nil: they have none by now);
  -- their watchers are told, and so is the address. why: as the hook `ended` gets it.
  local function remove(ids, why, address)
    local remaining = {}
    for _, id in ipairs(ids) do
      -- Another one may have taken it over while a handler waited, or memory was short.
      local is_theirs = scene.addresses.of[id] == address
      if is_theirs and not remove_one(id, why) then
        remaining[#remaining + 1] = id
      end
    end
    ticks.changed()
    if #remaining > 0 then
      skynet.timeout(100, function() -- memory was short
        remove(remaining, why)
      end)
    end
    lives.run()
  end

  local function on_dead(ids, address)
    scene.counters.dead_addresses = scene.counters.dead_addresses + 1
    remove(ids, "dead", address)
  end

  -- Removes entities whose address takes no messages of ours: nobody would ever hear what they see.
  local function on_deaf(ids, address)
    scene.addresses:report_deaf("scene", ids, address, function(sender, reason, id)
      scene.views.refuse(sender, "enter", reason, id)
    end)
    remove(ids, "refused", address)
  end

  scene.addresses = scene.new_addresses(packet.protocol, on_dead, on_deaf)

  -- ---- entering and updating ------------------------------------------------------------------

  -- The complaint about the other opts that are the scene's own; nil: none. Makes an address a number,
  -- makes extras.
  local function check(id, own)
    if own.address ~= nil then
      local address, message = (scene.to_address or entities.to_address)(own.address)
      if message then
        return message
      end
      own.address = address
    end
    if own.anew ~= nil and type(own.anew) ~= "boolean" then
      return ("anew is %s, expected true or false"):format(tostring(own.anew))
    end
    local problem
    if own.extras ~= nil then
      own.extras, problem = extras:of_list(own.extras)
      if problem then
        return problem
      end
    end
    if own.data ~= nil then
      local _, message = scene.details:check(id, blocks.DATA, own.data)
      return message
    end
  end

  -- In a crowd space, watchers are told of the entity as if it had moved.
  local function touch(id)
    if scene.is_crowd then
      steps.touch(id)
    end
  end

  -- Whether anybody was told of the entity by the last tick, here or in another region.
  local function is_told(id)
    local ok, _, n = pcall(scene.space.told_watchers_of, scene.space, id)
    return not ok or n > 0 or scene.touched ~= nil
  end

  local function enter(method, source, own, id, ...)
    local address = own.address
    if address == nil then
      address = source
    end
    finish(id)
    -- All this comes first: without ticks, the call itself tells.
    if own.luggage then
      local ok, message = pcall(of_entity.take, "transfer", id, own.luggage)
      if not ok then
        of_entity.forget(id)
        return nil, message
      end
    end
    local fits, problem = true, nil
    if own.data then -- more than check has seen: what it brings along counts, too
      fits, problem = scene.details:set(id, blocks.DATA, own.data, true)
    end
    if not fits then
      of_entity.forget(id)
      return nil, method .. ": " .. problem
    end
    if own.extras then
      extras:put(id, own.extras)
    end
    if address then
      scene.streams:begin(id, own.stream)
      scene.newcomers[id] = true
      scene.addresses:set(id, address, own.luggage and own.luggage.sender or source)
    end
    local space = scene.space
    local function note()
      if scene.space ~= space then
        return -- others of these ids have been loaded meanwhile
      elseif address then
        scene.streams:returned(id, address)
      end
      lives.joined(id, own.luggage and "transferred" or nil)
    end
    local ok, result = change(id, note, method, ...)
    if scene.space ~= space then
      return ok or nil, result
    elseif not ok then
      scene.streams:drop(id)
      of_entity.forget(id)
      return nil, result
    end
    if ticks.are_on() and (extras.n > 0 or scene.details:has_any(id)) and is_told(id) then
      -- It left and came back within one tick: for others it has stayed.
      scene.details:renew(id)
      if extras.n > 0 then
        steps.touch(id)
      else
        touch(id)
      end
    end
    return true, result
  end

  -- Gives an entity another address, or the same anew: it is told all that the entity sees.
  local function give_address(id, address, sender, stream)
    local before, former = scene.addresses.of[id], scene.streams.of[id]
    if before ~= (address or nil) then
      scene.streams:finish(id, before)
      scene.told[id] = nil
    end
    if address and (stream or before ~= address) then
      scene.streams:begin(id, stream, former)
      scene.streams:returned(id, address)
    end
    scene.newcomers[id] = address and true or nil
    scene.orphans[id] = nil
    scene.addresses:set(id, address, sender)
    if address and before ~= address then
      lives.taken_over(id)
    end
  end

  -- The arguments of an entry, but with the place where the entity is, and without the anchor of the other
  -- one. The opts are ours to change.
  local function where_it_is(id, _, _, z, opts)
    local place, others = { scene.space:position(id) }, type(z) == "table" and z or opts
    if type(others) == "table" then
      others.anchor = nil
    end
    place[#place + 1] = others
    return table.unpack(place)
  end

  -- Notes what is told to the entity's own address, and drops a place that comes too late. Returns a function
  -- that takes it back, or nil, and the arguments for the space.
  local function note_update(source, own, id, ...)
    local step = own.step or own.pushes and own or {}
    local how = mine.judge(id, source, step.stream, step.pushes)
    if how == "late" then
      own.extras = nil
      return nil, where_it_is(id, ...)
    end
    return how == "push" and mine.push(id) or nil, ...
  end

  local function update(source, own, id, ...)
    local address, args, z, opts = own.address, table.pack(nil, ...), select(3, ...)
    local traits = type(z) == "table" and z or opts
    if address == nil and own.stream and not own.pushes then
      address = scene.addresses.of[id]
    end
    local stays = address == nil or address == scene.addresses.of[id] and not own.stream
    if stays and not own.take_over then
      args = table.pack(note_update(source, own, id, ...))
    end
    local space = scene.space
    local function note()
      if scene.space ~= space then
        return -- others of these ids have been loaded meanwhile
      elseif address ~= nil then
        give_address(id, address, source, own.stream)
      end
      local may_know = own.data and mine.may_know(id, blocks.DATA)
      if own.data then
        scene.details:set(id, blocks.DATA, own.data)
        touch(id)
      end
      if stays then
        local stream = own.pushes and own.stream or own.step and own.step.stream
        if own.data then
          mine.changed_detail(id, source, stream, blocks.DATA, may_know)
        end
        mine.changed_traits(id, source, stream, traits)
        mine.called(id, own)
      end
    end
    finish(id)
    local ok, result = change_by(id, note, steps.take, "update", id, own.extras,
      table.unpack(args, 2, args.n))
    if not ok then
      if args[1] then
        args[1]()
      end
      return nil, result
    end
    return true, result
  end

  -- An agent enters whose entity is here already, and it is taken over: it stays where it is, opts change
  -- what they name. Returns true and the place, or nil and a message.
  local function take_over(source, own, id, ...)
    if own.address == nil then
      own.address = source
    end
    own.take_over = true
    local before = scene.addresses.of[id]
    local ok, message = update(source, own, id, where_it_is(id, ...))
    if not ok then
      return nil, names.with_own(message:gsub("^update:", "enter:"), OWN_NAMES)
    end
    if before == own.address then
      lives.taken_over(id) -- the address stays, and begins another stay there
    end
    ticks.changed()
    lives.run()
    return true, scene.space:position(id)
  end

  -- last: of lives.last, from before it was tried at another place; nil: as it is now.
  local function leave(id, why, last)
    local space = scene.space
    local key = math.type(id) and math.tointeger(id)
    if not key or not space:has(key) then
      local _, message = pcall(space.leave, space, id) -- which raises
      return nil, message
    end
    finish(key)
    last = last or lives.last(key)
    local function note()
      if scene.space == space then -- else others of these ids have been loaded meanwhile
        scene.streams:finish(key, scene.addresses.of[key])
        of_entity.forget(key)
      end
      lives.ended(key, why, last)
    end
    local ok, message = change(key, note, "leave")
    if not ok then
      return nil, message
    end
    ticks.changed()
    return true
  end

  -- Whether an entity that is here could be at this place with these opts, of the space: as one that comes
  -- from elsewhere wants to be in its place. It is there then. Returns true and what it was before, for
  -- `leave`; or nil and a message.
  local function can_be(id, ...)
    finish(id)
    local last = lives.last(id)
    local ok, problem = change(id, nil, "update", ...)
    if not ok then
      return nil, names.with_own(problem:gsub("^update:", "enter:"), OWN_NAMES)
    end
    return true, last
  end

  -- luggage: what comes along with the entity from another scene, or nil.
  local function place(method, source, luggage, id, x, y, z, opts)
    local own
    own, z, opts = split_opts(z, opts)
    local key = math.type(id) and math.tointeger(id)
    local inside = key and scene.space:has(key)
    local message, last = stream_opts.problem(method, inside, key, own)
    if not message and own.pushes and mine.is_late(key, own.stream) then
      return true, false
    end
    message = message or check(key, own)
    local problem_with_way = steps.problem_with_way(method, key)
    if problem_with_way then
      return nil, problem_with_way
    elseif message then
      return nil, method .. ": " .. message, last
    end
    own.luggage = luggage
    if inside and method == "enter" and (scene.orphans[key] or own.take_over) then
      if not own.anew then
        return take_over(source, own, key, x, y, z, opts)
      end
      -- It comes from elsewhere: what is here is a copy from before this scene was killed. That goes to the
      -- place first: where that is refused, it stays.
      local ok, result = can_be(key, x, y, z, opts)
      -- A handler may have waited meanwhile: it has left, or somebody has taken it over.
      if ok and scene.space:has(key) and (scene.orphans[key] or own.take_over) then
        ok, result = leave(key, "replaced", result)
      end
      if not ok then
        return nil, result
      end
      inside = scene.space:has(key) -- another one may have entered it, too
    end
    local ok, result
    if not key or inside and method == "enter" then
      ok, result = pcall(scene.space[method], scene.space, id, x, y, z, opts) -- which raises
    elseif inside then
      ok, result = update(source, own, key, x, y, z, opts)
    else
      ok, result = enter(method, source, own, key, x, y, z, opts)
    end
    if not ok then
      return nil, names.with_own(result, OWN_NAMES)
    end
    ticks.changed()
    lives.run()
    return ok, result
  end

  -- Changes what opts name, and no place. carried: { stream =, call = } or nil; of another stream than that
  -- of the entity: nothing is done, and the answer is true and false.
  function self.set_traits(source, id, opts, carried)
    local key = math.type(id) and math.tointeger(id)
    if not key or not scene.space:has(key) then
      return nil, ("set_traits: entity %s is unknown"):format(tostring(id))
    elseif type(opts) ~= "table" then
      return nil, ("set_traits: opts is %s, expected a table"):format(tostring(opts))
    end
    local is_late, problem = self.is_late("set_traits", key, carried)
    if is_late ~= false then
      return not problem or nil, problem or false
    elseif type(carried) == "table" then
      mine.called(key, carried) -- also when it is refused
    end
    local own, others = take_apart(opts)
    local last
    problem = steps.problem_with_way("set_traits", key)
    if problem then
      return nil, problem
    end
    problem = stream_opts.problem_with_traits(own, others) or check(key, own)
    if not problem then
      problem, last = stream_opts.problem("set_traits", true, key, own)
    end
    if problem then
      return nil, "set_traits: " .. problem, last
    end
    own.step = type(carried) == "table" and carried or nil
    own.take_over = own.extras == nil or nil -- extras go with a place: it is set to where it is
    local ok, message = update(source, own, key, where_it_is(key, nil, nil, others))
    if not ok then
      return nil, names.with_own(message:gsub("^update:", "set_traits:"), { "address", "data", "extras" },
        "anchor")
    end
    ticks.changed()
    lives.run()
    return true
  end

  -- Whether a copy that is here could be where somebody wants to enter: as can_be, with the opts of `enter`.
  function self.can_be(id, x, y, z, opts)
    local own
    own, z, opts = split_opts(z, opts)
    local problem, last = stream_opts.problem("enter", true, id, own)
    problem = problem or check(id, own)
    if problem then
      return nil, "enter: " .. problem, last
    end
    return can_be(id, x, y, z, opts)
  end

  -- source: whose entity it is when the opts name no address. Answers where it is when it was taken over.
  function self.enter(source, ...)
    return place("enter", source, nil, ...)
  end

  -- Enters an entity that comes from another scene. luggage: as packed for a transfer there.
  function self.arrive(source, luggage, ...)
    return place("enter", source, luggage, ...)
  end

  -- Answers whether it entered.
  function self.update(source, ...)
    return place("update", source, nil, ...)
  end

  -- Whether a command carries another stream than that of the entity, and is counted as that; nil and a
  -- message when what it carries, a table or nil, is wrong.
  function self.is_late(method, id, carried)
    local problem = steps.problem_with_carried(method, carried)
    if problem then
      return nil, problem
    end
    local key = math.type(id) and math.tointeger(id)
    return type(carried) == "table" and key ~= nil and scene.space:has(key)
      and mine.is_late(key, carried.stream)
  end

  -- why: as the hook `ended` gets it. carried: { stream = } or nil; of another stream: it stays, and the
  -- answer is true and false. last: of can_be, or nil.
  function self.leave(id, why, carried, last)
    local is_late, problem = self.is_late("leave", id, carried)
    if is_late ~= false then
      return not problem or nil, problem or false
    end
    local ok, message = leave(id, why, last)
    lives.run()
    return ok, message
  end

  -- Entities whose agents have not come back leave, those of this set of orphans. A hook that they run may
  -- wait, and their agents come meanwhile.
  local function remove_orphans(orphans)
    local ids = {}
    for id in pairs(orphans) do
      ids[#ids + 1] = id
    end
    for _, id in ipairs(ids) do
      if scene.orphans == orphans and orphans[id] then
        self.leave(id, "orphan")
      end
    end
    if scene.orphans == orphans and next(orphans) then
      skynet.timeout(100, function() -- memory was short
        remove_orphans(orphans)
      end)
    end
  end

  -- The scene is as it was once: its orphans wait for their agents from now on.
  function self.await_agents()
    local orphans = scene.orphans
    for id in pairs(orphans) do
      orphans[id] = scene.space:has(id) or nil
    end
    if next(orphans) then
      skynet.timeout(options.units(scene.options.orphan), function()
        remove_orphans(orphans)
      end)
    end
  end

  -- Sets a property; nil: removes it. carried: { stream =, call = }, or nil; of another stream than that of
  -- the entity: nothing is done, and the answer is true and false.
  function self.set_property(source, id, key, value, carried)
    local entity, space = math_type(id) == "integer" and id or math_type(id) and tointeger(id), scene.space
    if not entity or not space:has(entity) then
      return nil, ("set_property: entity %s is unknown"):format(tostring(id))
    end
    local problem = carried ~= nil and steps.problem_with_carried("set_property", carried)
    carried = carried ~= nil and type(carried) == "table" and carried or nil
    if problem then
      return nil, problem
    elseif carried and mine.is_late(entity, carried.stream) then
      return true, false
    elseif carried then
      mine.called(entity, carried) -- also when it is refused
    end
    problem = steps.problem_with_way("set_property", entity)
    if problem then
      return nil, problem
    elseif key == blocks.DATA then
      return nil, ("set_property: key is %s, expected 0 to 255"):format(key)
    end
    local stream = carried and carried.stream
    local is_noted = mine.is_noted(entity, source, stream)
    local may_know = is_noted and mine.may_know(entity, key)
    local ok, message = scene.details:set(entity, key, value)
    if not ok then
      return nil, "set_property: " .. message
    end
    if is_noted then
      mine.changed_detail(entity, source, stream, tointeger(key), may_know)
    end
    if scene.touched then -- else the tick does so, see views.note_changes
      touch(entity)
    end
    if scene.tick == 0 then
      ticks.changed()
    end
    return true
  end

  return self
end

return entities
