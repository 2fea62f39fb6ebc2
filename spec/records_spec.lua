-- Records: what a space writes down while it records, and what replay makes of it. That all calls are in it
-- is for differential_records_spec.lua to see.

local aoi = require "aoi"
local engines = require "spec.support.engines"
local fails = require "spec.support.fails"
local record = require "spec.support.record"
local same_space = require "spec.support.same_space"

local function space_of(extra)
  local options = { engine = "crosslist", radius = 10, record = true }
  for name, value in pairs(extra or {}) do
    options[name] = value
  end
  return aoi.new(options)
end

-- A space with some in it, its save, and three strings of what was done after that.
local function history(extra)
  local space = space_of(extra)
  space:enter(1, 0, 0)
  space:enter(2, 5, 0)
  space:recorded()
  local saved, strings = space:save(), {}
  for i = 1, 3 do
    space:move(1, i, 0)
    space:enter(10 + i, i, i)
    strings[i] = space:recorded()
  end
  return space, saved, strings
end

-- A record with another number at this place (from 0), and the checksum that belongs to it: that of
-- src/base/checksum.h.
local function forged(string, at, number)
  string = string:sub(1, at) .. ("<I8"):pack(number) .. string:sub(at + 9)
  local summed = string:sub(21)
  local sum = 0xCBF29CE484222325 ~ #summed
  summed = summed .. ("\0"):rep(-#summed % 8)
  for i = 1, #summed, 8 do
    sum = (sum ~ ("<I8"):unpack(summed, i)) * 0x9E3779B97F4A7C15
    sum = sum ~ (sum >> 32)
  end
  return string:sub(1, 12) .. ("<I8"):pack(sum) .. string:sub(21)
end

describe("recorded()", function()
  it("gives nothing unless the space records", function()
    local space = aoi.new { engine = "crosslist", radius = 10 }
    space:enter(1, 0, 0)
    assert.equal("", space:recorded())
  end)

  it("gives each call once", function()
    local space = space_of()
    space:enter(1, 0, 0)
    assert.not_equal("", space:recorded())
    assert.equal("", space:recorded())
  end)

  it("says from which call and tick to which it goes", function()
    local space = space_of { deferred = true }
    space:enter(1, 0, 0)
    space:tick()
    space:recorded()
    space:move(1, 1, 1)
    space:tick()
    space:move(1, 2, 2)
    local string = space:recorded()
    assert.same({ from_calls = 2, from_tick = 1, to_calls = 5, to_tick = 2, whole = #string },
      aoi.record_span(string))
  end)

  it("has nothing of a call that was refused", function()
    local space = space_of()
    space:enter(1, 0, 0)
    local calls = space:stats().calls
    space:recorded()
    for _, wrong in ipairs {
      function() space:enter(1, 0, 0) end,
      function() space:move(2, 0, 0) end,
      function() space:leave(2) end,
      function() space:move_all { 1, 1, 1, 2, 2, 2 } end,
      function() space:set_radius(1, -1) end,
      function() space:tick() end,
    } do
      assert.is_false(pcall(wrong))
    end
    assert.equal("", space:recorded())
    assert.equal(calls, space:stats().calls)
  end)

  it("has nothing of questions, saves and empty drains", function()
    local space = space_of { collect = true }
    space:enter(1, 0, 0)
    space:recorded()
    space:drain()
    space:save()
    space:query_circle(0, 0, 5)
    space:explain(1, 2)
    space:flush()
    assert.equal("", space:recorded())
  end)

  it("is lost with a space that is closed", function()
    local space = space_of()
    space:enter(1, 0, 0)
    space:close()
    fails("closed", space.recorded, space)
  end)

  it("keeps a move in 10 bytes and the id, 18 when a coordinate is no float", function()
    local space = space_of()
    space:enter(1, 0, 0)
    space:enter(1000, 0, 0)
    space:recorded()
    local function bytes_of(...)
      local string
      space:move(...)
      string = space:recorded()
      space:move(...)
      space:move(...)
      return #space:recorded() - #string
    end
    assert.equal(10, bytes_of(1, 0.5, 7)) -- an id of one byte among them
    assert.equal(11, bytes_of(1000, 0.5, 7))
    assert.equal(18, bytes_of(1, 0.1, 7))
  end)

  it("keeps each coordinate to the last bit", function()
    for axis = 1, 3 do
      local space, place = space_of { dims = 3 }, { 1.5, -0.0, 3 }
      place[axis] = 0.1
      space:enter(1, table.unpack(place))
      space:enter_all { 2, 1, 2, 3, 3, table.unpack(place) }
      local again = aoi.load(space_of({ dims = 3 }):save())
      aoi.replay(again, space:recorded())
      for _, id in ipairs { 1, 3 } do
        assert.same(place, { again:position(id) })
        assert.equal("-inf", axis == 2 and "-inf" or tostring(1 / select(2, again:position(id))))
      end
    end
  end)

  it("counts as memory that is held for records", function()
    local space = space_of()
    space:enter(1, 0, 0)
    local before = space:stats()
    for i = 1, 10000 do
      space:move(1, i, 0)
    end
    local after = space:stats()
    assert.is_true(after.held.record >= 100000, tostring(after.held.record))
    assert.equal(after.held.record - before.held.record, after.bytes - before.bytes)
  end)
end)

describe("record(on)", function()
  it("begins and ends what is recorded; what was not taken stays", function()
    local space = aoi.new { engine = "crosslist", radius = 10 }
    space:enter(1, 0, 0)
    space:record(true)
    local saved = space:save()
    space:move(1, 1, 0)
    space:record(false)
    local expected = space:save()
    space:move(1, 2, 0)
    local string = space:recorded()
    local again = aoi.load(saved)
    aoi.replay(again, string)
    same_space.check(again, aoi.load(expected))
    assert.equal("", space:recorded())
  end)

  it("leaves a gap between two times", function()
    local space = space_of()
    local saved = space:save()
    space:enter(1, 0, 0)
    space:record(false)
    space:move(1, 1, 0)
    space:record(true)
    space:move(1, 2, 0)
    local string = space:recorded()
    local span, complaint = aoi.record_span(string)
    assert.is_truthy(complaint)
    assert.equal(1, span.to_calls)
    local again = aoi.load(saved)
    fails(("%d bytes before are whole"):format(span.whole), aoi.replay, again, string)
    assert.equal(saved, again:save())
    aoi.replay(again, string:sub(1, span.whole))
    assert.equal(0, (again:position(1)))
  end)

  it("refuses what is neither true nor false", function()
    local space = space_of()
    fails("record: on is 1, expected true or false", space.record, space, 1)
    fails("record: on is nil", space.record, space)
    fails('new: option record is the string "yes"', aoi.new, { engine = "crosslist", record = "yes" })
    fails("load: option record is 1", aoi.load, space:save(), { record = 1 })
  end)

  it("is no part of a save", function()
    local space = space_of()
    space:enter(1, 0, 0)
    local saved = space:save()
    space:recorded()
    space:record(false)
    assert.equal(saved, space:save())
    local again = aoi.load(saved)
    again:move(1, 1, 1)
    assert.equal("", again:recorded())
    local recording = aoi.load(saved, { record = true })
    recording:move(1, 1, 1)
    assert.not_equal("", recording:recorded())
  end)
end)

describe("replay", function()
  for _, row in ipairs(engines.all) do
    it("makes the calls on the " .. row.name, function()
      local space = row.new { record = true }
      local saved = space:save()
      space:enter_all { 1, 10, 10, 2, 15, 10, 3, 80, 80 }
      space:move(1, 12, 10)
      space:leave(3)
      local again = aoi.load(saved)
      aoi.replay(again, space:recorded())
      same_space.check(again, space)
    end)
  end

  it("takes strings that follow each other, joined or one by one", function()
    local space, saved, strings = history()
    local joined, single = aoi.load(saved), aoi.load(saved)
    aoi.replay(joined, table.concat(strings))
    for _, string in ipairs(strings) do
      aoi.replay(single, string)
    end
    same_space.check(joined, space)
    same_space.check(single, space)
  end)

  it("passes over what the space has already, also within a string", function()
    local space, saved, strings = history()
    local again = aoi.load(saved)
    aoi.replay(again, table.concat(strings), { calls = again:stats().calls + 3 })
    local in_between = again:save()
    aoi.replay(again, strings[1]) -- all of it is there
    assert.equal(in_between, again:save())
    aoi.replay(again, table.concat(strings))
    aoi.replay(again, table.concat(strings))
    same_space.check(again, space)
  end)

  it("takes strings that overlap", function()
    local space, saved, strings = history()
    local again = aoi.load(saved)
    aoi.replay(again, strings[1] .. strings[2] .. strings[1] .. strings[2] .. strings[3])
    same_space.check(again, space)
  end)

  it("refuses a gap before the string, or within, and changes nothing", function()
    local _, saved, strings = history()
    local again = aoi.load(saved)
    fails("the record begins at call 4, the space is at call 2", aoi.replay, again, strings[2])
    fails("whole", aoi.replay, again, strings[1] .. strings[3])
    assert.equal(saved, again:save())
  end)

  it("that it refuses leave what waits, also in a space without handlers yet", function()
    local space = aoi.new { radius = 10, on_event = function() error("stop", 0) end }
    space:enter(1, 0, 0)
    pcall(space.enter, space, 2, 0, 0)
    local saved = space:save()
    local later, deep = aoi.load(saved), space_of { dims = 3 }
    later:enter(8, 0, 0)
    later:record(true)
    later:enter(9, 0, 0)
    for id = 1, 5 do
      deep:enter(id, 0, 0, 0)
    end
    for text, string in pairs { ["calls between are missing"] = later:recorded(),
      ["this one has 2"] = deep:recorded() } do
      fails(text, aoi.replay, space, string)
      assert.equal(saved, space:save())
      local loaded, told = aoi.load(saved), 0
      fails(text, aoi.replay, loaded, string)
      assert.equal(space:pending(), loaded:pending())
      loaded:on { on_event = function() told = told + 1 end }
      loaded:flush()
      assert.equal(space:pending(), told)
    end
  end)

  it("ends at the call that until names, and at the tick", function()
    local space = space_of { deferred = true }
    local saved = space:save()
    for i = 1, 5 do
      space:update(1, i, 0)
      space:tick()
    end
    local string = space:recorded()
    for tick = 0, 5 do
      local again = aoi.load(saved)
      aoi.replay(again, string, { tick = tick })
      assert.equal(tick, again:stats().tick)
      assert.equal(2 * tick, again:stats().calls)
      aoi.replay(again, string, { calls = 2 * tick + 1 })
      assert.equal(math.min(2 * tick + 1, 10), again:stats().calls)
      aoi.replay(again, string, { calls = 0, tick = 100 }) -- it is there already
      assert.equal(math.min(2 * tick + 1, 10), again:stats().calls)
    end
  end)

  it("calls no handler and leaves nothing waiting", function()
    local space, _, strings = history()
    local waiting = space_of { on_event = error }
    pcall(function() waiting:enter(1, 0, 0) end)
    pcall(function() waiting:enter(2, 5, 0) end)
    assert.is_true(waiting:pending() > 0)
    local calls = 0
    local again = aoi.load(waiting:save(), { on_event = function() calls = calls + 1 end })
    aoi.replay(again, table.concat(strings))
    assert.equal(0, again:pending())
    again:flush()
    assert.equal(0, calls)
    same_space.check(again, space)
    again:leave(2)
    assert.is_true(calls > 0)
  end)

  it("gathers events where the space does", function()
    local _, saved, strings = history { collect = true }
    local again = aoi.load(saved, { collect = true })
    again:drain()
    local twin = space_of { collect = true }
    twin:enter(1, 0, 0)
    twin:enter(2, 5, 0)
    local gathered = {}
    for _, wanted in ipairs { { "enter" }, { "leave" }, { "move" } } do
      local one_kind = aoi.load(saved, { collect = wanted })
      aoi.replay(one_kind, table.concat(strings))
      local events, n = one_kind:drain()
      for i = 3, 3 * n, 3 do
        assert.equal(wanted[1], events[i])
      end
      gathered[wanted[1]] = n
    end
    assert.equal(0, gathered.leave)
    assert.is_true(gathered.enter > 0 and gathered.move > 0)
  end)

  it("gives the events of its calls when it is asked for them, and nothing else changes", function()
    local space = space_of { deferred = true, collect = true }
    local saved = space:save()
    space:enter(1, 0, 0)
    space:enter(2, 5, 0)
    space:tick()
    space:drain()
    space:move(2, 6, 0)
    space:tick()
    local string = space:recorded()
    local again = aoi.load(saved, { collect = false })
    local t = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }
    local events, n = aoi.replay(again, string, { tick = 1, events = t })
    assert.equal(t, events)
    assert.equal(2, n)
    assert.is_nil(events[7])
    assert.same({ "enter", "enter" }, { events[3], events[6] })
    events, n = aoi.replay(again, string, { tick = 2, events = {} })
    assert.same({ { 1, 2, "move" }, 1 }, { events, n })
    assert.equal(space:stats().calls, again:stats().calls)
    assert.equal(0, again:stats().collected)
    fails("without option collect", again.drain, again)
    same_space.check(aoi.load(again:save(), { collect = false }), aoi.load(space:save(), { collect = false }))
    fails("option events is 1, expected a table", aoi.replay, again, string, { events = 1 })
    fails("replay: space is nil, expected a space", aoi.replay)
    assert.is_nil(select(2, pcall(aoi.replay, string)):find("colon", 1, true))
    fails("whole", aoi.replay, again, string:sub(1, -2), { events = {} })
    fails("without option collect", again.drain, again)
  end)

  it("records what it replays, when the space records", function()
    local space, saved, strings = history()
    local again = aoi.load(saved, { record = true })
    aoi.replay(again, table.concat(strings))
    local third = aoi.load(saved)
    aoi.replay(third, again:recorded())
    same_space.check(third, space)
  end)

  it("stops at a call that this space can't make, and says which", function()
    local _, saved, strings = history()
    local other = space_of()
    for _ = 1, #aoi.load(saved) do
      other:enter(100 + #other, 0, 0)
    end
    local expected = "call 3 (move, id 1) can't be made: the record is of another history"
    fails(expected, aoi.replay, other, strings[1])
    assert.equal(2, other:stats().calls)
  end)

  it("refuses records of another number of dimensions, and of other ticks", function()
    local flat, deep = space_of(), space_of { dims = 3 }
    flat:enter(1, 0, 0)
    deep:enter(1, 0, 0, 0)
    fails("3 dimensions, this one has 2", aoi.replay, space_of(), deep:recorded())
    local deferred = space_of { deferred = true }
    deferred:tick()
    flat:enter(2, 0, 0)
    fails("two histories", aoi.replay, deferred, flat:recorded())
  end)

  it("changes nothing when any byte of the string is another, or it ends anywhere", function()
    local _, saved, strings = history { deferred = true }
    local joined = strings[1] .. strings[2]
    local again = aoi.load(saved)
    for at = 1, #joined do
      for _, with in ipairs { 1, 128, 255 } do
        local damaged = joined:sub(1, at - 1) .. string.char(joined:byte(at) ~ with) .. joined:sub(at + 1)
        local whole = at > #strings[1] and #strings[1] or 0
        fails(("%d bytes before are whole"):format(whole), aoi.replay, again, damaged)
      end
    end
    for last = 1, #joined - 1 do
      if last ~= #strings[1] then
        fails("whole", aoi.replay, again, joined:sub(1, last))
      end
    end
    fails("whole", aoi.replay, again, joined .. "x")
    assert.equal(saved, again:save())
  end)

  it("refuses a record that says of itself what is not so", function()
    local _, saved, strings = history { deferred = true }
    local again, string = aoi.load(saved), strings[1]
    assert.equal(string, forged(string, 20, ("<I8"):unpack(string, 21)), "the checksum is another one now")
    for at, name in pairs { [36] = "calls", [44] = "ticks" } do
      local number = ("<I8"):unpack(string, at + 1)
      fails("whole", aoi.replay, again, forged(string, at, number + 1))
      fails("whole", aoi.replay, again, forged(string, at, -1))
      assert.equal(saved, again:save(), name)
    end
    fails("as many calls as it says", aoi.replay, again, forged(string, 36, ("<I8"):unpack(string, 37) + 1))
    aoi.replay(again, string)
  end)

  it("refuses what is no space, no string, no moment", function()
    local space = space_of()
    fails("space", aoi.replay, {}, "")
    fails("replay: the record is nil, expected a string from space:recorded()", aoi.replay, space)
    fails("replay: options is 7", aoi.replay, space, "", 7)
    fails("option calls is -1, expected an integer from 0 up", aoi.replay, space, "", { calls = -1 })
    fails("option tick is 1.5", aoi.replay, space, "", { tick = 1.5 })
    fails("ticks", aoi.replay, space, "", { ticks = 1 })
    fails("replay", aoi.replay, space, "", nil, 1)
    fails("record_span: the record is 1", aoi.record_span, 1)
    space:close()
    fails("closed", aoi.replay, space, "")
  end)

  it("does nothing for an empty string", function()
    local space = space_of()
    local saved = space:save()
    aoi.replay(space, "")
    assert.equal(saved, space:save())
    assert.same({ from_calls = 0, from_tick = 0, to_calls = 0, to_tick = 0, whole = 0 }, aoi.record_span "")
  end)
end)

describe("in a handler", function()
  -- A space whose first event makes a call of this; it returns what the function has returned.
  local function in_handler(f, extra)
    local space, result
    local log, note = record.log()
    local options = { on_event = function(...)
      note(...)
      local now = f
      f = nil
      if now then
        result = now(space)
      end
    end }
    for name, value in pairs(extra or {}) do
      options[name] = value
    end
    space = space_of(options)
    space:enter(1, 0, 0)
    space:enter(2, 5, 0)
    return space, result, log
  end

  it("recorded() has the call that is being told, and those of handlers", function()
    local saved = space_of():save()
    local space, string = in_handler(function(space)
      space:move(1, 1, 1)
      return space:recorded()
    end)
    local again = aoi.load(saved)
    aoi.replay(again, string)
    assert.equal(3, again:stats().calls)
    same_space.check(again, space)
    assert.equal("", space:recorded())
  end)

  it("a save has them as well, and records go on from there", function()
    local space, saved = in_handler(function(space)
      return space:save()
    end)
    space:move(1, 2, 2)
    local again = aoi.load(saved)
    aoi.replay(again, space:recorded())
    same_space.check(again, space)
  end)

  it("record(true) and record(false) count from the next call on", function()
    local space = in_handler(function(space)
      space:record(false)
      space:move(1, 1, 1)
      space:record(true)
      space:recorded()
      space:move(1, 2, 2)
    end)
    local span = aoi.record_span(space:recorded())
    assert.same({ 3, 4 }, { span.from_calls, span.to_calls })
  end)

  it("replay on the space itself drops what waits, and delivery ends well", function()
    local string
    local space, _, log = in_handler(function(space)
      string = space:recorded()
      aoi.replay(space, string)
      assert.equal(0, space:pending())
      aoi.replay(space, "")
    end)
    assert.equal(1, #log)
    space:leave(1)
    assert.is_true(#log > 1)
    same_space.check(space, aoi.load(space:save()))
  end)

  it("replay of calls on another space leaves this delivery alone", function()
    local saved = space_of():save()
    local space, again, log = in_handler(function(space)
      local again = aoi.load(saved)
      aoi.replay(again, space:recorded())
      return again
    end)
    same_space.check(again, space)
    assert.equal(2, #log)
  end)

  it("a drain is recorded in its place", function()
    local saved = space_of({ collect = true }):save()
    local space = in_handler(function(space)
      space:drain()
      space:move(1, 1, 1)
    end, { collect = true })
    local again = aoi.load(saved)
    aoi.replay(again, space:recorded())
    same_space.check(again, space)
    assert.equal(space:stats().collected, again:stats().collected)
  end)
end)
