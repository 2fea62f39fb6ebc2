-- Features that worlds share with scenes, on simulated processes: pushes and streams, taking over, notices,
-- extras, audiences, sights, visible radii, areas that are added or changed; and what it refuses of these.
-- That each watcher is told what one space tells of them is in skynet_world_exact_spec.lua.
local files = require "spec.support.files"
local simulated_world = require "spec.support.simulated_world"
local simulation = require "spec.support.simulation"

local A, B, C = 1, 2, 3 -- nodes: of the region below x = 300, of that from there on, of none

describe("a world, as a scene,", function()
  local world

  local function ask(to, ...)
    return world:ask(to, ...)
  end

  local function call(node, ...)
    return ask(world.worlds[node], ...)
  end

  local function put(id, x, opts)
    opts = opts or {}
    opts.address = false
    assert.is_true(call(A, "enter", id, x, 100, opts))
  end

  local function me(agent)
    return select(2, ask(agent, "view", "me"))
  end

  local function heard(agent, name)
    local list = {}
    for _, event in ipairs(ask(agent, "heard")) do
      if event[1] == name then
        list[#list + 1] = table.move(event, 2, #event, 1, {})
      end
    end
    return list
  end

  before_each(function()
    world = simulated_world.new { seed = 1, nodes = { "a", "b", "c" }, wanderers = 0,
      words = { extras = 1, handlers = "spec.support.secret_handlers" } }
    world:wait_for_members()
  end)

  after_each(function()
    assert.is_nil(world.all.failed[1])
  end)

  -- A world sends it on in messages in which it stands deeper than in that of the agent.
  it("goes on whatever an agent sends, however deep", function()
    put(1, 100)
    put(2, 320)
    local value = {}
    for depth = 1, 32 do
      for _, name in ipairs(depth > 22 and { "enter", "update", "move", "leave", "say", "notify",
        "set_property", "get", "set_traits", "set_sight", "touch", "transfer", "arrive", "add_area",
        "set_area", "move_area", "remove_area", "query", "watchers_of", "where", "mine", "migrate",
        "drain_node", "stats", "viewer",
      } or {}) do
        for id = 1, 2 do
          world:send_off(world.worlds[A], name, value)
          world:send_off(world.worlds[A], name, id, value)
          world:send_off(world.worlds[A], name, id, 100, 100, value)
          world:send_off(world.worlds[A], name, id, { data = value, x = value })
        end
      end
      world:run(depth > 22 and 300 or 0)
      value = { value }
    end
    assert.equal(0, world:count_of_logged "begins anew")
    assert.equal(3, #world.members.a.configuration.members)
    assert.is_true(call(C, "enter", 3, 100, 100, { address = false }))
  end)

  it("tells an agent of what others do to its entity, wherever that goes", function()
    local others = { world:start_agent(A), world:start_agent(B), world:start_agent(C) }
    for id, node in ipairs { A, B, C } do
      local agent = world:start_agent(node)
      assert.is_true(ask(agent, "view", "join", id, 290, 100))
      world:run(200)
      ask(agent, "heard")
      for i, x in ipairs { 320, 280, 325, 100 } do -- over the border and back
        if i % 2 == 0 then
          assert.is_true(call(B, "move", id, x, 100 + i)) -- a push
        else
          ask(others[node], "send", "move", id, x, 100 + i) -- one, too
        end
        world:run(300)
        assert.same({ x, 100 + i, pushes = i }, { me(agent)[1], me(agent)[2], pushes = me(agent).pushes })
        assert.same({ { x, 100 + i } }, heard(agent, "me_moved"))
      end
      assert.is_true(call(C, "set_property", id, 3, "poisoned"))
      assert.is_true(call(C, "set_radius", id, 70))
      world:run(200)
      assert.equal("poisoned", me(agent).properties[3])
      assert.equal(70, me(agent).traits.radius)
      ask(agent, "view", "leave")
      world:run(200)
    end
  end)

  it("does not take a place that was chosen before a push", function()
    local agent = world:start_agent(C)
    assert.is_true(ask(agent, "view", "join", 1, 290, 100))
    world:run(200)
    local stream = me(agent).stream
    assert.same({ true, true }, { call(C, "update", 1, 320, 100, { stream = stream, pushes = 0 }) and true,
      call(A, "move", 1, 50, 50) })
    world:run(200)
    -- The push has come with the entity to another region, and so has its count.
    assert.same({ 1, { true, false } }, { me(agent).pushes,
      { ask(agent, "call", "move", 1, 321, 100, { stream = stream, pushes = 0 }) } })
    assert.is_true(ask(agent, "call", "move", 1, 321, 100, { stream = stream, pushes = 1 }))
    assert.same({ 321, 100 }, { call(A, "query", "position", 1) })
    assert.same({ true, false }, { ask(agent, "call", "leave", 1, { stream = stream - 1 }) })
    assert.same({ true, false }, { ask(agent, "call", "say_in", 1, stream - 1, "hello") })
    assert.is_true(call(A, "query", "has", 1))
    assert.equal(3, call(A, "stats", "world").late_steps + call(A, "stats", "world").late_commands)
  end)

  it("lets an agent take over the entity of another, on any node", function()
    local first, second = world:start_agent(A), world:start_agent(B)
    assert.is_true(ask(first, "view", "join", 1, 290, 100))
    world:run(200)
    assert.is_false((ask(second, "view", "join", 1, 10, 10)))
    assert.same({ true, 290, 100 }, { ask(second, "view", "join", 1, 10, 10, { take_over = true }) })
    world:run(200)
    assert.same({ { world.worlds[A].handle, "removed" } }, heard(first, "gone"))
    assert.is_nil(me(first))
    assert.same({ 290, 100 }, { me(second)[1], me(second)[2] })
  end)

  it("lets an agent take over an entity that another enters at the same time", function()
    local first, second = world:start_agent(A), world:start_agent(B)
    local answer
    world.skynet.fork(function()
      answer = { simulation.call(world.driver, first, "view", "join", 1, 290, 100) }
    end)
    assert.same({ true, 290, 100 }, { ask(second, "view", "join", 1, 310, 10, { take_over = true }) })
    world:run(500)
    assert.same({ true }, answer)
    assert.same({ { world.worlds[A].handle, "removed" } }, heard(first, "gone"))
    assert.same({ 290, 100 }, { me(second)[1], me(second)[2] })
  end)

  it("tells agents of a node that is drained that it is expelled; elsewhere they go on", function()
    local first, second = world:start_agent(B), world:start_agent(C)
    assert.is_true(ask(first, "view", "join", 1, 310, 100))
    assert.is_true(call(A, "drain_node", "b"))
    world:run(500)
    assert.same({ { world.worlds[B].handle, "expelled" } }, heard(first, "gone"))
    assert.same({ true, 310, 100 }, { ask(second, "view", "join", 1, 10, 10) })
  end)

  it("takes no command from agents that worlds use among themselves", function()
    local agent, region = world:start_agent(A), call(A, "regions")[1].address
    put(1, 290)
    for _, name in ipairs { "of_region", "call_region", "ask", "pack", "depart", "finish", "configure",
      "own", "save", "lost" } do
      local ok, message = ask(agent, "call", name, 1, 1)
      assert.same({ nil, name .. " is no command of a world" }, { ok, message })
    end
    local answer
    agent.skynet.fork(function()
      answer = { agent.skynet.call(region, "lua", "lost", { 1 }) }
    end)
    world:run(10)
    assert.same({ nil, "lost is no command of a region: talk to the world" }, answer)
    assert.same({ n = 2, "again" }, { n = 2, select(2, ask(agent, "call", "fellow", "0123", "call_region", 1,
      "lost", { 1 })) })
    ask(agent, "send", "world", "what is no message")
    world:run(300)
    assert.is_true(call(A, "query", "has", 1))
    world.all.failed = {}
  end)

  it("passes messages to one agent on, and words to those who see it", function()
    local agent, other = world:start_agent(C), world:start_agent(B)
    assert.is_true(ask(agent, "view", "join", 1, 290, 100))
    assert.is_true(ask(other, "view", "join", 2, 310, 100))
    world:run(200)
    assert.is_true(call(B, "notify", 1, "you", 5))
    ask(agent, "view", "say", "all of you")
    world:run(200)
    assert.same({ { "you", 5 } }, heard(agent, "notified"))
    assert.same({ { 1, "all of you" } }, heard(other, "said"))
    put(3, 10)
    assert.same({ n = 2, "notify: entity 3 has no address" },
      { n = 2, select(2, call(B, "notify", 3, "you")) })
    assert.same({ n = 2, "notify: id 4 is not in the space" },
      { n = 2, select(2, call(B, "notify", 4, "you")) })
  end)

  it("shows extras and hides properties over borders", function()
    local agent = world:start_agent(B)
    assert.is_true(ask(agent, "view", "join", 1, 310, 100, { layers = 1 }))
    put(2, 290, { extras = { 0.5 } })
    assert.is_true(call(A, "set_property", 2, 1, "for layer 2"))
    assert.is_true(call(A, "set_property", 2, 2, "for 2 alone"))
    assert.is_true(call(A, "set_property", 2, 3, "for all"))
    world:run(200)
    local _, known = ask(agent, "view", "known")
    assert.same({ { 0.5 }, { [3] = "for all" } }, { known[2].extras, known[2].properties })
    assert.is_true(call(C, "set_layers", 1, 2))
    assert.is_true(call(A, "move", 2, 290, 100, 2.5))
    world:run(200)
    _, known = ask(agent, "view", "known")
    assert.same({ { 2.5 }, { "for layer 2", nil, "for all" } }, { known[2].extras, known[2].properties })
  end)

  it("has visible radii up to max_radius, and words against a sight, but none for it", function()
    local agent = world:start_agent(B)
    assert.is_true(ask(agent, "view", "join", 1, 320, 100))
    put(2, 250, { visible_radius = 90 })
    world:run(200)
    local function sees()
      world:run(200)
      return select(2, ask(agent, "view", "known"))[2] ~= nil
    end
    assert.is_true(sees())
    assert.is_true(call(A, "set_sight", 1, 2, false))
    assert.is_false(sees())
    assert.same({ 2, false }, (call(A, "query", "sights", 1)))
    assert.equal("hidden", call(A, "query", "explain", 1, 2))
    assert.is_true(call(A, "set_sight", 1, 2))
    assert.is_true(sees())
    assert.is_true(call(A, "set_traits", 2, { visible_radius = 60 }))
    assert.is_false(sees())
    for _, refused in ipairs {
      { "set_sight", 1, 2, true }, { "set_visible_radius", 2, 101 }, { "set_radius", 2, 101 },
      { "set_traits", 2, { visible_radius = 101 } }, { "set_traits", 2, { radius = 101 } },
      { "update", 2, 1, 1, { visible_radius = 101 } },
      { "enter", 5, 1, 1, { visible_radius = 1 / 0, address = false } },
    } do
      local ok, message = call(C, table.unpack(refused))
      assert.is_nil(ok)
      assert.truthy(message:find(refused[1] .. ": ", 1, true) == 1)
      assert.truthy(message:find(refused[4] == true and "a region of a world knows only who is near"
        or "expected at most max_radius of the world, 100", 1, true), message)
    end
  end)

  it("says where an entity is", function()
    local agent = world:start_agent(C)
    assert.is_true(ask(agent, "view", "join", 1, 310, 100))
    put(2, 290)
    world:run(200)
    local answer = call(A, "where", 1)
    assert.same({ 2, "b", me(agent).stream }, { answer.region, answer.node, answer.stream })
    assert.truthy(answer.address:find(("%s:%08x"):format(world.members.c.key, agent.handle), 1, true))
    assert.same({ region = 1, node = "a" }, call(B, "where", 2))
    assert.same({ n = 2, "where: id 3 is not in the space" }, { n = 2, select(2, call(B, "where", 3)) })
  end)

  it("adds an area, or changes it, and asks by shapes over borders", function()
    put(1, 290)
    put(2, 310)
    assert.same({ true, true }, { call(A, "update_area", 7, { x = 300, y = 100, radius = 15 }) })
    world:run(200)
    assert.same({ { 1, 2 }, 2 }, { call(C, "query", "members_of", 7) })
    assert.same({ true, false }, { call(B, "update_area", 7, { radius = 5 }) })
    world:run(200)
    assert.same({ {}, 0 }, { call(C, "query", "members_of", 7) })
    assert.same({ { 1, 2 }, 2 }, { call(C, "query", "polygon", { 280, 90, 320, 90, 320, 110, 280, 110 }) })
    assert.equal(50, call(B, "query", "traits", 1).radius)
    assert.same({ 290, 100 }, { call(B, "query", "anchor", 1) })
  end)
end)

describe("a region that comes back from its store", function()
  local folder

  before_each(function()
    folder = files.new_folder()
  end)

  after_each(function()
    files.remove(folder)
  end)

  it("has what belongs to its entities, and knows whose their agents are", function()
    local world = simulated_world.new { seed = 4, nodes = { "a", "b", "c" }, wanderers = 0,
      words = { extras = 1, store = folder, configuration = folder .. "/configuration",
        handlers = "spec.support.secret_handlers" } }
    world:wait_for_members()
    local function ask(to, ...)
      return world:drive(6000, simulation.call, world.driver, to, ...)
    end
    local function call(...)
      return ask(world.worlds[A], ...)
    end
    local agent = world:start_agent(C)
    local giver = world:start_agent(C)
    assert.is_true(ask(giver, "call", "enter", 1, 310, 100, { address = agent.handle, layers = 1 }))
    assert.is_true(call("enter", 2, 320, 100, { address = false, extras = { 0.5 }, visible_radius = 90 }))
    assert.is_true(call("set_property", 2, 1, "for layer 2"))
    assert.is_true(call("set_property", 2, 3, "for all"))
    world:run(300)
    world:kill(B)
    world:run(3000)
    local _, known = ask(agent, "view", "known", 1)
    assert.same({ { 0.5 }, { [3] = "for all" } }, { known[2].extras, known[2].properties })
    assert.equal(90, call("query", "traits", 2).visible_radius)
    assert.is_true(ask(giver, "call", "move", 1, 312, 100)) -- no push: it gave the address
    world:run(300)
    local _, me = ask(agent, "view", "me", 1)
    assert.same({ 312, 0 }, { (call("query", "position", 1)), me.pushes })
    ask(agent, "heard")
    assert.is_true(call("move", 1, 315, 100))
    world:run(300)
    _, me = ask(agent, "view", "me", 1)
    assert.same({ 315, 1 }, { me[1], me.pushes })
    assert.is_true(call("set_layers", 1, 2))
    world:run(300)
    _, known = ask(agent, "view", "known", 1)
    assert.same({ "for layer 2", nil, "for all" }, known[2].properties)
    assert.is_nil(world.all.failed[1])
  end)
end)

describe("the picture of a world", function()
  it("has all regions in one space, with their borders", function()
    local world = simulated_world.new { seed = 2, nodes = { "a", "b" }, regions = 2, wanderers = 0,
      words = { slack = 2 } }
    world:wait_for_members()
    local function call(node, ...)
      return world:ask(world.worlds[node], ...)
    end
    local words = {}
    for name, value in pairs(world.values) do
      words[#words + 1] = name .. "=" .. tostring(value)
    end
    local picture = world:start_service(B, "picture", world.worlds[B].handle, "node=b", table.unpack(words))
    local function ask(...)
      local ids, n = world:ask(picture, "query", ...)
      if type(ids) == "table" then
        table.sort(ids)
      end
      return ids, n
    end
    for id, x in ipairs { 50, 290, 310, 320 } do
      assert.is_true(call(A, "enter", id, x, 100, { address = false, mode = id == 4 and "m" or nil }))
    end
    assert.is_true(call(A, "add_area", 9, { owner = 3, radius = 15 }))
    world:run(600)
    assert.same({ { 1, 2, 3, 4 }, 4 }, { ask "ids" })
    assert.same({ { 3, 4 }, 2 }, { ask("markers_of", 2) })
    assert.same({ {}, 0 }, { ask("markers_of", 4) })
    assert.same({ { 1, 2 }, 2 }, { ask("members_of", -1) })
    assert.same({ { 3, 4 }, 2 }, { ask("members_of", -2) })
    assert.same({ { 4 }, 1 }, { ask("members_of", 9) })
    assert.is_true(call(A, "move", 2, 330, 100))
    assert.is_true(call(A, "leave", 3))
    world:run(600)
    assert.same({ { 1, 2, 4 }, 3 }, { ask "ids" })
    assert.same({ 330, 100 }, { ask("position", 2) })
    assert.same({ { 2, 4 }, 2 }, { ask("members_of", -2) })
    assert.same({ { -2, -1 }, 2 }, { ask "areas" })
    assert.is_nil(world.all.failed[1])
  end)

  it("is one service for all that ask for a viewer at once, and tried again when it failed", function()
    local world = simulated_world.new { seed = 2, nodes = { "a", "b" }, regions = 2, wanderers = 0 }
    local skynet, started, fails = world.load "skynet", 0, true
    rawset(skynet, "newservice", function(name)
      assert(name == "picture", "no viewer here")
      started = started + 1
      skynet.sleep(2)
      assert(not fails, "not now")
      return 77
    end)
    local overview = world.load "aoi.skynet.world.overview"({ map = {}, words = {} }, {})
    local function ask_twice()
      local answers = {}
      for i = 1, 2 do
        skynet.fork(function()
          answers[i] = table.pack(overview.commands.viewer "world")[2]
        end)
      end
      skynet.timeout(0, function() end)
      world:run(200)
      return answers
    end
    local none = "viewer: the picture of the world did not start: its log says why"
    assert.same({ none, none }, ask_twice())
    assert.equal(2, started)
    fails = false
    local no_viewer = "viewer: it did not start: its log says why"
    assert.same({ no_viewer, no_viewer }, ask_twice())
    assert.equal(3, started)
  end)
end)
