-- How spaces are made: constructors, options, defaults, and every wrong option.
local aoi = require "aoi"
local engines = require "spec.support.engines"
local record = require "spec.support.record"

local nan = 0 / 0
local inf = math.huge
local none = engines.none

-- Fails unless `new` raises a message that has every one of the words (plain text, any case).
local function refuses(words, ...)
  local ok, message = pcall(aoi.new, ...)
  assert.is_false(ok, "expected an error with: " .. table.concat(words, " | "))
  assert.equal("string", type(message))
  for _, word in ipairs(words) do
    local found = message:lower():find(word:lower(), 1, true)
    assert.is_truthy(found, ("%q is missing in: %s"):format(word, message))
  end
end

describe("the module", function()
  it("carries its version as a string of three numbers", function()
    assert.equal("string", type(aoi._VERSION))
    assert.is_truthy(aoi._VERSION:find("%d+%.%d+%.%d+"), aoi._VERSION)
  end)

  it("sets no globals", function()
    for name in pairs(_G) do
      assert.is_nil(tostring(name):lower():find("aoi", 1, true))
    end
  end)
end)

for _, row in ipairs(engines.all) do
  describe("a space of " .. row.name, function()
    it("is a userdata with methods", function()
      local space = row.new()
      assert.equal("userdata", type(space))
      assert.equal("function", type(space.enter))
      assert.is_nil(space.no_such_method)
    end)

    it("starts empty", function()
      local space = row.new()
      assert.equal(0, #space)
      assert.is_false(space:has(1))
      assert.equal(0, space:pending())
    end)

    it("works without any handler", function()
      local space = row.new()
      space:enter(1, 50, 50)
      space:enter(2, 52, 52)
      assert.is_true(space:sees(1, 2))
      assert.equal(0, space:pending())
    end)

    it("shares nothing with another space", function()
      local one, one_log = record.space(row)
      local two, two_log = record.space(row)
      one:enter(1, 50, 50)
      two:enter(1, 50, 50)
      one:enter(2, 51, 51)
      assert.equal("1: enter 2, 2: enter 1", record.told(one_log))
      assert.equal("", record.told(two_log))
      assert.equal(2, #one)
      assert.equal(1, #two)
      one:close()
      two:enter(3, 51, 51)
      assert.equal("1: enter 3, 3: enter 1", record.told(two_log))
    end)

    it("does not keep or change the table of options", function()
      local log, handler = record.log()
      local options = row.options { on_event = handler }
      local before = row.options { on_event = handler }
      local space = aoi.new(options)
      assert.same(before, options)
      for key in pairs(before) do
        options[key] = nil
      end
      space:enter(1, 50, 50)
      space:enter(2, 52, 52)
      assert.equal("1: enter 2, 2: enter 1", record.told(log))
    end)

    it("reads the options raw", function()
      local options = setmetatable(row.options(), {
        __index = function(_, key) error("read through a metamethod: " .. tostring(key)) end,
        __pairs = function() error("walked through a metamethod") end,
      })
      assert.equal(0, #aoi.new(options))
    end)

    it("gives new entities mode wm, layer 1 and sees all", function()
      local space = row.new()
      space:enter(1, 50, 50)
      space:enter(2, 52, 52, { layers = 1 })
      space:enter(3, 52, 52, { layers = 2 ^ 31 | 0 })
      space:enter(4, 52, 52, { sees_layers = 1 })
      space:enter(5, 52, 52, { sees_layers = ~1 & 0xffffffff })
      assert.is_true(space:sees(1, 2))
      assert.is_true(space:sees(1, 3))
      assert.is_true(space:sees(4, 1))
      assert.is_false(space:sees(5, 1))
    end)

    it("says engine and count in tostring", function()
      local space = row.new()
      for id = 1, 17 do
        space:enter(id, 50, 50)
      end
      local text = tostring(space)
      assert.is_truthy(text:find(row.engine, 1, true), text)
      assert.is_truthy(text:find("%f[%d]17%f[%D]"), text)
    end)

    it("refuses an unknown option and names it", function()
      refuses({ "colls", "6" }, row.options { colls = 6 })
      refuses({ "on_entre" }, row.options { on_entre = print })
      refuses({ "77" }, row.options { [77] = "positional" })
      refuses({ "true" }, row.options { [true] = 1 })
    end)

    it("refuses an engine that does not exist and names it", function()
      refuses({ "engine", "hexagons" }, row.options { engine = "hexagons" })
    end)

    it("takes no name with a zero byte for another one", function()
      refuses({ "engine" }, row.options { engine = row.engine .. "\0x" })
      refuses({ "option" }, row.options { ["collect\0x"] = true })
      refuses({ "option" }, row.options { ["on_enter\0x"] = print })
      refuses({ "collect" }, row.options { collect = { "enter\0x" } })
    end)

    it("refuses handlers that are no functions", function()
      for _, name in ipairs { "on_event", "on_enter", "on_leave", "on_move", "on_error" } do
        refuses({ name, "77", "function" }, row.options { [name] = 77 })
        refuses({ name, "print", "function" }, row.options { [name] = "print" })
        refuses({ name, "true", "function" }, row.options { [name] = true })
        refuses({ name, "table", "function" }, row.options { [name] = {} })
      end
    end)

    it("refuses a collect that is neither a boolean nor a list of kinds", function()
      refuses({ "collect", "77" }, row.options { collect = 77 })
      refuses({ "collect", "enter" }, row.options { collect = "enter" })
      refuses({ "collect", "entre" }, row.options { collect = { "leave", "entre" } })
      refuses({ "collect", "77" }, row.options { collect = { 77 } })
    end)

    it("refuses dims that is neither 2 nor 3", function()
      for _, dims in ipairs { 0, 1, 4, 2.5, -2, inf, "2", true } do
        refuses({ "dims", tostring(dims) }, row.options { dims = dims })
      end
      refuses({ "dims", "nan" }, row.options { dims = nan })
    end)

    it("takes dims = 2", function()
      local space = row.new { dims = 2 }
      space:enter(1, 50, 50)
      assert.equal(1, #space)
    end)
  end)
end

for _, row in ipairs(engines.exact) do
  describe("the radius of " .. row.name, function()
    it("is a number from 0 to infinity", function()
      refuses({ "radius", "-1" }, row.options { radius = -1 })
      refuses({ "radius", "-inf" }, row.options { radius = -inf })
      refuses({ "radius", "nan" }, row.options { radius = nan })
      refuses({ "radius", "77", "number" }, row.options { radius = "77" })
      refuses({ "radius", "table", "number" }, row.options { radius = {} })
      refuses({ "radius", "true", "number" }, row.options { radius = true })
      for _, radius in ipairs { 0, 0.5, 10, inf } do
        local space = row.new { radius = radius, cell = row.engine == "grid" and 10 or nil }
        space:enter(1, 50, 50)
        assert.equal(radius, space:radius(1))
      end
    end)

    it("is the default of every entity that names none", function()
      local space = row.new { radius = 5 }
      space:enter(1, 50, 50)
      space:enter(2, 55, 55)
      space:enter(3, 56, 55, { radius = 6 })
      assert.is_true(space:sees(1, 2))
      assert.is_false(space:sees(1, 3))
      assert.is_true(space:sees(3, 1))
    end)

    it("sees the whole space when it is infinite", function()
      local space = row.new { radius = inf, cell = row.engine == "grid" and 10 or nil }
      space:enter(1, 0, 0)
      space:enter(2, 100, 100)
      assert.is_true(space:sees(1, 2))
      assert.is_true(space:sees(2, 1))
    end)

    it("has a square for its shape, or a circle", function()
      local square = row.new()
      local named = row.new { shape = "square" }
      local circle = row.new { shape = "circle" }
      for _, space in ipairs { square, named, circle } do
        space:enter(1, 50, 50)
        space:enter(2, 60, 60)
        space:enter(3, 56, 58)
      end
      assert.is_true(square:sees(1, 2))
      assert.is_true(named:sees(1, 2))
      assert.is_false(circle:sees(1, 2))
      assert.is_true(circle:sees(1, 3))
    end)

    it("refuses another shape", function()
      refuses({ "shape", "hexagon" }, row.options { shape = "hexagon" })
      refuses({ "shape", "77" }, row.options { shape = 77 })
      refuses({ "shape" }, row.options { shape = "square\0x" })
    end)
  end)
end

for _, row in ipairs(engines.mapped) do
  describe("the map of " .. row.name, function()
    it("is named in tostring", function()
      local text = tostring(row.new { x = -31, y = -47, width = 231, height = 347 })
      assert.is_truthy(text:find("-31", 1, true), text)
      assert.is_truthy(text:find("-47", 1, true), text)
      assert.is_truthy(text:find("200", 1, true) or text:find("231", 1, true), text)
      assert.is_truthy(text:find("300", 1, true) or text:find("347", 1, true), text)
    end)

    it("starts at (0, 0) unless x and y say otherwise", function()
      local space = row.new()
      space:enter(1, 0, 0)
      assert.has_error(function() space:enter(2, -1, 0) end)
      local moved = row.new { x = -50, y = 1000 }
      moved:enter(1, -50, 1000)
      moved:enter(2, 50, 1100)
      assert.has_error(function() moved:enter(3, 0, 0) end)
      assert.equal(2, #moved)
    end)

    it("needs a width and a height", function()
      refuses({ "width" }, row.options { width = none })
      refuses({ "height" }, row.options { height = none })
    end)

    it("refuses a width or height that is no positive finite number", function()
      for _, name in ipairs { "width", "height" } do
        refuses({ name, "77", "number" }, row.options { [name] = "77" })
        refuses({ name, "true", "number" }, row.options { [name] = true })
        refuses({ name, "table", "number" }, row.options { [name] = {} })
        refuses({ name, "nan" }, row.options { [name] = nan })
        refuses({ name, "inf" }, row.options { [name] = inf })
        refuses({ name, "-inf" }, row.options { [name] = -inf })
        refuses({ name, "0" }, row.options { [name] = 0 })
        refuses({ name, "-300" }, row.options { [name] = -300 })
      end
    end)

    it("refuses an x or y that is no finite number", function()
      for _, name in ipairs { "x", "y" } do
        refuses({ name, "77", "number" }, row.options { [name] = "77" })
        refuses({ name, "true", "number" }, row.options { [name] = true })
        refuses({ name, "nan" }, row.options { [name] = nan })
        refuses({ name, "inf" }, row.options { [name] = inf })
        refuses({ name, "-inf" }, row.options { [name] = -inf })
      end
    end)

    it("takes clamp as a boolean only", function()
      refuses({ "clamp", "yes", "expected" }, row.options { clamp = "yes" })
      refuses({ "clamp", "1", "expected" }, row.options { clamp = 1 })
      local open = row.new { clamp = true }
      open:enter(1, 400, 5)
      assert.equal(1, #open)
      local closed = row.new { clamp = false }
      assert.has_error(function() closed:enter(1, 400, 5) end)
    end)
  end)
end

describe("the nine-grid", function()
  local function options(extra)
    local all = { engine = "grid", width = 300, height = 250, cols = 6, rows = 5 }
    for key, value in pairs(extra) do
      if value == none then
        all[key] = nil
      else
        all[key] = value
      end
    end
    return all
  end

  it("takes cell in place of cols and rows", function()
    local space = aoi.new(options { cols = none, rows = none, cell = 50 })
    space:enter(1, 10, 10)
    space:enter(2, 99, 99)
    space:enter(3, 100, 99)
    assert.is_true(space:sees(1, 2))
    assert.is_false(space:sees(1, 3))
    assert.is_true(space:sees(2, 3))
  end)

  it("refuses cell together with cols or rows", function()
    refuses({ "cell", "cols" }, options { cell = 50 })
    refuses({ "cell", "cols" }, options { cell = 50, rows = none })
    refuses({ "cell", "rows" }, options { cell = 50, cols = none })
    refuses({ "cell", "cols" }, options { cell = 50, radius = 50 })
  end)

  it("needs cell, or cols and rows, when there is no radius", function()
    refuses({ "cell" }, options { cols = none, rows = none })
    refuses({ "rows" }, options { rows = none })
    refuses({ "cols" }, options { cols = none })
  end)

  it("takes neither when there is a radius", function()
    local space = aoi.new(options { cols = none, rows = none, radius = 20 })
    space:enter(1, 10, 10)
    space:enter(2, 30, 30)
    space:enter(3, 31, 30)
    assert.is_true(space:sees(1, 2))
    assert.is_false(space:sees(1, 3))
  end)

  it("takes cols and rows with a radius", function()
    local space = aoi.new(options { radius = 120 })
    space:enter(1, 10, 10)
    space:enter(2, 130, 130)
    space:enter(3, 131, 130)
    assert.is_true(space:sees(1, 2))
    assert.is_false(space:sees(1, 3))
  end)

  it("refuses cols and rows that are no counts", function()
    for _, name in ipairs { "cols", "rows" } do
      refuses({ name, "0" }, options { [name] = 0 })
      refuses({ name, "-6" }, options { [name] = -6 })
      refuses({ name, "2.5" }, options { [name] = 2.5 })
      refuses({ name, "77" }, options { [name] = "77" })
      refuses({ name, "true" }, options { [name] = true })
      refuses({ name, "nan" }, options { [name] = nan })
      refuses({ name, "inf" }, options { [name] = inf })
    end
  end)

  it("takes cols and rows as floats with integer values", function()
    local space = aoi.new(options { cols = 6.0, rows = 5.0 })
    space:enter(1, 49, 10)
    space:enter(2, 99, 10)
    space:enter(3, 100, 10)
    assert.is_true(space:sees(1, 2))
    assert.is_false(space:sees(1, 3))
  end)

  it("refuses a cell that is no positive finite number", function()
    local function with(cell)
      return options { cols = none, rows = none, cell = cell }
    end
    refuses({ "cell", "0" }, with(0))
    refuses({ "cell", "-50" }, with(-50))
    refuses({ "cell", "nan" }, with(nan))
    refuses({ "cell", "inf" }, with(inf))
    refuses({ "cell", "77", "number" }, with("77"))
    refuses({ "cell", "true", "number" }, with(true))
  end)

  it("has two dimensions only", function()
    refuses({ "dims", "3" }, options { dims = 3 })
  end)

  it("takes no radius per entity", function()
    local space = aoi.new(options {})
    local ok, message = pcall(space.enter, space, 1, 10, 10, { radius = 20 })
    assert.is_false(ok)
    assert.is_truthy(message:find("radius", 1, true), message)
    assert.equal(0, #space)
    space:enter(1, 10, 10)
    ok, message = pcall(space.set_radius, space, 1, 20)
    assert.is_false(ok)
    assert.is_truthy(message:find("set_radius", 1, true), message)
  end)
end)

describe("absurd sizes", function()
  it("are a clear error and no allocation", function()
    local start = os.clock()
    local sizes = { width = 100, height = 100, engine = "grid" }
    local function with(extra)
      for key, value in pairs(sizes) do
        extra[key] = extra[key] or value
      end
      return extra
    end
    refuses({ "cols", "1000000000", "rows" }, with { cols = 1000000000, rows = 1000000000 })
    refuses({ "cols", "4294967296", "rows" }, with { cols = 4294967296, rows = 4294967296 })
    refuses({ "cols", "rows" }, with { cols = math.maxinteger, rows = math.maxinteger })
    refuses({ "cols" }, with { cols = math.maxinteger, rows = 1 })
    refuses({ "rows" }, with { cols = 1, rows = math.maxinteger })
    refuses({ "cols" }, with { cols = 1e300, rows = 1 })
    refuses({ "cell", "1e-300" }, with { cell = 1e-300 })
    refuses({ "cell" }, with { cell = 1, width = 1e9, height = 1e9 })
    refuses({ "cell" }, with { cell = 1, width = 1e9, height = 1e9, radius = 50 })
    refuses({ "cell" }, with { cell = 1e-9, width = 1e308, height = 1e308 })
    assert.is_true(os.clock() - start < 1)
  end)

  it("say nothing against a huge map of few cells", function()
    local space = aoi.new { engine = "grid", width = 1e300, height = 1e300, cols = 3, rows = 3 }
    space:enter(1, 0, 0)
    space:enter(2, 1e300, 1e300)
    space:enter(3, 5e299, 5e299)
    assert.is_false(space:sees(1, 2))
    assert.is_true(space:sees(1, 3))
    assert.is_true(space:sees(3, 2))
  end)

  it("are no matter for a grid whose cells follow a tiny or infinite radius", function()
    for _, radius in ipairs { 0, 1e-300, 1e-9, inf } do
      local space = aoi.new { engine = "grid", width = 3200, height = 3200, radius = radius }
      space:enter(1, 0, 0)
      space:enter(2, 3200, 3200)
      space:enter(3, 3200, 3200)
      assert.equal(radius == inf, space:sees(1, 2))
      assert.is_true(space:sees(2, 3))
    end
  end)
end)

describe("crosslist", function()
  it("refuses the options of the grid and names them", function()
    local foreign = { width = 377, height = 377, cell = 377, cols = 377, rows = 377, x = 377,
      y = 377 }
    for name, value in pairs(foreign) do
      refuses({ name, "377" }, { engine = "crosslist", radius = 10, [name] = value })
    end
    refuses({ "clamp", "true" }, { engine = "crosslist", radius = 10, clamp = true })
  end)

  it("needs a radius per enter when it has no default", function()
    local space = aoi.new { engine = "crosslist" }
    local ok, message = pcall(space.enter, space, 1, 10, 10)
    assert.is_false(ok)
    assert.is_truthy(message:find("enter", 1, true), message)
    assert.is_truthy(message:find("radius", 1, true), message)
    assert.equal(0, #space)
    space:enter(1, 10, 10, { radius = 5 })
    space:enter(2, 15, 15, { radius = 4 })
    assert.is_true(space:sees(1, 2))
    assert.is_false(space:sees(2, 1))
  end)
end)

describe("new", function()
  it("needs options", function()
    refuses({ "new" })
    refuses({ "new", "nil" }, nil)
    refuses({ "new", "grid" }, "grid")
    refuses({ "new", "true" }, true)
  end)

  it("makes a grid where no engine is named", function()
    assert.equal("aoi.space (grid, 0 entities, map (0, 0) to (300, 250))",
      tostring(aoi.new { width = 300, height = 250, cols = 6, rows = 5 }))
    assert.equal("aoi.space (grid, 0 entities, no map)", tostring(aoi.new { radius = 10 }))
  end)

  it("refuses what is no engine", function()
    refuses({ "engine", "77" }, { engine = 77, radius = 10 })
    refuses({ "engine", "true" }, { engine = true, radius = 10 })
  end)

  it("points at the line that called it", function()
    local _, message = pcall(function()
      return (aoi.new { engine = "hexagons" })
    end)
    assert.is_truthy(message:find("construct_spec%.lua:%d+: "), message)
  end)
end)

describe("the classic call", function()
  it("makes a nine-grid", function()
    local space = aoi.new(300, 250, 6, 5, function() end)
    local text = tostring(space)
    assert.is_truthy(text:find("grid", 1, true), text)
    assert.is_truthy(text:find("300", 1, true), text)
    assert.is_truthy(text:find("250", 1, true), text)
    space:enter(1, 49, 49)
    space:enter(2, 99, 99)
    space:enter(3, 100, 99)
    assert.is_true(space:sees(1, 2))
    assert.is_false(space:sees(1, 3))
  end)

  it("calls back with the space, the watcher, the marker and the op", function()
    local calls = {}
    local space
    space = aoi.new(300, 250, 6, 5, function(...)
      local self, watcher, marker, op = ...
      calls[#calls + 1] = { select("#", ...), rawequal(self, space), watcher, marker, op }
    end)
    space:enter(1, 10, 10)
    space:enter(2, 20, 20, { mode = "m" })
    space:move(2, 30, 30)
    space:leave(2)
    assert.same({
      { 4, true, 1, 2, "enter" },
      { 4, true, 1, 2, "move" },
      { 4, true, 1, 2, "leave" },
    }, calls)
  end)

  it("passes the space to an on_event that is set through on as well", function()
    local calls = {}
    local space = aoi.new(300, 250, 6, 5, function() calls[#calls + 1] = "old" end)
    space:on {
      on_event = function(...)
        local self, watcher, marker, op = ...
        calls[#calls + 1] = { select("#", ...), rawequal(self, space), watcher, marker, op }
      end,
      on_enter = function(...)
        calls[#calls + 1] = { ... }
      end,
    }
    space:enter(1, 10, 10)
    space:enter(2, 20, 20, { mode = "m" })
    assert.same({ { 4, true, 1, 2, "enter" }, { 1, 2 } }, calls)
  end)

  it("is not what a table of options gives", function()
    local args
    local space = aoi.new {
      engine = "grid", width = 300, height = 250, cols = 6, rows = 5,
      on_event = function(...) args = table.pack(...) end,
    }
    space:enter(1, 10, 10)
    space:enter(2, 20, 20, { mode = "m" })
    assert.same({ n = 3, 1, 2, "enter" }, args)
  end)

  it("refuses what is missing or wrong, by name", function()
    local function f() end
    refuses({ "new", "height" }, 300)
    refuses({ "new", "cols" }, 300, 250)
    refuses({ "new", "rows" }, 300, 250, 6)
    refuses({ "new", "width", "nan" }, nan, 250, 6, 5, f)
    refuses({ "new", "width", "-300" }, -300, 250, 6, 5, f)
    refuses({ "new", "height", "inf" }, 300, inf, 6, 5, f)
    refuses({ "new", "height", "77", "number" }, 300, "77", 6, 5, f)
    refuses({ "new", "cols", "0" }, 300, 250, 0, 5, f)
    refuses({ "new", "cols", "2.5" }, 300, 250, 2.5, 5, f)
    refuses({ "new", "rows", "77" }, 300, 250, 6, "77", f)
    refuses({ "new", "77", "function" }, 300, 250, 6, 5, 77)
    refuses({ "new", "table", "function" }, 300, 250, 6, 5, {})
    refuses({ "cols", "1000000000", "rows" }, 300, 250, 1000000000, 1000000000, f)
  end)
end)
