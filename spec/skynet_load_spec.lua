-- The command `load` of a scene, on a simulated skynet: what was saved takes the place of all that was there.
local files = require "spec.support.files"
local simulated_scene = require "spec.support.simulated_scene"

describe("a scene that loads", function()
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

  it("what has other dimensions tells places in these", function()
    for _, places in ipairs { { { 0, 0 }, { 5, 0 }, { 6, 0 } }, { { 0, 0, 7 }, { 5, 0, 7 }, { 6, 0, 7 } } } do
      local from, to = scenes:scene("dims=" .. #places[1]), scenes:scene("dims=" .. 5 - #places[1])
      local agent = scenes:agent(from)
      assert.is_true(ask(agent, "view", "join", 1, table.unpack(places[1])))
      local args = table.move(places[2], 1, #places[2], 1, {})
      args[#args + 1] = { address = false }
      assert.is_true(ask(from, "enter", 2, table.unpack(args)))
      scenes:tick(from)
      scenes:heard(agent)
      assert.is_true((ask(to, "load", (ask(from, "save")))))
      scenes:tick(to)
      assert.same({ true, { [2] = places[2] } }, { ask(agent, "view", "known") })
      assert.is_true(ask(to, "move", 2, table.unpack(places[3])))
      scenes:tick(to)
      assert.same({ true, { [2] = places[3] } }, { ask(agent, "view", "known") })
    end
  end)

  it("for a store takes only what the scene can come back with: ticks, and its own dimensions", function()
    local folder = files.new_folder()
    local from, high = scenes:scene "tick=0", scenes:scene "dims=3"
    assert.is_true(ask(from, "enter", 5, 1, 1, { address = false }))
    local scene = scenes:scene("store=" .. folder)
    assert.is_true(ask(scene, "enter", 4, 1, 1, { address = false }))
    assert.same({ nil, "load: the scene that was saved has no ticks, expected one with ticks, as a store "
      .. "needs them" }, { ask(scene, "load", (ask(from, "save"))) })
    assert.same({ nil, "load: the scene that was saved has 3 dimensions, expected 2, as this one with its "
      .. "store" }, { ask(scene, "load", (ask(high, "save"))) })
    assert.same({ 4 }, (ask(scene, "query", "ids")))
    assert.is_true((ask(scene, "load", (ask(scene, "save")))))
    assert.is_true(ask(scene, "enter", 6, 1, 1, { address = false }))
    scenes:tick(scene)
    scene:end_it()
    local again = scenes:scene("store=" .. folder)
    local ids = ask(again, "query", "ids")
    table.sort(ids)
    assert.same({ 4, 6 }, ids)
    files.remove(folder)
  end)
end)
