-- Step 1 of docs/tutorial.md: who sees whom, at once.
local aoi = require "aoi"
local ANNA, WOLF, HERB = 1, 100, 200

local meadow = aoi.new {
  radius = 50,
  on_enter = function(watcher, marker) print(watcher .. " sees " .. marker) end,
  on_leave = function(watcher, marker) print(watcher .. " no longer sees " .. marker) end,
}

meadow:enter(ANNA, 0, 0)
meadow:enter(WOLF, 80, 0, { radius = 30 })    -- it sees less far
meadow:enter(HERB, 20, 30, { mode = "m" })    -- it is seen, and sees nobody
for step = 1, 6 do
  meadow:move(WOLF, 80 - 10 * step, 0)        -- the wolf comes
end
meadow:move(WOLF, 200, 0)                     -- and runs away
print("Anna sees:", table.concat(meadow:markers_of(ANNA), " "))
print("the herb is seen by:", table.concat(meadow:watchers_of(HERB), " "))
