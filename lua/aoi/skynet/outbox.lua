-- The messages to one client that may read slower than a scene tells. Little is on its way to the client at
-- once: beyond that views are dropped, and a list of all that is in view takes their place when it has caught
-- up. All else (speech, notifications, the end of a stay) is kept for it, in order.
--
--   local box = outbox.new { send = ..., ask = ..., resync = view.resync, overflow = ... }
--   view.on { packet = function(text) box:pass_on(text) end }
--
-- docs/packets.md says how a client answers. An outbox is for the packets of one entity.
local blocks = require "aoi.skynet.blocks"

local VIEW, OVER, REPLACES = blocks.VIEW, blocks.OVER, blocks.REPLACES

local KEPT_LIMIT = 65536     -- most bytes that are kept
local SECOND = 100           -- in hundredths
local LEAST, SECONDS = 20, 3 -- most messages that are not acknowledged: at least so many, or of that time
local FIRST = 2048           -- bytes that may be on their way to a client of which nothing is known yet

local Outbox = {}
Outbox.__index = Outbox

local outbox = {}

--[[ of: a table of
  send(packet)     sends it to the client
  ask(number)      has the client give back this number when it has read all that was sent before
  resync()         asks the scene for a list of all that is in view
  overflow()       the client is to be closed: more waits for it than is kept. Nothing is sent any more.
  waits            true: a stay goes on at this client, who is shown nothing before a list comes
  tick             length of the scene's ticks in milliseconds; default 100, 0: none
  n                most messages that are not acknowledged; default: of three seconds, at least 20
  now()            hundredths of a second; default: skynet's ]]
function outbox.new(of)
  local tick = of.tick or 100
  local n = of.n or math.max(LEAST, tick > 0 and math.ceil(SECONDS * 1000 / tick) or 0)
  return setmetatable({
    of = of, n = n, now = of.now or require("skynet").now,
    span = tick > 0 and n * tick / 10 or SECONDS * SECOND, -- in hundredths: no view is to be older
    -- "behind": the client has to catch up; "asked": the list is to come; "closed"
    state = of.waits and "asked" or "open",
    sent = 0, bytes = 0, -- how many messages and bytes were sent
    read = nil,     -- by the last answer: { sent, bytes, at }; nil: there was none
    asks = {}, first = 1, last = 0, -- from first to last, without an answer: { sent, bytes, at, waiting }
    asked = nil,    -- the last one
    rate = 0,       -- bytes that it reads in a hundredth of a second, or more
    first_bytes = 0, is_new = true, -- of the first message; true: it has not been late with more than that
    kept = {}, kept_bytes = 0,
    stream = nil, is_over = true, -- of the stay; true: there is none, the next one begins with a list
  }, Outbox)
end

-- ---- what is on its way -----------------------------------------------------------------------

-- Messages and bytes that are not acknowledged.
local function on_the_way(self)
  local read = self.read
  return self.sent - (read and read.sent or 0), self.bytes - (read and read.bytes or 0)
end

-- Most bytes on the way, for a view to be read in time.
local function most_bytes(self)
  local most = self.rate * self.span / 2
  return self.is_new and math.max(most, FIRST + (self.read and 0 or self.first_bytes)) or most
end

local function ask(self)
  local _, bytes = on_the_way(self)
  self.asked = { sent = self.sent, bytes = self.bytes, at = self.now(), waiting = bytes }
  self.last = self.last + 1
  self.asks[self.last] = self.asked
  self.of.ask(self.last)
end

local function send(self, text)
  self.sent, self.bytes = self.sent + 1, self.bytes + #text
  self.first_bytes = self.sent == 1 and self.bytes or self.first_bytes
  self.of.send(text)
  local asked = self.asked
  if not asked or self.sent - asked.sent >= math.max(1, self.n // 4) or self.now() - asked.at >= SECOND
    or self.bytes - asked.bytes >= most_bytes(self) / 4 then
    ask(self)
  end
end

-- Whether a view that is sent now might be too old when it is read.
local function is_full(self)
  local messages, bytes = on_the_way(self)
  local oldest = self.asks[self.first]
  return messages >= self.n or bytes > most_bytes(self)
    or oldest ~= nil and self.now() - oldest.at >= self.span / 2
end

-- Takes note of how fast a client reads, by its answer. When something was on the way all the time, what it
-- has read since the answer before says so exactly, if it is late; else it may be faster.
local function measure(self, answered)
  local now, before = self.now(), self.read
  local took = math.max(1, now - answered.at)
  local is_busy = before and answered.at <= before.at and now > before.at
  if is_busy and took >= self.span / 8 then
    self.rate, self.is_new = (answered.bytes - before.bytes) / (now - before.at), false
  else
    self.rate = math.max(self.rate, answered.waiting / took)
  end
  self.read = { sent = answered.sent, bytes = answered.bytes, at = now }
end

-- ---- keeping ----------------------------------------------------------------------------------

local function keep(self, text)
  self.kept_bytes = self.kept_bytes + #text
  if self.kept_bytes > KEPT_LIMIT then
    self.state, self.kept = "closed", {}
    self.of.overflow()
    return
  end
  self.kept[#self.kept + 1] = text
end

-- The blocks of a packet that are passed on or kept: all but views; and those from the list on, when one is
-- waited for, which ends that.
local function select_blocks(self, packet)
  local parts, at = {}, 1
  while at <= #packet do
    local block, after = blocks.head(packet, at)
    local is_former = self.stream and blocks.is_later(self.stream, block.stream) -- of a scene that was left
    if not is_former and (block.kind == VIEW or block.kind == OVER) then
      self.stream, self.is_over = block.stream, block.kind == OVER
      if self.state == "asked" and block.kind == VIEW and block.flags & REPLACES ~= 0 then
        self.state = "open"
      end
    end
    if self.state == "open" or block.kind ~= VIEW then
      parts[#parts + 1] = packet:sub(at, after - 1)
    end
    at = after
  end
  return table.concat(parts)
end

-- ---- the client -------------------------------------------------------------------------------

-- Passes on a packet, or of it what is not dropped. Raises when it is damaged. O(bytes).
function Outbox:pass_on(packet)
  if self.state == "closed" then
    return
  elseif self.state ~= "behind" and is_full(self) then
    self.state = "behind"
    if self.asked.sent < self.sent then
      ask(self)
    end
  end
  local text = select_blocks(self, packet)
  if text == "" then
    return
  elseif self.state == "behind" then
    keep(self, text)
  else
    send(self, text)
  end
end

-- The client has caught up: it gets what was kept, and then a list, or what the next stay begins with.
local function go_on(self)
  local kept = table.concat(self.kept)
  self.kept, self.kept_bytes = {}, 0
  self.state = "asked"
  if kept ~= "" then
    send(self, kept)
  end
  if not self.is_over then
    self.of.resync()
  end
end

-- The client has given back this number.
function Outbox:echo(number)
  if not (math.type(number) == "integer" and number >= self.first and number <= self.last) then
    return -- it says what it likes
  end
  local answered = self.asks[number]
  for i = self.first, number do
    self.asks[i] = nil
  end
  self.first = number + 1
  measure(self, answered)
  if self.state == "behind" and self.first > self.last then
    go_on(self)
  end
end

-- The client has missed something, and asks for a resync itself: nothing when a list is to come anyway.
function Outbox:resync()
  if self.state == "open" then
    self.of.resync()
  end
end

return outbox
