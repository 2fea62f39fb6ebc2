-- The areas of a world as each node keeps them: all nodes are told all commands about areas, and hold the
-- same table. Without skynet.
--
-- A command counts from the begin of the tick after that of its stamp, in the order of stamps; so all regions
-- change an area without owner in one tick. A command that comes too late takes its place: those behind it
-- are judged anew. An area with an owner is of the region that has the owner: here it only is said who may
-- have the id, and the region says what became of it.
local Table = {}
Table.__index = Table

local world_area_table = {}

local MOST_UNSETTLED = 100 -- commands that are kept although some of them are settled
local KEPT = 256 -- ticks for which it is known what is gone, at least: a node that was away may have it still

-- rules: of area_rules.lua. is_there(id): whether the world has this entity.
function world_area_table.new(rules, is_there)
  return setmetatable({
    rules = rules, is_there = is_there,
    fixed = {},   -- area without owner -> { stamp of its last change, what it is; false: it is gone }
    owned = {},   -- area -> { owner, what it is, tick of the news that said so }
    log = {},     -- list of commands { stamp, name, id, ... } that others may yet come before
    undo = {},    -- area -> what `fixed` had before the log, or false
    settled = -1, -- ticks up to this one have no more commands
    gone = {},    -- set of the areas of which `fixed` keeps no more than the stamp, of the last KEPT ticks
    gone_before = {}, -- the same of the KEPT ticks before
    gone_since = 0,   -- the tick in which gone was begun
  }, Table)
end

-- The description of the area without owner; nil: there is none.
function Table:get(id)
  local entry = self.fixed[id]
  return entry and entry[2] or nil
end

-- The stamp of the last change of an area without owner, or of its end.
function Table:stamp_of(id)
  return self.fixed[id] and self.fixed[id][1] or 0
end

-- The owner of an area, and what that is; nil: there is none that has an owner.
function Table:get_owned(id)
  local entry = self.owned[id]
  if entry and self.is_there(entry[1]) then
    return entry[1], entry[2]
  end
end

local function key_of(id)
  return math.type(id) and math.tointeger(id) or nil
end

-- ---- changes ----------------------------------------------------------------------------------

-- changed: area -> what it was before, or false.
local function put(self, changed, id, entry)
  if changed[id] == nil then
    changed[id] = self:get(id) or false
  end
  self.gone[id], self.gone_before[id] = entry and not entry[2] or nil, nil
  self.fixed[id] = entry
end

-- Judges commands in the order of their stamps. Gives a verdict for each.
local function fold(self, commands, changed, verdict)
  local tick, had, taken = nil, {}, {} -- of one tick: area -> "owner", "none" or false, as it was before;
  -- taken: area with an owner -> what it is since, or false
  for _, command in ipairs(commands) do
    local stamp, name, id = command[1], command[2], command[3]
    local key = key_of(id)
    if stamp >> 28 ~= tick then
      tick, had, taken = stamp >> 28, {}, {}
    end
    local owned, fixed = nil, nil
    if key then
      owned, fixed = select(2, self:get_owned(key)), self:get(key)
      if taken[key] ~= nil then
        owned = taken[key] or nil
      end
      if had[key] == nil then
        had[key] = owned and "owner" or fixed and "none" or false
      end
    end
    local old = owned or fixed
    local new, message = self.rules:judge(old, table.unpack(command, 2, command.n))
    local is_owned = owned and new ~= nil or new and new.owner ~= nil
    local entry = self.fixed[key]
    if new == nil then
      verdict(command, message)
    elseif had[key] and had[key] ~= (is_owned and "owner" or "none") then
      verdict(command, ("%s: area %d has just been another one, with %s owner: expected a tick in between")
        :format(name, key, is_owned and "no" or "an"))
    elseif is_owned then
      taken[key] = new
      verdict(command, nil, new, true, had[key] == "owner")
    elseif entry and entry[1] > stamp then
      verdict(command, ("%s: area %d has been changed since"):format(name, key)) -- by who was not heard of
    else
      if self.undo[key] == nil then
        self.undo[key] = entry or false
      end
      put(self, changed, key, { stamp, new })
      verdict(command, nil, new, false)
    end
  end
end

local function roll_back(self, changed)
  for id, entry in pairs(self.undo) do
    put(self, changed, id, entry or nil)
  end
  self.undo = {}
end

local function no_verdict() end

-- Settled changes need no keeping, and areas that are gone are forgotten when nobody is away.
local function settle(self, tick, is_anybody_away)
  self.settled = math.max(self.settled, tick)
  local log, n = self.log, 0
  while log[n + 1] and log[n + 1][1] >> 28 <= self.settled do
    n = n + 1
  end
  if n == #log then
    self.log, self.undo = {}, {}
    if not is_anybody_away and self.settled - self.gone_since >= KEPT then
      for id in pairs(self.gone_before) do
        self.fixed[id] = nil
      end
      self.gone_before, self.gone, self.gone_since = self.gone, {}, self.settled
    end
  elseif n > MOST_UNSETTLED then
    roll_back(self, {})
    fold(self, table.move(log, 1, n, 1, {}), {}, no_verdict)
    self.log, self.undo = table.move(log, n + 1, #log, 1, {}), {}
    fold(self, self.log, {}, no_verdict)
  end
end

local function by_stamp(a, b)
  return a[1] < b[1]
end

-- Takes in commands, a list of { stamp, name, id, ..., n = }, in any order. While others may come before one,
-- its field `message` may change: why it is refused, or nil. settled: the last tick of which
-- all nodes that can be heard have told their commands; is_anybody_away: whether some can't. Returns
--   verdicts   list in the order of stamps of tables: command; message, when it is refused; else area: what
--              it is now, or false; is_owned: whether it has, or had, an owner; is_same: whether the id was
--              that of one with an owner before this tick
--   changed    area without owner -> what it was before, or false
-- Grows with the commands, and with those not settled when one is late.
function Table:apply(commands, settled, is_anybody_away)
  local verdicts, changed, of = {}, {}, {}
  if commands[1] then
    table.sort(commands, by_stamp)
    local log = self.log
    local is_late = log[1] and commands[1][1] < log[#log][1]
    for _, command in ipairs(commands) do
      log[#log + 1], of[command] = command, true
    end
    local kept = {}
    local function verdict(command, message, area, is_owned, is_same)
      command.message = message
      if of[command] then
        verdicts[#verdicts + 1] = { command = command, message = message, area = area, is_owned = is_owned,
          is_same = is_same }
      end
      if not is_owned then -- else it is not judged again
        kept[#kept + 1] = command
      end
    end
    if is_late then
      table.sort(log, by_stamp)
      roll_back(self, changed)
      fold(self, log, changed, verdict)
      self.log = kept
    else
      fold(self, commands, changed, verdict)
      self.log = table.move(kept, 1, #kept, #log - #commands + 1, table.move(log, 1, #log - #commands, 1, {}))
    end
  end
  settle(self, settled, is_anybody_away)
  return verdicts, changed
end

-- A region has said with the news of a tick that it has this area, whose owner is there.
function Table:put_owned(id, owner, area, tick)
  self.owned[id] = { owner, area, tick }
end

function Table:end_owned(id)
  self.owned[id] = nil
end

-- Forgets areas whose owners are gone. O(areas with owners).
function Table:sweep()
  for id, entry in pairs(self.owned) do
    if not self.is_there(entry[1]) then
      self.owned[id] = nil
    end
  end
end

-- ---- all of it --------------------------------------------------------------------------------

-- The areas without owner, and the tombstones: a flat list of id, stamp, description or false.
function Table:list()
  local list, n = {}, 0
  for id, entry in pairs(self.fixed) do
    list[n + 1], list[n + 2], list[n + 3] = id, entry[1], entry[2]
    n = n + 3
  end
  return list
end

-- Takes in such a list of another node, or of a region: of each area the later change holds. Returns
-- `changed` as of `apply`. O(areas).
function Table:merge(list)
  local changed = {}
  for i = 1, #list, 3 do
    local id, stamp = list[i], list[i + 1]
    local entry = self.fixed[id]
    if not entry or entry[1] < stamp then
      put(self, changed, id, { stamp, list[i + 2] })
      self.undo[id] = nil
    end
  end
  return changed
end

-- The ids of all areas, ascending, and how many. O(n log n).
function Table:ids()
  local ids = {}
  for id in pairs(self.fixed) do
    ids[#ids + 1] = self:get(id) and id
  end
  for id in pairs(self.owned) do
    if self:get_owned(id) and not self:get(id) then
      ids[#ids + 1] = id
    end
  end
  table.sort(ids)
  return ids, #ids
end

return world_area_table
