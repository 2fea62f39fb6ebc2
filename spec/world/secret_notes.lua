-- Handlers of the regions of a world as area_notes.lua, with properties that not everybody may know.
local area_notes = require "spec.world.area_notes"

return function(scene)
  local handlers = area_notes(scene)
  handlers.properties = { [1] = { layers = 2 }, [2] = { to = "me" } }
  return handlers
end
