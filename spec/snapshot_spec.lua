-- space:save and aoi.load: the loaded space goes on as the saved one would have, whatever waits in it;
-- a string that is damaged or made up is an error.
--
-- SEED=n replays one of the random sequences, SEQUENCES=n runs more of them.

require "spec.support.model_queries"
local aoi = require "aoi"
local compare = require "spec.support.compare"
local engines = require "spec.support.engines"
local features = require "spec.support.engine_features"
local Random = require "spec.support.random"
local reloading = require "spec.support.reloading"
local seeds = require "spec.support.seeds"
local sequences = require "spec.support.sequences"
local slack_calls = require "spec.support.slack_calls"
local tick_calls = require "spec.support.tick_calls"

-- ---- against the model ------------------------------------------------------------------------

local more_kinds = {
  require "spec.support.batch_calls",
  require "spec.support.bounds_calls",
  require "spec.support.query_calls",
}

local tastes = {
  { name = "", taste = { call_kinds = sequences.with_kinds(table.unpack(more_kinds)) } },
  {
    name = "deferred, ",
    taste = {
      call_kinds = sequences.with_kinds(tick_calls.kinds, table.unpack(more_kinds)),
      prepare = tick_calls.prepare,
    },
  },
  {
    name = "with slack, ",
    needs_radius = true,
    taste = {
      call_kinds = sequences.with_kinds(slack_calls.kinds, table.unpack(more_kinds)),
      prepare = slack_calls.prepare,
    },
  },
  {
    name = "deferred and with slack, ",
    needs_radius = true,
    taste = {
      call_kinds = sequences.with_kinds(slack_calls.kinds, tick_calls.kinds, table.unpack(more_kinds)),
      prepare = function(self)
        slack_calls.prepare(self)
        tick_calls.prepare(self)
      end,
    },
  },
}

local function run_reloading(engine, seed, taste)
  local listeners = tick_calls.listeners
  local sequence = sequences.generate(engine, seed, 300, taste)
  sequence.listener = listeners[seed % #listeners + 1]
  local failure = compare.run(sequence, function(options)
    return reloading.new(options, seed, ({ 0.02, 0.2, 1 })[seed % 3 + 1])
  end)
  if failure then
    error(("seed %d, call %d: %s"):format(seed, failure.index, failure.text), 0)
  end
end

describe("A space that is saved and loaded all the time does what the model does,", function()
  for _, row in ipairs(tastes) do
    for _, engine in ipairs(features) do
      for _, group in ipairs(seeds.groups(6, 2)) do
        if engine.has_radius or not row.needs_radius then
          local name = ("%son the %s, seeds %d to %d"):format(row.name, engine.name, group.first, group.last)
          it(name, function()
            for seed = group.first, group.last do
              run_reloading(engine, seed, row.taste)
            end
          end)
        end
      end
    end
  end
end)

-- ---- saved while events wait ------------------------------------------------------------------

local function note(log, handler, watcher, marker, op)
  log[#log + 1] = ("%s: %d %s %d"):format(handler, watcher, op, marker)
end

local function note_list(log, handler, ids, n, line)
  for i = 1, n do
    local watcher, marker, op = line(ids[i])
    note(log, handler, watcher, marker, op)
  end
end

-- Handlers of these names that write down each pair they hear; `called` is called first by each.
local function recording(names, log, called)
  local all = {
    on_event = function(watcher, marker, op) note(log, "on_event", watcher, marker, op) end,
    on_enter = function(watcher, marker) note(log, "on_enter", watcher, marker, "enter") end,
    on_leave = function(watcher, marker) note(log, "on_leave", watcher, marker, "leave") end,
    on_move = function(watcher, marker) note(log, "on_move", watcher, marker, "move") end,
    on_watchers = function(marker, op, watchers, n)
      note_list(log, "on_watchers", watchers, n, function(id) return id, marker, op end)
    end,
    on_markers = function(watcher, op, markers, n)
      note_list(log, "on_markers", markers, n, function(id) return watcher, id, op end)
    end,
    on_view = function(watcher, left, nl, entered, ne, moved, nm)
      note_list(log, "on_view", left, nl, function(id) return watcher, id, "leave" end)
      note_list(log, "on_view", entered, ne, function(id) return watcher, id, "enter" end)
      note_list(log, "on_view", moved, nm, function(id) return watcher, id, "move" end)
    end,
  }
  local handlers = {}
  for _, name in ipairs(names) do
    handlers[name] = function(...)
      all[name](...)
      called()
    end
  end
  return handlers
end

local handler_sets = {
  { "on_event" }, { "on_enter", "on_leave", "on_move" }, { "on_enter" }, { "on_event", "on_move" },
  { "on_watchers" }, { "on_markers" }, { "on_watchers", "on_markers" }, { "on_view" },
  { "on_view", "on_watchers" }, { "on_view", "on_event" }, { "on_markers", "on_event" },
  { "on_view", "on_watchers", "on_markers", "on_event", "on_enter" },
}

local function nothing() end

-- A crowd that meets, moves and parts; handlers of these names write into the log, and handler call
-- number k makes one more change, saves and raises. Returns the space and what was saved; nil when
-- there are not so many calls.
local function interrupted(row, extra, names, log, k)
  local space, saved
  local calls, options = 0, row.options(extra)
  for name, handler in pairs(recording(names, log, function()
    calls = calls + 1
    if calls == k then
      space:update(9, 50, 52)
      saved = space:save()
      error("interrupted", 0)
    end
  end)) do
    options[name] = handler
  end
  space = aoi.new(options)
  local function tick()
    if options.deferred then
      space:tick()
    end
  end
  local ok, message = pcall(function()
    for id = 1, 4 do
      space:enter(id, 50 + id, 50)
    end
    tick()
    space:move_all { 1, 5, 5, 2, 6, 6, 3, 51, 51, 4, 50, 50 }
    space:leave(3)
    tick()
  end)
  assert(ok or message == "interrupted", message)
  return saved and space, saved
end

-- Delivers what waits in the space; returns what the log then has.
local function flushed(space, log)
  for i = #log, 1, -1 do
    log[i] = nil
  end
  space:flush()
  assert.equal(0, space:pending())
  space:close()
  table.sort(log)
  return table.concat(log, ", ")
end

-- Interrupts handler call number k and compares what follows; false when there are not so many.
local function compare_rest(row, extra, names, k)
  local original_log, log, later_log = {}, {}, {}
  local space, saved = interrupted(row, extra, names, original_log, k)
  if not space then
    return false
  end
  assert.equal(saved, space:save())
  local waiting = aoi.load(saved)
  assert.equal(saved, waiting:save())
  assert.equal(space:pending(), waiting:pending())
  waiting:flush()
  waiting:update(9, 50, 53)
  assert.equal(space:pending(), waiting:pending(), "nobody listens yet")
  local expected = flushed(space, original_log)
  assert.equal(expected, flushed(aoi.load(saved, recording(names, log, nothing)), log))
  waiting:on(recording(names, later_log, nothing))
  assert.equal(expected, flushed(waiting, later_log))
  return true
end

describe("What waits when a space is saved", function()
  for _, row in ipairs(engines.all) do
    for _, extra in ipairs { {}, { deferred = true } } do
      for _, names in ipairs(handler_sets) do
        it(("is told by the loaded one, once: %s%s, %s"):format(
          row.name, extra.deferred and ", deferred" or "", table.concat(names, " and ")), function()
          local k = 1
          while compare_rest(row, extra, names, k) do
            k = k + 1
          end
          assert.is_true(k > 3)
        end)
      end
    end
  end

  it("is dropped by handlers that do not hear it, as on{} would", function()
    local row = engines.all[1]
    for k = 1, 5 do
      local _, saved = interrupted(row, {}, { "on_event" }, {}, k)
      assert.equal(0, aoi.load(saved, {}):pending())
      assert.equal(0, aoi.load(saved, { on_move = nothing }):pending())
      assert.is_true(aoi.load(saved, { on_enter = nothing }):pending() > 0)
    end
  end)
end)

describe("Other handlers given to aoi.load", function()
  for _, row in ipairs(engines.all) do
    it("hear what they would hear after on{} of a space that nobody has heard: " .. row.name, function()
      for _, names in ipairs(handler_sets) do
        for _, others in ipairs(handler_sets) do
          for _, k in ipairs { 1, 2, 4, 7 } do
            local log, loaded_log = {}, {}
            local _, saved = interrupted(row, {}, names, {}, k)
            if saved then
              local loaded = aoi.load(saved, recording(others, loaded_log, nothing))
              local later = aoi.load(saved)
              later:on(recording(others, log, nothing))
              assert.equal(loaded:save(), later:save())
              local again = {}
              local twice = aoi.load(loaded:save(), recording(others, again, nothing))
              assert.equal(loaded:save(), twice:save())
              assert.equal(loaded:pending(), twice:pending())
              local expected = flushed(later, log)
              assert.equal(expected, flushed(loaded, loaded_log))
              assert.equal(expected, flushed(twice, again))
            end
          end
        end
      end
    end)
  end
end)

-- ---- the rest of the contract -----------------------------------------------------------------

describe("A loaded space", function()
  it("of a classic one gives on_event the space first, also later through on{}", function()
    local heard = {}
    local function hear(...)
      heard[#heard + 1] = table.pack(...)
    end
    local space = aoi.new(100, 100, 10, 10, nothing)
    space:enter(1, 5, 5)
    local loaded = aoi.load(space:save(), { on_event = hear })
    loaded:enter(2, 5, 5)
    assert.equal(4, heard[1].n)
    assert.equal(loaded, heard[1][1])
    loaded:on { on_event = hear }
    loaded:leave(2)
    assert.equal(4, heard[#heard].n)
    loaded = aoi.load(aoi.load(loaded:save()):save(), { on_event = hear })
    loaded:enter(2, 5, 5)
    assert.equal(loaded, heard[#heard][1])
  end)

  it("listens for nothing without handlers", function()
    local space = aoi.new { engine = "crosslist", radius = 10, on_event = nothing }
    space:enter(1, 0, 0)
    local loaded = aoi.load(space:save())
    loaded:enter(2, 0, 0)
    assert.equal(0, loaded:pending())
  end)

  it("keeps what was gathered, and goes on gathering", function()
    local space = aoi.new { engine = "crosslist", radius = 10, collect = { "enter" } }
    space:enter(1, 0, 0)
    space:enter(2, 0, 0)
    local loaded = aoi.load(space:save())
    loaded:enter(3, 0, 0)
    loaded:leave(1)
    assert.equal(6, select(2, loaded:drain()))
    assert.equal(2, select(2, space:drain()))
  end)

  it("keeps a map that set_bounds has made", function()
    for _, row in ipairs(engines.mapped) do
      local space = row.new { clamp = true }
      space:enter(1, 300, 300)
      space:set_bounds(-50, -50, 200, 300)
      local loaded = aoi.load(space:save())
      assert.equal(tostring(space), tostring(loaded))
      assert.equal(300, (loaded:position(1)))
      assert.same(space:stats().cols, loaded:stats().cols)
      assert.same(space:stats().cell_width, loaded:stats().cell_width)
    end
  end)

  it("is independent of the one that was saved", function()
    local space = aoi.new { engine = "crosslist", radius = 10 }
    space:enter(1, 0, 0)
    local loaded = aoi.load(space:save())
    space:close()
    assert.is_true(loaded:has(1))
    assert.has_error(function() space:save() end, "save: the space is closed")
  end)
end)

-- ---- the format -------------------------------------------------------------------------------

local function to_hex(bytes)
  return (bytes:gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
  end))
end

local function from_hex(hex)
  return (hex:gsub("%s", ""):gsub("..", function(digits)
    return string.char(tonumber(digits, 16))
  end))
end

local function pinned_events()
  local space = aoi.new { engine = "crosslist", radius = 10, collect = { "enter", "leave", "move" } }
  space:enter(1, 1, 2)
  space:enter(-5, 3, 4, { radius = 2, mode = "w" })
  space:move(1, 2, 2)
  return space
end

local function pinned_old_states()
  local space = aoi.new {
    engine = "grid", width = 64, height = 32, cell = 8, radius = math.huge, shape = "circle", dims = 3,
    deferred = true, slack = 0.5, clamp = true, on_event = nothing,
  }
  space:enter(300, 1, 2, 3, { layers = 6, sees_layers = 0x80000000 })
  space:enter(2, -1, 0.25, 0)
  space:tick()
  space:move(300, 1, 2.25, 3)
  space:leave(2)
  space:enter(7, 5, 5, 5)
  return space
end

local pinned = {
  { make = pinned_events, bytes = [[
    414f49056000000000000000000280010000000000002440070003000202030000000000000040000000000000004009
    050000000000000840000000000000104000000000000000400000000219090102140201090000004ea1bffa925d0c66 ]] },
  { make = pinned_old_states, bytes = [[
    414f49052c010000000000000001cccf01000000000000504000000000000040400000000000002040000000000000f0
    7f02030101000000000000e03f0001060102d8041b000000000000f03f00000000000000400000000000000840000000
    000000f03f000000000000024000000000000008400680808080080e0300000000000014400000000000001440000000
    000000144000000000000014400000000000001440000000000000144003d8041b000000000000f03f00000000000000
    400000000000000840000000000000f03f000000000000004000000000000008400680808080080403000000000000f0
    bf000000000000d03f0000000000000000000000000000f0bf000000000000d03f00000000000000000e000000000000
    000000008bbad9cc89767d03 ]] },
}

describe("The format of version 5", function()
  for index, pin in ipairs(pinned) do
    it("is what it was, string " .. index, function()
      local space = pin.make()
      assert.equal(to_hex(from_hex(pin.bytes)), to_hex(space:save()))
      assert.equal(space:save(), aoi.load(from_hex(pin.bytes)):save())
    end)
  end
end)

-- ---- damaged and invented strings -------------------------------------------------------------

local HEAD, CHECKSUM = 12, 8

-- The string with this body between head and checksum, both of which are right.
local function with_body(body)
  local bytes = "AOI\5" .. ("<I8"):pack(HEAD + #body + CHECKSUM) .. body
  local sum = 0xCBF29CE484222325
  for first = 1, #bytes, 64 do
    for _, byte in ipairs { bytes:byte(first, first + 63) } do
      sum = (sum ~ byte) * 0x100000001B3
    end
  end
  return bytes .. ("<I8"):pack(sum)
end

local function body_of(saved)
  return saved:sub(HEAD + 1, -CHECKSUM - 1)
end

-- A crowd in which all is: pins, touches, traits of its own, who waits, who is gone, who came.
local function crowd_sample(row)
  local space = row.new {
    deferred = true, limit = 3, limit_layers = 5, keep_factor = 1.5, enter_budget = 2, move_budget = 2,
    rates = { { 3, 1 }, { math.huge, 4 } }, on_event = nothing,
  }
  for id = 1, 7 do
    space:enter(id, 50 + id, 50, { layers = id, importance = id % 3, limit = id % 2 == 0 and id or nil })
  end
  space:pin(1, 5)
  space:pin(1, -7)
  space:tick()
  space:move_all { 2, 50, 50, 3, 50, 51, 6, 51, 50 }
  space:tick()
  space:touch(4)
  space:leave(5)
  space:enter(9, 50, 50)
  return space:save()
end

-- An entity that was handed in, and was told before of one that is here and of one that is not. Areas: it was
-- in one that is here, and in one that is not, and has some of its own.
local function handed_sample(extra, has_areas)
  local function new()
    local options = { engine = "crosslist", radius = 10, deferred = true, slack = 1, on_event = nothing }
    for name, value in pairs(extra) do
      options[name] = value
    end
    return aoi.new(options)
  end
  local here, there = new(), new()
  for id = 1, 4 do
    there:enter(id, 50 + id, 50)
  end
  if has_areas then
    there:add_area(1, { x = 50, y = 50, radius = 5, leave_radius = 7 })
    there:add_area(2, { x = 50, y = 50, radius = 5 })
    there:add_area(3, { owner = 1, dx = 1, radius = 3 })
    there:add_area(4, { owner = 1, shape = "rect", width = 8, height = 8 })
    here:add_area(1, { x = 50, y = 50, radius = 5, leave_radius = 7 })
  end
  there:tick()
  there:move(1, 51.5, 50)
  here:enter(2, 52, 50, { mode = "m" })
  here:enter(9, 50, 50)
  here:tick()
  here:hand_in(there:hand_out(1))
  return here:save()
end

-- Visible radii and sights, and in a deferred space what they were at the last tick.
local function sight_sample(extra)
  local options = { engine = "quadtree", width = 100, height = 100, radius = 10, on_event = nothing }
  for name, value in pairs(extra) do
    options[name] = value
  end
  local space = aoi.new(options)
  for id = 1, 6 do
    space:enter(id, 10 * id, 50, { visible_radius = id % 2 == 0 and 10 * id or 0 })
    space:set_sight(id, (id + 2) % 6, id % 3 == 0)
  end
  pcall(space.tick, space)
  space:set_visible_radius(2, 0)
  space:set_visible_radius(3, math.huge)
  space:set_sight(1, 3, nil)
  space:set_sight(1, 9, true)
  space:leave(4)
  return space:save()
end

-- Spaces that together have all that a string can have.
local function samples()
  local list = {}
  for _, pin in ipairs(pinned) do
    list[#list + 1] = pin.make():save()
  end
  for index, row in ipairs(engines.all) do
    for _, extra in ipairs { {}, { deferred = true }, row.exact and { slack = 1, deferred = true } or nil } do
      local names = handler_sets[index * 2]
      list[#list + 1] = select(2, interrupted(row, extra, names, {}, 2))
    end
    list[#list + 1] = crowd_sample(row)
  end
  list[#list + 1] = sight_sample {}
  list[#list + 1] = sight_sample { deferred = true }
  list[#list + 1] = sight_sample { deferred = true, limit = 2 }
  list[#list + 1] = handed_sample {}
  list[#list + 1] = handed_sample({}, true)
  list[#list + 1] = handed_sample { limit = 2, rates = { { 5, 1 }, { math.huge, 3 } } }
  list[#list + 1] = select(2, interrupted(engines.all[1], {}, { "on_view", "on_event" }, {}, 3))
  local space = aoi.new {
    engine = "quadtree", width = 10, height = 10, x = -5, max_depth = 3, capacity = 1,
  }
  space:enter(1, 1, 1, { radius = 3 })
  list[#list + 1] = space:save()
  space = aoi.new {
    engine = "grid", width = 30, height = 20, cols = 3, rows = 2, deferred = true, on_event = nothing,
  }
  space:enter(1, 29, 19)
  space:tick()
  space:set_bounds(0, 0, 90, 90) -- old cells of another map
  list[#list + 1] = space:save()
  return list
end

local function expect_refused(bytes)
  local ok, message = pcall(aoi.load, bytes)
  assert.is_false(ok)
  assert.truthy(tostring(message):find("^load: "), message)
end

-- Uses all of a space.
local function exercise(space)
  if space:stats().cells > 1000 then
    return
  end
  assert.equal(space:save(), aoi.load(space:save()):save())
  local ids = space:ids()
  for _, id in ipairs(ids) do
    space:markers_of(id)
    space:watchers_of(id)
    space:told_markers_of(id)
    space:told_watchers_of(id)
    space:explain(ids[1], id)
    local x, y, z = space:position(id)
    space:move(id, x, y, z)
  end
  pcall(space.drain, space)
  local handlers = {}
  for _, name in ipairs(handler_sets[#ids % #handler_sets + 1]) do
    handlers[name] = nothing
  end
  space:flush()
  space:on(handlers)
  space:flush()
  assert.equal(0, space:pending())
  pcall(space.tick, space)
  for _, id in ipairs(ids) do
    pcall(space.touch, space, id)
  end
  pcall(space.tick, space)
  space:leave_all(ids)
  pcall(space.tick, space)
  assert.equal(0, space:pending())
end

describe("A string", function()
  it("that is truncated, or longer, is refused #areas", function()
    for _, saved in ipairs(samples()) do
      for length = 0, #saved - 1 do
        expect_refused(saved:sub(1, length))
      end
      expect_refused(saved .. "\0")
    end
  end)

  it("with one byte changed is refused #areas", function()
    for _, saved in ipairs(samples()) do
      for place = 1, #saved do
        for _, bits in ipairs { 1 << place % 8, 255 } do
          local byte = string.char(saved:byte(place) ~ bits)
          expect_refused(saved:sub(1, place - 1) .. byte .. saved:sub(place + 1))
        end
      end
    end
  end)

  it("with a right checksum that ends too early or goes on is refused #areas", function()
    for _, saved in ipairs(samples()) do
      local body = body_of(saved)
      assert.equal(saved, with_body(body))
      for length = 0, #body - 1 do
        expect_refused(with_body(body:sub(1, length)))
      end
      expect_refused(with_body(body .. "\0"))
    end
  end)

  -- Neither events delivered, calls nor ticks. The end of a body: neither areas nor old states of areas,
  -- nobody handed in.
  local NEVER, NOTHING = "\0\0\0", "\0\0\0"
  -- Neither visible radii nor sights, and in a deferred space neither former ones.
  local BY_RULE = "\0\0"
  local QUEUES = BY_RULE .. BY_RULE .. "\0\0"

  -- A body: a cross-list of radius 10 with these entities and queues.
  local function crosslist(entities, pending, collected, moment, apart)
    return "\0\2\x80\1" .. ("<d"):pack(10) .. "\0" .. (moment or NEVER) .. entities .. (apart or BY_RULE)
      .. (pending or "\0") .. (collected or "\0") .. NOTHING
  end

  local function entity(id, x, y, more)
    return string.char(2 * id, more and 7 or 3) .. ("<dd"):pack(x, y) .. (more and ("<d"):pack(more) or "")
  end

  local WHOLE = crosslist("\1" .. entity(1, 2, 3))
  local impossible = {
    { crosslist("\1" .. entity(1, 0 / 0, 3)), "entity 1: its position is not finite" },
    { crosslist("\2" .. entity(1, 2, 3) .. entity(2, 2, -math.huge)),
      "entity 2: its position is not finite" },
    { crosslist("\2" .. entity(1, 2, 3) .. entity(1, 2, 3)), "entity 2: its id 1 is there twice" },
    { crosslist("\1\2\0" .. ("x"):rep(16)), "entity 1 has bad flags or no mode" },
    { crosslist("\1\2\x20" .. ("x"):rep(16)), "entity 1 has bad flags or no mode" },
    { crosslist("\1" .. entity(1, 2, 3, -1)), "entity 1: its radius is -1, expected a number from 0 up" },
    { crosslist("\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
      "entities: 9223372036854775807 are announced, more than fit in the rest of the string" },
    { crosslist("\x80\0"), "a count at byte 30 is not in its shortest form" },
    { crosslist(("\xff"):rep(9) .. "\2"), "a count at byte 38 is not in its shortest form" },
    { crosslist("\0", "\1\x11\2\x7f\4"),
      "ids of an event: 127 are announced, more than fit in the rest of the string" },
    { crosslist("\0", "\1\x11\2\0\0\0\0\0"), "an event is about nobody" },
    { crosslist("\0", "\1\x11\2\1\2\0\0\0\0"), "an event tells somebody about itself" },
    { crosslist("\0", "\1\x13\2\1\4\0\0\0\0"), "an event is of a kind that can't be there" },
    { crosslist("\0", "\1\x91\2\1\4\0\0\0\0"), "an event is of a kind that can't be there" },
    -- An area does not move.
    { crosslist("\0", "\1\x54\2\1\4\0\0\0\0"), "an event is of a kind that can't be there" },
    { crosslist("\0", "\2\x11\2\1\4\2\2\1\6\0\0\0\0"), "an event is of a kind that can't be there" },
    { crosslist("\0", "\2\x11\2\1\4\x10\2\1\6\0\0\0\0"), "an event is of a kind that can't be there" },
    { crosslist("\0", nil, "\1\x11\2\1\4"), "an event is of a kind that can't be there" },
    { crosslist("\0", "\1\x01\2\1\4\0"), "how far the events have been told makes no sense" },
    { crosslist("\0", "\1\x01\2\1\4\4"), "how far the events have been told makes no sense" },
    { crosslist("\0", "\1\x01\2\1\4\8"), "how far the events have been told makes no sense" },
    { crosslist("\0", "\1\x01\2\1\4\1\2"), "how far the events have been told makes no sense" },
    { crosslist("\0", "\1\x01\2\1\4\2\2"), "how far the events have been told makes no sense" },
    { crosslist("\0", "\1\x09\2\2\4\6\1\1"), "how far the events have been told makes no sense" },
    { crosslist("\0", "\1\x49\2\1\4\1\0"), "how far the events have been told makes no sense" },
    { crosslist("\0", nil, nil, "\0\1\2"), "2 ticks in 1 calls" },
    { crosslist("\0", nil, nil, "\0\2\1"), "1 ticks in 2 calls" },
    { "\2" .. WHOLE:sub(2), "the note is 2, expected 0 or 1: the string was not saved from Lua" },
    { "\0\2\x80\1" .. ("<d"):pack(-1) .. "\0", "option radius is -1, expected a number from 0 up" },
    { "\0\9\0\0", "option engine is 9, expected an engine of this library" },
    { "\0\2\x80\x80\x80\1", "there is an option that this version does not know" },
    { "\0\2\x80\1" .. ("<d"):pack(10) .. "\x20", "the set of gathered events is 32, expected 0 to 31" },
    { "\0\2\0\0" .. ("<d"):pack(-1), "the usual radius is -1, expected a number from 0 up" },
    { "\0\2\0\0" .. ("<d"):pack(1) .. NEVER .. "\1" .. entity(1, 2, 3), "entity 1 has no radius" },
    { "\0\1\x0c" .. ("<dd"):pack(8, 8) .. "\0", "options cols and rows, or cell, are missing: the "
      .. "classic nine-grid needs them (a grid with a radius does not)" },
    { "\0\1\x4c" .. ("<ddd"):pack(8, 8, 1) .. "\0" .. NEVER .. "\1" .. entity(1, 9, 3),
      "entity 1 is outside the map" },
    { "\0\1\x4c" .. ("<ddd"):pack(8, 8, 1) .. "\0" .. NEVER .. "\1" .. entity(1, 2, 3, 4),
      "entity 1 has a radius, in a classic nine-grid" },
    { "\0\2\x80\x81\1" .. ("<dd"):pack(10, 1) .. "\0" .. NEVER .. "\1\2\3" .. ("<dddd"):pack(5, 5, 5, 6.5),
      "entity 1 is farther from its anchor than the slack" },
    { "\0\2\x80\x81\1" .. ("<dd"):pack(10, 1) .. "\0" .. NEVER .. "\1\2\3" .. ("<dddd"):pack(5, 5, 3.5, 5),
      "entity 1 is farther from its anchor than the slack" },
  }

  it("with a right checksum that says what can't be is refused by name", function()
    assert.is_true(aoi.load(with_body(WHOLE)):has(1))
    for _, case in ipairs(impossible) do
      local _, message = pcall(aoi.load, with_body(case[1]))
      assert.equal("load: " .. case[2], message)
    end
  end)

  it("of a deferred space with old states that can't be is refused by name", function()
    local head = "\0\2\x80\x41" .. ("<d"):pack(10) .. "\1\0" .. NEVER
    local nobody, somebody = "\2\0", "\2\3" .. ("<dd"):pack(1, 1)
    local cases = {
      { "\1" .. entity(1, 2, 3) .. "\1" .. nobody .. QUEUES },
      { "\1" .. entity(1, 2, 3) .. "\2" .. nobody .. nobody .. QUEUES,
        "old state 2: its id 1 is there twice" },
      { "\0\1" .. somebody .. QUEUES },
      { "\0\2" .. somebody .. somebody .. QUEUES, "old state 2: its id 1 is there twice" },
      { "\0\1" .. nobody .. QUEUES, "old state 1: its id 1 neither was nor is in the space" },
      { "\0\1\2\3" .. ("<dd"):pack(1, 0 / 0) .. QUEUES, "old state 1: its position is not finite" },
    }
    for _, case in ipairs(cases) do
      local ok, message = pcall(aoi.load, with_body(head .. case[1] .. NOTHING))
      assert.equal(case[2] == nil, ok, message)
      assert.equal(case[2] and "load: " .. case[2], not ok and message or nil)
    end
  end)

  it("of a classic nine-grid with old cells of another map is refused, unless all have changed", function()
    local head = "\0\1\xcc\x40" .. ("<ddd"):pack(8, 8, 1) .. "\1\0" .. NEVER
    local two = "\2" .. entity(1, 2, 3) .. entity(2, 2, 3)
    local function old(id, column)
      return entity(id, 2, 3) .. column .. "\3"
    end
    aoi.load(with_body(head .. two .. "\1" .. old(1, "\2") .. QUEUES .. NOTHING))
    aoi.load(with_body(head .. two .. "\2" .. old(1, "\2") .. old(2, "\x7f") .. QUEUES .. NOTHING))
    for _, case in ipairs {
      { "\1" .. old(1, "\x7f"), "old states are in cells of another map" },
      { "\2" .. old(1, "\2") .. old(2, "\xff\xff\xff\xff\7"), "old state 2: no map has its cell" },
      { "\2" .. old(1, "\2") .. old(2, "\xff\xff\xff\xff\x7f"), "a column is above 4294967295" },
    } do
      local _, message = pcall(aoi.load, with_body(head .. two .. case[1] .. QUEUES .. NOTHING))
      assert.equal("load: " .. case[2], message)
    end
  end)

  -- A body: a crowd in a cross-list, everybody told of one at most, after so many ticks; with members.
  local function crowd(ticks, entities, old_states, members)
    return "\0\2\x80\xc1\2" .. ("<d"):pack(10) .. "\1\1\0\0\0" .. ticks .. entities .. old_states
      .. BY_RULE .. BY_RULE .. members .. "\0\0" .. NOTHING
  end

  -- A count, as format has it.
  local function count(n)
    return n < 128 and string.char(n) or string.char(n & 127 | 128) .. count(n >> 7)
  end

  it("of a crowd that says what can't be is refused by name", function()
    local two, far = "\2" .. entity(1, 2, 3) .. entity(2, 2, 4), "\2" .. entity(1, 2, 3) .. entity(2, 2, 40)
    local gone, came = "\1" .. entity(3, 2, 5), "\1\4\0"
    local none = "\0\0\0\0" -- neither flags, ticks since a move, pins nor told
    local too_long_ago = count(9) -- of 7 ticks; one more counts for who was handed in before the first
    local cases = {
      { crowd("\7", two, "\0", "\0\0\0\1\4\1\0" .. none) },
      { crowd("\7", two, gone, none .. none .. "\0\0\0\1\2\1\0") },
      { crowd("\7", two, "\0", "\x10\0\0\0" .. none), "a member of the crowd has bad flags" },
      { crowd("\7", two, "\0", "\2\x80\2\0\0\0" .. none),
        "a member of the crowd has a bad limit or importance" },
      { crowd("\7", two, "\0", "\0" .. too_long_ago .. "\0\0" .. none),
        "a member of the crowd moved too long ago" },
      { crowd("\7", two, "\0", "\0\0\2\4\2\0" .. none), "pin 1 is out of turn" },
      { crowd("\7", two, "\0", "\0\0\2\4\4\0" .. none), "pin 2 is out of turn" },
      { crowd("\7", two, gone, none .. none .. "\0\0\1\4\0"), "one who is gone has pins or traits" },
      { crowd("\7", two, gone, none .. none .. "\2\1\0\0\0"), "one who is gone has pins or traits" },
      { crowd("\7", two, "\0", "\0\0\0\3" .. ("\4\1\0"):rep(3) .. none),
        "id 1 was told of more than there are" },
      { crowd("\7", two, "\0", "\0\0\0\2" .. ("\4\1\0"):rep(2) .. none),
        "id 1 was told of id 2 out of turn" },
      { crowd("\7", two, "\0", "\0\0\0\1\2\1\0" .. none), "id 1 was told of id 1, which it did not see" },
      { crowd("\7", two, "\0", "\0\0\0\1\x12\1\0" .. none), "id 1 was told of id 9, which it did not see" },
      { crowd("\7", far, "\0", "\0\0\0\1\4\1\0" .. none), "id 1 was told of id 2, which it did not see" },
      { crowd("\7", two, came, "\0\0\0\1\4\1\0" .. none), "id 1 was told of id 2, which it did not see" },
      { crowd("\7", two, came, none .. "\0\0\0\1\2\1\0"), "id 2 was told of id 1, which it did not see" },
      { crowd("\7", two, "\0", "\0\0\0\1\4" .. too_long_ago .. "\0" .. none),
        "id 1 was told of id 2 at a time that can't be" },
      { crowd("\7", two, "\0", "\0\0\0\1\4\1" .. count(1 << 29) .. none) },
      { crowd("\7", two, "\0", "\0\0\0\1\4\1" .. count((1 << 29) + 1) .. none),
        "a period is 536870913, expected at most 536870912" },
    }
    for _, case in ipairs(cases) do
      local ok, message = pcall(aoi.load, with_body(case[1]))
      assert.equal(case[2] == nil, ok, message)
      assert.equal(case[2] and "load: " .. case[2], not ok and message or nil)
    end
  end)

  it("with visible radii and sights that can't be is refused by name", function()
    local two = "\2" .. entity(1, 2, 3) .. entity(2, 2, 40)
    local function visible(id, radius)
      return string.char(2 * id) .. ("<d"):pack(radius)
    end
    local function now(apart)
      return crosslist(two, nil, nil, nil, apart)
    end
    local head = "\0\2\x80\x41" .. ("<d"):pack(10) .. "\1\0" .. NEVER .. two
    local function deferred(old_states, former)
      return head .. old_states .. BY_RULE .. former .. "\0\0" .. NOTHING
    end
    local cases = {
      { now("\2" .. visible(2, 50) .. visible(1, math.huge) .. "\2\2\4\2\2\0\1") },
      { now("\1" .. visible(2, -1) .. "\0"), "id 2 has the visible radius -1" },
      { now("\1" .. visible(2, 0) .. "\0"), "id 2 can't have a visible radius" },
      { now("\1" .. visible(3, 1) .. "\0"), "id 3 can't have a visible radius" },
      { now("\2" .. visible(2, 1) .. visible(2, 2) .. "\0"), "id 2 can't have a visible radius" },
      { now "\0\1\2\4\3", "the sight of id 2 by 1 is 3" },
      { now "\0\1\2\4\0", "the sight of id 2 by 1 is 0" },
      { now "\0\1\2\2\1", "the sight of id 1 by 1 is 1" },
      { now "\0\1\6\2\1", "a sight of id 3, which is not inside" },
      { now "\0\2\2\4\1\2\6\1", "a sight of id 1 is out of turn" },
      { now "\0\3\2\6\1\4\6\1\2\4\1", "a sight of id 1 is out of turn" },
      { deferred("\1\2\0", "\1" .. visible(2, 0) .. "\1\2\4\0") },
      { deferred("\1\2\0", "\2" .. visible(2, 0) .. visible(2, 1) .. "\0"),
        "the visible radius of id 2 is there twice" },
      { deferred("\1\2\0", "\0\2\2\4\0\2\4\1"), "a former sight of id 1 is there twice" },
      { deferred("\1\2\0", "\0\1\4\2\0"), "a former sight of id 2, which has not changed" },
      { "\0\1\x4c" .. ("<ddd"):pack(8, 8, 1) .. "\0" .. NEVER .. "\1" .. entity(1, 2, 3) .. "\1"
        .. visible(1, 2),
        "id 1 has the visible radius 2" },
    }
    for _, case in ipairs(cases) do
      local ok, message = pcall(aoi.load, with_body(case[1]))
      assert.equal(case[2] == nil, ok, message)
      assert.equal(case[2] and "load: " .. case[2], not ok and message or nil)
    end
  end)

  it("of a crowd goes on in time, however long ago all was", function()
    local two = "\2" .. entity(1, 2, 3) .. entity(2, 2, 4)
    for _, ticks in ipairs { 1, 1 << 29 | 1, (1 << 30) - 1, (1 << 31) - 1, 1 << 31, 1 << 32 | 5, 1 << 52 } do
      for _, period in ipairs { 0, 1, 1 << 29 } do
        local ago = count(ticks - 1) -- 2 moved when 1 was told of it, at the first tick
        local function member(other)
          return "\0" .. ago .. "\0\1" .. other .. ago .. count(period)
        end
        local body = crowd(count(ticks), two, "\0", member "\4" .. member "\2")
        local heard = {}
        local space = aoi.load(with_body(body), { on_event = function(_, _, op) heard[#heard + 1] = op end })
        space:tick()
        assert.same({}, heard)
        assert.equal(space:save(), aoi.load(space:save()):save())
        space:move(2, 2, 5)
        space:tick()
        assert.same({ "move" }, heard) -- by the usual rate each tick may tell it
        assert.equal(space:save(), aoi.load(space:save()):save())
        local late = aoi.load(with_body(body), { on_event = function(_, _, op) heard[#heard + 1] = op end })
        late:touch(2)
        late:tick()
        assert.same({ "move", "move" }, heard)
      end
    end
  end)

  it("with a right checksum and invented contents is refused, or makes a whole space #areas", function()
    local random, accepted = Random.new(7), 0
    local bytes = { 0, 1, 2, 3, 127, 128, 255 }
    local all = samples()
    for _ = 1, tonumber(os.getenv("INVENTED")) or 4000 do
      local body = body_of(random:pick(all))
      for _ = 1, random:integer(1, 4) do
        local place = random:integer(1, #body)
        local byte = string.char(random:chance(0.5) and random:pick(bytes) or random:integer(0, 255))
        local gone = random:pick { 0, 1, 1, 1, 1, 2 }
        body = body:sub(1, place - 1) .. (random:chance(0.9) and byte or "") .. body:sub(place + gone)
        if #body == 0 then
          break
        end
      end
      local ok, result = pcall(aoi.load, with_body(body))
      if ok then
        accepted = accepted + 1
        exercise(result)
        result:close()
      else
        assert.truthy(tostring(result):find("^load: "), result)
      end
    end
    assert.is_true(accepted > 100)
  end)
end)
