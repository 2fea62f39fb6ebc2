--[[ A recording like that of lua/aoi/skynet/picture.lua, for the specs of the page: two regions side by side.

    lua spec/page/picture.lua FILE ]]
local aoi = require "aoi"

local space = aoi.new { radius = 50, deferred = true }
for region = 1, 2 do
  space:add_area(-region, { shape = "rect", x = 400 * region - 200, y = 300, width = 400, height = 600 })
  space:enter(region, 400 * region - 200, 300)
end
space:tick()
aoi.recorder(space, (...)):close()
