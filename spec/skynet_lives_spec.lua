-- The lives of entities, as a scene tells its handlers of them, and its messages to one player, on a
-- simulated skynet; the cases lives and notices have more of it, on a real one.
local files = require "spec.support.files"
local simulated_scene = require "spec.support.simulated_scene"
local simulated_world = require "spec.support.simulated_world"

describe("a world tells the handlers of its regions", function()
  local A, B, C = 1, 2, 3 -- nodes: of the region below x = 300, of that from there on, of none
  local folder, world

  before_each(function()
    folder = files.new_folder()
    world = simulated_world.new { seed = 1, nodes = { "a", "b", "c" }, wanderers = 0,
      words = { handlers = "spec.support.noting_handlers", orphan = 3200, store = folder } }
    world:wait_for_members()
  end)

  after_each(function()
    files.remove(folder)
    assert.is_nil(world.all.failed[1])
  end)

  local function ask(to, ...)
    return world:ask(to, ...)
  end

  local function call(node, ...)
    return ask(world.worlds[node], ...)
  end

  -- The notes of both regions since the last time, each a text.
  local function notes()
    world:run(300)
    local texts, owners = {}, call(A, "configuration").owners
    for region, owner in ipairs(owners) do
      local node = owner == "a" and A or owner == "b" and B or C
      local address = call(node, "regions")[region].address
      local own, parts = world.all.processes[owner].services[address].skynet, {}
      for _, one in ipairs(own.notes or {}) do
        local last = one[4]
        parts[#parts + 1] = one[1] == "start" and "start" or ("%s %d %s%s"):format(one[1], one[2],
          one[1] == "taken_over" and "" or one[3], last and (" at %g, %g"):format(last[1], last[2]) or "")
      end
      own.notes, texts[region] = {}, table.concat(parts, "; ")
    end
    return texts
  end

  it("who enters, crosses a border, is taken over and leaves", function()
    assert.same({ "start", "start" }, notes())
    local agent, other = world:start_agent(C), world:start_agent(A)
    assert.is_true(ask(agent, "view", "join", 1, 290, 100))
    assert.same({ "joined 1 new", "" }, notes())
    ask(agent, "view", "move", 350, 100)
    assert.same({ "ended 1 handed at 350, 100", "joined 1 handed" }, notes())
    assert.is_true((ask(other, "view", "join", 1, 0, 0, { take_over = true })))
    assert.same({ "", "taken_over 1 " }, notes())
    ask(other, "view", "move", 280, 100)
    assert.same({ "joined 1 handed", "ended 1 handed at 280, 100" }, notes())
    ask(other, "view", "leave")
    assert.same({ "ended 1 left at 280, 100", "" }, notes())
    assert.is_true(call(B, "enter", 2, 290, 100, { address = false }))
    assert.is_true(call(C, "leave", 2))
    assert.same({ "joined 2 new; ended 2 removed at 290, 100", "" }, notes())
  end)

  it("of whom the agent dies, and of whom its node is lost", function()
    notes()
    local agent = world:start_agent(A)
    assert.is_true(ask(agent, "view", "join", 1, 310, 100))
    assert.is_true(ask(world:start_agent(C), "view", "join", 2, 320, 100))
    agent:end_it()
    assert.same({ "", "joined 1 new; joined 2 new; ended 1 dead at 310, 100" }, notes())
    world:kill(C)
    world:run(10000)
    assert.same({ "", "ended 2 orphan at 320, 100" }, notes())
  end)

  it("of whom the region moves, or comes back from its store", function()
    notes()
    assert.is_true(call(A, "enter", 1, 310, 100, { address = false }))
    assert.is_true(call(A, "enter", 2, 290, 100, { address = false })) -- a ghost there
    notes()
    assert.is_true((call(A, "migrate", 2, "a")))
    assert.same({ "", "joined 1 restored; start" }, notes())
    assert.is_true((call(A, "migrate", 2, "b")))
    notes()
    world:kill(B)
    world:run(4000)
    assert.same({ "", "joined 1 restored; start" }, notes())
  end)
end)

describe("a scene", function()
  local scenes, scene

  before_each(function()
    scenes = simulated_scene.new()
    scene = scenes:scene "handlers=spec.support.noting_handlers"
    assert.same({ { "start" } }, (scenes:ask(scene, "notes")))
  end)

  after_each(function()
    assert.same({}, scenes.all.failed)
  end)

  local function ask(...)
    return scenes:ask(...)
  end

  local function notes()
    return (ask(scene, "notes"))
  end

  local function last(x, y)
    return { x, y, properties = {} }
  end

  describe("tells its handlers", function()
    it("who is new, back, and gone by its own will or another's", function()
      local agent = scenes:agent(scene)
      assert.is_true(ask(agent, "view", "join", 1, 10, 10))
      ask(agent, "view", "leave")
      assert.is_true(ask(agent, "view", "join", 1, 20, 10))
      ask(scene, "leave", 1)
      assert.same({ { "joined", 1, "new" }, { "ended", 1, "left", last(10, 10) }, { "joined", 1, "back" },
        { "ended", 1, "removed", last(20, 10) } }, notes())
      scenes:tick(scene)
      ask(scene, "act", "enter", 1, 30, 10)
      ask(scene, "act", "leave", 1)
      assert.same({ { "joined", 1, "new" }, { "ended", 1, "removed", last(30, 10) } }, notes())
    end)

    it("before it answers, whatever the hook does", function()
      ask(scene, "enter", 66, 10, 10)
      ask(scene, "enter", 77, 10, 10)
      assert.same({ { "joined", 66, "new" }, { "joined", 77, "new" } }, notes())
      assert.is_true(scenes.all.logged[1][3]:find("the hook joined failed: .*it is 66") ~= nil)
      scenes.all:run(1100)
      assert.same({ { "waited", 77 } }, notes())
    end)

    it("who takes over, and nobody when the address stays", function()
      local one, two = scenes:agent(scene), scenes:agent(scene)
      ask(scene, "enter", 1, 10, 10, { address = one.handle })
      ask(scene, "update", 1, 10, 10, { address = one.handle })
      ask(scene, "update", 1, 10, 10, { address = two.handle })
      ask(scene, "update", 1, 10, 10, { address = false })
      assert.same({ { "joined", 1, "new" }, { "taken_over", 1, two.handle } }, notes())
      assert.is_true(ask(one, "view", "join", 1, 20, 10, { take_over = true }))
      assert.same({ { "taken_over", 1, one.handle } }, notes())
      ask(one, "view", "leave")
      assert.is_true(ask(scene, "enter", 1, 10, 10, { address = one.handle }))
      assert.same({ { "ended", 1, "left", last(10, 10) }, { "joined", 1, "back" } }, notes())
      assert.is_true(ask(scene, "enter", 1, 20, 10, { address = one.handle, take_over = true }))
      assert.same({ { "taken_over", 1, one.handle } }, notes())
    end)

    it("that all have ended and others are restored, in their order, when it is loaded", function()
      for _, id in ipairs { 3, -2, 1 } do
        ask(scene, "enter", id, id, 10, { address = false })
      end
      local saved = ask(scene, "save")
      ask(scene, "leave", 1)
      notes()
      assert.is_true(ask(scene, "load", saved))
      assert.same({ { "ended", -2, "replaced", last(-2, 10) }, { "ended", 3, "replaced", last(3, 10) },
        { "joined", -2, "restored" }, { "joined", 1, "restored" }, { "joined", 3, "restored" },
        { "start" } }, notes())
      ask(scene, "reload")
      assert.same({ { "start" } }, notes())
    end)

    it("of a transfer in both scenes", function()
      local other = scenes:scene "handlers=spec.support.noting_handlers"
      ask(scene, "enter", 1, 10, 10, { address = false })
      assert.is_true(ask(scene, "transfer", 1, other.handle, 20, 20))
      assert.same({ { "joined", 1, "new" }, { "ended", 1, "transferred", last(10, 10) } }, notes())
      assert.same({ { "start" }, { "joined", 1, "transferred" } }, (ask(other, "notes")))
    end)
  end)

  it("keeps of who is back within a tick what others said of it, and nothing of its own", function()
    local own = scenes:scene("limit=1", "extras=1")
    for id = 1, 4 do -- 1 would be told of 2 alone
      assert.is_true(ask(own, "enter", id, id, 0, { address = false, data = "old", extras = { id } }))
      assert.is_true(ask(own, "add_area", id, { owner = id, radius = 2 }))
    end
    for _, pair in ipairs { { 1, 4 }, { 3, 1 } } do
      assert.is_true(ask(own, "pin", table.unpack(pair)))
    end
    for _, pair in ipairs { { 1, 3 }, { 4, 1 } } do
      assert.is_true(ask(own, "set_sight", pair[1], pair[2], false))
    end
    assert.is_true(ask(own, "set_property", 1, 7, "red"))
    scenes:tick(own)
    local function explain()
      local words = {}
      for i, pair in ipairs { { 1, 4 }, { 1, 3 }, { 3, 1 }, { 4, 1 } } do
        words[i] = ask(own, "query", "explain", table.unpack(pair))
      end
      return words
    end
    assert.same({ "told", "hidden", "told", "hidden" }, explain())
    assert.is_true(ask(own, "leave", 1))
    assert.is_true(ask(own, "enter", 1, 1, 0, { address = false }))
    scenes:tick(own)
    assert.same({ "limit", "limit", "told", "hidden" }, explain())
    local areas = ask(own, "query", "areas")
    table.sort(areas)
    assert.same({ 2, 3, 4 }, areas)
    local agent = scenes:agent(own)
    assert.is_true(ask(agent, "view", "join", 9, 1, 0)) -- who is told of 1 alone
    scenes:tick(own)
    assert.same({ "entered", 1, 1, 0, 0.0, nil, {} }, scenes:heard(agent)[1])
  end)

  it("sends each address one message, though a hook has run in the middle of a tick", function()
    local agent = scenes:agent(scene)
    for id = 1, 3 do
      ask(scene, "enter", id, id < 3 and 10 or 100, 10, { address = agent.handle })
    end
    ask(scene, "enter", 4, 100, 10, { address = false })
    scenes:tick(scene)
    local before = ask(scene, "stats").messages
    ask(scene, "set_property", 4, 1, 1) -- which is told at the end of the tick
    ask(scene, "enter", 9, 12, 10, { address = false })
    scenes:tick(scene)
    assert.equal(1, ask(scene, "stats").messages - before)
    assert.same({ "ended", 9, "removed", last(12, 10) }, notes()[6])
  end)

  describe("notifies", function()
    local function texts(agent)
      local list = {}
      for _, event in ipairs(scenes:heard(agent)) do
        list[#list + 1] = event[1] == "notified" and event[2] or event[1]
      end
      return table.concat(list, " ")
    end

    it("a newcomer behind its first list, and all others in the order of calls behind their views", function()
      local agent, other = scenes:agent(scene), scenes:agent(scene)
      assert.is_true(ask(agent, "view", "join", 1, 10, 10))
      ask(scene, "notify", 1, "a")
      ask(scene, "enter", 2, 12, 10, { address = other.handle })
      ask(scene, "enter", 3, 100, 10, { address = other.handle })
      ask(scene, "notify", 3, "b")
      ask(scene, "notify", 2, "c")
      ask(scene, "notify", 3, "d")
      assert.equal("", texts(agent))
      scenes:tick(scene)
      assert.equal("entered a", texts(agent))
      assert.equal("entered b c d", texts(other))
      scenes:tick(scene)
      assert.equal("", texts(agent))
    end)

    it("who leaves before the end, who comes back behind the new list, and who has another address there",
      function()
        local agent, other = scenes:agent(scene), scenes:agent(scene)
        ask(scene, "enter", 2, 12, 10, { address = false })
        assert.is_true(ask(agent, "view", "join", 1, 10, 10))
        scenes:tick(scene)
        texts(agent)
        ask(scene, "notify", 1, "a")
        ask(agent, "view", "leave")
        scenes:tick(scene)
        assert.equal("a left", texts(agent))
        assert.is_true(ask(agent, "view", "join", 1, 10, 10))
        scenes:tick(scene)
        ask(scene, "notify", 1, "b")
        ask(scene, "leave", 1)
        assert.is_true(ask(other, "view", "join", 1, 10, 10))
        scenes:tick(scene)
        assert.equal("entered left gone", texts(agent))
        assert.equal("entered b", texts(other))
      end)

    it("whom it was about to tell when it was saved", function()
      local agent = scenes:agent(scene)
      assert.is_true(ask(agent, "view", "join", 1, 10, 10))
      ask(scene, "notify", 1, "a")
      local saved = ask(scene, "save")
      assert.is_true(ask(scene, "load", saved))
      scenes:tick(scene)
      assert.equal("a", texts(agent))
      ask(scene, "notify", 1, "b") -- which the load undoes
      assert.is_true(ask(scene, "load", saved))
      scenes:tick(scene)
      assert.equal("a", texts(agent))
    end)
  end)
end)
