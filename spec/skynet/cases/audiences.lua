-- Audiences of properties: who learns what, by layers, steps, crowds, reload and transfer, and that no byte
-- of a hidden property is in a packet of somebody else.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"
local Random = require "spec.support.random"

local HP, PLAN, NAME = 1, 2, 3
local MODULE = [[return function(scene) return { properties = { %s } } end]]
local ALL = "[1] = { to = 'me' }, [2] = { layers = 4 }"

local function new_scene(properties, ...)
  harness.write_handlers(MODULE:format(properties))
  return harness.scene("engine=crosslist", "radius=10", "handlers=handlers_of_test", ...)
end

local function new_agent(scene, id, layers)
  local agent = harness.agent()
  harness.tell(agent, "listen", "events")
  harness.tell(agent, "view", "join", scene, id, 0, 0, { layers = layers })
  return agent
end

local function enter(scene, id, x)
  harness.command(scene, "enter", id, x, 0, { mode = "m", address = false })
end

local function set(scene, id, values)
  for key, value in pairs(values) do
    harness.command(scene, "set_property", id, key, value)
  end
end

-- The events of agents about entity 2 and above, after a tick.
local function tick(scene, ...)
  local all = {}
  harness.command(scene, "tick")
  for i, agent in ipairs { ... } do
    all[i] = {}
    for _, event in ipairs(harness.tell(agent, "take").events) do
      if event[2] > 10 and event[1] ~= "moved" then
        table.insert(all[i], event)
      end
    end
  end
  return table.unpack(all)
end

return {
  {
    name = "a property is told to those alone who may know it, the own agent among them",
    run = function()
      for _, words in ipairs { {}, { "limit=10" } } do
        local scene = new_scene(ALL, harness.BY_HAND, table.unpack(words))
        local plain, spy = new_agent(scene, 1, 1), new_agent(scene, 2, 4)
        enter(scene, 11, 5)
        set(scene, 11, { [HP] = 100, [PLAN] = "attack" })
        local seen, by_spy = tick(scene, plain, spy)
        harness.equal({ { "entered", 11, 5, 0, nil, {} } }, seen)
        harness.equal({ { "entered", 11, 5, 0, nil, { [PLAN] = "attack" } } }, by_spy)
        set(scene, 11, { [HP] = 90 })
        seen, by_spy = tick(scene, plain, spy)
        harness.equal({ {}, {} }, { seen, by_spy })
        harness.equal(0, harness.tell(plain, "take").messages)
        set(scene, 11, { [PLAN] = "flee", [NAME] = "Ada" })
        seen, by_spy = tick(scene, plain, spy)
        harness.equal({ { "changed", 11, nil, { [NAME] = "Ada" } } }, seen)
        harness.equal({ { "changed", 11, nil, { [PLAN] = "flee", [NAME] = "Ada" } } }, by_spy)
        harness.command(scene, "set_property", 11, PLAN, nil)
        harness.command(scene, "set_property", 11, HP, nil)
        seen, by_spy = tick(scene, plain, spy)
        harness.equal({ {}, { { "changed", 11, nil, { [PLAN] = false } } } }, { seen, by_spy })
        set(scene, 11, { [PLAN] = "hide" })
        harness.command(scene, "set_property", 11, PLAN, nil)
        harness.tell(spy, "take")
        seen, by_spy = tick(scene, plain, spy)
        harness.equal({ {}, {} }, { seen, by_spy })
        harness.equal(0, harness.tell(spy, "take").messages)
        set(scene, 1, { [HP] = 7 })
        set(scene, 2, { [PLAN] = "mine" })
        harness.command(scene, "tick")
        harness.equal({ HP = 7 }, { HP = harness.tell(plain, "view", "me").properties[HP] })
        harness.equal({}, harness.tell(plain, "known")[2].properties or {})
        harness.equal({}, harness.tell(spy, "known")[1].properties or {})
        harness.stop(scene, plain, spy)
      end
    end,
  },
  {
    name = "other layers of the watcher, and another module, are told with the tick for all that is known",
    run = function()
      for _, words in ipairs { {}, { "rates=2:1,huge:4" } } do
        local scene = new_scene(ALL, harness.BY_HAND, table.unpack(words))
        local agent = new_agent(scene, 1, 1)
        enter(scene, 11, 5)
        enter(scene, 12, 8)
        set(scene, 11, { [HP] = 100, [PLAN] = "attack" })
        set(scene, 12, { [PLAN] = "wait" })
        tick(scene, agent)
        harness.command(scene, "set_layers", 1, 5)
        local events = tick(scene, agent)
        table.sort(events, function(a, b) return a[2] < b[2] end)
        harness.equal({ { "changed", 11, nil, { [PLAN] = "attack" } },
          { "changed", 12, nil, { [PLAN] = "wait" } } }, events)
        harness.command(scene, "update", 1, 0, 0, { layers = 1 })
        events = tick(scene, agent)
        table.sort(events, function(a, b) return a[2] < b[2] end)
        harness.equal({ { "changed", 11, nil, { [PLAN] = false } },
          { "changed", 12, nil, { [PLAN] = false } } }, events)
        harness.command(scene, "set_layers", 1, 3)
        harness.equal({}, tick(scene, agent))
        harness.write_handlers(MODULE:format "[2] = { to = 'me' }")
        harness.command(scene, "reload")
        harness.equal({ { "changed", 11, nil, { [HP] = 100 } } }, tick(scene, agent))
        harness.command(scene, "reload", false)
        harness.equal(2, #tick(scene, agent))
        harness.stop(scene, agent)
      end
    end,
  },
  {
    name = "without ticks",
    run = function()
      local scene = new_scene(ALL, "tick=0")
      local agent = new_agent(scene, 1, 1)
      enter(scene, 11, 5)
      set(scene, 11, { [HP] = 100, [PLAN] = "attack", [NAME] = "Ada" })
      harness.command(scene, "update", 1, 1, 0, { layers = 4 })
      harness.equal({ { "entered", 11, 5, 0, nil, {} }, { "changed", 11, nil, { [NAME] = "Ada" } },
        { "changed", 11, nil, { [PLAN] = "attack" } } }, harness.tell(agent, "take").events)
      harness.command(scene, "set_layers", 1, 1)
      harness.equal({ { "changed", 11, nil, { [PLAN] = false } } }, harness.tell(agent, "take").events)
      harness.stop(scene, agent)
    end,
  },
  {
    name = "wrong words keep a module from being loaded",
    run = function()
      local scene = new_scene(ALL, harness.BY_HAND)
      for words, wrong in pairs {
        ["key 1 has layers 0"] = "[1] = { layers = 0 }",
        ["key 1 has to and layers"] = "[1] = { to = 'me', layers = 1 }",
        ["key 1 has the word who"] = "[1] = { who = 1 }", ["a key is 300"] = "[300] = { to = 'me' }",
      } do
        harness.write_handlers(MODULE:format(wrong))
        harness.refused(words, scene, "reload")
        harness.is_true(not pcall(harness.scene, "engine=crosslist", "radius=1", "handlers=handlers_of_test"),
          "it is taken: " .. wrong)
      end
      harness.stop(scene)
    end,
  },
  {
    name = "a scene whose module does not name a key refuses an entity that has it",
    run = function()
      local scene = new_scene(ALL, harness.BY_HAND)
      local other = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      enter(scene, 11, 5)
      set(scene, 11, { [NAME] = "Ada", [PLAN] = "flee" })
      harness.refused("property 2 has an audience where it comes from", scene, "transfer", 11, other, 0, 0)
      harness.equal(true, harness.command(scene, "query", "has", 11))
      harness.equal(false, harness.command(other, "query", "has", 11))
      harness.command(other, "reload", "handlers_of_test")
      harness.command(scene, "transfer", 11, other, 0, 0)
      harness.stop(scene, other)
    end,
  },
  {
    name = "no byte of a hidden property is in a packet of somebody else, whatever happens",
    run = function()
      for seed, words in ipairs { {}, { "limit=4" }, { "rates=5:1,huge:3" } } do
        local random, scene = Random.new(seed), new_scene(ALL, harness.BY_HAND, table.unpack(words))
        local agents, layers = {}, {}
        for id = 1, 6 do
          agents[id], layers[id] = harness.agent(), id % 2 == 0 and 4 or 1
          harness.tell(agents[id], "listen", "packets")
          harness.tell(agents[id], "view", "join", scene, id, random:integer(0, 20), 0,
            { layers = layers[id] })
        end
        for id = 11, 20 do
          enter(scene, id, random:integer(0, 20))
        end
        for round = 1, 40 do
          for _ = 1, random:integer(0, 12) do
            local id = random:pick { random:integer(1, 6), random:integer(11, 20) }
            if random:chance(0.5) then
              harness.command(scene, "set_property", id, random:pick { HP, PLAN, NAME }, nil)
            elseif random:chance(0.3) and agents[id] then
              layers[id] = 5 - layers[id]
              harness.command(scene, "set_layers", id, layers[id])
            else
              harness.command(scene, "move", id, random:integer(0, 20), 0)
            end
          end
          for id = 1, 20 do
            if agents[id] or id > 10 then
              harness.command(scene, "set_property", id, HP, ("hidden %d %d;"):format(id, round))
              harness.command(scene, "set_property", id, PLAN,
                random:chance(0.8) and ("plan %d;"):format(round) or nil)
            end
          end
          harness.command(scene, "tick")
          for id, agent in pairs(agents) do
            for _, text in ipairs(harness.tell(agent, "take").packets) do
              for of in text:gmatch "hidden (%d+) %d+;" do
                harness.equal(tostring(id), of, "whose hit points are told")
              end
              if layers[id] == 1 then
                -- Once: its own.
                local _, count = text:gsub("plan %d+;", "")
                harness.is_true(count <= 1, "a plan is told to one that may not know it")
              end
            end
          end
        end
        harness.stop(scene)
        for _, agent in pairs(agents) do
          harness.stop(agent)
        end
      end
      skynet.sleep(1)
    end,
  },
}
