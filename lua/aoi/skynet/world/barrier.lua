-- When a node of a world begins a tick and when it ends it: a tick begins when the own clock is due or the
-- first message of it has come, and ends when the messages of all others have come, or patience has run out.
-- Pure Lua, without skynet; all times are milliseconds of any clock.
--
-- Who was late once is not waited for until it is in time again; who is silent is not waited for either.
local Barrier = {}
Barrier.__index = Barrier

local world_barrier = {}

-- node: our own number of n nodes. patience: how long to wait for the others after a tick has begun. silence:
-- after how long without a word a node counts as silent; math.huge: never.
function world_barrier.new(node, n, patience, silence)
  local self = setmetatable({
    node = node,
    n = n,
    patience = patience,
    silence = silence,
    tick = 0,         -- the last one that has begun
    is_open = false,  -- true from its begin to its end
    began = nil,      -- when
    newest = {},      -- node -> the number of its last message
    heard = {},       -- node -> when it last said anything
    state = {},       -- node -> "in time", "late" or "silent"
    late = 0,         -- how many messages were late, in ticks and nodes
  }, Barrier)
  for other = 1, n do
    if other ~= node then
      self.newest[other], self.state[other] = 0, "silent"
    end
  end
  return self
end

-- A node has said anything at all: it lives. Returns true when it was silent.
function Barrier:hear(node, now)
  self.heard[node] = now
  return self.state[node] == "silent"
end

-- A node that was silent is waited for again; is_late: only when it is in time.
function Barrier:welcome(node, is_late)
  self.state[node] = is_late and "late" or "in time"
end

-- It is to be taken for silent.
function Barrier:give_up(node)
  self.state[node] = "silent"
end

-- Message t of a node has come.
function Barrier:arrived(node, t, now)
  self.heard[node] = now
  self.newest[node] = math.max(self.newest[node], t)
end

-- A node has begun anew: what came of it before says nothing.
function Barrier:restarted(node, t)
  self.newest[node] = t or 0
end

-- The number of the tick to begin now: the next one when is_due or when a message of it is there; when others
-- are farther the newest of theirs, for they do not wait for us. nil: none.
function Barrier:next(is_due)
  if self.is_open then
    return nil
  end
  local next_tick = self.tick + 1
  local newest = self.tick
  for node, t in pairs(self.newest) do
    if self.state[node] ~= "silent" then
      newest = math.max(newest, t)
    end
  end
  if newest >= next_tick then
    return newest
  end
  return is_due and next_tick or nil
end

function Barrier:begin(t, now)
  self.tick, self.is_open, self.began = t, true, now
end

-- Whether the tick may end now, and if not, in how many milliseconds patience runs out.
function Barrier:may_end(now)
  for node, state in pairs(self.state) do
    if state == "in time" and self.newest[node] < self.tick then
      local wait = self.began + self.patience - now
      return wait <= 0, wait
    end
  end
  return true, 0
end

-- Whether a tick has been open for so long and the node's message has not come.
function Barrier:waits_long(node, now, long)
  return self.is_open and self.newest[node] < self.tick and now - self.began >= long
end

-- Ends the tick. Returns a list of the nodes whose message has not come.
function Barrier:finish()
  self.is_open = false
  local missing = {}
  for node = 1, self.n do
    local state = self.state[node]
    if state and state ~= "silent" then
      if self.newest[node] >= self.tick then
        self.state[node] = "in time"
      else
        missing[#missing + 1] = node
        self.late = self.late + 1
        self.state[node] = "late"
      end
    end
  end
  return missing
end

-- The nodes that have said nothing for too long, and are marked as silent by this; a list.
function Barrier:take_silent(now)
  local list = {}
  for node = 1, self.n do
    local state = self.state[node]
    if state and state ~= "silent" and now - self.heard[node] > self.silence then
      self.state[node] = "silent"
      list[#list + 1] = node
    end
  end
  return list
end

return world_barrier
