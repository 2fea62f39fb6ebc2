-- Walkers in a world on simulated processes, against one space: what every watcher is told must be the same,
-- tick by tick.
local cases = require "spec.world.cases"
local new_random = require("spec.support.random").new
local paths = require "spec.world.paths"
local simulated_world = require "spec.support.simulated_world"
local simulation = require "spec.support.simulation"

local NODES = { "a", "b", "c", "d", "e" } -- e has no region
local TICK, QUIET = 50, 15
local LONGEST_STOP = 400 -- milliseconds for which a node stands still: well below `silence`

local simulated = {}

local function words_of(case, log)
  local words = cases.words_of(case)
  words.tick, words.log, words.name = TICK, log, log:match "[^/]*$"
  words.shape = words.shape or "square" -- in place of that of simulated_world.lua
  return words
end

-- Goes on for so long, in which one node stands still for a while.
local function run_with_stop(world, random, milliseconds)
  local node, before = random:integer(1, #NODES), random:integer(0, milliseconds)
  world:run(before)
  world:stop(node)
  world:run(random:integer(1, LONGEST_STOP))
  world:continue(node)
  world:run(milliseconds - before)
end

local function let_walk(world, case, random, options)
  for _ = 1, options.ticks // options.pause do
    local milliseconds = options.pause * TICK + random:integer(0, TICK)
    if options.has_stops then
      run_with_stop(world, random, milliseconds)
    else
      world:run(milliseconds)
    end
    if case.moves then
      local region, to = random:integer(1, case.columns * case.rows), NODES[random:integer(1, #NODES - 1)]
      world:drive(3000, world.control.tell, 1, "world", "migrate", region, to)
    end
  end
end

--[[ Runs one of cases.lua; all that is drawn follows from the seed. options:
  walkers    how many
  ticks      for how many they walk
  steps      how many of a walker come in a tick, on average
  pause      ticks between two moves of regions, where the case has such, and between two nodes that stand
  has_stops  now and then a node stands still
  transport  faults of what goes between nodes, as of simulation.lua, or nil
Returns what compare.run does: counts and a text about a difference, or nil; and the first error of a service,
or nil. ]]
function simulated.run(case, seed, options)
  local log, files = os.tmpname(), {}
  local world = simulated_world.new {
    seed = seed, nodes = NODES, wanderers = 0, words = words_of(case, log), is_own_log = true,
  }
  world:wait_for_members()
  local logs, heard, keys, walkers = {}, {}, {}, {}
  for node, name in ipairs(NODES) do
    keys[world.members[name].key] = node
    logs[node], heard[node] = log .. name, os.tmpname()
    files[#files + 1], files[#files + 2] = logs[node], heard[node]
    walkers[node] = world:start_service(node, "walkers")
    world:drive(1000, simulation.call, world.driver, walkers[node], "start", world.worlds[node].handle,
      cases.plan_of(case, node, #NODES, options.walkers), paths.ids_of(node, #NODES, options.walkers),
      TICK / 1000 / options.steps, heard[node])
  end
  world.all:set_transport(options.transport)
  let_walk(world, case, new_random(seed), options)
  world.all:set_transport()
  for node in ipairs(NODES) do
    world:drive(20000, simulation.call, world.driver, walkers[node], "stop")
  end
  world:run((QUIET + 3) * TICK)
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
  local counts, difference = compare.run(cases.options_of(case), logs, heard, QUIET, notes, keys)
  files[#files + 1] = log
  for _, path in ipairs(files) do
    os.remove(path)
  end
  return counts, difference, world.all.failed[1]
end

return simulated
