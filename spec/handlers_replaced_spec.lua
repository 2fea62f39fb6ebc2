-- `on{}` while a change is being told: its rest goes to the handlers that it began with, what comes behind
-- it to the new ones. A loaded space goes on where the saved one was. The reference has the rule in words.
local aoi = require "aoi"
local engines = require "spec.support.engines"

local writers = {
  view = function(watcher) return "view of " .. watcher end,
  watchers = function(_, _, watchers, n) return "watchers " .. table.concat(watchers, " ", 1, n) end,
  markers = function(watcher) return "markers of " .. watcher end,
  event = function(watcher) return "event of " .. watcher end,
  enter = function(watcher) return "enter of " .. watcher end,
  leave = function(watcher) return "leave of " .. watcher end,
}

-- Handlers of the names in a string, which write a line each and call `also` with their name.
local function writing(log, prefix, names, also)
  local handlers = {}
  for name in names:gmatch("%S+") do
    handlers["on_" .. name] = function(...)
      log[#log + 1] = prefix .. writers[name](...)
      if also then
        also(name)
      end
    end
  end
  return handlers
end

local function crowd()
  local space = aoi.new { engine = "crosslist", radius = 10 }
  space:enter_all({ 1, 0, 0,  2, 1, 0,  3, 2, 0 }, 3, { mode = "w" })
  return space
end

-- The events for each set of handlers, of a marker that comes into the views of 1, 2 and 3.
local WHOLE = {
  ["event"] = { "event of 1", "event of 2", "event of 3" },
  ["enter"] = { "enter of 1", "enter of 2", "enter of 3" },
  ["view"] = { "view of 1", "view of 2", "view of 3" },
  ["watchers"] = { "watchers 1 2 3" },
  ["markers"] = { "markers of 1", "markers of 2", "markers of 3" },
  ["view event"] = {
    "view of 1", "view of 2", "view of 3", "event of 1", "event of 2", "event of 3",
  },
  ["markers event"] = {
    "markers of 1", "markers of 2", "markers of 3", "event of 1", "event of 2", "event of 3",
  },
  ["view watchers enter"] = {
    "view of 1", "view of 2", "view of 3", "watchers 1 2 3", "enter of 1", "enter of 2", "enter of 3",
  },
}

local sets = {}
for names in pairs(WHOLE) do
  sets[#sets + 1] = names
end
table.sort(sets)

local function lines(prefix, ...)
  local all = {}
  for _, list in ipairs { ... } do
    for _, line in ipairs(list) do
      all[#all + 1] = prefix .. line
    end
  end
  return all
end

local function joined(...)
  local all = {}
  for _, list in ipairs { ... } do
    table.move(list, 1, #list, #all + 1, all)
  end
  return all
end

describe("Handlers replaced while a change is told", function()
  for _, old in ipairs(sets) do
    it("hear the rest of it: " .. old, function()
      for _, new in ipairs(sets) do
        for at = 1, #WHOLE[old] do
          local log, space = {}, crowd()
          space:on(writing(log, "old: ", old, function()
            if #log == at then
              space:on(writing(log, "new: ", new))
            end
          end))
          space:enter(9, 0, 0, { mode = "m" })
          assert.equal(0, space:pending())
          space:enter(8, 0, 0, { mode = "m" })
          assert.same(joined(lines("old: ", WHOLE[old]), lines("new: ", WHOLE[new])), log)
        end
      end
    end)
  end

  it("are told nothing of the other rows of a batch", function()
    for _, old in ipairs(sets) do
      for _, new in ipairs(sets) do
        local log, space = {}, crowd()
        space:on(writing(log, "old: ", old, function()
          space:on(writing(log, "new: ", new))
        end))
        space:enter_all({ 9, 0, 0, 8, 0, 0, 7, 0, 0 }, 3, { mode = "m" })
        assert.equal(0, space:pending())
        assert.same(joined(lines("old: ", WHOLE[old]), lines("new: ", WHOLE[new], WHOLE[new])), log)
      end
    end
  end)

  it("lose what the new ones do not hear in what comes behind", function()
    local log, space = {}, crowd()
    local pending
    space:on(writing(log, "old: ", "event", function()
      space:on(writing(log, "new: ", "leave"))
      pending = pending or space:pending()
    end))
    space:enter_all({ 9, 0, 0, 8, 0, 0 }, 2, { mode = "m" })
    space:leave(9)
    assert.equal(2, pending)
    assert.same(joined(lines("old: ", WHOLE["event"]),
      lines("new: ", { "leave of 1", "leave of 2", "leave of 3" })), log)
  end)

  it("go on also when nobody comes after them", function()
    local log, space = {}, crowd()
    space:on(writing(log, "", "view event", function()
      space:on {}
    end))
    space:enter_all({ 9, 0, 0, 8, 0, 0 }, 2, { mode = "m" })
    assert.same(WHOLE["view event"], log)
    assert.equal(0, space:pending())
  end)

  it("that raise go on also when nobody comes after them", function()
    local log, space = {}, crowd()
    space:on(writing(log, "", "event", function()
      if #log == 1 then
        error("stop", 0)
      end
    end))
    pcall(space.enter_all, space, { 9, 0, 0, 8, 0, 0 }, 2, { mode = "m" })
    space:on {}
    assert.equal(2, space:pending())
    space:flush()
    assert.same(WHOLE["event"], log)
  end)

  it("go on also when they are replaced once more, and more than once", function()
    local log, space = {}, crowd()
    space:on(writing(log, "old: ", "view event", function()
      space:on(writing(log, "between: ", "watchers"))
      space:on(writing(log, "new: ", "markers"))
    end))
    space:enter_all({ 9, 0, 0, 8, 0, 0 }, 2, { mode = "m" })
    assert.same(joined(lines("old: ", WHOLE["view event"]), lines("new: ", WHOLE["markers"])), log)
  end)

  it("are not those who have heard nothing of it yet", function()
    local log, space = {}, crowd()
    space:on(writing(log, "old: ", "event", function()
      error("stop", 0)
    end))
    pcall(space.enter, space, 9, 0, 0, { mode = "m" })
    pcall(space.flush, space)
    assert.equal(1, space:pending())
    pcall(space.enter, space, 8, 0, 0, { mode = "m" }) -- the last of the first change, which raises
    space:on(writing(log, "new: ", "view"))
    assert.equal(3, space:pending())
    space:flush()
    assert.same(joined(lines("old: ", WHOLE["event"]), lines("new: ", WHOLE["view"])), log)
  end)

  it("are collected when they are done", function()
    local log, space = {}, crowd()
    local weak = setmetatable({}, { __mode = "v" })
    local function replace()
      local set = writing(log, "old: ", "view event", function()
        space:on(writing(log, "new: ", "event"))
      end)
      weak.view, weak.event = set.on_view, set.on_event
      space:on(set)
    end
    replace()
    space:enter(9, 0, 0, { mode = "m" })
    collectgarbage()
    assert.same({}, weak)
    assert.same(lines("old: ", WHOLE["view event"]), log)
  end)

  for _, row in ipairs(engines.all) do
    it("hear all of a tick, and of its areas, in " .. row.name, function()
      local log = {}
      local space = row.new { deferred = true }
      local function set(name, also)
        return {
          on_view = function(watcher, _, left, _, entered, _, moved)
            log[#log + 1] = ("%s: %d lost %d, gained %d, saw %d move")
              :format(name, watcher, left, entered, moved)
            also()
          end,
          on_area = function(area, marker, op)
            log[#log + 1] = ("%s: %s %d %d"):format(name, op, area, marker)
            also()
          end,
        }
      end
      space:on(set("old", function()
        space:on(set("new", function() end))
      end))
      for id = 1, 3 do
        space:enter(id, 50, 50)
      end
      space:add_area(1, { x = 50, y = 50, radius = 5 })
      space:tick()
      local new = #log + 1
      space:move(3, 50, 51)
      space:add_area(2, { x = 50, y = 50, radius = 5 })
      space:tick()
      table.sort(log)
      assert.same({
        "new: 1 lost 0, gained 0, saw 1 move", "new: 2 lost 0, gained 0, saw 1 move",
        "new: enter 2 1", "new: enter 2 2", "new: enter 2 3",
        "old: 1 lost 0, gained 2, saw 0 move", "old: 2 lost 0, gained 2, saw 0 move",
        "old: 3 lost 0, gained 2, saw 0 move",
        "old: enter 1 1", "old: enter 1 2", "old: enter 1 3",
      }, log)
      assert.equal(7, new)
    end)
  end

  it("hear of the areas of a step, too, but not of those of the next", function()
    local log, space = {}, crowd()
    local function on_area(name, also)
      return function(area, _, op)
        log[#log + 1] = ("%s: %s %d"):format(name, op, area)
        also()
      end
    end
    local function nothing() end
    space:add_area(1, { x = 0, y = 0, radius = 5 })
    space:add_area(2, { x = 0, y = 0, radius = 6 })
    local old = writing(log, "old: ", "event", function()
      space:on { on_area = on_area("new", nothing) }
    end)
    old.on_area = on_area("old", nothing)
    space:on(old)
    space:enter_all({ 9, 0, 0, 8, 0, 0 }, 2, { mode = "m" })
    assert.same({ "enter 1", "enter 2" }, { log[4]:sub(6), log[5]:sub(6) })
    table.sort(log)
    assert.same({
      "new: enter 1", "new: enter 2", "old: enter 1", "old: enter 2",
      "old: event of 1", "old: event of 2", "old: event of 3",
    }, log)
  end)

  it("hear of the areas of a step also when the new ones do not", function()
    local log, space = {}, crowd()
    space:add_area(1, { x = 0, y = 0, radius = 5 })
    local old = writing(log, "", "event", function()
      space:on { on_view = function() end }
    end)
    function old.on_area(area)
      log[#log + 1] = "area " .. area
    end
    space:on(old)
    space:enter(9, 0, 0, { mode = "m" })
    assert.same(joined(WHOLE["event"], { "area 1" }), log)
  end)

  it("hear of areas alone to the end", function()
    local log = {}
    local space = aoi.new { engine = "crosslist", radius = 10 }
    space:enter(9, 0, 0, { mode = "m" })
    for area = 1, 3 do
      space:add_area(area, { x = 100, y = 100, radius = 5 })
    end
    space:on { on_area = function()
      log[#log + 1] = "old"
      space:on { on_area = function() log[#log + 1] = "new" end }
    end }
    space:move(9, 100, 100)
    space:move(9, 0, 0)
    assert.same({ "old", "old", "old", "new", "new", "new" }, log)
  end)

  it("suspended or overtaken, hear the rest, also of errors", function()
    for _, old in ipairs { "event", "view event", "watchers", "markers event" } do
      local log, space = {}, crowd()
      local set = writing(log, "old: ", old, function()
        coroutine.yield()
        error("late", 0)
      end)
      function set.on_error(err)
        log[#log + 1] = "error of old: " .. err
      end
      space:on(set)
      local expected = {}
      for _, line in ipairs(WHOLE[old]) do
        expected[#expected + 1] = "old: " .. line
      end
      local sleepers = { coroutine.create(function()
        space:enter(9, 0, 0, { mode = "m" })
      end) }
      assert(coroutine.resume(sleepers[1]))
      local new = writing(log, "new: ", "event")
      function new.on_error(err)
        log[#log + 1] = "error of new: " .. err
      end
      space:on(new)
      for i = 2, #WHOLE[old] do
        sleepers[i] = coroutine.create(function() space:flush() end)
        assert(coroutine.resume(sleepers[i]))
      end
      assert.same(expected, log)
      for i, sleeper in ipairs(sleepers) do
        assert(coroutine.resume(sleeper))
        assert.equal("error of old: late", log[#expected + i])
      end
      space:enter(8, 0, 0, { mode = "m" })
      assert.same(lines("new: ", WHOLE["event"]), table.move(log, 2 * #expected + 1, #log, 1, {}))
    end
  end)

  it("interrupted by an error, hear the rest at the next call", function()
    for _, old in ipairs(sets) do
      local log, space, raised = {}, crowd(), false
      space:on(writing(log, "old: ", old, function()
        if not raised then
          raised = true
          error("stop", 0)
        end
      end))
      assert.is_false((pcall(space.enter, space, 9, 0, 0, { mode = "m" })))
      space:on(writing(log, "new: ", "view"))
      space:enter(8, 0, 0, { mode = "m" })
      assert.same(joined(lines("old: ", WHOLE[old]), lines("new: ", WHOLE["view"])), log)
    end
  end)

  it("hear no error of those that come after them", function()
    local errors, inner = {}, nil
    local function note(name)
      return function(err, watcher, marker, op)
        errors[#errors + 1] = ("%s: %s, %s %s %s"):format(name, err, watcher, marker, op)
      end
    end
    inner = aoi.new { radius = 10, on_error = note "inner", on_enter = function()
      inner:on { on_leave = function() error("stop", 0) end }
      inner:leave(1)
    end }
    local outer = aoi.new { radius = 10, on_error = note "outer", on_enter = function()
      inner:enter(2, 0, 0, { mode = "w" })
    end }
    inner:enter(1, 0, 0, { mode = "m" })
    outer:enter(5, 0, 0, { mode = "m" })
    outer:enter(7, 0, 0, { mode = "w" })
    assert.same({ "outer: stop, 7 5 enter" }, errors)
  end)

  it("in a dead coroutine leave the rest to themselves", function()
    local log, space = {}, crowd()
    space:on(writing(log, "old: ", "view event", function()
      if #log == 2 then
        coroutine.yield()
      end
    end))
    coroutine.wrap(function() space:enter(9, 0, 0, { mode = "m" }) end)()
    space:on(writing(log, "new: ", "watchers"))
    collectgarbage()
    space:enter(8, 0, 0, { mode = "m" })
    assert.same(joined(lines("old: ", WHOLE["view event"]), lines("new: ", WHOLE["watchers"])), log)
  end)

  it("hear no more after clear", function()
    local log, space = {}, crowd()
    space:on(writing(log, "old: ", "view event", function()
      space:on(writing(log, "new: ", "event"))
      space:clear()
      space:enter(1, 0, 0, { mode = "w" })
      space:enter(2, 0, 0, { mode = "m" })
    end))
    space:enter(9, 0, 0, { mode = "m" })
    assert.same({ "old: view of 1", "new: event of 1" }, log)
  end)

  it("hear no more after a replay", function()
    local log, space = {}, crowd()
    local twin = aoi.load(space:save())
    twin:record(true)
    twin:enter(9, 0, 0)
    space:on(writing(log, "old: ", "view event", function()
      space:on(writing(log, "new: ", "event"))
      aoi.replay(space, twin:recorded())
    end))
    local calls = space:stats().calls
    assert.equal(calls, twin:stats().calls - 1)
    space:flush()
    twin = aoi.load(space:save(), writing(log, "old: ", "view event", function()
      twin:on(writing(log, "new: ", "event"))
      error("stop", 0)
    end))
    twin:record(true)
    pcall(twin.enter, twin, 9, 0, 0, { mode = "m" })
    assert.equal(3, twin:pending())
    aoi.replay(twin, twin:recorded())
    assert.equal(0, twin:pending())
    twin:enter(8, 0, 0, { mode = "m" })
    assert.same({ "old: view of 1", "new: event of 1", "new: event of 2", "new: event of 3" }, log)
  end)

  it("by finalizers, while arrays are made: each change is told whole, by one set", function()
    local space, current = crowd(), 0
    local told = {} -- marker -> set -> pairs
    local replaced, is_over = 0, false
    local function hear(set, marker, n)
      told[marker] = told[marker] or {}
      told[marker][set] = (told[marker][set] or 0) + n
    end
    local function replace()
      current = current + 1
      local set = current
      local function on_markers(_, _, markers, n)
        hear(set, markers[1], n)
        coroutine.yield() -- keeps its array: the next group needs a new one
      end
      local function on_view(_, _, _, entered, n)
        hear(set, entered[1], n)
        coroutine.yield()
      end
      space:on { [set % 2 == 0 and "on_markers" or "on_view"] = set % 2 == 0 and on_markers or on_view }
    end
    local function arm()
      setmetatable({}, { __gc = function()
        if not is_over then
          replaced = replaced + 1
          replace()
          arm()
        end
      end })
    end
    replace()
    local pause = collectgarbage("setpause", 0)
    arm()
    for id = 9, 2000 do
      local sleepers = { coroutine.create(function() space:enter(id, 0, 0, { mode = "m" }) end) }
      assert(coroutine.resume(sleepers[1]))
      while space:pending() > 0 do
        sleepers[#sleepers + 1] = coroutine.create(function() space:flush() end)
        assert(coroutine.resume(sleepers[#sleepers]))
      end
    end
    is_over = true
    collectgarbage("setpause", pause)
    assert.is_true(replaced > 20, replaced .. " times")
    for id = 9, 2000 do
      local set, n = next(told[id])
      assert.is_nil(next(told[id], set))
      assert.equal(3, n)
    end
  end)
end)

-- ---- saved amid a change ----------------------------------------------------------------------

-- Saves when the handler `at` of the set `old` is called first; returns what a space hears that is loaded
-- with the set `new`.
local function received(old, at, new, by_on)
  local log, space, saved = {}, crowd(), nil
  space:on(writing({}, "", old, function(name)
    if name == at and not saved then
      saved = space:save()
    end
  end))
  space:enter(9, 0, 0, { mode = "m" })
  local loaded
  if by_on then
    loaded = aoi.load(saved)
    assert.equal(saved, loaded:save())
    loaded:on(writing(log, "", new))
  else
    loaded = aoi.load(saved, writing(log, "", new))
  end
  local pending = loaded:pending()
  loaded:flush()
  assert.equal(0, loaded:pending())
  assert.equal(pending == 0, #log == 0)
  return table.concat(log, ", ")
end

describe("A space saved amid a change", function()
  local views, events = "view of 2, view of 3", "event of 2, event of 3"
  local markers = "markers of 2, markers of 3"
  local all_events, all_watchers = "event of 1, event of 2, event of 3", "watchers 1 2 3"
  for _, row in ipairs {
    { "event", "event", "event", events },
    { "event", "event", "view event", events },
    { "event", "event", "watchers", "" },
    { "event", "event", "leave", "" },
    { "view", "view", "view", views },
    { "view", "view", "event", events },
    { "view", "view", "view watchers event", views .. ", watchers 2 3, " .. events },
    { "view event", "view", "view watchers event", views .. ", " .. all_watchers .. ", " .. all_events },
    { "view event", "view", "watchers", all_watchers },
    { "view event", "event", "view", "" },
    { "view event", "event", "view event", events },
    { "watchers", "watchers", "markers", "" },
    { "markers", "markers", "markers event", markers .. ", " .. events },
    { "markers", "markers", "watchers", "watchers 2 3" },
    { "markers", "markers", "view", "" },
    { "markers event", "markers", "view event", all_events },
  } do
    local old, at, new, expected = table.unpack(row)
    it(("by %s, in %s, goes on for %s"):format(old, at, new), function()
      assert.equal(expected, received(old, at, new))
      assert.equal(expected, received(old, at, new, true))
    end)
  end

  it("goes on for those first handlers, whoever comes after them", function()
    local log, space, saved = {}, crowd(), nil
    space:on(writing({}, "", "event", function()
      saved = saved or space:save()
    end))
    space:enter_all({ 9, 0, 0, 8, 0, 0 }, 2, { mode = "m" })
    local loaded = aoi.load(saved, writing(log, "first: ", "event"))
    loaded:on(writing(log, "second: ", "view"))
    loaded:flush()
    assert.same(joined(lines("first: ", { "event of 2", "event of 3" }),
      lines("second: ", WHOLE["view"])), log)
  end)

  it("has begun no change that waits", function()
    local log, space, saved = {}, crowd(), nil
    space:on { on_event = function(watcher, marker)
      if watcher == 3 and marker == 9 then
        saved = space:save()
      end
    end }
    space:enter_all({ 9, 0, 0, 8, 0, 0 }, 2, { mode = "m" })
    local loaded = aoi.load(saved, writing(log, "first: ", "event"))
    loaded:on(writing(log, "second: ", "view"))
    loaded:flush()
    assert.same(lines("second: ", WHOLE["view"]), log)
  end)

  it("amid its areas goes on there", function()
    for stop = 1, 6 do
      local log, space, saved = {}, nil, nil
      local calls = 0
      local function count()
        calls = calls + 1
        if calls == stop then
          saved = space:save()
        end
      end
      space = aoi.new { engine = "crosslist", radius = 10, on_view = count, on_area = count }
      space:enter(1, 50, 50)
      for area = 1, 4 do
        space:add_area(area, { x = 0, y = 0, radius = 5 })
      end
      space:enter(2, 0, 0, { mode = "w" })
      calls = 0
      space:move(1, 1, 0)
      assert.equal(5, calls)
      if stop <= 5 then
        local loaded = aoi.load(saved, {
          on_view = function() log[#log + 1] = "view" end,
          on_area = function() log[#log + 1] = "area" end,
        })
        assert.equal(5 - stop, loaded:pending())
        loaded:flush()
        assert.equal(5 - stop, #log)
        loaded = aoi.load(saved, { on_event = function() log[#log + 1] = "event" end })
        assert.equal(0, loaded:pending())
        loaded = aoi.load(saved, {})
        assert.equal(0, loaded:pending())
      end
    end
  end)
end)
