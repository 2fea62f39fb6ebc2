-- Faults that were found once, each by the program that showed it. Together with the random
-- sequences they keep them from coming back.
local aoi = require "aoi"
local engines = require "spec.support.engines"

describe("what was broken once", function()
  it("a circle so small that its square is subnormal: an enter event was missing", function()
    local told = {}
    local space = aoi.new {
      engine = "crosslist", radius = 1.6666666666666667e-162, shape = "circle",
      on_enter = function(watcher, marker) told[#told + 1] = watcher .. " " .. marker end,
      on_leave = function() end,
    }
    space:enter(2, 0, 0)
    space:enter(7, 1e-161, 5e-162)
    space:set_radius(2, 2.6666666666666665e-162)
    space:move(2, 5.1475691651925442e-162, 1.6052547928566731e-162)
    space:move(7, 6.8142358318592109e-162, 3.2719214595233403e-162)
    assert.is_false(space:sees(2, 7))
    space:move(7, 6.6962175282339252e-162, 3.3190502091621364e-162)
    assert.is_true(space:sees(2, 7))
    assert.same({ "2 7" }, told)
  end)

  it("a radius that grows in three dimensions: markers above and below were forgotten", function()
    local entered = {}
    local space = aoi.new {
      engine = "grid", width = 100, height = 100, radius = 10, dims = 3,
      on_enter = function(watcher, marker) entered[#entered + 1] = watcher .. " " .. marker end,
      on_leave = function() end,
    }
    space:enter(1, 50, 50, 0)
    space:enter(2, 50, 50, 20)
    space:set_radius(1, 30)
    assert.same({ "1 2" }, entered)
  end)

  it("ids in sequence: an unknown id was searched for among all of them #crowd", function()
    local space = aoi.new { engine = "crosslist", radius = 0 }
    for id = 1, 50000 do
      space:enter(id, id, id)
    end
    -- Quadratic time would be minutes here.
    local start = os.clock()
    for id = 1, 50000 do
      assert(not space:has(id + 50000))
    end
    for id = 1, 50000 do
      space:leave(id)
    end
    assert.is_true(os.clock() - start < 20)
  end)

  it("an unknown option: its name and its value stood in each other's place", function()
    local ok, message = pcall(aoi.new, { engine = "crosslist", radius = 1, radiu = 5 })
    assert.is_false(ok)
    assert.is_truthy(message:find("option radiu = 5 is unknown", 1, true), message)
  end)

  for _, row in ipairs(engines.all) do
    it("on{} inside on_event: on_enter of the same event was already the new one, in "
        .. row.name, function()
      local heard = {}
      local space
      space = row.new {
        on_event = function()
          space:on { on_enter = function() heard[#heard + 1] = "new" end }
        end,
        on_enter = function() heard[#heard + 1] = "old" end,
      }
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 51, 51, { mode = "m" })
      assert.same({ "old" }, heard)
      space:enter(3, 51, 52, { mode = "m" })
      assert.same({ "old", "new" }, heard)
    end)
  end

  it("set_bounds changes the views of many watchers: on_view heard of one of them", function()
    local space = aoi.new { engine = "grid", width = 100, height = 100, cols = 10, rows = 10 }
    for id = 1, 4 do
      space:enter(id, 30 * id - 25, 5)
    end
    local views = {}
    space:on { on_view = function(watcher, _, left, entered, n, _, moved)
      local ids = table.move(entered, 1, n, 1, {})
      table.sort(ids)
      views[watcher] = ("%d left, %s entered, %d moved"):format(left, table.concat(ids, " "), moved)
    end }
    space:set_bounds(0, 0, 1000, 1000) -- now all stand in one cell
    assert.same({
      "0 left, 2 3 4 entered, 0 moved", "0 left, 1 3 4 entered, 0 moved",
      "0 left, 1 2 4 entered, 0 moved", "0 left, 1 2 3 entered, 0 moved",
    }, views)
    assert.equal(0, space:pending())
  end)

  it("on{} inside on_view, with on_event set too: the view was told for ever", function()
    local views, events = 0, 0
    local space
    local function on_event() events = events + 1 end
    local function on_view()
      views = views + 1
      assert(views <= 10, "endless")
      space:on { on_view = on_view, on_event = on_event }
    end
    space = aoi.new { engine = "crosslist", radius = 5, on_view = on_view, on_event = on_event }
    space:enter(1, 0, 0)
    space:enter(2, 1, 1)
    assert.equal(2, views)
    assert.equal(2, events)
  end)

  it("on{} with half of a change told: nothing is told twice, nothing is lost", function()
    for _, first in ipairs { "on_view", "on_watchers", "on_markers", "on_event" } do
      for _, second in ipairs { "on_view", "on_watchers", "on_markers", "on_event" } do
        local told = 0
        local space
        -- Each handler counts the pairs that it hears of.
        local handlers = {
          on_view = function(_, _, left, _, entered, _, moved) told = told + left + entered + moved end,
          on_watchers = function(_, _, _, n) told = told + n end,
          on_markers = function(_, _, _, n) told = told + n end,
          on_event = function() told = told + 1 end,
        }
        space = aoi.new { engine = "crosslist", radius = 5 }
        for id = 1, 6 do
          space:enter(id, id / 10, 0)
        end
        local switched = false
        space:on { [first] = function(...)
          handlers[first](...)
          if not switched then
            switched = true
            space:on { [second] = handlers[second] }
          end
        end }
        space:enter(7, 0, 0)
        assert.equal(12, told, first .. " then " .. second)
        assert.equal(0, space:pending())
      end
    end
  end)

  it("on{} that drops what waits: the next change was not told to on_view", function()
    local views, switched = 0, false
    local space = aoi.new { engine = "crosslist", radius = 5 }
    local function on_view() views = views + 1 end
    space:enter(1, 0, 0)
    space:enter(2, 1, 0)
    space:on { on_view = on_view, on_event = function()
      if not switched then
        switched = true
        space:enter(4, 1, 1)
        space:leave(1)
        space:on { on_leave = function() end } -- drops the enters that wait
        space:on { on_view = on_view, on_event = function() end }
        views = 0
      end
    end }
    space:enter(3, 1, 1)
    assert.equal(4, views) -- of 1, 2, 3 and 4
    assert.equal(0, space:pending())
  end)

  it("on{} back and forth in the middle of changes: memory beyond the queue was read", function()
    local function run(names, others, at)
      local calls = 0
      local space
      local function handlers(list, handler)
        local set = {}
        for _, name in ipairs(list) do
          set[name] = handler
        end
        return set
      end
      local function handler()
        calls = calls + 1
        if calls == at then
          space:on(handlers(others, handler))
          if at % 2 == 0 then
            space:move(2, 1.5, 1)
          end
        elseif calls == at + 2 then
          space:on(handlers(names, handler))
        end
      end
      space = aoi.new { engine = "crosslist", radius = 5 }
      for id = 1, 6 do
        space:enter(id, id / 4, 0)
      end
      space:on(handlers(names, handler))
      space:enter(10, 0, 0)
      space:enter(11, 6, 0)
      space:move(10, 3, 0)
      space:move(10, -4.5, 0)
      space:leave(10)
      space:leave(3)
      assert.equal(0, space:pending())
    end
    local sets = {
      { "on_watchers", "on_event" }, { "on_view", "on_event" }, { "on_markers", "on_enter" },
      { "on_view", "on_watchers" }, { "on_view", "on_leave" }, { "on_watchers", "on_markers" },
      { "on_leave" }, { "on_move", "on_view" }, { "on_watchers" }, {},
    }
    for _, names in ipairs(sets) do
      for _, others in ipairs(sets) do
        for at = 1, 8 do
          run(names, others, at)
        end
      end
    end
  end)

  it("on{} twice in a row with half of a change told: what nobody had heard yet was lost", function()
    local sets = { { "on_view" }, { "on_watchers" }, { "on_markers" }, { "on_event" } }
    for _, first in ipairs { { "on_view", "on_event" }, { "on_view", "on_watchers" },
                             { "on_markers", "on_event" } } do
      for _, second in ipairs(sets) do
        for _, third in ipairs(sets) do
          local heard, count, switched = {}, 0, false
          local space = aoi.new { engine = "crosslist", radius = 5 }
          local function hear(watcher, marker)
            local pair = watcher .. " " .. marker
            count = count + (heard[pair] and 0 or 1)
            heard[pair] = true
          end
          local handlers = {
            on_view = function(watcher, _, _, entered, n)
              for i = 1, n do hear(watcher, entered[i]) end
            end,
            on_watchers = function(marker, _, watchers, n)
              for i = 1, n do hear(watchers[i], marker) end
            end,
            on_markers = function(watcher, _, markers, n)
              for i = 1, n do hear(watcher, markers[i]) end
            end,
            on_event = function(watcher, marker) hear(watcher, marker) end,
          }
          local function set(names, also)
            local chosen = {}
            for _, name in ipairs(names) do
              chosen[name] = function(...)
                handlers[name](...)
                also()
              end
            end
            space:on(chosen)
          end
          for id = 1, 6 do
            space:enter(id, id / 10, 0)
          end
          set(first, function()
            if not switched then
              switched = true
              set(second, function() end)
              set(third, function() end)
            end
          end)
          space:enter(7, 0, 0)
          assert.equal(12, count, first[1] .. ", " .. second[1] .. ", " .. third[1])
          assert.equal(0, space:pending())
        end
      end
    end
  end)

  it("an option whose name is a table: its __tostring was called", function()
    local key = setmetatable({}, { __tostring = function() error "called" end })
    local space = aoi.new { engine = "crosslist", radius = 5 }
    local ok, message = pcall(space.enter, space, 1, 2, 3, { [key] = 4 })
    assert.is_false(ok)
    assert.is_truthy(message:find("enter: option a table = 4 is unknown", 1, true), message)
  end)

  it("a batch with a huge n: room for it was taken and kept before a row was read", function()
    local space = aoi.new { engine = "crosslist", radius = 5 }
    local before = space:stats().bytes
    local ok, message = pcall(space.leave_all, space, {}, 30000000)
    assert.is_false(ok)
    assert.is_truthy(message:find("leave_all: .*rows"), message)
    assert.equal(before, space:stats().bytes)
  end)

  it("positions with a huge n: a table for all of them was made before an id was read", function()
    local space = aoi.new { engine = "crosslist", radius = 5 }
    space:enter(1, 0, 0)
    collectgarbage "stop"
    local before = collectgarbage "count"
    local ok, message = pcall(space.positions, space, { 1 }, 20000000)
    local more = collectgarbage "count" - before
    collectgarbage "restart"
    assert.is_false(ok)
    assert.is_truthy(message:find("positions: ids%[20000000%] is nil"), message)
    assert.is_true(more < 100)
  end)

  it("a tick with a step too long for a double: who sees less than all was not looked after", function()
    local space = aoi.new { engine = "crosslist", radius = math.huge, deferred = true,
      collect = { "enter", "leave" } }
    space:enter(1, 0, 0, { radius = 5 })
    space:enter(2, 4, 0, { mode = "m" })
    space:enter(3, -1.7e308, 0, { mode = "m" })
    space:tick()
    space:drain {}
    space:move(1, -3, 0)
    space:move(3, 1.7e308, 0)
    space:tick()
    local events, count = space:drain {}
    assert.same({ 1, "1 2 leave" }, { count, table.concat(events, " ", 1, 3) })
  end)

  it("a tick of distances that no float can tell from 0: pairs that see each other were not told", function()
    local heights = { 0, 9e-46, 8.2e-46, 6.9e-46, 7.1e-46, 2.09e-45, 2.11e-45 }
    local map = { x = 0, y = 0, width = 1e-44, height = 1e-44 }
    for _, case in ipairs {
      { engine = "crosslist" }, { engine = "quadtree", map = map }, { engine = "grid", map = map },
    } do
      local options = { engine = case.engine, radius = 1e-46, deferred = true, collect = true }
      for name, value in pairs(case.map or {}) do
        options[name] = value
      end
      local space = aoi.new(options)
      for id, y in ipairs(heights) do
        space:enter(id, 0, y)
      end
      local expected = {}
      for watcher in ipairs(heights) do
        for marker in ipairs(heights) do
          if space:sees(watcher, marker) then
            expected[#expected + 1] = ("%d %d enter"):format(watcher, marker)
          end
        end
      end
      space:tick()
      local events, count = space:drain {}
      local reported = {}
      for i = 1, 3 * count, 3 do
        reported[#reported + 1] = table.concat(events, " ", i, i + 2)
      end
      table.sort(reported)
      assert.is_true(space:sees(4, 5))
      assert.same(expected, reported, case.engine)
    end
  end)

  it("a tick after a crowded one: memory for all the pairs of that one was kept", function()
    local space = aoi.new { engine = "crosslist", radius = 10, deferred = true, collect = true,
      on_view = function() end }
    local function gather(distance)
      for id = 1, 1000 do
        space:update(id, id * distance, 0)
      end
      space:tick()
      space:drain {}
    end
    gather(100)
    local before = space:stats().bytes
    gather(0) -- a million pairs
    gather(100)
    for quiet = 1, 120 do -- it takes a while until crowds are no longer expected
      gather(100 + quiet / 1000)
    end
    local after = space:stats().bytes
    -- The memory kept for a next time goes by entities.
    assert.is_true(after < before + 1000 * 8000, before .. ", then " .. after .. " bytes")
  end)

  it("a save in which a finalizer resumes a handler: events left while their bytes were counted", function()
    local pause, step = collectgarbage("setpause", 0), collectgarbage("setstepmul", 1000)
    local damaged = 0
    for _ = 1, 30 do
      local space = aoi.new { engine = "crosslist", radius = 10 }
      for id = 1, 6 do
        space:enter(id, 0, 0)
      end
      space:on { on_event = function() coroutine.yield() end }
      local co = coroutine.create(function() space:enter(7, 0, 0) end)
      assert(coroutine.resume(co))
      local resumed = false
      setmetatable({}, { __gc = function()
        resumed = true
        coroutine.resume(co)
      end })
      repeat
        damaged = damaged + (pcall(aoi.load, space:save()) and 0 or 1)
      until resumed
    end
    collectgarbage("setpause", pause)
    collectgarbage("setstepmul", step)
    assert.equal(0, damaged)
  end)

  it("an update_all refused after it had made a radius class: no room in there for the way back", function()
    local space = aoi.new { engine = "quadtree", width = 64, height = 64, radius = 1, capacity = 1,
      max_depth = 3 }
    space:enter_all { 1, 0, 0, 2, 0, 0, 3, 0, 0 }
    local rows = { 3, 0, 10, 1, 0, 10, 1, 0, 20, 3, 20, 40, 1, 1000, 0 } -- the last is outside
    for _, radius in ipairs { 0, 1 / 8, 2, 5, 50, 500, math.huge } do
      assert.has_error(function() space:update_all(rows, { radius = radius }) end)
    end
    for id = 1, 3 do
      local x, y = space:position(id)
      assert.same({ 0, 0, 1 }, { x, y, space:radius(id) })
    end
  end)

  it("a tick where the first to enter had another radius than all others: it took ages #crowd", function()
    local function time(first)
      local space = aoi.new { engine = "crosslist", deferred = true, on_leave = function() end }
      for id = 1, 10000 do
        space:enter(id, id % 100 * 40, id // 100 * 40, { radius = id == 1 and first or 50 })
      end
      local start = os.clock()
      for _ = 1, 5 do
        for id = 1, 10000 do
          local x, y = space:position(id)
          space:move(id, x + 1, y + 1)
        end
        space:tick()
      end
      return os.clock() - start
    end
    local usual = time(50)
    assert.is_true(time(5000) < 10 * usual)
    assert.is_true(time(math.huge) < 10 * usual)
    assert.is_true(time(0) < 10 * usual)
  end)

  it("a drain in a record, on a space that gathers nothing: a call was missing from then on", function()
    local space = aoi.new { engine = "crosslist", radius = 5, collect = true, record = true }
    local saved = space:save()
    space:enter(1, 0, 0)
    space:enter(2, 1, 0)
    space:drain()
    local first = space:recorded()
    space:move(1, 2, 0)
    local player = aoi.load(saved, { collect = {} })
    aoi.replay(player, first)
    assert.equal(3, player:stats().calls)
    aoi.replay(player, space:recorded())
    assert.equal(2, (player:position(1)))
  end)

  it("an area beyond all numbers, which ended since the last tick: no save was loaded", function()
    for _, leave_radius in ipairs { false, 2 } do
      for _, ends in ipairs { "leave", "remove_area" } do
        local space = aoi.new { engine = "crosslist", radius = 1, deferred = true }
        space:enter(1, 1.7e308, -1.7e308)
        space:add_area(1, {
          owner = 1, radius = 1, leave_radius = leave_radius or nil, dx = 1e308, dy = -1e308,
        })
        space:tick()
        space[ends](space, 1)
        local saved = space:save()
        local again = aoi.load(saved)
        assert.equal(saved, again:save())
        space:tick()
        again:tick()
        assert.equal(space:save(), again:save())
      end
    end
  end)

  it("a step over all floats beside areas without bounds: what is no area was looked at", function()
    local far = 1e39 -- beyond all floats
    for _, options in ipairs {
      { engine = "crosslist", radius = 5 },
      { engine = "grid", width = 100, height = 100, radius = 5, clamp = true },
      { engine = "quadtree", width = 100, height = 100, radius = 5, clamp = true },
    } do
      for _, area in ipairs {
        { owner = 1, radius = 5 }, { owner = 2, radius = 5 }, { owner = 2, radius = 5, leave_radius = 7 },
        { x = 0, y = 0, radius = math.huge }, { x = -far, y = 0, shape = "rect", width = far, height = 1 },
      } do
        for _, deferred in ipairs { false, true } do
          local told = {}
          options.deferred = deferred
          options.on_area = function(_, marker, op) told[#told + 1] = marker .. " " .. op end
          local space = aoi.new(options)
          space:enter_all { 1, -far, -far, 2, 1, 1 }
          space:add_area(7, area)
          for _, place in ipairs { -far, far, -far, 2 * far, -2 * far } do
            space:move(1, place, place)
            if deferred then
              space:tick()
            end
          end
          assert.same(area.radius == math.huge and 2 or 0, #told)
          assert.equal(area.radius == math.huge and 2 or 0, (select(2, space:members_of(7))))
        end
      end
    end
  end)
end)
