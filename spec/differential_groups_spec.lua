-- The grouped handlers against the brute-force model: every pair told once, to the right handler,
-- in one group per change; also for batches, where groups must not span rows.
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them.

local differential = require "spec.support.differential"
local sequences = require "spec.support.sequences"

local tests = differential.tests {
  sequences = 100,
  calls = 300,
  taste = { call_kinds = sequences.with_kinds(require "spec.support.batch_calls") },
  listeners = require "spec.support.group_listeners",
}

describe("Groups of events are those of the model,", function()
  for _, test in ipairs(tests) do
    it(test.name, test.run)
  end
end)
