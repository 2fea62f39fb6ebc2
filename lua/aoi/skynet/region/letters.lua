-- Hand-overs between the regions of a world that have stores: each side keeps what it must until the other
-- has written it, so that any of them may be killed at any moment, and come back from what it wrote last.
--
-- Who hands an entity over keeps the letter, and sends it again when it comes back; a letter is known by the
-- tick in which its region sent it, and each is taken once. Who has taken one keeps whom it has got: a sender
-- that comes back from before does not know that it gave the entity away, and must be told. Pure Lua, without
-- skynet.
local Letters = {}
Letters.__index = Letters

local letters = {}

-- Nothing, or what `save` gave.
function letters.new(saved)
  return setmetatable({
    taken = saved and saved.taken or {}, -- region -> the last tick of which its letters were taken
    sent = saved and saved.sent or {},   -- flat list of region, tick, entity, its new epoch, letter
    came = saved and saved.came or {},   -- flat list of region, tick, entity, epoch: from there
    now = { sent = {}, came = {}, taken = {} }, -- the same since `changes`
  }, Letters)
end

local function put(list, ...)
  return table.move({ ... }, 1, select("#", ...), #list + 1, list)
end

-- An entity was handed over to a region.
function Letters:send(to, tick, id, epoch, letter)
  put(self.sent, to, tick, id, epoch, letter)
  put(self.now.sent, to, tick, id, epoch, letter)
end

-- Whether letters that a region sent in that tick were taken before.
function Letters:is_known(from, tick)
  return tick <= (self.taken[from] or 0)
end

-- An entity has come by a letter.
function Letters:take(from, tick, id, epoch)
  put(self.came, from, tick, id, epoch)
  put(self.now.came, from, tick, id, epoch)
end

-- All letters of a region up to this tick are taken.
function Letters:took(from, tick)
  if not self:is_known(from, tick) then
    self.taken[from], self.now.taken[from] = tick, tick
  end
end

-- Drops those rows of a flat list whose tick is not above what `up_to` has for their region. Returns whether
-- there were any.
local function prune(list, width, up_to)
  local n = 0
  for i = 1, #list, width do
    if list[i + 1] > (up_to[list[i]] or 0) then
      table.move(list, i, i + width - 1, n + 1)
      n = n + width
    end
  end
  local had = #list
  for i = had, n + 1, -1 do
    list[i] = nil
  end
  return had > n
end

-- Forgets letters that the others have written. known: taken, region -> the last tick of ours whose letters
-- it has written as taken; written, region -> the last of its own ticks that it has written. O(letters that
-- are kept).
function Letters:prune(known)
  local any_sent, any_came = prune(self.sent, 5, known.taken), prune(self.came, 4, known.written)
  if any_sent or any_came then
    self.now.known = { taken = known.taken, written = known.written }
  end
end

-- Calls f(tick, letter, id, epoch) for those to a region, in the order in which they were sent.
function Letters:each_to(to, f)
  for i = 1, #self.sent, 5 do
    if self.sent[i] == to then
      f(self.sent[i + 1], self.sent[i + 4], self.sent[i + 2], self.sent[i + 3])
    end
  end
end

-- Adds to a flat list of entity and epoch: whoever has the entity with a lower epoch has it no more.
function Letters:add_claims(list)
  for i = 1, #self.sent, 5 do
    put(list, self.sent[i + 2], self.sent[i + 3])
  end
  for i = 1, #self.came, 4 do
    put(list, self.came[i + 2], self.came[i + 3])
  end
end

-- The changes since the last question for them, a table for skynet.pack and `apply`; nil: none.
function Letters:changes()
  local now = self.now
  self.now = { sent = {}, came = {}, taken = {} }
  if now.known or now.sent[1] or now.came[1] or next(now.taken) then
    return now
  end
end

-- Makes changes that `changes` gave, in the same order.
function Letters:apply(changes)
  for _, name in ipairs { "sent", "came" } do
    table.move(changes[name], 1, #changes[name], #self[name] + 1, self[name])
  end
  for from, tick in pairs(changes.taken) do
    self.taken[from] = tick
  end
  if changes.known then
    prune(self.sent, 5, changes.known.taken)
    prune(self.came, 4, changes.known.written)
  end
end

-- The state that `new` takes: a table for skynet.pack.
function Letters:save()
  return { taken = self.taken, sent = self.sent, came = self.came }
end

return letters
