-- What a scene sends to agents: how it is packed and read. Shared by scene.lua and client.lua.
--
-- Messages have a skynet protocol of their own, "aoi", so that they do not get in the way of an agent's
-- "lua" messages. Its number is 120; the line `aoi_protocol = 121` in skynet's configuration gives another.
--
-- A view is one string for all that one address learns in one tick: a block for each entity that the
-- address stands for. A block: the number of dimensions (one byte), the entity, how many left, entered and
-- moved, then the ids that left, then id, x, y [, z] of those that entered, then of those that moved.
-- Everything is little endian: ids are signed integers of 64 bits, coordinates are doubles.
local skynet = require "skynet"

local packet = { protocol = "aoi" }

-- The first byte of a message that is no view; a view begins with its number of dimensions.
local SAID, REFUSED, KEYFRAME, RECORD_OF_CALLS, ENDED = 0x53, 0x45, 0x4B, 0x52, 0x58

local BLOCK_HEAD = "<Bi8I4I4I4"
local ID = "<i8"
local RECORD = { [2] = "i8dd", [3] = "i8ddd" } -- id, x, y [, z]

-- Makes the protocol known to skynet; dispatch(session, source, text) is for those who receive.
function packet.register(dispatch)
  skynet.register_protocol {
    name = packet.protocol,
    id = tonumber(skynet.getenv "aoi_protocol") or 120,
    pack = function(text) return text end,
    unpack = skynet.tostring,
    dispatch = dispatch,
  }
end

-- ---- packing ----------------------------------------------------------------------------------

-- One record of a block: an entity and its place (z in three dimensions).
function packet.record(dims, id, x, y, z)
  if dims == 2 then
    return ("<i8dd"):pack(id, x, y)
  end
  return ("<i8ddd"):pack(id, x, y, z)
end

local parts = {}

-- One block. `left`, `entered` and `moved` are lists of nl, ne and nm ids; `records` maps id to record.
function packet.block(dims, watcher, left, nl, entered, ne, moved, nm, records)
  parts[1] = BLOCK_HEAD:pack(dims, watcher, nl, ne, nm)
  local n = 1
  for i = 1, nl do
    n = n + 1
    parts[n] = ID:pack(left[i])
  end
  for i = 1, ne do
    n = n + 1
    parts[n] = records[entered[i]]
  end
  for i = 1, nm do
    n = n + 1
    parts[n] = records[moved[i]]
  end
  return table.concat(parts, "", 1, n)
end

-- What `id` says; `body` is packed by skynet. The watchers are those of one address.
function packet.said(id, watchers, body)
  local ids = {}
  for i, watcher in ipairs(watchers) do
    ids[i] = ID:pack(watcher)
  end
  return ("<Bi8s4"):pack(SAID, id, table.concat(ids)) .. body
end

-- The answer to a command that was sent, not called, and refused.
function packet.refused(command, message)
  return string.char(REFUSED) .. skynet.packstring(command, message)
end

local PIECE_HEAD = "<Bi8i8"

-- For those who follow the record of a scene: a piece of a recording. A record goes from one call to another;
-- in a keyframe both are the same.
function packet.piece(is_keyframe, from, to, piece)
  return PIECE_HEAD:pack(is_keyframe and KEYFRAME or RECORD_OF_CALLS, from, to) .. piece
end

-- The record that they follow has ended: the scene has another space now.
function packet.ended()
  return string.char(ENDED)
end

-- ---- reading ----------------------------------------------------------------------------------

-- Reading many records in one call is several times faster than one by one.
local RECORDS_AT_ONCE = 32

-- formats[record][n] reads n records.
local formats = {}
for _, record in ipairs { "i8", RECORD[2], RECORD[3] } do
  formats[record] = {}
  for n = 1, RECORDS_AT_ONCE do
    formats[record][n] = "<" .. record:rep(n)
  end
end

-- Reads n records from position `at`: a flat list, and the position after them.
local function read_list(text, at, n, record)
  local list
  while n > 0 do
    local some = math.min(n, RECORDS_AT_ONCE)
    local values = { formats[record][some]:unpack(text, at) }
    at = table.remove(values)
    list = list and table.move(values, 1, #values, #list + 1, list) or values
    n = n - some
  end
  return list or {}, at
end

-- Reads a view. Calls block(watcher, left, entered, moved, dims) for each block, with flat lists:
-- ids for left; id, x, y [, z] for entered and moved.
local function read_view(text, block)
  local at = 1
  while at <= #text do
    local dims, watcher, nl, ne, nm, left, entered, moved
    dims, watcher, nl, ne, nm, at = BLOCK_HEAD:unpack(text, at)
    left, at = read_list(text, at, nl, "i8")
    entered, at = read_list(text, at, ne, RECORD[dims])
    moved, at = read_list(text, at, nm, RECORD[dims])
    block(watcher, left, entered, moved, dims)
  end
end

-- Reads a message of any kind and calls what fits in `to`:
--   view(watcher, left, entered, moved, dims)   for each block
--   said(watchers, id, ...)                     watchers: a list of the entities that see id
--   refused(command, message)
--   piece(is_keyframe, from, to, piece)         for those who have sent `follow`
--   ended()
function packet.read(text, to)
  local kind = text:byte()
  if kind == SAID then
    local _, id, watchers, at = ("<Bi8s4"):unpack(text)
    local list = read_list(watchers, 1, #watchers // 8, "i8")
    to.said(list, id, skynet.unpack(text:sub(at)))
  elseif kind == REFUSED then
    to.refused(skynet.unpack(text:sub(2)))
  elseif kind == KEYFRAME or kind == RECORD_OF_CALLS then
    local _, from, to_call, at = PIECE_HEAD:unpack(text)
    to.piece(kind == KEYFRAME, from, to_call, text:sub(at))
  elseif kind == ENDED then
    to.ended()
  else
    read_view(text, to.view)
  end
end

return packet
