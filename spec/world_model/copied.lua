-- A table of its own, as one that was packed and unpacked.
local function copied(value)
  if type(value) ~= "table" then
    return value
  end
  local copy = {}
  for key, item in pairs(value) do
    copy[key] = copied(item)
  end
  return copy
end

return copied
