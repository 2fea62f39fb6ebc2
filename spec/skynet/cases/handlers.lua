-- A module of handlers: what it gets, its hooks and commands, its own data, and being replaced.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

local FOLDER = os.getenv "AOI_BUILD" -- a folder to write into

local function new_scene(...)
  return harness.scene("engine=grid", "width=300", "height=300", "radius=20", ...)
end

-- A module that notes in a global table of its service when its hooks are called; `name` is in each note.
-- more: its further lines, in the table that it returns.
local function noting(name, more)
  harness.write_handlers(([[
    NOTES = NOTES or {}
    local name, value = %q, nil
    local function note(...)
      NOTES[#NOTES + 1] = table.concat({ name, ... }, " ")
    end
    return function(scene)
      return {
        start = function() note("start", #scene.space) end,
        stop = function() note("stop", #scene.space) end,
        save = function() note "save" return name end,
        load = function(saved) note("load", saved, #scene.space) value = saved end,
        commands = {
          notes = function() local notes = NOTES NOTES = {} return notes end,
          value = function() return value end,
        },
        %s
      }
    end
  ]]):format(name, more or ""))
end

return {
  {
    name = "a module has entities of its own; what its tick does is told with that tick",
    run = function()
      harness.write_handlers [[
        return function(scene)
          local monster, x = -1, 10
          assert(scene.space, "there is no space")
          return {
            start = function()
              scene.enter(monster, x, 10, { mode = "m" })
              assert(scene.query("has", monster))
            end,
            tick = function()
              x = x + 1
              scene.move(monster, x, 10)
              if x == 12 then
                scene.say(monster, "boo")
                assert(scene.update(-2, 12, 12, { radius = 5 }))
              elseif x == 13 then
                scene.leave(-2)
              elseif x == 14 then
                scene.move(-2, 10, 10)
              elseif x == 15 then
                scene.move(monster, "far", 10)
              end
            end,
          }
        end
      ]]
      local scene = new_scene(harness.BY_HAND, "handlers=handlers_of_test")
      local agent = harness.agent()
      harness.tell(agent, "listen", "events")
      harness.command(agent, "call", scene, "enter", 1, 5, 10)
      local expected = {
        { { "entered", -1, 11, 10, nil, {} } },
        { { "entered", -2, 12, 12, nil, {} }, { "moved", -1, 12, 10 }, { "said", -1, "boo" } },
        { { "left", -2 }, { "moved", -1, 13, 10 } },
        { { "moved", -1, 14, 10 } },
        { { "moved", -1, 15, 10 } },
      }
      for tick, events in ipairs(expected) do
        harness.command(scene, "tick")
        local heard = harness.tell(agent, "take").events
        table.sort(heard, function(a, b) return a[1] < b[1] end)
        harness.equal(events, heard, "tick " .. tick)
      end
      harness.equal({ 2, 1 }, { harness.stats(scene).handler_errors, harness.stats(scene).addresses })
      harness.is_true(harness.log_has "handlers_of_test.lua:20: move: x is ", "what the space says and where")
      harness.is_true(harness.log_has "id -2 is not in the space", "an unknown entity is not in the log")
      harness.stop(scene, agent)
    end,
  },
  {
    name = "a module has commands of its own, beside those of every scene",
    run = function()
      harness.write_handlers [[
        local skynet = require "skynet"
        return function(scene)
          return {
            commands = {
              add = function(source, a, b) return source, a + b, nil, "last" end,
              hit = function(_, id) return nil, "hit: there is no " .. id end,
              wait = function() skynet.sleep(5) return "waited" end,
              fail = function() error "it fails" end,
              enter_twice = function(_, id)
                scene.enter(id, 1, 1)
                scene.enter(id, 1, 1) -- line 11
              end,
            },
          }
        end
      ]]
      local scene, agent = new_scene(harness.BY_HAND, "handlers=handlers_of_test"), harness.agent()
      harness.equal({ skynet.self(), 5, nil, "last" }, { skynet.call(scene, "lua", "add", 2, 3) })
      harness.refused("hit: there is no 7", scene, "hit", 7)
      harness.equal("waited", harness.command(scene, "wait"))
      harness.refused("handlers_of_test.lua:8: it fails", scene, "fail")
      harness.refused("handlers_of_test.lua:11: enter: id 5 is already in", scene, "enter_twice", 5)
      harness.is_true(harness.log_has "the command fail failed" and harness.log_has "in function <",
        "no traceback")
      harness.equal(2, harness.stats(scene).handler_errors)
      harness.tell(agent, "send", scene, "hit", 8)
      harness.stats(scene)
      local refused = harness.tell(agent, "take").refused
      harness.equal({ 1, "hit", "hit: there is no 8", 8 },
        { #refused, refused[1].command, refused[1].message, refused[1].id })
      harness.equal(4, harness.stats(scene).refused)
      local known = "a handler (on_...) nor start, tick, stop, save, load, logged, pack, unpack, joined, "
        .. "ended, lost, taken_over, commands or properties"
      local wrong = {
        ["command move is one of every scene"] = "commands = { move = print }",
        ["command greet is a table, expected a function"] = "commands = { greet = {} }",
        ["the name of a command is 1, expected a string"] = "commands = { print }",
        ["commands is 17, expected a table"] = "commands = 17",
        ["hook tick is 5, expected a function"] = "tick = 5",
        ["on_tick is neither " .. known .. " (did you mean tick?)"] = "on_tick = print",
        ["command is neither " .. known .. " (did you mean commands?)"] = "command = {}",
        ["begin is neither a handler (on_...) nor start"] = "begin = print",
        ["handed is neither " .. known .. " (did you mean pack?)"] = "handed = print",
        ["taken_over, commands or properties (did you mean unpack?)"] = "taken = print",
        ["on_enter is 17"] = "on_enter = 17",
        ["on_dance"] = "on_dance = print",
      }
      for words, text in pairs(wrong) do
        harness.write_handlers(("return function() return { %s } end"):format(text))
        harness.refused(words, scene, "reload")
      end
      harness.write_handlers "return {}"
      harness.refused("what the file returns is a table, expected a function", scene, "reload")
      harness.write_handlers "return function() end"
      harness.refused("what its function returns is nil, expected a table", scene, "reload")
      harness.refused("the module is 17, expected its name", scene, "reload", 17)
      harness.equal(skynet.self(), harness.command(scene, "add", 2, 3))
      harness.command(scene, "reload", false)
      harness.refused("add is no command", scene, "add", 2, 3)
      harness.stop(scene, agent)
    end,
  },
  {
    name = "reload: the old one saves, the new one loads, the old one stops, the new one starts",
    run = function()
      noting "first"
      local scene = new_scene(harness.BY_HAND, "handlers=handlers_of_test")
      harness.command(scene, "enter", 1, 10, 10)
      harness.equal({ "first start 0" }, harness.command(scene, "notes"))
      noting "second"
      harness.command(scene, "reload")
      harness.equal({ "first save", "second load first 1", "first stop 1", "second start 1" },
        harness.command(scene, "notes"))
      harness.equal("first", harness.command(scene, "value"))
      noting("third", "load = function() error 'no third' end,")
      harness.refused("reload: the hook load failed", scene, "reload")
      harness.equal({ "second save" }, harness.command(scene, "notes"))
      noting("fourth", "save = function() error 'no data' end, stop = function() error 'no stop' end,")
      harness.command(scene, "reload")
      harness.command(scene, "notes")
      noting "fifth"
      harness.refused("reload: the hook save failed", scene, "reload")
      harness.equal({ {} }, { harness.command(scene, "notes") })
      harness.refused("save: ", scene, "save")
      harness.stop(scene)
    end,
  },
  {
    name = "a hook start or stop that raises does not keep the next module out",
    run = function()
      noting("first", "save = nil, stop = function() error 'no stop' end,")
      local scene = new_scene(harness.BY_HAND, "handlers=handlers_of_test")
      noting("second", "start = function() error 'no start' end,")
      harness.refused("reload: it is done, but the hook start failed", scene, "reload")
      harness.is_true(harness.log_has "the hook stop failed", "it is not logged")
      harness.equal({ "first start 0" }, harness.command(scene, "notes"))
      harness.equal({ nil }, { harness.command(scene, "value") }, "what it loaded, as nothing was saved")
      noting "third"
      harness.command(scene, "reload")
      harness.equal({ "second save", "third load second 0", "second stop 0", "third start 0" },
        harness.command(scene, "notes"))
      harness.stop(scene)
      noting("fourth", "start = function() error 'no start' end,")
      harness.is_true(not pcall(new_scene, harness.BY_HAND, "handlers=handlers_of_test"),
        "a scene starts though its module does not")
      harness.is_true(not pcall(new_scene, harness.BY_HAND, "handlers=of_nobody"), "it starts without")
      harness.is_true(harness.log_has "handlers: there is no module of_nobody on lua_path", "not logged")
    end,
  },
  {
    name = "own data is saved with the scene and comes into the scene that loads it",
    run = function()
      noting "first"
      local scene = new_scene(harness.BY_HAND, "handlers=handlers_of_test")
      harness.command(scene, "enter", 1, 10, 10, { address = false })
      local saved = harness.command(scene, "save")
      harness.stop(scene)
      noting "second"
      local other = new_scene(harness.BY_HAND, "handlers=handlers_of_test")
      harness.command(other, "notes")
      harness.command(other, "load", saved)
      harness.equal({ "second load first 0", "second stop 0", "second start 1" },
        harness.command(other, "notes"))
      harness.equal("first", harness.command(other, "value"))
      noting("third", "load = function() error 'no third' end,")
      harness.command(other, "leave", 1)
      harness.refused("load: the hook load failed", other, "load", saved)
      harness.equal(false, harness.command(other, "query", "has", 1))
      noting("third", "save = function() return print end,")
      harness.command(other, "reload")
      harness.refused("save: ", other, "save")
      harness.stop(other)
    end,
  },
  {
    name = "a tick that waits holds up neither what is told nor the next tick; it is not called twice",
    run = function()
      harness.write_handlers [[
        local skynet = require "skynet"
        return function(scene)
          local n = 0
          return {
            tick = function()
              n = n + 1
              skynet.sleep(20)
              scene.update(2, 10 + n, 10)
            end,
            commands = { calls = function() return n end },
          }
        end
      ]]
      local scene, agent = new_scene(harness.BY_HAND, "handlers=handlers_of_test"), harness.agent()
      harness.command(agent, "call", scene, "enter", 1, 10, 10)
      harness.command(scene, "enter", 3, 12, 10, { address = false })
      harness.command(scene, "tick")
      harness.equal({ 3, 12, 10 }, harness.tell(agent, "take").views[1].entered)
      harness.command(scene, "tick")
      harness.equal(1, harness.command(scene, "calls"))
      harness.wait_until(2, "it goes on", function() return harness.command(scene, "query", "has", 2) end)
      harness.command(scene, "tick")
      harness.equal({ 2, 11, 10 }, harness.tell(agent, "take").views[1].entered)
      harness.equal(2, harness.command(scene, "calls"))
      harness.stop(scene, agent)
    end,
  },
  {
    name = "a service that ends stops its module; what the module started does not outlive a reload",
    run = function()
      local path = FOLDER .. "/stopped"
      os.remove(path)
      local text = [[
        local skynet = require "skynet"
        return function(scene)
          local running = true
          local function walk(x)
            if running then
              scene.update(7, x, %d)
              skynet.timeout(1, function() walk(x %% 100 + 1) end)
            end
          end
          return {
            start = function() walk(1) end,
            stop = function()
              running = false
              io.open(%q, "w"):close()
            end,
          }
        end
      ]]
      harness.write_handlers(text:format(10, path))
      local scene = new_scene("tick=20", "handlers=handlers_of_test")
      harness.write_handlers(text:format(20, path))
      harness.command(scene, "reload")
      harness.is_true(os.remove(path), "reload does not stop")
      for _ = 1, 5 do
        skynet.sleep(2)
        local _, y = harness.command(scene, "query", "position", 7)
        harness.equal(20, y, "who moves it")
      end
      harness.stop(scene)
      harness.wait_until(2, "it is stopped", function() return os.remove(path) end)
    end,
  },
}
