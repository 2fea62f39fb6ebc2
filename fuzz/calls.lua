-- The script that fuzz_lua.c runs for every input: makes calls of its bytes, with arguments of any type.
local aoi, input = ...
local byte, refuse = input.byte, input.refuse

local METHODS = {
  "enter", "move", "leave", "update", "set_radius", "set_mode", "set_layers", "set_sees_layers", "enter_all",
  "move_all", "leave_all", "has", "position", "radius", "ids", "positions", "sees", "markers_of",
  "watchers_of", "query_rect", "query_circle", "query_sector", "query_segment", "query_nearest", "drain",
  "on", "flush", "pending", "set_bounds", "stats", "tick", "save", "clear", "close",
}
-- Calls that stand for half of those above in a crowd space.
local IN_CROWDS = {
  set_layers = "set_limit", set_sees_layers = "set_importance", has = "pin", position = "unpin",
  radius = "touch",
  sees = "explain", markers_of = "told_markers_of", watchers_of = "told_watchers_of",
}
-- Calls that stand for some of those above where there is no crowd.
local OF_AREAS = {
  enter = "add_area", update = "set_area", set_mode = "set_area", leave = "remove_area",
  set_bounds = "move_area", markers_of = "members_of", watchers_of = "areas_of", has = "in_area",
  ids = "areas",
}
-- Calls that stand for some of those above in any space.
local AT_TIMES = {
  flush = "recorded", radius = "recorded", sees = "recorded", pending = "record", has = "record",
  stats = "replay", position = "replay", ids = "record_span", set_radius = "set_visible_radius",
  set_mode = "set_sight", watchers_of = "sights",
}
local HANDLERS = { "on_event", "on_enter", "on_leave", "on_move", "on_watchers", "on_markers", "on_view" }
local MOST_CALLS, DEEPEST = 400, 6

local RAISED = {} -- what handlers raise
local spaces, coroutines, tables = {}, {}, { {}, {}, {}, {} }
local saved, recorded = {}, {} -- strings, some of them damaged
local crowds = setmetatable({}, { __mode = "k" }) -- the spaces and saved strings that are
local in_crowd = false -- the call that is made next
local calls, depth = 0, 0

local function nothing()
end

-- Of tables that must be read and written raw.
local function trap()
  input.fail("a metamethod of an argument was called")
end
local TRAPS = { __index = trap, __newindex = trap, __len = trap, __pairs = trap }

-- A number from 1 to n.
local function choose(n)
  return byte() % n + 1
end

local function one_in(n)
  return byte() % n == 1
end

-- ---- arguments ----

local odd = {
  function() return nil end,
  function() return "5" end,
  function() return "wm\0" end,
  function() return 0 / 0 end,
  function() return 1 / 0 end,
  function() return -1 / 0 end,
  function() return -0.0 end,
  function() return 2 ^ 53 end,
  function() return 1e308 end,
  function() return 5e-324 end,
  function() return 3.5 end,
  function() return math.mininteger end,
  function() return math.maxinteger end,
  function() return true end,
  function() return {} end,
  function() return nothing end,
  function() return coroutine.create(nothing) end,
  function() return io.stdout end,
  function() return spaces[choose(3)] end,
  function() return tables[choose(#tables)] end,
  function() return setmetatable({}, TRAPS) end,
}

local function odd_value()
  return odd[choose(#odd)]()
end

local function number()
  if one_in(16) then
    return odd_value()
  end
  return byte() % 101
end

local function id()
  return one_in(24) and odd_value() or choose(30)
end

local function mode()
  return ({ "w", "m", "wm", "x", 1 })[choose(5)]
end

local function bits()
  return one_in(16) and odd_value() or byte() % 6 - 1
end

-- Neither nil nor NaN, which no table takes.
local function any_key()
  local key = odd_value()
  return key == key and key or 1
end

local function limit()
  return one_in(16) and odd_value() or one_in(8) and math.huge or byte() % 5
end

local function traits()
  local t = {}
  if one_in(2) then t.radius = number() end
  if one_in(3) then t.mode = mode() end
  if one_in(4) then t.layers = bits() end
  if one_in(4) then t.sees_layers = bits() end
  if one_in(32) then t[any_key()] = odd_value() end
  if in_crowd and one_in(2) then t.limit = limit() end
  if in_crowd and one_in(2) then t.importance = byte() + (one_in(16) and 1 or 0) end
  return t
end

local form -- "f" after rows of floats, which goes behind the other arguments

-- Packs rows to a string, which sometimes ends too early; a table that no string can hold stays one.
local function packed(t, width, style)
  local floats = style >= 192 and width > 1
  local format, parts = "<i8" .. (floats and "f" or "d"):rep(width - 1), {}
  for first = 1, #t, width do
    local ok, row = pcall(string.pack, format, table.unpack(t, first, first + width - 1))
    if not ok then
      return t
    end
    parts[#parts + 1] = row
  end
  form = floats and "f" or nil
  return table.concat(parts):sub(1, style % 64 < 8 and -2 or -1)
end

-- Which form they have is in bits of the byte that do not count for the number of rows: that way inputs
-- from before there were strings keep their meaning, but for this.
local function rows(width)
  local t, style = {}, byte()
  for _ = 1, style % 8 do
    t[#t + 1] = id()
    for _ = 2, width do
      t[#t + 1] = number()
    end
  end
  return style >= 128 and packed(t, width, style) or t
end

local handlers -- below

local function maybe(make)
  if one_in(2) then
    return make()
  end
end

local function place(first, last)
  if one_in(3) then
    return { first, number(), number(), number(), last }
  end
  return { first, number(), number(), last }
end

-- A place for answers: a table, or a string. See rows.
local function some_table()
  return maybe(function()
    local style = byte()
    return style >= 128 and "packed" or tables[style % #tables + 1]
  end)
end

-- Arguments of the right kind, most of them; the number of them stands in n.
local arguments = {
  enter = function() return place(id(), maybe(traits)) end,
  update = function() return place(id(), maybe(traits)) end,
  move = function() return place(id()) end,
  set_mode = function() return { id(), mode() } end,
  set_radius = function() return { id(), number() } end,
  set_visible_radius = function() return { id(), number() } end,
  set_sight = function() return { id(), id(), ({ true, false, nil })[choose(3)] } end,
  sights = function() return { id(), tables[choose(#tables)] } end,
  set_layers = function() return { id(), bits() } end,
  set_sees_layers = function() return { id(), bits() } end,
  enter_all = function() return { rows(choose(2) + 2), maybe(traits) } end,
  move_all = function()
    if one_in(3) then
      return { rows(3), byte() % 9, "skip" }
    end
    return { rows(choose(2) + 2), maybe(function() return "skip" end) }
  end,
  leave_all = function() return { rows(1), maybe(function() return byte() % 9 end) } end,
  positions = function() return { rows(1), byte() % 4, some_table() } end,
  on = function() return { handlers {} } end,
  set_bounds = function() return { -(byte() % 50), -(byte() % 50), 100 + byte(), 100 + byte() } end,
  ids = function() return { some_table() } end,
  drain = function() return { some_table() } end,
  markers_of = function() return { id(), some_table() } end,
  watchers_of = function() return { id(), some_table() } end,
  query_nearest = function() return { number(), number(), byte() % 9, some_table() } end,
  query_circle = function() return { number(), number(), number(), some_table(), bits() } end,
}

local function collect()
  return one_in(16) and odd_value() or ({ true, { "enter" }, { "leave", "move" }, {} })[choose(4)]
end

-- As src/base/checksum.h has it, of all bytes of a record behind its checksum.
local function sum_of_record(text)
  local sum = 0xCBF29CE484222325 ~ #text
  text = text .. ("\0"):rep(-#text % 8)
  for at = 1, #text, 8 do
    sum = (sum ~ string.unpack("<i8", text, at)) * 0x9E3779B97F4A7C15
    sum = sum ~ sum >> 32
  end
  return string.pack("<i8", sum)
end

-- One byte of a string of records is another, and the checksum of the first one is right again, most of
-- the time; or the string ends earlier.
local function damage_record(text)
  local at, style = (byte() << 8 | byte()) % #text + 1, byte()
  if style % 4 == 0 then
    return text:sub(1, at - 1)
  end
  text = text:sub(1, at - 1) .. string.char(byte()) .. text:sub(at + 1)
  if style % 4 == 1 or #text < 53 then
    return text
  end
  local length = math.max(53, string.unpack("<i8", text, 5))
  return text:sub(1, 12) .. sum_of_record(text:sub(21, length)) .. text:sub(21)
end

-- One string of records, or two that are joined.
local function any_record()
  local style = byte()
  local text = recorded[style % 4 + 1]
  if text == nil or style % 32 == 31 then
    return odd_value()
  end
  if style >= 192 then
    text = text .. (recorded[style // 4 % 4 + 1] or "")
  end
  return style >= 128 and style < 192 and #text > 0 and damage_record(text) or text
end

local function replay_options()
  local t = {}
  if one_in(2) then t.calls = number() end
  if one_in(4) then t.tick = number() end
  if one_in(2) then t.events = one_in(16) and odd_value() or tables[choose(#tables)] end
  if one_in(32) then t[any_key()] = odd_value() end
  return t
end

local SHAPES = { "circle", "square", "rect", "polygon" }

local function some_ring()
  local ring, corners = {}, choose(5) + 2
  for i = 1, corners do -- around a middle, so that most are polygons
    local turn, reach = 2 * math.pi * i / corners, 5 + byte() % 40
    ring[2 * i - 1], ring[2 * i] = 50 + reach * math.cos(turn), 50 + reach * math.sin(turn)
  end
  if one_in(8) then
    ring[choose(#ring)] = odd_value()
  end
  return ring
end

local function area_opts()
  local t, style = {}, byte()
  local shape = SHAPES[style % 4 + 1]
  t.shape = (shape ~= "circle" or one_in(2)) and shape or nil
  if shape == "polygon" then
    t.points = style >= 192 and { some_ring(), some_ring() } or some_ring()
  elseif shape == "rect" then
    t.width, t.height = number(), number()
  else
    t.radius = number()
    local more = one_in(2) and number()
    t.leave_radius = math.type(t.radius) and math.type(more) and t.radius + more or more or nil
  end
  if shape ~= "polygon" and style % 8 < 4 then
    t.owner, t.dx, t.dy = id(), maybe(number), maybe(number)
  elseif shape ~= "polygon" then
    t.x, t.y = number(), number()
    t.z = style % 16 < 8 and number() or nil
  end
  if one_in(4) then t.sees_layers = bits() end
  if one_in(16) then t[any_key()] = odd_value() end
  if one_in(16) then t = {} end
  return t
end

local function area()
  return one_in(24) and odd_value() or choose(6)
end

arguments.add_area = function() return { area(), area_opts() } end
arguments.set_area = arguments.add_area
arguments.move_area = function() return place(area()) end
arguments.remove_area = function() return { area() } end
arguments.members_of = function() return { area(), some_table() } end
arguments.areas_of = arguments.markers_of
arguments.in_area = function() return { area(), id() } end
arguments.areas = function() return { some_table() } end

arguments.record = function() return { one_in(16) and odd_value() or not one_in(4) } end
arguments.replay = function() return { any_record(), maybe(replay_options) } end
arguments.record_span = function() return { any_record() } end
arguments.update_all = arguments.enter_all
arguments.set_limit = function() return { id(), limit() } end
arguments.set_importance = function() return { id(), byte() } end
arguments.pin = function() return { id(), id() } end
arguments.unpin = arguments.pin
arguments.explain = arguments.pin
arguments.touch = function() return { id() } end
arguments.told_markers_of = arguments.markers_of
arguments.told_watchers_of = arguments.markers_of

local function any_arguments()
  local t, n = {}, byte() % 10
  for i = 1, n do
    t[i] = number()
  end
  return t, n
end

local function draw_arguments(method)
  if arguments[method] == nil or one_in(12) then
    return any_arguments()
  end
  form = nil
  local t = arguments[method]()
  local n = 0
  for i in pairs(t) do
    n = math.max(n, i)
  end
  if form ~= nil then
    n = n + 1
    t[n] = form
  end
  return t, n
end

-- As with rows, bits of the byte that do not count choose between two that are much alike.
local function draw_method()
  local count = one_in(12) and #METHODS or #METHODS - 2
  local style = byte()
  local method = METHODS[style % count + 1]
  if in_crowd and style >= 128 and IN_CROWDS[method] then
    return IN_CROWDS[method]
  end
  if not in_crowd and style >= 128 and style < 192 and OF_AREAS[method] then
    return OF_AREAS[method]
  end
  if style >= 192 and AT_TIMES[method] then
    return AT_TIMES[method]
  end
  return method == "enter_all" and style >= 128 and "update_all" or method
end

local function asks_for_a_string(t, n)
  for i = 1, n do
    if rawequal(t[i], "packed") then
      return true
    end
  end
  return false
end

-- ---- calls ----

-- An error's message begins with the method, unless a handler or Lua itself raised it.
local function check_message(method, message)
  if message == RAISED or message == nil then
    return
  end
  if type(message) ~= "string" then
    input.fail(method .. ": an error that is no string: " .. tostring(message))
  end
  local text = message:gsub("^[%w_./%-]+:%d+: ", "")
  local own = text:sub(1, #method + 1) == method .. ":"
  if not own and not text:find "not enough memory" and not text:find "stack overflow"
      and not text:find "attempt to yield" and not text:find "^error in error handling" then
    input.fail(method .. ": unexpected message: " .. message)
  end
  -- A pointer or a zero byte has no place in one.
  if own and (text:find "%z" or text:find "0x%x%x%x%x") then
    input.fail(method .. ": strange message: " .. message)
  end
end

local react, load_space

-- The functions of the module that are called like methods.
local functions = {
  replay = aoi.replay,
  record_span = function(_, ...)
    return aoi.record_span(...)
  end,
}

-- Checks that the records of a space are whole, whatever came in between.
local function keep_record(text)
  local _, complaint = aoi.record_span(text)
  if complaint ~= nil then
    input.fail("a record is not whole: " .. complaint)
  end
  local slot = choose(4)
  recorded[slot] = one_in(2) and recorded[slot] ~= nil and recorded[slot] .. text or text
end

-- Something whose finalizer uses a space: it may run in the middle of any call.
local function leave_garbage()
  for _ = 1, 3 do
    setmetatable({}, { __gc = function() pcall(react) end })
  end
end

local function call()
  if calls >= MOST_CALLS or depth >= DEEPEST then
    return
  end
  calls = calls + 1
  depth = depth + 1
  local space = spaces[choose(3)]
  in_crowd = crowds[space] or false
  local method = draw_method()
  local t, n = draw_arguments(method)
  local run = functions[method] or space[method]
  local ok, message = true, nil
  if run ~= nil then
    if one_in(6) then
      leave_garbage()
    end
    local self = one_in(48) and odd_value() or space
    if one_in(24) then
      refuse(choose(40), one_in(2))
    end
    ok, message = pcall(run, self, table.unpack(t, 1, n))
    refuse(0)
    if ok and method == "save" then
      saved[choose(4)] = message
      crowds[message] = crowds[space]
    end
    if ok and method == "recorded" then
      keep_record(message)
    end
    if ok and asks_for_a_string(t, n) and type(message) ~= "string" then
      input.fail(method .. ": asked for a string, gave " .. tostring(message))
    end
  end
  depth = depth - 1
  if not ok then
    check_message(method, message)
  end
end

local function start_coroutine(count)
  local thread = coroutine.create(function()
    for _ = 1, count do
      call()
    end
  end)
  coroutines[choose(8)] = thread
  coroutine.resume(thread)
end

local function suspended()
  local thread = coroutines[choose(8)]
  if thread ~= nil and coroutine.status(thread) == "suspended" then
    return thread
  end
end

-- Draws the acts of a handler, a finalizer or a hook.
function react(...)
  if calls >= MOST_CALLS or depth >= DEEPEST then
    return
  end
  local what = choose(20)
  if what <= 4 then
    call()
  elseif what == 5 then
    error(RAISED, 0)
  elseif what == 6 then
    collectgarbage("step", byte())
  elseif what == 7 and coroutine.isyieldable() then
    coroutine.yield()
    call()
  elseif what == 8 then
    start_coroutine(2)
  elseif what == 9 then
    local thread = suspended()
    if thread then coroutine.resume(thread) end
  elseif what == 10 then
    local thread = suspended()
    if thread then coroutine.close(thread) end
  elseif what == 11 then
    spaces[choose(3)]:close()
  elseif what == 12 then
    leave_garbage()
  elseif what == 13 then
    for i = 1, select("#", ...) do
      local argument = select(i, ...)
      if type(argument) == "table" then
        rawset(argument, choose(4), odd_value())
        setmetatable(argument, TRAPS)
      end
    end
  elseif what == 14 then
    load_space()
  end
end

-- ---- saving and loading ----

-- As aoi_save ends a string.
local function with_checksum(text)
  local sum = 0xCBF29CE484222325
  for i = 1, #text do
    sum = (sum ~ text:byte(i)) * 0x100000001B3
  end
  return text .. string.pack("<i8", sum)
end

-- Some bytes are others; the checksum is right again, most of the time.
local function damage(text)
  for _ = 1, choose(3) do
    local at = (byte() << 8 | byte()) % #text + 1
    text = text:sub(1, at - 1) .. string.char(byte()) .. text:sub(at + 1)
  end
  return one_in(4) and text or with_checksum(text:sub(1, -9))
end

local function any_text()
  local text = saved[choose(4)]
  if text == nil or one_in(32) then
    return odd_value()
  end
  return one_in(3) and #text < 2000 and damage(text) or text
end

-- A loaded space takes another's place.
load_space = function()
  local text, style = any_text(), byte()
  local options = style % 2 == 1 and handlers {} or nil
  if options and style >= 224 then
    options.collect = collect()
  end
  if options and style >= 208 then
    options.record = true
  end
  if one_in(16) then
    refuse(choose(40), one_in(2))
  end
  local ok, result = pcall(aoi.load, text, options, one_in(32) and odd_value() or nil)
  refuse(0)
  if not ok then
    check_message("load", result)
  elseif not one_in(4) then
    crowds[result] = crowds[text]
    spaces[choose(3)] = result
  end
end

function handlers(t)
  for _, name in ipairs(HANDLERS) do
    if one_in(4) then
      t[name] = one_in(32) and odd_value() or react
    end
  end
  if one_in(3) then
    t.on_error = react
  end
  t.on_area = t.on_leave
  return t
end

-- ---- spaces ----

local OPTIONS = {
  "engine", "x", "y", "width", "height", "cols", "rows", "cell", "radius", "shape", "dims", "clamp",
  "capacity", "max_depth", "collect", "deferred", "slack", "on_event", "record", "nonsense", 1,
}

local CROWD_OPTIONS = { "limit", "limit_layers", "keep_factor", "enter_budget", "rates", "move_budget",
  "deferred" }

local function rates()
  local near, often = byte() % 20, byte() % 3 + 1
  local rings = { { near, often }, { near + 5, often + 1 }, { math.huge, often + 2 } }
  if one_in(4) then
    rings[choose(3)][choose(2)] = odd_value()
  elseif one_in(4) then
    rings[choose(4)] = odd_value()
  end
  return rings
end

-- Makes it a crowd space; the rates may be bad.
local function add_crowd(options)
  local style = byte()
  options.deferred = true
  options.limit = style & 3 > 0 and style & 3 or nil
  options.limit_layers = style & 4 > 0 and 1 or nil
  options.keep_factor = style & 8 > 0 and 2 or nil
  options.enter_budget = style & 16 > 0 and 1 or nil
  options.move_budget = style & 32 > 0 and 2 or nil
  options.rates = (style & 64 > 0 or style & 51 == 0) and rates() or nil
  if one_in(16) then
    options[CROWD_OPTIONS[choose(#CROWD_OPTIONS)]] = odd_value()
  end
  local ok, message = pcall(aoi.new, options)
  if not ok then
    check_message("new", message)
    options.rates, options.limit, options.limit_layers, options.keep_factor = nil, 2, nil, nil
    options.enter_budget, options.move_budget, options.deferred = nil, nil, true
  end
end

local makers = {
  function() return { engine = "grid", width = 100, height = 100, cols = choose(9), rows = choose(9) } end,
  function() return { engine = "grid", width = 100, height = 100, radius = 15 } end,
  function() return { radius = 15, cell = choose(3) > 1 and choose(40) or nil, dims = choose(2) + 1 } end,
  function() return { engine = "crosslist", radius = 15, dims = choose(2) + 1 } end,
  function() return { engine = "quadtree", width = 100, height = 100, radius = 15, capacity = choose(3) } end,
  function() return { engine = "quadtree", width = 100, height = 100, radius = 20, shape = "circle" } end,
}

-- Every space is of a kind that aoi.new takes; before, it is asked for worse.
local function new_space()
  local which = byte()
  local options = handlers(makers[which % #makers + 1]())
  options.deferred = which & 32 ~= 0 or nil
  options.slack = which & 64 ~= 0 and options.radius and which % 7 or nil
  options.clamp = options.width and one_in(2) or nil
  local is_crowd = which >= 224
  if is_crowd then
    options.slack = which & 16 ~= 0 and options.slack or nil
    add_crowd(options)
  end
  local style = byte()
  if style % 2 == 1 then
    options.collect = ({ true, { "enter" }, { "leave", "move" }, {} })[choose(4)]
  end
  options.record = style >= 192 or nil
  if one_in(4) then
    local bad = {}
    for key, value in pairs(options) do
      bad[key] = value
    end
    bad[OPTIONS[choose(#OPTIONS)]] = odd_value()
    local arguments_of_new = one_in(4) and { number(), number(), number(), number(), odd_value() } or { bad }
    if one_in(4) then
      refuse(choose(30), one_in(2))
    end
    local ok, message = pcall(aoi.new, table.unpack(arguments_of_new, 1, 5))
    refuse(0)
    if not ok then
      check_message("new", message)
    end
  end
  if one_in(4) then
    return aoi.new(100, 100, choose(9), choose(9), react)
  end
  for _, name in ipairs(HANDLERS) do
    if type(options[name]) ~= "function" then
      options[name] = nil
    end
  end
  options.on_area = options.on_leave
  local space = aoi.new(options)
  crowds[space] = is_crowd or nil
  return space
end

-- ---- the run ----

collectgarbage("incremental", 50, 400, 1) -- a step at every chance
for i = 1, 3 do
  spaces[i] = new_space()
end
while input.left() > 0 and calls < MOST_CALLS do
  local what = choose(16)
  if what == 1 then
    spaces[choose(3)] = new_space()
  elseif what == 2 then
    collectgarbage(one_in(2) and "generational" or "incremental")
  elseif what == 3 then
    debug.sethook(function()
      debug.sethook()
      pcall(react)
    end, ({ "c", "r", "cr" })[choose(3)])
  elseif what == 4 then
    start_coroutine(3)
  elseif what == 5 then
    local thread = suspended()
    if thread then coroutine.resume(thread) end
  elseif what == 6 then
    local space = spaces[choose(3)]
    local ok, message = pcall(function() return #space end)
    if not ok then
      check_message("#", message)
    end
    assert(tostring(space):find "^aoi.space %(")
  elseif what == 7 then
    leave_garbage()
  elseif what == 8 then
    load_space()
  else
    call()
  end
end
debug.sethook()
