-- The numbers that a node gives the streams of its agents: the time, as clients take it, but for each entity
-- later ones than all that its agents here have had. Pure Lua, without skynet.
local blocks = require "aoi.skynet.blocks"

local Numbers = {}
Numbers.__index = Numbers

local stream_numbers = {}

local SWEEP = 100 -- hundredths of a second

-- now: a function that gives hundredths of seconds of the clock.
function stream_numbers.new(now)
  return setmetatable({
    now = now,
    last = {}, -- entity -> its last stream, unless that is in the past
    swept = now(),
  }, Numbers)
end

-- Forgets streams of the past: the time itself is later.
local function sweep(self, now)
  if now - self.swept >= SWEEP then
    self.swept = now
    for id, stream in pairs(self.last) do
      if blocks.is_later(now & 0xFFFFFFFF, stream) then
        self.last[id] = nil
      end
    end
  end
end

-- An agent here has the entity in this stream, which another clock may have numbered.
function Numbers:heard(id, stream)
  local last, now = self.last[id], self.now() & 0xFFFFFFFF
  if not (blocks.is_later(now, stream) or last and blocks.is_later(last, stream)) then
    self.last[id] = stream
  end
end

-- The number of a stream that an agent here asks for.
function Numbers:give(id)
  local now, last = self.now(), self.last[id]
  sweep(self, now)
  local stream = now & 0xFFFFFFFF
  if last and not blocks.is_later(stream, last) then
    stream = last + 1 & 0xFFFFFFFF
  end
  self.last[id] = stream
  return stream
end

return stream_numbers
