-- Disasters that happen to services in the churn run: a list, of which main.lua draws. A kind is a function
-- of the run and a line in the list, as in events.lua.
local skynet = require "skynet"
local maps = require "spec.skynet.churn.maps"

-- A scene is killed, and comes back from its store; one without a store comes back empty.
local function scene_dies(run)
  local map = run.random:pick(maps.list)
  skynet.call(run.guide, "lua", "ended", map.name)
  maps.kill(map)
  skynet.sleep(run.random:integer(0, 30))
  skynet.call(run.guide, "lua", "set", map.name, maps.start(map))
end

-- A service dies with answers of a scene in its queue.
local function caller_of_scene_dies(run)
  local map = run.random:pick(maps.list)
  skynet.newservice("churn/caller", map.scene, run.random:integer(100, 1500))
end

-- A service dies with answers of an agent in its queue.
local function caller_of_agent_dies(run)
  local agent = skynet.call(run.gate, "lua", "agent", run.random:integer(1, run.clients))
  if agent then
    skynet.newservice("churn/caller", agent, run.random:integer(20, 200))
  end
end

local MANY = 30

-- Somebody else's doing for some entities, where they are. taken(id, map), or nil: is called for each command
-- that the scene has taken.
local function each_of_some(run, act, taken)
  local map = run.random:pick(maps.list)
  for _ = 1, MANY do
    local id = run.random:integer(1, run.clients)
    local called, answer = pcall(skynet.call, map.scene, "lua", act(id, map))
    if taken and called and answer then
      taken(id, map)
    end
  end
end

-- To whole numbers: see client.lua.
local function push(run)
  each_of_some(run, function(id, map)
    local side = maps.side[map.name]
    local x, y = run.random:integer(0, side), run.random:integer(0, side)
    return "move", id, x, y, maps.extra(x, y)
  end)
end

local function wound(run)
  each_of_some(run, function(id)
    return "set_property", id, maps.WOUND, run.random:chance(0.8) and run.random:integer(1, 99) or nil
  end)
end

-- Sights: by the game's word, by eyes for some layers alone, and from far.
local function set_sight(run)
  each_of_some(run, function(id)
    local how
    if run.random:chance(0.8) then
      how = run.random:chance(0.6)
    end
    return "set_sight", id, run.random:integer(1, run.clients), how
  end)
end

local function set_traits(run)
  each_of_some(run, function(id)
    return "set_traits", id, { sees_layers = run.random:pick { maps.SPIES, maps.ALL_LAYERS, maps.ALL_LAYERS },
      visible_radius = run.random:chance(0.3) and run.random:integer(0, 90) or nil }
  end)
end

local function notify(run)
  each_of_some(run, function(id, map)
    run.notices = run.notices + 1
    return "notify", id, map.name, run.notices
  end, function(id, map)
    table.insert(run.taken,
      { id = id, map = map.name, scene = map.scene, number = run.notices, at = skynet.now() })
  end)
end

return {
  { name = "notify", weight = 5, run = notify },
  { name = "push", weight = 5, run = push },
  { name = "wound", weight = 4, run = wound },
  { name = "sight", weight = 3, run = set_sight },
  { name = "traits", weight = 3, run = set_traits },
  { name = "scene_dies", weight = 3, run = scene_dies },
  { name = "caller_of_scene_dies", weight = 3, run = caller_of_scene_dies },
  { name = "caller_of_agent_dies", weight = 3, run = caller_of_agent_dies },
}
