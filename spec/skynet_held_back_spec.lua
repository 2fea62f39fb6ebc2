-- A scene may tell of an entry before it answers that the entity is in: that is held back until then; on a
-- simulated skynet.
local simulated_scene = require "spec.support.simulated_scene"

local HANDLERS = "handlers=spec.support.waiting_handlers"

describe("what is told of an entry before its answer", function()
  local scenes

  before_each(function()
    scenes = simulated_scene.new(1)
  end)

  after_each(function()
    assert.same({}, scenes.all.failed)
  end)

  local function ask(...)
    return scenes:ask(...)
  end

  local function begin(...)
    return scenes:begin(...)
  end

  -- A scene without ticks that tells an entry at once; entity 1 is at 0, and its handler waits when it sees
  -- the first one.
  local function slow_scene()
    local scene = scenes:scene(HANDLERS, "tick=0")
    assert.is_true((ask(scene, "enter", 1, 0, 0, { address = false })))
    ask(scene, "wait", "on_enter", 1, 1)
    return scene
  end

  local function is_in(agent)
    return scenes:where(agent)
  end

  local function knows(agent, id)
    return scenes:known(agent, id)
  end

  local function names_of(agent)
    local names = {}
    for i, event in ipairs(scenes:heard(agent)) do
      names[i] = event[1]
    end
    return table.concat(names, " ")
  end

  it("is heard when it has come", function()
    local scene = slow_scene()
    local agent = scenes:agent(scene)
    local joining = begin(agent, "view", "join", 7, 1, 0)
    assert.is_nil(joining.n)
    assert.same({}, knows(agent, 7))
    scenes.all:run(1000)
    assert.is_true(joining[2])
    assert.same({ [1] = { 0, 0 } }, knows(agent))
    assert.equal("entered", names_of(agent))
  end)

  it("is its end, too, in a later stream", function()
    local scene = slow_scene()
    local agent = scenes:agent(scene)
    local joining = begin(agent, "view", "join", 7, 1, 0)
    assert.is_true((ask(scene, "load", (ask(scene, "save")))))
    assert.is_true((ask(scene, "leave", 7)))
    assert.is_nil(joining.n)
    scenes.all:run(2000)
    assert.is_true(joining[2])
    assert.is_nil(is_in(agent))
    assert.equal("entered left gone", names_of(agent))
  end)

  it("is where it goes on, by a transfer", function()
    local scene, other = slow_scene(), scenes:scene "tick=0"
    assert.is_true((ask(other, "enter", 60, 401, 0, { address = false })))
    local agent = scenes:agent(scene)
    local joining = begin(agent, "view", "join", 7, 1, 0)
    assert.is_true((ask(scene, "transfer", 7, other.handle, 400, 0)))
    assert.is_nil(joining.n)
    scenes.all:run(2000)
    assert.is_true(joining[2])
    assert.equal(other.handle, is_in(agent))
    local _, me = ask(agent, "view", "me")
    assert.same({ 400, 0 }, { me[1], me[2] })
    assert.same({ [60] = { 401, 0 } }, knows(agent))
  end)

  it("is nothing when the scene is killed, and what it was passed on to is left", function()
    local from, scene, other = scenes:scene "tick=0", slow_scene(), scenes:scene "tick=0"
    assert.is_true((ask(from, "enter", 50, 6, 0, { address = false })))
    local agent = scenes:agent(from)
    assert.is_true((ask(agent, "view", "join", 7, 5, 0)))
    local going = begin(agent, "view", "go", scene.handle, 1, 0)
    assert.is_true((ask(scene, "transfer", 7, other.handle, 400, 0)))
    scene:kill()
    scenes.all:run(8000)
    assert.is_false(going[2])
    assert.equal(from.handle, is_in(agent))
    assert.is_false((ask(other, "query", "has", 7)))
    assert.is_true((ask(from, "move", 50, 7, 0)))
    assert.same({ [50] = { 7, 0 } }, knows(agent))
  end)

  -- A service with the client and its own callbacks.
  local function gate()
    local new = {}
    new.service = scenes.process:start_service(function(load)
      new.skynet, new.view = load "skynet", load "aoi.skynet.client"
    end)
    scenes.all:run(10)
    return new
  end

  it("is passed on as packets then, too, and no packet is empty", function()
    local scene, own, lengths, when = slow_scene(), gate(), {}, nil
    own.view.on { packet = function(text) lengths[#lengths + 1] = when .. (#text > 0 and "" or " empty") end }
    when = "before"
    own.skynet.fork(function()
      own.view.join(scene.handle, 7, 1, 0)
      when = "then"
    end)
    scenes.all:run(300)
    assert.same({}, lengths)
    scenes.all:run(2000)
    assert.same({ "then" }, lengths)
  end)

  it("needs an id, and a join without one leaves nothing behind", function()
    local agent = scenes:agent(scenes:scene())
    for _, id in ipairs { 0 / 0, "x", false } do
      local ok, message = ask(agent, "view", "join", id, 1, 0)
      assert.is_false(ok)
      assert.truthy(message:find("enter: id is", 1, true), message)
    end
    local ok, message = ask(agent, "view", "join", nil, 1, 0)
    assert.is_false(ok)
    assert.truthy(message:find("enter: id is nil", 1, true), message)
    assert.is_true((ask(agent, "view", "join", 8, 1, 0)))
  end)

  it("needs a scene, too", function()
    local own, message = gate(), nil
    own.skynet.fork(function()
      message = select(2, pcall(own.view.join, nil, 7, 1, 0))
    end)
    scenes.all:run(10)
    assert.truthy(message:find("view.join: scene is nil, expected the address of a scene", 1, true), message)
  end)
end)
