--[[ Writes a recording in which one watches others for each reason, and nobody is there at first:

    lua spec/viewer/watch.lua FILE [empty]   (empty: nobody ever comes) ]]
local aoi = require "aoi"

local COUNTED, FREE = 1, 2

local space = aoi.new {
  engine = "grid", width = 1000, height = 1000, radius = 50, shape = "circle",
  deferred = true, limit = 2, limit_layers = COUNTED,
}
local path, how = ...
local recorder = aoi.recorder(space, path)
for _ = 1, 3 do
  space:tick()
  recorder:write()
end

if how == "empty" then
  recorder:close()
  return
end

space:enter(1, 500, 500)
local function stand(id, away, layers, traits)
  traits = traits or {}
  traits.mode, traits.layers = "m", layers
  space:enter(id, 500 + away, 500, traits)
end
stand(2, 10, COUNTED)
stand(3, 20, COUNTED)
stand(4, 30, COUNTED)
stand(5, 31, COUNTED)
stand(6, 32, FREE)
stand(7, 200, FREE, { visible_radius = 300 })
stand(8, 400, FREE)
stand(9, 5, COUNTED)
stand(10, 450, FREE, { visible_radius = 300 })
space:pin(1, 4)
space:set_sight(1, 8, true)
space:set_sight(1, 9, false)
space:tick()
recorder:close()
