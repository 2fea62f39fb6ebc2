-- Writes files that stand on the disk once they are written, as a skynet service: a slow disk holds up this
-- service alone. Only the service world starts it. A message is a path and a text, which takes the place of
-- what that file has; the answer is that of durable.replace.
local skynet = require "skynet"
local durable = require "aoi.skynet.durable"

skynet.start(function()
  skynet.dispatch("lua", function(_, _, path, text)
    skynet.retpack(durable.replace(path, text))
  end)
end)
