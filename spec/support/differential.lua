-- The base of the differential specs: random sequences on every engine against the model.

local aoi = require "aoi"
local compare = require "spec.support.compare"
local engines = require "spec.support.engine_features"
local reloading = require "spec.support.reloading"
local seeds = require "spec.support.seeds"
local sequences = require "spec.support.sequences"
local shrink = require "spec.support.shrink"

local differential = {}

-- Raises a report when the space does not do what the model does. Before each call the space is made anew
-- with the probability `reload_share`, 0 when nil: as `remaking` does it, reloading.lua when nil.
function differential.run(sequence, reload_share, remaking)
  local new_space = aoi.new
  if reload_share then
    function new_space(options)
      return (remaking or reloading).new(options, sequence.seed, reload_share)
    end
  end
  local failure = compare.run(sequence, new_space)
  if failure then
    local function fails(shorter)
      return compare.run(shorter, new_space, true)
    end
    local report = shrink.report(sequence, fails, failure)
    error(report .. (reload_share and "-- made anew with probability " .. reload_share or ""), 0)
  end
end

-- The tests that engines do what the model does, as a list of { name, run } for busted's `it`.
-- Fields of `plan`:
--   sequences, calls  how many sequences per engine, of how many calls
--   are_long          true when a sequence takes as much time as ten usual ones: where the
--                     environment asks for a number of sequences, a tenth of it is run, see seeds.lua
--   taste             for sequences.generate; nil for the usual
--   reload_shares     a list, one for each of the next seeds, see differential.run; nil for none
--   remaking          the module that does it: reloading.lua or replaying.lua
--   listeners         a list that replaces the usual ones
--   fits(engine)      which engines; nil for all
function differential.tests(plan)
  local tests = {}
  local listeners = plan.listeners or compare.listeners
  local reload_shares = plan.reload_shares or { false }
  for _, engine in ipairs(engines) do
    for _, group in ipairs(seeds.groups(plan.sequences, plan.are_long and 10)) do
      if not plan.fits or plan.fits(engine) then
        tests[#tests + 1] = {
          name = ("on the %s, seeds %d to %d"):format(engine.name, group.first, group.last),
          run = function()
            for seed = group.first, group.last do
              local sequence = sequences.generate(engine, seed, plan.calls, plan.taste)
              sequence.listener = listeners[seed % #listeners + 1]
              differential.run(sequence, reload_shares[seed % #reload_shares + 1], plan.remaking)
            end
          end,
        }
      end
    end
  end
  return tests
end

return differential
