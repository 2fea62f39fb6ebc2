-- Handlers of a scene that wait, on a simulated skynet: it loses nothing meanwhile, and mistakes nobody
-- for another.
local simulated_scene = require "spec.support.simulated_scene"

describe("while a handler waits", function()
  local scenes, begun -- a list of answers

  before_each(function()
    scenes, begun = simulated_scene.new(), {}
  end)

  after_each(function()
    for _, answer in ipairs(begun) do
      assert.is_true(answer[1], answer[2])
    end
    assert.same({}, scenes.all.logged)
    assert.same({}, scenes.all.failed)
  end)

  local function ask(...)
    return scenes:ask(...)
  end

  local function new_scene(...)
    return scenes:scene("handlers=spec.support.waiting_handlers", ...)
  end

  -- Calls a scene, and goes on before it answers.
  local function begin(scene, ...)
    begun[#begun + 1] = scenes:send_off(scene, ...)
    scenes.all:run(50)
  end

  it("in a tick, a move that was sent runs no handler that could not wait", function()
    local scene = new_scene()
    for id, x in pairs { [1] = 0, [2] = 500 } do
      assert.is_true(ask(scene, "enter", id, x, 0, { address = false }))
    end
    scenes:tick(scene)
    for id = 3, 5 do
      assert.is_true(ask(scene, "enter", id, 1, 0, { address = false }))
    end
    ask(scene, "wait", "on_enter", 1, 3)
    begin(scene, "tick")
    scenes.skynet.send(scene.handle, "lua", "move", 2, 501, 0)
    scenes.all:run(2000)
    assert.equal(501, (ask(scene, "query", "position", 2)))
    local notes = ask(scene, "notes")
    for id = 3, 5 do
      assert.truthy(notes:find(("1 met %d"):format(id), 1, true))
    end
  end)

  -- Two agents that see each other and the entity 3, which is nobody's.
  local function new_agents(scene)
    local one, two = scenes:agent(scene), scenes:agent(scene)
    assert.is_true(ask(one, "view", "join", 1, 0, 0))
    assert.is_true(ask(two, "view", "join", 2, 5, 0))
    assert.is_true(ask(scene, "enter", 3, 2, 0, { address = false }))
    scenes:tick(scene)
    scenes:heard(one)
    scenes:heard(two)
    return one, two
  end

  it("in a tick, what changes of an entity that has moved is told to all with the next one, once", function()
    local scene = new_scene()
    local one, two = new_agents(scene)
    assert.is_true(ask(scene, "move", 3, 3, 0))
    ask(scene, "wait", "on_view", 1, 1)
    begin(scene, "tick") -- which has told 1 of the move
    local before = ask(scene, "stats").events
    assert.is_true(ask(scene, "set_property", 3, 7, "red"))
    scenes:tick(scene)
    scenes.all:run(2000)
    scenes:tick(scene)
    assert.equal(before + 3, ask(scene, "stats").events) -- the move to 2, and the change to each
    local expected = { { "moved", 3, 3, 0 }, { "changed", 3, nil, { [7] = "red" } } }
    assert.same({ expected, expected }, { scenes:heard(one), scenes:heard(two) })
  end)

  it("in a tick, a reload leaves nothing untold of the rest of it", function()
    local scene = new_scene()
    local one, two = new_agents(scene)
    local last = scenes:agent(scene)
    assert.is_true(ask(last, "view", "join", 9, 6, 0))
    scenes:tick(scene)
    assert.is_true(ask(scene, "move", 3, 3, 0))
    assert.is_true(ask(scene, "enter", 4, 4, 0, { address = false }))
    ask(scene, "wait", "on_view", 1, 1)
    ask(scene, "wait", "on_view", 2, 1)
    begin(scene, "tick") -- which has told 1 of it
    assert.is_true(ask(scene, "reload"))
    scenes.all:run(500) -- now it waits for 2
    assert.is_true(ask(scene, "move", 3, 5, 0))
    assert.is_true(ask(scene, "set_property", 4, 7, "red"))
    scenes:heard(last)
    scenes.all:run(2000)
    assert.same({ { "entered", 4, 4, 0, nil, {} }, { "moved", 3, 5, 0 } }, scenes:heard(last))
    scenes:tick(scene)
    for _, agent in ipairs { one, two, last } do
      local _, known = ask(agent, "view", "known")
      assert.same({ { 5, 0 }, { 4, 0, properties = { [7] = "red" } } }, { known[3], known[4] })
    end
  end)

  describe("without ticks, an entity", function()
    local scene

    before_each(function()
      scene = new_scene "tick=0"
      assert.is_true(ask(scene, "enter", 1, 0, 0, { address = false }))
    end)

    -- The notes of the lives of entity 2.
    local function lives()
      local list = {}
      for word in (ask(scene, "notes")):gmatch "%l+ 2 %l+" do
        list[#list + 1] = not word:find "met" and word or nil
      end
      return table.concat(list, "; ")
    end

    it("that is back before it has left is there to stay, as another's", function()
      local one, two = scenes:agent(scene), scenes:agent(scene)
      assert.is_true(ask(one, "view", "join", 2, 5, 5, { data = "one", radius = 30 }))
      ask(scene, "wait", "on_leave", 1, 1)
      ask(one, "view", "leave")
      scenes.all:run(50)
      assert.is_true(ask(two, "view", "join", 2, 6, 6))
      scenes.all:run(2000)
      assert.is_true(ask(scene, "set_property", 1, 7, "red"))
      assert.same({ { "entered", 1, 0, 0, nil, {} }, { "changed", 1, nil, { [7] = "red" } } },
        scenes:heard(two))
      assert.equal(1, ask(scene, "stats").addresses)
      assert.equal("joined 2 new; ended 2 left; joined 2 new", lives())
      ask(two, "view", "leave")
      assert.is_false((ask(scene, "query", "has", 2)))
    end)

    it("whose agent is dead, and that is back before it has left, is there to stay", function()
      local one, two = scenes:agent(scene), scenes:agent(scene)
      assert.is_true(ask(one, "view", "join", 2, 5, 5))
      ask(scene, "wait", "on_leave", 1, 1)
      one:end_it()
      scenes.all:run(50)
      assert.is_true(ask(two, "view", "join", 2, 6, 6, { data = "two" }))
      scenes.all:run(2000)
      assert.equal(1, ask(scene, "stats").addresses)
      local _, me = ask(two, "view", "me")
      assert.equal("two", me.data)
      assert.equal("joined 2 new; ended 2 dead; joined 2 new", lives())
    end)

    it("that leaves before it has entered has joined before that", function()
      ask(scene, "wait", "on_enter", 1, 1)
      begin(scene, "enter", 2, 5, 5, { address = false })
      assert.is_true(ask(scene, "leave", 2))
      scenes.all:run(2000)
      assert.equal("joined 2 new; ended 2 removed", lives())
    end)

    it("that leaves before it has been given to another is nobody's then", function()
      local other = scenes:agent(scene)
      assert.is_true(ask(scene, "enter", 2, 500, 500, { address = false }))
      ask(scene, "wait", "on_enter", 1, 1)
      begin(scene, "update", 2, 5, 5, { address = other.handle, data = "other's" })
      assert.is_true(ask(scene, "leave", 2))
      scenes.all:run(2000)
      assert.equal(0, ask(scene, "stats").addresses)
      assert.is_true(ask(scene, "enter", 2, 5, 5, { address = false }))
      assert.equal("joined 2 new; ended 2 removed; joined 2 new", lives())
    end)
  end)
end)
