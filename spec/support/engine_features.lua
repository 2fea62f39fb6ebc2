-- Abilities of each engine and rule, for the random sequences: one row each. A new engine, or a new ability
-- of one, is a new row or field here; the generator and the specs read it.
--
--   engine         the `engine` option
--   has_map        needs width and height; positions outside are errors unless `clamp`
--   has_cells      takes `cell`, or, with a map, `cols` and `rows`
--   needs_radius   has no options without a default radius
--   has_radius     exact radius; without it the nine-grid rule holds (cells that touch)
--   has_bounds     takes set_bounds
--   dims           the dimensions it is tested in
--   extra_options  options of this engine alone, each { name = ..., values = list }

return {
  {
    name = "grid with a radius",
    engine = "grid",
    has_map = true,
    has_cells = true,
    has_radius = true,
    has_bounds = true,
    dims = { 2, 2, 3 },
  },
  {
    name = "classic nine-grid",
    engine = "grid",
    has_map = true,
    has_cells = true,
    has_radius = false,
    has_bounds = true,
    dims = { 2 },
  },
  {
    name = "grid without a map",
    engine = "grid",
    has_map = false,
    has_cells = true,
    needs_radius = true,
    has_radius = true,
    dims = { 2, 2, 3 },
  },
  {
    name = "crosslist",
    engine = "crosslist",
    has_map = false,
    has_cells = false,
    has_radius = true,
    dims = { 2, 2, 3 },
  },
  {
    name = "quadtree",
    engine = "quadtree",
    has_map = true,
    has_cells = false,
    has_radius = true,
    has_bounds = true,
    dims = { 2, 2, 3 },
    extra_options = {
      { name = "capacity", values = { 1, 2, 4, 16 } },
      { name = "max_depth", values = { 2, 3, 8 } },
    },
  },
}
