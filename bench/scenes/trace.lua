--[[ Recorded movement: a file with the columns time,id,x,y, named by TRACE. An id enters at its first row
and leaves after its last. The recording is laid side by side, as it is, until about 500 are inside at
once; everybody sees 4 units far (metres, in the usual recordings). It is played with enter and leave told,
with all events, and with a boss and teams: one is seen from ten times as far, and everybody always sees the
four others of its team. ]]
local measure = require "bench.measure"
local output = require "bench.output"
local features = require "bench.features"
local spaces = require "bench.spaces"

local trace = { name = "trace", text = "recorded movement (TRACE=file.csv), every event told" }

local WALKERS, RADIUS = 500, 4
local BOSS, TEAM = { visible_radius = 10 * RADIUS }, 5
local MOVE, ENTER, LEAVE = 0, 1, 2

local function read(path)
  local rows, last_row = {}, {}
  for line in io.lines(path) do
    local time, id, x, y = line:match("^%s*([^,]+),([^,]+),([^,]+),([^,%s]+)")
    time, id, x, y = tonumber(time), math.tointeger(tonumber(id)), tonumber(x), tonumber(y)
    if time and id and x and y then -- the line with the names of the columns has no numbers
      rows[#rows + 1] = { time = time, id = id, x = x, y = y, number = #rows + 1 }
    end
  end
  assert(#rows > 0, path .. " has no rows time,id,x,y")
  table.sort(rows, function(a, b)
    if a.time ~= b.time then
      return a.time < b.time
    end
    return a.number < b.number
  end)
  for i, row in ipairs(rows) do
    last_row[row.id] = i
  end
  return rows, last_row
end

-- Calls as one flat array: what to do, id, x, y, ...; and their number, the size of the map, the copies.
local function calls_of(path)
  local rows, last_row = read(path)
  local low_x, low_y, high_x, high_y = math.huge, math.huge, -math.huge, -math.huge
  local times, count = {}, 0
  for _, row in ipairs(rows) do
    low_x, low_y = math.min(low_x, row.x), math.min(low_y, row.y)
    high_x, high_y = math.max(high_x, row.x), math.max(high_y, row.y)
    if not times[row.time] then
      times[row.time], count = true, count + 1
    end
  end
  local width, height = high_x - low_x, high_y - low_y
  local inside_at_once = #rows / count
  local per_side = math.max(1, math.ceil(math.sqrt(WALKERS / inside_at_once)))
  local copies = per_side * per_side
  local calls, inside, at = {}, {}, 0
  local function add(what, id, x, y)
    calls[at + 1], calls[at + 2], calls[at + 3], calls[at + 4] = what, id, x, y
    at = at + 4
  end
  for i, row in ipairs(rows) do
    for copy = 0, copies - 1 do
      local id = row.id * copies + copy
      add(inside[row.id] and MOVE or ENTER, id,
        row.x - low_x + copy % per_side * width, row.y - low_y + copy // per_side * height)
      if last_row[row.id] == i then
        add(LEAVE, id, 0, 0)
      end
    end
    inside[row.id] = true
  end
  local size = per_side * math.max(width, height)
  return calls, at // 4, { size = size }, copies, inside_at_once * copies
end

local function play(space, calls)
  for at = 1, #calls, 4 do
    local what = calls[at]
    if what == MOVE then
      space:move(calls[at + 1], calls[at + 2], calls[at + 3])
    elseif what == ENTER then
      space:enter(calls[at + 1], calls[at + 2], calls[at + 3])
    else
      space:leave(calls[at + 1])
    end
  end
end

local function make_team(space, id)
  local first = id // TEAM * TEAM
  for mate = first, first + TEAM - 1 do
    if mate ~= id then
      space:set_sight(id, mate, true)
    end
  end
end

-- As play, with the boss: the id that enters first.
local function play_with_boss(space, calls)
  local boss = calls[2]
  for at = 1, #calls, 4 do
    local what, id = calls[at], calls[at + 1]
    if what == MOVE then
      space:move(id, calls[at + 2], calls[at + 3])
    elseif what == ENTER then
      space:enter(id, calls[at + 2], calls[at + 3], id == boss and BOSS or nil)
      make_team(space, id)
    else
      space:leave(id)
    end
  end
end

-- The row, its text, the handlers, and how the calls are played.
local kinds = {
  { "enter_leave", "on_enter + on_leave", spaces.enter_leave, play },
  { "all_events", "on_event", spaces.all_events, play },
  { "boss", "on_enter + on_leave, boss, teams", spaces.enter_leave, play_with_boss },
}

function trace.run()
  local path = os.getenv("TRACE")
  if not path or path == "" then
    output.note("no TRACE named")
    return
  end
  local calls, count, world, copies, inside = calls_of(path)
  output.note(("%d copies of the recording side by side, %.0f walkers inside on average, %d calls"):format(
    copies, inside, count))
  local cases = {}
  for _, engine in ipairs(features.engines) do
    if features.has(engine) then
      for _, kind in ipairs(kinds) do
        local space = spaces.new(engine, world, { radius = RADIUS }, kind[3])
        cases[#cases + 1] = {
          engine = engine, kind = kind, space = space, calls = count,
          play = function()
            kind[4](space, calls)
          end,
        }
      end
    end
  end
  measure.run(cases)
  output.header()
  for _, case in ipairs(cases) do
    output.row(("trace/%s/%s"):format(case.engine, case.kind[1]),
      ("%s, %s"):format(case.engine, case.kind[2]), case, { engine = case.engine })
    case.space:close()
  end
end

return trace
