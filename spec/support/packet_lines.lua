-- How spec/packets/dump.c and dump.mjs print the values of packets.
local lines = {}

function lines.hex(bytes)
  return (bytes:gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
  end))
end

-- A coordinate: its bits. All that are no number look alike.
function lines.place(value)
  return value ~= value and " nan" or (" %016x"):format((("<i8"):unpack(("<d"):pack(value))))
end

-- A property; nil: it is removed. An integer and a float of the same value look alike.
function lines.value(value)
  if value == nil then
    return "removed"
  elseif type(value) == "string" then
    return "bytes:" .. lines.hex(value)
  elseif math.type(value) == "integer" then
    return ("%d"):format(value)
  elseif value > -2.0 ^ 53 and value < 2.0 ^ 53 and value % 1 == 0 then
    return ("%.0f"):format(value == 0 and 0 or value)
  end
  return lines.place(value)
end

return lines
