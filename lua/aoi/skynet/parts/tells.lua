-- A part of an entity, of parts.lua: what its address is to be told yet. In a transfer, and when a scene is
-- loaded, it is told all anew.
local FIELDS = { "newcomers", "changes", "told", "unsaid" } -- of the scene

-- `scene` is the table of scene.lua.
return function(scene)
  local part = { pack = {}, take = {}, save = {}, load = {} }

  -- Changes that could not be told, as memory was short, end in telling all.
  function part.pack.hand_over(id, luggage)
    luggage.is_newcomer = scene.newcomers[id] or next(scene.changes) and true or nil
    luggage.told = scene.told[id]
  end

  function part.take.hand_over(id, luggage)
    if luggage.address then
      scene.newcomers[id], scene.told[id] = luggage.is_newcomer, luggage.told
    end
  end

  function part.forget(id)
    scene.newcomers[id], scene.told[id], scene.changes[id] = nil, nil, nil
  end

  function part.save.save(state)
    state.unsaid = scene.unsaid
  end

  function part.load.save(state)
    scene.newcomers, scene.told, scene.changes, scene.unsaid = {}, {}, {}, state.unsaid
  end

  function part.save.move(state)
    for _, name in ipairs(FIELDS) do
      state[name] = scene[name]
    end
  end

  function part.load.move(state)
    for _, name in ipairs(FIELDS) do
      scene[name] = state[name]
    end
  end

  return part
end
