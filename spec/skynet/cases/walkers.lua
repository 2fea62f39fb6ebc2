-- 200 agents, 60 ticks: what each of them receives, against the model. They walk and jump, join and leave,
-- exit and are killed; the scene's code is reloaded, and the scene is saved and loaded into another service.
local skynet = require "skynet"
local Expected = require "spec.skynet.expected"
local harness = require "spec.skynet.harness"
local Random = require "spec.support.random"

local AGENTS, TICKS = 200, 60
local SIDE, RADIUS, STEP = 400, 50, 12

local function options_in_words(options)
  local words = { harness.BY_HAND, "probe=200" }
  for name, value in pairs(options) do
    words[#words + 1] = name .. "=" .. tostring(value)
  end
  return table.unpack(words)
end

local World = {}
World.__index = World

local function new_world(options, seed)
  local self = setmetatable({}, World)
  self.random = Random.new(seed)
  self.options = options
  self.expected = Expected.new(options)
  self.model = self.expected.model
  self.scene = harness.scene(options_in_words(options))
  self.agents = {}  -- id -> address of those inside
  self.parting = {} -- id -> address of those that have left since the last tick
  self.idle = {}    -- agents outside
  self.told = {}    -- set of ids that the next tick tells all, even if that is nothing
  self.next_id = 1
  return self
end

function World:place()
  return self.random:float(0, SIDE), self.random:float(0, SIDE)
end

function World:call(agent, ...)
  return harness.command(agent, "call", self.scene, ...)
end

function World:join(id)
  local agent = table.remove(self.idle) or harness.agent()
  id = id or self.next_id
  self.next_id = math.max(self.next_id, id + 1)
  local opts = self.random:pick {
    {}, {}, { radius = 20 }, { radius = 120 }, { mode = "w" }, { mode = "m" }, { layers = 2 },
    { sees_layers = 1 },
  }
  local x, y = self:place()
  self:call(agent, "enter", id, x, y, opts)
  self.model:enter(id, x, y, opts)
  self.agents[id], self.told[id] = agent, true
end

function World:leave(id)
  self:call(self.agents[id], "leave", id)
  self.model:leave(id)
  self.parting[id] = self.agents[id]
  self.agents[id] = nil
end

-- The agent is gone without a word. The scene finds out by itself.
function World:lose(id, how)
  local agent = self.agents[id]
  if how == "exit" then
    skynet.send(agent, "lua", "exit")
  else
    harness.kill(agent)
  end
  self.model:leave(id)
  self.agents[id] = nil
  harness.wait_until(5, "the scene removes an agent that is gone by " .. how, function()
    return not harness.command(self.scene, "query", "has", id)
  end)
end

function World:move(id, x, y)
  self:call(self.agents[id], "move", id, x, y)
  self.model:move(id, x, y)
end

function World:walk(id)
  local place = self.model.entities[id]
  local function step(from)
    return math.max(0, math.min(SIDE, from + self.random:float(-STEP, STEP)))
  end
  self:move(id, step(place.x), step(place.y))
end

function World:pick()
  local ids = {}
  for id in pairs(self.agents) do
    ids[#ids + 1] = id
  end
  table.sort(ids)
  return self.random:pick(ids)
end

-- Ticks, and compares what everybody heard.
function World:tick(number)
  harness.command(self.scene, "tick")
  local expected = self.expected:tick()
  local count = 0
  for id, agent in pairs(self.agents) do
    Expected.compare(harness.tell(agent, "take"), expected[id], ("tick %d, entity %d"):format(number, id),
      self.told[id])
    count = count + (expected[id] and 1 or 0)
  end
  -- An agent that has left hears of it; afterwards it is free for another entity.
  for id, agent in pairs(self.parting) do
    Expected.compare(harness.tell(agent, "take"), expected[id], ("tick %d, left %d"):format(number, id), true)
    table.insert(self.idle, agent)
  end
  self.parting, self.told = {}, {}
  return count
end

function World:changes()
  local random = self.random
  for id in pairs(self.agents) do
    if self.agents[id] then
      for _ = 1, random:integer(0, 2) do
        self:walk(id)
      end
    end
  end
  for _ = 1, 3 do
    self:move(self:pick(), self:place()) -- jumps
  end
  for _ = 1, random:integer(0, 2) do
    self:leave(self:pick())
  end
  while random:chance(0.5) do
    self:join()
  end
end

-- Leaves and comes back before the tick: as if it had stayed.
function World:leave_and_return()
  local id = self:pick()
  local agent = self.agents[id]
  self:call(agent, "leave", id)
  self.model:leave(id)
  local x, y = self:place()
  self:call(agent, "enter", id, x, y)
  self.model:enter(id, x, y)
  self.told[id] = true
end

function World:save_and_load()
  local saved = harness.command(self.scene, "save")
  local old = self.scene
  self.scene = harness.scene(options_in_words(self.options))
  harness.command(self.scene, "load", saved)
  for id, agent in pairs(self.agents) do
    harness.equal(1, harness.tell(agent, "take").messages, "told where the scene is now: " .. id)
    self.told[id] = true
  end
  harness.stop(old)
end

local function run(options, seed)
  local world = new_world(options, seed)
  for _ = 1, AGENTS do
    world:join()
  end
  local learned = 0
  for tick = 1, TICKS do
    learned = learned + world:tick(tick)
    world:changes()
    if tick % 7 == 0 then
      world:lose(world:pick(), "exit")
    end
    if tick % 11 == 0 then
      world:lose(world:pick(), "kill")
    end
    if tick % 5 == 0 then
      world:leave_and_return()
    end
    if tick % 20 == 0 then
      harness.command(world.scene, "reload")
    end
    if tick % 25 == 0 then
      world:save_and_load()
      world:changes()
    end
  end
  learned = learned + world:tick(TICKS + 1)
  harness.is_true(learned > AGENTS * TICKS / 2, "too little happens in this test")
  local entities, services = 0, 0
  for _, agent in pairs(world.agents) do
    entities = entities + 1
    harness.stop(agent)
  end
  for _, agent in ipairs(world.idle) do
    services = services + 1
    harness.stop(agent)
  end
  harness.wait_until(5, "the scene is empty when all agents are gone", function()
    local stats = harness.stats(world.scene)
    return stats.entities == 0 and stats.addresses == 0
  end)
  harness.stop(world.scene)
end

local cases = {}
local ENGINES = {
  { engine = "grid", width = SIDE, height = SIDE, radius = RADIUS },
  { engine = "crosslist", radius = RADIUS, shape = "circle" },
  { engine = "quadtree", width = SIDE, height = SIDE, radius = RADIUS },
}
for seed, options in ipairs(ENGINES) do
  cases[#cases + 1] = {
    name = ("%d agents, %d ticks, %s, against the model"):format(AGENTS, TICKS, options.engine),
    run = function()
      run(options, tonumber(os.getenv "SEED" or "") or seed)
    end,
  }
end
return cases
