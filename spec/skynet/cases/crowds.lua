-- Crowds through the scene: who is told of whom when there are many.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

local function new_scene(...)
  return harness.scene("engine=crosslist", "radius=100", harness.BY_HAND, ...)
end

-- Markers 1 to n at distance 1 to n from the watcher 100.
local function enter_all(scene, agent, n, opts)
  for id = 1, n do
    harness.command(scene, "enter", id, id, 0, { mode = "m", address = false })
  end
  opts.mode = "w"
  harness.command(agent, "call", scene, "enter", 100, 0, 0, opts)
end

local function told(scene)
  local ids = harness.command(scene, "query", "told_markers_of", 100)
  table.sort(ids)
  return ids
end

-- The ids that agent's entity got to know, and lost, since the last time.
local function heard(agent)
  local entered, left = {}, {}
  for _, view in ipairs(harness.tell(agent, "take").views) do
    for i = 1, #view.entered, 3 do
      entered[#entered + 1] = view.entered[i]
    end
    table.move(view.left, 1, #view.left, #left + 1, left)
  end
  table.sort(entered)
  table.sort(left)
  return entered, left
end

return {
  {
    name = "a limit is an option, a trait and a command; importance and pins choose",
    run = function()
      local scene, agent = new_scene "limit=3", harness.agent()
      enter_all(scene, agent, 8, {})
      harness.command(scene, "tick")
      harness.equal({ { 1, 2, 3 }, {} }, { heard(agent) })
      harness.equal({ 1, 2, 3 }, told(scene))
      harness.command(scene, "set_importance", 8, 5)
      harness.command(scene, "pin", 100, 7)
      harness.command(scene, "tick")
      harness.equal({ { 7, 8 }, { 3 } }, { heard(agent) })
      harness.equal({ "told" }, { harness.command(scene, "query", "explain", 100, 7) })
      harness.equal({ "limit", 4 }, { harness.command(scene, "query", "explain", 100, 3) })
      harness.equal({ "range" }, { (function()
        harness.command(scene, "update", 3, 300, 0, { importance = 9 })
        return harness.command(scene, "query", "explain", 100, 3)
      end)() })
      harness.equal({ { 100 }, 1 }, { harness.command(scene, "query", "told_watchers_of", 7) })
      harness.command(scene, "unpin", 100, 7)
      harness.command(scene, "move", 3, 90, 0)
      harness.command(scene, "set_limit", 100, 2)
      harness.command(scene, "tick")
      harness.equal({ 3, 8 }, told(scene), "the most important ones")
      heard(agent)
      local x, y = harness.command(scene, "query", "position", 100)
      harness.command(scene, "update", 100, x, y, { limit = 0 })
      harness.command(scene, "tick")
      harness.equal({ { {}, { 3, 8 } }, {} }, { { heard(agent) }, told(scene) })
      harness.stop(scene, agent)
    end,
  },
  {
    name = "rates: who is far is told more seldom; a budget for newcomers and for moves",
    run = function()
      local scene, agent = new_scene("rates=10:1,huge:3", "enter_budget=1", "move_budget=1"), harness.agent()
      enter_all(scene, agent, 2, {})
      harness.command(scene, "tick")
      harness.equal({ { 1 }, {} }, { heard(agent) })
      harness.command(scene, "tick")
      harness.equal({ { 2 }, {} }, { heard(agent) })
      harness.command(scene, "leave", 2)
      harness.command(scene, "enter", 50, 50, 0, { mode = "m", address = false })
      harness.command(scene, "tick")
      harness.equal({ { 50 }, { 2 } }, { heard(agent) })
      local moved = {}
      for tick = 1, 6 do
        harness.command(scene, "move", 50, 50, tick)
        harness.command(scene, "tick")
        for _, view in ipairs(harness.tell(agent, "take").views) do
          moved[#moved + 1] = { tick, table.unpack(view.moved) }
        end
      end
      harness.equal({ { 3, 50, 50, 3 }, { 6, 50, 50, 6 } }, moved)
      harness.stop(scene, agent)
    end,
  },
  {
    name = "wrong words keep a scene from starting; wrong traits and commands are refused",
    run = function()
      for _, words in ipairs {
        { "rates=20", "is no ring" }, { "rates=20:1", "rates" }, { "limit=-1", "limit" },
        { "keep_factor=0.5", "keep_factor" }, { "move_budget=many", "move_budget" },
      } do
        harness.is_true(not pcall(new_scene, words[1]), "started with " .. words[1])
        harness.is_true(harness.log_has(words[2]), words[2] .. " is not in the log")
      end
      harness.is_true(not pcall(harness.scene, "engine=crosslist", "radius=1", "tick=0", "limit=5"),
        "started with a limit and without ticks")
      local scene, plain = new_scene "limit=5", new_scene()
      harness.command(scene, "enter", 1, 0, 0)
      harness.command(plain, "enter", 1, 0, 0)
      harness.refused("enter: ", scene, "enter", 2, 0, 0, { importance = 256 })
      harness.refused("set_importance: ", scene, "set_importance", 1, -1)
      harness.refused("set_limit: ", scene, "set_limit", 1, "many")
      harness.refused("pin: ", scene, "pin", 7, 1)
      harness.refused("set_importance: ", plain, "set_importance", 1, 1)
      harness.refused("pin: ", plain, "pin", 1, 2)
      harness.refused("enter: ", plain, "enter", 2, 0, 0, { limit = 2 })
      harness.refused("told_markers_of: ", scene, "query", "told_markers_of", 7)
      harness.refused("shape is untold", scene, "query", "untold", 7)
      harness.stop(scene, plain)
    end,
  },
  {
    name = "traits that need no place have commands of their own, also where all is told at once",
    run = function()
      local scene, agent = harness.scene("engine=crosslist", "radius=5", "tick=0"), harness.agent()
      harness.command(scene, "enter", 1, 8, 0, { mode = "m", address = false })
      harness.command(agent, "call", scene, "enter", 100, 0, 0, { mode = "w" })
      harness.tell(agent, "take")
      harness.command(scene, "set_radius", 100, 10)
      harness.equal({ { 1 }, {} }, { heard(agent) })
      harness.command(scene, "set_sees_layers", 100, 2)
      harness.equal({ {}, { 1 } }, { heard(agent) })
      harness.command(scene, "set_layers", 1, 2)
      harness.equal({ { 1 }, {} }, { heard(agent) })
      harness.command(scene, "set_mode", 1, "w")
      harness.equal({ {}, { 1 } }, { heard(agent) })
      harness.refused("set_radius: ", scene, "set_radius", 100, "wide")
      harness.equal(1, skynet.call(scene, "lua", "stats").refused)
      harness.stop(scene, agent)
    end,
  },
}
