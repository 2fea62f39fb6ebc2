-- The parts of a record that each page of a viewer is sent. Knows no socket and no scene.
--
-- A page gets a keyframe, and then the records that follow it. It says how many bytes it has. When more than
-- `limit` are on their way to it, it is sent nothing until it has all of them, and then goes on from a new
-- keyframe; so it is whenever a record does not follow what it was sent before.
local recording = require "aoi.recording"

local pages = {}
pages.__index = pages

-- A page that looks back loads a keyframe and replays: it is sent a new one after so many bytes of records,
-- and where entities are so many that a keyframe is larger, after as many times its size.
local KEYFRAME_BYTES = 4 << 20
local RECORDS_PER_KEYFRAME = 4

-- write(id, bytes, kind) sends to a page, kind "text" or nil; ask() asks for a keyframe, which comes later
-- through `piece`.
function pages.new(limit, write, ask)
  return setmetatable({ limit = limit, write = write, ask = ask, all = {} }, pages)
end

function pages:open(id)
  self.all[id] = {
    sent = 0, had = 0,   -- bytes
    calls = nil,         -- that it has been sent; nil: it waits for a keyframe
    records = 0,         -- bytes since its last keyframe
    enough = KEYFRAME_BYTES,
  }
  self.ask()
end

function pages:close(id)
  self.all[id] = nil
end

local function send(self, id, page, piece)
  local bytes = page.sent == 0 and recording.BEGINNING .. piece or piece
  page.sent = page.sent + #bytes
  self.write(id, bytes)
end

-- Anything may be sent to a page that has all it was sent.
local function has_room(self, page, piece)
  return page.sent == page.had or page.sent - page.had + #piece <= self.limit
end

local function keyframe(self, id, page, calls, piece)
  local waits = page.calls == nil and page.sent == page.had
  local is_due = page.calls == calls and page.records >= page.enough
  if is_due and not has_room(self, page, piece) then
    page.calls = nil
  elseif is_due or waits then
    page.calls, page.records = calls, 0
    page.enough = math.max(KEYFRAME_BYTES, RECORDS_PER_KEYFRAME * #piece)
    send(self, id, page, piece)
  end
end

local function record(self, id, page, from, to, piece)
  if page.calls ~= from or not has_room(self, page, piece) then
    page.calls = nil
    return
  end
  page.calls = to
  page.records = page.records + #piece
  send(self, id, page, piece)
end

-- To be called with each piece that comes from the scene: that of a keyframe, or of a record from one call
-- to another.
function pages:piece(is_keyframe, from, to, piece)
  for id, page in pairs(self.all) do
    if is_keyframe then
      keyframe(self, id, page, to, piece)
    elseif page.calls then
      record(self, id, page, from, to, piece)
    end
  end
  self:look()
end

-- Sends a text beside the record to all pages that can take it; "have" does not count it.
function pages:tell(text)
  for id, page in pairs(self.all) do
    if has_room(self, page, text) then
      self.write(id, text, "text")
    end
  end
end

-- Asks for a keyframe when a page can take one. To be called now and then, as one that was asked for may
-- never come.
function pages:look()
  for _, page in pairs(self.all) do
    if page.calls == nil and page.sent == page.had or page.calls and page.records >= page.enough then
      self.ask()
      return
    end
  end
end

-- A page says that it has so many bytes. False when that can't be.
function pages:has(id, bytes)
  local page = self.all[id]
  if not page or bytes < page.had or bytes > page.sent then
    return false
  end
  page.had = bytes
  if page.calls == nil then
    self:look()
  end
  return true
end

return pages
