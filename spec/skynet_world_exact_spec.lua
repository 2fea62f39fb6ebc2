-- Worlds of many regions against one space, whole but for skynet: walkers of `make world-test` on simulated
-- processes, and what every watcher is told must be the same, tick by tick. `make world-search` draws others.
local cases = require "spec.world.cases"
local simulated = require "spec.world.simulated"

local function run(case, seed, options)
  local counts, difference, failed = simulated.run(case, seed, options)
  assert.is_nil(difference)
  assert.is_nil(failed)
  assert.is_true(counts.events > 10 * counts.ticks)
  assert.is_true(not case.has_areas or counts.area_events > 10, counts.area_events)
  return counts
end

describe("a world on simulated processes tells what one space tells:", function()
  for seed, case in ipairs(cases) do
    it(case.name, function()
      run(case, seed, { walkers = 60, ticks = 40, steps = 1, pause = 4 })
    end)
  end

  it("regions move, nodes stand still, and steps come faster than ticks", function()
    local counts = run(cases[#cases], 1, { walkers = 60, ticks = 20, steps = 2, pause = 1, has_stops = true })
    assert.is_true(counts.unfinished > 5, counts.unfinished)
  end)
end)
