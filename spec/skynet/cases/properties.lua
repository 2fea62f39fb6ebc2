-- Data and properties: who learns what, when, and what it costs.
local skynet = require "skynet"
local beliefs = require "spec.skynet.beliefs"
local harness = require "spec.skynet.harness"
local Random = require "spec.support.random"

local function tick(scene, agent)
  harness.command(scene, "tick")
  return harness.tell(agent, "take")
end

local function enter(scene, id, x, data)
  harness.command(scene, "enter", id, x, 0, { mode = "m", address = false, data = data })
end

-- Many entities that do as chance has it, against what the agents believe. words: options of the scene.
-- calm: how many ticks it takes until all is told.
local function compare(seed, calm, rounds, ...)
  local random, agents, details = Random.new(seed), {}, {}
  local words = { "engine=crosslist", "radius=25", harness.BY_HAND, ... }
  local scene = harness.scene(table.unpack(words))
  local is_crowd = calm > 0
  for id = 1, 8 do
    agents[id] = harness.agent()
    harness.tell(agents[id], "view", "join", scene, id, random:integer(0, 60), 0)
    details[id] = { properties = {} }
  end
  local function place()
    return random:integer(0, 60), random:integer(0, 20)
  end
  local function come(id)
    local x, y = place()
    local data = random:pick { "a", "b", false } or nil
    local address = agents[id] or false
    harness.command(scene, "update", id, x, y, { address = address, data = data })
    details[id] = { data = data, properties = {} }
  end
  for round = 1, rounds do
    for _ = 1, random:integer(0, 25) do
      local id = random:integer(1, 24)
      if not details[id] then
        come(id)
      elseif random:chance(0.15) then
        harness.command(scene, "leave", id)
        details[id] = nil
        if id <= 8 or random:chance(0.5) then
          come(id)
        end
      elseif random:chance(0.6) then
        local key, value = random:integer(0, 3), random:pick { 1, 2.5, "x", ("y"):rep(300), false } or nil
        harness.command(scene, "set_property", id, key, value)
        details[id].properties[key] = value
      elseif random:chance(0.2) then
        local data = random:pick { "a", "c", "" }
        local x, y = harness.command(scene, "query", "position", id)
        harness.command(scene, "update", id, x, y, { data = data })
        details[id].data = data ~= "" and data or nil
      else
        harness.command(scene, "move", id, place())
      end
    end
    if round % 7 == 0 then
      harness.command(scene, "reload")
    elseif round % 11 == 0 then
      harness.command(scene, "load", harness.command(scene, "save"))
    elseif round % 13 == 0 then
      local old, saved = scene, harness.command(scene, "save")
      scene = harness.scene(table.unpack(words))
      harness.command(scene, "load", saved)
      harness.stop(old)
    end
    harness.command(scene, "tick")
    if not is_crowd then
      beliefs.check(scene, agents, "round " .. round, details)
    elseif round % 5 == 0 then
      for _ = 1, calm do
        harness.command(scene, "tick")
      end
      beliefs.check(scene, agents, "round " .. round, details, true)
    end
  end
  for _, agent in pairs(agents) do
    harness.stop(agent)
  end
  harness.stop(scene)
end

return {
  {
    name = "who comes to see an entity learns data and all properties, then what changes, once a tick",
    run = function()
      local scene, agent = harness.watched()
      enter(scene, 2, 5, "a knight")
      harness.command(scene, "set_property", 2, 1, 100)
      harness.command(scene, "set_property", 2, 200, "Ada")
      enter(scene, 3, 6)
      local events = tick(scene, agent).events
      table.sort(events, function(a, b) return a[2] < b[2] end)
      harness.equal({ { "entered", 2, 5, 0, "a knight", { [1] = 100, [200] = "Ada" } },
        { "entered", 3, 6, 0, nil, {} } }, events)
      for hp = 99, 90, -1 do
        harness.command(scene, "set_property", 2, 1, hp)
      end
      local heard = tick(scene, agent)
      harness.equal({ 1, { { "changed", 2, nil, { [1] = 90 } } } }, { heard.messages, heard.events })
      harness.command(scene, "set_property", 2, 1, 91)
      harness.command(scene, "set_property", 2, 1, 90)
      harness.command(scene, "set_property", 2, 200, nil)
      harness.command(scene, "set_property", 2, 3, 0.5)
      harness.command(scene, "update", 2, 5, 1, { data = "a king" })
      harness.equal({ { "moved", 2, 5, 1 }, { "changed", 2, "a king", { [3] = 0.5, [200] = false } } },
        tick(scene, agent).events)
      harness.command(scene, "update", 2, 5, 1, { data = "" })
      harness.equal({ { "changed", 2, "", {} } }, tick(scene, agent).events)
      harness.equal({ [2] = { 5, 1, properties = { 90, [3] = 0.5 } }, [3] = { 6, 0 } },
        harness.tell(agent, "known"))
      harness.equal(0, tick(scene, agent).messages)
      -- Out of view it changes unseen; who comes back learns all.
      harness.command(scene, "move", 2, 50, 0)
      tick(scene, agent)
      harness.command(scene, "set_property", 2, 1, 7)
      harness.equal(0, tick(scene, agent).messages)
      harness.command(scene, "move", 2, 5, 0)
      harness.equal({ { "entered", 2, 5, 0, nil, { 7, [3] = 0.5 } } }, tick(scene, agent).events)
      harness.tell(agent, "view", "set_property", 9, "mine")
      harness.tell(agent, "view", "update", 0, 0, { data = "me" })
      harness.equal(0, tick(scene, agent).messages) -- nobody is told about oneself
      harness.stop(scene, agent)
    end,
  },
  {
    name = "who left and came back within a tick with other data: the watchers learn that",
    run = function()
      for _, words in ipairs { { "tick=3600000" }, { "limit=5" } } do
        local scene, agent = harness.watched(table.unpack(words))
        enter(scene, 2, 5, "old")
        harness.command(scene, "set_property", 2, 1, 100)
        enter(scene, 3, 6)
        tick(scene, agent)
        for id = 2, 3 do
          harness.command(scene, "leave", id)
        end
        enter(scene, 2, 5, "new")
        harness.command(scene, "set_property", 2, 2, "x")
        enter(scene, 3, 6, "dressed")
        local changed = {}
        for _, event in ipairs(tick(scene, agent).events) do
          if event[1] == "changed" then
            changed[event[2]] = { event[3], event[4] }
          else
            harness.equal("moved", event[1])
          end
        end
        harness.equal({ [2] = { "new", { false, "x" } }, [3] = { "dressed", {} } }, changed)
        harness.stop(scene, agent)
      end
    end,
  },
  {
    name = "three dimensions, and no ticks",
    run = function()
      local scene, agent = harness.scene("engine=crosslist", "radius=10", "dims=3", "tick=0"), harness.agent()
      harness.tell(agent, "listen", "events")
      harness.tell(agent, "view", "join", scene, 1, 0, 0, 0, { data = "me" })
      harness.command(scene, "enter", 2, 1, 2, 3, { mode = "m", address = false, data = "d" })
      harness.command(scene, "set_property", 2, 5, "five")
      harness.command(scene, "update", 2, 1, 2, 4, { data = "e" })
      harness.equal({ { "entered", 2, 1, 2, 3, "d", {} }, { "changed", 2, nil, { [5] = "five" } },
        { "moved", 2, 1, 2, 4 }, { "changed", 2, "e", {} } }, harness.tell(agent, "take").events)
      harness.command(scene, "resync", 1)
      harness.equal({ [2] = { 1, 2, 4, data = "e", properties = { [5] = "five" } } },
        harness.tell(agent, "known"))
      harness.stop(scene, agent)
    end,
  },
  {
    name = "what can't be is refused with what is wrong, and changes nothing",
    run = function()
      local scene, agent = harness.watched()
      enter(scene, 2, 5)
      tick(scene, agent)
      harness.refused("entity 9 is unknown", scene, "set_property", 9, 1, 1)
      harness.refused("set_property: key is 256, expected 0 to 255", scene, "set_property", 2, 256, 1)
      harness.refused("set_property: the value of key 1 is a table, expected a string, a number or nil",
        scene, "set_property", 2, 1, {})
      harness.refused("enter: data is 5, expected a string", scene, "enter", 3, 0, 0, { data = 5 })
      harness.command(scene, "set_property", 2, 1, ("x"):rep(10000))
      harness.refused("would be 17011 bytes together (now data 0, properties 10004), expected at most 16384",
        scene, "set_property", 2, 2, ("x"):rep(7003))
      harness.refused("update: the data", scene, "update", 2, 6, 0, { data = ("x"):rep(7000) })
      harness.refused("enter: the data of entity 3 is 20000 bytes long", scene, "enter", 3, 0, 0,
        { data = ("x"):rep(20000) })
      harness.refused("say: what is said is 60000 bytes long, expected at most 59972", scene, "say", 2,
        ("x"):rep(60000))
      harness.equal({ { "changed", 2, nil, { ("x"):rep(10000) } } }, tick(scene, agent).events)
      harness.equal({ 5, 0 }, { harness.command(scene, "query", "position", 2) })
      harness.stop(scene, agent)
    end,
  },
  {
    name = "in a crowd a change waits for the entity's turn, and then all that is owed comes",
    run = function()
      local scene, agent = harness.watched("rates=2:1,huge:4", "limit=10")
      enter(scene, 2, 1)
      enter(scene, 3, 8)
      tick(scene, agent)
      local far = {}
      for turn = 1, 8 do
        harness.command(scene, "set_property", 2, 1, turn)
        harness.command(scene, "set_property", 3, turn % 3, turn)
        for _, event in ipairs(tick(scene, agent).events) do
          if event[1] == "changed" and event[2] == 2 then
            harness.equal({ [1] = turn }, event[4])
          elseif event[1] == "changed" then
            table.insert(far, { turn, event[4] })
          end
        end
      end
      harness.equal({ { 4, { [0] = 3, 4, 2 } }, { 8, { [0] = 6, 7, 8 } } }, far)
      harness.stop(scene, agent)
    end,
  },
  {
    name = "what agents believe is what is so, at every tick: moves, properties, reload, load",
    run = function()
      compare(1, 0, 40)
      compare(2, 0, 40, "places=float")
    end,
  },
  {
    name = "the same in crowds, when each had its turn",
    run = function()
      compare(3, 6, 40, "limit=6", "rates=10:1,20:2,huge:4")
      compare(4, 30, 30, "move_budget=2", "enter_budget=1")
    end,
  },
  {
    name = "300 agents that change each tick cost a third of the messages that saying it would",
    run = function()
      local scene, agents = harness.scene("engine=crosslist", "radius=50", harness.BY_HAND), {}
      local side = math.ceil(math.sqrt(300 * 1280))
      local random = Random.new(5)
      for id = 1, 300 do
        agents[id] = harness.agent()
        harness.command(agents[id], "call", scene, "enter", id, random:float(0, side), random:float(0, side))
      end
      harness.command(scene, "tick")
      local TICKS = 30
      local function measure(...)
        local before = harness.stats(scene)
        for turn = 1, TICKS do
          for id = 1, 300 do
            local words = { ... }
            words[#words + 1] = turn
            skynet.send(scene, "lua", words[1], id, table.unpack(words, 2))
          end
          harness.command(scene, "tick")
        end
        local after = harness.stats(scene)
        return (after.messages - before.messages) / TICKS, (after.cpu - before.cpu) / TICKS
      end
      local said, said_cpu = measure("say", "hp")
      local set, set_cpu = measure("set_property", 1)
      print(("       300 agents, a tick: say %.0f messages, %.1f ms; set %.0f messages, %.1f ms"):format(said,
        said_cpu, set, set_cpu))
      harness.is_true(set <= said / 3, "messages")
      harness.stop(scene, table.unpack(agents))
    end,
  },
}
