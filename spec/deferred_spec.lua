-- Deferred spaces: nothing is told before a tick, which tells the net change since the last one.
local aoi = require "aoi"
local engines = require "spec.support.engines"
local record = require "spec.support.record"

local told, in_order, kinds, forget = record.told, record.in_order, record.kinds, record.forget

-- "9: 1 2 3" for a group of n; the ids sorted.
local function group(subject, list, n)
  assert.is_nil(list[n + 1])
  return ("%d: %s"):format(subject, record.ids(list, n))
end

-- A deferred space that hears enters and leaves alone, and its log.
local function without_moves(row, extra)
  local options = { deferred = true }
  for key, value in pairs(extra or {}) do
    options[key] = value
  end
  local log = {}
  for _, op in ipairs { "enter", "leave" } do
    options["on_" .. op] = function(watcher, marker)
      log[#log + 1] = record.text(watcher, marker, op)
    end
  end
  return row.new(options), log
end

for _, row in ipairs(engines.all) do
  describe("a deferred space of " .. row.name, function()
    local space, log

    before_each(function()
      space, log = record.space(row, { deferred = true })
    end)

    it("takes deferred as a boolean only", function()
      for _, wrong in ipairs { "yes", 1, 0, {}, print } do
        local ok, message = pcall(aoi.new, row.options { deferred = wrong })
        assert.is_false(ok)
        assert.is_truthy(message:find("deferred", 1, true), message)
        assert.is_truthy(message:find("expected", 1, true), message)
      end
      local usual, usual_log = record.space(row, { deferred = false })
      usual:enter(1, 50, 50)
      usual:enter(2, 51, 50)
      assert.equal("1: enter 2, 2: enter 1", told(usual_log))
    end)

    it("is the only one that ticks", function()
      for _, other in ipairs { row.new(), row.new { deferred = false } } do
        local ok, message = pcall(other.tick, other)
        assert.is_false(ok)
        assert.is_truthy(message:find("tick: the space is not deferred", 1, true), message)
      end
    end)

    it("finds those that stand still where they went before the last tick", function()
      for id = 1, 7 do
        space:enter(id, 10, 10)
      end
      space:enter(8, 50, 50)
      space:tick()
      for id = 1, 7 do
        space:move(id, 90, 90)
      end
      space:tick()
      forget(log)
      space:move(8, 89, 89)
      space:tick()
      assert.equal(14, #log)
    end)

    it("keeps nothing of those who come, move and go", function()
      local bytes
      for round = 1, 200 do
        space:enter(1, 50, 50)
        space:move(1, 51, 50)
        space:leave(1)
        bytes = bytes or space:stats().bytes
        assert.equal(bytes, space:stats().bytes, round)
      end
      space:enter(2, 52, 50)
      assert.same({ 2 }, space:query_rect(0, 0, 100, 100))
    end)

    it("tells nothing before the tick, and returns nothing", function()
      space:enter(1, 50, 50)
      space:enter(2, 51, 50)
      space:move(2, 52, 50)
      space:flush()
      assert.equal("", told(log))
      assert.equal(0, space:pending())
      assert.equal(0, select("#", space:tick()))
      assert.equal("1: enter 2, 2: enter 1", told(log))
      space:tick()
      assert.equal("", told(log))
    end)

    it("answers questions about now", function()
      space:enter(1, 50, 50)
      space:tick()
      space:enter(2, 51, 50)
      assert.is_true(space:sees(1, 2))
      assert.equal("2", record.ids(space:markers_of(1)))
      assert.equal("1 2", record.ids(space:query_rect(0, 0, 100, 100)))
      space:move(2, 90, 90)
      assert.is_false(space:sees(1, 2))
      assert.equal("", record.ids(space:watchers_of(2)))
      assert.same({ 90, 90 }, { space:position(2) })
      space:leave(2)
      assert.is_false(space:has(2))
      assert.equal(1, #space)
    end)

    for _, question in ipairs { "markers_of", "watchers_of" } do
      it(question .. " knows of a move that nothing has been searched for since", function()
        space:enter(1, 50, 50)
        space:enter(2, 90, 90)
        space:tick()
        space:move(2, 51, 50)
        assert.equal("2", record.ids(space[question](space, 1)))
      end)
    end

    it("tells nothing of who went and came back, also when nobody listens for moves", function()
      local quiet, heard = without_moves(row)
      quiet:enter(1, 5, 5)
      quiet:enter(2, 25, 5)
      quiet:tick()
      quiet:move(1, 15, 5) -- sees 2, or touches its cell
      quiet:move(1, 5, 5)
      quiet:tick()
      assert.equal("", told(heard))
      assert.is_false(quiet:sees(1, 2))
    end)

    it("tells of other layers and modes also when nobody listens for moves", function()
      local changes = {
        { "set_layers", 2, 2, "leave" }, { "set_layers", 2, 1, "enter" },
        { "set_sees_layers", 1, 2, "leave" }, { "set_sees_layers", 1, 3, "enter" },
        { "set_mode", 2, "w", "leave" }, { "set_mode", 2, "m", "enter" },
      }
      local quiet, heard = without_moves(row)
      quiet:enter(1, 50, 50, { mode = "w", sees_layers = 1 })
      quiet:enter(2, 51, 50, { mode = "m" })
      quiet:tick()
      for _, change in ipairs(changes) do
        local method, id, value, op = table.unpack(change)
        forget(heard)
        quiet[method](quiet, id, value)
        quiet:tick()
        assert.equal(("1: %s 2"):format(op), told(heard))
      end
    end)

    if row.exact then
      it("tells of steps in height also when nobody listens for moves", function()
        local tall, heard = without_moves(row, { dims = 3 })
        tall:enter(1, 50, 50, 0, { mode = "w" })
        tall:enter(2, 51, 50, 0, { mode = "m" })
        tall:tick()
        forget(heard)
        tall:move(2, 51, 50, 30)
        tall:tick()
        assert.equal("1: leave 2", told(heard))
        forget(heard)
        tall:move(2, 51, 50, 5)
        tall:tick()
        assert.equal("1: enter 2", told(heard))
      end)

      it("tells of short steps apart: who was near is out of view", function()
        local quiet, heard = without_moves(row)
        quiet:enter(1, 50, 50, { mode = "w" })
        quiet:enter(2, 58.2, 50, { mode = "m" })
        quiet:tick()
        forget(heard)
        quiet:move(1, 49, 50)
        quiet:move(2, 59.2, 50)
        quiet:tick()
        assert.equal("1: leave 2", told(heard))
      end)

      it("tells of no step where all see all, and of who comes and goes", function()
        local endless, heard = without_moves(row, { radius = math.huge })
        endless:enter_all { 1, 10, 10, 2, 50, 50, 3, 90, 90 }
        endless:tick()
        assert.equal(6, #heard)
        forget(heard)
        endless:move_all { 1, 12, 10, 2, 50, 53, 3, 88, 90 }
        endless:tick()
        assert.equal("", told(heard))
        endless:move_all { 1, 10, 10, 2, 50, 50 }
        endless:leave(3)
        endless:tick()
        assert.equal("1: leave 3, 2: leave 3, 3: leave 1, 3: leave 2", told(heard))
      end)

      it("tells of a short step past the border of a circle", function()
        local quiet, heard = without_moves(row, { shape = "circle" })
        quiet:enter(1, 50, 50, { mode = "w" })
        quiet:enter(2, 57, 57, { mode = "m" })
        quiet:tick()
        forget(heard)
        quiet:move(2, 57.5, 57.5)
        quiet:tick()
        assert.equal("1: leave 2", told(heard))
      end)

      it("with slack, knows a true place also after another one came and went", function()
        local slack, slack_log = record.space(row, { deferred = true, slack = 5 })
        slack:enter(1, 50, 50, { mode = "w" })
        slack:enter(2, 51, 50, { mode = "m" })
        slack:tick()
        forget(slack_log)
        slack:enter(3, 90, 90)
        slack:move(2, 52, 50)
        slack:leave(3)
        slack:move(2, 51, 50)
        slack:tick()
        assert.equal("", told(slack_log))
      end)
    end

    it("tells each view once, also where some ids are negative", function()
      local views = {}
      local seen = row.new {
        deferred = true,
        on_view = function(watcher, left, nl, entered, ne)
          views[#views + 1] = ("%d: -%s +%s"):format(watcher, record.ids(left, nl), record.ids(entered, ne))
        end,
      }
      seen:enter(1, 50, 50, { mode = "w", sees_layers = 1 })
      seen:enter(-1, 50, 50, { mode = "w" })
      seen:enter(10, 51, 50, { mode = "m" })
      seen:tick()
      views = {}
      seen:leave(10)
      seen:enter(20, 51, 50, { mode = "m", layers = 2 })
      seen:tick()
      table.sort(views)
      assert.same({ "-1: -10 +20", "1: -10 +" }, views)
    end)

    it("tells one move for many steps, and none for a way there and back", function()
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 51, 50, { mode = "m" })
      space:tick()
      assert.equal("1: enter 2", told(log))
      for i = 1, 5 do
        space:move(2, 51 + i / 10, 50)
      end
      space:tick()
      assert.equal("1: move 2", told(log))
      space:move(2, 90, 90)
      space:move(2, 51.5, 50)
      space:move(1, 50, 50)
      space:tick()
      assert.equal("", told(log))
    end)

    it("tells a move of one that was touched, wherever it stands", function()
      space:enter(1, 50, 50)
      space:enter(2, 51, 50)
      space:touch(2) -- nobody was told of it before
      space:tick()
      assert.equal("1: enter 2, 2: enter 1", told(log))
      forget(log)
      space:touch(2)
      space:tick()
      assert.equal("1: move 2", told(log))
      forget(log)
      space:tick()
      space:touch(1)
      space:leave(1)
      space:enter(1, 50, 50) -- the touch is of the id
      space:touch(2)
      space:move(2, 52, 50)
      space:move(2, 51, 50)
      space:tick()
      assert.equal("1: move 2, 2: move 1", told(log))
      space:touch(1)
      space:leave(1)
      forget(log)
      space:tick()
      assert.equal("1: leave 2, 2: leave 1", told(log))
    end)

    it("refuses to touch who is not inside, as every other space does", function()
      for other, expected in pairs {
        [space] = "touch: id 9 is not in the space",
        [row.new()] = "touch: the space is not deferred",
      } do
        local ok, message = pcall(other.touch, other, 9)
        assert.is_false(ok)
        assert.is_truthy(message:find(expected, 1, true), message)
        ok, message = pcall(other.touch, other, "1")
        assert.is_false(ok)
        assert.is_truthy(message:find("expected an integer", 1, true), message)
      end
    end)

    it("takes an id that left and came back for one that stayed", function()
      space:enter(1, 50, 50)
      space:enter(2, 51, 50)
      space:tick()
      forget(log)
      space:leave(2)
      space:enter(2, 51, 50)
      space:tick()
      assert.equal("", told(log))
      space:leave(2)
      space:enter(2, 51, 51, { mode = "m" })
      space:tick()
      assert.equal("1: move 2, 2: leave 1", told(log))
    end)

    it("is silent about one that came and left", function()
      space:enter(1, 50, 50)
      space:tick()
      space:enter(2, 51, 50)
      space:move(2, 52, 50)
      space:leave(2)
      space:tick()
      assert.equal("", told(log))
    end)

    it("tells of one that left for good, in both directions", function()
      space:enter(1, 50, 50)
      space:enter(2, 51, 50)
      space:tick()
      forget(log)
      space:move(2, 52, 50)
      space:leave(2)
      space:tick()
      assert.equal("1: leave 2, 2: leave 1", told(log))
    end)

    it("follows the setters", function()
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 51, 50, { mode = "m" })
      space:tick()
      forget(log)
      space:set_layers(2, 2)
      space:set_sees_layers(1, 1)
      space:tick()
      assert.equal("1: leave 2", told(log))
      space:set_sees_layers(1, 2)
      space:set_mode(1, "m")
      space:set_mode(1, "w")
      space:tick()
      assert.equal("1: enter 2", told(log))
    end)

    it("tells all leaves of a tick, then all enters, then all moves", function()
      for id = 1, 6 do
        space:enter(id, 50 + id / 10, 50)
      end
      space:tick()
      forget(log)
      space:move(1, 50, 51)
      space:enter(7, 51, 51)
      space:leave(2)
      space:move(3, 90, 90)
      space:enter(8, 90, 91)
      space:move(4, 50, 52)
      space:tick()
      local order = kinds(log)
      assert.is_truthy(order:find("^[leave ]+[enter ]+[move ]+$"), order)
      assert.is_falsy(order:find("enter leave") or order:find("move leave") or order:find("move enter"))
      assert.is_truthy(order:find("leave enter") and order:find("enter move"), order)
    end)

    it("takes batches whole or not at all", function()
      space:enter_all({ 1, 50, 50, 2, 51, 50, 3, 52, 50 })
      assert.has_error(function()
        space:move_all { 1, 50, 51, 77, 0, 0 }
      end)
      assert.has_error(function()
        space:leave_all { 3, 3 }
      end)
      space:tick()
      forget(log)
      assert.has_error(function()
        space:move_all { 1, 90, 90, 77, 0, 0 }
      end)
      assert.has_error(function()
        space:leave_all { 3, 77 }
      end)
      space:tick()
      assert.equal("", told(log))
      space:leave_all { 3 }
      space:move_all { 1, 50, 51, 1, 50, 52 }
      space:tick()
      assert.equal("1: leave 3, 2: leave 3, 2: move 1, 3: leave 1, 3: leave 2", told(log))
    end)

    it("lets all leave at once where nobody has changed before", function()
      local rows, ids = {}, {}
      for id = 1, 100 do
        ids[id] = id
        table.move({ id, 50, 50 }, 1, 3, #rows + 1, rows)
      end
      space:enter_all(rows)
      space:tick()
      space = aoi.load(space:save()) -- with room for no changes yet
      space:leave_all(ids)
      local left = 0
      space:on { on_leave = function() left = left + 1 end }
      space:tick()
      assert.equal(100 * 99, left)
    end)

    if row.map then
      it("takes a batch back that passed over unknown ids before it failed", function()
        space:enter_all({ 1, 50, 50, 2, 51, 50 })
        space:tick()
        forget(log)
        assert.has_error(function()
          space:move_all({ 77, 0, 0, 1, 90, 90, 77, 0, 0, 2, -1, 0 }, 4, "skip")
        end)
        assert.same({ 50, 50 }, { space:position(1) })
        space:tick()
        assert.equal("", told(log))
      end)
    end

    it("forgets everything with clear", function()
      space:enter(1, 50, 50)
      space:enter(2, 51, 50)
      space:tick()
      forget(log)
      space:move(2, 52, 50)
      space:clear()
      space:tick()
      assert.equal("", told(log))
      space:enter(1, 50, 50)
      space:enter(2, 51, 50)
      space:clear()
      space:enter(1, 50, 50)
      space:tick()
      assert.equal("", told(log))
    end)

    it("leaves the calls of a tick's handlers to the next tick", function()
      local calls = 0
      space:on {
        on_event = function(watcher, marker, op)
          log[#log + 1] = record.text(watcher, marker, op)
          if op == "enter" and calls == 0 then
            calls = calls + 1
            space:leave(marker)
            space:enter(3, 52, 50, { mode = "m" })
          end
        end,
      }
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 51, 50, { mode = "m" })
      space:tick()
      assert.equal("1: enter 2", told(log))
      assert.is_false(space:has(2))
      space:tick()
      assert.equal("1: leave 2, 1: enter 3", in_order(log))
    end)

    it("lets a handler tick: flat, after it", function()
      local depth = 0
      space:on {
        on_event = function(watcher, marker, op)
          depth = depth + 1
          assert.equal(1, depth)
          log[#log + 1] = record.text(watcher, marker, op)
          if op ~= "leave" then
            space:leave(marker)
            space:tick()
          end
          depth = depth - 1
        end,
      }
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 51, 50, { mode = "m" })
      space:tick()
      assert.equal("1: enter 2, 1: leave 2", in_order(log))
    end)

    it("closes and clears in a handler of the tick", function()
      for _, method in ipairs { "clear", "close" } do
        local heard = 0
        local other
        other = row.new {
          deferred = true,
          on_event = function()
            heard = heard + 1
            other[method](other)
          end,
        }
        other:enter_all { 1, 50, 50, 2, 51, 50, 3, 52, 50 }
        other:tick()
        assert.equal(1, heard)
      end
    end)

    it("keeps the rest of a tick when a handler raises", function()
      local heard = 0
      local other = row.new {
        deferred = true,
        on_event = function()
          heard = heard + 1
          if heard == 1 then
            error("first", 0)
          end
        end,
      }
      other:enter_all { 1, 50, 50, 2, 51, 50, 3, 52, 50 }
      local ok, message = pcall(other.tick, other)
      assert.is_false(ok)
      assert.equal("first", message)
      assert.equal(5, other:pending())
      other:flush()
      assert.equal(6, heard)
      other:tick()
      assert.equal(6, heard)
    end)

    it("tells whoever listens when it ticks", function()
      local quiet = row.new { deferred = true }
      quiet:enter(1, 50, 50, { mode = "w" })
      quiet:enter(2, 51, 50, { mode = "m" })
      local heard, handler = record.log()
      quiet:on { on_event = handler }
      quiet:tick()
      assert.equal("1: enter 2", told(heard))
      quiet:move(2, 52, 50)
      quiet:on {}
      quiet:tick()
      quiet:on { on_event = handler }
      quiet:tick()
      assert.equal("", told(heard))
    end)

    it("collects what a tick tells", function()
      local other = row.new { deferred = true, collect = { "leave", "move" } }
      other:enter(1, 50, 50, { mode = "w" })
      other:enter(2, 51, 50, { mode = "m" })
      other:tick()
      other:move(2, 52, 50)
      local events, n = other:drain {}
      assert.equal(0, n)
      other:tick()
      events, n = other:drain(events)
      assert.equal(1, n)
      assert.same({ 1, 2, "move" }, events)
    end)

    describe("with groups", function()
      local groups

      local function on_watchers(marker, op, watchers, n)
        groups[#groups + 1] = op .. " of " .. group(marker, watchers, n)
      end

      local function on_markers(watcher, op, markers, n)
        groups[#groups + 1] = op .. " to " .. group(watcher, markers, n)
      end

      local function on_view(watcher, left, left_n, entered, entered_n, moved, moved_n)
        groups[#groups + 1] = ("%d: left %s, entered %s, moved %s"):format(watcher,
          record.ids(left, left_n), record.ids(entered, entered_n), record.ids(moved, moved_n))
      end

      -- The events of a tick in which 1 and 2 watch, 3 leaves, 4 enters, 5 and 6 move.
      local function tell_tick(handlers)
        groups = {}
        handlers.deferred = true
        local other = row.new(handlers)
        other:enter_all({ 1, 50, 50, 2, 51, 50 }, { mode = "w" })
        other:enter_all({ 3, 50, 51, 5, 51, 51, 6, 52, 51 }, { mode = "m" })
        other:tick()
        groups = {}
        other:enter(4, 52, 52, { mode = "m" })
        other:move_all { 5, 51, 52, 6, 52, 51.5 }
        other:leave(3)
        other:tick()
        table.sort(groups)
        return groups
      end

      it("makes one group of a watcher and op for on_markers alone", function()
        assert.same({
          "enter to 1: 4", "enter to 2: 4", "leave to 1: 3", "leave to 2: 3",
          "move to 1: 5 6", "move to 2: 5 6",
        }, tell_tick { on_markers = on_markers })
      end)

      it("makes one group of a marker and op for on_watchers alone", function()
        assert.same({
          "enter of 4: 1 2", "leave of 3: 1 2", "move of 5: 1 2", "move of 6: 1 2",
        }, tell_tick { on_watchers = on_watchers })
      end)

      it("gives moves to on_watchers and the rest to on_markers when both are set", function()
        assert.same({
          "enter to 1: 4", "enter to 2: 4", "leave to 1: 3", "leave to 2: 3",
          "move of 5: 1 2", "move of 6: 1 2",
        }, tell_tick { on_markers = on_markers, on_watchers = on_watchers })
      end)

      it("groups anew for each kind of handler", function()
        assert.same({
          "1: left 3, entered 4, moved 5 6", "2: left 3, entered 4, moved 5 6",
          "enter to 1: 4", "enter to 2: 4", "leave to 1: 3", "leave to 2: 3",
          "move of 5: 1 2", "move of 6: 1 2",
        }, tell_tick { on_view = on_view, on_markers = on_markers, on_watchers = on_watchers })
      end)

      it("groups anew and keeps the tick that waits behind", function()
        local heard = {}
        local other = row.new { deferred = true }
        for id = 1, 3 do
          other:enter(id, 50, 50, { mode = "w" })
        end
        other:enter(8, 50, 50, { mode = "m" })
        other:enter(9, 50, 50, { mode = "m" })
        local is_first = true
        other:on {
          on_watchers = function(marker, op, watchers, n)
            heard[#heard + 1] = ("%s %s"):format(op, group(marker, watchers, n))
            if is_first then
              is_first = false
              other:leave(8)
              other:leave(9)
              other:tick()
              other:on { on_markers = function(watcher, kind, markers, count)
                heard[#heard + 1] = ("%s %s"):format(kind, group(watcher, markers, count))
              end }
            end
          end,
        }
        other:tick()
        assert.equal(0, other:pending())
        table.sort(heard)
        assert.same({
          "enter 8: 1 2 3", "enter 9: 1 2 3", "leave 1: 8 9", "leave 2: 8 9", "leave 3: 8 9",
        }, heard)
      end)

      it("keeps two ticks apart also when on{} drops what the second began with", function()
        local heard = {}
        local other
        local is_first = true
        other = row.new { deferred = true, on_event = function(_, first)
          heard[#heard + 1] = "old"
          if is_first then
            is_first = false
            for id = 10, 11 do
              other:leave(first)
              first = id
              other:enter(id, 50, 50, { mode = "m" })
              other:tick()
            end
            other:on { on_enter = function() end }
            other:on { on_markers = function(watcher, op, markers, n)
              heard[#heard + 1] = ("%s %s"):format(op, group(watcher, markers, n))
            end }
          end
        end }
        other:enter(1, 50, 50, { mode = "w" })
        other:enter(5, 50, 50, { mode = "m" })
        other:enter(6, 50, 50, { mode = "m" })
        other:tick()
        assert.same({ "old", "old", "enter 1: 10", "enter 1: 11" }, heard)
      end)

      it("groups anew when nothing but a move follows the views", function()
        groups = {}
        local other = row.new {
          deferred = true, on_view = on_view, on_markers = on_markers, on_watchers = on_watchers,
        }
        other:enter_all({ 1, 50, 50, 2, 51, 50 }, { mode = "w" })
        other:enter(3, 50, 51, { mode = "m" })
        other:tick()
        groups = {}
        other:move(3, 51, 51)
        other:tick()
        table.sort(groups)
        assert.same({
          "1: left , entered , moved 3", "2: left , entered , moved 3", "move of 3: 1 2",
        }, groups)
      end)

      it("gives each watcher one view", function()
        assert.same({
          "1: left 3, entered 4, moved 5 6", "2: left 3, entered 4, moved 5 6",
        }, tell_tick { on_view = on_view })
      end)
    end)
  end)
end

for _, row in ipairs(engines.exact) do
  describe("a deferred space of " .. row.name, function()
    it("follows set_radius and update", function()
      local space, log = record.space(row, { deferred = true })
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 58, 50, { mode = "m" })
      space:tick()
      assert.equal("1: enter 2", told(log))
      space:set_radius(1, 5)
      space:tick()
      assert.equal("1: leave 2", told(log))
      assert.is_false(space:update(1, 50, 50, { radius = 9 }))
      assert.is_true(space:update(3, 59, 50, { mode = "m" }))
      space:tick()
      assert.equal("1: enter 2, 1: enter 3", told(log))
    end)

    it("compares z too", function()
      local space, log = record.space(row, { deferred = true, dims = 3 })
      space:enter(1, 50, 50, 0, { mode = "w" })
      space:enter(2, 51, 50, 0, { mode = "m" })
      space:tick()
      forget(log)
      space:move(2, 51, 50, 1)
      space:tick()
      assert.equal("1: move 2", told(log))
      space:move(2, 51, 50, 11)
      space:tick()
      assert.equal("1: leave 2", told(log))
    end)
  end)
end

for _, row in ipairs(engines.mapped) do
  describe("a deferred space of " .. row.name, function()
    it("tells what set_bounds changes with the next tick", function()
      local space, log = record.space(row, { deferred = true })
      space:enter(1, 50, 50)
      space:enter(2, 75, 50)
      space:tick()
      assert.equal("", told(log))
      space:set_bounds(0, 0, 1000, 1000)
      assert.equal(not row.exact, space:sees(1, 2))
      assert.equal("", told(log))
      space:tick()
      assert.equal(row.exact and "" or "1: enter 2, 2: enter 1", told(log))
      space:set_bounds(0, 0, 100, 100)
      space:set_bounds(0, 0, 1000, 1000)
      space:tick()
      assert.equal("", told(log))
    end)
  end)
end

it("A tick allows for rounding: who goes out of view a million from others is told", function()
  local log = {}
  local space = aoi.new {
    engine = "crosslist", radius = 10, deferred = true,
    on_enter = function() end,
    on_leave = function(watcher, marker)
      log[#log + 1] = record.text(watcher, marker, "leave")
    end,
  }
  -- Floats are 1/16 apart there: halfway the two look as if they were 9 apart, not 9.06.
  space:enter(1, 1000000.46, 0)
  space:enter(2, 1000008.54, 0)
  for id = 3, 10 do
    space:enter(id, 0, id)
  end
  space:tick()
  space:move(1, 999999.48, 0)
  space:move(2, 1000009.52, 0)
  for id = 3, 10 do
    space:move(id, 0, id + 0.1)
  end
  space:tick()
  assert.equal("1: leave 2, 2: leave 1", told(log))
end)
