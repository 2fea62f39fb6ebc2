-- Extras: who learns what of them, by steps, turns, saves and transfers, and what is refused.
local harness = require "spec.skynet.harness"
local Random = require "spec.support.random"

local function tick(scene, agent)
  harness.command(scene, "tick")
  return harness.tell(agent, "take").events
end

local function enter(scene, id, x, extras)
  harness.command(scene, "enter", id, x, 0, { mode = "m", address = false, extras = extras })
end

local CROWD = { "limit=10" }

return {
  {
    name = "extras come with entered and moved, after the place, and are 0 at first",
    run = function()
      for _, words in ipairs { {}, CROWD } do
        local scene, agent = harness.watched("extras=2", table.unpack(words))
        enter(scene, 2, 5, { 0.5, -3 })
        harness.command(scene, "enter", 3, 6, 0, { mode = "m", address = false, data = "d" })
        local events = tick(scene, agent)
        table.sort(events, function(a, b) return a[2] < b[2] end)
        harness.equal({ { "entered", 2, 5, 0, 0.5, -3, nil, {} }, { "entered", 3, 6, 0, 0, 0, "d", {} } },
          events)
        harness.command(scene, "move", 2, 5, 1, 1.5, 2)
        harness.command(scene, "move", 3, 6, 1)
        events = tick(scene, agent)
        table.sort(events, function(a, b) return a[2] < b[2] end)
        harness.equal({ { "moved", 2, 5, 1, 1.5, 2 }, { "moved", 3, 6, 1, 0, 0 } }, events)
        harness.command(scene, "update", 2, 5, 2, { extras = { 0.25, 2 } })
        harness.equal({ { "moved", 2, 5, 2, 0.25, 2 } }, tick(scene, agent))
        harness.equal({ [2] = { 5, 2, extras = { 0.25, 2 } }, [3] = { 6, 1, data = "d", extras = { 0, 0 } } },
          harness.tell(agent, "known"))
        harness.stop(scene, agent)
      end
    end,
  },
  {
    name = "a turn is told as a step, also when it came back within a tick; what rounds to the same is none",
    run = function()
      for _, words in ipairs { {}, CROWD } do
        local scene, agent = harness.watched("extras=1", table.unpack(words))
        enter(scene, 2, 5, { 0.5 })
        tick(scene, agent)
        harness.command(scene, "move", 2, 5, 0, 1.5)
        harness.equal({ { "moved", 2, 5, 0, 1.5 } }, tick(scene, agent))
        harness.command(scene, "move", 2, 5, 0, 1.5 + 1e-12)
        harness.equal({}, tick(scene, agent))
        harness.command(scene, "move", 2, 7, 0, 2.5)
        harness.command(scene, "move", 2, 5, 0)
        harness.equal({ { "moved", 2, 5, 0, 2.5 } }, tick(scene, agent))
        harness.command(scene, "leave", 2)
        enter(scene, 2, 5)
        harness.equal({ { "moved", 2, 5, 0, 0 } }, tick(scene, agent))
        harness.stop(scene, agent)
      end
    end,
  },
  {
    name = "three dimensions, and no ticks: a turn is a move to the same point",
    run = function()
      local scene, agent = harness.scene("engine=crosslist", "radius=10", "dims=3", "tick=0", "extras=4"),
        harness.agent()
      harness.tell(agent, "listen", "events")
      harness.tell(agent, "view", "join", scene, 1, 0, 0, 0)
      harness.command(scene, "enter", 2, 1, 2, 3, { mode = "m", address = false, extras = { 1, 2, 3, 4 } })
      harness.command(scene, "move", 2, 1, 2, 3, 5, 6, 7, 8)
      harness.command(scene, "update", 2, 1, 2, 3, { extras = { 0, 0, 0, 0 } })
      harness.equal({ { "entered", 2, 1, 2, 3, 1, 2, 3, 4, nil, {} }, { "moved", 2, 1, 2, 3, 5, 6, 7, 8 },
        { "moved", 2, 1, 2, 3, 0, 0, 0, 0 } }, harness.tell(agent, "take").events)
      harness.refused("extras are 1, expected 4 numbers", scene, "move", 2, 1, 2, 9, 1)
      harness.refused("id 9 is not in the space", scene, "move", 9, 1, 2, 9, 1, 2, 3, 4)
      harness.refused("y is", scene, "move", 2, 1, 0 / 0, 9, 1, 2, 3, 4)
      harness.equal({ [2] = { 1, 2, 3, extras = { 0, 0, 0, 0 } } }, harness.tell(agent, "known"))
      harness.stop(scene, agent)
    end,
  },
  {
    name = "what can't be is refused, sent or called, and changes nothing",
    run = function()
      local scene, agent = harness.watched "extras=1"
      enter(scene, 2, 5, { 0.5 })
      tick(scene, agent)
      for _, wrong in ipairs { 1 / 0, 0 / 0, -1e39, "1", true } do
        harness.refused("expected 1 number, finite and in the range of single floats", scene, "move", 2, 6, 0,
          wrong)
        harness.tell(agent, "send", scene, "move", 2, 6, 0, wrong)
      end
      harness.refused("extras are 1, 2, expected 1 number", scene, "move", 2, 6, 0, 1, 2)
      harness.refused("enter: extras are 1, 2, expected 1 number", scene, "enter", 3, 6, 0,
        { extras = { 1, 2 } })
      harness.refused("update: extras are 5, expected 1 number", scene, "update", 2, 6, 0, { extras = 5 })
      harness.refused("update: extras are none, expected 1 number", scene, "update", 2, 6, 0, { extras = {} })
      local events = tick(scene, agent)
      harness.equal(5, #events)
      for _, event in ipairs(events) do
        harness.equal("refused", event[1])
      end
      harness.equal({ [2] = { 5, 0, extras = { 0.5 } } }, harness.tell(agent, "known"))
      harness.stop(scene, agent)
      scene = harness.small_scene()
      harness.refused("the scene takes no extras", scene, "enter", 1, 0, 0, { extras = { 1 } })
      harness.command(scene, "enter", 1, 0, 0, { address = false })
      harness.refused("z is 1", scene, "move", 1, 0, 0, 1)
      harness.stop(scene)
      harness.is_true(not pcall(harness.small_scene, "extras=5"), "five extras are taken")
    end,
  },
  {
    name = "view.move sends the last place with the last extras",
    run = function()
      local scene, agent, walker = harness.scene("engine=crosslist", "radius=10", "tick=100", "extras=1"),
        harness.agent(), harness.agent()
      harness.tell(agent, "listen", "events")
      harness.tell(agent, "view", "join", scene, 1, 0, 0)
      harness.tell(walker, "view", "join", scene, 2, 1, 0, { extras = { 0.5 } })
      harness.await_ticks(scene, 2)
      for i = 1, 5 do
        harness.tell(walker, "view", "move", i, 0, i)
      end
      harness.tell(walker, "view", "move", 7, 0)
      harness.await_ticks(scene, 4)
      harness.equal({ [2] = { 7, 0, extras = { 5 } } }, harness.tell(agent, "known"))
      harness.stop(scene, agent, walker)
    end,
  },
  {
    name = "save, load, a store and a transfer keep them, with another number of them too",
    run = function()
      local scene, agent = harness.watched "extras=2"
      enter(scene, 2, 5, { 0.5, 2 })
      tick(scene, agent)
      local saved = harness.command(scene, "save")
      harness.command(scene, "move", 2, 5, 0, 9, 9)
      harness.command(scene, "load", saved)
      tick(scene, agent)
      harness.equal({ [2] = { 5, 0, extras = { 0.5, 2 } } }, harness.tell(agent, "known"))
      local other, there = harness.watched "extras=1"
      harness.command(scene, "transfer", 2, other, 6, 0)
      harness.equal({ { "entered", 2, 6, 0, 0.5, nil, {} } }, tick(other, there))
      harness.command(other, "transfer", 2, scene, 6, 0)
      tick(scene, agent)
      harness.equal({ [2] = { 6, 0, extras = { 0.5, 0 } } }, harness.tell(agent, "known"))
      harness.stop(scene, agent, other, there)
    end,
  },
  {
    name = "a scene comes back from its store with them",
    run = function()
      local folder = os.getenv "AOI_BUILD" .. "/extras_store"
      assert(os.execute(("rm -rf %s; mkdir -p %s"):format(folder, folder)))
      local scene, agent = harness.watched("extras=1", "store=" .. folder)
      enter(scene, 2, 5, { 0.5 })
      enter(scene, 3, 6, { 7 })
      enter(scene, 4, 7, { 8 })
      harness.command(scene, "store")
      harness.command(scene, "move", 3, 6, 0, 1.5)
      harness.command(scene, "leave", 4)
      tick(scene, agent)
      harness.kill(scene)
      harness.stop(agent)
      scene, agent = harness.small_scene("extras=1", "store=" .. folder), harness.agent()
      harness.tell(agent, "view", "join", scene, 1, 0, 0)
      enter(scene, 4, 7)
      tick(scene, agent)
      harness.equal({ [2] = { 5, 0, extras = { 0.5 } }, [3] = { 6, 0, extras = { 1.5 } },
        [4] = { 7, 0, extras = { 0 } } }, harness.tell(agent, "known"))
      harness.stop(scene, agent)
    end,
  },
  {
    name = "what agents know is what is so, at every tick",
    run = function()
      local kinds = { { "extras=1" }, { "extras=3", "places=float" }, { "extras=2", "limit=6" } }
      for seed, words in ipairs(kinds) do
        local random, agents, extras = Random.new(seed), {}, {}
        local scene = harness.small_scene(table.unpack(words))
        local n = tonumber(words[1]:match "%d")
        local function some()
          local list = {}
          for i = 1, n do
            list[i] = random:integer(-4, 4) / 4
          end
          return list
        end
        for id = 1, 16 do
          agents[id] = id <= 4 and harness.agent() or nil
          extras[id] = some()
          harness.command(scene, "update", id, random:integer(0, 30), 0,
            { address = agents[id] or false, extras = extras[id] })
        end
        for round = 1, 30 do
          for _ = 1, random:integer(0, 20) do
            local id = random:integer(1, 16)
            local x = harness.command(scene, "query", "position", id)
            extras[id] = some()
            harness.command(scene, "move", id, random:chance(0.5) and x or random:integer(0, 30), 0,
              table.unpack(extras[id]))
          end
          harness.command(scene, "tick")
          for id, agent in pairs(agents) do
            for marker, known in pairs(harness.tell(agent, "known", id)) do
              harness.equal(extras[marker], known.extras, ("round %d: %d by %d"):format(round, marker, id))
            end
          end
        end
        harness.stop(scene, table.unpack(agents))
      end
    end,
  },
}
