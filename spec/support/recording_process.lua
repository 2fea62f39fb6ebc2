--[[ A process for recovery_spec.lua: comes back from the recording at a path, or begins it, and goes on until
it is killed. After each write that has returned it says in another file up to which tick.

    lua spec/support/recording_process.lua recording acknowledged [zlib] ]]
local aoi = require "aoi"
local Random = require "spec.support.random"

local process = {
  options = {
    engine = "grid", width = 200, height = 200, radius = 20, deferred = true, limit = 5, collect = true,
  },
}

-- The calls of this tick, always the same.
function process.live(space, number)
  local random = Random.new(number)
  for _ = 1, 30 do
    local id = random:integer(1, 60)
    if space:has(id) and random:chance(0.1) then
      space:leave(id)
    else
      space:update(id, random:float(0, 200), random:integer(0, 200))
    end
  end
  space:tick()
  space:drain()
end

local path, acknowledged, zlib = ...
if not (arg and arg[0] and arg[0]:find "recording_process") then
  return process
end

local space = aoi.recover(path) or aoi.new(process.options)
zlib = zlib and require(zlib)
local recorder = aoi.recorder(space, path, { append = true, keyframe_ticks = 5, zlib = zlib })
local said = assert(io.open(acknowledged, "ab"))
said:setvbuf "no"
while true do
  process.live(space, space:stats().tick + 1)
  recorder:write()
  said:write(space:stats().tick, "\n")
end
