-- Handlers of a region that use commands in hooks for which something stands still: `save`, `pack`, `unpack`,
-- and `stop` as the region ends. Each answer is logged, with the region's number.
local skynet = require "skynet"

return function(scene)
  local function try(hook, command, ...)
    local _, message = pcall(scene[command], ...)
    skynet.error(("%s %d: %s"):format(hook, scene.region, tostring(message)))
  end

  return {
    pack = function(id)
      try("pack", "set_property", id, 7, "packed")
      try("pack", "transfer", id, skynet.self(), 0, 0)
      skynet.fork(try, "fork", "set_property", id, 7, "late")
      skynet.sleep(1) -- it should not: others may use commands meanwhile
      return "packed"
    end,
    save = function()
      try("save", "set_property", scene.region, 7, "saved")
    end,
    unpack = function(id)
      try("unpack", "set_property", id, 7, "unpacked")
    end,
    stop = function()
      try("stop", "leave", scene.region)
    end,
  }
end
