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

return {
  { name = "scene_dies", weight = 2, run = scene_dies },
  { name = "caller_of_scene_dies", weight = 3, run = caller_of_scene_dies },
  { name = "caller_of_agent_dies", weight = 3, run = caller_of_agent_dies },
}
