-- Crowd spaces against the brute-force model: what each watcher is told of at every tick, by every kind
-- of handler, and what can be asked in between; a third of them is saved and loaded in between.
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them.

require "spec.support.model_queries"
local crowd_space_calls = require "spec.support.crowd_space_calls"
local differential = require "spec.support.differential"
local sequences = require "spec.support.sequences"
local tick_calls = require "spec.support.tick_calls"

-- Most are never saved, some sometimes, some before each call.
local RELOAD_SHARES = { false, false, false, false, 0.1, 1 }

local usual = differential.tests {
  sequences = 20,
  calls = 100,
  taste = {
    call_kinds = sequences.with_kinds(
      crowd_space_calls.kinds,
      require "spec.support.batch_calls",
      require "spec.support.bounds_calls"),
    prepare = crowd_space_calls.prepare,
  },
  listeners = tick_calls.listeners,
  reload_shares = RELOAD_SHARES,
}

describe("A crowd space does what the model does,", function()
  for _, test in ipairs(usual) do
    it(test.name, test.run)
  end
end)
