-- Counts calls and events, shows progress while they happen, and a summary at the end.
local summary = {}

-- Lua can't tell a terminal by itself; this program inherits our output.
local function is_terminal()
  local ok, _, code = os.execute "test -t 1"
  return ok == true and code == 0
end

-- 1234567.8 -> "1,234,568"
function summary.number(value)
  local digits = ("%.0f"):format(value)
  local grouped = digits:reverse():gsub("(%d%d%d)", "%1,"):reverse()
  return (grouped:gsub("^,", ""))
end

-- Handlers that count, for aoi.new or space:on, and the counts.
function summary.counters()
  local counts = { enter = 0, leave = 0, move = 0 }
  local handlers = {
    on_enter = function() counts.enter = counts.enter + 1 end,
    on_leave = function() counts.leave = counts.leave + 1 end,
    on_move = function() counts.move = counts.move + 1 end,
  }
  return counts, handlers
end

-- A function show(text): one line that is rewritten several times a second on a terminal; elsewhere
-- a line every `pause` seconds.
function summary.progress(pause)
  local terminal = is_terminal()
  pause = terminal and 0.1 or pause
  local next_time = os.clock() + pause
  return function(text, is_last)
    if is_last and terminal then
      io.write "\r\27[K"
    elseif not is_last and os.clock() >= next_time then
      next_time = os.clock() + pause
      io.write(terminal and "\r\27[K  " or "  ", text, terminal and "" or "\n")
      io.flush()
    end
  end
end

-- Prints what happened in so many seconds of computing.
function summary.print(calls, counts, seconds)
  local events = counts.enter + counts.leave + counts.move
  local function row(name, count)
    io.write(("  %-7s %14s %16s a second\n"):format(name, summary.number(count),
      summary.number(count / seconds)))
  end
  row("calls", calls)
  row("events", events)
  row("enter", counts.enter)
  row("leave", counts.leave)
  row("move", counts.move)
  io.write(("  in %.2f seconds of computing, this script's own part included\n\n"):format(seconds))
end

return summary
