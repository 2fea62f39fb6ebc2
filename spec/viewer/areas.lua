--[[ A space with one area of each shape, as a string of digits: space:save(), and space:recorded() of a walk
through them. Then who is in which area, before and after, and the events in between, as text:

    lua spec/viewer/areas.lua ]]
local aoi = require "aoi"

local space = aoi.new { engine = "quadtree", width = 100, height = 100, radius = 5, record = true,
  collect = { "area_enter", "area_leave" } }

for id = 1, 9 do
  space:enter(id, 10 * id, 10 * id)
end
space:add_area(1, { x = 20, y = 20, radius = 10 })
space:add_area(math.maxinteger, { owner = 5, radius = 10, leave_radius = 20, shape = "square",
  sees_layers = 3 })
space:add_area(-3, { x = 65, y = 70, shape = "rect", width = 30, height = 20 })
space:add_area(4, { shape = "polygon", points = {
  { 75, 75, 95, 75, 95, 95, 75, 95 }, { 88, 88, 92, 88, 92, 92, 88, 92 } } })
space:drain {}
space:recorded()

local function digits(text)
  return (text:gsub(".", function(character)
    return ("%02x"):format(character:byte())
  end))
end

local function members()
  local lines = {}
  for _, area in ipairs((space:areas())) do
    local list = space:members_of(area)
    table.sort(list)
    lines[#lines + 1] = ("%d:%s"):format(area, table.concat(list, ","))
  end
  table.sort(lines)
  return table.concat(lines, " ")
end

print(digits(space:save()))
print(members())
for x = 10, 95, 5 do
  space:move(1, x, x)
end
space:move(5, 52, 50)
print(digits(space:recorded()))
print(members())
local events, n = space:drain {}
local words = {}
for i = 1, 3 * n, 3 do
  words[#words + 1] = ("%d %s %d"):format(events[i], events[i + 2], events[i + 1])
end
print(table.concat(words, ";"))
