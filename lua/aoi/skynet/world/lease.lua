-- The coordinator's lease in a register that all nodes share, Redis, as one process has it or tries for it:
-- decisions alone, by state and answers. The process that has it is the coordinator; the register takes a
-- configuration from no other one.
--
-- One request is under way at a time. A request may have been done although nobody answers: all of them may
-- be made again.
local coordinator = require "aoi.skynet.world.coordinator"

local lease = {}

-- options: name of the node, key of the process, length of the lease in milliseconds, words of the world that
-- must be the same on all nodes, as a text; sit(file) makes a coordinator, as coordinator.new does, with this
-- file.
function lease.new(options, now)
  return {
    name = options.name, key = options.key, length = options.length, renew = options.length / 3,
    sit = options.sit, words = options.words,
    waits_since = nil,       -- when it was asked for first, and the last process that had it had other words
    ends = -math.huge,       -- the lease; reckoned from when it was asked for
    renew_at = now,          -- when it is to be asked for again
    next_at = now,           -- when to ask next
    heard_at = -math.huge,   -- when the last request was sent that was answered
    holder = nil,            -- node that had the lease then; nil: nobody
    coordinator = nil,       -- of coordinator.lua; rests when the lease is over, until somebody else has it
    since = nil,             -- what the register said last: only this process has had the lease since then
    wanted = nil,            -- configuration that is to be written
    asked = nil,             -- the request under way
  }
end

-- Somebody else may have the lease.
local function lose(self)
  self.ends, self.coordinator, self.wanted = -math.huge, nil, nil
end

-- The coordinator of this process; nil: it does not have the lease.
function lease.coordinator(self, now)
  return now < self.ends and self.coordinator or nil
end

--[[ The request that the register is to get now; nil: none. A request has name and key of this process, and
  kind "take"   the lease for `length` milliseconds, when this key has it, or nobody. Answer: { is_granted =
                true, since = changes when another key has had the lease,
                configuration = the last one that was written, or nil }; or { holder = name of its node,
                left = milliseconds that it lasts }; or { had_other_words = true }: nobody has it, and the
                last that had it had other `words` than these, unless the request is with_any_words
  kind "write"  `configuration`, if this key has the lease and the last one has a lower number, or is this
                one. Answer: { is_written = true or false }
  kind "give"   back the lease, if this key has it. Answer: {} ]]
function lease.request(self, now)
  local seat = lease.coordinator(self, now)
  if self.asked then
    return nil
  end
  local request
  if seat and coordinator.has_gone(seat) then
    request = { kind = "give" }
    self.next_at = now + self.length -- others first
    lose(self)
  elseif now < self.next_at then
    return nil
  elseif seat and now < self.renew_at and self.wanted then
    request = { kind = "write", configuration = self.wanted }
  elseif not seat or now >= self.renew_at then
    request = {
      kind = "take", length = self.length, words = self.words,
      with_any_words = self.waits_since and now > self.waits_since + self.length + self.renew or nil,
    }
  else
    return nil
  end
  request.name, request.key, request.sent, self.asked = self.name, self.key, now, request
  return request
end

local answers = {}

function answers.take(self, now, request, answer)
  if answer.had_other_words then
    -- It may be this process that was started with wrong words: those that go on are first.
    self.waits_since = self.waits_since or request.sent
    self.holder, self.next_at = nil, now + self.renew
    lose(self)
    return
  end
  self.waits_since = nil
  if not answer.is_granted then
    self.holder = answer.holder
    self.next_at = now + math.min(self.renew, math.max(answer.left, 0))
    lose(self)
    return
  end
  if now >= self.ends and answer.since ~= self.since then
    lose(self) -- another one may have made changes
  end
  self.since = answer.since
  self.holder, self.ends = self.name, request.sent + self.length
  self.renew_at = request.sent + self.renew
  local known, made = answer.configuration, self.coordinator and coordinator.made(self.coordinator)
  if made and not self.wanted and (not known or known.number < made.number) then
    self.wanted = made -- the register has lost it
  end
  if self.ends > now and not self.coordinator then
    self.coordinator = self.sit {
      configuration = answer.configuration,
      commit = function(configuration, seat)
        self.wanted = self.coordinator == seat and configuration or nil
      end,
    }
  end
end

function answers.write(self, _, request, answer)
  if not answer.is_written then
    lose(self) -- somebody else has it
  elseif self.wanted == request.configuration then
    self.wanted = nil
    coordinator.committed(self.coordinator, request.configuration)
  end
end

function answers.give() end

-- The answer to a request; nil: there was none, or it could not be made.
function lease.answered(self, now, request, answer)
  if self.asked ~= request then
    return -- too late
  end
  self.asked = nil
  if not answer then
    self.next_at = math.max(now, request.sent + self.renew)
  else
    self.heard_at = request.sent
    answers[request.kind](self, now, request, answer)
  end
end

-- Whether the request under way has had time enough: then `answered` is to be called without an answer.
function lease.is_late(self, now)
  return self.asked ~= nil and now >= self.asked.sent + self.renew
end

-- The node whose process is the coordinator, as a list; nil as long as the register does not answer: it may
-- be any.
function lease.coordinators(self, now)
  return now < self.heard_at + self.length and self.holder and { self.holder } or nil
end

return lease
