-- Questions: markers_of, watchers_of, sees, ids, position, positions, radius, has, stats, #.
local engines = require "spec.support.engines"
local record = require "spec.support.record"

local inf = math.huge

-- A table that raises as soon as a metamethod of it is called.
local function raw_only(t)
  local function forbidden() error("a metamethod was called") end
  return setmetatable(t, { __index = forbidden, __newindex = forbidden, __len = forbidden,
    __pairs = forbidden, __call = forbidden })
end

local function filled(n, value)
  local t = {}
  for i = 1, n do
    t[i] = value
  end
  return t
end

for _, row in ipairs(engines.all) do
  describe("questions to " .. row.name, function()
    local space

    before_each(function()
      space = row.new()
      space:enter(1, 50, 50)
      space:enter(2, 52, 50)
      space:enter(3, 54, 50, { mode = "w" })
      space:enter(4, 56, 50, { mode = "m" })
      space:enter(5, 90, 90)
    end)

    describe("markers_of", function()
      it("says whom an entity sees, in a new table, with the count", function()
        local list, n = space:markers_of(1)
        assert.equal(2, n)
        assert.equal(2, #list)
        assert.equal("2 4", record.ids(list, n))
        assert.equal("1 2 4", record.ids(space:markers_of(3)))
      end)

      it("is empty for one who sees nobody", function()
        for _, id in ipairs { 4, 5 } do
          local list, n = space:markers_of(id)
          assert.equal(0, n)
          assert.is_nil(next(list))
        end
      end)
    end)

    describe("watchers_of", function()
      it("says who sees an entity, in a new table, with the count", function()
        local list, n = space:watchers_of(4)
        assert.equal(3, n)
        assert.equal(3, #list)
        assert.equal("1 2 3", record.ids(list, n))
        assert.equal("2 3", record.ids(space:watchers_of(1)))
      end)

      it("is empty for one whom nobody sees", function()
        for _, id in ipairs { 3, 5 } do
          local list, n = space:watchers_of(id)
          assert.equal(0, n)
          assert.is_nil(next(list))
        end
      end)
    end)

    describe("lists", function()
      local questions = {
        markers_of = function(t) return space:markers_of(3, t) end,
        watchers_of = function(t) return space:watchers_of(4, t) end,
      }

      for name, ask in pairs(questions) do
        it(name .. " fills the table that is given and returns it", function()
          local t = { kept = "yes" }
          local result, n = ask(t)
          assert.is_true(rawequal(t, result))
          assert.equal(3, n)
          assert.equal("yes", t.kept)
          assert.is_nil(t[4])
        end)

        it(name .. " ends a reused table at the count: entry n + 1 is nil", function()
          local t = filled(10, "old")
          local _, n = ask(t)
          assert.equal(3, n)
          for i = 1, 3 do
            assert.equal("integer", math.type(t[i]))
          end
          assert.is_nil(t[4])
        end)

        it(name .. " writes raw", function()
          local t = raw_only(filled(10, "old"))
          local _, n = ask(t)
          assert.equal(3, n)
          assert.equal("integer", math.type(rawget(t, 1)))
          assert.equal("integer", math.type(rawget(t, 3)))
          assert.is_nil(rawget(t, 4))
          t = raw_only {}
          _, n = ask(t)
          assert.equal(3, n)
          assert.equal("integer", math.type(rawget(t, 3)))
        end)

        it(name .. " takes nil for no table", function()
          local list, n = ask(nil)
          assert.equal("table", type(list))
          assert.equal(3, n)
        end)
      end

      it("reuse leaves nothing of a longer answer when the next one is empty", function()
        local t = {}
        space:markers_of(3, t)
        local _, n = space:markers_of(5, t)
        assert.equal(0, n)
        assert.is_nil(t[1])
        space:watchers_of(4, t)
        _, n = space:watchers_of(5, t)
        assert.equal(0, n)
        assert.is_nil(t[1])
      end)

      it("hold each id once, in crowds too", function()
        for id = 1001, 1500 do
          space:enter(id, 50 + id % 7, 50 + id % 5)
        end
        for _, id in ipairs { 1, 3, 1001, 1500 } do
          for _, name in ipairs { "markers_of", "watchers_of" } do
            local list, n = space[name](space, id)
            local seen = {}
            for i = 1, n do
              assert.is_nil(seen[list[i]])
              assert.are_not.equal(id, list[i])
              seen[list[i]] = true
            end
            assert.is_true(n == 0 or n >= 500)
          end
        end
      end)

      it("agree with sees and with each other", function()
        local pairs_seen = 0
        for a = 1, 5 do
          local sees = {}
          local list, n = space:markers_of(a)
          for i = 1, n do
            sees[list[i]] = true
          end
          for b = 1, 5 do
            assert.equal(sees[b] or false, space:sees(a, b))
            local watched_by = {}
            list, n = space:watchers_of(b)
            for i = 1, n do
              watched_by[list[i]] = true
            end
            assert.equal(sees[b] or false, watched_by[a] or false)
            pairs_seen = pairs_seen + (sees[b] and 1 or 0)
          end
        end
        assert.equal(7, pairs_seen)
      end)
    end)

    it("sees is false for oneself and for unknown ids", function()
      assert.is_true(space:sees(1, 2))
      assert.is_false(space:sees(1, 1))
      assert.is_false(space:sees(1, 5))
      assert.is_false(space:sees(1, 99))
      assert.is_false(space:sees(99, 1))
      assert.is_false(space:sees(99, 99))
    end)

    it("has says whether an id is in the space", function()
      assert.is_true(space:has(1))
      assert.is_true(space:has(1.0))
      assert.is_false(space:has(6))
      assert.is_false(space:has(math.mininteger))
      space:leave(1)
      assert.is_false(space:has(1))
    end)

    it("# counts the entities", function()
      assert.equal(5, #space)
      space:leave(2)
      assert.equal(4, #space)
      space:update(7, 1, 1)
      space:update(7, 2, 2)
      assert.equal(5, #space)
      space:clear()
      assert.equal(0, #space)
    end)

    describe("position", function()
      it("is the true place, to the last bit", function()
        for _, at in ipairs { { 0.1, 1 / 3 }, { 99.999999999999986, 2 ^ -1074 }, { 7, 8 } } do
          space:move(1, at[1], at[2])
          local x, y, more = space:position(1)
          assert.is_true(x == at[1] and y == at[2])
          assert.is_nil(more)
        end
        assert.equal(2, select("#", space:position(1)))
      end)

      it("is nil for an unknown id", function()
        assert.is_nil((space:position(99)))
        space:leave(1)
        assert.is_nil((space:position(1)))
      end)
    end)

    describe("ids", function()
      it("lists every id once, with the count", function()
        local list, n = space:ids()
        assert.equal(5, n)
        assert.equal("1 2 3 4 5", record.ids(list, n))
        assert.is_nil(list[6])
      end)

      it("fills a given table, raw, and ends it at the count", function()
        local t = raw_only(filled(10, "old"))
        local result, n = space:ids(t)
        assert.is_true(rawequal(t, result))
        assert.equal(5, n)
        assert.equal("1 2 3 4 5", record.ids(t, n))
        assert.is_nil(rawget(t, 6))
        space:clear()
        _, n = space:ids(t)
        assert.equal(0, n)
        assert.is_nil(rawget(t, 1))
      end)

      it("has ids beyond 32 bits and negative ones whole", function()
        space:clear()
        local wanted = { math.mininteger, -1, 0, 1 << 40, math.maxinteger }
        for _, id in ipairs(wanted) do
          space:enter(id, 50, 50)
        end
        local list, n = space:ids()
        table.sort(list)
        assert.equal(5, n)
        assert.same(wanted, list)
        list, n = space:markers_of(0)
        table.sort(list)
        assert.equal(4, n)
        assert.same({ math.mininteger, -1, 1 << 40, math.maxinteger }, list)
      end)
    end)

    describe("positions", function()
      it("gives x, y of many ids, in their order", function()
        local t = space:positions({ 5, 1, 4 }, 3)
        assert.same({ 90, 90, 50, 50, 56, 50 }, t)
      end)

      it("takes as many ids as n says, repeated ones too", function()
        assert.same({ 50, 50 }, (space:positions({ 1, 2, 3 }, 1)))
        assert.same({}, (space:positions({ 1, 2, 3 }, 0)))
        assert.same({ 50, 50, 50, 50 }, (space:positions({ 1, 1 }, 2)))
      end)

      it("takes all ids without n, and a table or \"packed\" in its place as t", function()
        local all, n = space:positions { 5, 1 }
        assert.same({ 90, 90, 50, 50 }, all)
        assert.equal(2, n)
        local t = filled(10, "old")
        assert.is_true(rawequal(t, (space:positions({ 5, 1 }, t))))
        assert.same({ 90, 90, 50, 50 }, { table.unpack(t, 1, 4) })
        assert.is_nil(t[5])
        assert.equal(("<dddd"):pack(90, 90, 50, 50), (space:positions({ 5, 1 }, "packed")))
        assert.equal(("<dd"):pack(50, 50), (space:positions(("<i8"):pack(1), "packed")))
        assert.same({ 90, 90 }, (space:positions({ 5 }, nil, nil)))
      end)

      it("fills a given table, raw, and reads the ids raw", function()
        local t = raw_only(filled(10, "old"))
        local ids = raw_only { 2, 5 }
        local result = space:positions(ids, 2, t)
        assert.is_true(rawequal(t, result))
        assert.equal(52, rawget(t, 1))
        assert.equal(50, rawget(t, 2))
        assert.equal(90, rawget(t, 3))
        assert.equal(90, rawget(t, 4))
        assert.is_nil(rawget(t, 5))
      end)

      it("refuses to fill the table that it reads", function()
        local t = { 5, 1, 4 }
        local ok, message = pcall(space.positions, space, t, 3, t)
        assert.is_false(ok)
        assert.is_truthy(message:find("table of ids", 1, true), message)
        assert.same({ 5, 1, 4 }, t)
      end)

      it("goes together with what the lists give", function()
        local ids, n = space:markers_of(3)
        local at = space:positions(ids, n)
        for i = 1, n do
          assert.same({ space:position(ids[i]) }, { at[2 * i - 1], at[2 * i] })
        end
        assert.equal(6, #at)
      end)
    end)

    describe("stats", function()
      it("is a table of numbers", function()
        local stats = space:stats()
        local numbers = 0
        for key, value in pairs(stats) do
          assert.equal("string", type(key))
          if type(value) == "number" then
            assert.is_true(value >= 0)
            numbers = numbers + 1
          end
        end
        assert.is_true(numbers >= 6)
      end)

      it("has counts, bytes, cells, the longest chain, delivered and pending", function()
        local stats = space:stats()
        assert.equal(5, stats.entities)
        assert.is_true(stats.bytes > 0)
        assert.is_true(stats.cells >= 1)
        assert.is_true(stats.longest_chain >= 1)
        assert.equal(0, stats.delivered)
        assert.equal(0, stats.pending)
        space:leave(1)
        assert.equal(4, space:stats().entities)
        assert.equal(5, stats.entities)
      end)
    end)

    it("hear of the new state inside a handler", function()
      local answers = {}
      space:on {
        on_leave = function(watcher, marker)
          local list, n = space:watchers_of(marker)
          answers[#answers + 1] = ("%d %d %s %s"):format(watcher, marker,
            record.ids(list, n), tostring(space:sees(watcher, marker)))
        end,
      }
      space:move(2, 90, 88)
      table.sort(answers)
      assert.same({ "1 2 5 false", "2 1 3 false", "2 4 1 3 false", "3 2 5 false" }, answers)
    end)

    it("cause no events and change nothing", function()
      local heard = 0
      space:on { on_event = function() heard = heard + 1 end }
      for id = 1, 5 do
        space:markers_of(id)
        space:watchers_of(id)
        space:position(id)
        space:radius(id)
        space:has(id)
      end
      space:ids()
      space:stats()
      space:flush()
      assert.equal(0, heard)
      assert.equal(5, #space)
    end)
  end)
end

for _, row in ipairs(engines.grids) do
  it("stats counts the cells of " .. row.name, function()
    local space = row.new { cell = engines.none, cols = 6, rows = 5 }
    assert.equal(30, space:stats().cells)
    for id = 1, 9 do
      space:enter(id, 1, 1)
    end
    space:enter(10, 99, 99)
    assert.equal(9, space:stats().longest_chain)
  end)
end

for _, row in ipairs(engines.exact) do
  it("radius is the entity's own or the space's in " .. row.name, function()
    local space = row.new()
    space:enter(1, 50, 50)
    space:enter(2, 50, 50, { radius = 0.1 })
    space:enter(3, 50, 50, { radius = inf })
    space:enter(4, 50, 50, { radius = 0 })
    assert.equal(10, space:radius(1))
    assert.equal(0.1, space:radius(2))
    assert.equal(inf, space:radius(3))
    assert.equal(0, space:radius(4))
    assert.is_nil(space:radius(99))
    space:set_radius(1, 7)
    assert.equal(7, space:radius(1))
    space:move(1, 60, 60)
    assert.equal(7, space:radius(1))
    space:leave(1)
    space:enter(1, 60, 60)
    assert.equal(10, space:radius(1))
  end)
end
