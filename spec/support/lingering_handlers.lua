-- Handlers of a region whose service does not end as long as a test wants that, as with hanging_handlers.lua.
local skynet = require "skynet"
local switch = require "spec.support.hanging_switch"

return function()
  local exit = skynet.exit

  function skynet.exit()
    if switch.is_hung then
      skynet.timeout(1, skynet.exit)
    else
      exit()
    end
  end

  return {}
end
