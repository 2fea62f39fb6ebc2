-- A link from one node of a world to another: texts of any length, numbered, in pieces that keep their order
-- in skynet's cluster; put together there, each once and in order, whatever was lost, doubled or held up on
-- the way. Pure Lua, without skynet.
--
-- skynet sends what has 32,768 bytes or more behind later and smaller messages. It drops what is sent to a
-- node that is down and delivers what was queued for a stopped one minutes later. So each text is kept until
-- the other side has taken it in, and sent again when that asks for it.
--
-- A run is the history between two processes from number 1 on. It begins anew when the other side is another
-- process than before, with what that one had not taken in. The later run counts.
local Link = {}
Link.__index = Link

local world_link = {}

-- Node, start of its process, run, start of the process that it is for, number, place of the piece among so
-- many.
local HEAD = "<I2 I8 I4 I8 I8 I2 I2"
local HEAD_SIZE = string.packsize(HEAD)

-- Most bytes of a piece: with what skynet packs around it, less than 32,768.
world_link.LIMIT = 32000

-- node, start: our own number, and that of our process, greater with each start. limit: bytes of a piece.
function world_link.new(node, start, limit)
  return setmetatable({
    node = node,
    start = start,
    limit = limit or world_link.LIMIT,
    run = 1,          -- of what we send
    sent = 0,         -- the number of the last text that we sent
    kept = {},        -- number -> text, of those not yet taken in there
    first_kept = 1,
    peer_start = 0,   -- of their process; 0: none is known yet
    peer_run = 0,     -- of what they send
    taken = 0,        -- the number of the last text of theirs that was handed on
    whole = {},       -- number -> text, of those that came before their turn
    parts = {},       -- number -> { n = how many have come, count =, texts... }
    newest = 0,       -- the greatest number of which a piece has come
  }, Link)
end

local function cut(self, number, text)
  local size = self.limit - HEAD_SIZE
  local count = math.max(1, (#text + size - 1) // size)
  local pieces = {}
  for i = 1, count do
    pieces[i] = HEAD:pack(self.node, self.start, self.run, self.peer_start, number, i, count)
      .. text:sub((i - 1) * size + 1, i * size)
  end
  return pieces
end

-- Numbers a text and keeps it. Returns the pieces to send, in order, and its number.
function Link:send(text)
  self.sent = self.sent + 1
  self.kept[self.sent] = text
  return cut(self, self.sent, text), self.sent
end

-- The other side has taken in all up to this number of the process `start`. What it says of another one,
-- before this, may come late: texts that were kept for that one are sent to this.
function Link:acknowledge(number, start)
  if start ~= self.start then
    return
  end
  for i = self.first_kept, math.min(number, self.sent) do
    self.kept[i] = nil
    self.first_kept = i + 1
  end
end

-- The pieces of all texts after this number that are still kept.
function Link:again(after)
  local pieces = {}
  for number = math.max(after + 1, self.first_kept), self.sent do
    table.move(cut(self, number, self.kept[number]), 1, 65535, #pieces + 1, pieces)
  end
  return pieces
end

-- Begins a new run. It begins with the texts that are still kept, as `again(0)` gives them.
function Link:restart()
  local kept = {}
  for number = self.first_kept, self.sent do
    kept[#kept + 1] = self.kept[number]
  end
  self.run, self.sent, self.kept, self.first_kept = self.run + 1, #kept, kept, 1
end

local function forget_theirs(self, start, run)
  self.peer_start, self.peer_run = start, run
  self.taken, self.whole, self.parts, self.newest = 0, {}, {}, 0
end

-- The process of the other side, as its greeting says. nil: an older one than is known; false: the one that
-- is known; true: a new one. Then what came of the one before counts no more.
function Link:meet(start)
  if start < self.peer_start then
    return nil
  elseif start == self.peer_start then
    return false
  end
  forget_theirs(self, start, 0)
  return true
end

-- Whether what says so is of the process that we know and for ours. May begin their next run.
local function is_for_us(self, start, run, wanted)
  if wanted ~= self.start or start ~= self.peer_start or run < self.peer_run then
    return false
  elseif run > self.peer_run then
    forget_theirs(self, start, run)
  end
  return true
end

local function put_together(self, number, place, count, text)
  if count == 1 then
    return text
  end
  local parts = self.parts[number]
  if not parts then
    parts = { n = 0, count = count }
    self.parts[number] = parts
  end
  if not parts[place] then
    parts[place], parts.n = text, parts.n + 1
  end
  if parts.n == parts.count then
    self.parts[number] = nil
    return table.concat(parts)
  end
end

-- Takes in a piece. Returns a list of the texts whose turn has come by it, often empty, and the number of the
-- last of them; or nil when the piece is of another time, or none at all.
function Link:receive(piece)
  if #piece < HEAD_SIZE then
    return nil
  end
  local _, start, run, wanted, number, place, count = HEAD:unpack(piece)
  if place < 1 or place > count or not is_for_us(self, start, run, wanted) then
    return nil
  end
  local texts = {}
  if number <= self.taken or self.whole[number] then
    return texts, self.taken -- doubled
  end
  self.newest = math.max(self.newest, number)
  self.whole[number] = put_together(self, number, place, count, piece:sub(HEAD_SIZE + 1))
  while self.whole[self.taken + 1] do
    self.taken = self.taken + 1
    texts[#texts + 1] = self.whole[self.taken]
    self.whole[self.taken] = nil
  end
  return texts, self.taken
end

-- Whether something is missing of what was sent before the last that came.
function Link:has_gap()
  return self.newest > self.taken
end

-- The number of the node that sent a piece; nil when it is none.
function world_link.node_of(piece)
  return #piece >= HEAD_SIZE and ("<I2"):unpack(piece) or nil
end

return world_link
