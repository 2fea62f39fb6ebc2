-- Deferred spaces against the brute-force model: between two ticks nothing is told and everything
-- can be asked; a tick tells the net change, by every kind of handler.
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them.

require "spec.support.model_queries"
local crowd_calls = require "spec.support.crowd_calls"
local differential = require "spec.support.differential"
local sequences = require "spec.support.sequences"
local tick_calls = require "spec.support.tick_calls"

local usual = differential.tests {
  sequences = 10,
  calls = 300,
  taste = {
    call_kinds = sequences.with_kinds(
      tick_calls.kinds,
      require "spec.support.batch_calls",
      require "spec.support.bounds_calls",
      require "spec.support.query_calls"),
    prepare = tick_calls.prepare,
  },
  listeners = tick_calls.listeners,
}

local crowds = differential.tests {
  sequences = 5,
  calls = 60,
  are_long = true,
  taste = {
    call_kinds = sequences.with_kinds(tick_calls.kinds, crowd_calls.kinds),
    prepare = function(self)
      tick_calls.prepare(self)
      crowd_calls.prepare(self)
    end,
  },
  listeners = tick_calls.listeners,
}

describe("A deferred space does what the model does,", function()
  for _, test in ipairs(usual) do
    it(test.name, test.run)
  end
  for _, test in ipairs(crowds) do
    it("with a crowd, " .. test.name .. " #crowd", test.run)
  end
end)
