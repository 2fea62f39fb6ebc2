-- Entities that go from one scene to another, at the scene's wish.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

local function new_scene(...)
  return harness.scene("engine=grid", "width=300", "height=300", "radius=20", ...)
end

return {
  {
    name = "an entity takes its address, data, properties and traits along; its agent follows",
    run = function()
      local from, to = new_scene "tick=20", new_scene "tick=20"
      local agent, there, left_behind = harness.agent(), harness.agent(), harness.agent()
      for _, each in ipairs { agent, there, left_behind } do
        harness.tell(each, "listen", "events")
      end
      harness.tell(agent, "view", "join", from, 1, 10, 10, { data = "one", radius = 30, layers = 3 })
      harness.command(from, "set_property", 1, 5, "sword")
      harness.tell(left_behind, "view", "join", from, 3, 12, 10)
      harness.tell(there, "view", "join", to, 2, 200, 200)
      harness.await_ticks(from, 2)
      harness.equal({ [3] = { 12, 10 } }, harness.tell(agent, "view", "known"))
      harness.equal({ [1] = { 10, 10, data = "one", properties = { [5] = "sword" } } },
        harness.tell(left_behind, "view", "known"))
      harness.command(from, "transfer", 1, to, 210, 200, { mode = "wm" })
      harness.wait_until(2, "its agent is there", function()
        return harness.tell(agent, "view", "known")[2] ~= nil
      end)
      harness.await_ticks(from, 2)
      harness.await_ticks(to, 2)
      harness.equal({ to, 1 }, { harness.tell(agent, "view", "scene") })
      harness.equal({ [2] = { 200, 200 } }, harness.tell(agent, "view", "known"))
      harness.equal({ [1] = { 210, 200, data = "one", properties = { [5] = "sword" } } },
        harness.tell(there, "view", "known"))
      harness.equal({}, harness.tell(left_behind, "view", "known"))
      harness.equal({ 30 }, { harness.command(to, "query", "radius", 1) })
      harness.equal({ { 1 }, 1 }, { harness.command(to, "query", "rect", 205, 190, 215, 210, nil, 2) })
      harness.equal({ false, 1 }, { harness.command(from, "query", "has", 1), harness.stats(from).addresses })
      harness.tell(agent, "view", "move", 212, 200)
      harness.wait_until(2, "it moves there", function()
        return harness.command(to, "query", "position", 1) == 212
      end)
      -- And back, with an agent of its own no more.
      harness.command(to, "transfer", 1, from, 10, 10, { address = false, data = "two" })
      harness.await_ticks(from, 2)
      harness.equal({ [1] = { 10, 10, data = "two", properties = { [5] = "sword" } } },
        harness.tell(left_behind, "view", "known"))
      harness.stop(from, to, agent, there, left_behind)
    end,
  },
  {
    name = "its sights and pins stay behind, and those of others remain",
    run = function()
      local from, to = new_scene(harness.BY_HAND, "limit=1"), new_scene(harness.BY_HAND, "limit=1")
      for _, scene in ipairs { from, to } do
        harness.command(scene, "enter", 2, 200, 200)
        harness.command(scene, "enter", 3, 12, 10)
        harness.command(scene, "enter", 4, 14, 10)
        harness.command(scene, "enter", 5, 16, 10)
      end
      harness.command(from, "enter", 1, 10, 10)
      harness.command(from, "set_sight", 1, 2, true)
      harness.command(from, "set_sight", 1, 3, false)
      harness.command(from, "set_sight", 5, 1, false)
      harness.command(from, "pin", 1, 5)
      harness.command(from, "tick")
      local function told(scene)
        local list = harness.command(scene, "query", "told_markers_of", 1)
        table.sort(list)
        return list
      end
      harness.equal({ 4, 5 }, told(from))
      for _, way in ipairs { { from, to }, { to, from } } do
        harness.command(way[1], "transfer", 1, way[2], 10, 10)
        harness.command(way[1], "tick")
        harness.command(way[2], "tick")
        harness.equal({ {}, 0 }, { harness.command(way[2], "query", "sights", 1) })
        harness.equal({ 3 }, told(way[2]))
        harness.equal({ { 1, false }, 1 }, { harness.command(from, "query", "sights", 5) })
      end
      harness.stop(from, to)
    end,
  },
  {
    name = "its agent moves at the pace of the scene in which it is",
    run = function()
      local from, to, agent = new_scene(harness.BY_HAND), new_scene "tick=20", harness.agent()
      harness.tell(agent, "view", "join", from, 1, 10, 10)
      harness.command(from, "transfer", 1, to, 10, 10)
      harness.wait_until(2, "its agent is there", function()
        return harness.tell(agent, "view", "scene") == to
      end)
      for x = 11, 13 do
        harness.tell(agent, "view", "move", x, 10)
      end
      harness.wait_until(2, "its last place is there", function()
        return harness.command(to, "query", "position", 1) == 13
      end)
      harness.stop(from, to, agent)
    end,
  },
  {
    name = "an entity that is refused, or can't be asked for, stays",
    run = function()
      local from, to, gone = new_scene(harness.BY_HAND), new_scene(harness.BY_HAND), harness.agent()
      harness.command(from, "enter", 1, 10, 10)
      harness.command(to, "enter", 2, 10, 10)
      harness.command(from, "enter", 2, 10, 10)
      harness.kill(gone)
      harness.refused("transfer: enter: ", from, "transfer", 1, to, 1000, 10)
      harness.refused("transfer: enter: ", from, "transfer", 1, to, 10, 10, { colour = "red" })
      harness.refused("already in the space", from, "transfer", 2, to, 10, 10)
      harness.refused("entity 7 is unknown", from, "transfer", 7, to, 10, 10)
      harness.refused("entity 1 is unknown", from, "transfer", "1", to, 10, 10)
      harness.refused("the scene is nowhere", from, "transfer", 1, "nowhere", 10, 10)
      harness.refused("expected the address of another scene", from, "transfer", 1, from, 10, 10)
      harness.refused("opts is 5", from, "transfer", 1, to, 10, 10, nil, 5)
      harness.refused("does not answer", from, "transfer", 1, gone, 10, 10)
      harness.refused("arrive: the luggage is nil, expected what ", to, "arrive", 1, 10, 10)
      harness.refused("arrive: opts is 5", to, "arrive", 1, 10, 10, nil, 5, { opts = {} })
      harness.refused("table expected", to, "arrive", 1, 10, 10, nil, nil, { opts = {}, details = "red" })
      harness.refused("attempt to", to, "arrive", 1, 10, 10, nil, nil, { opts = {}, details = { [3] = 5 } })
      harness.equal({ 10, 10 }, { harness.command(from, "query", "position", 1) })
      harness.equal({ { 2 }, 1 }, { harness.command(to, "query", "ids") })
      harness.command(from, "set_property", 1, 1, ("x"):rep(9000))
      harness.refused("transfer: enter: the data of entity 1 is 9000 bytes long; data and properties would ",
        from, "transfer", 1, to, 10, 10, { data = ("d"):rep(9000) })
      harness.equal({ { 2 }, 1 }, { harness.command(to, "query", "ids") })
      harness.command(from, "transfer", 1, to, 10, 10)
      harness.equal({ { 2 }, 1 }, { harness.command(from, "query", "ids") })
      harness.stop(from, to)
    end,
  },
  {
    name = "on its way an entity can't be changed; one that leaves is in neither scene",
    run = function()
      harness.write_handlers [[
        local skynet = require "skynet"
        return function()
          return { on_enter = function() skynet.sleep(20) end }
        end
      ]]
      local from, to = new_scene(harness.BY_HAND), new_scene("tick=0", "handlers=handlers_of_test")
      harness.command(from, "enter", 1, 10, 10)
      harness.command(to, "enter", 2, 10, 10)
      local answer
      skynet.fork(function()
        answer = table.pack(skynet.call(from, "lua", "transfer", 1, to, 10, 10))
      end)
      harness.wait_until(2, "it is on its way", function() return harness.stats(to).entities == 2 end)
      harness.refused("is on its way to another scene", from, "set_property", 1, 1, 1)
      harness.refused("is on its way to another scene", from, "update", 1, 10, 10)
      harness.refused("is on its way already", from, "transfer", 1, to, 10, 10)
      harness.refused("is on its way to another scene", from, "enter", 1, 10, 10, { take_over = true })
      harness.command(from, "leave", 1)
      harness.refused("is on its way to another scene", from, "enter", 1, 10, 10)
      harness.wait_until(3, "it is answered", function() return answer end)
      harness.equal({ nil, "transfer: entity 1 has left on the way" }, { table.unpack(answer, 1, 2) })
      harness.wait_until(3, "it is nowhere", function()
        return not harness.command(to, "query", "has", 1)
      end)
      harness.command(from, "enter", 1, 10, 10)
      harness.stop(from, to)
    end,
  },
  {
    name = "one that leaves both scenes on its way is nowhere, and nothing is logged",
    run = function()
      harness.write_handlers [[
        local skynet = require "skynet"
        return function()
          return { on_enter = function() skynet.sleep(20) end }
        end
      ]]
      local from, to = new_scene(harness.BY_HAND), new_scene("tick=0", "handlers=handlers_of_test")
      harness.command(from, "enter", 4711, 10, 10)
      harness.command(to, "enter", 2, 10, 10)
      local answer
      skynet.fork(function()
        answer = table.pack(skynet.call(from, "lua", "transfer", 4711, to, 10, 10))
      end)
      harness.wait_until(3, "it has come", function() return harness.command(to, "query", "has", 4711) end)
      harness.command(from, "leave", 4711)
      skynet.fork(harness.command, to, "leave", 4711) -- is answered when the handler has ended
      harness.wait_until(3, "it is answered", function() return answer end)
      harness.equal({ nil, "transfer: entity 4711 has left on the way" }, { table.unpack(answer, 1, 2) })
      -- A question asked now is behind the second leave, and its answer behind that leave's events.
      harness.equal(false, harness.command(to, "query", "has", 4711))
      harness.equal(false, harness.command(from, "query", "has", 4711))
      skynet.error "the end of the transfer of 4711"
      harness.wait_until(3, "that is in the log", function()
        return harness.log_has "the end of the transfer of 4711"
      end)
      harness.is_true(not harness.log_has "id 4711 is not in the space", "a refusal is logged")
      harness.stop(from, to)
    end,
  },
  {
    name = "what comes into a scene with a store is stored before it is gone from the other",
    run = function()
      local folder = os.getenv "AOI_BUILD" .. "/store_of_transfer"
      assert(os.execute(("rm -rf %s; mkdir -p %s"):format(folder, folder)))
      local options = { "store=" .. folder, harness.BY_HAND }
      local from, to = new_scene(harness.BY_HAND), new_scene(table.unpack(options))
      harness.command(from, "enter", 1, 10, 10, { data = "one" })
      harness.command(from, "transfer", 1, to, 20, 20)
      harness.kill(to)
      to = new_scene(table.unpack(options))
      harness.equal({ 20, 20 }, { harness.command(to, "query", "position", 1) })
      -- A copy that has come back takes no room from the one that comes again.
      harness.command(from, "enter", 1, 10, 10, { data = "again" })
      harness.command(from, "transfer", 1, to, 30, 30)
      harness.equal({ 30, 30 }, { harness.command(to, "query", "position", 1) })
      harness.equal(1, harness.stats(to).addresses)
      harness.stop_at_once(to)
      harness.stop(from)
    end,
  },
}
