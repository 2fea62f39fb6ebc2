-- How the cost grows: with the number of entities, with density, with the cell; and single enters and
-- teleports among many.
local measure = require "bench.measure"
local output = require "bench.output"
local features = require "bench.features"
local Random = require "spec.support.random"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local growth = { name = "growth", text = "how the cost of a move grows, handlers on_enter and on_leave" }

-- Measures a walk in the world for every engine that is there.
local function by_engine(world, id, words, more)
  local cases = {}
  for _, engine in ipairs(features.engines) do
    if features.has(engine) then
      local case = spaces.walking(spaces.filled(engine, world, spaces.enter_leave), world)
      case.engine = engine
      cases[#cases + 1] = case
    end
  end
  measure.run(cases)
  for _, case in ipairs(cases) do
    more.engine = case.engine
    output.row(id:format(case.engine), words:format(case.engine), case, more)
    case.space:close()
  end
end

local function entities_at_one_density(moves)
  output.note("number of entities, one on 1,000 square units (10 in view)")
  output.header()
  for _, entities in ipairs { 1000, 3000, 10000, 30000, 100000 } do
    if entities <= measure.settings.most_entities then
      by_engine(worlds.with_entities(entities, moves), "growth/entities/%s/" .. entities,
        "%s, " .. entities .. " entities", { series = "entities", entities = entities })
    end
  end
end

local function density(moves)
  local entities = math.floor(10000 * worlds.part)
  output.note(("density: %d entities, about so many in view"):format(entities))
  output.header()
  for _, in_view in ipairs { 1, 3, 10, 30, 100, 300 } do
    -- The view is a square with a side of 2 r.
    local size = math.sqrt(entities * (2 * worlds.RADIUS) ^ 2 / in_view)
    by_engine(worlds.make({ entities = entities, size = size }, in_view > 30 and moves // 4 or moves),
      "growth/density/%s/" .. in_view, "%s, " .. in_view .. " in view",
      { series = "density", in_view = in_view })
  end
end

local function cells(moves)
  output.note("grid: side of a cell, radius 50; worlds B and C")
  output.header()
  for _, name in ipairs { "B", "C" } do
    local world = worlds.named(name, name == "C" and moves // 2 or moves)
    local cases = {}
    for _, cell in ipairs { 15, 25, 50, 75, 100, 150, 200, false } do
      local space = spaces.filled("grid", world, spaces.enter_leave, { cell = cell or nil })
      local case = spaces.walking(space, world)
      case.cell = cell
      cases[#cases + 1] = case
    end
    measure.run(cases)
    for _, case in ipairs(cases) do
      local side = case.space:stats().cell_width
      output.row(("growth/cells/%s/%s"):format(name, case.cell or "default"),
        case.cell and ("world %s, cell %d"):format(name, case.cell)
          or ("world %s, default (%.0f)"):format(name, side),
        case, { series = "cells", world = name, cell = side, default = not case.cell })
      case.space:close()
    end
  end
end

-- A few more enter, and some of those inside are put anywhere, among so many.
local function enter_and_teleport(engine, entities)
  local world = worlds.with_entities(entities, 0)
  local count = math.min(1000, entities // 10)
  local copies = 4000 // count
  local space = spaces.filled(engine, world, spaces.enter_leave)
  local draw = Random.draws(11)
  local places = {}
  for i = 1, 2 * count * copies do
    places[i] = draw() * world.size
  end
  -- Enters come in batches of `count` that leave again, so that the number inside stays about the same.
  local function enter_batch(first)
    for i = first, first + count - 1 do
      space:enter(entities + i, places[2 * i - 1], places[2 * i])
    end
  end
  local function leave_batch(first)
    for i = first, first + count - 1 do
      space:leave(entities + i)
    end
  end
  local enter = { call = "enter", space = space, calls = count }
  local batch = 0
  function enter.prepare()
    batch = batch % copies + 1
  end
  function enter.play()
    enter_batch((batch - 1) * count + 1)
  end
  function enter.finish()
    leave_batch((batch - 1) * count + 1)
  end
  local teleport = { call = "teleport", space = space, calls = count * copies }
  function teleport.play(round)
    for i = 1, count * copies do
      -- Every round other entities go to each place.
      space:move((i * 7 + round * 13) % entities + 1, places[2 * i - 1], places[2 * i])
    end
  end
  local cases = { enter, teleport }
  measure.run(cases)
  for _, case in ipairs(cases) do
    output.row(("growth/%s/%s/%d"):format(case.call, engine, entities),
      ("%s: %s among %d"):format(engine, case.call, entities), case,
      { series = case.call, engine = engine, entities = entities })
  end
  space:close()
end

function growth.run()
  local moves = measure.settings.moves // 2
  entities_at_one_density(moves)
  density(moves)
  cells(moves)
  output.note("enter and teleport among so many, one on 1,000 square units")
  output.header()
  for _, engine in ipairs(features.engines) do
    for _, entities in ipairs { 1000, 10000, 100000 } do
      if features.has(engine) and entities <= measure.settings.most_entities then
        enter_and_teleport(engine, entities)
      end
    end
  end
end

return growth
