-- The disks of the model: stores of the nodes for their regions, and configurations that they
-- have kept. `self` is the world of machines.lua.
local copied = require "spec.world_model.copied"
local numbers = require "aoi.skynet.world.numbers"
local stored = require "aoi.skynet.world.stored"

local disks = {}

-- Where the model's regions keep what belongs to their entities: place, trail and agent.
local function places_of(of, region, marked)
  local places = {}
  for id in pairs(marked) do
    local entity = of.owned[id]
    places[id] = entity and entity.region == region and {
      x = entity.x, trail = entity.trail, agent = entity.agent,
    } or nil
  end
  return places
end

-- The store of a node for a region, as it is now: { full, chunks }. A chunk with sync: what stands here
-- outlives the process. Luggage is within what was handed over.
local function write_store(self, name, writer, of, region, is_full)
  local path = name .. " " .. region
  local store = self.disk[path]
  if is_full or not store then
    local all = writer:full(of, region)
    self.disk[path] = copied {
      at = self.now, full = all, places = places_of(of, region, of.owned), chunks = {},
    }
  else
    local marked = writer.marked[region] or {}
    store.chunks[#store.chunks + 1] = copied {
      at = self.now, places = places_of(of, region, marked), rows = writer:chunk(of, region),
    }
  end
end

-- When what stands there was written: a store that was damaged is as it was before.
local function written_at(store)
  local last = store.chunks[#store.chunks]
  return last and last.at or store.at
end

-- All that stands there, as it was last.
local function read_store(store)
  local all, places = copied(store.full), copied(store.places)
  for _, chunk in ipairs(store.chunks) do
    stored.merge(all, copied(chunk.rows))
    for id, place in pairs(copied(chunk.places)) do
      places[id] = place
    end
  end
  local entities, ended = stored.result(all)
  for _, entity in ipairs(entities) do
    if not entity.is_given then
      local place = places[entity.id]
      entity.x, entity.trail, entity.agent = place.x, place.trail, place.agent
    end
  end
  return { entities = entities, ended = ended }
end

local function stamp_of(store)
  local last = store.chunks[#store.chunks]
  return last and last.rows.stamp or store.full.stamp
end

-- The latest store of a region that the node can read; nil: none.
local function latest_store(self, name, region)
  local latest
  for _, other in ipairs(self.plan.is_shared and self.plan.names or { name }) do
    local store = self.disk[other .. " " .. region]
    if store and (not latest or numbers.later(stamp_of(store), stamp_of(latest))) then
      latest = store
    end
  end
  return latest
end

-- The entities in the stores of a region, on any disk: also in those that former owners have left there.
local function stored_entities(self, region)
  local list = {}
  for _, name in ipairs(self.plan.names) do
    local store = self.disk[name .. " " .. region]
    local entities = store and read_store(store).entities or {}
    table.move(entities, 1, #entities, #list + 1, list)
  end
  return list
end

-- Set of their stays.
function disks.stays_in(self, region)
  local stays = {}
  for _, entity in ipairs(stored_entities(self, region)) do
    stays[entity.stay] = true
  end
  return stays
end

-- The store of a node for a region has lost its last chunks; math.huge: it can't be read any more, and that
-- of a former owner counts.
function disks.damage(self, name, region, chunks)
  local path = name .. " " .. region
  local store = self.disk[path]
  if store then
    self.checks:damaged(read_store(store).entities)
    for _ = 1, math.min(chunks, #store.chunks) do
      table.remove(store.chunks)
      self.checks:damaged(read_store(store).entities) -- also of those that have entered and left since
    end
    if chunks == math.huge then
      self.disk[path] = nil
      self.checks:damaged(stored_entities(self, region))
    end
  end
end

-- The disk of a process; nil: the plan has no stores.
function disks.new(self, process)
  if not self.plan.stores then
    return nil
  end
  local name = process.name
  local disk = { writer = stored.new() }
  local is_written, ready = {}, {} -- region -> the file is this process's own; when it has been read
  local left = {} -- set of regions that have gone elsewhere

  -- Returns the regions of which nothing could be written, or nil.
  function disk.write(of)
    local is_full, unsaved = (self.full[name] or 0) > self.now, {}
    for region, owner in pairs(of.configuration.owners) do
      if owner == of.name and not of.loading[region] then
        if is_full then
          unsaved[#unsaved + 1] = region
          if not process.behind[region] then
            self.checks:behind(region, disks.stays_in(self, region))
          end
        else
          write_store(self, name, disk.writer, of, region, not is_written[region] or process.behind[region])
          is_written[region] = true
          self.checks:written(region)
        end
        process.behind[region] = is_full or nil
      end
    end
    table.sort(unsaved)
    return unsaved[1] and unsaved or nil
  end

  -- What goes with a region that moves: true: its store is behind; nil: it is not.
  function disk.copy(region)
    return process.behind[region]
  end

  -- A configuration is in effect: what is not its own any more it writes no more.
  function disk.configure(of, copies)
    if (self.full[name] or 0) <= self.now then
      self.disk["configuration " .. name] = copied(of.configuration)
    end
    for region in pairs(left) do
      left[region] = of.configuration.owners[region] ~= of.name or nil
    end
    for region in pairs(is_written) do
      left[region] = of.configuration.owners[region] ~= of.name or nil
      process.behind[region] = not left[region] and process.behind[region] or nil
      is_written[region] = of.configuration.owners[region] == of.name and not of.loading[region] or nil
    end
    for region, copy in pairs(copies) do
      process.behind[region] = copy.state
    end
    for region in pairs(ready) do
      local is_own = of.configuration.owners[region] == of.name
      ready[region] = is_own and of.loading[region] and ready[region] or nil
    end
  end

  -- A tick is told: where the new owners have written, the stores here are of no use any more.
  function disk.told(of)
    for _, region in ipairs(numbers.sorted(left)) do
      if not of:lacks_store(region) then
        self.disk[name .. " " .. region], left[region] = nil, nil
      end
    end
  end

  function disk.stores(_, is_wanted)
    local stamps = {}
    for region = 1, self.plan.regions do
      local store = is_wanted(region) and latest_store(self, name, region)
      stamps[region] = store and stamp_of(store) or nil
    end
    return stamps
  end

  function disk.kept_configuration()
    local latest
    for _, other in ipairs(self.plan.is_shared and self.plan.names or { name }) do
      local kept = self.disk["configuration " .. other]
      latest = kept and not (latest and latest.number >= kept.number) and kept or latest
    end
    return copied(latest)
  end

  function disk.read(of, region, now)
    ready[region] = ready[region] or now + self.random:integer(0, self.times.load)
    if now >= ready[region] then
      local store = latest_store(self, name, region)
      if not store then -- lost since the node said that it could read it
        return { entities = {}, ended = {} }
      end
      local result = read_store(store)
      self.checks:read(of, written_at(store), result.entities)
      return result
    end
  end

  return disk
end

return disks
