-- The model of the world's protocol: fixed schedules hold, and each planted fault is found by its seed.
-- `make world-model` runs many more.
local calls = require "aoi.skynet.world.calls"
local calm = require "spec.world_model.calm_plan"
local crossing = require "spec.world_model.crossing_plan"
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
    local totals = all_hold(schedules.draw, 1, 105, 1)
    assert.is_true(totals.configurations > 600 and totals.applied > 1750)
  end)

  it("holds where one command of a node is sent at a time", function()
    local most = calls.MOST_SENT
    finally(function()
      calls.MOST_SENT = most
    end)
    calls.MOST_SENT = 1
    assert.is_true(all_hold(schedules.draw, 1, 20, 1).applied > 300)
  end)

  it("holds in schedules in which it did not", function()
    all_hold(schedules.draw, 20664, 20664, 1) -- a node is drained while a change is under way, and stays
    all_hold(schedules.draw, 73304, 73304, 1) -- a change while stores are read, and a command that waits
    all_hold(schedules.draw, 300769, 300769, 1) -- Redis forgets, and two configurations have one number
    all_hold(schedules.draw, 951, 951, 1) -- commands about areas that came too late for a configuration
    all_hold(schedules.draw, 2053, 2053, 1) -- updates wait for a store, and another stay is back from it
    all_hold(schedules.draw, 82670, 82670, 1) -- an enter whose region has a store, and no owner any more
    all_hold(schedules.draw, 800011, 800011, 1) -- a disk has lost that an entity entered, and that it left
    all_hold(schedules.draw, 1003099, 1003099, 1) -- updates wait behind an enter that waits for a store
    all_hold(schedules.draw, 1005589, 1005589, 1) -- a store is gone as it is to be read
    all_hold(schedules.draw, 2001880, 2001880, 1) -- an entity is lost whose leave only the lost node knew
    all_hold(schedules.draw, 2000806, 2000806, 1) -- no answer of Redis to the next coordinator
    all_hold(schedules.draw, 31975, 31975, 1) -- a region moves, its store is behind, its taker is lost
    all_hold(schedules.draw, 500771, 500771, 1) -- more enters and leaves of one entity than ticks for them
    all_hold(schedules.draw, 204648, 204648, 1) -- an entity has left before its enter was answered
    all_hold(schedules.draw, 501699, 501699, 1) -- an entity has left its taker, and its giver does not know
    all_hold(schedules.draw, 3102911, 3102911, 1) -- an enter is sent again, its node has forgotten streams
    all_hold(schedules.draw, 210619, 210619, 1) -- an agent is named so late that no list of a node has it
    all_hold(schedules.draw, 86771, 86771, 1) -- who takes over at a taker that is lost, named by its list
    all_hold(schedules.draw, 38798, 38798, 1) -- an owner is lost before a tick behind an enter's answer
    all_hold(schedules.draw, 406239, 406239, 1) -- an entity is taken over and handed over, its giver is lost
    all_hold(schedules.draw, 255544, 255544, 1) -- a member stops, and another one has waited longer
    all_hold(schedules.draw, 87787, 87787, 1) -- a region numbers a stream, and its end is known before that
    all_hold(schedules.draw, 384599, 384599, 1) -- a call is sent again, in the stream of the next one
    all_hold(schedules.draw, 587694, 587694, 1) -- an enter goes out again, and a bare move behind it
    all_hold(schedules.draw, 551339, 551339, 1) -- the end of a stay is told by that of a later one
    all_hold(schedules.draw, 1190363, 1190363, 1) -- handed over before two failures, written by its taker
    all_hold(schedules.draw, 1318885, 1318885, 1) -- a region has moved, and only its former owner knows
    all_hold(schedules.draw, 1506107, 1506107, 1) -- the same; the coordinator dies with it
    all_hold(schedules.draw, 1334818, 1334818, 1) -- a region moves in the tick in which it was read
    all_hold(schedules.draw, 979637, 979637, 1) -- a damaged store is as old as its last chunk
    all_hold(schedules.draw, 906543, 906543, 1) -- chance takes all that a process is told for a second
    all_hold(schedules.draw, 397555, 397555, 1) -- all of a line have waited too long, one is back
    all_hold(function(seed) -- likewise, and then its taker is lost
      local plan = schedules.draw(seed)
      calm(plan, 3000)
      plan.names, plan.regions, plan.stores, plan.late = { "n1", "n2", "n3", "n4" }, 4, false, 0.3
      plan.disasters = {
        { kind = "kill", at = 1091, name = "n2", other = "n2", length = 1000 },
        { kind = "kill", at = 1637, name = "n3", other = "n3", length = 1000 },
      }
      plan.calls = {
        { at = 300, name = "n4", uid = 1, id = 1, kind = "enter", x = 15 },
        { at = 1000, name = "n4", uid = 2, id = 1, kind = "enter", takes_over = true, x = 25 },
      }
      return plan
    end, 91, 91, 1)
    all_hold(function(at) -- an entity is taken over as its region is lost, and no store knows of it
      local plan = schedules.draw(10)
      calm(plan, 5000)
      plan.names, plan.regions, plan.is_shared = { "n1", "n2", "n3", "n4" }, 4, true
      plan.disasters = {
        { kind = "full", at = 1000, name = "n2", other = "n2", length = 3000 },
        { kind = "cut", at = at, name = "n3", other = "n4", length = 1000 },
        { kind = "kill", at = at + 43, name = "n2", other = "n2", length = 2500 },
      }
      plan.calls = {
        { at = 300, name = "n1", uid = 1, id = 1, kind = "enter", x = 15 },
        { at = 1500, name = "n3", uid = 2, id = 1, kind = "enter", takes_over = true, x = 15 },
      }
      return plan
    end, 1603, 1611, 4)
    all_hold(function(i) -- an entity is taken over, lists alone say so, and then its region is lost
      local plan = schedules.draw(10)
      calm(plan, 4000)
      plan.late = 0.3
      plan.disasters = {
        { kind = "migrate", at = 1000, name = "n3", other = "n3", length = 152 },
        { kind = "kill", at = 1443 + 28 * i, name = "n2", other = "n2", length = 2500 },
      }
      plan.calls = {
        { at = 300, name = "n3", uid = 1, id = 1, kind = "enter", x = 15 },
        { at = 839 + 44 * i, name = "n1", uid = 2, id = 1, kind = "enter", takes_over = true, x = 15 },
      }
      return plan
    end, 0, 2, 1)
    all_hold(function(at) -- an entity enters as the configuration is to change
      local plan = schedules.draw(18)
      calm(plan, 3000)
      plan.stores, plan.late = false, 0.3
      plan.disasters = { { kind = "migrate", at = 1000, name = "n3", other = "n3", length = 152 } }
      plan.calls = { { at = at, name = "n1", uid = 1, id = 1, kind = "enter", x = 15 } }
      return plan
    end, 714, 770, 28)
    all_hold(function(at) -- an entity enters and is handed over in that tick, and its giver is lost
      local plan = schedules.draw(26)
      calm(plan, 4000)
      plan.stores = false
      plan.disasters = { { kind = "kill", at = at, name = "n2", other = "n2", length = 2500 } }
      plan.calls = {
        { at = 1000, name = "n1", uid = 1, id = 1, kind = "enter", x = 15 },
        { at = 1000, name = "n1", uid = 2, id = 1, kind = "move", x = 25 },
      }
      return plan
    end, 1131, 1137, 3)
    all_hold(function(seed) -- an entity is taken over, its region is lost, and one node alone has heard of it
      local plan = schedules.draw(seed)
      calm(plan, 5000)
      plan.is_shared, plan.loss = true, 0.2
      plan.disasters = { { kind = "kill", at = 1657, name = "n2", other = "n2", length = 2500 } }
      plan.calls = {
        { at = 300, name = "n3", uid = 1, id = 1, kind = "enter", x = 15 },
        { at = 1500, name = "n1", uid = 2, id = 1, kind = "enter", takes_over = true, x = 15 },
      }
      return plan
    end, 10, 10, 1)
    all_hold(function(at) -- an entity is handed over twice, its giver has told of it, and has it back
      local plan = schedules.draw(4)
      calm(plan, 5000)
      plan.names, plan.stores, plan.sight = { "n1", "n2", "n3", "n4" }, false, 5
      plan.disasters = { { kind = "cut", at = at, name = "n1", other = "n3", length = 3000 } }
      plan.calls = {
        { at = 337, name = "n1", uid = 1, id = 1, kind = "enter", x = 28 },
        { at = 575, name = "n3", uid = 2, id = 1, kind = "move", x = 12 },
        { at = 675, name = "n2", uid = 3, id = 1, kind = "move", x = 24 },
      }
      return plan
    end, 540, 540, 1)
    all_hold(function(at) -- an enter is sent again, with one behind it that is heard first, and lost
      local plan = schedules.draw(58)
      calm(plan, 5000)
      plan.stores, plan.late = false, 0.3
      plan.disasters = {
        { kind = "kill", at = 1229, name = "n2", other = "n2", length = 2000 },
        { kind = "kill", at = at, name = "n1", other = "n1", length = 300 },
      }
      plan.calls = {
        { at = 1000, name = "n3", uid = 1, id = 1, kind = "update", x = 15 },
        { at = 1010, name = "n3", uid = 2, id = 1, kind = "enter", takes_over = true, x = 15 },
      }
      return plan
    end, 2089, 2129, 20)
    all_hold(function(at) -- updates wait behind an enter that was judged, and that waits for a store
      local plan = schedules.draw(10)
      calm(plan, 6000)
      plan.disasters = { { kind = "damage", at = at, name = "n2", other = "n2", length = 2507 } }
      plan.calls = { { at = 1000, name = "n3", uid = 1, id = 1, kind = "enter", takes_over = true, x = 15 } }
      for i = 2, 30 do
        plan.calls[i] = { at = 1400 + 50 * i, name = "n3", uid = i, id = 1, kind = "update", x = 15 }
      end
      return plan
    end, 1137, 1165, 14)
    all_hold(function(seed) -- the word of a take-over is overtaken by the end of the stay
      local plan = schedules.draw(seed)
      plan.disasters = { { kind = "migrate", at = 763, name = "n2", other = "n2", length = 197 } }
      plan.calls = {
        { at = 479, name = "n2", uid = 9, id = 2, kind = "leave", x = 39 },
        { at = 292, name = "n1", uid = 137, id = 2, kind = "enter", takes_over = true, x = 32 },
        { at = 295, name = "n2", uid = 141, id = 2, kind = "enter", x = 5 },
        { at = 488, name = "n1", uid = 221, id = 2, kind = "enter", takes_over = true, x = 39 },
      }
      return plan
    end, 10215, 10215, 1)
    all_hold(function(seed) -- packets of two ticks are to be given, and an entity is handed over in between
      local plan = schedules.draw(seed)
      crossing(plan)
      return plan
    end, 4, 20, 16)
    all_hold(function(at) -- an entity is taken over, and its region is lost before anybody hears of it
      local plan = schedules.draw(2)
      calm(plan, 5000)
      plan.disasters = { { kind = "kill", at = at, name = "n2", other = "n2", length = 2500 } }
      plan.calls = {
        { at = 300, name = "n1", uid = 1, id = 1, kind = "enter", x = 15 },
        { at = 1500, name = "n3", uid = 2, id = 1, kind = "enter", takes_over = true, x = 15 },
      }
      return plan
    end, 1600, 1800, 40)
    all_hold(function(seed) -- Redis forgets, all begin anew, and there are stores of before
      local plan = schedules.draw(seed)
      plan.forgets, plan.disasters = true, {
        { kind = "migrate", at = 900, name = "n2", other = "n1", length = 154 },
        { kind = "forget", at = 1500, name = "n1", other = "n1", length = 300 },
        { kind = "kill", at = plan.ends - 300, name = "n1", other = "n1", length = 500 },
      }
      return plan
    end, 266, 266, 1)
    all_hold(function(seed) -- a region's former owner has its store: the new one could not write at first
      local plan = schedules.draw(seed)
      calm(plan, 12000)
      plan.disasters = {
        { kind = "full", at = 1000, name = "n2", other = "n2", length = 1500 },
        { kind = "migrate", at = 1500, name = "n2", other = "n2", length = 302 },
        { kind = "kill", at = 4000, name = "n2", other = "n2", length = 9000 },
        { kind = "kill", at = 4010, name = "n1", other = "n1", length = 1000 },
      }
      plan.calls = {
        { at = 300, name = "n3", uid = 1, id = 1, kind = "enter", x = 25 },
        { at = 3500, name = "n3", uid = 2, id = 1, kind = "leave", x = 0 },
      }
      return plan
    end, 3, 9, 3)
    all_hold(function(late) -- an entity leaves while the region that gave it has no owner
      local plan = schedules.draw(2)
      calm(plan, 8000)
      plan.disasters = {
        { kind = "kill", at = 2000 + late, name = "n2", other = "n2", length = 5000 },
        { kind = "migrate", at = 2450, name = "n1", other = "n1", length = 6000 },
        { kind = "migrate", at = 2450, name = "n3", other = "n3", length = 6000 },
      }
      plan.calls = {
        { at = 300, name = "n3", uid = 1, id = 1, kind = "enter", x = 15 },
        { at = 2000, name = "n3", uid = 2, id = 1, kind = "move", x = 25 },
        { at = 5500, name = "n3", uid = 3, id = 1, kind = "leave", x = 0 },
      }
      return plan
    end, 150, 400, 50)
    all_hold(function(at) -- an agent misses what was told of the tick before its entity was handed over
      local plan = schedules.draw(at % 3 + 6)
      calm(plan, 5000)
      plan.sight = 5
      plan.disasters = {
        { kind = "cut", at = at, name = "n1", other = "n2", length = 3000 },
        { kind = "kill", at = 2500, name = "n2", other = "n2", length = 2000 },
      }
      plan.calls = {
        { at = 300, name = "n3", uid = 1, id = 1, kind = "enter", x = 22 },
        { at = 300, name = "n1", uid = 2, id = 2, kind = "enter", x = 15 },
        { at = 1500, name = "n1", uid = 3, id = 2, kind = "move", x = 18 },
        { at = 1600, name = "n1", uid = 4, id = 2, kind = "move", x = 21 },
      }
      return plan
    end, 1630, 1670, 1)
    all_hold(function(seed) -- as before, and the new owner begins again under its name, with a key of its own
      local plan = schedules.draw(seed)
      plan.names, plan.regions, plan.stores, plan.redis, plan.sight = { "n1", "n2", "n3" }, 3, true, true, 5
      plan.ends, plan.loss, plan.doubled, plan.late, plan.forgets = 8000, 0, 0, 0, nil
      plan.disasters = {
        { kind = "cut", at = 1640, name = "n1", other = "n2", length = 3000 },
        { kind = "kill", at = 2500, name = "n2", other = "n2", length = 2000 },
        { kind = "kill", at = 2510, name = "n3", other = "n3", length = 2000 },
      }
      plan.calls = {
        { at = 300, name = "n3", uid = 1, id = 1, kind = "enter", x = 22 },
        { at = 300, name = "n1", uid = 2, id = 2, kind = "enter", x = 15 },
        { at = 1500, name = "n1", uid = 3, id = 2, kind = "move", x = 18 },
        { at = 1600, name = "n1", uid = 4, id = 2, kind = "move", x = 21 },
      }
      return plan
    end, 15, 19, 2)
    all_hold(function(seed) -- a node stops when the world has stood for some time: Redis was not heard
      local plan = schedules.draw(40128)
      plan.seed, plan.calls, plan.ends = seed, {}, 4200
      plan.disasters = { { kind = "stop", at = 4111, name = "n1", other = "n2", length = 4022 } }
      return plan
    end, 526, 526, 1)
    all_hold(function(length) -- an offer comes late, and the next coordinator makes one with the same number
      local plan = schedules.draw(3403069)
      plan.names, plan.calls = { "n1" }, {}
      plan.disasters = {
        { kind = "migrate", at = 1607, name = "n1", other = "n1", length = 1790 },
        { kind = "hang", at = 1402, name = "n1", other = "n1", length = length },
      }
      return plan
    end, 1503, 1703, 100)
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
