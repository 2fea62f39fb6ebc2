-- A scene's memory counts against its service's own limit; the debug console shows it.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

local aoi = require "aoi"
local Page = require "spec.skynet.page"
local crowd = require "spec.skynet.crowd"

local LIMIT = 8000000

return {
  {
    name = "a full scene refuses, and goes on",
    run = function()
      local scene = harness.scene("engine=crosslist", "radius=1", "tick=0", "memory_limit=" .. LIMIT)
      local agent = harness.agent()
      harness.command(agent, "call", scene, "enter", 0, 0, 0)
      local ok, message, id = true, nil, 0
      while ok and id < 200000 do
        id = id + 1
        ok, message = skynet.call(scene, "lua", "enter", id, 10 * id, 0, { address = false })
      end
      harness.equal("not enough memory", message)
      local stats = harness.stats(scene)
      harness.is_true(stats.bytes > LIMIT / 10 and stats.bytes + stats.lua_bytes <= LIMIT,
        ("%d bytes of space, %d of Lua"):format(stats.bytes, stats.lua_bytes))
      harness.equal(id, stats.entities)
      for other = 1, id - 1 do
        harness.command(scene, "leave", other)
      end
      harness.command(scene, "enter", 1, 1, 0)
      harness.equal({ 1, 1, 0 }, harness.tell(agent, "take").views[1].entered)
      harness.stop(scene, agent)
    end,
  },
  {
    name = "a full scene that is recorded and followed gets room again, and both go on",
    run = function()
      local path = os.getenv "AOI_BUILD" .. "/full.aoi"
      os.remove(path)
      local scene = harness.scene("engine=crosslist", "radius=1", "tick=20", "memory_limit=" .. LIMIT,
        "record_to=" .. path)
      local viewer = skynet.newservice("viewer", scene)
      local page = Page.open(harness.command(viewer, "address"))
      harness.wait_until(3, "the page has a keyframe", function() return page:keyframes() == 1 end)
      -- A tick needs memory for all that has changed since the last: on a busy machine too much would.
      local function let_it_tick(count)
        if count % 500 == 0 then
          harness.await_ticks(scene, 1)
        end
      end
      local id, ok, message = 0, true, nil
      while ok and id < 200000 do
        id = id + 1
        ok, message = skynet.call(scene, "lua", "enter", id, 10 * id, 0, { address = false })
        let_it_tick(id)
      end
      harness.equal("not enough memory", message)
      harness.is_true(id > 10000, ("only %d entities fit"):format(id))
      for other = 1, id - 100 do
        harness.wait_until(3, ("%d of %d can leave"):format(other, id), function()
          return (skynet.call(scene, "lua", "leave", other))
        end)
        let_it_tick(other)
      end
      local function is_equal(what, load)
        harness.command(scene, "update", id, 0, 0, { address = false })
        harness.wait_until(10, what .. " has all", function()
          local space = load()
          local same = space and space:has(id) and #space == harness.stats(scene).entities
          if same then
            crowd.expect_equal(scene, space)
          end
          if space then
            space:close()
          end
          return same
        end)
      end
      is_equal("the page", function() return page:space() end)
      is_equal("the file", function() return (aoi.recover(path)) end)
      harness.stop(viewer, scene)
    end,
  },
  {
    name = "the debug console's info shows the scene's stats, bytes included",
    run = function()
      local scene = harness.scene("engine=grid", "width=300", "height=300", "radius=20", harness.BY_HAND)
      local function info()
        return skynet.call(scene, "debug", "INFO") -- what the console's command does
      end
      local before = info()
      for id = 1, 1000 do
        harness.command(scene, "enter", id, id % 300, id % 300, { address = false })
      end
      local after = info()
      harness.equal({ 0, 1000 }, { before.entities, after.entities })
      harness.is_true(after.bytes > before.bytes + 1000 * 20, "bytes do not follow")
      harness.stop(scene)
    end,
  },
}
