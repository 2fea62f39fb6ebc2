-- A world whose coordinator is whoever has the lease in Redis, on simulated processes: nodes fail, and Redis
-- does.
local files = require "spec.support.files"
local random_failures = require "spec.support.random_failures"
local seeds = require "spec.support.seeds"
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c", "d" } -- d has no regions
local SILENCE, LEASE = 800, 1200     -- milliseconds

describe("a world with its coordinator in Redis", function()
  local world, redis

  local function ask(node, ...)
    return world:drive(20000, world.control.tell, node, "world", ...)
  end

  -- The nodes that hold the lease now, by what they log.
  local function coordinating()
    local is_one, names = {}, {}
    for _, line in ipairs(world.all.logged) do
      local name, rest = line[3]:match "^world: node (%w+) coordinates(.*)"
      if name then
        is_one[name] = rest == "" or nil
      end
    end
    for node, name in ipairs(NODES) do
      names[#names + 1] = is_one[name] and world.all.processes[name] and name or nil
      names[name] = is_one[name] and node or nil
    end
    return table.concat(names, " "), names[names[1]]
  end

  local function number(node)
    return world.members[NODES[node]].configuration.number
  end

  local function new_world(seed, words)
    local of_world = { columns = 3, width = 750, coordinator = "redis:10.0.0.9:6379", lease = LEASE,
      silence = SILENCE, orphan = 4 * SILENCE + LEASE }
    for name, value in pairs(words or {}) do
      of_world[name] = value
    end
    world = simulated_world.new { seed = seed, nodes = NODES, wanderers = 30, words = of_world }
    redis = world.all.redis
    return world
  end

  -- How long the members of a node have made no tick, until they make one again.
  local function standstill(node)
    local of = world.members[NODES[node]]
    local before, began = of.finished, world.all.time
    local key = of.configuration.key
    assert(world.all:run_until(20000, function()
      return world.members[NODES[node]].finished > before + 1
        and world.members[NODES[node]].configuration.key ~= key
    end), "the world stands")
    return world.all.time - began
  end

  it("is right when nothing fails, and keeps one coordinator", function()
    new_world(1):begin(1500)
    assert.is_nil(world:what_is_wrong())
    assert.equal(1, world:count_of_logged "coordinates")
    assert.equal(0, world:count_of_logged "Redis")
    assert.equal(number(1), math.tointeger(redis.values["{aoi simulated} configuration"].number))
  end)

  it("goes on after the coordinator's node was killed, a lease and a silence later", function()
    for seed = 2, 4 do
      new_world(seed):begin(1000)
      local name, node = coordinating()
      world:kill(node)
      local other = node % 3 + 1
      local stood = standstill(other)
      assert.is_true(stood <= LEASE + SILENCE + 1000, stood)
      assert.not_equal(name, coordinating())
      assert.is_true(world:restart(node))
      world:run(500)
      assert.is_nil(world:what_is_wrong())
    end
  end)

  it("refuses the former coordinator's node with other words, though it asks first for the lease", function()
    for seed = 2, 4 do
      new_world(seed):begin(1000)
      local name, node = coordinating()
      local other = node % 3 + 1
      world:kill(node)
      for _, some in ipairs(NODES) do -- they ask when they know that it is free
        redis.deaf_to[some] = some ~= name or nil
      end
      world:run(LEASE + 50)
      world:start_node(node, "slack=1")
      world:run(300)
      redis.deaf_to = {}
      world:run(LEASE + SILENCE + 2000)
      assert.not_equal(name, coordinating())
      assert.equal(3, #world.members[NODES[other]].configuration.members)
      assert.equal(1, world:count_of_logged(("world: node %s is refused: its word slack"):format(name)))
      world:kill(node)
      assert.is_true(world:restart(node))
      world:run(1500)
      assert.is_nil(world:what_is_wrong())
    end
  end)

  it("begins anew when all nodes have other words than before", function()
    new_world(5):begin(1000)
    for node = 1, #NODES do
      world:kill(node)
    end
    world:run(500)
    for node = 1, #NODES do
      world:start_node(node, "slack=1")
    end
    world:run(2 * LEASE + LEASE // 3 + SILENCE + 1500)
    assert.equal(4, #world.members.a.configuration.members)
    assert.is_true(world.members.a.finished > world.members.a.first_tick + 5)
  end)

  it("begins without the node that has refused all others, once that is gone", function()
    new_world(6)
    for node = 2, #NODES do
      world:kill(node)
    end
    world:kill(1)
    world:start_node(1, "slack=1")
    world:run(2 * LEASE + SILENCE)
    assert.equal("a", coordinating())
    for node = 2, #NODES do
      world:start_node(node)
    end
    world:run(1000)
    assert.equal(1, world:count_of_logged "world: node b is refused: its word slack")
    world:kill(1)
    world:run(LEASE + SILENCE + LEASE + LEASE // 3 + SILENCE + 3000)
    assert.equal(3, #world.members.b.configuration.members)
    assert.is_true(world.members.b.finished > world.members.b.first_tick + 5)
  end)

  it("has one coordinator when the former one comes back behind its lease", function()
    for seed, milliseconds in ipairs { 300, LEASE + 400, LEASE + SILENCE + 1500 } do
      new_world(10 + seed):begin(1000)
      local name, node = coordinating()
      world:stop(node)
      world:run(milliseconds)
      world:continue(node)
      world:run(700)
      assert.equal(milliseconds < LEASE, coordinating() == name)
      assert.equal(1, #coordinating())
      assert.is_nil(world:what_is_wrong())
    end
  end)

  it("stands while Redis does not answer, and goes on with the same configuration", function()
    new_world(22):begin(1000)
    local before = number(1)
    redis.is_down = true
    world:run(LEASE + SILENCE // 2 + 300)
    local tick = world.members.a.finished
    world:run(1000)
    assert.equal(tick, world.members.a.finished)
    assert.equal("", (coordinating()))
    redis.is_down = false
    world:run(2500)
    assert.is_true(world.members.a.finished > tick + 10)
    assert.equal(before + 1, number(1))
    assert.equal(4, #world.members.a.configuration.members)
    assert.is_true(world:count_of_logged "Redis at 10.0.0.9:6379 gives no answer" >= 4)
    assert.equal(4, world:count_of_logged "Redis at 10.0.0.9:6379 answers")
    assert.is_nil(world:what_is_wrong())
  end)

  it("goes on at once with a coordinator that gets its lease again, when nobody else had it", function()
    new_world(24):begin(1000)
    local before, name = number(1), coordinating()
    redis.is_down = true
    world:run(LEASE + SILENCE // 2 + 300)
    local tick = world.members.a.finished
    for _, other in ipairs(NODES) do
      redis.deaf_to[other] = other ~= name or nil
    end
    redis.is_down = false
    world:run(LEASE // 3 + 300)
    assert.equal(name, (coordinating()))
    assert.equal(before, number(1))
    assert.is_true(world.members.a.finished > tick + 2)
    assert.is_nil(world:what_is_wrong())
  end)

  it("begins anew with a coordinator that gets its lease again, when another one had it", function()
    new_world(25):begin(1000)
    local name, node = coordinating()
    redis.deaf_to[name] = true
    world:run(3 * LEASE + 1500)
    local other, asked = coordinating()
    local gone = 1
    while gone == node or gone == asked do
      gone = gone + 1
    end
    assert.same({ true }, { ask(asked, "drain_node", NODES[gone]) })
    redis.is_down = true
    world:run(LEASE + 300)
    redis.deaf_to = { [other] = true, [NODES[gone]] = true, [NODES[10 - node - asked - gone]] = true }
    redis.is_down = false
    world:run(2500)
    assert.equal(name, (coordinating()))
    assert.equal(3, #world.members[name].configuration.members)
    assert.same({ true }, { ask(node, "add_node", NODES[gone]) })
    world:run(1000)
    assert.is_nil(world:what_is_wrong())
  end)

  it("is right when Redis stood still, and when it has forgotten all", function()
    new_world(21):begin(1000)
    redis.is_mute = true
    world:run(LEASE + 900)
    redis:continue()
    world:run(3000)
    assert.is_nil(world:what_is_wrong())
    redis.is_down = true
    world:run(200)
    redis:forget()
    redis.is_down = false
    world:run(3000)
    assert.is_nil(world:what_is_wrong())
    assert.equal(1, #coordinating())
    assert.equal(number(1), math.tointeger(redis.values["{aoi simulated} configuration"].number))
    local _, node = coordinating()
    world:kill(node)
    world:run(LEASE + SILENCE + 1000)
    assert.is_true(world:restart(node))
    world:run(2500)
    assert.is_nil(world:what_is_wrong())
    assert.equal(number(1), math.tointeger(redis.values["{aoi simulated} configuration"].number))
  end)

  it("has a register that does what it must", function()
    new_world(22)
    assert.is_true(world:drive(5000, function()
      local new_register = world.load "aoi.skynet.world.register"
      world.load "spec.world.register"(new_register({ host = "h", port = 1 }, "other"))
      return true
    end))
  end)

  it("writes anew what Redis has forgotten, and asks again what has no answer", function()
    new_world(23):begin(1000)
    local name, node = coordinating()
    for _, other in ipairs(NODES) do
      redis.deaf_to[other] = other ~= name or nil
    end
    redis:forget()
    world:run(LEASE // 2)
    assert.equal(number(1), math.tointeger(redis.values["{aoi simulated} configuration"].number))
    redis.deaf_to = { [name] = true }
    world:run(100)
    redis.deaf_to = {}
    world:run(LEASE)
    assert.equal(name, (coordinating()))
    world:kill(node)
    local stood = standstill(node % 3 + 1)
    assert.is_true(stood <= LEASE + SILENCE + 1000, stood)
    assert.is_true(world:restart(node))
    world:run(500)
    assert.is_nil(world:what_is_wrong())
  end)

  it("moves its coordinator when that does not reach Redis, and expels nobody", function()
    for seed, fault in ipairs { "deaf_to", "silent_to" } do
      new_world(30 + seed):begin(1000)
      local name, node = coordinating()
      redis[fault][name] = true
      world:run(3 * LEASE + 1500)
      assert.not_equal(name, coordinating())
      assert.equal(4, #world.members[NODES[node]].configuration.members)
      redis[fault][name] = nil
      world:run(1500)
      assert.equal(0, world:count_of_logged "was expelled")
      assert.is_nil(world:what_is_wrong())
    end
  end)

  it("takes one configuration when two hold themselves for the coordinator", function()
    new_world(40):begin(1000)
    local name, node = coordinating()
    -- Redis gives the lease to another one too soon, as one whose clock was set.
    redis.ends["{aoi simulated} lease"] = world.all.time
    redis.deaf_to[name] = true -- does not renew it
    assert(world.all:run_until(LEASE, function() return #coordinating() > 1 end), "there is one")
    redis.deaf_to[name] = nil
    -- The former one is asked for something, too.
    local before = number(1)
    assert.is_nil((world:drive(20000, world.control.tell, node, "world", "add_node", "nobody")))
    world:run(1500)
    assert.equal(1, #coordinating())
    assert.is_true(number(1) > before)
    assert.equal(number(1), math.tointeger(redis.values["{aoi simulated} configuration"].number))
    assert.is_nil(world:what_is_wrong())
  end)

  it("drains the coordinator's node, which gives the lease back and goes", function()
    new_world(50):begin(1000)
    local name, node = coordinating()
    local asked = node % 3 + 1
    local began = world.all.time
    assert.same({ true }, { ask(asked, "drain_node", name) })
    assert.is_true(world.all.time - began < 500)
    local stood = standstill(asked)
    assert.is_true(stood <= LEASE / 3 + SILENCE / 2, stood)
    assert.not_equal(name, coordinating())
    assert.equal(3, #world.members[NODES[asked]].configuration.members)
    assert.equal(0, ask(asked, "stats", "world").lost)
    world:run(2000)
    assert.equal(3, #world.members[NODES[asked]].configuration.members)
    assert.same({ true }, { ask(node, "add_node", name) })
    assert.equal(4, #world.members[name].configuration.members)
    assert.is_nil(world:what_is_wrong())
  end)

  it("is begun and changed through any node", function()
    new_world(60):begin(500)
    local _, node = coordinating()
    for asked = 1, 4 do
      assert.is_true((ask(asked, "migrate", 1, NODES[asked < 4 and asked or 1])))
      assert.same({ nil, "begin: the world has begun" }, { ask(asked, "begin") })
    end
    world:stop(node)
    world:run(LEASE + 100)
    world:continue(node)
    world:run(2500)
    assert.is_nil(world:what_is_wrong())
  end)

  for _, group in ipairs(seeds.groups(2)) do
    it(("is right after failures, seeds %d to %d"):format(group.first, group.last), function()
      for seed = group.first, group.last do
        assert.is_nil(random_failures.run(seed, nil, true, seed % 2 == 0))
      end
    end)

    it(("loses nothing by failures with stores, seeds %d to %d"):format(group.first, group.last), function()
      local folder = files.new_folder()
      for seed = group.first, group.last do
        assert.is_nil(random_failures.run(seed, folder, true))
        os.execute("rm -f " .. folder .. "/*")
      end
      files.remove(folder)
    end)
  end

  it("comes back from Redis when all nodes begin anew", function()
    new_world(70):begin(1000)
    local before = number(1)
    for node = 1, 4 do
      world:kill(node)
    end
    world:run(500)
    for node = 1, 4 do
      world:start_node(node)
    end
    world:run(LEASE + 2 * SILENCE + 1000)
    for node = 1, 4 do
      assert.is_true(world:start_wanderers(node))
    end
    world:run(1000)
    assert.is_true(number(1) > before)
    assert.is_nil(world:what_is_wrong())
  end)
end)
