-- The worlds of `make world-test`: how many regions, on which nodes, which options of a space, which walkers.
-- `words` go to the world service as they are, `options` to it and to the one space; with `moves` regions go
-- from node to node meanwhile. `audiences`: those of `handlers`, as layers.
local options = require "aoi.skynet.options"

local SIDE, MARGIN = 1200, 10

local cases = {
  {
    name = "2 x 2 regions, two radii", has_odd_ids = true, columns = 2, rows = 2,
    options = { engine = "grid", width = SIDE, height = SIDE, radius = 50 },
    slack = 0, max_radius = 100, radii = { 50, 100 },
  },
  {
    name = "3 x 3 regions, slack, areas", has_areas = true,
    columns = 3, rows = 3,
    options = { engine = "crosslist", radius = 40, slack = 6, shape = "circle" },
    slack = 6, max_radius = 90, radii = { 40, 90, 15.5 },
  },
  {
    name = "2 x 2 regions, a crowd", columns = 2, rows = 2, is_crowd = true,
    options = { engine = "quadtree", width = SIDE, height = SIDE, radius = 60, slack = 3, limit = 20,
      enter_budget = 6, move_budget = 12, rates = "20:1,50:2,huge:5" },
    slack = 3, max_radius = 120, radii = { 60, 120 },
  },
  {
    name = "3 x 3 regions, a crowd", has_odd_ids = true, is_crowd = true,
    columns = 3, rows = 3,
    options = { engine = "grid", width = SIDE, height = SIDE, radius = 60, limit = 12, keep_factor = 1.5,
      limit_layers = 1, clamp = true },
    slack = 0, max_radius = 100, radii = { 60, 100 },
  },
  {
    name = "3 x 3 regions that move, a crowd", columns = 3, rows = 3,
    is_crowd = true, has_areas = true, moves = true,
    options = { engine = "grid", width = SIDE, height = SIDE, radius = 60, slack = 3, limit = 20,
      enter_budget = 6, move_budget = 12, rates = "20:1,50:2,huge:5" },
    slack = 3, max_radius = 100, radii = { 60, 100 },
  },
  {
    name = "1 x 4 regions, two of them empty", has_odd_ids = true, columns = 1, rows = 4,
    options = { engine = "crosslist", radius = 50, shape = "circle" }, tall = 2, walkers = 300,
    slack = 0, max_radius = 100, radii = { 50, 100 },
  },
  {
    name = "1 x 1 region", columns = 1, rows = 1,
    options = { engine = "crosslist", radius = 50, slack = 2 }, walkers = 300,
    slack = 2, max_radius = 100, radii = { 50, 100 },
  },
  {
    name = "2 x 2 regions, everything", has_areas = true, has_everything = true, columns = 2, rows = 2,
    options = { engine = "grid", width = SIDE, height = SIDE, radius = 50, extras = 1, shape = "circle" },
    slack = 0, max_radius = 100, radii = { 50, 100, 20 }, handlers = "spec.world.secret_notes",
    audiences = { [1] = 2, [2] = 0 },
  },
  {
    name = "3 x 3 regions that move, a crowd with everything", has_areas = true, has_everything = true,
    is_crowd = true, moves = true, columns = 3, rows = 3,
    options = { engine = "quadtree", width = SIDE, height = SIDE, radius = 60, slack = 3, limit = 20,
      extras = 1, enter_budget = 6, move_budget = 12, rates = "20:1,50:2,huge:5" },
    slack = 3, max_radius = 100, radii = { 60, 100 }, handlers = "spec.world.secret_notes",
    audiences = { [1] = 2, [2] = 0 },
  },
  side = SIDE,
}

-- The words of a world that follow from the case: name -> value.
function cases.words_of(case)
  local words = {
    columns = case.columns, rows = case.rows, x = 0, y = 0, max_radius = case.max_radius, margin = MARGIN,
    handlers = case.has_areas and (case.handlers or "spec.world.area_notes") or nil,
  }
  for name, value in pairs(case.options) do
    words[name] = value
  end
  words.width, words.height = SIDE, SIDE * (case.tall or 1)
  return words
end

-- The options of one space, as a scene would understand the words of this case.
function cases.options_of(case)
  local words = {}
  for name, value in pairs(case.options) do
    words[#words + 1] = name .. "=" .. tostring(value)
  end
  local _, of_space = options.of_scene(words)
  of_space.extras, of_space.audiences = case.options.extras, case.audiences
  return of_space
end

-- The plan of paths.lua for this one of so many nodes, with so many walkers in all.
function cases.plan_of(case, node, nodes, walkers)
  return {
    side = SIDE, columns = case.columns, rows = case.rows, walkers = walkers, radii = case.radii,
    is_crowd = case.is_crowd, has_areas = case.has_areas, has_everything = case.has_everything,
    slack = case.slack, max_radius = case.max_radius, has_odd_ids = case.has_odd_ids, nodes = nodes,
    node = node,
  }
end

return cases
