-- Entities that go from a world to a scene beside it and back, on simulated processes: what goes along, what
-- is refused, and that nobody is lost or doubled whatever happens on the way. make world-test has the same
-- with agents on real ones.
local simulated_world = require "spec.support.simulated_world"

local A, B = 1, 2 -- nodes; each has a region of 300 x 300
local SCENE = { "engine=grid", "width=100", "height=100", "radius=20", "tick=20" }

describe("transfer of a world", function()
  local world, scene, told

  local function ask(to, ...)
    return world:ask(to, ...)
  end

  local function start_service(node, name, ...)
    return world:start_service(node, name, ...)
  end

  -- The answer of that service to a question, when the ticks of some time are told.
  local function later(to, ...)
    world:run(300)
    return ask(to, "query", ...)
  end

  before_each(function()
    world = simulated_world.new { seed = 1, nodes = { "a", "b", "c" }, wanderers = 0,
regions = 2 }
    world:wait_for_members()
    scene = start_service(A, "scene", table.unpack(SCENE))
    local opts = { address = false, data = "gold", radius = 70, layers = 3 }
    assert.is_true(ask(world.worlds[A], "enter", 7, 450, 100, opts)) -- owned by node b
    assert.is_true(ask(world.worlds[A], "set_property", 7, 5, "key"))
    told = nil
  end)

  it("takes data, properties and traits along, there and back", function()
    assert.is_true(ask(world.worlds[A], "transfer", 7, scene.handle, 55, 50))
    assert.is_false(later(world.worlds[B], "has", 7))
    assert.same({ 55, 50 }, { ask(scene, "query", "position", 7) })
    assert.equal(70, ask(scene, "query", "radius", 7))
    assert.is_true(ask(scene, "transfer", 7, world.worlds[A].handle, 100, 200)) -- to node a
    assert.is_false(ask(scene, "query", "has", 7))
    assert.same({ 100, 200 }, { later(world.worlds[B], "position", 7) })
    assert.equal(70, ask(world.worlds[B], "query", "radius", 7))
    local agent = world:start_agent(B)
    assert.is_true(ask(agent, "view", "join", 8, 110, 200))
    world:run(300)
    assert.same({ true, { [7] = { 100, 200, data = "gold", properties = { [5] = "key" } } } },
      { ask(agent, "view", "known") })
  end)

  it("tells an agent where its entity is, and what is to be seen there", function()
    local agent = world:start_agent(A)
    assert.is_true(ask(agent, "view", "join", 9, 440, 100))
    assert.is_true(ask(scene, "enter", 1, 50, 50, { address = false }))
    assert.is_true(ask(world.worlds[A], "transfer", 9, scene.handle, 55, 50))
    world:run(300)
    assert.same({ true, scene.handle, 9 }, { ask(agent, "view", "scene") })
    assert.same({ true, { [1] = { 50, 50 } } }, { ask(agent, "view", "known") })
    assert.is_true(ask(scene, "transfer", 9, world.worlds[A].handle, 440, 110))
    world:run(300)
    assert.same({ true, world.worlds[A].handle, 9 }, { ask(agent, "view", "scene") })
    assert.same({ true, { [7] = { 450, 100, data = "gold", properties = { [5] = "key" } } } },
      { ask(agent, "view", "known") })
    -- It is watched again: who dies leaves.
    agent:end_it()
    for _ = 1, 100 do
      told = later(world.worlds[A], "has", 9)
      if not told then
        break
      end
    end
    assert.is_false(told)
  end)

  it("tells an agent whose entity is another's there that its stay is over", function()
    local agent = world:start_agent(A)
    local other = start_service(A, "agent", scene.handle)
    assert.is_true(ask(agent, "view", "join", 9, 440, 100))
    world:run(300)
    ask(agent, "heard")
    assert.is_true(ask(world.worlds[A], "transfer", 9, scene.handle, 55, 50, { address = other.handle }))
    world:run(300)
    local heard = ask(agent, "heard")
    assert.same({ "gone", world.worlds[A].handle, "removed" }, heard[#heard])
    assert.same({ true }, { ask(agent, "view", "scene") })
    assert.equal(1, ask(scene, "stats").addresses)
  end)

  it("refuses what can't be, and the entity stays", function()
    local function refused(text, ...)
      local ok, message = ask(world.worlds[A], "transfer", ...)
      assert.is_nil(ok)
      assert.matches(text, message, 1, true)
    end
    refused("the scene is nowhere, expected the address of another scene", 7, "nowhere", 1, 2)
    refused("expected the address of another scene", 7, world.worlds[A].handle, 1, 2)
    refused("opts is 5, expected a table", 7, scene.handle, 1, 2, nil, 5)
    refused("entity 8 is unknown", 8, scene.handle, 1, 2)
    refused("entity x is unknown", "x", scene.handle, 1, 2)
    refused("transfer: enter: ", 7, scene.handle, 1000, 2)
    refused("does not answer", 7, 0xFFFFFF, 1, 2)
    local agent = world:start_agent(B)
    assert.is_true(ask(agent, "view", "join", 9, 100, 100))
    world:run(300)
    refused("the address of entity 9 is on another node", 9, scene.handle, 1, 2)
    local ok, message = ask(scene, "enter", 3, 1, 2, { address = false, radius = 101 })
    assert.is_true(ok, message)
    ok, message = ask(scene, "transfer", 3, world.worlds[A].handle, 10, 10)
    assert.is_nil(ok)
    assert.matches("at most max_radius of the world, 100", message, 1, true)
    assert.same({ true, true, true },
      { ask(world.worlds[A], "query", "has", 7), ask(world.worlds[A], "query", "has", 9),
        (ask(scene, "query", "has", 3)) })
  end)

  it("leaves nobody in two places who leaves on the way", function()
    local answer = world:send_off(world.worlds[A], "transfer", 7, scene.handle, 55, 50)
    assert.is_true(ask(world.worlds[B], "leave", 7)) -- behind what packs it, before what lets it go
    world:run(500)
    assert.same({ nil, "transfer: entity 7 has left on the way" }, answer)
    assert.is_false(ask(scene, "query", "has", 7))
    assert.is_false(ask(world.worlds[A], "query", "has", 7))
  end)

  -- The other scene has no ticks: it tells the agent at once.
  it("between scenes ends for the agent of an entity that leaves on the way", function()
    local other = start_service(A, "scene", "engine=grid", "width=100", "height=100", "radius=20")
    local agent = start_service(A, "agent", scene.handle)
    assert.is_true((ask(agent, "view", "join", 9, 55, 50)))
    world:run(300)
    local answer = world:send_off(scene, "transfer", 9, other.handle, 55, 50)
    assert.is_true(ask(scene, "leave", 9))
    world:run(500)
    assert.same({ nil, "transfer: entity 9 has left on the way" }, answer)
    assert.is_false(ask(other, "query", "has", 9))
    assert.same({ true }, { ask(agent, "view", "scene") })
  end)
end)
