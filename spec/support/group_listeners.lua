-- Ways to hear of events in groups, for the comparison with the model. Every pair of a group is
-- logged as an event of its own, with the handler that heard it and the number of its group.

local compare = require "spec.support.compare"
local Model = require "spec.support.model"

local differ = compare.differ

local ALL_KINDS = { leave = true, enter = true, move = true }

-- A group of the handler `name`; only in views a part may be empty.
local function check_array(name, array, n)
  if n == 0 and name ~= "on_view" then
    error("an empty group of " .. name)
  end
  for i = 1, n do
    if math.type(array[i]) ~= "integer" then
      error(("entry %d of %d in a group of %s is %s"):format(i, n, name, tostring(array[i])))
    end
  end
  if array[n + 1] ~= nil then
    error("a group of " .. name .. " has an entry after its last")
  end
end

local function on_watchers(log)
  return function(marker, op, watchers, n)
    check_array("on_watchers", watchers, n)
    log.groups = (log.groups or 0) + 1
    for i = 1, n do
      log[#log + 1] = { watchers[i], marker, op, handler = "on_watchers", group = log.groups }
    end
  end
end

local function on_markers(log)
  return function(watcher, op, markers, n)
    check_array("on_markers", markers, n)
    log.groups = (log.groups or 0) + 1
    for i = 1, n do
      log[#log + 1] = { watcher, markers[i], op, handler = "on_markers", group = log.groups }
    end
  end
end

local function on_view(log)
  return function(watcher, left, left_n, entered, entered_n, moved, moved_n)
    log.groups = (log.groups or 0) + 1
    if left_n + entered_n + moved_n == 0 then
      error("an empty view")
    end
    for _, part in ipairs {
      { "leave", left, left_n }, { "enter", entered, entered_n }, { "move", moved, moved_n },
    } do
      local op, markers, n = table.unpack(part)
      check_array("on_view", markers, n)
      for i = 1, n do
        log[#log + 1] = { watcher, markers[i], op, handler = "on_view", group = log.groups }
      end
    end
  end
end

local rank = { leave = 1, enter = 2, move = 3 }

-- The kinds in their order, and one group per handler, kind and the one that it is about.
local function check_groups(log, first, last)
  local group_of = {}
  for i = first, last do
    local event = log[i]
    local watcher, marker, op = table.unpack(event, 1, 3)
    if i > first and rank[op] < rank[log[i - 1][3]] then
      differ("a group of %s comes too late: leave, then enter, then move", op)
    end
    local about = event.handler == "on_watchers" and marker or watcher
    local key = event.handler .. " " .. op .. " " .. about
    if group_of[key] and group_of[key] ~= event.group then
      differ("%s comes in more than one group", key)
    end
    group_of[key] = event.group
  end
end

-- With both handlers: pairs whose watcher is the changed entity go to on_markers; in a tick, enter
-- and leave.
local function check_both(log, first, last, change)
  check_groups(log, first, last)
  for i = first, last do
    local event = log[i]
    local to_markers = event[1] == change.id
    if change.tick then
      to_markers = event[3] ~= "move"
    end
    local expected = to_markers and "on_markers" or "on_watchers"
    if (change.id or change.tick) and event.handler ~= expected then
      differ("%s: %s went to %s", event[3], Model.pair_key(event[1], event[2]), event.handler)
    end
  end
end

-- One view per watcher and change.
local function check_views(log, first, last)
  local view_of = {}
  for i = first, last do
    local watcher, group = log[i][1], log[i].group
    if view_of[watcher] and view_of[watcher] ~= group then
      differ("watcher %d gets two views of one change", watcher)
    end
    view_of[watcher] = group
  end
end

-- No group may span two changes: each slice of the log must end where a group ends.
local function with_borders(check)
  return function(log, first, last, change)
    if last < #log and last >= first and log[last].group == log[last + 1].group then
      differ("a group spans two changes")
    end
    check(log, first, last, change)
  end
end

local ON_WATCHERS = [[
options.on_watchers = function(marker, op, watchers)
  print("on_watchers", marker, op, table.unpack(watchers))
end]]

local ON_MARKERS = [[
options.on_markers = function(watcher, op, markers)
  print("on_markers", watcher, op, table.unpack(markers))
end]]

local ON_VIEW = [[
options.on_view = function(watcher, left, _, entered, _, moved)
  print("view of", watcher)
  print("left", table.unpack(left))
  print("entered", table.unpack(entered))
  print("moved", table.unpack(moved))
end]]

return {
  {
    name = "on_watchers",
    code = ON_WATCHERS,
    kinds = ALL_KINDS,
    check_order = with_borders(check_groups),
    listen = function(options, log)
      options.on_watchers = on_watchers(log)
    end,
  },
  {
    name = "on_markers",
    code = ON_MARKERS,
    kinds = ALL_KINDS,
    check_order = with_borders(check_groups),
    listen = function(options, log)
      options.on_markers = on_markers(log)
    end,
  },
  {
    name = "on_watchers and on_markers",
    code = ON_WATCHERS .. "\n" .. ON_MARKERS,
    kinds = ALL_KINDS,
    check_order = with_borders(check_both),
    listen = function(options, log)
      options.on_watchers, options.on_markers = on_watchers(log), on_markers(log)
    end,
  },
  {
    name = "on_view",
    code = ON_VIEW,
    kinds = ALL_KINDS,
    check_order = with_borders(check_views),
    listen = function(options, log)
      options.on_view = on_view(log)
    end,
  },
}
