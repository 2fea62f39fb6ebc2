-- Regions tell each agent, packet by packet, what one scene tells that is given the same commands tick by
-- tick: with slack, crowds, radius classes, layers, modes, data and properties, said, births, deaths,
-- returns, teleports, other addresses and resyncs; with the commands of other nodes a tick late; and with
-- regions that are saved and loaded by another service between two ticks.
--
-- SEED=n replays one world, SEQUENCES=n runs more of them.

local Random = require "spec.support.random"
local seeds = require "spec.support.seeds"
local services = require "spec.support.services"

local SIDE, WORLDS, TICKS = 120, 30, 40

-- Modules that know skynet, and those that use them: loaded with the skynet of this spec.
local machine, Listeners, World, world_map

local sums_compared, is_refusing = 0, nil

local listeners_of -- scene and world: who hears them
local speaks       -- which of these

setup(function()
  machine = services.new(function(address, text)
    if address < 1 << 32 then -- a region sends to a service of its own node
      address = World.address(address // 1000, address)
    end
    listeners_of[speaks]:deliver(address, text)
  end)
  Listeners = require "spec.support.listeners"
  World = require "spec.support.world_in_process"
  world_map = require "aoi.skynet.world.map"
  -- Regions compare their ghosts in each tick, and are never found to differ but where one has shown what it
  -- was refused.
  local ghost_sums = require "aoi.skynet.region.ghost_sums"
  local GhostSums = getmetatable(ghost_sums.new()).__index
  local compare = GhostSums.compare
  ghost_sums.PERIOD = 1
  local judge = World.judge
  function World.judge(self, news)
    local refused, overruled = judge(self, news)
    is_refusing = #refused + #overruled > 0
    return refused, overruled
  end
  function GhostSums.compare(self, ...)
    local asked = compare(self, ...)
    assert.is_true(asked == 0 or is_refusing)
    sums_compared = sums_compared + 1
    return asked
  end
end)

teardown(function()
  machine.close()
end)

-- ---- a world ----------------------------------------------------------------------------------

local function words_of(options)
  local words = {}
  for name, value in pairs(options) do
    words[#words + 1] = ("%s=%s"):format(name, value)
  end
  table.sort(words)
  return words
end

local function scene_options(random)
  local options = random:pick {
    { engine = "grid", width = SIDE, height = SIDE },
    { engine = "quadtree", width = SIDE, height = SIDE, capacity = 2 },
    { engine = "crosslist" },
  }
  options.shape = random:pick { "square", "circle" }
  options.dims = random:pick { 2, 2, 3 }
  options.radius = random:pick { 4, 8, 8 }
  options.slack = random:pick { 0, 0, 1.5, 3 }
  options.tick = 100
  if options.engine == "crosslist" and random:chance(0.3) then
    options.radius = nil
  end
  return options
end

local function add_crowd(random, options)
  options.limit = random:pick { 1, 2, 3, 5, "huge" }
  options.enter_budget = random:chance(0.3) and random:pick { 1, 2 } or nil
  options.rates = random:chance(0.5) and random:pick { "3:1,6:2,huge:5", "4:2,huge:3", "0:1,huge:7" } or nil
  options.move_budget = random:chance(0.4) and random:pick { 1, 2, 4 } or nil
  options.keep_factor = random:pick { 1, 1.2, 2 }
  options.limit_layers = random:pick { -1, -1, 1, 6 }
end

local Pair = {} -- a scene and a world that are sent the same
Pair.__index = Pair

local function new_pair(seed)
  local random = Random.new(seed)
  local options = scene_options(random)
  local self = setmetatable({
    random = random, dims = options.dims, has_radius = options.radius ~= nil, stream = 0,
    replaced = 0,
    sent = {},    -- stamp -> { source, name, id, ... }
    inside = {},  -- entity -> place, as its agent believes
    address = {}, -- entity -> address, as the scene has it
  }, Pair)
  self.is_crowd = random:chance(0.6)
  if self.is_crowd then
    add_crowd(random, options)
  end
  self.ids = random:integer(10, 40)
  self.stay_share, self.chaos = random:pick { 0.05, 0.5, 0.95 }, random:pick { 0.02, 0.1, 0.3 }
  self.teleport_share = random:pick { 0.01, 0.1 }
  self.pace = random:pick { 1, 10 } -- hundredths of a second in a tick
  self.show_share = random:pick { 0, 0, 0.5 }
  self.replace_share = random:pick { 0, 0.1, 1 }
  self.has_streams = random:chance(0.5)
  local shape = random:pick { { 2, 1 }, { 2, 2 }, { 3, 3 } }
  local n_nodes = random:pick { 1, 2, 3 }
  local world_words = {
    columns = shape[1], rows = shape[2], x = 0, y = 0, width = SIDE, height = SIDE, max_radius = 16,
    margin = random:pick { 0, 1, 4 }, nodes = ("a,b,c"):sub(1, 2 * n_nodes - 1), patience = 0, log = "log",
  }
  self.n_nodes = n_nodes
  listeners_of = { scene = Listeners.new(), world = Listeners.new() }
  self.scene = machine.start("lua/aoi/skynet/scene.lua", 50, words_of(options))
  for name, value in pairs(options) do
    world_words[name] = value
  end
  local words = words_of(world_words)
  local of_map = table.move(words, 1, #words, 1, {})
  of_map[#of_map + 1] = "node=a"
  self.world = World.new(machine, world_map.new(of_map), words, function(address, text)
    listeners_of.world:deliver(address, text)
  end, self.dims)
  return self
end

-- ---- commands ---------------------------------------------------------------------------------

function Pair:agent(id, offset)
  local node = (id + (offset or 0)) % self.n_nodes + 1
  return node, World.address(node, 1000 * node + id // 3)
end

function Pair:send(id, name, ...)
  local node, source = self:agent(id, self.offset)
  local stamp = self.world:send(node, source, self.random:integer(0, 1), name, id, ...)
  self.sent[stamp] = table.pack(source, name, id, ...)
end

-- Mostly about the borders and corners of regions.
function Pair:some_place()
  local random, map = self.random, self.world.map
  local function about(borders, n)
    if random:chance(0.3) then
      return random:float(0, SIDE)
    end
    local border = n > 1 and borders[random:integer(1, n - 1)] or SIDE / 2
    return border + (random:chance(0.2) and 0 or random:float(-14, 14))
  end
  return { about(map.x_borders, map.columns), about(map.y_borders, map.rows),
    self.dims == 3 and random:pick { 0, 0, 3, 6 } or nil }
end

function Pair:some_address(opts, id)
  local random = self.random
  if self.has_streams then
    self.stream = self.stream + 1
    opts.stream = self.stream
  end
  local what = random:integer(1, 6)
  if what == 1 then
    opts.address = false
    opts.stream = nil
  elseif what == 2 then
    local _, address = self:agent(id, random:integer(0, 2))
    opts.address = address
  elseif what == 3 then
    local _, address = self:agent(id, self.offset)
    opts.address = address & 0xFFFFFFFF -- a service of the same node
  end
end

function Pair:some_opts()
  local random, opts = self.random, {}
  opts.mode = random:pick { "wm", "wm", "wm", "w", "m" }
  if random:chance(0.3) or not self.has_radius then
    opts.radius = random:pick { 0, 3, 8, 16 }
  end
  opts.layers = random:chance(0.2) and random:pick { 1, 2, 3, 6 } or nil
  opts.sees_layers = random:chance(0.2) and random:pick { 1, 2, 3, -1 } or nil
  if self.is_crowd then
    opts.limit = random:chance(0.2) and random:pick { 0, 1, 3, math.huge } or nil
    opts.importance = random:chance(0.2) and random:pick { 0, 1, 9 } or nil
  end
  opts.data = random:chance(0.3) and random:pick { "", "elf", "orc" } or nil
  return opts
end

local function with_opts(place, opts)
  local arguments = table.move(place, 1, #place, 1, {})
  arguments[#arguments + 1] = opts
  return table.unpack(arguments)
end

function Pair:enter(id)
  local place, opts = self:some_place(), self:some_opts()
  self:some_address(opts, id)
  self.inside[id] = place
  self:send(id, "enter", with_opts(place, opts))
end

function Pair:update(id)
  local random, place, opts = self.random, self:some_place(), self:some_opts()
  if random:chance(0.3) then
    self:some_address(opts, id)
  end
  self.inside[id] = place
  self:send(id, "update", with_opts(place, random:chance(0.7) and opts or nil))
end

function Pair:set(id)
  local random = self.random
  self:send(id, "set_property", random:integer(0, 3),
    random:pick { false, 1, 2.5, "red", "a longer text" } or nil)
end

local CHANGES = {
  set = Pair.set,
  update = Pair.update,
  again = Pair.enter, -- refused
  leave = function(self, id)
    self.inside[id] = nil
    self:send(id, "leave")
  end,
  back = function(self, id)
    self:send(id, "leave")
    self:enter(id)
  end,
  mode = function(self, id) self:send(id, "set_mode", self.random:pick { "wm", "wm", "w", "m" }) end,
  radius = function(self, id) self:send(id, "set_radius", self.random:pick { 0, 4, 8, 16, 16, 20 }) end,
  layers = function(self, id) self:send(id, "set_layers", self.random:pick { 1, 2, 3, -1 }) end,
  sees_layers = function(self, id) self:send(id, "set_sees_layers", self.random:pick { 1, 2, 3, -1 }) end,
  resync = function(self, id) self:send(id, "resync") end,
  say = function(self, id) self:send(id, "say", "words " .. self.random:integer(1, 99)) end,
  limit = function(self, id) self:send(id, "set_limit", self.random:pick { 0, 1, 2, math.huge }) end,
  importance = function(self, id) self:send(id, "set_importance", self.random:pick { 0, 1, 9 }) end,
  pin = function(self, id) self:send(id, "pin", self.random:integer(1, self.ids)) end,
  unpin = function(self, id) self:send(id, "unpin", self.random:integer(1, self.ids)) end,
}
local NAMES = {}
for name in pairs(CHANGES) do
  NAMES[#NAMES + 1] = name
end
table.sort(NAMES)
for _ = 1, 8 do
  NAMES[#NAMES + 1], NAMES[#NAMES + 2] = "set", "say"
end

function Pair:step(id)
  local random, from = self.random, self.inside[id]
  local place
  if random:chance(self.teleport_share) then
    place = self:some_place()
  else
    place = { math.max(0, math.min(SIDE, from[1] + random:float(-3, 3))),
      math.max(0, math.min(SIDE, from[2] + random:float(-3, 3))), from[3] }
  end
  self.inside[id] = place
  self:send(id, "move", table.unpack(place))
end

function Pair:act()
  local random = self.random
  for id = 1, self.ids do
    if not self.inside[id] then
      if random:chance(0.3) then
        self:enter(id)
        if random:chance(0.2) then
          self.offset = self.n_nodes - 1 -- another node lets it enter, too
          self:enter(id)
          self.offset = nil
        end
      end
    else
      if not random:chance(self.stay_share) then
        self:step(id)
      end
      if random:chance(self.chaos) then
        CHANGES[random:pick(NAMES)](self, id)
      end
    end
  end
end

-- Regions forget what others have shown them, and are shown it again with the next tick: nobody hears of it.
function Pair:show_again()
  local random, regions = self.random, self.world.regions
  local from, to = random:integer(1, #regions), random:integer(1, #regions)
  if from ~= to then
    if random:chance(0.7) then
      regions[to](1, "forget_region", from)
    end
    regions[from](1, "show_all", to)
  end
end

-- Regions move to other nodes, or to another service of their own.
function Pair:replace_some()
  local random = self.random
  for number in ipairs(self.world.regions) do
    if random:chance(self.replace_share) then
      self.world:replace(number, random:integer(1, self.n_nodes))
      self.replaced = self.replaced + 1
    end
  end
end

-- ---- comparing --------------------------------------------------------------------------------

-- The address of a bare handle is that of the sender's node.
local function resolved(value, source)
  if math.type(value) == "integer" and value < 1 << 32 then
    return source & ~0xFFFFFFFF | value
  end
  return value
end

-- Makes the scene do what the log says. Returns what was said.
function Pair:replay(log)
  local lines, said = {}, {}
  for _, text in ipairs(log) do
    local line = load("return " .. text)()
    if line.ok then -- not of hand-overs
      lines[#lines + 1] = line
    end
  end
  table.sort(lines, function(a, b) return a.stamp < b.stamp end)
  for _, line in ipairs(lines) do
    local sent = self.sent[line.stamp]
    local source, name, id = sent[1], sent[2], sent[3]
    assert.equal(name, line[1])
    assert.equal(id, line[2])
    local opts = type(sent[sent.n]) == "table" and sent[sent.n] or {}
    opts.address = resolved(opts.address, source)
    if name == "say" then
      said[#said + 1] = line
    else
      local ok, message = self.scene(source, table.unpack(sent, 2, sent.n))
      assert(ok, message)
      if name == "leave" then
        self.address[id] = nil
      elseif name == "enter" or name == "update" and (ok == true and message == true) then
        self.address[id] = opts.address == nil and source or opts.address or nil
      elseif opts.address ~= nil then
        self.address[id] = opts.address or nil
      end
    end
  end
  return said
end

function Pair:expect_said(said)
  for _, line in ipairs(said) do
    local ids, n = self.scene(1, "query", "told_watchers_of", line[2])
    for i = 1, ids and n or 0 do
      local address = self.address[ids[i]]
      if address then
        listeners_of.scene:add(address, ids[i], "hears", line[2], line[3])
      end
    end
  end
end

function Pair:run()
  local compared = 0
  for number = 1, TICKS do
    self:act()
    if self.random:chance(self.show_share) then
      self:show_again()
    end
    self:replace_some()
    machine.time = number * self.pace
    speaks = "world"
    local _, log = self.world:run_tick()
    speaks = "scene"
    local said = self:replay(log)
    self.scene(1, "tick")
    self:expect_said(said)
    local expected, n = listeners_of.scene:take()
    local found = listeners_of.world:take()
    if expected ~= found then
      assert.equal("tick " .. number .. "\n" .. expected, "tick " .. number .. "\n" .. found)
    end
    compared = compared + n
    if number % 8 == 0 then
      assert.equal(listeners_of.scene:known_text(), listeners_of.world:known_text())
    end
  end
  assert.same({}, machine.errors)
  return compared
end

-- ---- the tests --------------------------------------------------------------------------------

describe("Regions tell what one scene tells", function()
  for _, group in ipairs(seeds.groups(WORLDS)) do
    it(("in worlds %d to %d"):format(group.first, group.last), function()
      local compared, hand_overs, refused, replaced = 0, 0, 0, 0
      for seed = group.first, group.last do
        local pair = new_pair(seed)
        local ok, problem = pcall(pair.run, pair)
        if not ok then
          error(("SEED=%d\n%s"):format(seed, tostring(problem)), 0)
        end
        compared = compared + problem
        hand_overs, refused = hand_overs + pair.world.hand_overs, refused + pair.world.refused
        replaced = replaced + pair.replaced
      end
      if group.last - group.first > 10 then
        assert.is_true(compared > 2000 and hand_overs > 300 and refused > 5 and replaced > 300)
        assert.is_true(sums_compared > 500, sums_compared)
      end
    end)
  end
end)
