--[[ The benchmark: `make bench`, or parts of it with `make bench ONLY="worlds plain"`; `make bench QUICK=1`
takes a few seconds and shows only that it runs; TRACE=file.csv adds recorded movement. Prints tables
and writes build/bench/results.json, from which bench/report.lua draws. How things are timed:
bench/measure.lua. ]]
local build = os.getenv("BENCH_BUILD")
if build then
  package.cpath = package.cpath .. ";" .. build .. "/?.so" -- where bench.floor is
end

local core = require "aoi.core"
local environment = require "bench.environment"

local objection = environment.objection(core)
if objection then
  io.stderr:write("bench: refused, ", objection, "; measure a plain build.\n")
  os.exit(2)
end

local json = require "dkjson"
local measure = require "bench.measure"
local output = require "bench.output"
local targets = require "bench.targets"

local order = {
  "floors", "worlds", "order", "plain", "delivery", "radii", "wide", "unheard", "c_interface", "growth",
  "calls", "queries", "memory", "crowd", "record", "areas", "trace",
}

local function split(text)
  local words = {}
  for word in (text or ""):gmatch("[%w_]+") do
    words[#words + 1] = word
  end
  return words
end

-- The scenes to run: all, or those named in ONLY.
local function chosen_scenes()
  local all, by_name, names = {}, {}, {}
  for i, file in ipairs(order) do
    all[i] = require("bench.scenes." .. file)
    by_name[all[i].name], names[i] = all[i], all[i].name
  end
  local only = split(os.getenv("ONLY"))
  if #only == 0 then
    return all
  end
  local chosen = {}
  for i, name in ipairs(only) do
    chosen[i] = by_name[name]
    if not chosen[i] then
      io.stderr:write(("bench: no part is called %s; there are: %s\n"):format(name, table.concat(names, " ")))
      os.exit(2)
    end
  end
  return chosen
end

-- QUICK= and QUICK=0 mean no.
if #split(os.getenv("QUICK")) > 0 and os.getenv("QUICK") ~= "0" then
  measure.use_quick_mode()
end

io.stdout:setvbuf("line")
local scenes = chosen_scenes()
local about = environment.describe(core, measure.settings)
print("lua-aoi benchmark: medians over the rounds (smallest..largest), CPU time")
for _, pair in ipairs(about) do
  print(("   %-15s %s"):format(pair[1], pair[2]))
end
local start = os.time()
for _, scene in ipairs(scenes) do
  local begins = os.time()
  output.title(("%s - %s"):format(scene.name, scene.text))
  scene.run()
  output.note(("(%d s)"):format(os.time() - begins))
end
local results = { environment = {}, results = output.rows }
if not measure.settings.quick then
  results.targets = targets.report()
end
for _, pair in ipairs(about) do
  results.environment[pair[1]] = pair[2]
end

local path = os.getenv("BENCH_RESULTS") or "build/bench/results.json"
local file = assert(io.open(path, "w"))
file:write(json.encode(results, { indent = true }), "\n")
file:close()
print(("\n%d s in all; numbers in %s"):format(os.time() - start, path))
