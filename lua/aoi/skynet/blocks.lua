-- The format of what a scene sends: blocks, how they are packed and read. docs/packets.md describes every
-- byte. Pure Lua, without skynet.
--
-- A message is a sequence of blocks. Each has a head (kind, flags, length, watcher, stream, number) and a
-- body. Whole messages that are no blocks begin with a byte from 128 on; see packet.lua.
local own_section = require "aoi.skynet.own_section"
local remember = require "aoi.skynet.remember"

local blocks = {
  VIEW = 1, SAID = 2, REFUSED = 3, OVER = 4, ELSEWHERE = 5, NOTIFIED = 6,      -- kinds of blocks
  LONG_IDS = 1, DOUBLES = 2, THREE = 4, REPLACES = 8, MORE = 16, TEXT = 32,    -- flags
  LOST = 64, EXPELLED = 128,
  LOADED = 8,                                                                  -- of ELSEWHERE alone
  LEFT = 1, ENTERED = 2, ENTERED_WITH = 3, MOVED = 4, CHANGED = 5, EXTRAS = 7, -- kinds of sections in a view
  LIMIT = 60000,         -- most bytes of a block, head included
  DATA = 256,            -- stands for the data among the keys of properties
  DETAILS_LIMIT = 16384, -- most bytes of an entity's data and properties, packed
}

local LONG_IDS, DOUBLES, THREE, TEXT = blocks.LONG_IDS, blocks.DOUBLES, blocks.THREE, blocks.TEXT
local LEFT, ENTERED, ENTERED_WITH, MOVED, CHANGED, EXTRAS =
  blocks.LEFT, blocks.ENTERED, blocks.ENTERED_WITH, blocks.MOVED, blocks.CHANGED, blocks.EXTRAS
local ME = own_section.ME

-- Kinds of sections whose records have places, and extras before them where there are any.
local HAS_PLACE = { [ENTERED] = true, [ENTERED_WITH] = true, [MOVED] = true }
blocks.HAS_PLACE = HAS_PLACE

local unpack = string.unpack

-- Formats and bytes of the head of a block and of an id, by whether ids are long.
local HEAD, HEAD_SIZE = { [false] = "<BBI2i4I4I4", [true] = "<BBI2i8I4I4" }, { [false] = 16, [true] = 20 }
local ID = { [false] = "<i4", [true] = "<i8" }
local ID_SIZE = { [false] = 4, [true] = 8 }
blocks.HEAD, blocks.HEAD_SIZE, blocks.ID, blocks.ID_SIZE = HEAD, HEAD_SIZE, ID, ID_SIZE

-- Most bytes of the body of what is said.
blocks.SAID_LIMIT = blocks.LIMIT - HEAD_SIZE[true] - ID_SIZE[true]

-- Whether 32 bits are enough for an id.
local function is_short(id)
  return id + 0x80000000 >> 32 == 0
end
blocks.is_short = is_short

-- Whether stream a is a later one than b: serial numbers of 32 bits.
function blocks.is_later(a, b)
  local distance = a - b & 0xFFFFFFFF
  return distance ~= 0 and distance < 0x80000000
end

-- The later of two streams, either of which may be nil.
function blocks.later(a, b)
  return a and b and (blocks.is_later(a, b) and a or b) or a or b
end

-- This stream, or where it is not later than another one (nil: there is none) the next one behind that.
function blocks.after(stream, last)
  return last and not blocks.is_later(stream, last) and last + 1 & 0xFFFFFFFF or stream
end

-- ---- details: data and properties -------------------------------------------------------------

-- One entry of an entity's details: a property, or the data (key DATA). Without a value: it was removed.
function blocks.entry(key, value)
  if key == blocks.DATA then
    return ("<Bs2"):pack(0, value or "")
  elseif value == nil then
    return ("<BB"):pack(5, key)
  elseif type(value) == "string" then
    return ("<BBs2"):pack(4, key, value)
  end
  local integer = math.tointeger(value)
  if not integer then
    return ("<BBd"):pack(3, key, value)
  elseif is_short(integer) then
    return ("<BBi4"):pack(1, key, integer)
  end
  return ("<BBi8"):pack(2, key, integer)
end

local VALUES = { "<Bi4", "<Bi8", "<Bd", "<Bs2" }

-- Reads details: the data (nil: nothing is said of it), and a table of key and value, false for a property
-- that was removed; nil without any. What follows an unknown tag is passed over. Raises when they are cut
-- off.
function blocks.details(text)
  local at, data, properties = 1, nil, nil
  while at <= #text do
    local tag = text:byte(at)
    if tag == 0 then
      data, at = ("<s2"):unpack(text, at + 1)
    else
      local key, value
      properties = properties or {}
      if tag == 5 then
        key, value, at = text:byte(at + 1), false, at + 2
      elseif VALUES[tag] then
        key, value, at = VALUES[tag]:unpack(text, at + 1)
      else
        break
      end
      properties[key or error("packet: details are cut off", 0)] = value
    end
  end
  return data, properties
end

-- ---- writing blocks that are no views: those are written in view_writer.lua ---------------------------

-- A block of words of `speaker`. is_text: the body is one string as it was said, else packed by skynet. At
-- most SAID_LIMIT bytes.
function blocks.said(watcher, stream, number, speaker, body, is_text)
  local is_long = not (is_short(watcher) and is_short(speaker))
  return HEAD[is_long]:pack(blocks.SAID, (is_long and LONG_IDS or 0) | (is_text and TEXT or 0),
    ID_SIZE[is_long] + #body, watcher, stream, number & 0xFFFFFFFF) .. ID[is_long]:pack(speaker) .. body
end

-- A block of a message to the watcher itself. is_text, and most bytes: as for `said`.
function blocks.notified(watcher, stream, number, body, is_text)
  local is_long = not is_short(watcher)
  return HEAD[is_long]:pack(blocks.NOTIFIED, (is_long and LONG_IDS or 0) | (is_text and TEXT or 0), #body,
    watcher, stream, number & 0xFFFFFFFF) .. body
end

-- The last block of a stream: the stay has ended. reason: LOST, with its region, so that the entity may enter
-- again; EXPELLED: the node of the agent has left the world; nil: another one.
function blocks.over(watcher, stream, number, reason)
  local is_long = not is_short(watcher)
  return HEAD[is_long]:pack(blocks.OVER, (is_long and LONG_IDS or 0) | (reason or 0), 0, watcher, stream,
    number & 0xFFFFFFFF)
end

-- The stay goes on in another scene, in the stream `there`. is_loaded: that scene has loaded it, as it was in
-- this stream.
function blocks.elsewhere(watcher, stream, number, address, there, is_loaded)
  local is_long = not is_short(watcher)
  local body = ("<I4I4"):pack(address, there)
  local flags = (is_long and LONG_IDS or 0) | (is_loaded and blocks.LOADED or 0)
  return HEAD[is_long]:pack(blocks.ELSEWHERE, flags, #body, watcher, stream, number & 0xFFFFFFFF) .. body
end

-- A command that was sent, not called, was refused. The body is packed by skynet.
function blocks.refused(body)
  return HEAD[false]:pack(blocks.REFUSED, 0, #body, 0, 0, 0) .. body
end

-- ---- reading ----------------------------------------------------------------------------------

-- The block at position `at`: a table of kind, flags, watcher, stream, number, and of first and last, the
-- positions of its body; and the position after it. Raises when it is cut off.
function blocks.head(text, at)
  local flags = text:byte(at + 1)
  local is_long = flags ~= nil and flags & LONG_IDS ~= 0
  if at + HEAD_SIZE[is_long] - 1 > #text then
    error("packet: the head of a block is cut off", 0)
  end
  local kind, _, length, watcher, stream, number, first = HEAD[is_long]:unpack(text, at)
  if first + length - 1 > #text then
    error("packet: a block is cut off", 0)
  end
  return {
    kind = kind, flags = flags, watcher = watcher, stream = stream, number = number,
    first = first, last = first + length - 1,
  }, first + length
end

-- The message with the views of no others than these watchers, a set.
function blocks.with_views_of(text, watchers)
  local kept, at = {}, 1
  while at <= #text do
    local block, after = blocks.head(text, at)
    if block.kind ~= blocks.VIEW or watchers[block.watcher] then
      kept[#kept + 1] = text:sub(at, after - 1)
    end
    at = after
  end
  return table.concat(kept)
end

-- Reading many records in one call is several times faster than one by one.
local RECORDS_AT_ONCE = 32

-- formats[record][n] reads n records.
local formats = remember(function(record)
  return remember(function(n)
    return "<" .. record:rep(n)
  end)
end)

-- Bytes of a record.
local sizes = remember(function(record)
  return formats[record][1]:packsize()
end)

-- All records from position `at` up to `stop`, behind those of `list` (nil: a new one, and nil without any).
local function read_list(list, text, at, stop, record)
  local size, of_n = sizes[record], formats[record]
  local n, rest = (stop - at) // size, (stop - at) % size
  if rest ~= 0 then
    error(("packet: a section is no whole number of records of %d bytes"):format(size), 0)
  end
  while n > 0 do
    local some = n < RECORDS_AT_ONCE and n or RECORDS_AT_ONCE
    local values = { unpack(of_n[some], text, at) }
    local last = #values
    at = values[last]
    values[last] = nil
    list = list and table.move(values, 1, last - 1, #list + 1, list) or values
    n = n - some
  end
  return list
end

-- Reads records that end with details, which go into the table `details`, by id.
local function read_with_details(list, details, text, at, stop, record)
  local format = formats[record .. "s2"][1]
  list = list or {}
  while at < stop do
    local values = { unpack(format, text, at) }
    local n = #values
    at = values[n]
    if at > stop then
      error("packet: a section is cut off", 0)
    end
    details[values[1]] = values[n - 1]
    table.move(values, 1, n - 2, #list + 1, list)
  end
  return list
end

local MOST_EXTRAS = 4 -- numbers of an entity

-- By flags: how an id is read, and an id with its place.
local ids, places = {}, {}
for flags = 0, LONG_IDS | DOUBLES | THREE do
  ids[flags] = flags & LONG_IDS ~= 0 and "i8" or "i4"
  places[flags] = ids[flags] .. (flags & DOUBLES ~= 0 and "d" or "f"):rep(flags & THREE ~= 0 and 3 or 2)
end

-- A section of extras, whose numbers belong to the next one with places; nil: none that we can read.
local function begin_extras(text, first, stop)
  local n = first < stop and text:byte(first) or 0
  return n > 0 and n <= MOST_EXTRAS and { n = n, at = first + 1, stop = stop } or nil
end

-- Keeps the numbers of the entities in `list` from position `from` on, whose records have `step` values each.
local function read_extras(view, text, extras, list, from, step)
  local format, n = formats["f"][extras.n], extras.n
  view.extras = view.extras or {}
  if (#list - from + 1) // step * 4 * n ~= extras.stop - extras.at then
    error("packet: a section of extras has another number of records than the next one", 0)
  end
  local at = extras.at
  for i = from, #list, step do
    local values = { unpack(format, text, at) }
    at, values[n + 1] = values[n + 1], nil
    view.extras[list[i]] = values
  end
end

--[[ The body of a block of kind VIEW: { left, entered, moved, changed, details, extras, dims, me }. Flat
lists: ids in left and changed, id, x, y [, z] in entered and moved. details: id -> details as packed, of
those that entered and changed. extras: id -> list of numbers, of those that entered and moved. me: what
own_section.read gives. nil where there are none. Sections of unknown kinds are passed over. Raises when it
is damaged. ]]
function blocks.view(text, block)
  local flags = block.flags & (LONG_IDS | DOUBLES | THREE)
  local id, place = ids[flags], places[flags]
  local view = { dims = flags & THREE ~= 0 and 3 or 2 }
  local at, stop, extras = block.first, block.last + 1, nil
  while at < stop do
    local kind, length, first = unpack("<BI2", text, at)
    local has_extras = extras and length > 0 and HAS_PLACE[kind]
    local list = has_extras and (kind == MOVED and view.moved or kind ~= MOVED and view.entered)
    local before = list and #list or 0
    at = first + length
    if at > stop then
      error("packet: a section is cut off", 0)
    elseif kind == EXTRAS then
      extras = begin_extras(text, first, at)
    elseif kind == MOVED then
      view.moved = read_list(view.moved, text, first, at, place)
    elseif kind == LEFT then
      view.left = read_list(view.left, text, first, at, id)
    elseif kind == ENTERED then
      view.entered = read_list(view.entered, text, first, at, place)
    elseif kind == ENTERED_WITH then
      view.details = view.details or {}
      view.entered = read_with_details(view.entered, view.details, text, first, at, place)
    elseif kind == CHANGED then
      view.details = view.details or {}
      view.changed = read_with_details(view.changed, view.details, text, first, at, id)
    elseif kind == ME then
      view.me = own_section.read(text, first, at, view.dims)
    end
    if has_extras then
      read_extras(view, text, extras, kind == MOVED and view.moved or view.entered, before + 1, view.dims + 1)
      extras = nil
    end
  end
  return view
end

-- The body of a block of kind ELSEWHERE: an address, the stream in which the stay goes on, and whether it was
-- loaded there.
function blocks.elsewhere_body(text, block)
  local address, there = ("<I4I4"):unpack(text, block.first)
  return address, there, block.flags & blocks.LOADED ~= 0
end

-- The body of a block of kind SAID: the speaker, the body, and whether that is one string as it was said.
function blocks.said_body(text, block)
  local is_long = block.flags & LONG_IDS ~= 0 -- of its own: Lua 5.4.4 compiles it wrong inside the index
  local speaker, at = ID[is_long]:unpack(text, block.first)
  return speaker, text:sub(at, block.last), block.flags & TEXT ~= 0
end

-- The body of a block of kind NOTIFIED, and whether that is one string as it was given.
function blocks.notified_body(text, block)
  return text:sub(block.first, block.last), block.flags & TEXT ~= 0
end

return blocks
