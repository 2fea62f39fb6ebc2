-- make everything: runs histories of new seeds for SECONDS, or the one of SEED. Ends with status 1 when one
-- has failed.
local driver = require "spec.everything.driver"

local only = math.tointeger(tonumber(os.getenv "SEED"))
local seconds = tonumber(os.getenv "SECONDS") or 600
local number = tonumber(arg[1]) or 1
local first = (os.time() * 10 + number) * 100000

local function search()
  local stop, seed, failures = os.time() + seconds, first, 0
  print(("everything: seeds from %d on, for %d seconds"):format(first, seconds))
  while os.time() < stop and failures < 5 do
    local failed = driver.first_failure(seed, seed + 49)
    if failed then
      failures = failures + 1
      print(driver.report(failed) or ("SEED=%d failed once, and not again"):format(failed))
    end
    seed = failed and failed + 1 or seed + 50
  end
  print(("everything: %d histories, %d failed"):format(seed - first, failures))
  return failures == 0
end

local function replay()
  local report = driver.report(only)
  print(report or ("history of SEED=%d: all well"):format(only))
  return report == nil
end

local well
if not only then
  well = search()
else
  well = number > 1 or replay()
end
os.exit(well)
