-- Runs the model with a planted fault: its modules are loaded anew, changed, and put away again.
local faults = require "spec.world_model.faults"

local REAL, MODEL = "aoi.skynet.world.", "spec.world_model."
local MODULES = {
  { REAL, "links" }, { REAL, "direct" }, { REAL, "calls" }, { REAL, "stays" }, { REAL, "applying" },
  { REAL, "taking" }, { REAL, "resuming" }, { REAL, "ticks" }, { REAL, "stored" }, { REAL, "lists" },
  { REAL, "committing" }, { REAL, "change" }, { REAL, "greetings" }, { REAL, "member" },
  { REAL, "late" }, { REAL, "owners" }, { REAL, "coordinator" }, { REAL, "lease" }, { REAL, "whose" },
  { MODEL, "agents" }, { MODEL, "land" }, { MODEL, "disks" }, { MODEL, "machines" }, { MODEL, "checks" },
  { MODEL, "schedules" },
}

local planted = { faults = faults }

local function load_anew(fault)
  local kept, modules = {}, {}
  for _, one in ipairs(MODULES) do
    local path = one[1] .. one[2]
    kept[path], package.loaded[path] = package.loaded[path], nil
  end
  for _, one in ipairs(MODULES) do
    modules[one[2]] = require(one[1] .. one[2])
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
    local plan = schedules.draw(seed)
    if fault.alter then
      fault.alter(plan)
    end
    local breach = schedules.run(plan)
    if breach then
      return seed, (breach:gsub("\n.*", ""))
    end
  end
end

return planted
