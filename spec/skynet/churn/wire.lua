-- The bytes on the sockets of the churn run: frames of websockets without a handshake and without masks, as
-- examples/skynet-game/frames.lua writes them.
local socket = require "skynet.socket"

local wire = {}

local TEXT = 0x81

-- A coordinate as a word that says all of it.
function wire.exact(value)
  return ("%.17g"):format(value)
end

-- Writes words as a text.
function wire.tell(fd, ...)
  local text = table.concat({ ... }, " ")
  assert(#text < 65536)
  socket.write(fd, #text < 126 and string.char(TEXT, #text) .. text or (">BBs2"):pack(TEXT, 126, text))
end

-- Reads a frame: whether it is text, and what it says; nil: the socket is closed.
function wire.read(fd)
  local head = socket.read(fd, 2)
  if not head then
    return nil
  end
  local kind, length = head:byte(1, 2)
  if length >= 126 then
    local size = length == 126 and 2 or 8
    local more = socket.read(fd, size)
    if not more then
      return nil
    end
    length = (">I" .. size):unpack(more)
  end
  local text = length == 0 and "" or socket.read(fd, length)
  if not text then
    return nil
  end
  return kind == TEXT, text
end

return wire
