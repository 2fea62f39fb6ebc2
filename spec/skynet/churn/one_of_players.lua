-- The functions of aoi.skynet.client for one entity, by way of aoi.skynet.players.
local players = require "aoi.skynet.players"

-- id(): of the entity, once it is known.
return function(id)
  local view = {}

  for _, name in ipairs { "move", "update", "set_property", "go", "leave", "say", "query", "resync", "me",
    "stream" } do
    view[name] = function(...)
      return players[name](id(), ...)
    end
  end

  view.join = players.join

  function view.scene()
    return players.scene(id())
  end

  function view.on(list)
    local bound = {}
    for name, callback in pairs(list) do
      bound[name] = function(_, ...)
        callback(...)
      end
    end
    players.on(bound)
  end

  return view
end
