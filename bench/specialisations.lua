--[[ The gain of each specialisation, `make bench-specialisations`: how many times as long a move takes in
builds without it (src/base/specialised.h), in order and shuffled. The builds take turns in one process:
bench/alternate.lua. Arguments: the folder with a folder for each build (usual, AVX2 ...), then the words
that a row must have. ]]
local alternate = require "bench.alternate"

local WORLDS = { "A", "B", "C", "D" }

-- The engine, the way of telling, and the specialisations left out there.
local sections = {
  { "grid", "per call", { "AVX2", "FUSED_STEP", "LOOK_AHEAD" } },
  { "grid", "with moves", { "AVX2", "FUSED_STEP" } },
  { "grid", "deferred", { "AVX2", "LATE_MOVES" } },
  { "quadtree", "per call", { "AVX2" } },
  { "quadtree", "deferred", { "LATE_MOVES" } },
  { "crosslist", "per call", { "AVX2" } },
}

local folder, words = arg[1], { table.unpack(arg, 2) }
if not folder then
  io.stderr:write("usage: specialisations.lua folder [words]\n")
  os.exit(2)
end

local cores = {}
local function core_of(build)
  cores[build] = cores[build] or alternate.load(("%s/%s/aoi/core.so"):format(folder, build))
  return cores[build]
end

local function is_wanted(...)
  local name = table.concat({ "", ... }, " ") .. " "
  for _, word in ipairs(words) do
    if not name:find(" " .. word .. " ", 1, true) then
      return false
    end
  end
  return true
end

local function cell(ratio)
  return ("%6.2f ±%.2f"):format(ratio.median, (ratio.high - ratio.low) / 2)
end

-- One section: the cells of each build, by order and world. World after world, as making one takes a while.
local function measure_section(engine, way, builds)
  local list = { core_of "usual" }
  for i, build in ipairs(builds) do
    list[i + 1] = core_of(build)
  end
  local rows = {}
  for _, world in ipairs(WORLDS) do
    for _, shuffled in ipairs { false, true } do
      local case = { engine = engine, way = way, world = world, shuffled = shuffled }
      local results, same = alternate.run(list, case)
      if not same then
        error(("%s %s, %s: the builds tell different events"):format(engine, way, world), 0)
      end
      for i in ipairs(builds) do
        rows[i] = rows[i] or { [false] = {}, [true] = {} }
        table.insert(rows[i][shuffled], cell(results[i + 1].ratio))
      end
    end
  end
  return rows
end

local function print_row(...)
  print(("%-14s %-9s %-10s %-8s  %s"):format(...))
end

io.stdout:setvbuf "line"
print "how many times as long a move takes without it"
print_row("without", "engine", "way", "order", table.concat(WORLDS, "            "))
for _, section in ipairs(sections) do
  local engine, way, builds = table.unpack(section)
  local chosen = {}
  for _, build in ipairs(builds) do
    if is_wanted(build, engine, way) then
      chosen[#chosen + 1] = build
    end
  end
  if #chosen > 0 then
    for i, row in ipairs(measure_section(engine, way, chosen)) do
      for _, shuffled in ipairs { false, true } do
        print_row(chosen[i], engine, way, shuffled and "shuffled" or "in order",
          table.concat(row[shuffled], "  "))
      end
    end
  end
end
