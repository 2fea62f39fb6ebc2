-- Handlers of a region whose hook `save` does not return as long as a test wants that: it sets the field
-- is_hung of the table spec.support.hanging_switch. The command `question` has an answer.
local skynet = require "skynet"
local switch = require "spec.support.hanging_switch"

return function()
  return {
    -- Its service does not end meanwhile either, as if this were an endless loop.
    save = function()
      local exit, is_over = skynet.exit, false
      function skynet.exit()
        is_over = true
      end
      while switch.is_hung do
        skynet.sleep(1)
      end
      skynet.exit = exit
      if is_over then
        skynet.timeout(1, exit)
      end
    end,
    commands = {
      question = function()
        return "an answer"
      end,
    },
  }
end
