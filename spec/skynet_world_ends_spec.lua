-- The ends of stays in a world that another node brings about, on simulated processes: the agent hears of
-- each, though the process of the region fails before it has told that.
local simulated_world = require "spec.support.simulated_world"

local A, D, C = 1, 3, 4 -- nodes: of the coordinator, of the entity's region, and of its agent
local PLACE, OTHER = { 600, 100 }, { 610, 100 }

describe("the end of a stay in a world", function()
  local world, agent

  local function ask(to, ...)
    return world:ask(to, ...)
  end

  -- The markers that the agent knows its entity to see.
  local function known()
    local _, markers = ask(agent, "view", "known", 9)
    return markers
  end

  -- The region has said in its message that the entity has left; its packets come after those of all others.
  -- reaches: whether that message comes to the agent's node.
  for _, reaches in ipairs { true, false } do
    for after = 0, 3 do
      it(("is told, though its owner stops %d ms after it%s"):format(after,
        reaches and "" or ", and hears the agent's node no more"), function()
        world = simulated_world.new { seed = 1, nodes = { "a", "b", "d", "c" }, wanderers = 0,
          words = { columns = 3, width = 750 } }
        world:wait_for_members()
        agent = world:start_agent(C)
        assert.is_true(ask(world.worlds[A], "enter", 1, OTHER[1], OTHER[2], { address = false }))
        assert.is_true((ask(agent, "call", "enter", 9, PLACE[1], PLACE[2])))
        world:run(300)
        assert.same({ [1] = OTHER }, known())
        world:send_off(world.worlds[A], "leave", 9)
        while not world.members.a.calls.under_way[9] do
          world:run(1)
        end
        world:run(25) -- the leave is at its region's node, which begins the next tick soon
        world.all:set_transport(not reaches and { apart = { ["c d"] = true } } or nil)
        while world.members.d.owned[9] do
          world:run(1)
        end
        world:run(after)
        world:stop(D)
        world:run(4000)
        assert.is_nil((ask(world.worlds[A], "where", 9)))
        assert.same({}, known())
        assert.is_nil(world.all.failed[1])
      end)
    end
  end
end)
