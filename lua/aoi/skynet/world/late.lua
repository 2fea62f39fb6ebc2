-- Members without which a coordinator begins a change: those that are silent, and the fewest of those that
-- wait for each other.
local numbers = require "aoi.skynet.world.numbers"

local late = {}

-- Whether a process with this name and key has not asked for long.
function late.is_silent(self, name, key)
  local asker = self.askers[name]
  return not asker or asker.key ~= key or asker.missed >= self.times.rounds
end

-- Whether a member is held up itself, in an earlier tick than another one that waits for it: its fault is not
-- that it is late. One that stops after it has sent its message to some has the others wait like this.
local function is_held_up(self, name, other)
  local asker, behind = self.askers[name], self.askers[other]
  if self.offer or not behind or behind.tick >= asker.tick then
    return false
  end
  for third in pairs(behind.waits_since) do
    if third ~= other then
      return true
    end
  end
  return false
end

-- Of members that have waited for each other for long: the fewest that cover all such pairs; and those that
-- have waited for their own regions. The coordinator's own node stays; of two that as many wait for, the
-- later one goes.
local function covering(self, members)
  local pairs_left, left_out = {}, {}
  for _, name in ipairs(numbers.sorted(members)) do
    for other, since in pairs(self.askers[name].waits_since) do
      local is_long = self.rounds - since >= self.times.rounds
      if is_long and members[other] and not is_held_up(self, name, other) then
        pairs_left[#pairs_left + 1] = other ~= name and { name, other } or nil
        left_out[name] = other == name and name ~= self.name or left_out[name]
      end
    end
  end
  while #pairs_left > 0 do
    local counts = {}
    for _, pair in ipairs(pairs_left) do
      counts[pair[1]] = (counts[pair[1]] or 0) + 1
      counts[pair[2]] = (counts[pair[2]] or 0) + 1
    end
    counts[self.name] = nil
    local worst
    for _, name in ipairs(numbers.sorted(counts)) do
      if not worst or counts[name] >= counts[worst] then
        worst = name
      end
    end
    left_out[worst] = true
    local rest = {}
    for _, pair in ipairs(pairs_left) do
      if pair[1] ~= worst and pair[2] ~= worst then
        rest[#rest + 1] = pair
      end
    end
    pairs_left = rest
  end
  return left_out
end

-- A set of those members, name -> key, that are to be left out.
function late.of(self, members)
  local left_out = covering(self, members)
  for name, key in pairs(members) do
    if late.is_silent(self, name, key) then
      left_out[name] = true
    end
  end
  return left_out
end

return late
