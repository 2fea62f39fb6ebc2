-- Takes the place of skynet in the processes of `make world-faults`: the clock of a node is wrong by as many
-- seconds as the file $AOI_FOLDER/NODE.clock says when a service begins.
local skynet = assert(loadfile(os.getenv "SKYNET_HOME" .. "/lualib/skynet.lua"))("skynet")

local file = io.open(("%s/%s.clock"):format(os.getenv "AOI_FOLDER", os.getenv "AOI_NODE"))
local wrong = file and file:read "n"
if file then
  file:close()
end

if wrong then
  local starttime = skynet.starttime

  function skynet.starttime()
    return starttime() + wrong
  end

  function skynet.time()
    return skynet.now() / 100 + skynet.starttime()
  end
end

return skynet
