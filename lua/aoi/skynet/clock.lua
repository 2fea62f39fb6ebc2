-- The clock of a scene: calls a function once per tick, keeps its pace, and measures how late it is.
local skynet = require "skynet"

local clock = {}

local NANOSECONDS_PER_UNIT = 10000000 -- skynet counts time in hundredths of a second

local period, due, run -- nanoseconds; when the next tick should be; what it calls
local running          -- the loop that is valid; an older one ends
local counts
local lateness         -- nanoseconds, of the last RECENT ticks, in a ring
local RECENT = 100

-- The next tick is reckoned from when this one should have been, so that delays do not add up. Whoever is
-- later than a whole period skips ticks rather than hurry.
local function loop(this)
  if running ~= this then
    return
  end
  local late = math.max(0, skynet.hpc() - due)
  local skipped = late // period
  counts.ticks = counts.ticks + 1
  counts.ticks_skipped = counts.ticks_skipped + skipped
  lateness[counts.ticks % RECENT + 1] = late
  due = due + (1 + skipped) * period
  local wait = math.ceil((due - skynet.hpc()) / NANOSECONDS_PER_UNIT)
  -- First the next tick, then this one: what it calls may raise or be suspended.
  skynet.timeout(math.max(0, wait), function()
    loop(this)
  end)
  run()
end

-- Ticks every so many milliseconds from now on, in place of any before; 0 stops.
function clock.start(milliseconds, tick)
  running = {}
  counts, lateness = { ticks = 0, ticks_skipped = 0 }, {}
  if milliseconds == 0 then
    return
  end
  period, run = milliseconds * 1000000, tick
  due = skynet.hpc() + period
  local this = running
  skynet.timeout(milliseconds // 10, function()
    loop(this)
  end)
end

-- How many ticks there were, how many were left out, and how late the last hundred came, in milliseconds.
function clock.stats()
  local total, most = 0, 0
  for _, late in pairs(lateness) do
    total, most = total + late, math.max(most, late)
  end
  local n = math.max(1, math.min(RECENT, counts.ticks))
  return {
    ticks = counts.ticks,
    ticks_skipped = counts.ticks_skipped,
    late_mean = total / n / 1e6,
    late_most = most / 1e6,
  }
end

return clock
