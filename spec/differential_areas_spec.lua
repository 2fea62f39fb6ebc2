-- Areas against the brute-force model: who is in which, after every call, and who is told of it; at once and
-- deferred, with slack, saved and loaded between any two calls, made anew from records.
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

local SHARES = { 0, 0, 0.05, 0.5 }

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
  { name = "", tests = tests({ sequences = 6, reload_shares = SHARES }, {}, {}) },
  { name = "with slack, ", tests = tests({ sequences = 5, reload_shares = SHARES, fits = has_radius },
    { slack_calls.kinds }, { slack_calls.prepare }) },
  { name = "deferred, ", tests = tests({ sequences = 8, reload_shares = SHARES },
    { tick_calls.kinds }, { tick_calls.prepare }) },
  { name = "deferred, with slack, ",
    tests = tests({ sequences = 5, reload_shares = SHARES, fits = has_radius },
      { slack_calls.kinds, tick_calls.kinds }, { slack_calls.prepare, tick_calls.prepare }) },
  { name = "in crowd spaces, ", tests = tests({ sequences = 3, calls = 60 },
    { crowd_space_calls.kinds }, { crowd_space_calls.prepare }) },
  { name = "made anew from records, ",
    tests = tests({ sequences = 3, reload_shares = { 0.02, 0.1, 0.5 },
      remaking = require "spec.support.replaying" }, {}, {}) },
  { name = "deferred, made anew from records, ",
    tests = tests({ sequences = 3, reload_shares = { 0.02, 0.1, 0.5 },
      remaking = require "spec.support.replaying" }, { tick_calls.kinds }, { tick_calls.prepare }) },
}

describe("A space with areas does what the model does,", function()
  for _, group in ipairs(groups) do
    for _, test in ipairs(group.tests) do
      it(group.name .. test.name, test.run)
    end
  end
end)
