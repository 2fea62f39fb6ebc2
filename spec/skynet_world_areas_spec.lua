-- Areas in a world: handlers of all regions together hear what those of one scene hear that is given the same
-- commands tick by tick, and questions have the same answers. Fixed areas of all shapes over borders, and
-- areas of owners that walk, teleport, leave and come back; commands of agents on all nodes and of handlers,
-- many of them wrong; regions that go to another node in between.
--
-- SEED=n replays one world, SEQUENCES=n runs more of them.
local Random = require "spec.support.random"
local seeds = require "spec.support.seeds"
local services = require "spec.support.services"

local SIDE, WORLDS, TICKS = 120, 12, 36
local FIXED, OWNED = 8, 100 -- fixed areas have ids up to FIXED, those with an owner are more than OWNED

local machine, World, world_map, heard

setup(function()
  machine = services.new(function() end)
  World = require "spec.support.world_in_process"
  world_map = require "aoi.skynet.world.map"
end)

teardown(function()
  machine.close()
end)

-- ---- a world and a scene ----------------------------------------------------------------------

local function words_of(options)
  local words = {}
  for name, value in pairs(options) do
    words[#words + 1] = ("%s=%s"):format(name, value)
  end
  table.sort(words)
  return words
end

local Pair = {}
Pair.__index = Pair

local function new_pair(seed)
  local random = Random.new(seed)
  local self = setmetatable({ random = random, ids = random:integer(10, 30), inside = {}, taken = 0,
    unanswered = {} }, Pair)
  local options = random:pick {
    { engine = "grid", width = SIDE, height = SIDE, radius = 8 },
    { engine = "quadtree", width = SIDE, height = SIDE, capacity = 2, radius = 4 },
    { engine = "crosslist", radius = 8 },
  }
  options.dims = random:pick { 2, 2, 3 }
  options.slack = random:pick { 0, 0, 1.5, 3 }
  options.tick, options.handlers = 100, "spec.support.area_handlers"
  self.dims, self.most_reach = options.dims, 16 + 2 * options.slack
  self.scene = machine.start("lua/aoi/skynet/scene.lua", 50, words_of(options))
  heard = package.loaded["spec.support.area_handlers_heard"]
  local shape, n_nodes = random:pick { { 2, 1 }, { 2, 2 }, { 3, 3 } }, random:pick { 1, 2, 3 }
  local of_world = {
    columns = shape[1], rows = shape[2], x = 0, y = 0, width = SIDE, height = SIDE, max_radius = 16,
    margin = random:pick { 0, 1, 4 }, nodes = ("a,b,c"):sub(1, 2 * n_nodes - 1), patience = 0, log = "log",
  }
  for name, value in pairs(options) do
    of_world[name] = value
  end
  local words = words_of(of_world)
  local of_map = table.move(words, 1, #words, 1, {})
  of_map[#of_map + 1] = "node=a"
  self.n_nodes = n_nodes
  self.world = World.new(machine, world_map.new(of_map), words, function() end, self.dims)
  return self
end

function Pair:send(id, name, ...)
  local node = id % self.n_nodes + 1
  return self.world:send(node, World.address(node, 1000), 1, name, ...)
end

function Pair:place()
  local random, map = self.random, self.world.map
  local function about(borders, n)
    if random:chance(0.3) then
      return random:float(0, SIDE)
    end
    local border = n > 1 and borders[random:integer(1, n - 1)] or SIDE / 2
    local exactly = random:chance(0.2) and random:pick { 0, map.margin, -map.margin }
    return border + (exactly or random:float(-14, 14))
  end
  return { about(map.x_borders, map.columns), about(map.y_borders, map.rows),
    self.dims == 3 and random:pick { 0, 0, 3, 6 } or nil }
end

-- ---- walkers ----------------------------------------------------------------------------------

function Pair:enter(id)
  local place, random = self:place(), self.random
  self.inside[id] = place
  local arguments = table.move(place, 1, #place, 1, {})
  arguments[#arguments + 1] = { address = false, mode = random:pick { "wm", "m", "m", "w" },
    layers = random:pick { 1, 2, 3 } }
  self:send(id, "enter", id, table.unpack(arguments))
end

function Pair:walk(id)
  local random, from = self.random, self.inside[id]
  if not from then
    if random:chance(0.4) then
      self:enter(id)
    end
  elseif random:chance(0.04) then
    self.inside[id] = nil
    self:send(id, "leave", id)
    if random:chance(0.5) then
      self:enter(id)
    end
  elseif random:chance(0.05) then
    self:send(id, "set_mode", id, random:pick { "wm", "m", "w" })
  else
    local place = random:chance(0.06) and self:place() or { from[1] + random:float(-3, 3),
      from[2] + random:float(-3, 3), from[3] }
    self.inside[id] = place
    self:send(id, "move", id, table.unpack(place))
  end
end

-- ---- areas ------------------------------------------------------------------------------------

local function add_shape(random, opts, most)
  local reach = random:pick { 0, 1, 3, 8, most }
  opts.shape = random:pick { "circle", "square", "rect" }
  if opts.shape == "rect" then
    opts.width, opts.height = 2 * reach, random:float(0, 2 * most)
    return
  end
  opts.radius = reach
  opts.leave_radius = random:chance(0.6) and random:float(reach, most) or nil
end

local function add_polygon(self, opts)
  local random, place = self.random, self:place()
  local x, y, size = place[1], place[2], random:float(2, 50)
  opts.shape = "polygon"
  opts.points = { x, y, x + size, y + random:float(-1, 1), x + size / 2, y + size }
  if random:chance(0.3) then -- two of them, far apart perhaps
    local far = random:float(60, 90)
    opts.points = { opts.points, { x + far, y, x + far + 9, y, x + far, y + 9 } }
  end
end

local function add_place(self, opts)
  local place = self:place()
  opts.x, opts.y, opts.z = place[1], place[2], place[3]
end

local function add_owner(self, opts)
  opts.owner = self.random:integer(1, self.ids)
  if self.random:chance(0.3) then
    opts.dx, opts.dy = self.random:float(-4, 4), self.random:float(-4, 4)
  end
end

-- A random command about the area: its name and what goes behind the id.
function Pair:some_change(id)
  local random, opts = self.random, {}
  local is_owned = id > OWNED
  local name = random:pick { "add_area", "add_area", "set_area", "set_area", "move_area", "remove_area" }
  opts.sees_layers = random:chance(0.3) and random:pick { 1, 2, 3, -1 } or nil
  if name == "remove_area" then
    return name
  elseif name == "move_area" then
    return name, table.unpack(self:place())
  elseif random:chance(0.02) then
    is_owned = not is_owned -- which is refused, if the area is there
  end
  if not is_owned and random:chance(0.25) then
    add_polygon(self, opts)
  else
    local names_both = name == "add_area" or random:chance(0.4)
    if names_both or random:chance(0.5) then
      add_shape(random, opts, is_owned and self.most_reach - (random:chance(0.9) and 4 or 0) or 40)
    end
    if names_both or not opts.shape then
      (is_owned and add_owner or add_place)(self, opts)
    end
  end
  return name, opts
end

function Pair:change_areas(share)
  local random = self.random
  for i = 1, 2 * FIXED do
    local id = i > FIXED and OWNED + i or i
    while random:chance(share) do -- perhaps several in a tick
      if random:chance(0.3) then
        local entity = random:integer(1, self.ids)
        self:send(entity, "ask", entity, self:change_text(id))
      else
        self.unanswered[self:send(random:integer(1, 9), self:change_text(id))] = true
      end
    end
  end
end

-- The words of a command of an agent: name, id and more.
function Pair:change_text(id)
  local words = table.pack(self:some_change(id))
  return words[1], id, table.unpack(words, 2, words.n)
end

-- ---- comparing --------------------------------------------------------------------------------

local function take_heard(is_scene)
  local texts = {}
  for i = #heard, 1, -1 do
    assert.equal(is_scene, heard[i][1] == 0)
    texts[#texts + 1], heard[i] = heard[i][2], nil
  end
  table.sort(texts)
  return table.concat(texts, "\n"), #texts
end

-- Makes the scene do what the log says.
function Pair:replay(log)
  local lines = {}
  for _, text in ipairs(log) do
    local line = assert(load("return " .. text))()
    lines[#lines + 1] = line.ok and line or nil
  end
  table.sort(lines, function(a, b) return a.stamp < b.stamp end)
  for _, line in ipairs(lines) do
    local ok, message = self.scene(1, table.unpack(line))
    assert(ok, message)
    self.taken = self.taken + (line[1]:find "area" and 1 or 0)
  end
end

local function text_of(list, n)
  list = table.move(list, 1, n, 1, {})
  table.sort(list)
  return table.concat(list, " ")
end

-- The answers of the regions of the list together, as the service world asks them.
function Pair:ask(regions, ...)
  local all = {}
  for _, region in ipairs(regions) do
    local list, n = self.world.regions[region](1, "query", true, ...)
    if list then
      table.move(list, 1, n, #all + 1, all)
    end
  end
  return text_of(all, #all)
end

function Pair:compare_questions()
  local world, all = self.world, {}
  for region in ipairs(world.regions) do
    all[region] = region
  end
  local ids, n = self.scene(1, "query", "areas")
  for _, of_node in ipairs(world.areas) do
    assert.equal(text_of(ids, n), text_of(of_node.ids()))
  end
  local areas = world.areas[self.random:integer(1, self.n_nodes)]
  for i = 1, n do
    local id = ids[i]
    local expected = text_of(self.scene(1, "query", "members_of", id))
    local owner = areas.owner(id)
    local found
    if owner then
      found = text_of(world.regions[world.owner[owner]](1, "query", false, "members_of", id))
    else
      found = self:ask(areas.regions_of(id), "members_of", id)
    end
    assert.equal(expected, found)
  end
  for id = 1, self.ids do
    local list, n_areas = self.scene(1, "query", "areas_of", id)
    if list then
      assert.equal(text_of(list, n_areas), self:ask(all, "areas_of", id))
    end
  end
end

function Pair:run()
  local compared = 0
  local share = self.random:pick { 0.15, 0.3 }
  for number = 1, TICKS do
    for id = 1, self.ids do
      self:walk(id)
    end
    self:change_areas(number < TICKS - 2 and share or 0)
    if self.random:chance(0.1) then
      self.world:replace(self.random:integer(1, self.world.map.count), self.random:integer(1, self.n_nodes))
    end
    local answers, log = self.world:run_tick()
    for stamp in pairs(answers) do
      self.unanswered[stamp] = nil
    end
    local found = take_heard(false)
    self:replay(log)
    self.scene(1, "tick")
    local expected, n = take_heard(true)
    if expected ~= found then
      assert.equal("tick " .. number .. "\n" .. expected, "tick " .. number .. "\n" .. found)
    end
    compared = compared + n
    if number % 3 == 0 then
      self:compare_questions()
    end
  end
  assert.is_nil(next(self.unanswered))
  for _, message in ipairs(machine.errors) do
    assert.truthy(message:find "a handler's command is refused"
      or message:find "the command ask failed: %l+_area: ", message)
  end
  machine.errors = {}
  return compared
end

-- ---- the tests --------------------------------------------------------------------------------

describe("Areas of a world tell what those of one scene tell", function()
  for _, group in ipairs(seeds.groups(WORLDS)) do
    it(("in worlds %d to %d"):format(group.first, group.last), function()
      local compared, hand_overs, taken = 0, 0, 0
      for seed = group.first, group.last do
        local pair = new_pair(seed)
        local ok, problem = pcall(pair.run, pair)
        if not ok then
          error(("SEED=%d\n%s"):format(seed, tostring(problem)), 0)
        end
        compared, taken = compared + problem, taken + pair.taken
        hand_overs = hand_overs + pair.world.hand_overs
      end
      if group.last - group.first > 10 then
        assert.is_true(compared > 1000 and hand_overs > 300 and taken > 500)
      end
    end)
  end
end)
