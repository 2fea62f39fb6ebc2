-- Agents of entities that scenes transfer, on a simulated skynet: however the messages of the scenes overtake
-- each other, the agent is where its entity is, and the entity in one place.
local simulated_scene = require "spec.support.simulated_scene"

describe("an agent whose entity is transferred", function()
  local scenes, A, B, C, agent

  local function begin(seed, ...)
    scenes = simulated_scene.new(seed)
    A, B, C = scenes:scene(), scenes:scene(...), scenes:scene()
    agent = scenes:agent(A)
    assert.is_true((scenes:ask(agent, "view", "join", 7, 0, 0)))
    scenes:tick(A)
  end

  -- All that is on its way arrives, and all scenes tell what they have. Returns the scene of the agent, and a
  -- list of those that have its entity.
  local function settle()
    scenes.all:run(1000)
    local having = {}
    for _ = 1, 2 do
      for _, scene in ipairs { A, B, C } do
        scenes:tick(scene)
      end
    end
    for _, scene in ipairs { A, B, C } do
      having[#having + 1] = scenes:ask(scene, "query", "has", 7) and scene.handle or nil
    end
    assert.same({}, scenes.all.failed)
    local _, scene = scenes:ask(agent, "view", "scene")
    return scene, having
  end

  it("is where that was passed on to, whichever scene says so first", function()
    for seed = 1, 15 do
      begin(seed, "handlers=spec.support.passing_handlers")
      assert.is_true((scenes:ask(B, "pass_on", C.handle)))
      assert.is_true((scenes:ask(A, "transfer", 7, B.handle, 10, 10)))
      assert.same({ C.handle, { C.handle } }, { settle() })
      assert.is_true((scenes:ask(agent, "view", "move", 60, 60)))
      scenes.all:run(1000)
      assert.same({ 60, 60 }, { scenes:ask(C, "query", "position", 7) })
    end
  end)
end)
