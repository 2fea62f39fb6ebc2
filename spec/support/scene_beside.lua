-- A world of four simulated nodes, and a scene beside it on the node of an agent: in which of both the
-- agent's entity, 9, is, and what the agent knows.
local assert = require "luassert"
local simulated_world = require "spec.support.simulated_world"

local A, C = 1, 4 -- nodes: of the coordinator, and of the agent and the scene
local OTHER = { 610, 100 }
local SCENE = { "engine=grid", "width=100", "height=100", "radius=20" }

local Beside = {}
Beside.__index = Beside

local scene_beside = {}

-- words: of the world, beside ours; tick: milliseconds, of the scene. The agent is the world's.
function scene_beside.new(words, tick)
  local all = { columns = 3, width = 750 }
  for name, value in pairs(words) do
    all[name] = value
  end
  local world = simulated_world.new { seed = 1, nodes = { "a", "b", "d", "c" }, wanderers = 0, words = all }
  world:wait_for_members()
  local self = setmetatable({ world = world, scene = nil, agent = nil }, Beside)
  self.scene = self:start_scene(tick)
  assert.is_true(world:ask(self.scene, "enter", 2, 50, 55, { address = false }))
  self.agent = world:start_agent(C)
  self:put_other()
  return self
end

function Beside:start_scene(tick)
  return self.world:start_service(C, "scene", "tick=" .. tick, table.unpack(SCENE))
end

-- Entity 1 is seen at the entity's place in the world, 2 in the scene.
function Beside:put_other()
  local world = self.world
  if not world:ask(world.worlds[A], "query", "has", 1) then
    world:ask(world.worlds[A], "enter", 1, OTHER[1], OTHER[2], { address = false })
    world:run(400)
  end
end

-- The ids that an agent knows of what entity 9 sees, as a text.
function Beside:seen_by(agent)
  local ok, markers = self.world:ask(agent, "view", "known", 9)
  local ids = {}
  for id in pairs(ok and markers or {}) do
    ids[#ids + 1] = id
  end
  return table.concat(ids, " ")
end

-- Where our agent thinks that it is: "scene", "world" or another text; and what it knows to be there.
function Beside:known()
  local world = self.world
  local _, at = world:ask(self.agent, "view", "scene")
  local places = { [self.scene.handle] = "scene", [world.worlds[C].handle] = "world" }
  return { places[at] or tostring(at), self:seen_by(self.agent) }
end

function Beside:is_in_scene()
  return self.world:ask(self.scene, "query", "has", 9)
end

-- The entity is the agent's, in the scene or in the world as said, and the agent knows that.
function Beside:check(is_in_scene)
  local world = self.world
  self:put_other()
  local where, is_there = world:ask(world.worlds[A], "where", 9), self:is_in_scene()
  assert.equal(not where, is_there)
  assert.equal(is_in_scene, is_there)
  assert.same(is_there and { "scene", "2" } or { "world", "1" }, self:known())
  assert.is_nil(world.all.failed[1])
end

return scene_beside
