-- Streams and what they are for: agents that change maps, connections that break, messages that are lost,
-- lists of all that are longer than a packet, scenes that are loaded.
local skynet = require "skynet"
local beliefs = require "spec.skynet.beliefs"
local harness = require "spec.skynet.harness"
local Random = require "spec.support.random"

local TICK = 2 -- hundredths of a second

local function new_scene(...)
  return harness.scene("engine=crosslist", "radius=10", "tick=" .. TICK * 10, ...)
end

local function by_hand(...)
  return harness.scene("engine=crosslist", "radius=10", harness.BY_HAND, ...)
end

local function new_agents(n)
  local agents = {}
  for id = 1, n do
    agents[id] = harness.agent()
  end
  return agents
end

local function stop_all(agents, ...)
  harness.stop(...)
  for _, agent in pairs(agents) do
    harness.stop(agent)
  end
end

-- All agents at once.
local function each_at_once(agents, act)
  local waits, left = coroutine.running(), 0
  for id, agent in pairs(agents) do
    left = left + 1
    skynet.fork(function()
      local ok, message = xpcall(act, debug.traceback, id, agent)
      if not ok then
        print(message)
      end
      left = left - 1
      if left == 0 then
        skynet.wakeup(waits)
      end
    end)
  end
  skynet.wait(waits)
end

-- Rounds in which `go(agent, id, scene)` takes all agents to the other scene at once.
local function change_maps(rounds, go)
  local scenes, agents = { new_scene(), new_scene() }, new_agents(20)
  -- In each map one that stays.
  for i, scene in ipairs(scenes) do
    harness.command(scene, "enter", 100 * i, 0, 0, { mode = "m", address = false })
  end
  each_at_once(agents, function(id, agent)
    harness.tell(agent, "view", "join", scenes[1], id, id / 10, 0)
  end)
  for round = 1, rounds do
    local scene = scenes[round % 2 + 1]
    each_at_once(agents, function(id, agent)
      go(agent, id, scene)
    end)
    harness.await_ticks(scene, 3)
    harness.equal(20 * 20, beliefs.check(scene, agents, "round " .. round))
  end
  stop_all(agents, table.unpack(scenes))
end

return {
  {
    name = "who leaves a map and joins another at once, with all others, sees what is there: 20 rounds of 20",
    run = function()
      change_maps(20, function(agent, id, scene)
        harness.tell(agent, "view", "leave")
        harness.tell(agent, "view", "join", scene, id, id / 10, 0)
      end)
    end,
  },
  {
    name = "view.go, 20 rounds of 20",
    run = function()
      change_maps(20, function(agent, id, scene)
        harness.tell(agent, "view", "go", scene, id / 10, 0)
      end)
    end,
  },
  {
    name = "view.go shows the one map until the other one is there, never both and never nothing",
    run = function()
      local first, second, agent = by_hand(), by_hand(), harness.agent()
      harness.tell(agent, "listen", "events")
      harness.command(first, "enter", 10, 0, 0, { mode = "m", address = false })
      harness.command(second, "enter", 20, 0, 0, { mode = "m", address = false })
      harness.tell(agent, "view", "join", first, 1, 0, 0, { data = "me" })
      harness.command(first, "tick")
      harness.equal({ { "entered", 10, 0, 0, nil, {} } }, harness.tell(agent, "take").events)
      harness.tell(agent, "view", "go", second, 0, 0)
      harness.equal({ second, 1 }, { harness.tell(agent, "view", "scene") })
      harness.equal(false, harness.command(first, "query", "has", 1))
      harness.command(first, "move", 10, 1, 0)
      harness.command(first, "tick")
      harness.equal({ { [10] = { 0, 0 } }, {} },
        { harness.tell(agent, "known"), harness.tell(agent, "take").events })
      harness.command(second, "tick")
      harness.equal({ { "left", 10 }, { "entered", 20, 0, 0, nil, {} } }, harness.tell(agent, "take").events)
      -- Refused: it stays where it is.
      harness.command(first, "enter", 1, 0, 0, { address = false })
      harness.is_true(not pcall(harness.tell, agent, "view", "go", first, 0, 0), "the id is taken")
      harness.is_true(not pcall(harness.tell, agent, "view", "go", second, 0, 0), "the same scene")
      harness.equal({ second, 1 }, { harness.tell(agent, "view", "scene") })
      harness.command(second, "move", 20, 2, 0)
      harness.command(second, "tick")
      harness.equal({ { "moved", 20, 2, 0 } }, harness.tell(agent, "take").events)
      -- Into a map where nobody is.
      local third = by_hand()
      harness.tell(agent, "view", "go", third, 0, 0)
      harness.command(third, "tick")
      harness.equal({ { "left", 20 } }, harness.tell(agent, "take").events)
      harness.stop(first, second, third, agent)
    end,
  },
  {
    name = "messages are lost: what is missing is found out, and all is right again",
    run = function()
      local scene, agents, random = new_scene "probe=1000", new_agents(15), Random.new(7)
      for id, agent in ipairs(agents) do
        harness.tell(agent, "view", "join", scene, id, random:integer(0, 30), 0)
        harness.tell(agent, "lose", 4)
      end
      for round = 1, 60 do
        for id in ipairs(agents) do
          harness.command(scene, "move", id, random:integer(0, 30), random:integer(0, 10))
        end
        if round % 5 == 0 then
          harness.command(scene, "say", random:integer(1, 15), "hello")
        end
        skynet.sleep(1)
      end
      -- From now on nothing is lost; what comes next shows the gap.
      for id, agent in ipairs(agents) do
        harness.tell(agent, "lose", 0)
        harness.command(scene, "move", id, random:integer(0, 30), 0)
      end
      skynet.sleep(120) -- a resync was asked for within the last second, perhaps
      for id in ipairs(agents) do
        harness.command(scene, "move", id, id, 1)
      end
      skynet.sleep(130) -- and once more
      harness.await_ticks(scene, 3)
      harness.is_true(beliefs.check(scene, agents, "at last") > 15 * 5)
      -- A gate that could not write for a while asks by itself.
      harness.tell(agents[1], "lose", 1)
      for id in ipairs(agents) do
        harness.command(scene, "move", id, 40 - id, 1)
      end
      harness.await_ticks(scene, 2)
      harness.tell(agents[1], "lose", 0)
      harness.command(scene, "resync", 1)
      skynet.sleep(100) -- the last one may have been within this second
      harness.await_ticks(scene, 3)
      beliefs.check(scene, agents, "after a resync")
      stop_all(agents, scene)
    end,
  },
  {
    name = "a resync comes with the next tick, at most one a second for each entity",
    run = function()
      local scene, agent = by_hand(), harness.agent()
      harness.command(agent, "call", scene, "enter", 1, 0, 0)
      harness.command(agent, "call", scene, "enter", 2, 5, 0)
      harness.command(scene, "tick")
      local function bytes_of_tick()
        local before = harness.stats(scene).bytes_sent
        harness.command(scene, "tick")
        return harness.stats(scene).bytes_sent - before
      end
      local SELF = 3 + 5 + 3 + 16 + 3 + 34 -- a section, a count and flags, a place, traits
      local ALL = 16 + 3 + 4 + 16 + SELF -- of one: a head, a section, an id and a place, and itself
      harness.equal(0, bytes_of_tick())
      harness.command(scene, "resync", 1)
      harness.command(scene, "resync", 1)
      harness.equal(ALL, bytes_of_tick())
      harness.command(scene, "resync", 1)
      harness.command(scene, "resync", 2)
      harness.equal(ALL, bytes_of_tick()) -- of 2 alone
      harness.equal(0, bytes_of_tick())
      skynet.sleep(101)
      harness.equal(ALL, bytes_of_tick())
      harness.equal(0, bytes_of_tick())
      harness.refused("entity 3 is unknown", scene, "resync", 3)
      harness.refused("entity nil is unknown", scene, "resync")
      harness.command(scene, "enter", 4, 0, 0, { address = false })
      harness.refused("entity 4 has no address", scene, "resync", 4)
      -- A connection that is there again.
      harness.command(scene, "leave", 4)
      harness.tell(agent, "take")
      harness.command(scene, "update", 1, 0, 0, { address = agent })
      harness.equal(ALL, bytes_of_tick())
      harness.equal(0, #harness.tell(agent, "take").views)
      harness.refused("stream is -1", scene, "update", 1, 0, 0, { stream = -1 })
      harness.refused("stream is 1.5", scene, "enter", 9, 0, 0, { stream = 1.5 })
      harness.stop(scene, agent)
    end,
  },
  {
    name = "where there are no ticks a resync comes at once, and a second one when the second is over",
    run = function()
      local scene, agent = harness.scene("engine=crosslist", "radius=10", "tick=0"), harness.agent()
      harness.command(agent, "call", scene, "enter", 1, 0, 0)
      local function messages()
        return harness.stats(scene).messages
      end
      local before = messages()
      harness.command(scene, "resync", 1)
      harness.equal(before + 1, messages())
      harness.command(scene, "resync", 1)
      harness.equal(before + 1, messages())
      harness.wait_until(5, "the second is over", function() return messages() > before + 1 end)
      harness.equal(before + 2, messages())
      harness.stop(scene, agent)
    end,
  },
  {
    name = "3,000 entities in view, with data, are told in blocks that fit; a list of all replaces them",
    run = function()
      local scene, agent = harness.scene("engine=crosslist", "radius=huge", harness.BY_HAND), harness.agent()
      for id = 1, 3000 do
        local data = ("%050d"):format(id)
        harness.command(scene, "enter", id, id, 0, { mode = "m", address = false, data = data })
      end
      harness.tell(agent, "view", "join", scene, -1, 0, 0)
      harness.command(scene, "tick")
      local function known()
        local n = 0
        for id, marker in pairs(harness.tell(agent, "known")) do
          harness.equal({ id, 0, ("%050d"):format(id) }, { marker[1], marker[2], marker.data })
          n = n + 1
        end
        return n
      end
      harness.equal(3000, known())
      harness.equal(1, #harness.tell(agent, "take").views)
      harness.tell(agent, "lose", 1)
      for id = 1, 3000, 3 do
        harness.command(scene, "leave", id)
      end
      harness.command(scene, "tick")
      harness.tell(agent, "lose", 0)
      harness.tell(agent, "view", "resync")
      harness.command(scene, "tick")
      harness.equal(2000, known())
      local views = harness.tell(agent, "take").views
      harness.equal({ 1, 1000, 0, 0 }, { #views, #views[1].left, #views[1].entered, #views[1].moved })
      harness.stop(scene, agent)
    end,
  },
  {
    name = "a scene that is loaded, an older save too, tells everybody what is there now",
    run = function()
      local scene, agents, random = by_hand(), new_agents(10), Random.new(3)
      for id, agent in ipairs(agents) do
        harness.tell(agent, "view", "join", scene, id, id, 0)
      end
      local saved
      for round = 1, 12 do
        for id in ipairs(agents) do
          harness.command(scene, "move", id, random:integer(0, 30), 0)
        end
        if round % 3 == 1 then
          saved = harness.command(scene, "save")
        elseif round % 3 == 0 then
          harness.command(scene, "load", saved)
        elseif round % 4 == 0 then
          harness.command(scene, "reload")
        end
        harness.command(scene, "tick")
        beliefs.check(scene, agents, "round " .. round)
      end
      -- An agent that came since is not in the save: all is over for it.
      local late = harness.agent()
      harness.tell(late, "view", "join", scene, 77, 0, 0)
      harness.command(scene, "tick")
      harness.command(scene, "load", saved)
      harness.command(scene, "tick")
      harness.equal({}, harness.tell(late, "known", 77))
      beliefs.check(scene, agents, "at last")
      stop_all(agents, scene, late)
    end,
  },
}
