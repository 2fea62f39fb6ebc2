-- The spine: every engine against the brute-force model, on random sequences of calls. After
-- every call the events, their order and all that can be asked must be the model's.
--
--   SEED=17 busted spec/differential_spec.lua         replays one sequence on each engine
--   SEQUENCES=5000 busted spec/differential_spec.lua  runs more of them

local differential = require "spec.support.differential"

local tests = differential.tests { sequences = 20, calls = 1000 }

describe("A space does what the model does,", function()
  for _, test in ipairs(tests) do
    it(test.name, test.run)
  end
end)
