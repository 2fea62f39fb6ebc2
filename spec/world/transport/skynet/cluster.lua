-- Takes the place of skynet.cluster in the processes of `make world-faults`: what worlds send to each other
-- is lost, doubled, held up or cut off as a file says that the driver writes, $AOI_FOLDER/transport. It
-- returns a table with
--   loss, double, late   which share of the messages; late ones come up to LATE later, behind others
--   sides                node -> side: nothing goes from one to another; or apart: a set of "a b"
--   is_held              what may not go over is delivered in the end, in order, else it is lost
local skynet = require "skynet"
local real = assert(loadfile(os.getenv "SKYNET_HOME" .. "/lualib/skynet/cluster.lua"))("skynet.cluster")

local PATH, NODE = os.getenv "AOI_FOLDER" .. "/transport", os.getenv "AOI_NODE"
local LATE, LOOK = 30, 2 -- hundredths of a second
local faults, looked = {}, -LOOK
local held = {} -- list of messages
local is_looking = false

local cluster = setmetatable({}, { __index = real })

local function look()
  if skynet.now() - looked >= LOOK then
    looked = skynet.now()
    local file = io.open(PATH) -- skynet's loadfile would remember what it read first
    faults = file and load(file:read "a", "=transport", "t", {})() or {}
    if file then
      file:close()
    end
  end
  return faults
end

local function is_cut(node)
  local now = look()
  return now.sides and now.sides[NODE] ~= now.sides[node]
    or now.apart and (now.apart[NODE .. " " .. node] or now.apart[node .. " " .. NODE])
end

-- Sends what is held up as soon as that is possible.
local function send_held()
  local list = held
  held = {}
  for _, message in ipairs(list) do
    if is_cut(message[1]) then
      held[#held + 1] = message
    else
      real.send(table.unpack(message, 1, message.n))
    end
  end
  is_looking = #held > 0
  if is_looking then
    skynet.timeout(LOOK, send_held)
  end
end

function cluster.send(node, address, ...)
  if address == "@process" then
    return real.send(node, address, ...)
  end
  local now = look()
  if is_cut(node) then
    if now.is_held then
      held[#held + 1] = table.pack(node, address, ...)
      if not is_looking then
        is_looking = true
        skynet.timeout(LOOK, send_held)
      end
    end
    return
  elseif now.loss and math.random() < now.loss then
    return
  elseif now.double and math.random() < now.double then
    real.send(node, address, ...)
  end
  if now.late and math.random() < now.late then
    local message = table.pack(node, address, ...)
    skynet.timeout(math.random(LATE), function()
      real.send(table.unpack(message, 1, message.n))
    end)
  else
    real.send(node, address, ...)
  end
end

function cluster.call(node, address, ...)
  if address ~= "@process" and is_cut(node) then
    skynet.wait() -- as for packets that nobody answers
  end
  return real.call(node, address, ...)
end

return cluster
