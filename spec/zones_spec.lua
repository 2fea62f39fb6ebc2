-- aoi.zones: areas from tables as JSON readers make them of GeoJSON, and what is wrong with such a table.
local aoi = require "aoi"

local function square(x, y, size)
  return { { x, y }, { x + size, y }, { x + size, y + size }, { x, y + size }, { x, y } }
end

local function polygon(...)
  return { type = "Polygon", coordinates = { ... } }
end

local function feature(id, geometry, properties)
  return { type = "Feature", id = id, geometry = geometry, properties = properties }
end

local function collection(...)
  return { type = "FeatureCollection", features = { ... } }
end

describe("aoi.zones", function()
  local space, told
  before_each(function()
    told = {}
    space = aoi.new {
      engine = "crosslist", radius = 1,
      on_area = function(area, marker, op) told[#told + 1] = ("%d %s %d"):format(area, op, marker) end,
    }
    space:enter(1, 5, 5)
    space:enter(2, 12, 5)
    space:enter(3, 32, 2, { layers = 2 })
  end)

  local function members(area)
    local list = space:members_of(area)
    table.sort(list)
    return table.concat(list, " ")
  end

  it("makes an area of each feature", function()
    local ids, n = aoi.zones(space, collection(
      feature(7, polygon(square(0, 0, 10))),
      feature(-3, polygon(square(10, 0, 10))),
      feature(8.0, { type = "MultiPolygon", coordinates = { { square(4, 4, 2) }, { square(30, 0, 10) } } })))
    assert.same({ 7, -3, 8 }, ids)
    assert.equal(3, n)
    assert.same({ "7 enter 1", "-3 enter 2", "8 enter 1", "8 enter 3" }, told)
    space:move(1, 10, 5)
    assert.equal("", members(7))
    assert.equal("1 2", members(-3))
  end)

  it("takes holes, rings that are closed or not, and positions with a height", function()
    local hole = { { 4, 4, 100 }, { 6, 4, 100 }, { 6, 6, 100 }, { 4, 6, 100 } }
    aoi.zones(space, feature(1, polygon(square(0, 0, 20), hole)))
    assert.equal("2", members(1))
  end)

  it("takes ids from a function, or counts from a number", function()
    local table_of_zones = collection(
      feature("north", polygon(square(0, 0, 10)), { zone = 40 }),
      feature(nil, polygon(square(10, 0, 10)), { zone = 50 }))
    assert.same({ 40, 50 }, (aoi.zones(space, table_of_zones, {
      id = function(one) return one.properties.zone end,
    })))
    assert.same({ 100, 101 }, (aoi.zones(space, table_of_zones, { id = 100 })))
    assert.same({ 1 }, (aoi.zones(space, polygon(square(0, 0, 10)), { id = function(_, n) return n end })))
  end)

  it("takes the layers that all of them see", function()
    aoi.zones(space, polygon(square(0, 0, 100)), { id = 1, sees_layers = 2 })
    assert.equal("3", members(1))
  end)

  -- Nothing is added, and the error stands at the line of the caller.
  local function refuses(expected, ...)
    local before = select(2, space:areas())
    local ok, message = pcall(function(...) aoi.zones(...) end, space, ...)
    assert.is_false(ok)
    assert.equal(expected, (message:gsub("^.-zones_spec.lua:%d+: ", "")))
    assert.truthy(message:find "zones_spec")
    assert.equal(before, select(2, space:areas()))
  end

  it("adds all areas, also when a handler raises", function()
    local calls = 0
    space:on { on_area = function(area)
      calls = calls + 1
      error { area = area }
    end }
    local ok, raised = pcall(aoi.zones, space,
      collection(feature(5, polygon(square(0, 0, 10))), feature(6, polygon(square(10, 0, 10)))))
    assert.is_false(ok)
    assert.same({ area = 5 }, raised)
    assert.same({ 5, 6 }, (space:areas()))
    assert.equal(2, calls)
  end)

  it("names what is wrong, and adds nothing then", function()
    local good = feature(5, polygon(square(0, 0, 10)))
    local roots = 'expected a table with the type "FeatureCollection", "Feature", "Polygon" or "MultiPolygon"'
    refuses("zones: the table is nil, " .. roots, nil)
    refuses('zones: the type of the table is the string "Point", expected "FeatureCollection", "Feature", '
      .. '"Polygon" or "MultiPolygon"', { type = "Point" })
    refuses("zones: features is nil, expected a list of features", { type = "FeatureCollection" })
    refuses("zones: features[2] is 7, expected a feature", collection(good, 7))
    refuses('zones: feature 2 (6): geometry is nil, expected a table with the type "Polygon" or '
      .. '"MultiPolygon"', collection(good, feature(6)))
    refuses('zones: feature 2 (6): the type of its geometry is the string "Point", expected "Polygon" or '
      .. '"MultiPolygon"', collection(good, feature(6, { type = "Point", coordinates = { 1, 2 } })))
    refuses("zones: feature 1 (6): coordinates is nil, expected a list of rings",
      feature(6, { type = "Polygon" }))
    refuses("zones: feature 1 (6): coordinates is a table, expected a list of polygons",
      feature(6, { type = "MultiPolygon", coordinates = {} }))
    refuses("zones: feature 1 (6): coordinates[2][1] is 3, expected a list of positions",
      feature(6, { type = "MultiPolygon", coordinates = { { square(0, 0, 1) }, { 3 } } }))
    refuses("zones: feature 1 (6): coordinates[1][2] is 3, expected a position { x, y }",
      feature(6, polygon { { 1, 2 }, 3 }))
    refuses('zones: feature 1 (6): coordinates[1][2][1] is the string "3", expected a number',
      feature(6, polygon { { 1, 2 }, { "3", 4 } }))
    refuses("zones: feature 2 (6): ring 1 has 2 corners, expected three or more",
      collection(good, feature(6, polygon { { 1, 2 }, { 3, 4 }, { 1, 2 } })))
    refuses('zones: feature 1 (the string "moat"): id is nil, expected an integer (option id of '
      .. "aoi.zones can give one)", feature(nil, polygon(square(0, 0, 1)), { name = "moat" }))
    refuses("zones: feature 1: what option id returns is nil, expected an integer (option id of "
      .. "aoi.zones can give one)", polygon(square(0, 0, 1)), { id = function() end })
    refuses("zones: feature 2 (5): id 5 is that of feature 1, too, expected another one",
      collection(good, good))
    space:add_area(5, { x = 0, y = 0, radius = 1 })
    refuses("zones: feature 1 (5): id 5 is that of an area in the space, expected another one", good)
    refuses("zones: option id is 1.5, expected a function(feature, number), or the id of the first area",
      good, { id = 1.5 })
    refuses("zones: option id is 9223372036854775807, expected an id from which 2 areas can count up",
      collection(good, good), { id = math.maxinteger })
    assert.same({ math.maxinteger }, (aoi.zones(space, good, { id = math.maxinteger })))
    for _, value in ipairs { false, 7, {}, "space", io.stdout } do
      local ok, message = pcall(function() aoi.zones(value, good) end)
      assert.is_false(ok)
      assert.truthy(message:find("zones: space is .*, expected a space$"), message)
    end
    refuses("zones: option sees_layers is -2, expected an integer from 0 to 4294967295, or -1 for all bits",
      good, { sees_layers = -2 })
    refuses('zones: the name of an option is the string "layer", expected id, sees_layers', good,
      { layer = 2 })
  end)
end)
