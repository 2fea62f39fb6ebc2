-- The map of a world: its words, and which region has or needs a point.
local fails = require "spec.support.fails"
local new_map = require("aoi.skynet.world.map").new
local options = require "aoi.skynet.options"
local new_random = require("spec.support.random").new

local GOOD = {
  node = "b", nodes = "a,b,c", columns = 4, rows = 3, x = -100, y = 50, width = 1000, height = 900,
  max_radius = 40, margin = 5, tick = 50, engine = "quadtree", radius = 30, slack = 2,
}

-- Good words, but for those given here; false: left out.
local function words_with(changes)
  local words = {}
  for name, value in pairs(GOOD) do
    if changes[name] == nil then
      words[#words + 1] = name .. "=" .. tostring(value)
    end
  end
  for name, value in pairs(changes) do
    if value then
      words[#words + 1] = name .. "=" .. tostring(value)
    end
  end
  table.sort(words)
  return words
end

local function map_with(changes)
  return new_map(words_with(changes or {}))
end

describe("the words of a world", function()
  it("make a map, and words for its regions", function()
    local map = map_with()
    assert.same({ "b", { "a", "b", "c" }, 12, 49 }, { map.node, map.nodes, map.count, map.strip })
    assert.same({ 2000, "world", "a", true }, { map.silence, map.name, map.coordinator, map.regions })
    assert.equal("c", map_with { coordinator = "c" }.coordinator)
    assert.is_false(map_with { regions = "false" }.regions)
    local own, of_space = options.of_scene(map.words)
    assert.equal(50, own.tick)
    assert.same({ engine = "quadtree", radius = 30, slack = 2, x = -100, y = 50, width = 1000, height = 900 },
      of_space)
  end)

  it("may name a Redis for the coordinator", function()
    local map = map_with { coordinator = "redis:10.0.0.9:6379" }
    assert.same({ { host = "10.0.0.9", port = 6379 }, 3000 }, { map.redis, map.lease })
    assert.is_nil(map.coordinator)
    assert.equal("redis:10.0.0.9:6379", map.shared.coordinator)
    assert.equal(1500, map_with { coordinator = "redis:::1:6379", lease = 1500 }.lease)
    assert.is_nil(map_with().redis)
  end)

  it("give engines without a map no bounds", function()
    local _, of_space = options.of_scene(map_with { engine = "crosslist" }.words)
    assert.same({ engine = "crosslist", radius = 30, slack = 2 }, of_space)
  end)

  it("of all nodes must be the same, but for those about the node itself", function()
    local shared = map_with { coordinator = "a" }.shared
    assert.equal("4", shared.columns)
    for _, name in ipairs { "node", "nodes", "regions", "configuration", "log" } do
      local words = { coordinator = "a", [name] = name == "regions" and "false" or "b" }
      assert.same(shared, map_with(words).shared)
    end
    assert.same(map_with { store = "here" }.shared, map_with { store = "there" }.shared)
    assert.are_not.same(shared, map_with { coordinator = "b" }.shared)
    for _, one in ipairs { { columns = 5 }, { limit = 7 }, { engine = "grid" }, { silence = 1000 },
      { store = "here" } } do
      assert.are_not.same(shared, map_with(one).shared)
    end
  end)

  -- Options of spaces and their defaults, as docs/reference.md has it.
  local USUAL = { shape = "square", dims = 2, clamp = false, capacity = 64, max_depth = 20,
    limit_layers = 0xFFFFFFFF, keep_factor = 1.2 }

  it("are the same however they are written, and when they are left out", function()
    local shared = map_with().shared
    for _, one in ipairs {
      { radius = "30.0" }, { radius = "3e1" }, { max_radius = "0x28" }, { coordinator = "a" },
      { silence = 2000 }, { orphan = "60000.0" }, { sync = 0 }, { save_every = 60000 }, { extras = 0 },
      { places = "double" }, { probe = 5000 }, { handlers = "false" }, { memory_limit = "false" },
    } do
      assert.same(shared, map_with(one).shared)
    end
    for name, value in pairs(USUAL) do
      assert.same(shared, map_with({ [name] = tostring(value) }).shared)
    end
    assert.same(map_with { margin = 4 }.shared, map_with { margin = false }.shared)
    assert.same(map_with { engine = false }.shared, map_with { engine = "grid" }.shared)
    assert.are_not.same(shared, map_with { margin = false }.shared)
    local redis = "redis:10.0.0.9:6379"
    assert.same(map_with { coordinator = redis }.shared,
      map_with { coordinator = redis, lease = 3000 }.shared)
  end)

  it("may have regions narrower than the strip where there is only one", function()
    assert.equal(149, map_with { columns = 1, width = 10, max_radius = 140 }.strip)
  end)

  for _, case in ipairs {
    { { node = false }, "world: node is missing, expected the name of this node" },
    { { nodes = "a,b,a" }, "world: nodes is a,b,a, expected different names" },
    { { nodes = "a,,b" }, "world: nodes is a,,b, expected different names" },
    { { nodes = "a,b," }, "world: nodes is a,b,, expected different names" },
    { { columns = 0 }, "world: columns is 0, expected a whole number, 1 or more" },
    { { rows = 1.5 }, "world: rows is 1.5, expected a whole number, 1 or more" },
    { { rows = "many" }, "world: rows is many, expected a whole number, 1 or more" },
    { { x = "huge" }, "world: x is inf, expected a number" },
    { { y = "here" }, "world: y is here, expected a number" },
    { { width = false }, "world: width is missing, expected a number above 0" },
    { { height = 0 }, "world: height is 0, expected a number above 0" },
    { { height = -1 }, "world: height is -1, expected a number above 0" },
    { { max_radius = false }, "world: max_radius is missing, expected a finite number" },
    { { max_radius = "huge" }, "world: max_radius is inf, expected a finite number" },
    { { max_radius = -1 }, "world: max_radius is -1, expected a finite number" },
    { { margin = "huge" }, "world: margin is inf, expected a finite number, 0 or more" },
    { { margin = -0.5 }, "world: margin is -0.5, expected a finite number, 0 or more" },
    { { tick = 0 }, "world: tick is 0, expected milliseconds, a multiple of 10" },
    { { tick = 25 }, "world: tick is 25, expected milliseconds, a multiple of 10" },
    { { silence = 799 }, "world: silence is 799, expected milliseconds; did you mean 799000?" },
    { { silence = "little" }, "world: silence is little, expected milliseconds, 800 or more" },
    { { regions = "some" }, "world: regions is some, expected true or false" },
    { { coordinator = "redis:here" }, "world: coordinator is redis:here, expected redis:HOST:PORT" },
    { { coordinator = "redis:h:70000" }, "world: coordinator is redis:h:70000, expected redis:HOST:PORT" },
    { { lease = 3000 }, "world: lease is 3000, expected none, as the coordinator is no lease in Redis" },
    { { coordinator = "redis:h:1", lease = 999 }, "world: lease is 999, expected milliseconds, a whole" },
    { { coordinator = "redis:h:1", configuration = "f" },
      "world: configuration is f, expected none, as Redis keeps it" },
    { { coordinator = "redis:h:1", orphan = 10999 },
      "world: orphan is 10999, expected milliseconds, at least 4 * silence + lease, 11000" },
    { { orphan = 7999 }, "world: orphan is 7999, expected milliseconds, at least 4 * silence, 8000" },
    { { name = "a/b" }, "world: name is a/b, expected letters, digits, _, . and -" },
    { { engine = "grid", radius = false }, "world: radius is missing, expected a number: a grid" },
    { { radius = 41 }, "world: radius is 41, expected a number, at most max_radius, 40" },
    { { radius = "huge" }, "world: radius is inf, expected a number, at most max_radius, 40" },
    { { slack = -1 }, "world: slack is -1, expected a finite number, 0 or more" },
    { { sync = 2 }, "world: sync is 2, expected 0 or 1" },
    { { record_to = "file" }, "world: record_to is file, expected none: it is not for a world" },
    { { max_radius = 242 }, "world: columns is 4, so that a column is 250.0 across, expected at least "
      .. "max_radius + 2 * slack + margin = 242 + 2 * 2 + 5 = 251" },
    { { width = 2000, height = 140 }, "world: rows is 3, so that a row is 46.666666666667 across" },
  } do
    it("are refused: " .. case[2], function()
      fails(case[2], map_with, case[1])
    end)
  end

  it("may name 254 nodes and no more, as a stamp has no room for others", function()
    local names = {}
    for number = 1, 254 do
      names[number] = "n" .. number
    end
    assert.equal(254, #map_with({ node = "n254", nodes = table.concat(names, ",") }).nodes)
    names[255] = "n255"
    fails("world: nodes has 255 names, expected at most 254", map_with,
      { node = "n1", nodes = table.concat(names, ",") })
  end)

  it("are of the form name=value", function()
    fails('world: option "columns" is not of the form name=value', new_map, { "columns" })
  end)
end)

-- Points of which many lie on borders, and on what is the strip away from one.
local function points(map, seed)
  local draw = new_random(seed)
  local offsets = { 0, map.strip, -map.strip, map.margin, 1e-9, -1e-9 }
  local function coordinate(borders, n, from, length)
    local kind = draw:integer(1, 3)
    if kind == 1 then
      return from + (draw:integer(0, 1400) - 200) / 1000 * length
    end
    local border = draw:integer(0, n)
    border = (border == 0 or border == n) and from + border * (length / n) or borders[border]
    return border + offsets[draw:integer(1, kind == 2 and 1 or #offsets)]
  end
  return function()
    return coordinate(map.x_borders, map.columns, map.x, map.width),
      coordinate(map.y_borders, map.rows, map.y, map.height)
  end
end

describe("a map", function()
  for _, shape in ipairs { { 4, 3, -1e2, 1e3 }, { 1, 1, 0, 9 }, { 7, 1, 0.1, 700 }, { 3, 9, -1e6, 3e3 } } do
    local map = map_with { columns = shape[1], rows = shape[2], x = shape[3], width = shape[4], height = 1e3 }

    it(("of %d x %d regions has each point in one"):format(shape[1], shape[2]), function()
      local next_point = points(map, 24)
      for _ = 1, 500 do
        local x, y = next_point()
        local owners, near = {}, {}
        for region = 1, map.count do
          local x1, y1, x2, y2 = map:bounds(region)
          if x1 <= x and x < x2 and y1 <= y and y < y2 then
            owners[#owners + 1] = region
          end
          if map:distance(region, x, y) <= map.strip then
            near[#near + 1] = region
          end
        end
        assert.same({ map:region_at(x, y) }, owners)
        local found, n = map:regions_near(x, y, nil, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 })
        assert.equal(#near, n)
        assert.is_nil(found[n + 1])
        assert.same(near, table.move(found, 1, n, 1, {}))
      end
    end)
  end

  it("has neighbours at exactly the strip, and regions that touch a rectangle", function()
    local map = map_with { slack = 0, max_radius = 245 } -- as wide as a column
    assert.same({ 1, 2, 3, 4, 5, 6, 7, 8 }, (map:regions_near(400, 100)))
    assert.same({ 1, 2, 3, 5, 6, 7 }, (map:regions_near(399, 100)))
    assert.same({ 1 }, (map:regions_near(-1e300, -1e300)))
    assert.same({ 1, 2, 5, 6 }, (map:regions_in(-200, 0, 399, 350)))
    assert.same({ 1, 2, 3, 5, 6, 7 }, (map:regions_in(-200, 0, 400, 350)))
    assert.equal(0, (select(2, map:regions_in(400, 0, 300, 1))))
  end)

  it("takes what is no point for region 1, as its space refuses it", function()
    local map = map_with()
    assert.same({ 1, 1, 1 }, { map:region_at(), map:region_at("1", 2), map:region_at(0 / 0, 0 / 0) })
  end)
end)
