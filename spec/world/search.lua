-- make world-search: worlds on simulated processes. Some are compared with one space; in others nodes fail,
-- and all must be right once they are quiet. Draws them from new seeds for SECONDS, or from SEED alone; ends
-- with status 1 when something is wrong.
local cases = require "spec.world.cases"
local files = require "spec.support.files"
local new_random = require("spec.support.random").new
local random_failures = require "spec.support.random_failures"
local simulated = require "spec.world.simulated"

local only = math.tointeger(tonumber(os.getenv "SEED"))
local seconds = tonumber(os.getenv "SECONDS") or 600
local worker = tonumber(arg[1]) or 1

local STEPS_IN = 100 -- of an entity, on average, until it leaves for good

local kinds = {}

-- Against one space. Most seeds draw the last case, which has all that there is.
function kinds.exact(seed, random)
  local case = random:chance(0.6) and cases[#cases] or random:pick(cases)
  local _, difference, failed = simulated.run(case, seed, {
    walkers = random:integer(40, 120), ticks = random:integer(10, 40), steps = random:pick { 1, 2, 4 },
    pause = random:integer(1, 3), has_stops = random:chance(0.8),
    transport = random:chance(0.5) and { loss = 0.03, double = 0.1, late = 0.1 } or nil,
  })
  return (difference or failed) and ("%s: %s"):format(case.name, difference or failed)
end

-- Rich wanderers of which some have left for good, and failures: without and with stores, and with a
-- coordinator in Redis.
function kinds.failures(seed)
  return random_failures.run(seed, nil, false, true, STEPS_IN)
end

function kinds.stores(seed)
  local folder = files.new_folder()
  local wrong = random_failures.run(seed, folder, false, true, STEPS_IN)
  files.remove(folder)
  return wrong
end

function kinds.redis(seed)
  return random_failures.run(seed, nil, true, true, STEPS_IN)
end

-- One world. Returns what is wrong, or nil.
local function run(seed)
  local random = new_random(seed)
  local kind = random:pick { "exact", "failures", "failures", "stores", "stores", "redis" }
  local ok, wrong = xpcall(kinds[kind], debug.traceback, seed, random)
  return (not ok or wrong) and ("SEED=%d (%s): %s"):format(seed, kind, wrong) or nil
end

local first = only or (os.time() * 10 + worker) * 1000
local stop, seed, failures = os.time() + seconds, first, 0
repeat
  local wrong = run(seed)
  seed = seed + 1
  if wrong then
    failures = failures + 1
    print(wrong)
    io.stdout:flush()
  end
until only or os.time() >= stop or failures == 5
print(("world-search: %d worlds from seed %d on, %d of them wrong"):format(seed - first, first, failures))
os.exit(failures == 0)
