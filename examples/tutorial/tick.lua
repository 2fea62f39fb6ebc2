-- Step 2 of docs/tutorial.md: a tick reports what has changed since the last one.
local aoi = require "aoi"
local ANNA, WOLF = 1, 100

local meadow = aoi.new {
  radius = 50, deferred = true,
  on_view = function(watcher, left, nl, entered, ne, moved, nm)
    print(("  to %d: left [%s] entered [%s] moved [%s]"):format(watcher, table.concat(left, " ", 1, nl),
      table.concat(entered, " ", 1, ne), table.concat(moved, " ", 1, nm)))
  end,
}

local inbox = {                                -- what has come in before each tick
  { { ANNA, 0, 0 }, { WOLF, 40, 0 } },
  { { WOLF, 30, 0 }, { WOLF, 20, 0 }, { WOLF, 10, 0 } },
  {},
  { { WOLF, 90, 0 } },
}
for tick, steps in ipairs(inbox) do
  print("tick " .. tick)
  for _, step in ipairs(steps) do
    meadow:update(step[1], step[2], step[3])   -- enters or moves, whichever fits
  end
  meadow:tick()
end
