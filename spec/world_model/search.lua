-- make world-model: runs schedules and prints failing ones, made short; ends with status 1 when one has
-- failed.
--   search.lua random WORKER WORKERS      seeds FIRST .. FIRST + SCHEDULES - 1, every WORKERS-th
--   search.lua exhaustive WORKER WORKERS  all courses of few events on two nodes
--   search.lua faults WORKER WORKERS      each fault of faults.lua must be found within SCHEDULES seeds
--   search.lua seed SEED                  one seed alone
local planted = require "spec.world_model.planted"
local schedules = require "spec.world_model.schedules"
local exhaustive = require "spec.world_model.exhaustive"

local kind, worker, workers = arg[1], math.tointeger(tonumber(arg[2])), math.tointeger(tonumber(arg[3]))
local count = math.tointeger(tonumber(os.getenv "SCHEDULES")) or 100000
local first = math.tointeger(tonumber(os.getenv "FIRST")) or 1

local MOST_FAILURES = 5
local PROGRESS = 5000 -- schedules between two lines that say how far it is: a run may be stopped

collectgarbage "generational" -- a fifth faster: most of what a schedule makes is for its own tick

-- Runs the plans of first .. last; returns how many failed.
local function run(from, to, step, plan_of)
  local totals, failed, done = {}, 0, 0
  io.stdout:setvbuf "line"
  for i = from, to, step do
    local breach, counts = schedules.run(plan_of(i))
    done = done + 1
    for name, n in pairs(counts) do
      totals[name] = (totals[name] or 0) + n
    end
    if breach then
      failed = failed + 1
      local plan = schedules.shrink(plan_of(i))
      print(("%s %d: %s\n%s\n%s"):format(kind, i, breach, schedules.describe(plan), (schedules.run(plan))))
      if failed == MOST_FAILURES then
        break
      end
    end
    if done % PROGRESS == 0 then
      print(("world-model %s: %d schedules so far, %d failed"):format(kind, done, failed))
    end
  end
  local line = "world-model %s: %d schedules, %d failed; %d configurations, %d ticks of members, %d commands"
  print(line:format(kind, done, failed, totals.configurations, totals.ticks, totals.applied))
  return failed
end

local kinds = {}

function kinds.random()
  return run(first + worker - 1, first + count - 1, workers, schedules.draw)
end

function kinds.exhaustive()
  return run(worker - 1, exhaustive.count - 1, workers, exhaustive.plan)
end

function kinds.seed()
  return run(worker, worker, 1, schedules.draw)
end

function kinds.faults()
  local missed = 0
  for i = worker, #planted.faults, workers do
    local fault = planted.faults[i]
    local seed, breach = planted.find(fault, first, count)
    missed = missed + (seed and 0 or 1)
    print(seed and ("planted, and found by seed %d: %s (%s)"):format(seed, fault.name, breach)
      or ("planted, and NOT found by %d seeds: %s"):format(count, fault.name))
  end
  return missed
end

os.exit(kinds[kind]() == 0)
