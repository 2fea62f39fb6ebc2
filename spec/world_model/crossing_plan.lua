-- Makes of a drawn schedule of the model one in which regions move again and again, and an entity crosses
-- borders all the time, in view of another one. Messages are late.
local calm = require "spec.world_model.calm_plan"

return function(plan)
  calm(plan, 3000)
  plan.stores, plan.late, plan.sight, plan.disasters = false, 0.3, 5, {}
  for i = 1, 5 do
    plan.disasters[i] = {
      kind = "migrate", at = 503 + 500 * i, name = plan.names[i % 3 + 1], length = 151 + i,
    }
  end
  plan.calls = { { at = 100, name = "n3", uid = 1, id = 2, kind = "enter", x = 8 } }
  for i = 2, 29 do
    plan.calls[i] = {
      at = 100 * i, name = "n3", uid = i, id = 1, kind = i == 2 and "enter" or "move",
      x = ({ 2, 18, 12, 25 })[i % 4 + 1],
    }
  end
end
