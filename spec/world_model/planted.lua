-- Runs the model with a planted fault: its modules are loaded anew, changed, and put away again.
local faults = require "spec.world_model.faults"

local MODULES = {
  "links", "calls", "ghosts", "ticks", "change", "member", "coordinator", "machines", "checks", "schedules",
}

local planted = { faults = faults }

local function load_anew(fault)
  local kept, modules = {}, {}
  for _, name in ipairs(MODULES) do
    local path = "spec.world_model." .. name
    kept[path], package.loaded[path] = package.loaded[path], nil
  end
  for _, name in ipairs(MODULES) do
    modules[name] = require("spec.world_model." .. name)
  end
  for path, module in pairs(kept) do
    package.loaded[path] = module
  end
  fault.plant(modules)
  return modules.schedules
end

-- The first of `count` seeds from `first` on with which the fault is found, and the first line of its breach;
-- nil when none finds it.
function planted.find(fault, first, count)
  local schedules = load_anew(fault)
  for seed = first, first + count - 1 do
    local breach = schedules.run(schedules.draw(seed))
    if breach then
      return seed, (breach:gsub("\n.*", ""))
    end
  end
end

return planted
