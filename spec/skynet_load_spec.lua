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

  local GOES = {
    go = function(agent, _, to) return ask(agent, "view", "go", to.handle, 100, 100) end,
    transfer = function(_, from, to) return ask(from, "transfer", 1, to.handle, 100, 100) end,
    leave = function(agent) return ask(agent, "view", "leave") end,
  }

  it("what was saved before a player has gone keeps no copy of it, which hears nothing", function()
    for how, go in pairs(GOES) do
      for _, is_told in ipairs { true, false } do -- whether the end of the stay has been told before
        for _, is_anew in ipairs { true, false } do
          local from, to = scenes:scene(), scenes:scene()
          local agent = scenes:agent(from)
          assert.is_true(ask(from, "enter", 2, 5, 0, { address = false }))
          assert.is_true(ask(to, "enter", 3, 105, 100, { address = false }))
          assert.is_true(ask(agent, "view", "join", 1, 0, 0))
          scenes:tick(from)
          local saved = ask(from, "save")
          assert.is_true((go(agent, from, to)))
          if is_told then
            scenes:tick(from)
            scenes:tick(to)
          end
          local into = is_anew and scenes:scene() or from
          assert.is_true((ask(into, "load", saved)))
          for _ = 1, 3 do
            scenes:tick(into)
            scenes:tick(to)
          end
          local _, where = ask(agent, "view", "scene")
          local _, known = ask(agent, "view", "known", 1)
          assert.is_false(ask(into, "query", "has", 1), how)
          assert.equal(how ~= "leave" and to.handle or nil, where, how)
          assert.same(how ~= "leave" and { [3] = { 105, 100 } } or {}, known, how)
          if how ~= "leave" then
            assert.is_true(ask(agent, "view", "move", 101, 100))
            scenes:tick(to)
            assert.same({ 101, 100 }, { ask(to, "query", "position", 1) })
          end
          assert.same(how ~= "leave", ask(to, "query", "has", 1))
        end
      end
    end
  end)

  it("brings back who was removed since, or whose scene has ended", function()
    for _, ends in ipairs { "leave", "end_it" } do
      local scene = scenes:scene()
      local into = scene
      local agent = scenes:agent(scene)
      assert.is_true(ask(scene, "enter", 2, 5, 0, { address = false }))
      assert.is_true(ask(agent, "view", "join", 1, 0, 0, { data = "mine" }))
      scenes:tick(scene)
      local saved = ask(scene, "save")
      if ends == "end_it" then
        scene:end_it()
        scenes.all:run(7000)
        into = scenes:scene()
      else
        assert.is_true(ask(scene, "leave", 1))
        scenes:tick(scene)
      end
      local events = scenes:heard(agent)
      assert.equal("gone", events[#events][1])
      assert.is_true((ask(into, "load", saved)))
      scenes:tick(into)
      assert.same({ true, into.handle, 1 }, { ask(agent, "view", "scene") })
      assert.same({ true, { [2] = { 5, 0 } } }, { ask(agent, "view", "known") })
      assert.is_true(ask(agent, "view", "set_property", 1, "hp"))
      assert.is_true(ask(agent, "view", "move", 3, 3))
      scenes:tick(into)
      assert.same({ 3, 3 }, { ask(into, "query", "position", 1) })
      assert.is_true(ask(agent, "view", "leave"))
      assert.is_false(ask(into, "query", "has", 1))
    end
  end)

  it("is no later for a player that leaves just then than the scene to which that goes", function()
    local scene, other = scenes:scene(), scenes:scene()
    local agent, others = scenes:agent(scene), scenes:agent(scene)
    for id = 10, 60 do
      assert.is_true((ask(scene, "enter", id, 500, 500, { address = others.handle })))
    end
    assert.is_true(ask(other, "enter", 3, 105, 100, { address = false }))
    assert.is_true(ask(agent, "view", "join", 61, 0, 0))
    scenes:tick(scene)
    scenes.all:run(100)
    assert.is_true((ask(scene, "load", (ask(scene, "save")))))
    assert.is_true(ask(agent, "view", "go", other.handle, 100, 100))
    scenes:tick(scene)
    scenes:tick(other)
    assert.same({ true, { [3] = { 105, 100 } } }, { ask(agent, "view", "known") })
    assert.is_false(ask(scene, "query", "has", 61))
  end)

  it("takes commands of the stream before that are on their way as the next one is told", function()
    local scene = scenes:scene()
    local agent, other = scenes:agent(scene), scenes:agent(scene)
    assert.is_true(ask(agent, "view", "join", 1, 0, 0))
    scenes:tick(scene)
    local _, before = ask(agent, "view", "stream")
    assert.is_true((ask(scene, "load", (ask(scene, "save")))))
    scenes:tick(scene)
    assert.is_true(ask(scene, "set_traits", 1, { radius = 9 }, { stream = before }))
    assert.equal(9, ask(scene, "query", "radius", 1))
    assert.equal(0, ask(scene, "stats").late_commands)
    -- Of the stay of another agent they are no commands.
    assert.is_true((ask(other, "view", "join", 1, 5, 5, { take_over = true })))
    assert.is_true(ask(scene, "leave", 1, { stream = before }))
    assert.is_true(ask(scene, "query", "has", 1))
    assert.is_true((ask(scene, "load", (ask(scene, "save")))))
    scenes:tick(scene)
    assert.is_true(ask(other, "view", "leave"))
    assert.is_false(ask(scene, "query", "has", 1))
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
