-- An entity goes from a region to another one whose node is lost: it is its giver's again, in a world on
-- simulated processes. Its agent is the one that it had when it went, or a later one that a node was told of.
local simulated_world = require "spec.support.simulated_world"

local A, D, C = 1, 3, 4 -- nodes: of regions 1 and 3, and of agents alone; b has region 2
local INSIDE, BEYOND = { 490, 100 }, { 530, 100 } -- regions 2 and 3

describe("an entity whose taker is lost", function()
  local world, agent

  local function known_to(who)
    local _, markers = world:ask(who, "view", "known", 9)
    return markers[1] ~= nil
  end

  local function begin_world()
    world = simulated_world.new { seed = 1, nodes = { "a", "b", "d", "c" }, wanderers = 0,
      words = { columns = 3, width = 750 } }
    world:wait_for_members()
    agent = world:start_agent(C)
    assert.is_true(world:ask(world.worlds[A], "enter", 1, INSIDE[1], INSIDE[2], { address = false }))
    assert.is_true((world:ask(agent, "call", "enter", 9, INSIDE[1], INSIDE[2])))
    world:run(200)
    assert.is_true(known_to(agent))
  end

  local function wait_until_given()
    assert(world.all:run_until(2000, function() return world.members.b.given[1] end))
  end

  -- An agent of the taker's node takes it over, and after `delay` milliseconds a change begins. The taker is
  -- lost when it has sent its list for that. Returns whether the list named the agent, and the giver may take
  -- the entity back still, as it has not finished that tick.
  local function take_over(delay)
    local latest, giver, taker = world:start_agent(D), world.members.b, world.members.d
    world:send_off(agent, "call", "move", 9, BEYOND[1], BEYOND[2])
    wait_until_given()
    world:send_off(latest, "call", "enter", 9, BEYOND[1], BEYOND[2], { take_over = true })
    world:run(delay)
    world:send_off(world.worlds[A], "migrate", 1, "b")
    assert(world.all:run_until(2000, function() return taker.change and taker.change.reported end))
    world:stop(D)
    return giver.given[1] and taker.owned[9].home == taker.key
  end

  it("is an orphan if an agent of that node has taken it over there", function()
    local happened = 0
    for delay = 39, 45, 2 do
      begin_world()
      if take_over(delay) then
        happened = happened + 1
        world:run(1500)
        assert.is_number(world:ask(world.worlds[A], "where", 9).region)
        assert.is_false(known_to(agent))
        world:run(3200)
        assert.is_nil((world:ask(world.worlds[A], "where", 9)))
      end
      assert.is_nil(world.all.failed[1])
    end
    assert.is_true(happened > 0)
  end)

  it("has no agent if it was nobody's when it went", function()
    begin_world()
    world:send_off(agent, "call", "set_traits", 9, { address = false })
    world:send_off(agent, "call", "move", 9, BEYOND[1], BEYOND[2])
    wait_until_given()
    world:stop(D)
    world:run(4000)
    assert.is_nil(world:ask(world.worlds[A], "where", 9).stream)
    assert.is_false(known_to(agent))
    assert.is_nil(world.all.failed[1])
  end)
end)
