-- Every bad input of the contract: what the message says, and that nothing has changed.
local aoi = require "aoi"
local engines = require "spec.support.engines"
local record = require "spec.support.record"

local nan = 0 / 0
local inf = math.huge

-- How the message names a value, one of several ways: nil may be "no value", a table its type.
local function value_words(value)
  if value == nil then
    return { "nil", "no value", "missing" }
  elseif value ~= value then
    return { "nan" }
  elseif type(value) == "number" then
    return { tostring(value), ("%.14g"):format(value) }
  elseif type(value) == "string" then
    return { value }
  elseif type(value) == "boolean" then
    return { tostring(value), "boolean" }
  end
  return { type(value) }
end

-- Whether the message has the word as a word: an x inside "expected" is not the argument x.
local function has_word(message, word)
  local pattern = word:lower():gsub("%W", "%%%0")
  if word:find("^%w") then
    pattern = "%f[%w_]" .. pattern
  end
  if word:find("%w$") then
    pattern = pattern .. "%f[^%w_]"
  end
  return message:lower():find(pattern) ~= nil
end

-- Each wanted item is a word, or a list of words of which one must occur.
local function says(message, wanted)
  assert.equal("string", type(message))
  for _, item in ipairs(wanted) do
    local words = type(item) == "table" and item or { item }
    local found = false
    for _, word in ipairs(words) do
      found = found or has_word(message, word)
    end
    assert.is_true(found, ("%s is missing in: %s"):format(table.concat(words, " or "), message))
  end
end

-- All that can be seen of a space from outside, as a list of texts.
local function snapshot(space)
  local list = { tostring(space), "count " .. #space, "pending " .. space:pending() }
  local ids, n = space:ids()
  table.sort(ids)
  for i = 1, n do
    local id = ids[i]
    local x, y = space:position(id)
    list[#list + 1] = ("%d at %g %g radius %s sees %s seen by %s"):format(id, x, y,
      tostring((space:radius(id))), record.ids(space:markers_of(id)),
      record.ids(space:watchers_of(id)))
  end
  return list
end

-- Rows of { method, arguments, wanted words }; arguments carry their count in n.
local rows = {}

local function row(method, arguments, wanted)
  table.insert(wanted, 1, method)
  arguments.n = arguments.n or #arguments
  rows[#rows + 1] = { method = method, arguments = arguments, wanted = wanted }
end

-- The row with its argument at `place` replaced by each bad value in turn.
local function rows_for(method, good, place, name, bad_values, expected)
  for i = 1, bad_values.n or #bad_values do
    local bad = bad_values[i]
    local arguments = { n = math.max(#good, place) }
    for k = 1, #good do
      arguments[k] = good[k]
    end
    arguments[place] = bad
    row(method, arguments, { name, value_words(bad), "expected", expected })
  end
end

-- Entities 1 and 2 are in the space, close to each other; 7 is not.
local no_integers = { n = 10, nil, "1777", 1.5, nan, inf, -inf, 2.0 ^ 63, true, {}, print }
local no_numbers = { n = 9, nil, "1777", nan, inf, -inf, true, {}, print, io.stdout }

for method, good in pairs {
  enter = { 7, 5, 5 }, move = { 1, 5, 5 }, update = { 1, 5, 5 }, leave = { 1 },
  set_mode = { 1, "w" }, set_layers = { 1, 2 }, set_sees_layers = { 1, 2 },
  has = { 1 }, position = { 1 }, anchor = { 1 }, radius = { 1 }, markers_of = { 1 }, watchers_of = { 1 },
  hand_out = { 1 },
} do
  rows_for(method, good, 1, "id", no_integers, { "integer" })
end
rows_for("sees", { 1, 2 }, 1, { "watcher", "a", "id" }, no_integers, { "integer" })
rows_for("sees", { 1, 2 }, 2, { "marker", "b", "id" }, no_integers, { "integer" })

for method, good in pairs {
  enter = { 7, 5, 5 }, move = { 1, 5, 5 }, update = { 1, 5, 5 },
} do
  rows_for(method, good, 2, "x", no_numbers, { "number" })
  rows_for(method, good, 3, "y", no_numbers, { "number" })
end
rows_for("update", { 7, 5, 5 }, 2, "x", { nan, "1777" }, { "number" })

-- Both coordinates are looked at, and the id too, whichever else is wrong.
row("move", { 7, 5, 5 }, { "7", "not in" })
row("leave", { 7 }, { "7", "not in" })
row("leave", { math.mininteger }, { tostring(math.mininteger), "not in" })
row("set_mode", { 7, "w" }, { "7", "not in" })
row("set_layers", { 7, 1 }, { "7", "not in" })
row("set_sees_layers", { 7, 1 }, { "7", "not in" })
row("enter", { 1, 5, 5 }, { "1", "already" })
row("enter", { 1.0, 5, 5 }, { "1", "already" })

-- Two dimensions have no z.
row("move", { 1, 5, 5, 6 }, { { "z", "two dimensions", "dims" }, "6" })
row("enter", { 7, 5, 5, 6 }, { { "z", "opts" }, "6" })
row("update", { 1, 5, 5, 6 }, { { "z", "opts" }, "6" })
row("update", { 7, 5, 5, 6 }, { { "z", "opts" }, "6" })
row("enter", { 7, 5, 5, 6, { mode = "w" } }, { { "z", "opts" }, "6" })

-- Options of enter and update.
for method, id in pairs { enter = 7, update = 1 } do
  for _, bad in ipairs { "fast", true, print } do
    row(method, { id, 5, 5, bad }, { "opts", value_words(bad), "table" })
  end
  row(method, { id, 5, 5, { colour = "red" } }, { "colour" })
  row(method, { id, 5, 5, { mode = "w", radios = 5 } }, { "radios" })
  row(method, { id, 5, 5, { [77] = 1 } }, { "77" })
  row(method, { id, 5, 5, { [print] = 1 } }, { { "function", "option" } })
  row(method, { id, 5, 5, { ["layers\0x"] = 5 } }, { "layers" })
  row(method, { id, 5, 5, { mode = "w\0x" } }, { "mode", '"wm"' })
  for _, bad in ipairs { "mw", "", "W", "watcher" } do
    row(method, { id, 5, 5, { mode = bad } }, { "mode", bad, '"wm"' })
  end
  for _, bad in ipairs { 1777, true, print } do
    row(method, { id, 5, 5, { mode = bad } }, { "mode", value_words(bad), '"wm"' })
  end
  for _, name in ipairs { "layers", "sees_layers" } do
    for _, bad in ipairs { -2, 1 << 32, math.maxinteger, math.mininteger, 1.5, nan, inf, "1777",
      true, print } do
      row(method, { id, 5, 5, { [name] = bad } }, { name, value_words(bad), "expected" })
    end
  end
end

for _, bad in ipairs { "mw", "", "wm ", "m\0", 1777, true, print } do
  row("set_mode", { 1, bad }, { "mode", type(bad) ~= "string" and value_words(bad) or "expected",
    '"wm"' })
end
row("set_mode", { 1 }, { "mode", value_words(nil) })
for method, name in pairs { set_layers = "layers", set_sees_layers = "sees_layers" } do
  rows_for(method, { 1, 1 }, 2, { name, "bits" }, { n = 11, nil, -2, 1 << 32, math.maxinteger,
    math.mininteger, 1.5, nan, inf, "1777", true, print }, { "0", "integer" })
end

-- Anchors, and what is handed over; these spaces are neither deferred nor have they slack.
for method, id in pairs { enter = 7, update = 1 } do
  for _, bad in ipairs {
    1777, "5", true, print, {}, { 5 }, { 5, 5, 5 }, { 5, nan }, { inf, 5 }, { "5", 5 },
  } do
    row(method, { id, 5, 5, { anchor = bad } }, { "anchor", value_words(bad), "{ x, y }, finite numbers" })
  end
  row(method, { id, 5, 6, { anchor = { 4, 7 } } }, { "anchor", "(4, 7)", "(5, 6)", "0 (the slack)" })
  row(method, { id, 5, 5, { anchor = { 5, 5 }, mode = "x" } }, { "mode" })
end
for _, bad in ipairs { 1777, true, print, {} } do
  row("hand_in", { bad }, { "entity", value_words(bad), "string from space:hand_out" })
end
row("hand_in", {}, { "entity", { "nil", "no value" } })
row("hand_in", { "", 1777 }, { "1777", "none" })
row("hand_in", { "entity" }, { "not deferred" })
row("hand_out", { 1 }, { "not deferred" })
row("hand_out", { 1, 1777 }, { "1777", "none" })
row("anchor", { 1, 1777 }, { "1777", "none" })
row("tick", {}, { "not deferred" })
row("tick", { 5 }, { "not deferred" })
row("tick", { 5, 1777 }, { "1777", "none" })

-- Tables to fill, lists to read.
for method, good in pairs { ids = {}, markers_of = { 1 }, watchers_of = { 1 } } do
  for _, bad in ipairs { 1777, "list", true, print, io.stdout } do
    local arguments = { good[1] }
    arguments[#good + 1] = bad
    row(method, arguments, { value_words(bad), "table" })
  end
end
row("positions", {}, { { "nil", "no value" }, "table" })
row("positions", { 1777, 1 }, { "1777", "table" })
row("positions", { { 1, 2 }, "1777" }, { "n", "1777" })
row("positions", { { 1, 2 }, 1.5 }, { "n", "1.5" })
row("positions", { { 1, 2 }, -1 }, { "n", "-1" })
row("positions", { { 1, "1777" }, 2 }, { "1777", "integer" })
row("positions", { { 1, 2.5 }, 2 }, { "2.5", "integer" })
row("positions", { { 1, 2 }, 3 }, { "3", { "nil", "integer" } })
row("positions", { { 1, 2 }, 2, 1777 }, { "1777", "table" })

-- Handlers.
for _, bad in ipairs { 1777, "f", true, print } do
  row("on", { bad }, { value_words(bad), "table" })
end
row("on", {}, { { "nil", "no value" }, "table" })
row("on", { { on_evnt = print } }, { "on_evnt" })
row("on", { { [77] = print } }, { "77" })
for _, name in ipairs { "on_event", "on_enter", "on_leave", "on_move", "on_error" } do
  row("on", { { [name] = 1777 } }, { name, "1777", "function" })
  row("on", { { [name] = "print" } }, { name, "print", "function" })
end
row("on", { { engine = "grid" } }, { "engine" })
row("on", { { ["on_enter\0x"] = print } }, { "on_enter" })

for _, bad in ipairs { 1777, "list", true, print } do
  row("drain", { bad }, { value_words(bad), "table" })
end

-- Rows that need a radius.
local radius_rows = {}
do
  local keep = rows
  rows = radius_rows
  rows_for("set_radius", { 1, 5 }, 1, "id", no_integers, { "integer" })
  rows_for("set_radius", { 1, 5 }, 2, { "radius", "r" }, { n = 8, nil, "1777", nan, -1, -inf,
    true, {}, print }, { "number" })
  row("set_radius", { 7, 5 }, { "7", "not in" })
  for method, id in pairs { enter = 7, update = 1 } do
    for _, bad in ipairs { "1777", nan, -1, -1e-300, -inf, true, {}, print } do
      row(method, { id, 5, 5, { radius = bad } }, { "radius", value_words(bad), "number" })
    end
  end
  rows = keep
end

-- Rows that need a map, here from (0, 0) to (100, 100).
local map_rows = {}
do
  local keep = rows
  rows = map_rows
  for method, id in pairs { enter = 7, move = 1, update = 1 } do
    for _, at in ipairs { { 400, 5 }, { -1, 5 }, { 5, 400 }, { 5, -1 }, { 1e300, -1e300 } } do
      row(method, { id, at[1], at[2] }, { "outside", value_words(at[1]), value_words(at[2]),
        "map", "(0, 0)", "(100, 100)" })
    end
  end
  row("update", { 7, 400, 5 }, { "outside", "400", "5", "map" })
  row("move", { 7, 5, 5 }, { "7", "not in" })
  rows = keep
end

local function title(entry)
  local parts = {}
  for i = 1, entry.arguments.n do
    local value = entry.arguments[i]
    if type(value) == "table" then
      local key, inner = next(value)
      parts[i] = "{" .. tostring(key) .. " = " .. tostring(inner) .. ", ...}"
    elseif type(value) == "string" then
      parts[i] = ("%q"):format(value)
    elseif type(value) == "number" or type(value) == "boolean" or value == nil then
      parts[i] = tostring(value)
    else
      parts[i] = type(value)
    end
  end
  return ("%s(%s)"):format(entry.method, table.concat(parts, ", "))
end

for _, engine in ipairs(engines.all) do
  describe("bad input to " .. engine.name, function()
    local space, log

    before_each(function()
      space, log = record.space(engine)
      space:enter(1, 50, 50)
      space:enter(2, 52, 52, { mode = "m", layers = 4, sees_layers = 2 })
      space:enter(3, 90, 90)
      record.forget(log)
    end)

    local function check(entry)
      it(title(entry), function()
        local before = snapshot(space)
        local method = space[entry.method]
        assert.is_truthy(method, "no such method")
        local ok, message = pcall(method, space,
          table.unpack(entry.arguments, 1, entry.arguments.n))
        assert.is_false(ok)
        says(message, entry.wanted)
        assert.same(before, snapshot(space))
        assert.equal("", record.told(log))
        -- The handlers are the old ones, and the space goes on.
        space:move(2, 51, 51)
        assert.equal("1: move 2", record.told(log))
      end)
    end

    for _, entry in ipairs(rows) do
      check(entry)
    end
    if engine.exact then
      for _, entry in ipairs(radius_rows) do
        check(entry)
      end
    end
    if engine.map then
      for _, entry in ipairs(map_rows) do
        check(entry)
      end
    end

    it("takes what looks odd and is allowed", function()
      space:set_layers(1, -1)
      space:set_layers(1, 0)
      space:set_layers(1, (1 << 32) - 1)
      space:set_layers(1, 3.0)
      space:set_sees_layers(1, -1)
      space:set_sees_layers(1, 0)
      space:set_sees_layers(1, -1.0)
      space:enter(7, 50, 50, {})
      space:enter(8, 50, 50, nil)
      space:enter(9, -0.0, 1e-300)
      space:update(9, 0, 0, { layers = -1, sees_layers = -1, mode = "wm" })
      assert.equal(6, #space)
    end)

    it("points at the line that called", function()
      local _, message = pcall(function()
        space:move(7, 5, 5)
      end)
      assert.is_truthy(message:find("errors_spec%.lua:%d+: move: "), message)
    end)
  end)
end

for _, engine in ipairs(engines.exact) do
  it("an infinite radius is no bad input to " .. engine.name, function()
    local space = engine.new()
    space:enter(1, 50, 50, { radius = inf })
    space:enter(2, 0, 100, { radius = 0 })
    space:set_radius(2, inf)
    assert.is_true(space:sees(1, 2))
    assert.is_true(space:sees(2, 1))
  end)
end

-- Good arguments for every method: an error can then only come from the space itself.
local good_arguments = {
  enter = { 7, 5, 5 }, move = { 1, 5, 5 }, update = { 1, 5, 5 }, leave = { 1 },
  set_radius = { 1, 5 }, set_mode = { 1, "w" }, set_layers = { 1, 1 }, set_sees_layers = { 1, 1 },
  has = { 1 }, position = { 1 }, radius = { 1 }, sees = { 1, 2 }, markers_of = { 1 },
  watchers_of = { 1 }, positions = { { 1 }, 1 }, on = { {} }, drain = { {} },
  add_area = { 7, { radius = 1, x = 0, y = 0 } }, set_area = { 7, {} }, move_area = { 7, 0, 0 },
  update_area = { 7, { radius = 1, x = 0, y = 0 } },
  remove_area = { 7 }, members_of = { 7 }, areas_of = { 7 }, in_area = { 7, 1 }, areas = {},
  enter_all = { {} }, move_all = { "" }, update_all = { "", "f" }, leave_all = { "" },
}

-- The names of all methods, from the metatable itself, so that a new one is judged too.
local function method_names(space)
  local names = {}
  for name in pairs(debug.getmetatable(space).__index) do
    names[#names + 1] = name
  end
  table.sort(names)
  assert.is_true(#names >= 23, "too few methods in the metatable")
  return names
end

for _, engine in ipairs(engines.all) do
  describe("after close, " .. engine.name, function()
    local space

    before_each(function()
      space = engine.new { on_event = function() end }
      space:enter(1, 50, 50)
      space:enter(2, 52, 52)
      space:close()
    end)

    it("refuses every method, by name", function()
      local seen = {}
      for _, name in ipairs(method_names(space)) do
        if name ~= "close" then
          local ok, message = pcall(space[name], space, table.unpack(good_arguments[name] or {}))
          assert.is_false(ok, name .. " worked on a closed space")
          says(message, { name, "closed" })
        end
        seen[name] = true
      end
      for name in pairs(good_arguments) do
        assert.is_true(seen[name], name .. " is no method")
      end
    end)

    it("refuses the length operator", function()
      local ok, message = pcall(function() return #space end)
      assert.is_false(ok)
      says(message, { "closed" })
    end)

    it("may be closed again and still says what it is", function()
      space:close()
      space:close()
      assert.equal("string", type(tostring(space)))
      assert.is_truthy(tostring(space):find("closed", 1, true))
    end)
  end)
end

describe("a wrong self", function()
  local space

  before_each(function()
    space = engines.all[1].new()
    space:enter(1, 50, 50)
  end)

  local function refuse(what, ...)
    for _, name in ipairs(method_names(space)) do
      local ok, message = pcall(space[name], ...)
      assert.is_false(ok, name .. " worked on " .. what)
      says(message, { name, "space", "expected" })
    end
    assert.equal(1, #space)
    assert.is_true(space:has(1))
  end

  it("that is a foreign userdata is refused by every method", function()
    refuse("a file", io.stdout)
    refuse("a file", io.stdout, 1, 5, 5)
  end)

  it("that is missing is refused by every method", function()
    refuse("nothing")
  end)

  it("that is a string, a table, a number or nil is refused by every method", function()
    refuse("a string", "space", 1, 5, 5)
    refuse("a table", {}, 1, 5, 5)
    refuse("a table with the metatable", setmetatable({}, debug.getmetatable(space)), 1, 5, 5)
    refuse("a number", 1, 5, 5)
    refuse("nil", nil, 1, 5, 5)
  end)

  it("is refused by every metamethod, but passed over by __gc, whose errors would come anywhere", function()
    local tried = 0
    for name, metamethod in pairs(debug.getmetatable(space)) do
      if name == "__gc" then
        metamethod(io.stdout)
        metamethod {}
      elseif type(metamethod) == "function" then
        for _, self in ipairs { io.stdout, "space", 1 } do
          local ok, message = pcall(metamethod, self)
          assert.is_false(ok, name .. " worked on a " .. type(self))
          assert.equal("string", type(message))
        end
        assert.is_false((pcall(metamethod)), name .. " worked without a self")
        tried = tried + 1
      end
    end
    assert.is_true(tried >= 3)
    assert.equal(1, #space)
  end)

  it("does not lie behind __gc called by hand", function()
    local collect = debug.getmetatable(space).__gc
    collect(space)
    collect(space)
    assert.is_false((pcall(space.has, space, 1)))
    space:close()
  end)
end)

describe("without collect", function()
  it("drain is an error or empty, never a crash", function()
    local space = aoi.new { engine = "crosslist", radius = 10, on_event = function() end }
    space:enter(1, 5, 5)
    space:enter(2, 5, 5)
    local t = {}
    local ok, result, n = pcall(space.drain, space, t)
    if ok then
      assert.equal(t, result)
      assert.equal(0, n)
      assert.is_nil(t[1])
    else
      says(result, { "drain", "collect" })
    end
  end)
end)

describe("an unknown id", function()
  for _, engine in ipairs(engines.all) do
    it("is no error for questions: " .. engine.name, function()
      local space = engine.new()
      space:enter(1, 50, 50)
      assert.is_false(space:has(7))
      assert.is_nil(space:position(7))
      assert.is_nil(space:radius(7))
      assert.is_false(space:sees(1, 7))
      assert.is_false(space:sees(7, 1))
      assert.is_false(space:sees(7, 7))
      assert.is_false(space:sees(7, 8))
    end)
  end
end)

describe("The C module without its Lua side", function()
  local core = require "aoi.core"
  local options = { engine = "crosslist", radius = 1 }

  local function refuses(wanted, f, ...)
    local ok, message = pcall(f, ...)
    assert.is_false(ok)
    assert.is_truthy(message:find(wanted, 1, true), message)
  end

  it("checks the arguments of new", function()
    refuses("new: options is 7, expected a table of options", core.new, 7)
    refuses("new: callback is 7, expected a function", core.new, options, 7)
  end)

  it("checks the arguments of load", function()
    local saved = core.new(options):save()
    refuses("load: the first argument is 7, expected a string from space:save()", core.load, 7)
    refuses("load: handlers is 7, expected a table of handlers", core.load, saved, 7)
    refuses("load: option on_all = 7 is unknown", core.load, saved, { on_all = 7 })
    refuses("load: option on_event is 7, expected a function", core.load, saved, { on_event = 7 })
  end)
end)

-- The message of a call that fails, without the place.
local function message_of(f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  return (message:gsub("^[^:]+:%d+: ", ""))
end

describe("the message about", function()
  local handlers = "on_event, on_enter, on_leave, on_move, on_watchers, on_markers, on_view, on_area "
    .. "or on_error"
  local crowd = "limit, limit_layers, keep_factor, enter_budget, rates, move_budget"
  local traits = "radius, mode, layers, sees_layers, limit, importance, visible_radius or anchor"
  local flat = aoi.new { engine = "quadtree", width = 100, height = 100, radius = 10 }
  local deep = aoi.new { engine = "crosslist", radius = 10, dims = 3 }

  local function about_option(options)
    return message_of(function() return (aoi.new(options)) end)
  end

  for engine, known in pairs {
    grid = "engine, x, y, width, height, cols, rows, cell, radius, shape, dims, clamp, deferred, slack, " ..
      crowd .. ", collect, record",
    crosslist = "engine, radius, shape, dims, deferred, slack, " .. crowd .. ", collect, record",
    quadtree = "engine, x, y, width, height, radius, shape, dims, clamp, capacity, max_depth, " ..
      "deferred, slack, " .. crowd .. ", collect, record",
  } do
    it("an unknown option lists those of the engine " .. engine, function()
      assert.equal(("new: option weather = 5 is unknown, expected an option of the %s engine: %s, %s"):format(
        engine, known, handlers), about_option { engine = engine, weather = 5 })
    end)
  end

  it("an unknown option lists all where no engine is known", function()
    assert.equal("new: option weather = 5 is unknown, expected engine, x, y, width, height, cols, rows, " ..
      "cell, radius, shape, dims, clamp, capacity, max_depth, deferred, slack, " .. crowd ..
      ", collect, record, " .. handlers,
      about_option { weather = 5 })
  end)

  local meant = {
    raduis = "radius", radios = "radius", Radius = "radius", radiu = "radius", maxdepth = "max_depth",
    shap = "shape", deffered = "deferred", colect = "collect", on_evnt = "on_event", onview = "on_view",
    enigne = "engine", ["radius\0"] = "radius",
  }
  for wrong, right in pairs(meant) do
    it(("%q asks whether %s was meant"):format(wrong, right), function()
      local message = about_option { engine = "quadtree", [wrong] = 5 }
      assert.is_truthy(message:find((" = 5 is unknown (did you mean %s?), expected "):format(right), 1, true),
        message)
    end)
  end

  it("names that are like none asks nothing", function()
    for _, name in ipairs { "z", "w", "weather", "radiation", "on", "", 1, ("radius"):rep(100) } do
      local message = about_option { engine = "quadtree", [name] = 5 }
      assert.is_nil(message:find("did you mean", 1, true), message)
    end
  end)

  it("an unknown trait or handler does so, too", function()
    assert.equal("enter: option raduis = 5 is unknown (did you mean radius?), expected " .. traits,
      message_of(flat.enter, flat, 1, 5, 5, { raduis = 5 }))
    assert.equal("on: option on_evnt = 5 is unknown (did you mean on_event?), expected " .. handlers,
      message_of(flat.on, flat, { on_evnt = 5 }))
    local message = message_of(aoi.load, flat:save(), { on_moved = print })
    assert.is_truthy(message:find("(did you mean on_move?)", 1, true), message)
    assert.equal("load: option colect = 5 is unknown (did you mean collect?), expected "
      .. handlers:gsub(" or on_error", ", on_error, collect or record"),
      message_of(aoi.load, flat:save(), { colect = 5 }))
  end)

  -- A wrapper with a z for spaces of three dimensions gives nil for it in others.
  it("something behind a nil says so", function()
    local big = { radius = 50 }
    for _, method in ipairs { "enter", "update" } do
      assert.equal(method .. ": the argument after opts is a table, expected none",
        message_of(flat[method], flat, 1, 5, 5, nil, big))
    end
    assert.equal("move: the argument after the position is a table, expected none",
      message_of(flat.move, flat, 1, 5, 5, nil, big))
    assert.equal("enter_all: the argument after opts is a table, expected none",
      message_of(flat.enter_all, flat, { 1, 5, 5 }, nil, nil, big))
    assert.equal("leave_all: the argument after n is a table, expected none",
      message_of(flat.leave_all, flat, { 1 }, nil, nil, big))
    assert.is_false(flat:has(1))
    flat:enter(1, 5, 5, nil, nil)
    flat:move(1, 5, 5, nil, nil, nil)
    flat:leave(1)
  end)

  it("rows of tables says what is wanted instead", function()
    local wanted = "%s[1] is a table, expected a flat list %s, ..., not rows of tables"
    for _, n in ipairs { 0, 1, false } do
      local number = n or nil
      assert.equal("enter_all: " .. wanted:format("t", "id, x, y, id, x, y"),
        message_of(flat.enter_all, flat, { { 1, 3, 3 } }, number))
      assert.equal("move_all: " .. wanted:format("t", "id, x, y, id, x, y"),
        message_of(flat.move_all, flat, { { 1, 3, 3 }, { 2, 3, 3 }, { 3, 3, 3 } }, number))
      assert.equal("leave_all: " .. wanted:format("ids", "id, id"),
        message_of(flat.leave_all, flat, { { 1 } }, number))
      assert.equal("enter_all: " .. wanted:format("t", "id, x, y, z, id, x, y, z"),
        message_of(deep.enter_all, deep, { { 1, 3, 3, 3 } }, number))
    end
  end)

  it("a radius in the place of a z says where it goes", function()
    for method in pairs { enter = true, update = true } do
      assert.equal(method .. ": z is 50, expected none: the space has two dimensions (a radius goes into " ..
        "opts: { radius = 50 })", message_of(flat[method], flat, 1, 3, 3, 50))
      assert.equal(method .. ": opts is 50, expected a table with " .. traits .. " (a radius: " ..
        "{ radius = 50 })", message_of(deep[method], deep, 1, 3, 3, 3, 50))
    end
    assert.equal("move: z is 50, expected none: the space has two dimensions",
      message_of(flat.move, flat, 1, 3, 3, 50))
  end)
end)
