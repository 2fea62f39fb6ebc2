-- The own side of an agent's entity: pushes by others and late steps, what the agent is told of itself, and
-- what it believes of itself with its own calls.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

local HIT_POINTS, MOOD = 1, 2

-- A scene with one agent, whose entity is 7 at 0, 0 and has been told so.
local function with_agent(...)
  local scene, agent = harness.small_scene(...), harness.agent()
  harness.tell(agent, "listen", "own")
  harness.tell(agent, "view", "join", scene, 7, 0, 0, { data = "Ada" })
  harness.equal(nil, harness.tell(agent, "view", "me"))
  harness.command(scene, "tick")
  harness.equal({}, harness.tell(agent, "take").events)
  return scene, agent
end

local function me(agent)
  return harness.tell(agent, "view", "me")
end

local function place_of(scene, id)
  return { harness.command(scene, "query", "position", id) }
end

local function stop(scene, ...)
  harness.stop(scene, ...)
end

return {
  {
    name = "an agent is told with the tick that it was pushed; a step on its way does not undo that",
    run = function()
      local scene, agent = with_agent()
      local at = me(agent)
      harness.equal({ 0, 0, "Ada", {}, 0 }, { at[1], at[2], at.data, at.properties, at.pushes })
      harness.equal({ "wm", 10 }, { at.traits.mode, at.traits.radius })
      harness.command(scene, "move", 7, 50, 0)
      harness.tell(agent, "view", "move", 1, 0) -- chosen before it has heard of that
      harness.equal({ 1, 0 }, { table.unpack(me(agent), 1, 2) })
      harness.equal({ 50, 0 }, place_of(scene, 7))
      harness.command(scene, "tick")
      harness.equal({ { "me_moved", 50, 0 } }, harness.tell(agent, "take").events)
      harness.equal({ 50, 0, 1 }, { me(agent)[1], me(agent)[2], me(agent).pushes })
      harness.equal(1, harness.stats(scene).late_steps)
      harness.tell(agent, "view", "update", 51, 0)
      harness.equal({ 51, 0 }, place_of(scene, 7))
      harness.equal({ 51, 0 }, { table.unpack(me(agent), 1, 2) })
      stop(scene, agent)
    end,
  },
  {
    name = "steps of the address and of its giver are none; handlers and others push, also to the same point",
    run = function()
      harness.write_handlers [[
        return function(scene)
          return { commands = { throw = function(_, id, x, y) return scene.move(id, x, y) or true end } }
        end
      ]]
      local scene = harness.small_scene "handlers=handlers_of_test"
      local agent, gate = harness.agent(), harness.agent()
      harness.command(agent, "call", scene, "enter", 7, 0, 0, { address = gate })
      harness.command(scene, "tick")
      local function pushes()
        harness.command(scene, "tick")
        return harness.tell(gate, "view", "me", 7).pushes
      end
      harness.command(agent, "call", scene, "move", 7, 1, 0)
      harness.command(gate, "call", scene, "move", 7, 2, 0)
      harness.command(gate, "call", scene, "update", 7, 3, 0, { radius = 5 })
      harness.equal(0, pushes())
      harness.command(scene, "throw", 7, 4, 0)
      harness.equal(1, pushes())
      harness.command(scene, "move", 7, 4, 0)
      harness.command(scene, "update", 7, 4, 0)
      harness.equal(3, pushes())
      harness.equal(0, harness.stats(scene).late_steps)
      stop(scene, agent, gate)
    end,
  },
  {
    name = "a late move and the place of a late update are dropped, counted, and answered true, false",
    run = function()
      local scene, agent, stream = harness.small_scene(), harness.agent(), 0xFFFFFFFF
      harness.command(agent, "call", scene, "enter", 7, 0, 0, { stream = stream })
      harness.command(scene, "move", 7, 5, 5)
      local function asked(...)
        return { harness.command(agent, "call", scene, ...) }
      end
      harness.equal({ true, false }, asked("move", 7, 1, 1, { stream = stream, pushes = 0 }))
      harness.equal({ true, false }, asked("move", 7, 1, 1, { stream = 0, pushes = 1 }))
      harness.equal({ true, false }, asked("update", 7, 1, 1, { stream = stream, pushes = 0, radius = 3 }))
      harness.equal({ { 5, 5 }, 3, 3 },
        { place_of(scene, 7), harness.command(scene, "query", "radius", 7), harness.stats(scene).late_steps })
      harness.equal({ true }, asked("move", 7, 1, 1, { stream = stream, pushes = 1 }))
      harness.equal({ true, false }, asked("update", 7, 2, 2, { stream = stream, pushes = 1 }))
      harness.equal({ { 2, 2 }, 3 }, { place_of(scene, 7), harness.stats(scene).late_steps })
      harness.refused("move: pushes is -1", scene, "move", 7, 1, 1, { stream = stream, pushes = -1 })
      harness.refused("move: option push is unknown (did you mean pushes?)", scene, "move", 7, 1, 1,
        { push = 1 })
      harness.refused("move: what it carries is 3", scene, "move", 7, 1, 1, nil, 3)
      harness.refused("pushes is for an update", scene, "update", 7, 1, 1, { pushes = 1, address = false })
      harness.refused("pushes is for an update", scene, "enter", 8, 1, 1, { pushes = 1 })
      harness.refused("a step with pushes enters nobody", scene, "update", 8, 1, 1, { pushes = 1 })
      harness.refused("is not in the space", scene, "move", 8, 1, 1, { stream = stream, pushes = 1 })
      -- A move that the space refuses is no push.
      harness.refused("expected a finite", scene, "move", 7, 0 / 0, 1)
      harness.command(scene, "tick")
      harness.equal(1, harness.tell(agent, "view", "me", 7).pushes)
      stop(scene, agent)
    end,
  },
  {
    name = "a place that waits is thrown away by a push; one chosen before it, and named so, is too late",
    run = function()
      local scene, agent = harness.scene("engine=crosslist", "radius=10", "tick=500"), harness.agent()
      harness.tell(agent, "listen", "own")
      harness.tell(agent, "view", "join", scene, 7, 0, 0)
      harness.await_ticks(scene, 1)
      harness.tell(agent, "view", "move", 1, 0)
      harness.tell(agent, "view", "move", 2, 0) -- waits
      harness.command(scene, "move", 7, 90, 0)
      harness.command(scene, "tick")
      harness.equal({ { "me_moved", 90, 0 } }, harness.tell(agent, "take").events)
      skynet.sleep(70)
      harness.equal({ { 90, 0 }, 0 }, { place_of(scene, 7), harness.stats(scene).late_steps })
      harness.tell(agent, "view", "move", 3, 0, { pushes = 0 })
      harness.equal({ { 90, 0 }, 1 }, { place_of(scene, 7), harness.stats(scene).late_steps })
      harness.equal({ 90, 0 }, { table.unpack(me(agent), 1, 2) })
      skynet.sleep(60)
      harness.tell(agent, "view", "move", 3, 0, { pushes = 1 })
      harness.equal({ 3, 0 }, place_of(scene, 7))
      stop(scene, agent)
    end,
  },
  {
    name = "what others change of it is told with its value at the tick; its own calls stay on top",
    run = function()
      local scene, agent = with_agent()
      harness.command(scene, "set_property", 7, HIT_POINTS, 90)
      harness.command(scene, "set_property", 7, HIT_POINTS, 80)
      harness.command(scene, "set_property", 7, MOOD, "sad")
      harness.command(scene, "set_property", 7, MOOD)
      harness.command(scene, "set_radius", 7, 12)
      harness.command(scene, "update", 7, 0, 0, { data = "", layers = 3 })
      harness.tell(agent, "view", "set_property", 3, "mine")
      harness.equal("mine", me(agent).properties[3])
      harness.command(scene, "tick")
      local events = harness.tell(agent, "take").events
      local changed = { data = false, properties = { [HIT_POINTS] = 80 },
        traits = { radius = 12, layers = 3 } }
      harness.equal({ { "me_moved", 0, 0 }, { "me_changed", changed } }, events)
      harness.equal({ { [HIT_POINTS] = 80, [3] = "mine" }, nil, 12 },
        { me(agent).properties, me(agent).data, me(agent).traits.radius })
      -- A value of its own that is on its way stays above what was told before it came.
      harness.command(scene, "set_property", 7, HIT_POINTS, 50)
      harness.tell(agent, "tick_and_set", scene, HIT_POINTS, 95)
      harness.command(scene, "stats")
      harness.equal(95, me(agent).properties[HIT_POINTS])
      harness.command(scene, "resync", 7)
      harness.command(scene, "tick")
      harness.equal(95, me(agent).properties[HIT_POINTS])
      harness.tell(agent, "view", "set_property", HIT_POINTS, 96)
      harness.command(scene, "set_property", 7, HIT_POINTS, 40)
      harness.command(scene, "tick")
      harness.equal(40, me(agent).properties[HIT_POINTS])
      harness.command(scene, "set_property", 7, HIT_POINTS)
      harness.tell(agent, "take")
      harness.command(scene, "tick")
      changed = { properties = { [HIT_POINTS] = false }, traits = {} }
      harness.equal({ { "me_changed", changed } }, harness.tell(agent, "take").events)
      stop(scene, agent)
    end,
  },
  {
    name = "set_traits changes what an entity is, and not where; its agent hears of what others changed",
    run = function()
      local scene, agent = with_agent()
      harness.tell(agent, "view", "set_traits", { radius = 12, data = "Bob" })
      harness.equal({ 12, "Bob", 0 }, { me(agent).traits.radius, me(agent).data, me(agent).pushes })
      harness.equal({ true }, { harness.command(scene, "set_traits", 7, { layers = 3, importance = nil }) })
      harness.command(scene, "tick")
      harness.equal({ { "me_changed", { properties = {}, traits = { layers = 3 } } } },
        harness.tell(agent, "take").events)
      harness.equal({ 12, 3, "Bob", 0 }, { me(agent).traits.radius, me(agent).traits.layers, me(agent).data,
        me(agent).pushes })
      harness.equal({ true, false },
        { harness.command(scene, "set_traits", 7, { radius = 1 }, { stream = 1 }) })
      harness.equal({ { 0, 0 }, 12 }, { place_of(scene, 7), harness.command(scene, "query", "radius", 7) })
      harness.refused("set_traits: entity 8 is unknown", scene, "set_traits", 8, {})
      harness.refused("set_traits: opts is nil", scene, "set_traits", 7)
      harness.refused("set_traits: option stream is none", scene, "set_traits", 7, { stream = 5 })
      harness.refused("set_traits: option anchor is none", scene, "set_traits", 7, { anchor = { 0, 0 } })
      harness.refused("set_traits: option radios", scene, "set_traits", 7, { radios = 5 })
      harness.refused("set_traits: ", scene, "set_traits", 7, { radius = -1, layers = 7 })
      harness.is_true(not pcall(harness.tell, agent, "view", "set_traits", { radius = -1 }), "that radius")
      harness.is_true(not pcall(harness.tell, agent, "view", "set_traits", 5), "no table")
      harness.command(scene, "tick") -- the resync
      harness.equal({ 12, 3 }, { me(agent).traits.radius, me(agent).traits.layers })
      -- Another address, where it stands.
      local gate = harness.agent()
      harness.command(scene, "set_traits", 7, { address = gate })
      harness.command(scene, "tick")
      harness.equal({ { "gone", scene, "removed" } }, harness.tell(agent, "take").events)
      local now = harness.tell(gate, "view", "me", 7)
      harness.equal({ 0, 0, 0 }, { now[1], now[2], now.pushes })
      stop(scene, agent, gate)
    end,
  },
  {
    name = "extras that set_traits sets are a step of its own side, and a push of others",
    run = function()
      local scene, agent = with_agent "extras=1"
      harness.tell(agent, "view", "set_traits", { extras = { 0.5 } })
      harness.equal({ { 0.5 }, 0 }, { me(agent).extras, me(agent).pushes })
      harness.command(scene, "set_traits", 7, { extras = { 2 } })
      -- Too late, but for the radius.
      harness.tell(agent, "view", "set_traits", { extras = { 0.25 }, radius = 12 })
      harness.command(scene, "tick")
      harness.equal({ 0, 0, { 2 }, 1, 12 },
        { me(agent)[1], me(agent)[2], me(agent).extras, me(agent).pushes, me(agent).traits.radius })
      harness.equal({ { "me_moved", 0, 0 } }, harness.tell(agent, "take").events)
      harness.tell(agent, "view", "set_traits", { extras = { 0.75 } })
      harness.command(scene, "resync", 7)
      harness.command(scene, "tick")
      harness.equal({ { 0.75 }, 1, 1 },
        { me(agent).extras, me(agent).pushes, harness.stats(scene).late_steps })
      stop(scene, agent)
    end,
  },
  {
    name = "update_area adds or changes, and says which, for handlers too",
    run = function()
      harness.write_handlers [[
        return function(scene)
          return { commands = { zone = function(_, radius)
            return scene.update_area(1, { x = 0, y = 0, radius = radius })
          end } }
        end
      ]]
      local scene = harness.small_scene "handlers=handlers_of_test"
      harness.command(scene, "enter", 7, 3, 0, { address = false })
      harness.equal({ true, true }, { harness.command(scene, "zone", 5) })
      harness.equal({ true, false }, { harness.command(scene, "update_area", 1, { radius = 2 }) })
      harness.equal({ {}, 0 }, { harness.command(scene, "query", "members_of", 1) })
      harness.refused("update_area: ", scene, "update_area", 2, { radius = 2 })
      stop(scene)
    end,
  },
  {
    name = "who takes over finds the entity as it is; the former agent hears of the end; also at once",
    run = function()
      for _, tick in ipairs { harness.BY_HAND, "tick=0" } do
        local scene = harness.scene("engine=crosslist", "radius=10", tick)
        local first, second, gate = harness.agent(), harness.agent(), harness.agent()
        harness.tell(first, "listen", "own")
        harness.tell(second, "listen", "own")
        local function tick_by_hand()
          return tick == harness.BY_HAND and harness.command(scene, "tick")
        end
        harness.equal({}, { harness.tell(first, "view", "join", scene, 7, 3, 4, { take_over = true }) })
        harness.tell(first, "view", "set_property", HIT_POINTS, 90)
        tick_by_hand()
        harness.refused("already in the space", scene, "enter", 7, 0, 0)
        harness.equal({ 3, 4 }, { harness.tell(second, "view", "join", scene, 7, 50, 50,
          { take_over = true, data = "Bob", radius = 12 }) })
        tick_by_hand()
        harness.equal({ { "gone", scene, "removed" } }, harness.tell(first, "take").events)
        local now = me(second)
        harness.equal({ 3, 4, "Bob", { [HIT_POINTS] = 90 }, 12, 0 },
          { now[1], now[2], now.data, now.properties, now.traits.radius, now.pushes })
        harness.equal({ { 3, 4 }, 0 }, { place_of(scene, 7), harness.stats(scene).late_steps })
        -- That service again, for another client; and a gate that is given the view.
        for _ = 1, 2 do
          harness.equal({ true, harness.stats(scene).tick_length, 3, 4 },
            { harness.command(gate, "call", scene, "enter", 7, 0, 0, { take_over = true }) })
        end
        tick_by_hand()
        local events = harness.tell(second, "take").events
        harness.equal({ "gone", scene, "removed" }, events[#events])
        harness.equal(0, harness.tell(gate, "view", "me", 7).pushes)
        harness.refused("take_over is yes", scene, "enter", 7, 0, 0, { take_over = "yes" })
        harness.refused("take_over is true", scene, "update", 7, 0, 0, { take_over = true })
        stop(scene, first, second, gate)
      end
    end,
  },
  {
    name = "a stream that is not later is refused with the last one, and the client asks once more",
    run = function()
      local scene = harness.small_scene()
      local function enter(id, stream, opts)
        opts = opts or {}
        opts.stream = stream
        return skynet.call(scene, "lua", "enter", id, 0, 0, opts)
      end
      harness.equal(true, (enter(7, 5)))
      harness.command(scene, "leave", 7)
      local words = "enter: stream is %d, expected a later one than 5, the last of entity 7"
      harness.equal({ nil, words:format(5), 5 }, { enter(7, 5) })
      harness.equal({ nil, words:format(4), 5 }, { enter(7, 4) })
      harness.equal(true, (enter(7, 6)))
      harness.equal({ nil, "update: stream is 6, expected a later one than 6, the last of entity 7", 6 },
        { skynet.call(scene, "lua", "update", 7, 0, 0, { stream = 6 }) })
      harness.equal(true, (skynet.call(scene, "lua", "update", 7, 0, 0, { stream = 7 })))
      -- An entry that was refused has begun no stream.
      harness.equal(nil, (enter(8, 9, { radius = -1 })))
      harness.equal(true, (enter(8, 9)))
      -- Agents that come within ten milliseconds draw the same number.
      local agents = {}
      for i = 1, 20 do
        agents[i] = harness.agent()
      end
      for _, agent in ipairs(agents) do
        harness.tell(agent, "view", "join", scene, 9, 1, 1, { take_over = true })
      end
      harness.command(scene, "tick")
      harness.equal({ 1, 1 }, { table.unpack(me(agents[20]), 1, 2) })
      for i = 1, 19 do
        harness.equal(nil, (harness.tell(agents[i], "view", "scene")))
      end
      stop(scene, table.unpack(agents))
    end,
  },
  {
    name = "what an agent sends that was replaced is dropped and counted, its leave as well",
    run = function()
      local scene, first = with_agent()
      local second = harness.agent()
      harness.tell(second, "view", "join", scene, 7, 0, 0, { take_over = true })
      harness.tell(first, "view", "set_property", HIT_POINTS, 1)
      harness.tell(first, "view", "say", "it is me")
      harness.tell(first, "view", "resync")
      harness.tell(first, "view", "move", 50, 50)
      harness.tell(first, "view", "leave")
      local stats = harness.stats(scene)
      harness.equal({ 4, 1, 0, true }, { stats.late_commands, stats.late_steps, stats.said,
        harness.command(scene, "query", "has", 7) })
      harness.command(scene, "tick")
      harness.equal({ 0, 0, {} }, { me(second)[1], me(second)[2], me(second).properties })
      harness.equal({ true, false }, { harness.command(scene, "leave", 7, { stream = 1 }) })
      harness.refused("leave: stream is x", scene, "leave", 7, { stream = "x" })
      harness.refused("leave: option why is unknown", scene, "leave", 7, { why = 1 })
      harness.tell(second, "view", "leave")
      harness.equal(false, harness.command(scene, "query", "has", 7))
      stop(scene, first, second)
    end,
  },
  {
    name = "who goes to a scene that tells at once leaves the one before",
    run = function()
      local from, agent = with_agent()
      local to = harness.scene("engine=crosslist", "radius=10", "tick=0")
      harness.tell(agent, "view", "go", to, 1, 2)
      harness.equal({ 1, 2 }, { me(agent)[1], me(agent)[2] })
      harness.equal({ false, 0 }, { harness.command(from, "query", "has", 7),
        harness.stats(from).late_commands })
      stop(from, to, agent)
    end,
  },
  {
    name = "an agent leaves a scene that was loaded before it could know of the new stream",
    run = function()
      local scene, agent = with_agent()
      local saved = harness.command(scene, "save")
      harness.command(scene, "load", saved)
      harness.tell(agent, "view", "move", 9, 9) -- chosen before it was loaded
      harness.equal({ { 0, 0 }, 1 }, { place_of(scene, 7), harness.stats(scene).late_steps })
      harness.tell(agent, "view", "leave")
      harness.equal({ false, 0 }, { harness.command(scene, "query", "has", 7),
        harness.stats(scene).late_commands })
      stop(scene, agent)
    end,
  },
  {
    name = "no limit, budget or rate holds back what an agent hears of itself; without ticks it is at once",
    run = function()
      local kinds = { { harness.BY_HAND, "limit=0", "move_budget=1" },
        { harness.BY_HAND, "rates=0:1,huge:huge", "limit=3", "enter_budget=1" }, { "tick=0" } }
      for _, words in ipairs(kinds) do
        local scene = harness.scene("engine=crosslist", "radius=10", table.unpack(words))
        local agent = harness.agent()
        harness.tell(agent, "listen", "own")
        harness.tell(agent, "view", "join", scene, 7, 0, 0)
        for id = 20, 40 do
          harness.command(scene, "enter", id, id / 10, 0, { address = false })
        end
        local function tick()
          return words[1] == harness.BY_HAND and harness.command(scene, "tick")
        end
        tick()
        harness.tell(agent, "take")
        for step = 1, 4 do
          for id = 20, 40 do
            harness.command(scene, "move", id, id / 10, step)
          end
          harness.command(scene, "move", 7, step, 0)
          tick()
          harness.equal({ { "me_moved", step, 0 } }, harness.tell(agent, "take").events)
          harness.command(scene, "set_property", 7, HIT_POINTS, step)
          tick()
          harness.equal({ { "me_changed", { properties = { [HIT_POINTS] = step }, traits = {} } } },
            harness.tell(agent, "take").events)
        end
        stop(scene, agent)
      end
    end,
  },
  {
    name = "a list of all has all that an agent is to know of itself: after load, a transfer and a store",
    run = function()
      local folder = os.getenv "AOI_BUILD" .. "/own_store"
      assert(os.execute(("rm -rf %s; mkdir -p %s"):format(folder, folder)))
      local scene = harness.small_scene("extras=1", "store=" .. folder)
      local other, agent = harness.small_scene "extras=1", harness.agent()
      local function own(x, pushes)
        local at = me(agent)
        harness.equal({ x, 0, { 0.5 }, "Ada", { [HIT_POINTS] = 80 }, 12, 3, pushes },
          { at[1], at[2], at.extras, at.data, at.properties, at.traits.radius, at.traits.layers, at.pushes })
      end
      harness.tell(agent, "view", "join", scene, 7, 0, 0, { data = "Ada", extras = { 0.5 } })
      harness.command(scene, "set_property", 7, HIT_POINTS, 80)
      harness.command(scene, "set_traits", 7, { radius = 12, layers = 3 })
      harness.command(scene, "tick")
      own(0, 0)
      local saved = harness.command(scene, "save")
      harness.command(scene, "update", 7, 9, 0, { radius = 1, layers = 1, data = "", extras = { 7 } })
      harness.command(scene, "set_property", 7, HIT_POINTS)
      harness.command(scene, "tick")
      harness.equal({ 9, 1, {} }, { me(agent)[1], me(agent).traits.radius, me(agent).properties })
      harness.command(scene, "load", saved)
      harness.command(scene, "tick")
      own(0, 0)
      harness.command(scene, "transfer", 7, other, 5, 0)
      harness.wait_until(2, "its agent is there", function()
        return harness.tell(agent, "view", "scene") == other
      end)
      harness.command(other, "tick")
      own(5, 0)
      harness.command(other, "transfer", 7, scene, 6, 0)
      harness.wait_until(2, "its agent is back", function()
        return harness.tell(agent, "view", "scene") == scene
      end)
      harness.command(scene, "tick")
      harness.command(scene, "store")
      harness.kill(scene)
      harness.stop(agent)
      scene, agent = harness.small_scene("extras=1", "store=" .. folder), harness.agent()
      harness.tell(agent, "view", "join", scene, 7, 1, 1, { take_over = true })
      harness.command(scene, "tick")
      own(6, 0)
      stop(scene, other, agent)
    end,
  },
}
