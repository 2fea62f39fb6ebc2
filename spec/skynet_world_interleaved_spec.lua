-- Hooks of a world's regions that change something or wait, regions that move meanwhile, and commands that
-- are refused, on simulated processes.
local fake_skynet = require "spec.support.fake_skynet"
local files = require "spec.support.files"
local simulated_world = require "spec.support.simulated_world"

local A, C = 1, 3

describe("in a world", function()
  local world

  local function begin(words, nodes)
    local of_world = { columns = 3, width = 900, handlers = "spec.support.told_handlers" }
    for name, value in pairs(words or {}) do
      of_world[name] = value
    end
    nodes = nodes or { "a", "b", "c" }
    world = simulated_world.new { seed = 1, nodes = nodes, wanderers = 0, words = of_world }
    world:wait_for_members()
  end

  local function ask(node, ...)
    return world:ask(type(node) == "table" and node or world.worlds[node], ...)
  end

  local function enter(id, x, y)
    assert.is_true((ask(A, "enter", id, x, y or 100, { address = false })))
  end

  local function knows(agent, watcher)
    local _, known = ask(agent, "view", "known", watcher)
    return known
  end

  it("a handler that changes something holds no packet up", function()
    begin()
    local agent = world:start_agent(C)
    assert.is_true((ask(agent, "view", "join", 1, 100, 100)))
    enter(3, 100, 140)
    world:run(300)
    ask(A, "told", 1, "leave")
    local answer = world:send_off(world.worlds[A], "enter", 2, 105, 100, { address = false })
    local came
    for _ = 1, 1000 do
      world:run(1)
      came = came or knows(agent)[2] and world.all.time
      if answer.n then -- after the tick behind that of the enter
        break
      end
    end
    assert.is_true(came and world.all.time - came >= 20, came)
  end)

  for _, what in ipairs { "leave", "wait" } do
    it("a region that moves loses no packet of a handler that is to " .. what, function()
      begin()
      local agent = world:start_agent(C)
      assert.is_true((ask(agent, "view", "join", 1, 100, 100)))
      enter(3, 200, 200)
      world:run(300)
      ask(A, "told", 1, what)
      world:send_off(world.worlds[A], "enter", 2, 105, 100, { address = false })
      assert.is_truthy(world.all:run_until(3000, function()
        return world.members.c.directory[2] ~= nil
      end))
      local migrating = world:send_off(world.worlds[A], "migrate", 1, "b")
      world:run(1500)
      assert.is_true(migrating[1])
      assert.is_table(knows(agent)[2])
    end)
  end

  it("packets that wait go with a region, and its addresses", function()
    local loaded = {}
    for name in pairs(package.loaded) do
      loaded[name] = true
    end
    finally(function()
      for name, module in pairs(package.loaded) do
        package.loaded[name] = loaded[name] and module or nil
      end
    end)
    package.loaded.skynet = fake_skynet()
    local addresses = require "aoi.skynet.region.addresses"
    local from, to = addresses.new(), addresses.new()
    from:set(1, "ab:00000007")
    from:send("ab:00000007", "a packet")
    to:restore(from:state())
    assert.equal("ab:00000007", to.of[1])
    assert.same({ ab = { 7, "a packet" } }, to:take_packets())
  end)

  it("the hook tick ends in its tick, though its change has a hook of its own", function()
    begin()
    enter(1, 100)
    enter(2, 100, 120)
    enter(3, 100, 140)
    ask(A, "told", 1, "tick")
    world:run(400)
    assert.equal(1, world:count_of_logged "told: the region is closed: false")
    assert.is_false((ask(A, "query", "has", 1)))
  end)

  it("what changes while the hook save waits goes along with the region", function()
    begin()
    enter(1, 100)
    enter(2, 100, 120)
    ask(A, "told", 1, "save")
    assert.is_true((ask(A, "migrate", 1, "b")))
    world:run(500)
    assert.is_false((ask(A, "query", "has", 1)))
    assert.is_true((ask(A, "query", "has", 2)))
  end)

  it("the region that begins empty is told who was lost, whoever has it now", function()
    for columns = 3, 4 do
      begin({ columns = columns, width = 300 * columns }, { "a", "b", "c", "d" })
      for id = 1, columns do
        enter(id, 300 * id - 150)
      end
      world:run(300)
      world:kill(C)
      world:run(4000)
      assert.equal(1, world:count_of_logged "told: lost 3")
    end
  end)

  it("a query over the map is answered again while a region is read from its store", function()
    local folder = files.new_folder()
    begin({ columns = 5, width = 1500, store = folder })
    for id = 1, 5 do
      enter(id, 300 * id - 150)
    end
    world:run(300)
    assert.is_true((ask(A, "migrate", 4, "a")))
    world:run(300)
    world:read_slowly(100)
    world:kill(2)
    local again = 0
    for _ = 1, 100 do
      world:run(20)
      local ids, n = ask(C, "query", "rect", 0, 0, 1500, 300)
      if ids then
        assert.equal(5, n)
      else
        assert.truthy(n == "again" or n == "unknown", n)
        again = again + (next(world.members.a.loading) and 1 or 0)
      end
    end
    assert.is_true(again > 0)
    files.remove(folder)
  end)

  it("a command that was sent, and is one of the world itself, is refused like the others", function()
    begin()
    local agent = world:start_agent(A)
    assert.is_true((ask(agent, "view", "join", 1, 100, 100)))
    world:run(300)
    ask(agent, "heard")
    for _, command in ipairs { { "transfer", 1, "nowhere", 1, 1 }, { "migrate", 99, "nowhere" } } do
      ask(agent, "send", table.unpack(command))
      world:run(200)
      local refused = 0
      for _, event in ipairs((ask(agent, "heard"))) do
        refused = refused + (event[1] == "refused" and event[2] == command[1] and 1 or 0)
      end
      assert.equal(1, refused, command[1])
    end
  end)

  it("an address that the world gives is one for the scene of a transfer", function()
    begin()
    local agent = world:start_agent(A)
    assert.is_true((ask(agent, "view", "join", 1, 100, 100)))
    world:run(300)
    local scene = world:start_service(A, "scene", "engine=grid", "radius=50", "tick=20")
    local address = ask(A, "where", 1).address
    assert.is_true((ask(A, "transfer", 1, scene.handle, 5, 5, { address = address })))
    world:run(300)
    assert.is_true((ask(scene, "query", "has", 1)))
    local _, where = ask(agent, "view", "scene")
    assert.equal(scene.handle, where)
    enter(7, 100)
    local elsewhere = { address = "0123456789abcdef:00000001" }
    local message = select(2, ask(A, "transfer", 7, scene.handle, 5, 5, elsewhere))
    assert.truthy(message:find("is on another node", 1, true), message)
    assert.is_true((ask(A, "query", "has", 7)))
  end)
end)
