-- Streams: each stay of an entity at an address is one, with a number of its own, later than that of any stay
-- before; in it the blocks are counted. Pure Lua, without skynet.
local blocks = require "aoi.skynet.blocks"
local new_recent = require("aoi.skynet.recent").new

local Streams = {}
Streams.__index = Streams

local streams = {}

-- now: a function that gives hundredths of seconds of the clock. is_apart: the next stream of an entity may
-- begin in another region; so each is later than those of the same entity alone.
function streams.new(now, is_apart)
  return setmetatable({
    now = now,
    ended = is_apart and {} or nil, -- entity -> its latest stream, of those that have ended since `take_over`
    of = {},      -- entity -> the number of its stream; none without an address
    numbers = {}, -- entity -> how many blocks of it there were
    pushes = {},  -- entity -> how often others have set its place in this stream, see own_state.lua
    calls = {},   -- entity -> number of the last call of its client that was taken in; nil: none was
    last = nil,   -- the latest number that was given
    former = new_recent(), -- entity -> its stream that has ended
    over = {},    -- entity -> address -> { stream, number }: to be told that it is over
  }, Streams)
end

-- Numbers that clients choose are multiples of four, and one with which an entity comes by a load lies
-- between two of these: neither is the other, also when a scene has passed the entity on since, and counted
-- one more. Each returns the first such number from this one on.
function streams.of_client(number)
  return number + (-number & 3) & 0xFFFFFFFF
end

function streams.of_load(number)
  return number + (2 - number & 3) & 0xFFFFFFFF
end

-- The complaint about the number of a stream that somebody wants; nil: none.
function Streams.problem(stream)
  if not (math.type(stream) == "integer" and stream >= 0 and stream <= 0xFFFFFFFF) then
    return ("stream is %s, expected an integer from 0 to 4294967295"):format(tostring(stream))
  end
end

-- The last stream of an entity; nil: it has none, or left long ago.
function Streams:last_of(id)
  return self.of[id] or self.former:get(id)
end

-- The number of a stream that begins for the entity: this one, or one behind its last.
function Streams:next(id, number)
  return blocks.after(number, blocks.later(self:last_of(id), self.ended and self.ended[id]))
end

-- Begins a stream for the entity. wanted: the number that its client wants; nil: the time, or later than any
-- given before and than `former`, a stream that this entity had. ahead: it comes by a load, and its number is
-- so many hundredths of a second ahead of the time; nil: neither.
function Streams:begin(id, wanted, former, ahead)
  local stream = wanted
  if not stream then
    local given = self.ended and self.ended[id] or self.last
    local before = blocks.later(blocks.later(given, former), self:last_of(id))
    stream = blocks.after(self.now() + (ahead or 0) & 0xFFFFFFFF, before)
    stream = ahead and streams.of_load(stream) or stream
    if not (self.ended or ahead) then
      self.last = stream
    end
  end
  self.of[id], self.numbers[id], self.pushes[id], self.calls[id] = stream, 0, 0, nil
end

-- Ends the stream of an entity. address: who is to be told, unless the entity comes back to it before that;
-- nil: nobody.
function Streams:finish(id, address)
  local stream = self.of[id]
  if stream and address then
    self.over[id] = self.over[id] or {}
    self.over[id][address] = { stream, self.numbers[id] + 1 }
  end
  if stream and self.ended then
    self.ended[id] = blocks.later(stream, self.ended[id])
  elseif stream then
    self.former:note(id, stream)
  end
  self.of[id], self.numbers[id], self.pushes[id], self.calls[id] = nil, nil, nil, nil
end

-- The stream of an entity has not begun after all.
function Streams:drop(id)
  self.of[id], self.numbers[id], self.pushes[id], self.calls[id] = nil, nil, nil, nil
end

-- The entity is back at that address: its new stream tells all, that the old one is over goes without saying.
function Streams:returned(id, address)
  local notes = self.over[id]
  if notes then
    notes[address] = nil
    if not next(notes) then
      self.over[id] = nil
    end
  end
end

-- Calls tell(address, id, stream, number, is_last) for each stream that is over, and forgets them.
-- is_last: of those of the entity this is the latest.
function Streams:take_over(tell)
  local over = self.over
  self.ended = self.ended and {}
  if next(over) then
    self.over = {}
    for id, notes in pairs(over) do
      local latest
      for _, note in pairs(notes) do
        latest = blocks.later(note[1], latest)
      end
      for address, note in pairs(notes) do
        tell(address, id, note[1], note[2], note[1] == latest)
      end
    end
  end
end

-- The next number of a block for the entity, when `count` blocks are sent at once.
function Streams:count(id, count)
  local number = self.numbers[id] + 1 & 0xFFFFFFFF
  self.numbers[id] = number + count - 1 & 0xFFFFFFFF
  return number
end

-- Goes on with a stream that was counted elsewhere up to now. pushes and call are known where the entity
-- itself was.
function Streams:go_on(id, stream, number, pushes, call)
  self.of[id], self.numbers[id] = stream, number
  self.pushes[id], self.calls[id] = pushes or 0, call
end

-- A table for skynet.pack: what `load` takes, and `of` and `numbers`.
function Streams:save()
  return { last = self.last, over = self.over, of = self.of, numbers = self.numbers }
end

-- Goes on from those that were saved, too: later ones from now on. with_over: also tells of those that were
-- over.
function Streams:load(saved, with_over)
  self.last = blocks.later(self.last, saved.last)
  for id, notes in pairs(with_over and saved.over or {}) do
    self.over[id] = self.over[id] or notes
  end
end

-- All of it: a table for skynet.pack and `restore`.
function Streams:state()
  return {
    last = self.last, over = self.over, of = self.of, numbers = self.numbers, ended = self.ended,
    pushes = self.pushes, calls = self.calls,
  }
end

-- Goes on where `state` was asked for, with the same streams.
function Streams:restore(state)
  self.last, self.over, self.of, self.numbers = state.last, state.over, state.of, state.numbers
  self.ended, self.pushes, self.calls = state.ended, state.pushes, state.calls
end

return streams
