-- A world whose nodes fail, whole but for skynet: its services run on simulated processes, wanderers walk in
-- it all the time, and when they stand still everything must be right. `make world-search` draws others.
local random_failures = require "spec.support.random_failures"
local seeds = require "spec.support.seeds"
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c", "d" } -- d has no region

local function new_world(seed, options)
  return simulated_world.new { seed = seed, nodes = NODES, wanderers = 30,
    words = { columns = 3, width = 750 }, piece = options and options.piece }:begin(1500)
end

describe("a world on simulated processes", function()
  it("is right when nothing fails", function()
    local world = new_world(1)
    assert.is_nil(world:what_is_wrong())
    local counts = world.counts
    assert.is_true(counts.commands > 500 and counts.events > 500 and counts.entered >= 30)
    assert.equal(0, counts.gaps)
  end)

  it("is right when messages between nodes are in many pieces", function()
    assert.is_nil(new_world(2, { piece = 300 }):what_is_wrong())
  end)

  it("is right after a node stood still", function()
    local world = new_world(3)
    for node, milliseconds in ipairs { 70, 430, 1700 } do
      world:stop(node)
      world:run(milliseconds)
      world:continue(node)
      world:run(500)
      assert.is_nil(world:what_is_wrong())
    end
  end)

  it("is right after a node was expelled while all stood still, and its agents were told", function()
    local world = new_world(9)
    for _, milliseconds in ipairs { 1100, 2500, 4600 } do -- the last one: longer than `orphan`
      assert.is_nil(world:what_is_wrong(function()
        world:stop(4)
        world:run(milliseconds)
        world:continue(4)
        world:run(500)
      end))
      assert.equal(#world:ids_of(4), world.disturbed)
      world:run(500)
    end
  end)

  it("expels one of two nodes that hear each other no more, and seldom one that waits for them", function()
    local world = new_world(10)
    local function count_expelled()
      local n = 0
      for node = 1, #NODES do
        n = n + assert(world:drive(1000, world.control.tell, node, "world", "stats")).expelled
      end
      return n
    end
    for round = 1, 20 do
      world:run(14 * round % 100)
      world.all:set_transport { apart = { ["b d"] = true } }
      world:run(1300)
      world.all:set_transport()
      world:run(900)
    end
    local n = count_expelled()
    assert.is_true(n >= 20 and n <= 22, n)
    assert.is_nil(world:what_is_wrong())
  end)

  it("has no more ticks than its clock, also when nodes are held up now and then", function()
    local world = new_world(4)
    local function tick_now()
      return assert(world:drive(1000, function()
        return world.control.tell(4, "world", "stats")
      end)).tick
    end
    local before, began = tick_now(), world.all.time
    for round = 1, 30 do
      local node = 1 + round % 4
      world:stop(node)
      world:run(40 + 7 * (round % 5))
      world:continue(node)
      world:run(60)
    end
    local ticks, due = tick_now() - before, (world.all.time - began) / 50
    assert.is_true(ticks <= due + 1, ("%d ticks, %.1f were due"):format(ticks, due))
    assert.is_true(ticks >= due / 2, ("%d ticks, %.1f were due"):format(ticks, due))
  end)

  it("is right after messages between nodes were lost, doubled and held up", function()
    local world = new_world(5)
    world.all:set_transport { loss = 0.1, double = 0.2, late = 0.1 }
    world:run(1500)
    world.all:set_transport()
    assert.is_nil(world:what_is_wrong())
  end)

  it("is right after it was cut in two, and each side gave the other up", function()
    local world = new_world(6)
    world.all:set_transport { sides = { a = 1, b = 2, c = 1, d = 1 } }
    world:run(4600)
    world.all:set_transport()
    world:run(500)
    assert.is_nil(world:what_is_wrong())
  end)

  it("is right after nodes were killed, the coordinator's first", function()
    local world = new_world(7)
    for node, milliseconds in ipairs { 150, 4500 } do
      world:kill(node)
      world:run(milliseconds)
      assert.is_true(world:restart(node))
      world:run(500)
      assert.is_nil(world:what_is_wrong())
    end
  end)

  it("has no regions, and says why, when they can not begin", function()
    local world = simulated_world.new { seed = 8, nodes = NODES, wanderers = 0,
      words = { columns = 2, handlers = "spec.support.no_such_handlers" } }
    world:run(20000)
    local lines = 0
    for _, line in ipairs(world.all.logged) do
      lines = lines + (line[3]:find("takes no regions before it is started again", 1, true) and 1 or 0)
    end
    assert.is_true(lines >= 2 and lines <= 3, lines) -- each node that had some
    local ok, message = world:drive(1000, world.control.tell, 4, "world", "enter", 1, 10, 10)
    assert.same({ nil, "again" }, { ok, message })
  end)

  for _, group in ipairs(seeds.groups(2)) do
    it(("is right after failures, seeds %d to %d"):format(group.first, group.last), function()
      for seed = group.first, group.last do
        assert.is_nil(random_failures.run(seed, nil, false, seed % 2 == 0))
      end
    end)
  end
end)
