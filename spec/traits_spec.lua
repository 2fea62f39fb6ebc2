-- traits(id): what an entity is, as enter takes it.
local aoi = require "aoi"
local fails = require "spec.support.fails"

describe("traits", function()
  it("are those that were given, and the defaults", function()
    local space = aoi.new { engine = "crosslist", radius = 10 }
    space:enter(1, 0, 0)
    space:enter(2, 0, 0, { radius = math.huge, visible_radius = 30, mode = "m", layers = 6, sees_layers = 0 })
    space:enter(3, 0, 0, { mode = "w" })
    assert.same({ radius = 10, visible_radius = 0, mode = "wm", layers = 1, sees_layers = 0xFFFFFFFF },
      space:traits(1))
    assert.same({ radius = math.huge, visible_radius = 30, mode = "m", layers = 6, sees_layers = 0 },
      space:traits(2))
    assert.equal("w", space:traits(3).mode)
    space:set_layers(2, 1)
    assert.equal(1, space:traits(2).layers)
    assert.is_nil(space:traits(4))
    fails("traits: id", space.traits, space, "1")
    space:close()
    fails("closed", space.traits, space, 1)
  end)

  it("have those of crowds in crowd spaces, and no radii in a nine-grid", function()
    local space = aoi.new { engine = "crosslist", radius = 10, deferred = true, limit = 7 }
    space:enter(1, 0, 0)
    space:enter(2, 0, 0, { limit = math.huge, importance = 255 })
    space:enter(3, 0, 0, { limit = 2147483647 })
    assert.same({ 7, 0 }, { space:traits(1).limit, space:traits(1).importance })
    assert.same({ math.huge, 255 }, { space:traits(2).limit, space:traits(2).importance })
    assert.equal(2147483647, space:traits(3).limit)
    local grid = aoi.new { engine = "grid", width = 10, height = 10, cols = 2, rows = 2 }
    grid:enter(1, 0, 0)
    assert.is_nil(grid:traits(1).radius)
    assert.is_nil(grid:traits(1).visible_radius)
    space:enter(4, 1, 1, space:traits(2)) -- it is what enter takes
    assert.same(space:traits(2), space:traits(4))
  end)
end)
