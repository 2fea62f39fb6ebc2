--[[ Draws the charts from the numbers of `make bench`: `make bench-report` reads build/bench/results.json and
writes docs/charts/*.svg with gnuplot. Charts without numbers are left out. ]]
local read_results = require "bench.results"

local results, rows = read_results(arg[1] or "build/bench/results.json")
local target = arg[2] or "docs/charts"

local names = {
  grid = "nine-grid", folded = "grid without a map", crosslist = "cross-list", quadtree = "quadtree",
}
local engines = { "grid", "folded", "crosslist", "quadtree" }
local colours = {
  grid = "#1f77b4", folded = "#7570b3", crosslist = "#d95f02", quadtree = "#1b9e77", floor = "#888888",
}

local head = [[
set terminal svg size 760,440 noenhanced font "sans-serif,13" background rgb "white" linewidth 1.5
set output "%s/%s.svg"
set title "%s"
# The key stands below: the second line keeps it clear of the label and of ticks of two lines.
set xlabel "%s\n "
set ylabel "%s"
set grid ytics lc rgb "#dddddd" lt 1
set border 3
set tics nomirror
set key below left Left reverse width -2
]]

local function draw(name, script)
  local pipe = assert(io.popen("gnuplot", "w"))
  pipe:write(script)
  if not pipe:close() then
    io.stderr:write("gnuplot failed on the chart ", name, "\n")
    os.exit(1)
  end
  print(("wrote %s/%s.svg"):format(target, name))
end

local function start(name, title, xlabel, ylabel)
  return { head:format(target, name, title, xlabel, ylabel) }
end

-- The data of one line as a gnuplot block: x, median, smallest, largest.
local function block(out, label, points)
  out[#out + 1] = ("$%s << end_of_data"):format(label)
  for _, point in ipairs(points) do
    local time = point.row.time
    out[#out + 1] = ("%g %g %g %g"):format(point.x, time.median, time.min, time.max)
  end
  out[#out + 1] = "end_of_data"
end

-- 100000 -> "100,000"
local function grouped(number)
  return (("%d"):format(number):reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", ""))
end

-- Lines over x, one for each engine, with the floor of the first.
local function chart_of_lines(name, series, field, title, xlabel)
  local out = start(name, title, xlabel, "nanoseconds a move (CPU time)")
  local plots, floor = {}, nil
  for _, engine in ipairs(engines) do
    local points = {}
    for _, row in ipairs(results.results) do
      if row.series == series and row.engine == engine then
        points[#points + 1] = { x = row[field], row = row }
      end
    end
    table.sort(points, function(a, b) return a.x < b.x end)
    if #points > 1 then
      block(out, engine, points)
      plots[#plots + 1] = ('$%s using 1:2:3:4 with yerrorlines pt 7 ps 0.5 lc rgb "%s" title "%s"'):format(
        engine, colours[engine], names[engine])
      floor = floor or points
    end
  end
  if not floor then
    return
  end
  local floors = {}
  for i, point in ipairs(floor) do
    floors[i] = { x = point.x, row = { time = point.row.floor } }
  end
  block(out, "floor", floors)
  plots[#plots + 1] = ([[$floor using 1:2 with lines dt 2 lc rgb "%s" title "baseline: empty calls only"]])
    :format(colours.floor)
  -- A tick where a point is, and room beside the first and the last.
  local ticks = {}
  for i, point in ipairs(floor) do
    ticks[i] = ('"%s" %d'):format(grouped(point.x), point.x)
  end
  out[#out + 1] = ("set logscale x\nset xrange [%g:%g]\nset xtics (%s)\nset yrange [0:*]"):format(
    floor[1].x / 1.2, floor[#floor].x * 1.2, table.concat(ticks, ", "))
  out[#out + 1] = "plot " .. table.concat(plots, ", ")
  draw(name, table.concat(out, "\n") .. "\n")
end

-- Bars in clusters: `groups` along x, one bar in each for every series { id, title, colour }.
local function chart_of_bars(name, title, xlabel, ylabel, groups, series, value)
  local out = start(name, title, xlabel, ylabel)
  local shown = {}
  for _, one in ipairs(series) do
    for _, group in ipairs(groups) do
      if value(one.id, group.id) then
        shown[#shown + 1] = one
        break
      end
    end
  end
  if #shown == 0 then
    return
  end
  local ticks = {} -- written out, since gnuplot takes a title of several lines only from there
  out[#out + 1] = "$bars << end_of_data"
  for _, group in ipairs(groups) do
    local line = {}
    for i, one in ipairs(shown) do
      local number = value(one.id, group.id)
      line[i] = number and ("%g"):format(number) or "NaN"
    end
    line = table.concat(line, " ")
    if line:find("%d") then
      ticks[#ticks + 1] = ('"%s" %d'):format(group.title, #ticks)
      out[#out + 1] = line
    end
  end
  out[#out + 1] = "end_of_data"
  out[#out + 1] = "set style data histograms\nset style histogram clustered gap 1.5"
  out[#out + 1] = "set style fill solid 0.9 noborder\nset yrange [0:*]"
  out[#out + 1] = ("set xtics scale 0 (%s)"):format(table.concat(ticks, ", "))
  local plots = {}
  for i, one in ipairs(shown) do
    plots[i] = ('$bars using %d lc rgb "%s" title "%s"'):format(i, one.colour, one.title)
  end
  out[#out + 1] = "plot " .. table.concat(plots, ", ")
  draw(name, table.concat(out, "\n") .. "\n")
end

if not os.execute(("mkdir -p '%s'"):format(target)) then
  os.exit(1)
end

chart_of_lines("entities", "entities", "entities",
  "A move by number of entities, 10 in view", "entities in the space")
chart_of_lines("density", "density", "in_view",
  "A move by density, 10,000 entities", "entities in view (radius 50)")

-- A world's letter with what it stands for (bench/worlds.lua), in lines as a tick has room for.
local world = {
  A = { id = "A", title = [[A: 1,000 walkers,\n10 in view]] },
  B = { id = "B", title = [[B: 10,000,\n10 in view]] },
  D = { id = "D", title = [[D: 100,000,\n10 in view]] },
  C = { id = "C", title = [[C: 10,000,\n100 in view]] },
  B2 = { id = "B2", title = [[B2: as B, half\nin one corner]] },
  F = { id = "F", title = [[F: as B, every\nmove a teleport]] },
}

local by_engine = {}
for i, engine in ipairs(engines) do
  by_engine[i] = { id = engine, title = names[engine], colour = colours[engine] }
end
chart_of_bars("worlds", "A move with enter and leave handlers, against empty calls only", "",
  "times the baseline (empty calls)", { world.A, world.B, world.D, world.C, world.B2, world.F }, by_engine,
  function(engine, name)
    local row = rows[("worlds/%s/%s"):format(engine, name)]
    return row and row.ratio.median
  end)

chart_of_bars("delivery", "A move in the nine-grid, by way of delivery", "",
  "nanoseconds a move (CPU time)", { world.B, world.D, world.C }, {
    { id = "per-call", title = "enter and leave, a call per event", colour = "#1f77b4" },
    { id = "deferred", title = "same, deferred", colour = "#9ecae1" },
    { id = "slack", title = "same, slack 12", colour = "#08306b" },
    { id = "all-events", title = "with move events", colour = "#d95f02" },
    { id = "grouped", title = "with move events, grouped", colour = "#fdae6b" },
    { id = "deferred-view", title = "with move events, on_view at a tick", colour = "#7f2704" },
  }, function(way, name)
    local row = rows[("delivery/%s/%s"):format(way, name)]
    return row and row.time.median
  end)

-- Lines of scene "crowd" over the number in one view: the tick's time, or the entries in a packet.
local function chart_of_crowds(name, what, title, ylabel)
  local out = start(name, title, "entities, all in one view", ylabel)
  local plots = {}
  for _, line in ipairs {
    { "uncapped", "no limit", "#d95f02" }, { "capped", "limit 50, budget 20", "#1f77b4" },
  } do
    local points = {}
    for _, n in ipairs { 500, 1000, 2000, 5000, 10000, 20000 } do
      local row = rows[("crowd/%s/%d/%s"):format(line[1], n, what)]
      if row then
        points[#points + 1] = ("%d %g"):format(n, row.value)
      end
    end
    if #points > 0 then
      out[#out + 1] = ("$%s << end_of_data\n%s\nend_of_data"):format(line[1], table.concat(points, "\n"))
      plots[#plots + 1] = ('$%s using 1:2 with linespoints pt 7 ps 0.5 lc rgb "%s" title "%s"'):format(
        line[1], line[3], line[2])
    end
  end
  if #plots == 0 then
    return
  end
  out[#out + 1] = 'set logscale xy\nset xrange [400:25000]\nset xtics ("500" 500, "1,000" 1000, ' ..
    '"2,000" 2000, "5,000" 5000, "10,000" 10000, "20,000" 20000)'
  out[#out + 1] = "plot " .. table.concat(plots, ", ")
  draw(name, table.concat(out, "\n") .. "\n")
end
chart_of_crowds("crowd-time", "tick", "A tick by the number in one view, everybody takes a step",
  "milliseconds a tick (CPU time)")
chart_of_crowds("crowd-entries", "entries", "A packet by the number in one view, everybody takes a step",
  "entries a watcher and tick")

local orders = {}
for _, name in ipairs { "B", "D", "1M" } do
  for _, which in ipairs { "in-order", "shuffled" } do
    local entities = { B = "10,000", D = "100,000", ["1M"] = "1 million" }
    orders[#orders + 1] = {
      id = which .. "/%s/" .. name, title = ([[%s,\n%s]]):format(entities[name], (which:gsub("-", " "))),
    }
  end
end
chart_of_bars("order", "A move in the nine-grid, by order and form of the calls", "",
  "nanoseconds a move (CPU time)", orders, {
    { id = "single-handlers", title = "single calls, handlers", colour = "#1f77b4" },
    { id = "filled-handlers", title = "move_all, a table filled each step, handlers", colour = "#fdae6b" },
    { id = "string-handlers", title = "move_all, a string, handlers", colour = "#d95f02" },
    { id = "string-packed", title = "move_all, a string, packed drain", colour = "#7f2704" },
    { id = "single-handlers-deferred", title = "deferred: single calls, handlers", colour = "#9ecae1" },
    { id = "string-packed-deferred", title = "deferred: move_all, a string, packed drain",
      colour = "#08306b" },
  }, function(way, column)
    local row = rows[("order/" .. column):format(way)]
    return row and row.time.median
  end)

-- How much the side of a cell matters.
local sides = {}
for _, side in ipairs { 15, 25, 50, 75, 100, 150, 200 } do
  sides[#sides + 1] = { id = tostring(side), title = tostring(side) }
end
sides[#sides + 1] = { id = "default", title = "default" }
chart_of_bars("cells", "A move in the nine-grid by side of a cell, radius 50",
  "side of a cell", "nanoseconds a move (CPU time)", sides, {
  { id = "B", title = "10 in view (world B)", colour = "#1f77b4" },
  { id = "C", title = "100 in view (world C)", colour = "#d95f02" },
}, function(name, side)
  local row = rows[("growth/cells/%s/%s"):format(name, side)]
  return row and row.time.median
end)
