-- Handlers of a region for its spec: each entity has a mind, a counter that goes along.
--
-- It grows with every tick where the entity is owned. An entity whose mind is 1 steps aside in the tick. The
-- command `heard` gives what on_area was told since the last one.
local skynet = require "skynet"

return function(scene)
  local minds, heard = {}, {}
  return {
    commands = {
      give = function(_, id, address)
        scene.set_traits(id, { address = address })
        return true
      end,
      think = function(_, id, mind)
        minds[id] = mind
        return true
      end,
      mind = function(_, id)
        return minds[id] or "none"
      end,
      heard = function()
        local list = heard
        heard = {}
        table.sort(list)
        return list
      end,
      step = function(_, ...)
        return scene.move(...)
      end,
      talk = function(_, ...)
        return scene.say(...)
      end,
      later = function(_, name, ...) -- runs a command when it is woken up
        skynet.wait("later " .. name)
        return scene[name](...)
      end,
    },
    on_area = function(area, marker, op)
      heard[#heard + 1] = ("%d %s %d"):format(area, op, marker)
    end,
    save = function()
      return minds
    end,
    load = function(saved)
      minds = saved
    end,
    tick = function()
      for id, mind in pairs(minds) do
        minds[id] = mind + 1
        if mind == 0 then
          local x, y = scene.space:position(id)
          scene.move(id, x, y + 5)
        end
      end
    end,
    pack = function(id)
      local mind = minds[id]
      minds[id] = nil
      return mind and "mind " .. mind
    end,
    unpack = function(id, packed)
      minds[id] = math.tointeger(packed:match "%d+")
    end,
  }
end
