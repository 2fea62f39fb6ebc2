-- How processes on one machine find each other: each listens on a port that is free and writes it into a
-- file of a folder that all know. A process that was killed comes back with another port: the others look
-- for that now and then.
local skynet = require "skynet"
local cluster = require "skynet.cluster"
local side_by_side = require "aoi.skynet.side_by_side"

local meeting = {}

local LOOK = 20 -- hundredths of a second between two looks

local function read(path)
  local file = io.open(path)
  local text = file and file:read "a"
  if file then
    file:close()
  end
  return text
end

function meeting.write(path, text)
  local file = assert(io.open(path .. ".new", "w"))
  file:write(text)
  file:close()
  assert(os.rename(path .. ".new", path)) -- nobody reads half of it
end

meeting.read = read

-- Takes part as the node `name`; names: of all nodes. Returns when all are there; raises after `seconds`.
function meeting.open(folder, name, names, seconds)
  local addresses = {}
  local function look()
    local changed, missing = false, nil
    for _, other in ipairs(names) do
      local address = read(folder .. "/" .. other .. ".port")
      missing = missing or not address and other or nil
      if address and addresses[other] ~= address then
        addresses[other], changed = address, true
      end
    end
    if changed then
      cluster.reload(addresses)
    end
    return missing
  end
  local _, port = skynet.call(skynet.uniqueservice "clusterd", "lua", "listen", "127.0.0.1", 0)
  meeting.write(folder .. "/" .. name .. ".port", "127.0.0.1:" .. port)
  local deadline = skynet.now() + seconds * 100
  local missing = look()
  while missing do
    if skynet.now() > deadline then
      error(("%s waited %d seconds for %s"):format(name, seconds, missing))
    end
    skynet.sleep(LOOK // 4)
    missing = look()
  end
  skynet.fork(function()
    while true do
      skynet.sleep(LOOK)
      look()
    end
  end)
end

-- Calls f(i) for all i from 1 to n at once. Returns a list of what they gave; raises the first error.
function meeting.for_each(n, f)
  local list, results = {}, {}
  for i = 1, n do
    list[i] = function()
      return f(i)
    end
  end
  for i, result in ipairs(side_by_side(list)) do
    if not result[1] then
      error(result[2], 0)
    end
    results[i] = result[2]
  end
  return results
end

return meeting
