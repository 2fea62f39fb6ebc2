-- Runs a history: makes its calls on the module and on the model, and compares after each.
local World = require "spec.everything.world"
local compare = require "spec.everything.compare"

local runner = {}

local function new_world(history, write)
  local world = setmetatable({ slots = {}, sleepers = {}, luggage = {}, write = write }, World)
  for index, spec in ipairs(history.spaces) do
    local ok, slot = pcall(World.new_slot, world, index, spec)
    if not ok then
      world:fail("new: " .. tostring(slot))
      break
    end
    world.slots[index] = slot
  end
  return world
end

-- Runs a history. Returns nil, or what failed: { index = number of the call, text }. The history's `ask` is
-- after how many calls everything is asked. write gets lines that say what is done and heard; default:
-- nobody.
function runner.run(history, write)
  local world = new_world(history, write)
  local last = 0
  for index, call in ipairs(history.calls) do
    if world.failure then
      break
    end
    last = index
    world:make(call)
    local slot = world.slots[call.on or 1]
    if slot and not world.failure then
      world:fail(compare.pending(slot.model, slot.real, world:is_settled(slot)))
      if index % history.ask == 0 then
        world:fail(compare.all(slot.model, slot.real))
      end
    end
  end
  if not world.failure then
    for _, slot in ipairs(world.slots) do
      world:fail(compare.all(slot.model, slot.real))
    end
  end
  return world.failure and { index = last, text = world.failure }
end

return runner
