-- Counts of a scene or a region, for the debug console.
local skynet = require "skynet"

-- `scene` is the table of scene.lua. Returns a new flat table; times are milliseconds.
return function(scene)
  local result = scene.space:stats()
  for name, value in pairs(scene.counters) do
    result[name] = value
  end
  result.followers, result.addresses = scene.records.followers(), scene.addresses:count()
  result.lua_bytes = math.floor(collectgarbage "count" * 1024)
  result.cpu, result.mailbox = skynet.stat "cpu" * 1000, skynet.mqlen()
  return result
end
