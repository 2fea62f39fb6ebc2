-- Measures what extras and properties cost a scene: walkers go from one scene to another, and again, while
-- each is measured in its turn. For bench.lua. From the environment: WALKERS (1000 4000), ROUNDS (3);
-- FIGURES=1: the ratios go into the pages, as the table skynet-costs.
local skynet = require "skynet"
local side_by_side = require "aoi.skynet.side_by_side"

local costs = {}

local AREA = 1280 -- of a walker: some seven others in view
local SETTLE = 150 -- hundredths of a second from coming in until the measuring
local MEASURE = 400

local CROWD = "limit=100 rates=25:1,huge:2"

-- Ratios are to the one before with `base`. cpu, bytes: the most that they are to be. row: in the table.
local SCENES = {
  { name = "nothing", base = true },
  { name = "an extra", words = "extras=1", kind = "extras", cpu = 1.15, bytes = 1.3, row = 1 },
  { name = "a property", kind = "property", cpu = 2, row = 2 },
  { name = "crowd: nothing", words = CROWD, base = true },
  { name = "crowd: an extra", words = CROWD .. " extras=1", kind = "extras", row = 3 },
  { name = "crowd: a property", words = CROWD, kind = "property", cpu = 2, row = 4 },
}

-- Numbers of walkers in the table: CPU for each of them, and then bytes.
local IN_TABLE = { 1000, 4000 }

-- Calls each of the services at once.
local function call_all(services, ...)
  local calls, args = {}, table.pack(...)
  for i, service in ipairs(services) do
    calls[i] = function()
      skynet.call(service, "lua", table.unpack(args, 1, args.n))
    end
  end
  for _, result in ipairs(side_by_side(calls)) do
    assert(table.unpack(result, 1, result.n))
  end
end

local function start_scene(side, words)
  local list = { "engine=grid", "width=" .. side, "height=" .. side, "radius=50", "tick=100" }
  for word in (words or ""):gmatch "%S+" do
    list[#list + 1] = word
  end
  return skynet.newservice("scene", table.unpack(list))
end

-- Milliseconds of CPU and bytes of a tick.
local function measure(scene)
  skynet.sleep(SETTLE)
  local before = skynet.call(scene, "lua", "stats")
  skynet.sleep(MEASURE)
  local after = skynet.call(scene, "lua", "stats")
  local ticks = math.max(1, after.ticks - before.ticks)
  return { cpu = (after.cpu - before.cpu) / ticks, bytes = (after.bytes_sent - before.bytes_sent) / ticks,
    moves = (after.moves - before.moves) / ticks }
end

local function median(list, name)
  local values = {}
  for i, result in ipairs(list) do
    values[i] = result[name]
  end
  table.sort(values)
  return values[(#values + 1) // 2]
end

-- A ratio, and behind it the most that it is to be.
local function beside(ratio, most)
  return ("%.2f%s"):format(ratio, most and (" (%g)"):format(most) or "")
end

-- Prints what was measured, and puts the ratios into the rows of the table.
local function take_results(count, results, rows)
  print(("%-20s %10s %12s %12s %14s %14s"):format(count .. " walkers with", "moves", "CPU scene", "bytes",
    "CPU ratio", "bytes ratio"))
  local cpu_before, bytes_before
  for i, scene in ipairs(SCENES) do
    local cpu, bytes = median(results[i], "cpu"), median(results[i], "bytes")
    if scene.base then
      cpu_before, bytes_before = cpu, bytes
    end
    print(("%-20s %10.0f %9.2f ms %12.0f %14s %14s"):format(scene.name, median(results[i], "moves"), cpu,
      bytes, beside(cpu / cpu_before, scene.cpu), beside(bytes / bytes_before, scene.bytes)))
    for k, in_table in ipairs(scene.row and IN_TABLE or {}) do
      if count == in_table then
        rows[scene.row][k] = ("%.2f"):format(cpu / cpu_before)
        rows[scene.row][#IN_TABLE + k] = ("%.2f"):format(bytes / bytes_before)
      end
    end
  end
end

local function compare(count, rounds, rows)
  local side = math.ceil(math.sqrt(count * AREA))
  local walkers, scenes, results = {}, {}, {}
  for id = 1, count do
    walkers[id] = skynet.newservice("walker", id, side)
  end
  for i, scene in ipairs(SCENES) do
    scenes[i], results[i] = start_scene(side, scene.words), {}
  end
  for _ = 1, rounds do
    for i, scene in ipairs(SCENES) do
      call_all(walkers, "go", scenes[i], scene.kind)
      table.insert(results[i], measure(scenes[i]))
    end
  end
  call_all(walkers, "go", false)
  for _, service in ipairs(walkers) do
    skynet.send(service, "debug", "EXIT")
  end
  for _, service in ipairs(scenes) do
    skynet.send(service, "debug", "EXIT")
  end
  take_results(count, results, rows)
  io.stdout:flush()
end

-- Seconds that it takes at least, and should not take by far.
function costs.run()
  local rounds = tonumber(os.getenv "ROUNDS" or "") or 3
  local rows = {} -- of the table; false: not measured
  for _, scene in ipairs(SCENES) do
    if scene.row then
      rows[scene.row] = { false, false, false, false }
    end
  end
  for count in (os.getenv "WALKERS" or "1000 4000"):gmatch "%d+" do
    compare(tonumber(count), rounds, rows)
  end
  if os.getenv "FIGURES" == "1" then
    require("tools.figures").table("skynet-costs", "make skynet-bench", rows)
  end
end

return costs
