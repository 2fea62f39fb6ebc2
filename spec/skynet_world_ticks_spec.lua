-- When ticks of a world begin, on simulated processes.
local simulated_world = require "spec.support.simulated_world"

local NODES, TICK = { "a", "b", "c", "d" }, 100 -- d has no regions

describe("ticks of a world", function()
  local world

  -- Runs so many ticks. Returns when each was begun: a list of lists, one of the nodes each.
  local function run(count)
    local first, all = world.members.a.tick + 1, {}
    while not all[count + 1] do
      world:run(1)
      for i, name in ipairs(NODES) do
        local member = world.members[name]
        local n = member.tick - first + 1
        if n > 0 then
          all[n] = all[n] or {}
          all[n][i] = member.begun_at
        end
      end
    end
    return all
  end

  -- How far apart the nodes begin a tick.
  local function spread(begun)
    return math.max(table.unpack(begun)) - math.min(table.unpack(begun))
  end

  before_each(function()
    world = simulated_world.new { seed = 1, nodes = NODES, wanderers = 0,
      words = { tick = TICK, silence = 1600, orphan = 9600 } }
    world:wait_for_members()
  end)

  it("begin on all nodes at about the same time after a while", function()
    run(20)
    for _, late in ipairs { 20, 45, 70, 95 } do
      world.members.b.next_at = world.members.b.next_at + late
      run(2)
      local begun = run(30)
      assert.is_true(spread(begun[1]) > late / 2)
      assert.is_true(spread(begun[20]) < 10)
      assert.near(TICK, (begun[30][1] - begun[10][1]) / 20, 1)
    end
  end)

  it("tell what they told before the next one begins", function()
    run(20)
    local begun, last = 0, {}
    for _ = 1, 20 * TICK do
      world:run(1)
      for _, name in ipairs(NODES) do
        local member = world.members[name]
        if last[name] and member.tick > last[name] then
          begun = begun + 1
          assert.equal(member.tick - 1, member.packets_given)
        end
        last[name] = member.tick
      end
    end
    assert.near(20 * #NODES, begun, #NODES)
  end)
end)
