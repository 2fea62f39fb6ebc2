-- make world-model: runs schedules of the seeds FIRST .. LAST, each worker every WORKERS-th, and prints the
-- first failing ones, made short. SEED=n runs that one alone. Ends with status 1 when one has failed.
local schedules = require "spec.world_model.schedules"

local only = math.tointeger(tonumber(os.getenv "SEED"))
local worker, workers = tonumber(arg[1]) or 1, tonumber(arg[2]) or 1
local count = tonumber(os.getenv "SCHEDULES") or 100000
local first = tonumber(os.getenv "FIRST") or 1

local function report(seed)
  local plan = schedules.shrink(schedules.draw(seed))
  print(("%s\n%s"):format(schedules.describe(plan), schedules.run(plan)))
end

local totals, failed = {}, 0

local function run(seed)
  local breach, counts = schedules.run(schedules.draw(seed))
  for name, n in pairs(counts) do
    totals[name] = (totals[name] or 0) + n
  end
  if breach then
    failed = failed + 1
    report(seed)
  end
end

local run_count = 0
if only then
  if worker == 1 then
    run(only)
    run_count = 1
  end
else
  for seed = first + worker - 1, first + count - 1, workers do
    run(seed)
    run_count = run_count + 1
    if failed == 5 then
      break
    end
  end
end
if run_count > 0 then
  print(("world-model: %d schedules, %d failed; %d configurations, %d ticks of members, %d commands applied"):format(
    run_count, failed, totals.configurations, totals.ticks, totals.applied))
end
os.exit(failed == 0)
