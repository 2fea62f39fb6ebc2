-- Writes packets of version 3 (docs/packets.md) byte by byte, for specs of those who read them: also such as
-- no scene would write.
local writer = {}

writer.VIEW, writer.SAID, writer.REFUSED, writer.OVER, writer.NOTIFIED = 1, 2, 3, 4, 6
writer.LONG_IDS, writer.DOUBLES, writer.THREE, writer.REPLACES, writer.MORE, writer.TEXT = 1, 2, 4, 8, 16, 32
writer.LEFT, writer.ENTERED, writer.ENTERED_WITH, writer.MOVED, writer.CHANGED, writer.ME = 1, 2, 3, 4, 5, 6
writer.PLACE, writer.EXTRAS, writer.DETAILS, writer.TRAITS, writer.CALLS = 1, 2, 3, 4, 5 -- fields of ME
writer.STEP_EXTRAS = 7

local function id_format(flags)
  return flags & writer.LONG_IDS ~= 0 and "i8" or "i4"
end

function writer.block(kind, flags, watcher, stream, number, body)
  return ("<BBI2" .. id_format(flags) .. "I4I4"):pack(kind, flags, #body, watcher, stream, number) .. body
end

function writer.section(kind, records)
  return ("<BI2"):pack(kind, #records) .. records
end

-- A section of extras: n numbers for each record of the next section with places.
function writer.extras(n, values)
  return writer.section(writer.STEP_EXTRAS, ("<B" .. ("f"):rep(#values)):pack(n, table.unpack(values)))
end

function writer.id(flags, id)
  return ("<" .. id_format(flags)):pack(id)
end

-- An id and a place; z counts in three dimensions only.
function writer.place(flags, id, x, y, z)
  local format = flags & writer.DOUBLES ~= 0 and "d" or "f"
  if flags & writer.THREE ~= 0 then
    return ("<" .. id_format(flags) .. format:rep(3)):pack(id, x, y, z)
  end
  return ("<" .. id_format(flags) .. format:rep(2)):pack(id, x, y)
end

-- A property as a detail: an integer, a float, a string, or nil for one that is removed.
function writer.property(key, value)
  if value == nil then
    return ("<BB"):pack(5, key)
  elseif type(value) == "string" then
    return ("<BBs2"):pack(4, key, value)
  elseif math.type(value) == "float" then
    return ("<BBd"):pack(3, key, value)
  elseif value >= -0x80000000 and value <= 0x7FFFFFFF then
    return ("<BBi4"):pack(1, key, value)
  end
  return ("<BBi8"):pack(2, key, value)
end

-- The news of a watcher about itself, without the fields.
function writer.me(pushes, is_whole)
  return ("<I4B"):pack(pushes, is_whole and 1 or 0)
end

function writer.field(tag, bytes)
  return ("<Bs2"):pack(tag, bytes)
end

function writer.data(bytes)
  return ("<Bs2"):pack(0, bytes)
end

return writer
