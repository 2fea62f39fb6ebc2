-- Views of a scene on a simulated skynet: what one tick tells of changes that came about in several.
local simulated_scene = require "spec.support.simulated_scene"

describe("a scene for crowds", function()
  it("tells of changes since several ticks in one view, each once", function()
    local scenes = simulated_scene.new()
    local scene = scenes:scene("rates=5:1,10:2,huge:4", "limit=10") -- so far away, in every so many ticks
    local agent = scenes:agent(scene)
    assert.is_true(scenes:ask(agent, "view", "join", 1, 10, 10))
    assert.is_true(scenes:ask(scene, "enter", 2, 18, 10, { address = false }))
    assert.is_true(scenes:ask(scene, "enter", 3, 25, 10, { address = false }))
    scenes:tick(scene)
    scenes:heard(agent)
    local function changes_after(...)
      for id, value in pairs { [2] = ..., [3] = select(2, ...) } do
        assert.is_true(scenes:ask(scene, "set_property", id, 7, value))
      end
      scenes:tick(scene)
      local changed = {}
      for _, event in ipairs(scenes:heard(agent)) do
        if event[1] == "changed" then
          assert.is_nil(changed[event[2]])
          changed[event[2]] = event[4][7]
        end
      end
      return changed
    end
    assert.same({}, changes_after(20))
    assert.same({ [2] = 20 }, changes_after())
    assert.same({}, changes_after(21, 30))
    assert.same({ [2] = 21, [3] = 30 }, changes_after())
    assert.same({}, changes_after())
    assert.same({}, scenes.all.failed)
  end)
end)
