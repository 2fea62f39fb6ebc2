--[[ Ten seconds of a walker's view, drawn in the terminal with the events beside it. The lit letters follow
from the events alone. On a terminal the pictures follow each other in place; elsewhere a few are printed. ]]
local terminal = require "examples.demo.terminal"
local walk = require "examples.demo.walk"

local view = {}

local COLUMNS, ROWS = 52, 18 -- of the map; a character is about twice as high as wide
local STEPS, PAUSE = 200, 0.05
local SHOWN_IN_PLAIN = { [0] = true, [70] = true, [140] = true }
local GLOW = 12 -- steps for which a change is marked
local LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn" -- without the o of those that are not seen

local function letter(id)
  return LETTERS:sub(id, id)
end

-- 256 colours. What is seen stands on a dark disc, so it reads on a dark and on a light terminal.
local GROUND = "48;5;237"
local styles = {
  frame = "38;5;244",
  watcher = "1;38;5;16;48;5;39",
  unseen = "38;5;245",
  gone = "38;5;167",
  seen = "1;38;5;214;" .. GROUND,
  new = "1;38;5;16;48;5;214",
  ground = GROUND,
  enter = "38;5;208",
  leave = "38;5;245",
}

local function paint(text, style)
  return ("\27[%sm%s\27[0m"):format(styles[style], text)
end

local function plainly(text)
  return text
end

local function cell(x, y)
  return math.min(math.floor(x / walk.width * COLUMNS), COLUMNS - 1) + 1,
    math.min(math.floor((1 - y / walk.height) * ROWS), ROWS - 1) + 1
end

-- Whether the middle of a cell is inside the watcher's view.
local function is_in_view(column, row, x, y)
  local dx = (column - 0.5) / COLUMNS * walk.width - x
  local dy = (1 - (row - 0.5) / ROWS) * walk.height - y
  return dx * dx + dy * dy <= walk.radius * walk.radius
end

-- An empty picture's state: `seen[id]` is the step at which it came into view, `gone[id]` at which it left.
function view.new_state()
  return { seen = {}, gone = {}, log = {}, told = 0 }
end

-- Takes over the events of a step.
function view.update(state, step, events, n)
  for i = 1, n do
    local op, id = events[i][1], events[i][2]
    state.seen[id] = op == "enter" and step or nil
    state.gone[id] = op == "leave" and step or nil
    table.insert(state.log, { step = step, op = op, id = id })
    if #state.log > ROWS then
      table.remove(state.log, 1)
    end
  end
  state.told = state.told + n
end

-- The content of a cell of the map: a character and its style.
local function map_cells(state, step, in_colours)
  local cells = {}
  local function put(id, text, style)
    local column, row = cell(walk.place(id, step / STEPS))
    cells[(row - 1) * COLUMNS + column] = { text, style }
  end
  for id = 1, walk.walkers do
    if not state.seen[id] then
      local just_now = in_colours and state.gone[id] and step - state.gone[id] < GLOW
      put(id, just_now and letter(id) or "o", just_now and "gone" or "unseen")
    end
  end
  for id = 1, walk.walkers do -- above the others
    local since = state.seen[id]
    if since then
      put(id, letter(id), step > 0 and step - since < GLOW and "new" or "seen")
    end
  end
  put(walk.watcher, "@", "watcher")
  return cells
end

local function row_of_map(cells, row, x, y, in_colours, style)
  local out = {}
  for column = 1, COLUMNS do
    local one = cells[(row - 1) * COLUMNS + column]
    local inside = is_in_view(column, row, x, y)
    if one then
      out[column] = style(one[1], one[2])
    elseif in_colours then
      out[column] = inside and style(" ", "ground") or " "
    else -- without colours only the rim can be shown
      local is_amid = is_in_view(column - 1, row, x, y) and is_in_view(column + 1, row, x, y)
        and is_in_view(column, row - 1, x, y) and is_in_view(column, row + 1, x, y)
      out[column] = inside and not is_amid and "." or " "
    end
  end
  return table.concat(out)
end

-- The lines of a picture, at most 79 characters wide beside the colours.
function view.picture(state, step, in_colours)
  local style = in_colours and paint or plainly
  local x, y = walk.place(walk.watcher, step / STEPS)
  local cells = map_cells(state, step, in_colours)
  local edge = style("+" .. ("-"):rep(COLUMNS) .. "+", "frame")
  local wall = style("|", "frame")
  local lines = {
    ("@ walks among %d others and is told who comes into its view and who leaves it."):format(walk.walkers),
    edge .. "  its events",
  }
  for row = 1, ROWS do
    local entry, text = state.log[row], ""
    if entry then
      text = style(("%5.2f s  %s %s"):format(entry.step * PAUSE, entry.op, letter(entry.id)), entry.op)
    end
    lines[#lines + 1] = wall .. row_of_map(cells, row, x, y, in_colours, style) .. wall .. "  " .. text
  end
  lines[#lines + 1] = edge
  local names = {}
  for id = 1, walk.walkers do
    names[#names + 1] = state.seen[id] and letter(id) or nil
  end
  lines[#lines + 1] = ("%5.2f s   sees %-20s %6d moves made, %3d events told"):format(step * PAUSE,
    table.concat(names), step * (walk.walkers + 1), state.told)
  return lines
end

local INTERRUPTED = {}

-- Shows it all, in a few seconds or, when plain, at once. Returns "interrupted" after Ctrl-C. An error
-- leaves the terminal as it was, too.
function view.show(kind, write, sleep)
  write, sleep = write or io.write, sleep or terminal.sleep
  local moving, state = kind == "moving", view.new_state()
  local height
  local function shown(step, events, n)
    view.update(state, step, events, n)
    if moving then
      local lines = view.picture(state, step, true)
      -- Over the picture before; what a longer line left behind it is erased.
      write((height and ("\27[%dA"):format(height) or "\27[?25l"), table.concat(lines, "\27[K\n"), "\27[K\n")
      io.stdout:flush()
      height = #lines
      if not sleep(PAUSE) then
        error(INTERRUPTED, 0)
      end
    elseif SHOWN_IN_PLAIN[step] then
      write(table.concat(view.picture(state, step, false), "\n"):gsub(" +\n", "\n"), "\n\n")
    end
  end

  if moving and write == io.write then
    io.stdout:setvbuf "full" -- a picture in one piece
  end
  local ok, problem = pcall(walk.play, STEPS, shown)
  if moving then
    write "\27[?25h\n"
    if write == io.write then
      io.stdout:setvbuf "line"
    end
  end
  if not ok and problem ~= INTERRUPTED then
    error(problem, 0)
  end
  return not ok and "interrupted" or nil
end

return view
