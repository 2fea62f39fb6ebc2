-- A service that dies with answers in its queue: calls another one so often, is busy for a while, so that the
-- answers wait, and exits. skynet answers each of them with an error for a session that is ours.
local skynet = require "skynet"

local address, count = ...
address, count = tonumber(address), tonumber(count)

local BUSY = 100000000 -- nanoseconds

skynet.start(function()
  for _ = 1, count do
    skynet.fork(pcall, skynet.call, address, "lua", "query", "has", 1)
  end
  skynet.timeout(0, function()
    local began = skynet.hpc()
    while skynet.hpc() - began < BUSY do end
    skynet.exit()
  end)
end)
