-- The store of a region: a full save of it now and then, and in each tick a chunk, written when the world
-- says so, before anybody is told of the tick. As notes go with the space what belongs to its entities, of
-- parts.lua, addresses and streams, areas, and a text of the world's, of world/stored.lua.
local skynet = require "skynet"
local aoi = require "aoi"
local entities = require "aoi.skynet.entities"
local ghosts = require "aoi.skynet.region.ghosts"
local store_chunks = require "aoi.skynet.store_chunks"
local store_file = require "aoi.skynet.store_file"

local VERSION = 2
local NOTES = "<Bi8i8s4s4" -- version; number of the configuration, tick, the world's text, ours

-- Blocks that an agent may have got since its row was written, at most.
local BLOCKS = 1 << 24

local region_store = {}

-- How the names of the files begin that a node's store of a region has in a folder.
function region_store.path(folder, node, region)
  return ("%s/%s-region-%d-"):format(folder, node, region)
end

-- The number of the configuration and the tick that stand last in the store of this path, and the world's
-- text of its full save, nil, nil when there is nothing that can be read; and what is wrong, or nil.
function region_store.last(path)
  local first, last, problem = store_file.notes(path)
  if not first then
    return nil, nil, last -- the problem
  end
  local ok, version, _, _, text = pcall(string.unpack, NOTES, first)
  if not ok or version ~= VERSION then
    return nil, nil, ("%s: its notes have version %s, expected %d"):format(path, tostring(version), VERSION)
  end
  local _, number, tick = NOTES:unpack(last)
  return { number, tick }, text, problem
end

-- `scene` is the table of scene.lua with what region/ghosts.lua adds; `parts` has areas, of_entity, ghosts.
function region_store.new(scene, parts)
  local store, notes = {}, {}
  local chunks           -- of store_chunks.lua; nil: not written yet
  local records = {}     -- list of what the space has recorded since the last writing
  local marked = {}      -- set of entities whose address or stream is another one since then
  local number, tick, text -- what the world says, for the notes
  local read             -- what `recover` has read, until `own`
  local begins_anew      -- true: whatever the store has is of another life

  local function mark_in(object, name)
    local run = object[name]
    object[name] = function(self, id, ...)
      marked[id] = true
      return run(self, id, ...)
    end
  end

  mark_in(scene.addresses, "set")
  mark_in(scene.streams, "begin")
  mark_in(scene.streams, "go_on")

  -- ---- writing --------------------------------------------------------------------------------

  -- Address, stream, number and who gave the address, of the entities of a set.
  local function agents_of(ids)
    local agents, streams, addresses = {}, scene.streams, scene.addresses
    for id in pairs(ids) do
      local address = scene.owned[id] and addresses.of[id]
      agents[id] = address and { address, streams.of[id], streams.numbers[id], addresses.sender[id] } or false
    end
    return agents
  end

  local function packed(state)
    return NOTES:pack(VERSION, number, tick, text, skynet.packstring(state))
  end

  function notes.full()
    local all = { agents = agents_of(scene.addresses.of), areas = parts.areas.save() }
    parts.of_entity.save("store", all)
    return packed(all)
  end

  function notes.begun()
    parts.of_entity.save("chunk", {})
    parts.areas.take_noted()
    marked = {}
  end

  function notes.chunk()
    local now = { agents = next(marked) and agents_of(marked), areas = parts.areas.take_noted() }
    parts.of_entity.save("chunk", now)
    marked = {}
    return packed(now)
  end

  -- Called by records.lua.
  function store.take(bytes)
    records[#records + 1] = bytes
  end

  -- A full save is wanted anyway.
  function store.begin_again() end

  -- Writes a chunk, or a full save. of: path, is_full, number and tick, text, is_synced; is_new: whatever the
  -- store has is of another life, and put aside. Returns true; or nil: then the next one has to be full. That
  -- is so, too, while a former service of the region is ending: a tick must not wait for it.
  function store.write(of)
    number, tick, text = of.number, of.tick, of.text
    begins_anew = begins_anew or of.is_new
    if not chunks then
      if not store_chunks.take(of.path) then
        return nil
      end
      if begins_anew then
        store_file.put_aside(of.path)
      end
      chunks = store_chunks.new(scene, of.path, notes, of.is_synced)
      scene.records.keep_in(store)
    end
    scene.records.take()
    local bytes = table.concat(records)
    records = {}
    return chunks.write(of.is_full, bytes)
  end

  -- The region is elsewhere now, and stored there.
  function store.remove()
    if chunks then
      chunks.remove()
      chunks = nil
    end
  end

  -- ---- reading --------------------------------------------------------------------------------

  -- Reads the store of this path. Returns a list of the world's texts, areas, and the problem with what can't
  -- be read, or nil.
  function store.recover(path)
    local state = { texts = {}, agents = {} }
    local found, problem = store_file.read(path, {
      full = function(saved, noted)
        local version, _, _, its_text, packed_state = NOTES:unpack(noted)
        if version ~= VERSION then
          error(("its notes have version %d, expected %d"):format(version, VERSION), 0)
        end
        local all = skynet.unpack(packed_state)
        state.space, state.areas, state.agents = aoi.load(saved), all.areas, all.agents
        state.texts = { its_text }
        parts.of_entity.load("store", all, state)
      end,
      chunk = function(recorded, noted)
        local _, _, _, its_text, packed_state = NOTES:unpack(noted)
        local changes = skynet.unpack(packed_state)
        aoi.replay(state.space, recorded)
        for id, agent in pairs(changes.agents or {}) do
          state.agents[id] = agent or nil
        end
        parts.areas.apply(state.areas, changes.areas)
        parts.of_entity.load("chunk", changes, state)
        table.insert(state.texts, its_text)
      end,
    })
    local made = found and state.space:stats()
    if not found then
      return nil, nil, problem or path .. " is empty"
    elseif not made.deferred or made.dims ~= scene.dims then
      return nil, nil, ("%s has %d dimensions, the options say otherwise"):format(path, made.dims)
    end
    read = state
    return state.texts, state.areas, problem
  end

  -- Of what was read these entities are here, a list, the others are ghosts at most. Returns what handlers
  -- have saved, and what they have logged since then.
  function store.own(ids)
    local state = read
    read = nil
    if not state then
      return nil -- nothing could be read: it begins empty
    end
    scene.space:close()
    scene.space, scene.is_crowd = state.space, entities.is_crowd(state.space)
    parts.areas.load(state.areas)
    for _, id in ipairs(ids) do
      local agent = state.agents[id]
      scene.owned[id], scene.changed[id] = true, ghosts.ALL
      if agent then
        scene.streams:go_on(id, agent[2], agent[3] + BLOCKS & 0xFFFFFFFF)
        scene.addresses:set(id, agent[1], agent[4])
        scene.newcomers[id] = true
      end
    end
    parts.ghosts.come_back()
    return state.own, state.logged
  end

  return store
end

return region_store
