-- A building with floors: people on top of each other on different floors do not see each other.

local aoi = require "aoi"
local engines = require "spec.support.engine_features"

local FLOOR_HEIGHT = 4

for _, engine in ipairs(engines) do
  if engine.has_radius then
    describe("A building on the " .. engine.name, function()
      local space, told
      before_each(function()
        told = {}
        space = aoi.new {
          engine = engine.engine,
          width = engine.has_map and 100 or nil,
          height = engine.has_map and 100 or nil,
          dims = 3,
          radius = 3, -- less than a floor
          on_event = function(watcher, marker, op)
            told[#told + 1] = ("%s %d>%d"):format(op, watcher, marker)
          end,
        }
      end)

      it("separates people on top of each other", function()
        for floor = 0, 9 do
          space:enter(floor, 50, 50, floor * FLOOR_HEIGHT)
        end
        assert.same({}, told)
        assert.is_false(space:sees(3, 4))
      end)

      it("brings together who takes the stairs", function()
        space:enter(1, 50, 50, 0)
        space:enter(2, 50, 50, FLOOR_HEIGHT)
        space:move(1, 50, 50, 1)
        table.sort(told)
        assert.same({ "enter 1>2", "enter 2>1" }, told)
        assert.is_true(space:sees(1, 2))
      end)

      it("has people on one floor see each other", function()
        space:enter(1, 50, 50, 2 * FLOOR_HEIGHT)
        space:enter(2, 52, 51, 2 * FLOOR_HEIGHT)
        assert.is_true(space:sees(2, 1))
      end)
    end)
  end
end
