-- Messages between the processes of a world: tables, packed and cut into pieces. skynet sends what has 32,768
-- bytes or more behind later and smaller messages, so that no piece may be as large. A message of which a
-- piece is missing is lost; the protocol says it again. Without skynet.
local post = {}
post.__index = post

-- The key of the sender's process, the number of the message, place of the piece among so many.
local HEAD = "<s1 I4 I2 I2"

-- Most bytes of a piece: with what skynet packs around it, less than 32,768.
local LIMIT = 32000

-- Messages of which pieces are kept, of one sender, at most.
local MOST_OPEN = 64

-- key: of this process; send(name, piece) sends one; limit: bytes of a piece.
function post.new(key, send, limit)
  return setmetatable({
    key = key, send = send, limit = (limit or LIMIT) - #HEAD:pack(key, 0, 0, 0), number = 0,
    open = {}, -- key of a sender -> { number -> { n = how many have come, texts... }, oldest = number }
    pieces = 0, bytes = 0,
  }, post)
end

-- Sends a text to the node of that name.
function post:text(name, text)
  local count = math.max(1, (#text + self.limit - 1) // self.limit)
  self.number = self.number + 1 & 0xFFFFFFFF
  for i = 1, count do
    local piece = HEAD:pack(self.key, self.number, i, count)
      .. (count == 1 and text or text:sub((i - 1) * self.limit + 1, i * self.limit))
    self.pieces, self.bytes = self.pieces + 1, self.bytes + #piece
    self.send(name, piece)
  end
end

-- Takes a piece. Returns the whole text when all of it is here, else nil.
function post:receive(piece)
  local key, number, place, count, at = HEAD:unpack(piece)
  if count == 1 then
    return piece:sub(at)
  end
  local open = self.open[key]
  if not open then
    open = { numbers = {} }
    self.open[key] = open
  end
  local parts = open[number]
  if not parts then
    parts = { n = 0 }
    open[number] = parts
    table.insert(open.numbers, number)
    if #open.numbers > MOST_OPEN then
      open[table.remove(open.numbers, 1)] = nil
    end
  end
  if not parts[place] then
    parts[place], parts.n = piece:sub(at), parts.n + 1
  end
  if parts.n == count then
    open[number] = nil
    for i, other in ipairs(open.numbers) do
      if other == number then
        table.remove(open.numbers, i)
        break
      end
    end
    return table.concat(parts, "", 1, count)
  end
end

-- Forgets what has come of processes that are none of these: a set of keys.
function post:forget(keys)
  for key in pairs(self.open) do
    if not keys[key] then
      self.open[key] = nil
    end
  end
end

return post
