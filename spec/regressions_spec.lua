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

  it("ids in sequence: an unknown id was searched for among all of them", function()
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
end)
