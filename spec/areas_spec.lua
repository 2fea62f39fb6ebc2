-- How events of areas reach handlers and lists: what the contract says of delivery, for on_area.
local aoi = require "aoi"
local engines = require "spec.support.engines"

-- The space of an engine, in which marker 1 stands in the middle of nowhere.
local function new_space(row, handlers)
  local space = row.new(handlers)
  space:enter(1, 90, 90, { mode = "m" })
  return space
end

local HERE = { x = 50, y = 50, radius = 5 }

for _, row in ipairs(engines.all) do
  describe("areas of " .. row.name .. ":", function()
    it("on_area gets area, marker and op, whatever the ids", function()
      local told = {}
      local space = new_space(row, { on_area = function(...) told[#told + 1] = table.pack(...) end })
      space:enter(math.mininteger, 50, 50)
      space:add_area(math.maxinteger, HERE)
      space:add_area(-5.0, { owner = 1, radius = 500 })
      space:leave(1)
      assert.same({
        { math.maxinteger, math.mininteger, "enter", n = 3 },
        { -5, math.mininteger, "enter", n = 3 },
        { -5, math.mininteger, "leave", n = 3 },
      }, told)
      assert.equal("integer", math.type(told[2][1]))
    end)

    it("drain gives area_enter and area_leave, packed 8 and 16", function()
      local space = new_space(row, { collect = true })
      space:add_area(7, HERE)
      space:move(1, 50, 50)
      space:move(1, 90, 90)
      local events, n = space:drain()
      assert.same({ 7, 1, "area_enter", 7, 1, "area_leave" }, events)
      assert.equal(2, n)
      space:move(1, 50, 50)
      space:remove_area(7)
      local rows, count = space:drain "packed"
      assert.equal(("<i8i8Bi8i8B"):pack(7, 1, 8, 7, 1, 16), rows)
      assert.equal(2, count)
    end)

    it("collect takes the kinds apart", function()
      for _, kind in ipairs { "area_enter", "area_leave" } do
        local space = new_space(row, { collect = { kind, "move" } })
        space:add_area(7, HERE)
        space:move(1, 50, 50)
        space:move(1, 90, 90)
        assert.same({ 7, 1, kind }, (space:drain()))
      end
    end)

    it("without on_area nothing waits, and on{} drops what does", function()
      local space = new_space(row, { on_event = function() end })
      space:add_area(7, HERE)
      space:move(1, 50, 50)
      assert.equal(0, space:pending())
      space:on { on_area = function() error("enough", 0) end }
      space:add_area(8, { x = 80, y = 80, radius = 5 })
      assert.is_false(pcall(space.move, space, 1, 80, 80))
      assert.equal(1, space:pending()) -- one area was left, the other is not yet told of
      space:on { on_event = function() end }
      assert.equal(1, space:pending()) -- the change has begun
      assert.is_false(pcall(space.flush, space))
      assert.equal(0, space:pending())
      space:on { on_area = function() error("enough", 0) end }
      assert.is_false(pcall(space.move_all, space, { 1, 50, 50, 1, 80, 80, 1, 50, 50 }))
      assert.equal(5, space:pending())
      space:on { on_event = function() end }
      assert.equal(1, space:pending())
    end)

    it("an error of on_area reaches the caller, and the rest waits", function()
      local told = {}
      local space = new_space(row, { on_area = function(area, _, op)
        told[#told + 1] = area .. op
        if #told == 1 then
          error("first", 0)
        end
      end })
      space:add_area(7, HERE)
      space:add_area(8, HERE)
      local ok, message = pcall(space.move, space, 1, 50, 50)
      assert.same({ false, "first" }, { ok, message })
      assert.equal(1, space:pending())
      space:flush()
      table.sort(told)
      assert.same({ "7enter", "8enter" }, told)
    end)

    it("on_error gets the area, the marker and area_enter or area_leave", function()
      local told = {}
      local space = new_space(row, {
        on_area = function() error("wrong", 0) end,
        on_error = function(...) told[#told + 1] = { ... } end,
      })
      space:add_area(7, HERE)
      space:move(1, 50, 50)
      space:move(1, 90, 90)
      assert.same({ { "wrong", 7, 1, "area_enter" }, { "wrong", 7, 1, "area_leave" } }, told)
    end)

    it("on_area may yield, and calls of others go on", function()
      local told, waiting = {}, nil
      local space = new_space(row, { on_area = function(area, _, op)
        told[#told + 1] = area .. op
        if not waiting then
          waiting = coroutine.running()
          coroutine.yield()
          told[#told + 1] = "resumed"
        end
      end })
      space:add_area(7, HERE)
      coroutine.wrap(space.move)(space, 1, 50, 50)
      space:move(1, 90, 90)
      coroutine.resume(waiting)
      assert.same({ "7enter", "7leave", "resumed" }, told)
    end)

    it("what on_area changes is told after it returns", function()
      local told, space = {}, nil
      space = new_space(row, { on_area = function(area, marker, op)
        told[#told + 1] = ("%d %s %d"):format(area, op, marker)
        if area == 7 and op == "enter" then
          space:remove_area(7)
          space:leave(marker)
          space:add_area(9, { x = 90, y = 90, radius = 5 })
          told[#told + 1] = "done"
        end
      end })
      space:enter(2, 90, 90, { mode = "m" })
      space:add_area(7, HERE)
      space:move(1, 50, 50)
      assert.same({ "7 enter 1", "done", "7 leave 1", "9 enter 2" }, told)
      assert.same({ false, 1 }, { space:in_area(7, 1), select(2, space:areas()) })
    end)

    it("a handler may clear and close the space", function()
      for _, method in ipairs { "clear", "close" } do
        local count, space = 0, nil
        space = new_space(row, { on_area = function()
          count = count + 1
          space[method](space)
        end })
        space:add_area(7, HERE)
        space:add_area(8, HERE)
        space:move(1, 50, 50)
        assert.equal(1, count)
        if method == "clear" then
          assert.equal(0, select(2, space:areas()))
          assert.equal(0, space:stats().areas)
        end
      end
    end)

    it("views are told first, whatever hears of them", function()
      local told = {}
      local function note(kind)
        return function() told[#told + 1] = kind end
      end
      local space = row.new()
      space:enter(1, 50, 50)
      space:add_area(7, { owner = 1, radius = 9 })
      space:add_area(8, HERE)
      for _, name in ipairs { "on_event", "on_enter", "on_watchers", "on_markers", "on_view" } do
        told = {}
        space:on { [name] = note "view", on_area = note "area" }
        space:enter(2, 51, 51)
        assert.same({ "area", "area" }, { table.unpack(told, #told - 1) })
        assert.is_true(#told >= 3, name)
        for i = 1, #told - 2 do
          assert.equal("view", told[i])
        end
        space:on {}
        space:leave(2)
      end
    end)

    it("layers and modes of those who stand still count", function()
      local told = {}
      local space = new_space(row, { on_area = function(area, marker, op)
        told[#told + 1] = ("%d %s %d"):format(area, op, marker)
      end })
      space:add_area(7, { x = 90, y = 90, radius = 5, sees_layers = 2 })
      space:set_layers(1, 3)
      space:set_mode(1, "w")
      space:set_mode(1, "wm")
      space:set_layers(1, 1)
      space:set_area(7, { sees_layers = 1 })
      assert.same({ "7 enter 1", "7 leave 1", "7 enter 1", "7 leave 1", "7 enter 1" }, told)
    end)

    it("update_area adds, or changes what it names, in one change, and says which", function()
      local told = {}
      local space = new_space(row, { on_area = function(area, marker, op)
        told[#told + 1] = ("%d %s %d"):format(area, op, marker)
      end })
      space:record(true)
      local saved = space:save()
      assert.is_true(space:update_area(7, { x = 90, y = 90, radius = 5 }))
      assert.is_false(space:update_area(7, { radius = 1, sees_layers = 3 }))
      assert.is_false(space:update_area(7, {}))
      assert.has_error(function() space:update_area(8, {}) end,
        "update_area: option radius is nil, expected a number from 0 up")
      assert.same({ "7 enter 1" }, told)
      local again = aoi.load(saved)
      aoi.replay(again, space:recorded())
      assert.is_true(again:in_area(7, 1))
    end)

    it("a batch that fails changes no member, not even one that leave_radius keeps", function()
      local told = {}
      local space = new_space(row, { on_area = function(_, _, op) told[#told + 1] = op end })
      space:add_area(7, { x = 50, y = 50, radius = 5, leave_radius = 10 })
      assert.is_false(pcall(space.move_all, space, { 1, 50, 50, 1, 58, 50, 777, 0, 0 }))
      space:move(1, 58, 50)
      assert.is_false(space:in_area(7, 1))
      space:move(1, 50, 50)
      space:move(1, 58, 50)
      assert.is_false(pcall(space.move_all, space, { 1, 70, 50, 777, 0, 0 }))
      assert.is_true(space:in_area(7, 1))
      assert.same({ "enter" }, told)
    end)

    it("a tick tells the net change, and an area that was removed and added again is the same", function()
      local told = {}
      local space = row.new { deferred = true, on_area = function(area, marker, op)
        told[#told + 1] = ("%d %s %d"):format(area, op, marker)
      end }
      local function tick()
        local before = told
        space:tick()
        told = {}
        table.sort(before)
        return table.concat(before, ", ")
      end
      space:enter(1, 50, 50)
      space:enter(2, 57, 50)
      space:enter(3, 50, 58)
      space:add_area(7, { owner = 3, dy = -8, radius = 5, leave_radius = 8 })
      assert.equal("7 enter 1", tick())
      space:move(1, 90, 90)
      space:move(1, 57, 50)
      space:remove_area(7)
      space:add_area(7, { x = 50, y = 50, radius = 1, leave_radius = 7 })
      assert.is_true(space:in_area(7, 1))
      assert.is_false(space:in_area(7, 2))
      assert.equal("", tick())
      space:leave(1)
      space:enter(1, 56, 50)
      assert.equal("", tick())
      space:leave(1)
      assert.equal("7 leave 1", tick())
      space:set_area(7, { owner = 2, radius = 10 })
      space:leave(2)
      space:enter(2, 57, 50)
      assert.equal("", tick())
      assert.equal(0, select(2, space:areas()))
    end)

    it("a loaded space has them, and tells what waited", function()
      local space = new_space(row, { on_area = function() error("stop", 0) end })
      space:add_area(7, { x = 50, y = 50, radius = 5, leave_radius = 8 })
      space:add_area(8, { owner = 1, shape = "square", radius = 3, sees_layers = 4 })
      local rings = { { 40, 40, 60, 40, 60, 60 }, { 52, 44, 56, 44, 56, 48 } }
      space:add_area(9, { shape = "polygon", points = rings })
      pcall(space.move, space, 1, 53, 50)
      local told = {}
      local function on_area(area, _, op)
        told[#told + 1] = area .. op
      end
      local again = aoi.load(space:save(), { on_area = on_area })
      again:flush()
      assert.equal(1, #told)
      again:move(1, 57, 50)
      assert.equal(3, select(2, again:areas()))
      assert.is_true(again:in_area(7, 1))
      again:enter(2, 57, 50, { layers = 4 })
      assert.is_true(again:in_area(8, 2))
    end)

    it("a replay makes them, and gives their events", function()
      local space = new_space(row, { record = true, collect = true })
      local saved = space:save()
      space:recorded()
      space:add_area(7, HERE)
      space:move(1, 50, 50)
      space:set_area(7, { shape = "rect", width = 1, height = 1, sees_layers = 1 })
      space:move_area(7, 10, 10)
      space:remove_area(7)
      local again = aoi.load(saved)
      local events, n = aoi.replay(again, space:recorded(), { events = {} })
      assert.same({ 7, 1, "area_enter", 7, 1, "area_leave" }, events)
      assert.equal(2, n)
      assert.equal(5, again:stats().calls - aoi.load(saved):stats().calls)
    end)
  end)
end

describe("an on_area of a space from the classic call", function()
  it("does not get the space first", function()
    local told
    local space = aoi.new(100, 100, 10, 10, function() end)
    space:on { on_area = function(...) told = { ... } end }
    space:add_area(7, HERE)
    space:enter(1, 50, 50)
    assert.same({ 7, 1, "enter" }, told)
  end)
end)

describe("short steps near areas", function()
  -- The events about marker 1 on this way, three numbers a place where there are three dimensions.
  local function told_on(way, dims, areas)
    local told = {}
    local space = aoi.new { engine = "grid", width = 100, height = 100, radius = 10, dims = dims,
      on_area = function(area, _, op) told[#told + 1] = area .. op end }
    for id, area in ipairs(areas) do
      space:add_area(id, area)
    end
    space:enter(1, table.unpack(way, 1, dims))
    for at = dims + 1, #way, dims do
      space:move(1, table.unpack(way, at, at + dims - 1))
    end
    return told
  end

  it("within the leave_radius come in at the radius", function()
    local way = { 56, 50, 55.5, 50, 54, 50, 56, 50, 59, 50, 57, 50 }
    assert.same({ "1enter", "1leave" }, told_on(way, 2, { { x = 50, y = 50, radius = 5, leave_radius = 8 } }))
  end)

  it("come into a ball from above", function()
    local way = { 50, 50, 56, 50.5, 50, 54, 50, 50, 56 }
    assert.same({ "1enter", "1leave" }, told_on(way, 3, { { x = 50, y = 50, z = 50, radius = 5 } }))
  end)

  it("find an area of the next cell, also beside areas of another size", function()
    for cell = 0, 64, 16 do -- some cells share their chain with the next one
      local areas = { { x = cell + 14, y = 14, radius = 5 }, { x = cell + 24.5, y = 8, radius = 5 },
        { x = 500, y = 500, radius = 60 } }
      assert.same({ "2enter" }, told_on({ cell + 14, 8, cell + 14, 8.1, cell + 21, 8 }, 2, areas))
    end
  end)
end)
