-- Handlers of a scene that sends a message for each event, for bench.lua: what this module's scene avoids.
local NONE = {}

return function(_, views)
  local one = {}
  local tell = {
    leave = function(watcher) views.on_view(watcher, one, 1, NONE, 0, NONE, 0) end,
    enter = function(watcher) views.on_view(watcher, NONE, 0, one, 1, NONE, 0) end,
    move = function(watcher) views.on_view(watcher, NONE, 0, NONE, 0, one, 1) end,
  }
  return {
    on_view = false,
    on_event = function(watcher, marker, op)
      one[1] = marker
      tell[op](watcher)
      views.flush()
    end,
  }
end
