-- Random packets of version 3, and the lines that spec/packets/dump.c and dump.mjs print of them.
local writer = require "spec.support.packet_writer"
local lines_of = require "spec.support.packet_lines"

local INTEGERS = { 0, 1, -1, 255, 0x7FFFFFFF, -0x80000000, 0x80000000, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1,
  math.mininteger, math.maxinteger }
local FLOATS = { 0.0, -0.0, 1.5, -3.25, 1e300, 5e-324, 1 / 0, -1 / 0, 0 / 0, 2.0 ^ 53, 1 / 3, 123456.75 }
local STRINGS = { "", "a", "\0\255", "\xE4\xBD\xA0\xE5\xA5\xBD", ("x"):rep(300) }

local function any_id(random, flags)
  if flags & writer.LONG_IDS ~= 0 then
    return random:chance(0.5) and random:pick(INTEGERS) or random:integer(-1000, 1000) << 33
  end
  return random:pick { random:integer(-50, 50), 0x7FFFFFFF, -0x80000000 }
end

-- A coordinate as it is read again.
local function any_coordinate(random, flags)
  local value = random:chance(0.2) and random:pick(FLOATS) or random:float(-1e4, 1e4)
  if flags & writer.DOUBLES ~= 0 then
    return value
  end
  local fits = value ~= value or value == 1 / 0 or value == -1 / 0 or math.abs(value) < 3e38
  return (("<f"):unpack(("<f"):pack(fits and value or 2.5)))
end

-- Details, and how they are shown.
local function any_details(random)
  local bytes, text = {}, {}
  if random:chance(0.5) then
    local data = random:pick(STRINGS)
    bytes[1], text[1] = writer.data(data), " data=bytes:" .. lines_of.hex(data)
  end
  for key = 0, 255, random:integer(40, 200) do
    local value = random:pick { random:pick(INTEGERS), random:pick(FLOATS), random:pick(STRINGS), false }
    value = value or nil
    bytes[#bytes + 1] = writer.property(key, value)
    text[#text + 1] = (" %d=%s"):format(key, lines_of.value(value))
  end
  if random:chance(0.2) then
    bytes[#bytes + 1] = string.char(random:integer(6, 255)) .. "of a later version"
  end
  return table.concat(bytes), table.concat(text)
end

local NAMES = { "left", "entered", "entered", "moved", "changed" }
local HAS_PLACE = { [writer.ENTERED] = true, [writer.ENTERED_WITH] = true, [writer.MOVED] = true }
local HAS_DETAILS = { [writer.ENTERED_WITH] = true, [writer.CHANGED] = true }

-- n numbers, as they are read again.
local function any_extras(random, n)
  local values = {}
  for i = 1, n do
    values[i] = any_coordinate(random, 0)
  end
  return values
end

-- extras: those of the record; {}: none.
local function any_record(random, kind, flags, extras)
  local id = any_id(random, flags)
  local bytes, text = writer.id(flags, id), ("%s %d"):format(NAMES[kind], id)
  if HAS_PLACE[kind] then
    local x, y = any_coordinate(random, flags), any_coordinate(random, flags)
    local z = flags & writer.THREE ~= 0 and any_coordinate(random, flags) or 0.0
    bytes = writer.place(flags, id, x, y, z)
    text = text .. lines_of.place(x) .. lines_of.place(y) .. lines_of.place(z)
    for _, value in ipairs(extras) do
      text = text .. lines_of.place(value)
    end
  end
  if HAS_DETAILS[kind] then
    local details, shown = any_details(random)
    bytes, text = bytes .. ("<s2"):pack(details), text .. shown
  end
  return bytes, text
end

-- The news of a watcher about itself, and how that is shown.
local function any_me(random, flags)
  local is_whole, pushes = random:chance(0.5), random:pick { 0, 1, 0xFFFFFFFF }
  local bytes = { writer.me(pushes, is_whole) }
  local text = ("me %d %s"):format(pushes, is_whole and "whole" or "part")
  if random:chance(0.5) then
    local place, dims = {}, flags & writer.THREE ~= 0 and 3 or 2
    for i = 1, dims do
      place[i] = random:float(-1e4, 1e4)
      text = text .. lines_of.place(place[i])
    end
    text = text .. (dims == 2 and lines_of.place(0.0) or "")
    bytes[#bytes + 1] = writer.field(writer.PLACE, ("<" .. ("d"):rep(dims)):pack(table.unpack(place)))
  end
  if random:chance(0.5) then
    local extras = ("<ff"):pack(random:integer(0, 9), -1.5)
    bytes[#bytes + 1], text = writer.field(writer.EXTRAS, extras), text .. " extras=" .. lines_of.hex(extras)
  end
  if random:chance(0.5) then
    local details, shown = any_details(random)
    bytes[#bytes + 1], text = writer.field(writer.DETAILS, details), text .. shown
  end
  text = text .. " traits"
  if random:chance(0.5) then
    bytes[#bytes + 1] = writer.field(writer.TRAITS, writer.property(1, 12.5) .. writer.property(3, "wm")
      .. writer.property(200, 7))
    text = ("%s 1=%s 3=%s 200=7"):format(text, lines_of.value(12.5), lines_of.value "wm")
  end
  if random:chance(0.5) then
    bytes[#bytes + 1] = writer.field(random:pick { writer.CALLS, 0, 200 }, "\1\0\0\0")
  end
  return writer.section(writer.ME, table.concat(bytes)), text
end

local function any_view(random, flags, lines)
  local sections, own = {}, nil
  for _ = 1, random:integer(0, 4) do
    local kind = random:integer(1, 7)
    if kind == 6 then
      sections[#sections + 1] = writer.section(random:pick { 0, 99, 255 }, "of a later version")
    elseif kind == 7 and not own then
      sections[#sections + 1], own = any_me(random, flags)
    elseif kind == 7 then
      sections[#sections + 1] = ""
    else
      local records, all = {}, {}
      local n = HAS_PLACE[kind] and random:chance(0.5) and random:integer(1, 4) or 0
      for i = 1, random:integer(n > 0 and 1 or 0, 3) do
        local extras = any_extras(random, n)
        table.move(extras, 1, n, #all + 1, all)
        records[i], lines[#lines + 1] = any_record(random, kind, flags, extras)
      end
      if n > 0 then
        sections[#sections + 1] = writer.extras(n, all)
        -- A section in between makes no difference.
        sections[#sections + 1] = random:chance(0.2) and writer.section(writer.LEFT, "") or nil
      elseif random:chance(0.1) then
        sections[#sections + 1] = writer.section(writer.STEP_EXTRAS, random:pick { "", "\0", "\5later" })
      end
      sections[#sections + 1] = writer.section(kind, table.concat(records))
    end
  end
  lines[#lines + 1] = own
  return table.concat(sections)
end

local function any_block(random, lines)
  local kind = random:pick { writer.VIEW, writer.VIEW, writer.VIEW, writer.SAID, writer.REFUSED, writer.OVER,
    writer.NOTIFIED, 100 }
  local flags = random:integer(0, 255)
  local watcher = any_id(random, flags)
  local stream, number = random:integer(0, 3) << 30 | 5, random:integer(0, 1 << 20)
  lines[#lines + 1] = ("block %d %d %d %d %d"):format(kind, flags, watcher, stream, number)
  local body = ""
  if kind == writer.VIEW then
    body = any_view(random, flags, lines)
  elseif kind == writer.SAID then
    local speaker, said = any_id(random, flags), random:pick(STRINGS)
    body = writer.id(flags, speaker) .. said
    lines[#lines + 1] = ("said %d %s"):format(speaker, lines_of.hex(said))
  elseif kind == writer.NOTIFIED then
    body = random:pick(STRINGS)
    lines[#lines + 1] = "notified " .. lines_of.hex(body)
  elseif kind == 100 then
    body = "of a later version"
  end
  return writer.block(kind, flags, watcher, stream, number, body)
end

-- A packet of some blocks, and the list of its lines.
return function(random)
  local blocks, lines = {}, { "" }
  for i = 1, random:integer(0, 4) do
    blocks[i] = any_block(random, lines)
  end
  local packet = table.concat(blocks)
  lines[1] = ("packet %d"):format(#packet)
  return packet, lines
end
