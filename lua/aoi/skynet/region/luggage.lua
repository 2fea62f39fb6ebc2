-- What goes along with an entity that another region owns from now on: what the space knows of it, its
-- address with the stream, what it is owed, and what the user's handlers keep of it.
local skynet = require "skynet"
local ghosts = require "aoi.skynet.region.ghosts"

-- `scene` is the table of scene.lua with what region/ghosts.lua adds; `parts` has areas, entities, handlers
-- and resync.
return function(scene, parts)
  local luggage = {}

  -- What waits for its address. Changes that could not be told, as memory was short, end in telling all; as
  -- does all that was told of others who may be other ones by now.
  local function views_of(id)
    local changes = scene.changes[id]
    local is_wrong = changes and changes.n > 0 or scene.number < scene.doubtful_until
    local asked, ago = parts.resync.of(id)
    return {
      address = scene.addresses.of[id], stream = scene.streams.of[id], number = scene.streams.numbers[id],
      is_newcomer = scene.newcomers[id] or is_wrong or nil, owed = scene.owed[id], asked = asked, ago = ago,
    }
  end

  -- Hands an entity over. Returns the string for `unpack` in that region and the epoch of its owner there;
  -- nil: memory is short, and nothing has changed. O(what it was told of).
  function luggage.pack(id, region)
    local own = parts.handlers.handed(id)
    local shown = scene.shown[id]
    local all = views_of(id)
    local ok, space = pcall(scene.space.hand_out, scene.space, id)
    if not ok then
      skynet.error("region: " .. tostring(space))
      return nil
    end
    local stays = scene.space:has(id) -- as a ghost; else nobody sees it
    all.id, all.space, all.own, all.epoch = id, space, own, scene.owned[id] + 1
    all.areas = parts.areas.of(id)
    all.details = scene.details:rows(id)
    parts.areas.handed(id)
    if stays then
      all.shown = ghosts.without(shown or {}, region) or {}
      table.insert(all.shown, scene.region)
    else
      scene.details:leave(id)
    end
    parts.entities.hand_over(id)
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
    scene.details:put_rows(id, all.details, was_ghost, true) -- a ghost's may have been late
    if all.address then
      scene.streams:go_on(id, all.stream, all.number)
      scene.addresses:set(id, all.address)
      scene.newcomers[id], scene.owed[id] = all.is_newcomer, all.owed
      parts.resync.put(id, all.asked, all.ago)
    end
    if all.own ~= nil then
      parts.handlers.taken(id, all.own)
    end
    return id
  end

  return luggage
end
