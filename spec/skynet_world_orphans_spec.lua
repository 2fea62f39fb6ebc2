-- Orphans of a world, entities whose agent's process is gone: they end in time, unless another agent has
-- taken them over; on simulated processes.
local simulated_world = require "spec.support.simulated_world"

local A, C = 1, 3 -- nodes: of regions, and of agents alone
local TICK = 50

describe("an orphan of a world", function()
  local world

  -- A world in which entity 9 is an orphan: its agent's node stands still for ever.
  local function begin_world()
    world = simulated_world.new { seed = 1, nodes = { "a", "b", "c" }, wanderers = 0 }
    world:wait_for_members()
    local former = world:start_agent(C)
    assert.is_true((world:ask(former, "call", "enter", 9, 400, 100)))
    assert.is_true((world:ask(world.worlds[A], "enter", 1, 410, 100,
      { address = false })))
    world:stop(C)
  end

  local function is_in()
    return world.members.a.directory[9] ~= nil
  end

  -- When it ends, in milliseconds from the stop on.
  local ends_after

  setup(function()
    begin_world()
    ends_after = 0
    while is_in() do
      world:run(TICK // 2)
      ends_after = ends_after + TICK // 2
    end
  end)

  for before = 0, 4 * TICK, TICK // 2 do
    it(("is another agent's, or that one enters anew, %d ms before it ends"):format(before), function()
      begin_world()
      local agent = world:start_agent(A)
      world:run(ends_after - before)
      assert.is_true((world:ask(agent, "call", "update", 9, 400, 100,
        { address = agent.handle })))
      world:run(300)
      assert.is_true(is_in())
      local _, markers = world:ask(agent, "view", "known", 9)
      assert.truthy(markers[1])
      assert.is_nil(world.all.failed[1])
    end)
  end

  for name, opts in pairs {
    ["a radius beyond max_radius"] = { radius = 1000 }, ["a radius below 0"] = { radius = -1 },
    ["a wrong mode"] = { mode = "x" }, ["wrong extras"] = { extras = { 1 } },
    ["a wrong stream"] = { stream = -1 }, ["wrong words"] = { take_over = 1 },
  } do
    it("stays when one wants to enter in its place and can't: " .. name, function()
      begin_world()
      local agent = world:start_agent(A)
      while world.members.a.key_of.c do
        world:run(TICK)
      end
      world:run(200)
      opts.anew = true
      local answer, message = world:ask(agent, "call", "enter", 9, 300, 100, opts)
      assert.is_nil(answer)
      assert.truthy(message:find "^enter: ", message)
      world:run(300)
      assert.same({ 400, 100 }, { world:ask(world.worlds[A], "query", "position", 9) })
    end)
  end

  -- It is one in each region, so its notices wait.
  for _, x in ipairs { 400, 200 } do
    it(("keeps notices for its next agent, also when it goes to x = %d"):format(x), function()
      begin_world()
      local asked, agent = world.worlds[A], world:start_agent(A)
      while world.members.a.key_of.c do
        world:run(TICK)
      end
      assert.is_true((world:ask(asked, "notify", 9, "first")))
      assert.is_true((world:ask(asked, "move", 9, x, 100)))
      world:run(200)
      assert.is_true((world:ask(asked, "notify", 9, "second")))
      world:run(200)
      assert.is_true((world:ask(agent, "view", "join", 9, x, 100)))
      world:run(300)
      local notified = {}
      for _, event in ipairs((world:ask(agent, "heard"))) do
        notified[#notified + 1] = event[1] == "notified" and event[2] or nil
      end
      assert.same({ "first", "second" }, notified)
      assert.is_nil(world.all.failed[1])
    end)
  end
end)
