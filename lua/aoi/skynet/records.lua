-- The records of a scene, made while they are wanted: the record of its space, kept in the store, sent to
-- those who follow it, as viewer.lua does, and written to a file.
--
-- Followers are sent messages of packet.lua, and never called: who is slow or dead does not hold up a tick.
local skynet = require "skynet"
local aoi = require "aoi"
local recording = require "aoi.recording"
local addresses = require "aoi.skynet.addresses"
local packet = require "aoi.skynet.packet"

-- Where there are no ticks: hundredths of a second from one sending to the next.
local INTERVAL = 10

-- `scene` is the table of scene.lua: space, tick, counters.
return function(scene)
  local records = {}

  local recorder -- of aoi.recorder; nil: no file
  local store    -- of store.lua; nil: none
  local followers
  local pauses = false -- true: the space does not record though it is wanted

  local function wanted()
    return store ~= nil or recorder ~= nil or next(followers.of) ~= nil
  end

  -- The space records when somebody wants it. What nobody has taken is dropped.
  local function switch()
    local on = wanted()
    scene.space:record(on)
    pauses = false
    if not on then
      pcall(scene.space.recorded, scene.space)
    end
  end

  -- Records must not pile up in a service whose memory is short: each change would be refused, also what
  -- makes room.
  local function pause()
    scene.space:record(false)
    pauses = true
  end

  -- Goes on when what is left of before can be dropped.
  local function try_again()
    if pcall(scene.space.recorded, scene.space) then
      switch()
    end
  end

  local function forget(dead)
    for _, address in ipairs(dead) do
      followers:set(address, nil)
    end
    switch()
  end
  followers = addresses.new(packet.protocol, forget, forget)

  local function send(address, text)
    if not skynet.rawsend(address, packet.protocol, text) then
      addresses.failed(address)
    end
  end

  -- ---- the file -------------------------------------------------------------------------------

  local function end_file()
    local ended = recorder
    recorder = nil
    if not ended then
      return
    end
    local ok, message = pcall(ended.close, ended)
    if not ok then
      skynet.error("scene: the recording: " .. tostring(message))
    end
    switch() -- closing has switched it off
  end

  local function write_file(bytes)
    local ok, message = pcall(recorder.write, recorder, bytes)
    if not ok then
      skynet.error("scene: the recording: " .. tostring(message))
      if recorder.ended then
        end_file()
      end
    end
  end

  -- ---- taking ---------------------------------------------------------------------------------

  local function take()
    local bytes = scene.space:recorded()
    if store then
      store.take(bytes)
    end
    if bytes == "" then
      return
    end
    scene.counters.recorded = scene.counters.recorded + #bytes
    if recorder then
      write_file(bytes)
    end
    if next(followers.of) then
      local span, complaint = aoi.record_span(bytes)
      if complaint then
        error(complaint, 0) -- a gap, where memory was short
      end
      local text = packet.piece(false, span.from_calls, span.to_calls,
        recording.piece(recording.RECORD, bytes, span))
      for address in pairs(followers.of) do
        send(address, text)
      end
    end
  end

  -- Hands on what was recorded since the last time.
  function records.take()
    if not wanted() then
      return
    elseif pauses then
      try_again()
      return
    end
    -- Memory may be short. What is lost by that is a gap, which followers and the recorder notice.
    local ok, message = pcall(take)
    if not ok then
      skynet.error("scene: nothing is recorded for now: " .. tostring(message))
      pause()
    end
  end

  local repeats -- true while a timer takes, in place of the ticks

  local function take_again()
    repeats = scene.tick == 0 and wanted()
    if repeats then
      skynet.timeout(INTERVAL, take_again)
      records.take()
    end
  end

  local function begin()
    switch()
    if not repeats then
      take_again()
    end
  end

  -- ---- commands -------------------------------------------------------------------------------

  local function keyframe()
    local stats, saved = scene.space:stats(), scene.space:save()
    return packet.piece(true, stats.calls, stats.calls, recording.piece(recording.KEYFRAME, saved, {
      from_calls = stats.calls, from_tick = stats.tick, to_calls = stats.calls, to_tick = stats.tick,
    }))
  end

  -- Sends this address the space as it is, and from then on the record. Who follows already may ask for the
  -- space again. nil and a message when memory is short.
  function records.follow(address)
    records.take()
    local ok, text = pcall(keyframe)
    if not ok then
      return nil, "follow: " .. tostring(text)
    end
    followers:set(address, address)
    begin()
    send(address, text)
    return true
  end

  function records.unfollow(address)
    followers:set(address, nil)
    switch()
    return true
  end

  -- Writes to the file of this path from now on, and no longer to one before; false: to none.
  -- continue: the file may be there already. nil and a message when that can't be.
  function records.write_to(path, continue)
    if path ~= false and type(path) ~= "string" then
      return nil, ("record_to: the path is %s, expected a string or false"):format(tostring(path))
    end
    records.take()
    end_file()
    if not path then
      return true
    end
    local ok, made = pcall(aoi.recorder, scene.space, path, { append = continue })
    if not ok then
      switch()
      return nil, (tostring(made):gsub("^recorder:", "record_to:"):gsub("append = true continues it",
        "expected a new file, or the option recover=true, which comes back from it"))
    end
    recorder = made
    -- Ends the file when the service ends, in whichever way: Lua finalizes in reverse order, so that the
    -- space and the file are there still.
    records.closer = setmetatable({}, { __gc = function()
      if recorder == made then
        end_file()
      end
    end })
    begin()
    return true
  end

  -- ---- the scene ------------------------------------------------------------------------------

  -- From now on the space records for this store, too.
  function records.keep_in(new_store)
    store = new_store
    switch()
  end

  -- Goes on with another space.
  function records.go_on()
    if store then
      store.begin_again()
    end
    switch()
  end

  -- To be called before the scene gets another space, whose history this one's can't go on with.
  function records.finish()
    records.take()
    end_file()
    for address in pairs(followers.of) do
      send(address, packet.ended())
      followers:set(address, nil)
    end
    switch()
  end

  -- Looks for followers that were killed.
  function records.probe()
    followers:probe()
  end

  function records.followers()
    return followers:count()
  end

  return records
end
