-- Areas of points where rounding decides wrongly: whole corners up to 2^29 against integers of 64 bits, and
-- triangles that tile a square against exact rationals, each of whose points is in exactly one.
local aoi = require "aoi"
local bezout = require "spec.support.bezout"
local polygons = require "spec.support.model_polygons"
local Random = require "spec.support.random"

-- A space with the entity 1 and a set of the areas that on_area says it is in.
local function follow()
  local inside, problems = {}, {}
  local space = aoi.new {
    engine = "crosslist", radius = 0,
    on_area = function(area, _, op)
      if (op == "enter") == (inside[area] or false) then
        problems[#problems + 1] = ("area %d: %s twice"):format(area, op)
      end
      inside[area] = op == "enter" or nil
    end,
  }
  return space, inside, problems
end

local function sorted(set)
  local list = {}
  for key in pairs(set) do
    list[#list + 1] = key
  end
  table.sort(list)
  return table.concat(list, " ")
end

local function areas_of(space)
  local set = {}
  for _, area in ipairs((space:areas_of(1))) do
    set[area] = true
  end
  return sorted(set)
end

-- The double next to this one, upwards or downwards.
local function beside(double, step)
  if double == 0 then
    return step * 2.0 ^ -1022
  end
  local bits = ("<i8"):unpack(("<d"):pack(double))
  return (("<d"):unpack(("<i8"):pack(bits + (double > 0 and step or -step))))
end

describe("an area of points", function()
  -- By integers: all products are below 2^62.
  local by_integers = polygons.by(function(ax, ay, bx, by, px, py)
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)
  end)

  it("is right where a determinant is 1, 0 or -1, with corners up to 2^29", function()
    local random, MOST, near, inside_count = Random.new(61), 1 << 29, 0, 0
    for _ = 1, 200 do
      local function corner()
        return random:integer(-MOST, MOST)
      end
      local ring = { corner(), corner(), corner(), corner(), corner(), corner() }
      local ax, ay, bx, by = table.unpack(ring)
      local divisor, s, t = bezout(bx - ax, by - ay)
      local dx, dy = (bx - ax) // divisor, (by - ay) // divisor -- dx * s + dy * t = 1: (-t, s) is left by 1
      local space, inside, problems = follow()
      space:add_area(7, { shape = "polygon", points = ring })
      for _, along in ipairs { 0, 1, divisor // 3, divisor // 2, divisor } do
        for _, side in ipairs { 1, 0, -1, 1, -1 } do
          local x, y = ax + along * dx - side * t, ay + along * dy + side * s
          if math.abs(x) <= MOST and math.abs(y) <= MOST then
            space:update(1, x, y)
            local expected = by_integers.holds({ ring }, x, y)
            assert.equal(expected, polygons.holds({ ring }, x, y), "the model")
            assert.equal(expected, space:in_area(7, 1))
            assert.equal(expected, inside[7] or false)
            near, inside_count = near + 1, inside_count + (expected and 1 or 0)
          end
        end
      end
      assert.same({}, problems)
      space:close()
    end
    assert.is_true(near > 1500 and inside_count > 300, near .. ", " .. inside_count)
  end)

  -- Triangles that tile the unit square, whose corners are any doubles.
  local function triangulation(random, times)
    local triangles = { { 0, 0, 1, 0, 1, 1 }, { 0, 0, 1, 1, 0, 1 } }
    for _ = 1, times do
      local at = random:integer(1, #triangles)
      local t = triangles[at]
      local u, v = random:float(0, 1), random:float(0, 1)
      if u + v > 1 then
        u, v = 1 - u, 1 - v
      end
      local x, y = t[1] + u * (t[3] - t[1]) + v * (t[5] - t[1]), t[2] + u * (t[4] - t[2]) + v * (t[6] - t[2])
      local is_inside = true
      polygons.each_edge(t, function(ax, ay, bx, by)
        is_inside = is_inside and polygons.side(ax, ay, bx, by, x, y) > 0
      end)
      if is_inside then
        triangles[at] = { t[1], t[2], t[3], t[4], x, y }
        triangles[#triangles + 1] = { t[3], t[4], t[5], t[6], x, y }
        triangles[#triangles + 1] = { t[5], t[6], t[1], t[2], x, y }
      end
    end
    return triangles
  end

  -- Corners, points of edges as near as doubles come, and their neighbours; some are outside of the square.
  local function points_of(triangles)
    local points = {}
    local function add(x, y)
      for _, step in ipairs { { 0, 0 }, { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
        points[#points + 1] = {
          step[1] == 0 and x or beside(x, step[1]), step[2] == 0 and y or beside(y, step[2]),
        }
      end
    end
    for _, t in ipairs(triangles) do
      polygons.each_edge(t, function(ax, ay, bx, by)
        add(ax, ay)
        add(ax + (bx - ax) / 2, ay + (by - ay) / 2)
        add(ax + (bx - ax) / 3, ay + (by - ay) / 3)
      end)
    end
    return points
  end

  it("shares a square with others so that each point is in exactly one", function()
    local random, on_no_grid = Random.new(62), 0
    for _ = 1, 6 do
      local triangles = triangulation(random, 25)
      local space, inside, problems = follow()
      for area, t in ipairs(triangles) do
        space:add_area(area, { shape = "polygon", points = t })
      end
      for _, point in ipairs(points_of(triangles)) do
        local x, y = table.unpack(point)
        space:update(1, x, y)
        local expected = {}
        for area, t in ipairs(triangles) do
          expected[area] = polygons.holds({ t }, x, y) or nil
        end
        local in_square = 0 <= x and x < 1 and 0 <= y and y < 1
        assert.equal(sorted(expected), areas_of(space))
        assert.equal(sorted(expected), sorted(inside))
        assert.equal(in_square and 1 or 0, select(2, space:areas_of(1)), ("%.17g, %.17g"):format(x, y))
        on_no_grid = on_no_grid + (x * 2 ^ 40 % 1 ~= 0 and 1 or 0)
      end
      assert.same({}, problems)
      assert.is_true(#triangles > 20)
    end
    assert.is_true(on_no_grid > 1000)
  end)

  it("may have thousands of corners, holes and islands", function()
    local function wave(corners, radius, height)
      local ring = {}
      for i = 1, corners do
        local turn = 2 * math.pi * i / corners
        local reach = radius + height * math.cos(turn * corners / 8)
        ring[2 * i - 1], ring[2 * i] = reach * math.cos(turn), reach * math.sin(turn)
      end
      return ring
    end
    local random, rings = Random.new(63), { wave(2000, 100, 1), wave(400, 80, 0.5), wave(16, 50, 4) }
    local space, inside = follow()
    space:add_area(1, { shape = "polygon", points = rings })
    local count = 0
    for i = 1, 150 do
      local reach = i % 2 == 0 and random:float(0, 110) or random:pick { 100, 80, 50 } + random:float(-5, 5)
      local turn = random:float(0, 2 * math.pi)
      local x, y = reach * math.cos(turn), reach * math.sin(turn)
      space:update(1, x, y)
      assert.equal(polygons.holds(rings, x, y), inside[1] or false)
      assert.equal(inside[1] or false, space:in_area(1, 1))
      count = count + (inside[1] and 1 or 0)
    end
    assert.is_true(count > 30 and count < 120, count)
  end)
end)
