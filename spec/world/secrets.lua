-- Handlers of a world of rich wanderers (traits.lua): who may know which properties, and a value for each
-- entity that goes where it goes. They complain in the log where an entity joins or ends twice.
local skynet = require "skynet"

return function(scene)
  local kept, is_here = {}, {}

  local function keep(id, value)
    kept[id] = value
    scene.log(id, value)
  end

  local function complain(text, id, how)
    skynet.error(("secrets: region %d: entity %d %s: %s"):format(scene.region, id, text, how))
  end

  return {
    properties = { [1] = { layers = 2 }, [2] = { to = "me" } },
    commands = {
      keep = function(_, id, value)
        if not is_here[id] then
          return nil, ("keep: entity %d is unknown"):format(id)
        end
        keep(id, value)
        return true
      end,
      kept = function(_, id)
        return kept[id] or "nothing"
      end,
    },
    joined = function(id, how)
      if is_here[id] then
        complain("joins, and is here", id, how)
      end
      is_here[id] = true
    end,
    ended = function(id, why)
      if not is_here[id] then
        complain("ends, and is not here", id, why)
      end
      is_here[id], kept[id] = nil, nil
    end,
    pack = function(id)
      return kept[id]
    end,
    unpack = keep,
    save = function() return kept end,
    load = function(saved) kept = saved end,
    logged = function(id, value) kept[id] = value end,
  }
end
