-- The clock: ticks of 100 ms come at their pace, an agent gets at most one message in each, and only the last
-- position counts.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

return {
  {
    name = "ticks come at their pace, with one message for all that happened",
    run = function()
      local scene, agent = harness.scene("engine=crosslist", "radius=1000"), harness.agent()
      harness.command(agent, "call", scene, "enter", 1, 0, 0)
      for id = 2, 20 do
        harness.command(scene, "enter", id, id, 0, { mode = "m" })
      end
      local before = harness.stats(scene)
      local began = skynet.now()
      harness.tell(agent, "take")
      while skynet.now() - began < 200 do
        for id = 2, 20 do
          skynet.send(scene, "lua", "move", id, id, skynet.now() - began)
        end
        skynet.sleep(1)
      end
      skynet.sleep(20)
      local heard, after = harness.tell(agent, "take"), harness.stats(scene)
      local ticks = after.ticks - before.ticks
      local elapsed = (skynet.now() - began) / 10
      harness.is_true(math.abs(ticks + after.ticks_skipped - before.ticks_skipped - elapsed) <= 2,
        ("%d ticks in %.1f periods"):format(ticks, elapsed))
      harness.is_true(heard.messages <= ticks + 1 and heard.messages >= ticks / 2,
        ("%d messages in %d ticks"):format(heard.messages, ticks))
      local last = heard.views[#heard.views].moved
      harness.is_true(last[3] > 150, "the last position is not the last: " .. last[3])
      harness.stop(scene, agent)
    end,
  },
  {
    name = "a loaded scene goes on with the clock of the saved one",
    run = function()
      local scene, agent = harness.scene("engine=crosslist", "radius=10", "tick=20"), harness.agent()
      local second = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      harness.command(agent, "call", scene, "enter", 1, 0, 0)
      harness.command(second, "load", harness.command(scene, "save"))
      harness.stop(scene)
      harness.command(second, "enter", 2, 5, 0, { mode = "m" })
      harness.await_ticks(second, 2)
      harness.equal({ 2, 5, 0 }, harness.tell(agent, "take").views[1].entered)
      harness.equal(20, harness.stats(second).tick_length)
      local at_once = harness.scene("engine=crosslist", "radius=10", "tick=0")
      harness.command(second, "load", harness.command(at_once, "save"))
      skynet.sleep(10)
      harness.equal({ 0, 0 }, { harness.stats(second).tick_length, harness.stats(second).ticks })
      harness.stop(second, at_once, agent)
    end,
  },
  {
    name = "nothing to learn, no message",
    run = function()
      local scene, agent = harness.scene("engine=crosslist", "radius=10", "tick=20"), harness.agent()
      harness.command(agent, "call", scene, "enter", 1, 0, 0)
      harness.await_ticks(scene, 2)
      harness.tell(agent, "take") -- that there is nobody to be seen
      harness.command(scene, "enter", 2, 500, 0, { mode = "m" })
      harness.await_ticks(scene, 5)
      harness.equal(0, harness.tell(agent, "take").messages)
      harness.stop(scene, agent)
    end,
  },
}
