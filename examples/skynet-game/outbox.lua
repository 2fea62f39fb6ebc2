-- What goes to one client. One that reads too slowly is sent nothing, until it has read what is on its way;
-- then it goes on with a list that names all that is in view. docs/packets.md has the reasons.
local websocket = require "http.websocket"

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

return function(socket_id)
  local outbox = {}
  local state = "open" -- "full": too much is on its way; "asked": the list is to come

  -- When the socket is closed, its reader ends, and with it the agent.
  local function write(text, kind)
    pcall(websocket.write, socket_id, text, kind)
  end

  -- Passes on a packet, or drops it.
  function outbox.pass_on(packet)
    local list = state == "asked" and find_list(packet)
    if list then
      state = "open"
      packet = packet:sub(list)
    end
    if state == "open" then
      write(packet, "binary")
    end
  end

  -- A line of words, always.
  function outbox.tell(...)
    write(table.concat({ ... }, " "), "text")
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
