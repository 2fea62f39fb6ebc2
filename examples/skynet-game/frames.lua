-- The frames of a websocket to a client: each in one write, where websocket.write takes two.
local socket = require "skynet.socket"

local TEXT, BINARY = 0x81, 0x82 -- kinds

local frames = {}

local function frame(kind, text)
  if #text < 126 then
    return ("<BB"):pack(kind, #text) .. text
  elseif #text < 65536 then
    return (">BBI2"):pack(kind, 126, #text) .. text
  end
  return (">BBI8"):pack(kind, 127, #text) .. text
end

-- Sends a packet.
function frames.packet(socket_id, packet)
  socket.write(socket_id, frame(BINARY, packet))
end

-- Sends a line of words.
function frames.words(socket_id, ...)
  socket.write(socket_id, frame(TEXT, table.concat({ ... }, " ")))
end

return frames
