-- All features in one space, drawn at random, against a model written from the contract alone: the first
-- half of the histories. spec/everything/ has the generator, the model and the runner; make everything draws
-- others.
local gate = require "spec.everything.gate"

for _, case in ipairs(gate.cases(1, 300)) do
  it(case.name, case.run)
end
