-- Replays recorded movement from a file with the columns time,id,x,y, ordered by time: an id enters at
-- its first row, moves with each further one, and leaves after the time of its last.
local aoi = require "aoi"
local summary = require "examples.demo.summary"

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

-- Plays all rows into a space; returns the number of calls and the most entities at once.
function replay.play(rows, space, show)
  local calls, most, leaving = 0, 0, {}
  local inside = {}
  for i = 1, rows.n do
    local id = rows.id[i]
    if inside[id] then
      space:move(id, rows.x[i], rows.y[i])
    else
      inside[id] = true
      space:enter(id, rows.x[i], rows.y[i])
      most = math.max(most, #space)
    end
    calls = calls + 1
    if rows.last[id] == i then
      leaving[#leaving + 1] = id
    end
    if rows.time[i] ~= rows.time[i + 1] then -- this time is over
      for k, gone in ipairs(leaving) do
        space:leave(gone)
        calls = calls + 1
        leaving[k] = nil
      end
      show(("time %s, %d inside, %s calls"):format(rows.time[i], #space, summary.number(calls)))
    end
  end
  return calls, most
end

-- Replays a file on all engines and prints a summary for each. Without a radius the view is an
-- eighth of the longer side of the map. Returns true, or nil and what is wrong.
function replay.run(name, radius)
  local file, message = io.open(name)
  if not file then
    return nil, message
  end
  local rows
  rows, message = replay.read(file:lines())
  file:close()
  if not rows then
    return nil, ("%s: %s"):format(name, message)
  end
  radius = radius or math.max(rows.width, rows.height) / 8

  local told = {}
  for _, engine in ipairs { "grid", "crosslist", "quadtree" } do
    local options = { engine = engine, radius = radius }
    if engine ~= "crosslist" then
      options.x, options.y, options.width, options.height = rows.min_x, rows.min_y, rows.width, rows.height
    end
    local counts, handlers = summary.counters()
    local space = aoi.new(options)
    space:on(handlers)
    local show = summary.progress(1)
    local start = os.clock()
    local calls, most = replay.play(rows, space, show)
    local seconds = os.clock() - start
    show(nil, true)
    io.write(("%s rows of %s on %.4g x %.4g, a view of %.4g, at most %d inside, engine %s\n"):format(
      summary.number(rows.n), name, rows.width, rows.height, radius, most, engine))
    summary.print(calls, counts, seconds)
    told[engine] = ("%d %d %d"):format(counts.enter, counts.leave, counts.move)
    space:close()
  end
  if told.grid ~= told.crosslist or told.grid ~= told.quadtree then
    return nil, "the engines do not tell the same events"
  end
  io.write "All engines told the same numbers of events.\n"
  return true
end

return replay
