-- Agents in a world on simulated processes: what they are told and refused whichever node has their entity,
-- what becomes of the entities of dead ones, and of nodes that stood still.
local simulated_world = require "spec.support.simulated_world"
local simulation = require "spec.support.simulation"

local A, B, C = 1, 2, 3 -- nodes: of the regions below x = 500, of that from there on, of none

describe("agents of a world", function()
  local world

  local function ask(to, ...)
    return world:ask(to, ...)
  end

  -- The entities that the watcher of this agent sees, ascending. id: of one that did not join by the client.
  local function seen_by(agent, id)
    local _, known = ask(agent, "view", "known", id)
    local ids = {}
    for seen in pairs(known) do
      ids[#ids + 1] = seen
    end
    table.sort(ids)
    return ids
  end

  local function put(id, x)
    assert.is_true(ask(world.worlds[A], "enter", id, x, 100, { address = false }))
  end

  before_each(function()
    world = simulated_world.new { seed = 1, nodes = { "a", "b", "c" }, wanderers = 0,
      words = { columns = 3, width = 750 } }
    world:wait_for_members()
    world:drive(3000, world.control.tell, A, "world", "migrate", 2, "a")
    world:drive(3000, world.control.tell, A, "world", "migrate", 3, "b")
  end)

  it("see over the borders of regions and nodes, wherever they are", function()
    put(1, 240)
    put(2, 260)
    put(3, 490)
    put(4, 510)
    for _, node in ipairs { A, B, C } do
      local agent = world:start_agent(node)
      assert.is_true(ask(agent, "view", "join", 9, 245, 100))
      world:run(200)
      assert.same({ 1, 2 }, seen_by(agent))
      ask(agent, "view", "move", 505, 100)
      world:run(400)
      assert.same({ 3, 4 }, seen_by(agent))
      ask(agent, "view", "leave")
      world:run(200)
    end
    assert.is_nil(world.all.failed[1])
  end)

  it("hear after a join what is of their entity that they have not given, as in a scene", function()
    for _, node in ipairs { A, B, C } do
      local agent, world_of = world:start_agent(node), world.worlds[node]
      assert.is_true(ask(world_of, "enter", 9, 245, 100, { address = false, data = "Ada" }))
      assert.is_true(ask(world_of, "set_property", 9, 1, 95))
      local joined = world:send_off(agent, "view", "join", 9, 245, 100, { take_over = true })
      world:run(2)
      world:send_off(world_of, "move", 9, 250, 105)
      world:run(600)
      assert.is_true(joined[1])
      local heard = {}
      for _, event in ipairs(ask(agent, "heard")) do
        heard[event[1]] = event
      end
      assert.same({ "me_moved", 250, 105 }, heard.me_moved)
      assert.same({ data = "Ada", properties = { [1] = 95 }, traits = {} }, heard.me_changed[2])
      ask(agent, "view", "leave")
      world:run(200)
      assert.is_true(ask(agent, "view", "join", 9, 245, 100, { data = "Bob" }))
      world:run(600)
      for _, event in ipairs(ask(agent, "heard")) do
        assert.is_nil(event[1]:match "^me_")
      end
      ask(agent, "view", "leave")
      world:run(200)
    end
    assert.is_nil(world.all.failed[1])
  end)

  it("are told what is refused, once", function()
    for _, node in ipairs { A, C } do
      local agent = world:start_agent(node)
      ask(agent, "send", "move", 77, 1, 1)
      ask(agent, "send", "enter", 8, 600, 100, { address = false, radius = 101 })
      ask(agent, "send", "enter", 8, 600, 100, { address = "nobody" })
      world:run(1000)
      local heard = {}
      for i, event in ipairs(ask(agent, "heard")) do
        heard[i] = ("%s %s %s"):format(event[1], event[2], event[4])
      end
      table.sort(heard)
      assert.same({ "refused enter 8", "refused enter 8", "refused move 77" }, heard)
    end
  end)

  it("have one entity of an id, though two enter it on different nodes", function()
    local first, second, looker = world:start_agent(A), world:start_agent(B), world:start_agent(C)
    assert.is_true(ask(looker, "view", "join", 1, 500, 100))
    local answers = {
      world:send_off(first, "call", "enter", 7, 480, 100),
      world:send_off(second, "call", "enter", 7, 520, 100),
    }
    world:run(400)
    local winner = answers[1][1] and 1 or 2
    assert.truthy(answers[3 - winner][2]:find "already in the space")
    assert.same({ 7 }, seen_by(looker))
    ask(winner == 1 and first or second, "call", "move", 7, 490, 101)
    world:run(300)
    local _, known = ask(looker, "view", "known")
    assert.same({ 490, 101 }, known[7])
  end)

  it("leave what they asked to update before, though another one has entered it in the same tick", function()
    local first, second, looker = world:start_agent(A), world:start_agent(B), world:start_agent(C)
    assert.is_true(ask(looker, "view", "join", 1, 500, 100))
    for wait = 0, 200, 50 do
      ask(first, "send", "enter", 7, 480, 100)
      ask(second, "send", "update", 7, 520, 100)
      world:run(wait)
      assert.same({ true }, { ask(second, "call", "leave", 7) })
      world:run(600)
      assert.same({}, seen_by(looker))
    end
  end)

  it("have what they update entered anew where the leave of another one comes first", function()
    local first, second = world:start_agent(A), world:start_agent(B)
    for wait = 0, 100, 10 do
      assert.is_true(ask(first, "call", "enter", 7, 480, 100))
      world:run(100)
      ask(first, "send", "leave", 7)
      world:run(wait)
      local ok, has_entered = ask(second, "call", "update", 7, 490, 100)
      assert.same({ true, true }, { ok, has_entered })
      world:run(200)
      local member = world.members.a
      assert.equal(world.members.b.key, member.owned[7].home)
      assert.is_true(ask(second, "call", "leave", 7))
      world:run(200)
    end
  end)

  it("that die leave with all they had, for all who saw it", function()
    local looker, agent = world:start_agent(A), world:start_agent(C)
    assert.is_true(ask(looker, "view", "join", 1, 500, 100))
    assert.is_true(ask(agent, "view", "join", 2, 510, 100))
    assert.is_true(ask(agent, "call", "enter", 3, 490, 100, { address = false })) -- which is nobody's
    world:run(200)
    assert.same({ 2, 3 }, seen_by(looker))
    agent:end_it()
    world:run(300)
    assert.same({ 3 }, seen_by(looker))
  end)

  it("hear that they are gone when others take their entity away, or what it sees", function()
    local other = world:start_agent(A)
    for id, node in ipairs { A, B, C } do
      local agent = world:start_agent(node)
      assert.is_true(ask(agent, "view", "join", id, 490, 100))
      world:run(200)
      if node == B then
        assert.is_true(ask(other, "call", "update", id, 490, 100, { address = other.handle }))
      else
        assert.is_true(ask(other, "call", "leave", id))
      end
      world:run(300)
      assert.same({ true }, { ask(agent, "view", "scene") })
      local heard = ask(agent, "heard")
      assert.same({ "gone", world.worlds[node].handle, "removed" }, heard[#heard])
      assert.is_true(ask(agent, "view", "join", 10 + id, 490, 100))
    end
    assert.is_nil(world.all.failed[1])
  end)

  it("that live stay when others die with the answers to their questions in their mailboxes", function()
    local agents, process = {}, world.all.processes[world.nodes[A]]
    for id = 1, 5 do
      agents[id] = world:start_agent(A)
      assert.is_true(ask(agents[id], "view", "join", id, 100 + id, 100))
    end
    for i = 1, 100 do
      local asking = process:start_service(function(load)
        local skynet = load "skynet"
        skynet.start(function()
          for _ = 1, 300 do
            skynet.fork(skynet.call, world.worlds[A].handle, "lua", "regions")
          end
        end)
      end)
      world:run(0.2 + i % 5 / 10) -- some have been answered, the others wait
      asking:end_it()
      world:run(13.1 * i % 50) -- at any moment of a tick
    end
    world:run(200)
    for _, line in ipairs(world.all.logged) do
      assert.is_nil(line[3]:find("failed", 1, true), line[3])
    end
    assert.is_nil(world.all.failed[1])
    assert.same({ 2, 3, 4, 5 }, seen_by(agents[1]))
    for id, agent in ipairs(agents) do
      assert.same({ true, world.worlds[A].handle, id }, { true, select(2, ask(agent, "view", "scene")) })
    end
  end)

  it("see all anew in each stay of their entity, in whatever region it is", function()
    put(1, 240)
    put(2, 510)
    local agent = world:start_agent(C)
    for _, x in ipairs { 230, 520, 230, 520 } do
      assert.is_true(ask(agent, "call", "enter", 9, x, 100))
      world:run(200)
      assert.same({ x < 500 and 1 or 2 }, seen_by(agent, 9))
      ask(agent, "send", "leave", 9)
      ask(agent, "send", "enter", 9, 750 - x, 100)
      world:run(300)
      assert.same({ x < 500 and 2 or 1 }, seen_by(agent, 9))
      ask(agent, "send", "leave", 9)
      world:run(200)
    end
  end)

  -- While a node stands still somebody asks the other one to come and to go.
  for _, milliseconds in ipairs { 80, 400 } do
    it(("know what has come about while a node stood still for %d ms"):format(milliseconds), function()
      for _, node in ipairs { B, A } do
        local other, id = world.worlds[A + B - node], 7 + node
        local looker = world:start_agent(node)
        assert.is_true(ask(looker, "view", "join", node, node == B and 510 or 490, 100))
        assert.is_true(ask(other, "enter", 4, node == B and 470 or 530, 100, { address = false }))
        world:run(200)
        assert.same({ 4 }, seen_by(looker))
        world:stop(node)
        world.skynet.fork(function() -- they are answered when the world goes on
          simulation.call(world.driver, other, "leave", 4)
          simulation.call(world.driver, other, "enter", id, node == B and 480 or 520, 100,
            { address = false })
        end)
        world.skynet.timeout(0, function() end)
        world:run(milliseconds)
        world:continue(node)
        world:run(600)
        assert.same({ id }, seen_by(looker))
        assert.is_true(ask(looker, "call", "move", id, 500, 101))
        world:run(200)
        local _, known = ask(looker, "view", "known")
        assert.same({ 500, 101 }, known[id])
        assert.is_true(ask(other, "leave", id))
        ask(looker, "view", "leave")
        world:run(200)
      end
    end)
  end

  -- The losses and ends that an agent has heard of since the last time.
  local function heard_by(agent)
    local names = {}
    for _, one in ipairs((ask(agent, "heard"))) do
      names[#names + 1] = (one[1] == "lost" or one[1] == "gone") and one[1] or nil
    end
    return names
  end

  it("are back where they were when their region was lost, unless they have left", function()
    local agents, places = {}, {}
    for id = 1, 4 do
      agents[id] = world:start_agent(C)
      assert.is_true(ask(agents[id], "view", "join", id, 600, 100 + id, { data = "of " .. id, radius = 20 }))
      ask(agents[id], "view", "set_property", 7, id)
      ask(agents[id], "view", "move", 610, 100 + id)
      places[id] = { 610, 100 + id }
    end
    put(9, 640) -- nobody's
    world:run(300)
    world:kill(B)
    world:run(700)
    ask(agents[2], "view", "move", 620, 103) -- while it is lost, or before it knows
    places[2] = { 620, 103 }
    ask(agents[3], "view", "leave")
    world:run(3000)
    for _, id in ipairs { 1, 2, 4 } do
      assert.same(places[id], { ask(world.worlds[A], "query", "position", id) })
      assert.same({ "lost" }, heard_by(agents[id]))
    end
    assert.is_nil((ask(world.worlds[A], "query", "position", 3)))
    assert.is_nil((ask(world.worlds[A], "query", "position", 9)))
    local _, known = ask(agents[1], "view", "known")
    assert.same({ 610, 104, data = "of 4", properties = { [7] = 4 } }, known[4])
    assert.same({ 2, 4 }, seen_by(agents[1]))
    local is_named = false
    for _, line in ipairs(world.all.logged) do
      is_named = is_named or line[3]:find("entities of region 3 are lost: ", 1, true) ~= nil
    end
    assert.is_true(is_named)
    assert.is_nil(world.all.failed[1])
  end)
end)
