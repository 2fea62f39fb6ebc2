--[[ The numbers that the module sets itself, checked against one run. Each is a ratio of times taken next to
each other; where a plain time is asked for, it is scaled to a machine whose empty method call takes 60
nanoseconds, so that it means the same everywhere. ]]
local output = require "bench.output"

local targets = {}

local REFERENCE_METHOD = 60

local function ratio(id)
  local row = output.find(id)
  return row and row.ratio.median
end

local function compared(id)
  local row = output.find(id)
  return row and row.compared and row.compared.median
end

local function time(id)
  local row = output.find(id)
  return row and row.time.median
end

-- Time of a row of scene "c", scaled.
local function scaled(id)
  local row = output.find(id)
  return row and row.time.median * REFERENCE_METHOD / row.method
end

local function value(id)
  local row = output.find(id)
  return row and row.value
end

local function quotient(a, b)
  return a and b and a / b
end

-- A move in a grid without a map against one by another engine.
local function against(engine, world)
  return function()
    return quotient(time("worlds/folded/" .. world), time(("worlds/%s/%s"):format(engine, world)))
  end
end

-- Of scene "order": times the floor, and times the single calls with handlers.
local function in_order(id)
  return function() return ratio("order/in-order/" .. id) end
end

local function shuffled(id)
  return function() return ratio("order/shuffled/" .. id) end
end

local function of_single_calls(id)
  return function() return compared("order/" .. id) end
end

-- The name, how its figure is found, the limit, the unit; `at_least` where more is better.
local list = {
  { "grid, enter and leave handlers, A", function() return ratio("worlds/grid/A") end, 1.8, "x floor" },
  { "same, B", function() return ratio("worlds/grid/B") end, 2.0, "x floor" },
  { "same, C (crowded)", function() return ratio("worlds/grid/C") end, 1.9, "x floor" },
  { "same, B2 (clustered)", function() return ratio("worlds/grid/B2") end, 1.9, "x floor" },
  { "same, D (100,000)", function() return ratio("worlds/grid/D") end, 2.6, "x floor" },
  { "same, F (teleports)", function() return ratio("worlds/grid/F") end, 1.6, "x floor" },
  { "grid, on_event, B", function() return ratio("plain/grid/B") end, 1.8, "x floor" },
  { "same, C", function() return ratio("plain/grid/C") end, 1.5, "x floor" },
  { "grouped handlers, C", function() return compared("delivery/grouped/C") end, 0.8,
    "x a call per event" },
  { "deferred, B", function() return compared("delivery/deferred/B") end, 0.7, "x per call" },
  { "deferred, C", function() return compared("delivery/deferred/C") end, 0.7, "x per call" },
  { "deferred, D", function() return compared("delivery/deferred/D") end, 0.7, "x per call" },
  { "slack 12, B", function() return compared("delivery/slack/B") end, 0.7, "x without" },
  { "mixed radii, B", function() return compared("radii/grid/mixed") end, 2, "x uniform" },
  { "others, 1 of 100 seen from 4 times as far, B", function() return compared("radii/grid/visible") end, 1.1,
    "x uniform" },
  { "one of those, against one that sees as far", function() return compared("radii/grid/bosses") end, 1.1,
    "x radius 200" },
  { "one seen from everywhere, B", function() return compared("radii/grid/everywhere") end, 1.1,
    "x uniform" },
  { "one of radius 5,000, B", function() return compared("radii/grid/huge") end, 1.2, "x without" },
  { "grid, on_event, against plain Lua", function() return value("plain/speed-up/grid/B") end, 8,
    "times as fast, per event", at_least = true },
  { "classic grid, same events, same moves", function() return value("plain/speed-up/classic/B") end, 5,
    "times as fast", at_least = true },
  { "5,000 in one view, steps that nobody hears of", function()
    local row = output.find("unheard/grid/5000/map")
    return row and row.round_time * REFERENCE_METHOD / row.method
  end, 1.5, "ms a round, scaled" },
  { "C: classic nine-grid, B", function() return scaled("c/classic/B") end, 40, "ns, scaled" },
  { "C: cross-list, A", function() return scaled("c/crosslist/A") end, 250, "ns, scaled" },
  { "C: cross-list, B", function() return scaled("c/crosslist/B") end, 300, "ns, scaled" },
  { "C: cross-list, C", function() return scaled("c/crosslist/C") end, 600, "ns, scaled" },
  { "C: cross-list, enter among 10,000", function() return scaled("c/enter/crosslist") end, 1000,
    "ns, scaled" },
  { "C: cross-list, teleport", function() return scaled("c/crosslist/F") end, 1000, "ns, scaled" },
  { "grid without a map, B, against the cross-list", against("crosslist", "B"), 0.5, "x" },
  { "same, C", against("crosslist", "C"), 0.78, "x" },
  { "same, D", against("crosslist", "D"), 0.39, "x" },
  { "grid without a map, B, against the grid with one", against("grid", "B"), 1.1, "x" },
  { "same, C", against("grid", "C"), 1.1, "x" },
  { "same, D", against("grid", "D"), 1.1, "x" },
  { "quadtree, B2", function() return ratio("worlds/quadtree/B2") end, 3, "x floor" },
  { "quadtree, B", function() return ratio("worlds/quadtree/B") end, 3, "x floor" },
  { "grid, move in D against A", function()
    return quotient(time("worlds/grid/D"), time("worlds/grid/A"))
  end, 2.2, "x" },
  { "in order, single calls, handlers, A", in_order "single-handlers/A", 1.85, "x floor" },
  { "same, B", in_order "single-handlers/B", 2.04, "x floor" },
  { "same, C", in_order "single-handlers/C", 1.8, "x floor" },
  { "same, D", in_order "single-handlers/D", 2.86, "x floor" },
  { "shuffled, single calls, handlers, B", shuffled "single-handlers/B", 2.1, "x floor" },
  { "same, C", shuffled "single-handlers/C", 2.1, "x floor" },
  { "same, D", shuffled "single-handlers/D", 3.2, "x floor" },
  { "string, packed drain, B in order", of_single_calls "in-order/string-packed/B", 0.75, "x single calls" },
  { "same, B shuffled", of_single_calls "shuffled/string-packed/B", 0.75, "x single calls" },
  { "same, D shuffled", of_single_calls "shuffled/string-packed/D", 0.75, "x single calls" },
  { "deferred, string, handlers, D shuffled", of_single_calls "shuffled/string-handlers-deferred/D", 0.6,
    "x single calls" },
  { "same, packed drain", of_single_calls "shuffled/string-packed-deferred/D", 0.6, "x single calls" },
  { "crowd of 10,000, limit, against spread", function() return value("crowd/capped-to-spread") end, 4, "x" },
  { "same, at one point, against one view", function() return value("crowd/one-point-to-view") end, 2, "x" },
  { "same, of whom 10 move, against all", function() return value("crowd/few-move-to-all") end, 2, "x" },
  { "crowd of 20,000 against 10,000", function() return value("crowd/twice-as-many") end, 2.5, "x" },
  { "crowd of 2,000, limit against none", function() return value("crowd/capped-to-uncapped") end, 0.2, "x" },
  { "rates against none, C", function() return value("crowd/rates-to-none") end, 1.3, "x" },
  { "recorded move, B", function() return value("record/B/added") end, 15, "ns more" },
  { "same, bytes", function() return value("record/B/bytes") end, 22, "bytes a move" },
  { "100,000 zones, three near", function() return compared("areas/zones") end, 1.3, "x no areas" },
  { "an aura on each of 10,000", function() return compared("areas/auras") end, 1.6, "x second watchers" },
  { "polygon of 10,000 corners", function() return compared("areas/polygon-10000") end, 3, "x of 10" },
  { "grid, memory beyond cells", function() return value("memory/grid/D/beyond-cells") end, 200,
    "bytes an entity" },
  { "cross-list, memory", function() return value("memory/crosslist/D") end, 300, "bytes an entity" },
  { "deferred, D, after 10 quiet ticks", function()
    return value("memory/deferred/D/after-quiet-ticks")
  end, 200, "bytes an entity" },
}

-- Prints the table; returns the list for the JSON. What was not measured in this run is left out.
function targets.report()
  local results = {}
  for _, target in ipairs(list) do
    local measured = target[2]()
    if measured then
      local limit = target[3]
      local reached = target.at_least and measured >= limit or not target.at_least and measured <= limit
      results[#results + 1] = {
        text = target[1], measured = measured, limit = limit, unit = target[4],
        at_least = target.at_least or false, reached = reached,
      }
    end
  end
  if #results > 0 then
    output.title("targets (those that this run can tell)")
    for _, result in ipairs(results) do
      print(("   %-40s %8s  %s %-6s %-24s %s"):format(result.text, output.number(result.measured),
        result.at_least and "at least" or "at most ", output.number(result.limit), result.unit,
        result.reached and "reached" or "MISSED"))
    end
  end
  return results
end

return targets
