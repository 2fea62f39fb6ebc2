-- Spaces that record against the brute-force model: now and then such a space is replaced by one that is
-- made from a save and the records since then, which must be the same, and do what the model does from
-- then on. At once, deferred, with slack, in crowds; batches, maps that change, handlers that call back.
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them: a tenth of n, as each takes long.

require "spec.support.model_queries"
local crowd_space_calls = require "spec.support.crowd_space_calls"
local differential = require "spec.support.differential"
local sequences = require "spec.support.sequences"
local slack_calls = require "spec.support.slack_calls"
local tick_calls = require "spec.support.tick_calls"

local batch_calls = require "spec.support.batch_calls"
local bounds_calls = require "spec.support.bounds_calls"

local SHARES = { 0.02, 0.1, 0.1, 0.5 }

local function tests(plan)
  plan.listeners = tick_calls.listeners
  plan.reload_shares, plan.are_long = SHARES, true
  plan.remaking = require "spec.support.replaying"
  return differential.tests(plan)
end

local groups = {
  { name = "", tests = tests {
    sequences = 5,
    calls = 120,
    taste = { call_kinds = sequences.with_kinds(batch_calls, bounds_calls) },
  } },
  { name = "with slack, ", tests = tests {
    sequences = 3,
    calls = 120,
    taste = {
      call_kinds = sequences.with_kinds(slack_calls.kinds, batch_calls, bounds_calls),
      prepare = slack_calls.prepare,
    },
    fits = function(engine)
      return engine.has_radius
    end,
  } },
  { name = "deferred, ", tests = tests {
    sequences = 5,
    calls = 120,
    taste = {
      call_kinds = sequences.with_kinds(tick_calls.kinds, batch_calls, bounds_calls),
      prepare = tick_calls.prepare,
    },
  } },
  { name = "deferred, with slack, ", tests = tests {
    sequences = 3,
    calls = 120,
    taste = {
      call_kinds = sequences.with_kinds(slack_calls.kinds, tick_calls.kinds, batch_calls, bounds_calls),
      prepare = function(self)
        slack_calls.prepare(self)
        tick_calls.prepare(self)
      end,
    },
    fits = function(engine)
      return engine.has_radius
    end,
  } },
  { name = "crowd spaces, ", tests = tests {
    sequences = 6,
    calls = 80,
    taste = {
      call_kinds = sequences.with_kinds(crowd_space_calls.kinds, batch_calls, bounds_calls),
      prepare = crowd_space_calls.prepare,
    },
  } },
}

describe("A space made from a save and records is the one that was recorded:", function()
  for _, group in ipairs(groups) do
    for _, test in ipairs(group.tests) do
      it(group.name .. test.name, test.run)
    end
  end
end)
