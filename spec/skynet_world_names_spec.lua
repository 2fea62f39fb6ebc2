-- Processes with the name of a member of a world, and processes that may not join, on simulated processes.
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c" } -- a has the coordinator, c no regions
local SILENCE = 800             -- milliseconds

describe("a process with the name of a node of a world", function()
  local world

  local function begin(seed)
    world = simulated_world.new { seed = seed, nodes = NODES, wanderers = 20 }
    world:begin(500)
  end

  -- A second process for node b. No message reaches it: they go to the first one.
  local function start_another()
    local first, service, wanderers, member = world.all.processes.b, world.worlds[2], world.wanderers[2],
      world.members.b
    world:start_node(2)
    local process = world.all.processes.b
    world:run(0)
    world.all.processes.b, world.worlds[2], world.wanderers[2] = first, service, wanderers
    world.members.b = member
    return process
  end

  it("changes nothing as long as no message reaches it", function()
    begin(1)
    local before = world.members.a.configuration.key
    local second = start_another()
    world:run(6 * SILENCE)
    assert.equal(before, world.members.a.configuration.key)
    assert.equal(1, world:count_of_logged "no coordinator answers node b")
    second:kill()
    world.all.processes.b = world.worlds[2].process
    assert.is_nil(world:what_is_wrong())
  end)

  it("does not take the place of a member while the coordinator begins anew", function()
    begin(2)
    start_another()
    world:kill(1)
    world:run(100)
    assert.is_true(world:restart(1))
    world:run(2 * SILENCE)
    assert.equal(0, world:count_of_logged "node b was expelled")
    assert.equal(3, #world.members.b.configuration.members)
    assert.is_nil(world:what_is_wrong())
  end)

  it("joins at once when the former one is dead", function()
    begin(3)
    world:kill(2)
    world:run(20)
    assert.is_true(world:restart(2))
    world:run(SILENCE / 2)
    assert.equal(3, #world.members.b.configuration.members)
    assert.is_nil(world:what_is_wrong())
  end)

  it("is expelled at once when it is dead: its port refuses connections", function()
    for seed = 6, 8 do
      begin(seed)
      world:run(seed * 31)
      local before = world.members.a.configuration.key
      world:kill(2)
      assert(world.all:run_until(5 * SILENCE / 8, function()
        return world.members.a.configuration.key ~= before
      end), "the world stands")
      assert.is_true(world:restart(2))
      world:run(1000)
      assert.is_nil(world:what_is_wrong())
    end
  end)

  it("is not expelled before its time when nobody hears it for a while", function()
    for seed, fault in ipairs { "stop", "cut" } do
      begin(seed + 10)
      local before = world.members.a.configuration.key
      if fault == "stop" then
        world:stop(2)
      else
        world.all:set_transport { sides = { a = 1, b = 2, c = 1 } }
      end
      world:run(5 * SILENCE / 8)
      world:continue(2)
      world.all:set_transport()
      world:run(SILENCE)
      assert.equal(before, world.members.a.configuration.key)
      assert.is_nil(world:what_is_wrong())
    end
  end)

  -- Node c is started again with these words.
  local function restart_with(...)
    world:kill(3)
    world:run(SILENCE + 500)
    world:start_node(3, ...)
    world:run(1000)
  end

  it("may not join with other words, and may with words that are written in another way", function()
    begin(4)
    restart_with "radius=40"
    assert.equal(2, #world.members.a.configuration.members)
    assert.equal(1, world:count_of_logged "world: node c may not join: its word radius is 40, expected 50")
    assert.equal(1, world:count_of_logged "world: node c is refused: its word radius is another one")
    restart_with "limit=7"
    assert.equal(1, world:count_of_logged "world: node c may not join: its word limit is 7, expected nil")
    for n = 2, 4 do -- of several words the first one is named
      restart_with("radius=40", "limit=7")
      assert.equal(n, world:count_of_logged "world: node c may not join: its word limit is 7, expected nil")
    end
    restart_with "radius=50.0"
    assert.equal(3, #world.members.a.configuration.members)
    assert.is_true(world:start_wanderers(3))
    world:run(500)
    assert.is_nil(world:what_is_wrong())
  end)

  it("may not join with another version of the protocol", function()
    begin(5)
    local loaded = world.all.loaded
    function world.all.loaded(name, module, service)
      if name == "aoi.skynet.world.map" then
        module.version = "0"
      end
      loaded(name, module, service)
    end
    restart_with "radius=40"
    assert.equal(2, #world.members.a.configuration.members)
    assert.equal(1, world:count_of_logged "node c may not join: its version of the protocol is 0, expected ")
    assert.equal(1, world:count_of_logged "node c is refused: its version of the protocol is another one")
  end)
end)
