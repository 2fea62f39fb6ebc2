-- The little that the demo must know of its terminal. Lua can't tell by itself; the programs asked here
-- inherit our input and output.
local terminal = {}

-- "moving" where pictures can follow each other in place, in colours; else "plain".
function terminal.kind()
  local no_colour = os.getenv "NO_COLOR"
  if not os.execute "test -t 1" or os.getenv "TERM" == "dumb" or no_colour and no_colour ~= "" then
    return "plain"
  end
  local pipe = io.popen "stty size 2>/dev/null"
  local rows, columns = (pipe and pipe:read "a" or ""):match "^(%d+) (%d+)"
  if pipe then
    pipe:close()
  end
  rows, columns = tonumber(rows), tonumber(columns)
  -- A terminal that does not know its size says 0 0.
  local is_small = rows and rows > 0 and (rows < 24 or columns < 80)
  return is_small and "plain" or "moving"
end

-- Waits without computing. Returns false when the wait was interrupted: while a program runs, Ctrl-C
-- ends that program and not us.
function terminal.sleep(seconds)
  return (os.execute(("sleep %.3f"):format(seconds))) == true
end

return terminal
