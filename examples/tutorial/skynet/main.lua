-- Step 8 of docs/tutorial.md: two maps, each a scene, and a player that goes from one to the other.
local skynet = require "skynet"

skynet.start(function()
  os.remove "build/tutorial-meadow.aoi"
  local meadow = skynet.newservice("scene", "radius=50", "tick=100", "handlers=wolves",
    "record_to=build/tutorial-meadow.aoi")
  local town = skynet.newservice("scene", "radius=50", "tick=100", "limit=30")
  assert(skynet.call(town, "lua", "enter", 50, 10, 0, { address = false })) -- a merchant: no agent
  skynet.newservice("player", meadow, town)
end)
