-- A process that is killed while its scene is recorded; a case of records.lua starts it. The file
-- AOI_PROGRESS has its progress: after each step, how many there were.
local skynet = require "skynet"
local crowd = require "spec.skynet.crowd"
local harness = require "spec.skynet.harness"
local Random = require "spec.support.random"

skynet.start(function()
  local scene = harness.scene("engine=grid", "width=300", "height=300", "radius=40", harness.BY_HAND,
    "record_to=" .. os.getenv "AOI_RECORDING")
  local progress = assert(io.open(os.getenv "AOI_PROGRESS", "w"))
  progress:setvbuf "no"
  local random = Random.new(6)
  for step = 1, math.huge do
    crowd.stir(scene, random, 20)
    harness.command(scene, "tick")
    progress:write(("%8d"):format(step))
    skynet.sleep(0)
  end
end)
