-- A check that one region's ghosts of another are those that the other shows there: now and then it is told a
-- number made of them. Ghosts that stay unlike are asked for, and shown anew. Pure Lua, without skynet.
local hash_of = require "aoi.skynet.world.ownership_hash"

local GhostSums = {}
GhostSums.__index = GhostSums

local ghost_sums = {}

ghost_sums.PERIOD = 16 -- ticks from one number to the next
local UNLIKE = 3       -- so often they may differ in a row, as strings may be late

function ghost_sums.new()
  return setmetatable({
    told_to = {},  -- set of the regions that were told anything, ever
    unlike = {},   -- region -> how often in a row its number was another one than here
    asks = {},     -- set of the regions that are asked to show everything
  }, GhostSums)
end

-- That region has been told something, and has a number from now on.
function GhostSums:told_markers_of(region)
  self.told_to[region] = true
end

-- Region -> the number of what is shown there, for all that were told anything, ever. owned: entity ->
-- epoch; shown: entity -> list of regions. O(what is shown).
function GhostSums:of_shown(owned, shown)
  local sums = {}
  for region in pairs(self.told_to) do
    sums[region] = 0
  end
  for id, regions in pairs(shown) do
    local n = hash_of(id, owned[id])
    for i = 1, #regions do
      local region = regions[i]
      sums[region] = (sums[region] or 0) ~ n
    end
  end
  return sums
end

-- Compares. theirs: region -> number, as of_shown gave it there in the tick that was told here last.
-- shown_by: ghost -> region; epochs: ghost -> epoch; given: ghost -> the tick in which it was given to its
-- region, that has not told of it since; tick: this one. Returns how many regions are to be asked. O(ghosts).
function GhostSums:compare(theirs, shown_by, epochs, given, tick)
  local sums = {}
  for id, region in pairs(shown_by) do
    if theirs[region] and not (given[id] and given[id] > tick - ghost_sums.PERIOD) then
      sums[region] = (sums[region] or 0) ~ hash_of(id, epochs[id])
    end
  end
  local n = 0
  for region, number in pairs(theirs) do
    local times = number ~= (sums[region] or 0) and (self.unlike[region] or 0) + 1 or nil
    if times == UNLIKE then
      self.asks[region], times, n = true, nil, n + 1
    end
    self.unlike[region] = times
  end
  return n
end

-- That region is to be asked, whatever its number.
function GhostSums:ask(region)
  self.asks[region] = true
end

-- Whether that region is to be asked; from now on it is not.
function GhostSums:take_ask(region)
  local asks = self.asks[region]
  self.asks[region] = nil
  return asks
end

-- For region/state.lua.
function GhostSums:save()
  return { told_to = self.told_to, unlike = self.unlike, asks = self.asks }
end

function GhostSums:load(saved)
  self.told_to, self.unlike, self.asks = saved.told_to, saved.unlike, saved.asks
end

return ghost_sums
