-- The messages to one client. A client that reads too slowly is sent nothing, until it has read what is on
-- its way; then it goes on with a list that names all that is in view. docs/packets.md has the reasons.
local socket = require "skynet.socket"

local TEXT, BINARY = 0x81, 0x82 -- kinds of websocket frames
local VIEW, LONG_IDS, REPLACES = 1, 1, 8 -- a kind of block, and flags

-- Where the first block with such a list is in a packet; nil: nowhere.
local function find_list(packet)
  local at = 1
  while at <= #packet do
    local kind, flags, length = ("<BBI2"):unpack(packet, at)
    if kind == VIEW and flags & REPLACES ~= 0 then
      return at
    end
    at = at + (flags & LONG_IDS ~= 0 and 20 or 16) + length
  end
end

-- The bytes of a message on the socket: in one write, where websocket.write takes two.
local function frame(kind, text)
  if #text < 126 then
    return ("<BB"):pack(kind, #text) .. text
  elseif #text < 65536 then
    return (">BBI2"):pack(kind, 126, #text) .. text
  end
  return (">BBI8"):pack(kind, 127, #text) .. text
end

return function(socket_id)
  local outbox = {}
  local state = "open" -- "full": too much is on its way; "asked": the list is to come

  -- Passes on a packet, or drops it.
  function outbox.pass_on(packet)
    local list = state == "asked" and find_list(packet)
    if list then
      state = "open"
      packet = packet:sub(list)
    end
    if state == "open" then
      socket.write(socket_id, frame(BINARY, packet))
    end
  end

  -- A line of words, always.
  function outbox.tell(...)
    socket.write(socket_id, frame(TEXT, table.concat({ ... }, " ")))
  end

  -- Takes note of how many kilobytes are on their way; true: a resync is to be asked for.
  function outbox.warn(kilobytes)
    if kilobytes > 0 then
      state = "full"
    elseif state == "full" then
      state = "asked"
      return true
    end
    return false
  end

  return outbox
end
