-- enter_all, move_all and leave_all against the brute-force model, mixed with the single calls.
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them.

local differential = require "spec.support.differential"
local sequences = require "spec.support.sequences"

local tests = differential.tests {
  sequences = 40,
  calls = 300,
  taste = { call_kinds = sequences.with_kinds(require "spec.support.batch_calls") },
}

describe("Batches do what the model does,", function()
  for _, test in ipairs(tests) do
    it(test.name, test.run)
  end
end)
