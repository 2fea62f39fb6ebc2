-- Which region owns each entity of a world. Every node keeps all of it, and all keep the same: each region
-- tells all nodes with every tick who has entered, left and been handed over. Pure Lua, without skynet.
--
-- Each ownership has an epoch: the tick in which the entity entered, and one more for each hand-over. News
-- may come late and in any order: the higher epoch holds; of the same one the enter with the lower stamp,
-- then the higher region. So whoever has heard the same believes the same. What a process has owned is lost
-- with it: each ownership has the number of the owner's process, too.
local hash_of = require "aoi.skynet.world.ownership_hash"

local Directory = {}
Directory.__index = Directory

local directory = {}

local KEPT = 64 -- ticks for which an epoch is remembered, at least, of those that have left

function directory.new()
  return setmetatable({
    owner = {},   -- entity -> region
    epoch = {},   -- entity -> epoch of that ownership
    stamp = {},   -- entity -> stamp of the enter by which it began; 0: it was handed over
    start = {},   -- entity -> number of the process of that region
    told = {},    -- entity -> tick << 8 | node of the news that said so
    sums = {},    -- region -> a number made of its entities and their epochs, to compare with other nodes
    gone = {},    -- entity -> epoch in which it left; those of the last KEPT ticks
    gone_before = {}, -- the same of the KEPT ticks before
    since = 0,    -- the tick in which gone was begun
    keeps = false, -- true: they are remembered on and on
    count = 0,    -- how many entities there are
  }, Directory)
end

-- Adds an ownership to its region's sum, and takes it out when it ends.
local function count_in(self, id)
  local region = self.owner[id]
  self.sums[region] = (self.sums[region] or 0) ~ hash_of(id, self.epoch[id])
end

-- Whether an ownership counts more than the known one of the same entity.
local function counts_more(self, id, region, epoch, stamp, start)
  local known = self.epoch[id]
  if epoch ~= known then
    return epoch > known
  elseif region == self.owner[id] then
    return start > self.start[id]
  elseif stamp ~= self.stamp[id] then
    return stamp < self.stamp[id]
  end
  return region > self.owner[id]
end

-- part: of news, see `tell`. Returns whether it counts, and who was the owner until then, if another.
local function put(self, id, region, epoch, stamp, start, part)
  local before = self.owner[id]
  if before and not counts_more(self, id, region, epoch, stamp, start)
    or (self.gone[id] or epoch - 1) >= epoch
    or (self.gone_before[id] or epoch - 1) >= epoch then
    return false
  end
  if before then
    count_in(self, id)
  else
    self.count = self.count + 1
  end
  self.owner[id], self.epoch[id], self.stamp[id] = region, epoch, stamp
  self.start[id], self.told[id] = start, part.tick << 8 | part.node
  count_in(self, id)
  return true, before ~= region and before or nil
end

local function drop(self, id)
  count_in(self, id)
  self.owner[id], self.epoch[id], self.stamp[id], self.start[id], self.told[id] = nil, nil, nil, nil, nil
  self.count = self.count - 1
end

local function remove(self, id, epoch)
  local known = self.epoch[id]
  self.gone[id] = math.max(self.gone[id] or epoch, epoch)
  if known and known <= epoch then
    drop(self, id)
  end
end

-- The enters of one tick that may count: of each id the one with the lowest stamp. Returns entity -> region;
-- adds the others to refused, flat.
local function judge(news, refused)
  local best, where = {}, {}
  for _, part in ipairs(news) do
    local entered = part.entered or {}
    for i = 1, #entered, 2 do
      local id, stamp = entered[i], entered[i + 1]
      local loser = part.region
      if not best[id] or stamp < best[id] then
        best[id], where[id], loser = stamp, part.region, where[id]
      end
      if loser then
        refused[#refused + 1], refused[#refused + 2] = id, loser
      end
    end
  end
  return where
end

-- Takes in the entities that entered in a region and count. Returns a set of the others.
local function tell_entered(self, part, where, refused)
  local entered, lost = part.entered or {}, {}
  for i = 1, #entered, 2 do
    local id = entered[i]
    local counts, before
    if where[id] == part.region then
      counts, before = put(self, id, part.region, part.tick, entered[i + 1], part.start, part)
      -- A region that lets an id enter which another has does not know of that yet, as news are late.
      local has_left = self.gone[id] == part.tick or self.gone_before[id] == part.tick -- heard before
      local is_other = not counts and not has_left and self.owner[id] ~= part.region
      local loser = before or is_other and part.region or nil
      if loser then
        refused[#refused + 1], refused[#refused + 2] = id, loser
      end
    end
    lost[id] = not counts or nil
  end
  return lost
end

local function tell_tick(self, news, refused, changed, displaced)
  local where = judge(news, refused)
  for _, part in ipairs(news) do
    local lost = tell_entered(self, part, where, refused)
    local handed, starts = part.handed or {}, part.starts or {}
    for i = 1, #handed, 3 do
      local id, to = handed[i], handed[i + 1]
      local counts, before
      if not lost[id] then
        counts, before = put(self, id, to, handed[i + 2], 0, starts[to] or 0, part)
      end
      if counts then
        changed[#changed + 1] = id
      end
      if before and before ~= part.region then
        displaced[#displaced + 1], displaced[#displaced + 2] = id, before
      end
    end
  end
  for _, part in ipairs(news) do
    local left = part.left or {}
    for i = 1, #left, 2 do
      local before = self.owner[left[i]]
      remove(self, left[i], left[i + 1])
      if before and before ~= part.region and not self.owner[left[i]] then
        displaced[#displaced + 1], displaced[#displaced + 2] = left[i], before
      end
    end
  end
end

-- Splits a flat list of id and region: rows whose region is not the owner, and the others.
local function without_owners(self, list)
  local rest, owners = {}, {}
  for i = 1, #list, 2 do
    local to = self.owner[list[i]] ~= list[i + 1] and rest or owners
    to[#to + 1], to[#to + 2] = list[i], list[i + 1]
  end
  return rest, owners
end

-- Takes in what the regions tell in tick t: a list of parts, the order of which makes no difference:
--   region, node, start   who tells this: the number of its node, and of its process
--   tick                  of these news, an older one than t when they are late
--   entered               flat list of id, stamp
--   handed                flat list of id, to, epoch
--   starts                region -> the number of its process, of those to which it hands over
--   left                  flat list of id, epoch
-- Returns a flat list of id and region: where ids have to go, as another enter of theirs counts; a list of
-- the ids that were handed over; a flat list of id and region: who had what another has handed over, or what
-- has left another later on; and one of those that entered in tick t, which did not count, and where the
-- entity was handed over all the same. Grows with the news.
function Directory:tell(t, news)
  local refused, changed, displaced, ticks, parts_of = {}, {}, {}, {}, {}
  for _, part in ipairs(news) do
    if not parts_of[part.tick] then
      ticks[#ticks + 1], parts_of[part.tick] = part.tick, {}
    end
    table.insert(parts_of[part.tick], part)
  end
  table.sort(ticks)
  local refused_now = {}
  for _, tick in ipairs(ticks) do
    tell_tick(self, parts_of[tick], tick == t and refused_now or refused, changed, displaced)
  end
  local _, overruled = without_owners(self, refused_now)
  table.move(refused_now, 1, #refused_now, #refused + 1, refused)
  if t - self.since >= KEPT and not self.keeps then
    self.gone_before, self.gone, self.since = self.gone, {}, t
  end
  return (without_owners(self, refused)), changed, (without_owners(self, displaced)), overruled
end

-- An entity had left when its epoch was this.
function Directory:leave(id, epoch)
  remove(self, id, epoch)
end

-- The tombstones of entities that have left: a flat list of id, epoch.
function Directory:list_of_gone()
  local list = {}
  for _, gone in ipairs { self.gone_before, self.gone } do
    for id, epoch in pairs(gone) do
      list[#list + 1], list[#list + 2] = id, epoch
    end
  end
  return list
end

-- Forgets the entities that a region had in processes before `start`: they are lost. Returns a list of them,
-- ascending, and one of the epochs that they had.
function Directory:forget(region, start)
  local lost, epochs = {}, {}
  for _, id in ipairs(self:ids_of(region)) do
    if self.start[id] < start then
      lost[#lost + 1], epochs[#lost + 1] = id, self.epoch[id]
      drop(self, id)
    end
  end
  return lost, epochs
end

-- A region has moved to the process `start`. O(n) of all entities.
function Directory:moved(region, start)
  for id, owner in pairs(self.owner) do
    if owner == region then
      self.start[id] = start
    end
  end
end

-- Of entities that were forgotten when tick t was the last, those that have not come back: nobody has them,
-- or they have entered anew. A list in the same order.
function Directory:still_lost(ids, t)
  local lost = {}
  for _, id in ipairs(ids) do
    if (self.epoch[id] or math.maxinteger) > t then
      lost[#lost + 1] = id
    end
  end
  return lost
end

-- The entities of a region, ascending. O(n) of all entities.
function Directory:ids_of(region)
  local ids = {}
  for id, owner in pairs(self.owner) do
    if owner == region then
      ids[#ids + 1] = id
    end
  end
  table.sort(ids)
  return ids
end

-- The entities of a region as `replace` wants them: a flat list of id, epoch, stamp, by id.
function Directory:list(region)
  local list = {}
  for i, id in ipairs(self:ids_of(region)) do
    list[3 * i - 2], list[3 * i - 1], list[3 * i] = id, self.epoch[id], self.stamp[id]
  end
  return list
end

-- A region has these by its store: a flat list of id, epoch, when tick t begins, in the process `start`.
function Directory:add(region, list, start, t, node)
  for i = 1, #list, 2 do
    put(self, list[i], region, list[i + 1], 0, start, { tick = t - 1, node = node })
  end
end

-- A region has these, which `list` gave at its node when tick t began, in the process `start`, and no others;
-- but for those that it was handed in ticks of which it had not heard yet. heard: node -> the last tick of it
-- that was heard there. displaced: a flat list to which id and region are added where it was another
-- region's.
function Directory:replace(region, list, start, t, node, displaced, heard)
  local has = {}
  for i = 1, #list, 3 do
    has[list[i]] = true
  end
  for _, id in ipairs(self:ids_of(region)) do
    local told = self.told[id]
    local last = told & 0xFF == node and t - 1 or heard[told & 0xFF] or math.maxinteger
    if not has[id] and told >> 8 <= last then
      drop(self, id)
    end
  end
  for i = 1, #list, 3 do
    local id = list[i]
    local _, before = put(self, id, region, list[i + 1], list[i + 2], start, { tick = t - 1, node = node })
    if before then
      displaced[#displaced + 1], displaced[#displaced + 2] = id, before
    end
  end
end

return directory
