-- Engines with a radius promise the same events for the same calls. Here they are given the same
-- calls and compared with each other directly, without the model.

local aoi = require "aoi"
local compare = require "spec.support.compare"
local engines = require "spec.support.engine_features"
local seeds = require "spec.support.seeds"
local sequences = require "spec.support.sequences"
local shrink = require "spec.support.shrink"

local SEQUENCES = 100
local CALLS = 1000

local with_radius = {}
for _, engine in ipairs(engines) do
  if engine.has_radius then
    with_radius[#with_radius + 1] = engine
  end
end

-- The options of one engine made to fit another one.
local function options_for(engine, options)
  local fitting = {
    engine = engine.engine, radius = options.radius, shape = options.shape, dims = options.dims,
  }
  if engine.has_map then
    fitting.x, fitting.y, fitting.clamp = options.x, options.y, options.clamp
    fitting.width, fitting.height = options.width, options.height
  end
  if engine.has_cells and engine.has_map then
    fitting.cell, fitting.cols, fitting.rows = options.cell, options.cols, options.rows
  elseif engine.has_cells then
    fitting.cell = options.cell or options.width / 6
  end
  return fitting
end

-- The outcome of a call, as one text: refused or not, and the events of each kind in a fixed order.
local function outcome_of(space, log, call)
  local accepted = pcall(space[call.method], space, table.unpack(call, 1, call.n))
  local lines = { call.method .. (accepted and " accepted" or " refused") }
  table.sort(log)
  table.move(log, 1, #log, 2, lines)
  for i = #log, 1, -1 do
    log[i] = nil
  end
  return table.concat(lines, "\n")
end

local function new_logged_space(engine, options)
  local log = {}
  local fitting = options_for(engine, options)
  fitting.on_event = function(watcher, marker, op)
    log[#log + 1] = ("%s: %d sees %d"):format(op, watcher, marker)
  end
  return { engine = engine, log = log, space = aoi.new(fitting) }
end

-- The first call with different outcomes, as a failure like those of compare.run.
local function fails(sequence)
  local spaces = {}
  for i, engine in ipairs(with_radius) do
    spaces[i] = new_logged_space(engine, sequence.options)
  end
  for index, call in ipairs(sequence.calls) do
    local first
    for _, one in ipairs(spaces) do
      local outcome = outcome_of(one.space, one.log, call)
      first = first or outcome
      if outcome ~= first then
        return { index = index, text = ("%s:\n%s\n%s:\n%s"):format(
          spaces[1].engine.name, first, one.engine.name, outcome) }
      end
    end
  end
  for _, one in ipairs(spaces) do
    one.space:close()
  end
  return nil
end

local function compare_engines(seed, clamp)
  -- Calls with a place outside the map are refused by some engines only, unless they clamp.
  local sequence = sequences.generate(with_radius[1], seed, CALLS, {
    outside_share = clamp and 0.05 or 0,
  })
  sequence.options.clamp = clamp
  sequence.listener = compare.listeners[1]
  local failure = fails(sequence)
  if failure then
    error(shrink.report(sequence, fails, failure), 0)
  end
end

describe("All engines with a radius, given the same calls,", function()
  for _, group in ipairs(seeds.groups(SEQUENCES)) do
    local range = ("seeds %d to %d"):format(group.first, group.last)
    it("tell the same events on a closed map, " .. range, function()
      for seed = group.first, group.last do
        compare_engines(seed, nil)
      end
    end)
    it("tell the same events also outside a map that clamps, " .. range, function()
      for seed = group.first, group.last do
        compare_engines(seed, true)
      end
    end)
  end
end)
