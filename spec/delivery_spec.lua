-- How events reach the handlers: flat, oldest first, from any call, through errors, and gathered.
local aoi = require "aoi"
local engines = require "spec.support.engines"
local record = require "spec.support.record"

local told, in_order, kinds, forget = record.told, record.in_order, record.kinds, record.forget

-- A crowd: camera-like watchers 1..n, all of which see whatever marker comes to (50, 50).
local function watch(space, n)
  for id = 1, n do
    space:enter(id, 50, 50, { mode = "w" })
  end
end

-- Calls f, n calls deep.
local function at_depth(n, f)
  if n == 0 then
    return f()
  end
  return (at_depth(n - 1, f))
end

local function fail_deep()
  error("deep", 0)
end

for _, row in ipairs(engines.all) do
  describe("delivery in " .. row.name, function()
    describe("from a handler", function()
      it("is flat: what a handler causes comes after it returns", function()
        local log, depth, deepest = {}, 0, 0
        local space
        space = row.new {
          on_event = function(watcher, marker, op)
            depth = depth + 1
            deepest = math.max(deepest, depth)
            log[#log + 1] = "begin " .. record.text(watcher, marker, op)
            if op == "enter" and marker == 9 then
              space:move(9, 51, 51)
              space:move(9, 90, 90)
              assert.is_false(space:sees(watcher, 9))
            end
            log[#log + 1] = "end " .. record.text(watcher, marker, op)
            depth = depth - 1
          end,
        }
        space:enter(1, 50, 50, { mode = "w" })
        space:enter(9, 50, 50, { mode = "m" })
        assert.same({
          "begin 1: enter 9", "end 1: enter 9",
          "begin 1: move 9", "end 1: move 9",
          "begin 1: leave 9", "end 1: leave 9",
        }, log)
        assert.equal(1, deepest)
      end)

      it("is flat also deep in calls, around the one that delivers and in the handler", function()
        for _, case in ipairs {
          { 0, 5 }, { 0, 29 }, { 0, 30 }, { 0, 31 }, { 0, 64 }, { 0, 1000 }, { 1000, 0 }, { 300, 300 },
          { 301, 300 }, { 300, 302 },
        } do
          local around, inside = table.unpack(case)
          local log, space = {}, nil
          space = row.new {
            on_event = function(watcher, marker, op)
              log[#log + 1] = "begin " .. record.text(watcher, marker, op)
              if op == "enter" then
                at_depth(inside, function() space:move(marker, 51, 51) end)
              end
              log[#log + 1] = "end " .. record.text(watcher, marker, op)
            end,
          }
          watch(space, 1)
          at_depth(around, function() space:enter(9, 50, 50, { mode = "m" }) end)
          assert.same({
            "begin 1: enter 9", "end 1: enter 9", "begin 1: move 9", "end 1: move 9",
          }, log)
        end
      end)

      it("survives a chain of 100,000 callbacks", function()
        local space
        local count, depth, deepest = 0, 0, 0
        space = row.new {
          on_move = function(_, marker)
            depth = depth + 1
            deepest = math.max(deepest, depth)
            count = count + 1
            if count < 100000 then
              space:move(marker, 50 + count % 2, 50)
            end
            depth = depth - 1
          end,
        }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        space:move(9, 51, 50)
        assert.equal(100000, count)
        assert.equal(1, deepest)
        assert.equal(0, space:pending())
      end)

      it("keeps the order of causes: oldest first", function()
        local log = {}
        local space
        space = row.new {
          on_enter = function(_, marker)
            log[#log + 1] = marker
            if marker < 100 then
              space:enter(marker * 10 + 1, 50, 50, { mode = "m" })
              space:enter(marker * 10 + 2, 50, 50, { mode = "m" })
            end
          end,
        }
        watch(space, 0)
        space:enter(-1, 50, 50, { mode = "w" })
        space:enter(1, 50, 50, { mode = "m" })
        assert.same({ 1, 11, 12, 111, 112, 121, 122 }, log)
      end)

      it("may call every method of the space", function()
        local called = {}
        local space
        local first = true
        space = row.new {
          collect = { "leave" },
          on_enter = function()
            if not first then
              return
            end
            first = false
            local function call(name, ...)
              called[#called + 1] = name
              return space[name](space, ...)
            end
            call("enter", 20, 50, 50)
            call("move", 20, 51, 51)
            assert.is_true(call("update", 21, 50, 50))
            call("update", 21, 51, 51, { layers = 1 })
            call("set_mode", 21, "m")
            call("set_mode", 21, "wm")
            call("set_layers", 21, 2)
            call("set_sees_layers", 21, 3)
            if row.exact then
              call("set_radius", 21, 12)
              assert.equal(12, call("radius", 21))
            end
            assert.is_true(call("has", 20))
            assert.same({ 51, 51 }, { call("position", 20) })
            assert.is_true(call("sees", 1, 20))
            local _, n = call("markers_of", 1)
            assert.equal(3, n)
            _, n = call("watchers_of", 20)
            assert.equal(3, n)
            _, n = call("ids")
            assert.equal(4, n)
            assert.equal(51, call("positions", { 20 }, 1)[1])
            assert.is_true(call("stats").bytes > 0)
            assert.is_true(call("pending") > 0)
            call("flush")
            call("on", { on_leave = function() end })
            call("leave", 20)
            assert.is_true(select(2, call("drain", {})) > 0)
            assert.equal(3, #space)
            assert.equal("string", type(tostring(space)))
            call("clear")
            assert.equal(0, #space)
            call("enter", 20, 50, 50)
            call("close")
          end,
        }
        space:enter(1, 50, 50)
        space:enter(2, 50, 50)
        assert.is_true(#called >= 23)
        assert.is_false((pcall(space.has, space, 1)))
      end)

      it("flush does nothing there", function()
        local order = {}
        local space
        space = row.new {
          on_enter = function(watcher)
            order[#order + 1] = "begin " .. watcher
            space:flush()
            order[#order + 1] = "end " .. watcher
          end,
        }
        watch(space, 3)
        space:enter(9, 50, 50, { mode = "m" })
        assert.equal(6, #order)
        for i = 1, 6, 2 do
          assert.equal(order[i]:gsub("begin", "end"), order[i + 1])
        end
      end)

      it("wrong calls raise at once and can be caught there", function()
        local messages = {}
        local space
        space = row.new {
          on_enter = function()
            local ok, message = pcall(space.move, space, 77, 50, 50)
            messages[#messages + 1] = not ok and message
          end,
        }
        watch(space, 2)
        space:enter(9, 50, 50, { mode = "m" })
        assert.equal(2, #messages)
        assert.is_truthy(messages[1]:find("77", 1, true))
      end)

      it("hears of entities that are gone by now: events are never cancelled", function()
        local log = {}
        local space
        space = row.new {
          on_event = function(watcher, marker, op)
            log[#log + 1] = record.text(watcher, marker, op)
            if space:has(9) then
              space:leave(9)
            end
          end,
        }
        watch(space, 3)
        space:enter(9, 50, 50, { mode = "m" })
        assert.equal("enter enter enter leave leave leave", kinds(log))
        assert.equal("1: enter 9, 1: leave 9, 2: enter 9, 2: leave 9, 3: enter 9, 3: leave 9",
          told(log))
      end)
    end)

    describe("close and clear in a handler", function()
      it("close drops the rest and the call returns", function()
        local count = 0
        local space
        space = row.new {
          on_event = function()
            count = count + 1
            space:close()
            space:close()
            assert.is_false((pcall(space.has, space, 1)))
          end,
        }
        watch(space, 5)
        space:enter(9, 50, 50, { mode = "m" })
        assert.equal(1, count)
        assert.is_false((pcall(space.move, space, 9, 50, 50)))
      end)

      it("close, then an error: the error still reaches the caller", function()
        local space
        space = row.new {
          on_event = function()
            space:close()
            error("after close")
          end,
        }
        watch(space, 2)
        local ok, message = pcall(space.enter, space, 9, 50, 50)
        assert.is_false(ok)
        assert.is_truthy(message:find("after close", 1, true), message)
        assert.is_false((pcall(space.flush, space)))
      end)

      it("clear drops the rest, and the space goes on empty", function()
        local log = {}
        local space
        space = row.new {
          on_event = function(watcher, marker, op)
            log[#log + 1] = record.text(watcher, marker, op)
            if marker == 9 then
              space:clear()
              assert.equal(0, #space)
              assert.equal(0, space:pending())
              space:enter(1, 50, 50, { mode = "w" })
              space:enter(8, 50, 50, { mode = "m" })
            end
          end,
        }
        watch(space, 5)
        space:enter(9, 50, 50, { mode = "m" })
        assert.equal("enter enter", kinds(log))
        assert.equal("1: enter 8", log[2])
        assert.equal(2, #space)
        space:move(8, 51, 51)
        assert.equal("1: move 8", log[3])
      end)

      -- on_event clears at the first event about 9, which the handlers of its kind then don't hear.
      local function clears_in_on_event(extra)
        local log, errors = {}, {}
        local space
        local function hear(op)
          return function(watcher, marker)
            log[#log + 1] = record.text(watcher, marker, op)
          end
        end
        local options = { on_enter = hear "enter", on_leave = hear "leave", on_move = hear "move" }
        function options.on_event(_, marker)
          if marker == 9 then
            space:clear()
            space:enter(1, 50, 50, { mode = "w" })
            space:enter(8, 50, 50, { mode = "m" })
          end
        end
        if extra.on_error then
          function options.on_error(message)
            errors[#errors + 1] = message
          end
        end
        options.deferred = extra.deferred
        space = row.new(options)
        watch(space, 3)
        space:enter(9, 50, 50, { mode = "m" })
        if extra.deferred then
          space:tick()
          assert.equal("", table.concat(log, ", "))
          space:tick()
        end
        assert.equal("1: enter 8", table.concat(log, ", "))
        assert.same({}, errors)
        space:move(8, 51, 51)
        if extra.deferred then
          space:tick()
        end
        assert.equal("1: move 8", log[2])
      end

      it("clear in on_event drops the event for on_enter, too", function()
        clears_in_on_event {}
      end)

      it("clear in on_event drops the event for on_enter, under on_error", function()
        clears_in_on_event { on_error = true }
      end)

      it("clear in on_event drops the event for on_enter, in a deferred space", function()
        clears_in_on_event { deferred = true }
      end)

      it("clear while on_event has yielded drops the event for on_enter", function()
        local log = {}
        local space = row.new {
          on_event = function(_, marker)
            log[#log + 1] = "on_event " .. marker
            if marker == 9 then
              coroutine.yield()
            end
          end,
          on_enter = function(_, marker)
            log[#log + 1] = "on_enter " .. marker
          end,
        }
        watch(space, 1)
        local call = coroutine.wrap(function() space:enter(9, 50, 50, { mode = "m" }) end)
        call()
        space:clear()
        call()
        assert.same({ "on_event 9" }, log)
        watch(space, 1)
        space:enter(8, 50, 50, { mode = "m" })
        assert.same({ "on_event 9", "on_event 8", "on_enter 8" }, log)
      end)

      it("clear outside tells nobody", function()
        local space, log = record.space(row)
        watch(space, 5)
        space:enter(9, 50, 50)
        forget(log)
        space:clear()
        assert.equal("", told(log))
        assert.equal(0, #space)
        assert.is_false(space:has(9))
        space:enter(9, 50, 50)
        assert.equal("", told(log))
      end)

      it("close outside tells nobody", function()
        local space, log = record.space(row)
        watch(space, 5)
        space:enter(9, 50, 50)
        forget(log)
        space:close()
        assert.equal("", told(log))
      end)

      it("close from a handler of another space is no matter", function()
        local one = row.new()
        local log = {}
        local two
        two = row.new {
          on_enter = function(watcher, marker)
            log[#log + 1] = record.text(watcher, marker, "enter")
            one:close()
          end,
        }
        two:enter(1, 50, 50)
        two:enter(2, 50, 50)
        assert.equal("1: enter 2, 2: enter 1", told(log))
      end)
    end)

    describe("pending and flush", function()
      it("count what waits, without the event that is being told", function()
        local counts = {}
        local space
        space = row.new { on_event = function() counts[#counts + 1] = space:pending() end }
        watch(space, 4)
        space:enter(9, 50, 50, { mode = "m" })
        assert.same({ 3, 2, 1, 0 }, counts)
        assert.equal(0, space:pending())
        assert.equal(0, space:stats().pending)
      end)

      it("do not count what nobody listens for", function()
        local counts = {}
        local space
        space = row.new { on_leave = function() counts[#counts + 1] = space:pending() end }
        watch(space, 3)
        space:enter(9, 50, 50, { mode = "m" })
        space:move(9, 51, 51)
        assert.equal(0, space:pending())
        space:leave(9)
        assert.same({ 2, 1, 0 }, counts)
      end)

      it("flush with nothing pending does nothing", function()
        local space, log = record.space(row)
        watch(space, 2)
        space:flush()
        space:flush()
        assert.equal("", told(log))
      end)

      it("an event whose on_event closes the space is not told to on_enter", function()
        local called, space = false
        space = row.new {
          on_event = function() space:close() end,
          on_enter = function() called = true end,
        }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        assert.is_false(called)
      end)

      it("pending counts down within a change that is told in groups", function()
        local left, space = {}
        space = row.new { on_watchers = function() left[#left + 1] = space:pending() end }
        for id = 1, 3 do
          space:enter(id, 50, 50, { mode = "m" })
        end
        space:enter(9, 50, 50, { mode = "w" })
        assert.same({ 2, 1, 0 }, left)
      end)

      it("stats counts the events of a group one by one", function()
        local space = row.new { on_watchers = function() end }
        watch(space, 3)
        space:enter(9, 50, 50, { mode = "m" })
        assert.equal(3, space:stats().delivered)
      end)

      it("stats counts the events delivered", function()
        local space = record.space(row)
        local before = space:stats().delivered
        assert.equal("number", type(before))
        watch(space, 3)
        space:enter(9, 50, 50, { mode = "m" })
        space:move(9, 51, 51)
        assert.equal(before + 6, space:stats().delivered)
      end)
    end)

    describe("a handler that raises", function()
      local space, log, fail

      before_each(function()
        log, fail = {}, true
        space = row.new {
          on_event = function(watcher, marker, op)
            log[#log + 1] = record.text(watcher, marker, op)
            if fail then
              fail = false
              error("handler failed")
            end
          end,
        }
        watch(space, 3)
      end)

      it("reaches the caller; the call has taken effect; the rest stays pending", function()
        local ok, message = pcall(space.enter, space, 9, 50, 50, { mode = "m" })
        assert.is_false(ok)
        assert.is_truthy(message:find("handler failed", 1, true), message)
        assert.is_true(space:has(9))
        assert.is_true(space:sees(3, 9))
        assert.equal(1, #log)
        assert.equal(2, space:pending())
      end)

      it("leaves the rest to flush", function()
        pcall(space.enter, space, 9, 50, 50, { mode = "m" })
        space:flush()
        assert.equal(0, space:pending())
        assert.equal("1: enter 9, 2: enter 9, 3: enter 9", told(log))
      end)

      it("leaves the rest to the next changing call, oldest first", function()
        pcall(space.enter, space, 9, 50, 50, { mode = "m" })
        space:move(9, 51, 51)
        assert.equal("enter enter enter move move move", kinds(log))
        assert.equal("1: enter 9, 1: move 9, 2: enter 9, 2: move 9, 3: enter 9, 3: move 9",
          told(log))
      end)

      it("leaves the rest to a changing call that causes nothing itself", function()
        pcall(space.enter, space, 9, 50, 50, { mode = "m" })
        space:enter(77, 5, 95, { mode = "w" })
        assert.equal(3, #log)
      end)

      it("leaves the rest alone in questions", function()
        pcall(space.enter, space, 9, 50, 50, { mode = "m" })
        assert.is_true(space:has(9))
        space:position(9)
        space:radius(9)
        space:sees(1, 9)
        space:markers_of(1)
        space:watchers_of(9)
        space:ids()
        space:positions({ 9 }, 1)
        space:stats()
        assert.equal(4, #space)
        tostring(space)
        assert.equal(2, space:pending())
        assert.equal(1, #log)
      end)

      it("leaves the rest alone in a call that is refused", function()
        pcall(space.enter, space, 9, 50, 50, { mode = "m" })
        assert.is_false((pcall(space.move, space, 77, 50, 50)))
        assert.equal(2, space:pending())
        assert.equal(1, #log)
      end)

      it("passes on any value as its error", function()
        for _, value in ipairs { {}, 42, false, print } do
          local thrower = row.new { on_enter = function() error(value) end }
          watch(thrower, 1)
          local ok, err = pcall(thrower.enter, thrower, 9, 50, 50, { mode = "m" })
          assert.is_false(ok)
          assert.is_true(rawequal(value, err))
        end
        local thrower = row.new { on_enter = function() error(nil) end }
        watch(thrower, 1)
        assert.is_false((pcall(thrower.enter, thrower, 9, 50, 50, { mode = "m" })))
      end)

      it("is seen by the caller's message handler with its own frames", function()
        local function explode()
          local nothing = nil
          return nothing.field + 1
        end
        local function handler()
          local result = explode()
          return result
        end
        local thrower = row.new { on_enter = handler }
        watch(thrower, 1)
        local ok, trace = xpcall(function()
          thrower:enter(9, 50, 50, { mode = "m" })
        end, debug.traceback)
        assert.is_false(ok)
        for _, f in ipairs { explode, handler } do
          local info = debug.getinfo(f, "S")
          local seen = false
          for line in trace:gmatch("delivery_spec%.lua:(%d+):") do
            line = tonumber(line)
            seen = seen or line > info.linedefined and line < info.lastlinedefined
          end
          assert.is_true(seen, trace)
        end
      end)

      it("keeps what it caused before it raised", function()
        local thrower
        local heard = {}
        thrower = row.new {
          on_event = function(watcher, marker, op)
            heard[#heard + 1] = record.text(watcher, marker, op)
            if op == "enter" then
              thrower:move(9, 51, 51)
              thrower:leave(9)
              error("failed late")
            end
          end,
        }
        watch(thrower, 1)
        assert.is_false((pcall(thrower.enter, thrower, 9, 50, 50, { mode = "m" })))
        assert.is_false(thrower:has(9))
        assert.equal(2, thrower:pending())
        thrower:flush()
        assert.equal("1: enter 9, 1: move 9, 1: leave 9", in_order(heard))
      end)

      it("every time loses one event per call, no more", function()
        local heard = 0
        local thrower = row.new {
          on_enter = function()
            heard = heard + 1
            error("always")
          end,
        }
        watch(thrower, 5)
        assert.is_false((pcall(thrower.enter, thrower, 9, 50, 50, { mode = "m" })))
        for left = 4, 1, -1 do
          assert.equal(left, thrower:pending())
          assert.is_false((pcall(thrower.flush, thrower)))
        end
        assert.equal(0, thrower:pending())
        assert.equal(5, heard)
        thrower:flush()
        assert.equal(5, heard)
      end)
    end)

    describe("on_error", function()
      it("gets the error and the event; delivery goes on; the call does not raise", function()
        local calls, log = {}, {}
        local problem = { "any value" }
        local space
        space = row.new {
          on_event = function(watcher, marker, op)
            log[#log + 1] = record.text(watcher, marker, op)
            if watcher == 2 then
              error(problem)
            end
          end,
          on_error = function(...)
            calls[#calls + 1] = table.pack(...)
            return "ignored"
          end,
        }
        watch(space, 3)
        space:enter(9, 50, 50, { mode = "m" })
        space:leave(9)
        assert.equal("1: enter 9, 1: leave 9, 2: enter 9, 2: leave 9, 3: enter 9, 3: leave 9",
          told(log))
        assert.equal(2, #calls)
        for i, op in ipairs { "enter", "leave" } do
          assert.equal(4, calls[i].n)
          assert.is_true(rawequal(problem, calls[i][1]))
          assert.equal(2, calls[i][2])
          assert.equal(9, calls[i][3])
          assert.equal(op, calls[i][4])
        end
        assert.equal(0, space:pending())
      end)

      it("hears of errors in every kind of handler", function()
        local calls = {}
        local function fail() error("kind", 0) end
        local space = row.new {
          on_enter = fail, on_leave = fail, on_move = fail,
          on_error = function(err, watcher, marker, op)
            calls[#calls + 1] = ("%s %d %d %s"):format(err, watcher, marker, op)
          end,
        }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        space:move(9, 51, 51)
        space:leave(9)
        assert.same({ "kind 1 9 enter", "kind 1 9 move", "kind 1 9 leave" }, calls)
      end)

      it("runs as a message handler: a traceback shows the handler", function()
        local trace
        local function explode()
          error("boom")
        end
        local function handler()
          explode()
          return nil
        end
        local space = row.new {
          on_enter = handler,
          on_error = function(err) trace = debug.traceback(err) end,
        }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        assert.is_truthy(trace:find("boom", 1, true), trace)
        for _, f in ipairs { explode, handler } do
          local info = debug.getinfo(f, "S")
          local seen = false
          for line in trace:gmatch("delivery_spec%.lua:(%d+):") do
            line = tonumber(line)
            seen = seen or line > info.linedefined and line < info.lastlinedefined
          end
          assert.is_true(seen, trace)
        end
      end)

      -- Lua finds a frame in steps as many as it is deep: a search from the innermost one on took minutes for
      -- a handler that had called itself until the stack was full.
      it("hears of an error however deep it is, once, with its event", function()
        local depth, heard
        local space = row.new {
          on_enter = function() at_depth(depth, fail_deep) end,
          on_error = function(err, watcher, marker, op)
            heard[#heard + 1] = ("%s %d %d %s"):format(err, watcher, marker, op)
          end,
        }
        watch(space, 2)
        local outer = row.new {
          on_event = function() space:enter(9, 50, 50, { mode = "m" }) end,
          on_error = function() error("that of another space") end,
        }
        watch(outer, 1)
        for _, each in ipairs { 0, 150, 190, 194, 195, 196, 197, 198, 199, 200, 201, 1000, 50000 } do
          depth, heard = each, {}
          outer:enter(7, 50, 50, { mode = "m" })
          outer:clear()
          watch(outer, 1)
          table.sort(heard)
          assert.same({ "deep 1 9 enter", "deep 2 9 enter" }, heard)
          space:leave(9)
        end
        depth, heard = 50000, {}
        local whole = coroutine.wrap(function()
          space:enter(9, 50, 50, { mode = "m" })
          return "whole"
        end)
        assert.equal("whole", whole())
        table.sort(heard)
        assert.same({ "deep 1 9 enter", "deep 2 9 enter" }, heard)
      end)

      it("hears of two errors of one event, of which only the second is deep", function()
        local heard = {}
        local space = row.new {
          on_event = function() error("first", 0) end,
          on_enter = function() at_depth(1000, fail_deep) end,
          on_error = function(err, ...) heard[#heard + 1] = err .. " " .. table.concat({ ... }, " ") end,
        }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        assert.same({ "first 1 9 enter", "deep 1 9 enter" }, heard)
      end)

      it("hears of an error deep in a handler that had yielded", function()
        local heard = {}
        local function fail_later()
          coroutine.yield()
          fail_deep()
        end
        local space = row.new {
          on_enter = function(watcher) at_depth(watcher * 300 - 299, fail_later) end,
          on_error = function(err, watcher) heard[#heard + 1] = watcher .. ": " .. err end,
        }
        watch(space, 2)
        local call = coroutine.wrap(function()
          space:enter(9, 50, 50, { mode = "m" })
          return "over"
        end)
        for _ = 1, 2 do
          assert.is_nil(call())
        end
        assert.equal("over", call())
        table.sort(heard)
        assert.same({ "1: deep", "2: deep" }, heard)
      end)

      it("is not called when nothing goes wrong, and not for wrong calls", function()
        local calls = 0
        local space = row.new {
          on_event = function() end,
          on_error = function() calls = calls + 1 end,
        }
        watch(space, 2)
        space:enter(9, 50, 50)
        assert.is_false((pcall(space.enter, space, 9, 50, 50)))
        assert.is_false((pcall(space.move, space, 77, 50, 50)))
        assert.equal(0, calls)
      end)

      it("hears what another space without an on_error lets pass", function()
        local heard = {}
        local inner = row.new { on_enter = function() error("inside", 0) end }
        watch(inner, 1)
        local outer = row.new {
          on_enter = function() inner:enter(9, 50, 50, { mode = "m" }) end,
          on_error = function(err, watcher, marker, op)
            heard[#heard + 1] = ("%s %d %d %s"):format(err, watcher, marker, op)
          end,
        }
        watch(outer, 1)
        outer:enter(8, 50, 50, { mode = "m" })
        assert.same({ "inside 1 8 enter" }, heard)
      end)

      it("that is alone hears nothing and costs nothing", function()
        local space = row.new { on_error = function() error("called") end }
        watch(space, 3)
        space:enter(9, 50, 50)
        assert.equal(0, space:pending())
        assert.equal(0, space:stats().delivered)
      end)

      it("that raises itself breaks nothing", function()
        local heard = 0
        local space = row.new {
          on_event = function()
            heard = heard + 1
            error("first")
          end,
          on_error = function() error("second") end,
        }
        watch(space, 3)
        pcall(space.enter, space, 9, 50, 50, { mode = "m" })
        for _ = 1, 5 do
          pcall(space.flush, space)
        end
        assert.equal(3, heard)
        assert.equal(0, space:pending())
        space:on { on_event = function() heard = heard + 1 end }
        space:leave(9)
        assert.equal(6, heard)
      end)

      it("may use the space, close it too", function()
        local space
        local calls = 0
        space = row.new {
          on_event = function() error("boom") end,
          on_error = function(_, _, marker)
            calls = calls + 1
            space:move(marker, 90, 90)
            space:close()
          end,
        }
        watch(space, 3)
        space:enter(9, 50, 50, { mode = "m" })
        assert.equal(1, calls)
        assert.is_false((pcall(space.has, space, 9)))
      end)

      it("taken away by the handler that then raises: the error is not lost", function()
        local heard = 0
        local space
        space = row.new {
          on_event = function()
            space:on { on_event = function() end }
            error("not lost")
          end,
          on_error = function() heard = heard + 1 end,
        }
        watch(space, 2)
        local ok, message = pcall(space.enter, space, 9, 50, 50, { mode = "m" })
        -- New handlers count from the next change on: this one is still the old ones' matter.
        assert.is_true(ok, message)
        assert.equal(2, heard)
      end)

      it("can be taken away: errors reach the caller again", function()
        local space = row.new {
          on_event = function() error("boom") end,
          on_error = function() end,
        }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        space:on { on_event = function() error("bang") end }
        local ok, message = pcall(space.leave, space, 9)
        assert.is_false(ok)
        assert.is_truthy(message:find("bang", 1, true))
      end)
    end)

    describe("several handlers at once", function()
      it("are each called, on_event first", function()
        local order = {}
        local function note(name)
          return function(watcher, marker, ...)
            order[#order + 1] = table.concat({ name, watcher, marker, ... }, " ")
          end
        end
        local space = row.new {
          on_event = note "event", on_enter = note "enter", on_leave = note "leave",
          on_move = note "move",
        }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        space:move(9, 51, 51)
        space:leave(9)
        assert.same({ "event 1 9 enter", "enter 1 9", "event 1 9 move", "move 1 9",
          "event 1 9 leave", "leave 1 9" }, order)
      end)

      it("of one kind hear only their kind, with two arguments", function()
        local counts, sizes = { enter = 0, leave = 0, move = 0 }, {}
        local function count(op)
          return function(...)
            counts[op] = counts[op] + 1
            sizes[#sizes + 1] = select("#", ...)
          end
        end
        local space = row.new {
          on_enter = count "enter", on_leave = count "leave", on_move = count "move",
        }
        watch(space, 2)
        space:enter(9, 50, 50, { mode = "m" })
        space:move(9, 51, 51)
        space:move(9, 52, 52)
        space:leave(9)
        assert.same({ enter = 2, leave = 2, move = 4 }, counts)
        assert.same({ 2, 2, 2, 2, 2, 2, 2, 2 }, sizes)
      end)

      it("on_event gets three arguments", function()
        local args
        local space = row.new { on_event = function(...) args = table.pack(...) end }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        assert.same({ n = 3, 1, 9, "enter" }, args)
      end)
    end)

    describe("on", function()
      it("replaces the whole set of handlers", function()
        local old, new = {}, {}
        local space = row.new {
          on_enter = function() old[#old + 1] = "enter" end,
          on_leave = function() old[#old + 1] = "leave" end,
        }
        watch(space, 1)
        space:on { on_leave = function() new[#new + 1] = "leave" end }
        space:enter(9, 50, 50, { mode = "m" })
        space:leave(9)
        assert.same({}, old)
        assert.same({ "leave" }, new)
      end)

      it("in a handler counts from the next change on: pending ones go to the new", function()
        local log = {}
        local space
        space = row.new {
          on_event = function(watcher, marker, op)
            log[#log + 1] = "old " .. record.text(watcher, marker, op)
            space:on {
              on_event = function(w, m, o) log[#log + 1] = "new " .. record.text(w, m, o) end,
            }
          end,
        }
        watch(space, 3)
        space:enter_all({ 9, 50, 50, 8, 50, 50 }, 2, { mode = "m" })
        local old, new = 0, 0
        for _, line in ipairs(log) do
          old = old + (line:find("^old") and 1 or 0)
          new = new + (line:find("^new") and 1 or 0)
        end
        assert.equal(3, old)
        assert.equal(3, new)
        assert.is_truthy(log[3]:find("^old"))
      end)

      it("drops pending kinds without a handler and never makes them up", function()
        local late = {}
        local space
        local heard = 0
        space = row.new {
          on_enter = function()
            heard = heard + 1
            space:on { on_leave = function() end }
          end,
        }
        watch(space, 4)
        space:enter_all({ 9, 50, 50, 8, 50, 50 }, 2, { mode = "m" })
        assert.equal(4, heard)
        assert.equal(0, space:pending())
        space:on { on_enter = function(watcher) late[#late + 1] = watcher end }
        space:flush()
        space:move(9, 51, 51)
        assert.same({}, late)
      end)

      it("drops them even when the old handlers come back before the next change", function()
        local space
        local heard = 0
        local function on_enter()
          heard = heard + 1
          space:on { on_leave = print }
          space:on { on_enter = on_enter }
        end
        space = row.new { on_enter = on_enter }
        watch(space, 4)
        space:enter_all({ 9, 50, 50, 8, 50, 50 }, 2, { mode = "m" })
        assert.equal(4, heard)
      end)

      it("with nothing drops all; later handlers hear only later events", function()
        local space, log = record.space(row)
        watch(space, 2)
        space:on {}
        space:enter(9, 50, 50, { mode = "m" })
        space:move(9, 51, 51)
        assert.equal(0, space:pending())
        space:on { on_event = function(...) log[#log + 1] = record.text(...) end }
        space:leave(9)
        assert.equal("1: leave 9, 2: leave 9", told(log))
      end)

      it("gives pending changes after an error to the new handlers", function()
        local log = {}
        local raised = false
        local space = row.new { on_event = function(w, m)
          if raised then
            log[#log + 1] = "old " .. record.text(w, m, "enter")
          else
            raised = true
            error("old")
          end
        end }
        watch(space, 3)
        pcall(space.enter_all, space, { 9, 50, 50, 8, 50, 50 }, 2, { mode = "m" })
        space:on { on_enter = function(w, m) log[#log + 1] = "new " .. record.text(w, m, "enter") end }
        assert.equal(5, space:pending())
        space:flush()
        assert.equal(5, #log)
        assert.is_truthy(log[2]:find "^old")
        assert.is_truthy(log[3]:find "^new")
      end)

      it("amid a change: what waits is counted, nothing of it twice", function()
        local waiting, told_pairs, space = {}, {}, nil
        local function hear(watcher)
          told_pairs[#told_pairs + 1] = watcher
          waiting[#waiting + 1] = space:pending()
        end
        local function hear_groups(watcher)
          hear(watcher)
          space:on { on_event = hear }
        end
        local function hear_first(watcher)
          hear(watcher)
          space:on { on_markers = hear_groups }
        end
        space = row.new { on_event = hear_first }
        watch(space, 2)
        space:enter_all({ 9, 50, 50, 8, 50, 50, 7, 50, 50 }, 3, { mode = "m" })
        assert.same({ 5, 4, 3, 2, 1, 0 }, waiting)
        assert.same({ 1, 2, 1, 2, 1, 2 }, told_pairs)
      end)

      it("reads its table raw and keeps nothing of it", function()
        local log, handler = record.log()
        local handlers = setmetatable({ on_event = handler }, {
          __index = function(_, key) error("read through a metamethod: " .. tostring(key)) end,
        })
        local space = row.new()
        space:on(handlers)
        rawset(handlers, "on_event", nil)
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        assert.equal("1: enter 9", told(log))
      end)

      it("changes nothing when it is refused", function()
        local space, log = record.space(row)
        assert.is_false((pcall(space.on, space, { on_enter = print, on_evnt = print })))
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        assert.equal("1: enter 9", told(log))
      end)
    end)

    describe("collect and drain", function()
      local function drained(space, t)
        local result, n = space:drain(t or {})
        local list = {}
        for i = 1, n do
          list[i] = record.text(result[3 * i - 2], result[3 * i - 1], result[3 * i])
        end
        assert.is_nil(rawget(result, 3 * n + 1))
        return list, n
      end

      it("gather all events as watcher, marker, op", function()
        local space = row.new { collect = true }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        space:move(9, 51, 51)
        space:leave(9)
        local t = {}
        local result, n = space:drain(t)
        assert.is_true(rawequal(t, result))
        assert.equal(3, n)
        assert.same({ 1, 9, "enter", 1, 9, "move", 1, 9, "leave" }, t)
      end)

      it("give each event once", function()
        local space = row.new { collect = true }
        watch(space, 2)
        space:enter(9, 50, 50, { mode = "m" })
        assert.equal("1: enter 9, 2: enter 9", told((drained(space))))
        local list, n = drained(space)
        assert.same({}, list)
        assert.equal(0, n)
        space:move(9, 51, 51)
        assert.equal("1: move 9, 2: move 9", told((drained(space))))
      end)

      it("reuse the table: the entry after the last is nil", function()
        local space = row.new { collect = true }
        watch(space, 3)
        space:enter(9, 50, 50, { mode = "m" })
        local t = {}
        assert.equal(3, select(2, drained(space, t)))
        space:enter(8, 90, 90)
        space:enter(7, 90, 90, { mode = "m" })
        local _, n = space:drain(t)
        assert.equal(1, n)
        assert.equal(8, t[1])
        assert.equal(7, t[2])
        assert.equal("enter", t[3])
        assert.is_nil(t[4])
        _, n = space:drain(t)
        assert.equal(0, n)
        assert.is_nil(t[1])
      end)

      it("write the table raw", function()
        local function forbidden() error("a metamethod was called") end
        local t = setmetatable({}, { __newindex = forbidden, __index = forbidden,
          __len = forbidden })
        local space = row.new { collect = true }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        local _, n = space:drain(t)
        assert.equal(1, n)
        assert.equal(1, rawget(t, 1))
        assert.equal(9, rawget(t, 2))
        assert.equal("enter", rawget(t, 3))
        assert.is_nil(rawget(t, 4))
      end)

      it("take a list of kinds", function()
        local space = row.new { collect = { "enter", "leave" } }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        space:move(9, 51, 51)
        space:leave(9)
        assert.same({ "1: enter 9", "1: leave 9" }, (drained(space)))
        local moves = row.new { collect = { "move" } }
        watch(moves, 1)
        moves:enter(9, 50, 50, { mode = "m" })
        moves:move(9, 51, 51)
        moves:leave(9)
        assert.same({ "1: move 9" }, (drained(moves)))
      end)

      it("work as well as the handlers, not instead of them", function()
        local space, log = record.space(row, { collect = true })
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        space:leave(9)
        assert.equal("1: enter 9, 1: leave 9", in_order(log))
        assert.same({ "1: enter 9", "1: leave 9" }, (drained(space)))
        assert.equal(0, space:pending())
      end)

      it("work for kinds that no handler hears, and handlers for kinds not gathered", function()
        local heard = {}
        local space = row.new {
          collect = { "move" },
          on_leave = function(watcher, marker) heard[#heard + 1] = watcher .. " " .. marker end,
        }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        space:move(9, 51, 51)
        space:leave(9)
        assert.same({ "1 9" }, heard)
        assert.same({ "1: move 9" }, (drained(space)))
      end)

      it("keep on through on, which replaces handlers only", function()
        local space = row.new { collect = true, on_event = function() end }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        space:on {}
        space:leave(9)
        assert.same({ "1: enter 9", "1: leave 9" }, (drained(space)))
      end)

      it("keep the order of kinds within a change", function()
        local space = row.new { collect = true }
        space:enter(1, 45, 50)
        space:enter(2, 38, 50)
        space:enter(3, 52, 50)
        space:enter(4, 62, 50)
        drained(space)
        space:move(1, 55, 50)
        assert.equal("leave leave enter enter move", kinds((drained(space))))
      end)

      it("lose nothing when a handler raises", function()
        local space = row.new { collect = true, on_event = function() error("boom") end }
        watch(space, 3)
        pcall(space.enter, space, 9, 50, 50, { mode = "m" })
        assert.equal("1: enter 9, 2: enter 9, 3: enter 9", told((drained(space))))
      end)

      it("of a batch that fails are taken back", function()
        local space = row.new { collect = true }
        watch(space, 1)
        space:enter(9, 50, 50, { mode = "m" })
        drained(space)
        assert.is_false((pcall(space.move_all, space, { 9, 51, 50, 77, 50, 50 })))
        assert.is_false((pcall(space.enter_all, space, { 8, 51, 50, 9, 50, 50 })))
        assert.is_false((pcall(space.leave_all, space, { 9, 77 })))
        assert.same({}, (drained(space)))
      end)

      it("are emptied by clear", function()
        local space = row.new { collect = true }
        watch(space, 3)
        space:enter(9, 50, 50, { mode = "m" })
        space:clear()
        assert.same({}, (drained(space)))
      end)

      it("false is the same as none", function()
        local space = row.new { collect = false }
        watch(space, 3)
        space:enter(9, 50, 50, { mode = "m" })
        assert.equal(0, space:pending())
      end)
    end)

    it("gathers nothing when nobody listens", function()
      local space = row.new()
      local before
      watch(space, 10)
      for round = 1, 200 do
        space:enter(99, 50, 50)
        space:move(99, 51, 51)
        space:leave(99)
        before = before or round > 100 and space:stats().bytes
      end
      assert.equal(0, space:pending())
      assert.equal(0, space:stats().delivered)
      assert.equal(before, space:stats().bytes)
      local heard = 0
      space:on { on_event = function() heard = heard + 1 end }
      space:flush()
      assert.equal(0, heard)
    end)

    it("two spaces that call each other deliver each its own", function()
      local log = {}
      local one, two
      one = row.new {
        on_enter = function(watcher, marker)
          log[#log + 1] = "one " .. record.text(watcher, marker, "enter")
          if not two:has(marker) then
            two:enter(marker, 50, 50, { mode = "m" })
          end
        end,
      }
      two = row.new {
        on_enter = function(watcher, marker)
          log[#log + 1] = "two " .. record.text(watcher, marker, "enter")
          one:leave(marker)
          one:enter(marker + 1, 90, 90, { mode = "m" })
        end,
      }
      watch(one, 1)
      watch(two, 1)
      one:enter(9, 50, 50, { mode = "m" })
      assert.same({ "one 1: enter 9", "two 1: enter 9" }, log)
      assert.is_false(one:has(9))
      assert.is_true(one:has(10))
    end)
  end)
end

describe("the classic callback", function()
  it("keeps the space alive while it runs, even when nobody else holds it", function()
    local count = 0
    local function scene()
      local space = aoi.new(100, 100, 10, 10, function(self)
        count = count + 1
        collectgarbage()
        assert(tostring(self))
      end)
      watch(space, 5)
      return space:enter(9, 50, 50, { mode = "m" })
    end
    scene()
    collectgarbage()
    assert.equal(5, count)
  end)
end)

it("on_error hears of a handler that calls itself without end", function()
  local heard = {}
  local function run_away()
    return 1 + run_away()
  end
  local space = aoi.new {
    radius = 10, on_enter = run_away,
    on_error = function(err, watcher) heard[#heard + 1] = watcher .. ": " .. tostring(err) end,
  }
  watch(space, 2)
  space:enter(9, 50, 50, { mode = "m" })
  assert.equal(2, #heard)
  table.sort(heard)
  for watcher, message in ipairs(heard) do
    assert.is_truthy(message:find("^" .. watcher .. ": .*stack overflow"), message)
  end
  assert.is_true(space:has(9))
end)
