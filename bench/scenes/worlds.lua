-- The main numbers: a move in the worlds A to F, one call per move, enter and leave told as they happen.
local measure = require "bench.measure"
local output = require "bench.output"
local features = require "bench.features"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local scene = { name = "worlds", text = "a move, per call, handlers on_enter and on_leave, radius 50" }

function scene.run()
  local names = { table.unpack(worlds.order) }
  names[#names + 1] = "S"
  for _, name in ipairs(names) do
    local definition = worlds.definitions[name]
    if definition.entities * worlds.part <= measure.settings.most_entities then
      local world = worlds.named(name, measure.settings.moves)
      local cases, missing = {}, {}
      for _, engine in ipairs(features.engines) do
        if features.has(engine) then
          local case = spaces.walking(spaces.filled(engine, world, spaces.enter_leave), world)
          case.engine = engine
          cases[#cases + 1] = case
        else
          missing[#missing + 1] = engine
        end
      end
      measure.run(cases)
      output.note(("world %s: %s"):format(name, definition.text))
      output.header()
      for _, case in ipairs(cases) do
        output.row(("worlds/%s/%s"):format(case.engine, name), case.engine, case,
          { engine = case.engine, world = name, entities = world.entities })
        case.space:close()
      end
      for _, engine in ipairs(missing) do
        output.missing(engine)
      end
    end
  end
end

return scene
