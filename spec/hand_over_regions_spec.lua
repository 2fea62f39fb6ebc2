-- Several spaces that hand their entities to and fro tell each watcher what one space tells, tick by tick:
-- with slack, radius classes, crowds, layers and modes, births, deaths and teleports, areas of all shapes,
-- fixed and owned, on every engine. Some spaces are saved and loaded in between, or made again from their
-- records.
--
-- SEED=n replays one world, SEQUENCES=n runs more of them.

local aoi = require "aoi"
local Random = require "spec.support.random"
local Regions = require "spec.support.regions"
local seeds = require "spec.support.seeds"
local world_areas = require "spec.support.world_areas"

local SIDE, WORLDS, TICKS = 100, 100, 60

-- ---- a world ----------------------------------------------------------------------------------

local function engine_options(random)
  local options = random:pick {
    { engine = "grid", width = SIDE, height = SIDE },
    { engine = "grid", width = SIDE, height = SIDE, cell = 7 },
    { engine = "quadtree", width = SIDE, height = SIDE, capacity = 2 },
    { engine = "crosslist" },
  }
  options.shape = random:pick { "square", "circle" }
  options.dims = random:pick { 2, 2, 2, 3 }
  options.radius = random:pick { 4, 8, 8 }
  options.slack = random:pick { 0, 0, 1.5, 3 }
  options.slack = options.slack > 0 and options.slack or nil
  options.deferred = true
  if options.engine == "crosslist" and random:chance(0.3) then
    options.own_radii = options.radius
    options.radius = nil
  end
  return options
end

local function add_crowd(random, options)
  local made = random:pick { "limit", "enter_budget", "rates", "move_budget" }
  if made == "limit" or random:chance(0.4) then
    options.limit = random:pick { 0, 1, 2, 3, 5, math.huge }
  end
  if made == "enter_budget" or random:chance(0.3) then
    options.enter_budget = random:pick { 1, 2 }
  end
  if made == "rates" or random:chance(0.5) then
    options.rates = random:pick {
      { { 3, 1 }, { 6, 2 }, { math.huge, 5 } },
      { { 4, 2 }, { math.huge, 3 } },
      { { 0, 1 }, { math.huge, 7 } },
    }
  end
  if made == "move_budget" or random:chance(0.4) then
    options.move_budget = random:pick { 1, 2, 4 }
  end
  options.keep_factor = random:pick { 1, 1.2, 2 }
  options.limit_layers = random:pick { -1, -1, 1, 6 }
end

local World = {}
World.__index = World

for name, method in pairs(world_areas.methods) do
  World[name] = method
end

-- How a region's space is made anew: from a save, or from an early save and the records since.
function World:renew(region)
  local random, space = self.random, region.space
  if random:chance(self.renew_share) then
    if region.first_save and random:chance(0.5) then
      local copy = aoi.load(region.first_save, region.handlers)
      region.records = (region.records or "") .. space:recorded()
      aoi.replay(copy, region.records)
      region.space = copy
      region.space:record(true)
    else
      region.first_save, region.records = space:save(), ""
      region.space = aoi.load(region.first_save, region.handlers)
      region.space:record(true)
    end
  end
end

local function new_world(seed)
  local random = Random.new(seed)
  local options = engine_options(random)
  local own_radii = options.own_radii
  options.own_radii = nil
  local is_crowd = random:chance(0.6)
  if is_crowd then
    add_crowd(random, options)
  end
  local self = setmetatable({ random = random, is_crowd = is_crowd, own_radii = own_radii,
    dims = options.dims, heard = {}, pins = {} }, World)
  local columns, rows = table.unpack(random:pick { { 2, 1 }, { 2, 1 }, { 2, 2 }, { 3, 2 } })
  self.renew_share = random:pick { 0, 0, 0.1, 0.5 }
  self.stay_share = random:pick { 0.05, 0.5, 0.95 }
  self.teleport_share = random:pick { 0.01, 0.1 }
  self.chaos = random:pick { 0, 0.05, 0.3 }
  self.ids = random:integer(10, 40)
  world_areas.prepare(self, options)
  local one = { on_event = function(watcher, marker, op)
    self.heard[#self.heard + 1] = ("%d %s %d"):format(watcher, op, marker)
  end, on_area = function(area, marker, op)
    self.heard[#self.heard + 1] = ("area %d %s %d"):format(area, op, marker)
  end }
  for name, value in pairs(options) do
    one[name] = value
  end
  self.one = aoi.new(one)
  self.regions = Regions.new {
    options = options, x = 0, y = 0, width = SIDE, height = SIDE, columns = columns, rows = rows,
    margin = random:pick { 0, 1, 4 },
    max_radius = 16,
    new_space = aoi.new,
    before_tick = function(regions, region)
      self:renew(region)
      if region == regions.regions[1] and random:chance(0.1) then
        self:compare_areas() -- what came along counts already
      end
    end,
    before_hand_in = function(regions) self:renew(random:pick(regions.regions)) end,
    detour = function(regions)
      return random:chance(0.2) and random:pick(regions.regions) or nil
    end,
  }
  return self
end

function World:place(x, y)
  local function inside(value)
    return math.max(0, math.min(SIDE, value))
  end
  local place = { inside(x), inside(y) }
  if self.dims == 3 then
    place[3] = self.random:pick { 0, 0, 3, 6 }
  end
  return place
end

-- Mostly about the borders and the corner of regions.
function World:some_place()
  local random = self.random
  if random:chance(0.3) then
    return self:place(random:float(0, SIDE), random:float(0, SIDE))
  end
  return self:place(random:float(38, 62), random:float(40, 60))
end

function World:some_opts()
  local random, opts = self.random, {}
  opts.mode = random:pick { "wm", "wm", "wm", "w", "m" }
  if random:chance(0.3) or self.own_radii then
    opts.radius = random:pick { 0, 3, self.own_radii or 8, self.own_radii or 8, 16 }
  end
  opts.layers = random:chance(0.2) and random:pick { 1, 2, 3, 6 } or nil
  opts.sees_layers = random:chance(0.2) and random:pick { 1, 2, 3, -1 } or nil
  if self.is_crowd then
    opts.limit = random:chance(0.2) and random:pick { 0, 1, 3, math.huge } or nil
    opts.importance = random:chance(0.2) and random:pick { 0, 1, 9 } or nil
  end
  return opts
end

function World:both(method, id, ...)
  self.one[method](self.one, id, ...)
  self.regions:call(method, id, ...)
end

function World:place_both(method, id, place)
  self:both(method, id, table.unpack(place))
end

function World:enter(id)
  local place, opts = self:some_place(), self:some_opts()
  local arguments = table.move(place, 1, #place, 1, {})
  arguments[#arguments + 1] = opts
  self.one:enter(id, table.unpack(arguments))
  self.regions:enter(id, place, opts)
end

-- One change of an entity that is inside.
function World:change(id)
  local random = self.random
  local what = random:pick { "mode", "radius", "layers", "sees_layers", "leave", "return", "limit",
    "importance",
    "pin", "unpin", "touch" }
  if what == "leave" or what == "return" then
    self:note_ended(id)
    self.one:leave(id)
    self.regions:leave(id)
    if what == "return" then
      self:enter(id)
    end
  elseif what == "mode" then
    self:both("set_mode", id, random:pick { "wm", "wm", "w", "m" })
  elseif what == "radius" then
    self:both("set_radius", id, random:pick { 0, 4, 8, 16 })
  elseif what == "layers" or what == "sees_layers" then
    self:both("set_" .. what, id, random:pick { 1, 2, 3, -1 })
  elseif what == "touch" then
    self:both("touch", id)
  elseif not self.is_crowd then
    return
  elseif what == "limit" then
    self:both("set_limit", id, random:pick { 0, 1, 2, math.huge })
  elseif what == "importance" then
    self:both("set_importance", id, random:pick { 0, 1, 9 })
  else
    self:both(what, id, random:integer(1, self.ids))
  end
end

function World:step(id)
  local random = self.random
  if random:chance(self.teleport_share) then
    return self:place_both("move", id, self:some_place())
  end
  local x, y, z = self.one:position(id)
  local place = self:place(x + random:float(-3, 3), y + random:float(-3, 3))
  place[3] = z
  self:place_both("move", id, place)
end

function World:act()
  local random = self.random
  for id = 1, self.ids do
    if not self.one:has(id) then
      if random:chance(0.3) then
        self:enter(id)
      end
    else
      if not random:chance(self.stay_share) then
        self:step(id)
      end
      if random:chance(self.chaos) then
        self:change(id)
      end
    end
  end
  self:change_areas()
end

local function list_text(list, n)
  list = table.move(list, 1, n, 1, {})
  table.sort(list)
  return table.concat(list, " ")
end

-- Compares the answers of an entity's owner about it.
function World:compare_questions(id)
  local regions, one = self.regions, self.one
  assert.equal(list_text(one:told_markers_of(id)), list_text(regions:ask("told_markers_of", id)))
  assert.equal(list_text(one:markers_of(id)), list_text(regions:ask("markers_of", id)))
  local told_to = {}
  for _, region in ipairs(regions.regions) do
    if region.space:has(id) then
      local list, n = region.space:told_watchers_of(id)
      table.move(list, 1, n, #told_to + 1, told_to)
    end
  end
  assert.equal(list_text(one:told_watchers_of(id)), list_text(told_to, #told_to))
  for _, other in ipairs { 1, 2, 3, 4, 5 } do
    local why, rank = regions:ask("explain", id, other)
    local expected, expected_rank = one:explain(id, other)
    if why ~= "unknown" then
      assert.equal(expected, why)
      assert.equal(expected_rank, rank)
    end
  end
end

function World:run(seed)
  local random, number, compared = self.random, 0, 0
  for tick = 1, TICKS do
    self:act()
    number = number + (random:chance(0.9) and 1 or random:integer(1, 12))
    self.heard = {}
    local told = self.regions:tick(number)
    self.one:tick(number)
    table.sort(told)
    table.sort(self.heard)
    local expected, found = table.concat(self.heard, "\n"), table.concat(told, "\n")
    if expected ~= found then
      assert.equal("tick " .. tick .. "\n" .. expected, "tick " .. tick .. "\n" .. found)
    end
    compared = compared + #told
    for id = 1, self.ids do
      if tick % 8 == seed % 8 and self.one:has(id) then
        self:compare_questions(id)
      end
    end
    if tick % 8 == seed % 8 then
      self:compare_areas()
    end
  end
  return compared
end

-- ---- the tests --------------------------------------------------------------------------------

describe("Spaces that hand entities to and fro tell what one space tells", function()
  for _, group in ipairs(seeds.groups(WORLDS)) do
    it(("in worlds %d to %d"):format(group.first, group.last), function()
      local compared, hand_overs = 0, 0
      for seed = group.first, group.last do
        local world = new_world(seed)
        local ok, problem = pcall(world.run, world, seed)
        if not ok then
          error(("SEED=%d\n%s"):format(seed, tostring(problem)), 0)
        end
        compared = compared + problem
        hand_overs = hand_overs + world.regions.hand_overs
      end
      if group.last - group.first > 10 then
        assert.is_true(compared > 10000 and hand_overs > 500)
      end
    end)
  end
end)
