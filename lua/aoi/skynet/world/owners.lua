-- Which member gets which region: those without an owner, and those of members that are to go.
local configurations = require "aoi.skynet.world.configurations"
local numbers = require "aoi.skynet.world.numbers"

local owners = {}

local function least(counts)
  local best
  for _, name in ipairs(numbers.sorted(counts)) do
    if not best or counts[name] < counts[best] then
      best = name
    end
  end
  return best
end

-- Whether a node gets regions; nil: it has not asked yet.
function owners.takes_regions(self, name)
  local asker = self.askers[name]
  return asker and not (self.drained[name] or asker.takes_none)
end

-- The work for members that are to go: region -> taker, and a set of those that have no region any
-- more. The coordinator's own node stays, unless another one can be it.
function owners.of_drained(self)
  local moves, gone, counts, members = {}, {}, {}, configurations.members_of(self.configuration)
  for name in pairs(members) do
    counts[name] = owners.takes_regions(self, name) and 0 or nil
    gone[name] = self.drained[name] and (name ~= self.name or self.may_go) or nil
  end
  local before = self.configuration and self.configuration.owners or {}
  for _, name in pairs(before) do
    gone[name] = nil
    counts[name] = counts[name] and counts[name] + 1
  end
  for _, region in ipairs(numbers.sorted(before)) do
    local asker = self.askers[before[region]]
    local taker = self.drained[before[region]] and asker and asker.holds[region] == "held" and least(counts)
    if taker then
      moves[region], counts[taker] = taker, counts[taker] + 1
    end
  end
  return moves, gone
end

-- From which configuration on a region has its present life, by what was before.
local function since_of(self, region)
  local before = self.configuration
  if not before then
    return 0
  end
  local owner = before.owners[region]
  local asker = self.askers[owner]
  local is_same = asker and asker.key == configurations.members_of(before)[owner]
  if is_same and asker.written[region] == before.number then
    return before.number -- its store is of this configuration by now, and all others are older
  end
  return before.since[region] or 0
end

-- The candidate that can read the latest store of a region; nil: nobody can read one of its present life.
-- Of several one of those with the fewest regions.
local function reader_of(self, region, counts)
  local since = since_of(self, region)
  local best, stamp
  for _, name in ipairs(numbers.sorted(counts)) do
    local own = self.askers[name].stores[region]
    if own and own[1] >= since then
      local is_later = not stamp or numbers.later(own, stamp)
      if is_later or not numbers.later(stamp, own) and counts[name] < counts[best] then
        best, stamp = name, own
      end
    end
  end
  return best
end

-- The regions when all candidates of the offer have reported: they are what these say they hold, the others
-- go to those who can read their stores, or to those with the fewest. Returns owners, loads, since and
-- lacks_owner of a configuration.
function owners.of_offer(self)
  local offer, owned, loads, since, counts = self.offer, {}, {}, {}, {}
  for _, name in ipairs(numbers.sorted(offer.candidates)) do
    counts[name] = owners.takes_regions(self, name) and (counts[name] or 0) or nil
    for region, how in pairs(self.askers[name].holds) do
      -- A region that is being read stays where it is read.
      local taker = how == "held" and offer.moves[region] or name
      owned[region], since[region] = taker, since_of(self, region)
      counts[taker] = owners.takes_regions(self, taker) and (counts[taker] or 0) + 1 or nil
      loads[region] = how == "loading" or nil
    end
  end
  local lacks_owner
  for region = 1, self.regions do
    local reader = not owned[region] and reader_of(self, region, counts)
    local name = reader or not owned[region] and least(counts)
    if name then -- else nobody has it, or it has its owner
      owned[region], loads[region] = name, reader and true or nil
      counts[name] = counts[name] + 1
      since[region] = reader and since_of(self, region) or offer.number
    end
    lacks_owner = lacks_owner or not owned[region] or nil
    since[region] = since[region] or self.configuration and self.configuration.since[region]
  end
  return owned, loads, since, lacks_owner
end

-- Whether an owner of before has joined, or somebody else can read the store of its region.
function owners.is_readable(self, region, owner)
  local joined = self.askers[owner]
  if joined and joined.missed < self.times.rounds then
    return true
  end
  for _, asker in pairs(self.askers) do
    local stamp = asker.missed < self.times.rounds and asker.stores[region]
    if stamp and stamp[1] >= since_of(self, region) then
      return true
    end
  end
  return false
end

return owners
