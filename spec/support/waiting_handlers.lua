-- Handlers of a scene that wait for half a second, as if they called another service: as often as the command
-- `wait` says, each for a handler and a watcher.
local skynet = require "skynet"
local kept_notes = require "spec.support.kept_notes"

return function(scene, views)
  local times = {} -- name of a handler and watcher -> how often it waits yet
  local notes = kept_notes[scene] or {}
  kept_notes[scene] = notes
  local notified = nil   -- the entity that the next one who meets somebody sends a notice to
  local save_fails = false

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
      if notified then
        scene.notify(notified, "hello")
        notified = nil
      end
    end,
    on_leave = function(watcher)
      wait("on_leave", watcher)
    end,
    on_view = function(watcher, ...)
      views.on_view(watcher, ...)
      wait("on_view", watcher)
    end,
    save = function()
      return save_fails and error "no save" or nil
    end,
    joined = function(id, how) note("joined %d %s", id, how) end,
    ended = function(id, why) note("ended %d %s", id, why) end,
    commands = {
      wait = function(_, name, watcher, how_often)
        times[name .. watcher] = how_often
        return true
      end,
      extras = function(_, id)
        return scene.extras(id)
      end,
      notify_later = function(_, id)
        notified = id
        return true
      end,
      fail_to_save = function()
        save_fails = true
        return true
      end,
      -- So many times an entity can't leave, as if memory were short.
      hold = function(_, times_held)
        local space = scene.space
        scene.space = setmetatable({}, {
          __len = function() return #space end,
          __index = function(_, name)
            return function(_, ...)
              if name == "leave" and times_held > 0 then
                times_held = times_held - 1
                error("not enough memory", 0)
              end
              return space[name](space, ...)
            end
          end,
        })
        return true
      end,
      -- The notes since the last time.
      notes = function()
        local text = table.concat(notes, "; ")
        for i = #notes, 1, -1 do
          notes[i] = nil
        end
        return text
      end,
    },
  }
end
