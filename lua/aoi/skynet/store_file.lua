--[[ The files of a store: a scene as of its last tick, on a disk. Knows nothing of skynet or of what notes
say, which are strings of store.lua.

A store has a path with which the names of its files begin: "folder/", or "folder/name-" where a folder has
several; the folder is there. It is a recording, scene.aoi, in the format of recording.lua. It begins with a
full save: a keyframe and its notes. Each chunk after that is a record and its notes, written in one call, or
notes alone; a chunk counts only when its notes are whole. Now and then a full save begins a new file, written
as new.aoi and renamed when it is whole; the one before stays as before.aoi. So a process may be killed at any
moment: scene.aoi, or before.aoi when there is no other, goes to the last chunk that was written. ]]
local durable = require "aoi.skynet.durable"
local recording = require "aoi.recording"

local store_file = {}

local CURRENT, BEFORE, NEW, ASIDE = "scene.aoi", "before.aoi", "new.aoi", "aside.aoi"

-- ---- reading ----------------------------------------------------------------------------------

local function payload_of(file, piece, kind)
  if not piece or piece.kind ~= kind then
    error(("a piece of kind %d is missing"):format(kind), 0)
  end
  local payload, fault = recording.payload(file, piece)
  if not payload then
    error(("the piece at byte %d %s"):format(piece.offset, fault), 0)
  end
  return payload
end

-- Reads a pair of pieces, and hands it on.
local function take_pair(file, pieces, i, kind, take)
  local first, notes = payload_of(file, pieces[i], kind), payload_of(file, pieces[i + 1], recording.NOTES)
  take(first, notes)
end

-- Whether these are the notes of a chunk in which nothing was recorded.
local function is_alone(piece)
  return piece ~= nil and piece.kind == recording.NOTES
end

local function take_notes(file, piece, take)
  take("", payload_of(file, piece, recording.NOTES))
end

-- nil for a file that is damaged, so that the other one is tried; false for one that another version wrote.
local function not_taken(problem)
  local is_foreign = problem:find "version %S+, expected"
  if is_foreign then
    return false, problem
  end
  return nil, problem
end

local function read_file(file, to)
  local pieces, problem = recording.read(file)
  if not pieces then
    return not_taken(problem)
  end
  local ok, message = pcall(take_pair, file, pieces, 1, recording.KEYFRAME, to.full)
  if not ok then
    return not_taken(tostring(problem or message))
  end
  local i = 3
  while pieces[i + 1] or is_alone(pieces[i]) do
    if is_alone(pieces[i]) then
      ok, message = pcall(take_notes, file, pieces[i], to.chunk)
      i = i + 1
    else
      ok, message = pcall(take_pair, file, pieces, i, recording.RECORD, to.chunk)
      i = i + 2
    end
    if not ok then
      return true, tostring(message)
    end
  end
  return true, problem
end

-- Reads a store: calls to.full(saved, notes) once, and then to.chunk(records, notes) for each chunk.
-- They refuse by an error, and then must not have changed anything. After a full save the other file is
-- tried, unless the error names two versions; after a chunk nothing more is read. Returns true, or nil when
-- nothing can be read; and what could not be read, or nil: nil, nil is a store that is empty.
function store_file.read(path, to)
  local problems = {}
  for _, name in ipairs { CURRENT, BEFORE } do
    local file = io.open(path .. name, "rb")
    if file then
      local found, problem = read_file(file, to)
      file:close()
      problems[#problems + 1] = problem and ("%s%s: %s"):format(path, name, problem)
      if found ~= nil then
        return found or nil, problems[1] and table.concat(problems, "; ")
      end
    end
  end
  return nil, problems[1] and table.concat(problems, "; ")
end

-- The notes that stand first and last in a store, and what is wrong with its later file when they are those
-- of the one before; nil and what is wrong, or nil for an empty one.
function store_file.notes(path)
  local problem
  for _, name in ipairs { CURRENT, BEFORE } do
    local file = io.open(path .. name, "rb")
    if file then
      local pieces, fault = recording.read(file)
      local found, first, last = pcall(function()
        local n = pieces and #pieces or 0
        local function notes_of(i)
          return payload_of(file, pieces[i], recording.NOTES)
        end
        while n > 2 and not pcall(notes_of, n) do
          n = n - 1
        end
        return notes_of(2), notes_of(n)
      end)
      file:close()
      if found then
        return first, last, problem
      end
      problem = problem or ("%s%s: %s"):format(path, name, tostring(fault or first))
    end
  end
  return nil, problem
end

-- ---- writing ----------------------------------------------------------------------------------

local Writer = {}
Writer.__index = Writer

-- Writes to the store of this path; begin comes first. is_synced: what is written waits for the disk.
function store_file.writer(path, is_synced)
  return setmetatable({ path = path, file = nil, is_synced = is_synced }, Writer)
end

-- The files that are there are read no more; the latest one stays, under another name.
function store_file.put_aside(path)
  if not os.rename(path .. CURRENT, path .. ASIDE) then
    os.rename(path .. BEFORE, path .. ASIDE)
  end
  os.remove(path .. BEFORE)
end

-- With sync what was written stands on the disk. Returns nil and a message when that fails.
local function synced(self, file)
  if self.is_synced then
    return durable.sync(file)
  end
  return true
end

local function path_of(self, name)
  return self.path .. name
end

local function size_of(file)
  local size = file:seek "end"
  return size
end

-- Whether the file is the one that we write to.
local function is_ours(self)
  local file = io.open(path_of(self, CURRENT), "rb")
  if not file then
    return true -- somebody removed it: we have all that was in it
  end
  local same = size_of(file) == size_of(self.file)
  file:close()
  return same
end

local function write_new(self, bytes)
  local file, message = io.open(path_of(self, NEW), "wb")
  if not file then
    return nil, message
  end
  file:setvbuf "no" -- what is written is handed to the system at once
  local ok
  ok, message = file:write(bytes)
  if not ok then
    file:close()
    return nil, message
  end
  return file
end

-- Writes a full save, which takes the place of all before. saved: a string of space:save(); span: its
-- moments, as recording.lua has them; notes: any string. Returns the number of bytes; or nil and a message:
-- then the store is as it was. But if only the wait for the folder has failed, the save is there, and may be
-- gone after a power failure: nothing can be appended until begin succeeds.
function Writer:begin(saved, span, notes)
  if self.file and not is_ours(self) then
    return nil, path_of(self, CURRENT) .. " is written by another scene"
  end
  local bytes = recording.BEGINNING .. recording.piece(recording.KEYFRAME, saved, span)
    .. recording.piece(recording.NOTES, notes, span)
  local file, message = write_new(self, bytes)
  if not file then
    return nil, message
  end
  local ok
  ok, message = synced(self, file)
  if not ok then
    file:close()
    return nil, message
  end
  os.rename(path_of(self, CURRENT), path_of(self, BEFORE)) -- fails when there is none
  ok, message = os.rename(path_of(self, NEW), path_of(self, CURRENT))
  if not ok then
    os.rename(path_of(self, BEFORE), path_of(self, CURRENT))
    file:close()
    return nil, message
  end
  self:close()
  self.file, self.is_unsure = file, nil -- the folder names this one now, also when that is not on the disk
  if self.is_synced then
    ok, message = durable.sync_folder(self.path)
    if not ok then
      self.is_unsure = true
      return nil, message
    end
  end
  return #bytes
end

-- Appends a chunk. records: a string of space:recorded(), which goes on from what was written last, or "";
-- span: its moments. Returns the number of bytes; or nil and a message: the chunk may be there in part, and
-- nothing may be appended until begin succeeds.
function Writer:append(records, span, notes)
  if self.is_unsure then
    return nil, self.path .. ": the full save before may not be on the disk"
  end
  local moment = {
    from_calls = span.to_calls, from_tick = span.to_tick, to_calls = span.to_calls, to_tick = span.to_tick,
  }
  local record = records ~= "" and recording.piece(recording.RECORD, records, span) or ""
  local noted = recording.piece(recording.NOTES, notes, moment)
  local ok, message = self.file:write(record .. noted) -- in one call
  if ok then
    ok, message = synced(self, self.file)
  end
  if not ok then
    return nil, message
  end
  return #record + #noted
end

function Writer:close()
  if self.file then
    self.file:close()
    self.file = nil
  end
end

-- Closes it, and removes what is in the store.
function Writer:remove()
  self:close()
  for _, name in ipairs { CURRENT, BEFORE, NEW } do
    os.remove(path_of(self, name))
  end
end

return store_file
