-- A part of an entity, of parts.lua: the data that the user's handlers keep of it, by their hooks. A module
-- that takes over gets the data saved and logged, see handlers.lua.
local skynet = require "skynet"

-- `scene` is the table of scene.lua; `files` has handlers, and store if there is one.
return function(scene, files)
  local part = { pack = {}, take = {}, save = {}, load = {} }

  local logged = {} -- what they have logged since the last chunk, packed

  -- For handlers: what they want to get back, one by one, after a crash. Without a store nothing is kept.
  function scene.log(...)
    if files.store then
      logged[#logged + 1] = skynet.packstring(...)
    end
  end

  function part.pack.hand_over(id, luggage)
    luggage.own = files.handlers.pack(id)
  end

  function part.take.hand_over(id, luggage)
    if luggage.own ~= nil then
      files.handlers.unpack(id, luggage.own)
    end
  end

  function part.save.save(state)
    state.own = files.handlers.save()
  end

  part.save.store = part.save.save

  function part.load.store(state, back)
    back.own, back.logged = state.own, {}
  end

  function part.save.chunk(state)
    state.logged = logged[1] and logged
    logged = {}
  end

  function part.load.chunk(state, back)
    local more = state.logged or {}
    table.move(more, 1, #more, #back.logged + 1, back.logged)
  end

  return part
end
