-- Worlds of many regions against one space, whole but for skynet: walkers of `make world-test` on simulated
-- processes, and what every watcher is told must be the same, tick by tick.
local cases = require "spec.world.cases"
local options = require "aoi.skynet.options"
local paths = require "spec.world.paths"
local simulated_world = require "spec.support.simulated_world"
local simulation = require "spec.support.simulation"

local NODES = { "a", "b", "c", "d", "e" } -- e has no region
local WALKERS, TICKS, QUIET, MARGIN = 60, 40, 15, 10

local function words_of(case, tick, log)
  local words = {
    columns = case.columns, rows = case.rows, x = 0, y = 0, width = cases.side,
    height = cases.side * (case.tall or 1), max_radius = case.max_radius, margin = MARGIN, tick = tick,
    log = log, shape = "square", name = log:match "[^/]*$",
  }
  if case.has_areas then
    words.handlers = case.handlers or "spec.world.area_notes"
  end
  for name, value in pairs(case.options) do
    if name ~= "width" and name ~= "height" then
      words[name] = value
    end
  end
  return words
end

-- The options of one space, as a scene would understand the words.
local function options_of(case)
  local words = {}
  for name, value in pairs(case.options) do
    words[#words + 1] = name .. "=" .. tostring(value)
  end
  local of_space = select(2, options.of_scene(words))
  of_space.extras, of_space.audiences = case.options.extras, case.audiences
  return of_space
end

local function ids_of(node)
  local ids = {}
  for id = 1, WALKERS do
    local first, second = paths.nodes_of(id, #NODES)
    ids[#ids + 1] = (node == first or node == second) and id or nil
  end
  return ids
end

local function run(case, seed)
  local tick, log, files = 50, os.tmpname(), {}
  local world = simulated_world.new {
    seed = seed, nodes = NODES, wanderers = 0, words = words_of(case, tick, log), is_own_log = true,
  }
  world:wait_for_members()
  local logs, heard, keys, walkers = {}, {}, {}, {}
  for node, name in ipairs(NODES) do
    keys[world.members[name].key] = node
    logs[node], heard[node] = log .. name, os.tmpname()
    files[#files + 1], files[#files + 2] = logs[node], heard[node]
    walkers[node] = world:start_service(node, "walkers")
    world:drive(1000, simulation.call, world.driver, walkers[node], "start", world.worlds[node].handle, {
      side = cases.side, columns = case.columns, rows = case.rows, walkers = WALKERS, radii = case.radii,
      is_crowd = case.is_crowd, has_areas = case.has_areas, slack = case.slack,
      has_everything = case.has_everything, max_radius = case.max_radius, has_odd_ids = case.has_odd_ids,
      nodes = #NODES, node = node,
    }, ids_of(node), tick / 1000, heard[node])
  end
  for i = 1, TICKS // 4 do
    world:run(4 * tick)
    if case.moves then
      local region = i % (case.columns * case.rows) + 1
      world:drive(3000, world.control.tell, 1, "world", "migrate", region, NODES[i % 4 + 1])
    end
  end
  for node in ipairs(NODES) do
    world:drive(20000, simulation.call, world.driver, walkers[node], "stop")
  end
  world:run((QUIET + 3) * tick)
  world:drive(1000, function() -- before a tick in which their entities leave
    for node in ipairs(NODES) do
      simulation.call(world.driver, walkers[node], "finish")
    end
    return true
  end)
  local compare -- knows skynet
  world.all.processes.driver:start_service(function(load)
    compare = load "spec.world.compare"
  end)
  local notes = {}
  for region = 1, case.has_areas and case.columns * case.rows or 0 do
    notes[region] = ("%s-%d.areas"):format(log, region)
    files[#files + 1] = notes[region]
  end
  local counts, difference = compare.run(options_of(case), logs, heard, QUIET, notes, keys)
  files[#files + 1] = log
  for _, path in ipairs(files) do
    os.remove(path)
  end
  assert.is_nil(difference)
  assert.is_nil(world.all.failed[1])
  assert.is_true(counts.events > 10 * counts.ticks)
  assert.is_true(not case.has_areas or counts.area_events > 10, counts.area_events)
end

describe("a world on simulated processes tells what one space tells:", function()
  for seed, case in ipairs(cases) do
    it(case.name, function()
      run(case, seed)
    end)
  end
end)
