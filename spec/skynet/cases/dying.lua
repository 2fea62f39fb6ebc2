-- Services that die, and what skynet makes of what waits in their mailboxes: errors for whoever sent it.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

local AGENTS = 20

local function wait_until_dead(services)
  for _, each in ipairs(services) do
    harness.wait_until(10, "it is dead", function() return not skynet.send(each, "debug", "PING") end)
  end
end

-- Five services call this command a hundred times each, and die before they have read the answers.
local function ask_and_die(service, command)
  local asking = {}
  for i = 1, 5 do
    asking[i] = harness.agent()
    skynet.send(asking[i], "lua", "ask_and_exit", service, command, 100, 0.05)
  end
  wait_until_dead(asking)
  skynet.call(service, "lua", command) -- what it was sent at their death has come before this
end

-- A scene that takes half a second to take somebody in.
local function slow_scene()
  harness.write_handlers [[
    local skynet = require "skynet"
    return function()
      return { on_enter = function() skynet.sleep(50) end }
    end
  ]]
  local scene = harness.scene("engine=crosslist", "radius=100", "tick=0", "handlers=handlers_of_test")
  harness.command(scene, "enter", 99, 0, 0, { address = false })
  return scene
end

-- Agents in a scene, each of which sees all.
local function join_all(scene)
  local agents = {}
  for id = 1, AGENTS do
    agents[id] = harness.agent()
    harness.tell(agents[id], "listen", "events")
    harness.tell(agents[id], "view", "join", scene, id, id, 0)
  end
  harness.wait_until(3, "all see all", function()
    local count = 0
    for _ in pairs(harness.tell(agents[AGENTS], "view", "known")) do
      count = count + 1
    end
    return count == AGENTS - 1
  end)
  return agents
end

return {
  {
    name = "others that die while the scene's answers wait for them take no living agent with them",
    run = function()
      local scene = harness.scene("engine=crosslist", "radius=100", "tick=20")
      local agents = join_all(scene)
      ask_and_die(scene, "stats")
      harness.equal({ AGENTS, AGENTS, 0 }, { harness.stats(scene).entities, harness.stats(scene).addresses,
        harness.stats(scene).dead_addresses })
      harness.tell(agents[1], "take")
      harness.tell(agents[2], "view", "move", 7, 1)
      harness.wait_until(3, "they hear of each other", function()
        return harness.tell(agents[1], "view", "known")[2][2] == 1
      end)
      -- Real deaths are still seen.
      skynet.send(agents[3], "lua", "exit")
      harness.kill(agents[4])
      harness.wait_until(6, "the dead are removed", function()
        return harness.stats(scene).entities == AGENTS - 2
      end)
      harness.stop(scene, table.unpack(agents))
    end,
  },
  {
    name = "others that die while an agent's answers wait for them do not end its scene",
    run = function()
      local scene, agent = harness.scene("engine=crosslist", "radius=100", "tick=20"), harness.agent()
      harness.tell(agent, "listen", "events")
      harness.tell(agent, "view", "join", scene, 1, 0, 0)
      ask_and_die(agent, "ping")
      harness.equal({}, harness.tell(agent, "take").events)
      harness.equal({ scene, 1 }, { harness.tell(agent, "view", "scene") })
      harness.stop(scene)
      harness.wait_until(3, "the real end is heard", function()
        return not harness.tell(agent, "view", "scene")
      end)
      harness.equal({ { "gone", scene, "ended" } }, harness.tell(agent, "take").events)
      harness.stop(agent)
    end,
  },
  {
    name = "who is taken out of its scene by others hears that it is gone, and can join again",
    run = function()
      local scene, other = harness.scene("engine=crosslist", "radius=100", "tick=20"), harness.agent()
      local agents = join_all(scene)
      local kicked, taken = agents[1], agents[2]
      local before = harness.command(harness.scene("engine=crosslist", "radius=1", "tick=20"), "save")
      harness.tell(kicked, "take")
      harness.tell(taken, "take")
      harness.command(scene, "leave", 1)
      harness.command(other, "call", scene, "update", 2, 0, 0, { address = other })
      for _, agent in ipairs { kicked, taken } do
        local gone
        harness.wait_until(3, "it hears of its end", function()
          for _, event in ipairs(harness.tell(agent, "take").events) do
            gone = event[1] == "gone" and event or gone
          end
          return gone
        end)
        harness.equal({ "gone", scene, "removed" }, gone)
        harness.equal({}, { harness.tell(agent, "view", "scene") })
      end
      harness.tell(kicked, "view", "join", scene, 1, 1, 0)
      harness.wait_until(3, "it sees again", function()
        return harness.tell(kicked, "view", "known")[3] ~= nil
      end)
      harness.command(scene, "load", before)
      harness.wait_until(3, "another scene has taken the place of theirs", function()
        return not harness.tell(agents[AGENTS], "view", "scene")
      end)
      harness.stop(scene, other, table.unpack(agents))
    end,
  },
  {
    name = "who leaves, comes back, gives its view away and takes it back is never gone",
    run = function()
      local scene, gate = harness.scene("engine=crosslist", "radius=100", "tick=20"), harness.agent()
      local agent = harness.agent()
      harness.tell(agent, "listen", "events")
      for _ = 1, 3 do
        harness.tell(agent, "view", "join", scene, 1, 0, 0)
        harness.tell(agent, "view", "leave")
        harness.tell(agent, "view", "join", scene, 1, 0, 0)
        harness.await_ticks(scene, 2)
        harness.tell(agent, "view", "update", 0, 0, { address = gate })
        harness.await_ticks(scene, 2)
        harness.tell(agent, "view", "update", 0, 0, { address = agent })
        harness.await_ticks(scene, 2)
        harness.equal({ scene, 1 }, { harness.tell(agent, "view", "scene") })
        harness.tell(agent, "view", "leave")
      end
      harness.equal({}, harness.tell(agent, "take").events)
      harness.stop(scene, gate, agent)
    end,
  },
  {
    name = "who changes while its scene dies is not gone, unless the other one does not take it in",
    run = function()
      for _, is_taken in ipairs { true, false } do
        local from = harness.scene("engine=crosslist", "radius=100", "tick=20")
        local to = slow_scene()
        local agent, answer = harness.agent(), nil
        harness.tell(agent, "listen", "events")
        harness.tell(agent, "view", "join", from, 1, 0, 0)
        skynet.fork(function()
          answer = { pcall(harness.tell, agent, "view", "go", to, 1, 0) }
        end)
        harness.wait_until(2, "it is on its way", function() return harness.stats(to).entities == 2 end)
        harness.stop_at_once(from)
        skynet.sleep(5)
        harness.equal({}, harness.tell(agent, "take").events)
        harness.equal({ from, 1 }, { harness.tell(agent, "view", "scene") })
        if not is_taken then
          harness.stop_at_once(to)
        end
        harness.wait_until(3, "it is answered", function() return answer end)
        skynet.sleep(5)
        local gone = {}
        for _, event in ipairs(harness.tell(agent, "take").events) do
          if event[1] == "gone" then
            gone[#gone + 1] = event
          end
        end
        harness.equal({ is_taken, is_taken and {} or { { "gone", from, "ended" } } }, { answer[1], gone })
        harness.equal({ is_taken and to or nil }, { (harness.tell(agent, "view", "scene")) })
        harness.stop(agent, is_taken and to or nil)
      end
    end,
  },
  {
    name = "others that die make no join fail that the scene takes",
    run = function()
      local scene, agent, answer = slow_scene(), harness.agent(), nil
      skynet.fork(function()
        answer = { pcall(harness.tell, agent, "view", "join", scene, 1, 1, 0) }
      end)
      harness.wait_until(2, "it is on its way", function() return harness.stats(scene).entities == 2 end)
      ask_and_die(agent, "ping")
      harness.wait_until(3, "it is answered", function() return answer end)
      harness.equal({ true, scene }, { answer[1], (harness.tell(agent, "view", "scene")) })
      harness.stop(scene, agent)
    end,
  },
  {
    name = "others that die leave no entity in two scenes",
    run = function()
      local from, to = harness.scene("engine=crosslist", "radius=100", "tick=20"), slow_scene()
      harness.command(from, "enter", 1, 1, 0, { address = false })
      local answer
      skynet.fork(function()
        answer = { skynet.call(from, "lua", "transfer", 1, to, 2, 0) }
      end)
      harness.wait_until(2, "it is on its way", function() return harness.stats(to).entities == 2 end)
      ask_and_die(from, "stats")
      harness.wait_until(3, "it is answered", function() return answer end)
      harness.equal({ true }, answer)
      harness.equal({ false, true }, { harness.command(from, "query", "has", 1),
        (harness.command(to, "query", "has", 1)) })
      harness.stop(from, to)
    end,
  },
  {
    name = "agents that die early, and others that die meanwhile, leave nothing in the log of a scene",
    run = function()
      local scene = harness.scene("engine=crosslist", "radius=100", "tick=20")
      local busy = harness.agent()
      harness.command(scene, "enter", 1, 0, 0, { address = busy })
      skynet.send(busy, "lua", "be_busy", 0.5) -- it is asked what it takes, and can't answer yet
      harness.command(scene, "enter", 2, 0, 0, { address = false })
      ask_and_die(scene, "stats")
      harness.tell(busy, "ping")
      local agents = {}
      for i = 1, 150 do
        skynet.fork(function()
          agents[i] = harness.agent()
          harness.tell(agents[i], "view", "join", scene, 2 + i, 0, 0)
          skynet.send(agents[i], "lua", "ask_and_exit", scene, "stats", 1, 0)
        end)
      end
      harness.wait_until(10, "all are there", function() return #agents == 150 end)
      wait_until_dead(agents)
      harness.wait_until(10, "all are removed", function() return harness.stats(scene).entities <= 2 end)
      harness.tell(busy, "ping")
      harness.has_not_logged(scene, "Unknown session")
      harness.equal({ 2, 150 }, { harness.stats(scene).entities, harness.stats(scene).dead_addresses })
      harness.stop(scene, busy)
    end,
  },
}
