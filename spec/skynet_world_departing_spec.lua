-- Transfers from a world to a scene beside it, with failures and commands of others on the way, on simulated
-- processes: the entity is in one of both, and its agent knows in which.
local simulated_world = require "spec.support.simulated_world"
local simulation = require "spec.support.simulation"

local A, D, C = 1, 3, 4 -- nodes: of the coordinator, of the entity's region, and of its agent and the scene
local PLACE, OTHER = { 600, 100 }, { 610, 100 }
local SCENE = { "engine=grid", "width=100", "height=100", "radius=20" }

describe("a transfer of a world on its way", function()
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

  -- tick: milliseconds, of the scene; nil: 20.
  local function begin(words, tick)
    local all = { columns = 3, width = 750 }
    for name, value in pairs(words or {}) do
      all[name] = value
    end
    world = simulated_world.new { seed = 1, nodes = { "a", "b", "d", "c" }, wanderers = 0, words = all }
    world:wait_for_members()
    scene = start(C, "scene", "tick=" .. (tick or 20), table.unpack(SCENE))
    assert.is_true(ask(scene, "enter", 2, 50, 55, { address = false }))
    agent = start(C, "agent", world.worlds[C].handle)
    put_other()
  end

  local function with_stores()
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir " .. folder))
    finally(function() os.execute("rm -r " .. folder) end)
    begin { store = folder, configuration = folder .. "/configuration" }
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

  local function join_and_go()
    assert.is_true((ask(agent, "view", "join", 9, PLACE[1], PLACE[2])))
    world:run(300)
    answer = send_off(world.worlds[C], "transfer", 9, scene.handle, 50, 50)
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

  -- The entity is the agent's, in the world or in the scene, and the agent knows it and what is seen there.
  local function all_is_well()
    put_other()
    local where, is_there = ask(world.worlds[A], "where", 9), ask(scene, "query", "has", 9)
    assert.equal(not where, is_there)
    assert.equal(is_there, answer[1] == true)
    assert.same(is_there and { "scene", "2" } or { "world", "1" }, { place_of(agent), seen_by(agent) })
    assert.is_nil(world.all.failed[1])
  end

  for after = 120, 280, 40 do
    for _, tick in ipairs { 20, 2000 } do
      it(("ends in one of both, though its region is lost after %d ms; the scene's ticks have %d"):format(
        after, tick), function()
        begin(nil, tick)
        join_and_go()
        world:run(after)
        world:kill(D)
        world:run(6000)
        all_is_well()
      end)
    end

    it(("ends in one of both, though its region is read after %d ms"):format(after), function()
      with_stores()
      join_and_go()
      world:run(after)
      world:kill(D)
      world:run(5000)
      all_is_well()
    end)

    it(("ends in one of both, though it stands still after %d ms"):format(after), function()
      begin()
      join_and_go()
      world:run(after)
      world:stop(A)
      world:run(5000)
      world:continue(A)
      world:run(3000)
      all_is_well()
    end)

    it(("takes nothing that is another agent's after %d ms"):format(after), function()
      begin()
      join_and_go()
      local other = start(A, "agent", world.worlds[A].handle)
      world:run(after)
      local taken = send_off(other, "call", "enter", 9, PLACE[1], PLACE[2], { take_over = true })
      world:run(1500)
      assert.is_true(taken[1])
      assert.equal("1", seen_by(other))
      assert.equal(answer[1] == true, ask(scene, "query", "has", 9))
      assert.same(answer[1] and { "scene", "2" } or { "nil", "" }, { place_of(agent), seen_by(agent) })
    end)

    it(("takes no later stay, when the first one is lost after %d ms"):format(after), function()
      begin()
      local opts = { address = false }
      assert.is_true((ask(world.worlds[A], "enter", 9, PLACE[1], PLACE[2], opts)))
      world:run(300)
      answer = send_off(world.worlds[C], "transfer", 9, scene.handle, 50, 50)
      world:run(after)
      world:kill(D)
      while world.members.a.key_of.d do
        world:run(1)
      end
      local entered = send_off(world.worlds[A], "enter", 9, PLACE[1], PLACE[2], opts)
      world:run(3000)
      assert.is_true(entered[1])
      assert.is_number(ask(world.worlds[A], "where", 9).region)
      assert.equal(answer[1] == true, ask(scene, "query", "has", 9))
    end)

    it(("takes no later stay, of %d ms later"):format(after), function()
      begin()
      join_and_go()
      local other = start(A, "agent", world.worlds[A].handle)
      world:run(after)
      send_off(world.worlds[A], "leave", 9)
      local entered = send_off(other, "call", "enter", 9, PLACE[1], PLACE[2])
      world:run(1500)
      assert.equal(answer[1] == true, ask(scene, "query", "has", 9))
      if entered[1] then
        assert.equal("1", seen_by(other))
      end
      assert.same(answer[1] and { "scene", "2" } or { "nil", "" }, { place_of(agent), seen_by(agent) })
    end)
  end

  it("is one at a time", function()
    begin()
    join_and_go()
    local second = start(C, "scene", "tick=20", table.unpack(SCENE))
    world:run(20)
    assert.same({ nil, "transfer: entity 9 is on its way already" },
      { ask(world.worlds[C], "transfer", 9, second.handle, 50, 50) })
    world:run(1000)
    all_is_well()
  end)
end)
