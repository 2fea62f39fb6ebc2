-- The format of what a scene sends: blocks, how they are packed and read. docs/packets.md describes every
-- byte. Pure Lua, without skynet.
--
-- A message is a sequence of blocks. Each has a head (kind, flags, length, watcher, stream, number) and a
-- body. Whole messages that are no blocks begin with a byte from 128 on; see packet.lua.
local own_section = require "aoi.skynet.own_section"

local blocks = {
  VIEW = 1, SAID = 2, REFUSED = 3, OVER = 4, ELSEWHERE = 5, NOTIFIED = 6,      -- kinds of blocks
  LONG_IDS = 1, DOUBLES = 2, THREE = 4, REPLACES = 8, MORE = 16, TEXT = 32,    -- flags
  LEFT = 1, ENTERED = 2, ENTERED_WITH = 3, MOVED = 4, CHANGED = 5,             -- kinds of sections in a view
  LIMIT = 60000,         -- most bytes of a block, head included
  DATA = 256,            -- stands for the data among the keys of properties
  DETAILS_LIMIT = 16384, -- most bytes of an entity's data and properties, packed
}

local LONG_IDS, DOUBLES, THREE, REPLACES, MORE, TEXT =
  blocks.LONG_IDS, blocks.DOUBLES, blocks.THREE, blocks.REPLACES, blocks.MORE, blocks.TEXT
local VIEW, LEFT, ENTERED, ENTERED_WITH, MOVED, CHANGED =
  blocks.VIEW, blocks.LEFT, blocks.ENTERED, blocks.ENTERED_WITH, blocks.MOVED, blocks.CHANGED
local ME = own_section.ME

local pack, unpack, concat = string.pack, string.unpack, table.concat

local LIMIT = blocks.LIMIT
local SHORT_HEAD = "<BBI2i4I4I4"
local HEAD, HEAD_SIZE = { [false] = SHORT_HEAD, [true] = "<BBI2i8I4I4" }, { [false] = 16, [true] = 20 }
local ID = { [false] = "<i4", [true] = "<i8" }
local ID_SIZE = { [false] = 4, [true] = 8 }

-- Most bytes of the body of what is said.
blocks.SAID_LIMIT = LIMIT - HEAD_SIZE[true] - ID_SIZE[true]

local function is_short(id)
  return id + 0x80000000 >> 32 == 0
end

-- Whether stream a is a later one than b: serial numbers of 32 bits.
function blocks.is_later(a, b)
  local distance = a - b & 0xFFFFFFFF
  return distance ~= 0 and distance < 0x80000000
end

-- ---- details: data and properties -------------------------------------------------------------

-- One entry of an entity's details: a property, or the data (key DATA). Without a value: it is gone.
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
-- that is gone; nil without any. What follows an unknown tag is passed over. Raises when they are cut off.
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

-- ---- writing ----------------------------------------------------------------------------------

-- A table that makes what it is asked for, once for each key, and remembers it.
local function remember(make)
  return setmetatable({}, { __index = function(cache, key)
    local value = make(key)
    cache[key] = value
    return value
  end })
end

-- Heads of sections by kind and length.
local section_heads = {}
for kind = LEFT, CHANGED do
  section_heads[kind] = remember(function(length)
    return pack("<BI2", kind, length)
  end)
end

-- The records of entities by kind of section, with long or short ids: each is packed once, however many see
-- the entity. `of` is as for blocks.writer; too_long() is called for an id that is no short one, whose record
-- is of no use then.
local function new_records(of, is_long, too_long)
  local id_format, get_place = ID[is_long], of.place
  local place = (is_long and "i8" or "i4") .. (of.doubles() and "d" or "f"):rep(of.dims())
  local plain, with, id_with_details = "<" .. place, "<" .. place .. "s2", id_format .. "s2"
  local function fits(id)
    return is_long or id + 0x80000000 >> 32 == 0 or too_long()
  end
  local records = {
    -- Most records are of these two: without the detour of remember.
    [LEFT] = setmetatable({}, { __index = function(cache, id)
      if not is_long and id + 0x80000000 >> 32 ~= 0 then
        too_long()
        return ""
      end
      local record = pack(id_format, id)
      cache[id] = record
      return record
    end }),
    [ENTERED] = setmetatable({}, { __index = function(cache, id)
      if not is_long and id + 0x80000000 >> 32 ~= 0 then
        too_long()
        return ""
      end
      local record = pack(plain, id, get_place(id))
      cache[id] = record
      return record
    end }),
    [ENTERED_WITH] = remember(function(id)
      if not fits(id) then
        return ""
      end
      local x, y, z = get_place(id)
      return z and pack(with, id, x, y, z, of.details(id)) or pack(with, id, x, y, of.details(id))
    end),
    -- since -> id -> record
    [CHANGED] = remember(function(since)
      return remember(function(id)
        return fits(id) and pack(id_with_details, id, of.changes(id, since)) or ""
      end)
    end),
  }
  records[MOVED] = records[ENTERED]
  local place_size = plain:packsize()
  records.sizes = { [LEFT] = ID_SIZE[is_long], [ENTERED] = place_size, [MOVED] = place_size }
  return records
end

-- Puts all sections into `parts`, behind the place of the head; `me` comes first. Returns how many parts
-- there are, and how many bytes; stops where it becomes clear that these are more than LIMIT.
local function fill(parts, records, sections, count, me)
  local n, bytes = 1, 0
  if me then
    n, bytes, parts[2] = 2, #me, me
  end
  for k = 1, count do
    local section = sections[k]
    local kind, ids, n_ids = section.kind, section.ids, section.n
    local cache, size = records[kind], records.sizes[kind]
    local head = n + 1
    if size then
      size = size * n_ids
      if size > LIMIT then
        return n, size
      end
      for i = 1, n_ids do
        parts[head + i] = cache[ids[i]]
      end
    else
      local since = section.since
      if since and not section.each then
        cache = cache[since]
      end
      size = 0
      for i = 1, n_ids do
        local record = (section.each and cache[since[i]] or cache)[ids[i]]
        parts[head + i] = record
        size = size + #record
        if size > LIMIT then
          return n, size
        end
      end
    end
    n = head + n_ids
    parts[head] = section_heads[kind][size]
    bytes = bytes + size + 3
  end
  return n, bytes
end

local function all_short(sections, count)
  for k = 1, count do
    for i = 1, sections[k].n do
      if not is_short(sections[k].ids[i]) then
        return false
      end
    end
  end
  return true
end

-- Packs the view as several blocks, each of at most LIMIT bytes. Returns the text and how many there are.
local function cut(records, is_long, flags, watcher, stream, number, sections, count, me)
  local room = LIMIT - HEAD_SIZE[is_long]
  -- Blocks that are complete; sections of the next one, and its bytes.
  local texts, body, bytes = {}, { me }, me and #me or 0
  local section, kind = {}, nil        -- records of the last section of that
  local function end_section()
    if #section > 0 then
      local text = table.concat(section)
      body[#body + 1] = section_heads[kind][#text] .. text
      section = {}
    end
  end
  local function end_block(more)
    end_section()
    local own_flags = flags & (#texts == 0 and ~0 or ~REPLACES) | more
    local text = table.concat(body)
    texts[#texts + 1] = pack(HEAD[is_long], blocks.VIEW, own_flags, #text, watcher, stream,
      number + #texts & 0xFFFFFFFF) .. text
    body, bytes = {}, 0
  end
  for k = 1, count do
    local list = sections[k]
    end_section()
    kind, bytes = list.kind, bytes + 3
    local cache = records[kind]
    if list.since and not list.each then
      cache = cache[list.since]
    end
    for i = 1, list.n do
      local record = (list.each and cache[list.since[i]] or cache)[list.ids[i]]
      if bytes + #record > room then
        end_block(MORE)
        bytes = 3
      end
      section[#section + 1] = record
      bytes = bytes + #record
    end
  end
  end_block(0)
  return table.concat(texts), #texts
end

--[[ A writer of views. All of `of` are functions:
  dims()               2 or 3
  doubles()            true: places are doubles, else floats
  place(id)            -> x, y [, z]
  details(id)          -> the packed details of an entity
  changes(id, since)   -> those that have changed since then
What they give is remembered until `forget`. ]]
function blocks.writer(of)
  local writer = {}
  local parts = {}
  local short, long, flags
  local has_long -- true: `short` was asked for ids that are not short

  -- Forgets records: places and details may be others by now.
  function writer.forget()
    has_long, long = false, nil
    short = new_records(of, false, function()
      has_long = true
      return false
    end)
    flags = (of.doubles() and DOUBLES or 0) | (of.dims() == 3 and THREE or 0)
  end
  writer.forget()

  --[[ A view as one block, or as several where it is long. sections: `count` of them in the order of their
  kinds, each { kind, ids, n }, n at least 1; CHANGED has `since`: one for all ids or, with `each`, a list of
  one for each id. is_all: it replaces what the watcher saw. me: the section about the watcher itself, of
  own_section.lua, or nil. Returns the text and how many blocks there are, which have the numbers from
  `number` on. O(ids). ]]
  function writer.view(_, watcher, stream, number, is_all, sections, count, me)
    local own_flags = is_all and flags | REPLACES or flags
    local n, bytes
    if watcher + 0x80000000 >> 32 == 0 then
      n, bytes = fill(parts, short, sections, count, me)
      if not has_long or all_short(sections, count) then
        if bytes + 16 <= LIMIT then
          parts[1] = pack(SHORT_HEAD, VIEW, own_flags, bytes, watcher, stream, number & 0xFFFFFFFF)
          return concat(parts, "", 1, n), 1
        end
        return cut(short, false, own_flags, watcher, stream, number, sections, count, me)
      end
    end
    long = long or new_records(of, true)
    own_flags = own_flags | LONG_IDS
    n, bytes = fill(parts, long, sections, count, me)
    if bytes + HEAD_SIZE[true] > LIMIT then
      return cut(long, true, own_flags, watcher, stream, number, sections, count, me)
    end
    parts[1] = pack(HEAD[true], blocks.VIEW, own_flags, bytes, watcher, stream, number & 0xFFFFFFFF)
    return concat(parts, "", 1, n), 1
  end

  return writer
end

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

-- The last block of a stream: the stay has ended.
function blocks.over(watcher, stream, number)
  local is_long = not is_short(watcher)
  return HEAD[is_long]:pack(blocks.OVER, is_long and LONG_IDS or 0, 0, watcher, stream, number & 0xFFFFFFFF)
end

-- The stay goes on in another scene, in a later stream. knows_streams: commands there may carry streams.
function blocks.elsewhere(watcher, stream, number, address, knows_streams)
  local is_long, body = not is_short(watcher), ("<I4"):pack(address) .. (knows_streams and "\1" or "")
  return HEAD[is_long]:pack(blocks.ELSEWHERE, is_long and LONG_IDS or 0, #body, watcher, stream,
    number & 0xFFFFFFFF) .. body
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

-- By flags: how an id is read, and an id with its place.
local ids, places = {}, {}
for flags = 0, LONG_IDS | DOUBLES | THREE do
  ids[flags] = flags & LONG_IDS ~= 0 and "i8" or "i4"
  places[flags] = ids[flags] .. (flags & DOUBLES ~= 0 and "d" or "f"):rep(flags & THREE ~= 0 and 3 or 2)
end

--[[ The body of a block of kind VIEW: { left, entered, moved, changed, details, dims, me }. Flat lists: ids
in left and changed, id, x, y [, z] in entered and moved. details: id -> details as packed, of those that
entered and changed. me: what own_section.read gives. nil where there are none. Sections of unknown kinds are
passed over. Raises when it is damaged. ]]
function blocks.view(text, block)
  local flags = block.flags & (LONG_IDS | DOUBLES | THREE)
  local id, place = ids[flags], places[flags]
  local view = { dims = flags & THREE ~= 0 and 3 or 2 }
  local at, stop = block.first, block.last + 1
  while at < stop do
    local kind, length, first = unpack("<BI2", text, at)
    at = first + length
    if at > stop then
      error("packet: a section is cut off", 0)
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
  end
  return view
end

-- The body of a block of kind ELSEWHERE: an address, and whether commands there may carry streams.
function blocks.elsewhere_body(text, block)
  return ("<I4"):unpack(text, block.first), text:sub(block.first + 4, block.last) == "\1"
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
