-- Faults: agents that die, handlers that raise, agents that flood.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

local write_handlers, log_has = harness.write_handlers, harness.log_has

-- A proxy of a service, through a cluster that has this process alone.
local function cluster_proxy()
  local cluster = require "skynet.cluster"
  for port = 21000, 21100 do
    cluster.reload { here = "127.0.0.1:" .. port }
    if pcall(cluster.open, "here") then
      return cluster.proxy("here", ".launcher")
    end
  end
  error "no port is free"
end

local function dies(how, tick)
  local scene = harness.scene("engine=crosslist", "radius=10", tick or "tick=20", "probe=200")
  local watcher, victim = harness.agent(), harness.agent()
  harness.command(watcher, "call", scene, "enter", 1, 0, 0)
  for id = 2, 4 do
    harness.command(victim, "call", scene, "enter", id, id, 0)
  end
  if not tick then
    harness.await_ticks(scene, 2)
  end
  harness.tell(watcher, "take")
  how(victim)
  local left = {}
  harness.wait_until(3, "the watcher is told", function()
    for _, view in ipairs(harness.tell(watcher, "take").views) do
      table.move(view.left, 1, #view.left, #left + 1, left)
    end
    return #left == 3
  end)
  table.sort(left)
  harness.equal({ 2, 3, 4 }, left)
  local stats = harness.stats(scene)
  harness.equal({ 1, 1, 1 }, { stats.entities, stats.addresses, stats.dead_addresses })
  harness.stop(scene, watcher)
end

return {
  {
    name = "an agent that exits is removed, its watchers are told",
    run = function()
      dies(function(agent) skynet.send(agent, "lua", "exit") end)
    end,
  },
  {
    name = "an agent that is killed is removed, its watchers are told",
    run = function()
      dies(harness.kill)
    end,
  },
  {
    name = "where all is told at once, that is told at once too",
    run = function()
      dies(harness.kill, "tick=0")
    end,
  },
  {
    name = "a dead address is noticed at entering",
    run = function()
      local scene, agent = harness.scene("engine=crosslist", "radius=10", "tick=20"), harness.agent()
      harness.kill(agent)
      harness.wait_until(2, "it is dead", function() return not skynet.send(agent, "lua", "ping") end)
      harness.command(scene, "enter", 1, 0, 0, { address = agent })
      harness.wait_until(2, "it is removed", function() return harness.stats(scene).entities == 0 end)
      harness.stop(scene)
    end,
  },
  {
    name = "1,000 agents come and die: nothing is left of them",
    run = function()
      local scene = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND, "probe=200")
      local function round()
        local agents = {}
        for i = 1, 100 do
          agents[i] = harness.agent()
          harness.command(agents[i], "call", scene, "enter", i, i, 0)
        end
        for i, agent in ipairs(agents) do -- all are inside at once: the space is as large in each round
          if i % 2 == 0 then
            skynet.send(agent, "lua", "exit")
          else
            harness.kill(agent)
          end
        end
        harness.wait_until(5, "all are removed", function()
          local stats = harness.stats(scene)
          return stats.entities == 0 and stats.addresses == 0
        end)
        harness.command(scene, "tick")
        skynet.send(scene, "debug", "GC")
        return harness.stats(scene)
      end
      local function tasks()
        return skynet.call(scene, "debug", "STAT").task
      end
      round()
      local before = round()
      skynet.sleep(120) -- what waits for an answer of a dead one does so for a second
      local tasks_before, after = tasks(), nil
      for _ = 1, 8 do
        after = round()
      end
      harness.equal(1000, after.dead_addresses)
      harness.equal(before.bytes, after.bytes, "bytes of the space")
      harness.wait_until(5, "no more coroutines are suspended than before", function()
        return tasks() <= tasks_before
      end)
      harness.is_true(after.lua_bytes < before.lua_bytes + 20000,
        ("Lua's memory grew from %d to %d bytes"):format(before.lua_bytes, after.lua_bytes))
      harness.stop(scene)
    end,
  },
  {
    name = "handlers are replaced by reload; one that raises is logged with its traceback",
    run = function()
      local scene = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      local agent = harness.agent()
      local function show_and_hide(id)
        harness.command(scene, "enter", id, 5, 0, { mode = "m" })
        harness.command(scene, "tick")
        harness.command(scene, "leave", id)
        harness.command(scene, "tick")
        local heard = harness.tell(agent, "take")
        harness.equal({ 2, id, id }, { heard.messages, heard.views[1].entered[1], heard.views[2].left[1] })
      end
      harness.command(agent, "call", scene, "enter", 1, 0, 0)
      show_and_hide(2)
      write_handlers [[
        local function greet(marker)
          error("no greeting for " .. marker)
        end
        return function()
          return { on_enter = function(_, marker) greet(marker) end }
        end
      ]]
      harness.command(scene, "reload", "handlers_of_test")
      show_and_hide(3)
      harness.equal(1, harness.stats(scene).handler_errors)
      harness.is_true(log_has "no greeting for 3" and log_has "in upvalue 'greet'", "no traceback in the log")
      write_handlers [[
        return function(scene)
          return {
            on_enter = function(_, marker) scene.space:set_layers(marker, 4) end,
            on_view = false,
          }
        end
      ]]
      harness.command(scene, "reload")
      harness.command(scene, "enter", 4, 5, 0, { mode = "m" })
      harness.command(scene, "tick")
      harness.equal(0, harness.tell(agent, "take").messages)
      harness.equal({ { 4 }, 1 }, { skynet.call(scene, "lua", "query", "rect", 0, 0, 9, 9, nil, 4) })
      write_handlers "this is no Lua"
      harness.refused("reload", scene, "reload")
      write_handlers "return function() return { on_enter = 17 } end"
      harness.refused("reload", scene, "reload")
      harness.command(scene, "leave", 4)
      harness.command(scene, "reload", false)
      harness.command(scene, "tick")
      harness.tell(agent, "take")
      show_and_hide(5)
      harness.stop(scene, agent)
    end,
  },
  {
    name = "a handler that waits does not hold up the ticks",
    run = function()
      write_handlers [[
        local skynet = require "skynet"
        return function()
          return { on_enter = function() skynet.sleep(300) end }
        end
      ]]
      local scene = harness.scene("engine=crosslist", "radius=10", "tick=20", "handlers=handlers_of_test")
      local agent = harness.agent()
      harness.command(agent, "call", scene, "enter", 1, 0, 0)
      harness.command(scene, "enter", 2, 5, 0, { mode = "m" })
      harness.await_ticks(scene, 2)
      local heard = harness.tell(agent, "take")
      harness.equal({ 1, { 2, 5, 0 } }, { heard.messages, heard.views[1].entered })
      harness.command(scene, "move", 2, 6, 0)
      harness.await_ticks(scene, 2)
      harness.equal({ 2, 6, 0 }, harness.tell(agent, "take").views[1].moved)
      harness.stop(scene)
      -- The views of its own tick are not held up either.
      scene = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND, "handlers=handlers_of_test")
      harness.command(agent, "call", scene, "enter", 1, 0, 0)
      harness.command(scene, "enter", 2, 5, 0, { mode = "m" })
      skynet.send(scene, "lua", "tick")
      harness.stats(scene) -- the tick waits by now
      harness.equal(1, harness.tell(agent, "take").messages)
      harness.stop(scene, agent)
    end,
  },
  {
    name = "who leaves or gets another address while a handler of a tick waits is told by the next tick",
    run = function()
      write_handlers [[
        local skynet = require "skynet"
        return function()
          local ended = 0
          return {
            on_enter = function()
              skynet.sleep(30)
              ended = ended + 1
            end,
            commands = { ended = function() return ended end },
          }
        end
      ]]
      local scene = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND,
        "handlers=handlers_of_test")
      local first, second, third = harness.agent(), harness.agent(), harness.agent()
      harness.command(first, "call", scene, "enter", 1, 0, 0, { mode = "w" })
      harness.command(third, "call", scene, "enter", 3, 0, 0, { mode = "w" })
      harness.command(scene, "enter", 2, 5, 0, { mode = "m" })
      skynet.send(scene, "lua", "tick")
      harness.equal(0, harness.command(scene, "ended")) -- the tick waits in its first on_enter
      harness.command(second, "call", scene, "update", 1, 0, 0, { address = second })
      harness.command(third, "call", scene, "leave", 3)
      harness.command(third, "take")
      harness.wait_until(5, "it is over", function() return harness.command(scene, "ended") == 2 end)
      harness.command(scene, "tick")
      harness.equal({ 2, 5, 0 }, (harness.tell(second, "take").views[1] or {}).entered, "the new address")
      harness.equal({ 2 }, (harness.tell(third, "take").views[1] or {}).left, "who has left")
      harness.stop(scene, first, second, third)
    end,
  },
  {
    name = "a scene saved while a handler of a tick waits still tells those who had left",
    run = function()
      write_handlers [[
        local skynet = require "skynet"
        return function(_, views)
          return {
            on_view = function(...)
              skynet.sleep(1000)
              views.on_view(...)
            end,
          }
        end
      ]]
      local scene = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      local first, second, third = harness.agent(), harness.agent(), harness.agent()
      harness.command(first, "call", scene, "enter", 1, 0, 0, { mode = "w" })
      harness.command(third, "call", scene, "enter", 3, 0, 0, { mode = "w" })
      harness.command(scene, "enter", 2, 5, 0, { mode = "m", address = false })
      harness.command(scene, "tick")
      harness.command(third, "take")
      harness.command(scene, "reload", "handlers_of_test")
      harness.command(scene, "move", 2, 6, 0)
      harness.command(third, "call", scene, "leave", 3)
      harness.command(second, "call", scene, "update", 1, 0, 0, { address = second })
      skynet.send(scene, "lua", "tick")
      local saved = harness.command(scene, "save")
      harness.stop(scene)
      scene = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      harness.command(scene, "load", saved)
      harness.command(scene, "tick")
      harness.equal({ 2 }, (harness.tell(third, "take").views[1] or {}).left, "who had left")
      harness.equal({ 2, 6, 0 }, (harness.tell(second, "take").views[1] or {}).entered, "the new address")
      harness.stop(scene, first, second, third)
    end,
  },
  {
    name = "a flood of 100,000 moves a second does not hold up the others; its last position counts",
    run = function()
      local scene = harness.scene("engine=crosslist", "radius=1000", "tick=100")
      local flooder, watcher, walker = harness.agent(), harness.agent(), harness.agent()
      harness.command(flooder, "call", scene, "enter", 1, 0, 0)
      harness.command(walker, "call", scene, "enter", 2, 0, 0, { mode = "m" })
      harness.command(watcher, "call", scene, "enter", 3, 0, 0, { mode = "w" })
      harness.await_ticks(scene, 2)
      harness.tell(watcher, "take")
      local before = harness.stats(scene)
      local rounds = 20
      local slowest = 0
      for round = 1, rounds do
        skynet.send(flooder, "lua", "flood", scene, 10000, 1, round, 5)
        local began = skynet.hpc()
        harness.command(walker, "call", scene, "move", 2, round, 7)
        slowest = math.max(slowest, (skynet.hpc() - began) / 1e6)
        skynet.sleep(10)
      end
      harness.wait_until(10, "all moves have arrived", function()
        return harness.stats(scene).moves - before.moves == rounds * 10000 + rounds
      end)
      harness.await_ticks(scene, 2)
      local after, heard = harness.stats(scene), harness.tell(watcher, "take")
      local ticks = after.ticks - before.ticks
      harness.is_true(heard.messages <= ticks + 1, "more than one message a tick")
      harness.is_true(ticks >= rounds * 0.8, ("only %d ticks in %d periods"):format(ticks, rounds))
      local last = { {}, {} }
      for _, view in ipairs(heard.views) do
        for i = 1, #view.moved, 3 do
          last[view.moved[i]] = { view.moved[i + 1], view.moved[i + 2] }
        end
      end
      harness.equal({ { rounds, 5 }, { rounds, 7 } }, last)
      print(("       under the flood: %.1f us of CPU for a move, slowest answer to another agent %.1f ms, "
        .. "tick late by %.1f ms at most"):format((after.cpu - before.cpu) / (rounds * 10000) * 1e3, slowest,
        after.late_most))
      harness.stop(scene, flooder, watcher, walker)
    end,
  },
  {
    name = "an address that takes no such messages is found out: its entities go, who sent them is told why",
    run = function()
      local scene = harness.scene("engine=crosslist", "radius=10", "tick=20")
      local agent, proxy = harness.agent(), cluster_proxy()
      harness.command(agent, "call", scene, "enter", 1, 0, 0)
      harness.command(agent, "call", scene, "enter", 2, 1, 0, { address = proxy })
      harness.command(agent, "call", scene, "enter", 3, 2, 0, { address = false })
      local refused = {}
      harness.wait_until(3, "the sender is told", function()
        table.move(harness.tell(agent, "take").refused, 1, 9, #refused + 1, refused)
        return #refused > 0
      end)
      harness.equal({ "enter", 2, 1 }, { refused[1].command, refused[1].id, #refused })
      harness.is_true(refused[1].message:find("takes no messages of the protocol aoi", 1, true))
      harness.is_true(log_has "entity 2 is removed", "the log says so")
      harness.equal({ { 1, 3 }, 2 }, { harness.command(scene, "query", "ids") })
      -- The address is known by now; one more comes and goes.
      harness.command(agent, "call", scene, "enter", 4, 1, 0, { address = proxy })
      harness.wait_until(3, "that one goes, too", function() return harness.stats(scene).entities == 2 end)
      harness.stop(scene, agent)
    end,
  },
}
