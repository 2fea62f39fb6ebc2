-- The own side of an agent's entity in a scene, on a simulated skynet: which of its commands count, and what
-- it hears of itself. The case `own` has more of it, on a real one.
local files = require "spec.support.files"
local simulated_scene = require "spec.support.simulated_scene"

describe("An agent in a scene", function()
  local scenes

  before_each(function()
    scenes = simulated_scene.new()
  end)

  after_each(function()
    assert.same({}, scenes.all.failed)
  end)

  local function ask(...)
    return scenes:ask(...)
  end

  local function place(scene, id)
    return { ask(scene, "query", "position", id) }
  end

  it("that was replaced has none of its commands done: an update neither", function()
    local scene = scenes:scene()
    local first, second = scenes:agent(scene), scenes:agent(scene)
    assert.is_true(ask(first, "view", "join", 7, 1, 1, { data = "mine", radius = 10 }))
    scenes:tick(scene)
    assert.is_true((ask(second, "view", "join", 7, 0, 0, { take_over = true })))
    assert.is_true(ask(first, "view", "update", 9, 9, { data = "stale", radius = 3 }))
    assert.same({ { 1, 1 }, 10 }, { place(scene, 7), ask(scene, "query", "radius", 7) })
    local stats = ask(scene, "stats")
    assert.same({ 0, 1 }, { stats.late_steps, stats.late_commands })
    scenes:tick(scene)
    local _, me = ask(second, "view", "me")
    assert.equal("mine", me.data)
    assert.same({ true, false },
      { ask(scene, "update", 7, 9, 9, { stream = 5, pushes = 0, data = "stale", radius = -1 }) })
  end)

  it("whose update comes after a push keeps its place, extras and anchor; the rest of it counts", function()
    local scene = scenes:scene("slack=5", "extras=1")
    local here = scenes.driver.handle
    assert.is_true(ask(scene, "enter", 8, 50, 0, { stream = 5, address = here, extras = { 1 } }))
    for _, anchor in ipairs { { 48, 0 }, { 0, 0 } } do -- the second is too far away
      local opts = { stream = 5, pushes = 3, anchor = anchor, extras = { 2 }, layers = 6 }
      assert.same({ true, false }, { ask(scene, "update", 8, 1, 0, opts) })
      assert.same({ 50, 0 }, place(scene, 8))
      assert.same({ 50, 0 }, { ask(scene, "query", "anchor", 8) })
    end
    assert.is_true((ask(scene, "enter", 8, 1, 0, { take_over = true, address = here, anchor = { 48, 0 } })))
    assert.same({ 50, 0 }, { ask(scene, "query", "anchor", 8) })
    assert.same({ 6, 2 }, { ask(scene, "query", "traits", 8).layers, ask(scene, "stats").late_steps })
  end)

  it("that asks for another stream does in that one all that it does meanwhile", function()
    local scene, other = scenes:scene("extras=1"), scenes:scene("extras=1")
    local unwanted = { refused = true, gone = true }
    local function begin()
      local agent = scenes:agent(scene)
      assert.is_true(ask(agent, "view", "join", 7, 1, 1))
      scenes:tick(scene)
      scenes:heard(agent)
      return agent, scenes:send_off(agent, "view", "update", 2, 2, { address = agent.handle })
    end
    local function finish(agent, result)
      scenes:tick(scene)
      scenes:tick(scene)
      assert.is_true(result[2])
      assert.equal(0, ask(scene, "stats").late_commands + ask(scene, "stats").late_steps)
      for _, event in ipairs(scenes:heard(agent)) do
        assert.is_nil(unwanted[event[1]], event[1])
      end
    end

    local agent, result = begin()
    scenes:send_off(agent, "view", "move", 3, 3, 9)
    scenes:send_off(agent, "view", "set_property", 1, "hp")
    local changed = scenes:send_off(agent, "view", "set_traits", { radius = 11 })
    scenes.all:run(20)
    assert.is_true(changed[2])
    finish(agent, result)
    assert.same({ { 3, 3 }, 11 }, { place(scene, 7), ask(scene, "query", "radius", 7) })
    local _, me = ask(agent, "view", "me")
    assert.same({ 3, 3, "hp", 11, 9 }, { me[1], me[2], me.properties[1], me.traits.radius, me.extras[1] })
    assert.is_true(ask(agent, "view", "leave"))
    scenes:tick(scene)

    agent, result = begin()
    scenes:send_off(agent, "view", "update", 4, 4, { radius = 12 })
    local left = scenes:send_off(agent, "view", "leave")
    local joined = scenes:send_off(agent, "view", "join", 7, 6, 6)
    scenes.all:run(20)
    assert.same({ true, true }, { left[2], joined[2] })
    finish(agent, result)
    assert.same({ 6, 6 }, place(scene, 7))
    assert.is_true(ask(agent, "view", "leave"))
    scenes:tick(scene)
    assert.is_false(ask(scene, "query", "has", 7))

    agent, result = begin()
    local gone = scenes:send_off(agent, "view", "go", other.handle, 8, 8)
    scenes.all:run(20)
    assert.is_true(gone[2])
    finish(agent, result)
    assert.is_false(ask(scene, "query", "has", 7))
    assert.same({ 8, 8 }, place(other, 7))
  end)

  it("that asks for another stream on its way to another scene has it there, and leaves the first", function()
    local scene, other = scenes:scene(), scenes:scene()
    local agent = scenes:agent(scene)
    assert.is_true(ask(agent, "view", "join", 7, 1, 1))
    scenes:tick(scene)
    local gone = scenes:send_off(agent, "view", "go", other.handle, 8, 8)
    local changed = scenes:send_off(agent, "view", "update", 9, 9, { address = agent.handle })
    scenes.all:run(20)
    assert.same({ true, true }, { gone[2], changed[2] })
    scenes:tick(scene)
    scenes:tick(other)
    assert.is_false(ask(scene, "query", "has", 7))
    assert.same({ 9, 9 }, place(other, 7))
  end)

  it("whose scene refuses it another stream goes on in the one that it has", function()
    local scene = scenes:scene()
    local agent = scenes:agent(scene)
    assert.is_true(ask(agent, "view", "join", 7, 1, 1))
    scenes:tick(scene)
    local result = scenes:send_off(agent, "view", "update", 2, 2, { address = agent.handle, radius = -1 })
    scenes:send_off(agent, "view", "leave")
    scenes.all:run(20)
    assert.is_false(result[2])
    scenes:tick(scene)
    assert.is_false(ask(scene, "query", "has", 7))
  end)

  it("whose scene ends is told first that all has left which it saw", function()
    local scene = scenes:scene()
    local agent = scenes:agent(scene)
    assert.is_true(ask(agent, "view", "join", 7, 1, 1))
    assert.is_true(ask(scene, "enter", 8, 2, 2, { address = false }))
    scenes:tick(scene)
    scenes:heard(agent)
    scene:end_it()
    scenes.all:run(7000)
    assert.same({ { "left", 8 }, { "gone", scene.handle, "ended" } }, scenes:heard(agent))
  end)

  it("has a clear error for a scene or a key that is none", function()
    local agent = scenes:agent(scenes:scene())
    local _, message = ask(agent, "view", "go")
    assert.is_truthy(message:find("view.go: scene is nil, expected the address of a scene", 1, true), message)
    assert.is_true(ask(agent, "view", "join", 7, 1, 1))
    _, message = ask(agent, "view", "set_property", 0 / 0, 1)
    assert.is_truthy(message:find("expected an integer from 0 to 255", 1, true), message)
  end)

  it("learns by its layers at the tick, also when a handler changes them past the scene", function()
    for _, words in ipairs { {}, { "limit=10" } } do
      local scene = scenes:scene("handlers=spec.support.hiding_handlers", table.unpack(words))
      local agent, list = scenes:agent(scene), {}
      assert.is_true(ask(agent, "view", "join", 1, 0, 0, { layers = 5 }))
      assert.is_true(ask(scene, "enter", 2, 5, 0, { address = false }))
      for plan, layers in ipairs { 5, 1, 1, 4 } do
        ask(scene, "set_property", 2, 3, "plan " .. plan)
        ask(scene, "change", "set_layers", 1, layers)
        scenes:tick(scene)
        for _, event in ipairs(scenes:heard(agent)) do
          if event[1] == "entered" or event[1] == "changed" then
            list[#list + 1] = event[#event][3]
          end
        end
      end
      assert.same({ "plan 1", false, "plan 4" }, list)
    end
  end)

  it("that is in no scene any more may ask for a resync: an outbox does not know", function()
    local scene = scenes:scene()
    local agent = scenes:agent(scene)
    assert.is_true((ask(agent, "view", "resync")))
    assert.is_true(ask(agent, "view", "join", 1, 0, 0))
    scenes:tick(scene)
    ask(agent, "view", "leave")
    assert.is_true((ask(agent, "view", "resync")))
    assert.is_false((ask(agent, "view", "say", "hello")))
  end)

  it("hears of its place in the scene to which it goes only when it is pushed there", function()
    for _, words in ipairs { { "tick=0" }, {} } do
      local scene = scenes:scene()
      local to = scenes:scene("handlers=spec.support.pushing_handlers", table.unpack(words))
      local agent = scenes:agent(scene)
      local function moves()
        local _ = words[1] or scenes:tick(to)
        local list = {}
        for _, event in ipairs(scenes:heard(agent)) do
          list[#list + 1] = event[1] == "me_moved" and event[2] or nil
        end
        return list
      end
      assert.is_true(ask(agent, "view", "join", 1, 0, 0))
      scenes:tick(scene)
      assert.is_true((ask(agent, "view", "go", to.handle, 5, 6)))
      assert.same({}, moves())
      local _, me = ask(agent, "view", "me")
      assert.same({ 5, 6, 0 }, { me[1], me[2], me.pushes })
      assert.is_true((ask(agent, "view", "go", scene.handle, 7, 6)))
      scenes:tick(scene)
      assert.same({}, moves())
      assert.is_true((ask(agent, "view", "go", to.handle, 66, 6))) -- where it is pushed as it enters
      assert.same({ 50 }, moves())
      _, me = ask(agent, "view", "me")
      assert.same({ 50, 6, 1 }, { me[1], me[2], me.pushes })
      ask(agent, "view", "leave")
      local other = scenes:agent(to)
      assert.is_true((ask(other, "view", "join", 2, 66, 6)))
      agent = other
      assert.same({ 50 }, moves())
    end
  end)

  it("has extras behind its place, and is not moved by them", function()
    local scene = scenes:scene "extras=1"
    local agent = scenes:agent(scene)
    local function me()
      scenes:tick(scene)
      for _, event in ipairs(scenes:heard(agent)) do
        assert.not_equal("me_moved", event[1])
      end
      local _, own = ask(agent, "view", "me")
      return { own[1], own[2], own[3], own.extras[1] }
    end
    assert.is_true((ask(agent, "view", "join", 1, 5, 6, { extras = { 0.5 } })))
    assert.same({ 5, 6, nil, 0.5 }, me())
    assert.is_true((ask(agent, "view", "move", 7, 6)))
    assert.same({ 7, 6, nil, 0.5 }, me())
    assert.is_true((ask(scene, "move", 1, 9, 6)))
    scenes:tick(scene)
    assert.same({ { "me_moved", 9, 6 } }, scenes:heard(agent))
    for _, value in ipairs { 0.75, 0.25 } do
      assert.is_true((ask(agent, "view", "set_traits", { extras = { value } })))
      assert.same({ 9, 6, nil, value }, me())
    end
  end)
end)

describe("An agent whose entity a hook removes as it enters", function()
  for _, tick in ipairs { "tick=3600000", "tick=0" } do
    it("hears that it is gone, and may enter elsewhere, with " .. tick, function()
      local scenes = simulated_scene.new()
      local scene, other = scenes:scene("handlers=spec.support.banning_handlers", tick), scenes:scene()
      local agent = scenes:agent(scene)
      local function ask(...)
        return scenes:ask(agent, "view", ...)
      end
      local function take()
        if tick ~= "tick=0" then
          scenes:tick(scene)
        end
        return scenes:heard(agent)
      end
      assert.is_true((ask("join", 7, 0, 0)))
      assert.same({ { "gone", scene.handle, "removed" } }, take())
      assert.same({ true }, { ask("scene") })
      assert.is_true(ask("join", 8, 0, 0))
      scenes:ask(scene, "leave", 8)
      assert.same({ { "gone", scene.handle, "removed" } }, take())
      agent = scenes:agent(other)
      assert.is_true((ask("join", 7, 0, 0)))
      scenes:tick(other)
      assert.is_true((ask("go", scene.handle, 0, 0)))
      assert.same({ { "gone", scene.handle, "removed" } }, take())
      assert.same({ true }, { ask("scene") })
      for _, one in ipairs { scene, other } do
        assert.is_false(scenes:ask(one, "query", "has", 7))
      end
      assert.same({}, scenes.all.failed)
    end)
  end
end)

-- The former agent of an entity that goes to another scene as another's, or as nobody's.
describe("An agent whose entity a transfer gives away", function()
  it("is told that its stay is over, and can do nothing to the entity", function()
    for _, words in ipairs { {}, { "tick=0" } } do
      for _, is_nobodys in ipairs { false, true } do
        local scenes = simulated_scene.new()
        local from, to = scenes:scene(table.unpack(words)), scenes:scene()
        local one, two = scenes:agent(from), scenes:agent(to)
        assert.is_true(scenes:ask(one, "view", "join", 7, 0, 0))
        assert.is_true(scenes:ask(from, "enter", 8, 1, 0, { address = false }))
        scenes:tick(from)
        assert.is_true(scenes:ask(from, "notify", 7, "farewell"))
        scenes:heard(one)
        local address = not is_nobodys and two.handle
        assert.is_true(scenes:ask(from, "transfer", 7, to.handle, 5, 5, { address = address }))
        scenes:tick(from)
        scenes:tick(to)
        local heard = scenes:heard(one)
        assert.same({ "left", 8 }, heard[#heard - 1])
        assert.same({ "gone", from.handle, "removed" }, heard[#heard])
        assert.same({ true }, { scenes:ask(one, "view", "scene") })
        assert.is_false((scenes:ask(one, "view", "leave")))
        scenes.all:run(100)
        assert.same({ 5, 5 }, { scenes:ask(to, "query", "position", 7) })
        assert.equal(is_nobodys and 0 or 1, scenes:ask(to, "stats").addresses)
        assert.same({}, scenes.all.failed)
      end
    end
  end)
end)

describe("An entity that another scene is asked to take", function()
  it("can't be changed until that has answered", function()
    local scenes = simulated_scene.new()
    local scene, to = scenes:scene "limit=10", scenes:scene()
    -- It asks the other scene half a second later.
    local slow = scenes.process:start_service(function(load)
      local skynet = load "skynet"
      skynet.start(function()
        skynet.dispatch("lua", function(_, _, ...)
          skynet.sleep(50)
          skynet.retpack(skynet.call(to.handle, "lua", ...))
        end)
      end)
    end)
    local agent = scenes:agent(scene)
    assert.is_true(scenes:ask(agent, "view", "join", 7, 1, 2, { radius = 5 }))
    assert.is_true(scenes:ask(scene, "enter", 8, 0, 0, { address = false }))
    local answer
    scenes.skynet.fork(function()
      answer = scenes.skynet.call(scene.handle, "lua", "transfer", 7, slow.handle, 10, 10)
    end)
    scenes.all:run(50)
    for _, command in ipairs {
      { "move", 7, 3, 3 }, { "update", 7, 3, 3 }, { "set_traits", 7, { radius = 9 } },
      { "set_property", 7, 1, 1 }, { "set_radius", 7, 9 },
      { "set_layers", 7, 6 }, { "set_mode", 7, "w" }, { "set_sees_layers", 7, 6 },
      { "set_limit", 7, 3 }, { "set_importance", 7, 3 }, { "set_visible_radius", 7, 3 },
      { "set_sight", 7, 8, false }, { "pin", 7, 8 }, { "unpin", 7, 8 },
    } do
      assert.same({ nil, command[1] .. ": entity 7 is on its way to another scene" },
        { scenes:ask(scene, table.unpack(command)) })
    end
    assert.is_true(scenes:ask(scene, "add_area", 7, { x = 0, y = 0, radius = 5 })) -- another 7
    assert.is_true(scenes:ask(scene, "move", 8, 3, 3))
    scenes:heard(agent)
    scenes:ask(agent, "view", "move", 4, 4)
    scenes.all:run(1000)
    assert.is_true(answer)
    assert.same({ { "refused", "move", "move: entity 7 is on its way to another scene", 7 } },
      { scenes:heard(agent)[1] })
    assert.same({ 10, 10 }, { scenes:ask(to, "query", "position", 7) })
    assert.equal(5, scenes:ask(to, "query", "radius", 7))
    assert.same({}, scenes.all.failed)
  end)
end)

describe("An entity of a scene that has come back from its store", function()
  local scenes, scene, folder

  before_each(function()
    folder = files.new_folder()
    scenes = simulated_scene.new()
    scene = scenes:scene("store=" .. folder, "orphan=1000")
  end)

  after_each(function()
    files.remove(folder)
    assert.same({}, scenes.all.failed)
  end)

  -- The scene is killed after a tick, and started again.
  local function come_back()
    scenes:tick(scene)
    scene:end_it()
    scenes.all:run(20)
    scene = scenes:scene("store=" .. folder, "orphan=1000")
  end

  local function ask(...)
    return scenes:ask(...)
  end

  it("leaves when its agent does not come back, also when memory was short at first", function()
    local gate = scenes:agent(scene)
    for id = 1, 3 do
      assert.is_true(ask(scene, "enter", id, id, 0, { address = gate.handle }))
    end
    assert.is_true(ask(scene, "enter", 4, 4, 0, { address = false }))
    come_back()
    local methods = debug.getmetatable(require("aoi").new { radius = 1 }).__index
    local leave = methods.leave
    methods.leave = function(space, id)
      assert(id ~= 2, "not enough memory")
      return leave(space, id)
    end
    local agent = scenes:agent(scene)
    assert.is_true((ask(agent, "view", "join", 3, 0, 0)))
    scenes.all:run(1500)
    local ids = ask(scene, "query", "ids")
    methods.leave = leave
    table.sort(ids)
    assert.same({ 2, 3, 4 }, ids)
    scenes.all:run(1500)
    ids = ask(scene, "query", "ids")
    table.sort(ids)
    assert.same({ 3, 4 }, ids)
  end)

  it("leaves when its agent comes from another scene: view.go takes nothing over", function()
    assert.is_true(ask(scene, "enter", 1, 1, 0, { address = scenes:agent(scene).handle, data = "old" }))
    come_back()
    local from = scenes:scene()
    local agent = scenes:agent(from)
    assert.is_true(ask(agent, "view", "join", 1, 0, 0))
    for _, opts in ipairs { { anew = false }, { take_over = true, anew = false } } do
      local ok, message = ask(agent, "view", "go", scene.handle, 5, 0, opts)
      assert.is_false(ok)
      assert.truthy(message:find("anew is false: view.go takes nothing over", 1, true), message)
    end
    assert.same({ 1, 0 }, { ask(scene, "query", "position", 1) })
    assert.same({ true }, { ask(agent, "view", "go", scene.handle, 5, 0, { take_over = true }) })
    assert.same({ 5, 0 }, { ask(scene, "query", "position", 1) })
    scenes:tick(scene)
    local _, me = ask(agent, "view", "me")
    assert.is_nil(me.data)
  end)

  it("waits for its agent also when the scene is saved and loaded meanwhile", function()
    assert.is_true(ask(scene, "enter", 1, 1, 0, { address = scenes:agent(scene).handle }))
    assert.is_true(ask(scene, "enter", 2, 2, 0, { address = scenes:agent(scene).handle }))
    assert.is_true(ask(scene, "enter", 3, 3, 0, { address = false }))
    come_back()
    local other, late = scenes:scene "orphan=1000", scenes:agent(scene)
    scenes.all:run(700)
    assert.is_true(ask(other, "load", ask(scene, "save")))
    assert.is_true(ask(scene, "load", ask(scene, "save"), { [2] = late.handle }))
    scenes.all:run(500)
    assert.is_true((ask(scenes:agent(other), "view", "join", 1, 0, 0)))
    assert.is_false((ask(scenes:agent(other), "view", "join", 3, 0, 0)))
    scenes.all:run(1000)
    for _, one in ipairs { { other, { 1, 3 } }, { scene, { 2, 3 } } } do
      local ids = ask(one[1], "query", "ids")
      table.sort(ids)
      assert.same(one[2], ids)
    end
  end)

  it("ends where it was when its agent comes anew, for the hook", function()
    scene:end_it()
    scenes.all:run(20)
    scene = scenes:scene("handlers=spec.support.noting_handlers")
    assert.is_true(ask(scene, "enter", 1, 1, 0, { address = false }))
    local agent = scenes:agent(scenes:scene())
    assert.is_true(ask(agent, "view", "join", 1, 0, 0))
    assert.is_true((ask(agent, "view", "go", scene.handle, 5, 5, { take_over = true })))
    assert.same({ { "start" }, { "joined", 1, "new" }, { "ended", 1, "replaced", { 1, 0, properties = {} } },
      { "joined", 1, "back" } }, (ask(scene, "notes")))
  end)

  it("stays when its agent can't go to where it wants to", function()
    assert.is_true(ask(scene, "enter", 1, 1, 0, { address = false }))
    local from = scenes:scene()
    local agent = scenes:agent(from)
    assert.is_true(ask(agent, "view", "join", 1, 0, 0))
    for _, place in ipairs { { 0 / 0, 0 }, { 1, 2, 3 }, { 1, 2, { take_over = true, radius = -1 } } } do
      place[#place + 1] = type(place[#place]) ~= "table" and { take_over = true } or nil
      local ok, message = ask(agent, "view", "go", scene.handle, table.unpack(place))
      assert.is_false(ok)
      assert.truthy(message:find "^enter: ", message)
    end
    assert.same({ 1, 0 }, { ask(scene, "query", "position", 1) })
  end)

  it("that goes to another scene before its agent comes is nobody's there", function()
    assert.is_true(ask(scene, "enter", 1, 1, 0, { address = scenes:agent(scene).handle }))
    scenes:tick(scene)
    assert.is_true(ask(scene, "notify", 1, "a"))
    assert.is_true(ask(scene, "store"))
    come_back()
    local other = scenes:scene()
    assert.is_true(ask(scene, "transfer", 1, other.handle, 5, 5))
    local agent = scenes:agent(other)
    assert.is_false((ask(agent, "view", "join", 1, 0, 0)))
    assert.is_true((ask(agent, "view", "join", 1, 0, 0, { take_over = true })))
    scenes:tick(other)
    assert.same({}, scenes:heard(agent))
  end)
end)
