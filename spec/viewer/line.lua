--[[ A space of n entities on a line, 1 apart, each of which then goes 0.25 along it: prints space:save()
before that and space:recorded() after it, in hexadecimal digits. lua spec/viewer/line.lua N RADIUS ]]
local aoi = require "aoi"

local n, radius = tonumber((...)), tonumber((select(2, ...)))
local space = aoi.new { engine = "grid", width = n + 2, height = 10, cell = 16, radius = radius }
for id = 1, n do
  space:enter(id, id, 5)
end

local function digits(text)
  return (text:gsub(".", function(character)
    return ("%02x"):format(character:byte())
  end))
end

io.write(digits(space:save()), " ")
space:record(true)
for id = 1, n do
  space:move(id, id + 0.25, 5)
end
print(digits(space:recorded()))
