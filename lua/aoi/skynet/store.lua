-- What a scene stores, so that one that is started again is where this one was at its last tick: after each
-- tick a chunk with what was done in it, and now and then a full save.
--
-- The space writes its own record. Beside it, as notes: which entities had an address, the data and
-- properties of entities, what handlers log, and in a full save what they save.
local skynet = require "skynet"
local aoi = require "aoi"
local details = require "aoi.skynet.details"
local store_chunks = require "aoi.skynet.store_chunks"
local store_file = require "aoi.skynet.store_file"

local VERSION = 1 -- of the notes

-- `scene` is the table of scene.lua; scene.space is of no use before the functions here that need it are
-- called. `parts` has handlers, of handlers.lua.
return function(scene, parts)
  local store = {}

  local folder = scene.options.store
  local notes = {}
  local logged = {} -- what handlers have logged since the last chunk, packed
  local chunks = store_chunks.new(scene, folder .. "/", notes)
  store.take, store.save = chunks.take, chunks.save

  -- ---- writing --------------------------------------------------------------------------------

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

  function notes.full()
    local own = parts.handlers.save()
    return skynet.packstring {
      version = VERSION, addressed = addressed(), details = scene.details:save(),
      streams = { last = scene.streams.last }, own = own,
    }
  end

  function notes.begun()
    scene.addresses:take_changes()
    scene.details:changes()
    logged = {}
  end

  function notes.chunk()
    local now = {
      addressed = scene.addresses:take_changes(), details = scene.details:changes(),
      logged = logged[1] and logged or nil,
    }
    logged = {}
    return next(now) and skynet.packstring(now) or ""
  end

  -- Another space has taken the place of the one before: what is written can't go on.
  function store.begin_again()
    scene.details:keep_changes()
    chunks.begin_again()
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
    scene.addresses:keep_changes()
    scene.details:keep_changes()
    chunks.start()
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

  local function apply_addressed(set, changes)
    for id, is_so in pairs(changes or {}) do
      set[id] = is_so or nil
    end
  end

  -- The space that the store has; nil when it is empty. Also what belongs to it: own, what handlers have
  -- saved; logged, a list of strings that they have logged since then; scene.orphans and scene.details are
  -- set. Raises when there is something that can't be read.
  function store.recover()
    store_chunks.claim(folder .. "/")
    local space, own, logs, orphans
    local found, problem = store_file.read(folder .. "/", {
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
