-- One address for many entities; entities that change their address; say; save and load with new addresses.
local harness = require "spec.skynet.harness"
local Expected = require "spec.skynet.expected"

-- Entities 1 to 5 in a row, 4 apart, of one agent; 6 beside them of another.
local function row()
  local scene, gate, other = harness.small_scene(), harness.agent(), harness.agent()
  for id = 1, 5 do
    harness.command(gate, "call", scene, "enter", id, 4 * id, 0)
  end
  harness.command(other, "call", scene, "enter", 6, 24, 0)
  return scene, gate, other
end

return {
  {
    name = "an address with many entities gets one message per tick, by entity",
    run = function()
      local scene, gate, other = row()
      harness.command(scene, "tick")
      local heard = harness.tell(gate, "take")
      harness.equal({ 1, 5 }, { heard.messages, #heard.views })
      harness.equal({ 2, 8, 0, 3, 12, 0 }, Expected.by_watcher(heard)[1].entered)
      harness.equal({ 3, 12, 0, 4, 16, 0, 6, 24, 0 }, Expected.by_watcher(heard)[5].entered)
      harness.command(scene, "move", 6, 23, 0)
      harness.command(scene, "leave", 1)
      harness.command(gate, "call", scene, "enter", 7, 100, 0)
      harness.command(gate, "call", scene, "enter", 8, 101, 0)
      harness.command(scene, "tick")
      heard = harness.tell(gate, "take")
      local views = Expected.by_watcher(heard)
      harness.equal(1, heard.messages)
      harness.equal({ 2, 3 }, views[1].left) -- who leaves hears it, in the same message
      harness.equal({ { 1 }, { 6, 23, 0 } }, { views[3].left, views[4].moved })
      harness.equal({ 8, 101, 0 }, views[7].entered)
      harness.equal(2, harness.tell(other, "take").messages) -- by the second tick, that 6 was pushed
      harness.stop(scene, gate, other)
    end,
  },
  {
    name = "what an entity says goes to all who see it, once to each address",
    run = function()
      local scene, gate, other = row()
      harness.command(scene, "tick")
      harness.tell(gate, "take")
      harness.tell(other, "take")
      harness.command(scene, "say", 4, "hello", { 1, 2 }, nil, 3.5)
      local heard = harness.tell(gate, "take")
      table.sort(heard.said[1].watchers)
      harness.equal({ 1, 1, { 2, 3, 5 }, 4 },
        { heard.messages, #heard.said, heard.said[1].watchers, heard.said[1].id })
      harness.equal({ "hello", { 1, 2 }, nil, 3.5 },
        { heard.said[1][1], heard.said[1][2], heard.said[1][3], heard.said[1][4] })
      harness.equal({ 6 }, harness.tell(other, "take").said[1].watchers)
      harness.command(scene, "say", 1, "psst")
      harness.equal(0, harness.tell(other, "take").messages)
      harness.stop(scene, gate, other)
    end,
  },
  {
    name = "an entity without an address tells nobody, and may get one later",
    run = function()
      local scene, agent = harness.small_scene(), harness.agent()
      harness.command(scene, "enter", 1, 0, 0, { address = false })
      harness.command(scene, "enter", 2, 5, 0, { address = false, radius = 2 })
      harness.command(scene, "tick")
      harness.equal(0, harness.stats(scene).messages)
      harness.command(scene, "update", 1, 0, 0, { address = agent })
      harness.command(scene, "update", 1, 1, 0, { address = agent })
      harness.command(scene, "tick")
      local heard = harness.tell(agent, "take")
      harness.equal({ 1, { 2, 5, 0 } }, { heard.messages, heard.views[1].entered })
      harness.command(scene, "move", 2, 6, 0)
      harness.command(scene, "tick")
      harness.equal({ 2, 6, 0 }, harness.tell(agent, "take").views[1].moved)
      harness.command(scene, "update", 1, 1, 0, { address = false })
      harness.command(scene, "move", 2, 7, 0)
      harness.command(scene, "tick")
      harness.equal({ 2 }, harness.tell(agent, "take").views[1].left) -- that it is over
      harness.command(scene, "move", 2, 6, 0)
      harness.command(scene, "tick")
      harness.equal(0, harness.tell(agent, "take").messages)
      harness.command(scene, "update", 1, 1, 0, { address = agent })
      harness.command(scene, "leave", 1) -- it was never told of anybody who could leave
      harness.command(scene, "tick")
      harness.equal(0, #harness.tell(agent, "take").views)
      harness.stop(scene, agent)
    end,
  },
  {
    name = "another agent takes over an id within a tick: it is told all, the one before that all is gone",
    run = function()
      local scene, gate, other = row()
      harness.command(scene, "tick")
      harness.tell(gate, "take")
      harness.command(gate, "call", scene, "leave", 2)
      local new = harness.agent()
      harness.command(new, "call", scene, "enter", 2, 8, 0)
      harness.command(scene, "tick")
      local views = Expected.by_watcher(harness.tell(new, "take"))
      harness.equal({ 1, 4, 0, 3, 12, 0, 4, 16, 0 }, views[2].entered)
      -- For the others, 2 has stayed; the old address is told what 2 saw by it.
      local heard = harness.tell(gate, "take")
      table.sort(heard.views[1].left)
      harness.equal({ 1, 1, 2, { 1, 3, 4 } }, { heard.messages, #heard.views, heard.views[1].watcher,
        heard.views[1].left })
      harness.stop(scene, gate, other, new)
    end,
  },
  {
    name = "who was to be told all by the next tick is told by a loaded scene",
    run = function()
      local scene, gate, other = row()
      harness.command(scene, "tick")
      local new = harness.agent()
      harness.command(scene, "update", 6, 24, 0, { address = new })
      harness.command(scene, "load", harness.command(scene, "save"))
      harness.command(scene, "tick")
      harness.equal({ 4, 16, 0, 5, 20, 0 }, Expected.by_watcher(harness.tell(new, "take"))[6].entered)
      harness.stop(scene, gate, other, new)
    end,
  },
  {
    name = "a loaded scene with new addresses tells them all their entities see",
    run = function()
      local scene, gate, other = row()
      harness.command(scene, "tick")
      local saved = harness.command(scene, "save")
      harness.stop(scene)
      harness.tell(gate, "take")
      harness.tell(other, "take")
      local second, new = harness.small_scene(), harness.agent()
      harness.command(second, "enter", 99, 0, 0) -- what was in it is gone
      harness.command(second, "load", saved, { [1] = new, [77] = new })
      harness.command(second, "move", 3, 13, 0)
      harness.command(second, "tick")
      local heard = harness.tell(new, "take")
      harness.equal({ 1, { 2, 8, 0, 3, 13, 0 } }, { heard.messages, Expected.by_watcher(heard)[1].entered })
      harness.equal({ 0, 0 }, { harness.tell(gate, "take").messages, harness.tell(other, "take").messages })
      harness.equal(6, harness.stats(second).entities)
      harness.stop(second, gate, other, new)
    end,
  },
}
