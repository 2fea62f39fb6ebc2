-- Replays movement on all engines and compares them in a table. It comes from a file with the columns
-- time,id,x,y, ordered by time, or is made: an id enters at its first row, moves with each further one, and
-- leaves after the time of its last.
local aoi = require "aoi"

local replay = {}

-- Reads the rows; returns a table of columns with the map around them, or nil and what is wrong.
function replay.read(lines)
  local rows = { time = {}, id = {}, x = {}, y = {}, last = {} }
  local min_x, min_y, max_x, max_y = math.huge, math.huge, -math.huge, -math.huge
  local n, line_number = 0, 0
  for line in lines do
    line_number = line_number + 1
    local time, id, x, y = line:match "^%s*([^,]+),([^,]+),([^,]+),([^,]-)%s*$"
    time, id, x, y = tonumber(time), math.tointeger(tonumber(id)), tonumber(x), tonumber(y)
    if time and id and x and y then
      if n > 0 and time < rows.time[n] then
        return nil, ("line %d: time %s comes after %s"):format(line_number, time, rows.time[n])
      end
      n = n + 1
      rows.time[n], rows.id[n], rows.x[n], rows.y[n] = time, id, x, y
      rows.last[id] = n
      min_x, max_x = math.min(min_x, x), math.max(max_x, x)
      min_y, max_y = math.min(min_y, y), math.max(max_y, y)
    elseif line_number > 1 and line:find "%S" then -- the first line may hold the names
      return nil, ("line %d is not time,id,x,y: %s"):format(line_number, line)
    end
  end
  if n == 0 then
    return nil, "it has no rows time,id,x,y"
  end
  rows.n, rows.min_x, rows.min_y = n, min_x, min_y
  rows.width, rows.height = math.max(max_x - min_x, 1), math.max(max_y - min_y, 1)
  return rows
end

-- The rows of a file, or nil and what is wrong.
function replay.read_file(name)
  local file, message = io.open(name)
  if not file then
    return nil, message
  end
  local rows
  rows, message = replay.read(file:lines())
  file:close()
  return rows, message and ("%s: %s"):format(name, message)
end

-- Plays all rows into a space; returns the number of calls, the most entities at once and the most bytes.
function replay.play(rows, space)
  local calls, most, bytes, leaving = 0, 0, 0, {}
  local inside = {}
  for i = 1, rows.n do
    local id = rows.id[i]
    if inside[id] then
      space:move(id, rows.x[i], rows.y[i])
    else
      inside[id] = true
      space:enter(id, rows.x[i], rows.y[i])
    end
    calls = calls + 1
    if rows.last[id] == i then
      leaving[#leaving + 1] = id
    end
    if rows.time[i] ~= rows.time[i + 1] then -- this time is over
      if #space > most then
        most, bytes = #space, space:stats().bytes
      end
      for k, gone in ipairs(leaving) do
        space:leave(gone)
        calls = calls + 1
        leaving[k] = nil
      end
    end
  end
  return calls, most, bytes
end

-- 1234567.8 -> "1,234,568"
function replay.number(value)
  local digits = ("%.0f"):format(value)
  local grouped = digits:reverse():gsub("(%d%d%d)", "%1,"):reverse()
  return (grouped:gsub("^,", ""))
end

-- Plays the rows on one engine, first with all handlers, then without on_move; returns what the table shows.
function replay.measure(rows, engine, radius)
  local options = { engine = engine, radius = radius }
  if engine ~= "crosslist" then
    options.x, options.y, options.width, options.height = rows.min_x, rows.min_y, rows.width, rows.height
  end
  local counts
  local handlers = {
    on_enter = function() counts.enter = counts.enter + 1 end,
    on_leave = function() counts.leave = counts.leave + 1 end,
    on_move = function() counts.move = counts.move + 1 end,
  }
  local function run()
    counts = { enter = 0, leave = 0, move = 0 }
    local space = aoi.new(options)
    space:on(handlers)
    collectgarbage()
    local start = os.clock()
    counts.calls, counts.most, counts.bytes = replay.play(rows, space)
    counts.time = (os.clock() - start) / counts.calls * 1e9
    space:close()
    return counts
  end
  local column = run()
  handlers.on_move = nil
  column.time_without_moves = run().time
  return column
end

local lines = {
  { "calls: enter, move, leave", function(column) return column.calls end },
  { "events", function(column) return column.enter + column.leave + column.move end },
  { "  enter", function(column) return column.enter end },
  { "  leave", function(column) return column.leave end },
  { "  move", function(column) return column.move end },
  { "ns a call, all events told", function(column) return column.time end },
  { "  told enter, leave only", function(column) return column.time_without_moves end },
  { "memory of the space, kB", function(column) return column.bytes / 1000 end },
}

--[[ Replays rows on all engines and prints a table. Without a radius the view is an eighth of the longer side
of the map. Returns true, or nil and what is wrong. ]]
function replay.compare(rows, name, radius, write)
  write = write or io.write
  radius = radius or math.max(rows.width, rows.height) / 8
  local engines, columns = { "grid", "crosslist", "quadtree" }, {}
  for i, engine in ipairs(engines) do
    columns[i] = replay.measure(rows, engine, radius)
  end
  write(("Movement of %s: at most %s at once on %.4g x %.4g, a view of %.4g.\n\n"):format(name,
    replay.number(columns[1].most), rows.width, rows.height, radius))
  write(("%-28s%14s%14s%14s\n"):format("", table.unpack(engines)))
  for _, line in ipairs(lines) do
    local cells = {}
    for i, column in ipairs(columns) do
      cells[i] = replay.number(line[2](column))
    end
    write(("%-28s%14s%14s%14s\n"):format(line[1], table.unpack(cells)))
  end
  write "\nNanoseconds of computing, this script and its handlers included.\n"
  for i = 2, #columns do
    for _, kind in ipairs { "calls", "enter", "leave", "move" } do
      if columns[i][kind] ~= columns[1][kind] then
        return nil, ("%s and %s tell different numbers of events"):format(engines[1], engines[i])
      end
    end
  end
  return true
end

return replay
