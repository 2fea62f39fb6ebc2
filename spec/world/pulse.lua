-- A process of a test looks at time while nodes fail: when its timers were late, when the world of its node
-- stood, and when that had a new configuration. All times are seconds of the clock that all processes of
-- a machine share and that nobody sets. For a service on a node of spec/world/process.lua.
local skynet = require "skynet"

local BEAT = 5       -- hundredths of a second between two looks
local LATE = 0.02    -- seconds by which a look may be late without a note
local STOPPED = 0.2  -- if it is later than that, the process itself was stopped, or had no processor
local STOOD = 0.2    -- seconds without a tick that are noted
local KEPT = 100     -- changes of the configuration

local Pulse = {}
Pulse.__index = Pulse

local pulse = {}

function pulse.now()
  return skynet.hpc() / 1e9
end

local function ask(self, world)
  local before = self.answered_at
  local stats = skynet.call(world, "lua", "stats")
  local now = pulse.now()
  self.answered_at = now
  if stats.tick > self.tick then
    if now - self.ticked_at > STOOD then
      self.stood[#self.stood + 1] = { self.ticked_at, now }
    end
    self.tick, self.ticked_at = stats.tick, now
  end
  if stats.configuration ~= self.configuration then
    self.configuration = stats.configuration
    table.insert(self.changes, 1, before)
    self.changes[KEPT + 1] = nil
  end
end

local function beat(self, world)
  skynet.timeout(BEAT, function()
    beat(self, world)
  end)
  local now = pulse.now()
  local over = now - self.at - BEAT / 100
  if over > LATE then
    self.late[#self.late + 1] = { now - over, now }
  end
  self.lost = self.lost + (over > STOPPED and over or 0)
  self.at = now
  if not self.is_asking then
    self.is_asking = true
    skynet.fork(function()
      pcall(ask, self, world)
      self.is_asking = false
    end)
  end
end

-- Looks at this world from now on.
function pulse.start(world)
  local now = pulse.now()
  local self = setmetatable({
    at = now,              -- of the last look
    lost = 0,              -- for how long this process did not run
    late = {}, stood = {}, -- lists of { from, to }
    tick = 0, ticked_at = now,
    answered_at = now,     -- when the world has answered last
    configuration = 0,
    changes = { now },     -- when the world was last seen with each former configuration, the latest first
    since = now,           -- from when on the lists are complete
  }, Pulse)
  beat(self, world)
  return self
end

-- Seconds for which this process has run. While it is stopped they do not grow.
function Pulse:own()
  local now = pulse.now()
  local over = now - self.at - BEAT / 100
  return now - self.lost - (over > STOPPED and over or 0)
end

-- When the configuration began that was in effect at time t, or a little before that.
function Pulse:changed_before(t)
  for _, at in ipairs(self.changes) do
    if at <= t then
      return at
    end
  end
  return t
end

-- All since the last time, { since =, late =, stood = }.
function Pulse:news()
  local now = pulse.now()
  local news = { since = self.since, late = self.late, stood = self.stood }
  if now - self.ticked_at > STOOD then
    news.stood[#news.stood + 1] = { self.ticked_at, now }
  end
  self.since, self.late, self.stood = now, {}, {}
  return news
end

return pulse
