-- Regions of a world that move to other nodes while wanderers walk in it: on simulated processes, which fail
-- meanwhile; and when the coordinator has them move. That everybody is told what one space tells is looked
-- at by `make world-test`.
local coordinator = require "aoi.skynet.world.coordinator"
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c", "d" } -- d has no region at first

local function new_world(seed, words)
  local of_world = { columns = 3, width = 750 }
  for name, value in pairs(words or {}) do
    of_world[name] = value
  end
  return simulated_world.new { seed = seed, nodes = NODES, regions = 4, wanderers = 20,
    words = of_world }:begin(500)
end

-- Asks the world of that node.
local function migrate(world, asked, ...)
  return world:drive(20000, world.control.tell, asked, "world", "migrate", ...)
end

-- Begins to migrate a region; returns a function that gives the outcome.
local function begin_to_migrate(world, ...)
  local result
  local arguments = table.pack(...)
  world.skynet.fork(function()
    result = table.pack(pcall(world.control.tell, arguments[1], "world", "migrate",
      table.unpack(arguments, 2, arguments.n)))
  end)
  world.skynet.timeout(0, function() end)
  return function()
    assert(world.all:run_until(20000, function() return result end))
    return table.unpack(result, result[1] and 2 or 1, result.n)
  end
end

-- The owners of all regions, as each node believes.
local function owners(world)
  local texts = {}
  for node in ipairs(NODES) do
    local list = {}
    local regions, message = world:drive(1000, world.control.tell, node, "world", "regions")
    assert(regions, message)
    for region, about in ipairs(regions) do
      list[region] = about.node .. ((about.node == NODES[node]) == (about.address ~= nil) and "" or "!")
    end
    texts[node] = table.concat(list, " ")
  end
  for node = 2, #NODES do
    assert.equal(texts[1], texts[node])
  end
  return texts[1]
end

-- How many services of regions there are on all nodes.
local function count_services(world)
  local n = 0
  for _, process in pairs(world.all.processes) do
    for _, service in pairs(process.services) do
      n = n + (service.modules["aoi.skynet.region.state"] and 1 or 0)
    end
  end
  return n
end

-- All is right, and each region is on one node.
local function expect_right(world)
  assert.is_nil(world:what_is_wrong())
  owners(world)
  assert.equal(3, count_services(world))
end

describe("The coordinator", function()
  local self, round

  -- Both members ask; they have finished this tick, and are in no configuration yet, or report an offer.
  local function ask(finished, is_new, reported)
    for _, name in ipairs { "a", "b" } do
      coordinator.receive(self, 0, { from = name, from_key = "key of " .. name, heard = true, request = 1,
        joining = is_new, reported = reported, highest = 0, tick = finished, finished = finished,
        waits = {}, holds = {}, written = {} })
    end
  end

  local function look()
    ask(self.askers.a and self.askers.a.finished or 0, self.configuration == nil)
    round = round + 1
    coordinator.round(self, 100 * round)
  end

  -- The change is made that both members have been offered.
  local function change()
    assert.truthy(self.offer)
    ask(self.askers.a.finished, self.configuration == nil, self.offer.key)
    assert.is_nil(self.offer)
  end

  before_each(function()
    local keys = 0
    round, self = 0, coordinator.new({
      name = "a", regions = 2, times = { rounds = 8, round = 100 }, first = { "a", "b" },
      new_key = function()
        keys = keys + 1
        return "key " .. keys
      end,
      file = { commit = function(configuration, of) coordinator.committed(of, configuration) end },
    }, 0)
  end)

  it("writes which nodes are drained, also when one is so no more, and knows it from members", function()
    look()
    change()
    coordinator.drain(self, "b")
    ask(1, false)
    change()
    assert.same({ b = true }, self.configuration.drained)
    coordinator.add(self, "b")
    ask(2, false)
    change()
    assert.is_nil(self.configuration.drained)
    ask(3, false)
    assert.is_nil(self.offer)
    local next_one = coordinator.new({
      name = "a", regions = 2, times = self.times, new_key = self.new_key, file = {},
    }, 0)
    coordinator.receive(next_one, 0, {
      from = "a", from_key = "key of a", heard = true, request = 1, highest = 5, tick = 1, finished = 1,
      waits = {}, holds = {}, written = {},
      configuration = {
        number = 5, key = "k", members = { { name = "a", key = "key of a" } }, owners = {},
        drained = { c = true },
      },
    })
    assert.same({ c = true }, next_one.drained)
  end)

  it("has the world tick between two changes that are wanted, however soon", function()
    look()
    change()
    for i, to in ipairs { "b", "a", "b" } do
      coordinator.migrate(self, 1, to)
      look()
      coordinator.go(self)
      assert.is_nil(self.offer)
      ask(i, false) -- at once, as the first tick is finished
      change()
      assert.equal(i + 1, self.configuration.number)
    end
  end)
end)

local function act(name)
  return function(world, node)
    world[name](world, node)
  end
end

describe("migrate", function()
  it("moves regions, and everybody goes on", function()
    local world = new_world(1)
    for i = 1, 12 do
      local to = i % 4 + 1
      local ok, pause = migrate(world, i % 3 + 1, (i - 1) % 3 + 1, NODES[to])
      assert.is_true(ok, pause)
      assert.is_true(pause >= 0 and pause < 100)
      world:run(120)
    end
    assert.equal("c d a", owners(world))
    expect_right(world)
    assert.equal(0, world.counts.gaps)
    assert.equal(0, world.counts.refused)
  end)

  it("refuses what can't be", function()
    local world = new_world(2)
    local function refused(expected, ...)
      assert.same({ nil, "migrate: " .. expected }, { migrate(world, 1, ...) })
    end
    refused("region is 4, expected a whole number from 1 to 3", 4, "b")
    refused("region is nil, expected a whole number from 1 to 3")
    refused("node is e, expected a member of the world", 1, "e")
    assert.same({ true, 0 }, { migrate(world, 1, 2, "b") }) -- it is there
    world:stop(2)
    world:run(2500)
    refused("node is b, expected a member of the world", 1, "b")
  end)

  -- While region 1 goes from a to b, what(world, node) happens to one of a, b and c, for so long; moments of
  -- it are swept over.
  local function sweep(seeds, milliseconds, what, end_it)
    local moved, stayed = 0, 0
    for seed = 1, seeds do
      local world = new_world(seed)
      local come = begin_to_migrate(world, 4, 1, "b")
      world:run(seed * 7 % 60 / 10)
      what(world, seed % 3 + 1)
      world:run(milliseconds)
      end_it(world, seed % 3 + 1)
      local ok, message = come()
      moved, stayed = moved + (ok == true and 1 or 0), stayed + (ok == true and 0 or 1)
      assert.is_true(ok == true or message == "migrate: unknown" or message == "again"
        or message:find "has not moved" ~= nil or message:find "call failed" ~= nil, message)
      world:run(500)
      expect_right(world)
    end
    assert.is_true(moved > 0)
    return stayed
  end

  it("stays right when a node stands still meanwhile", function()
    sweep(3, 400, act "stop", act "continue")
    sweep(6, 1500, act "stop", act "continue")
  end)

  it("stays right when a node is killed meanwhile", function()
    sweep(6, 400, act "kill", act "restart")
  end)
end)
