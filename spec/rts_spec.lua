-- The case of a real-time strategy game: 5,000 units, a selection rectangle dragged in each frame
-- and neighbours for flocking by circle, against brute force over plain tables.

local aoi = require "aoi"
local engines = require "spec.support.engine_features"
local Random = require "spec.support.random"

local UNITS = 5000
local FRAMES = 20
local MOVES_PER_FRAME = 500
local SIZE = 2000

local function brute_force(units, test)
  local found = {}
  for id = 1, UNITS do
    if test(units[id]) then
      found[#found + 1] = id
    end
  end
  return found
end

local function check(found, n, expected)
  assert.equal(#expected, n)
  for i = 1, n + 1 do
    assert(found[i] == expected[i], "other units found")
  end
end

for _, engine in ipairs(engines) do
  if engine.has_radius then
    it("The " .. engine.name .. " selects and flocks 5,000 units like brute force #crowd", function()
      local random = Random.new(5000)
      local space = aoi.new {
        engine = engine.engine,
        width = engine.has_map and SIZE or nil,
        height = engine.has_map and SIZE or nil,
        radius = 20,
      }
      local units = {}
      for id = 1, UNITS do
        units[id] = { x = random:float(0, SIZE), y = random:float(0, SIZE) }
        space:enter(id, units[id].x, units[id].y)
      end
      local reused = {}
      for _ = 1, FRAMES do
        for _ = 1, MOVES_PER_FRAME do
          local id = random:integer(1, UNITS)
          local unit = units[id]
          unit.x = math.max(0, math.min(SIZE, unit.x + random:float(-10, 10)))
          unit.y = math.max(0, math.min(SIZE, unit.y + random:float(-10, 10)))
          space:move(id, unit.x, unit.y)
        end
        local x, y = random:float(0, SIZE), random:float(0, SIZE)
        local high_x, high_y = x + random:float(0, 500), y + random:float(0, 500)
        local found, n = space:query_rect(x, y, high_x, high_y, reused)
        check(found, n, brute_force(units, function(unit)
          return x <= unit.x and unit.x <= high_x and y <= unit.y and unit.y <= high_y
        end))
        for _ = 1, 10 do
          local unit = units[random:integer(1, UNITS)]
          found, n = space:query_circle(unit.x, unit.y, 30, reused)
          check(found, n, brute_force(units, function(other)
            local dx, dy = other.x - unit.x, other.y - unit.y
            return dx * dx + dy * dy <= 30 * 30
          end))
        end
      end
    end)
  end
end
