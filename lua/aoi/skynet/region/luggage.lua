-- The luggage of an entity that another region owns from now on: the string of the space about it, its areas,
-- and all else that belongs to it, of parts.lua.
local skynet = require "skynet"
local ghosts = require "aoi.skynet.region.ghosts"

-- `scene` is the table of scene.lua with what region/ghosts.lua adds; `parts` has areas and
-- of_entity, of parts.lua.
return function(scene, parts)
  local luggage = {}

  -- Hands an entity over. Returns the string for `unpack` in that region and the epoch of its owner there;
  -- nil: memory is short, and nothing has changed. O(what it was told of).
  function luggage.pack(id, region)
    local all, shown = {}, scene.shown[id]
    parts.of_entity.pack("hand_over", id, all)
    local ok, space = pcall(scene.space.hand_out, scene.space, id)
    if not ok then
      parts.of_entity.take("hand_over", id, all, true)
      skynet.error("region: " .. tostring(space))
      return nil
    end
    local stays = scene.space:has(id) -- as a ghost; else nobody sees it
    all.id, all.space, all.epoch = id, space, scene.owned[id] + 1
    all.areas = parts.areas.of(id)
    parts.areas.handed(id)
    if stays then
      all.shown = ghosts.without(shown or {}, region) or {}
      table.insert(all.shown, scene.region)
    end
    parts.of_entity.forget(id, stays)
    scene.owned[id], scene.shown[id] = nil, nil
    return skynet.packstring(all), all.epoch
  end

  -- Makes room for an entity that comes with this epoch. False: it is here with a later one.
  local function make_room(id, epoch)
    local own = scene.owned[id]
    if own and own >= epoch then
      return false
    elseif own then
      parts.give_way(id)
    end
    return true
  end

  -- Takes in what `pack` gave in another region. lost: set of those that this one did not have; lost_here: of
  -- those that are another region's by now; nil: none. Returns the entity; nil: it was not taken in.
  function luggage.unpack(letter, lost, lost_here)
    local all = skynet.unpack(letter)
    local id = all.id
    if lost and lost[id] or lost_here and lost_here[id] or not make_room(id, all.epoch) then
      return nil
    end
    local was_ghost = scene.space:has(id)
    parts.areas.make_room(all.areas)
    local ok, message = pcall(scene.space.hand_in, scene.space, all.space)
    if not ok then
      skynet.error(("region: entity %d is lost: %s"):format(id, message))
      return nil
    end
    scene.owned[id], scene.shown[id] = all.epoch, all.shown
    parts.areas.taken(all.areas)
    scene.changed[id] = ghosts.ALL -- the next tick shows it where it is needed then
    parts.of_entity.take("hand_over", id, all, was_ghost)
    return id
  end

  return luggage
end
