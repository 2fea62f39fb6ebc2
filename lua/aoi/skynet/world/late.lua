-- Members without which a coordinator begins a change: those that are silent, and the fewest of those that
-- wait for each other.
local numbers = require "aoi.skynet.world.numbers"

local late = {}

-- Whether a process with this name and key has not asked for long.
function late.is_silent(self, name, key)
  local asker = self.askers[name]
  return not asker or asker.key ~= key or asker.missed >= self.times.rounds
end

-- Whether a member is held up itself: by its own regions, or in an earlier tick than another one that waits
-- for it. Then it is not the other one that it does not hear, and the other one's waiting begins when it goes
-- on. A member that stops after it has sent its message to some has the others wait like this.
local function is_held_up(self, name, other)
  local asker, behind = self.askers[name], self.askers[other]
  if behind and behind.waits_since[other] then
    return true
  elseif self.offer or not behind or behind.tick >= asker.tick then
    return false
  end
  return next(behind.waits_since) ~= nil
end

local function has_waited(self, name, other)
  local since = self.askers[name].waits_since[other]
  return since and self.rounds - since >= self.times.rounds
end

-- Pairs of members, none of them left out yet, of which one has waited for the other for long.
local function pairs_of(self, members, left_out)
  local list = {}
  for _, name in ipairs(numbers.sorted(members)) do
    local since = not left_out[name] and self.askers[name].waits_since or {}
    for other in pairs(since) do
      local counts = other ~= name and members[other] and not left_out[other]
      if counts and is_held_up(self, name, other) then
        since[other] = self.rounds
      elseif counts and has_waited(self, name, other) then
        list[#list + 1] = { name, other }
      end
    end
  end
  return list
end

-- The others in the pairs that a member is in.
local function names_with(pairs_left, name)
  local set = {}
  for _, pair in ipairs(pairs_left) do
    if pair[1] == name or pair[2] == name then
      set[pair[1] == name and pair[2] or pair[1]] = true
    end
  end
  return table.concat(numbers.sorted(set), ", ")
end

-- Whether a member has not asked for some rounds.
local function has_missed(self, name)
  return self.askers[name].missed >= self.times.doubt
end

-- Adds the fewest members that cover all such pairs. The coordinator's own node stays; of two that as many
-- wait for, the one goes that does not ask either, or else the later one.
local function cover(self, members, left_out)
  local pairs_left = pairs_of(self, members, left_out)
  while pairs_left[1] do
    local counts = {}
    for _, pair in ipairs(pairs_left) do
      counts[pair[1]] = (counts[pair[1]] or 0) + 1
      counts[pair[2]] = (counts[pair[2]] or 0) + 1
    end
    counts[self.name] = nil
    local worst
    for _, name in ipairs(numbers.sorted(counts)) do
      local is_more, is_as_many = counts[name] > (counts[worst] or 0), counts[name] == counts[worst]
      if is_more or is_as_many and (has_missed(self, name) or not has_missed(self, worst)) then
        worst = name
      end
    end
    left_out[worst] = "no messages go between it and " .. names_with(pairs_left, worst)
    pairs_left = pairs_of(self, members, left_out)
  end
end

local function why_silent(asker, key)
  if asker and asker.key ~= key then
    return "another process has its name"
  end
  return asker and asker.is_refused and "its port refuses connections" or "it is silent"
end

-- Of the members, name -> key, those that are to be left out, name -> why: the silent ones, those that have
-- waited for their own regions for long, and of the others those that do not hear each other. A member that
-- is alone with its regions goes on waiting for them.
function late.of(self, members)
  local left_out, rest = {}, 0
  for name, key in pairs(members) do
    if late.is_silent(self, name, key) then
      left_out[name] = why_silent(self.askers[name], key)
    elseif has_waited(self, name, name) then
      left_out[name] = "it waits for its own regions"
    else
      rest = rest + 1
    end
  end
  if rest == 0 and members[self.name] and not late.is_silent(self, self.name, members[self.name]) then
    left_out[self.name] = nil
  end
  cover(self, members, left_out)
  return left_out
end

return late
