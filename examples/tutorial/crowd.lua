-- Step 5 of docs/tutorial.md: a market where everybody stands in everybody's view.
local aoi = require "aoi"
local ANNA, THIEF = 1, 900

local entries = 0
local market = aoi.new {
  radius = 100, deferred = true,
  limit = 30,                                  -- the nearest 30, without flicker
  move_budget = 10,                            -- at most 10 steps in a packet
  on_view = function(watcher, _, nl, _, ne, _, nm)
    if watcher == ANNA then
      entries = nl + ne + nm
    end
  end,
}
for id = 1, 1000 do
  market:enter(id, id % 40, id // 40)
end
market:pin(ANNA, THIEF)                        -- who robs Anna is not lost in the crowd
market:tick()
print("in view", select(2, market:markers_of(ANNA)))
print("told of", select(2, market:told_markers_of(ANNA)))
print("entries", entries)

for id = 1, 1000 do
  market:move(id, id % 40 + 0.5, id // 40)     -- all take a step
end
market:tick()
print("entries", entries)
print("the thief", market:explain(ANNA, THIEF))
print("somebody far off", market:explain(ANNA, 999))
