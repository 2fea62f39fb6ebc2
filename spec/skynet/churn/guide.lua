-- Tells agents of the churn run where the maps are. A service of its own that calls nobody: who answers
-- services that die gets errors for sessions of theirs, which may be those of its own calls.
local skynet = require "skynet"

local scenes = {} -- map -> its scene; nil while there is none
local ended = {}  -- set of scenes that were killed
local waiting = {} -- list of coroutines

local command = {}

-- The scene of the map has come (back).
function command.set(map, scene)
  scenes[map] = scene
  for _, one in ipairs(waiting) do
    skynet.wakeup(one)
  end
  waiting = {}
  return true
end

-- The scene of the map is to be killed.
function command.ended(map)
  ended[scenes[map]] = true
  scenes[map] = nil
  return true
end

-- The scene of the map; waits for it.
function command.scene(map)
  while not scenes[map] do
    waiting[#waiting + 1] = coroutine.running()
    skynet.wait()
  end
  return scenes[map]
end

function command.has_ended(scene)
  return ended[scene] or false
end

skynet.start(function()
  skynet.dispatch("lua", function(_, _, name, ...)
    skynet.retpack(command[name](...))
  end)
end)
