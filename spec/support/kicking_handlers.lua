-- Handlers of a region that let entities leave from 1000 on as soon as they are seen: between two ticks.
local skynet = require "skynet"

return function(scene)
  return {
    on_enter = function(_, marker)
      if marker >= 1000 and scene.owned[marker] and scene.space:has(marker) then
        skynet.fork(pcall, scene.leave, marker)
      end
    end,
  }
end
