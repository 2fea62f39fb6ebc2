--[[ Wide views: world B with a radius of 300 and of 1,000, so that about 350 and 3,900 are in view.

A grid's cells follow its radius. Where they are a tenth of it, a view's border goes through more cells, but
fewer entities stand in them: that is a case of its own. ]]
local features = require "bench.features"
local measure = require "bench.measure"
local output = require "bench.output"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local wide = { name = "wide", text = "a move in world B with wide views, handlers on_enter and on_leave" }

local function run_radius(world, radius)
  local cases = {}
  local function add(id, engine, words, more)
    if features.has(engine) then
      local case = spaces.walking(spaces.filled(engine, world, spaces.enter_leave, { radius = radius }, more),
        world)
      case.id, case.words = id, words
      cases[#cases + 1] = case
    else
      output.missing(words)
    end
  end
  for _, engine in ipairs(features.engines) do
    add(engine, engine, engine, {})
  end
  add("small-cells", "folded", "folded, a tenth of the radius as cell", { cell = radius / 10 })
  measure.run(cases)
  output.note(("radius %d"):format(radius))
  output.header()
  for _, case in ipairs(cases) do
    output.row(("wide/%s/%d"):format(case.id, radius), case.words, case, { radius = radius })
    case.space:close()
  end
end

function wide.run()
  local world = worlds.named("B", measure.settings.moves // 2)
  run_radius(world, 300)
  run_radius(world, 1000)
end

return wide
