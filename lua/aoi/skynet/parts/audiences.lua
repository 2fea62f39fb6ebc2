-- A part of an entity, of parts.lua: which of its properties not everybody may know, and which of
-- the others' it may not. Another scene, whose module of handlers does not say who may,
-- must not tell them.
--
-- `scene` is the table of scene.lua.
return function(scene)
  local part = { pack = {}, take = {}, save = {}, load = {} }

  function part.pack.transfer(id, luggage)
    luggage.audiences = scene.audiences:named(scene.details.entries[id] or {})
  end

  function part.take.transfer(_, luggage)
    local key = scene.audiences:open_one(luggage.audiences or {})
    if key then
      error(("property %d has an audience where it comes from; the handlers here name none for it")
        :format(key), 0)
    end
  end

  function part.pack.hand_over(id, luggage)
    luggage.hidden = scene.audiences:of_one(id)
  end

  function part.take.hand_over(id, luggage)
    scene.audiences:put_one(id, luggage.hidden)
  end

  function part.save.move(state)
    state.audiences = scene.audiences:state()
  end

  -- Before the handlers say which audiences there are.
  function part.load.move(state)
    scene.audiences:restore(state.audiences)
  end

  function part.forget(id)
    scene.audiences:forget(id)
  end

  return part
end
