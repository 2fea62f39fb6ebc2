-- Compares one crowd of robots in a single scene and in worlds of more and more regions and processes: the
-- work of each process, and the cost of borders. Counted is the CPU of processes, so that a busy machine
-- disturbs it little, without that of the robots. Robots begin where their node has a region, unless said
-- otherwise. From the environment: ROBOTS (4000); DURATION, seconds of measuring each (5); RUNS, of which the
-- middle one counts (5); ONLY, words of lines, with semicolons between; FIGURES=1: all lines go into pages.
local crowd = require "examples.world.crowd"

local RADIUS = 50
local AREA = 1280 -- of each robot: some seven others in view

-- The differences from line to line. "4 scenes" have a quarter of the map and of the robots each and no
-- border: the cost of four processes on this machine.
local LINES = {
  { "scene" },
  { "4 scenes, 4 processes", nodes = 4 },
  { "1 region, 1 process", columns = 1, rows = 1, nodes = 1 },
  { "2 regions, 1 process", columns = 2, rows = 1, nodes = 1 },
  { "2 regions, 2 processes", columns = 2, rows = 1, nodes = 2 },
  { "4 regions, 1 process", columns = 2, rows = 2, nodes = 1 },
  { "4 regions, 2 processes", columns = 2, rows = 2, nodes = 2 },
  { "4 regions, 4 processes", columns = 2, rows = 2, nodes = 4 },
  { "8 regions, 1 process", columns = 4, rows = 2, nodes = 1 },
  { "8 regions, 2 processes", columns = 4, rows = 2, nodes = 2 },
  { "8 regions, 4 processes", columns = 4, rows = 2, nodes = 4 },
  { "4, 4, robots at home", columns = 2, rows = 2, nodes = 4, home = true },
  { "4, 4, robots anywhere", columns = 2, rows = 2, nodes = 4, near = false },
  { "4, 4, strip 3 x as wide", columns = 2, rows = 2, nodes = 4, max_radius = 3 * RADIUS },
  { "scene, 3 x as dense", area = AREA / 3 },
  { "4, 4, 3 x as dense", columns = 2, rows = 2, nodes = 4, area = AREA / 3 },
}

-- The columns: a name, how it is printed, and what it is; times are milliseconds of CPU per tick, of all
-- processes unless said otherwise.
local COLUMNS = {
  { "ticks/s", "%8.1f", "ticks in a second" },
  { "busiest", "%8.1f", "of the busiest process" },
  { "all", "%6.1f", "of all" },
  { "region", "%7.1f", "of the regions or the scene" },
  { "world", "%6.1f", "of the services world" },
  { "rest", "%5.1f", "of skynet: its cluster, sockets, timers" },
  { "robots", "%7.1f", "of the robots, in none of the others" },
  { "kB", "%6.0f", "between processes, per tick" },
  { "borders", "%8.0f", "kB that regions tell each other, per tick" },
  { "ghosts", "%7.0f", "entities of other regions" },
  { "handed", "%7.1f", "hand-overs per tick" },
  { "told", "%6.0f", "kB for robots, per tick" },
}

-- A table of the columns' values for one line.
local function measure(control, line, seconds)
  local options = { robots = crowd.setting("ROBOTS", 4000), area = AREA, radius = RADIUS, near = true }
  for name, value in pairs(line) do
    options[name] = value
  end
  local self = crowd.new(control, options):start()
  local nodes = self:measure(seconds)
  self:stop()
  local ticks = math.max(1, crowd.most(nodes, "tick"))
  local ghosts = 0
  for _, node in ipairs(nodes) do
    node.cpu_own = node.cpu_process - (node.cpu_robots or 0)
    ghosts = ghosts + (node.now.ghosts or 0)
  end
  local function per_tick(name, unit)
    return crowd.sum(nodes, name) / ticks / unit
  end
  local all, robots = per_tick("cpu_own", 1e-3), per_tick("cpu_robots", 1e-3)
  local region = per_tick("cpu_region", 1e-3) + per_tick("cpu_scene", 1e-3)
  local world = per_tick("cpu_world", 1e-3)
  return {
    ["ticks/s"] = ticks / nodes[1].seconds, busiest = crowd.most(nodes, "cpu_own") / ticks * 1e3, all = all,
    region = region, world = world, rest = all - region - world, robots = robots,
    kB = per_tick("node_bytes", 1e3), borders = per_tick("border_bytes", 1e3), ghosts = ghosts,
    handed = per_tick("hand_overs", 1), told = per_tick("heard_bytes", 1e3),
  }
end

local function middle_of(values)
  table.sort(values)
  return values[(#values + 1) // 2]
end

-- For each name the middle one of the values.
local function middle(results)
  local one = {}
  for name in pairs(results[1]) do
    local values = {}
    for i, result in ipairs(results) do
      values[i] = result[name]
    end
    one[name] = middle_of(values)
  end
  return one
end

local function print_head(count)
  print(("%s, %d robots, ticks of 100 ms. Milliseconds of CPU per tick:"):format(_VERSION, count))
  local names = {}
  for i, column in ipairs(COLUMNS) do
    print(("  %-8s %s"):format(column[1], column[3]))
    names[i] = ("%" .. column[2]:match "%d+" .. "s"):format(column[1])
  end
  print((" "):rep(24) .. table.concat(names))
end

-- The price of a world: CPU of all processes, by that of the same work in scenes in the same turn.
local PRICES = {
  { "1 region, 1 process", "scene", 1.1 }, { "4 regions, 4 processes", "4 scenes, 4 processes", 1.3 },
  { "4, 4, robots at home", "4 scenes, 4 processes", 1.3 },
}

local function is_wanted(name)
  local any = false
  for words in (os.getenv "ONLY" or ""):gmatch "[^;]+" do
    any = any or name:find(words, 1, true) ~= nil
  end
  return any or (os.getenv "ONLY" or "") == ""
end

-- Columns of the table in the pages, and the CPU of all by that of the first line.
local SHOWN = { "busiest", "all", "region", "world", "rest", "robots", "ghosts", "kB" }

local function write_figures(middles)
  local rows, first = {}, middles[LINES[1][1]]
  for i, line in ipairs(LINES) do
    local result = middles[line[1]]
    rows[i] = {}
    for k, name in ipairs(SHOWN) do
      rows[i][k] = result and ((name == "ghosts" or name == "kB") and "%.0f" or "%.1f"):format(result[name])
    end
    rows[i][#SHOWN + 1] = result and first and ("%.2f"):format(result.all / first.all)
  end
  require "tools.figures".table("world-bench", "make world-bench", rows)
end

-- The lines take turns, so that what else the machine does meets all of them.
return function(control)
  local seconds, runs, all = crowd.setting("DURATION", 5), crowd.setting("RUNS", 5), {}
  print_head(crowd.setting("ROBOTS", 4000))
  for _ = 1, runs do
    for _, line in ipairs(LINES) do
      if is_wanted(line[1]) then
        all[line[1]] = all[line[1]] or {}
        table.insert(all[line[1]], measure(control, line, seconds))
      end
    end
  end
  local middles = {}
  for _, line in ipairs(LINES) do
    if all[line[1]] then
      local result, cells = middle(all[line[1]]), {}
      for i, column in ipairs(COLUMNS) do
        cells[i] = column[2]:format(result[column[1]])
      end
      middles[line[1]] = result
      print(("%-24s"):format(line[1]) .. table.concat(cells))
    end
  end
  for _, price in ipairs(PRICES) do
    local ratios = {}
    for i, scenes in ipairs(all[price[1]] and all[price[2]] or {}) do
      ratios[i] = all[price[1]][i].all / scenes.all
    end
    if ratios[1] then
      print(("%s: %.2f x %s, wanted %.1f"):format(price[1], middle_of(ratios), price[2], price[3]))
    end
  end
  if os.getenv "FIGURES" == "1" then
    write_figures(middles)
  end
end
