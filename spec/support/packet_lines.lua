-- How spec/packets/dump.c and dump.mjs print what packets say.
local blocks = require "aoi.skynet.blocks"

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

-- Details, packed.
local function show_details(packed)
  local data, properties = blocks.details(packed or "")
  local words, keys = { data and " data=bytes:" .. lines.hex(data) }, {}
  for key in pairs(properties or {}) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  for _, key in ipairs(keys) do
    words[#words + 1] = (" %d=%s"):format(key, lines.value(properties[key] or nil))
  end
  return table.concat(words)
end

-- The records of a packet as the reader in Lua sees them, a list of lines. No id may enter twice.
function lines.of_records(packet)
  local list, at = {}, 1
  while at <= #packet do
    local block
    block, at = blocks.head(packet, at)
    local view = blocks.view(packet, block)
    for _, id in ipairs(view.left or {}) do
      list[#list + 1] = "left " .. id
    end
    for _, kind in ipairs { "entered", "moved" } do
      local places = view[kind] or {}
      for i = 1, #places, view.dims + 1 do
        local id, x, y, z = table.unpack(places, i, i + view.dims)
        local place = lines.place(x) .. lines.place(y) .. lines.place(z or 0.0)
        for _, value in ipairs(view.extras and view.extras[id] or {}) do
          place = place .. lines.place(value)
        end
        list[#list + 1] = ("%s %d%s"):format(kind, id, place) ..
          show_details(kind == "entered" and view.details and view.details[id])
      end
    end
    for _, id in ipairs(view.changed or {}) do
      list[#list + 1] = ("changed %d"):format(id) .. show_details(view.details[id])
    end
  end
  return list
end

return lines
