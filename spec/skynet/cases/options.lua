-- Starting a scene: good options, and bad ones that keep it from starting.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

local function bad(...)
  local started, scene = pcall(harness.scene, ...)
  if started then
    harness.stop(scene)
    error("started with " .. table.concat({ ... }, " "), 2)
  end
end

return {
  {
    name = "a scene starts with the options of a space and its own",
    run = function()
      local scene = harness.scene("engine=grid", "width=300", "height=300", "radius=20", "tick=50",
        "clamp=true")
      local stats = harness.stats(scene)
      harness.equal("grid", stats.engine)
      harness.equal(50, stats.tick_length)
      harness.command(scene, "enter", 1, -50, 10)
      harness.equal({ -50, 10 }, { harness.command(scene, "query", "position", 1) })
      harness.stop(scene)
      scene = harness.scene("engine=crosslist", "radius=huge")
      harness.equal(100, harness.stats(scene).tick_length)
      scene = harness.scene("engine=crosslist", "radius=huge", harness.BY_HAND)
      harness.equal(0, harness.stats(scene).tick)
      harness.command(scene, "tick")
      harness.command(scene, "tick")
      harness.equal({ 2, 3600000 }, { harness.stats(scene).tick, harness.stats(scene).tick_length })
      harness.command(scene, "enter", 1, 0, 0)
      harness.equal(math.huge, harness.command(scene, "query", "radius", 1))
      harness.stop(scene)
    end,
  },
  {
    name = "a wrong option keeps a scene from starting",
    run = function()
      bad "engine=grid"
      bad("engine=crosslist", "radius=10", "colour=red")
      bad("engine=crosslist", "radius=10", "tick=15")
      bad("engine=crosslist", "radius=10", "tick=-10")
      bad("engine=crosslist", "radius=10", "tick=soon")
      bad("engine=crosslist", "radius=10", "probe=0")
      bad("engine=crosslist", "radius=10", "memory_limit=some")
      bad("engine=crosslist", "radius=10", "handlers=spec.skynet.no_such_module")
      bad("engine=crosslist", "radius=10", "deferred=true")
      bad("engine=crosslist", "radius=10", "collect=true")
      bad("engine=crosslist", "radius=10", "word")
      bad("engine=crosslist", "radius=10", "prob=5")
      harness.wait_until(2, "what was meant is in the log", function()
        return harness.log_has "option prob = 5 is unknown (did you mean probe?), expected an option of the"
      end)
      bad("engine=crosslist", "radius=10", "limit=5", "rates=20:1")
      harness.wait_until(2, "the word for the last ring is in the log", function()
        return harness.log_has "rates is 20:1, and its last ring ends at 20, expected huge"
      end)
    end,
  },
  {
    name = "two scenes in one process do not hear of each other",
    run = function()
      local one = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      local other = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      local agent = harness.agent()
      harness.command(agent, "call", one, "enter", 1, 0, 0)
      harness.command(agent, "call", other, "enter", 2, 0, 0)
      harness.command(one, "tick")
      harness.command(other, "tick")
      harness.equal(0, #harness.tell(agent, "take").views)
      harness.equal({ { 1 }, 1 }, { skynet.call(one, "lua", "query", "ids") })
      harness.stop(one, other, agent)
    end,
  },
}
