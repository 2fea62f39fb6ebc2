-- A part of an entity, of parts.lua: which of its properties not everybody may know. Another scene, whose
-- module of handlers does not say who may, must not tell them.
--
-- `scene` is the table of scene.lua.
return function(scene)
  local part = { pack = {}, take = {} }

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

  function part.forget(id)
    scene.audiences:forget(id)
  end

  return part
end
