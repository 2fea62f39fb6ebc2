-- A part of an entity, of parts.lua: what the space knows of it. To another scene its traits go along; its
-- pins stay behind, and it is told anew what it sees. Everywhere else the space packs and saves itself, pins
-- included.
return function(scene)
  return {
    pack = {
      transfer = function(id, luggage)
        for name, value in pairs(scene.space:traits(id)) do
          luggage.opts[name] = value
        end
      end,
    },
  }
end
