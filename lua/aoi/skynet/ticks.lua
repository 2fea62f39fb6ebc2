-- The ticks of a scene: telling what has changed since the last one, and what was noted for the next.
--
-- A tick may be suspended by a handler while the scene goes on; the notes take care of that.
local skynet = require "skynet"
local clock = require "aoi.skynet.clock"

-- Takes back into these notes (parting or newcomers) those of a tick that has told, or tells, them.
local function take_back(notes)
  local metatable = getmetatable(notes)
  for id, note in pairs(metatable and metatable.__index or {}) do
    if rawget(notes, id) == nil then
      notes[id] = note
    end
  end
  return setmetatable(notes, nil)
end

-- The same in a copy; the tick goes on as it was.
local function all_notes(notes)
  local copy = setmetatable({}, getmetatable(notes))
  for id, note in pairs(notes) do
    copy[id] = note
  end
  return take_back(copy)
end

-- `scene` is the table of scene.lua: space, tick, views, records and the notes; `parts` has handlers, of
-- handlers.lua.
return function(scene, parts)
  local ticks = {}

  -- False: everything is told at once.
  function ticks.are_on()
    return scene.tick > 0
  end

  -- Tells all changes since the last time.
  function ticks.tell()
    -- A handler may suspend us: what is gathered so far is sent all the same, right after this message.
    skynet.fork(scene.views.flush)
    -- A tick that waits in a handler tells the rest of its events only now.
    local parting, newcomers = take_back(scene.parting), take_back(scene.newcomers)
    scene.views.tell_newcomers()
    -- What is noted while we are suspended is for the next tick.
    parting, newcomers = setmetatable({}, { __index = parting }), setmetatable({}, { __index = newcomers })
    scene.parting, scene.newcomers = parting, newcomers
    local unsaid = scene.unsaid
    scene.unsaid = {}
    local ok, message = true, nil
    if ticks.are_on() then
      ok, message = pcall(scene.space.tick, scene.space)
    end
    scene.views.tell_lost()
    scene.views.flush()
    if ticks.are_on() then
      scene.records.take()
    end
    if ok then
      setmetatable(parting, nil)
      setmetatable(newcomers, nil)
      scene.views.say_unsaid(unsaid)
    else
      scene.unsaid = table.move(scene.unsaid, 1, #scene.unsaid, #unsaid + 1, unsaid)
      take_back(parting)
      take_back(newcomers)
      skynet.error("scene: " .. tostring(message)) -- memory is short; a later tick tells all
    end
  end

  -- One tick: the user's hook, and then all is told.
  function ticks.run()
    if not parts.handlers.has_tick() then
      ticks.tell()
      return
    end
    -- What the hook changes is told with this tick; one that waits holds nothing up.
    local waits, ok, message = coroutine.running(), nil, nil
    skynet.fork(parts.handlers.tick)
    skynet.fork(function()
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

  -- What is noted for the next tick, for a save; those of a tick that waits in a handler are in it.
  function ticks.notes()
    return {
      parting = all_notes(scene.parting),
      newcomers = all_notes(scene.newcomers),
      unsaid = scene.unsaid,
    }
  end

  return ticks
end
