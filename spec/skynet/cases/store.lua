-- The store: a scene that is started on it again is where the one before was at its last tick.
local skynet = require "skynet"
local aoi = require "aoi"
local crowd = require "spec.skynet.crowd"
local harness = require "spec.skynet.harness"
local steps = require "spec.skynet.store_steps"
local Random = require "spec.support.random"

local FOLDER -- of the store; each case has one of its own
local stores = 0

local HANDLERS = "handlers=spec.skynet.store_handlers"

local function empty_store()
  stores = stores + 1
  FOLDER = ("%s/store%d"):format(os.getenv "AOI_BUILD", stores)
  assert(os.execute(("rm -rf %s; mkdir -p %s"):format(FOLDER, FOLDER)))
end

local function scene_with(...)
  return harness.scene("store=" .. FOLDER, ...)
end

-- The ids of a scene, in their order.
local function ids_of(scene)
  local ids = harness.command(scene, "query", "ids")
  table.sort(ids)
  return ids
end

-- ---- killing ----------------------------------------------------------------------------------

-- Runs a victim until it is killed as AOI_KILL says, or at its end. Returns the last step that was done, and
-- the last that was heard; 0: none.
local function run_victim(kill)
  local progress = FOLDER .. ".progress"
  os.remove(progress)
  -- The logger's file is the one that this process writes to as well: the victim has its own.
  local victim = assert(io.popen(([[AOI_MAIN=store_victim AOI_LOG=%s.log AOI_STORE=%s AOI_PROGRESS=%s \
    AOI_KILL="%s" timeout 20 "$SKYNET_HOME/skynet" spec/skynet/config >/dev/null 2>&1]]):format(
    FOLDER, FOLDER, progress, kill)))
  victim:read "a"
  victim:close()
  local done, heard = 0, 0
  for line in io.lines(progress) do
    local what, step = line:match "^(%l+) (%d+)$"
    if what == "done" then
      done = tonumber(step)
    elseif what == "heard" then
      heard = tonumber(step)
    end
  end
  return done, heard
end

-- Compares a scene with what it must be after so many steps.
local function expect_steps(scene, count, kill)
  local space = steps.space_after(count)
  crowd.expect_equal(scene, space)
  space:close()
  harness.equal(count, harness.command(scene, "ticks"), kill .. ": what the handlers have counted")
end

local function kill_and_come_back(kill)
  empty_store()
  local done, heard = run_victim(kill)
  local scene = scene_with(HANDLERS, table.unpack(steps.OPTIONS))
  local taken = steps.taken(scene)
  harness.is_true(taken >= done, ("%s: %d steps came back of %d"):format(kill, taken, done))
  harness.is_true(taken >= heard, ("%s: step %d was heard of, and %d came back"):format(kill, heard, taken))
  harness.is_true(taken <= done + 1, ("%s: %d steps came back of %d"):format(kill, taken, done))
  expect_steps(scene, taken, kill)
  -- It goes on, and comes back once more.
  harness.command(scene, "update", 1, 5, 5, { address = false })
  harness.command(scene, "tick")
  local saved = ids_of(scene)
  harness.stop(scene)
  scene = scene_with(HANDLERS, table.unpack(steps.OPTIONS))
  harness.equal({ 5, 5 }, { harness.command(scene, "query", "position", 1) }, kill)
  harness.equal(saved, ids_of(scene), kill)
  harness.equal(taken + 1, harness.command(scene, "ticks"), kill)
  harness.stop_at_once(scene)
  return done
end

-- Moments to be killed at: few of them, by chance; AOI_KILLS=all: all that there are.
local function moments()
  local list = {}
  local last = 3 + steps.COUNT + 3 -- two full saves of three operations, and a chunk for each step
  for operation = 1, last do
    for _, part in ipairs { "0", "0.5", "1" } do
      list[#list + 1] = ("%d %s"):format(operation, part)
    end
  end
  if os.getenv "AOI_KILLS" == "all" then
    return list
  end
  local random = Random.new(tonumber(os.getenv "SEED") or 1)
  local some = {}
  for i = 1, 9 do
    some[i] = list[random:integer((i - 1) * #list // 9 + 1, i * #list // 9)]
  end
  return some
end

return {
  {
    name = "a process that is killed while it writes comes back to its last tick, with all that was heard",
    run = function()
      local before
      for _, kill in ipairs(moments()) do
        local done = kill_and_come_back(kill)
        harness.is_true(not before or done >= before, "it was not killed later: " .. kill)
        before = done
      end
      harness.is_true(before < steps.COUNT, "the last one was not killed at all")
    end,
  },
  {
    name = "agents come back to where they were; who does not, leaves after a while",
    run = function()
      empty_store()
      local options = { "engine=crosslist", "radius=20", "tick=20", "orphan=1000", "probe=100" }
      local scene = scene_with(table.unpack(options))
      local first, second = harness.agent(), harness.agent()
      harness.tell(first, "listen", "events")
      harness.tell(first, "view", "join", scene, 1, 10, 10)
      harness.command(second, "call", scene, "enter", 2, 12, 10, { data = "second", radius = 5 })
      harness.command(scene, "enter", -1, 14, 10, { address = false, data = "monster" })
      harness.command(scene, "set_property", -1, 7, 99)
      harness.tell(first, "view", "move", 11, 10)
      harness.await_ticks(scene, 2)
      harness.tell(first, "take")
      harness.kill(scene)
      harness.wait_until(3, "the agent knows that the scene is gone", function()
        local events = harness.tell(first, "take").events
        if events[1] then
          local names = {}
          for i, event in ipairs(events) do
            names[i] = event[1]
          end
          harness.equal({ "left", "left", "gone" }, names)
          return true
        end
        harness.tell(first, "view", "move", 5, 5) -- which can't be sent
      end)
      scene = scene_with(table.unpack(options))
      harness.equal(0, harness.stats(scene).addresses)
      harness.equal({ -1, 1, 2 }, ids_of(scene))
      harness.refused("already in the space", scene, "enter", -1, 0, 0)
      harness.refused("enter: ", scene, "enter", 1, 0, 0, { radius = "wide" })
      harness.equal({ 11, 10 }, { harness.tell(first, "view", "join", scene, 1, 0, 0, { radius = 30 }) })
      harness.equal(30, harness.command(scene, "query", "radius", 1))
      harness.await_ticks(scene, 2)
      local seen = harness.tell(first, "view", "known")
      harness.equal({
        [-1] = { 14, 10, data = "monster", properties = { [7] = 99 } },
        [2] = { 12, 10, data = "second" },
      }, seen)
      harness.tell(first, "take")
      harness.refused("already in the space", scene, "enter", 1, 0, 0)
      harness.wait_until(2, "the other one leaves", function()
        for _, event in ipairs(harness.tell(first, "take").events) do
          if event[1] == "left" then
            harness.equal(2, event[2])
            return true
          end
        end
      end)
      harness.equal({ -1, 1 }, ids_of(scene))
      harness.stop_at_once(scene)
      scene = scene_with(table.unpack(options))
      harness.command(second, "call", scene, "update", 1, 13, 10, { address = second })
      skynet.sleep(60)
      harness.equal({ 13, 10 }, { harness.command(scene, "query", "position", 1) }, "who came back by update")
      harness.stop_at_once(scene)
      harness.stop(first, second)
    end,
  },
  {
    name = "who changes from another scene is where it goes to, though a copy of it came back",
    run = function()
      empty_store()
      local options = { "engine=crosslist", "radius=20", "tick=20" }
      local before, agent = scene_with(table.unpack(options)), harness.agent()
      harness.tell(agent, "view", "join", before, 1, 10, 10, { data = "old", layers = 2 })
      harness.command(before, "enter", 2, 12, 10)
      harness.command(before, "store")
      harness.tell(agent, "view", "leave") -- of which the store does not know
      harness.kill(before)
      local from, to = harness.scene(table.unpack(options)), scene_with(table.unpack(options))
      harness.equal({ 10, 10 }, { harness.command(to, "query", "position", 1) })
      harness.tell(agent, "view", "join", from, 1, 5, 5)
      harness.equal({}, { harness.tell(agent, "view", "go", to, 30, 10) })
      harness.equal({ to, 1 }, { harness.tell(agent, "view", "scene") })
      harness.equal({ 30, 10 }, { harness.command(to, "query", "position", 1) })
      harness.equal({ {}, 0 }, { harness.command(to, "query", "rect", 0, 0, 50, 50, nil, 2) }, "its layer")
      harness.refused("anew is 1, expected true or false", to, "enter", 3, 1, 1, { anew = 1 })
      harness.refused("already in the space", to, "enter", 1, 1, 1, { anew = true })
      -- An agent that wants its place there back joins.
      local other = harness.agent()
      harness.tell(other, "view", "join", from, 2, 5, 5)
      harness.tell(other, "view", "leave")
      harness.equal({ 12, 10 }, { harness.tell(other, "view", "join", to, 2, 30, 10) })
      harness.stop_at_once(to)
      harness.stop(from, agent, other)
    end,
  },
  {
    name = "told sets, data and properties are as they were at the last tick; what came after it is not",
    run = function()
      empty_store()
      local random = Random.new(3)
      local options = { "engine=grid", "width=300", "height=300", "radius=60", harness.BY_HAND, "limit=5",
        "rates=20:1,huge:3" }
      local scene = scene_with(table.unpack(options))
      local function told()
        local all = {}
        for _, id in ipairs(ids_of(scene)) do
          all[id] = harness.command(scene, "query", "told_markers_of", id)
          table.sort(all[id])
        end
        return all
      end
      for step = 1, 6 do
        crowd.stir(scene, random, 40)
        for _, id in ipairs(ids_of(scene)) do
          if random:chance(0.3) then
            local value = ({ step, "text", 0.5, nil })[step % 4 + 1]
            harness.command(scene, "set_property", id, random:integer(0, 3), value)
          end
        end
        if step == 3 then
          harness.command(scene, "store")
        end
        harness.command(scene, "tick")
      end
      local function saved()
        local state = skynet.unpack(harness.command(scene, "save"))
        for id, details in pairs(state.details) do
          state.details[id] = next(details) and details or nil
        end
        return state
      end
      local before, state = told(), saved()
      harness.command(scene, "enter", 500, 1, 1)
      harness.command(scene, "set_property", 500, 1, "lost")
      harness.kill(scene)
      scene = scene_with(table.unpack(options))
      harness.equal(before, told(), "told sets")
      harness.is_true(next(state.details), "there are no details")
      harness.equal(state.details, saved().details, "details")
      local space = aoi.load(state.space)
      crowd.expect_equal(scene, space)
      space:close()
      harness.stop_at_once(scene)
    end,
  },
  {
    name = "a scene whose disk is full goes on, and is stored again from the next full save on",
    run = function()
      empty_store()
      local options = { "engine=crosslist", "radius=20", harness.BY_HAND, HANDLERS }
      local scene = scene_with(table.unpack(options))
      local function step(x)
        harness.command(scene, "update", 1, x, 0, { address = false })
        harness.command(scene, "tick")
      end
      step(1)
      harness.command(scene, "fail", true)
      step(2)
      step(3)
      harness.refused("store: ", scene, "store")
      harness.equal(3, harness.stats(scene).store_failures)
      harness.equal({ 3, 0 }, { harness.command(scene, "query", "position", 1) })
      harness.wait_until(2, "it is logged", function()
        return harness.log_has "the store: No space left on device"
      end)
      harness.command(scene, "fail", false)
      harness.command(scene, "store")
      step(4)
      harness.kill(scene)
      scene = scene_with(table.unpack(options))
      harness.equal({ 4, 0 }, { harness.command(scene, "query", "position", 1) })
      harness.equal(4, harness.command(scene, "ticks"))
      harness.stop_at_once(scene)
    end,
  },
  {
    name = "a store and a loaded scene, a recording, the next scene on it",
    run = function()
      empty_store()
      local path = FOLDER .. "/recording"
      local plain = { "engine=crosslist", "radius=20", harness.BY_HAND }
      local other = harness.scene(table.unpack(plain))
      harness.command(other, "enter", 7, 70, 0, { data = "seven" })
      local saved = harness.command(other, "save")
      harness.stop(other)
      local scene = scene_with("record_to=" .. path, "recover=true", table.unpack(plain))
      harness.command(scene, "enter", 1, 1, 0)
      harness.command(scene, "tick")
      harness.command(scene, "load", saved)
      harness.command(scene, "move", 7, 71, 0)
      harness.command(scene, "tick")
      harness.equal(0, harness.stats(scene).store_failures)
      harness.command(scene, "set_property", 7, 1, "after")
      harness.command(scene, "tick")
      harness.kill(scene)
      scene = scene_with(table.unpack(plain))
      harness.equal({ 7 }, ids_of(scene))
      harness.equal({ 71, 0 }, { harness.command(scene, "query", "position", 7) })
      local details = skynet.unpack(harness.command(scene, "save")).details
      harness.is_true(details[7] and details[7][1], "the property is lost")
      -- The next one waits for this one to end.
      skynet.timeout(30, function()
        harness.command(scene, "move", 7, 72, 0)
        harness.stop(scene)
      end)
      local next_scene = scene_with(table.unpack(plain))
      harness.equal({ 72, 0 }, { harness.command(next_scene, "query", "position", 7) })
      harness.stop_at_once(next_scene)
    end,
  },
  {
    name = "what can't be stored, or come back, keeps a scene from starting",
    run = function()
      empty_store()
      local plain = { "engine=crosslist", "radius=20", harness.BY_HAND }
      local function bad(words, ...)
        harness.is_true(not pcall(harness.scene, ...), "started with " .. table.concat({ ... }, " "))
        harness.wait_until(2, words .. " is in the log", function() return harness.log_has(words) end)
      end
      bad("No such file", "store=" .. FOLDER .. "/nowhere", table.unpack(plain))
      bad("store is", "store=" .. FOLDER, "engine=crosslist", "radius=20", "tick=0")
      bad("save_every is 0, expected milliseconds, 1000 or more", "save_every=0", table.unpack(plain))
      bad("save_every is 60, expected milliseconds; did you mean 60000?", "save_every=60",
        table.unpack(plain))
      bad("orphan is 0.5, expected milliseconds; did you mean 1000?", "orphan=0.5", table.unpack(plain))
      bad("orphan is never", "orphan=never", table.unpack(plain))
      local scene = harness.scene(table.unpack(plain))
      harness.refused("store: the scene has none", scene, "store")
      harness.stop(scene)
      scene = scene_with(table.unpack(plain))
      harness.command(scene, "enter", 1, 1, 0)
      harness.stop_at_once(scene)
      bad("has 2 dimensions", "store=" .. FOLDER, "dims=3", table.unpack(plain))
      local file = assert(io.open(FOLDER .. "/scene.aoi", "r+b"))
      file:write "this is something else"
      file:close()
      scene = scene_with(table.unpack(plain)) -- from the full save before
      harness.wait_until(2, "it is logged", function()
        return harness.log_has "scene.aoi: is no recording"
      end)
      harness.kill(scene)
      for _, name in ipairs { "scene.aoi", "before.aoi" } do
        file = assert(io.open(FOLDER .. "/" .. name, "wb"))
        file:write "this is something else"
        file:close()
      end
      bad("the store can't be read", "store=" .. FOLDER, table.unpack(plain))
    end,
  },
}
