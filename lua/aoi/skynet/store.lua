-- What a scene stores, so that one that is started again is where this one was at its last tick: after each
-- tick a chunk with what was done in it, and now and then a full save.
--
-- The space writes its own record. Beside it, as notes: which entities had an address, the data and
-- properties of entities, what handlers log, and in a full save what they save.
local skynet = require "skynet"
require "skynet.manager" -- register
local aoi = require "aoi"
local details = require "aoi.skynet.details"
local store_file = require "aoi.skynet.store_file"

local VERSION = 1 -- of the notes
local RETRY = 100 -- hundredths of a second after which a full save that has failed is tried again
local WAIT = 500  -- most hundredths of a second to wait for the scene before to end

-- `scene` is the table of scene.lua; scene.space is of no use before the functions here that need it are
-- called. `parts` has handlers, of handlers.lua.
return function(scene, parts)
  local store = {}

  local folder, every = scene.options.store, scene.options.save_every * 100
  local writer            -- nil: not started
  local is_broken = false -- true: chunks can't go on from what is written
  local last_calls        -- the moment of what is written
  local full_at           -- when the next full save is due, in skynet's time
  local logged = {}       -- what handlers have logged since the last chunk, packed

  local function complain(message)
    scene.counters.store_failures = scene.counters.store_failures + 1
    skynet.error("scene: the store: " .. tostring(message))
  end

  -- ---- writing --------------------------------------------------------------------------------

  -- How many bytes were written; raises when none could be.
  local function written(size, message)
    if not size then
      error(message, 0)
    end
    scene.counters.stored = scene.counters.stored + size
  end

  local function addressed()
    local ids = {}
    for id in pairs(scene.addresses.of) do
      ids[#ids + 1] = id
    end
    for id in pairs(scene.orphans) do
      ids[#ids + 1] = id
    end
    return ids
  end

  -- Raises when it can't be written; then what is there stays.
  local function write_full()
    local own = parts.handlers.save()
    local stats = scene.space:stats()
    written(writer:begin(scene.space:save(), {
      from_calls = stats.calls, from_tick = stats.tick, to_calls = stats.calls, to_tick = stats.tick,
    }, skynet.packstring {
      version = VERSION, addressed = addressed(), details = scene.details:save(),
      streams = { last = scene.streams.last }, own = own,
    }))
    scene.addresses:take_changes()
    scene.details:changes()
    logged, is_broken, last_calls, full_at = {}, false, stats.calls, skynet.now() + every
  end

  local function notes()
    local now = {
      addressed = scene.addresses:take_changes(), details = scene.details:changes(),
      logged = logged[1] and logged or nil,
    }
    logged = {}
    return next(now) and skynet.packstring(now) or ""
  end

  local function write_chunk(records)
    local span, complaint = aoi.record_span(records)
    if complaint or span.from_calls ~= last_calls then
      error("something is missing between two chunks", 0) -- memory was short
    end
    last_calls = span.to_calls
    written(writer:append(records, span, notes()))
  end

  -- Writes what the space has recorded since the last time; before anybody is sent what it did. Does not
  -- raise: a scene whose disk is full goes on.
  function store.take(records)
    if skynet.now() >= full_at then
      local ok, message = pcall(write_full)
      if ok then
        return
      end
      complain(message)
      full_at = skynet.now() + RETRY
    end
    if not is_broken and records ~= "" then
      local ok, message = pcall(write_chunk, records)
      if not ok then
        complain(message)
        is_broken, full_at = true, 0
      end
    end
  end

  -- Another space has taken the place of the one before: what is written can't go on.
  function store.begin_again()
    scene.details:keep_changes()
    is_broken, full_at = true, 0
  end

  -- A full save now. Returns true, or nil and a message.
  function store.save()
    if not writer then
      return nil, "store: the scene has not started"
    end
    scene.records.take()
    local ok, message = pcall(write_full)
    if not ok then
      complain(message)
      return nil, "store: " .. tostring(message)
    end
    return true
  end

  -- Entities whose agents have not come back leave.
  local function remove_orphans()
    for id in pairs(scene.orphans) do
      parts.entities.leave(id)
    end
    scene.orphans = {}
  end

  -- Begins, with what is in the scene now. Raises when the folder can't be written to.
  function store.start()
    writer = store_file.writer(folder)
    scene.addresses:keep_changes()
    scene.details:keep_changes()
    local ok, message = pcall(write_full)
    if not ok then
      writer = nil
      error("scene: the store: " .. tostring(message), 0)
    end
    scene.records.keep_in(store)
    if next(scene.orphans) and scene.options.orphan < math.huge then
      skynet.timeout(math.ceil(scene.options.orphan * 100), remove_orphans)
    end
  end

  -- Notes for handlers what they want to get back, one by one, when the scene is started again.
  function store.log(...)
    logged[#logged + 1] = skynet.packstring(...)
  end

  -- ---- coming back ----------------------------------------------------------------------------

  -- One scene of a process has a store at a time: another may be ending still, and writes until then. Raises
  -- when it does not end. Other processes are not known here.
  local function claim()
    local name = ".aoi store " .. folder
    for _ = 1, WAIT // 5 do
      if not skynet.localname(name) then
        skynet.register(name)
      end
      if skynet.localname(name) == skynet.self() then
        return
      end
      skynet.sleep(5)
    end
    error(("scene: the store %s is in use by service :%08x"):format(folder, skynet.localname(name)), 0)
  end

  local function apply_addressed(set, changes)
    for id, is_so in pairs(changes or {}) do
      set[id] = is_so or nil
    end
  end

  -- The space that the store has; nil when it is empty. Also what belongs to it: own, what handlers have
  -- saved; logged, a list of strings that they have logged since then; scene.orphans and scene.details are
  -- set. Raises when there is something that can't be read.
  function store.recover()
    claim()
    local space, own, logs, orphans
    local found, problem = store_file.read(folder, {
      full = function(saved, packed)
        local state = skynet.unpack(packed)
        if type(state) ~= "table" or state.version ~= VERSION then
          error("its notes are of another version", 0)
        end
        space = aoi.load(saved)
        scene.details = details.new(state.details)
        scene.streams:load(state.streams)
        own, logs, orphans = state.own, {}, {}
        for _, id in ipairs(state.addressed) do
          orphans[id] = true
        end
      end,
      chunk = function(records, packed)
        local changes = packed == "" and {} or skynet.unpack(packed)
        aoi.replay(space, records)
        apply_addressed(orphans, changes.addressed)
        if changes.details then
          scene.details:apply(changes.details)
        end
        table.move(changes.logged or {}, 1, #(changes.logged or {}), #logs + 1, logs)
      end,
    })
    if not found then
      if problem then
        error(("scene: the store can't be read: %s. To begin anew, empty its folder."):format(problem), 0)
      end
      return nil
    end
    if problem then
      skynet.error(("scene: the store: %s; what came after that is lost"):format(problem))
    end
    for id in pairs(orphans) do
      scene.orphans[id] = space:has(id) or nil
    end
    return space, own, logs
  end

  return store
end
