-- A page for tests: the websocket of a viewer, what came through it, and the space that comes of that.
-- `text` is the newest one about the regions of a world.
local skynet = require "skynet"
local websocket = require "http.websocket"
local aoi = require "aoi"
local recording = require "aoi.recording"

local Page = {}
Page.__index = Page

-- Opens the stream of the viewer with this address. It answers what comes, unless opts.silent.
function Page.open(address, opts)
  opts = opts or {}
  local url = address:gsub("^http", "ws"):gsub("/%?", "/stream?")
  local self = setmetatable({ messages = {}, had = 0, silent = opts.silent, closed = false }, Page)
  self.id = websocket.connect(url, opts.header)
  skynet.fork(function()
    while true do
      local ok, bytes, reason = pcall(websocket.read, self.id)
      if not ok or not bytes then
        self.closed, self.code = true, ok and #reason >= 2 and (">I2"):unpack(reason)
        return
      end
      if bytes:find '^{"regions"' then
        self.text = bytes
      else
        self.messages[#self.messages + 1] = bytes
        self.had = self.had + #bytes
        pcall(self.answer, self) -- the viewer may have gone meanwhile
      end
    end
  end)
  return self
end

-- Says what it has, unless it is silent.
function Page:answer()
  if not self.silent and not self.closed then
    self:say("have " .. self.had)
  end
end

function Page:say(text, kind)
  websocket.write(self.id, text, kind or "text", 0x12345678)
end

function Page:close()
  if not self.closed then
    websocket.close(self.id)
  end
end

-- Bytes as recording.lua reads them from a file.
local function as_file(bytes)
  local at = 0
  return {
    seek = function(_, whence, offset)
      at = whence == "end" and #bytes or offset
      return at
    end,
    read = function(_, size)
      local part = bytes:sub(at + 1, at + size)
      at = at + #part
      return part
    end,
  }
end

-- The pieces that came.
function Page:pieces()
  local file = as_file(table.concat(self.messages))
  if self.had == 0 then
    return {}, file
  end
  local pieces, problem = recording.read(file)
  assert(not problem, problem)
  return pieces, file
end

-- The number of calls that it knows of.
function Page:calls()
  local pieces = self:pieces()
  return #pieces > 0 and pieces[#pieces].to_calls or -1
end

function Page:keyframes()
  local n = 0
  for _, piece in ipairs((self:pieces())) do
    n = n + (piece.kind == recording.KEYFRAME and 1 or 0)
  end
  return n
end

-- The space as the page knows it now: from its keyframe number `from` on, the last when nil.
function Page:space(from)
  local pieces, file = self:pieces()
  local keyframes = {}
  for i, piece in ipairs(pieces) do
    if piece.kind == recording.KEYFRAME then
      keyframes[#keyframes + 1] = i
    end
  end
  local first = keyframes[from or #keyframes]
  local space = aoi.load((assert(recording.payload(file, pieces[first]))))
  for i = first + 1, #pieces do
    if pieces[i].kind == recording.RECORD then
      aoi.replay(space, (assert(recording.payload(file, pieces[i]))))
    end
  end
  return space
end

return Page
