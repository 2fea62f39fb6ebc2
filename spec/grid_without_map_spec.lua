-- The grid without a map: what it takes, and how its array of buckets follows the entities. That it tells the
-- events that every engine tells is for the specs that run over all engines.
local aoi = require "aoi"

local MOST = 4800 -- entities; a tiny build has no room for many more

local function message_of(options)
  local ok, message = pcall(aoi.new, options)
  assert.is_false(ok)
  return message
end

describe("A grid without a map", function()
  it("is what a radius alone makes", function()
    local space = aoi.new { radius = 50 }
    assert.equal("aoi.space (grid, 0 entities, no map)", tostring(space))
    local stats = space:stats()
    assert.equal("grid", stats.engine)
    assert.is_nil(stats.cols)
    assert.is_nil(stats.rows)
    assert.is_nil(stats.cell_width)
  end)

  it("is not made of nothing: the message names both ways out", function()
    assert.equal("new: option radius is missing, or options width and height: a grid needs a radius or " ..
      "a map", message_of {})
  end)

  for name, value in pairs { x = 5, y = 5, cols = 4, rows = 4, clamp = true } do
    it("does not take " .. name, function()
      assert.equal(("new: option %s is %s, expected none: a grid without width and height has no map"):format(
        name, tostring(value)), message_of { radius = 50, [name] = value })
    end)
  end

  it("does not take half a map", function()
    assert.equal("new: option height is missing: width and height go together",
      message_of { radius = 50, width = 5 })
    assert.equal("new: option width is missing: width and height go together",
      message_of { radius = 50, height = 5 })
  end)

  it("needs a cell where the radius says nothing of its size", function()
    for _, radius in ipairs { 0, math.huge } do
      assert.is_truthy(message_of({ radius = radius }):find("option cell is missing", 1, true))
      assert.equal(0, #aoi.new { radius = radius, cell = 10 })
    end
    assert.equal("new: option cell is 0, expected a finite number above 0",
      message_of { radius = 5, cell = 0 })
  end)

  it("has no bounds to set", function()
    local space = aoi.new { radius = 5 }
    local ok, message = pcall(space.set_bounds, space, 0, 0, 10, 10)
    assert.is_false(ok)
    assert.equal("set_bounds: this space has no map", message)
  end)

  it("holds every finite place", function()
    local space = aoi.new { radius = 50, collect = true }
    for id, place in ipairs { 0, 1.7e308, -1.7e308, 1e17, -1e17, 2 ^ 53, 1e-300 } do
      space:enter(id, place, -place)
      space:enter(-id, place, -place)
      assert.is_true(space:sees(id, -id))
    end
    assert.is_true(space:sees(1, 7))
    assert.is_false(space:sees(1, 6))
    space:move(2, 20, 20)
    assert.is_true(space:sees(2, 1))
    assert.is_false(space:sees(2, -2))
    assert.same({ 2 }, (space:query_nearest(19, 19, 1)))
    assert.same({ -3 }, (space:query_nearest(-1.7e308, 1.7e308, 1)))
  end)

  it("searches cells that are far below all that have a number of their own", function()
    local space = aoi.new { radius = 4096, cell = 512, collect = true }
    for id = 1, 400 do -- else there are no more buckets than a search asks for
      space:enter(id, id * 1e5, 1e9)
    end
    space:enter(401, -1e19, 0)
    space:enter(402, -1e19 + 2048, 0)
    assert.equal(2, select(2, space:drain {}))
  end)

  it("finds watchers that see everything, wherever they are", function()
    local space = aoi.new { radius = 10, collect = true }
    for id = 1, 400 do
      space:enter(id, id * 1000, id * -1000, { radius = math.huge, mode = "w" })
    end
    space:enter(401, 5e5, 5e5, { mode = "m" })
    assert.equal(400, select(2, space:drain {}))
  end)

  -- Larger cells than a view, and many that are smaller.
  for _, cell in ipairs { 110, 12 } do
    it("tells of steps what the cross-list tells, with cells of " .. cell, function()
      local random = require("spec.support.random").new(7)
      local spaces = { aoi.new { radius = 50, cell = cell }, aoi.new { engine = "crosslist", radius = 50 } }
      local logs = { {}, {} }
      for i, space in ipairs(spaces) do
        space:on { on_enter = function(watcher, marker) table.insert(logs[i], watcher .. ">" .. marker) end }
      end
      local places = {}
      for id = 1, 1600 do
        places[id] = { random:integer(-1000, 1000), random:integer(-1000, 1000) }
      end
      for round = 0, 2 do
        for id, place in ipairs(places) do
          place[1] = place[1] + round * random:integer(-9, 9)
          place[2] = place[2] + round * random:integer(-9, 9)
          for _, space in ipairs(spaces) do
            space[round == 0 and "enter" or "move"](space, id, place[1], place[2])
          end
        end
      end
      table.sort(logs[1])
      table.sort(logs[2])
      assert.equal(table.concat(logs[2], " "), table.concat(logs[1], " "))
    end)
  end

  it("finds the nearest wherever all are", function()
    local space = aoi.new { radius = 1 }
    for id = 1, 500 do
      space:enter(id, 1e6 + id * 100, -1e6)
    end
    local nearest = space:query_nearest(1e6 + 20030, -1e6, 3)
    assert.same({ 200, 201, 199 }, nearest)
  end)

  it("has as many buckets as its entities need, and gives them back", function()
    local space = aoi.new { radius = 50 }
    local before = space:stats()
    for id = 1, MOST do
      space:enter(id, id % 100 * 20, id // 100 * 20)
    end
    local full = space:stats()
    assert.is_true(full.cells >= MOST / 8 and full.cells <= MOST, full.cells)
    for id = 1, MOST do
      space:leave(id)
    end
    space:enter(1, 0, 0)
    for step = 1, MOST do -- each change moves some points to the smaller fold
      space:move(1, step % 2, 0)
    end
    assert.is_true(space:stats().cells <= before.cells * 2, space:stats().cells)
    space:clear()
    assert.equal(before.cells, space:stats().cells)
  end)

  it("keeps clusters apart that are exactly a fold apart", function()
    local space = aoi.new { radius = 50, cell = 100 }
    local apart = 64 * 100 -- no fold has more columns or rows
    for id = 0, MOST - 1 do
      local cluster, place = id % 100, id // 100
      space:enter(id, cluster % 10 * apart + place, cluster // 10 * apart)
    end
    local stats = space:stats()
    assert.is_true(stats.cells <= 64 * 64, stats.cells)
    assert.is_true(stats.longest_chain <= MOST / 10, stats.longest_chain) -- without the shift: all
  end)

  it("takes the same order for the same history", function()
    local function history()
      local space, log = aoi.new { radius = 50 }, {}
      space:on { on_event = function(watcher, marker, op) log[#log + 1] = watcher .. op .. marker end }
      for id = 1, 3000 do
        space:enter(id, id * 7919 % 3001, id * 104729 % 2999)
      end
      for id = 1, 3000, 3 do
        space:leave(id)
      end
      for id = 2, 3000, 3 do
        space:move(id, id * 7919 % 3001 + 40, id * 104729 % 2999)
      end
      return table.concat(log, " ")
    end
    assert.equal(history(), history())
  end)

  it("takes a batch back while it changes folds", function()
    local space, rows = aoi.new { radius = 50, collect = true }, {}
    for id = 1, 100 do
      space:enter(id, id * 37 % 1000, id * 91 % 1000)
    end
    local before = space:drain {}
    for id = 1, 600 do
      for _, value in ipairs { id, id * 53 % 1500, id * 17 % 1500 } do
        rows[#rows + 1] = value
      end
    end
    rows[#rows - 1] = 0 / 0
    assert.is_false((pcall(space.update_all or space.enter_all, space, rows)))
    assert.equal(100, #space)
    for id = 1, 100 do
      assert.equal(id * 37 % 1000, (space:position(id)))
    end
    assert.is_truthy(before)
    assert.equal(0, select(2, space:drain {}))
  end)
end)
