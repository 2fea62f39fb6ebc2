-- The numbers that a node gives the streams of its agents: the time, as clients take it, but for each entity
-- in the order in which calls are asked, and later than all that its agents here have heard of it. Pure Lua,
-- without skynet.
local blocks = require "aoi.skynet.blocks"

local Numbers = {}
Numbers.__index = Numbers

local stream_numbers = {}

local SWEEP = 100 -- hundredths of a second

-- now: a function that gives hundredths of seconds of the clock. keep: so many of them a call may wait.
function stream_numbers.new(now, keep)
  return setmetatable({
    now = now,
    keep = keep,
    last = {}, -- entity -> the last number that was given, sent or heard
    used = {}, -- entity -> the last one that was sent or heard
    swept = now(),
  }, Numbers)
end

-- Forgets numbers that are earlier than those of all calls that wait.
local function sweep(self)
  local now = self.now()
  if now - self.swept >= SWEEP then
    self.swept = now
    local oldest = now - self.keep & 0xFFFFFFFF
    for _, list in ipairs { self.last, self.used } do
      for id, stream in pairs(list) do
        if blocks.is_later(oldest, stream) then
          list[id] = nil
        end
      end
    end
  end
end

function Numbers:time()
  return self.now() & 0xFFFFFFFF
end

-- The number for a stream that a call begins, as it is asked.
function Numbers:ask(id)
  local stream = blocks.after(self:time(), self.last[id])
  self.last[id] = stream
  sweep(self)
  return stream
end

-- The number for that stream as the call is sent: another one, if its agent may have heard a later one since.
function Numbers:send(id, asked)
  local used = self.used[id]
  local stream = used and not blocks.is_later(asked, used) and self:ask(id) or asked
  self:hear(id, stream)
  return stream
end

-- An agent here hears of the entity in this stream, which another clock may have numbered, or may hear of it.
function Numbers:hear(id, stream)
  for _, list in ipairs { self.last, self.used } do
    if not list[id] or blocks.is_later(stream, list[id]) then
      list[id] = stream
    end
  end
  sweep(self)
end

return stream_numbers
