-- Entities that are handed out and in, against the brute-force model: in deferred spaces, with slack, and in
-- crowds; some are saved and loaded in between, or made again from records.
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them.

require "spec.support.model_queries"
local area_calls = require "spec.support.area_calls"
local area_listeners = require "spec.support.area_listeners"
local crowd_space_calls = require "spec.support.crowd_space_calls"
local differential = require "spec.support.differential"
local hand_over_calls = require "spec.support.hand_over_calls"
local sequences = require "spec.support.sequences"
local slack_calls = require "spec.support.slack_calls"
local tick_calls = require "spec.support.tick_calls"

local function prepare_deferred(self)
  if self.engine.has_radius and self.random:chance(0.5) then
    slack_calls.prepare(self)
  end
  tick_calls.prepare(self)
  self.tick_share = self.random:pick { 0.3, 1 }
  hand_over_calls.prepare(self)
end

local function prepare_crowd(self)
  crowd_space_calls.prepare(self)
  hand_over_calls.prepare(self)
end

local function with_areas(prepare)
  return function(self)
    prepare(self)
    area_calls.prepare(self)
  end
end

for _, plan in ipairs {
  { name = "a deferred space", kinds = { tick_calls.kinds }, prepare = prepare_deferred },
  { name = "a crowd space", kinds = { crowd_space_calls.kinds }, prepare = prepare_crowd },
  { name = "a deferred space with areas", kinds = { tick_calls.kinds, area_calls.kinds },
    prepare = with_areas(prepare_deferred), listeners = area_listeners.listeners, sequences = 2 },
  { name = "a crowd space with areas", kinds = { crowd_space_calls.kinds, area_calls.kinds },
    prepare = with_areas(prepare_crowd), listeners = area_listeners.listeners, sequences = 1 },
} do
  describe("Handing over in " .. plan.name .. " does what the model does,", function()
    for _, way in ipairs { "reloading", "replaying" } do
      local tests = differential.tests {
        sequences = plan.sequences or 4,
        are_long = true,
        calls = 60,
        taste = {
          call_kinds = sequences.with_kinds(hand_over_calls.kinds, require "spec.support.bounds_calls",
            table.unpack(plan.kinds)),
          prepare = plan.prepare,
        },
        listeners = plan.listeners or tick_calls.listeners,
        reload_shares = { false, 0.2, false, 1 },
        remaking = require("spec.support." .. way),
      }
      for _, test in ipairs(tests) do
        it(test.name .. ", " .. way, test.run)
      end
    end
  end)
end
