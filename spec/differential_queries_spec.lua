-- Queries against the brute-force model, mixed into random sequences of changes.
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them.

require "spec.support.model_queries"
local differential = require "spec.support.differential"
local sequences = require "spec.support.sequences"

local tests = differential.tests {
  sequences = 40,
  calls = 300,
  taste = { call_kinds = sequences.with_kinds(require "spec.support.query_calls") },
}

describe("The answers to queries are those of the model,", function()
  for _, test in ipairs(tests) do
    it(test.name, test.run)
  end
end)
