-- Every bad input of the methods about areas: the whole message, and that nothing has changed.
local engines = require "spec.support.engines"

local ALL_OPTIONS =
  "shape, radius, leave_radius, width, height, points, x, y, z, owner, dx, dy, dz or sees_layers"
local BITS = "an integer from 0 to 4294967295, or -1 for all bits"
local SHAPES = '"circle", "square", "rect" or "polygon"'

local function at(opts)
  opts.x, opts.y = opts.x or 50, opts.y or 50
  return opts
end

-- Opts, and what is wrong with them. Area 1 is a circle with an owner, 2 a rect, 3 a polygon.
local OPTS = {
  { {}, "option radius is nil, expected a number from 0 up" },
  { { radiuss = 5 }, "option radiuss = 5 is unknown (did you mean radius?), expected " .. ALL_OPTIONS },
  { { [1] = 5 }, "option 1 = 5 is unknown, expected " .. ALL_OPTIONS },
  { { shape = "cube" }, 'option shape is the string "cube", expected ' .. SHAPES },
  { { shape = 3 }, "option shape is 3, expected " .. SHAPES },
  { at { radius = -1 }, "option radius is -1, expected a number from 0 up" },
  { at { radius = 0 / 0 }, "option radius is nan, expected a number from 0 up" },
  { at { radius = "5" }, 'option radius is the string "5", expected a number from 0 up' },
  { at { radius = 5, leave_radius = 4.5 },
    "option leave_radius is 4.5, expected a number from the radius, 5, up" },
  { at { radius = 5, leave_radius = true }, "option leave_radius is true, expected a number from 0 up" },
  { at { radius = 5, width = 3 },
    "option width is 3, expected none for a circle, the shape if none is named" },
  { { points = { 0, 0, 9, 0, 9, 9 } },
    "option points is a table, expected none for a circle, the shape if none is named" },
  { at { shape = "square", radius = 5, points = { 1, 2, 3, 4, 5, 7 } },
    "option points is a table, expected none for a circle or a square" },
  { at { shape = "rect", width = 5 }, "option height is nil, expected a number from 0 up" },
  { at { shape = "rect", width = 5, height = 5, leave_radius = 1 },
    "option leave_radius is 1, expected none for a rect" },
  { { shape = "polygon" }, "option points is nil, expected a list of numbers" },
  { { shape = "polygon", points = {}, radius = 5 }, "option radius is 5, expected none for a polygon" },
  { { shape = "polygon", points = { 0, 0, 9, 0, 9, 9 }, x = 5 },
    "option x is 5, expected none for a polygon: its points say where it is" },
  { { shape = "polygon", points = { 0, 0, 9, 0, 9, 9 }, owner = 1 },
    "option owner is 1, expected none for a polygon: its points say where it is" },
  { { shape = "polygon", points = 5 }, "points is 5, expected a list of numbers, or of such lists" },
  { { shape = "polygon", points = { 1, 2, 3 } }, "points has 3 numbers, expected x and y of each corner" },
  { { shape = "polygon", points = { 1, 2, 3, "4", 5, 7 } },
    'points[4] is the string "4", expected a number' },
  { { shape = "polygon", points = { { 1, 2, 3, 4, 5, 7 }, { 1 } } },
    "points[2] has 1 numbers, expected x and y of each corner" },
  { { shape = "polygon", points = {} }, "ring 1 has 0 corners, expected three or more" },
  { { shape = "polygon", points = { 0, 0, 0 / 0, 2, 1, 2 } },
    "x of corner 2 of ring 1 is nan, expected a number from -2^500 to 2^500" },
  { { shape = "polygon", points = { 0, 0, 9, 0, 9, 9, 0, 0 } },
    "corners 4 and 1 of ring 1 are the same, expected neighbours that differ" },
  { { shape = "polygon", points = { 0, 0, 2, 2, 2, 0, 0, 2 } }, "the edge from corner 1 of ring 1 and that "
    .. "from corner 3 of ring 1 share more than the corner of neighbours" },
  { { radius = 5, x = 0 / 0, y = 5 }, "option x is nan, expected a finite number" },
  { { radius = 5, x = 5, y = 1 / 0 }, "option y is inf, expected a finite number" },
  { { radius = 5, x = 5 }, "option y is nil, expected a finite number" },
  { at { radius = 5, z = 7 }, "option z is 7, expected none: the space has two dimensions" },
  { at { radius = 5, dx = 7 }, "option dx is 7, expected none without an owner" },
  { at { radius = 5, owner = 1 }, "option x is 50, expected none beside an owner (dx and dy go from there)" },
  { { radius = 5, owner = 7 }, "option owner is 7, expected the id of an entity in the space" },
  { { radius = 5, owner = 1.5 }, "option owner is 1.5, expected an integer" },
  { { radius = 5, owner = 1, dy = 1 / 0 }, "option dy is inf, expected a finite number" },
  { { radius = 5, owner = 1, dz = 1 }, "option dz is 1, expected none: the space has two dimensions" },
  { at { radius = 5, sees_layers = -2 }, "option sees_layers is -2, expected " .. BITS },
  { at { radius = 5, sees_layers = "1" }, 'option sees_layers is the string "1", expected ' .. BITS },
}

for _, engine in ipairs(engines.all) do
  describe("bad input about areas to " .. engine.name, function()
    local space, told

    before_each(function()
      told = 0
      space = engine.new { on_area = function() told = told + 1 end, collect = { "area_enter" } }
      space:enter(1, 50, 50)
      space:enter(2, 52, 52)
      space:add_area(1, { owner = 1, radius = 10, leave_radius = 12 })
      space:add_area(2, { shape = "rect", x = 50, y = 50, width = 10, height = 10 })
      space:add_area(3, { shape = "polygon", points = { 0, 0, 99, 0, 99, 99 } })
    end)

    local function refuses(expected, method, ...)
      local before, heard = space:save(), told
      local ok, message = pcall(space[method], space, ...)
      assert.is_false(ok)
      assert.equal(method .. ": " .. expected, message)
      assert.is_true(before == space:save(), "something has changed")
      assert.equal(heard, told)
    end

    it("names the option, its value and what was expected", function()
      for _, case in ipairs(OPTS) do
        local opts, expected = table.unpack(case)
        refuses(expected, "add_area", 9, opts)
        if next(opts) ~= nil then
          refuses(expected, "set_area", 2, opts)
        end
      end
    end)

    it("names the area", function()
      local good = at { radius = 5 }
      refuses("area 1 is already in the space", "add_area", 1, good)
      for _, id in ipairs { 4, math.mininteger, -1 } do
        local expected = ("area %d is not in the space"):format(id)
        refuses(expected, "set_area", id, good)
        refuses(expected, "move_area", id, 5, 5)
        refuses(expected, "remove_area", id)
        refuses(expected, "members_of", id)
        assert.is_false(space:in_area(id, 1))
      end
      refuses("id 9 is not in the space", "areas_of", 9)
      assert.is_false(space:in_area(1, 9))
      local expected = "area %d has an owner or is a polygon, expected one that was placed by x and y"
      refuses(expected:format(1), "move_area", 1, 5, 5)
      refuses(expected:format(3), "move_area", 3, 5, 5)
      refuses("neither a place nor an owner is given, expected one of them", "set_area", 3, { radius = 5 })
      local expected_none = ", expected none: a polygon is where its points are"
      refuses("x is 5" .. expected_none, "set_area", 3, { x = 5, y = 7 })
      refuses("owner is 2" .. expected_none, "set_area", 3, { owner = 2 })
    end)

    it("names the argument", function()
      local bad = { { 1.5, "1.5" }, { "1", 'the string "1"' }, { true, "true" }, { {}, "a table" } }
      for _, case in ipairs(bad) do
        local value, shown = table.unpack(case)
        for _, method in ipairs {
          "add_area", "set_area", "move_area", "remove_area", "members_of", "in_area",
        } do
          refuses("area is " .. shown .. ", expected an integer", method, value, {})
        end
        refuses("id is " .. shown .. ", expected an integer", "areas_of", value)
        refuses("id is " .. shown .. ", expected an integer", "in_area", 1, value)
      end
      for _, method in ipairs { "add_area", "set_area" } do
        refuses("opts is nil, expected a table with " .. ALL_OPTIONS, method, 2)
        refuses("opts is 5, expected a table with " .. ALL_OPTIONS, method, 2, 5)
        refuses("the argument after opts is 5, expected none", method, 2, {}, 5)
        refuses("the argument after opts is 5, expected none", method, 2, {}, nil, 5)
      end
      refuses("y is nil, expected a finite number", "move_area", 2, 5)
      refuses('x is the string "5", expected a finite number', "move_area", 2, "5", 5)
      refuses("z is 5, expected none: the space has two dimensions", "move_area", 2, 5, 5, 5)
      refuses("the argument after the position is true, expected none", "move_area", 2, 5, 5, true)
      refuses("the argument after area is 5, expected none", "remove_area", 2, 5)
      for _, method in ipairs { "members_of", "areas_of" } do
        refuses('t is the string "pack", expected a table to fill, "packed" or nil', method, 1, "pack")
      end
      refuses("t is 5, expected a table to fill, \"packed\" or nil", "areas", 5)
    end)

    it("wants functions as handlers, and known kinds to collect", function()
      local ok, message = pcall(space.on, space, { on_area = 5 })
      assert.is_false(ok)
      assert.equal("on: option on_area is 5, expected a function", message)
      ok, message = pcall(engine.new, { collect = { "area" } })
      assert.is_false(ok)
      local expected = 'an entry of option collect is the string "area", expected true, or a list of '
        .. '"enter", "leave", "move", "area_enter" and "area_leave"'
      assert.truthy(message:find(expected, 1, true), message)
    end)

    it("takes what looks odd and is allowed", function()
      space:set_area(2, {})
      space:set_area(2, { sees_layers = -1 })
      space:set_area(2.0, { radius = math.huge, leave_radius = math.huge })
      local far = { shape = "rect", x = -1e308, y = 1e308, width = 0, height = math.huge }
      space:add_area(math.mininteger, far)
      space:add_area(9, { owner = 2, radius = 0, dx = 1e308, dy = -1e308 })
      space:set_area(1, { owner = 1 })
      assert.equal(5, select(2, space:areas()))
    end)
  end)
end

describe("in three dimensions", function()
  it("z is needed where x and y are, and dz may be given", function()
    local space = require("aoi").new { engine = "crosslist", radius = 5, dims = 3 }
    space:enter(1, 0, 0, 0)
    local function refuses(expected, method, ...)
      local ok, message = pcall(space[method], space, ...)
      assert.is_false(ok)
      assert.equal(method .. ": " .. expected, message)
    end
    refuses("option z is nil, expected a finite number", "add_area", 1, { radius = 5, x = 0, y = 0 })
    refuses("option z is nan, expected a finite number", "add_area", 1,
      { radius = 5, x = 0, y = 0, z = 0 / 0 })
    space:add_area(1, { radius = 5, x = 0, y = 0, z = 0 })
    refuses("z is nil, expected a finite number", "move_area", 1, 5, 5)
    space:add_area(2, { radius = 5, owner = 1, dz = 3 })
  end)
end)
