-- The commands of a scene, called and sent, with good and bad arguments; three dimensions.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

local function new_scene(...)
  return harness.scene("engine=grid", "width=300", "height=300", "radius=20", harness.BY_HAND, ...)
end

return {
  {
    name = "commands answer",
    run = function()
      local scene = new_scene()
      harness.equal({ true, 3600000 }, { skynet.call(scene, "lua", "enter", 1, 10, 10) })
      harness.equal({ true, true }, { skynet.call(scene, "lua", "update", 2, 15, 10, { mode = "m" }) })
      harness.equal({ true, false }, { skynet.call(scene, "lua", "update", 2, 15, 12) })
      harness.equal({ true }, { skynet.call(scene, "lua", "move", 1, 12, 10) })
      harness.equal({ { 1, 2 }, 2 }, { skynet.call(scene, "lua", "query", "rect", 0, 0, 100, 100) })
      harness.equal({ { 1, 2 }, 2 }, { skynet.call(scene, "lua", "query", "circle", 12, 11, 5) })
      harness.equal({ { 2 }, 1 }, { skynet.call(scene, "lua", "query", "sector", 12, 12, 5, 0, 1) })
      harness.equal({ { 2 }, 1 }, { skynet.call(scene, "lua", "query", "segment", 14, 12, 50, 12, 1) })
      harness.equal({ { 2 }, 1 }, { skynet.call(scene, "lua", "query", "nearest", 20, 12, 1) })
      harness.equal({ { 2 }, 1 }, { skynet.call(scene, "lua", "query", "markers_of", 1) })
      harness.equal({ { 1 }, 1 }, { skynet.call(scene, "lua", "query", "watchers_of", 2) })
      harness.equal({ true }, { skynet.call(scene, "lua", "query", "sees", 1, 2) })
      harness.equal({ false }, { skynet.call(scene, "lua", "query", "sees", 2, 1) })
      harness.equal({ 12, 10 }, { skynet.call(scene, "lua", "query", "position", 1) })
      harness.equal({ nil }, { skynet.call(scene, "lua", "query", "position", 7) })
      harness.equal({ { 1, 2 }, 2 },
        { skynet.call(scene, "lua", "query", "polygon", { 0, 0, 99, 0, 0, 99 }) })
      harness.equal({ 12, 10 }, { skynet.call(scene, "lua", "query", "anchor", 1) })
      harness.equal("wm", harness.command(scene, "query", "traits", 1).mode)
      harness.equal({ true }, { skynet.call(scene, "lua", "leave", 1) })
      harness.equal({ { 2 }, 1 }, { skynet.call(scene, "lua", "query", "ids") })
      harness.equal({ true }, { skynet.call(scene, "lua", "tick") })
      harness.stop(scene)
    end,
  },
  {
    name = "bad arguments are refused, and change nothing",
    run = function()
      local scene = new_scene()
      harness.command(scene, "enter", 1, 10, 10)
      harness.refused("already in the space", scene, "enter", 1, 20, 20)
      harness.refused("enter: option adress = 5 is unknown (did you mean address?), expected radius, ", scene,
        "enter", 5, 20, 20, { adress = 5 })
      harness.refused(", data, extras, stream, anew, take_over, pushes or call", scene, "update", 1, 20, 20,
        { colour = "red" })
      harness.refused("outside the map", scene, "enter", 2, 20, 2000)
      harness.refused("expected an integer", scene, "enter", "2", 20, 20)
      harness.refused("expected an integer", scene, "enter", nil, 20, 20)
      harness.refused("expected an integer", scene, "enter")
      harness.refused("colour", scene, "enter", 2, 20, 20, { colour = "red" })
      harness.refused("address", scene, "enter", 2, 20, 20, { address = "nobody" })
      harness.refused("address", scene, "enter", 2, 20, 20, { address = 0 })
      harness.refused("not in the space", scene, "move", 2, 20, 20)
      harness.refused("move", scene, "move", 1, 0 / 0, 20)
      harness.refused("not in the space", scene, "leave", 2)
      harness.refused("not in the space", scene, "say", 2, "hello")
      harness.refused("say: id", scene, "say", {}, "hello")
      harness.refused("update", scene, "update", 1, 20, 20, { mode = "x" })
      harness.refused("shape is star", scene, "query", "star", 1)
      harness.refused("query_circle", scene, "query", "circle", 1, 1, -1)
      harness.refused("no command", scene, "dance", 1)
      harness.refused("no command", scene)
      harness.refused("no string of save", scene, "load", "nonsense")
      harness.refused("no string of save", scene, "load", 17)
      harness.refused("no string of save", scene, "load")
      local saved = harness.command(scene, "save")
      local ids = harness.command(scene, "query", "ids")
      harness.refused("load: addresses is 5", scene, "load", saved, 5)
      harness.refused("load: an entity in addresses is x", scene, "load", saved, { x = skynet.self() })
      harness.refused("load: entity 1: address is 0", scene, "load", saved, { 0 })
      harness.equal(ids, harness.command(scene, "query", "ids"), "what was in the scene")
      harness.refused("reload", scene, "reload", "spec.skynet.no_such_module")
      harness.equal({ 10, 10 }, { skynet.call(scene, "lua", "query", "position", 1) })
      local stats = harness.stats(scene)
      harness.equal({ 1, 1, 27 }, { stats.entities, stats.addresses, stats.refused })
      harness.stop(scene)
    end,
  },
  {
    name = "a refused command gives nobody an address",
    run = function()
      local scene, agent = new_scene(), harness.agent()
      harness.command(scene, "enter", 1, 10, 10)
      harness.refused("outside the map", scene, "enter", 2, 20, 2000, { address = agent })
      harness.refused("outside the map", scene, "update", 1, 20, 2000, { address = agent })
      harness.refused("already in the space", scene, "enter", 1, 20, 20, { address = agent })
      harness.equal(1, harness.stats(scene).addresses)
      harness.command(scene, "enter", 3, 12, 12, { address = false })
      harness.command(scene, "tick")
      harness.equal(0, harness.tell(agent, "take").messages)
      harness.stop(scene, agent)
    end,
  },
  {
    name = "a command that is sent and refused is answered to its sender alone",
    run = function()
      local scene, one, other = new_scene(), harness.agent(), harness.agent()
      harness.command(one, "call", scene, "enter", 1, 10, 10)
      harness.command(other, "call", scene, "enter", 2, 11, 11)
      harness.tell(one, "send", scene, "move", 1, 10, 1000)
      harness.tell(one, "send", scene, "dance")
      harness.stats(scene)
      local heard = harness.tell(one, "take")
      harness.equal(2, heard.messages)
      harness.equal("move", heard.refused[1].command)
      harness.is_true(heard.refused[1].message:find "outside the map")
      harness.equal("dance", heard.refused[2].command)
      harness.equal(0, harness.tell(other, "take").messages)
      harness.stop(scene, one, other)
    end,
  },
  {
    name = "who leaves and comes back within a tick under another address is gone for the one before",
    run = function()
      local scene, first, second, other = new_scene(), harness.agent(), harness.agent(), harness.agent()
      harness.command(first, "call", scene, "enter", 1, 10, 10)
      harness.command(other, "call", scene, "enter", 2, 12, 10)
      harness.command(scene, "enter", 3, 25, 10, { mode = "m", address = false })
      harness.command(scene, "tick")
      harness.tell(first, "take")
      harness.tell(other, "take")
      harness.command(scene, "enter", 4, 11, 10, { mode = "m", address = false })
      harness.command(first, "call", scene, "leave", 1)
      harness.command(second, "call", scene, "enter", 1, 10, 10)
      harness.command(scene, "tick")
      local left = {}
      for _, view in ipairs(harness.tell(first, "take").views) do
        table.move(view.left, 1, #view.left, #left + 1, left)
        harness.equal({ {}, {} }, { view.entered, view.moved })
      end
      table.sort(left)
      harness.equal({ 2, 3 }, left, "what the old address lost")
      local entered = {}
      for _, view in ipairs(harness.tell(second, "take").views) do
        for i = 1, #view.entered, 3 do
          entered[#entered + 1] = view.entered[i]
        end
      end
      table.sort(entered)
      harness.equal({ 2, 3, 4 }, entered, "what the new address gained")
      local heard = harness.tell(other, "take").views
      harness.equal({ 1, { 4, 11, 10 }, {}, {} }, { #heard, heard[1].entered, heard[1].left, heard[1].moved },
        "the others, for whom it has stayed")
      -- It comes to a third one, which leaves at once: the one that was told hears what it lost.
      harness.command(second, "call", scene, "leave", 1)
      harness.command(first, "call", scene, "enter", 1, 10, 10)
      harness.command(first, "call", scene, "leave", 1)
      harness.command(scene, "tick")
      harness.equal({ 0, 3 }, { #harness.tell(first, "take").views,
        #harness.tell(second, "take").views[1].left })
      harness.command(second, "call", scene, "enter", 1, 10, 10)
      harness.command(scene, "tick")
      harness.tell(second, "take")
      harness.tell(other, "take")
      -- Under the same address it has stayed: the new stream brings nothing new.
      harness.command(second, "call", scene, "leave", 1)
      harness.command(second, "call", scene, "enter", 1, 10, 10)
      harness.command(scene, "tick")
      local again = harness.tell(second, "take")
      harness.equal({ 1, 0, 0 }, { again.messages, #again.views, harness.tell(other, "take").messages })
      harness.stop(scene, first, second, other)
    end,
  },
  {
    name = "three dimensions",
    run = function()
      local scene, agent = new_scene "dims=3", harness.agent()
      harness.command(agent, "call", scene, "enter", 1, 10, 10, 0)
      harness.command(scene, "enter", 2, 12, 10, 5, { mode = "m" })
      harness.command(scene, "enter", 3, 12, 10, 50)
      harness.command(scene, "tick")
      harness.equal({ 2, 12, 10, 5 }, harness.tell(agent, "take").views[1].entered)
      harness.command(scene, "move", 2, 12, 10, 6)
      harness.command(scene, "move", 3, 12, 10, 20)
      harness.command(scene, "tick")
      local view = harness.tell(agent, "take").views[1]
      harness.equal({ { 3, 12, 10, 20 }, { 2, 12, 10, 6 } }, { view.entered, view.moved })
      local saved = harness.command(scene, "save")
      harness.command(scene, "load", saved)
      harness.command(scene, "move", 2, 12, 10, 7)
      harness.command(scene, "tick")
      harness.equal({ 2, 12, 10, 7 }, harness.tell(agent, "take").views[1].moved)
      harness.refused("z", scene, "move", 1, 10, 10)
      harness.stop(scene, agent)
    end,
  },
  {
    name = "what is said by one who is not known yet is heard after the tick that tells of it",
    run = function()
      local scene = new_scene()
      local hearer, other = harness.agent(), harness.agent()
      harness.tell(hearer, "listen", "events")
      harness.command(hearer, "call", scene, "enter", 1, 10, 10)
      harness.command(scene, "tick")
      harness.command(other, "call", scene, "enter", 2, 11, 10)
      harness.command(scene, "say", 2, "hello")
      harness.command(other, "call", scene, "enter", 3, 12, 10)
      harness.command(scene, "say", 3, "and gone")
      harness.command(scene, "leave", 3)
      harness.equal({}, harness.tell(hearer, "take").events)
      local saved = harness.command(scene, "save")
      harness.command(scene, "load", saved)
      harness.command(scene, "tick")
      harness.equal({ { "entered", 2, 11, 10, nil, {} }, { "said", 2, "hello" } },
        harness.tell(hearer, "take").events)
      harness.command(scene, "say", 2, "known")
      harness.equal({ { "said", 2, "known" } }, harness.tell(hearer, "take").events)
      harness.stop(scene, hearer, other)
    end,
  },
  {
    name = "what is said reaches who has a sight of true, wherever it is, and nobody with a sight of false",
    run = function()
      for _, ticks in ipairs { harness.BY_HAND, "tick=0" } do
        local scene = harness.scene("engine=crosslist", "radius=10", ticks)
        local near, friend, ignorer = harness.agent(), harness.agent(), harness.agent()
        for id, agent in ipairs { near, friend, ignorer } do
          harness.tell(agent, "listen", "events")
          harness.tell(agent, "view", "join", scene, id, id == 2 and 500 or 1, 0)
        end
        harness.command(scene, "enter", 4, 5, 0, { mode = "m", address = false })
        harness.command(scene, "set_sight", 2, 4, true)
        harness.command(scene, "set_sight", 3, 4, false)
        if ticks == harness.BY_HAND then
          harness.command(scene, "tick")
        end
        for _, agent in ipairs { near, friend, ignorer } do
          harness.tell(agent, "take")
        end
        harness.command(scene, "say", 4, "hello")
        harness.equal({ { "said", 4, "hello" } }, harness.tell(near, "take").events)
        harness.equal({ { "said", 4, "hello" } }, harness.tell(friend, "take").events)
        harness.equal({}, harness.tell(ignorer, "take").events)
        harness.stop(scene, near, friend, ignorer)
      end
    end,
  },
}
