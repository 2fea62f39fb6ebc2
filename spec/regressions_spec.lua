-- Faults that were found once, each by the program that showed it. Together with the random
-- sequences they keep them from coming back.
local aoi = require "aoi"
local engines = require "spec.support.engines"

describe("what was broken once", function()
  it("a circle so small that its square is subnormal: an enter event was missing", function()
    local told = {}
    local space = aoi.new {
      engine = "crosslist", radius = 1.6666666666666667e-162, shape = "circle",
      on_enter = function(watcher, marker) told[#told + 1] = watcher .. " " .. marker end,
      on_leave = function() end,
    }
    space:enter(2, 0, 0)
    space:enter(7, 1e-161, 5e-162)
    space:set_radius(2, 2.6666666666666665e-162)
    space:move(2, 5.1475691651925442e-162, 1.6052547928566731e-162)
    space:move(7, 6.8142358318592109e-162, 3.2719214595233403e-162)
    assert.is_false(space:sees(2, 7))
    space:move(7, 6.6962175282339252e-162, 3.3190502091621364e-162)
    assert.is_true(space:sees(2, 7))
    assert.same({ "2 7" }, told)
  end)

  it("a radius that grows in three dimensions: markers above and below were forgotten", function()
    local entered = {}
    local space = aoi.new {
      engine = "grid", width = 100, height = 100, radius = 10, dims = 3,
      on_enter = function(watcher, marker) entered[#entered + 1] = watcher .. " " .. marker end,
      on_leave = function() end,
    }
    space:enter(1, 50, 50, 0)
    space:enter(2, 50, 50, 20)
    space:set_radius(1, 30)
    assert.same({ "1 2" }, entered)
  end)

  it("ids in sequence: an unknown id was searched for among all of them #crowd", function()
    local space = aoi.new { engine = "crosslist", radius = 0 }
    for id = 1, 50000 do
      space:enter(id, id, id)
    end
    -- Quadratic time would be minutes here.
    local start = os.clock()
    for id = 1, 50000 do
      assert(not space:has(id + 50000))
    end
    for id = 1, 50000 do
      space:leave(id)
    end
    assert.is_true(os.clock() - start < 20)
  end)

  it("an unknown option: its name and its value stood in each other's place", function()
    local ok, message = pcall(aoi.new, { engine = "crosslist", radius = 1, radiu = 5 })
    assert.is_false(ok)
    assert.is_truthy(message:find("option radiu = 5 is unknown", 1, true), message)
  end)

  for _, row in ipairs(engines.all) do
    it("on{} inside on_event: on_enter of the same event was already the new one, in "
        .. row.name, function()
      local heard = {}
      local space
      space = row.new {
        on_event = function()
          space:on { on_enter = function() heard[#heard + 1] = "new" end }
        end,
        on_enter = function() heard[#heard + 1] = "old" end,
      }
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 51, 51, { mode = "m" })
      assert.same({ "old" }, heard)
      space:enter(3, 51, 52, { mode = "m" })
      assert.same({ "old", "new" }, heard)
    end)
  end

  it("set_bounds changes the views of many watchers: on_view heard of one of them", function()
    local space = aoi.new { engine = "grid", width = 100, height = 100, cols = 10, rows = 10 }
    for id = 1, 4 do
      space:enter(id, 30 * id - 25, 5)
    end
    local views = {}
    space:on { on_view = function(watcher, _, left, entered, n, _, moved)
      local ids = table.move(entered, 1, n, 1, {})
      table.sort(ids)
      views[watcher] = ("%d left, %s entered, %d moved"):format(left, table.concat(ids, " "), moved)
    end }
    space:set_bounds(0, 0, 1000, 1000) -- now all stand in one cell
    assert.same({
      "0 left, 2 3 4 entered, 0 moved", "0 left, 1 3 4 entered, 0 moved",
      "0 left, 1 2 4 entered, 0 moved", "0 left, 1 2 3 entered, 0 moved",
    }, views)
    assert.equal(0, space:pending())
  end)

  it("on{} inside on_view, with on_event set too: the view was told for ever", function()
    local views, events = 0, 0
    local space
    local function on_event() events = events + 1 end
    local function on_view()
      views = views + 1
      assert(views <= 10, "endless")
      space:on { on_view = on_view, on_event = on_event }
    end
    space = aoi.new { engine = "crosslist", radius = 5, on_view = on_view, on_event = on_event }
    space:enter(1, 0, 0)
    space:enter(2, 1, 1)
    assert.equal(2, views)
    assert.equal(2, events)
  end)

  it("on{} with half of a change told: nothing is told twice, nothing is lost", function()
    for _, first in ipairs { "on_view", "on_watchers", "on_markers", "on_event" } do
      for _, second in ipairs { "on_view", "on_watchers", "on_markers", "on_event" } do
        local told = 0
        local space
        -- Each handler counts the pairs that it hears of.
        local handlers = {
          on_view = function(_, _, left, _, entered, _, moved) told = told + left + entered + moved end,
          on_watchers = function(_, _, _, n) told = told + n end,
          on_markers = function(_, _, _, n) told = told + n end,
          on_event = function() told = told + 1 end,
        }
        space = aoi.new { engine = "crosslist", radius = 5 }
        for id = 1, 6 do
          space:enter(id, id / 10, 0)
        end
        local switched = false
        space:on { [first] = function(...)
          handlers[first](...)
          if not switched then
            switched = true
            space:on { [second] = handlers[second] }
          end
        end }
        space:enter(7, 0, 0)
        assert.equal(12, told, first .. " then " .. second)
        assert.equal(0, space:pending())
      end
    end
  end)
end)
