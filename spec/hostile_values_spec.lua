-- Values at the ends of what numbers and tables can be: nothing crashes, nothing loops, what is
-- refused changes nothing, and where the contract defines a result it is the model's.
--
-- SEED=n replays one sequence of calls, SEQUENCES=n says how many there are.

require "spec.support.model_queries"
require "spec.support.query_calls"
local aoi = require "aoi"
local differential = require "spec.support.differential"
local compare = require "spec.support.compare"
local engines = require "spec.support.engines"
local Random = require "spec.support.random"
local seeds = require "spec.support.seeds"

local INFINITY = math.huge
local LARGEST = 1.7976931348623157e308 -- the largest double
local SMALLEST = 2.0 ^ -1074 -- the smallest above 0
local SMALLEST_NORMAL = 2.0 ^ -1022
local WHOLE = 2.0 ^ 53 -- from here on not every whole number is a double

-- ---- sequences of calls with hostile numbers --------------------------------------------------

-- Coordinates: families whose members are close to each other as far as doubles go.
local FAMILIES = {
  whole = {
    WHOLE - 1, WHOLE, WHOLE + 2, 2 ^ 53 | 0, (2 ^ 53 | 0) + 1, -WHOLE, -WHOLE + 1, -WHOLE - 2,
    math.maxinteger, math.mininteger, 2.0 ^ 63, 0,
  },
  tiny = {
    0.0, -0.0, 0, SMALLEST, -SMALLEST, 3 * SMALLEST, SMALLEST_NORMAL, -SMALLEST_NORMAL,
    SMALLEST_NORMAL - SMALLEST, 1e-300, -1e-300,
  },
  -- Squares of these are next to 0, subnormal or 0.
  underflow = { 0.0, 1e-162, -1e-162, 1.5e-162, 2.2e-162, 1e-161, 1e-160, 5e-155, -1e-155 },
  -- Squares of these are next to the largest double, or beyond.
  overflow = { 0.0, 1e154, -1e154, 1.34e154, 1.35e154, -1.4e154, 9.4e153, 9.5e153, 1e160, -1e160 },
  -- Differences of these overflow.
  huge = { 1e308, -1e308, LARGEST, -LARGEST, 9e307, -9e307, 5e307, -5e307, 0.0 },
  ordinary = { 0, 10, 10.0, -10, 20, 5.5, 50, 0.1, 0.2, 0.1 + 0.2, 0.3, 100, -100 },
}
local FAMILY_NAMES = { "whole", "tiny", "underflow", "overflow", "huge", "ordinary" }

local RADII = {
  0, 0.0, -0.0, SMALLEST, SMALLEST_NORMAL, 1e-162, 1.5e-162, 1e-161, 1e-155, 1, 10, 10.0, WHOLE,
  WHOLE - 1, 1e154, 1.34e154, 1.35e154, 1e160, 9e307, 1e308, LARGEST, INFINITY, math.maxinteger,
}
local CELLS = { SMALLEST, SMALLEST_NORMAL, 1e-162, 1, 10, WHOLE, 1e154, LARGEST }
local SLACKS = {
  0, 0, 0, -0.0, SMALLEST, 1e-300, 1e-162, 1, 5.5, WHOLE, 1e154, 9e307, 1e308, LARGEST,
  math.maxinteger,
}
local LAYERS = { 0, 1, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, -1, 3.0, 4294967295.0 }
local IDS = {
  math.mininteger, math.maxinteger, math.mininteger + 1, 0, -0.0, -1, 2 ^ 53, (2 ^ 53 | 0) + 1,
  -(2.0 ^ 63), 7.0, 1 << 32,
}
-- Refused wherever they stand.
local WRONG_NUMBERS = { 0 / 0, INFINITY, -INFINITY, "5", true }
local WRONG_IDS = { 1.5, 2.0 ^ 63, 1e300, 0 / 0, INFINITY, "7" }

local MAPS = {
  { x = -100, y = -100, width = 200, height = 200 },
  { x = -8e307, y = -8e307, width = 1.6e308, height = 1.6e308 },
  { x = 0, y = -1e-300, width = 1e-300, height = 2e-300 },
  { x = 2.0 ^ 53, y = -2.0 ^ 53, width = 64, height = 64 },
}

-- Spaces to run in; options(random, map) gives those of the space.
local SPACES = {
  {
    name = "crosslist",
    options = function(random)
      return {
        engine = "crosslist", radius = random:pick(RADII), slack = random:pick(SLACKS),
        dims = random:pick { 2, 3 }, shape = random:pick { "square", "circle" },
      }
    end,
  },
  {
    name = "grid without a map",
    options = function(random)
      return {
        radius = random:pick(RADII), slack = random:pick(SLACKS), cell = random:pick(CELLS),
        dims = random:pick { 2, 3 }, shape = random:pick { "square", "circle" },
      }
    end,
  },
  {
    name = "grid with a radius",
    options = function(random, map)
      return {
        engine = "grid", radius = random:pick(RADII), slack = random:pick(SLACKS),
        dims = random:pick { 2, 3 }, shape = random:pick { "square", "circle" },
        cols = random:integer(1, 9), rows = 5,
        x = map.x, y = map.y, width = map.width, height = map.height, clamp = random:chance(0.8),
      }
    end,
  },
  {
    name = "classic nine-grid",
    options = function(random, map)
      return {
        engine = "grid", cols = random:integer(1, 9), rows = 5,
        x = map.x, y = map.y, width = map.width, height = map.height, clamp = random:chance(0.8),
      }
    end,
  },
  {
    name = "quadtree",
    options = function(random, map)
      return {
        engine = "quadtree", radius = random:pick(RADII), slack = random:pick(SLACKS),
        dims = random:pick { 2, 3 }, shape = random:pick { "square", "circle" },
        capacity = random:integer(1, 3), max_depth = random:pick { 3, 32 },
        x = map.x, y = map.y, width = map.width, height = map.height, clamp = random:chance(0.8),
      }
    end,
  },
}

local function generate(space, seed)
  local random = Random.new(seed)
  local options = space.options(random, random:pick(MAPS))
  options.deferred = random:chance(0.3)
  local families = { random:pick(FAMILY_NAMES), random:pick(FAMILY_NAMES) }

  local function coordinate()
    if random:chance(0.01) then
      return random:pick(WRONG_NUMBERS)
    end
    local value = random:pick(FAMILIES[random:pick(families)])
    return random:chance(0.1) and -value or value
  end
  local function place(...)
    local arguments = { ... }
    for _ = 1, options.dims or 2 do
      arguments[#arguments + 1] = coordinate()
    end
    return arguments
  end
  local function id()
    return random:pick(random:chance(0.02) and WRONG_IDS or IDS)
  end
  local function with_traits(arguments)
    local traits = {}
    if random:chance(0.5) and options.radius then
      traits.radius = random:pick(RADII)
    end
    if random:chance(0.3) then
      traits.layers = random:pick(LAYERS)
    end
    if random:chance(0.3) then
      traits.sees_layers = random:pick(LAYERS)
    end
    if next(traits) then
      arguments[#arguments + 1] = traits
    end
    return arguments
  end
  local function radius()
    return random:pick(RADII)
  end
  local function followed_by(arguments, ...)
    return table.move({ ... }, 1, select("#", ...), #arguments + 1, arguments)
  end

  local kinds = {
    { weight = 8, method = "update", make = function() return with_traits(place(id())) end },
    { weight = 3, method = "enter", make = function() return with_traits(place(id())) end },
    { weight = 6, method = "move", make = function() return place(id()) end },
    { weight = 1, method = "leave", make = function() return { id() } end },
    { weight = 2, method = "set_radius", make = function() return { id(), radius() } end },
    { weight = 1, method = "set_layers", make = function() return { id(), random:pick(LAYERS) } end },
    { weight = 1, method = "set_sees_layers", make = function() return { id(), random:pick(LAYERS) } end },
    { weight = options.deferred and 4 or 0.3, method = "tick", make = function() return {} end },
    { weight = 1, method = "move_all", make = function()
      return { followed_by(place(id()), table.unpack(place(id()))), 2, "skip" }
    end },
    { weight = 2, method = "query_rect", make = function()
      return followed_by(place(), table.unpack(place()))
    end },
    { weight = 2, method = "query_circle", make = function()
      return followed_by(place(), radius())
    end },
    { weight = 2, method = "query_nearest", make = function()
      return followed_by(place(), random:pick { 0, 1, 3, 3.0, 1 << 32, math.maxinteger },
        random:chance(0.5) and radius() or nil)
    end },
    { weight = 2, method = "query_sector", make = function()
      return { coordinate(), coordinate(), radius(),
        random:pick { 0, -0.0, 1e-300, 1, 1e22, -1e300 }, random:pick { 0, SMALLEST, 1, 3, 1e300 } }
    end },
    { weight = 2, method = "query_segment", make = function()
      return { coordinate(), coordinate(), coordinate(), coordinate(), radius() }
    end },
  }

  local sequence = { seed = seed, engine = { name = space.name }, options = options, calls = {} }
  for i = 1, 60 do
    local kind = random:pick_weighted(kinds)
    local arguments = kind.make()
    arguments.method, arguments.n = kind.method, #arguments
    sequence.calls[i] = arguments
  end
  sequence.listener = compare.listeners[seed % #compare.listeners + 1]
  return sequence
end

-- Where a square or product overflows, the formula of a segment is no number, and what it finds
-- is not defined: only some markers, none twice.
local compare_segment = compare.questions.query_segment
local function overflows(values)
  for i = 1, values.n or #values do
    if math.type(values[i]) and math.abs(values[i] + 0.0) > 1e150 then
      return true
    end
  end
  return false
end

local function compare_hostile_segment(call, answer, expected)
  local found = {}
  for i = 1, answer[2] do
    local id = answer[1][i]
    if math.type(id) ~= "integer" or found[id] then
      compare.differ("query_segment found %s", tostring(id))
    end
    found[id] = true
  end
  if not overflows(call) and not call.among_huge then
    compare_segment(call, answer, expected)
  end
end

describe("Hostile numbers: a space does what the model does,", function()
  setup(function() compare.questions.query_segment = compare_hostile_segment end)
  teardown(function() compare.questions.query_segment = compare_segment end)

  for _, space in ipairs(SPACES) do
    for _, group in ipairs(seeds.groups(300)) do
      it(("on the %s, seeds %d to %d"):format(space.name, group.first, group.last), function()
        for seed = group.first, group.last do
          local sequence = generate(space, seed)
          local is_huge = false
          for _, call in ipairs(sequence.calls) do
            is_huge = is_huge or call.method ~= "set_radius" and overflows(call)
            call.among_huge = is_huge
          end
          differential.run(sequence)
        end
      end)
    end
  end
end)

-- ---- ids --------------------------------------------------------------------------------------

for _, engine in ipairs(engines.all) do
  describe("ids at the ends of the integers in " .. engine.name, function()
    it("are heard and listed as integers", function()
      local heard = {}
      local space = engine.new { on_event = function(watcher, marker)
        heard[#heard + 1] = math.type(watcher) .. " " .. math.type(marker)
      end }
      space:enter(-(2.0 ^ 63), 50, 50)
      space:enter(2.0 ^ 53, 51, 50)
      space:enter(math.maxinteger, 52, 50)
      space:enter(-0.0, 52, 51)
      assert.equal(12, #heard)
      for _, types in ipairs(heard) do
        assert.equal("integer integer", types)
      end
      local ids, n = space:ids()
      table.sort(ids)
      assert.equal(4, n)
      assert.same({ math.mininteger, 0, 1 << 53, math.maxinteger }, ids)
      assert.equal("integer", math.type(ids[2]))
      assert.is_true(space:sees(math.mininteger, math.maxinteger))
    end)

    it("do not wrap around or round", function()
      local space = engine.new()
      for _, id in ipairs { 2.0 ^ 63, 2.0 ^ 64, 1e300, 0.5, SMALLEST, INFINITY, -INFINITY, 0 / 0 } do
        assert.is_false((pcall(space.enter, space, id, 50, 50)))
      end
      assert.equal(0, #space)
      space:enter((1 << 53) + 1, 50, 50)
      assert.is_false(space:has(1 << 53))
      assert.is_false(space:has(2.0 ^ 53))
    end)

    it("may be a hundred thousand that look alike in their low or high bits #crowd", function()
      for _, shift in ipairs { 0, 20, 32, 44 } do
        local space = engine.new()
        local rows, n = {}, 25000
        for i = 1, n do
          rows[3 * i - 2], rows[3 * i - 1], rows[3 * i] = i << shift, i % 97, i % 89
        end
        local start = os.clock()
        space:enter_all(rows, n)
        for i = 1, n do
          assert(space:has(i << shift))
        end
        assert.is_true(os.clock() - start < 20)
        space:close()
      end
    end)
  end)
end

-- ---- counts -----------------------------------------------------------------------------------

for _, engine in ipairs(engines.all) do
  describe("counts at the limits of 32 bits in " .. engine.name, function()
    local COUNTS = {
      20000000, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, math.maxinteger, -1,
      math.mininteger, 2.0 ^ 31, 2.0 ^ 63, 1e300, 1.5, 0 / 0, INFINITY,
    }
    local space

    before_each(function()
      space = engine.new()
      space:enter(1, 50, 50)
      space:enter(2, 52, 52)
    end)

    -- Each must be refused at once, and must not take memory for what can't be there.
    for _, method in ipairs { "enter_all", "move_all", "leave_all", "positions" } do
      it("are refused by " .. method .. " as n", function()
        local bytes, start = space:stats().bytes, os.clock()
        for _, n in ipairs(COUNTS) do
          local before = collectgarbage "count"
          local ok, message = pcall(space[method], space, { 1, 50, 50 }, n)
          assert.is_false(ok)
          assert.is_truthy(message:find(method, 1, true), message)
          assert.is_true(collectgarbage "count" - before < 1000)
        end
        assert.equal(bytes, space:stats().bytes)
        assert.is_true(os.clock() - start < 5)
        assert.equal(2, #space)
      end)
    end

    it("are no harm to query_nearest as k", function()
      for _, k in ipairs { (1 << 31) - 1, 1 << 32, math.maxinteger, 2.0 ^ 62 } do
        local _, n = space:query_nearest(50, 50, k)
        assert.equal(2, n)
      end
      for _, k in ipairs { -1, math.mininteger, 2.0 ^ 63, 1.5, 0 / 0 } do
        assert.is_false((pcall(space.query_nearest, space, 50, 50, k)))
      end
    end)
  end)
end

-- Only the test build has a limit that can be reached.
if require "aoi.core"._BUILD == "test" then
  local MOST = 5000

  for _, engine in ipairs(engines.all) do
    it("more entities than a space can have: a memory error, and nothing changed, " .. engine.name,
      function()
        local space = engine.new { on_error = error }
        local rows = {}
        for i = 1, MOST - 1 do
          rows[3 * i - 2], rows[3 * i - 1], rows[3 * i] = i, i % 100, i * 7 % 100
        end
        space:enter_all(rows)
        -- Two are too many, one is not.
        local ok, message = pcall(space.enter_all, space, { -1, 5, 5, -2, 5, 5 })
        assert.is_false(ok)
        assert.equal("not enough memory", message)
        assert.equal(MOST - 1, #space)
        assert.is_false(space:has(-1))
        space:enter(-1, 5, 5)
        for _, method in ipairs { "enter", "update" } do
          ok, message = pcall(space[method], space, -2, 5, 5)
          assert.is_false(ok)
          assert.equal("not enough memory", message)
        end
        assert.equal(MOST, #space)
        space:move(1, 50, 50)
        space:leave(1)
        space:enter(-2, 5, 5)
        assert.is_true(space:has(-2))
        assert.equal(MOST, #space)
      end)
  end
end

it("cells beyond what a map may have are refused, whatever the product does", function()
  for _, cells in ipairs {
    { cols = 1 << 31, rows = 1 << 31 }, { cols = 1 << 32, rows = 1 }, { cols = 1, rows = 1 << 32 },
    { cols = (1 << 32) + 1, rows = 1 }, { cols = math.maxinteger, rows = math.maxinteger },
    { cols = 1 << 62, rows = 4 }, { cols = -1, rows = -1 }, { cell = 1e-300 }, { cell = SMALLEST },
    { cell = 1e-5 },
  } do
    local options = { engine = "grid", width = 100, height = 100 }
    for name, value in pairs(cells) do
      options[name] = value
    end
    assert.is_false((pcall(aoi.new, options)))
    options.radius = 5
    assert.is_false((pcall(aoi.new, options)))
  end
end)

-- ---- tables -----------------------------------------------------------------------------------

local METAMETHODS = { "__index", "__newindex", "__len", "__pairs", "__ipairs", "__eq", "__call" }

-- The table with a metatable whose every metamethod is an error.
local function trapped(t)
  local metatable = {}
  for _, name in ipairs(METAMETHODS) do
    metatable[name] = function() error("trapped by " .. name) end
  end
  return setmetatable(t, metatable)
end

-- The table that would have these fields too, if it were not read raw.
local function with_phantoms(t, phantoms)
  return setmetatable(t, {
    __index = phantoms,
    __len = function() return 1000 end,
    __pairs = function() return pairs(phantoms) end,
  })
end

for _, engine in ipairs(engines.all) do
  describe("tables with metamethods are read and written raw in " .. engine.name, function()
    local space

    before_each(function()
      space = engine.new()
      space:enter(1, 50, 50)
      space:enter(2, 52, 52)
    end)

    it("options of aoi.new", function()
      local made = aoi.new(trapped(engine.options()))
      assert.equal(0, #made)
      made = aoi.new(with_phantoms(engine.options(), { dims = 7, unknown = true, radius = -1 }))
      assert.equal(0, #made)
      local ok, message = pcall(aoi.new, with_phantoms({}, engine.options()))
      assert.is_false(ok)
      assert.is_truthy(message:find("option radius is missing", 1, true), message)
    end)

    it("a list of collect", function()
      local options = engine.options()
      options.collect = trapped { "enter" }
      local made = aoi.new(options)
      made:enter(1, 50, 50)
      made:enter(2, 51, 50)
      local events, n = made:drain(trapped {})
      assert.equal(2, n)
      assert.equal("enter", rawget(events, 3))
      options.collect = with_phantoms({ "entr" }, { "enter" })
      assert.is_false((pcall(aoi.new, options)))
    end)

    it("handlers of on", function()
      local heard = 0
      space:on(trapped { on_enter = function() heard = heard + 1 end })
      space:enter(3, 51, 51)
      assert.equal(4, heard)
      space:on(with_phantoms({}, { on_enter = function() error "a phantom" end }))
      space:enter(4, 51, 51)
      assert.equal(4, heard)
    end)

    it("opts of enter and update", function()
      space:enter(3, 50, 50, trapped { mode = "m" })
      assert.is_false(space:sees(3, 1))
      space:enter(4, 50, 50, with_phantoms({}, { mode = "m", layers = "none" }))
      assert.is_true(space:sees(4, 1))
      space:update(4, 50, 50, trapped { layers = 0 })
      assert.is_false(space:sees(1, 4))
    end)

    it("rows of batches", function()
      space:enter_all(trapped { 3, 50, 50, 4, 51, 51 })
      space:enter_all(trapped { 5, 50, 50 }, 1, trapped { mode = "w" })
      space:move_all(trapped { 3, 60, 60 })
      assert.equal(60.0, (space:position(3)))
      assert.is_false((pcall(space.enter_all, space, with_phantoms({ 6, 50 }, { 6, 50, 50 }))))
      assert.is_false((pcall(space.enter_all, space, with_phantoms({}, { 6, 50, 50 }), 1)))
      space:enter_all(with_phantoms({}, { 6, 50, 50 }))
      assert.is_false(space:has(6))
      space:leave_all(trapped { 3, 4, 5 })
      assert.equal(2, #space)
    end)

    it("tables to fill, also with entries of their own", function()
      local calls = {
        { "ids" }, { "markers_of", 1 }, { "watchers_of", 1 }, { "query_rect", 0, 0, 100, 100 },
        { "query_circle", 50, 50, 20 }, { "query_sector", 50, 50, 20, 0, 7 },
        { "query_segment", 40, 40, 60, 60, 9 }, { "query_nearest", 50, 50, 9 },
      }
      for _, call in ipairs(calls) do
        local method, n = call[1], #call
        local arguments = table.move(call, 2, n, 1, {})
        local _, count = space[method](space, table.unpack(arguments))
        assert.is_true(count > 0)
        arguments[n] = trapped { true, false, "x", "y", "z", [-1] = 7 }
        local t, filled = space[method](space, table.unpack(arguments, 1, n))
        assert.is_true(rawequal(t, arguments[n]))
        assert.equal(count, filled)
        assert.equal("integer", math.type(rawget(t, count)))
        assert.is_nil(rawget(t, count + 1))
        assert.equal(7, rawget(t, -1))
      end
    end)

    it("ids and results of positions", function()
      local t, n = space:positions(trapped { 1, 2 }, 2, trapped { 9, 9, 9, 9, 9, 9 })
      assert.equal(2, n)
      assert.equal(52.0, rawget(t, 4))
      assert.is_nil(rawget(t, 5))
      assert.is_false((pcall(space.positions, space, with_phantoms({}, { 1, 2 }), 2)))
    end)

    it("one table as rows, as result and again", function()
      local t = { 1, 50, 50, 2, 52, 52 }
      space:move_all(t)
      space:ids(t)
      space:leave_all(t, 2)
      assert.equal(0, #space)
    end)
  end)

  describe("tables that change while they are read, in " .. engine.name, function()
    -- Runs the function while a debug hook changes the table at every instruction.
    local function while_changing(t, change, run)
      debug.sethook(function() change(t) end, "crl", 1)
      local results = table.pack(pcall(run))
      debug.sethook()
      return table.unpack(results, 1, results.n)
    end

    it("options of aoi.new: a space or an error, never less", function()
      for seed = 1, 100 do
        local random = Random.new(seed)
        local base = engine.options { on_event = function() end, collect = { "enter" } }
        local names = { "unknown", "dims" }
        for name in pairs(base) do
          names[#names + 1] = name
        end
        table.sort(names)
        local ok, result = while_changing(engine.options(), function(t)
          local name = random:pick(names)
          t[name] = random:pick { base[name], base[name], 5, "x" }
        end, function()
          -- The table must not lie in a register of its own: aoi.new gets the one that changes.
          local space = aoi.new(base)
          return space
        end)
        assert.is_true(ok or type(result) == "string")
      end
    end)

    it("options, rows and handlers that become others in the middle: all or nothing", function()
      local space = engine.new()
      local opts = { mode = "wm" }
      local rows = { 1, 50, 50, 2, 51, 51 }
      local model = { entered = 0 }
      for i = 1, 200 do
        local random = Random.new(i)
        local ok = while_changing(rows, function()
          opts.mode = random:pick { "w", "m", "wm", "x", nil }
          opts.layers = random:pick { 1, 2, "x", nil }
          rows[random:integer(1, 6)] = random:pick { 1, 2, 3, 50, "x" }
          rows[7] = random:pick { nil, 3 }
        end, function()
          space:enter_all(rows, nil, opts)
        end)
        local count = #space
        assert.is_true(count == 0 or count == 2, tostring(count))
        assert.equal(ok, count == 2)
        model.entered = model.entered + count
        space:clear()
        for k, value in ipairs { 1, 50, 50, 2, 51, 51 } do
          rows[k] = value
        end
        rows[7], opts.mode, opts.layers = nil, nil, nil
      end
      assert.is_true(model.entered > 0)
    end)
  end)

  describe("a debug hook and finalizers that use the space in every call, in " .. engine.name,
    function()
      -- The good arguments of all methods, for two entities 1 and 2.
      local CALLS = {
        { "enter", 3, 50, 50, { mode = "m" } }, { "move", 1, 51, 51 }, { "update", 2, 53, 52 },
        { "leave", 1 }, { "set_mode", 2, "m" }, { "set_layers", 2, 2 }, { "set_sees_layers", 1, 0 },
        { "set_radius", 1, 5 }, { "enter_all", { 4, 50, 50, 5, 51, 51 } }, { "move_all", { 1, 49, 49 } },
        { "move_all", ("<i8ff"):pack(1, 49, 49), "f" }, { "update_all", ("<i8dd"):pack(6, 50, 50) },
        { "leave_all", { 1, 2 } }, { "has", 1 }, { "position", 1 }, { "radius", 1 },
        { "sees", 1, 2 }, { "ids" }, { "markers_of", 1 }, { "watchers_of", 1 },
        { "positions", { 1, 2 }, 2 }, { "positions", ("<i8"):pack(1), 1, "packed" }, { "ids", "packed" },
        { "query_rect", 0, 0, 99, 99 }, { "query_circle", 50, 50, 9 },
        { "query_sector", 50, 50, 9, 0, 1 }, { "query_segment", 40, 40, 60, 60, 4 },
        { "query_nearest", 50, 50, 3 }, { "stats" }, { "pending" }, { "flush" }, { "drain" },
        { "drain", {} }, { "drain", "packed" }, { "on", { on_view = function() end } }, { "clear" },
        { "close" },
        { "enter", 1, 50, 50 }, { "move", 77, 1, 1 }, { "enter", 9, 0 / 0, 1 },
      }
      if engine.map then
        CALLS[#CALLS + 1] = { "set_bounds", 0, 0, 150, 100 }
      end

      -- Calls one while `disturb(other)` has arranged that another call comes in between. Each may
      -- raise, as the other may have closed the space; in the end the space is sound or closed.
      local function disturbed(call, disturb, handlers)
        for _, other in ipairs(CALLS) do
          local options = { collect = true }
          for _, name in ipairs(handlers) do
            options[name] = function() local garbage = {} return garbage end
          end
          local space = engine.new(options)
          space:enter(1, 50, 50)
          space:enter(2, 52, 52)
          local again = disturb(function()
            pcall(space[other[1]], space, table.unpack(other, 2))
          end)
          pcall(space[call[1]], space, table.unpack(call, 2))
          again()
          local ok, ids, n = pcall(space.ids, space)
          if ok then
            assert(n == #space and #ids == n)
            assert(space:pending() == 0)
            space:close()
          end
        end
      end

      local HANDLERS = { {}, { "on_event", "on_enter" }, { "on_watchers", "on_view", "on_error" } }

      for _, handlers in ipairs(HANDLERS) do
        local named = #handlers == 0 and "no handlers" or table.concat(handlers, ", ")
        it("a hook at every instruction, " .. named, function()
          for _, call in ipairs(CALLS) do
            disturbed(call, function(run)
              local left = 20 -- handlers have instructions too: it would never end
              debug.sethook(function()
                left = left - 1
                if left > 0 then
                  run()
                end
              end, "crl", 1)
              return debug.sethook
            end, handlers)
          end
        end)

        -- The collector is set to work at the next chance, which is inside the call where the call
        -- makes a table or a message, or runs a handler.
        it("a chain of finalizers that begins in the call, " .. named, function()
          local has_generations = _VERSION ~= "Lua 5.3"
          if has_generations then
            collectgarbage "generational"
          end
          local finalized = 0
          for _, call in ipairs(CALLS) do
            disturbed(call, function(run)
              local left = 5
              local function leave_garbage()
                setmetatable({}, { __gc = function()
                  left = left - 1
                  if left > 0 then
                    finalized = finalized + 1
                    run()
                    leave_garbage()
                  end
                end })
              end
              collectgarbage "stop"
              leave_garbage()
              collectgarbage "restart"
              return function() left = 0 end
            end, handlers)
          end
          if has_generations then
            collectgarbage "incremental"
            assert.is_true(finalized > 200, finalized .. " only")
          end
        end)
      end
    end)
end
