-- Step 6 of docs/tutorial.md: a recording, and the answer to "why did she not see me?".
local aoi = require "aoi"
local ANNA, THIEF = 1, 2
local path = "build/tutorial.aoi"
os.remove(path)                                -- a recorder does not overwrite a file

local meadow = aoi.new { radius = 50, deferred = true }
local recorder = aoi.recorder(meadow, path)
meadow:enter(ANNA, 0, 0)
meadow:enter(THIEF, 45, 0, { layers = 4 })
for tick = 1, 60 do
  if tick == 20 then
    meadow:set_sees_layers(ANNA, 1)            -- Anna is blinded: she sees layer 1 only
  elseif tick == 40 then
    meadow:set_sees_layers(ANNA, -1)           -- all layers again
    meadow:move(THIEF, 60, 0)
  end
  meadow:tick()
  recorder:write()
end
recorder:close()

local player = aoi.player(path)                -- days later
for _, tick in ipairs { 10, 30, 50 } do
  player:seek(tick)
  print("tick " .. tick, player.space:sees(ANNA, THIEF), player.space:explain(ANNA, THIEF))
end
player:close()
