-- A file in memory: what recorder.lua writes to and player.lua reads from, without a disk.

local String = {}
String.__index = String

-- Holds this text; writes go behind it.
local function new(text)
  return setmetatable({ text = text or "", at = 0, writes = {} }, String)
end

function String:write(text)
  self.text = self.text .. text
  self.writes[#self.writes + 1] = #text
end

function String:flush()
  self.flushed = #self.text
end

function String:seek(whence, offset)
  self.at = whence == "end" and #self.text or offset
  return self.at
end

function String:read(size)
  local text = self.text:sub(self.at + 1, self.at + size)
  self.at = self.at + #text
  return text ~= "" and text or nil
end

function String:close()
  self.is_closed = true
end

return { new = new }
