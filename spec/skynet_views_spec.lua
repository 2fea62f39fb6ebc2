-- Views of a scene on a simulated skynet: what one tick tells of changes that came about in several.
local simulated_scene = require "spec.support.simulated_scene"

describe("a scene for crowds", function()
  it("tells of changes since several ticks in one view, each once", function()
    local scenes = simulated_scene.new()
    local scene = scenes:scene("rates=huge:4", "limit=10") -- each marker is told of in every fourth tick
    local agent = scenes:agent(scene)
    assert.is_true(scenes:ask(agent, "view", "join", 1, 10, 10))
    for id = 2, 5 do
      assert.is_true(scenes:ask(scene, "enter", id, 10 + id, 10, { address = false }))
    end
    scenes:tick(scene)
    scenes:heard(agent)
    local changed = {}
    for id = 2, 5 do
      assert.is_true(scenes:ask(scene, "set_property", id, 7, 10 * id))
      scenes:tick(scene)
    end
    for _ = 1, 4 do
      scenes:tick(scene)
    end
    for _, event in ipairs(scenes:heard(agent)) do
      if event[1] == "changed" then
        assert.is_nil(changed[event[2]])
        changed[event[2]] = event[4][7]
      end
    end
    assert.same({ [2] = 20, [3] = 30, [4] = 40, [5] = 50 }, changed)
    assert.same({}, scenes.all.failed)
  end)
end)
