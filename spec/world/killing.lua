-- Stops or kills processes of a world, and has them started anew: see tools/run_world.sh.
local skynet = require "skynet"
local meeting = require "spec.world.meeting"

local FOLDER = os.getenv "AOI_FOLDER"

local killing = {}

local function process_of(node)
  local file = assert(io.open(FOLDER .. "/" .. node .. ".pid"))
  local process = file:read "n"
  file:close()
  return process
end

-- Sends the process of the node a signal: KILL, STOP, CONT.
function killing.signal(name, node)
  os.execute(("kill -%s %d"):format(name, process_of(node)))
end

-- Stops processes of nodes, also this one, and has them go on after so many seconds.
function killing.stop_all(seconds, nodes)
  local list = {}
  for i, node in ipairs(nodes) do
    list[i] = process_of(node)
  end
  local processes = table.concat(list, " ")
  os.execute(("(kill -STOP %s; sleep %g; kill -CONT %s) &"):format(processes, seconds, processes))
end

-- No file that the process of the node writes may be longer than so many bytes; nil: they may be as long as
-- they get. Returns whether that is possible on this machine.
function killing.limit_files(node, bytes)
  return os.execute(("prlimit --pid %d --fsize=%s: 2>/dev/null"):format(process_of(node),
    bytes or "unlimited"))
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
