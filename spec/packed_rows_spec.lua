-- Packed rows: strings in place of tables, in both directions. That the same rows give the same events is
-- in the differential specs; here are the bytes, the arguments, what errors say, and finalizers that use
-- the space while a string is made.

local aoi = require "aoi"
local engines = require "spec.support.engines"
local packed = require "spec.support.packed_rows"
local Random = require "spec.support.random"
local record = require "spec.support.record"

local FLAT, DEEP = "<i8dd", "<i8ddd"

-- A space with `count` entities on a line, close enough to have many pairs, far enough to have not all.
local function crowd(row, count, extra)
  local space, t = row.new(extra), {}
  for id = 1, count do
    table.move({ id, 90 * id / count, 50 }, 1, 3, #t + 1, t)
  end
  space:enter_all(t)
  return space
end

local function message_of(space, method, ...)
  local ok, message = pcall(space[method], space, ...)
  assert.is_false(ok)
  return message
end

for _, row in ipairs(engines.all) do
  describe("packed rows, " .. row.name .. ":", function()
    it("ids are those of the table, in the same order", function()
      for _, count in ipairs { 0, 1, 5, 300 } do -- 300: more than fit on the C stack
        local space = crowd(row, count)
        local calls = {
          { "ids", n = 1 }, { "query_rect", 0, 0, 99, 99, n = 5 }, { "query_circle", 50, 50, 30, n = 4 },
          { "query_sector", 50, 50, 40, 0, 3, n = 6 }, { "query_segment", 0, 0, 99, 99, 30, n = 6 },
          { "query_polygon", { 10, 10, 90, 10, 50, 80 }, n = 2 },
          { "query_nearest", 50, 50, 250, n = 4 }, { "query_nearest", 50, 50, 9, nil, n = 5 },
          { "query_nearest", 50, 50, 300, 20, n = 5 },
        }
        if count > 0 then
          calls[#calls + 1] = { "markers_of", 1, n = 2 }
          calls[#calls + 1] = { "watchers_of", count, n = 2 }
        end
        for _, call in ipairs(calls) do
          local list, n = space[call[1]](space, table.unpack(call, 2, call.n))
          local arguments = table.move(call, 2, call.n, 1, {})
          arguments[call.n] = "packed"
          local rows, rows_n = space[call[1]](space, table.unpack(arguments, 1, call.n))
          assert.equal(packed.ids(list, n), rows)
          assert.equal(n, rows_n)
        end
      end
    end)

    it("layer_bits stand behind packed as behind a table", function()
      local space = crowd(row, 5)
      space:set_layers(3, 2)
      assert.equal(("<i8"):pack(3), (space:query_rect(0, 0, 99, 99, "packed", 2)))
      assert.equal(("<i8"):pack(3), (space:query_nearest(50, 50, 9, "packed", 2)))
      assert.equal(("<i8"):pack(3), (space:query_nearest(50, 50, 9, nil, "packed", 2)))
    end)

    it("positions are doubles, NaN for an unknown id", function()
      local space = crowd(row, 200)
      space:move(7, 0.1, 1 / 3)
      assert.equal(("<dd"):pack(0.1, 1 / 3), (space:positions({ 7 }, 1, "packed")))
      local rows, n = space:positions({ 7, 777, 7 }, 3, "packed")
      assert.equal(3, n)
      local unknown = "\0\0\0\0\0\0\xF8\x7F"
      assert.equal(("<dd"):pack(0.1, 1 / 3) .. unknown .. unknown .. ("<dd"):pack(0.1, 1 / 3), rows)
      local ids = space:ids("packed")
      local all, count = space:positions(ids, nil, "packed")
      assert.equal(200, count)
      assert.same(space:positions(space:ids(), 200), packed.to_coordinates(all))
      assert.same(packed.to_coordinates(all), (space:positions(ids)))
    end)

    it("positions of a string take an n, and t as ever", function()
      local space, t = crowd(row, 5), { 1, 2, 3, 4, 5, 6, 7 }
      local ids = packed.ids { 1, 2, 3 }
      local list, n = space:positions(ids, 2, t)
      assert.equal(t, list)
      assert.equal(2, n)
      assert.same({ 18.0, 50.0, 36.0, 50.0, nil, 6, 7 }, list)
      assert.equal(("<dddd"):pack(18, 50, 36, 50), (space:positions(ids, 2, "packed")))
      assert.equal("", (space:positions(ids, 0, "packed")))
      assert.equal("", (space:positions("", nil, "packed")))
      assert.same({}, (space:positions("")))
    end)

    it("drain gives the same events as into a table, in the same order", function()
      for _, deferred in ipairs { false, true } do
        for _, count in ipairs { 3, 100 } do
          local space = crowd(row, count, { collect = true, deferred = deferred })
          for id = 1, count, 2 do
            space:move(id, 90 * id / count, 55)
            space:move(id, 10, 10)
          end
          local _ = deferred and space:tick()
          local twin = aoi.load(space:save())
          local list, n = twin:drain()
          local rows, rows_n = space:drain("packed")
          assert.is_true(n > 0)
          assert.equal(n, rows_n)
          assert.equal(17 * n, #rows)
          assert.same(list, packed.to_events(rows))
          rows, rows_n = space:drain("packed")
          assert.equal("", rows)
          assert.equal(0, rows_n)
        end
      end
    end)

    it("floats are what they are as doubles", function()
      local space = row.new()
      space:enter_all(("<i8ff"):pack(1, 0.1, 99.9), "f")
      local x, y = space:position(1)
      assert.is_true(x == ("<f"):unpack(("<f"):pack(0.1)) and x ~= 0.1)
      assert.is_true(y == ("<f"):unpack(("<f"):pack(99.9)) and y ~= 99.9)
    end)

    it("a string is any number of rows, n says how many of them", function()
      local space = row.new()
      space:enter_all("")
      space:enter_all("", 0, nil, "f")
      space:leave_all("", 0)
      local rows = (FLAT .. FLAT):pack(1, 50, 50, 2, 51, 51)
      space:enter_all(rows, 0)
      assert.equal(0, #space)
      space:enter_all(rows, 1)
      assert.equal(1, #space)
      assert.equal(1, space:update_all(rows, 2))
      space:leave_all(packed.ids { 1, 2, 3 }, 2)
      assert.equal(0, #space)
    end)

    it("arguments stand behind a string as behind a table, \"f\" as the last", function()
      local doubles, floats = (FLAT):pack(1, 50, 50), ("<i8ff"):pack(1, 50, 50)
      local opts = { mode = "m" }
      for _, arguments in ipairs {
        { doubles, opts }, { doubles, 1, opts }, { doubles, nil, opts }, { floats, opts, "f" },
        { floats, 1, opts, "f" }, { floats, nil, opts, "f" }, { floats, opts, "f", n = 5 },
      } do
        for _, method in ipairs { "enter_all", "update_all" } do
          local space = row.new()
          space[method](space, table.unpack(arguments, 1, arguments.n or #arguments + 1))
          space:enter(2, 50, 50)
          assert.is_true(space:sees(2, 1))
          assert.is_false(space:sees(1, 2))
        end
      end
      for _, arguments in ipairs {
        { doubles }, { doubles, 1 }, { floats, "f" }, { floats, 1, "f" }, { floats, nil, nil, "f" },
        { doubles, 1, "skip", 0 }, { doubles, nil, "skip", 0 }, { doubles, "skip", 0 },
        { floats, "skip", "f", 0 }, { floats, nil, "skip", "f", 0 }, { floats, 1, "skip", "f", 0 },
      } do
        local space = row.new()
        space:enter(1, 10, 10)
        local skipped = arguments[#arguments] == 0 and table.remove(arguments)
        local answer = space:move_all(table.unpack(arguments, 1, 5))
        assert.equal(skipped or nil, answer)
        assert.equal(50.0, (space:position(1)))
      end
    end)

    if row.exact then
      it("all rows are seen from as far as opts say", function()
        local flat = { 1, 50, 50, 2, 90, 50 }
        for _, floats in ipairs { false, true } do
          local rows, word = packed.rows(flat, 2, floats), floats and "f" or nil
          for _, method in ipairs { "enter_all", "update_all" } do
            local space = row.new()
            space:enter(9, 10, 50)
            space[method](space, rows, { visible_radius = 45 }, word)
            assert.same({ 1 }, space:markers_of(9))
            assert.is_false(space:sees(1, 9))
            assert.equal(0, space:update_all(rows, { visible_radius = 85 }, word))
            assert.equal(0, space:update_all(rows, word))
            assert.equal(2, select(2, space:markers_of(9)))
            assert.equal(85.0, space:traits(1).visible_radius)
          end
        end
      end)
    end

    it("rows that are passed over are counted", function()
      local space = row.new()
      space:enter(1, 10, 10)
      local rows = { 7, 1, 1, 1, 20, 20, 8, -5000, 1 }
      assert.equal(2, space:move_all(packed.rows(rows, 2), nil, "skip"))
      assert.equal(2, space:move_all(packed.rows(rows, 2, true), "skip", "f"))
      assert.equal(20.0, (space:position(1)))
    end)

    it("update_all tells what the single calls tell, and who entered", function()
      local space, log = record.space(row)
      local twin, twin_log = record.space(row)
      local rows = { 1, 50, 50, 2, 51, 51, 1, 52, 52, 3, 99, 99, 2, 98, 98, 3, 97, 97 }
      for _, opts in ipairs { {}, { layers = 2, sees_layers = 3 } } do
        local entered = 0
        for i = 1, #rows, 3 do
          entered = entered + (twin:update(rows[i], rows[i + 1], rows[i + 2], opts) and 1 or 0)
        end
        assert.equal(entered, space:update_all(packed.rows(rows, 2), opts))
        assert.equal(record.in_order(twin_log), record.in_order(log))
      end
      assert.equal(0, space:update_all({}))
    end)

    it("a bad row of update_all changes nothing", function()
      local space, log = record.space(row)
      space:enter(1, 50, 50)
      space:enter(2, 52, 52)
      record.forget(log)
      local rows = { 1, 51, 51, 3, 52, 52, 2, 0 / 0, 1 }
      assert.equal("update_all: row 3: x is nan, expected a finite number",
        message_of(space, "update_all", rows))
      rows[8] = 1e9
      if row.map then
        assert.equal("update_all: row 3: position (1000000000, 1) is outside the map (0, 0) to (100, 100)",
          message_of(space, "update_all", packed.rows(rows, 2), nil, { layers = 2 }))
        assert.equal(2, #space)
        assert.equal(50.0, (space:position(1)))
        assert.is_true(space:sees(1, 2))
        assert.equal("", record.told(log))
      end
    end)

    -- With a chain of finalizers, each of which drains or moves somebody at the next chance to collect.
    describe("finalizers in the middle of", function()
      local has_generations = _VERSION ~= "Lua 5.3"

      local function with_finalizers(finalize, run)
        local left = 40
        local function leave_garbage()
          setmetatable({}, { __gc = function()
            if left > 0 then
              left = left - 1
              finalize()
              leave_garbage()
            end
          end })
        end
        if has_generations then
          collectgarbage "generational"
        end
        leave_garbage()
        run(function() -- the next chance is taken
          collectgarbage "stop"
          collectgarbage "restart"
        end)
        left = 0
        if has_generations then
          collectgarbage "incremental"
        end
      end

      -- Few entities: the finalizer runs as Lua copies the bytes; many: before they are written.
      for _, count in ipairs { 20, 400 } do
        it(("a list of %d: it is that of one moment"):format(count), function()
          local space, finalized = crowd(row, count), 0
          for _, call in ipairs {
            { "ids" }, { "query_circle", 45, 50, 9999 }, { "query_nearest", 45, 50, 9999 },
          } do
            with_finalizers(function()
              finalized = finalized + 1
              space:leave(finalized)
              space:enter(1000 + finalized, 45, 50)
              space:ids() -- in other memory, or in another order
              space:query_circle(45, 50, 1)
            end, function(collect_next)
              for _ = 1, 5 do
                local arguments = table.move(call, 2, #call, 1, {})
                arguments[#call] = "packed"
                collect_next()
                local rows, n = space[call[1]](space, table.unpack(arguments))
                assert.equal(count, n)
                local inside = {}
                for _, id in ipairs(packed.to_ids(rows)) do
                  inside[id] = true
                end
                for id = 1, count do -- who was replaced has gone as the other came
                  assert.equal(inside[id] or false, not inside[1000 + id])
                end
              end
            end)
          end
          assert.is_true(finalized >= (has_generations and 10 or 0), finalized .. " finalizers")
        end)

        it(("drain of a crowd of %d: no event is lost, none comes twice"):format(count // 4), function()
          local heard, drained, finalized = {}, {}, 0
          local space = crowd(row, count // 4, { collect = true, on_event = function(...)
            heard[#heard + 1] = record.text(...)
          end })
          local random = Random.new(1)
          local function move_one()
            space:move(random:integer(1, count // 4), random:integer(0, 99), 50)
          end
          local function drain()
            local rows, n = space:drain "packed"
            local events = packed.to_events(rows)
            assert(#events == 3 * n)
            for i = 1, #events, 3 do
              drained[#drained + 1] = record.text(events[i], events[i + 1], events[i + 2])
            end
          end
          drain()
          with_finalizers(function()
            finalized = finalized + 1
            move_one()
            if finalized % 3 == 0 then
              drain()
            end
          end, function(collect_next)
            for _ = 1, 30 do
              move_one()
              collect_next()
              drain()
            end
          end)
          drain()
          assert.is_true(#heard > 50)
          for i = 1, math.max(#heard, #drained) do
            assert.equal(heard[i], drained[i])
          end
          assert.is_true(finalized >= (has_generations and 20 or 0), finalized .. " finalizers")
        end)
      end

      it("drain: who closes the space there gets an error", function()
        for delay = 1, 3 do
          local space, count = crowd(row, 150, { collect = true }), 0
          with_finalizers(function()
            count = count + 1
            if count == delay then
              space:close()
            end
          end, function(collect_next)
            for _ = 1, 20 do
              collect_next()
              local ok, rows, n = pcall(space.drain, space, "packed")
              assert(ok and #rows == 17 * n or tostring(rows):find "closed")
            end
          end)
        end
      end)
    end)
  end)
end

describe("packed rows of three dimensions", function()
  it("have a z, in and out", function()
    local space = aoi.new { engine = "crosslist", radius = 10, dims = 3 }
    space:enter_all((DEEP .. DEEP):pack(1, 1, 2, 3, 2, 4, 5, 6))
    assert.same({ 1.0, 2.0, 3.0 }, { space:position(1) })
    assert.equal(("<dddddd"):pack(4, 5, 6, 1, 2, 3), (space:positions({ 2, 1 }, 2, "packed")))
    assert.equal(0, space:move_all(("<i8fff<i8fff"):pack(1, 7, 8, 9, 2, 10, 11, 12), 1, "skip", "f"))
    assert.same({ 7.0, 8.0, 9.0 }, { space:position(1) })
    assert.same({ 4.0, 5.0, 6.0 }, { space:position(2) })
    assert.equal(("<i8"):pack(2), (space:query_nearest(4, 5, 6, 1, "packed")))
    assert.equal(2, select(2, space:query_rect(0, 0, 0, 20, 20, 20, "packed")))
  end)
end)

describe("what is wrong about packed rows is said:", function()
  local flat, deep, nine

  before_each(function()
    flat = aoi.new { engine = "grid", width = 100, height = 100, radius = 10, collect = true }
    deep = aoi.new { engine = "crosslist", dims = 3 }
    nine = aoi.new { engine = "grid", width = 100, height = 100, cols = 5, rows = 5 }
    flat:enter(1, 50, 50)
    flat:enter(2, 52, 52)
  end)

  local function says(expected, space, method, ...)
    assert.equal(method .. ": " .. expected, message_of(space, method, ...))
  end

  it("a length that is no number of rows", function()
    for _, method in ipairs { "enter_all", "move_all", "update_all" } do
      says("t has 50 bytes, expected a multiple of 24 (rows of <i8 d d>)", flat, method, ("x"):rep(50))
      says("t has 23 bytes, expected a multiple of 24 (rows of <i8 d d>)", flat, method, ("x"):rep(23), 0)
      says("t has 17 bytes, expected a multiple of 16 (rows of <i8 f f>)", flat, method, ("x"):rep(17), "f")
      says("t has 24 bytes, expected a multiple of 32 (rows of <i8 d d d>)", deep, method, ("x"):rep(24))
      says("t has 1 bytes, expected a multiple of 20 (rows of <i8 f f f>)", deep, method, "x", nil, nil,
        "f")
    end
    says("ids has 12 bytes, expected a multiple of 8 (rows of <i8>)", flat, "leave_all", ("x"):rep(12))
    says("ids has 12 bytes, expected a multiple of 8 (rows of <i8>)", flat, "positions", ("x"):rep(12))
    says("ids has 12 bytes, expected a multiple of 8 (rows of <i8>)", flat, "positions", ("x"):rep(12), 1)
  end)

  it("an n that is more than there are, or none", function()
    local rows = packed.rows({ 1, 1, 1, 2, 2, 2 }, 2)
    for _, method in ipairs { "enter_all", "move_all", "update_all" } do
      says("n is 3, expected at most 2, the rows that t has", flat, method, rows, 3)
      for _, n in ipairs { -1, 1.5, 1 << 40 } do
        says(("n is %s, expected the number of rows, a whole number from 0 to 2147483647"):format(n), flat,
          method, rows, n)
      end
    end
    says("n is 3, expected at most 2, the rows that ids has", flat, "leave_all", packed.ids { 1, 2 }, 3)
    says("n is 3, expected at most 2, those that ids has", flat, "positions", packed.ids { 1, 2 }, 3)
    says("n is -1, expected the number of ids, a whole number from 0 to 2147483647", flat, "positions", "",
      -1)
    says('n is the string "packet", expected the number of ids, a whole number from 0 to 2147483647',
      flat, "positions", "", "packet")
  end)

  it("a bad row, as in a table", function()
    local nan, inf = 0 / 0, math.huge
    for _, case in ipairs {
      { "enter_all", { 7, 1, 1, 8, nan, 1 }, "row 2: x is nan, expected a finite number" },
      { "enter_all", { 7, 1, -inf, 8, nan, 1 }, "row 1: y is -inf, expected a finite number" },
      { "enter_all", { 7, 1, 1, 1, 1, 1 }, "row 2: id 1 is already in the space" },
      { "enter_all", { 7, 1, 1, 7, 1, 1 }, "row 2: id 7 is already in the space" },
      { "move_all", { 1, 1, 1, 9, 1, 1 }, "row 2: id 9 is not in the space" },
      { "move_all", { 1, 1, 1, 9, 1, 1, 1, 1, inf }, "row 3: y is inf, expected a finite number" },
      { "move_all", { 1, 1, 1, 2, 1, -5 },
        "row 2: position (1, -5) is outside the map (0, 0) to (100, 100)" },
      { "update_all", { 1, 1, 1, 9, 500, 1 },
        "row 2: position (500, 1) is outside the map (0, 0) to (100, 100)" },
      { "update_all", { nan, 1, 1 }, "row 1: id is nan, expected an integer" },
      { "leave_all", { 1, 2, 1 }, "row 3: id 1 is not in the space" },
      { "leave_all", { math.mininteger }, "row 1: id -9223372036854775808 is not in the space" },
    } do
      local method, rows, expected = table.unpack(case)
      local dims = method == "leave_all" and 0 or 2
      says(expected, flat, method, rows)
      if rows[1] == rows[1] then
        says(expected, flat, method, packed.rows(rows, dims))
        if dims > 0 then
          says(expected, flat, method, packed.rows(rows, dims, true), "f")
        end
      end
    end
    says("row 2: z is inf, expected a finite number", deep, "update_all",
      packed.rows({ 1, 1, 1, 1, 2, 2, 2, inf }, 3), { radius = 1 })
    says("row 1: z is nan, expected a finite number", deep, "move_all",
      packed.rows({ 1, 1, 1, nan }, 3, true), "skip", "f")
    says("row 1: radius is nil, expected a number from 0 up: the space has no default radius", deep,
      "update_all", packed.rows({ 1, 1, 1, 1 }, 3))
    says("row 1: radius or visible_radius is given, expected none: the classic nine-grid has no radius " ..
      "(option radius of aoi.new makes it exact)", nine, "update_all", packed.rows({ 1, 1, 1 }, 2),
      { radius = 3 })
    assert.equal(2, #flat)
    assert.equal(50.0, (flat:position(1)))
  end)

  it("an \"f\" without a meaning", function()
    for _, method in ipairs { "enter_all", "move_all", "update_all" } do
      for _, arguments in ipairs { { "f" }, { 1, "f" }, { nil, nil, "f", n = 3 } } do
        says('the last argument is the string "f", expected none: it is for packed rows, and t is a table',
          flat, method, { 7, 1, 1 }, table.unpack(arguments, 1, arguments.n or #arguments))
      end
      says('the string "f" is not the last argument, expected it there', flat, method, "", "f", {})
      says('the string "f" is not the last argument, expected it there', flat, method, "", nil, "f", "f")
    end
    says('the last argument is the string "f", expected none: rows of ids have no floats', flat, "leave_all",
      "", "f")
    says('the last argument is the string "f", expected none: rows of ids have no floats', flat, "leave_all",
      { 1 }, 1, "f")
  end)

  it("other words, and what is neither table nor string", function()
    says('the argument after n is the string "F", expected "skip" or none', flat, "move_all", "", nil, "F")
    says('opts is the string "F", expected a table with radius, mode, layers, sees_layers, limit, ' ..
      'importance or visible_radius',
      flat, "enter_all", "", "F")
    says('the argument after "skip" is the string "g", expected none', flat, "move_all", "", 0, "skip", "g")
    says("the argument after n is 5, expected none", flat, "leave_all", "", 0, 5)
    for method, name in pairs { enter_all = "t", move_all = "t", update_all = "t", leave_all = "ids" } do
      says(name .. " is 5, expected a flat table of rows, or a string of packed rows", flat, method, 5)
      says(name .. " is nil, expected a flat table of rows, or a string of packed rows", flat, method)
    end
    says("ids is nil, expected a table or a string of ids", flat, "positions")
  end)

  it("a result that is no table, and not \"packed\"", function()
    local expected = 'expected a table to fill, "packed" or nil'
    for _, call in ipairs {
      { "ids" }, { "drain" }, { "markers_of", 1 }, { "watchers_of", 1 }, { "positions", { 1 }, 1 },
      { "query_rect", 1, 1, 2, 2 }, { "query_circle", 1, 1, 1 }, { "query_sector", 1, 1, 1, 1, 1 },
      { "query_segment", 1, 1, 2, 2, 1 }, { "query_nearest", 1, 1, 1, 1 },
      { "query_polygon", { 1, 1, 2, 2, 1, 2 } },
    } do
      for _, bad in ipairs { "pack", "packed\0", "", 5, true } do
        local method, arguments = call[1], table.move(call, 2, #call, 1, {})
        arguments[#call] = bad
        local message = message_of(flat, method, table.unpack(arguments))
        assert.is_truthy(message:find(method .. ": t is ", 1, true), message)
        assert.is_truthy(message:find(expected, 1, true), message)
      end
    end
    says('max_r is the string "pack", expected a number from 0 up', flat, "query_nearest", 1, 1, 1, "pack")
    says("the space was made without option collect", deep, "drain", "packed")
    assert.is_true(#flat:drain("packed") > 0)
  end)
end)
