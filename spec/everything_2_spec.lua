-- All features in one space, drawn at random, against a model: the second half of the histories.
local gate = require "spec.everything.gate"

for _, case in ipairs(gate.cases(301, 300)) do
  it(case.name, case.run)
end
