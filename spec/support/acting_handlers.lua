-- The kinds of handlers for the re-entrancy specs, one row each: a new one is one more row.
--
--   name      in the names of the specs
--   classic   only in a space of the classic call, whose handlers get the space first
--   listen    listen(lockstep, act, wait) returns a set of handlers that hear all events and pass
--             them to the judge; those of the kind that the row is named after call act()
--   catches   errors of handlers go to an on_error, which is the one that acts; as it can't yield,
--             wait() is called before the error, and may

local MOVE_IN_TICKS = { move = true }

local function on_event(lockstep, listener, act)
  return lockstep:handler(function(watcher, marker, op)
    listener:hear(op, watcher, marker)
  end, act)
end

local function by_kind(lockstep, listener, op, act)
  return lockstep:handler(function(watcher, marker)
    listener:hear(op, watcher, marker)
  end, act)
end

-- on_enter, on_leave and on_move; the one of the kind `acting` acts.
local function all_kinds(lockstep, listener, acting, act)
  local handlers = {}
  for _, op in ipairs { "enter", "leave", "move" } do
    handlers["on_" .. op] = by_kind(lockstep, listener, op, op == acting and act or nil)
  end
  return handlers
end

local function event_text(op, watcher, marker)
  return ("%s: %d sees %d"):format(op, watcher, marker)
end

local function on_watchers(lockstep, listener, act, belongs)
  return lockstep:handler(function(marker, op, watchers, n)
    listener:hear_group("marker", marker, op, watchers, n, belongs)
  end, act)
end

local function on_markers(lockstep, listener, act, belongs)
  return lockstep:handler(function(watcher, op, markers, n)
    listener:hear_group("watcher", watcher, op, markers, n, belongs)
  end, act)
end

local function on_view(lockstep, listener, act)
  return lockstep:handler(function(...)
    listener:hear_view(...)
  end, act)
end

-- Which of two grouped handlers hears a pair.
local function goes_to_markers(lockstep)
  return function(pair, change, op)
    if lockstep.deferred then
      return not MOVE_IN_TICKS[op]
    elseif change.id then
      return pair.watcher == change.id
    end
    return nil -- set_bounds has no subject
  end
end

local function goes_to_watchers(lockstep)
  local to_markers = goes_to_markers(lockstep)
  return function(...)
    local yes = to_markers(...)
    if yes ~= nil then
      return not yes
    end
    return nil
  end
end

local rows = {
  {
    name = "on_event",
    listen = function(lockstep, act)
      return { on_event = on_event(lockstep, lockstep.main, act) }
    end,
  },
  {
    name = "the classic callback",
    classic = true,
    listen = function(lockstep, act)
      local hear = on_event(lockstep, lockstep.main, act)
      return { on_event = function(space, ...)
        if space ~= lockstep.space then
          lockstep.complain "the classic callback got another space"
        end
        hear(...)
      end }
    end,
  },
  {
    name = "on_watchers",
    listen = function(lockstep, act)
      return { on_watchers = on_watchers(lockstep, lockstep.main, act) }
    end,
  },
  {
    name = "on_markers",
    listen = function(lockstep, act)
      return { on_markers = on_markers(lockstep, lockstep.main, act) }
    end,
  },
  {
    name = "on_watchers beside on_markers",
    listen = function(lockstep, act)
      return {
        on_watchers = on_watchers(lockstep, lockstep.main, act, goes_to_watchers(lockstep)),
        on_markers = on_markers(lockstep, lockstep.main, act, goes_to_markers(lockstep)),
      }
    end,
  },
  {
    name = "on_view",
    listen = function(lockstep, act)
      return { on_view = on_view(lockstep, lockstep.main, act) }
    end,
  },
  {
    name = "on_view before on_event",
    listen = function(lockstep, act)
      lockstep.second = lockstep.second or lockstep:listener()
      return {
        on_view = on_view(lockstep, lockstep.main, act),
        on_event = on_event(lockstep, lockstep.second),
      }
    end,
  },
  {
    -- Each event goes to on_event and right after to the handler of its kind, unless on_event
    -- yields, raises, or clears the space.
    name = "on_event before on_enter, on_leave and on_move",
    listen = function(lockstep, act)
      local half_told = {}
      lockstep.half_told = half_told
      local handlers = {
        on_event = lockstep:handler(function(watcher, marker, op)
          if next(half_told) and not lockstep.interrupted then
            lockstep.complain(next(half_told) .. " did not come to the second handler")
          end
          lockstep.main:hear(op, watcher, marker)
          local text = event_text(op, watcher, marker)
          half_told[text] = (half_told[text] or 0) + 1
        end, act),
      }
      for _, op in ipairs { "enter", "leave", "move" } do
        handlers["on_" .. op] = lockstep:handler(function(watcher, marker)
          local text = event_text(op, watcher, marker)
          if not half_told[text] then
            return lockstep.complain(text .. " comes to the second handler first")
          end
          half_told[text] = half_told[text] ~= 1 and half_told[text] - 1 or nil
        end, nil, true)
      end
      return handlers
    end,
  },
  {
    -- Every on_event raises; on_error acts. It is a message handler and can't yield, so on_event
    -- does, before it raises.
    name = "on_error",
    catches = true,
    listen = function(lockstep, act, wait)
      local current
      return {
        on_event = function(watcher, marker, op)
          lockstep:hush()
          lockstep:begin_handler()
          lockstep.main:hear(op, watcher, marker)
          lockstep:unhush()
          local event = { watcher, marker, op }
          wait()
          current = event
          error(event, 0)
        end,
        on_error = function(event, watcher, marker, op)
          if event ~= current or event[1] ~= watcher or event[2] ~= marker or event[3] ~= op then
            lockstep.complain "on_error does not get the error and the event"
          end
          local ok, message = pcall(act)
          if not ok then
            lockstep.complain("acting in on_error failed: " .. tostring(message))
          end
          lockstep:end_handler()
        end,
      }
    end,
  },
}

rows.groups = rows[3]

-- Beside every set of handlers, and the one that acts in a row of its own. Whoever hears views hears areas.
function rows.on_area(lockstep, act)
  return lockstep:handler(function(area, marker, op)
    lockstep.main:hear("area_" .. op, area, marker)
    if lockstep.second then
      lockstep.second:hear("area_" .. op, area, marker)
    end
  end, act)
end

rows[#rows + 1] = {
  name = "on_area",
  listen = function(lockstep, act)
    return { on_event = on_event(lockstep, lockstep.main), on_area = rows.on_area(lockstep, act) }
  end,
}

for _, op in ipairs { "enter", "leave", "move" } do
  rows[#rows + 1] = {
    name = "on_" .. op,
    listen = function(lockstep, act)
      return all_kinds(lockstep, lockstep.main, op, act)
    end,
  }
end

return rows
