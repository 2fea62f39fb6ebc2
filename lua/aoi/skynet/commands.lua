-- The commands of a scene: what a message of the protocol "lua" asks for, by its first word.
local clock = require "aoi.skynet.clock"
local count = require "aoi.skynet.counts"

-- The questions of the command `query`, and which methods of the space answer them.
local QUESTIONS = {
  rect = "query_rect", circle = "query_circle", sector = "query_sector", segment = "query_segment",
  nearest = "query_nearest", polygon = "query_polygon", traits = "traits", anchor = "anchor",
  watchers_of = "watchers_of", markers_of = "markers_of", sees = "sees",
  has = "has", position = "position", positions = "positions", radius = "radius", ids = "ids",
  told_markers_of = "told_markers_of", told_watchers_of = "told_watchers_of", explain = "explain",
  sights = "sights",
  members_of = "members_of", areas_of = "areas_of", in_area = "in_area", areas = "areas",
}

-- Methods of the space that are commands as they are.
local CHANGES = {
  "set_radius", "set_mode", "set_layers", "set_sees_layers", "set_limit", "set_importance", "pin", "unpin",
  "set_visible_radius", "set_sight",
  "add_area", "set_area", "update_area", "move_area", "remove_area",
}

local OF_ENTITIES = require("aoi.skynet.own_section").TRAIT_KEYS

local function answer(ok, ...)
  if not ok then
    return nil, (...)
  end
  return ...
end

-- `scene` is the table of scene.lua; `parts` has ticks, steps, entities, lives, say, handlers and saving,
-- each of the file of its name (say: of speech.lua). Returns a table of functions; each gets the source and
-- the arguments, and returns its answer. nil and a message: refused.
return function(scene, parts)
  local commands = {}

  local function entered(ok, message, ...)
    if not ok then
      return nil, message, ... -- of a stream that is not later: the last
    elseif type(message) == "number" then
      return true, scene.tick, message, ...
    end
    return true, scene.tick
  end

  -- enter(id, x, y [, z] [, opts]) -> true, length of a tick in milliseconds; and the place of an entity that
  -- was here already, and has been taken over
  function commands.enter(source, ...)
    return entered(parts.entities.enter(source, ...))
  end

  -- update(id, x, y [, z] [, opts]) -> true, whether it entered
  function commands.update(source, ...)
    return parts.entities.update(source, ...)
  end

  -- move(id, x, y [, z] [, e1 ... en] [, carried]) -> true; and false when it came too late, see
  -- own_state.lua
  function commands.move(...)
    return parts.steps.move(...)
  end

  -- set_traits(id, opts [, carried]) -> true; opts as those of update, without a place. As leave.
  function commands.set_traits(...)
    return parts.entities.set_traits(...)
  end

  -- set_radius(id, radius) -> true, and so on; and what the method gives
  for _, method in ipairs(CHANGES) do
    local trait, is_of_area = method:match "^set_(.*)$", method:find "_area$"
    commands[method] = function(source, id, ...)
      local key = not is_of_area and math.type(id) and math.tointeger(id)
      local problem = parts.steps.problem_with_way(method, key)
      if problem then
        return nil, problem
      end
      local ok, result = pcall(scene.space[method], scene.space, id, ...)
      if not ok then
        return nil, result
      end
      if OF_ENTITIES[trait] then
        scene.own.changed_trait(key, source, nil, trait)
      end
      parts.ticks.changed()
      if result ~= nil then
        return true, result
      end
      return true
    end
  end

  -- set_property(id, key, value) -> true; a property of the entity, nil: removes it
  function commands.set_property(...)
    return parts.entities.set_property(...)
  end

  -- resync(id [, carried]) -> true; after the tick its address is told all that it sees. As leave.
  function commands.resync(_, id, carried)
    local is_late, problem = parts.entities.is_late("resync", id, carried)
    if is_late ~= false then
      return not problem or nil, problem or false
    end
    return parts.resync.ask(id)
  end

  -- leave(id [, carried]) -> true; and false when it carries another stream than that of the entity
  function commands.leave(source, id, carried)
    return parts.entities.leave(id, parts.lives.why(id, source), carried)
  end

  -- query(shape, ...) -> what the method of the space gives
  function commands.query(_, shape, ...)
    local method = QUESTIONS[shape]
    if not method then
      return nil, ("query: shape is %s, expected rect, circle, sector, segment, nearest, polygon or a "
        .. "question"):format(tostring(shape))
    end
    local space = scene.space
    return answer(pcall(space[method], space, ...))
  end

  -- say(id, ...) -> true; the message goes to all who see id: at once, or with the tick that tells them of id
  function commands.say(_, ...)
    return parts.say(...)
  end

  -- say_in(id, stream, ...) -> true; as say, in this stream of the entity. As leave.
  function commands.say_in(_, id, stream, ...)
    local is_late, problem = parts.entities.is_late("say_in", id, { stream = stream })
    if is_late ~= false then
      return not problem or nil, problem or false
    end
    return parts.say(id, ...)
  end

  -- notify(id, ...) -> true; the message goes to the address of id with the next tick, behind what it sees
  function commands.notify(_, ...)
    return scene.notices.give(...)
  end

  -- tick() -> true; a tick now, beside those of the clock
  function commands.tick()
    parts.ticks.run()
    return true
  end

  -- stats() -> table; flat, so that the debug console shows all of it. tick: the number of the last one, as
  -- that of the space; tick_length: milliseconds
  function commands.stats()
    local result = count(scene)
    for name, value in pairs(clock.stats()) do
      result[name] = value
    end
    result.tick_length = scene.tick
    return result
  end

  -- reload([name]) -> true; name: another module of handlers, false: none any more
  function commands.reload(_, name)
    local ok, message = parts.handlers.reload(name)
    parts.ticks.changed()
    return ok, message
  end

  -- save() -> string
  function commands.save()
    return parts.saving.save()
  end

  -- load(saved [, addresses]) -> true; takes the place of what is in this scene. addresses: entity -> address
  -- instead of those saved; they are told all that their entities see.
  function commands.load(_, saved, given)
    return parts.saving.load(saved, given)
  end

  -- transfer(id, scene, x, y [, z] [, opts]) -> true; the entity is in the other scene from now on
  function commands.transfer(_, ...)
    return parts.transfer.go(...)
  end

  -- arrive(id, x, y, z, opts, luggage) -> its stream, true: none; what another scene asks for in a transfer
  function commands.arrive(source, ...)
    return parts.transfer.arrive(source, ...)
  end

  -- store() -> true; a full save into the store now
  function commands.store()
    if not parts.store then
      return nil, "store: the scene has none, expected one with the option store"
    end
    return parts.store.save()
  end

  -- follow() -> true; the source is sent the space as it is and from then on the record of it, see packet.lua
  function commands.follow(source)
    return scene.records.follow(source)
  end

  -- unfollow() -> true
  function commands.unfollow(source)
    return scene.records.unfollow(source)
  end

  -- record_to(path) -> true; a recording is written to this file from now on; false: to none
  function commands.record_to(_, path)
    return scene.records.write_to(path)
  end

  return commands
end
