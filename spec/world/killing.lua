-- Stops or kills processes of a world, and has them started anew: see tools/run_world.sh.
local skynet = require "skynet"
local meeting = require "spec.world.meeting"

local FOLDER = os.getenv "AOI_FOLDER"

local killing = {}

-- Sends the process of the node a signal: KILL, STOP, CONT.
function killing.signal(name, node)
  local file = assert(io.open(FOLDER .. "/" .. node .. ".pid"))
  os.execute(("kill -%s %d"):format(name, file:read "n"))
  file:close()
end

function killing.kill(node)
  killing.signal("KILL", node)
  os.remove(FOLDER .. "/" .. node .. ".port")
end

-- Starts nodes anew that were killed, and waits until the others can reach them. They have no services yet.
function killing.start_again(...)
  for _, node in ipairs { ... } do
    meeting.write(FOLDER .. "/" .. node .. ".again", "")
  end
  for _, node in ipairs { ... } do
    repeat
      skynet.sleep(10)
    until meeting.read(FOLDER .. "/" .. node .. ".port")
  end
  skynet.sleep(60) -- the others look for its port
end

return killing
