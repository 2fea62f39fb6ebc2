-- The format of what a scene sends: blocks, how they are packed and read. docs/packets.md describes every
-- byte. Pure Lua, without skynet.
--
-- A message is a sequence of blocks. Each has a head (kind, flags, length, watcher, stream, number) and a
-- body. Whole messages that are no blocks begin with a byte from 128 on; see packet.lua.
local blocks = {
  VIEW = 1, SAID = 2, REFUSED = 3, OVER = 4, ELSEWHERE = 5,                    -- kinds of blocks
  LONG_IDS = 1, DOUBLES = 2, THREE = 4, REPLACES = 8, MORE = 16, TEXT = 32,    -- flags
  LEFT = 1, ENTERED = 2, ENTERED_WITH = 3, MOVED = 4, CHANGED = 5,             -- kinds of sections in a view
  LIMIT = 60000,         -- most bytes of a block, head included
  DATA = 256,            -- stands for the data among the keys of properties
  DETAILS_LIMIT = 16384, -- most bytes of an entity's data and properties, packed
}

local LONG_IDS, DOUBLES, THREE, REPLACES, MORE, TEXT =
  blocks.LONG_IDS, blocks.DOUBLES, blocks.THREE, blocks.REPLACES, blocks.MORE, blocks.TEXT
local LEFT, ENTERED, ENTERED_WITH, MOVED, CHANGED =
  blocks.LEFT, blocks.ENTERED, blocks.ENTERED_WITH, blocks.MOVED, blocks.CHANGED

local HEAD, HEAD_SIZE = { [false] = "<BBI2i4I4I4", [true] = "<BBI2i8I4I4" }, { [false] = 16, [true] = 20 }
local ID = { [false] = "<i4", [true] = "<i8" }
local ID_SIZE = { [false] = 4, [true] = 8 }

-- Most bytes of the body of what is said.
blocks.SAID_LIMIT = blocks.LIMIT - HEAD_SIZE[true] - ID_SIZE[true]

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

local Writer = {}
Writer.__index = Writer

-- Makes a function that gives the record of an entity, from tables that remember it: each is packed once,
-- however many see it.
local function remember(make)
  return setmetatable({}, { __index = function(cache, id)
    local record = make(id)
    cache[id] = record
    return record
  end })
end

--[[ A writer of views. All of `of` are functions:
  dims()               2 or 3
  doubles()            true: places are doubles, else floats
  place(id)            -> x, y [, z]
  details(id)          -> the packed details of an entity, nil without any
  changes(id, since)   -> those that have changed since then
What they give is remembered until `forget`. ]]
function blocks.writer(of)
  local self = setmetatable({ of = of, parts = {} }, Writer)
  self:forget()
  return self
end

-- The records of one width of ids.
local function new_records(self, is_long)
  local of, id_format = self.of, ID[is_long]
  local place = (is_long and "i8" or "i4") .. (of.doubles() and "d" or "f"):rep(of.dims())
  local plain, with = "<" .. place, "<" .. place .. "s2"
  local function fits(id)
    if is_long or is_short(id) then
      return true
    end
    self.has_long = true -- what is packed with this one is packed again, with long ids
  end
  local records = {
    [LEFT] = remember(function(id)
      return fits(id) and id_format:pack(id) or ""
    end),
    [ENTERED] = remember(function(id)
      return fits(id) and plain:pack(id, of.place(id)) or ""
    end),
    [ENTERED_WITH] = remember(function(id)
      local x, y, z = of.place(id)
      return not fits(id) and "" or z and with:pack(id, x, y, z, of.details(id))
        or with:pack(id, x, y, of.details(id))
    end),
    -- since -> id -> record
    [CHANGED] = remember(function(since)
      return remember(function(id)
        return fits(id) and id_format:pack(id) .. ("<s2"):pack(of.changes(id, since)) or ""
      end)
    end),
  }
  records[MOVED] = records[ENTERED]
  local id_size = ID_SIZE[is_long]
  local place_size = plain:packsize()
  records.sizes = { [LEFT] = id_size, [ENTERED] = place_size, [MOVED] = place_size }
  return records
end

-- Forgets records: places and details may be others by now.
function Writer:forget()
  self.has_long = false
  self.records = remember(function(is_long)
    return new_records(self, is_long)
  end)
  self.flags = (self.of.doubles() and DOUBLES or 0) | (self.of.dims() == 3 and THREE or 0)
end

-- Heads of sections by kind and length.
local section_heads = {}
for kind = LEFT, CHANGED do
  section_heads[kind] = remember(function(length)
    return ("<BI2"):pack(kind, length)
  end)
end

-- Puts all lists into self.parts, behind the place of the head. Returns how many parts there are, and how
-- many bytes; stops at LIMIT bytes.
local function fill(self, records, lists, count)
  local parts, n, bytes = self.parts, 1, 0
  for k = 1, count do
    local list = lists[k]
    local kind, ids, size = list.kind, list.ids, list.n
    local cache, fixed = records[kind], records.sizes[kind]
    local head = n + 1
    n = head
    if fixed then
      size = size * fixed
      if bytes + size > blocks.LIMIT then
        return n, blocks.LIMIT
      end
      for i = 1, list.n do
        parts[n + i] = cache[ids[i]]
      end
    else
      size = 0
      for i = 1, list.n do
        local record = (list.since and cache[list.since[i]] or cache)[ids[i]]
        parts[n + i] = record
        size = size + #record
        if bytes + size > blocks.LIMIT then
          return n, blocks.LIMIT
        end
      end
    end
    n = n + list.n
    parts[head] = section_heads[kind][size]
    bytes = bytes + size + 3
  end
  return n, bytes
end

local function all_short(lists, count)
  for k = 1, count do
    for i = 1, lists[k].n do
      if not is_short(lists[k].ids[i]) then
        return false
      end
    end
  end
  return true
end

-- The same as several blocks, each below LIMIT.
local function cut(self, is_long, flags, watcher, stream, number, lists, count)
  local records = self.records[is_long]
  local room = blocks.LIMIT - HEAD_SIZE[is_long]
  local texts, sections = {}, {}
  local section, kind, bytes = {}, nil, 0 -- of the block that is being filled
  local function end_section()
    if #section > 0 then
      local text = table.concat(section)
      sections[#sections + 1] = section_heads[kind][#text] .. text
      section = {}
    end
  end
  local function end_block(more)
    end_section()
    local body = table.concat(sections)
    local own_flags = flags & (#texts == 0 and ~0 or ~REPLACES) | (more and MORE or 0)
    texts[#texts + 1] = HEAD[is_long]:pack(blocks.VIEW, own_flags, #body,
      watcher, stream, number + #texts & 0xFFFFFFFF) .. body
    sections, bytes = {}, 0
  end
  for k = 1, count do
    local list = lists[k]
    end_section()
    kind, bytes = list.kind, bytes + 3
    local cache = records[kind]
    for i = 1, list.n do
      local record = (list.since and cache[list.since[i]] or cache)[list.ids[i]]
      if bytes + #record > room then
        end_block(true)
        bytes = 3
      end
      section[#section + 1] = record
      bytes = bytes + #record
    end
  end
  end_block(false)
  return table.concat(texts), #texts
end

--[[ A view as one block, or as several where it is long. lists: `count` sections in the order of their kinds,
each { kind, ids, n }, n at least 1, and for CHANGED with a list `since`, one for each id.
is_all: it replaces what the watcher saw. Returns the text and how many blocks there are, which have the
numbers from `number` on. O(ids). ]]
function Writer:view(watcher, stream, number, is_all, lists, count)
  local is_long = not is_short(watcher)
  local n, bytes = fill(self, self.records[is_long], lists, count)
  if self.has_long and not is_long and not all_short(lists, count) then
    is_long = true
    n, bytes = fill(self, self.records[true], lists, count)
  end
  local flags = self.flags | (is_long and LONG_IDS or 0) | (is_all and REPLACES or 0)
  if bytes + HEAD_SIZE[is_long] > blocks.LIMIT then
    return cut(self, is_long, flags, watcher, stream, number, lists, count)
  end
  local parts = self.parts
  parts[1] = HEAD[is_long]:pack(blocks.VIEW, flags, bytes, watcher, stream, number & 0xFFFFFFFF)
  return table.concat(parts, "", 1, n), 1
end

-- What `speaker` says. is_text: the body is one string as it was said, else packed by skynet. At most
-- SAID_LIMIT bytes.
function blocks.said(watcher, stream, number, speaker, body, is_text)
  local is_long = not (is_short(watcher) and is_short(speaker))
  return HEAD[is_long]:pack(blocks.SAID, (is_long and LONG_IDS or 0) | (is_text and TEXT or 0),
    ID_SIZE[is_long] + #body, watcher, stream, number & 0xFFFFFFFF) .. ID[is_long]:pack(speaker) .. body
end

-- The last block of a stream: the stay has ended.
function blocks.over(watcher, stream, number)
  local is_long = not is_short(watcher)
  return HEAD[is_long]:pack(blocks.OVER, is_long and LONG_IDS or 0, 0, watcher, stream, number & 0xFFFFFFFF)
end

-- The stay goes on in another scene, in a later stream.
function blocks.elsewhere(watcher, stream, number, address)
  local is_long = not is_short(watcher)
  return HEAD[is_long]:pack(blocks.ELSEWHERE, is_long and LONG_IDS or 0, 4, watcher, stream,
    number & 0xFFFFFFFF) .. ("<I4"):pack(address)
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

-- Adds all records from position `at` up to `stop` to the list.
local function read_list(list, text, at, stop, record)
  local size = formats[record][1]:packsize()
  local n, rest = (stop - at) // size, (stop - at) % size
  if rest ~= 0 then
    error(("packet: a section is no whole number of records of %d bytes"):format(size), 0)
  end
  while n > 0 do
    local some = n < RECORDS_AT_ONCE and n or RECORDS_AT_ONCE
    local values = { formats[record][some]:unpack(text, at) }
    at = values[#values]
    values[#values] = nil
    list = #list > 0 and table.move(values, 1, #values, #list + 1, list) or values
    n = n - some
  end
  return list
end

-- The same for records that end with details, which go into the table `details`, by id.
local function read_with_details(list, details, text, at, stop, record)
  local format = formats[record .. "s2"][1]
  while at < stop do
    local values = { format:unpack(text, at) }
    local n = #values
    at = values[n]
    if at > stop then
      error("packet: a section is cut off", 0)
    end
    details[values[1]] = values[n - 1]
    table.move(values, 1, n - 2, #list + 1, list)
  end
end

--[[ The body of a block of kind VIEW: { left, entered, moved, changed, details, dims }. Flat lists: ids in
left and changed, id, x, y [, z] in entered and moved. details: id -> details as packed, of those that entered
and changed. Sections of unknown kinds are passed over. Raises when it is damaged. ]]
function blocks.view(text, block)
  local flags = block.flags
  local dims = flags & THREE ~= 0 and 3 or 2
  local id = flags & LONG_IDS ~= 0 and "i8" or "i4"
  local place = id .. (flags & DOUBLES ~= 0 and "d" or "f"):rep(dims)
  local view = { left = {}, entered = {}, moved = {}, changed = {}, details = {}, dims = dims }
  local at, stop = block.first, block.last + 1
  while at < stop do
    local kind, length, first = ("<BI2"):unpack(text, at)
    at = first + length
    if at > stop then
      error("packet: a section is cut off", 0)
    elseif kind == LEFT then
      view.left = read_list(view.left, text, first, at, id)
    elseif kind == ENTERED then
      view.entered = read_list(view.entered, text, first, at, place)
    elseif kind == ENTERED_WITH then
      read_with_details(view.entered, view.details, text, first, at, place)
    elseif kind == MOVED then
      view.moved = read_list(view.moved, text, first, at, place)
    elseif kind == CHANGED then
      read_with_details(view.changed, view.details, text, first, at, id)
    end
  end
  return view
end

-- The body of a block of kind ELSEWHERE: an address.
function blocks.elsewhere_body(text, block)
  return (("<I4"):unpack(text, block.first))
end

-- The body of a block of kind SAID: the speaker, the body, and whether that is one string as it was said.
function blocks.said_body(text, block)
  local is_long = block.flags & LONG_IDS ~= 0 -- of its own: Lua 5.4.4 compiles it wrong inside the index
  local speaker, at = ID[is_long]:unpack(text, block.first)
  return speaker, text:sub(at, block.last), block.flags & TEXT ~= 0
end

return blocks
