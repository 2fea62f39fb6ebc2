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

  it("tells that a property has gone though another value has come and gone since", function()
    local scenes = simulated_scene.new()
    local scene = scenes:scene("rates=5:1,huge:2", "limit=10")
    local agent = scenes:agent(scene)
    assert.is_true(scenes:ask(agent, "view", "join", 1, 10, 10))
    assert.is_true(scenes:ask(scene, "enter", 2, 18, 10, { address = false }))
    assert.is_true(scenes:ask(scene, "set_property", 2, 7, 20))
    scenes:tick(scene)
    scenes:heard(agent)
    local function told_after(...)
      for _, value in ipairs { ... } do
        assert.is_true(scenes:ask(scene, "set_property", 2, 7, value or nil))
      end
      scenes:tick(scene)
      local told = {}
      for _, event in ipairs(scenes:heard(agent)) do
        if event[1] == "changed" then
          told[#told + 1] = event[4][7]
        end
      end
      return told
    end
    assert.equal(21, told_after(21)[1] or told_after()[1]) -- every other tick tells of it
    assert.same({}, told_after(false))
    assert.same({ false }, told_after(23, false))
    assert.same({}, scenes.all.failed)
  end)
end)
