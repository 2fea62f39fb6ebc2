-- The times at which a store is written to, and the way with errors: a full save at the beginning and now and
-- then, a chunk after each tick. The notes of both are the business of store.lua and region/store.lua.
local skynet = require "skynet"
require "skynet.manager" -- register
local aoi = require "aoi"
local options = require "aoi.skynet.options"
local store_file = require "aoi.skynet.store_file"

local RETRY = 100 -- hundredths of a second after which a full save that has failed is tried again
local WAIT = 500  -- most hundredths of a second to wait for the one before to end

local store_chunks = {}

-- One service of a process has a store at a time: another may be ending still, and writes until then. Other
-- processes are not known here. path: as store_file.lua has it. Returns true, or nil and a message: another
-- service has it.
function store_chunks.take(path)
  local name = ".aoi store " .. path
  if not skynet.localname(name) then
    skynet.register(name)
  end
  local owner = skynet.localname(name)
  if owner == skynet.self() then
    return true
  end
  return nil, ("scene: the store %s is in use by service :%08x"):format(path, owner)
end

-- As `take`, but waits for the other service, and raises when it does not end.
function store_chunks.claim(path)
  local is_ours, message = store_chunks.take(path)
  for _ = 1, WAIT // 5 do
    if is_ours then
      return
    end
    skynet.sleep(5)
    is_ours, message = store_chunks.take(path)
  end
  error(message, 0)
end

--[[ `scene` is the table of scene.lua; path: as store_file.lua has it. notes is a table of functions:
  full()    the notes of a full save, a string; may raise
  chunk()   those of a chunk, of all since the last chunk or full save
  begun()   a full save has been written: what was noted until now is in it
is_synced: what is written waits for the disk. ]]
function store_chunks.new(scene, path, notes, is_synced)
  local chunks = {}

  local every = options.units(scene.options.save_every)
  local writer            -- nil: not started
  local is_broken = false -- true: chunks can't go on from what is written
  local last_calls        -- the moment of what is written
  local full_at           -- when the next full save is due, in skynet's time

  local function complain(message)
    scene.counters.store_failures = scene.counters.store_failures + 1
    skynet.error("scene: the store: " .. tostring(message))
  end

  -- How many bytes were written; raises when none could be.
  local function written(size, message)
    if not size then
      error(message, 0)
    end
    scene.counters.stored = scene.counters.stored + size
  end

  -- Raises when it can't be written; then what is there stays.
  local function write_full()
    local text = notes.full()
    local stats = scene.space:stats()
    written(writer:begin(scene.space:save(), {
      from_calls = stats.calls, from_tick = stats.tick, to_calls = stats.calls, to_tick = stats.tick,
    }, text))
    notes.begun()
    is_broken, last_calls, full_at = false, stats.calls, skynet.now() + every
  end

  local function write_chunk(records)
    local span, complaint = aoi.record_span(records)
    if records == "" then -- behind a tick of a world that nobody has finished: the notes alone
      local tick = scene.space:stats().tick
      span = { from_calls = last_calls, from_tick = tick, to_calls = last_calls, to_tick = tick }
    end
    if complaint or span.from_calls ~= last_calls then
      error("something is missing between two chunks", 0) -- memory was short
    end
    last_calls = span.to_calls
    written(writer:append(records, span, notes.chunk()))
  end

  -- Writes what the space has recorded since the last time; before anybody is sent what it did. Does not
  -- raise: a scene whose disk is full goes on.
  function chunks.take(records)
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

  -- For an owner that decides itself when to write: a full save; or what the space has recorded since the
  -- last writing, a string. Does not raise. Returns true; or nil: then the next one has to be a full save.
  function chunks.write(is_full, records)
    writer = writer or store_file.writer(path, is_synced)
    local ok, message = pcall(is_full and write_full or write_chunk, records)
    if not ok then
      complain(message)
    end
    return ok or nil
  end

  -- Another space has taken the place of the one before: what is written can't go on.
  function chunks.begin_again()
    is_broken, full_at = true, 0
  end

  -- A full save now. Returns true, or nil and a message.
  function chunks.save()
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

  -- Begins, with what is in the scene now. Raises when the folder can't be written to.
  function chunks.start()
    writer = store_file.writer(path, is_synced)
    local ok, message = pcall(write_full)
    if not ok then
      writer = nil
      error("scene: the store: " .. tostring(message), 0)
    end
  end

  -- Ends: what is there is removed, so that nothing comes back from it.
  function chunks.remove()
    if writer then
      writer:remove()
      writer, is_broken, full_at = nil, true, math.huge
    end
  end

  return chunks
end

return store_chunks
