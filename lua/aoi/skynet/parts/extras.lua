-- A part of an entity, of parts.lua: its extras, of extras.lua. Another scene may have another number of
-- them.
--
-- `scene` is the table of scene.lua.
return function(scene)
  local part = { pack = {}, take = {}, save = {}, load = {} }
  local extras = scene.extra_values

  function part.pack.transfer(id, luggage)
    luggage.extras = extras.n > 0 and extras:packed(id) or nil
  end

  function part.take.transfer(id, luggage)
    if luggage.extras then
      extras:put_fitting(id, luggage.extras)
    end
  end

  function part.pack.hand_over(id, luggage)
    luggage.extras = extras.n > 0 and extras.of[id] or nil
  end

  function part.take.hand_over(id, luggage)
    if luggage.extras then
      extras:put(id, luggage.extras)
    end
  end

  function part.forget(id, is_ghost)
    if not is_ghost then
      extras:forget(id)
    end
  end

  -- Without the metatable, which skynet.pack would ask for what is none.
  function part.save.save(state)
    local all = {}
    for id in pairs(extras.of) do
      all[id] = extras:packed(id)
    end
    state.extras = next(all) and all or nil
  end

  function part.load.save(state)
    for id in pairs(extras.of) do
      extras:forget(id)
    end
    for id, packed in pairs(state.extras or {}) do
      extras:put_fitting(id, packed)
    end
  end

  part.save.store, part.load.store = part.save.save, part.load.save
  part.save.move, part.load.move = part.save.save, part.load.save

  function part.save.chunk(state)
    local changed = {}
    for id in pairs(extras.noted or {}) do
      changed[id] = extras:packed(id)
    end
    state.extras = next(changed) and changed or nil
    extras.noted = extras.n > 0 and {} or nil
  end

  function part.load.chunk(state)
    for id, packed in pairs(state.extras or {}) do
      extras:put_fitting(id, packed)
    end
  end

  return part
end
