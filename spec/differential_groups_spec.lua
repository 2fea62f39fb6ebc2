-- The grouped handlers against the brute-force model: every pair told once, to the right handler,
-- in one group per change; also for batches, where groups must not span rows, for set_bounds, a
-- change with many subjects, and next to other handlers.
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them.

local differential = require "spec.support.differential"
local sequences = require "spec.support.sequences"

local listeners = {}
for _, name in ipairs { "group_listeners", "several_listeners" } do
  for _, listener in ipairs(require("spec.support." .. name)) do
    listeners[#listeners + 1] = listener
  end
end

local tests = differential.tests {
  sequences = 20,
  calls = 300,
  taste = {
    call_kinds = sequences.with_kinds(
      require "spec.support.batch_calls",
      require "spec.support.bounds_calls"),
  },
  listeners = listeners,
}

describe("Groups of events are those of the model,", function()
  for _, test in ipairs(tests) do
    it(test.name, test.run)
  end
end)
