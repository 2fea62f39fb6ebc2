-- Areas against the brute-force model: who is in which, after every call, and who is told of it; at once and
-- deferred, with slack, in crowds.
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them.

require "spec.support.model_queries"
local area_calls = require "spec.support.area_calls"
local area_listeners = require "spec.support.area_listeners"
local crowd_space_calls = require "spec.support.crowd_space_calls"
local differential = require "spec.support.differential"
local sequences = require "spec.support.sequences"
local slack_calls = require "spec.support.slack_calls"
local tick_calls = require "spec.support.tick_calls"

local batch_calls = require "spec.support.batch_calls"
local bounds_calls = require "spec.support.bounds_calls"

local function has_radius(engine)
  return engine.has_radius
end

-- Sequences with these kinds of calls, prepared by all of `preparing`.
local function tests(plan, kinds, preparing)
  plan.taste = {
    call_kinds = sequences.with_kinds(area_calls.kinds, batch_calls, bounds_calls, table.unpack(kinds)),
    prepare = function(self)
      for _, prepare in ipairs(preparing) do
        prepare(self)
      end
      area_calls.prepare(self)
    end,
  }
  plan.calls = plan.calls or 120
  plan.listeners = area_listeners.listeners
  plan.are_long = true
  return differential.tests(plan)
end

local groups = {
  { name = "", tests = tests({ sequences = 20 }, {}, {}) },
  { name = "with slack, ", tests = tests({ sequences = 10, fits = has_radius },
    { slack_calls.kinds }, { slack_calls.prepare }) },
  { name = "deferred, ", tests = tests({ sequences = 30 },
    { tick_calls.kinds }, { tick_calls.prepare }) },
  { name = "deferred, with slack, ",
    tests = tests({ sequences = 10, fits = has_radius },
      { slack_calls.kinds, tick_calls.kinds }, { slack_calls.prepare, tick_calls.prepare }) },
  { name = "in crowd spaces, ", tests = tests({ sequences = 6, calls = 80 },
    { crowd_space_calls.kinds }, { crowd_space_calls.prepare }) },
}

describe("A space with areas does what the model does,", function()
  for _, group in ipairs(groups) do
    for _, test in ipairs(group.tests) do
      it(group.name .. test.name, test.run)
    end
  end
end)
