-- Transfers from a scene to the world beside it, with failures on the way, on simulated processes: the entity
-- is in one of both, and its agent knows in which.
local simulated_world = require "spec.support.simulated_world"
local simulation = require "spec.support.simulation"

local A, C = 1, 4 -- nodes: of the coordinator, and of the agent and the scene
local PLACE, OTHER = { 600, 100 }, { 610, 100 }
local SCENE = { "engine=grid", "width=100", "height=100", "radius=20", "tick=20" }

describe("a transfer to a world on its way", function()
  local world, agent, scene, answer

  local function ask(to, ...)
    return world:drive(3000, simulation.call, world.driver, to, ...)
  end

  local function start(node, name, ...)
    return world.all.processes[world.nodes[node]]:start_service(simulation.path_of(name), ...)
  end

  -- Entity 1 is seen at the place in the world, 2 in the scene.
  local function put_other()
    if not ask(world.worlds[A], "query", "has", 1) then
      ask(world.worlds[A], "enter", 1, OTHER[1], OTHER[2], { address = false })
      world:run(400)
    end
  end

  local function begin(words)
    local all = { columns = 3, width = 750 }
    for name, value in pairs(words or {}) do
      all[name] = value
    end
    world = simulated_world.new { seed = 1, nodes = { "a", "b", "d", "c" }, wanderers = 0, words = all }
    world:wait_for_members()
    scene = start(C, "scene", table.unpack(SCENE))
    assert.is_true(ask(scene, "enter", 2, 50, 55, { address = false }))
    agent = start(C, "agent", world.worlds[C].handle)
    put_other()
  end

  -- Calls without waiting for the answer, which is in the table that this returns.
  local function send_off(to, ...)
    local args, answers = table.pack(...), {}
    world.skynet.fork(function()
      answers[1], answers[2] = simulation.call(world.driver, to, table.unpack(args, 1, args.n))
    end)
    world.skynet.timeout(0, function() end)
    return answers
  end

  local function seen_by(who)
    local ok, markers = ask(who, "view", "known", 9)
    local ids = {}
    for id in pairs(ok and markers or {}) do
      ids[#ids + 1] = id
    end
    return table.concat(ids, " ")
  end

  local function place_of(who)
    local _, at = ask(who, "view", "scene")
    return at == scene.handle and "scene" or at == world.worlds[C].handle and "world" or tostring(at)
  end

  local function join_and_come(after)
    agent = start(C, "agent", scene.handle)
    assert.is_true((ask(agent, "view", "join", 9, 50, 50)))
    world:run(300)
    answer = send_off(scene, "transfer", 9, world.worlds[C].handle, PLACE[1], PLACE[2])
    world:run(after)
  end

  -- Where the entity is, its agent is too, and knows what is seen there.
  local function all_is_well()
    put_other()
    local where, is_there = ask(world.worlds[A], "where", 9), ask(scene, "query", "has", 9)
    assert.equal(not where, is_there)
    assert.equal(is_there, answer[1] == nil)
    assert.same(is_there and { "scene", "2" } or { "world", "1" }, { place_of(agent), seen_by(agent) })
    assert.is_nil(world.all.failed[1])
  end

  for after = 0, 120, 40 do
    it(("ends in one of both, though the world stands still for long after %d ms"):format(after), function()
      begin()
      join_and_come(after)
      world:stop(A)
      world:run(5000)
      world:continue(A)
      world:run(2000)
      all_is_well()
    end)
  end

  it("leaves nobody's entity in one of both, too, though the world stands still for long", function()
    begin()
    assert.is_true(ask(scene, "enter", 9, 50, 50, { address = false }))
    answer = send_off(scene, "transfer", 9, world.worlds[C].handle, PLACE[1], PLACE[2])
    world:run(40)
    world:stop(A)
    world:run(5000)
    world:continue(A)
    world:run(2000)
    assert.same({ nil, "transfer: unknown" }, answer)
    assert.is_true(ask(scene, "query", "has", 9))
    assert.is_nil((ask(world.worlds[A], "where", 9)))
  end)

  for after = 20, 100, 20 do
    it(("ends in the scene, though the node is expelled after %d ms"):format(after), function()
      begin { orphan = 60000 }
      join_and_come(after)
      world.all:set_transport { sides = { a = 1, b = 1, d = 1, c = 2 } }
      world:run(3000)
      world.all:set_transport()
      world:run(3000)
      assert.same({ nil, "transfer: unknown" }, answer)
      all_is_well()
    end)
  end
end)
