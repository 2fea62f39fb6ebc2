-- Steps whose `move` events nobody hears: they take the shortest way through the core. In two
-- dimensions, against the brute-force model.
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them.

local aoi = require "aoi"
local compare = require "spec.support.compare"
local differential = require "spec.support.differential"

local listeners = {}
for _, listener in ipairs(compare.listeners) do
  if not listener.kinds.move then
    listeners[#listeners + 1] = listener
  end
end
assert(#listeners > 1)

local tests = differential.tests {
  sequences = 20,
  calls = 600,
  listeners = listeners,
  taste = {
    prepare = function(generator)
      generator.options.dims = nil
    end,
  },
  fits = function(engine)
    return engine.has_radius
  end,
}

describe("Steps that are not told themselves change what the model says,", function()
  for _, test in ipairs(tests) do
    it(test.name, test.run)
  end

  it("also when each of many goes alone into an empty cell", function()
    local entered = {}
    local space = aoi.new {
      engine = "grid", width = 100, height = 20, cell = 10, radius = 3,
      on_enter = function(watcher, marker)
        entered[#entered + 1] = watcher .. " " .. marker
      end,
    }
    for x = 9, 99, 10 do
      space:enter(x, x, 9)
      space:enter(x + 1, x, 5)
    end
    for x = 9, 99, 10 do
      space:move(x, x, 11)
    end
    assert.same({}, entered)
    for x = 9, 99, 10 do
      space:move(x, x, 8)
    end
    assert.equal(20, #entered)
  end)
end)
