-- The life of the entities of a scene, for the user's handlers: the hooks joined, ended and taken_over of
-- their module, and what handlers may ask of an entity beside the space. In a region of a world they are of
-- the entities that it owns: a hand-over ends a life there, and begins one in the other region.
--
-- Each stay has one `joined` and one `ended`. Commands note what has happened and then have the hooks run:
-- after the fact, before the answer, each in a coroutine of its own.
local skynet = require "skynet"
local blocks = require "aoi.skynet.blocks"

-- `scene` is the table of scene.lua; `parts` has handlers, ticks and entities, each of the file of its name.
return function(scene, parts)
  local lives = {}

  local due = {}       -- list of { hook, id, ... }: to be run
  local gone = {}      -- set of entities that have ended since the last tick
  local starting = 0   -- how many commands wait for their hooks to run
  local held = 0       -- how many commands run whose hooks run later
  local is_over = false -- true while another space takes the place of this one: nobody's life counts

  local function note(hook, id, ...)
    if not is_over and parts.handlers.has(hook) then
      due[#due + 1] = table.pack(hook, id, ...)
    end
  end

  local function released(ok, ...)
    held = held - 1
    if not ok then
      error((...), 0)
    end
    return ...
  end

  -- Calls f(...), which does not wait, and runs no hooks in it. A region does so: only when a command is done
  -- does it know that an entity is its own, and hooks may change just these.
  function lives.hold(f, ...)
    held = held + 1
    return released(pcall(f, ...))
  end

  -- Starts the hooks of what was noted, in order. Returns when each of them has ended, or waits for
  -- something.
  function lives.run()
    if not due[1] or held > 0 then
      return
    end
    local list, this = due, coroutine.running()
    due, starting = {}, starting + 1
    for _, call in ipairs(list) do
      skynet.fork(parts.handlers.run, table.unpack(call, 1, call.n))
    end
    skynet.fork(function()
      skynet.wakeup(this)
    end)
    skynet.wait(this)
    starting = starting - 1
  end

  -- Calls f in a coroutine of its own, once nobody waits in `run`: that is no wait for anything, as all that
  -- do go on before the next message.
  function lives.when_started(f)
    skynet.fork(function()
      if starting > 0 then
        lives.when_started(f)
      else
        f()
      end
    end)
  end

  -- A tick begins.
  function lives.begin_tick()
    if next(gone) then
      gone = {}
    end
  end

  -- An entity has entered. how: as the hook gets it; nil: new, or back when it has ended since the last tick.
  function lives.joined(id, how)
    note("joined", id, how or gone[id] and "back" or "new")
    gone[id] = nil
  end

  -- Another address has taken over an entity that was there already.
  function lives.taken_over(id)
    note("taken_over", id)
  end

  -- The last state of an entity that is about to leave, for the hook `ended`; nil when there is no such hook.
  function lives.last(id)
    if not parts.handlers.has "ended" then
      return nil
    end
    local last = { scene.space:position(id) }
    last.data, last.properties = scene.details:values(id)
    last.extras = scene.extra_values.n > 0 and { scene.extra_values:values(id) } or nil
    return last
  end

  -- An entity has left. last: of lives.last, from before.
  function lives.ended(id, why, last)
    note("ended", id, why, last)
    gone[id] = parts.ticks.are_on() or nil
  end

  -- Why an entity leaves at the wish of this service, or of handlers: false. nil when nobody asks.
  function lives.why(id, source)
    if not parts.handlers.has "ended" then
      return nil
    end
    local is_own = source and (source == scene.addresses.of[id] or source == scene.addresses.sender[id])
    return is_own and "left" or "removed"
  end

  -- ---- another space --------------------------------------------------------------------------

  local function ids_in_order()
    local ids = {}
    for _, id in ipairs((scene.space:ids())) do
      ids[#ids + 1] = (not scene.owned or scene.owned[id]) and id or nil
    end
    table.sort(ids)
    return ids
  end

  -- Before another space takes the place of this one: all that are here have ended. Until `begin` no life
  -- counts.
  function lives.finish()
    parts.entities.finish_all()
    for _, id in ipairs(ids_in_order()) do
      lives.ended(id, "replaced", lives.last(id))
    end
    is_over = true
    lives.run()
  end

  -- A module takes over, and the entities that are here have come back, from a store or a save.
  function lives.begin()
    is_over, gone, due = false, {}, {}
    for _, id in ipairs(ids_in_order()) do
      lives.joined(id, "restored")
    end
    lives.run()
  end

  -- ---- what handlers may ask ------------------------------------------------------------------

  local function known(id)
    local key = math.type(id) and math.tointeger(id)
    return key and scene.space:has(key) and key or nil
  end

  -- A property of an entity; nil: it has none of this key, or there is no such entity.
  function scene.property(id, key)
    return known(id) and key ~= blocks.DATA and scene.details:value(known(id), key) or nil
  end

  -- The data of an entity; nil: none.
  function scene.data(id)
    return known(id) and scene.details:value(known(id), blocks.DATA) or nil
  end

  -- The extras of an entity: e1, ..., as many as the scene has; nil: there is no such entity.
  function scene.extras(id)
    local key = known(id)
    if key then
      return scene.extra_values:values(key)
    end
    return nil
  end

  -- The address that is told what the entity sees; nil: none. In a world it is a text that commands take.
  function scene.address(id)
    return known(id) and scene.addresses.of[known(id)]
  end

  return lives
end
