-- Ways to hear of events one by one, for the comparison with the model.

local packed = require "spec.support.packed_rows"

-- A log of events: a list of { watcher, marker, op }.

local function log_into(log, op)
  return function(watcher, marker, heard_op)
    log[#log + 1] = { watcher, marker, op or heard_op }
  end
end

-- Moves what has been collected into the log.
local function log_collected(log, flat, n)
  for i = 1, 3 * n, 3 do
    log[#log + 1] = { flat[i], flat[i + 1], flat[i + 2] }
  end
  if flat[3 * n + 1] ~= nil then
    error("drain gave more than it counted")
  end
end

local function drain_into(log, space)
  log_collected(log, space:drain({}))
end

local function drain_packed_into(log, space)
  local rows, n = space:drain("packed")
  log_collected(log, packed.to_events(rows), n)
end

local function lines(...)
  return table.concat({ ... }, "\n")
end

local PRINT_DRAINED = "print(table.unpack((space:drain({}))))"
local PRINT_PACKED = lines(
  'for watcher, marker, op in space:drain("packed"):gmatch "(........)(........)(.)" do',
  '  print(("<i8"):unpack(watcher), ("<i8"):unpack(marker), ({ "enter", "leave", nil, "move" })[op:byte()])',
  'end')

-- The ways to hear of events; a space computes only what somebody hears, so each takes paths of
-- its own. `kinds` are those it hears; `listen` adds what it needs to the options; `gather`, where
-- there is one, brings waiting events into the log after each call; check_order(log, first, last,
-- change) stands for the usual order of kinds. `code` and `code_after_call` do the like in a
-- printed program. A call of `on` replaces one by another, except one that gathers: its handlers
-- are set anew.
return {
  {
    name = "on_event",
    code = 'options.on_event = print',
    kinds = { leave = true, enter = true, move = true },
    listen = function(options, log)
      options.on_event = log_into(log)
    end,
  },
  {
    name = "one handler per kind",
    code = lines(
      'options.on_leave = function(w, m) print(w, m, "leave") end',
      'options.on_enter = function(w, m) print(w, m, "enter") end',
      'options.on_move = function(w, m) print(w, m, "move") end'),
    kinds = { leave = true, enter = true, move = true },
    listen = function(options, log)
      options.on_leave = log_into(log, "leave")
      options.on_enter = log_into(log, "enter")
      options.on_move = log_into(log, "move")
    end,
  },
  {
    name = "enter and leave only",
    code = lines(
      'options.on_leave = function(w, m) print(w, m, "leave") end',
      'options.on_enter = function(w, m) print(w, m, "enter") end'),
    kinds = { leave = true, enter = true },
    listen = function(options, log)
      options.on_leave = log_into(log, "leave")
      options.on_enter = log_into(log, "enter")
    end,
  },
  {
    name = "move only",
    code = 'options.on_move = function(w, m) print(w, m, "move") end',
    kinds = { move = true },
    listen = function(options, log)
      options.on_move = log_into(log, "move")
    end,
  },
  {
    name = "collect",
    code = 'options.collect = true',
    code_after_call = PRINT_DRAINED,
    kinds = { leave = true, enter = true, move = true },
    listen = function(options)
      options.collect = true
    end,
    gather = drain_into,
  },
  {
    name = "collect enter and leave",
    code = 'options.collect = { "enter", "leave" }',
    code_after_call = PRINT_DRAINED,
    kinds = { leave = true, enter = true },
    listen = function(options)
      options.collect = { "enter", "leave" }
    end,
    gather = drain_into,
  },
  {
    name = "collect, packed",
    code = 'options.collect = true',
    code_after_call = PRINT_PACKED,
    kinds = { leave = true, enter = true, move = true },
    listen = function(options)
      options.collect = true
    end,
    gather = drain_packed_into,
  },
}
