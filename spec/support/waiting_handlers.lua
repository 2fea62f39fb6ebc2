-- Handlers of a scene that wait for half a second, as if they called another service: as often as the command
-- `wait` says, each for a handler and a watcher.
local skynet = require "skynet"

return function(_, views)
  local times = {} -- name of a handler and watcher -> how often it waits yet
  local notes = {}

  local function note(format, ...)
    notes[#notes + 1] = format:format(...)
  end

  local function wait(name, watcher)
    local key = name .. watcher
    if times[key] then
      times[key] = times[key] > 1 and times[key] - 1 or nil
      skynet.sleep(50)
    end
  end

  return {
    on_enter = function(watcher, marker)
      wait("on_enter", watcher)
      note("%d met %d", watcher, marker)
    end,
    on_leave = function(watcher)
      wait("on_leave", watcher)
    end,
    on_view = function(watcher, ...)
      views.on_view(watcher, ...)
      wait("on_view", watcher)
    end,
    joined = function(id, how) note("joined %d %s", id, how) end,
    ended = function(id, why) note("ended %d %s", id, why) end,
    commands = {
      wait = function(_, name, watcher, how_often)
        times[name .. watcher] = how_often
        return true
      end,
      -- The notes since the last time.
      notes = function()
        local text = table.concat(notes, "; ")
        notes = {}
        return text
      end,
    },
  }
end
