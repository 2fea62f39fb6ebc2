-- Which region owns each entity of a world. Every node keeps all of it, and all keep the same: each region
-- tells all nodes with every tick who has entered, left and been handed over. Pure Lua, without skynet.
--
-- Each ownership has an epoch: the tick in which the entity entered, and one more for each hand-over. News
-- may come late and in any order: the higher epoch holds. What a process has owned is lost with it: each
-- ownership has the number of the owner's process, too.
local Directory = {}
Directory.__index = Directory

local directory = {}

local KEPT = 64 -- ticks for which an epoch is remembered, at least, of those that have left

function directory.new()
  return setmetatable({
    owner = {},   -- entity -> region
    epoch = {},   -- entity -> epoch of that ownership
    start = {},   -- entity -> number of the process of that region
    told = {},    -- entity -> tick << 8 | node of the news that said so
    gone = {},    -- entity -> epoch in which it left; those of the last KEPT ticks
    gone_before = {}, -- the same of the KEPT ticks before
    since = 0,    -- the tick in which gone was begun
    keeps = false, -- true: they are remembered on and on
    count = 0,    -- how many entities there are
  }, Directory)
end

local function put(self, id, region, epoch, start, tick, node)
  local known = self.epoch[id]
  if known and (known > epoch or known == epoch and self.start[id] >= start)
    or (self.gone[id] or epoch - 1) >= epoch
    or (self.gone_before[id] or epoch - 1) >= epoch then
    return false
  end
  if not known then
    self.count = self.count + 1
  end
  self.owner[id], self.epoch[id], self.start[id], self.told[id] = region, epoch, start, tick << 8 | node
  return true
end

local function drop(self, id)
  self.owner[id], self.epoch[id], self.start[id], self.told[id] = nil, nil, nil, nil
  self.count = self.count - 1
end

local function remove(self, id, epoch)
  local known = self.epoch[id]
  self.gone[id] = epoch
  if known and known <= epoch then
    drop(self, id)
  end
end

-- The enters of one tick that count: of each id the one with the lowest stamp. Whoever lets an id enter that
-- another region has does not know of that yet, as news are late: then the higher epoch counts here, too.
-- Returns entity -> region; adds the others to refused, flat.
local function judge(self, news, refused)
  local best, where = {}, {}
  for _, part in ipairs(news) do
    local entered = part.entered or {}
    for i = 1, #entered, 2 do
      local id, stamp = entered[i], entered[i + 1]
      local owner, loser = self.owner[id], part.region
      local is_new = not owner or owner == part.region or self.epoch[id] < part.tick
      if is_new and (not best[id] or stamp < best[id]) then
        best[id], where[id], loser = stamp, part.region, where[id] or owner
      end
      if loser and loser ~= where[id] then
        refused[#refused + 1], refused[#refused + 2] = id, loser
      end
    end
  end
  return where
end

local function tell_tick(self, news, refused, changed)
  local where = judge(self, news, refused)
  for _, part in ipairs(news) do
    local entered, handed = part.entered or {}, part.handed or {}
    local lost, starts = {}, part.starts or {}
    for i = 1, #entered, 2 do
      local id = entered[i]
      lost[id] = where[id] ~= part.region or nil
      if not lost[id] then
        put(self, id, part.region, part.tick, part.start, part.tick, part.node)
      end
    end
    for i = 1, #handed, 3 do
      local id, to = handed[i], handed[i + 1]
      local epoch = handed[i + 2]
      if lost[id] then
        goto next
      elseif put(self, id, to, epoch, starts[to] or 0, part.tick, part.node) then
        changed[#changed + 1] = id
      elseif self.owner[id] ~= to or self.epoch[id] < epoch then
        refused[#refused + 1], refused[#refused + 2] = id, to
      end
      ::next::
    end
  end
  for _, part in ipairs(news) do
    local left = part.left or {}
    for i = 1, #left, 2 do
      remove(self, left[i], left[i + 1])
    end
  end
end

-- Takes in what the regions tell in tick t: a list of parts, the order of which makes no difference:
--   region, node, start   who tells this: the number of its node, and of its process
--   tick                  of these news, an older one than t when they are late
--   entered               flat list of id, stamp
--   handed                flat list of id, to, epoch
--   starts                region -> the number of its process, of those to which it hands over
--   left                  flat list of id, epoch
-- Returns a flat list of id and region: where ids have to go, as another enter of theirs counts; and a list
-- of the ids that were handed over. Grows with the news.
function Directory:tell(t, news)
  local refused, changed, ticks, parts_of = {}, {}, {}, {}
  for _, part in ipairs(news) do
    if not parts_of[part.tick] then
      ticks[#ticks + 1], parts_of[part.tick] = part.tick, {}
    end
    table.insert(parts_of[part.tick], part)
  end
  table.sort(ticks)
  for _, tick in ipairs(ticks) do
    tell_tick(self, parts_of[tick], refused, changed)
  end
  if t - self.since >= KEPT and not self.keeps then
    self.gone_before, self.gone, self.since = self.gone, {}, t
  end
  return refused, changed
end

-- An entity had left when its epoch was this.
function Directory:leave(id, epoch)
  remove(self, id, epoch)
end

-- Those that have left, as far as that is remembered: a flat list of id, epoch.
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
-- ascending.
function Directory:forget(region, start)
  local lost = {}
  for _, id in ipairs(self:ids_of(region)) do
    if self.start[id] < start then
      lost[#lost + 1] = id
      drop(self, id)
    end
  end
  return lost
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

-- The entities of a region with their epochs, for a node that begins: a flat list of id, epoch, by id.
function Directory:list(region)
  local ids, list = self:ids_of(region), {}
  for i, id in ipairs(ids) do
    list[2 * i - 1], list[2 * i] = id, self.epoch[id]
  end
  return list
end

-- A region has these, which `list` gave at its node when tick t began, in the process `start`. displaced: a
-- flat list to which id and region are added where it was another region's.
function Directory:add(region, list, start, t, node, displaced)
  for i = 1, #list, 2 do
    local id = list[i]
    local before = self.owner[id]
    if put(self, id, region, list[i + 1], start, t - 1, node) and before and before ~= region then
      displaced[#displaced + 1], displaced[#displaced + 2] = id, before
    end
  end
end

-- The same, and no others; but for those that it was handed in ticks of which it had not heard yet. heard:
-- node -> the last tick of it that was heard there.
function Directory:replace(region, list, start, t, node, displaced, heard)
  for _, id in ipairs(self:ids_of(region)) do
    local told = self.told[id]
    local last = told & 0xFF == node and t - 1 or heard[told & 0xFF] or math.maxinteger
    if told >> 8 <= last then
      drop(self, id)
    end
  end
  self:add(region, list, start, t, node, displaced)
end

return directory
