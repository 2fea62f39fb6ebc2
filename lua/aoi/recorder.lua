--[[ Writes what happens in a space to a file that aoi.player and aoi.recover read: keyframes, which are
strings of space:save(), and between them the records of space:recorded(). How the file looks is
recording.lua's.

    local recorder = aoi.recorder(space, "scene.aoi")
    ... each tick: space:tick(); recorder:write()
    recorder:close()

Growth: a piece takes 48 bytes in the file besides its payload, and 56 in memory until close, where the
index is written. A recording that goes on for days is better cut into several. ]]
local player = require "aoi.player"
local recording = require "aoi.recording"
local refusals = require "aoi.refusals"
local core = require "aoi.core"

local refuse = refusals.refuse

local Recorder = {}
Recorder.__index = Recorder
Recorder.__name = "aoi.recorder"

-- To come to a moment a player loads the last keyframe before it and replays what follows. The records of
-- 4 MiB are 200,000 to 400,000 moves, replayed in about a tenth of a second; where entities are so many that
-- keyframes are large, those are kept to a fifth of the file. In a crowd space a tick takes about four times
-- as long as its moves, so keyframes are four times as frequent there. A quiet space has few records: 6000
-- ticks are ten minutes at ten a second.
local KEYFRAME_BYTES = 4 << 20
local RECORDS_PER_KEYFRAME = 4
local KEYFRAMES_OF_CROWDS = 4
local KEYFRAME_TICKS = 6000

-- Entries of the index that are held one by one before they are joined.
local LOOSE_ENTRIES = 256

local function expected_of_count(value)
  return math.type(value) ~= "integer" and value ~= math.huge and "a whole number of 1 or more, or math.huge"
    or value < 1 and "a whole number of 1 or more, or math.huge" or nil
end

local OPTIONS = {
  append = function(value)
    return type(value) ~= "boolean" and "true or false" or nil
  end,
  keyframe_bytes = expected_of_count,
  keyframe_ticks = expected_of_count,
  zlib = refusals.expected_of_zlib,
}

-- ---- pieces -----------------------------------------------------------------------------------

-- Calls a method of the file; an error when it raises, or returns nothing and a message as io's files do.
-- Files of others may return nothing at all.
local function call_file(file, method, ...)
  local ok, result, message = pcall(file[method], file, ...)
  if not ok or not result and message ~= nil then
    return tostring(ok and message or result)
  end
  return nil
end

-- The recorder has ended: a piece may be half written. What the space records has nobody to take it.
local function fail(self, message)
  self.ended = message
  if not tostring(self.space):find("closed", 1, true) then
    self.space:record(false)
    self.space:recorded()
  end
  return message
end

local function note_entry(self, piece)
  local entries = self.entries
  entries[#entries + 1] = recording.entry(piece)
  if #entries == LOOSE_ENTRIES then
    self.joined = self.joined .. table.concat(entries)
    self.entries = {}
  end
end

-- Writes a piece; returns what went wrong, or nil.
local function append(self, kind, payload, span)
  local bytes, piece = recording.piece(kind, payload, span, self.zlib)
  piece.offset = self.size
  if self.size == 0 then
    bytes, piece.offset = recording.BEGINNING .. bytes, #recording.BEGINNING
  end
  self.size = self.size + #bytes
  self.first = self.first or piece
  self.last = piece
  note_entry(self, piece)
  local message = call_file(self.file, "write", bytes) or call_file(self.file, "flush")
  return message and fail(self, message)
end

local function append_keyframe(self)
  local stats, payload = self.space:stats(), self.space:save()
  self.records = 0
  self.keyframe_size = #payload
  self.keyframe_ticks = stats.tick
  self.is_crowd = stats.held.crowd > 0
  return append(self, recording.KEYFRAME, payload, {
    from_calls = stats.calls, from_tick = stats.tick, to_calls = stats.calls, to_tick = stats.tick,
  })
end

-- Not while the space is ahead of what is written: its calls until now would be missing.
local function keyframe_is_due(self)
  local usual = math.max(KEYFRAME_BYTES, RECORDS_PER_KEYFRAME * self.keyframe_size)
  local most = self.most_bytes or self.is_crowd and usual // KEYFRAMES_OF_CROWDS or usual
  local is_due = self.records >= most or self.last.to_tick - self.keyframe_ticks >= self.most_ticks
  return is_due and self.space:stats().calls == self.last.to_calls
end

local function append_records(self, records)
  local span, complaint = core.record_span(records)
  if span.whole == 0 then
    return "records: " .. complaint
  elseif complaint or span.from_calls ~= self.last.to_calls then
    return append_keyframe(self) -- somebody else took what is missing, or nothing was recorded for a while
  end
  self.records = self.records + #records
  local message = append(self, recording.RECORD, records, span)
  return message or keyframe_is_due(self) and append_keyframe(self) or nil
end

-- ---- making -----------------------------------------------------------------------------------

local function is_space(value)
  return type(value) == "userdata" and tostring(value):find "^aoi%.space %(" ~= nil
end

-- Opens the file of this path to be written from `self.size` on. Returns what is wrong, or nil.
local function open_new(self, path)
  local existing = io.open(path, "rb")
  if existing then
    -- Of a directory the first is nil: opening it says so. What has no size, also a device, has nothing to
    -- keep.
    local has_bytes = existing:read(0) and existing:seek "end" ~= 0
    existing:close()
    if has_bytes then
      return "exists: append = true continues it"
    end
  end
  local message
  self.file, message = io.open(path, "wb")
  return message
end

-- Which pieces of a file a space continues that has made so many calls and ticks; or nil and what is wrong.
-- Those behind the space can be overwritten when they are damaged: nobody comes any further.
local function pieces_for(path, pieces, stats)
  local kept = {}
  for i, piece in ipairs(pieces) do
    if piece.to_calls > stats.calls or piece.to_tick > stats.tick then
      break
    end
    kept[i] = piece
  end
  local last = pieces[#pieces]
  if #kept < #pieces then
    local calls, ticks = player.reach(path)
    if calls ~= stats.calls or ticks ~= stats.tick then
      return nil, ("goes to call %d, tick %d, and the space has made %d calls, %d ticks: "
        .. "it has another history"):format(last.to_calls, last.to_tick, stats.calls, stats.tick)
    end
  end
  return kept
end

-- Has zeros stand behind the place where the next piece goes.
local function clear_rest(file, offset)
  local size = file:seek "end"
  file:seek("set", offset)
  for zeros in recording.zeros(offset, size) do
    local message = call_file(file, "write", zeros)
    if message then
      return message
    end
  end
  file:seek("set", offset)
  return nil
end

-- Opens a file that is to be continued: behind its last whole piece that can be played.
local function open_again(self, path, stats)
  local file = io.open(path, "r+b")
  if not file then
    return open_new(self, path)
  end
  local pieces, problem = recording.read(file)
  if pieces then
    pieces, problem = pieces_for(path, pieces, stats)
  end
  local last = pieces and pieces[#pieces]
  local size = last and recording.end_of(last) or 0
  problem = pieces and clear_rest(file, size) or not pieces and problem or nil
  if problem then
    file:close()
    return problem
  end
  for _, piece in ipairs(pieces) do
    note_entry(self, piece)
  end
  self.file, self.first, self.last, self.size = file, pieces[1], last, size
  return nil
end

local function open(self, path, append_to_it)
  local message = append_to_it and open_again(self, path, self.space:stats())
    or not append_to_it and open_new(self, path)
  if self.file then
    self.file:setvbuf "no" -- a piece is handed to the system in one call
  end
  return message or nil
end

-- aoi.recorder(space, file [, opts]): begins with a keyframe of the space as it is now, and has it record.
local function new(space, file, opts)
  if not is_space(space) then
    refuse("recorder", "the first argument", space, "a space")
  elseif type(file) ~= "string" and not refusals.has_methods(file, "write", "flush", "close") then
    refuse("recorder", "file", file, "a path, or an object with write, flush and close")
  end
  local what, value, expected = refusals.fault_of_options(opts, OPTIONS)
  if what then
    refuse("recorder", what, value, expected)
  end
  opts = opts or {}
  if opts.append and type(file) ~= "string" then
    refuse("recorder", "file", file, "a path, as append is true")
  end
  local self = setmetatable({
    space = space, zlib = opts.zlib, size = 0, entries = {}, joined = "",
    most_bytes = opts.keyframe_bytes, most_ticks = opts.keyframe_ticks or KEYFRAME_TICKS,
  }, Recorder)
  local message
  if type(file) == "string" then
    message = open(self, file, opts.append)
    if message then
      error(("recorder: %q: %s"):format(file, message), 2)
    end
  else
    self.file = file
  end
  space:record(true)
  space:recorded() -- the keyframe has these calls
  message = append_keyframe(self)
  if message then
    error("recorder: " .. message, 2)
  end
  return self
end

-- ---- methods ----------------------------------------------------------------------------------

-- Appends what the space has recorded since the last time, and a keyframe when one is due. Returns how many
-- bytes that is; what they hold survives the process from now on. An error when they can't be written: the
-- recorder has then ended, and the space records no longer. records: what space:recorded() has just given to
-- a caller who wants it for more than this.
function Recorder:write(records)
  if self.closed then
    error("write: the recorder is closed", 2)
  elseif self.ended then
    error("write: the recorder has ended, as a write failed: " .. self.ended, 2)
  elseif records ~= nil and type(records) ~= "string" then
    refuse("write", "records", records, "a string from space:recorded()")
  end
  local size = self.size
  records = records or self.space:recorded()
  local message = records ~= "" and append_records(self, records)
  if message then
    error("write: " .. message, 2)
  end
  return self.size - size
end

-- Writes what is left of an open space, then the index; closes the file. The space records no longer. May be
-- called twice.
function Recorder:close()
  if self.closed then
    return
  end
  local is_open = not tostring(self.space):find("closed", 1, true)
  local message
  if not self.ended then
    local records = is_open and self.space:recorded() or ""
    message = records ~= "" and append_records(self, records) or nil
  end
  self.closed = true
  if not self.ended then
    local span = {
      from_calls = self.first.from_calls, from_tick = self.first.from_tick,
      to_calls = self.last.to_calls, to_tick = self.last.to_tick,
    }
    local entries = self.joined .. table.concat(self.entries)
    message = call_file(self.file, "write", recording.ending(entries, span, self.size))
      or call_file(self.file, "flush")
  end
  local on_close = call_file(self.file, "close")
  if is_open then
    self.space:record(false)
  end
  message = message or on_close
  if message then
    error("close: " .. message, 2)
  end
end

Recorder.__close = Recorder.close

function Recorder:__tostring()
  return ("aoi.recorder (%s, %d bytes)"):format(self.closed and "closed" or self.ended and "ended" or "open",
    self.size)
end

return { recorder = new }
