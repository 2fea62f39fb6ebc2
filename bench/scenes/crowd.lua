--[[ Crowds: a tick in which everybody has taken a step, told through on_view, with everybody in everybody's
view, or in world C with rates.

Timed is the tick with its handlers, not the moves before it. Entries are events that a watcher is told of in
a tick: what its packet has to hold. All cases take turns. In one view means a map of 1000 x 1000 and a radius
of 1000; at one point, all where the first one is; spread means a map on which each sees 50. A step is 3, as
in all worlds. ]]
local aoi = require "aoi"
local measure = require "bench.measure"
local output = require "bench.output"
local worlds = require "bench.worlds"

local crowd = { name = "crowd", text = "a tick in which everybody takes a step, told through on_view" }

local ONE_VIEW = 1000
local STEPS = 3
local CAPPED = { limit = 50, move_budget = 20 }

-- How many are within a square view of the usual radius on a map, itself included.
local function map_with_in_view(entities, in_view)
  return math.sqrt(entities * (2 * worlds.RADIUS) ^ 2 / in_view)
end

-- Rings with a share of the view's square each: the entries should go down to the last column.
local RATES = { { 20, 1 }, { 35, 2 }, { math.huge, 4 } }

-- The part of the steps in view that is told with RATES, when all stand evenly.
local function expected_share()
  local square, inner, share = (2 * worlds.RADIUS) ^ 2, 0, 0
  for _, ring in ipairs(RATES) do
    local outer = math.min(math.pi * ring[1] ^ 2, square)
    share = share + (outer - inner) / square / ring[2]
    inner = outer
  end
  return share
end

local cases = {}

local function add(id, words, entities, size, radius, options)
  local case = {
    id = id, words = words, entities = entities, size = size, radius = radius, options = options,
  }
  cases[#cases + 1] = case
  return case
end

add("spread/10000", "10,000, each sees 50, no limit", 10000, map_with_in_view(10000, 51), worlds.RADIUS, {})
for _, n in ipairs { 500, 1000, 2000 } do
  add("uncapped/" .. n, ("%d in one view, no limit"):format(n), n, ONE_VIEW, ONE_VIEW, {})
end
for _, n in ipairs { 500, 1000, 2000, 5000, 10000, 20000 } do
  add("capped/" .. n, ("%d in one view, limit 50, budget 20"):format(n), n, ONE_VIEW, ONE_VIEW, CAPPED)
end
add("one-point/10000", "10,000 at one point, limit 50, budget 20", 10000, ONE_VIEW, ONE_VIEW, CAPPED)
  .at_one_point = true
add("few-move/10000", "10,000 in one view, of whom 10 move, same", 10000, ONE_VIEW, ONE_VIEW, CAPPED)
  .movers = 10
add("rates/without", "world C, no rates", 10000, worlds.definitions.C.size, worlds.RADIUS, {})
add("rates/with", "world C, rates to 20, 35 and beyond", 10000, worlds.definitions.C.size, worlds.RADIUS,
  { rates = RATES })

-- Everybody where the first one is, in each step.
local function gather(world)
  for _, coordinates in ipairs { world.xs, world.ys } do
    for i = 1, #coordinates do
      coordinates[i] = coordinates[(i - 1) // world.entities * world.entities + 1]
    end
  end
end

local function start(case)
  local world = worlds.make({ entities = case.entities, size = case.size }, 0, STEPS)
  if case.at_one_point then
    gather(world)
  end
  local entries = 0
  local options = {
    engine = "grid", width = case.size, height = case.size, radius = case.radius, deferred = true,
    on_view = function(_, _, left, _, entered, _, moved)
      entries = entries + left + entered + moved
    end,
  }
  for name, value in pairs(case.options) do
    options[name] = value
  end
  local space = aoi.new(options)
  worlds.enter(space, world)
  space:tick()
  case.space = space
  case.world = case.movers and worlds.make({ entities = case.movers, size = case.size }, 0, STEPS) or world
  case.take_entries = function()
    local n = entries
    entries = 0
    return n
  end
end

-- Milliseconds of a tick, and entries for each watcher. Steps go to and fro.
local function run_round(case, round)
  local world, space, total = case.world, case.space, 0
  case.take_entries()
  worlds.play(space, world, round, function()
    local begins = os.clock()
    space:tick()
    total = total + os.clock() - begins
  end)
  return total / STEPS * 1000, case.take_entries() / STEPS / case.entities
end

local function share_of(case, other)
  return measure.compare(case.times, other.times)
end

function crowd.run()
  local taken, by_id = {}, {}
  for _, case in ipairs(cases) do
    if case.entities <= measure.settings.most_entities then
      start(case)
      case.times, case.counts = {}, {}
      taken[#taken + 1], by_id[case.id] = case, case
    end
  end
  for round = 0, measure.settings.rounds do
    for _, case in ipairs(taken) do
      collectgarbage()
      local time, entries = run_round(case, round)
      if round > 0 then
        case.times[round], case.counts[round] = time, entries
      end
    end
  end
  for _, case in ipairs(taken) do
    case.space:close()
    output.value("crowd/" .. case.id .. "/tick", case.words, measure.summary(case.times).median, "ms a tick")
    output.value("crowd/" .. case.id .. "/entries", "", measure.summary(case.counts).median,
      "entries a watcher and tick")
  end
  local function compare(id, words, a, b)
    if by_id[a] and by_id[b] then
      output.value("crowd/" .. id, words, share_of(by_id[a], by_id[b]).median, "x")
    end
  end
  compare("capped-to-spread", "10,000 in one view to spread", "capped/10000", "spread/10000")
  compare("one-point-to-view", "10,000 at one point to one view", "one-point/10000", "capped/10000")
  compare("few-move-to-all", "10 of 10,000 in one view move, to all", "few-move/10000", "capped/10000")
  compare("twice-as-many", "20,000 in one view to 10,000", "capped/20000", "capped/10000")
  compare("capped-to-uncapped", "2,000 in one view, limit to none", "capped/2000", "uncapped/2000")
  compare("rates-to-none", "world C, rates to none", "rates/with", "rates/without")
  local with, without = by_id["rates/with"], by_id["rates/without"]
  if with and without then
    output.value("crowd/rates-entries", "same, entries",
      measure.compare(with.counts, without.counts).median, "x")
    output.note(("by the area of the rings it would be %.2f"):format(expected_share()))
  end
end

return crowd
