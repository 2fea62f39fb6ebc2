-- All features in one space, drawn at random, against a model: the second half of the histories.
local gate = require "spec.everything.gate"

for _, case in ipairs(gate.cases(501, 500)) do
  it(case.name, case.run)
end
