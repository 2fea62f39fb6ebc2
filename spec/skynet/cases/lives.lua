-- The life of entities, as handlers hear of it: joined, ended and taken_over, and what they may ask.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

local folder -- of the store; each case has one of its own

local function new_scene(...)
  return harness.scene("engine=grid", "width=300", "height=300", "radius=20",
    "handlers=handlers_of_test", ...)
end

-- A module that notes each call of these hooks; more: its further lines.
local function noting(more)
  harness.write_handlers(([[
    NOTES = NOTES or {}
    local function note(...)
      NOTES[#NOTES + 1] = { ... }
    end
    return function(scene)
      return {
        start = function() note "start" end,
        joined = function(id, how) note("joined", id, how) end,
        ended = function(id, why, last) note("ended", id, why, last) end,
        taken_over = function(id) note("taken_over", id, scene.address(id)) end,
        commands = {
          notes = function() local notes = NOTES NOTES = {} return notes end,
          ask = function(_, name, ...) return { scene[name](...) } end,
          act = function(_, name, ...) scene[name](...) return true end,
        },
        %s
      }
    end
  ]]):format(more or ""))
end

local function notes(scene)
  return harness.command(scene, "notes")
end

-- Waits until the scene has noted something.
local function wait_for_notes(scene)
  local list = {}
  harness.wait_until(5, "something happens", function()
    local more = notes(scene)
    table.move(more, 1, #more, #list + 1, list)
    return #list > 0
  end)
  return list
end

-- A scene that has ended may be writing into its store still: no two cases share a folder.
local function new_store(name)
  folder = ("%s/store_%s"):format(os.getenv "AOI_BUILD", name)
  assert(os.execute(("rm -rf %s && mkdir -p %s"):format(folder, folder)))
end

local function store_scene(...)
  return new_scene(harness.BY_HAND, "store=" .. folder, ...)
end

return {
  {
    name = "lives: extras are in what handlers ask for, and in what an entity was",
    run = function()
      noting()
      local scene = new_scene(harness.BY_HAND, "extras=2")
      harness.command(scene, "enter", 1, 10, 20, { extras = { 1.5, -2 } })
      harness.command(scene, "move", 1, 11, 20, 3, 0.5)
      harness.equal({ 3, 0.5 }, harness.command(scene, "ask", "extras", 1))
      harness.equal({}, harness.command(scene, "ask", "extras", 2))
      harness.command(scene, "leave", 1)
      harness.equal({ { "start" }, { "joined", 1, "new" },
        { "ended", 1, "left", { 11, 20, properties = {}, extras = { 3, 0.5 } } } }, notes(scene))
      harness.stop(scene)
    end,
  },
  {
    name = "lives: new, back, left, removed, dead; monsters too",
    run = function()
      noting()
      local scene, agent, other = new_scene(harness.BY_HAND), harness.agent(), harness.agent()
      harness.equal({ { "start" } }, notes(scene))
      harness.command(agent, "call", scene, "enter", 1, 10, 20, { data = "one" })
      harness.command(agent, "call", scene, "set_property", 1, 5, "sword")
      harness.equal({ { "joined", 1, "new" } }, notes(scene))
      harness.command(agent, "call", scene, "move", 1, 11, 21)
      harness.command(agent, "call", scene, "leave", 1)
      harness.equal({ { "ended", 1, "left", { 11, 21, data = "one", properties = { [5] = "sword" } } } },
        notes(scene))
      harness.command(agent, "call", scene, "update", 1, 10, 10)
      harness.equal({ { "joined", 1, "back" } }, notes(scene))
      harness.command(scene, "tick")
      harness.command(agent, "call", scene, "leave", 1)
      harness.command(scene, "tick")
      harness.command(scene, "enter", 1, 10, 10, { address = agent }) -- we have given it that address
      harness.command(scene, "leave", 1)
      harness.equal({ { "ended", 1, "left", { 10, 10, properties = {} } }, { "joined", 1, "new" },
        { "ended", 1, "left", { 10, 10, properties = {} } } }, notes(scene))
      harness.command(agent, "call", scene, "enter", 1, 10, 10)
      harness.command(other, "call", scene, "leave", 1)
      harness.command(scene, "act", "enter", -1, 30, 30)
      harness.command(scene, "act", "leave", -1)
      harness.command(scene, "act", "enter", -1, 30, 30)
      harness.refused("already in the space", scene, "enter", -1, 30, 30)
      harness.refused("outside", scene, "enter", 7, 1000, 30)
      harness.refused("7", scene, "leave", 7)
      harness.equal({ { "joined", 1, "back" }, { "ended", 1, "removed", { 10, 10, properties = {} } },
        { "joined", -1, "new" }, { "ended", -1, "removed", { 30, 30, properties = {} } },
        { "joined", -1, "back" } }, notes(scene))
      harness.command(agent, "call", scene, "enter", 2, 10, 10)
      harness.kill(agent)
      harness.equal({ "joined", 2, "new" }, notes(scene)[1])
      harness.command(scene, "enter", 3, 10, 10)
      harness.command(scene, "tick")
      harness.equal({ { "ended", 2, "dead", { 10, 10, properties = {} } } }, (function()
        local list = wait_for_notes(scene)
        return { list[#list] }
      end)())
      harness.stop(scene, other)
    end,
  },
  {
    name = "lives: without ticks nobody is back; a deaf address is refused",
    run = function()
      noting()
      local scene = harness.scene("engine=crosslist", "radius=10", "dims=3", "tick=0",
        "handlers=handlers_of_test")
      local agent = harness.agent()
      local deaf = skynet.localname ".launcher"
      harness.command(agent, "call", scene, "enter", 1, 10, 20, 30)
      harness.command(agent, "call", scene, "leave", 1)
      harness.command(agent, "call", scene, "enter", 1, 10, 20, 30)
      harness.equal({ { "start" }, { "joined", 1, "new" },
        { "ended", 1, "left", { 10, 20, 30, properties = {} } }, { "joined", 1, "new" } }, notes(scene))
      harness.command(scene, "enter", 2, 10, 20, 30, { address = deaf })
      local heard = notes(scene)
      while #heard < 2 do
        table.move(wait_for_notes(scene), 1, 1, #heard + 1, heard)
      end
      harness.equal({ { "joined", 2, "new" }, { "ended", 2, "refused", { 10, 20, 30, properties = {} } } },
        heard)
      harness.stop(scene, agent)
    end,
  },
  {
    name = "lives: hooks run after the fact and before the answer; one that waits or raises holds up nothing",
    run = function()
      noting [[
        joined = function(id)
          scene.set_property(id, 1, scene.query("has", id) and "inside" or "outside")
          if id == 1 then
            require "skynet".sleep(50)
            note("waited", id)
          end
          error "it fails"
        end,
      ]]
      local scene, agent = new_scene(harness.BY_HAND), harness.agent()
      local began = skynet.now()
      harness.command(scene, "enter", 1, 10, 10)
      harness.command(scene, "enter", 2, 10, 10)
      harness.is_true(skynet.now() - began < 30, "it waits for a hook")
      harness.equal({ { "inside" }, { "inside" } }, { harness.command(scene, "ask", "property", 1, 1),
        harness.command(scene, "ask", "property", 2, 1) })
      harness.equal({ { "start" } }, notes(scene))
      harness.equal({ { "waited", 1 } }, wait_for_notes(scene))
      harness.becomes(2, "errors are counted", function() return harness.stats(scene).handler_errors end)
      harness.is_true(harness.log_has "the hook joined failed", "an error is logged")
      harness.stop(scene, agent)
    end,
  },
  {
    name = "lives: joined and taken_over come before the end of a dead address is noticed",
    run = function()
      noting [[
        joined = function(id, how) note("joined", id, how, scene.query("has", id)) end,
        taken_over = function(id) note("taken_over", id, scene.address(id)) end,
      ]]
      local scene, agent = new_scene(harness.BY_HAND), harness.agent()
      harness.stop_at_once(agent)
      harness.command(scene, "enter", 1, 10, 10, { address = agent })
      harness.command(scene, "enter", 2, 10, 10, { address = false })
      harness.command(scene, "update", 2, 10, 10, { address = agent })
      local heard = notes(scene)
      while #heard < 6 do
        local more = wait_for_notes(scene)
        table.move(more, 1, #more, #heard + 1, heard)
      end
      local last = { 10, 10, properties = {} }
      harness.equal({ { "start" }, { "joined", 1, "new", true }, { "ended", 1, "dead", last },
        { "joined", 2, "new", true }, { "taken_over", 2, agent }, { "ended", 2, "dead", last } }, heard)
      harness.stop(scene)
    end,
  },
  {
    name = "lives: a handler that ends one in a tick leaves each address one message",
    run = function()
      noting [[
        on_enter = function(watcher, marker)
          if watcher == 3 and marker == 9 and scene.query("has", 9) then
            scene.leave(9)
          end
        end,
      ]]
      local scene, agent = new_scene(harness.BY_HAND), harness.agent()
      for id = 1, 5 do
        harness.command(agent, "call", scene, "enter", id, id < 4 and 10 + id or 100, 10)
      end
      harness.command(scene, "tick")
      harness.command(scene, "set_property", 4, 1, 1) -- which is told at the end of the tick
      harness.tell(agent, "take")
      notes(scene)
      harness.command(scene, "enter", 9, 12, 10, { address = false })
      harness.command(scene, "tick")
      harness.equal({ { "joined", 9, "new" }, { "ended", 9, "removed", { 12, 10, properties = {} } } },
        notes(scene))
      harness.equal(1, harness.tell(agent, "take").messages)
      harness.stop(scene, agent)
    end,
  },
  {
    name = "lives: from a store all are restored, then taken over, replaced or orphans",
    run = function()
      new_store "of_lives"
      noting()
      local scene, agent = store_scene(), harness.agent()
      for _, id in ipairs { 3, 1, 2 } do
        harness.command(scene, "enter", id, 10 * id, 10, { address = agent })
      end
      harness.command(scene, "enter", -1, 50, 50, { address = false })
      harness.command(scene, "tick")
      harness.command(scene, "enter", 5, 10, 10, { address = agent }) -- not stored: it did not happen
      harness.kill(scene)
      scene = store_scene "orphan=1000"
      harness.equal({ { "joined", -1, "restored" }, { "joined", 1, "restored" }, { "joined", 2, "restored" },
        { "joined", 3, "restored" }, { "start" } }, notes(scene))
      harness.command(agent, "call", scene, "enter", 1, 99, 99)
      local from = harness.scene("engine=grid", "width=300", "height=300", "radius=20")
      harness.command(from, "enter", 2, 10, 10)
      harness.command(from, "transfer", 2, scene, 70, 70)
      harness.equal({ { "taken_over", 1, agent }, { "ended", 2, "replaced", { 20, 10, properties = {} } },
        { "joined", 2, "transferred" } }, notes(scene))
      harness.equal({ { "ended", 3, "orphan", { 30, 10, properties = {} } } }, wait_for_notes(scene))
      -- Another agent takes over, with an address in opts.
      local other = harness.agent()
      harness.command(scene, "update", 1, 10, 10, { address = other })
      harness.command(scene, "update", 1, 10, 10, { address = other }) -- the same: nobody takes over
      harness.command(scene, "update", 1, 10, 10, { address = false })
      harness.equal({ { "taken_over", 1, other } }, notes(scene))
      harness.stop(scene, from, agent, other)
    end,
  },
  {
    name = "lives: one that comes anew is back in place of its copy",
    run = function()
      new_store "of_copies"
      noting()
      local scene, agent = store_scene(), harness.agent()
      harness.command(scene, "enter", 1, 10, 10, { address = agent, data = "old" })
      harness.command(scene, "tick")
      harness.kill(scene)
      scene = store_scene()
      notes(scene)
      harness.command(agent, "call", scene, "enter", 1, 20, 20, { anew = true })
      harness.equal({ { "ended", 1, "replaced", { 10, 10, data = "old", properties = {} } },
        { "joined", 1, "back" } }, notes(scene))
      harness.stop(scene, agent)
    end,
  },
  {
    name = "lives: a transfer ends here and joins there; a load replaces and restores; a reload does nothing",
    run = function()
      noting()
      local from, to, agent = new_scene(harness.BY_HAND), new_scene(harness.BY_HAND), harness.agent()
      harness.command(agent, "call", from, "enter", 1, 10, 20, { data = "one" })
      harness.command(agent, "call", from, "enter", 2, 10, 10)
      harness.command(from, "transfer", 1, to, 30, 30)
      harness.equal({ { { "start" }, { "joined", 1, "new" }, { "joined", 2, "new" },
        { "ended", 1, "transferred", { 10, 20, data = "one", properties = {} } } },
        { { "start" }, { "joined", 1, "transferred" } } }, { notes(from), notes(to) })
      harness.command(from, "reload")
      harness.equal({ { "start" } }, notes(from))
      local saved = harness.command(from, "save")
      harness.command(to, "act", "enter", -5, 40, 40)
      notes(to)
      harness.command(to, "load", saved)
      harness.equal({ { "ended", -5, "replaced", { 40, 40, properties = {} } },
        { "ended", 1, "replaced", { 30, 30, data = "one", properties = {} } },
        { "joined", 2, "restored" }, { "start" } }, notes(to))
      harness.command(to, "leave", 2)
      harness.command(to, "enter", 1, 10, 10)
      harness.equal({ { "ended", 2, "removed", { 10, 10, properties = {} } }, { "joined", 1, "new" } },
        notes(to))
      harness.refused("load: this is no string of save", to, "load", "x")
      harness.equal({}, notes(to))
      harness.stop(from, to, agent)
    end,
  },
  {
    name = "lives: joined gives back what a leave within a tick costs; readers say what there is",
    run = function()
      harness.write_handlers [[
        local TEAM, SAFE = 7, 100
        return function(scene)
          local function dress(id)
            if id > 0 then
              scene.set_property(id, TEAM, "red")
              scene.add_area(SAFE + id, { owner = id, radius = 5 })
            end
          end
          return {
            joined = function(id, how)
              if how == "new" or how == "back" then
                dress(id)
              end
            end,
            commands = {
              ask = function(_, name, ...) return { scene[name](...) } end,
            },
          }
        end
      ]]
      local scene, agent = new_scene(harness.BY_HAND), harness.agent()
      harness.command(agent, "call", scene, "enter", 1, 10, 10, { data = "Ada" })
      harness.command(agent, "call", scene, "enter", 2, 12, 10)
      harness.command(scene, "tick")
      harness.command(agent, "call", scene, "leave", 1)
      harness.command(agent, "call", scene, "enter", 1, 10, 10)
      harness.equal({ { "red" }, {}, { agent }, {}, {} }, {
        harness.command(scene, "ask", "property", 1, 7), harness.command(scene, "ask", "data", 1),
        harness.command(scene, "ask", "address", 1), harness.command(scene, "ask", "property", 1, 8),
        harness.command(scene, "ask", "property", 99, 7) })
      harness.equal({ 101 }, (harness.command(scene, "query", "areas_of", 2)))
      harness.command(scene, "tick")
      harness.equal({ [1] = { 10, 10, properties = { [7] = "red" } } }, harness.tell(agent, "known", 2))
      harness.command(scene, "update", 2, 10, 10, { data = "Bob", address = false })
      harness.command(scene, "set_property", 2, 3, 0)
      harness.command(scene, "set_property", 2, 4, 2.5)
      harness.equal({ { "Bob" }, {}, { 0 }, { 2.5 }, {}, {} }, {
        harness.command(scene, "ask", "data", 2), harness.command(scene, "ask", "address", 2),
        harness.command(scene, "ask", "property", 2, 3), harness.command(scene, "ask", "property", 2, 4.0),
        harness.command(scene, "ask", "property", 2, 256),
        harness.command(scene, "ask", "property", "2", 3) })
      harness.stop(scene, agent)
    end,
  },
}
