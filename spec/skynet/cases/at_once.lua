-- Tick length 0: every change is told at once; all that an agent hears, added up, is what the model says.
local skynet = require "skynet"
local Expected = require "spec.skynet.expected"
local harness = require "spec.skynet.harness"
local Random = require "spec.support.random"

local AGENTS, STEPS, SIDE = 30, 400, 200

-- Takes what was heard into account: a set of those in view, with their places.
local function learn(view, heard)
  for _, part in ipairs(heard.views) do
    for _, id in ipairs(part.left) do
      harness.is_true(view[id], "left without having entered")
      view[id] = nil
    end
    for i = 1, #part.entered, 3 do
      harness.is_true(not view[part.entered[i]], "entered twice")
      view[part.entered[i]] = { part.entered[i + 1], part.entered[i + 2] }
    end
    for i = 1, #part.moved, 3 do
      harness.is_true(view[part.moved[i]], "moved without having entered")
      view[part.moved[i]] = { part.moved[i + 1], part.moved[i + 2] }
    end
  end
end

local function run()
  local random = Random.new(tonumber(os.getenv "SEED" or "") or 1)
  local options = { engine = "grid", width = SIDE, height = SIDE, radius = 40 }
  local scene = harness.scene("engine=grid", "width=200", "height=200", "radius=40", "tick=0")
  local expected = Expected.new(options)
  local agents, views = {}, {}
  for id = 1, AGENTS do
    agents[id], views[id] = harness.agent(), {}
  end
  for _ = 1, STEPS do
    local id = random:integer(1, AGENTS)
    local x, y = random:float(0, SIDE), random:float(0, SIDE)
    local inside = expected.model:has(id)
    local call = not inside and "enter" or random:chance(0.1) and "leave" or "move"
    harness.command(agents[id], "call", scene, call, id, x, y)
    expected.model[call](expected.model, id, x, y)
  end
  expected:tick()
  for id, agent in ipairs(agents) do
    learn(views[id], harness.tell(agent, "take"))
    local should = {}
    for marker in pairs(expected.pairs[id] or {}) do
      should[marker] = expected.places[marker]
    end
    harness.equal(should, views[id], "view of " .. id)
  end
  harness.stop(scene, table.unpack(agents))
end

return {
  { name = "what is told at once adds up to the model", run = run },
  {
    name = "one message for a change, sent before its answer",
    run = function()
      local scene = harness.scene("engine=crosslist", "radius=10", "tick=0")
      local one, other = harness.agent(), harness.agent()
      harness.command(one, "call", scene, "enter", 1, 0, 0)
      harness.equal(1, harness.tell(one, "take").messages) -- that there is nobody to be seen
      harness.command(other, "call", scene, "enter", 2, 5, 0)
      local heard = harness.tell(one, "take")
      harness.equal({ 1, { 2, 5, 0 } }, { heard.messages, heard.views[1].entered })
      harness.command(scene, "leave", 2)
      harness.equal({ 2 }, harness.tell(one, "take").views[1].left)
      heard = harness.tell(other, "take")
      harness.equal({ 2, { 1 } }, { heard.messages, heard.views[2].left })
      harness.equal(1, skynet.call(scene, "lua", "stats").addresses)
      harness.stop(scene, one, other)
    end,
  },
}
