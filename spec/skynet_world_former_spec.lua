-- State of before that must not count any more, in a world on simulated processes: the areas of a process
-- that joins anew, and the time of an orphan that has an agent again.
local simulated_world = require "spec.support.simulated_world"

describe("In a world there count no more", function()
  local world

  local function new_world(nodes, options)
    local all = { seed = 1, nodes = nodes, wanderers = 0 }
    for name, value in pairs(options) do
      all[name] = value
    end
    world = simulated_world.new(all)
    world:wait_for_members()
  end

  local function ask(node, ...)
    return world:ask(world.worlds[node], ...)
  end

  it("the areas of a process that was cut off while the others began anew", function()
    local clock = 100000000
    new_world({ "a", "b", "c" }, { wrong = { a = clock, b = clock, c = clock } })
    assert.is_true((ask(1, "add_area", 7, { x = 100, y = 100, radius = 20 })))
    world:run(500)
    world.all:set_transport { sides = { a = 1, b = 1, c = 2, driver = 1 } }
    world:run(3000)
    world:kill(1)
    world:kill(2)
    world.all.wrong.a = clock - 3600 -- so that c has a later tick
    world:run(200)
    world:start_node(1)
    world:start_node(2)
    world:run(6000)
    assert.is_true((ask(1, "add_area", 8, { x = 100, y = 100, radius = 20 })))
    world.all:set_transport()
    world:run(5000)
    assert.equal(3, #world.members.a.names)
    for node = 1, 3 do
      local areas = ask(node, "areas_as_they_are")
      assert.is_nil(areas[7])
      assert.truthy(areas[8])
    end
  end)

  it("the numbers of stays that were lost", function()
    new_world({ "a", "b", "c" }, { regions = 3 })
    for id = 1, 20 do
      assert(ask(3, "enter", id, id == 1 and 100 or 400, 100, { address = false }))
    end
    assert.is_true((ask(1, "migrate", 1, "c"))) -- all numbers are known then
    world:kill(2)
    world:run(4000)
    assert.is_true((ask(1, "query", "has", 1)))
    for _, name in ipairs { "a", "c" } do
      local n = 0
      for _ in pairs(world.members[name].calls.next_number) do
        n = n + 1
      end
      assert.equal(1, n)
    end
  end)

  it("the time of an orphan that is taken over and handed over in one tick", function()
    new_world({ "a", "b", "c", "d" }, { regions = 2 })
    local first, second, third = world:start_agent(3), world:start_agent(4), world:start_agent(4)
    assert(world:ask(first, "view", "join", 1, 295, 100))
    assert(world:ask(world:start_agent(3), "view", "join", 2, 200, 100))
    world:run(300)
    world:kill(3)
    world:run(2500)
    assert(world:ask(second, "call", "update", 1, 400, 100, { address = second.handle }))
    assert(world:ask(third, "call", "update", 2, 200, 101, { address = third.handle }))
    world:run(5000)
    world:kill(4)
    local began, ended = nil, {}
    for i = 1, 500 do
      world:run(20)
      began = began or #world.members.a.names == 2 and i
      for id = 1, 2 do
        ended[id] = ended[id] or not world.members.a.directory[id] and i
      end
    end
    assert.is_true(ended[1] > began + 50)
    assert.is_true(math.abs(ended[1] - ended[2]) <= 5)
  end)
end)
