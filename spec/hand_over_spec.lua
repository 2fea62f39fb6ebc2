-- Handing over, case by case: what goes along, who is told what, what is refused. Against the brute-force
-- model: differential_hand_over_spec.lua; several spaces against one: hand_over_regions_spec.lua.

local aoi = require "aoi"
local fails = require "spec.support.fails"
local Random = require "spec.support.random"

-- A deferred space, and a function that ticks it and returns what was told as a sorted text.
local function new(extra)
  local heard = {}
  local options = { engine = "crosslist", radius = 10, deferred = true }
  function options.on_event(watcher, marker, op)
    heard[#heard + 1] = ("%d %s %d"):format(watcher, op, marker)
  end
  for name, value in pairs(extra or {}) do
    options[name] = value
  end
  local space = aoi.new(options)
  return space, function(...)
    for i = #heard, 1, -1 do
      heard[i] = nil
    end
    space:tick(...)
    table.sort(heard)
    return table.concat(heard, ", ")
  end, options
end

-- Two of them, in which a step is told every fifth tick; in the first 1 and 2 see each other.
local function two_of_slow_rate()
  local options = { rates = { { math.huge, 5 } } }
  local here, tick_here = new(options)
  here:enter(1, 0, 0)
  here:enter(2, 1, 0)
  return here, tick_here, new(options)
end

local function ids(list, n)
  table.sort(list)
  return table.concat(list, " ", 1, n)
end

local KINDS = {
  { name = "a deferred space" },
  { name = "a deferred space with slack", slack = 2 },
  { name = "a crowd space", move_budget = 2 ^ 31 - 1 },
}

for _, kind in ipairs(KINDS) do
  local extra = { slack = kind.slack, move_budget = kind.move_budget }

  describe("In " .. kind.name, function()
    local here, tick_here, there, tick_there

    -- 1 is owned here and sees 2, 3 and 4; 5 is owned there and sees 1, as 1 would see 5.
    before_each(function()
      here, tick_here = new(extra)
      there, tick_there = new(extra)
      here:enter(1, 0, 0)
      for id = 2, 4 do
        here:enter(id, id, 0)
      end
      there:enter(5, 9, 0)
      there:enter(1, 0, 0, { mode = "m" })
      here:enter(5, 9, 0, { mode = "m" })
      tick_here()
      tick_there()
    end)

    it("who is handed out hears nothing more, and is seen as before", function()
      local string = here:hand_out(1)
      assert.equal("string", type(string))
      assert.equal("", ids(here:told_markers_of(1)))
      assert.is_false(here:sees(1, 2))
      assert.equal("2 3 4", ids(here:told_watchers_of(1)))
      assert.equal("", tick_here())
      here:move(1, 5, 0)
      assert.equal("2 move 1, 3 move 1, 4 move 1", tick_here())
    end)

    it("hand_out delivers nothing: no handler's error takes the place of the string", function()
      local heard, raises = {}, true
      local function hear(watcher, marker, op)
        heard[#heard + 1] = ("%d %s %d"):format(watcher, op, marker)
        if raises then
          error("raised", 0)
        end
      end
      here:on { on_event = hear }
      for id = 2, 4 do
        here:move(id, id, 1)
      end
      fails("raised", here.tick, here)
      local waiting = here:pending()
      assert.is_true(waiting > 3)
      local string = here:hand_out(1)
      assert.equal("string", type(string))
      assert.same({ 1, waiting }, { #heard, here:pending() })
      there:hand_in(string)
      assert.is_true(there:sees(1, 5))
      raises = false
      here:move(2, 2, 0) -- the next change delivers what has waited
      assert.same({ 1 + waiting, 0 }, { #heard, here:pending() })
    end)

    it("hand_out does not deliver in the place of a suspended handler", function()
      local heard, suspends = 0, true
      here:on { on_event = function()
        heard = heard + 1
        if suspends then
          coroutine.yield()
        end
      end }
      here:move(2, 2, 1)
      here:move(3, 3, 1)
      local ticking = coroutine.create(here.tick)
      assert(coroutine.resume(ticking, here))
      suspends = false
      assert.equal("string", type(here:hand_out(4)))
      assert.equal(1, heard)
      assert(coroutine.resume(ticking))
      assert.equal(0, here:pending())
      assert.is_true(heard > 1)
    end)

    it("who is handed in hears the difference, and is seen as before", function()
      there:enter(3, 3, 0, { mode = "m" })
      there:enter(4, 4, 0, { mode = "m" })
      there:enter(6, 1, 0)
      there:move(4, 4, 1)
      there:hand_in(here:hand_out(1))
      assert.equal("2 3 4 5", ids(there:told_markers_of(1)))
      assert.equal("1", ids(there:told_watchers_of(3)))
      assert.equal("1 leave 2, 1 move 4, 1 enter 6",
        (tick_there():gsub("5 .-, ", ""):gsub("6 enter %d,? ?", ""):gsub("1 enter 6, 1 leave 2, 1 move 4.*",
          "1 leave 2, 1 move 4, 1 enter 6")))
      assert.equal("3 4 5 6", ids(there:told_markers_of(1)))
    end)

    it("who leaves again before the tick hears leaves of all that it was told of", function()
      there:hand_in(here:hand_out(1))
      there:leave(1)
      assert.equal("1 leave 2, 1 leave 3, 1 leave 4, 1 leave 5, 5 leave 1", tick_there())
    end)

    it("who goes on to a third space before the tick takes along what it came with", function()
      local third, tick_third = new(extra)
      there:hand_in(here:hand_out(1))
      third:hand_in(there:hand_out(1))
      assert.equal("", ids(there:told_markers_of(1)))
      assert.equal("1 leave 2, 1 leave 3, 1 leave 4, 1 leave 5", tick_third())
      assert.equal("", tick_there())
    end)

    it("who comes back before the tick has never been away", function()
      here:hand_in(here:hand_out(1))
      assert.equal("", tick_here())
      assert.equal("2 3 4 5", ids(here:told_markers_of(1)))
    end)

    it("sights that come along take the place of the only ones that were there", function()
      local third = new(extra)
      here:set_sight(1, 9, true)
      third:enter(1, 0, 0, { mode = "m" })
      third:set_sight(1, 8, false)
      third:hand_in(here:hand_out(1))
      assert.same({ 9, true }, third:sights(1))
    end)

    it("a save between hand_in and the tick has what came along", function()
      there:hand_in(here:hand_out(1))
      local heard = {}
      local loaded = aoi.load(there:save(), { on_event = function(w, m, op)
        heard[#heard + 1] = ("%d %s %d"):format(w, op, m)
      end })
      assert.equal("2 3 4 5", ids(loaded:told_markers_of(1)))
      loaded:tick()
      table.sort(heard)
      assert.equal(tick_there(), table.concat(heard, ", "))
    end)

    it("records have hand-overs, anchors and numbers of ticks", function()
      local copy = aoi.load(there:save())
      there:record(true)
      there:hand_in(here:hand_out(1))
      there:update(7, 1, 1, { anchor = { 1, 1 } })
      there:enter(8, 1, 1, { mode = "w", anchor = { 1, 1 } })
      tick_there(40)
      there:hand_out(8)
      there:hand_out(1)
      aoi.replay(copy, there:recorded())
      for id = 1, 8 do
        assert.same({ there:position(id) }, { copy:position(id) })
        assert.same({ there:anchor(id) }, { copy:anchor(id) })
        if there:has(id) then
          assert.equal(ids(there:told_markers_of(id)), ids(copy:told_markers_of(id)))
        end
      end
      assert.is_false(copy:has(8))
      assert.is_false(copy:sees(1, 5))
      assert.equal(40, copy:stats().tick)
    end)

    it("a mere watcher that is handed out is gone, and nobody is told", function()
      here:set_mode(1, "w")
      tick_here()
      local string = here:hand_out(1)
      assert.is_false(here:has(1))
      assert.equal("", tick_here())
      there:leave(1)
      there:hand_in(string)
      assert.equal("1 leave 2, 1 leave 3, 1 leave 4, 5 leave 1", tick_there())
    end)

    it("one who watches here is not taken in, nor is a damaged string", function()
      local string = here:hand_out(1)
      there:set_mode(1, "wm")
      fails("hand_in: id 1 is inside already, and watches", there.hand_in, there, string)
      there:set_mode(1, "m")
      local before = there:save()
      local random = Random.new(1)
      for place = 1, #string do
        local byte = string.char(string:byte(place) ~ random:integer(1, 255))
        fails("hand_in: ", there.hand_in, there, string:sub(1, place - 1) .. byte .. string:sub(place + 1))
        fails("hand_in: ", there.hand_in, there, string:sub(1, place - 1))
      end
      fails("hand_in: ", there.hand_in, there, string .. "\0")
      assert.equal(before, there:save())
      there:hand_in(string)
      assert.is_true(there:sees(1, 5))
    end)

    it("strings of other kinds of spaces are refused", function()
      local string = here:hand_out(1)
      local flat = new { dims = 3, slack = extra.slack, move_budget = extra.move_budget }
      fails("2 dimensions, this one has 3", flat.hand_in, flat, string)
      local other = new { move_budget = not extra.move_budget and 5 or nil, slack = extra.slack }
      fails("of a crowd space or this is one, not both", other.hand_in, other, string)
      local small = new { engine = "quadtree", x = 1, width = 5, height = 5, slack = extra.slack,
        move_budget = extra.move_budget }
      fails("its place (0, 0) is outside the map (1, 0) to (6, 5)", small.hand_in, small, string)
      if not extra.slack and not extra.move_budget then
        local nine = aoi.new { deferred = true, width = 100, height = 100, cols = 4, rows = 4 }
        fails("it has a radius, and this is a classic nine-grid", nine.hand_in, nine, string)
        nine:enter(7, 0, 0)
        fails("it is of a classic nine-grid, and this space has radii", there.hand_in, there,
          nine:hand_out(7))
      end
      if extra.slack then
        here:move(2, 3, 0)
        local exact = new()
        fails("its anchor is farther away than the slack", exact.hand_in, exact, here:hand_out(2))
      end
    end)
  end)
end

it("A touch goes along, and is told to those who know the entity already", function()
  local here, tick_here = new()
  local there, tick_there = new()
  here:enter(1, 0, 0)
  there:enter(2, 1, 0)
  there:enter(1, 0, 0, { mode = "m" })
  here:enter(2, 1, 0, { mode = "m" })
  tick_here()
  tick_there()
  here:touch(1)
  here:touch(2)
  there:touch(2)
  there:hand_in(here:hand_out(1))
  assert.equal("", tick_here())
  assert.equal("1 move 2, 2 move 1", tick_there())
  assert.equal("", tick_there())
end)

describe("In a crowd space", function()
  it("pins, limit, importance and touches go along", function()
    local here = new { limit = 1 }
    local there, tick_there = new { limit = 1 }
    here:enter(1, 0, 0, { limit = 2 })
    there:enter(2, 1, 0)
    there:enter(1, 0, 0, { mode = "m" })
    there:enter(3, 2, 0)
    there:enter(4, 3, 0)
    there:enter(5, 4, 0)
    tick_there()
    here:pin(1, 5)
    here:touch(1)
    here:set_importance(1, 9)
    there:hand_in(here:hand_out(1))
    assert.equal("1 enter 2, 1 enter 3, 1 enter 5, 2 move 1, 3 enter 1, 3 leave 2, 4 enter 1, 4 leave 3, "
      .. "5 enter 1, 5 leave 4", tick_there())
  end)

  it("times count in the numbers of ticks, and who waits goes on waiting", function()
    local here, tick_here, there, tick_there = two_of_slow_rate()
    tick_here(10)
    tick_there(10)
    here:move(2, 2, 0) -- due at 15
    tick_here(12)
    there:enter(2, 2, 0, { mode = "m" })
    tick_there(12)
    there:hand_in(here:hand_out(1))
    assert.equal("", tick_there(14))
    assert.equal("1 move 2", tick_there(15))
    assert.equal("", tick_there(1 << 40))
  end)

  it("what comes some ticks late counts from when it was told", function()
    local here, tick_here, there, tick_there = two_of_slow_rate()
    tick_here(10)
    local string = here:hand_out(1)
    there:enter(2, 1, 0, { mode = "m" })
    tick_there(12)
    there:move(2, 2, 0)
    there:hand_in(string)
    assert.equal("", tick_there(14))
    assert.equal("1 move 2", tick_there(15))
  end)

  it("what was told at a tick that is still to come counts from the last one", function()
    local here, tick_here, there, tick_there = two_of_slow_rate()
    tick_here(1000)
    there:enter(2, 1, 0, { mode = "m" })
    tick_there(10)
    there:hand_in(here:hand_out(1))
    assert.equal("", tick_there(11))
    there:move(2, 2, 0)
    assert.equal("", tick_there(14))
    assert.equal("1 move 2", tick_there(15))
  end)

  it("a ghost that came later than it was told of does not seem to have moved", function()
    local here, tick_here, there, tick_there = two_of_slow_rate()
    tick_here(1)
    tick_there(8)
    there:enter(2, 1, 0, { mode = "m" })
    tick_here(9)
    tick_there(9)
    there:hand_in(here:hand_out(1))
    assert.equal("", tick_there(10))
    assert.equal("", tick_there(20))
  end)
end)

describe("Areas", function()
  local here, tick_here, there, tick_there

  local function heard()
    local list = {}
    local function options()
      return { on_event = false, on_area = function(area, marker, op)
        list[#list + 1] = ("area %d %s %d"):format(area, op, marker)
      end }
    end
    return list, options
  end

  -- Spaces that hear of areas alone; a tick returns what was told.
  local function new_with_areas(extra)
    local list, options = heard()
    local all = options()
    all.on_event, all.engine, all.radius, all.deferred = nil, "crosslist", 10, true
    for name, value in pairs(extra or {}) do
      all[name] = value
    end
    local space = aoi.new(all)
    return space, function()
      for i = #list, 1, -1 do
        list[i] = nil
      end
      space:tick()
      table.sort(list)
      return table.concat(list, ", ")
    end, list
  end

  -- 1 is owned here, in the areas 7, which stands in both, and 8, which stands here. It owns 9, in which 2
  -- and 3 are; 2 is there, too.
  before_each(function()
    here, tick_here = new_with_areas()
    there, tick_there = new_with_areas()
    here:enter(1, 0, 0)
    here:enter(2, 1, 0)
    here:enter(3, 2, 0)
    there:enter(2, 1, 0, { mode = "m" })
    here:add_area(7, { x = 0, y = 0, radius = 3, leave_radius = 6 })
    there:add_area(7, { x = 0, y = 0, radius = 3, leave_radius = 6 })
    here:add_area(8, { shape = "polygon", points = { -1, -1, 1, -1, 0, 1 } })
    here:add_area(9, { owner = 1, dx = 1, radius = 2, leave_radius = 4, sees_layers = 1 })
    tick_here()
    tick_there()
  end)

  it("without owner: a member stays one, also in the ring where it could not come in", function()
    here:move(1, 5, 0)
    assert.equal("area 8 leave 1, area 9 leave 2", tick_here())
    there:enter(1, 5, 0, { mode = "m" })
    assert.equal("", tick_there())
    assert.is_false(there:in_area(7, 1))
    there:hand_in(here:hand_out(1))
    assert.is_true(there:in_area(7, 1))
    assert.equal("1 2", ids(there:members_of(7)))
    assert.equal("", (tick_there():gsub("area 9 [^,]*", "")))
    assert.equal("", tick_here())
    there:move(1, 7, 0)
    assert.equal("area 7 leave 1", (tick_there():gsub(",? ?area 9 [^,]*", "")))
  end)

  it("without owner: one that is not here has been left", function()
    there:hand_in(here:hand_out(1))
    assert.equal("area 8 leave 1, area 9 leave 3", tick_there())
    assert.equal("", tick_there())
  end)

  it("without owner: in a space without areas, too", function()
    here:remove_area(9)
    local bare, tick_bare = new_with_areas()
    bare:hand_in(here:hand_out(1))
    assert.equal(0, bare:stats().areas)
    assert.equal("area 7 leave 1, area 8 leave 1", tick_bare())
    assert.equal(0, bare:stats().held.areas)
  end)

  it("with an owner go along, and no leave is told where they were", function()
    local string = here:hand_out(1)
    assert.equal("7 8", ids(here:areas()))
    assert.equal("", tick_here())
    there:hand_in(string)
    assert.equal("7 9", ids(there:areas()))
    assert.equal("2", ids(there:members_of(9)))
    there:move(1, 9, 0)
    assert.equal("", ids(there:members_of(9)))
    there:move(1, 0, 0)
    assert.equal("area 8 leave 1, area 9 leave 3", tick_there())
    there:move(2, 4.5, 0)
    assert.equal("", tick_there())
    there:move(1, -0.75, 0)
    assert.equal("area 9 leave 2", tick_there())
  end)

  it("with an owner: what was changed, added and taken away before goes on as it was told", function()
    here:set_area(9, { radius = 0.5 })
    here:add_area(10, { owner = 1, radius = 1 })
    here:add_area(11, { owner = 1, radius = 1 })
    here:remove_area(11)
    there:hand_in(here:hand_out(1))
    assert.equal("", tick_here())
    assert.equal("area 10 enter 2, area 8 leave 1, area 9 leave 3", tick_there())
  end)

  it("with an owner: members are those of the last tick, whoever has moved since", function()
    here:add_area(10, { owner = 1, radius = 1 })
    here:enter(4, 9, 0)
    tick_here()
    here:move(2, 9, 0)
    here:move(4, 1, 0)
    there:hand_in(here:hand_out(1))
    there:leave(2)
    assert.equal("area 10 leave 2, area 7 leave 2, area 8 leave 1, area 9 leave 2, area 9 leave 3",
      tick_there())
  end)

  it("without owner: what was known of the ghost is forgotten", function()
    there:enter(1, 0, 0, { mode = "m" })
    tick_there()
    there:move(1, 5, 0)
    tick_there()
    here:remove_area(7)
    tick_here()
    here:move(1, 5, 0)
    there:hand_in(here:hand_out(1))
    assert.equal("area 8 leave 1, area 9 leave 2, area 9 leave 3", tick_there())
    assert.is_false(there:in_area(7, 1))
  end)

  it("with an owner: taken away after hand_in, its members have left", function()
    there:hand_in(here:hand_out(1))
    there:remove_area(9)
    assert.equal("area 8 leave 1, area 9 leave 2, area 9 leave 3", tick_there())
  end)

  it("come back within a tick as if they had never been away", function()
    local third = new_with_areas()
    third:hand_in(here:hand_out(1))
    there:hand_in(third:hand_out(1))
    here:hand_in(there:hand_out(1))
    assert.equal("", tick_here())
    assert.equal("2 3", ids(here:members_of(9)))
    assert.equal("area 7 enter 1", tick_there()) -- it is a ghost, of whom another space tells
  end)

  it("are in a save and in records between hand_in and the tick", function()
    local list, options = heard()
    local saved = there:save()
    there:record(true)
    there:hand_in(here:hand_out(1))
    local handlers = options()
    handlers.on_event = nil
    local loaded, again = aoi.load(there:save(), handlers), aoi.load(saved, handlers)
    aoi.replay(again, there:recorded())
    assert.equal("2", ids(loaded:members_of(9)))
    local expected = tick_there()
    for _, space in ipairs { loaded, again } do
      space:tick()
      table.sort(list)
      assert.equal(expected, table.concat(list, ", "))
      for i = #list, 1, -1 do
        list[i] = nil
      end
    end
  end)

  it("a mere watcher takes along what it owns", function()
    here:set_mode(1, "w")
    there:hand_in(here:hand_out(1))
    assert.is_false(here:has(1))
    assert.equal("area 7 leave 1, area 8 leave 1", tick_here()) -- it was no marker any more
    assert.equal("area 7 leave 1, area 8 leave 1, area 9 leave 3", tick_there())
  end)

  it("an id in use, and a damaged string, change nothing", function()
    there:add_area(9, { x = 0, y = 0, radius = 1 })
    local string = here:hand_out(1)
    local before = there:save()
    fails("hand_in: area 9 is there already", there.hand_in, there, string)
    assert.equal(before, there:save())
    there:remove_area(9)
    before = there:save()
    local random = Random.new(1)
    for place = 1, #string do
      local byte = ("B"):pack(string:byte(place) ~ random:integer(1, 255))
      fails("hand_in: ", there.hand_in, there, string:sub(1, place - 1) .. byte .. string:sub(place + 1))
      fails("hand_in: ", there.hand_in, there, string:sub(1, place - 1))
    end
    assert.equal(before, there:save())
    there:hand_in(string)
  end)

  it("of none: nothing is added to the string", function()
    local bare, empty = new_with_areas(), new_with_areas()
    for _, space in ipairs { bare, empty } do
      space:enter(1, 0, 0)
    end
    empty:add_area(1, { x = 50, y = 0, radius = 1 })
    assert.equal(bare:hand_out(1), empty:hand_out(1))
  end)
end)

describe("Anchors", function()
  it("are given, kept, and asked for", function()
    local space = new { slack = 2 }
    space:enter(1, 0, 0)
    space:enter(2, 11, 1, { anchor = { 9.5, 1 } })
    assert.same({ 9.5, 1.0 }, { space:anchor(2) })
    assert.same({ 11.0, 1.0 }, { space:position(2) })
    assert.is_true(space:sees(1, 2))
    space:move(2, 11.5, 1)
    assert.same({ 9.5, 1.0 }, { space:anchor(2) })
    space:update(2, 11.5, 1, { anchor = { 13.5, 1 }, layers = 3 })
    assert.is_false(space:sees(1, 2))
    assert.is_nil(space:anchor(7))
    fails("option anchor is (9, 1), expected to be at most 2 (the slack) away from (11.5, 1)",
      space.update, space, 2, 11.5, 1, { anchor = { 9, 1 } })
    local deep = aoi.new { engine = "crosslist", radius = 5, dims = 3, slack = 1 }
    deep:enter(1, 1, 2, 3, { anchor = { 2, 1, 4 } })
    assert.same({ 2.0, 1.0, 4.0 }, { deep:anchor(1) })
    fails("option anchor is a table, expected { x, y, z }, finite numbers",
      deep.enter, deep, 2, 1, 2, 3, { anchor = { 1, 2 } })
  end)
end)

describe("The number of a tick", function()
  it("is greater than the last one", function()
    local space = new()
    space:tick(5)
    space:tick()
    assert.equal(6, space:stats().tick)
    for _, bad in ipairs { 6, 5, 0, -1, 6.5, 2 ^ 53 + 2, "7", {} } do
      fails("expected a whole number from 7 up to 2^53", space.tick, space, bad)
    end
    space:tick(2 ^ 53)
    assert.equal(aoi.load(space:save()):stats().tick, 1 << 53)
  end)

  it("ends at 2^53", function()
    for _, extra in ipairs { {}, { move_budget = 5 } } do
      extra.record = true
      local space, tick = new(extra)
      space:tick(2 ^ 53 - 1)
      local start = space:save()
      space:recorded()
      space:tick()
      space:enter(1, 0, 0)
      space:enter(2, 1, 0)
      local before = space:save()
      local text = "tick: the number of the last tick is 9007199254740992, expected less than 2^53"
      fails(text, space.tick, space)
      fails(text, space.tick, space, 2 ^ 53)
      fails(text, space.tick, space, (1 << 53) + 1)
      assert.equal(before, space:save())
      local copy = aoi.load(start)
      aoi.replay(copy, space:recorded())
      assert.equal(before, copy:save())
      fails(text, tick)
    end
  end)
end)

describe("One that was handed in and has left", function()
  for _, options in ipairs { {}, { limit = 1 }, { move_budget = 3 } } do
    it("is told its leaves also in a loaded space where nobody ever was" .. (next(options) or ""), function()
      local log = {}
      local function on_event(watcher, marker, op)
        log[#log + 1] = ("%d %s %d"):format(watcher, op, marker)
      end
      local function space_of_options()
        local all = { engine = "crosslist", radius = 10, deferred = true, on_event = on_event }
        for name, value in pairs(options) do
          all[name] = value
        end
        return aoi.new(all)
      end
      local here, there = space_of_options(), space_of_options()
      there:enter(3, 0, 0)
      there:enter(4, 1, 0)
      there:tick()
      log = {}
      here:hand_in(there:hand_out(3))
      here:leave(3)
      aoi.load(here:save(), { on_event = on_event }):tick()
      assert.same({ "3 leave 4" }, log)
    end)
  end
end)
