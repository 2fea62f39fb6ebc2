-- Handlers of a scene that wait, on a simulated skynet: meanwhile the scene loses nothing, and mistakes nobody
-- for another.
local simulated_scene = require "spec.support.simulated_scene"
local simulation = require "spec.support.simulation"

describe("while a handler waits", function()
  local scenes

  before_each(function()
    scenes = simulated_scene.new()
  end)

  after_each(function()
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
    scenes.skynet.fork(simulation.call, scenes.driver, scene, ...)
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
end)
