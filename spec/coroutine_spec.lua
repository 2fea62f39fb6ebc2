-- Handlers that yield, and coroutines that share a space: suspended, closed, dropped, dead.
local engines = require "spec.support.engines"
local record = require "spec.support.record"

local in_order, kinds = record.in_order, record.kinds
local unpack = table.unpack

-- Watchers 1..n that see whatever marker comes to (50, 50).
local function watch(space, n)
  for id = 1, n do
    space:enter(id, 50, 50, { mode = "w" })
  end
end

local marker = { mode = "m" }

-- Resumes and fails loudly when the coroutine died.
local function resume(co, ...)
  local results = table.pack(coroutine.resume(co, ...))
  if not results[1] then
    error(results[2], 2)
  end
  return unpack(results, 2, results.n)
end

for _, row in ipairs(engines.all) do
  describe("a handler that yields in " .. row.name, function()
    -- A space with n watchers whose on_event yields the event's text while `yielding` is set, and
    -- logs "begin ..." and "end ...".
    local function yielding_space(n, extra)
      local state = { log = {}, yielding = true }
      local options = extra or {}
      options.on_event = function(watcher, m, op)
        local text = record.text(watcher, m, op)
        state.log[#state.log + 1] = "begin " .. text
        if state.yielding and coroutine.isyieldable() then
          state.answer = coroutine.yield(text)
        end
        state.log[#state.log + 1] = "end " .. text
      end
      local space = row.new(options)
      watch(space, n)
      return space, state
    end

    it("suspends the call, and the resumed call goes on to its end", function()
      local space, state = yielding_space(3)
      local returned
      local co = coroutine.create(function()
        returned = table.pack(space:enter(9, 50, 50, marker))
        return "done"
      end)
      local yields = {}
      for i = 1, 3 do
        yields[i] = resume(co, i)
        assert.is_nil(returned)
        assert.equal(3 - i, space:pending())
      end
      table.sort(yields)
      assert.same({ "1: enter 9", "2: enter 9", "3: enter 9" }, yields)
      assert.equal("done", resume(co, "answer"))
      assert.equal("answer", state.answer)
      assert.equal(0, returned.n)
      assert.equal(6, #state.log)
      for i = 1, 6, 2 do
        assert.equal(state.log[i]:gsub("begin", "end"), state.log[i + 1])
      end
    end)

    it("works from every changing call", function()
      local space, state = yielding_space(2)
      local results = {}
      local co = coroutine.wrap(function()
        space:enter(9, 50, 50, marker)
        space:move(9, 51, 51)
        results[#results + 1] = tostring(space:update(9, 52, 52))
        results[#results + 1] = tostring(space:update(8, 52, 52, marker))
        space:set_layers(9, 0)
        space:set_mode(1, "m")
        space:set_mode(1, "w")
        space:set_sees_layers(2, 0)
        if row.exact then
          space:set_radius(1, 0)
          space:set_radius(1, 10)
        end
        space:leave(8)
        return "done"
      end)
      local yields = 0
      while co() ~= "done" do
        yields = yields + 1
      end
      assert.equal(#state.log, yields * 2)
      assert.equal(row.exact and 18 or 16, yields)
      assert.equal("true", results[2])
      assert.are_not.equal("true", results[1])
      assert.equal(0, space:pending())
    end)

    it("works in flush", function()
      local space, state = yielding_space(3)
      local seen = {}
      space:on { on_event = function(watcher)
        seen[#seen + 1] = watcher
        if #seen == 1 then
          error("stop")
        end
        coroutine.yield()
      end }
      pcall(space.enter, space, 9, 50, 50, marker)
      assert.equal(2, space:pending())
      local co = coroutine.create(function() space:flush() end)
      resume(co)
      resume(co)
      assert.equal("suspended", coroutine.status(co))
      resume(co)
      assert.equal("dead", coroutine.status(co))
      assert.equal(3, #seen)
      assert.equal(0, #state.log)
    end)

    it("works for the handlers of each kind, and between two handlers of one event", function()
      local order = {}
      local function yielder(name)
        return function()
          order[#order + 1] = name .. " begins"
          coroutine.yield(name)
          order[#order + 1] = name .. " ends"
        end
      end
      local space = row.new {
        on_event = yielder "event", on_enter = yielder "enter", on_leave = yielder "leave",
      }
      watch(space, 1)
      local co = coroutine.wrap(function()
        space:enter(9, 50, 50, marker)
        space:leave(9)
        return "done"
      end)
      assert.same({ "event", "enter", "event", "leave", "done" },
        { co(), co(), co(), co(), co() })
      assert.same({ "event begins", "event ends", "enter begins", "enter ends",
        "event begins", "event ends", "leave begins", "leave ends" }, order)
    end)

    it("works inside coroutine.wrap as an iterator", function()
      local space = row.new {
        on_event = function(...) coroutine.yield(...) end,
      }
      watch(space, 1)
      local lines = {}
      for watcher, m, op in coroutine.wrap(function()
        space:enter(9, 50, 50, marker)
        space:move(9, 51, 51)
        space:leave(9)
      end) do
        lines[#lines + 1] = record.text(watcher, m, op)
      end
      assert.equal("1: enter 9, 1: move 9, 1: leave 9", in_order(lines))
    end)

    it("outside any coroutine is an error that reaches the caller", function()
      local space = row.new { on_event = function() coroutine.yield() end }
      watch(space, 2)
      -- busted may run specs in a coroutine of its own; a metamethod called from C may not yield.
      local ok, message
      local t = { 2, 1 }
      pcall(table.sort, t, function()
        if ok == nil then
          ok, message = pcall(space.enter, space, 9, 50, 50, marker)
        end
        return false
      end)
      assert.is_false(ok)
      assert.is_truthy(message:find("yield", 1, true), message)
      assert.is_true(space:has(9))
      assert.equal(1, space:pending())
    end)

    describe("while others use the space", function()
      it("a call takes effect and delivers all that is pending, oldest first", function()
        local space, state = yielding_space(3)
        local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
        local first = resume(co)
        state.yielding = false
        state.log = {}
        space:move(9, 51, 51)
        assert.equal(0, space:pending())
        assert.equal(10, #state.log)
        local begins = {}
        for _, line in ipairs(state.log) do
          begins[#begins + 1] = line:match("^begin (.*)")
        end
        assert.equal("enter enter move move move", kinds(begins))
        for _, text in ipairs(begins) do
          assert.are_not.equal(first, text)
        end
        -- The resumed one finds nothing left and returns.
        state.log = {}
        resume(co)
        assert.equal("dead", coroutine.status(co))
        assert.same({ "end " .. first }, state.log)
      end)

      it("flush from outside delivers what is pending", function()
        local space, state = yielding_space(3)
        local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
        resume(co)
        state.yielding = false
        assert.equal(2, space:pending())
        space:flush()
        assert.equal(0, space:pending())
        assert.equal(1 + 2 * 2, #state.log)
        resume(co)
        assert.equal(6, #state.log)
      end)

      it("questions deliver nothing", function()
        local space, state = yielding_space(3)
        local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
        resume(co)
        space:markers_of(1)
        space:watchers_of(9)
        space:position(9)
        space:stats()
        assert.is_true(space:sees(1, 9))
        assert.equal(2, space:pending())
        assert.equal(1, #state.log)
        resume(co)
        resume(co)
        resume(co)
        assert.equal("dead", coroutine.status(co))
      end)

      it("the resumed one goes on with what is pending then", function()
        local space, state = yielding_space(2)
        local one = coroutine.create(function()
          space:enter(9, 50, 50, marker)
          return "one"
        end)
        local two = coroutine.create(function()
          space:enter(8, 51, 51, marker)
          return "two"
        end)
        assert.is_truthy(resume(one):find("enter 9"))
        assert.is_truthy(resume(two):find("enter 9")) -- the oldest that waits
        assert.equal(2, space:pending())
        assert.is_truthy(resume(one):find("enter 8"))
        assert.is_truthy(resume(two):find("enter 8"))
        assert.equal("one", resume(one))
        assert.equal("two", resume(two))
        assert.equal(8, #state.log)
      end)

      it("events start in order, whoever delivers them", function()
        local starts = {}
        local space = row.new {
          on_event = function(_, m)
            starts[#starts + 1] = m
            coroutine.yield()
          end,
        }
        watch(space, 2)
        local cos, n = {}, 40
        for id = 100, 99 + n do
          local co = coroutine.create(function() space:enter(id, 50, 50, marker) end)
          cos[#cos + 1] = co
          resume(co)
        end
        local alive, turn = n, 0
        while alive > 0 do
          turn = turn + 1
          local co = cos[turn * 7 % n + 1]
          if coroutine.status(co) == "suspended" then
            resume(co)
            if coroutine.status(co) == "dead" then
              alive = alive - 1
            end
          end
        end
        assert.equal(2 * n, #starts)
        for i = 1, 2 * n do
          assert.equal(99 + (i + 1) // 2, starts[i])
        end
        assert.equal(0, space:pending())
      end)

      it("an error of theirs leaves the rest to the resumed one", function()
        local space
        local log = {}
        local mode = "yield"
        space = row.new {
          on_event = function(watcher, m, op)
            log[#log + 1] = record.text(watcher, m, op)
            if mode == "yield" then
              coroutine.yield()
            elseif mode == "raise" then
              error("theirs")
            end
          end,
        }
        watch(space, 4)
        local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
        resume(co)
        mode = "raise"
        local ok, message = pcall(space.move, space, 9, 51, 51)
        assert.is_false(ok)
        assert.is_truthy(message:find("theirs", 1, true))
        assert.equal(2, #log)
        assert.equal(6, space:pending())
        mode = "log"
        resume(co)
        assert.equal("dead", coroutine.status(co))
        assert.equal("enter enter enter enter move move move move", kinds(log))
        assert.equal(0, space:pending())
      end)

      it("close drops the rest; the resumed one ends without an error", function()
        local space, state = yielding_space(3)
        local co = coroutine.create(function()
          space:enter(9, 50, 50, marker)
          return "returned"
        end)
        resume(co)
        space:close()
        assert.equal("returned", resume(co))
        assert.equal(2, #state.log)
      end)

      it("clear drops the rest; the resumed one ends without an error", function()
        local space, state = yielding_space(3)
        local co = coroutine.create(function()
          space:enter(9, 50, 50, marker)
          return "returned"
        end)
        resume(co)
        space:clear()
        assert.equal(0, space:pending())
        assert.equal("returned", resume(co))
        assert.equal(2, #state.log)
        assert.equal(0, #space)
      end)

      it("clear and new events: the resumed one delivers those", function()
        local space, state = yielding_space(1)
        local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
        resume(co)
        space:clear()
        state.yielding = false
        watch(space, 2)
        space:enter(8, 50, 50, marker)
        assert.equal(5, #state.log)
        resume(co)
        assert.equal("end 1: enter 9", state.log[6])
        assert.equal("dead", coroutine.status(co))
      end)

      it("on gives the other changes to new handlers, not the rest of this one", function()
        local space, state = yielding_space(3)
        local co = coroutine.create(function() space:enter_all({ 9, 50, 50, 8, 50, 50 }, 2, marker) end)
        resume(co)
        local heard = 0
        space:on { on_enter = function() heard = heard + 1 end }
        state.yielding = false
        resume(co)
        assert.equal("dead", coroutine.status(co))
        assert.equal(3, heard)
        assert.equal(6, #state.log)
      end)
    end)

    describe("and calls the space again", function()
      it("gets its events after it returns, never nested", function()
        local log = {}
        local depth = 0
        local space
        space = row.new {
          on_event = function(watcher, m, op)
            depth = depth + 1
            assert(depth == 1, "nested")
            local text = record.text(watcher, m, op)
            log[#log + 1] = "begin " .. text
            coroutine.yield()
            if op == "enter" then
              space:move(9, 51, 51)
              log[#log + 1] = "moved"
            end
            log[#log + 1] = "end " .. text
            depth = depth - 1
          end,
        }
        watch(space, 1)
        local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
        resume(co)
        resume(co)
        resume(co)
        assert.equal("dead", coroutine.status(co))
        assert.same({ "begin 1: enter 9", "moved", "end 1: enter 9", "begin 1: move 9",
          "end 1: move 9" }, log)
      end)

      it("after others took over the delivery: still after it returns", function()
        local log = {}
        local space
        local wait = true
        space = row.new {
          on_event = function(watcher, m, op)
            local text = record.text(watcher, m, op)
            log[#log + 1] = "begin " .. text
            if wait then
              wait = false
              coroutine.yield()
              space:move(9, 52, 52)
              log[#log + 1] = "moved again"
            end
            log[#log + 1] = "end " .. text
          end,
        }
        watch(space, 1)
        local co = coroutine.create(function()
          space:enter(9, 50, 50, marker)
          log[#log + 1] = "returned"
        end)
        resume(co)
        space:move(9, 51, 51) -- takes the delivery over and ends it
        log[#log + 1] = "main returned"
        resume(co)
        assert.equal("dead", coroutine.status(co))
        assert.same({
          "begin 1: enter 9",
          "begin 1: move 9", "end 1: move 9", "main returned",
          "moved again", "end 1: enter 9",
          "begin 1: move 9", "end 1: move 9", "returned",
        }, log)
      end)

      it("may yield, call, yield and call 10,000 times without growing the stack", function()
        local space
        local count = 0
        space = row.new {
          on_move = function(_, m)
            count = count + 1
            coroutine.yield(count)
            if count < 10000 then
              space:move(m, 50 + count % 2, 50)
            end
            coroutine.yield(count)
          end,
        }
        watch(space, 1)
        space:enter(9, 50, 50, marker)
        local co = coroutine.create(function()
          space:move(9, 51, 50)
          return "done"
        end)
        local early, late, deepest
        local resumes = 0
        while coroutine.status(co) == "suspended" do
          resume(co)
          resumes = resumes + 1
          if resumes == 1000 or resumes == 19000 then
            collectgarbage()
            collectgarbage()
            early, late = early or collectgarbage("count"), collectgarbage("count")
            deepest = 0
            while debug.getinfo(co, deepest, "l") do
              deepest = deepest + 1
            end
            assert.is_true(deepest < 10, "frames: " .. deepest)
          end
        end
        assert.equal(10000, count)
        assert.equal(20001, resumes)
        assert.is_true(late - early < 16, ("%g KB more"):format(late - early))
        assert.equal(0, space:pending())
      end)
    end)

    it("yields for each of 10,000 waiting events without growing the stack #crowd", function()
      local space = row.new()
      space:enter(1, 50, 50, { mode = "w", sees_layers = 1 })
      for id = 101, 10100 do
        space:enter(id, 50, 50, { mode = "m", layers = 2 })
      end
      local heard = 0
      local raise = true
      space:on {
        on_enter = function()
          if raise then
            raise = false
            error("stop")
          end
          heard = heard + 1
          coroutine.yield()
        end,
      }
      assert.is_false((pcall(space.set_sees_layers, space, 1, 2)))
      assert.equal(9999, space:pending())
      local co = coroutine.create(function() space:flush() end)
      local resumes = 0
      while coroutine.status(co) == "suspended" do
        resume(co)
        resumes = resumes + 1
      end
      assert.equal(9999, heard)
      assert.equal(10000, resumes)
    end)

    describe("in a coroutine that does not end", function()
      it("dropped and collected: the next call delivers the rest", function()
        local space, state = yielding_space(3)
        local weak = setmetatable({}, { __mode = "v" })
        local function suspend()
          weak[1] = coroutine.create(function() space:enter(9, 50, 50, marker) end)
          resume(weak[1])
        end
        suspend()
        collectgarbage()
        collectgarbage()
        assert.is_nil(weak[1])
        assert.equal(2, space:pending())
        state.yielding = false
        space:move(9, 51, 51)
        assert.equal(0, space:pending())
        assert.equal(1 + 2 * 5, #state.log)
      end)

      it("kept and never resumed: the space does not wait for it", function()
        local space, state = yielding_space(2)
        local kept = {}
        for id = 10, 29 do
          kept[#kept + 1] = coroutine.create(function() space:enter(id, 50, 50, marker) end)
          resume(kept[#kept])
        end
        assert.is_true(space:pending() > 0)
        state.yielding = false
        space:flush()
        assert.equal(0, space:pending())
        local begins = 0
        for _, line in ipairs(state.log) do
          begins = begins + (line:find("^begin") and 1 or 0)
        end
        assert.equal(40, begins)
        for _, co in ipairs(kept) do
          assert.equal("suspended", coroutine.status(co))
        end
      end)

      it("dead by an error after its yield: the rest stays pending for the next call", function()
        local space
        local log = {}
        local mode = "yield"
        space = row.new {
          on_event = function(watcher, m, op)
            log[#log + 1] = record.text(watcher, m, op)
            if mode == "yield" then
              coroutine.yield()
              error("died here")
            end
          end,
        }
        watch(space, 3)
        local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
        resume(co)
        local ok, message = coroutine.resume(co)
        assert.is_false(ok)
        assert.is_truthy(message:find("died here", 1, true), message)
        assert.equal("dead", coroutine.status(co))
        assert.is_truthy(debug.traceback(co):find("coroutine_spec", 1, true))
        assert.equal(2, space:pending())
        mode = "log"
        space:leave(9)
        assert.equal("enter enter enter leave leave leave", kinds(log))
        assert.equal(0, space:pending())
      end)

      it("dead by an error before any yield: the rest stays pending for flush", function()
        local space
        local fail = true
        local heard = 0
        space = row.new {
          on_event = function()
            heard = heard + 1
            if fail then
              error("died here")
            end
          end,
        }
        watch(space, 3)
        local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
        assert.is_false((coroutine.resume(co)))
        fail = false
        assert.equal(2, space:pending())
        space:flush()
        assert.equal(3, heard)
      end)

      it("dropped together with its space: both are collected", function()
        local weak = setmetatable({}, { __mode = "k" })
        local function suspend()
          local space = yielding_space(3)
          local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
          resume(co)
          weak[space] = true
          weak[co] = true
        end
        suspend()
        assert.is_not_nil(next(weak))
        for _ = 1, 4 do
          collectgarbage()
        end
        assert.is_nil(next(weak))
      end)

      if coroutine.close then -- Lua 5.4 and later
        it("closed: the next call delivers the rest", function()
          local space, state = yielding_space(3)
          local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
          resume(co)
          assert.is_true(coroutine.close(co))
          assert.equal("dead", coroutine.status(co))
          assert.equal(2, space:pending())
          state.yielding = false
          space:move(9, 51, 51)
          assert.equal(0, space:pending())
          assert.equal(1 + 2 * 5, #state.log)
        end)

        it("closed by a handler of the same space", function()
          local space, state = yielding_space(3)
          local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
          resume(co)
          local closed
          space:on {
            on_event = function()
              if closed == nil then
                closed = coroutine.close(co)
              end
              state.log[#state.log + 1] = "heard"
            end,
          }
          state.yielding = false
          space:leave(9)
          assert.is_true(closed)
          assert.equal(1 + 2 * 2 + 3, #state.log)
          assert.equal(0, space:pending())
        end)

        it("closed with variables to be closed that use the space", function()
          local space, state = yielding_space(2)
          local body = assert(load([[
            local space = ...
            local guard <close> = setmetatable({}, { __close = function() space:leave(9) end })
            space:enter(9, 50, 50, { mode = "m" })
          ]]))
          local co = coroutine.create(function() body(space) end)
          resume(co)
          state.yielding = false
          assert.is_true(coroutine.close(co))
          assert.is_false(space:has(9))
          assert.equal(0, space:pending())
          assert.equal(1 + 2 * 3, #state.log)
        end)
      end
    end)

    describe("and pcall", function()
      it("a pcall in the handler may be yielded across", function()
        local results = {}
        local space = row.new {
          on_event = function()
            local ok, err = pcall(function()
              local answer = coroutine.yield("inside pcall")
              error("caught: " .. tostring(answer), 0)
            end)
            results[#results + 1] = tostring(ok) .. " " .. err
          end,
        }
        watch(space, 2)
        local co = coroutine.create(function()
          space:enter(9, 50, 50, marker)
          return "done"
        end)
        assert.equal("inside pcall", resume(co))
        assert.equal("inside pcall", resume(co, "one"))
        assert.equal("done", resume(co, "two"))
        assert.same({ "false caught: one", "false caught: two" }, results)
      end)

      it("a pcall around the call catches an error after the yield", function()
        local space = row.new {
          on_event = function()
            coroutine.yield()
            error("after the yield", 0)
          end,
        }
        watch(space, 2)
        local ok, err
        local co = coroutine.create(function()
          ok, err = pcall(space.enter, space, 9, 50, 50, marker)
          return "alive"
        end)
        resume(co)
        assert.equal("alive", resume(co))
        assert.is_false(ok)
        assert.equal("after the yield", err)
        assert.equal(1, space:pending())
        assert.is_true(space:has(9))
      end)

      it("the rest can be delivered by the same coroutine after the error", function()
        local heard = 0
        local space = row.new {
          on_event = function()
            heard = heard + 1
            coroutine.yield()
            if heard == 1 then
              error("first one")
            end
          end,
        }
        watch(space, 3)
        local co = coroutine.create(function()
          assert(not pcall(space.enter, space, 9, 50, 50, marker))
          space:flush()
          return "done"
        end)
        local last
        local resumes = 0
        repeat
          last = resume(co)
          resumes = resumes + 1
        until last == "done"
        assert.equal(3, heard)
        assert.equal(4, resumes)
      end)
    end)

    describe("and on_error", function()
      it("errors after a yield go to on_error and delivery goes on", function()
        local errors, heard = {}, {}
        local space = row.new {
          on_event = function(watcher)
            heard[#heard + 1] = watcher
            coroutine.yield(watcher)
            error("late " .. watcher, 0)
          end,
          on_error = function(err, watcher, m, op)
            errors[#errors + 1] = ("%s (%d %d %s)"):format(err, watcher, m, op)
          end,
        }
        watch(space, 3)
        local co = coroutine.create(function()
          space:enter(9, 50, 50, marker)
          return "done"
        end)
        for i = 1, 3 do
          assert.equal("number", type(resume(co)))
          assert.equal(i, #heard)
          assert.equal(i - 1, #errors)
        end
        assert.equal("done", resume(co))
        table.sort(errors)
        assert.same({ "late 1 (1 9 enter)", "late 2 (2 9 enter)", "late 3 (3 9 enter)" }, errors)
        assert.equal(0, space:pending())
      end)

      it("the traceback shows the handler after its yield", function()
        local trace
        local function handler()
          coroutine.yield()
          error("boom")
        end
        local space = row.new {
          on_event = handler,
          on_error = function(err) trace = debug.traceback(err) end,
        }
        watch(space, 1)
        local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
        resume(co)
        resume(co)
        assert.equal("dead", coroutine.status(co))
        local info = debug.getinfo(handler, "S")
        local seen = false
        for line in trace:gmatch("coroutine_spec%.lua:(%d+): in ") do
          line = tonumber(line)
          seen = seen or line > info.linedefined and line < info.lastlinedefined
        end
        assert.is_true(seen, trace)
      end)

      it("replaced during the yield: the error goes to the one that the event began with or "
        .. "to the new one, once", function()
        local old, new, raised = 0, 0, 0
        local space = row.new {
          on_event = function()
            coroutine.yield()
            error("late")
          end,
          on_error = function() old = old + 1 end,
        }
        watch(space, 1)
        local co = coroutine.create(function() space:enter(9, 50, 50, marker) end)
        resume(co)
        space:on { on_event = function() end, on_error = function() new = new + 1 end }
        if not coroutine.resume(co) then
          raised = 1
        end
        assert.equal(1, old + new + raised)
        assert.equal(0, raised)
        assert.equal(0, space:pending())
      end)

      it("cannot yield itself: that breaks nothing", function()
        local heard = 0
        local space = row.new {
          on_event = function()
            heard = heard + 1
            error("boom")
          end,
          on_error = function() coroutine.yield() end,
        }
        watch(space, 2)
        local co = coroutine.create(function()
          pcall(space.enter, space, 9, 50, 50, marker)
          pcall(space.flush, space)
          return "done"
        end)
        assert.equal("done", resume(co))
        assert.equal(2, heard)
        assert.equal(0, space:pending())
        space:on {}
        space:leave(9)
        assert.equal(2, #space)
      end)
    end)

    describe("as a handler that resumes coroutines", function()
      it("a coroutine that moves entities is queued, not nested", function()
        local log, depth, deepest = {}, 0, 0
        local space
        local mover = coroutine.create(function()
          while true do
            space:move(9, 51, 51)
            log[#log + 1] = "moved"
            coroutine.yield()
          end
        end)
        space = row.new {
          on_event = function(watcher, m, op)
            depth = depth + 1
            deepest = math.max(depth, deepest)
            local text = record.text(watcher, m, op)
            log[#log + 1] = "begin " .. text
            if op == "enter" then
              resume(mover)
            end
            log[#log + 1] = "end " .. text
            depth = depth - 1
          end,
        }
        watch(space, 1)
        space:enter(9, 50, 50, marker)
        assert.same({ "begin 1: enter 9", "moved", "end 1: enter 9", "begin 1: move 9",
          "end 1: move 9" }, log)
        assert.equal(1, deepest)
        assert.equal(0, space:pending())
        -- Outside a handler the same coroutine delivers by itself.
        log = {}
        resume(mover)
        assert.same({ "begin 1: move 9", "end 1: move 9", "moved" }, log)
      end)

      it("a handler suspended earlier may be resumed from a handler", function()
        local log = {}
        local space
        local sleeper
        space = row.new {
          on_event = function(watcher, m, op)
            local text = record.text(watcher, m, op)
            log[#log + 1] = "begin " .. text
            if m == 8 and op == "enter" then
              coroutine.yield()
              space:move(8, 52, 52)
            elseif m == 9 and op == "enter" then
              resume(sleeper)
            end
            log[#log + 1] = "end " .. text
          end,
        }
        watch(space, 1)
        sleeper = coroutine.create(function() space:enter(8, 50, 50, marker) end)
        resume(sleeper)
        space:enter(9, 50, 50, marker)
        assert.equal("dead", coroutine.status(sleeper))
        assert.equal(0, space:pending())
        local count = {}
        for _, line in ipairs(log) do
          count[line] = (count[line] or 0) + 1
        end
        assert.same({
          ["begin 1: enter 8"] = 1, ["end 1: enter 8"] = 1,
          ["begin 1: enter 9"] = 1, ["end 1: enter 9"] = 1,
          ["begin 1: move 8"] = 1, ["end 1: move 8"] = 1,
        }, count)
      end)

      it("a handler that resumes an earlier one hears the next event after it has returned", function()
        local log = {}
        local space, sleeper
        space = row.new {
          on_event = function(_, m)
            log[#log + 1] = ("begin %d"):format(m)
            if m == 8 then
              coroutine.yield()
            elseif m == 9 and coroutine.status(sleeper) == "suspended" then
              space:enter(10, 50, 50, marker)
              resume(sleeper) -- ends its event; what waits is not its affair
              space:enter(11, 50, 50, marker)
            end
            log[#log + 1] = ("end %d"):format(m)
          end,
        }
        watch(space, 1)
        sleeper = coroutine.create(function() space:enter(8, 50, 50, marker) end)
        resume(sleeper)
        space:enter(9, 50, 50, marker)
        assert.equal("dead", coroutine.status(sleeper))
        assert.same({ "begin 8", "begin 9", "end 8", "end 9", "begin 10", "end 10", "begin 11",
          "end 11" }, log)
      end)

      it("an event half told is told to its end, also when a handler resumes it", function()
        local log = {}
        local space
        local sleeper
        space = row.new {
          on_event = function(_, m, op)
            log[#log + 1] = ("event %d %s"):format(m, op)
            if m == 8 then
              coroutine.yield()
            elseif m == 9 then
              resume(sleeper)
            end
          end,
          on_enter = function(_, m) log[#log + 1] = ("enter %d"):format(m) end,
        }
        watch(space, 1)
        sleeper = coroutine.create(function() space:enter(8, 50, 50, marker) end)
        resume(sleeper)
        assert.same({ "event 8 enter" }, log)
        space:enter(9, 50, 50, marker)
        space:flush()
        if coroutine.status(sleeper) == "suspended" then
          resume(sleeper)
        end
        table.sort(log)
        assert.same({ "enter 8", "enter 9", "event 8 enter", "event 9 enter" }, log)
      end)

      it("a coroutine whose handler yields may be made in a handler", function()
        local started, ended = 0, 0
        local space
        local inner = {}
        space = row.new {
          on_enter = function(_, m)
            started = started + 1
            if m < 15 then
              local co = coroutine.create(function()
                space:enter(m + 1, 50, 50, marker)
              end)
              inner[#inner + 1] = co
              resume(co)
            end
            if coroutine.isyieldable() and m % 2 == 1 then
              coroutine.yield()
            end
            ended = ended + 1
          end,
        }
        watch(space, 1)
        local outer = coroutine.create(function() space:enter(9, 50, 50, marker) end)
        inner[#inner + 1] = outer
        resume(outer)
        for _ = 1, 20 do
          for _, co in ipairs(inner) do
            if coroutine.status(co) == "suspended" then
              resume(co)
            end
          end
        end
        assert.equal(7, started)
        assert.equal(7, ended)
        assert.equal(0, space:pending())
        for _, co in ipairs(inner) do
          assert.equal("dead", coroutine.status(co))
        end
      end)
    end)

    it("a thread whose delivery was taken over, and ended by an error, delivers again", function()
      local log = {}
      local space
      space = row.new {
        on_enter = function(_, m)
          log[#log + 1] = m
          if m == 7 then
            coroutine.yield()
            error("boom", 0)
          end
        end,
      }
      watch(space, 1)
      local co = coroutine.create(function()
        local ok, message = pcall(space.enter, space, 7, 50, 50, marker)
        assert.is_false(ok)
        assert.equal("boom", message)
        space:enter(9, 50, 50, marker)
        assert.equal("7 8 9", table.concat(log, " "))
      end)
      resume(co)
      space:enter(8, 50, 50, marker)
      assert.equal("7 8", table.concat(log, " "))
      resume(co)
      assert.equal("dead", coroutine.status(co))
      assert.equal("7 8 9", table.concat(log, " "))
    end)

    it("a suspended handler keeps its array, whatever others are told meanwhile", function()
      local kept
      local space = row.new {
        on_watchers = function(m, op, list, n)
          if m == 7 and op == "enter" then
            coroutine.yield()
            kept = record.ids(list, n)
          end
        end,
      }
      watch(space, 2)
      space:enter(6, 50, 50, marker) -- from here on there is an array to use again
      local co = coroutine.create(function() space:enter(7, 50, 50, marker) end)
      resume(co)
      space:leave(1)
      space:enter(8, 50, 50, marker)
      resume(co)
      assert.equal("1 2", kept)
    end)

    it("a thousand suspended handlers at once, resumed in any order", function()
      local space
      local ended = 0
      space = row.new {
        on_event = function()
          coroutine.yield()
          ended = ended + 1
        end,
      }
      watch(space, 1)
      local cos = {}
      for i = 1, 1000 do
        cos[i] = coroutine.create(function() space:enter(1000 + i, 50, 50, marker) end)
        resume(cos[i])
      end
      for k = 1, 1000 do
        resume(cos[k * 387 % 1000 + 1])
      end
      assert.equal(1000, ended)
      assert.equal(0, space:pending())
      for i = 1, 1000 do
        assert.equal("dead", coroutine.status(cos[i]))
      end
    end)
  end)
end
