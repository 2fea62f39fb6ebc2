-- The store of a scene, so that a scene that is started again is where this one was at its last tick: after
-- each tick a chunk with the commands of it, and now and then a full save.
--
-- The space writes its own record. Beside it, as notes: what belongs to its entities, of parts.lua.
local skynet = require "skynet"
local aoi = require "aoi"
local store_chunks = require "aoi.skynet.store_chunks"
local store_file = require "aoi.skynet.store_file"

local VERSION = 2 -- of the notes

-- `scene` is the table of scene.lua; scene.space is of no use before the functions here that need it are
-- called. `parts` has entities, of entities.lua, and of_entity, of parts.lua.
return function(scene, parts)
  local store = {}

  local folder = scene.options.store
  local notes = {}
  local chunks = store_chunks.new(scene, folder .. "/", notes)
  store.take, store.save, store.begin_again = chunks.take, chunks.save, chunks.begin_again

  -- ---- writing --------------------------------------------------------------------------------

  function notes.full()
    local all = { version = VERSION }
    parts.of_entity.save("store", all)
    return skynet.packstring(all)
  end

  function notes.begun()
    parts.of_entity.save("chunk", {})
  end

  function notes.chunk()
    local now = {}
    parts.of_entity.save("chunk", now)
    return next(now) and skynet.packstring(now) or ""
  end

  -- Begins, with what is in the scene now. Raises when the folder can't be written to.
  function store.start()
    chunks.start()
    scene.records.keep_in(store)
    parts.entities.await_agents()
  end

  -- ---- coming back ----------------------------------------------------------------------------

  -- The space that the store has; nil when it is empty. Also what belongs to it: own, what handlers have
  -- saved; logged, a list of strings that they have logged since then; what belongs to entities is in the
  -- scene. Raises when there is something that can't be read.
  function store.recover()
    store_chunks.claim(folder .. "/")
    local space, back = nil, {}
    local found, problem = store_file.read(folder .. "/", {
      full = function(saved, packed)
        local state = skynet.unpack(packed)
        if type(state) ~= "table" or state.version ~= VERSION then
          local version = type(state) == "table" and state.version
          error(("its notes have version %s, expected %d"):format(version, VERSION), 0)
        end
        space = aoi.load(saved)
        parts.of_entity.load("store", state, back)
      end,
      chunk = function(records, packed)
        local changes = packed == "" and {} or skynet.unpack(packed)
        aoi.replay(space, records)
        parts.of_entity.load("chunk", changes, back)
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
    return space, back.own, back.logged
  end

  return store
end
