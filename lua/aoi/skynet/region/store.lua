-- The store of a region, so that a region that is started again is where this one was at its last tick: after
-- each tick a chunk, before anybody is told of the tick, and now and then a full save.
--
-- The space writes its own record, ghosts included. As notes go with it: which entities the region owns, with
-- epochs, addresses and streams; hand-overs, as region/letters.lua has them; which commands of other nodes
-- were applied; and what else belongs to entities, of parts.lua.
--
-- Who comes back owns all that it had anew, with later epochs, and tells everything to agents and to the
-- other regions: what it does not know is what has happened since.
local skynet = require "skynet"
local aoi = require "aoi"
local entities = require "aoi.skynet.entities"
local ghosts = require "aoi.skynet.region.ghosts"
local new_letters = require("aoi.skynet.region.letters").new
local store_chunks = require "aoi.skynet.store_chunks"
local store_file = require "aoi.skynet.store_file"

local VERSION = 1 -- of the notes
local KEPT = 64   -- ticks for which it is known who has left, at least
local ROW = 4     -- of owned entities: entity, epoch, address or false, stream or false

-- `scene` is the table of scene.lua with what region/ghosts.lua adds; scene.letters is made here. `parts` has
-- areas, ghosts and of_entity, of parts.lua.
return function(scene, parts)
  local store = {}

  local path = ("%s/%s-region-%d-"):format(scene.options.store, scene.map.node_name, scene.region)
  local notes = {}
  local chunks = store_chunks.new(scene, path, notes)
  store.take, store.save, store.remove = chunks.take, chunks.save, chunks.remove
  store.begin_again = chunks.begin_again

  local marked = {}  -- set of entities of which something has changed since then
  local left, left_before, left_since = {}, {}, 0 -- entity -> epoch, of those that have left
  local applied = {} -- node -> the last tick of which commands of its were applied
  local late = {}    -- flat list of entity, region, epoch: hand-overs that the next tick tells of
  local is_back = false -- true: what is owned is not yet owned anew

  scene.letters = new_letters()

  -- ---- what changes ---------------------------------------------------------------------------

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

  local function note_left(id, epoch, tick)
    if tick - left_since >= KEPT then
      left_before, left, left_since = left, {}, tick
    end
    left[id] = epoch
  end

  -- Tick `number` begins. known: what letters:prune takes, and applied: node -> the last tick of which
  -- commands of its are applied with this one. Returns a flat list of entity, region, epoch: of whom all are
  -- to be told who owns it, as if it had been handed over.
  function store.begin(number, known)
    scene.letters:prune(known)
    applied = known.applied
    local handed = late
    late = {}
    if is_back then
      is_back = false
      for id, epoch in pairs(scene.owned) do
        scene.owned[id] = math.max(number, epoch)
        marked[id] = true
        table.move({ id, scene.region, scene.owned[id] }, 1, 3, #handed + 1, handed)
      end
    end
    return handed
  end

  -- Notes the news that `begin` of region.lua tells the world.
  function store.note(news)
    for i = 1, #news.entered, 2 do
      marked[news.entered[i]] = true
    end
    for i = 1, #news.left, 2 do
      note_left(news.left[i], news.left[i + 1], scene.number)
    end
  end

  -- An entity has come by the letter that a region sent in that tick.
  function store.came(from, tick, id)
    marked[id] = true
    scene.letters:take(from, tick, id, scene.owned[id])
    if tick < scene.number then
      late[#late + 1], late[#late + 2], late[#late + 3] = id, scene.region, scene.owned[id]
    end
  end

  -- ---- writing --------------------------------------------------------------------------------

  local function add_row(rows, id)
    local n = #rows
    rows[n + 1], rows[n + 2], rows[n + 3], rows[n + 4] =
      id, scene.owned[id], scene.addresses.of[id] or false, scene.streams.of[id] or false
  end

  local function flat_left()
    local list = {}
    for _, of in ipairs { left_before, left } do
      for id, epoch in pairs(of) do
        list[#list + 1], list[#list + 2] = id, epoch
      end
    end
    return list
  end

  function notes.full()
    local rows = {}
    for id in pairs(scene.owned) do
      add_row(rows, id)
    end
    local all = {
      region = VERSION, rows = rows, left = flat_left(), letters = scene.letters:save(),
      applied = applied, areas = parts.areas.save(),
    }
    parts.of_entity.save("store", all)
    return skynet.packstring(all)
  end

  function notes.begun()
    scene.letters:changes()
    parts.of_entity.save("chunk", {})
    parts.areas.changes()
    marked = {}
  end

  function notes.chunk()
    local rows, gone, now = {}, {}, {}
    for id in pairs(marked) do
      if scene.owned[id] then
        add_row(rows, id)
      else
        gone[#gone + 1], gone[#gone + 2] = id, left[id] or false
      end
    end
    now.rows, now.gone = rows[1] and rows, gone[1] and gone
    now.letters, now.applied = scene.letters:changes(), applied
    now.areas = parts.areas.changes()
    parts.of_entity.save("chunk", now)
    marked = {}
    return skynet.packstring(now)
  end

  -- Begins, with what is in the region now. Raises when the folder can't be written to.
  function store.start()
    store_chunks.claim(path)
    chunks.start()
    scene.records.keep_in(store)
  end

  -- ---- coming back ----------------------------------------------------------------------------

  -- Adds rows to entity -> { epoch, address, stream }.
  local function put_rows(owned, rows)
    for i = 1, #rows, ROW do
      owned[rows[i]] = { rows[i + 1], rows[i + 2], rows[i + 3] }
    end
  end

  -- Reads what is there: returns nil and perhaps what is wrong, or a table of what it holds.
  local function read()
    local state
    local found, problem = store_file.read(path, {
      full = function(saved, packed)
        local full = skynet.unpack(packed)
        if type(full) ~= "table" or full.region ~= VERSION then
          local version = type(full) == "table" and full.region
          error(("its notes have version %s, expected %d"):format(version, VERSION), 0)
        end
        state = { space = aoi.load(saved), owned = {}, left = {}, applied = full.applied,
          letters = new_letters(full.letters), areas = full.areas }
        parts.of_entity.load("store", full, state)
        put_rows(state.owned, full.rows)
        for i = 1, #full.left, 2 do
          state.left[full.left[i]] = full.left[i + 1]
        end
      end,
      chunk = function(records, packed)
        local changes = packed == "" and {} or skynet.unpack(packed)
        aoi.replay(state.space, records)
        put_rows(state.owned, changes.rows or {})
        local gone = changes.gone or {}
        for i = 1, #gone, 2 do
          state.owned[gone[i]] = nil
          state.left[gone[i]] = gone[i + 1] or nil
        end
        if changes.letters then
          state.letters:apply(changes.letters)
        end
        parts.of_entity.load("chunk", changes, state)
        parts.areas.apply(state.areas, changes.areas or {})
        state.applied = changes.applied or state.applied
      end,
    })
    return found and state, problem
  end

  local function put_space(space)
    local made = space:stats()
    if not made.deferred or made.dims ~= scene.dims then
      error(("scene: the store %s has %d dimensions, the options say otherwise"):format(path, made.dims), 0)
    end
    scene.space:close()
    scene.space, scene.is_crowd = space, entities.is_crowd(space)
    scene.number, scene.upcoming = made.tick, made.tick + 1
  end

  -- Takes what the store has, if anything: the region is at its last tick then; its agents are told all anew.
  -- To be called before handlers start. Returns what these have saved, and a list of strings that they have
  -- logged since then; nil, nil: the store is empty. Raises when there is something that can't be read.
  function store.recover()
    store_chunks.claim(path)
    local state, problem = read()
    if not state and problem then
      error(("scene: the store can't be read: %s. To begin anew, remove its files."):format(problem), 0)
    elseif not state then
      return nil
    elseif problem then
      skynet.error(("scene: the store: %s; what came after that is lost"):format(problem))
    end
    put_space(state.space)
    scene.letters, applied = state.letters, state.applied
    left_before, left_since = state.left, scene.number
    parts.areas.load(state.areas)
    for id, row in pairs(state.owned) do
      local epoch, address, stream = table.unpack(row, 1, 3)
      if scene.space:has(id) then
        scene.owned[id], scene.changed[id] = epoch, ghosts.ALL
      end
      if scene.space:has(id) and address then
        -- Later than the one before, and earlier than any that its agent has been given meanwhile.
        scene.streams:begin(id, stream and stream + 1 & 0xFFFFFFFF or nil)
        scene.addresses:set(id, address)
        scene.newcomers[id] = true
      end
    end
    parts.ghosts.come_back()
    is_back = true
    return state.own, state.logged
  end

  -- The state between ticks, for region/state.lua.
  function store.state()
    return { letters = scene.letters:save(), left = flat_left(), late = late, applied = applied }
  end

  function store.load(saved)
    scene.letters, late, applied = new_letters(saved.letters), saved.late, saved.applied
    for i = 1, #saved.left, 2 do
      note_left(saved.left[i], saved.left[i + 1], scene.number)
    end
  end

  -- The standing of a region, for the others when it or one of them has come back: a table of
  --   tick     its last one; 0: there was none
  --   owned    flat list of entity, epoch
  --   claims   flat list of entity, epoch: who has it with a lower epoch has it no more
  --   left     flat list of entity, epoch: it has left
  --   taken    region -> the last tick of which letters of its have been taken
  --   applied  node -> the last tick of which commands of its have been applied
  function store.standing()
    local owned, claims = {}, {}
    for id, epoch in pairs(scene.owned) do
      if scene.space:has(id) then
        owned[#owned + 1], owned[#owned + 2] = id, epoch
      end
    end
    scene.letters:add_claims(claims)
    return { tick = scene.number, owned = owned, claims = claims, left = flat_left(), applied = applied,
      taken = scene.letters.taken }
  end

  return store
end
