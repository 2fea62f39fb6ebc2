--[[ Writes figures into the tables of the documents: `make bench-report` takes them from
build/bench/results.json, so that nobody types them, and pages and languages say the same.

tools/figures.lua has how they come into a page. What the run did not measure stays as it is. ]]
local read_results = require "bench.results"
local figures = require "tools.figures"

local _, results = read_results(arg[1] or "build/bench/results.json")

-- Two digits count: 1234 -> "1200", 56.78 -> "57", 0.756 -> "0.76".
local function rounded(number)
  if number >= 100 then
    local unit = 10 ^ (math.floor(math.log(number, 10)) - 1)
    return ("%.0f"):format(math.floor(number / unit + 0.5) * unit)
  end
  local digits = number >= 10 and 0 or number >= 1 and 1 or number >= 0.1 and 2 or 3
  return ("%%.%df"):format(digits):format(number)
end

-- "180 (1.9)": nanoseconds, times the floor. Of a row that was not measured: nil, here and below.
local function time_and_ratio(id, ...)
  local row = results[id:format(...)]
  return row and ("%s (%.1f)"):format(rounded(row.time.median), row.ratio.median)
end

-- Millions a second.
local function rate(id, ...)
  local row = results[id:format(...)]
  return row and rounded(1000 / row.time.median) .. " M"
end

local function value(id)
  local row = results[id]
  return row and rounded(row.value)
end

-- cell(row, column) for all rows and columns; false for what was not measured.
local function cells(rows, columns, cell)
  local list = {}
  for i, row in ipairs(rows) do
    list[i] = {}
    for k, column in ipairs(columns) do
      list[i][k] = cell(row, column) or false
    end
  end
  return list
end

local engines = { "grid", "crosslist", "quadtree" }

local tables = {
  engines = cells({ "B", "B2", "S" }, { "grid", "folded", "crosslist", "quadtree" }, function(world, engine)
    return time_and_ratio("worlds/%s/%s", engine, world)
  end),
  wide = cells({ 300, 1000 }, { "grid", "folded", "small-cells", "crosslist", "quadtree" },
    function(radius, engine)
      return time_and_ratio("wide/%s/%d", engine, radius)
    end),
  radii = cells({
    "uniform", "mixed", "huge", "visible", "everywhere", "teams", "scouts", "bosses",
  }, { "grid", "folded", "crosslist", "quadtree" }, function(kind, engine)
    local row = results[("radii/%s/%s"):format(engine, kind)]
    local compared = row and row.compared and (" (%.2f)"):format(row.compared.median) or ""
    return row and rounded(row.time.median) .. compared
  end),
  unheard = cells({ "2000/map", "5000/map", "2000/corner", "5000/corner" }, {
    "classic", "grid", "folded", "crosslist", "quadtree",
  }, function(crowd, engine)
    local row = results[("unheard/%s/%s"):format(engine, crowd)]
    return row and rounded(row.round_time)
  end),
  delivery = cells({
    "per-call", "deferred", "slack", "all-events", "grouped", "deferred-all-events", "deferred-view",
  }, { "B", "C" }, function(way, world)
    return time_and_ratio("delivery/%s/%s", way, world)
  end),
  order = cells({
    "single-handlers", "single-drain", "single-packed",
    "table-handlers", "filled-handlers", "string-handlers", "string-drain", "string-packed",
    "single-handlers-deferred", "string-handlers-deferred", "string-packed-deferred",
  }, {
    "in-order/%s/B", "shuffled/%s/B", "in-order/%s/D", "shuffled/%s/D", "in-order/%s/1M", "shuffled/%s/1M",
  }, function(way, column)
    return time_and_ratio("order/" .. column, way)
  end),
  ids = cells({
    "shuffled", "shuffled, ids in sequence", "shuffled, ids half replaced", "shuffled, ids all replaced",
  }, { "B", "D", "1M" }, function(which, world)
    return time_and_ratio("order/%s/single-handlers/%s", which, world)
  end),
  ["memory-floor"] = cells({ "in-order", "shuffled", "shuffled, ids in sequence" }, { "B", "D" },
    function(which, world)
      local row = results[("order/%s/over-memory/%s"):format(which, world)]
      local single = results[("order/%s/single-handlers/%s"):format(which, world)]
      return row and single and ("%.1f (%.1f)"):format(row.value, single.ratio.median)
    end),
  held = cells({ "enter-leave", "view", "events", "drain" }, { "B/all", "B/tick", "B/events", "D/all" },
    function(way, column)
      return value(("memory/told/%s/%s"):format(way, column))
    end),
  queries = cells({ "B", "C", "S" }, engines, function(world, engine)
    local rates = {}
    for i, query in ipairs { "query_rect", "query_circle", "query_nearest" } do
      rates[i] = rate("queries/%s/%s/%s", engine, query, world)
    end
    return #rates == 3 and table.concat(rates, ", ") or nil
  end),
  crowd = cells({ 500, 1000, 2000, 5000, 10000, 20000 }, {
    "uncapped/%d/tick", "uncapped/%d/entries", "capped/%d/tick", "capped/%d/entries",
  }, function(entities, column)
    return value("crowd/" .. column:format(entities))
  end),
  areas = cells({
    "without", "zones", "polygon-10", "polygon-10000", "companions", "auras", "two-radii",
  }, { "time", "compared" }, function(kind, column)
    local row = results["areas/" .. kind]
    return row and (row[column] and rounded(row[column].median) or "–")
  end),
  record = cells({ "B", "B-floats" }, { "bytes", "zlib" }, function(world, column)
    return value(("record/%s/%s"):format(world, column))
  end),
  plain = cells({ "plain/speed-up/classic/B", "plain/as-many/grid/B" }, { "times" }, value),
}

for name, rows in pairs(tables) do
  figures.table(name, "make bench-report", rows)
end
print "wrote the tables of the documents"
