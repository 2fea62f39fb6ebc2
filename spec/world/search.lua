-- make world-search: worlds on simulated processes against one space. Draws cases and how they go from new
-- seeds for SECONDS, or from SEED alone; ends with status 1 when a world tells something else.
local cases = require "spec.world.cases"
local new_random = require("spec.support.random").new
local simulated = require "spec.world.simulated"

local only = math.tointeger(tonumber(os.getenv "SEED"))
local seconds = tonumber(os.getenv "SECONDS") or 600
local worker = tonumber(arg[1]) or 1

-- Most seeds draw the last case, which has all that there is.
local function draw(seed)
  local random = new_random(seed)
  local case = random:chance(0.6) and cases[#cases] or random:pick(cases)
  return case, {
    walkers = random:integer(40, 120), ticks = random:integer(10, 40), steps = random:pick { 1, 2, 4 },
    pause = random:integer(1, 3), has_stops = random:chance(0.8),
    transport = random:chance(0.5) and { loss = 0.03, double = 0.1, late = 0.1 } or nil,
  }
end

-- Returns whether all is as it should be, and how many ticks there were that no node finished.
local function run(seed)
  local case, options = draw(seed)
  local ok, counts, difference, failed = xpcall(simulated.run, debug.traceback, case, seed, options)
  local problem = not ok and counts or difference or failed
  if problem then
    print(("SEED=%d (%s): %s"):format(seed, case.name, problem))
    io.stdout:flush()
  end
  return not problem, ok and counts.unfinished or 0
end

local first = only or (os.time() * 10 + worker) * 1000
local stop, seed, failures, unfinished = os.time() + seconds, first, 0, 0
repeat
  local well, ticks = run(seed)
  seed, failures, unfinished = seed + 1, failures + (well and 0 or 1), unfinished + ticks
until only or os.time() >= stop or failures == 5
print(("world-search: %d worlds from seed %d on, %d ticks that no node finished; %d worlds told otherwise "
  .. "than one space"):format(seed - first, first, unfinished, failures))
os.exit(failures == 0)
