-- Agents of entities that scenes transfer, on a simulated skynet: however the messages of the scenes overtake
-- each other, the agent is where its entity is, and the entity in one place.
local blocks = require "aoi.skynet.blocks"
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

  -- The scene of the agent transfers it to C, and the answer comes later.
  local function transfer_beside()
    return scenes:send_off(A, "transfer", 7, C.handle, 50, 50)
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

  -- For each seed: begins, has A transfer the entity, and waits a few milliseconds at most, in such steps;
  -- then the agent does that of its view, and check(seed, where, having) sees what comes of both.
  local function while_transferred(seeds, step, prepare, words, check)
    local both = 0
    for seed = 1, seeds do
      begin(seed)
      prepare()
      local transferred = transfer_beside()
      scenes.all:run(seed % 4 * step)
      local done = scenes:send_off(agent, "view", table.unpack(words()))
      check("seed " .. seed, settle())
      both = both + (transferred[2] and done[2] and 1 or 0)
    end
    assert.is_true(both > 6)
  end

  local function be_given_view()
    return { "update", 1, 1, { address = agent.handle } }
  end

  local function go_to_B()
    return { "go", B.handle, 10, 10 }
  end

  it("is where it went itself on the way, alone", function()
    while_transferred(12, 1, function() end, go_to_B, function(seed, where, having)
      assert.same({ B.handle, { B.handle } }, { where, having }, seed)
    end)
  end)

  -- The scenes number the stream of the transfer, and the agent that of its way, behind the same last one.
  it("is where it went itself also just after its stay has begun", function()
    while_transferred(40, 0.1, function()
      assert.is_true((scenes:ask(agent, "view", table.unpack(be_given_view()))))
    end, go_to_B, function(seed, where, having)
      assert.same({ B.handle, { B.handle } }, { where, having }, seed)
      assert.is_true((scenes:ask(B, "transfer", 7, A.handle, 20, 20)))
      assert.same({ A.handle, { A.handle } }, { settle() }, seed)
      assert.truthy(scenes:ask(agent, "view", "me"), seed)
    end)
  end)

  it("is in one place when it is given its view anew on the way", function()
    while_transferred(40, 0.1, function() end, be_given_view, function(seed, where, having)
      assert.same({ { where }, true }, { having, where ~= nil }, seed)
      assert.is_true((scenes:ask(agent, "view", "leave")))
      assert.same({ nil, {} }, { settle() }, seed)
    end)
  end)

  it("leaves a scene at once to which it was transferred behind a later stream there", function()
    for ahead = 1, 40, 13 do
      begin(1)
      local last = scenes.skynet.starttime() * 100 + scenes.skynet.now() + ahead * 100 & 0xFFFFFFFF
      local other = scenes:agent(B)
      assert.is_true(scenes:ask(B, "enter", 7, 0, 0, { address = other.handle, stream = last }))
      assert.is_true(scenes:ask(B, "leave", 7))
      scenes:tick(B)
      assert.is_true((scenes:ask(A, "transfer", 7, B.handle, 10, 10)))
      assert.same({ true, last + 1 & 0xFFFFFFFF }, { scenes:ask(agent, "view", "stream") })
      assert.is_true((scenes:ask(agent, "view", "leave")))
      assert.same({ nil, {} }, { settle() })
    end
  end)

  it("is in the scene that it was transferred to when another one refuses it on the way", function()
    begin(1)
    assert.is_true(scenes:ask(B, "enter", 7, 0, 0, { address = false }))
    transfer_beside()
    local gone = scenes:send_off(agent, "view", "go", B.handle, 10, 10)
    assert.same({ C.handle, { B.handle, C.handle } }, { settle() })
    assert.is_false(gone[2])
  end)

  it("is nowhere when it left on the way, and neither is the entity; nothing was refused", function()
    local both = 0
    for seed = 1, 40 do
      begin(seed)
      local transferred = transfer_beside()
      scenes.all:run(0.1 + seed % 5 * 0.1)
      scenes:send_off(agent, "view", "leave")
      assert.same({ nil, {} }, { settle() }, "seed " .. seed)
      both = both + (transferred[2] and 1 or 0)
      for _, event in ipairs(scenes:heard(agent)) do
        assert.not_equal("refused", event[1], "seed " .. seed)
      end
      assert.is_true((scenes:ask(agent, "view", "join", 7, 0, 0)))
    end
    assert.is_true(both > 6)
  end)

  it("comes back to a scene where another one has had its id meanwhile", function()
    begin(1)
    assert.is_true((scenes:ask(A, "transfer", 7, B.handle, 10, 10)))
    scenes:tick(B)
    scenes.all:run(5000)
    local other = scenes:agent(A)
    assert.is_true((scenes:ask(other, "view", "join", 7, 0, 0)))
    scenes:tick(A)
    assert.is_true((scenes:ask(other, "view", "leave")))
    scenes:tick(A)
    assert.is_true((scenes:ask(B, "transfer", 7, A.handle, 20, 20)))
    assert.same({ A.handle, { A.handle } }, { settle() })
    assert.is_true((scenes:ask(agent, "view", "move", 30, 30)))
    scenes.all:run(1000)
    assert.same({ 30, 30 }, { scenes:ask(A, "query", "position", 7) })
  end)

  -- The scene to which it was transferred is heard of only when the former one has lost it already.
  it("is in that scene also when it has begun to come back to the former one", function()
    begin(1)
    local last = scenes.skynet.starttime() * 100 + scenes.skynet.now() & 0xFFFFFFFF
    local function tell(block)
      scenes.skynet.redirect(agent.handle, A.handle, "aoi", 0, block)
    end
    assert.is_true(scenes:ask(B, "enter", 7, 10, 10, { address = agent.handle, stream = last + 2 }))
    tell(blocks.over(7, last, 1, blocks.LOST))
    tell(blocks.elsewhere(7, last + 1, 1, B.handle, last + 2))
    scenes.all:run(1000)
    assert.same({ true, B.handle, 7 }, { scenes:ask(agent, "view", "scene") })
    assert.is_true((scenes:ask(agent, "view", "move", 60, 60)))
    scenes.all:run(1000)
    assert.same({ 60, 60 }, { scenes:ask(B, "query", "position", 7) })
  end)

  it("is heard when the other scene does not answer, also before it is told so", function()
    begin(1)
    local transferred = scenes:send_off(A, "transfer", 7, C.handle, 50, 50)
    C:end_it()
    scenes.all:run(1000)
    assert.is_nil(transferred[2])
    assert.is_truthy(transferred[3]:find("does not answer", 1, true))
    scenes:ask(agent, "view", "set_property", 9, "late")
    scenes:ask(agent, "view", "set_property", 10, "later")
    assert.is_true((scenes:ask(agent, "view", "set_traits", { data = "latest" })))
    scenes.all:run(100)
    scenes:tick(A)
    scenes:tick(A)
    local me = scenes:ask(agent, "view", "me") and select(2, scenes:ask(agent, "view", "me"))
    assert.same({ [9] = "late", [10] = "later" }, me.properties)
    assert.equal("latest", me.data)
    assert.equal(0, scenes:ask(A, "stats").late_commands)
  end)
end)
