-- Memory: spaces are collected, nothing is left behind, finalizers and the collector do no harm.
local engines = require "spec.support.engines"
local record = require "spec.support.record"

local marker = { mode = "m" }

-- A plain check for hot loops: busted's assert makes garbage of its own.
local function must(ok, message)
  if not ok then
    error(message or "failed", 2)
  end
end

local function collect_all()
  for _ = 1, 3 do
    collectgarbage()
  end
end

-- Kilobytes that Lua holds after a full collection.
local function held()
  collect_all()
  return collectgarbage("count")
end

-- Runs the function with the collector as eager as it can be, and sets it back whatever happens.
local function with_eager_collector(run)
  local pause, step = collectgarbage("setpause", 0), collectgarbage("setstepmul", 1000)
  local ok, message = pcall(run)
  collectgarbage("setpause", pause)
  collectgarbage("setstepmul", step)
  if not ok then
    error(message, 2)
  end
end

-- Enters 1..n watchers at (50, 50).
local function watch(space, n)
  for id = 1, n do
    space:enter(id, 50, 50, { mode = "w" })
  end
end

-- A grid without a map gets larger and smaller by some steps at each change.
local function settle(space)
  for _ = 1, 1000 do
    space:enter(1002, 50, 50)
    space:leave(1002)
  end
end

for _, row in ipairs(engines.all) do
  describe("memory of " .. row.name, function()
    it("a space that nobody holds is collected", function()
      local weak = setmetatable({}, { __mode = "k" })
      local function make()
        local space = row.new { on_event = function() end }
        watch(space, 10)
        weak[space] = true
      end
      make()
      assert.is_not_nil(next(weak))
      collect_all()
      assert.is_nil(next(weak))
    end)

    it("a space whose handlers close over it is collected", function()
      local weak = setmetatable({}, { __mode = "k" })
      local function make()
        local space
        local function handler() return #space end
        space = row.new { on_event = handler, on_enter = handler, on_error = handler }
        weak[space] = "space"
        weak[handler] = "handler"
        space:enter(1, 50, 50)
        space:enter(2, 50, 50)
        space:on { on_event = handler, on_leave = function() return #space end }
        space:leave(1)
      end
      make()
      assert.is_not_nil(next(weak))
      collect_all()
      assert.is_nil(next(weak))
    end)

    it("a space that has events pending after an error is collected", function()
      local weak = setmetatable({}, { __mode = "k" })
      local function make()
        local space
        space = row.new {
          collect = true,
          on_event = function() error(space) end,
        }
        watch(space, 5)
        pcall(space.enter, space, 9, 50, 50)
        assert.is_true(space:pending() > 0)
        weak[space] = true
      end
      make()
      collect_all()
      assert.is_nil(next(weak))
    end)

    it("old handlers are let go", function()
      local weak = setmetatable({}, { __mode = "k" })
      local space = row.new()
      local function set()
        local handler = function() return weak end
        weak[handler] = true
        space:on { on_event = handler }
      end
      set()
      assert.is_not_nil(next(weak))
      space:on {}
      collect_all()
      assert.is_nil(next(weak))
    end)

    it("handlers are let go by close", function()
      local weak = setmetatable({}, { __mode = "k" })
      local function make()
        local space
        local handler = function() return #space end
        space = row.new { on_event = handler }
        weak[handler] = true
        return space
      end
      local space = make()
      space:close()
      collect_all()
      assert.is_nil(next(weak))
      assert.equal("userdata", type(space))
    end)

    it("10,000 spaces made and dropped leave nothing", function()
      local function round(n)
        for _ = 1, n do
          local space
          space = row.new { on_event = function() return #space end }
          space:enter(1, 50, 50)
          space:enter(2, 51, 51)
        end
      end
      round(100)
      local before = held()
      round(10000)
      assert.is_true(held() - before < 32, ("%g KB more"):format(held() - before))
    end)

    it("10,000 spaces closed in handlers leave nothing", function()
      local closed = 0
      local function round(n)
        for _ = 1, n do
          local space
          space = row.new {
            on_event = function()
              closed = closed + 1
              space:close()
            end,
          }
          space:enter(1, 50, 50)
          space:enter(2, 51, 51)
        end
      end
      round(100)
      local before = held()
      round(10000)
      assert.equal(10100, closed)
      assert.is_true(held() - before < 32, ("%g KB more"):format(held() - before))
    end)

    it("10,000 coroutines abandoned in handlers leave nothing", function()
      local space = row.new { on_event = function() coroutine.yield() end }
      watch(space, 1)
      -- Collected regularly: how many are alive at once does not depend on the collector's pace.
      local function round(n)
        for i = 1, n do
          local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
          must(coroutine.resume(co))
          co = coroutine.create(function() space:leave(9) end)
          must(coroutine.resume(co))
          if i % 100 == 0 then
            collectgarbage()
          end
        end
      end
      round(300)
      local before, bytes = held(), space:stats().bytes
      round(5000)
      assert.is_true(held() - before < 32, ("%g KB more"):format(held() - before))
      assert.equal(bytes, space:stats().bytes)
    end)

    it("a million events leave nothing", function()
      local heard = 0
      local space = row.new { on_event = function() heard = heard + 1 end }
      watch(space, 100)
      local function round(n)
        for _ = 1, n do
          space:enter(999, 50, 50, marker)
          for _ = 1, 8 do
            space:move(999, 51, 51)
          end
          space:leave(999)
        end
      end
      round(100)
      local before, bytes = held(), space:stats().bytes
      round(900)
      assert.equal(1000000, heard)
      assert.is_true(held() - before < 8, ("%g KB more"):format(held() - before))
      assert.equal(bytes, space:stats().bytes)
    end)

    it("questions with a reused table make no garbage", function()
      local space = row.new()
      for id = 1, 50 do
        space:enter(id, 50, 50)
      end
      local t, at = {}, {}
      local function round()
        for id = 1, 50 do
          local _, n = space:markers_of(id, t)
          space:positions(t, n, at)
          space:watchers_of(id, t)
          space:position(id)
          space:ids(t)
        end
      end
      round()
      collect_all()
      collectgarbage("stop")
      round() -- the collection may have made Lua's stack smaller
      local before = collectgarbage("count")
      for _ = 1, 20 do
        round()
      end
      local more = collectgarbage("count") - before
      collectgarbage("restart")
      assert.is_true(more < 1, ("%g KB of garbage"):format(more))
    end)

    it("calls and events make no garbage", function()
      local heard = 0
      local space = row.new { on_event = function() heard = heard + 1 end }
      watch(space, 10)
      space:enter(99, 50, 50, marker)
      local function round()
        for i = 1, 200 do
          space:move(99, 50 + i % 3, 50.5)
          space:update(99, 51, 51)
          space:set_layers(99, 1 + i % 2)
        end
      end
      round()
      collect_all()
      collectgarbage("stop")
      round() -- the collection may have made Lua's stack smaller
      local before = collectgarbage("count")
      for _ = 1, 10 do
        round()
      end
      local more = collectgarbage("count") - before
      collectgarbage("restart")
      assert.is_true(heard > 40000)
      assert.is_true(more < 1, ("%g KB of garbage"):format(more))
    end)

    it("stats().bytes grows with the entities and shrinks when they are cleared #crowd", function()
      local space = row.new()
      local empty = space:stats().bytes
      assert.is_true(empty > 0)
      for id = 1, 10000 do
        space:enter(id, id % 100, id * 7 % 100)
      end
      local full = space:stats().bytes
      assert.is_true(full > empty + 10000 * 40, full .. " bytes")
      assert.is_true(full < empty + 10000 * 4000, full .. " bytes")
      space:clear()
      assert.is_true(space:stats().bytes < (full - empty) / 10 + empty)
    end)

    it("stats().bytes comes back to the same after the same crowd #crowd", function()
      local space = row.new()
      local function crowd()
        for id = 1, 3000 do
          space:enter(id, id % 100, id * 7 % 100)
        end
        local full = space:stats().bytes
        for id = 1, 3000 do
          space:leave(id)
        end
        return full
      end
      local first = crowd()
      for _ = 1, 5 do
        assert.is_true(crowd() <= first * 1.1)
      end
    end)

    it("batches tidy up: a crowd that comes and goes leaves no more cells than before it", function()
      local space = row.new()
      local rows, ids = {}, {}
      for id = 1, 1000 do
        ids[id] = id
        table.move({ id, id * 37 % 101, id * 53 % 97 }, 1, 3, #rows + 1, rows)
      end
      space:enter(1001, 50, 50)
      local before = space:stats().cells
      for _ = 1, 3 do
        space:enter_all(rows)
        space:leave_all(ids)
        settle(space)
        assert.equal(before, space:stats().cells)
        assert.equal(1, space:stats().longest_chain)
      end
    end)

    it("after a batch, a crowd that leaves one by one leaves no more cells than before it", function()
      local space = row.new()
      local rows = {}
      for id = 1, 1000 do
        table.move({ id, id * 37 % 101, id * 53 % 97 }, 1, 3, #rows + 1, rows)
      end
      space:enter(1001, 50, 50)
      local before = space:stats().cells
      space:enter_all(rows)
      for id = 1, 1000 do
        space:leave(id)
      end
      settle(space)
      assert.equal(before, space:stats().cells)
    end)

    it("stats().bytes counts the events that wait", function()
      local stopped = false
      local space = row.new { on_event = function()
        if not stopped then
          stopped = true
          error("stop")
        end
      end }
      watch(space, 2000)
      local before = space:stats().bytes
      pcall(space.enter, space, 9999, 50, 50, marker)
      assert.equal(1999, space:pending())
      local waiting = space:stats().bytes
      assert.is_true(waiting >= before)
      space:on { on_event = function() end }
      for _ = 1, 50 do
        pcall(space.move, space, 9999, 50, 50)
        space:flush()
      end
      assert.is_true(space:stats().bytes <= waiting + 200000)
    end)

    it("events drained are not held", function()
      local space = row.new { collect = true }
      watch(space, 100)
      local t = {}
      local function round()
        space:enter(999, 50, 50, marker)
        space:leave(999)
        local _, n = space:drain(t)
        assert.equal(200, n)
      end
      for _ = 1, 100 do
        round()
      end
      local bytes = space:stats().bytes
      for _ = 1, 200 do
        round()
      end
      assert.equal(bytes, space:stats().bytes)
    end)

    describe("queues give memory back:", function()
      local KEPT = 200000 -- bytes that a queue may keep in any case, and the scratch of changes

      -- Rows of n entities at one place, for batches.
      local function crowd(n)
        local rows = {}
        for id = 1, n do
          table.move({ id, 50, 50 }, 1, 3, #rows + 1, rows)
        end
        return rows
      end

      -- The bytes of the space when nobody is told of the crowd.
      local function bytes_unheard(rows)
        local space = row.new()
        space:enter_all(rows)
        return space:stats().bytes
      end

      it("a crowd that met once #crowd", function()
        local rows = crowd(600)
        local unheard = bytes_unheard(rows)
        for _, handler in ipairs { "on_event", "on_enter", "on_view", "on_watchers" } do
          local heard = 0
          local space = row.new { [handler] = function() heard = heard + 1 end }
          space:enter_all(rows)
          assert.is_true(heard >= 599)
          local more = space:stats().bytes - unheard
          assert.is_true(more < KEPT, ("%s: %d bytes more"):format(handler, more))
        end
      end)

      it("a crowd whose meeting was gathered, or dropped by on{} #crowd", function()
        local rows = crowd(600)
        local unheard = bytes_unheard(rows)
        local space = row.new { collect = true }
        space:enter_all(rows)
        assert.is_true(space:stats().bytes > unheard + 600 * 599 * 8)
        space:drain {}
        assert.is_true(space:stats().bytes < unheard + KEPT)
        space = row.new { on_event = error }
        pcall(space.enter_all, space, rows)
        assert.is_true(space:stats().bytes > unheard + 600 * 599 * 8)
        space:on {}
        assert.equal(1, space:pending()) -- of the first change, which has begun
        pcall(space.flush, space)
        space:on {}
        assert.is_true(space:stats().bytes < unheard + KEPT)
      end)

      it("not those of regular bursts, until these have been missing for a while", function()
        local space = row.new { on_move = function() end }
        local rows = crowd(200)
        space:enter_all(rows)
        space:enter(1000, 90, 90)
        space:enter(1001, 90, 90)
        local function lull(changes)
          for _ = 1, changes do
            space:move(1000, 90, 90)
          end
          return space:stats().bytes
        end
        local before = lull(1)
        space:move_all(rows)
        assert.is_true(space:stats().bytes < before + KEPT) -- the first
        space:move_all(rows)
        local kept = lull(10)
        assert.is_true(kept > before + 200 * 199 * 8)
        for _ = 1, 5 do
          space:move_all(rows)
          assert.equal(kept, lull(0))
          assert.equal(kept, lull(10))
        end
        assert.is_true(lull(200) < before + KEPT)
      end)
    end)

    describe("with finalizers", function()
      it("one that changes the space may run at any time", function()
        local inside = {}
        local enters, runs = 0, 0
        local function hear(watcher, m, op)
          local pair = watcher .. ":" .. m
          if op == "enter" then
            must(not inside[pair], pair)
            inside[pair] = true
            enters = enters + 1
          else
            must(inside[pair], pair)
            inside[pair] = op == "move" or nil
          end
        end
        local space = row.new { collect = true, on_event = hear }
        local function garbage(n)
          setmetatable({}, {
            __gc = function()
              runs = runs + 1
              space:update(1000 + n % 7, 40 + n % 20, 40 + n % 11)
              space:markers_of(1000 + n % 7)
              if n % 3 == 0 and space:has(1000 + n % 5) then
                space:leave(1000 + n % 5)
              end
              space:drain({})
              if n % 50 == 0 then
                space:on { on_event = hear }
              end
            end,
          })
        end
        local t = {}
        local function use(from, to)
          for n = from, to do
            garbage(n)
            local id = n % 30
            space:update(id, 30 + n * 7 % 40, 30 + n * 3 % 40, { layers = 1 + n % 2 })
            space:ids({})
            space:markers_of(id, t)
            space:watchers_of(id)
            space:positions({ id }, 1, t)
            space:positions(space:ids("packed"), nil, "packed")
            space:drain(n % 2 == 0 and "packed" or {})
            tostring(space)
            if n % 11 == 0 then
              space:leave(id)
            end
            if n % 17 == 0 then
              collectgarbage("step", 1)
            end
          end
        end
        -- The eager collector goes around once per allocation: thorough, and slow.
        with_eager_collector(function() use(1, 150) end)
        use(151, 3000)
        collect_all()
        assert.is_true(runs >= 2900, runs .. " finalizers")
        assert.is_true(enters > 1000)
        -- The handlers were told as the space answers.
        local ids, n = space:ids()
        local seen = 0
        for i = 1, n do
          local list, count = space:markers_of(ids[i])
          for k = 1, count do
            assert.is_true(inside[ids[i] .. ":" .. list[k]])
          end
          seen = seen + count
        end
        for _ in pairs(inside) do
          seen = seen - 1
        end
        assert.equal(0, seen)
      end)

      it("one that closes the space in the middle of a delivery does no harm", function()
        for delay = 1, 30 do
          local space
          local heard = 0
          space = row.new {
            on_event = function()
              heard = heard + 1
              if heard == delay then
                setmetatable({}, { __gc = function() space:close() end })
                collectgarbage()
              end
            end,
          }
          watch(space, 40)
          space:enter(99, 50, 50, marker)
          assert.equal(delay, heard)
          assert.is_false((pcall(space.has, space, 99)))
        end
      end)

      it("one that uses a space collected with it gets a closed space, no crash", function()
        local results = {}
        local function make()
          local space = row.new { on_event = function() end }
          watch(space, 3)
          -- Made after the space, so finalized before it; and one made before it.
          setmetatable({}, {
            __gc = function() results.before = pcall(space.enter, space, 9, 50, 50) end,
          })
          local holder = { space = space }
          setmetatable(holder, {
            __gc = function(self) results.holder = pcall(self.space.leave, self.space, 1) end,
          })
        end
        make()
        local first = setmetatable({}, {
          __gc = function(self)
            results.late = pcall(self.space.enter, self.space, 9, 50, 50)
            results.text = tostring(self.space)
          end,
        })
        first.space = row.new()
        first = nil -- luacheck: ignore
        collect_all()
        assert.equal("boolean", type(results.before))
        assert.equal("boolean", type(results.holder))
        assert.is_false(results.late)
        assert.equal("string", type(results.text))
      end)
    end)

    it("a debug hook that uses the space at every step does no harm", function()
      local inside, enters = {}, 0
      local space = row.new {
        on_event = function(watcher, m, op)
          local pair = watcher .. ":" .. m
          must(op == "enter" or inside[pair], pair)
          must(op ~= "enter" or not inside[pair], pair)
          inside[pair] = op ~= "leave" or nil
          enters = enters + (op == "enter" and 1 or 0)
        end,
      }
      space:enter(1, 50, 50)
      local steps = 0
      local t = {}
      local old_hook = { debug.gethook() }
      local ok, message = pcall(function()
        debug.sethook(function()
          -- Not for ever: what it changes is told to handlers, and these have steps as well.
          if steps == 1000 then
            return
          end
          steps = steps + 1
          local id = 100 + steps % 9
          if steps % 5 == 0 and space:has(id) then
            space:leave(id)
          else
            space:update(id, 40 + steps % 21, 50)
          end
          space:markers_of(1, t)
        end, "cr", 3)
        for n = 1, 200 do
          space:update(n % 10, 40 + n * 7 % 30, 50)
          space:watchers_of(1)
          space:positions({ n % 10 }, 1)
        end
      end)
      debug.sethook(table.unpack(old_hook))
      assert.is_true(ok, message)
      space:flush()
      assert.equal(1000, steps)
      assert.is_true(enters > 100)
      local seen = 0
      local ids, n = space:ids()
      for i = 1, n do
        local list, count = space:markers_of(ids[i])
        for k = 1, count do
          assert.is_true(inside[ids[i] .. ":" .. list[k]])
        end
        seen = seen + count
      end
      for _ in pairs(inside) do
        seen = seen - 1
      end
      assert.equal(0, seen)
    end)

    it("a collection in every handler does no harm", function()
      local log = {}
      local space
      space = row.new {
        on_event = function(watcher, m, op)
          log[#log + 1] = record.text(watcher, m, op)
          collectgarbage("step")
          collectgarbage()
          if op == "enter" and m == 9 then
            space:on {
              on_event = function(w, m2, op2)
                collectgarbage()
                log[#log + 1] = record.text(w, m2, op2)
              end,
            }
            collectgarbage()
          end
        end,
      }
      watch(space, 4)
      space:enter(9, 50, 50, marker)
      space:move(9, 51, 51)
      space:leave(9)
      assert.equal("enter enter enter enter move move move move leave leave leave leave",
        record.kinds(log))
    end)

    it("works with the collector at its most eager", function()
      with_eager_collector(function()
        local heard = 0
        local space = row.new { on_event = function() heard = heard + #{ {}, {} } end }
        watch(space, 20)
        for n = 1, 80 do
          space:enter(100 + n, 50, 50, { mode = "m", layers = n % 4 })
          space:markers_of(1)
        end
        assert.equal(20 * 60 * 2, heard)
      end)
    end)

    if _VERSION ~= "Lua 5.3" then
      it("works with the generational collector", function()
        local mode = collectgarbage("generational")
        local ok, message = pcall(function()
          local heard = 0
          local space = row.new()
          for round = 1, 50 do
            -- An old space is given young handlers: the barrier must hold them.
            space:on {
              on_event = function(_, _, op) heard = heard + #op + round - round end,
            }
            for _ = 1, 3 do
              collectgarbage("step")
            end
            watch(space, 10)
            space:enter(99, 50, 50, marker)
            must(#space == 11)
            space:clear()
          end
          must(heard == 50 * 10 * #"enter", heard)
        end)
        collectgarbage(mode)
        assert.is_true(ok, message)
      end)

      it("is closed by a variable to be closed", function()
        local run = assert(load([[
          local make = ...
          local outer
          do
            local space <close> = make()
            outer = space
            space:enter(1, 50, 50)
          end
          return outer
        ]]))
        local space = run(row.new)
        assert.is_false((pcall(space.has, space, 1)))
        assert.equal("string", type(tostring(space)))
      end)

      it("is closed by it after an error, and after close itself", function()
        local run = assert(load([[
          local space, fail = ...
          local guard <close> = space
          if fail then error("inside") end
          space:close()
        ]]))
        local one, two = row.new(), row.new()
        local ok, message = pcall(run, one, true)
        assert.is_false(ok)
        assert.is_truthy(message:find("inside", 1, true))
        assert.is_false((pcall(one.has, one, 1)))
        assert.is_true((pcall(run, two, false)))
        assert.is_false((pcall(two.has, two, 1)))
      end)
    end
  end)
end
