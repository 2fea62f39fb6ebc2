-- Telling an entity's address again all that it sees, for one that has missed something: at most once a
-- second for each entity. The wish for it is a part of an entity, of parts.lua.
local skynet = require "skynet"

local SECOND = 100 -- in skynet's hundredths

-- `scene` is the table of scene.lua, `ticks` of ticks.lua.
return function(scene, ticks)
  local resync = { pack = {}, take = {}, save = {}, load = {} }

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

  -- Clocks differ: what goes along is how long ago it was told all; nil: never.
  function resync.pack.hand_over(id, luggage)
    luggage.asked, luggage.ago = asked[id], told[id] and skynet.now() - told[id]
  end

  function resync.take.hand_over(id, luggage)
    if luggage.address then
      asked[id], told[id] = luggage.asked, luggage.ago and skynet.now() - luggage.ago
    end
  end

  function resync.save.move(state)
    local ago = {}
    for id, moment in pairs(told) do
      ago[id] = skynet.now() - moment
    end
    state.resync = { asked = asked, ago = ago }
  end

  function resync.load.move(state)
    asked = state.resync.asked
    for id, ago in pairs(state.resync.ago) do
      told[id] = skynet.now() - ago
    end
  end

  function resync.forget(id)
    asked[id], told[id] = nil, nil
  end

  return resync
end
