-- Crowd spaces by examples: each option, trait, call and question, and what is refused.
local aoi = require "aoi"
local engines = require "spec.support.engines"
local record = require "spec.support.record"

local told, forget = record.told, record.forget

-- A crowd space and its log; watcher 1 alone at (50, 50), and markers 2, 3 ... so far to the right of it.
local function new_scene(row, options, ...)
  local extra = { deferred = true }
  for name, value in pairs(options) do
    extra[name] = value
  end
  local space, log = record.space(row, extra)
  space:enter(1, 50, 50, { mode = "w" })
  for index, distance in ipairs { ... } do
    space:enter(index + 1, 50 + distance, 50, { mode = "m" })
  end
  return space, log
end

-- Makes a tick; returns its events.
local function tick(space, log)
  space:tick()
  return told(log)
end

-- The events of so many ticks, one text each; before(number) is called before each of them.
local function ticks(space, log, count, before)
  local texts = {}
  for number = 1, count do
    before(number)
    texts[number] = tick(space, log)
  end
  return texts
end

local function told_ids(space, id)
  return record.ids(space:told_markers_of(id))
end

local function explained(space, watcher, marker)
  local reason, rank = space:explain(watcher, marker)
  return rank and reason .. " " .. rank or reason
end

for _, row in ipairs(engines.all) do
  describe("a crowd space of " .. row.name, function()
    it("tells each watcher of the nearest, as many as its limit", function()
      local space, log = new_scene(row, { limit = 2 }, 3, 1, 2)
      assert.equal("1: enter 3, 1: enter 4", tick(space, log))
      assert.equal("3 4", told_ids(space, 1))
      assert.equal("2 3 4", record.ids(space:markers_of(1)))
      space:leave(3)
      assert.equal("1: enter 2, 1: leave 3", tick(space, log))
      space:move(2, 54, 50)
      space:move(4, 53, 50)
      assert.equal("1: move 2, 1: move 4", tick(space, log))
    end)

    it("tells of the smaller ids where all else is equal", function()
      local space, log = new_scene(row, { limit = 2 }, 3, -3, 3)
      assert.equal("1: enter 2, 1: enter 3", tick(space, log))
    end)

    it("keeps limits and importance as they were when a batch is refused", function()
      local space, log = new_scene(row, { limit = 1 }, 1, 2)
      local outside = row.map and 500 or 0 / 0
      local ok = pcall(space.update_all, space, { 1, 50, 50, 3, 52, 50, 9, outside, 50 }, {
        limit = 0, importance = 9,
      })
      assert.is_false(ok)
      assert.equal("1: enter 2", tick(space, log))
    end)

    it("has limits of single entities, which speak at the next tick", function()
      local space, log = new_scene(row, { limit = math.huge }, 1, 2, 3)
      space:set_limit(1, 1)
      assert.equal("1: enter 2", tick(space, log))
      space:set_limit(1, 0)
      assert.equal("", told(log))
      assert.equal("1: leave 2", tick(space, log))
      space:update(1, 50, 50, { limit = 2.0 })
      assert.equal("1: enter 2, 1: enter 3", tick(space, log))
      space:enter_all({ 8, 50, 50, 9, 50, 50 }, { mode = "w", limit = 1 })
      space:set_limit(1, math.huge)
      assert.equal("1: enter 4, 8: enter 2, 9: enter 2", tick(space, log))
    end)

    it("does not count markers without a layer of limit_layers", function()
      local space, log = new_scene(row, { limit = 1, limit_layers = 1 }, 1, 2)
      space:enter(4, 57, 50, { mode = "m", layers = 2 })
      assert.equal("1: enter 2, 1: enter 4", tick(space, log))
      space:set_layers(4, 3)
      assert.equal("1: leave 4", tick(space, log))
    end)

    it("swaps two when one is nearer by the keep_factor", function()
      local space, log = new_scene(row, { limit = 1, keep_factor = 2 }, 6)
      space:tick()
      space:enter(3, 53, 50, { mode = "m" })
      forget(log)
      assert.equal("", tick(space, log))
      space:move(3, 52.75, 50)
      assert.equal("1: enter 3, 1: leave 2", tick(space, log))
      space:move(2, 51.5, 50)
      assert.equal("", tick(space, log))
      space:move(2, 51.25, 50)
      assert.equal("1: enter 2, 1: leave 3", tick(space, log))
    end)

    it("ranks importance before distance", function()
      local space, log = new_scene(row, { limit = 1 }, 1, 7)
      space:set_importance(3, 1)
      assert.equal("1: enter 3", tick(space, log))
      space:update_all({ 2, 51, 50 }, { importance = 255 })
      assert.equal("1: enter 2, 1: leave 3", tick(space, log))
      space:set_importance(2, 0.0)
      assert.equal("1: enter 3, 1: leave 2", tick(space, log))
    end)

    it("lets in as many as enter_budget, and withholds no leave", function()
      local space, log = new_scene(row, { enter_budget = 2 }, 3, 1, 2)
      assert.equal("1: enter 3, 1: enter 4", tick(space, log))
      assert.equal("1: enter 2", tick(space, log))
      assert.equal("", tick(space, log))
      space:set_layers(2, 0)
      space:set_layers(3, 0)
      space:set_layers(4, 0)
      assert.equal("1: leave 2, 1: leave 3, 1: leave 4", tick(space, log))
    end)

    it("tells steps as often as rates say", function()
      local space, log = new_scene(row, { rates = { { 2, 1 }, { 5, 2 }, { math.huge, 3 } } }, 2, 5, 5.25)
      space:tick()
      forget(log)
      local texts = ticks(space, log, 6, function(number)
        local side = number % 2 == 0 and 1 or -1
        space:move(2, 50 + 2 * side, 50)
        space:move(3, 50 + 3 * side, 54)
        space:move(4, 50 + 5.25 * side, 50)
      end)
      assert.same({
        "1: move 2", "1: move 2, 1: move 3", "1: move 2, 1: move 4",
        "1: move 2, 1: move 3", "1: move 2", "1: move 2, 1: move 3, 1: move 4",
      }, texts)
    end)

    it("tells a step of the past when its time has come", function()
      local space, log = new_scene(row, { rates = { { math.huge, 3 } } }, 2)
      space:tick()
      forget(log)
      local texts = ticks(space, log, 4, function(number)
        space:move(2, number == 1 and 53 or 52, 50) -- there and back
      end)
      assert.same({ "", "", "1: move 2", "" }, texts)
    end)

    it("tells no steps in a ring of math.huge, until a nearer one makes them due", function()
      local space, log = new_scene(row, { rates = { { 5, 3 }, { math.huge, math.huge } } }, 10)
      assert.equal("1: enter 2", tick(space, log)) -- 1
      for _, number in ipairs { 2, 2 ^ 29, 2 ^ 29 + 2, 2 ^ 31, 2 ^ 32 + 1, 2 ^ 33, 2 ^ 50 } do
        space:move(2, 60, 50 + number % 7)
        space:tick(number)
        assert.equal("", told(log))
        local saved = space:save()
        assert.equal(saved, aoi.load(saved):save())
      end
      space:move(2, 55, 50)
      assert.equal("1: move 2", tick(space, log))
      space:move(2, 60, 50)
      assert.equal("", tick(space, log))
      assert.equal("", tick(space, log))
      assert.equal("1: move 2", tick(space, log)) -- it waited when the nearer ring's period ended
      space:move(2, 60, 51)
      assert.equal("", tick(space, log))
    end)

    it("counts the longest period to its last tick, whatever is saved in between", function()
      local space, log = new_scene(row, { rates = { { math.huge, 2 ^ 29 } } }, 3)
      space:tick(1000)
      forget(log)
      space:move(2, 52, 50)
      space:tick(1001)
      space:tick(2 ^ 29 + 999)
      assert.equal("", told(log))
      local loaded = {}
      local copy = aoi.load(space:save(), { on_event = function(_, _, op) loaded[#loaded + 1] = op end })
      space:tick()
      copy:tick()
      assert.equal("1: move 2", told(log))
      assert.same({ "move" }, loaded)
    end)

    it("takes steps that were due more than 2^30 ticks ago for equally old", function()
      for late, first in pairs { [2 ^ 30 + 3] = 3, [2 ^ 30 + 4] = 2, [2 ^ 33 + 3] = 2 } do
        local space, log = new_scene(row, { move_budget = 1 }, 3, 4)
        space:tick()
        space:move(2, 53, 51)
        space:tick()
        forget(log)
        space:move_all { 2, 53, 52, 3, 54, 52 } -- due since ticks 3 and 2
        space:tick(late)
        assert.equal("1: move " .. first, told(log))
        assert.equal("1: move " .. 5 - first, tick(space, log))
      end
    end)

    it("tells as many steps as budget, in turn", function()
      local space, log = new_scene(row, { move_budget = 2 }, 1, 2, 3)
      space:tick()
      forget(log)
      local texts = ticks(space, log, 3, function(number)
        space:move_all { 2, 51, 50 + number, 3, 52, 50 + number, 4, 53, 50 + number }
      end)
      assert.same({ "1: move 2, 1: move 3", "1: move 2, 1: move 4", "1: move 2, 1: move 3" }, texts)
    end)

    it("tells always of those who are pinned, while they are seen", function()
      local space, log = new_scene(row, { limit = 1 }, 1, 2)
      space:pin(1, 3)
      space:pin(1, 9) -- nobody yet
      space:pin(1, 1)
      assert.equal("1: enter 2, 1: enter 3", tick(space, log))
      space:enter(9, 57, 57, { mode = "m" })
      assert.equal("1: enter 9", tick(space, log))
      space:leave(9)
      assert.equal("1: leave 9", tick(space, log))
      space:enter(9, 57, 57, { mode = "m" })
      assert.equal("1: enter 9", tick(space, log))
      space:move(9, 90, 90)
      assert.equal("1: leave 9", tick(space, log))
      space:unpin(1, 3)
      space:unpin(1, 77)
      assert.equal("1: leave 3", tick(space, log))
    end)

    it("ends pins when the watcher leaves", function()
      local space, log = new_scene(row, { limit = 0 }, 1)
      space:pin(1, 2)
      assert.equal("1: enter 2", tick(space, log))
      space:leave(1)
      space:enter(1, 50, 50, { mode = "w" })
      assert.equal("1: leave 2", tick(space, log))
    end)

    it("tells of one who was touched as of one who moved", function()
      local space, log = new_scene(row, { limit = 1 }, 1, 2)
      space:tick()
      forget(log)
      space:touch(2)
      space:touch(3)
      assert.equal("1: move 2", tick(space, log))
      assert.equal("", tick(space, log))
      space:touch(2)
      space:leave(2)
      space:enter(2, 51, 50, { mode = "m" })
      assert.equal("1: move 2", tick(space, log))
      space:enter(4, 50, 50, { mode = "m", importance = 1 })
      space:touch(4)
      assert.equal("1: enter 4, 1: leave 2", tick(space, log))
      assert.equal("", tick(space, log))
    end)

    it("answers who was told of whom at the last tick", function()
      local space = new_scene(row, { limit = 1 }, 1, 2)
      assert.equal("", told_ids(space, 1))
      space:tick()
      assert.equal("2", told_ids(space, 1))
      assert.equal("", told_ids(space, 2))
      assert.equal("1", record.ids(space:told_watchers_of(2)))
      assert.equal("", record.ids(space:told_watchers_of(3)))
      space:leave(2)
      assert.equal("2", told_ids(space, 1)) -- though it is gone
      assert.is_false(pcall(space.told_watchers_of, space, 2))
      local filled = { 7, 7, 7 }
      local list, n = space:told_markers_of(1, filled)
      assert.equal(filled, list)
      assert.same({ 2, nil, 7 }, list)
      assert.equal(1, n)
      local rows, rows_n = space:told_markers_of(1, "packed")
      assert.equal(("<i8"):pack(2), rows)
      assert.equal(1, rows_n)
      rows = space:told_watchers_of(3, "packed")
      assert.equal("", rows)
    end)

    it("explains", function()
      local space = new_scene(row, { limit = 1 }, 1, 2, 3)
      space:enter(8, 50, 50, { layers = 2, sees_layers = 2 })
      space:enter(9, 90, 90)
      assert.equal("waits", explained(space, 1, 8))
      assert.equal("limit 3", explained(space, 1, 3))
      space:tick()
      assert.equal("told", explained(space, 1, 8))
      assert.equal("limit 2", explained(space, 1, 2))
      space:move(3, 90, 51)
      assert.equal("range", explained(space, 1, 3))
      assert.equal("range", explained(space, 1, 9))
      assert.equal("layer", explained(space, 8, 9))
      assert.equal("mode", explained(space, 8, 1))
      assert.equal("mode", explained(space, 2, 3))
      assert.equal("self", explained(space, 2, 2))
      assert.equal("unknown", explained(space, 1, 77))
      assert.equal("unknown", explained(space, 77, 77))
      space:pin(1, 4)
      assert.equal("waits", explained(space, 1, 4))
    end)

    it("keeps pairs of those who leave and come back before the tick, with their times", function()
      local space, log = new_scene(row, { rates = { { math.huge, 3 } } }, 1)
      space:tick()
      forget(log)
      local texts = ticks(space, log, 4, function(number)
        if number == 1 then
          space:leave(2)
          space:enter(2, 52, 50, { mode = "m" })
        elseif number == 2 then
          space:leave(1)
          space:enter(1, 50, 50, { mode = "w" })
        end
      end)
      assert.same({ "", "", "1: move 2", "" }, texts)
    end)

    it("goes on the same whether anybody listens or not", function()
      local space, log = new_scene(row, { limit = 1, rates = { { math.huge, 3 } } }, 1, 2)
      local handler = { on_event = function(watcher, marker, op)
        log[#log + 1] = record.text(watcher, marker, op)
      end }
      space:on {}
      space:tick() -- 1: enter 2
      space:move(2, 51, 51)
      space:on { on_move = error }
      space:tick()
      assert.equal("2", told_ids(space, 1))
      space:on(handler)
      assert.equal("", tick(space, log))
      assert.equal("1: move 2", tick(space, log)) -- 4
      space:on {}
      space:set_limit(1, 2)
      space:tick()
      space:on(handler)
      assert.equal("", tick(space, log))
      assert.equal("2 3", told_ids(space, 1))
    end)

    it("hears by every kind of handler, and by drain", function()
      local heard = {}
      local options = { deferred = true, limit = 1, collect = true }
      function options.on_view(watcher, left, nl, entered, ne, moved, nm)
        heard[#heard + 1] = ("view of %d: %s/%s/%s"):format(watcher, record.ids(left, nl),
          record.ids(entered, ne), record.ids(moved, nm))
      end
      function options.on_markers(watcher, op, markers, n)
        heard[#heard + 1] = ("%s to %d: %s"):format(op, watcher, record.ids(markers, n))
      end
      function options.on_watchers(marker, op, watchers, n)
        heard[#heard + 1] = ("%s of %d: %s"):format(op, marker, record.ids(watchers, n))
      end
      local space = row.new(options)
      space:enter(1, 50, 50, { mode = "w", limit = 2 })
      space:enter(2, 51, 50, { mode = "m" })
      space:enter(3, 52, 50, { mode = "m" })
      space:tick()
      space:leave(2)
      space:move(3, 53, 50)
      space:enter(4, 53, 50, { mode = "m" })
      space:tick()
      table.sort(heard)
      assert.same({
        "enter to 1: 2 3", "enter to 1: 4", "leave to 1: 2", "move of 3: 1", "view of 1: /2 3/",
        "view of 1: 2/4/3",
      }, heard)
      local events, n = space:drain({})
      assert.equal(5, n)
      assert.equal("move", events[15])
      assert.equal(3, events[14])
    end)

    it("is loaded as it was saved, times, pins, touches and all", function()
      local options = { limit = 1, keep_factor = 3, move_budget = 5, enter_budget = 4,
        rates = { { math.huge, 3 } } }
      local space = new_scene(row, options, 1, 4)
      space:pin(1, 3)
      space:set_importance(2, 7)
      space:tick()
      space:move(2, 52, 50)
      space:tick()
      space:touch(3)
      local log, handler = record.log()
      local saved = space:save()
      local loaded = aoi.load(saved, { on_event = handler })
      assert.equal(saved, loaded:save())
      assert.equal("2 3", told_ids(loaded, 1))
      local texts = ticks(loaded, log, 3, function() end)
      assert.same({ "", "1: move 2, 1: move 3", "" }, texts)
      loaded:leave(3)
      loaded:enter(4, 50, 50, { mode = "m" })
      loaded:enter(3, 54, 50, { mode = "m" })
      assert.equal("limit 2", explained(loaded, 1, 4)) -- 2 is important
      assert.equal("", tick(loaded, log))
    end)

    it("goes on, once loaded, to whom it was not told of", function()
      local space = new_scene(row, { limit = 1 }, 1, 4)
      space:tick()
      local log, handler = record.log()
      local loaded = aoi.load(space:save(), { on_event = handler })
      loaded:set_limit(1, 2)
      loaded:move(3, 53, 51)
      assert.equal("1: enter 3", tick(loaded, log))
    end)

    it("forgets told sets and pins with clear", function()
      local space, log = new_scene(row, { limit = 0 }, 1)
      space:pin(1, 2)
      space:tick()
      forget(log)
      space:clear()
      space:enter(1, 50, 50)
      space:enter(2, 51, 50)
      assert.equal("", tick(space, log))
      assert.equal("", told_ids(space, 1))
    end)

    it("takes calls of a tick's handlers for the next tick", function()
      local log, space = {}, nil
      space = row.new { deferred = true, limit = 1, on_event = function(watcher, marker, op)
        log[#log + 1] = record.text(watcher, marker, op)
        if op == "enter" then
          space:set_limit(watcher, 2)
          space:touch(marker)
          space:pin(watcher, 4)
        end
      end }
      space:enter(1, 50, 50, { mode = "w" })
      for id = 2, 4 do
        space:enter(id, 49 + id, 50, { mode = "m" })
      end
      assert.equal("1: enter 2", tick(space, log))
      assert.equal("1: enter 3, 1: enter 4, 1: move 2", tick(space, log))
      assert.equal("1: move 3, 1: move 4", tick(space, log))
    end)

    it("takes only whole numbers, factors and rings that mean something", function()
      local big = 2 ^ 31
      local wrong = {
        limit = { -1, 1.5, big, 0 / 0, -math.huge, "5", true, {}, print },
        enter_budget = { 0, -1, 1.5, big, math.huge, "5", true, {}, print },
        move_budget = { 0, -1, 1.5, big, math.huge, "5", true, {}, print },
        keep_factor = { 0.5, 1001, -2, 0 / 0, math.huge, "5", true, {}, print },
        limit_layers = { -2, 2 ^ 32, 1.5, "5", true, {}, print },
        rates = {
          5, "x", true, print, {}, { 5 }, { {} }, { { math.huge } }, { { math.huge, 0 } },
          { { math.huge, 1.5 } }, { { math.huge, 2 ^ 29 + 1 } }, { { math.huge, "1" } },
          { { math.huge, math.maxinteger } }, { { math.huge, -math.huge } }, { { math.huge, 0 / 0 } },
          { { 5, math.huge }, { math.huge, 1 } },
          { { -1, 1 }, { math.huge, 1 } }, { { 0 / 0, 1 }, { math.huge, 1 } },
          { { "5", 1 }, { math.huge, 1 } }, { { 5, 1 } }, { { 5, 1 }, { 5, 2 }, { math.huge, 3 } },
          { { 6, 1 }, { 5, 2 }, { math.huge, 3 } }, { { 5, 2 }, { math.huge, 1 } },
          { { math.huge, 1 }, { math.huge, 2 } },
        },
      }
      for name, values in pairs(wrong) do
        for _, value in ipairs(values) do
          local options = { deferred = true, limit = 1, [name] = value }
          local ok, message = pcall(row.new, options)
          assert.is_false(ok, name .. " = " .. tostring(value))
          assert.truthy(message:find("option " .. name, 1, true), message)
          assert.truthy(message:find("expected", 1, true), message)
        end
      end
      for name, values in pairs {
        limit = { 0, 5.0, big - 1, math.huge }, enter_budget = { 1, 5.0, big - 1 },
        move_budget = { 1, 5.0, big - 1 }, keep_factor = { 1, 1000, 1.0001 }, limit_layers = { 0, -1, 3.0 },
        rates = {
          { { math.huge, 1 } }, { { 0, 1 }, { 5, 1 }, { math.huge, 2.0 } },
          { { 5, 2 ^ 29 }, { 6, 1 << 29 }, { 7, math.huge }, { math.huge, math.huge } },
        },
      } do
        for _, value in ipairs(values) do
          row.new { deferred = true, limit = 1, [name] = value }:close()
        end
      end
    end)

    it("takes only traits that mean something, and changes nothing else", function()
      local space, log = new_scene(row, { limit = 1 }, 1, 2)
      for name, values in pairs {
        limit = { -1, 1.5, 2 ^ 31, 0 / 0, "5", true, print },
        importance = { -1, 256, 1.5, math.huge, 0 / 0, "5", true, print },
      } do
        for _, value in ipairs(values) do
          for method, arguments in pairs {
            ["set_" .. name] = { 1, value },
            enter = { 7, 50, 50, { [name] = value } },
            update = { 1, 50, 50, { [name] = value } },
            enter_all = { { 7, 50, 50 }, { [name] = value } },
            update_all = { { 7, 50, 50 }, { [name] = value } },
          } do
            local ok, message = pcall(space[method], space, table.unpack(arguments))
            assert.is_false(ok, method .. " with " .. name .. " = " .. tostring(value))
            assert.equal(1, message:find(method .. ": ", 1, true), message)
            assert.truthy(message:find(name .. " is ", 1, true), message)
            assert.truthy(message:find("expected a whole number from 0 to ", 1, true), message)
          end
        end
      end
      assert.equal("1: enter 2", tick(space, log))
      assert.is_false(space:has(7))
    end)

    it("refuses ids that are not inside, except those of pins", function()
      local space, log = new_scene(row, { limit = 1 }, 1)
      for method, arguments in pairs {
        set_limit = { 9, 1 }, set_importance = { 9, 1 }, pin = { 9, 1 }, unpin = { 9, 1 }, touch = { 9 },
        told_markers_of = { 9 }, told_watchers_of = { 9 },
      } do
        local ok, message = pcall(space[method], space, table.unpack(arguments))
        assert.is_false(ok)
        assert.equal(method .. ": id 9 is not in the space", message:match(method .. ".*"))
        for _, wrong in ipairs { "1", 1.5, true, {} } do
          ok, message = pcall(space[method], space, wrong, arguments[2])
          assert.is_false(ok)
          assert.truthy(message:find(method .. ": ", 1, true), message)
          assert.truthy(message:find("expected an integer", 1, true), message)
        end
      end
      for _, method in ipairs { "pin", "unpin", "explain" } do
        for _, wrong in ipairs { "1", 1.5, true, {} } do
          local ok, message = pcall(space[method], space, 1, wrong)
          assert.is_false(ok)
          assert.truthy(message:find(method .. ": marker is ", 1, true), message)
        end
      end
      space:pin(1, 1 << 40)
      space:unpin(1.0, -1)
      assert.equal("1: enter 2", tick(space, log))
    end)

    it("is not where one of its options or calls is given in a space that is none", function()
      for name, value in pairs {
        limit = 1, enter_budget = 1, move_budget = 1, rates = { { math.huge, 1 } }, keep_factor = 2,
        limit_layers = 1,
      } do
        local ok, message = pcall(row.new, { [name] = value })
        assert.is_false(ok)
        assert.truthy(message:find("option " .. name, 1, true), message)
        assert.truthy(message:find("deferred", 1, true), message)
      end
      for name, value in pairs { keep_factor = 2, limit_layers = 1 } do
        local ok, message = pcall(row.new, { deferred = true, [name] = value })
        assert.is_false(ok)
        assert.truthy(message:find("option " .. name, 1, true), message)
        assert.truthy(message:find("enter_budget", 1, true), message)
      end
      for _, deferred in ipairs { true, false } do
        local space = row.new { deferred = deferred }
        space:enter(1, 50, 50)
        for _, call in ipairs {
          { "set_limit", 1, 1 }, { "set_importance", 1, 1 }, { "pin", 1, 2 }, { "unpin", 1, 2 },
          { "enter", 7, 50, 50, { limit = 1 } }, { "enter", 7, 50, 50, { importance = 0 } },
          { "update", 1, 50, 50, { limit = 1 } }, { "enter_all", { 7, 50, 50 }, { importance = 1 } },
          { "update_all", { 1, 50, 50 }, { importance = 1 } },
        } do
          local ok, message = pcall(space[call[1]], space, table.unpack(call, 2))
          assert.is_false(ok, call[1])
          assert.equal(1, message:find(call[1] .. ": ", 1, true), message)
          assert.truthy(message:find("crowd", 1, true), message)
        end
        assert.equal(1, #space)
      end
    end)
  end)

  describe("a space of " .. row.name .. " that is no crowd", function()
    it("answers who was told and why", function()
      local space = row.new { deferred = true }
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 51, 50, { mode = "m" })
      space:enter(3, 52, 50, { mode = "m" })
      assert.equal("", told_ids(space, 1))
      assert.equal("sees", explained(space, 1, 2))
      space:tick()
      space:move(3, 90, 90)
      space:leave(2)
      space:enter(4, 52, 50, { mode = "m" })
      assert.equal("2 3", told_ids(space, 1))
      assert.equal("1", record.ids(space:told_watchers_of(3)))
      assert.equal("", record.ids(space:told_watchers_of(4)))
      assert.equal("range", explained(space, 1, 3))
      assert.is_false(pcall(space.told_watchers_of, space, 2))
      space:leave(1)
      assert.equal("", record.ids(space:told_watchers_of(3)))
      space:enter(1, 50, 50, { mode = "w" })
      assert.equal("1", record.ids(space:told_watchers_of(3)))
      assert.equal("2 3", told_ids(space, 1))
    end)

    it("answers the same as its observers where nothing is deferred", function()
      local space = row.new()
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 51, 50)
      assert.equal("2", told_ids(space, 1))
      assert.equal("1", record.ids(space:told_watchers_of(2)))
      assert.equal("sees", explained(space, 1, 2))
      assert.equal("mode", explained(space, 2, 1))
      space:move(2, 90, 90)
      assert.equal("", told_ids(space, 1))
    end)
  end)
end

describe("a crowd space", function()
  it("judges by anchors where there is slack", function()
    local space, log = new_scene(engines.exact[1], { limit = 1, keep_factor = 1, slack = 2 }, 5, 6)
    assert.equal("1: enter 2", tick(space, log))
    space:move(2, 57, 50)
    space:move(3, 54, 50)
    assert.equal("1: move 2", tick(space, log))
    space:move(3, 53.75, 50)
    assert.equal("1: enter 3, 1: leave 2", tick(space, log))
  end)

  it("judges by three coordinates in three dimensions", function()
    for _, row in ipairs(engines.exact) do
      local space, log = record.space(row, { deferred = true, dims = 3, limit = 1 })
      space:enter(1, 50, 50, 0, { mode = "w" })
      space:enter(2, 51, 50, 5, { mode = "m" })
      space:enter(3, 53, 50, 3, { mode = "m" })
      assert.equal("1: enter 3", tick(space, log))
    end
  end)

  -- The factor is squared first. Another order rounds in another way, which shows where the two
  -- products differ and somebody who is told is just as far as one of them.
  it("multiplies with the square of keep_factor", function()
    local keep, shown = 1.1, 0
    local factor = keep * keep
    for distance = 0.5, 7, 0.0078125 do
      local d2 = distance * distance
      local right, other = d2 * factor, d2 * keep * keep
      local between = math.sqrt(math.max(right, other))
      if right ~= other and between * between == math.max(right, other) then
        local space, log = record.space(engines.exact[3], { deferred = true, limit = 1, keep_factor = keep })
        space:enter(1, 0, 0, { mode = "w" })
        space:enter(2, between, 0, { mode = "m" })
        space:tick()
        space:enter(3, distance, 0, { mode = "m" })
        forget(log)
        assert.equal(right < other and "1: enter 3, 1: leave 2" or "", tick(space, log))
        shown = shown + 1
      end
    end
    assert.is_true(shown > 20)
  end)
end)

describe("the message of a crowd", function()
  local function message_of(f, ...)
    local ok, message = pcall(f, ...)
    assert.is_false(ok)
    return (message:gsub("^[^:]*:%d+: ", ""))
  end
  local none = "the space is no crowd space (options limit, enter_budget, rates or move_budget of aoi.new " ..
    "make it one)"

  it("says what was given in a space that is none", function()
    local space = engines.exact[1].new { deferred = true }
    local given = "limit or importance is given, expected none: " .. none
    assert.equal("enter: " .. given, message_of(space.enter, space, 1, 5, 5, { limit = 5 }))
    assert.equal("update: " .. given, message_of(space.update, space, 1, 5, 5, { importance = 5 }))
    assert.equal("enter_all: " .. given, message_of(space.enter_all, space, { 1, 5, 5 }, { limit = 5 }))
    assert.equal("update_all: " .. given, message_of(space.update_all, space, { 1, 5, 5 }, { limit = 5 }))
    space:enter(1, 5, 5)
    assert.equal("set_limit: " .. none, message_of(space.set_limit, space, 1, 5))
    assert.equal("pin: " .. none, message_of(space.pin, space, 1, 2))
  end)

  it("says which ring is wrong", function()
    local function about(rates)
      return message_of(engines.exact[1].new, { deferred = true, rates = rates })
    end
    local list = "new: option rates is a table, expected a list of { bound, period }, both numbers, " ..
      "as in { { 20, 1 }, { math.huge, 5 } }"
    for _, wrong in ipairs {
      {}, { 20, 1 }, { { 20 } }, { { math.huge, 1, 7 } }, { { math.huge, "5" } }, { { "20", 1 } },
    } do
      assert.equal(list, about(wrong))
    end
    local many = {}
    for i = 1, 17 do
      many[i] = { i < 17 and i or math.huge, 1 }
    end
    assert.equal("new: option rates is a table, expected a list of at most 16 rings", about(many))
    assert.equal("new: option rates: the bound of ring 1 is -1, expected a number from 0 up",
      about { { -1, 1 }, { math.huge, 1 } })
    assert.equal("new: option rates: the bound of ring 2 is 5, expected more than that before",
      about { { 5, 1 }, { 5, 1 } })
    assert.equal("new: option rates: the period of ring 2 is 1, expected no less than that before",
      about { { 5, 2 }, { math.huge, 1 } })
    assert.equal("new: option rates: the period of ring 2 is 1, expected no less than that before",
      about { { 5, math.huge }, { math.huge, 1 } })
    for text, period in pairs {
      ["0"] = 0, ["1.5"] = 1.5, ["-inf"] = -math.huge, ["536870913"] = 2 ^ 29 + 1 | 0,
      ["9223372036854775807"] = math.maxinteger,
    } do
      assert.equal(("new: option rates: the period of ring 2 is %s, expected a whole number from 1 to " ..
        "536870912, or math.huge"):format(text), about { { 5, 1 }, { math.huge, period } })
    end
    assert.equal("new: option rates: the last bound is 5, expected infinity", about { { 5, 1 } })
  end)
end)
