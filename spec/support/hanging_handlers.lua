-- Handlers of a region whose hook `save` does not return as long as a test wants that: it sets the field
-- is_hung of the table spec.support.hanging_switch. The command `question` has an answer.
local skynet = require "skynet"
local switch = require "spec.support.hanging_switch"

return function()
  return {
    save = function()
      while switch.is_hung do
        skynet.sleep(1)
      end
    end,
    commands = {
      question = function()
        return "an answer"
      end,
    },
  }
end
