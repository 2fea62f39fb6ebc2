-- Step 4 of docs/tutorial.md: a wolf that notices players near it, and gives up further off.
local aoi = require "aoi"
local ANNA, WOLF, AGGRO = 1, 100, 1
local PLAYERS, MONSTERS = 1, 2                 -- layers

local meadow
local prey
meadow = aoi.new {
  radius = 50, deferred = true,
  on_area = function(area, marker, op)
    if area == AGGRO then
      prey = op == "enter" and marker or nil
      print("the wolf " .. (prey and "hunts " or "lets go of ") .. marker)
    end
  end,
}
meadow:enter(ANNA, 0, 0, { layers = PLAYERS })
meadow:enter(WOLF, 40, 0, { layers = MONSTERS })
meadow:add_area(AGGRO, { owner = WOLF, radius = 15, leave_radius = 25, sees_layers = PLAYERS })

for tick = 1, 7 do
  local x = meadow:position(ANNA)
  meadow:move(ANNA, x + (tick < 4 and 10 or -20), 0)
  if prey then
    meadow:move(WOLF, meadow:position(WOLF) - 5, 0)
  end
  meadow:tick()
end
