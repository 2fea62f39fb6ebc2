-- Spaces with slack against the brute-force model, also deferred ones.
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them.

require "spec.support.model_queries"
local crowd_calls = require "spec.support.crowd_calls"
local differential = require "spec.support.differential"
local sequences = require "spec.support.sequences"
local slack_calls = require "spec.support.slack_calls"
local tick_calls = require "spec.support.tick_calls"

local function has_radius(engine)
  return engine.has_radius
end

local at_once = differential.tests {
  sequences = 10,
  calls = 300,
  taste = {
    call_kinds = sequences.with_kinds(
      slack_calls.kinds,
      require "spec.support.batch_calls",
      require "spec.support.bounds_calls",
      require "spec.support.query_calls"),
    prepare = slack_calls.prepare,
  },
  listeners = tick_calls.listeners,
  fits = has_radius,
}

local function prepare_deferred(self)
  slack_calls.prepare(self)
  tick_calls.prepare(self)
end

local deferred = differential.tests {
  sequences = 10,
  calls = 300,
  taste = {
    call_kinds = sequences.with_kinds(
      slack_calls.kinds,
      tick_calls.kinds,
      require "spec.support.batch_calls",
      require "spec.support.bounds_calls"),
    prepare = prepare_deferred,
  },
  listeners = tick_calls.listeners,
  fits = has_radius,
}

local crowds = differential.tests {
  sequences = 5,
  calls = 60,
  are_long = true,
  taste = {
    call_kinds = sequences.with_kinds(slack_calls.kinds, tick_calls.kinds, crowd_calls.kinds),
    prepare = function(self)
      prepare_deferred(self)
      crowd_calls.prepare(self)
    end,
  },
  listeners = tick_calls.listeners,
  fits = has_radius,
}

describe("A space with slack does what the model does,", function()
  for _, test in ipairs(at_once) do
    it(test.name, test.run)
  end
  for _, test in ipairs(deferred) do
    it("deferred, " .. test.name, test.run)
  end
  for _, test in ipairs(crowds) do
    it("deferred, with a crowd, " .. test.name .. " #crowd", test.run)
  end
end)
