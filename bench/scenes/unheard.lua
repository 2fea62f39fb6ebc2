--[[ Steps that nobody hears of: all are in each other's view and stay there, and there are handlers for enter
and leave only. Such a step should cost little more than its call.

They walk in 1000 x 1000 with a radius of 1,000: on a map of this size, which lies inside every view, and in
the corner of a larger one, where the borders of views go close past the crowd. Beside them stands a classic
nine-grid that has all in one cell. A round is a step of everybody. ]]
local features = require "bench.features"
local measure = require "bench.measure"
local output = require "bench.output"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local unheard = { name = "unheard", text = "steps that nobody hears of: all in one view, on_enter, on_leave" }

local ONE_VIEW = 1000

local maps = {
  { "map", "on a map of this size", ONE_VIEW },
  { "corner", "in a corner of a larger one", 10 * ONE_VIEW },
}

local function run_crowd(count, map)
  local id, words, side = table.unpack(map)
  local world = worlds.make({ entities = math.floor(count * worlds.part), size = ONE_VIEW },
    measure.settings.moves // 2)
  local cases = {}
  local function add(engine, more)
    local space = spaces.filled(engine, world, spaces.enter_leave, more)
    local case = spaces.walking(space, world)
    case.engine = engine
    cases[#cases + 1] = case
  end
  add("classic", { width = side, height = side, cols = side // ONE_VIEW, rows = side // ONE_VIEW })
  for _, engine in ipairs(features.engines) do
    local has_map = engine == "grid" or engine == "quadtree"
    if features.has(engine) then
      add(engine, { radius = ONE_VIEW, width = has_map and side or nil, height = has_map and side or nil })
    else
      output.missing(engine)
    end
  end
  measure.run(cases)
  output.note(("%d, %s"):format(count, words))
  output.header()
  for _, case in ipairs(cases) do
    if case.events ~= 0 then
      error(("%s tells %s events a step that nobody should hear of"):format(case.engine, case.events), 0)
    end
    output.row(("unheard/%s/%d/%s"):format(case.engine, count, id), case.engine, case, {
      engine = case.engine, round_time = case.time.median * world.entities / 1e6,
      method = case.floor.median,
    })
    case.space:close()
  end
end

function unheard.run()
  for _, count in ipairs { 2000, 5000 } do
    for _, map in ipairs(maps) do
      run_crowd(count, map)
    end
  end
end

return unheard
