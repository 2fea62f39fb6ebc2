--[[ The file format of recordings; no other Lua file knows it. All numbers are little endian.

A recording is the 8 bytes "AOIFILE" and the version, 1, and then pieces, one after the other. A piece is
a head of 48 bytes and a payload:

    0   u8    kind: 1 keyframe (a string of space:save()), 2 record (one of space:recorded()), 3 index,
              4 notes
    1   u8    packing of the payload: 0 as it is, 1 zlib (RFC 1950)
    2   u16   0
    4   u32   Adler-32 of bytes 8 to 47 of the head
    8   u64   bytes of the payload as it stands in the file
    16  u64   calls, then ticks, that the space had made when the piece begins
    32  u64   calls, then ticks, when it ends; a keyframe is one moment

Moments never go back from piece to piece. What is inside a keyframe or a record is covered by its own
checksum, a packed one also by zlib's.

Notes are what somebody else keeps beside the space, as of the end of the piece before them: a u64, the
checksum of what follows, and any bytes. Players pass them over. The checksum, of 64 bits: h is the number of
the bytes; for each 8 of them (the last ones filled up with zeros) as a number w, h = (h xor w) * 2^64/phi
(0x9E3779B97F4A7C15) and then h = h xor (h >> 32): what FNV-1a does with bytes.

The index is the last piece: for each piece before it a u64, the place of its head in the file, and a copy
of that head. Its own moments are those of the whole file. Behind it: a u64, the place of its head, and
"AOIINDEX". A file that was cut off has none. In one that was continued zeros take the place of what stood
there before, as far as no piece does: zeros where a head would be are the end. Readers of a file without an
index at its end go from head to head, to the index, the zeros or the first piece that is not whole. ]]
local recording = {}

recording.BEGINNING = "AOIFILE\1"
recording.KEYFRAME, recording.RECORD, recording.NOTES = 1, 2, 4

local INDEX = 3
local AS_IT_IS, ZLIB = 0, 1

local CHECKED = "<I8I8I8I8I8" -- what the head's checksum is of
local BEFORE_CHECKED = "<BBI2I4"
local HEAD_SIZE = BEFORE_CHECKED:packsize() + CHECKED:packsize()
local ENTRY_SIZE = 8 + HEAD_SIZE
local TRAILER, TRAILER_SIZE = "<I8c8", 16
local TRAILER_MAGIC = "AOIINDEX"

-- Of a few bytes.
local function adler32(text)
  local a, b = 1, 0
  for i = 1, #text do
    a = (a + text:byte(i)) % 65521
    b = (b + a) % 65521
  end
  return b << 16 | a
end

-- That of notes.
local WORDS_AT_ONCE = 32
local WORDS = "<" .. ("i8"):rep(WORDS_AT_ONCE)

local function checksum(text)
  local size = 8 * WORDS_AT_ONCE
  local sum = #text
  local function add(words, n)
    for i = 1, n do
      sum = (sum ~ words[i]) * 0x9E3779B97F4A7C15
      sum = sum ~ (sum >> 32)
    end
  end
  for at = 1, #text - size + 1, size do
    add({ WORDS:unpack(text, at) }, WORDS_AT_ONCE)
  end
  local rest = #text % size
  add({ WORDS:unpack(text:sub(#text - rest + 1) .. ("\0"):rep(size - rest)) }, (rest + 7) // 8)
  return sum
end

-- ---- writing ----------------------------------------------------------------------------------

-- A piece is known by a table: kind, packing, size, from_calls, from_tick, to_calls, to_tick, and
-- offset, the place of its head in the file.

local function head_of(piece)
  local checked = CHECKED:pack(piece.size, piece.from_calls, piece.from_tick, piece.to_calls, piece.to_tick)
  return BEFORE_CHECKED:pack(piece.kind, piece.packing, 0, adler32(checked)) .. checked
end

-- The bytes of a piece, and the table that it is known by, without offset. span: a table with from_calls,
-- from_tick, to_calls, to_tick. zlib: lua-zlib's module, or nil for a payload as it is; not with notes.
function recording.piece(kind, payload, span, zlib)
  if kind == recording.NOTES then
    payload = ("<I8"):pack(checksum(payload)) .. payload
  elseif zlib then
    payload = zlib.deflate()(payload, "finish")
  end
  local piece = {
    kind = kind, packing = zlib and ZLIB or AS_IT_IS, size = #payload,
    from_calls = span.from_calls, from_tick = span.from_tick,
    to_calls = span.to_calls, to_tick = span.to_tick,
  }
  return head_of(piece) .. payload, piece
end

-- The index's entry of a piece.
function recording.entry(piece)
  return ("<I8"):pack(piece.offset) .. head_of(piece)
end

-- The end of a file: the index, made of the entries of all pieces in one string, at this place.
function recording.ending(entries, span, offset)
  return recording.piece(INDEX, entries, span) .. TRAILER:pack(offset, TRAILER_MAGIC)
end

-- Where the next piece goes.
function recording.end_of(piece)
  return piece.offset + HEAD_SIZE + piece.size
end

local ZEROS = ("\0"):rep(1 << 16)

-- The zeros that take the place of what a continued file has from this offset on: returns an iterator over
-- strings.
function recording.zeros(offset, size)
  return function()
    local n = math.min(size - offset, #ZEROS)
    offset = offset + n
    return n > 0 and ZEROS:sub(1, n) or nil
  end
end

-- Whether the payload can't be read without lua-zlib.
function recording.is_packed(piece)
  return piece.packing == ZLIB
end

-- ---- reading ----------------------------------------------------------------------------------

local function read_at(file, offset, size)
  if size == 0 then
    return ""
  end
  file:seek("set", offset)
  return file:read(size) or ""
end

-- Why this piece can't follow the one before it (nil: it is the first); nil when it can.
local function fault_of(piece, before)
  local is_record = piece.kind == recording.RECORD
  local is_moment = piece.kind == recording.KEYFRAME or piece.kind == recording.NOTES
  if piece.size < 0 or piece.from_calls < 0 or piece.from_tick < 0 then
    return "has a number that is too large"
  elseif piece.kind < recording.KEYFRAME or piece.kind > recording.NOTES or piece.packing > ZLIB
    or piece.kind == recording.NOTES and piece.packing ~= AS_IT_IS then
    return ("is of kind %d, packing %d, which this version does not know"):format(piece.kind, piece.packing)
  elseif piece.to_tick < piece.from_tick or piece.to_calls < piece.from_calls
    or is_record and piece.to_calls == piece.from_calls
    or is_moment and piece.to_calls > piece.from_calls then
    return "has moments that can't be"
  elseif before and piece.kind ~= INDEX
    and (piece.from_calls < before.to_calls or piece.from_tick < before.to_tick) then
    return "goes back in time"
  end
  return nil
end

-- The piece whose head these 48 bytes are; or nil and what is wrong.
local function parse_head(bytes, offset, before)
  if #bytes < HEAD_SIZE then
    return nil, "has a head that is cut off"
  end
  local kind, packing, reserved, sum = BEFORE_CHECKED:unpack(bytes)
  local checked = bytes:sub(HEAD_SIZE - CHECKED:packsize() + 1)
  if sum ~= adler32(checked) or reserved ~= 0 then
    return nil, "has a damaged head"
  end
  local piece = { kind = kind, packing = packing, offset = offset }
  piece.size, piece.from_calls, piece.from_tick, piece.to_calls, piece.to_tick = CHECKED:unpack(checked)
  local fault = fault_of(piece, before)
  if fault then
    return nil, fault
  end
  return piece
end

-- The pieces that the index at the end of the file tells of; nil when there is none, or it is not right.
local function read_index(file, size)
  local offset, magic = TRAILER:unpack(read_at(file, size - TRAILER_SIZE, TRAILER_SIZE))
  local room = size - TRAILER_SIZE - HEAD_SIZE
  if magic ~= TRAILER_MAGIC or offset < #recording.BEGINNING or offset > room then
    return nil
  end
  local index = parse_head(read_at(file, offset, HEAD_SIZE), offset)
  if not index or index.kind ~= INDEX or index.packing ~= AS_IT_IS or index.size ~= room - offset
    or index.size % ENTRY_SIZE ~= 0 then
    return nil
  end
  local entries, pieces = read_at(file, offset + HEAD_SIZE, index.size), {}
  local place = #recording.BEGINNING
  for at = 1, #entries, ENTRY_SIZE do
    local head = entries:sub(at + 8, at + ENTRY_SIZE - 1)
    local piece = parse_head(head, ("<I8"):unpack(entries, at), pieces[#pieces])
    if not piece or piece.kind == INDEX or piece.offset ~= place then
      return nil
    end
    pieces[#pieces + 1] = piece
    place = recording.end_of(piece)
  end
  return place == offset and pieces or nil
end

-- The pieces from the beginning on, as far as they are whole; and what is wrong with the next one, or nil.
local function scan(file, size)
  local pieces, offset = {}, #recording.BEGINNING
  while offset < size do
    local head = read_at(file, offset, HEAD_SIZE)
    if not head:find "[^\0]" then
      return pieces, nil
    end
    local piece, fault = parse_head(head, offset, pieces[#pieces])
    if piece and piece.size > size - offset - HEAD_SIZE then
      fault = "is cut off"
    end
    if fault then
      return pieces, ("the piece at byte %d %s; %d of %d bytes are whole"):format(offset, fault, offset, size)
    elseif piece.kind == INDEX then
      return pieces, nil
    end
    pieces[#pieces + 1] = piece
    offset = recording.end_of(piece)
  end
  return pieces, nil
end

-- Which pieces the file has: a list of tables in their order, and a sentence about what can't be read, or
-- nil. nil and a sentence when it is no recording at all. Reads no payload but that of the index.
-- file: has read and seek as files of Lua's io library do.
function recording.read(file)
  local size = file:seek "end"
  local beginning = read_at(file, 0, #recording.BEGINNING)
  if beginning ~= recording.BEGINNING:sub(1, #beginning) then
    if beginning:sub(1, -2) == recording.BEGINNING:sub(1, -2) then
      return nil, ("is a recording of version %d, expected version %d"):format(beginning:byte(-1),
        recording.BEGINNING:byte(-1))
    end
    return nil, "is no recording"
  elseif #beginning < #recording.BEGINNING then
    return {}, ("the beginning is cut off; 0 of %d bytes are whole"):format(size)
  end
  local pieces = size >= #recording.BEGINNING + HEAD_SIZE + TRAILER_SIZE and read_index(file, size)
  if pieces then
    return pieces, nil
  end
  return scan(file, size)
end

-- The payload of a piece; or nil and what is wrong with it. zlib: lua-zlib's module, or nil when there
-- is none.
function recording.payload(file, piece, zlib)
  local payload = read_at(file, piece.offset + HEAD_SIZE, piece.size)
  if #payload < piece.size then
    return nil, "is cut off"
  elseif piece.kind == recording.NOTES then
    local notes = payload:sub(9)
    if #payload < 8 or ("<i8"):unpack(payload) ~= checksum(notes) then
      return nil, "is damaged"
    end
    return notes
  elseif piece.packing == AS_IT_IS then
    return payload
  elseif not zlib then
    return nil, "is packed by zlib, and there is no module zlib (lua-zlib)"
  end
  local ok, unpacked, at_end = pcall(zlib.inflate(), payload)
  if not ok or not at_end then
    return nil, "is packed by zlib, and damaged"
  end
  return unpacked
end

return recording
