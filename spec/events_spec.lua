-- Which events a change gives: enter, leave and move, engine by engine, and the known mistakes of
-- other implementations, each with a spec of its own.
local aoi = require "aoi"
local engines = require "spec.support.engines"
local Random = require "spec.support.random"
local record = require "spec.support.record"

local inf = math.huge
local told, in_order, kinds, forget = record.told, record.in_order, record.kinds, record.forget

-- Counts the events of a space per ordered pair and fails at once when a pair's sequence is not
-- enter (move)* leave. Returns the counts and the handler.
local function pair_rule()
  local inside, counts = {}, { enter = 0, leave = 0, move = 0 }
  return counts, function(watcher, marker, op)
    local pair = watcher .. ":" .. marker
    assert(watcher ~= marker, "an event about oneself")
    if op == "enter" then
      assert(not inside[pair], pair .. " entered twice")
      inside[pair] = true
    else
      assert(inside[pair], pair .. " was told of a " .. op .. " without an enter")
      inside[pair] = op == "move" or nil
    end
    counts[op] = counts[op] + 1
  end
end

-- Whether w at `from` sees m at `to` by the contract: each bound computed once, in doubles.
local function in_square(from, to, r)
  return from[1] - r <= to[1] and to[1] <= from[1] + r
    and from[2] - r <= to[2] and to[2] <= from[2] + r
end

local function in_circle(from, to, r)
  local dx, dy = to[1] - from[1], to[2] - from[2]
  return in_square(from, to, r) and dx * dx + dy * dy <= r * r
end

-- Fails unless the space sees exactly the pairs that `visible(from, to)` says, by `sees` and by
-- both observer lists. `points` maps ids to { x, y }.
local function agrees(space, points, visible)
  for a, from in pairs(points) do
    local watched, watched_by = {}, {}
    for b, to in pairs(points) do
      local expected = a ~= b and visible(from, to)
      if space:sees(a, b) ~= expected then
        error(("sees(%d, %d) is %s at (%.17g, %.17g) and (%.17g, %.17g)"):format(
          a, b, not expected, from[1], from[2], to[1], to[2]), 2)
      end
      if expected then
        watched[#watched + 1] = b
      end
      if a ~= b and visible(to, from) then
        watched_by[#watched_by + 1] = b
      end
    end
    assert.equal(record.ids(watched, #watched), record.ids(space:markers_of(a)))
    assert.equal(record.ids(watched_by, #watched_by), record.ids(space:watchers_of(a)))
  end
end

for _, row in ipairs(engines.all) do
  describe("events of " .. row.name, function()
    local space, log

    before_each(function()
      space, log = record.space(row)
    end)

    describe("on enter", function()
      it("says nothing to one who is alone", function()
        space:enter(1, 50, 50)
        assert.equal("", told(log))
      end)

      it("tells both of each other", function()
        space:enter(1, 50, 50)
        space:enter(2, 57, 43)
        assert.equal("1: enter 2, 2: enter 1", told(log))
      end)

      it("tells only those who are near", function()
        space:enter(1, 50, 50)
        space:enter(2, 90, 50)
        space:enter(3, 50, 5)
        space:enter(4, 5, 95)
        assert.equal("", told(log))
        space:enter(5, 55, 55)
        assert.equal("1: enter 5, 5: enter 1", told(log))
      end)

      it("tells those at the same point", function()
        for id = 1, 3 do
          space:enter(id, 50, 50)
        end
        assert.equal("1: enter 2, 1: enter 3, 2: enter 1, 2: enter 3, 3: enter 1, 3: enter 2",
          told(log))
      end)
    end)

    describe("on leave", function()
      it("ends every pair in both directions: who leaves hears its own leaves", function()
        space:enter(1, 50, 50)
        space:enter(2, 52, 52)
        space:enter(3, 54, 54)
        space:enter(4, 90, 90)
        forget(log)
        space:leave(2)
        assert.equal("1: leave 2, 2: leave 1, 2: leave 3, 3: leave 2", told(log))
        assert.is_false(space:has(2))
        assert.is_false(space:sees(1, 2))
        assert.equal(3, #space)
      end)

      it("is forgotten: what comes later says nothing of it", function()
        space:enter(1, 50, 50)
        space:enter(2, 52, 52)
        space:leave(2)
        forget(log)
        space:move(1, 51, 51)
        space:leave(1)
        assert.equal("", told(log))
      end)

      it("lets the id come back as a new entity", function()
        space:enter(1, 50, 50)
        space:enter(2, 52, 52, { mode = "m" })
        space:leave(2)
        forget(log)
        space:enter(2, 52, 52)
        assert.equal("1: enter 2, 2: enter 1", told(log))
      end)
    end)

    describe("on move", function()
      before_each(function()
        space:enter(1, 50, 50)
        space:enter(2, 52, 52)
        space:enter(3, 90, 90)
        forget(log)
      end)

      it("tells those who saw the marker and still see it, not the one who moved", function()
        space:move(1, 51, 51)
        assert.equal("2: move 1", told(log))
      end)

      it("tells them also when the point is the same", function()
        space:move(1, 50, 50)
        assert.equal("2: move 1", told(log))
        space:move(1, 50, 50)
        assert.equal("2: move 1", told(log))
      end)

      it("out of sight is a leave in both directions", function()
        space:move(1, 10, 10)
        assert.equal("1: leave 2, 2: leave 1", told(log))
      end)

      it("into sight is an enter in both directions", function()
        space:move(1, 85, 85)
        forget(log)
        space:move(2, 88, 88)
        assert.equal("1: enter 2, 2: enter 1, 2: enter 3, 3: enter 2", told(log))
      end)

      it("says nothing where nobody is near", function()
        space:move(3, 10, 90)
        space:move(3, 90, 10)
        assert.equal("", told(log))
      end)

      it("takes effect before the first handler hears of it", function()
        local seen = {}
        space:on {
          on_event = function(watcher, marker, op)
            local x, y = space:position(1)
            seen[#seen + 1] = ("%d %s %d %g %g %s"):format(watcher, op, marker, x, y,
              tostring(space:sees(1, 2)))
          end,
        }
        space:move(1, 10, 10)
        table.sort(seen)
        assert.same({ "1 leave 2 10 10 false", "2 leave 1 10 10 false" }, seen)
      end)
    end)

    describe("within one change", function()
      before_each(function()
        space:enter(1, 45, 50)
        space:enter(2, 38, 50) -- only seen from the first place
        space:enter(3, 52, 50) -- seen from both
        space:enter(4, 62, 50) -- only seen from the second place
        forget(log)
      end)

      it("all leaves come first, then all enters, then all moves", function()
        space:move(1, 55, 50)
        -- The nine-grid goes by touching cells; these points lie so that it sees the same.
        assert.equal("leave leave enter enter move", kinds(log))
        assert.equal("1: enter 4, 1: leave 2, 2: leave 1, 3: move 1, 4: enter 1", told(log))
      end)

      it("update keeps that order as well", function()
        assert.is_falsy(space:update(1, 55, 50))
        assert.equal("leave leave enter enter move", kinds(log))
        assert.equal("1: enter 4, 1: leave 2, 2: leave 1, 3: move 1, 4: enter 1", told(log))
      end)
    end)

    describe("update", function()
      it("enters an unknown id and says true", function()
        space:enter(1, 50, 50)
        assert.is_true(space:update(2, 52, 52))
        assert.equal("1: enter 2, 2: enter 1", told(log))
        assert.equal(2, #space)
      end)

      it("enters with its options", function()
        space:enter(1, 50, 50)
        assert.is_true(space:update(2, 52, 52, { mode = "m" }))
        assert.equal("1: enter 2", told(log))
      end)

      it("moves a known id and does not say true", function()
        space:enter(1, 50, 50)
        space:enter(2, 52, 52)
        forget(log)
        assert.is_not_true(space:update(1, 51, 51))
        assert.equal("2: move 1", told(log))
        assert.same({ 51, 51 }, { space:position(1) })
      end)

      it("changes only the options that it names", function()
        space:enter(1, 50, 50)
        space:enter(2, 52, 52, { layers = 2, sees_layers = 1, mode = "wm" })
        forget(log)
        space:update(2, 53, 53, { sees_layers = 4 })
        assert.equal("1: move 2, 2: leave 1", told(log))
        space:set_sees_layers(1, 2)
        assert.equal("", told(log))
        space:update(2, 53, 53, { layers = 1 })
        assert.equal("1: leave 2", told(log))
      end)

      it("is one change: a pair that was seen before and after has moved", function()
        space:enter(1, 50, 50)
        space:enter(2, 52, 52)
        forget(log)
        space:update(2, 54, 54, { layers = 8, mode = "m" })
        assert.equal("leave move", kinds(log))
        assert.equal("1: move 2, 2: leave 1", told(log))
      end)
    end)

    describe("ids", function()
      it("may be any integer", function()
        local ids = { 0, -1, 1 << 32, -(1 << 40), math.maxinteger, math.mininteger }
        for _, id in ipairs(ids) do
          space:enter(id, 50, 50)
        end
        assert.equal(#ids, #space)
        assert.equal(#ids * (#ids - 1), #log)
        forget(log)
        space:move(math.mininteger, 51, 51)
        assert.equal(#ids - 1, #log)
        for _, id in ipairs(ids) do
          assert.is_true(space:has(id))
          space:leave(id)
        end
        assert.equal(0, #space)
      end)

      it("may be floats with an integer value: handlers get the integer", function()
        local args = {}
        space:on {
          on_enter = function(watcher, marker)
            args[#args + 1] = math.type(watcher) .. " " .. math.type(marker)
          end,
        }
        space:enter(1.0, 50, 50)
        space:enter(2.0, 52, 52)
        assert.same({ "integer integer", "integer integer" }, args)
        assert.is_true(space:has(1))
        assert.is_true(space:has(2.0))
        local ok = pcall(space.enter, space, 1, 50, 50)
        assert.is_false(ok)
      end)
    end)

    it("follow enter (move)* leave for every pair on a long walk", function()
      local counts, handler = pair_rule()
      space:on { on_event = handler }
      local state = 12345
      local function random(n)
        state = (state * 1103515245 + 12345) % 2147483648
        return (state >> 16) % n
      end
      for _ = 1, 3000 do
        local id = random(12)
        if not space:has(id) then
          space:enter(id, random(101), random(101))
        elseif random(10) == 0 then
          space:leave(id)
        elseif random(4) == 0 then
          space:move(id, random(101), random(101))
        else
          local x, y = space:position(id)
          x = math.max(0, math.min(100, x + random(15) - 7))
          y = math.max(0, math.min(100, y + random(15) - 7))
          space:move(id, x, y)
        end
      end
      for _, id in ipairs(space:ids()) do
        space:leave(id)
      end
      assert.is_true(counts.enter > 100 and counts.move > 100)
      assert.equal(counts.enter, counts.leave)
    end)

    it("come in the same order when the same history is played again", function()
      local function play()
        local one, one_log = record.space(row)
        for id = 1, 40 do
          one:enter(id * 7919 % 1009, id * 13 % 60, id * 29 % 60)
        end
        for id = 1, 40 do
          one:move(id * 7919 % 1009, id * 17 % 60, id * 31 % 60)
        end
        for id = 1, 40, 2 do
          one:leave(id * 7919 % 1009)
        end
        assert(#one_log > 100)
        return in_order(one_log)
      end
      local first = play()
      collectgarbage()
      assert.equal(first, play())
    end)
  end)
end

for _, row in ipairs(engines.exact) do
  describe("the radius in " .. row.name, function()
    local space, log

    before_each(function()
      space, log = record.space(row)
    end)

    it("ends somewhere also where it is more than half the map, and nobody listens for moves", function()
      local heard = {}
      local quiet = row.new { on_leave = function(watcher, marker)
        heard[#heard + 1] = record.text(watcher, marker, "leave")
      end }
      quiet:enter(1, 5, 50, { radius = 60 })
      quiet:enter(2, 62, 50)
      quiet:move(2, 64, 50)
      quiet:move(2, 66, 50)
      assert.equal("1: leave 2", told(heard))
    end)

    it("includes the border on all sides", function()
      space:enter(1, 50, 50)
      for id, point in ipairs { { 40, 50 }, { 60, 50 }, { 50, 40 }, { 50, 60 },
        { 40, 40 }, { 60, 60 }, { 40, 60 }, { 60, 40 } } do
        space:enter(10 + id, point[1], point[2], { mode = "m" })
        assert.is_true(space:sees(1, 10 + id))
      end
      local near = 10.000000000001
      for id, point in ipairs { { 50 - near, 50 }, { 50 + near, 50 }, { 50, 50 - near },
        { 50, 50 + near } } do
        space:enter(20 + id, point[1], point[2], { mode = "m" })
        assert.is_false(space:sees(1, 20 + id))
      end
      assert.equal(8, #log)
    end)

    it("includes the border on arrival, and one step more is out", function()
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 80, 50, { mode = "m" })
      for _, at in ipairs { { 60, 50 }, { 40, 50 }, { 50, 60 }, { 50, 40 }, { 60, 60 } } do
        space:move(2, at[1], at[2])
        assert.equal("1: enter 2", told(log))
        local out_x = at[1] == 50 and 50 or at[1] + (at[1] > 50 and 0.001 or -0.001)
        local out_y = at[2] == 50 and 50 or at[2] + (at[2] > 50 and 0.001 or -0.001)
        space:move(2, out_x, out_y)
        assert.equal("1: leave 2", told(log))
      end
    end)

    it("has bounds computed once, in doubles: a row of tenths", function()
      for _, r in ipairs { 0.1, 0.3, 0.7 } do
        local tenths, points = row.new { radius = r }, {}
        for i = 0, 40 do
          points[i] = { i / 10, 5 }
          points[100 + i] = { 20, i / 10 }
        end
        for id, point in pairs(points) do
          tenths:enter(id, point[1], point[2])
        end
        agrees(tenths, points, function(from, to) return in_square(from, to, r) end)
      end
    end)

    it("as a circle compares the squares of the differences", function()
      for _, r in ipairs { 0.5, 1.3 } do
        local disc, points = row.new { radius = r, shape = "circle" }, {}
        for i = 0, 20 do
          for j = 0, 4 do
            points[i * 10 + j] = { i / 10 + 3, j / 10 + 4 }
          end
        end
        for id, point in pairs(points) do
          disc:enter(id, point[1], point[2])
        end
        agrees(disc, points, function(from, to) return in_circle(from, to, r) end)
      end
    end)

    it("as a circle gives enter and leave at its border", function()
      local disc, disc_log = record.space(row, { shape = "circle" })
      disc:enter(1, 50, 50, { mode = "w" })
      disc:enter(2, 59, 59, { mode = "m" }) -- inside the square only
      assert.equal("", told(disc_log))
      disc:move(2, 56, 58)
      assert.equal("1: enter 2", told(disc_log))
      disc:move(2, 58, 56)
      assert.equal("1: move 2", told(disc_log))
      disc:move(2, 58.01, 56)
      assert.equal("1: leave 2", told(disc_log))
      disc:move(1, 55, 55)
      assert.equal("1: enter 2", told(disc_log))
    end)

    it("is the watcher's, in each direction", function()
      space:enter(1, 50, 50, { radius = 30 })
      space:enter(2, 70, 50, { radius = 5 })
      assert.equal("1: enter 2", told(log))
      space:move(2, 71, 50)
      assert.equal("1: move 2", told(log))
      space:move(1, 51, 50)
      assert.equal("", told(log))
      space:move(1, 66, 50)
      assert.equal("2: enter 1", told(log))
      space:move(1, 40, 50)
      assert.equal("1: leave 2, 2: leave 1", told(log))
    end)

    it("of 0 sees those at the very same point", function()
      space:enter(1, 50, 50, { radius = 0 })
      space:enter(2, 50, 50, { radius = 0 })
      space:enter(3, 50.5, 50, { radius = 0 })
      assert.equal("1: enter 2, 2: enter 1", told(log))
      space:move(2, 50.5, 50)
      assert.equal("leave leave enter enter", kinds(log))
      assert.equal("1: leave 2, 2: enter 3, 2: leave 1, 3: enter 2", told(log))
      space:move(2, 50.5, 50)
      assert.equal("3: move 2", told(log))
    end)

    it("that is infinite sees everybody, wherever they go", function()
      space:enter(1, 0, 0, { radius = inf })
      space:enter(2, 100, 100, { radius = 0 })
      assert.equal("1: enter 2", told(log))
      space:move(2, 0, 100)
      space:move(2, 100, 0)
      assert.equal("1: move 2, 1: move 2", told(log))
      space:move(1, 50, 50)
      assert.equal("", told(log))
      space:leave(2)
      assert.equal("1: leave 2", told(log))
    end)

    it("that is huge keeps the pairs of others apart", function()
      space:enter(1, 50, 50, { radius = 1e300 })
      for id = 2, 6 do
        space:enter(id, id * 15, 50)
      end
      forget(log)
      space:move(2, 30, 20)
      assert.equal("1: move 2", told(log))
      space:leave(1)
      assert.equal("1: leave 2, 1: leave 3, 1: leave 4, 1: leave 5, 1: leave 6, 3: leave 1, "
        .. "4: leave 1", told(log))
    end)

    describe("set by set_radius", function()
      before_each(function()
        space:enter(1, 50, 50)
        space:enter(2, 55, 50)
        space:enter(3, 65, 50)
        space:enter(4, 95, 50)
        forget(log)
      end)

      it("tells the entity whom it sees now, nobody else, and never of moves", function()
        space:set_radius(1, 15)
        assert.equal("1: enter 3", in_order(log))
        assert.equal(15, space:radius(1))
        space:set_radius(1, 45)
        assert.equal("1: enter 4", in_order(log))
        space:set_radius(1, 5)
        assert.equal("1: leave 3, 1: leave 4", told(log))
        space:set_radius(1, 4.5)
        assert.equal("1: leave 2", in_order(log))
        space:set_radius(1, inf)
        assert.equal("1: enter 2, 1: enter 3, 1: enter 4", told(log))
        space:set_radius(1, 0)
        assert.equal("1: leave 2, 1: leave 3, 1: leave 4", told(log))
      end)

      it("says nothing when nothing comes into view or goes", function()
        space:set_radius(1, 10)
        space:set_radius(1, 11)
        space:set_radius(1, 9)
        assert.equal("", told(log))
      end)

      it("counts for the moves that follow", function()
        space:set_radius(1, 20)
        forget(log)
        space:move(3, 69, 50)
        assert.equal("1: move 3, 2: leave 3, 3: leave 2", told(log))
        space:move(1, 45, 50)
        assert.equal("1: leave 3, 2: move 1", told(log))
      end)

      it("may change together with the place in one update", function()
        space:update(1, 85, 50, { radius = 30 })
        assert.equal("leave enter enter enter", kinds(log))
        assert.equal("1: enter 3, 1: enter 4, 2: leave 1, 4: enter 1",
          told(log))
        assert.equal(30, space:radius(1))
      end)
    end)
  end)
end

for _, row in ipairs(engines.mapped) do
  describe("the map of " .. row.name, function()
    it("is closed on all four sides", function()
      local space = row.new { x = -20, y = 30 }
      local id = 0
      for _, point in ipairs { { -20, 30 }, { 80, 30 }, { -20, 130 }, { 80, 130 }, { 0, 30 },
        { 80, 99 } } do
        id = id + 1
        space:enter(id, point[1], point[2])
        assert.same(point, { space:position(id) })
      end
      for _, point in ipairs { { -20.001, 30 }, { 80.001, 30 }, { 0, 29.999 }, { 0, 130.001 } } do
        assert.is_false((pcall(space.enter, space, 99, point[1], point[2])))
        assert.is_false((pcall(space.move, space, 1, point[1], point[2])))
      end
      assert.equal(6, #space)
      assert.same({ -20, 30 }, { space:position(1) })
    end)
  end)

  describe("clamp = true in " .. row.name, function()
    local space, log

    before_each(function()
      space, log = record.space(row, { clamp = true })
    end)

    it("keeps the true place for position", function()
      space:enter(1, 400, -5)
      assert.same({ 400, -5 }, { space:position(1) })
      space:move(1, -1e300, 1e300)
      assert.same({ -1e300, 1e300 }, { space:position(1) })
    end)

    it("shows those outside near the border to those inside", function()
      space:enter(1, 98, 50)
      space:enter(2, 103, 50)
      assert.equal("1: enter 2, 2: enter 1", told(log))
      space:move(2, 104, 50)
      assert.equal("1: move 2", told(log))
      space:move(2, 50, 50)
      assert.equal("1: leave 2, 2: leave 1", told(log))
    end)
  end)
end

for _, row in ipairs(engines.grids) do
  it("the map of " .. row.name .. " may be 1 cell", function()
    local space = row.new { cell = engines.none, cols = 1, rows = 1 }
    space:enter(1, 0, 0)
    space:enter(2, 10, 10)
    space:enter(3, 100, 100)
    assert.is_true(space:sees(1, 2))
    assert.equal(not row.exact, space:sees(1, 3))
  end)
end

describe("the nine-grid", function()
  local function centre_space(width, height, cols, rows)
    local space, points = aoi.new(width, height, cols, rows, function() end), {}
    for idx = 0, cols - 1 do
      for idy = 0, rows - 1 do
        local id = idy * cols + idx
        points[id] = { (idx + 0.5) * width / cols, (idy + 0.5) * height / rows }
        space:enter(id, points[id][1], points[id][2])
      end
    end
    return space, points
  end

  -- Touching cells by plain arithmetic.
  local function touching(width, height, cols, rows)
    local function cell(v, size, n)
      return math.max(0, math.min(n - 1, math.floor(v / (size / n))))
    end
    return function(from, to)
      return math.abs(cell(from[1], width, cols) - cell(to[1], width, cols)) <= 1
        and math.abs(cell(from[2], height, rows) - cell(to[2], height, rows)) <= 1
    end
  end

  -- An article prints the row of cell gid as gid % rows. With 6 x 5 cells, cell 8 (column 2, row 1)
  -- would then lie in row 3: it would see cells two rows off and miss its neighbours.
  it("takes the row of a cell as gid // cols: every pair of cells of uneven maps", function()
    for _, size in ipairs { { 300, 250, 6, 5 }, { 90, 400, 3, 10 }, { 400, 90, 10, 3 },
      { 100, 100, 1, 7 }, { 100, 100, 7, 1 }, { 60, 40, 2, 4 } } do
      local space, points = centre_space(table.unpack(size))
      agrees(space, points, touching(table.unpack(size)))
    end
  end)

  it("sees nine cells, and fewer at the border", function()
    local space = centre_space(300, 250, 6, 5)
    local function count(idx, idy)
      local _, n = space:markers_of(idy * 6 + idx)
      return n + 1
    end
    assert.equal(9, count(2, 1))
    assert.equal(4, count(0, 0))
    assert.equal(4, count(5, 0))
    assert.equal(4, count(0, 4))
    assert.equal(4, count(5, 4))
    assert.equal(6, count(3, 0))
    assert.equal(6, count(5, 2))
  end)

  it("does not join the last cell of a row with the first of the next", function()
    local log, handler = record.log()
    local space = aoi.new(300, 250, 6, 5, function(_, ...) handler(...) end)
    space:enter(1, 290, 75)
    space:enter(2, 10, 75)
    space:enter(3, 10, 125)
    space:enter(4, 10, 25)
    space:move(1, 299, 99)
    assert.equal("2: enter 3, 2: enter 4, 3: enter 2, 4: enter 2", told(log))
  end)

  it("works when the map is no multiple of the cell", function()
    for _, size in ipairs { { 100, 100, 7, 3 }, { 1, 1, 3, 3 }, { 101, 53, 10, 9 } } do
      local width, height, cols, rows = table.unpack(size)
      local space, points = aoi.new(width, height, cols, rows, function() end), {}
      for i = 0, 20 do
        for j = 0, 20 do
          local id = i * 100 + j
          points[id] = { i * width / 20, j * height / 20 }
        end
      end
      -- Every seventh one stays: enough points on every line of the map.
      for id, point in pairs(points) do
        if id % 7 == 0 then
          space:enter(id, point[1], point[2])
        else
          points[id] = nil
        end
      end
      agrees(space, points, touching(width, height, cols, rows))
    end
  end)

  it("has a smaller last cell when cell does not divide the map", function()
    local space = aoi.new { engine = "grid", width = 105, height = 105, cell = 10 }
    space:enter(1, 104, 104) -- cell 10
    space:enter(2, 105, 105) -- the border belongs to cell 10
    space:enter(3, 99, 99) -- cell 9
    space:enter(4, 89, 89) -- cell 8
    assert.is_true(space:sees(1, 2))
    assert.is_true(space:sees(2, 3))
    assert.is_false(space:sees(1, 4))
    assert.is_true(space:sees(3, 4))
  end)

  it("counts cells from the map's corner", function()
    local space = aoi.new { engine = "grid", x = -150, y = -7, width = 300, height = 250,
      cols = 6, rows = 5 }
    space:enter(1, -101, -7) -- cell (0, 0)
    space:enter(2, -100, 42.5) -- cell (1, 0)
    space:enter(3, -50, 43) -- cell (2, 1)
    assert.is_true(space:sees(1, 2))
    assert.is_true(space:sees(2, 3))
    assert.is_false(space:sees(1, 3))
  end)

  it("tells on a step across a border only what differs", function()
    local log, handler = record.log()
    local space = aoi.new { engine = "grid", width = 100, height = 100, cols = 10, rows = 10,
      on_event = handler }
    for idx = 0, 9 do
      for idy = 0, 9 do
        space:enter(100 + idx * 10 + idy, idx * 10 + 5, idy * 10 + 5, { mode = "m" })
      end
    end
    space:enter(1, 45, 45, { mode = "w" })
    assert.equal(9, #log)
    forget(log)
    space:move(1, 55, 45) -- one cell to the right
    assert.equal("1: enter 163, 1: enter 164, 1: enter 165, 1: leave 133, 1: leave 134, "
      .. "1: leave 135", told(log))
    space:move(1, 65, 55) -- across a corner
    assert.equal("leave leave leave leave leave enter enter enter enter enter", kinds(log))
    assert.equal("1: enter 156, 1: enter 166, 1: enter 174, 1: enter 175, 1: enter 176, "
      .. "1: leave 143, 1: leave 144, 1: leave 145, 1: leave 153, 1: leave 163", told(log))
    space:move(1, 69, 59) -- inside the cell
    assert.equal("", told(log))
  end)

  it("with clamp counts those outside in the nearest border cell", function()
    local log, handler = record.log()
    local space = aoi.new { engine = "grid", width = 100, height = 100, cols = 10, rows = 10,
      clamp = true, on_event = handler }
    space:enter(1, 95, 50)
    space:enter(2, 1e18, 52)
    assert.equal("1: enter 2, 2: enter 1", told(log))
    space:enter(3, -1e18, 1e18) -- cell (0, 9)
    space:enter(4, 15, 85)
    assert.equal("3: enter 4, 4: enter 3", told(log))
  end)
end)

describe("the grid with an exact radius", function()
  it("with clamp lets the true place decide", function()
    for _, cell in ipairs { 3, 10, 100 } do
      local space = aoi.new { engine = "grid", width = 100, height = 100, cell = cell,
        radius = 10, clamp = true }
      local points = { { 100, 50 }, { 150, 50 }, { 158, 52 }, { 95, 50 }, { -30, -30 },
        { -35, -40 }, { -41, -30 }, { 50, 1e9 }, { 55, 1e9 + 5 }, { 0, 0 }, { 110, 50 } }
      for id, point in ipairs(points) do
        space:enter(id, point[1], point[2])
      end
      agrees(space, points, function(from, to) return in_square(from, to, 10) end)
      assert.is_false(space:sees(1, 2))
      assert.is_true(space:sees(2, 3))
      space:set_radius(2, 55)
      assert.is_true(space:sees(2, 4))
      assert.is_false(space:sees(4, 2))
    end
  end)

  it("works when the map is no multiple of the cell", function()
    for _, cell in ipairs { 7, 33, 64, 99.5 } do
      local space, points = aoi.new { engine = "grid", width = 100, height = 61, cell = cell,
        radius = 20 }, {}
      for i = 0, 10 do
        for j = 0, 6 do
          points[i * 10 + j] = { i * 10, math.min(61, j * 10.5) }
        end
      end
      for id, point in pairs(points) do
        space:enter(id, point[1], point[2])
      end
      agrees(space, points, function(from, to) return in_square(from, to, 20) end)
    end
  end)
end)

describe("the grid and the crosslist", function()
  it("give the same event sets for the same calls", function()
    local grid_log, grid_handler = record.log()
    local list_log, list_handler = record.log()
    local grid = aoi.new { engine = "grid", x = -60, y = -60, width = 120, height = 120,
      cell = 9, radius = 12, on_event = grid_handler }
    local list = aoi.new { engine = "crosslist", radius = 12, on_event = list_handler }
    local function both(method, ...)
      grid[method](grid, ...)
      list[method](list, ...)
      assert.equal(kinds(grid_log), kinds(list_log))
      assert.equal(told(grid_log), told(list_log))
    end
    for id = 1, 30 do
      both("enter", id, id * 37 % 121 - 60, id * 53 % 121 - 60, { radius = id * 7 % 40 })
    end
    for step = 1, 20 do
      for id = 1, 30 do
        both("move", id, (id * 37 + step * id) % 121 - 60, (id * 53 + step * 11) % 121 - 60)
      end
      both("set_radius", step, step * 5)
    end
    for id = 1, 30 do
      both("leave", id)
    end
  end)
end)

describe("the crosslist", function()
  local function crosslist(radius)
    local log, handler = record.log()
    return aoi.new { engine = "crosslist", radius = radius or 10, on_event = handler }, log
  end

  -- Enters the points, then walks one of them along the path; after each step all pairs are
  -- judged by the comparison of the contract, and the events of the step by what changed.
  local function walk(points, walker, path, radius)
    local space, log = crosslist(radius)
    for id, point in pairs(points) do
      space:enter(id, point[1], point[2])
    end
    forget(log)
    local function visible(from, to) return in_square(from, to, radius or 10) end
    agrees(space, points, visible)
    for _, at in ipairs(path) do
      local expected = {}
      for id, point in pairs(points) do
        if id ~= walker then
          local before, after = visible(points[walker], point), visible(at, point)
          if before ~= after then
            expected[#expected + 1] = record.text(walker, id, after and "enter" or "leave")
          end
          before, after = visible(point, points[walker]), visible(point, at)
          local op = after and (before and "move" or "enter") or (before and "leave" or nil)
          expected[#expected + 1] = op and record.text(id, walker, op)
        end
      end
      points[walker] = at
      space:move(walker, at[1], at[2])
      assert.equal(told(expected), told(log))
      agrees(space, points, visible)
    end
  end

  local function line(axis)
    local points = {}
    for id = 1, 10 do
      points[id] = axis == 1 and { id * 10, 0 } or { 0, id * 10 }
    end
    return points
  end

  local function steps(axis, from, to, by)
    local path = {}
    for v = from, to, by do
      path[#path + 1] = axis == 1 and { v, 0 } or { 0, v }
    end
    return path
  end

  for axis, name in ipairs { "x", "y" } do
    it("stays sorted along a walk to the left on " .. name, function()
      walk(line(axis), 10, steps(axis, 97, -30, -3))
      walk(line(axis), 10, steps(axis, 95, -30, -5))
    end)

    it("stays sorted along a walk to the right on " .. name, function()
      walk(line(axis), 1, steps(axis, 13, 140, 3))
      walk(line(axis), 1, steps(axis, 15, 140, 5))
    end)

    it("stays sorted under jumps to both ends and into the middle on " .. name, function()
      local path = {}
      for _, v in ipairs { -500, 55, 500, 54, 56, -500, 500, 10, 100, 0 } do
        path[#path + 1] = axis == 1 and { v, 0 } or { 0, v }
      end
      walk(line(axis), 5, path)
    end)
  end

  it("holds many at one point, and their ties", function()
    local space, log = crosslist(0)
    for id = 1, 50 do
      space:enter(id, 3, 3)
    end
    assert.equal(50 * 49, #log)
    forget(log)
    for _, step in ipairs { { 4, 98, "leave" }, { 3, 98, "enter" }, { 3, 49, "move" } } do
      local x, count, op = table.unpack(step)
      space:move(25, x, 3)
      assert.equal((op .. " "):rep(count), kinds(log) .. " ")
      forget(log)
    end
  end)

  it("keeps equal coordinates on one axis apart on the other", function()
    local points = {}
    for id = 1, 12 do
      points[id] = { 5, id * 6 }
    end
    walk(points, 6, { { 5, 70 }, { 5, 6 }, { 5, 0 }, { 15, 36 }, { 15.5, 36 }, { 5, 36 } })
  end)

  it("keeps borders closed when sentinels and entities meet", function()
    -- Ids 1 to 4 sit exactly on the borders that id 5 has at the origin.
    local points = { { 10, 0 }, { -10, 0 }, { 0, 10 }, { 0, -10 }, { 0, 0 } }
    walk(points, 5, { { 0, 0 }, { 20, 0 }, { 0, 0 }, { -20, 0 }, { 0, 0 }, { 0, 20 }, { 10, 10 },
      { -10, -10 }, { 1e6, 1e6 }, { 0, 0 } })
  end)

  it("keeps borders closed when the watcher is the one who comes", function()
    local space, log = crosslist()
    space:enter(1, 0, 0, { mode = "m" })
    space:enter(2, 50, 0, { mode = "w" })
    for _, x in ipairs { 10, -10 } do
      space:move(2, x, 0)
      assert.equal("2: enter 1", told(log))
      space:move(2, x * 1.0000001, 0)
      assert.equal("2: leave 1", told(log))
      space:move(2, x, 0)
      assert.equal("2: enter 1", told(log))
      space:move(2, x * 5, 0)
      assert.equal("2: leave 1", told(log))
    end
  end)

  it("takes negative coordinates like any other", function()
    walk({ { -50, -50 }, { -55, -45 }, { -1, -1 }, { -100, -1 } }, 1,
      { { -51, -50 }, { -10, -10 }, { -1, -1 }, { 1, 1 }, { -95, -5 }, { -0.0, 0.0 } })
  end)

  it("takes huge coordinates", function()
    walk({ { 1e300, -1e300 }, { 1e300, -1e300 }, { -1e300, 1e300 }, { 9e15, 9e15 },
      { 9e15 + 8, 9e15 - 10 }, { 9e15 + 12, 9e15 } }, 1,
      { { 1e15, 1e15 }, { 9e15, 9e15 + 10 }, { -1e300, 1e300 }, { 1.7e308, -1.7e308 },
        { -1.7e308, 1.7e308 }, { 9e15 + 2, 9e15 }, { 1e300, -1e300 } })
  end)

  it("takes bounds that overflow to infinity", function()
    local space, log = crosslist(1.5e308)
    space:enter(1, 1.7e308, 1.7e308)
    space:enter(2, 0, 0, { radius = 1 })
    space:enter(3, 1.5e308, 1.5e308, { radius = 1 })
    assert.equal("1: enter 3", told(log))
    space:move(2, 1e308, 1e308)
    assert.equal("1: enter 2", told(log))
    space:move(1, -1.7e308, -1.7e308)
    assert.equal("1: leave 2, 1: leave 3", told(log))
  end)

  it("takes integers beyond 2^53 as the doubles that they become", function()
    local space, log = crosslist(0)
    space:enter(1, (1 << 53) + 1, 0)
    space:enter(2, 1 << 53, 0)
    assert.equal("1: enter 2, 2: enter 1", told(log))
  end)

  it("takes unequal radii", function()
    local space, log = crosslist()
    local radii = { 0, 1, 5, 20, 80, 1000, inf }
    local points = {}
    for id, radius in ipairs(radii) do
      points[id] = { id * 10, -id * 7 }
      space:enter(id, points[id][1], points[id][2], { radius = radius })
    end
    local function check()
      for a in ipairs(radii) do
        for b in ipairs(radii) do
          assert.equal(a ~= b and in_square(points[a], points[b], radii[a]), space:sees(a, b))
        end
      end
    end
    check()
    for id = 1, #radii do
      for _, at in ipairs { { 0, 0 }, { 35, -20 }, { 70, -49 }, { 500, 500 } } do
        points[id] = at
        space:move(id, at[1], at[2])
        check()
      end
    end
    for id = 1, #radii do
      radii[id] = (id * 37) % 90
      space:set_radius(id, radii[id])
      check()
    end
    assert.is_true(#log > 50)
  end)

  it("finds its neighbours again after set_radius to a huge value and back", function()
    local space, log = crosslist()
    for id = 1, 20 do
      space:enter(id, id * 4, 0)
    end
    forget(log)
    space:set_radius(10, 1e9)
    space:set_radius(10, 10)
    assert.equal(15 * 2, #log)
    forget(log)
    space:move(10, 42, 0)
    assert.equal("10: enter 13, 11: move 10, 12: move 10, 13: enter 10, 8: move 10, "
      .. "9: move 10", told(log))
  end)
end)

describe("mistakes of the articles that are not repeated", function()
  it("the row of a cell printed as gid % rows", function()
    -- 4 columns, 6 rows; the ids are those of the cells, all in column 2.
    local space = aoi.new(40, 60, 4, 6, function() end)
    space:enter(14, 25, 35) -- row 3; gid % rows would be 2
    space:enter(10, 25, 25) -- row 2; it would be 4
    space:enter(18, 25, 45) -- row 4; it would be 0
    space:enter(6, 25, 15) -- row 1; it would be 0
    assert.is_true(space:sees(14, 10))
    assert.is_true(space:sees(14, 18))
    assert.is_true(space:sees(18, 14))
    assert.is_false(space:sees(14, 6))
    assert.is_false(space:sees(6, 14))
  end)

  for _, row in ipairs(engines.all) do
    it("a walk to the left that stops at the first node: " .. row.name, function()
      local space, log = record.space(row)
      space:enter(1, 15, 50)
      space:enter(2, 20, 50)
      space:enter(3, 85, 50)
      space:enter(4, 90, 50)
      forget(log)
      -- Past 3, past 2 and past 1, one after the other and then in one go.
      space:move(4, 80, 50)
      assert.equal("3: move 4", told(log))
      space:move(4, 17, 50)
      assert.equal("1: enter 4, 2: enter 4, 3: leave 4, 4: enter 1, 4: enter 2, 4: leave 3",
        told(log))
      space:move(4, 12, 50)
      assert.equal("1: move 4, 2: move 4", told(log))
      space:move(3, 10, 50)
      assert.equal("1: enter 3, 2: enter 3, 3: enter 1, 3: enter 2, 3: enter 4, 4: enter 3",
        told(log))
      space:move(1, 95, 50)
      assert.equal("1: leave 2, 1: leave 3, 1: leave 4, 2: leave 1, 3: leave 1, 4: leave 1",
        told(log))
    end)

    it("visibility tested before the position is set: " .. row.name, function()
      local space, log = record.space(row)
      space:enter(1, 50, 50)
      space:enter(2, 90, 90)
      space:move(2, 52, 52)
      assert.equal("1: enter 2, 2: enter 1", told(log))
      space:move(2, 90, 90)
      assert.equal("1: leave 2, 2: leave 1", told(log))
    end)

    it("axes joined with or: " .. row.name, function()
      local space, log = record.space(row)
      space:enter(1, 50, 50)
      space:enter(2, 50, 90)
      space:enter(3, 90, 50)
      assert.equal("", told(log))
      assert.is_false(space:sees(1, 2))
      assert.is_false(space:sees(3, 1))
      space:move(2, 90, 90)
      space:move(2, 90, 10)
      space:move(3, 10, 50)
      assert.equal("", told(log))
    end)

    it("a negative coordinate taken for a leave: " .. row.name, function()
      local space, log = record.space(row, row.map and { x = -50, y = -50 } or nil)
      space:enter(1, -5, -5)
      space:enter(2, 2, 2)
      assert.equal("1: enter 2, 2: enter 1", told(log))
      space:move(2, -1, -1)
      assert.equal("1: move 2", told(log))
      assert.same({ -1, -1 }, { space:position(2) })
      space:move(2, -6, -1)
      space:move(1, -1, 0)
      assert.equal("1: move 2, 2: move 1", told(log))
      assert.equal(2, #space)
    end)

    it("events about oneself: " .. row.name, function()
      local space = row.new()
      local own, others = 0, 0
      space:on {
        on_event = function(watcher, marker)
          if watcher == marker then
            own = own + 1
          else
            others = others + 1
          end
        end,
      }
      space:enter(1, 50, 50)
      space:move(1, 50, 50)
      space:move(1, 90, 90)
      space:set_mode(1, "w")
      space:set_mode(1, "wm")
      space:leave(1)
      assert.equal(0, others)
      space:enter(1, 50, 50)
      space:enter(2, 50, 50)
      space:move(1, 50, 50)
      space:leave(1)
      assert.equal(0, own)
      assert.equal(5, others)
      assert.is_false(space:sees(2, 2))
    end)
  end

  for _, row in ipairs(engines.exact) do
    it("the mover's radius used for both directions: " .. row.name, function()
      local space, log = record.space(row)
      space:enter(1, 50, 50, { radius = 40 })
      space:enter(2, 95, 50, { radius = 3 })
      space:move(2, 80, 50)
      assert.equal("1: enter 2", told(log))
      space:move(1, 49, 50)
      assert.equal("", told(log))
      space:move(1, 78, 50)
      assert.equal("2: enter 1", told(log))
      space:move(2, 70, 50)
      assert.equal("leave move", kinds(log))
      assert.equal("1: move 2, 2: leave 1", told(log))
    end)
  end
end)

describe("known crashers elsewhere", function()
  for _, row in ipairs(engines.all) do
    it("an entity removed in its own enter callback: " .. row.name, function()
      local log = {}
      local space
      space = row.new {
        on_event = function(watcher, marker, op)
          log[#log + 1] = record.text(watcher, marker, op)
          if op == "enter" and marker == 9 and space:has(9) then
            space:leave(9)
          end
        end,
      }
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 51, 51, { mode = "w" })
      space:enter(9, 52, 52)
      assert.is_false(space:has(9))
      assert.equal("enter enter leave leave", kinds(log))
      assert.equal("1: enter 9, 1: leave 9, 2: enter 9, 2: leave 9", told(log))
      space:enter(9, 52, 52)
      assert.equal("1: enter 9, 1: leave 9, 2: enter 9, 2: leave 9", told(log))
      assert.equal(2, #space)
    end)

    it("the watcher removed in its own enter callback: " .. row.name, function()
      local log = {}
      local space
      space = row.new {
        on_enter = function(watcher, marker)
          log[#log + 1] = record.text(watcher, marker, "enter")
          if space:has(watcher) then
            space:leave(watcher)
          end
        end,
      }
      space:enter(1, 50, 50)
      space:enter(2, 51, 51)
      assert.equal("1: enter 2, 2: enter 1", told(log))
      assert.equal(0, #space)
    end)

    it("a teleport that loses or repeats events: " .. row.name, function()
      local counts, rule = pair_rule()
      local space, log = record.space(row)
      for id = 1, 5 do
        space:enter(id, 10 + id, 10)
        space:enter(10 + id, 90 - id, 90)
      end
      forget(log)
      space:enter(100, 12, 12)
      assert.equal(10, #log)
      for _ = 1, 50 do
        forget(log)
        space:move(100, 88, 88)
        assert.equal(20, #log)
        assert.equal(("leave "):rep(10) .. ("enter "):rep(9) .. "enter", kinds(log))
        forget(log)
        space:move(100, 12, 12)
        assert.equal(20, #log)
      end
      space:leave(100)
      space:on { on_event = rule }
      space:enter(100, 12, 12)
      for _ = 1, 50 do
        space:move(100, 88, 88)
        space:move(100, 12, 12)
      end
      space:leave(100)
      assert.equal(10 + 100 * 10, counts.enter)
      assert.equal(counts.enter, counts.leave)
      assert.equal(0, counts.move)
    end)

    it("a teleport of the entity that just entered: " .. row.name, function()
      local log = {}
      local space
      space = row.new {
        on_event = function(watcher, marker, op)
          log[#log + 1] = record.text(watcher, marker, op)
          if op == "enter" and marker == 9 and space:position(9) == 52 then
            space:move(9, 90, 90)
          end
        end,
      }
      space:enter(1, 50, 50)
      space:enter(2, 92, 92)
      space:enter(9, 52, 52)
      assert.equal("enter enter leave leave enter enter", kinds(log))
      assert.equal("1: enter 9, 1: leave 9, 2: enter 9, 9: enter 1, 9: enter 2, 9: leave 1",
        told(log))
    end)

    it("a leave missed on one axis: " .. row.name, function()
      local space, log = record.space(row)
      space:enter(1, 50, 50)
      space:enter(2, 52, 52)
      forget(log)
      local gone = "1: leave 2, 2: leave 1"
      local back = "1: enter 2, 2: enter 1"
      for _, out in ipairs { { 80, 52 }, { 20, 52 }, { 52, 80 }, { 52, 20 }, { 80, 80 },
        { 20, 80 } } do
        space:move(2, out[1], out[2])
        assert.equal(gone, told(log))
        space:move(2, 52, 52)
        assert.equal(back, told(log))
        -- Out on one axis, then on the other, back on the first: still out until both are in.
        space:move(2, out[1], out[2])
        assert.equal(gone, told(log))
        space:move(2, 85, 85)
        space:move(2, 52, 85)
        assert.equal("", told(log))
        space:move(2, 52, 52)
        assert.equal(back, told(log))
      end
    end)

    it("a quick step in and out: " .. row.name, function()
      local space, log = record.space(row)
      space:enter(1, 50, 50)
      space:enter(2, 75, 50)
      for _ = 1, 20 do
        space:move(2, 55, 50)
        space:move(2, 75, 50)
      end
      assert.equal(("enter enter leave leave "):rep(19) .. "enter enter leave leave", kinds(log))
      forget(log)
      space:enter(3, 52, 50)
      space:leave(3)
      assert.equal("enter enter leave leave", kinds(log))
    end)

    it("a quick step in and out from a handler: " .. row.name, function()
      local log = {}
      local space
      local steps = 0
      space = row.new {
        on_event = function(watcher, marker, op)
          log[#log + 1] = record.text(watcher, marker, op)
          if steps < 3 and marker == 2 then
            steps = steps + 1
            space:move(2, 75, 50)
            space:move(2, 55, 50)
          end
        end,
      }
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 55, 50, { mode = "m" })
      assert.equal("enter leave enter leave enter leave enter", kinds(log))
    end)
  end

  for _, row in ipairs(engines.exact) do
    it("an area of radius 0: " .. row.name, function()
      local counts, rule = pair_rule()
      local space = row.new { radius = 0, cell = row.engine == "grid" and 10 or nil, on_event = rule }
      for id = 1, 10 do
        space:enter(id, id, 5)
      end
      assert.equal(0, counts.enter)
      for id = 2, 10 do
        space:move(id, 1, 5)
      end
      assert.equal(90, counts.enter)
      assert.equal(0, counts.move)
      space:move(3, 1, 5)
      assert.equal(9, counts.move)
      for id = 1, 10 do
        space:set_radius(id, 0)
        space:leave(id)
      end
      assert.equal(90, counts.leave)
    end)
  end
end)

describe("a view that is larger than the map", function()
  -- Corners are left out of the view on the way to each side, and come back in. None stands in a cell with
  -- another: steps among crowds, which begin at two in tiny builds, take another way.
  it("changes near each of its sides", function()
    local log, handler = record.log()
    local function with(op)
      return function(watcher, marker) handler(watcher, marker, op) end
    end
    local space = aoi.new {
      engine = "grid", width = 100, height = 100, radius = 80, cell = 40,
      on_enter = with "enter", on_leave = with "leave",
    }
    local corners = { { 0, 0 }, { 100, 0 }, { 0, 100 }, { 100, 100 } }
    space:enter(9, 50, 50)
    for id, corner in ipairs(corners) do
      space:enter(id, corner[1], corner[2], { mode = "m" })
    end
    forget(log)
    for _, way in ipairs { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
      local from = { 50, 50 }
      for step = 1, 80 do
        local reach = step <= 40 and step or 80 - step
        local to, expected = { 50 + way[1] * reach, 50 + way[2] * reach }, {}
        for id, corner in ipairs(corners) do
          local before, after = in_square(from, corner, 80), in_square(to, corner, 80)
          if before ~= after then
            expected[#expected + 1] = record.text(9, id, after and "enter" or "leave")
          end
        end
        space:move(9, to[1], to[2])
        assert.equal(told(expected), told(log))
        from = to
      end
    end
  end)
end)

-- A step in a crowd passes over cells that lie wholly inside or outside of the view, by where the crowd was
-- when it was measured last; the cross-list, which knows no cells, says what is right.
describe("a crowd in a few cells", function()
  local COUNT, SIDE, RADIUS = 700, 30, 50

  local function handlers_of()
    local log, handler = record.log()
    return log, {
      on_enter = function(watcher, marker) handler(watcher, marker, "enter") end,
      on_leave = function(watcher, marker) handler(watcher, marker, "leave") end,
    }
  end

  -- Two spaces that get the same calls, with the crowd inside.
  local function start(options, random)
    local log, handlers = handlers_of()
    local expected, others = handlers_of()
    local space = aoi.new(options)
    local right = aoi.new { engine = "crosslist", radius = RADIUS, shape = options.shape }
    local crowd = { places = {}, steps_told = 0, space = space }
    function crowd.at(x)
      return x + random:float(0, SIDE), 410 + random:float(0, SIDE)
    end
    function crowd.step_to(id, x, y)
      crowd.places[id] = { x, y }
      space:move(id, x, y)
      right:move(id, x, y)
      crowd.steps_told = crowd.steps_told + (#log > 0 and 1 or 0)
      assert.equal(told(expected), told(log))
    end
    function crowd.step(id, x, y)
      crowd.step_to(id, crowd.places[id][1] + x, crowd.places[id][2] + y)
    end
    for id = 1, COUNT do
      local x, y = crowd.at(410)
      crowd.places[id] = { x, y }
      space:enter(id, x, y)
      right:enter(id, x, y)
    end
    space:on(handlers)
    right:on(others)
    return crowd
  end

  for name, options in pairs {
    ["with a map"] = { engine = "grid", radius = RADIUS, width = 1000, height = 1000 },
    ["without one"] = { engine = "grid", radius = RADIUS },
    ["without one, with circles"] = { engine = "grid", radius = RADIUS, shape = "circle" },
  } do
    it("is told of everybody who comes and goes, on the grid " .. name, function()
      local random = Random.new(35)
      local crowd = start(options, random)
      local function small()
        return random:float(-1, 1)
      end
      for id = 1, 200 do -- in the crowd
        crowd.step(id, small(), small())
      end
      assert.equal(0, crowd.steps_told)
      for _, way in ipairs { { 7, 0 }, { 0, 7 }, { -7, -7 } } do -- out of it, and back
        for reach = 1, 40 do
          local back = reach > 20 and -1 or 1
          crowd.step(1, way[1] * back, way[2] * back)
          crowd.step(300, small(), small()) -- those who stay go on
        end
      end
      for id = 1, 60 do -- some go elsewhere
        crowd.step_to(id, crowd.at(610))
        crowd.step(random:integer(1, COUNT), 3 * small(), 3 * small())
      end
      assert.is_true(crowd.steps_told > 60)
      crowd.space:on {}
      for id = 1, COUNT do
        crowd.space:leave(id)
      end
    end)
  end
end)
