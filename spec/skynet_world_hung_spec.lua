-- A world in which a region of a node does not answer that node, on simulated processes: a hook of the
-- handlers waits.
local simulated_world = require "spec.support.simulated_world"
local switch = require "spec.support.hanging_switch"

local NODES = { "a", "b", "c", "d" } -- d has no region
local SILENCE = 800                  -- milliseconds

describe("a world with a region that hangs", function()
  local world

  local function new_world(seed, words)
    local of_world = { columns = 3, width = 750, silence = SILENCE, orphan = 10 * SILENCE,
      handlers = "spec.support.hanging_handlers" }
    for name, value in pairs(words or {}) do
      of_world[name] = value
    end
    world = simulated_world.new { seed = seed, nodes = NODES, wanderers = 30, words = of_world }
    return world:begin(500)
  end

  -- The region of this node is to move to another one, and its hook `save` does not return.
  local function hang(node, to)
    switch.is_hung = true
    world.skynet.fork(function()
      local region
      for i, owner in pairs(world.members[NODES[node]].configuration.owners) do
        region = owner == NODES[node] and i or region
      end
      pcall(world.control.tell, 4, "world", "migrate", region, NODES[to])
    end)
  end

  local function names()
    local list = {}
    for i, one in ipairs(world.members.d.configuration.members) do
      list[i] = one.name
    end
    return table.concat(list, " ")
  end

  -- Until there is another configuration, for so many milliseconds.
  local function wait_for_another(milliseconds)
    local key = world.members.d.configuration.key
    assert(world.all:run_until(milliseconds, function()
      return world.members.d.configuration.key ~= key
    end), "the world stands")
  end

  -- The node that was expelled has joined anew, without regions.
  local function wait_for_members()
    assert(world.all:run_until(5000, function()
      return #world.members.d.names == #NODES
    end), "a node is missing")
    world:run(500)
  end

  after_each(function()
    switch.is_hung = false
  end)

  it("expels its node alone, whatever the names", function()
    for node = 1, 3 do
      new_world(node, { coordinator = "d" })
      hang(node, node % 3 + 1)
      wait_for_another(2 * SILENCE + 1000)
      assert.equal(("a b c d"):gsub(NODES[node] .. " ", ""), names())
    end
  end)

  it("has answers for the agents of its node, which joins anew and tells them", function()
    for seed = 11, 13 do
      local node = seed - 10
      new_world(seed, { coordinator = "d" })
      hang(node, node % 3 + 1)
      world:run(30)
      local began = world.all.time
      local answer = table.pack(world:drive(20000, world.control.tell, node, "world", "enter", 99, 10, 100))
      assert.is_nil(answer[1])
      assert.truthy(answer[2] == "again" or answer[2] == "unknown", answer[2])
      assert.is_true(world.all.time - began <= 2 * SILENCE + 2100, world.all.time - began)
      wait_for_members()
      assert.is_nil(world:what_is_wrong())
    end
  end)

  it("goes on when it answers after all, and its node has joined anew", function()
    for _, milliseconds in ipairs { 200, 700, 900, 2000, 5000 } do
      new_world(20 + milliseconds // 100, { coordinator = "d" })
      hang(2, 3)
      world:run(milliseconds)
      switch.is_hung = false
      world:run(1000)
      wait_for_members()
      assert.is_nil(world:what_is_wrong())
    end
  end)

  it("goes on without the regions of the coordinator's node when these hang", function()
    new_world(31)
    hang(1, 2)
    wait_for_another(2 * SILENCE + 1000)
    assert.equal("b c d", names())
    wait_for_members()
    assert.is_nil(world:what_is_wrong())
    world:kill(2)
    wait_for_another(2 * SILENCE + 1000)
    assert.equal("a c d", names())
    assert.is_true(world:restart(2))
    wait_for_members()
    assert.is_nil(world:what_is_wrong())
  end)

  it("goes on when these are those of the node with the lease in Redis", function()
    for seed = 41, 43 do
      new_world(seed, { coordinator = "redis:10.0.0.9:6379", lease = 1000, orphan = 9000 })
      local node
      for i = 1, #NODES do
        local stats = world:drive(1000, world.control.tell, i, "world", "stats")
        node = stats.coordinates == 1 and i or node
      end
      if node < 4 then
        hang(node, node % 3 + 1)
        wait_for_another(2 * SILENCE + 1000)
        wait_for_members()
      end
      assert.is_nil(world:what_is_wrong())
      switch.is_hung = false
    end
  end)
end)
