-- Ways to hear of events, those of areas among them, for the comparison with the model: each of the ways to
-- hear of views, with on_area beside it, or gathering both.

local compare = require "spec.support.compare"
local several_listeners = require "spec.support.several_listeners"
local tick_calls = require "spec.support.tick_calls"

local AREA_CODE = 'options.on_area = function(a, m, op) print("area", a, m, op) end'

local function with_areas(kinds)
  local all = { area_enter = true, area_leave = true }
  for kind in pairs(kinds) do
    all[kind] = true
  end
  return all
end

-- Lets on_area write this log as well.
local function add_on_area(options, log)
  local other = options.on_area
  function options.on_area(area, marker, op)
    if other then
      other(area, marker, op)
    end
    log[#log + 1] = { area, marker, "area_" .. op }
  end
end

local function is_of_area(event)
  return event[3]:find "^area_" ~= nil
end

-- The order of the views' events is that of the listener; those of areas come after them.
local function check_order(listener)
  return function(log, first, last, change)
    local last_of_views = last
    while last_of_views >= first and is_of_area(log[last_of_views]) do
      last_of_views = last_of_views - 1
    end
    for i = first, last_of_views do
      if is_of_area(log[i]) then
        compare.differ("an event of area %s comes before those of views", log[i][1])
      end
    end
    compare.check_order_of_kinds(log, last_of_views + 1, last)
    local check = listener.check_order or compare.check_order_of_kinds
    check(log, first, last_of_views, change)
  end
end

-- The listener that also hears of areas.
local function hear_areas(listener)
  if listener.are_several then
    local parts = {}
    for i, part in ipairs(listener.parts) do
      parts[i] = hear_areas(part)
    end
    return several_listeners.join(parts)
  end
  local gathers = listener.gather ~= nil
  local code = AREA_CODE
  if gathers then
    code = 'if options.collect ~= true then\n'
      .. '  table.move({ "area_enter", "area_leave" }, 1, 2, 3, options.collect)\nend'
  end
  return {
    name = listener.name .. (gathers and "" or " and on_area"),
    code = listener.code .. "\n" .. code,
    code_after_call = listener.code_after_call,
    kinds = with_areas(listener.kinds),
    gather = listener.gather,
    check_order = check_order(listener),
    listen = function(options, log)
      listener.listen(options, log)
      if not gathers then
        add_on_area(options, log)
      elseif options.collect ~= true then
        options.collect[3], options.collect[4] = "area_enter", "area_leave"
      end
    end,
  }
end

local function all_hear_areas(listeners)
  local list = {}
  for i, listener in ipairs(listeners) do
    list[i] = hear_areas(listener)
  end
  return list
end

local listeners, handlers = all_hear_areas(tick_calls.listeners), all_hear_areas(tick_calls.handlers)
for _, listener in ipairs(tick_calls.handlers) do
  handlers[#handlers + 1] = listener -- those that hear nothing of areas
end

return { listeners = listeners, handlers = handlers, successors = all_hear_areas(tick_calls.successors) }
