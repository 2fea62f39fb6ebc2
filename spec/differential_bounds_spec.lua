-- Maps that move and change their size, against the brute-force model.
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them.

local differential = require "spec.support.differential"
local sequences = require "spec.support.sequences"

local tests = differential.tests {
  sequences = 40,
  calls = 300,
  taste = { call_kinds = sequences.with_kinds(require "spec.support.bounds_calls") },
  fits = function(engine)
    return engine.has_bounds
  end,
}

describe("Maps move and change their size like that of the model,", function()
  for _, test in ipairs(tests) do
    it(test.name, test.run)
  end
end)
