-- World B with other radii than 50 for everybody.
local measure = require "bench.measure"
local output = require "bench.output"
local features = require "bench.features"
local Random = require "spec.support.random"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local radii = { name = "radii", text = "a move in world B by radii, handlers on_enter and on_leave" }

-- Radius options of entity id, or nil for the default of 50.
local function mixed()
  local draw = Random.draws(7)
  return function()
    if draw() < 0.1 then
      return { radius = 20 + 180 * draw() }
    end
  end
end

local function one_huge(id)
  return id == 1 and { radius = 5000 } or nil
end

local kinds = {
  { "uniform", "everybody 50", function() return nil end },
  { "mixed", "9 of 10 have 50, one 20 to 200", mixed },
  { "huge", "one of them has 5,000", function() return one_huge end },
}

function radii.run()
  local world = worlds.named("B", measure.settings.moves)
  for _, engine in ipairs(features.engines) do
    if features.has(engine) then
      local cases = {}
      for i, kind in ipairs(kinds) do
        local space = spaces.new(engine, world, spaces.enter_leave)
        worlds.enter(space, world, kind[3]())
        cases[i] = spaces.walking(space, world)
      end
      measure.run(cases)
      output.note(engine)
      output.header()
      for i, kind in ipairs(kinds) do
        local compared = i > 1 and measure.compare(cases[i].time.rounds, cases[1].time.rounds) or nil
        output.row(("radii/%s/%s"):format(engine, kind[1]), kind[2], cases[i],
          { engine = engine, radii = kind[1], compared = compared }, kinds[1][2])
        cases[i].space:close()
      end
    else
      output.missing(engine)
    end
  end
end

return radii
