-- query_polygon against integers: which polygons are refused, and which points are inside, where rounding
-- would decide wrongly, too. All coordinates here are whole numbers times a power of two, so that products
-- are exact in Lua's integers, or in two of them.
local aoi = require "aoi"
local bezout = require "spec.support.bezout"
local engines = require "spec.support.engines"
local polygons = require "spec.support.model_polygons"
local Random = require "spec.support.random"

-- ---- the brute force: whole numbers ----------------------------------------------------------------

-- The sign of a * b - c * d for any integers: by three digits of 21 bits.
local BASE = 1 << 21
local function digits(a)
  return { a % BASE, a // BASE % BASE, a // BASE // BASE }
end

local function sign_of_difference(a, b, c, d)
  local sums, one, other, three, four = { 0, 0, 0, 0, 0 }, digits(a), digits(b), digits(c), digits(d)
  for i = 1, 3 do
    for k = 1, 3 do
      sums[i + k - 1] = sums[i + k - 1] + one[i] * other[k] - three[i] * four[k]
    end
  end
  local rest = false
  for i = 1, 4 do
    sums[i + 1] = sums[i + 1] + sums[i] // BASE
    rest = rest or sums[i] % BASE ~= 0
  end
  return sums[5] < 0 and -1 or (sums[5] > 0 or rest) and 1 or 0
end

local function side(ax, ay, bx, by, px, py)
  return sign_of_difference(bx - ax, py - ay, by - ay, px - ax)
end

local each_edge = polygons.each_edge
local judge = polygons.by(side)
local holds, is_polygon = judge.holds, judge.are_apart

-- ---- comparing -------------------------------------------------------------------------------------

-- A space with a marker at each of these places, x, y, x, y, ...; ids from 1.
local function space_at(row, places)
  local space = row.new {}
  for i = 1, #places // 2 do
    space:enter(i, places[2 * i - 1], places[2 * i])
  end
  return space
end

local function scaled(numbers, unit)
  local list = {}
  for i, number in ipairs(numbers) do
    list[i] = number * unit
  end
  return list
end

-- The points given as whole numbers, like the rings; unit: what a whole number stands for.
local function expect_same(space, rings, points, unit)
  local given = {}
  for i, ring in ipairs(rings) do
    given[i] = scaled(ring, unit)
  end
  local ok, found = pcall(space.query_polygon, space, #given == 1 and given[1] or given)
  assert.equal(is_polygon(rings), ok, ok or found)
  if not ok then
    assert.truthy(found:find "share more than the corner of neighbours$"
      or found:find "are the same, expected neighbours that differ$", found)
    return false
  end
  local expected = {}
  for i = 1, #points // 2 do
    if holds(rings, points[2 * i - 1], points[2 * i]) then
      expected[#expected + 1] = i
    end
  end
  assert.same(expected, found)
  return true
end

local function lattice(size)
  local points = {}
  for x = 0, size do
    for y = 0, size do
      points[#points + 1], points[#points + 2] = x, y
    end
  end
  return points
end

local function random_ring(random, corners, size)
  local ring = {}
  for i = 1, 2 * corners do
    ring[i] = random:integer(0, size)
  end
  return ring
end

-- A ring around a middle, whose corners stand at growing angles: seldom one that crosses itself.
local function star(random, corners, size)
  local turns = {}
  for i = 1, corners do
    turns[i] = random:float(0, 2 * math.pi)
  end
  table.sort(turns)
  local ring = {}
  for i, turn in ipairs(turns) do
    local reach = random:float(size / 8, size / 2)
    ring[2 * i - 1] = math.floor(size / 2 + reach * math.cos(turn))
    ring[2 * i] = math.floor(size / 2 + reach * math.sin(turn))
  end
  return ring
end

for _, row in ipairs(engines.all) do
  describe("query_polygon on " .. row.name, function()
    local SIZE = 12
    local points = lattice(SIZE)

    it("agrees with whole numbers, points on corners and edges included", function()
      local random, accepted, refused = Random.new(41), 0, 0
      local space = space_at(row, points)
      for _ = 1, 400 do
        local rings = { random:chance(0.5) and random_ring(random, random:integer(3, 6), SIZE)
          or star(random, random:integer(3, 24), SIZE) }
        if random:chance(0.3) then
          rings[2] = random_ring(random, random:integer(3, 4), SIZE)
        end
        if expect_same(space, rings, points, 1) then
          accepted = accepted + 1
        else
          refused = refused + 1
        end
      end
      assert.is_true(accepted > 80 and refused > 80, accepted .. " accepted, " .. refused .. " refused")
    end)
  end)
end

describe("query_polygon", function()
  local function space_of(places)
    return space_at({ new = function() return aoi.new { engine = "crosslist", radius = 1 } end }, places)
  end

  it("is right where the determinant is 1, 0 or -1, with corners up to 2^29", function()
    local random, near = Random.new(42), 0
    local MOST = 1 << 29
    for _ = 1, 300 do
      local ax, ay = random:integer(-MOST, MOST), random:integer(-MOST, MOST)
      local bx, by = random:integer(-MOST, MOST), random:integer(-MOST, MOST)
      local divisor, s, t = bezout(bx - ax, by - ay)
      local dx, dy = (bx - ax) // divisor, (by - ay) // divisor
      -- (dx, dy) has no divisor any more, and dx * s + dy * t = 1: so (-t, s) is to the left by 1.
      local points = { ax, ay, bx, by, ax + dx, ay + dy }
      for _, sign in ipairs { 1, -1 } do
        for _, along in ipairs { 0, 1, divisor // 2 } do
          points[#points + 1] = ax + along * dx - sign * t
          points[#points + 1] = ay + along * dy + sign * s
          near = near + 1
        end
      end
      local ring = { ax, ay, bx, by, random:integer(-MOST, MOST), random:integer(-MOST, MOST) }
      local fit = {}
      for i = 1, #points, 2 do
        if math.abs(points[i]) <= 2 * MOST and math.abs(points[i + 1]) <= 2 * MOST then
          fit[#fit + 1], fit[#fit + 2] = points[i], points[i + 1]
        end
      end
      expect_same(space_of(fit), { ring }, fit, 1)
    end
    assert.is_true(near > 1000)
  end)

  it("is right one unit in the last place beside corners and edges", function()
    -- Whole numbers here are multiples of 2^-50 between 4 and 8, where doubles have just that distance.
    local random, UNIT, LOW, HIGH = Random.new(43), 2.0 ^ -50, 1 << 52, (1 << 53) - 1
    for _ = 1, 100 do
      local function coordinate()
        return random:chance(0.2) and LOW + random:integer(0, 3)
          or LOW + random:integer(0, (1 << 26) - 1) * (1 << 26) + random:integer(0, (1 << 26) - 1)
      end
      local ring = { coordinate(), coordinate(), coordinate(), coordinate(), coordinate(), coordinate() }
      local points = {}
      local function add(x, y)
        for dx = -1, 1 do
          for dy = -1, 1 do
            points[#points + 1] = math.max(LOW, math.min(HIGH, x + dx))
            points[#points + 1] = math.max(LOW, math.min(HIGH, y + dy))
          end
        end
      end
      each_edge(ring, function(ax, ay, bx, by)
        add(ax, ay)
        for part = 1, 3 do
          add(ax + (bx - ax) // 4 * part, ay + (by - ay) // 4 * part)
        end
      end)
      expect_same(space_of(scaled(points, UNIT)), { ring }, points, UNIT)
    end
  end)

  it("is right where differences of coordinates are rounded", function()
    -- Small whole numbers, and some so large that doubles of that size are 2^8 apart.
    local random, FAR = Random.new(46), 1 << 60
    local function near()
      return random:integer(-1000, 1000)
    end
    local function far()
      return (random:chance(0.5) and FAR or -FAR) + random:integer(0, (1 << 20)) * 256
    end
    for _ = 1, 300 do
      local ring = { near(), near(), far(), far(), near(), far() }
      local points = {}
      each_edge(ring, function(ax, ay, bx, by)
        for _, part in ipairs { random:float(0, 1), random:float(0, 1e-12) } do
          local x, y = ax + (bx // 2 - ax // 2) * 2.0 * part, ay + (by // 2 - ay // 2) * 2.0 * part
          for dx = -1, 1 do
            points[#points + 1] = math.tointeger(x // 1 + dx * (math.abs(x) < 2.0 ^ 53 and 1 or 256))
            points[#points + 1] = math.tointeger(y // 1)
          end
        end
      end)
      expect_same(space_of(points), { ring }, points, 1)
    end
  end)

  it("has each point of a triangulated square in exactly one triangle", function()
    local random, UNIT, SIZE = Random.new(44), 2.0 ^ -26, 1 << 29
    local triangles = {
      { 0, 0, SIZE, 0, SIZE, SIZE }, { 0, 0, SIZE, SIZE, 0, SIZE },
    }
    local points = { 0, 0, SIZE, SIZE, SIZE, 0, 0, SIZE }
    for _ = 1, 60 do
      local at = random:integer(1, #triangles)
      local t = triangles[at]
      local u, v = random:float(0, 1), random:float(0, 1)
      if u + v > 1 then
        u, v = 1 - u, 1 - v
      end
      local x = math.floor(t[1] + u * (t[3] - t[1]) + v * (t[5] - t[1]))
      local y = math.floor(t[2] + u * (t[4] - t[2]) + v * (t[6] - t[2]))
      local inside = true
      each_edge(t, function(ax, ay, bx, by)
        inside = inside and side(ax, ay, bx, by, x, y) > 0
      end)
      if inside then
        triangles[at] = { t[1], t[2], t[3], t[4], x, y }
        triangles[#triangles + 1] = { t[3], t[4], t[5], t[6], x, y }
        triangles[#triangles + 1] = { t[5], t[6], t[1], t[2], x, y }
        points[#points + 1], points[#points + 2] = x, y
      end
    end
    assert.is_true(#triangles > 60)
    for _, t in ipairs(triangles) do
      each_edge(t, function(ax, ay, bx, by)
        points[#points + 1], points[#points + 2] = (ax + bx) // 2, (ay + by) // 2
      end)
    end
    -- And their neighbours, by less than what the whole numbers stand for.
    local places = {}
    for i = 1, #points, 2 do
      local x, y = points[i] * UNIT, points[i + 1] * UNIT
      for dx = -1, 1 do
        for dy = -1, 1 do
          places[#places + 1], places[#places + 2] = x + dx * 2.0 ^ -50, y + dy * 2.0 ^ -50
        end
      end
    end
    local space = space_of(places)
    local times = {}
    for _, t in ipairs(triangles) do
      local found = space:query_polygon(scaled(t, UNIT))
      for _, id in ipairs(found) do
        times[id] = (times[id] or 0) + 1
      end
    end
    local inside = {}
    for _, id in ipairs((space:query_polygon { 0, 0, 8, 0, 8, 8, 0, 8 })) do
      inside[id] = 1
    end
    assert.same(inside, times)
  end)

  it("takes outlines of 10,000 corners, with holes and islands", function()
    local function wave(n, radius, height)
      local ring = {}
      for i = 1, n do
        local turn = 2 * math.pi * i / n
        local reach = radius + height * math.cos(turn * n / 8)
        ring[2 * i - 1] = math.floor(reach * math.cos(turn) * 4096)
        ring[2 * i] = math.floor(reach * math.sin(turn) * 4096)
      end
      return ring
    end
    local rings = { wave(10000, 100, 1), wave(2000, 80, 0.5), wave(16, 50, 4) }
    local random, points = Random.new(45), {}
    for i = 1, 600 do
      local reach = i % 2 == 0 and random:float(0, 110) or random:pick { 100, 80, 50 } + random:float(-5, 5)
      local turn = random:float(0, 2 * math.pi)
      points[2 * i - 1] = math.floor(reach * math.cos(turn) * 4096)
      points[2 * i] = math.floor(reach * math.sin(turn) * 4096)
    end
    local space = space_of(points)
    local expected = {}
    for i = 1, #points // 2 do
      if holds(rings, points[2 * i - 1], points[2 * i]) then
        expected[#expected + 1] = i
      end
    end
    assert.same(expected, (space:query_polygon(rings)))
    rings[4] = { -20 * 4096, 0, 20 * 4096, 0, 0, 90 * 4096 } -- through two of them
    local ok, message = pcall(space.query_polygon, space, rings)
    assert.is_false(ok)
    assert.truthy(message:find("of ring 4 share more than the corner", 1, true), message)
  end)

  it("finds only markers of these layers, whatever z they have, and takes a table for the answer", function()
    local space = aoi.new { engine = "quadtree", width = 100, height = 100, radius = 5, dims = 3 }
    space:enter(1, 10, 10, 500, { layers = 2 })
    space:enter(2, 11, 10, -500, { layers = 4 })
    space:enter(3, 12, 10, 0, { mode = "w", layers = 6 })
    local square = { 0, 0, 50, 0, 50, 50, 0, 50 }
    local t = { 7, 7, 7, 7 }
    local found, n = space:query_polygon(square, t, 2)
    assert.equal(t, found)
    assert.same({ 1, 1, nil }, { n, t[1], t[2] })
    assert.same({ 1, 2 }, (space:query_polygon(square)))
    assert.same({ 1, 2 }, (space:query_polygon { square }))
    assert.equal(("<i8i8"):pack(1, 2), (space:query_polygon(square, "packed")))
  end)

  it("speaks of true places where there is slack, and of moves that no tick has told", function()
    local space = aoi.new {
      engine = "grid", width = 100, height = 100, radius = 5, slack = 10, deferred = true,
    }
    space:enter(1, 10, 10)
    space:tick()
    space:move(1, 19, 10)
    assert.same({ 1 }, (space:query_polygon { 18, 0, 30, 0, 30, 30, 18, 30 }))
    assert.same({}, (space:query_polygon { 0, 0, 18, 0, 18, 30, 0, 30 }))
  end)

  it("refuses what is no polygon, and says why", function()
    local space = space_of { 0, 0 }
    local function refuses(words, ...)
      local ok, message = pcall(space.query_polygon, space, ...)
      assert.is_false(ok)
      assert.equal("query_polygon: " .. words, message)
    end
    refuses("points is nil, expected a list of numbers, or of such lists")
    refuses("points is 5, expected a list of numbers, or of such lists", 5)
    refuses("ring 1 has 0 corners, expected three or more", {})
    refuses("ring 1 has 2 corners, expected three or more", { 1, 1, 2, 2 })
    refuses("ring 2 has 0 corners, expected three or more", { { 1, 1, 2, 2, 1, 2 }, {} })
    refuses("points has 3 numbers, expected x and y of each corner", { 1, 1, 2 })
    refuses("points[2] has 1 numbers, expected x and y of each corner", { { 1, 1, 2, 2, 1, 2 }, { 1 } })
    refuses("points[2] is 7, expected a list of numbers", { { 1, 1, 2, 2, 1, 2 }, 7 })
    refuses('points[4] is the string "2", expected a number', { 1, 1, 2, "2", 1, 2 })
    refuses("points[2][1] is a table, expected a number", { { 1, 1, 2, 2, 1, 2 }, { {}, 1 } })
    local most = ", expected a number from -2^500 to 2^500"
    refuses("x of corner 2 of ring 1 is nan" .. most, { 1, 1, 0 / 0, 2, 1, 2 })
    refuses(("y of corner 3 of ring 1 is %.17g"):format(2.0 ^ 501) .. most, { 1, 1, 2, 2, 1, 2.0 ^ 501 })
    refuses("x of corner 1 of ring 1 is -inf" .. most, { -1 / 0, 1, 2, 2, 1, 2 })
    local repeats = "corners %d and %d of ring %d are the same, expected neighbours that differ"
    refuses(repeats:format(1, 2, 1), { 1, 1, 1, 1, 2, 2, 3, 3 })
    refuses(repeats:format(4, 1, 2), { { 0, 0, 9, 0, 0, 9 }, { 1, 1, 2, 1, 1, 2, 1, 1 } })
    local sharing = "share more than the corner of neighbours"
    refuses("the edge from corner 1 of ring 1 and that from corner 3 of ring 1 " .. sharing,
      { 0, 0, 2, 2, 2, 0, 0, 2 })
    refuses("layer_bits is -2, expected an integer from 0 to 4294967295, or -1 for all bits",
      { 0, 0, 2, 2, 2, 0 }, nil, -2)
    refuses("the argument after layer_bits is 1, expected none", { 0, 0, 2, 2, 2, 0 }, nil, 1, 1)
  end)

  it("takes the largest coordinates that it may, and none of an entity's is too large", function()
    local MOST = 2.0 ^ 500
    local space = space_of { 0, 0, 1e308, -1e308, MOST, 0, -MOST, 0, MOST, MOST, -MOST, -MOST, 5, 5 }
    assert.same({ 1, 4, 6, 7 }, (space:query_polygon { -MOST, -MOST, MOST, -MOST, MOST, MOST, -MOST, MOST }))
  end)
end)
