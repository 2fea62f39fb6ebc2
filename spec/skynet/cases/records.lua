-- The recording that a scene writes, and coming back from it.
local skynet = require "skynet"
local aoi = require "aoi"
local crowd = require "spec.skynet.crowd"
local files = require "spec.support.files"
local harness = require "spec.skynet.harness"
local Random = require "spec.support.random"

local FOLDER = os.getenv "AOI_BUILD" -- a folder to write into

local function path_of(name)
  local path = ("%s/%s.aoi"):format(FOLDER, name)
  os.remove(path)
  return path
end

local function scene_with(...)
  return harness.scene("engine=grid", "width=300", "height=300", "radius=40", ...)
end

-- The space that a recording ends with.
local function recovered(path)
  local space, problem = aoi.recover(path)
  harness.equal("no problem", problem or "no problem")
  return space
end

local function calls_of(path)
  local space = recovered(path)
  local calls = space:stats().calls
  space:close()
  return calls
end

-- Compares all that a scene without a clock of its own and the end of its recording say.
local function expect_equal(scene, path)
  local space = recovered(path)
  harness.equal(harness.stats(scene).calls, space:stats().calls, "calls")
  local entities = crowd.expect_equal(scene, space)
  space:close()
  return entities
end

local function is_closed(path)
  return files.read(path):sub(-8) == "AOIINDEX"
end

return {
  {
    name = "a scene is recorded from its start to its end, however it ends",
    run = function()
      for _, how in ipairs { harness.stop, harness.kill } do
        for _, tick in ipairs { harness.BY_HAND, "tick=0" } do
          local path, random = path_of "scene", Random.new(1)
          local scene = scene_with(tick, "record_to=" .. path)
          for _ = 1, 5 do
            crowd.stir(scene, random, 50)
            harness.command(scene, "tick")
            local calls = harness.stats(scene).calls
            harness.wait_until(1, "all is written", function() -- without ticks: ten times a second
              return calls_of(path) == calls
            end)
            harness.is_true(expect_equal(scene, path) > 10, "too few entities")
          end
          harness.is_true(not is_closed(path), "it is closed")
          local saved = harness.command(scene, "save")
          how(scene)
          harness.wait_until(2, "the recording is closed", function() return is_closed(path) end)
          scene = scene_with(tick)
          harness.command(scene, "load", saved)
          local player = aoi.player(path)
          player:seek(player:last())
          harness.equal(harness.command(scene, "query", "ids"), (player.space:ids()))
          player:close()
          harness.stop(scene)
        end
      end
    end,
  },
  {
    name = "a scene comes back from its recording and goes on with it",
    run = function()
      local path, copy, random = path_of "scene", path_of "copy", Random.new(2)
      local scene = scene_with(harness.BY_HAND, "record_to=" .. path, "recover=true") -- nothing there: begins
      crowd.stir(scene, random, 200)
      harness.command(scene, "tick")
      files.write(copy, files.read(path)) -- as it is when a process dies
      local again = scene_with(harness.BY_HAND, "record_to=" .. copy, "recover=true")
      expect_equal(again, path)
      -- It hears what its entities see, once it says that they are its own.
      local agent = harness.agent()
      local id = harness.command(again, "query", "ids")[1]
      local seen = harness.command(again, "query", "markers_of", id)
      local x, y = harness.command(again, "query", "position", id)
      harness.command(again, "update", id, x, y, { address = agent })
      harness.command(again, "tick")
      local heard = harness.tell(agent, "take").views
      harness.is_true(#seen > 0 and #heard > 0 and #heard[1].entered == 3 * #seen,
        "what it saw before is not told")
      crowd.stir(again, random, 200)
      harness.command(again, "tick")
      expect_equal(again, copy)
      harness.stop(again)
      harness.wait_until(2, "the recording is closed", function() return is_closed(copy) end)
      again = scene_with(harness.BY_HAND, "record_to=" .. copy, "recover=true") -- one that was closed
      expect_equal(again, copy)
      harness.stop(scene, again, agent)
    end,
  },
  {
    name = "what can't be recorded, or come back, keeps a scene from starting",
    run = function()
      local path, random = path_of "scene", Random.new(3)
      local function bad(words, ...)
        local ok = pcall(scene_with, ...)
        harness.is_true(not ok, "started with " .. table.concat({ ... }, " "))
        harness.wait_until(2, words .. " is in the log", function()
          return files.read(os.getenv "AOI_LOG"):find(words, 1, true)
        end)
      end
      bad("No such file", harness.BY_HAND, "record_to=" .. FOLDER .. "/no/such/folder")
      bad("No space left", harness.BY_HAND, "record_to=/dev/full")
      bad("only with the option record", harness.BY_HAND, "recover=true")
      bad("recover is maybe", harness.BY_HAND, "record_to=" .. path, "recover=maybe")
      local scene = scene_with(harness.BY_HAND, "record_to=" .. path)
      crowd.stir(scene, random, 50)
      harness.command(scene, "tick")
      harness.stop(scene)
      harness.wait_until(2, "the recording is closed", function() return is_closed(path) end)
      local bytes = files.read(path)
      bad("or the option recover=true", harness.BY_HAND, "record_to=" .. path)
      bad("is with ticks", "tick=0", "record_to=" .. path, "recover=true")
      bad("has 2 dimensions", harness.BY_HAND, "dims=3", "record_to=" .. path, "recover=true")
      harness.equal(bytes, files.read(path), "the recording that was there")
      files.write(path, "this is no recording")
      bad("is no recording", harness.BY_HAND, "record_to=" .. path, "recover=true")
      harness.equal("this is no recording", files.read(path))
    end,
  },
  {
    name = "a recording is begun and ended by a command, and ends when the scene is loaded",
    run = function()
      local first, second, random = path_of "first", path_of "second", Random.new(4)
      local scene, other = scene_with(harness.BY_HAND), scene_with(harness.BY_HAND)
      crowd.stir(scene, random, 50)
      harness.refused("record_to: the path is 17", scene, "record_to", 17)
      harness.refused("record_to: the path is nil", scene, "record_to")
      harness.refused("No space left", scene, "record_to", "/dev/full")
      harness.equal(0, harness.stats(scene).recorded)
      harness.command(scene, "record_to", first)
      crowd.stir(scene, random, 50)
      harness.refused("exists", scene, "record_to", first)
      harness.is_true(is_closed(first), "a recording goes on though another was asked for")
      harness.command(scene, "record_to", second)
      crowd.stir(scene, random, 50)
      harness.command(scene, "record_to", false)
      harness.is_true(is_closed(second), "the recording was not ended")
      expect_equal(scene, second)
      os.remove(first)
      harness.command(scene, "record_to", first)
      crowd.stir(scene, random, 50)
      local saved = harness.stats(scene).calls
      harness.command(scene, "load", harness.command(other, "save"))
      harness.is_true(is_closed(first), "the recording goes on with another space")
      harness.equal(saved, calls_of(first))
      local recorded = harness.stats(scene).recorded
      crowd.stir(scene, random, 50)
      harness.command(scene, "tick")
      harness.equal(recorded, harness.stats(scene).recorded)
      harness.stop(scene, other)
    end,
  },
  {
    name = "a process that is killed comes back to its last tick",
    run = function()
      local path, progress = path_of "victim", path_of "progress"
      -- The logger's file is the one that this process writes to as well: the victim has its own.
      local started = assert(io.popen(([[AOI_MAIN=victim AOI_LOG=%s.log AOI_RECORDING=%s AOI_PROGRESS=%s \
        "$SKYNET_HOME/skynet" spec/skynet/config >/dev/null 2>&1 & echo $!]]):format(path, path, progress)))
      local process = tonumber(started:read "l")
      started:close()
      local function steps()
        local file = io.open(progress, "rb")
        local text = file and file:read "a" or ""
        if file then
          file:close()
        end
        return tonumber(text:sub(#text - #text % 8 - 7, #text - #text % 8) or "") or 0
      end
      harness.wait_until(10, "it does something", function() return steps() > 50 end)
      harness.is_true(os.execute("kill -9 " .. process), "it can't be killed")
      local done
      repeat
        done = steps()
        skynet.sleep(5)
      until steps() == done
      local scene = scene_with(harness.BY_HAND, "record_to=" .. path, "recover=true")
      local calls = harness.stats(scene).calls
      -- A space here makes the same steps.
      local space = aoi.new { engine = "grid", width = 300, height = 300, radius = 40, deferred = true }
      local random, step = Random.new(6), 0
      while space:stats().calls < calls do
        crowd.stir(nil, random, 20, function(command, id, x, y, opts)
          if command == "query" then
            return space:has(x) -- ("query", "has", id)
          elseif command == "leave" then
            space:leave(id)
          else
            space:update(id, x, y, { radius = opts.radius })
          end
        end)
        space:tick()
        step = step + 1
      end
      harness.is_true(step == done or step == done + 1, ("%d steps came back of %d"):format(step, done))
      crowd.expect_equal(scene, space)
      space:close()
      harness.stop(scene)
    end,
  },
}
