-- The engines that the common contract runs over, one row each: a new engine is one more row.
--
-- All rows share one frame, so that a spec works with every engine: a map from (0, 0) to
-- (100, 100) where the engine has one, and a view of 10. Two points at most 7 apart on each axis
-- see each other everywhere; two points 20 or more apart on one axis never do.
local engines = {}

-- As an option's value: leave the row's own value out.
engines.none = {}

local rows = {
  {
    name = "grid, nine cells",
    map = true,
    exact = false,
    base = { engine = "grid", width = 100, height = 100, cols = 10, rows = 10 },
  },
  {
    name = "grid, exact radius",
    map = true,
    exact = true,
    base = { engine = "grid", width = 100, height = 100, cell = 10, radius = 10 },
  },
  {
    name = "grid, exact radius, small cells",
    map = true,
    exact = true,
    base = { engine = "grid", width = 100, height = 100, cell = 3, radius = 10 },
  },
  {
    name = "grid without a map",
    map = false,
    exact = true,
    base = { radius = 10, cell = 7 },
  },
  {
    name = "crosslist",
    map = false,
    exact = true,
    base = { engine = "crosslist", radius = 10 },
  },
  {
    name = "quadtree",
    map = true,
    exact = true,
    base = { engine = "quadtree", width = 100, height = 100, radius = 10, capacity = 2 },
  },
}

for _, row in ipairs(rows) do
  row.engine = row.base.engine or "grid"

  -- A fresh table of options: the row's own, with `extra` laid over them.
  function row.options(extra)
    local options = {}
    for key, value in pairs(row.base) do
      options[key] = value
    end
    for key, value in pairs(extra or {}) do
      if value == engines.none then
        options[key] = nil
      else
        options[key] = value
      end
    end
    return options
  end

  function row.new(extra)
    return require("aoi").new(row.options(extra))
  end
end

local function select_rows(wanted)
  local list = {}
  for _, row in ipairs(rows) do
    if wanted(row) then
      list[#list + 1] = row
    end
  end
  assert(#list > 0, "no engine fits")
  return list
end

-- Every engine; those that see by radius; those that have a map; grids that cut it into cells.
engines.all = rows
engines.exact = select_rows(function(row) return row.exact end)
engines.mapped = select_rows(function(row) return row.map end)
engines.grids = select_rows(function(row) return row.engine == "grid" and row.map end)

return engines
