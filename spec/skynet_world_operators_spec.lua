-- Commands for those who run a world, on simulated processes: nodes that go, with their regions, and come
-- back; a first configuration without those that are missing.
local fails = require "spec.support.fails"
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c", "d" } -- a has the coordinator, d no regions

describe("an operator of a world", function()
  local world

  local function ask(node, ...)
    return world:drive(20000, world.control.tell, node, "world", ...)
  end

  local function members(node)
    local names = {}
    for i, one in ipairs(ask(node, "configuration").members) do
      names[i] = one.name
    end
    return table.concat(names, " ")
  end

  local function owners(node)
    return table.concat(ask(node, "configuration").owners, " ")
  end

  local function begin(words)
    local of_world = { columns = 3, width = 750 }
    for name, value in pairs(words or {}) do
      of_world[name] = value
    end
    world = simulated_world.new { seed = 3, nodes = NODES, wanderers = 20, words = of_world }
  end

  it("drains a node: its regions move, then it goes, and comes back when it is added", function()
    begin()
    world:begin(500)
    assert.equal("a b c", owners(1))
    assert.same({ true }, { ask(4, "drain_node", "b") })
    assert.equal("a c d", members(1))
    assert.truthy(("a a c, a c c"):find(owners(3), 1, true))
    assert.equal(0, ask(1, "stats", "world").lost)
    local number = ask(1, "configuration").number
    world:run(3000)
    assert.equal("a c d", members(1)) -- it asks, and stays outside
    assert.equal(number, ask(1, "configuration").number)
    local answer = { ask(4, "drain_node", "b") }
    assert.same({ n = 2, "drain_node: node is b, expected a member of the world" }, { n = 2, answer[2] })
    assert.same({ true }, { ask(3, "add_node", "b") })
    assert.equal("a b c d", members(2))
    assert.is_true((ask(1, "migrate", 2, "b")))
    assert.is_nil(world:what_is_wrong())
    assert.truthy(owners(2):find("b", 1, true))
  end)

  it("drains the regions of the coordinator's node, which stays", function()
    begin()
    world:begin(500)
    assert.same({ true, "the coordinator's node stays: only its regions have gone" },
      { ask(2, "drain_node", "a") })
    assert.equal("a b c d", members(2))
    assert.is_nil(owners(1):find("a", 1, true))
    assert.same({ true }, { ask(1, "drain_node", "b") })
    assert.equal("c c c", owners(1))
    assert.same({ nil, "drain_node: node c stays: no other node takes its regions" },
      { ask(4, "drain_node", "c") })
    assert.equal("c c c", owners(1))
    assert.is_true((ask(1, "add_node", "b")))
    assert.is_nil(world:what_is_wrong())
  end)

  it("is refused what can not be", function()
    begin()
    world:begin(100)
    assert.same({ nil, "add_node: node is 5, expected a name" }, { ask(2, "add_node", 5) })
    assert.same({ nil, "add_node: node nobody has not joined: its log says why" },
      { ask(2, "add_node", "nobody") })
    assert.same({ nil, "drain_node: node is nil, expected a member of the world" }, { ask(2, "drain_node") })
    assert.same({ nil, "begin: the world has begun" }, { ask(2, "begin") })
    assert.same({ nil, "migrate: node is e, expected a member of the world" }, { ask(2, "migrate", 1, "e") })
    local before = owners(1)
    assert.same({ nil, "migrate: node d takes no regions" }, { ask(2, "migrate", 1, "d") })
    assert.equal(before, owners(1))
  end)

  it("has it begin without those that are missing", function()
    begin { silence = 4000, orphan = 16000 }
    world:kill(2)
    world:run(1500)
    assert.is_nil(ask(1, "configuration"))
    assert.equal("again", select(2, ask(1, "tick")))
    assert.is_true((ask(4, "begin")))
    world:run(1500)
    assert.equal("a c d", members(1))
  end)

  it("reads how long nodes take for a tick, and for whom they wait", function()
    begin()
    world:begin(1000)
    local stats = ask(1, "stats", "world")
    for name, node in pairs(stats.by_node) do
      assert.is_true(node.ticks >= 15, name)
      assert.is_true(node.tick_time >= 0 and node.wait_time > 0)
      local sum = 0
      for other, milliseconds in pairs(node.waits) do
        assert.not_equal(name, other)
        sum = sum + milliseconds
      end
      assert.is_true(sum > 0 and sum <= node.wait_time + 1)
    end
    for _, region in pairs(stats.by_region) do
      assert.is_true(region.ticks >= 15 and region.tick_time >= 0)
    end
  end)

  it("reads how long the world stood for the last change, no sum of nodes", function()
    begin()
    world:begin(1000)
    local _, stood = ask(1, "migrate", 1, "b")
    world:run(200)
    local stats = ask(1, "stats", "world")
    for name, node in pairs(stats.by_node) do
      assert.is_true(node.stood > 0 and node.stood <= stats.stood, name)
      assert.is_true(node.oldest_call <= stats.oldest_call, name)
    end
    assert.equal(stood, stats.by_node.a.stood)
    assert.is_true(stats.stood < 2 * stood + 100)
  end)

  it("reads that the world has not stood of a node that has just joined", function()
    begin()
    world:begin(1000)
    assert.is_true((ask(1, "drain_node", "b")))
    world:run(5000)
    assert.is_true((ask(1, "add_node", "b")))
    world:run(200)
    local stats = ask(1, "stats", "world")
    assert.equal(0, stats.by_node.b.stood)
    assert.is_true(stats.stood < 1000, stats.stood)
  end)

  it("reads how long the oldest question has waited for another node", function()
    begin()
    world:wait_for_members()
    world:stop(2)
    assert.is_true(ask(1, "stats").oldest_call < 50)
    local answer = world:send_off(world.worlds[1], "query", "circle", 375, 100, 100)
    world:run(300)
    assert.is_nil(answer.n)
    local oldest = ask(1, "stats").oldest_call
    assert.is_true(oldest >= 300 and oldest < 400, oldest)
  end)

  for word, message in pairs {
    ["patience=3"] = "option patience = 3 is unknown, expected an option of the grid engine",
    ["sillence=7"] = "option sillence = 7 is unknown (did you mean silence?)",
    ["keep_factor=0"] = "option keep_factor is 0, expected",
  } do
    it("is refused at once what no region would take: " .. word, function()
      local name, value = word:match "(.*)=(.*)"
      fails(message, begin, { [name] = value, limit = 9 })
    end)
  end
end)
