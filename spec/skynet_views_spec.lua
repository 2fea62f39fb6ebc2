-- Views of a scene on a simulated skynet: what one tick tells of changes that came about in several.
local Random = require "spec.support.random"
local simulated_scene = require "spec.support.simulated_scene"

local LAYERS = { [1] = 1, [2] = 4, [3] = 1 } -- of the watchers
local ENTITIES, KEYS = 8, 4

-- Whether a watcher may be told a property, see hiding_handlers.lua.
local function may_know(watcher, key, is_hiding)
  return not is_hiding or key ~= 2 and (key ~= 3 or LAYERS[watcher] == 4)
end

-- Takes in what an agent has heard. known: entity -> key -> value.
local function take_in(known, events)
  for _, event in ipairs(events) do
    local name, id = event[1], event[2]
    if name == "entered" then
      known[id] = {}
    elseif name == "left" then
      known[id] = nil
    end
    local properties = name == "entered" and event[6] or name == "changed" and event[4] or {}
    for key, value in pairs(properties) do
      known[id][key] = value or nil
    end
  end
end

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

  it("sends nothing of a property that was set to what it was", function()
    local scenes = simulated_scene.new()
    local scene = scenes:scene "limit=10"
    local agent = scenes:agent(scene)
    assert.is_true(scenes:ask(agent, "view", "join", 1, 10, 10))
    assert.is_true(scenes:ask(scene, "enter", 2, 18, 10, { address = false }))
    scenes:tick(scene)
    for _, expected in ipairs { 1, 0 } do
      local before = scenes:ask(scene, "stats").messages
      assert.is_true(scenes:ask(scene, "set_property", 2, 7, 5))
      scenes:tick(scene)
      assert.equal(expected, scenes:ask(scene, "stats").messages - before)
    end
    assert.same({}, scenes.all.failed)
  end)
end)

-- Watchers and others that walk near each other, and whose properties change often or now and then.
local function run(words, is_hiding, seed)
  local scenes, random = simulated_scene.new(), Random.new(seed)
  local hiding = is_hiding and { "handlers=spec.support.hiding_handlers" } or {}
  local scene = scenes:scene(table.unpack(table.move(words, 1, #words, #hiding + 1, hiding)))
  local agents, known, values = {}, {}, {}
  for id = 1, ENTITIES do
    values[id] = {}
    agents[id] = LAYERS[id] and scenes:agent(scene)
    known[id] = agents[id] and {}
    if agents[id] then
      assert.is_true(scenes:ask(agents[id], "view", "join", id, id, 0, { layers = LAYERS[id] }))
    else
      assert.is_true(scenes:ask(scene, "enter", id, id, 0, { address = false }))
    end
  end
  local function tick()
    scenes:tick(scene)
    for id, agent in pairs(agents) do
      take_in(known[id], scenes:heard(agent))
    end
  end
  local function compare()
    for watcher in pairs(agents) do
      local expected = {}
      for id, of in pairs(values) do
        expected[id] = id ~= watcher and {} or nil
        for key, value in pairs(expected[id] and of or {}) do
          expected[id][key] = may_know(watcher, key, is_hiding) and value or nil
        end
      end
      assert.same(expected, known[watcher])
    end
  end
  for _ = 1, 60 do
    local busy = random:chance(0.7) and 1 or KEYS
    for id = 1, ENTITIES do
      if random:chance(0.6) then
        assert.is_true(scenes:ask(scene, "move", id, id + random:float(0, 12), 0))
      end
      for key = 1, busy do
        if random:chance(key == 1 and 0.8 or 0.3) then
          local value = random:pick { random:integer(1, 9), random:integer(1, 9), 2.5, "x", false } or nil
          assert.is_true(scenes:ask(scene, "set_property", id, key, value))
          values[id][key] = value
        end
      end
    end
    tick()
    if #words == 0 then -- nobody waits
      compare()
    end
  end
  for _ = 1, 6 do -- who waits has its turn
    tick()
  end
  compare()
  assert.same({}, scenes.all.failed)
end

describe("watchers of entities whose properties change", function()
  for name, words in pairs {
    ["a scene"] = {},
    ["a scene for crowds"] = { "rates=6:1,10:2,huge:4", "limit=10" },
    ["a scene for crowds with a budget"] = { "move_budget=3" },
  } do
    it("know what they may know in " .. name, function()
      for seed = 1, 4 do
        run(words, false, seed)
        run(words, true, seed)
      end
    end)
  end
end)
