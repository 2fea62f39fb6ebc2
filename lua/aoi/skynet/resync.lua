-- Telling an entity's address again all that it sees, for one that has missed something: at most once a
-- second for each entity.
local skynet = require "skynet"

local SECOND = 100 -- in skynet's hundredths

-- `scene` is the table of scene.lua, `ticks` of ticks.lua.
return function(scene, ticks)
  local resync = {}

  local asked = {} -- set of entities
  local told = {}  -- entity -> when it was told all by this last

  -- To be told after the next tick, but not before a second after the last time. Returns true, or nil and a
  -- message.
  function resync.ask(id)
    local key = math.type(id) and math.tointeger(id)
    if not key or not scene.space:has(key) then
      return nil, ("resync: entity %s is unknown"):format(tostring(id))
    elseif not scene.addresses.of[key] then
      return nil, ("resync: entity %d has no address"):format(key)
    end
    asked[key] = true
    local wait = (told[key] or -SECOND) + SECOND - skynet.now()
    if not ticks.are_on() and wait > 0 then
      skynet.timeout(wait, ticks.changed)
    else
      ticks.changed()
    end
    return true
  end

  -- Makes newcomers of those whose time has come.
  function resync.take_due()
    local now = skynet.now()
    for id in pairs(asked) do
      if not told[id] or now - told[id] >= SECOND then
        asked[id] = nil
        if scene.addresses.of[id] then
          told[id], scene.newcomers[id] = now, true
        end
      end
    end
  end

  -- The wish of an entity that another region owns from now on, for `put` there: whether it was asked for,
  -- and how long ago it was told all; nil: never.
  function resync.of(id)
    return asked[id], told[id] and skynet.now() - told[id]
  end

  function resync.put(id, is_asked, ago)
    asked[id], told[id] = is_asked, ago and skynet.now() - ago
  end

  -- All of it, for `load` in another process, whose clock is another.
  function resync.save()
    local ago = {}
    for id, moment in pairs(told) do
      ago[id] = skynet.now() - moment
    end
    return { asked = asked, ago = ago }
  end

  function resync.load(saved)
    asked = saved.asked
    for id, ago in pairs(saved.ago) do
      told[id] = skynet.now() - ago
    end
  end

  -- The entity is gone.
  function resync.forget(id)
    asked[id], told[id] = nil, nil
  end

  return resync
end
