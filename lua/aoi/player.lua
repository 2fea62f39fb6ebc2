--[[ Plays what recorder.lua has written: a space as it was at any moment, and what happened then. Also
aoi.recover, which brings a space back to the last moment of its recording.

    local player = aoi.player "scene.aoi"
    player:seek(player:last())
    print(#player.space, player.space:explain(7, 9))
    player:close()

A moment is known by a number: of ticks in a deferred space, of calls in others (player.unit). Tick n is the
space right after its n-th tick, before any further call; of the calls after the last tick a player shows
nothing, recover makes them. ]]
local recording = require "aoi.recording"
local refusals = require "aoi.refusals"
local core = require "aoi.core"

local refuse = refusals.refuse

local Player = {}
Player.__index = Player
Player.__name = "aoi.player"

local NO_MEMORY = "not enough memory"

-- As pcall, but a lack of memory is no fault of the recording and goes on.
local function try(f, ...)
  local ok, result, second = pcall(f, ...)
  if not ok and result == NO_MEMORY then
    error(result, 0)
  end
  return ok, result, second
end

-- Where a piece begins or ends, or the space is, in the player's unit.
local function from_of(self, piece)
  return self.unit == "ticks" and piece.from_tick or piece.from_calls
end

local function to_of(self, piece)
  return self.unit == "ticks" and piece.to_tick or piece.to_calls
end

local function now(self)
  return self.unit == "ticks" and self.ticks or self.calls
end

local function note_moment(self)
  local stats = self.space:stats()
  self.calls, self.ticks = stats.calls, stats.tick
end

-- ---- pieces -----------------------------------------------------------------------------------

local function note_damage(self, piece, fault)
  piece.is_damaged = true
  self.problem = self.problem or ("the %s at byte %d %s"):format(
    piece.kind == recording.KEYFRAME and "keyframe" or "record", piece.offset, fault)
end

-- The payload of a piece, nil when it is damaged. The last one is kept: steps often stay in a piece.
local function payload_of(self, piece)
  if self.kept_piece ~= piece then
    local payload, fault = recording.payload(self.file, piece, self.zlib)
    if not payload then
      note_damage(self, piece, fault)
      return nil
    end
    self.kept_piece, self.kept_payload = piece, payload
  end
  return self.kept_payload
end

-- Makes the space of this keyframe the player's. False when the keyframe is damaged.
local function load_keyframe(self, piece)
  local payload = payload_of(self, piece)
  if not payload then
    return false
  end
  local ok, space = try(core.load, payload)
  if not ok then
    note_damage(self, piece, "is damaged: " .. refusals.bare(space))
    return false
  end
  if self.space then
    self.space:close()
  end
  self.space = space
  note_moment(self)
  return true
end

-- Where calls are to end, for aoi.replay: at moment `n`, or at the tick after it where `n` was left out.
local function till_moment(self, n)
  return self.unit == "ticks" and { tick = n } or { calls = n }
end

-- Makes the calls of one record until `till`. False when it is damaged.
local function make_calls(self, piece, payload, till, events)
  local ok, found, count = try(core.replay, self.space, payload,
    { tick = till.tick, calls = till.calls, events = events and {} })
  note_moment(self)
  if not ok then
    note_damage(self, piece, "can't be played: " .. refusals.bare(found))
  elseif events then
    table.move(found, 1, 3 * count, #events + 1, events)
  end
  return ok
end

-- Makes the calls of the records from piece number `index` on, as far as they follow each other: until
-- `till`. events: a list that their events are appended to, or nil. False when a damaged record stopped it.
local function replay_from(self, index, till, events)
  for i = index, #self.pieces do
    local piece = self.pieces[i]
    if self.ticks >= (till.tick or math.huge) or self.calls >= (till.calls or math.huge)
      or piece.from_calls > self.calls then
      break
    end
    if piece.kind == recording.RECORD and piece.to_calls > self.calls and not piece.is_damaged then
      local payload = payload_of(self, piece)
      if not payload then
        return false
      end
      if not make_calls(self, piece, payload, till, events) then
        return false
      end
    end
  end
  return true
end

-- ---- seeking ----------------------------------------------------------------------------------

-- Whether so many ticks and calls are more than `till` has.
local function is_past(till, ticks, calls)
  return ticks > (till.tick or math.huge) or calls > (till.calls or math.huge)
end

-- The number of the last keyframe that is not later than `till`, else of the first; nil when all are damaged.
local function start_for(self, till)
  local best
  for _, index in ipairs(self.keyframes) do
    local piece = self.pieces[index]
    if best and is_past(till, piece.from_tick, piece.from_calls) then
      break
    elseif not piece.is_damaged then
      best = index
    end
  end
  return best
end

-- The number of the first piece that may have calls the space has not made; pieces are in order.
local function next_piece(self)
  local low, high = 1, #self.pieces + 1
  while low < high do
    local middle = (low + high) // 2
    if self.pieces[middle].to_calls > self.calls then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

-- Brings the space to `till`, or into the gap before. A keyframe that was made between two ticks makes it
-- later than the tick itself: what leads to the next tick is the same.
local function go(self, till)
  local is_whole
  repeat
    local index = start_for(self, till)
    if not index then
      return
    end
    local is_near = self.calls >= self.pieces[index].from_calls and not is_past(till, self.ticks, self.calls)
    is_whole = is_near or load_keyframe(self, self.pieces[index])
    is_whole = is_whole and replay_from(self, next_piece(self), till)
  until is_whole
end

-- Loads the first keyframe of moment `n`, if there is one: nothing leads there, or it is the very first.
local function load_first_of(self, n)
  for _, index in ipairs(self.keyframes) do
    local piece = self.pieces[index]
    if from_of(self, piece) == n and not piece.is_damaged and load_keyframe(self, piece) then
      return
    end
  end
end

-- ---- making -----------------------------------------------------------------------------------

local OPTIONS = { zlib = refusals.expected_of_zlib }

local function installed_zlib()
  local ok, zlib = pcall(require, "zlib")
  return ok and type(zlib) == "table" and zlib.inflate and zlib or nil
end

-- A player that has not loaded anything yet; or nil, a message, and whether there is a recording to come.
local function open(file, zlib)
  local own
  if type(file) == "string" then
    local opened, message = io.open(file, "rb")
    if not opened then
      return nil, message, true
    end
    local _, unreadable = opened:read(0)
    if unreadable then -- it is a directory
      opened:close()
      return nil, unreadable
    end
    own, file = opened, opened
  end
  local pieces, problem = recording.read(file)
  local self = setmetatable({
    file = file, owns_file = own ~= nil, zlib = zlib or installed_zlib(),
    pieces = pieces, problem = problem, keyframes = {}, found = {},
  }, Player)
  for index, piece in ipairs(pieces or {}) do
    if piece.kind == recording.KEYFRAME then
      self.keyframes[#self.keyframes + 1] = index
    end
  end
  if self.keyframes[1] then
    return self
  end
  if own then
    own:close()
  end
  return nil, not pieces and problem or "has no whole keyframe" .. (problem and ": " .. problem or ""),
    pieces ~= nil
end

-- Loads the first keyframe that can be; what is before it is never shown. False when there is none.
local function load_first(self)
  for _, index in ipairs(self.keyframes) do
    local piece = self.pieces[index]
    if load_keyframe(self, piece) then
      self.unit = self.space:stats().deferred and "ticks" or "calls"
      self.first_piece = piece
      return true
    end
  end
  return false
end

-- aoi.player(file [, opts]): stands at the first moment.
local function new(file, opts)
  if type(file) ~= "string" and not refusals.has_methods(file, "read", "seek", "close") then
    refuse("player", "file", file, "a path, or a file that is open for reading")
  end
  local what, value, expected = refusals.fault_of_options(opts, OPTIONS)
  if what then
    refuse("player", what, value, expected)
  end
  local self, message = open(file, opts and opts.zlib or nil)
  if self and not load_first(self) then
    message = self.problem
    self:close()
    self = nil
  end
  if not self then
    error(("player: %s: %s"):format(type(file) == "string" and ("%q"):format(file) or "the file", message), 2)
  end
  return self
end

-- Brings the space to the last call that can be played.
local function go_to_end(self)
  for i = #self.keyframes, 1, -1 do
    if load_keyframe(self, self.pieces[self.keyframes[i]]) then
      replay_from(self, next_piece(self), {})
      return
    end
  end
end

-- For recorder.lua: how many calls and ticks the space has made that `recover` gives. nil: there is none, or
-- a module is missing for what may be whole.
local function reach(path)
  local self = open(path)
  if not self then
    return nil
  end
  local is_readable = true
  for _, piece in ipairs(self.pieces) do
    is_readable = is_readable and (self.zlib ~= nil or not recording.is_packed(piece))
  end
  if is_readable then
    go_to_end(self)
  end
  self:close()
  return self.calls, self.ticks -- nil unless a keyframe was loaded
end

-- aoi.recover(path [, handlers]): the space at the last call that can be played, and what could not be read,
-- or nil. nil and a message when there is nothing to come back to.
local function recover(path, handlers)
  if type(path) ~= "string" then
    refuse("recover", "path", path, "a path")
  elseif handlers ~= nil and type(handlers) ~= "table" then
    refuse("recover", "handlers", handlers, "a table of handlers")
  end
  local self, message, is_ours = open(path)
  if not self then
    if not is_ours then
      error(("recover: %q: %s"):format(path, message), 2)
    end
    return nil, message
  end
  go_to_end(self)
  local space, problem = self.space, self.problem
  self.space = nil
  self:close()
  if not space then
    return nil, problem
  end
  if handlers then
    local ok, refusal = pcall(space.on, space, handlers)
    if not ok then
      space:close()
      error((refusals.bare(refusal):gsub("^on:", "recover:")), 2)
    end
  end
  return space, problem
end

-- ---- methods ----------------------------------------------------------------------------------

local function check_open(self, method)
  if self.closed then
    error(method .. ": the player is closed", 3)
  end
end

-- The first and the last moment that the recording has.
function Player:first()
  return from_of(self, self.first_piece)
end

function Player:last()
  return to_of(self, self.pieces[#self.pieces])
end

-- The moment that player.space is at.
function Player:position()
  return now(self)
end

local function seek(self, n)
  self.found = {}
  local is_first = n == self:first()
  if not is_first then
    go(self, till_moment(self, n - 1))
    if now(self) > n - 1 then -- that number was left out: to just before the tick that was made instead
      go(self, { calls = self.calls - 1 })
    end
    replay_from(self, next_piece(self), till_moment(self, n), self.found)
    if now(self) > n then -- so was this number: to the tick before
      go(self, { calls = self.calls - 1 })
      return seek(self, now(self))
    end
  end
  if is_first or now(self) ~= n then
    self.found = {}
    load_first_of(self, n)
  end
  return now(self)
end

-- Goes to moment n: from where it is, or from the last keyframe before it. Returns the position, which is
-- less than n only in a gap, where nothing was recorded or it is damaged, and where tick(n) left that number
-- out: then it is that before. player.space is another space afterwards, or the same; the old one is closed.
-- An error when n is not first() .. last(). O(calls since the keyframe).
function Player:seek(n)
  check_open(self, "seek")
  local whole = math.type(n) and math.tointeger(n)
  if not whole or whole < self:first() or whole > self:last() then
    refuse("seek", self.unit == "ticks" and "tick" or "call", n,
      ("a whole number from %d to %d"):format(self:first(), self:last()))
  end
  return seek(self, whole)
end

-- Goes n moments on (1 when nil), back when n is negative, but not over the ends. Returns the position.
function Player:step(n)
  check_open(self, "step")
  local whole = n == nil and 1 or math.type(n) and math.tointeger(n)
  if not whole then
    refuse("step", "n", n, "a whole number")
  end
  local most = self:last() - self:first()
  local target = now(self) + math.max(-most, math.min(most, whole))
  target = math.max(self:first(), math.min(self:last(), target))
  if seek(self, target) < target and whole > 0 then
    self.found = {}
    replay_from(self, next_piece(self), till_moment(self, target), self.found)
    if now(self) > target then -- the number was left out
      return now(self)
    end
    -- In a gap: to where it ends.
    for _, index in ipairs(self.keyframes) do
      local piece = self.pieces[index]
      if from_of(self, piece) >= target and not piece.is_damaged then
        return seek(self, from_of(self, piece))
      end
    end
  end
  return now(self)
end

-- The events between the moment before the position and the position, as drain gives them: watcher, marker,
-- op, ...; t (or a new table) and how many events. None at first() and right behind a gap.
function Player:events(t)
  check_open(self, "events")
  if t ~= nil and type(t) ~= "table" then
    refuse("events", "t", t, "a table")
  end
  t = t or {}
  table.move(self.found, 1, #self.found + 1, 1, t)
  return t, #self.found // 3
end

-- Closes the space, and the file when it was opened by its path. May be called twice.
function Player:close()
  if self.space then
    self.space:close()
  end
  if self.owns_file and not self.closed then
    self.file:close()
  end
  self.closed = true
end

Player.__close = Player.close

function Player:__tostring()
  return ("aoi.player (%s)"):format(self.closed and "closed" or
    ("%s %d of %d to %d"):format(self.unit, now(self), self:first(), self:last()))
end

return { player = new, recover = recover, reach = reach }
