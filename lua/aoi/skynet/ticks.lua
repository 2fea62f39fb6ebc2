-- The ticks of a scene: telling what has changed since the last one, and what was noted for the next.
--
-- A tick may be suspended by a handler while the scene goes on. What it has gathered until then is told all
-- the same, and what is noted meanwhile is for the next one.
local skynet = require "skynet"
local clock = require "aoi.skynet.clock"

-- `scene` is the table of scene.lua: space, tick, views, records, details and the notes; `parts` has
-- handlers, lives and resync, each of the file of its name.
return function(scene, parts)
  local ticks = {}

  -- False: everything is told at once.
  function ticks.are_on()
    return scene.tick > 0
  end

  -- Calls a function for which memory may be too short; then a later tick tells all.
  local function try(f, ...)
    local ok, message = pcall(f, ...)
    if not ok then
      skynet.error("scene: " .. tostring(message))
    end
    return ok
  end

  -- Everybody is to be told all that they see.
  function ticks.tell_all_anew()
    for id in pairs(scene.addresses.of) do
      scene.newcomers[id] = true
    end
  end

  -- Sends what is gathered; with a store, first writes what it is about. mark: up to where notices are due,
  -- nil: none are.
  local function send(mark)
    try(scene.views.tell_newcomers)
    if mark then
      scene.views.notify(scene.notices.hand_out_due(mark))
    end
    if parts.store and ticks.are_on() then
      scene.records.take()
    end
    scene.views.flush()
  end

  -- Tells all changes since the last time.
  function ticks.tell()
    local is_done = false
    parts.lives.when_started(function()
      if not is_done then
        send() -- a handler has suspended us
      end
    end)
    parts.lives.begin_tick()
    local mark = scene.notices.mark()
    scene.views.tell_over()
    if not try(scene.views.note_changes) then
      ticks.tell_all_anew()
    end
    parts.resync.take_due()
    local unsaid = scene.unsaid
    scene.unsaid = {}
    local ok = not ticks.are_on() or try(scene.space.tick, scene.space, scene.number)
    if not try(scene.views.tell_changes) then
      ticks.tell_all_anew()
    end
    try(scene.views.tell_own)
    send(mark)
    is_done = true
    if ticks.are_on() then
      scene.records.take()
    end
    if ok then
      scene.details:sweep(function(id) return scene.space:has(id) end)
      scene.views.say_unsaid(unsaid)
    else
      scene.unsaid = table.move(scene.unsaid, 1, #scene.unsaid, #unsaid + 1, unsaid)
    end
  end

  -- One tick: the user's hook, and then all is told.
  function ticks.run()
    if not parts.handlers.has_tick() then
      ticks.tell()
      return
    end
    -- The hook's changes are told with this tick; a hook that waits holds nothing up.
    local waits, ok, message = coroutine.running(), nil, nil
    skynet.fork(parts.handlers.tick)
    parts.lives.when_started(function()
      ok, message = pcall(ticks.tell)
      skynet.wakeup(waits)
    end)
    skynet.wait(waits)
    if not ok then
      error(message, 0)
    end
  end

  -- After a change: without ticks, all is told by now and only to be sent.
  function ticks.changed()
    if not ticks.are_on() then
      ticks.tell()
    end
  end

  -- Begins with ticks of this length, or goes on with another.
  function ticks.start()
    clock.start(scene.tick, ticks.run)
  end

  return ticks
end
