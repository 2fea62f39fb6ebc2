-- Plants a fault, to see that the churn run sees it: a scene believes that an agent is dead when skynet
-- answers any call with an error. `lua spec/skynet/churn/plant.lua FOLDER` writes the faulty files below that
-- folder, for spec/skynet/config to find first. Fails when a place is not there any more.
local FAULTS = {
  { file = "aoi/skynet/alive", from = "if alive.is_dead(address) then", to = "if true then" },
  { file = "aoi/skynet/calls", from = "and address ~= source then", to = "and false then" },
}

local folder = ...

for _, fault in ipairs(FAULTS) do
  local file = assert(io.open("lua/" .. fault.file .. ".lua"))
  local text = file:read "a"
  file:close()
  local first, last = text:find(fault.from, 1, true)
  if not first or text:find(fault.from, last, true) then
    error(("%s has this not exactly once: %s"):format(fault.file, fault.from), 0)
  end
  file = assert(io.open(("%s/%s.lua"):format(folder, fault.file), "w"))
  file:write(text:sub(1, first - 1), fault.to, text:sub(last + 1))
  file:close()
end
