-- The luggage of an entity that another region owns from now on: the string of the space about it, its areas,
-- and all else that belongs to it, of parts.lua.
local skynet = require "skynet"
local ghosts = require "aoi.skynet.region.ghosts"

-- Blocks that the former owner may have sent still, at most: what is told after a return is a later one.
local BLOCKS = 65536

-- `scene` is the table of scene.lua with what region/ghosts.lua adds; `parts` has areas, ghosts, lives and
-- of_entity, of parts.lua. The lives that end and begin here are told by lives.run.
return function(scene, parts)
  local luggage = {}

  -- Hands an entity over, with the words of ghosts.lua that it said. Returns the string for `unpack` in that
  -- region, and its areas, as of areas.of; nil: memory is short, and nothing has changed. O(what it was told
  -- of).
  function luggage.pack(id, region, words)
    local all, shown, last = {}, scene.shown[id], parts.lives.last(id)
    parts.of_entity.pack("hand_over", id, all)
    local ended = parts.areas.ended_of(id)
    local ok, space = pcall(function()
      parts.areas.put_back(ended)
      return scene.space:hand_out(id)
    end)
    if not ok then
      parts.areas.end_again(ended)
      parts.of_entity.take("hand_over", id, all, true)
      skynet.error("region: " .. tostring(space))
      return nil
    end
    local stays = scene.space:has(id) -- as a ghost; else nobody sees it
    all.id, all.space, all.words = id, space, words
    all.areas, all.ended = parts.areas.of(id), ended
    parts.areas.handed(id)
    if stays then
      all.shown = ghosts.without(shown or {}, region)
      table.insert(all.shown, scene.region)
    end
    parts.of_entity.forget(id, stays)
    scene.owned[id], scene.shown[id] = nil, nil
    parts.ghosts.handed(id)
    parts.lives.ended(id, "handed", last)
    return skynet.packstring(all), all.areas
  end

  -- Takes in what `pack` gave in another region. is_return: it gave that itself, and its taker is lost: what
  -- that one may have told is told anew. Returns the entity; or nil, and the id of one that is lost.
  function luggage.unpack(text, is_return)
    local all = skynet.unpack(text)
    local id = all.id
    local was_ghost = parts.ghosts.is_own(id)
    local ok, message = pcall(scene.space.hand_in, scene.space, all.space)
    if not ok and scene.space:has(id) then -- no ghost, but what a store had of it, or areas of that
      parts.ghosts.remove(id)
      ok, message = pcall(scene.space.hand_in, scene.space, all.space)
    end
    if not ok then
      skynet.error(("region: entity %d is lost: %s"):format(id, message))
      return nil, id
    end
    scene.owned[id], scene.shown[id] = true, not is_return and all.shown or nil
    parts.areas.taken(id, all.areas, all.ended)
    scene.changed[id] = ghosts.ALL -- the next tick shows it where it is needed then
    parts.of_entity.take("hand_over", id, all, was_ghost)
    if not is_return then
      parts.ghosts.hear(all.words)
    elseif scene.addresses.of[id] then
      scene.streams:count(id, BLOCKS)
      scene.newcomers[id] = true
    end
    parts.lives.joined(id, "handed")
    return id
  end

  return luggage
end
