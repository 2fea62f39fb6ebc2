-- A process whose scene is killed in the middle of writing to its store; cases/store.lua starts it. It takes
-- STEPS steps, each a tick, and writes to the file AOI_PROGRESS what was done and what was heard: "done 3",
-- "heard 3", one a line.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"
local steps = require "spec.skynet.store_steps"
local view = require "aoi.skynet.client"

skynet.start(function()
  local progress = assert(io.open(os.getenv "AOI_PROGRESS", "w"))
  progress:setvbuf "no"
  local scene = harness.scene("store=" .. os.getenv "AOI_STORE", "handlers=spec.skynet.store_handlers",
    table.unpack(steps.OPTIONS))
  local function hear(id, x)
    if id == steps.WALKER then
      progress:write(("heard %d\n"):format(steps.number(x)))
    end
  end
  view.on { entered = hear, moved = hear }
  for step = 1, steps.COUNT do
    steps.take(scene, step)
    progress:write(("done %d\n"):format(step))
    skynet.sleep(0)
  end
  progress:write "end\n"
  skynet.abort()
end)
