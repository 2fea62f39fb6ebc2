-- The protocol's part of the stores of a process's regions: the entities that a region owns, with their
-- stays, ownership numbers and the numbers that they expect; those that it gave and keeps; and the stays that
-- ended last. A full save has all of it, a chunk what has changed; both are tables that skynet can
-- pack. The entities themselves are the regions' business.
local stays = require "aoi.skynet.world.stays"

local Stored = {}
Stored.__index = Stored

local stored = {}

function stored.new()
  return setmetatable({
    known = {},  -- region -> entity -> { number, home, expected }: as it was written last
    marked = {}, -- region -> set of entities that may have changed since
  }, Stored)
end

-- ---- writing ----------------------------------------------------------------------------------

local function mark(self, region, id)
  local marked = self.marked[region]
  if not marked then
    marked = {}
    self.marked[region] = marked
  end
  marked[id] = true
end

-- Notes what a tick applies, and what came of it: as `begin` of member.lua's land has them.
function Stored:applied(work, done)
  for region, list in pairs(work) do
    for _, command in ipairs(list) do
      for _, id in ipairs(command.ids or { command.id }) do
        mark(self, region, id)
      end
    end
  end
  for region, of in pairs(done) do
    for _, id in ipairs(of.left) do
      mark(self, region, id)
    end
    for _, one in ipairs(of.agents) do
      mark(self, region, one.id)
    end
    for _, crossing in ipairs(of.crossed) do
      mark(self, region, crossing.id)
    end
  end
end

-- Notes entities that regions have taken in.
function Stored:taken(list)
  for _, entity in ipairs(list) do
    mark(self, entity.region, entity.id)
  end
end

local function without_held(entity)
  local copy = stays.copy_of(entity)
  copy.held = {}
  return copy
end

-- The part that is written each time: what was given, whole, and the stays that have ended since the chunk
-- before; is_full: all that are known.
local function frame(member, region, is_full)
  local given, ended = {}, {}
  for _, one in ipairs(member.given) do
    given[#given + 1] = one.from == region and without_held(one.entity) or nil
  end
  for stay, tick in pairs(member.ended) do
    ended[#ended + 1] = (is_full or tick >= member.tick - 1) and stay or nil
  end
  local configuration = member.configuration
  return {
    stamp = { configuration.number, member.tick }, key = configuration.key, given = given, ended = ended,
  }
end

-- Adds a row for the entity as it is now, or only numbers that have changed.
local function add(known, all, id, entity)
  local before = known[id]
  if before and before.number == entity.number and before.home == entity.home then
    for key, number in pairs(entity.expected) do
      if before.expected[key] ~= number then
        before.expected[key] = number
        local list = all.counted[key] or {}
        all.counted[key] = list
        list[#list + 1], list[#list + 2] = id, number
      end
    end
  else
    local number, home, stay = entity.number, entity.home, entity.stay
    known[id] = { number = number, home = home, expected = stays.copy_of(entity).expected }
    all.rows[id] = { stay = stay, number = number, home = home, expected = stays.copy_of(entity).expected }
  end
end

-- All that is to be written of a region.
function Stored:full(member, region)
  local all, known = frame(member, region, true), {}
  all.rows, all.counted = {}, {}
  for id, entity in pairs(member.owned) do
    if entity.region == region then
      add(known, all, id, entity)
    end
  end
  self.known[region], self.marked[region] = known, nil
  return all
end

-- All changes since the last chunk or full save.
function Stored:chunk(member, region)
  local all, known = frame(member, region), self.known[region]
  all.rows, all.counted, all.gone = {}, {}, {}
  for id in pairs(self.marked[region] or {}) do
    local entity = member.owned[id]
    if entity and entity.region == region then
      add(known, all, id, entity)
    elseif known[id] then
      known[id], all.gone[#all.gone + 1] = nil, id
    end
  end
  self.marked[region] = nil
  return all
end

-- ---- reading ----------------------------------------------------------------------------------

-- A chunk changes what was read before it.
function stored.merge(all, chunk)
  for _, id in ipairs(chunk.gone) do
    all.rows[id] = nil
  end
  for id, row in pairs(chunk.rows) do
    all.rows[id] = row
  end
  for key, list in pairs(chunk.counted) do
    for i = 1, #list, 2 do
      all.rows[list[i]].expected[key] = list[i + 1]
    end
  end
  all.stamp, all.key, all.given = chunk.stamp, chunk.key, chunk.given
  table.move(chunk.ended, 1, #chunk.ended, #all.ended + 1, all.ended)
end

-- The content, as `read` of member.lua's land has it: entities with as_of, and a set of stays that had ended.
function stored.result(all)
  local entities, ended = {}, {}
  for id, row in pairs(all.rows) do
    entities[#entities + 1] = {
      id = id, stay = row.stay, number = row.number, home = row.home, expected = row.expected, held = {},
      as_of = all.stamp[2],
    }
  end
  table.sort(entities, function(a, b) return a.id < b.id end)
  for _, entity in ipairs(all.given) do
    local copy = stays.copy_of(entity)
    copy.is_given, copy.as_of = true, entity.number[2]
    entities[#entities + 1] = copy
  end
  for _, stay in ipairs(all.ended) do
    ended[stay] = true
  end
  return entities, ended
end

return stored
