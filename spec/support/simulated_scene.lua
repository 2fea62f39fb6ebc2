-- Scenes and agents on a simulated process (simulation.lua), for specs that ask them and look at what they
-- are told. Agents are of spec/world/agent.lua.
local simulation = require "spec.support.simulation"

local Scenes = {}
Scenes.__index = Scenes

local simulated_scene = {}

function simulated_scene.new(seed)
  local self = setmetatable({ all = simulation.new(seed or 1) }, Scenes)
  self.process = self.all:start_process "a"
  self.driver = self.process:start_service(function(load)
    self.skynet = load "skynet"
  end)
  return self
end

-- Starts a scene that ticks by its command alone, unless words say otherwise.
function Scenes:scene(...)
  local scene = self.process:start_service(simulation.path_of "scene", "engine=crosslist", "radius=20",
    "tick=3600000", ...)
  self.all:run(10)
  return scene
end

-- Starts an agent for a scene.
function Scenes:agent(scene)
  local agent = self.process:start_service(simulation.path_of "agent", scene.handle)
  self.all:run(10)
  return agent
end

-- Asks without waiting. The list that this returns gets what pcall gives of the call, and n, when it is here.
function Scenes:send_off(to, ...)
  local words, result = table.pack(...), {}
  self.skynet.fork(function()
    local answer = table.pack(pcall(simulation.call, self.driver, to, table.unpack(words, 1, words.n)))
    table.move(answer, 1, answer.n, 1, result)
    result.n = answer.n
  end)
  return result
end

-- As send_off, when the command has arrived, and done what it does before it waits.
function Scenes:begin(...)
  local result = self:send_off(...)
  self.all:run(20)
  return result
end

-- Where the client of an agent believes to be, and what it knows of what its entity sees. id: the entity;
-- nil: the one that joined.
function Scenes:where(agent)
  local _, scene = self:ask(agent, "view", "scene")
  return scene
end

function Scenes:known(agent, id)
  local _, known = self:ask(agent, "view", "known", id)
  return known
end

-- The answer of a service to a command; nil and a message when it refuses, or the call fails.
function Scenes:ask(to, ...)
  local result = self:send_off(to, ...)
  assert(self.all:run_until(60000, function() return result.n end), "nobody answers")
  if not result[1] then
    return nil, tostring(result[2])
  end
  return table.unpack(result, 2, result.n)
end

-- Runs a tick, and all that comes of it.
function Scenes:tick(scene)
  assert(self:ask(scene, "tick"))
  self.all:run(20)
end

-- The events that an agent has heard since the last time: a list of lists, each the name of a callback and
-- its arguments.
function Scenes:heard(agent)
  self.all:run(20)
  return (self:ask(agent, "heard"))
end

return simulated_scene
