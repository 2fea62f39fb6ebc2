-- The model of the world's protocol: fixed schedules hold, and each planted fault is found by its seed.
-- `make world-model` runs many more.
local exhaustive = require "spec.world_model.exhaustive"
local planted = require "spec.world_model.planted"
local schedules = require "spec.world_model.schedules"

local function all_hold(plan_of, first, last, step)
  local totals = { configurations = 0, applied = 0 }
  for i = first, last, step do
    local plan = plan_of(i)
    local breach, counts = schedules.run(plan)
    assert(not breach, breach and ("%d: %s\n%s"):format(i, breach, schedules.describe(plan)))
    for name in pairs(totals) do
      totals[name] = totals[name] + counts[name]
    end
  end
  return totals
end

describe("the protocol of worlds, in its model,", function()
  it("holds in schedules at random", function()
    local totals = all_hold(schedules.draw, 1, 400, 1)
    assert.is_true(totals.configurations > 2000 and totals.applied > 6000)
  end)

  it("holds in schedules in which it did not", function()
    all_hold(schedules.draw, 20664, 20664, 1) -- a node is drained while a change is under way, and stays
    all_hold(schedules.draw, 73304, 73304, 1) -- a change while stores are read, and a command that waits
    all_hold(schedules.draw, 82670, 82670, 1) -- an enter whose region has a store, and no owner any more
    all_hold(function(seed) -- Redis forgets, all begin anew, and there are stores of before
      local plan = schedules.draw(seed)
      plan.forgets, plan.disasters = true, {
        { kind = "migrate", at = 900, name = "n2", other = "n1", length = 154 },
        { kind = "forget", at = 1500, name = "n1", other = "n1", length = 300 },
        { kind = "kill", at = plan.ends - 300, name = "n1", other = "n1", length = 500 },
      }
      return plan
    end, 266, 266, 1)
  end)

  it("holds in courses of eight events on two nodes", function()
    local totals = all_hold(exhaustive.plan, 0, exhaustive.count - 1, 467)
    assert.is_true(totals.applied > 500)
  end)

  for _, fault in ipairs(planted.faults) do
    it("does not hold with a fault: " .. fault.name, function()
      assert.equal(fault.seed, (planted.find(fault, fault.seed, 1)))
    end)
  end
end)
