-- Details of the entities of a scene: data, one string as the game packs it, and properties, a value for each
-- of the keys 0 to 255; with the turn of each last change. Pure Lua, without skynet.
--
-- Time is counted in turns: each tick takes what was changed since the one before, and begins another turn.
local blocks = require "aoi.skynet.blocks"

local pack, math_type = string.pack, math.type

local DATA, LIMIT = blocks.DATA, blocks.DETAILS_LIMIT
local SHORT_INTEGER = 6 -- bytes of an entry of an integer of 32 bits, see blocks.entry

local Details = {}
Details.__index = Details

local details = {}

local function size_of(entries)
  local size = 0
  for _, entry in pairs(entries) do
    size = size + #entry
  end
  return size
end

-- New details: of no entity, or these: a table of entity -> key -> packed entry.
function details.new(entries)
  local self
  self = setmetatable({
    turn = 1,
    entries = entries or {}, -- entity -> key -> packed entry
    changed = {},          -- entity -> key -> the turn of its last change; of those that were removed, too
    newest = {},           -- entity -> the newest of these turns
    varies = {},           -- set of those whose changes are others since other turns; else it is one of a key
    came = {},             -- entity -> key -> the turn in which it came to have a value, last
    went = {},             -- entity -> key -> the turn in which the value before that was removed
    brief = {},            -- set of the entities with such a removed value: it may never have been told
    size = {},             -- entity -> bytes of all its entries
    whole = {},            -- entity -> all its entries as one string, made when somebody asks
    parts = nil,           -- set of hidden keys -> the same without these; false: there are none
    fresh = {},            -- list of the entities with changes in this turn
    fresh_entry = {},      -- entity -> the entry of its only change in this turn; of most, not of all
    last_changes = {},     -- entity -> what has changed in the turn that ended last, packed; false: nothing
    noted = nil,           -- entity -> key -> packed entry or false: all changes, while somebody wants them
    left = {},             -- set of the entities that had any and have left since `sweep`
  }, Details)
  self.of_last_turn = { __index = function(last_changes, id) -- the metatable of last_changes
    local changes = self:since(id, self.turn - 1)
    changes = changes ~= "" and changes
    last_changes[id] = changes
    return changes
  end }
  for id in pairs(self.entries) do
    self.size[id] = size_of(self.entries[id])
  end
  return self
end

-- Forgets the strings of an entity, which is another one by now.
local function forget_whole(self, id)
  self.whole[id] = nil
  if self.parts then
    for _, part in pairs(self.parts) do
      part[id] = nil
    end
  end
end

-- entry: its new entry, in the place of the entry `before`; nil: to be looked up when somebody asks.
local function note(self, id, key, entry, before)
  local turn, changed = self.turn, self.changed[id]
  if not changed then
    self.changed[id] = { [key] = turn }
  else
    if changed[key] == nil then
      self.varies[id] = true
    end
    changed[key] = turn
  end
  forget_whole(self, id)
  local fresh_entry = self.fresh_entry
  if self.newest[id] ~= turn then
    self.newest[id], fresh_entry[id] = turn, entry
    self.fresh[#self.fresh + 1] = id
  elseif fresh_entry[id] then
    fresh_entry[id] = fresh_entry[id] == before and entry or nil -- it is of the same key, or of another one
  end
end

-- A key without a value gets one, after its last change in `last` (nil: it never had one). A value that came
-- and went within a turn was never told, as if it had not been.
local function note_coming(self, id, key, last)
  local came, went = self.came[id], self.went[id]
  if not came then
    came, went = {}, {}
    self.came[id], self.went[id] = came, went
  end
  if last and came[key] ~= last then
    went[key] = last
  end
  came[key] = self.turn
end

-- Whether a key that has no value now had none when this turn began either: nothing is to be told.
local function was_none(self, id, key, turn)
  local came = self.brief[id] and self.came[id][key]
  return came and came >= turn and turn > (self.went[id][key] or 0)
end

-- Notes a change for a store; entry: nil when it was removed.
local function keep(self, id, key, entry)
  local noted = self.noted
  if noted then
    noted[id] = noted[id] or {}
    noted[id][key] = entry or false
  end
end

local function problem_with_size(self, id, key, value, size)
  local data, properties = 0, 0
  for other, entry in pairs(self.entries[id] or {}) do
    if other == DATA then
      data = #entry
    else
      properties = properties + #entry
    end
  end
  return ("%s of entity %s is %d bytes long; data and properties would be %d bytes together (now data %d, "
    .. "properties %d), expected at most %d"):format(key == DATA and "the data" or "the value of key " .. key,
    tostring(id), type(value) == "string" and #value or 8, size, data, properties, LIMIT)
end

local function problem(key, value)
  if key ~= DATA and not (math.type(key) == "integer" and key >= 0 and key <= 255) then
    return ("key is %s, expected 0 to 255"):format(tostring(key))
  elseif key == DATA and type(value) ~= "string" then
    return ("data is %s, expected a string"):format(tostring(value))
  elseif value ~= nil and type(value) ~= "string" and not math.type(value) then
    return ("the value of key %d is a %s, expected a string, a number or nil"):format(key, type(value))
  end
end

-- The entry that setting this would store (nil: none) and the size of all details then; or false and a
-- complaint.
local function prepare(self, id, key, value)
  local message = problem(key, value)
  if message then
    return false, message
  end
  local entries = self.entries[id]
  local before = entries and entries[key]
  local size = (self.size[id] or 0) - (before and #before or 0)
  if value == nil or key == DATA and value == "" then
    return nil, size
  end
  local length = type(value) == "string" and #value or 0
  local entry = length <= LIMIT and blocks.entry(key, value) or nil
  size = size + (entry and #entry or length)
  if size > LIMIT then
    return false, problem_with_size(self, id, key, value, size)
  end
  return entry, size
end

local function whole_key(key)
  return math.type(key) and math.tointeger(key) or key
end

-- Whether `set` would take this: true, or nil and a message. O(1).
function Details:check(id, key, value)
  local entry, message = prepare(self, id, whole_key(key), value)
  if entry == false then
    return nil, message
  end
  return true
end

-- Sets a property (nil: removes it) or the data (key DATA, a string; "": none). Returns true, or nil and a
-- message. entering: whoever learns of the entity learns all of it; nothing is a change. O(1).
function Details:set(id, key, value, entering)
  local known = self.entries[id]
  local before = known and known[key]
  if before and #before == SHORT_INTEGER and math_type(value) == "integer" and value + 0x80000000 >> 32 == 0
    and key ~= DATA then
    -- Most changes: a number that is as long as the one before.
    local entry = pack("<BBi4", 1, key, value)
    if entry ~= before then
      known[key] = entry
      if self.noted then
        keep(self, id, key, entry)
      end
      note(self, id, key, entry, before)
    end
    return true
  end
  key = whole_key(key)
  local entry, size = prepare(self, id, key, value)
  if entry == false then
    return nil, size
  end
  local entries = self.entries[id]
  if not entries then
    entries = {}
    self.entries[id] = entries
  end
  if entries[key] ~= entry then
    local changed = self.changed[id]
    if entries[key] == nil and not (entering and not changed) then
      note_coming(self, id, key, changed and changed[key])
    elseif entry == nil and self.came[id] then
      self.brief[id], self.varies[id] = true, true
    end
    entries[key], self.size[id] = entry, size
    keep(self, id, key, entry)
    if entering then
      forget_whole(self, id)
    else
      note(self, id, key)
    end
  end
  return true
end

-- The entity has left, or has not entered after all. Should it come back before `sweep`, all of this has
-- changed.
function Details:leave(id)
  if not self.entries[id] then
    return
  end
  for key in pairs(self.entries[id]) do
    note(self, id, key)
    keep(self, id, key, nil)
  end
  self.entries[id], self.size[id] = nil, nil
  forget_whole(self, id)
  self.left[id] = true
end

-- Whether there is anything to be told of the entity: it has details, or had some before it left.
function Details:has_any(id)
  return self.entries[id] ~= nil or self.changed[id] ~= nil
end

-- All that the entity has counts as changed.
function Details:renew(id)
  for key in pairs(self.entries[id] or {}) do
    note(self, id, key)
  end
end

-- Forgets those that have left; has(id) tells whether one has come back.
function Details:sweep(has)
  local left = self.left
  if next(left) then
    self.left = {}
    for id in pairs(left) do
      if not has(id) then
        self.changed[id], self.came[id], self.went[id], self.brief[id] = nil, nil, nil, nil
        self.newest[id], self.varies[id] = nil, nil
      end
    end
  end
end

-- A key has changed in a turn before this one. changed: of the entity.
local function note_earlier(self, id, changed, key, turn)
  if changed[key] == nil and next(changed) then
    self.varies[id] = true
  end
  self.changed[id], changed[key] = changed, turn
  self.newest[id] = math.max(self.newest[id] or 0, turn)
end

-- The changes of another one, `turn`, `changed` and `fresh`, are those of this one.
function Details:take_changes(turn, changed, fresh)
  self.turn, self.fresh = turn, fresh
  for id, turns in pairs(changed) do
    local mine = {}
    for key, last in pairs(turns) do
      note_earlier(self, id, mine, key, last)
    end
  end
end

-- Ends this turn. Returns its number, and the list of the entities with changes in it.
function Details:take()
  local turn, fresh = self.turn, self.fresh
  self.last_changes = setmetatable(self.fresh_entry, self.of_last_turn)
  self.turn, self.fresh, self.fresh_entry = turn + 1, {}, {}
  return turn, fresh
end

-- Entries in the order of their keys, the data first.
local function join(entries, keys)
  if #keys == 1 then
    return entries[keys[1]] or blocks.entry(keys[1])
  end
  table.sort(keys, function(a, b)
    return (a == DATA and -1 or a) < (b == DATA and -1 or b)
  end)
  local parts = {}
  for i, key in ipairs(keys) do
    parts[i] = entries[key] or blocks.entry(key)
  end
  return table.concat(parts)
end

-- The list of the keys of entries that are not in a set; nil without any.
local function without(entries, hidden)
  local keys = {}
  for key in pairs(entries) do
    keys[#keys + 1] = not hidden[key] and key or nil
  end
  return keys[1] and keys
end

local NOTHING = {}

-- Data and all properties of an entity but those in the set `hidden` (nil: none), packed; nil without any.
function Details:of(id, hidden)
  local made = self.whole
  if hidden then
    self.parts = self.parts or {}
    made = self.parts[hidden]
    if not made then
      made = {}
      self.parts[hidden] = made
    end
  end
  local whole = made[id]
  if whole ~= nil then
    return whole or nil
  end
  local entries = self.entries[id]
  local keys = entries and without(entries, hidden or NOTHING)
  whole = keys and join(entries, keys) or false
  made[id] = whole
  return whole or nil
end

-- Forgets all sets of hidden keys.
function Details:forget_hidden()
  self.parts = nil
end

-- Whether anything but what is in the set `hidden` (nil: none) has changed since this turn began.
function Details:has_since(id, turn, hidden)
  local entries = self.entries[id] or NOTHING
  hidden = hidden or NOTHING
  for key, last in pairs(self.changed[id] or NOTHING) do
    if last >= turn and not hidden[key] and (entries[key] or not was_none(self, id, key, turn)) then
      return true
    end
  end
  return false
end

-- Entries that have changed since this turn began, but for those in the set `hidden` (nil: none), packed; ""
-- without any.
function Details:since(id, turn, hidden)
  local changed = self.changed[id]
  if not changed then
    return ""
  end
  hidden = hidden or NOTHING
  local entries = self.entries[id] or NOTHING
  if not self.varies[id] then -- as in many cases
    local only = next(changed)
    return changed[only] >= turn and not hidden[only]
      and (entries[only] or not was_none(self, id, only, turn) and blocks.entry(only)) or ""
  end
  local keys = {}
  for key, last in pairs(changed) do
    if last >= turn and not hidden[key] and (entries[key] or not was_none(self, id, key, turn)) then
      keys[#keys + 1] = key
    end
  end
  return #keys > 0 and join(entries, keys) or ""
end

-- The data of an entity (nil: none), and a new table of its properties.
function Details:values(id)
  local data, properties = blocks.details(self:of(id) or "")
  return data, properties or {}
end

-- The value of a property, or the data (key DATA); nil: none. O(1).
function Details:value(id, key)
  local entries = self.entries[id]
  local entry = entries and entries[whole_key(key)]
  if not entry then
    return nil
  end
  local data, properties = blocks.details(entry)
  return data or select(2, next(properties))
end

-- Gives an entity these entries of others: key -> packed entry; false: none. Nobody is told. O(keys).
function Details:put(id, entries)
  local own = self.entries[id] or {}
  for key, entry in pairs(entries) do
    own[key] = entry or nil
    keep(self, id, key, own[key])
  end
  self.entries[id] = next(own) and own or nil
  self.fresh_entry[id] = nil
  forget_whole(self, id)
  self.size[id] = self.entries[id] and size_of(own)
end

-- ---- of several regions, which count the same turns -----------------------------------------------

-- The number of the turn in which all changes since the last `take` are counted: not below the one that
-- `take` gave plus 1.
function Details:count_as(turn)
  local before = self.turn
  if turn == before then
    return
  end
  self.turn = turn
  for _, id in ipairs(self.fresh) do
    for key, last in pairs(self.changed[id]) do
      self.changed[id][key] = last == before and turn or last
    end
    for key, came in pairs(self.came[id] or {}) do
      self.came[id][key] = came == before and turn or came
    end
    self.newest[id] = turn
  end
end

-- Whether anything of it has changed in this turn.
function Details:has_changed(id)
  return self.newest[id] == self.turn
end

local ROW = "<I2i8s2"

-- Changes since this turn began, as a string for `put_rows`, with the turns; since nil: all there is. "" for
-- none. O(keys).
function Details:rows(id, since)
  local entries, changed = self.entries[id] or {}, self.changed[id] or {}
  local rows = {}
  for key, turn in pairs(changed) do
    if not since or turn >= since then
      rows[#rows + 1] = ROW:pack(key, turn, entries[key] or "")
    end
  end
  if not since then
    for key, entry in pairs(entries) do
      if not changed[key] then
        rows[#rows + 1] = ROW:pack(key, 0, entry)
      end
    end
  end
  return table.concat(rows)
end

-- Takes in what `rows` gave elsewhere. What has changed in this turn is to be told; is_late: whatever is
-- other than before. is_whole: it has no others than these.
function Details:put_rows(id, rows, is_late, is_whole)
  local entries, changed, at = self.entries[id] or {}, self.changed[id] or {}, 1
  local others = is_whole and {} or nil
  for key in pairs(is_whole and entries or {}) do
    others[key] = true
  end
  self.fresh_entry[id] = nil
  while at <= #rows do
    local key, turn, entry
    key, turn, entry, at = ROW:unpack(rows, at)
    if others then
      others[key] = nil
    end
    local before = entries[key]
    entries[key] = entry ~= "" and entry or nil
    keep(self, id, key, entries[key])
    if turn >= self.turn or is_late and entries[key] ~= before then
      note(self, id, key)
      changed = self.changed[id]
    elseif turn > (changed[key] or 0) then -- what has left and is back has changed here in this turn
      note_earlier(self, id, changed, key, turn)
    end
  end
  for key in pairs(others or {}) do
    entries[key] = nil
    keep(self, id, key, nil)
    note(self, id, key)
  end
  self.entries[id], self.size[id] = entries, size_of(entries)
  forget_whole(self, id)
end

return details
