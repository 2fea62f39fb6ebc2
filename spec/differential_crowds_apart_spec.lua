-- Crowd spaces against the brute-force model where two readings of the contract part: everything is often
-- equal; and where the search for newcomers has something to pass over: many entities, also at few points.
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them.

local crowd_space_calls = require "spec.support.crowd_space_calls"
local differential = require "spec.support.differential"
local sequences = require "spec.support.sequences"
local tick_calls = require "spec.support.tick_calls"

local RELOAD_SHARES = { false, false, 0.1 }

local ties = differential.tests {
  sequences = 16,
  calls = 100,
  taste = {
    call_kinds = sequences.with_kinds(crowd_space_calls.kinds),
    prepare = crowd_space_calls.prepare_ties,
  },
  listeners = tick_calls.listeners,
  reload_shares = RELOAD_SHARES,
}

local many = differential.tests {
  sequences = 5,
  calls = 50,
  are_long = true,
  taste = {
    call_kinds = sequences.with_kinds(crowd_space_calls.kinds),
    prepare = crowd_space_calls.prepare_many,
  },
  listeners = tick_calls.listeners,
  reload_shares = RELOAD_SHARES,
}

local points = differential.tests {
  sequences = 5,
  calls = 50,
  are_long = true,
  taste = {
    call_kinds = sequences.with_kinds(crowd_space_calls.kinds),
    prepare = crowd_space_calls.prepare_points,
  },
  listeners = tick_calls.listeners,
  reload_shares = RELOAD_SHARES,
}

describe("A crowd space does what the model does", function()
  for _, test in ipairs(ties) do
    it("where everything is often equal, " .. test.name, test.run)
  end
  for _, test in ipairs(many) do
    it("with a crowd, " .. test.name .. " #crowd", test.run)
  end
  for _, test in ipairs(points) do
    it("where many stand at a few points, " .. test.name, test.run)
  end
end)
