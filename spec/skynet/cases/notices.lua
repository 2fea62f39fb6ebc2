-- Messages to one player: with the tick, behind what it sees, each once and in order.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

local function new_scene(...)
  return harness.scene("engine=grid", "width=300", "height=300", "radius=20", ...)
end

local function new_agent()
  local agent = harness.agent()
  harness.tell(agent, "listen", "events")
  return agent
end

-- The events of an agent since the last time, in order.
local function events(agent)
  return harness.tell(agent, "take").events
end

return {
  {
    name = "a notification comes with the tick, behind the view, in order; words at once",
    run = function()
      local scene, agent, other = new_scene(harness.BY_HAND), new_agent(), new_agent()
      harness.command(scene, "enter", 2, 15, 10)
      harness.tell(agent, "view", "join", scene, 1, 10, 10)
      harness.command(scene, "notify", 1, "welcome", 5)
      harness.command(scene, "notify", 1, "to you")
      harness.tell(other, "view", "join", scene, 3, 100, 100)
      harness.equal({}, events(agent))
      harness.command(scene, "tick")
      harness.equal({ { "entered", 2, 15, 10, nil, {} }, { "notified", "welcome", 5 },
        { "notified", "to you" } }, events(agent))
      harness.equal({}, events(other))
      harness.command(scene, "notify", 1, "first")
      harness.command(scene, "move", 2, 16, 10)
      harness.command(scene, "notify", 1, nil)
      harness.equal({}, events(agent))
      harness.command(scene, "tick")
      harness.equal({ { "moved", 2, 16, 10 }, { "notified", "first" }, { "notified", nil } }, events(agent))
      harness.command(scene, "tick")
      harness.equal({}, events(agent))
      harness.equal(4, harness.stats(scene).notified)
      harness.stop(scene, agent, other)
    end,
  },
  {
    name = "a notification without ticks comes at once; without an address, or too long, it is refused",
    run = function()
      local scene, agent = new_scene "tick=0", new_agent()
      harness.tell(agent, "view", "join", scene, 1, 10, 10)
      harness.command(scene, "enter", 2, 10, 10, { address = false })
      harness.tell(agent, "take")
      harness.command(scene, "notify", 1, "now")
      harness.equal({ { "notified", "now" } }, events(agent))
      harness.refused("notify: entity 2 has no address", scene, "notify", 2, "now")
      harness.refused("notify: entity 3 is unknown", scene, "notify", 3, "now")
      harness.refused("notify: entity 1.5 is unknown", scene, "notify", 1.5, "now")
      harness.refused("notify: entity nil is unknown", scene, "notify")
      harness.refused("59973 bytes long, expected at most 59972", scene, "notify", 1, ("x"):rep(59973))
      local longest = ("x"):rep(59972)
      harness.command(scene, "notify", 1, longest)
      harness.equal({ { "notified", longest } }, events(agent))
      harness.command(scene, "leave", 2)
      harness.command(scene, "enter", 1 << 40, 10, 10, { address = agent })
      harness.command(scene, "notify", 1 << 40, longest)
      local heard = events(agent)
      harness.equal({ "notified", longest }, heard[#heard])
      harness.stop(scene, agent)
    end,
  },
  {
    name = "a notification goes to the address that its entity has at the tick, or before the end of a stay",
    run = function()
      local scene, one, two = new_scene(harness.BY_HAND), new_agent(), new_agent()
      harness.command(one, "call", scene, "enter", 1, 10, 10)
      harness.command(scene, "tick")
      harness.tell(one, "take")
      harness.command(scene, "notify", 1, "who?")
      harness.command(two, "call", scene, "update", 1, 10, 10, { address = two })
      harness.command(scene, "enter", 2, 12, 10, { address = false })
      harness.command(scene, "tick")
      harness.equal({ {}, { { "entered", 2, 12, 10, nil, {} }, { "notified", "who?" } } },
        { events(one), events(two) })
      -- It leaves: what waits comes before the end.
      harness.command(scene, "notify", 1, "goodbye")
      harness.command(scene, "notify", 1, "for ever")
      harness.command(scene, "leave", 1)
      harness.command(scene, "tick")
      harness.equal({ { "notified", "goodbye" }, { "notified", "for ever" }, { "left", 2 } }, events(two))
      -- It leaves and is back within the tick: behind its new list.
      harness.command(scene, "enter", 1, 10, 10, { address = two })
      harness.command(scene, "tick")
      harness.tell(two, "take")
      harness.command(scene, "notify", 1, "still here?")
      harness.command(scene, "leave", 1)
      harness.command(scene, "enter", 1, 10, 10, { address = one })
      harness.command(scene, "tick")
      harness.equal({ { "entered", 2, 12, 10, nil, {} }, { "notified", "still here?" } }, events(one))
      harness.equal({ { "left", 2 } }, events(two))
      -- It has nobody any more.
      harness.command(scene, "notify", 1, "the last one")
      harness.command(scene, "update", 1, 10, 10, { address = false })
      harness.command(scene, "tick")
      harness.equal({ { "notified", "the last one" }, { "left", 2 } }, events(one))
      harness.refused("has no address", scene, "notify", 1, "x")
      harness.stop(scene, one, two)
    end,
  },
  {
    name = "a notification goes before a transfer, and a client that has gone on hears late ones",
    run = function()
      local from, to, agent = new_scene(harness.BY_HAND), new_scene(harness.BY_HAND), new_agent()
      harness.tell(agent, "view", "join", from, 1, 10, 10)
      harness.command(from, "tick")
      harness.command(from, "notify", 1, "to be transferred")
      harness.command(from, "transfer", 1, to, 10, 10)
      harness.equal({ { "notified", "to be transferred" }, { "scene_is", to } }, events(agent))
      harness.command(to, "notify", 1, "here")
      harness.command(to, "tick")
      harness.command(from, "tick")
      harness.equal({ { "notified", "here" } }, events(agent))
      -- It goes by itself: what waits in the scene before comes with the end there.
      harness.command(to, "notify", 1, "late")
      harness.tell(agent, "view", "go", from, 20, 20)
      harness.command(from, "notify", 1, "there")
      harness.command(from, "tick")
      harness.command(to, "tick")
      harness.equal({ { "notified", "there" }, { "notified", "late" } }, events(agent))
      harness.stop(from, to, agent)
    end,
  },
  {
    name = "a notification that waits is in the string of save",
    run = function()
      local scene, other, agent = new_scene(harness.BY_HAND), new_scene(harness.BY_HAND), new_agent()
      harness.tell(agent, "view", "join", scene, 1, 10, 10)
      harness.command(scene, "notify", 1, "one")
      harness.command(scene, "notify", 1, "two")
      local saved = harness.command(scene, "save")
      harness.command(other, "load", saved)
      harness.stop_at_once(scene)
      harness.command(other, "tick")
      harness.equal({ { "scene_is", other }, { "notified", "one" }, { "notified", "two" } }, events(agent))
      harness.command(other, "tick")
      harness.equal({}, events(agent))
      -- In the scene itself: what waited then is told, and nothing that waits there.
      saved = (function()
        harness.command(other, "notify", 1, "saved")
        return harness.command(other, "save")
      end)()
      harness.command(other, "tick")
      harness.equal({ { "notified", "saved" } }, events(agent))
      harness.command(other, "notify", 1, "since")
      harness.command(other, "load", saved)
      harness.command(other, "tick")
      harness.equal({ { "notified", "saved" } }, events(agent))
      harness.stop(other, agent)
    end,
  },
  {
    name = "a notification that waits is in the store, and one that was told is not",
    run = function()
      local folder = os.getenv "AOI_BUILD" .. "/store_notices"
      assert(os.execute(("rm -rf %s; mkdir -p %s"):format(folder, folder)))
      local function start()
        return new_scene(harness.BY_HAND, "store=" .. folder, "handlers=handlers_of_test")
      end
      -- A notification of a handler during a tick waits for the next one: the chunk of this tick has it.
      harness.write_handlers [[
        return function(scene)
          return {
            on_enter = function(watcher)
              if watcher == 1 then
                scene.notify(1, "you see somebody")
              end
            end,
          }
        end
      ]]
      local scene, agent = start(), new_agent()
      harness.command(agent, "call", scene, "enter", 1, 10, 10)
      harness.command(scene, "notify", 1, "told")
      harness.command(scene, "tick")
      harness.command(scene, "enter", 2, 12, 10, { address = false })
      harness.command(scene, "tick")
      harness.equal({ { "notified", "told" }, { "entered", 2, 12, 10, nil, {} } }, events(agent))
      harness.kill(scene)
      scene = start()
      harness.command(agent, "call", scene, "enter", 1, 10, 10)
      harness.command(scene, "tick")
      harness.equal({ { "notified", "you see somebody" } }, events(agent))
      harness.command(scene, "tick")
      harness.kill(scene)
      scene = start()
      harness.command(agent, "call", scene, "enter", 1, 10, 10)
      harness.command(scene, "notify", 1, "in the full save")
      harness.command(scene, "store")
      harness.kill(scene)
      scene = start()
      harness.command(scene, "tick")
      harness.command(agent, "call", scene, "enter", 1, 10, 10)
      harness.command(scene, "tick")
      local heard = {}
      for _, event in ipairs(events(agent)) do
        heard[#heard + 1] = event[1] == "notified" and event[2] or nil
      end
      harness.equal({ "in the full save" }, heard)
      harness.stop(scene, agent)
    end,
  },
  {
    name = "a notification that a scene's module sends from its own tick comes with that tick",
    run = function()
      harness.write_handlers [[
        return function(scene)
          return { tick = function()
            if scene.query("has", 1) then
              scene.notify(1, "tick", #scene.space)
            end
          end }
        end
      ]]
      local scene, agent = new_scene(harness.BY_HAND, "handlers=handlers_of_test"), new_agent()
      harness.command(agent, "call", scene, "enter", 1, 10, 10)
      harness.command(scene, "tick")
      harness.equal({ { "notified", "tick", 1 } }, events(agent))
      harness.kill(agent)
      harness.wait_until(2, "it is removed, as it has no agent", function()
        harness.command(scene, "tick")
        return not skynet.call(scene, "lua", "notify", 1, "x")
      end)
      harness.stop(scene)
    end,
  },
}
