-- All courses of up to eight events on two nodes with one entity: each event is one of four, and they follow
-- each other by a little more than a third of a tick, so that they meet ticks in every phase. Transport loses
-- nothing; what it does beside that is what random schedules are for.
local schedules = require "spec.world_model.schedules"

local EVENTS = 8
local SLOT = 37

-- Acts of a node with the entity, one after the other: it enters, crosses the border, crosses it again,
-- leaves.
local ACTS = { { "enter", 3 }, { "move", 14 }, { "move", 2 }, { "leave", 0 } }

-- Events. "act n" is the next act by that node; a disaster has a kind and a length. The coordinator is at n1.
local alphabets = {
  { "act n1", "act n2", "wait", { kind = "kill", name = "n2", length = 240 } },
  {
    "act n1", "act n2", { kind = "stop", name = "n2", length = 2200 },
    { kind = "migrate", name = "n1", length = 1 },
  },
  {
    "act n1", "act n2", { kind = "kill", name = "n1", length = 240 },
    { kind = "stop", name = "n2", length = 2200 },
  },
}

local exhaustive = {}

-- How many courses there are.
exhaustive.count = #alphabets * 2 * math.tointeger(4 ^ EVENTS)

-- The plan of course number n, from 0 on: with and without stores.
function exhaustive.plan(n)
  local alphabet, rest = alphabets[n % #alphabets + 1], n // #alphabets
  local plan = {
    seed = 1, names = { "n1", "n2" }, regions = 2, ids = 1, sight = 5, stores = rest % 2 == 1,
    redis = false, is_shared = true, orphan_ticks = 20, disasters = {}, calls = {},
    loss = 0, doubled = 0, late = 0,
    ends = EVENTS * SLOT + 300,
  }
  local act = 0
  rest = rest // 2
  for i = 1, EVENTS do
    local event = alphabet[rest % 4 + 1]
    rest = rest // 4
    if type(event) == "table" then
      plan.disasters[#plan.disasters + 1] = {
        kind = event.kind, at = 200 + i * SLOT, name = event.name, other = event.name, length = event.length,
      }
    elseif event ~= "wait" then
      act = act % #ACTS + 1
      plan.calls[#plan.calls + 1] = {
        at = 200 + i * SLOT, name = event:sub(5), uid = i, id = 1, kind = ACTS[act][1], x = ACTS[act][2],
      }
    end
  end
  return plan
end

-- Runs course n; returns the text of a breach, or nil and counts.
function exhaustive.run(n)
  return schedules.run(exhaustive.plan(n))
end

return exhaustive
