-- Handlers of a world's regions that do something in a hook when they were told to, once: `told`, an entity
-- of the region, and what to do.
local skynet = require "skynet"

return function(scene)
  local todo = nil

  local function take(what)
    local is_due = todo == what
    todo = not is_due and todo or nil
    return is_due
  end

  return {
    ended = function() end,
    on_enter = function(watcher, marker)
      if watcher == 1 and marker == 2 then
        if take "leave" then
          scene.leave(3)
        elseif take "wait" then
          skynet.sleep(30)
        end
      end
    end,
    tick = function()
      if take "tick" then
        scene.leave(1)
        scene.leave(3)
        skynet.error("told: the region is closed: " .. tostring(scene.is_closed))
      end
    end,
    save = function()
      if take "save" then
        skynet.fork(function()
          skynet.sleep(5)
          scene.leave(1)
        end)
        skynet.sleep(20)
      end
      return { "kept" }
    end,
    lost = function(ids)
      skynet.error("told: lost " .. table.concat(ids, " "))
    end,
    commands = {
      told = function(_, _, what)
        todo = what
        return true
      end,
    },
  }
end
