-- A part of an entity, of parts.lua: its data and properties, of details.lua. Regions count the same turns:
-- to another region what has changed goes along with its turns, as rows. All else are entries, which are
-- nobody's news.
local details = require "aoi.skynet.details"

-- `scene` is the table of scene.lua; scene.details is another one after `load`.
return function(scene)
  local part = { pack = {}, take = {}, save = {}, load = {} }

  function part.pack.transfer(id, luggage)
    luggage.details = scene.details.entries[id]
  end

  function part.take.transfer(id, luggage)
    scene.details:put(id, luggage.details or {})
  end

  function part.pack.hand_over(id, luggage)
    luggage.details = scene.details:rows(id)
  end

  function part.take.hand_over(id, luggage, was_ghost)
    scene.details:put_rows(id, luggage.details, was_ghost, true) -- a ghost's may have been late
  end

  function part.forget(id, is_ghost)
    if not is_ghost then
      scene.details:leave(id)
    end
  end

  function part.save.save(state)
    state.details = scene.details.entries
  end

  function part.load.save(state)
    scene.details = details.new(state.details)
  end

  part.save.store, part.load.store = part.save.save, part.load.save

  function part.save.chunk(state)
    local noted = scene.details.noted
    state.details = noted and next(noted) and noted or nil
    scene.details.noted = {}
  end

  function part.load.chunk(state)
    for id, entries in pairs(state.details or {}) do
      scene.details:put(id, entries)
    end
  end

  function part.save.move(state)
    local all = scene.details
    state.details = {
      turn = all.turn, entries = all.entries, changed = all.changed, fresh = all.fresh, left = all.left,
    }
  end

  function part.load.move(state)
    local saved = state.details
    local all = details.new(saved.entries)
    all:take_changes(saved.turn, saved.changed, saved.fresh)
    all.left = saved.left
    scene.details = all
  end

  return part
end
