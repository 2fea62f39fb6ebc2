-- The map of a world: columns and rows of regions, and how far each sees beyond its own rectangle. Made from
-- the words that the service world is started with. Pure Lua, without skynet.
--
-- Regions are numbered from 1, row by row from the least y. A region is half-open, and those at the edge of
-- the map reach to infinity: each point has exactly one.
local options = require "aoi.skynet.options"

local WORLD = {
  node = "",             -- the name of this node in the cluster
  nodes = "",            -- the names of all of them, with commas between
  columns = 1,
  rows = 1,
  x = 0,                 -- the lower corner of the map
  y = 0,
  width = false,
  height = false,
  max_radius = false,    -- the largest radius that any watcher may have
  margin = false,        -- how far outside its region an entity keeps its owner; else a tenth of max_radius
  tick = 100,            -- milliseconds, a multiple of 10
  silence = 2000,        -- milliseconds after which a node that says nothing is expelled
  regions = true,        -- false: this node gets no regions
  coordinator = "",      -- the node that makes configurations; left out: the first of `nodes`; or
                         -- redis:HOST:PORT: whoever has the lease there
  lease = false,         -- milliseconds that this lease lasts; else 3000
  configuration = "",    -- path of the file in which that node keeps the last one
  name = "world",        -- by which the service is registered on each node of the cluster
  store = "",            -- path of a folder that the regions of this node are stored in, and come back from
  sync = 0,              -- 1: each chunk waits for the disk
  log = "",              -- path of a file for the commands of this node's regions as they were applied
}

local LEASE = 3000 -- milliseconds
local MOST_NODES = 254 -- a stamp has 8 bits for it; 255 are the handlers

-- Options of the regions, which are scenes, and of their spaces, and what they are when they are left out.
local OF_REGIONS = {
  engine = "grid", radius = false, slack = 0, shape = "square", dims = 2, clamp = false, capacity = 64,
  max_depth = 20, limit_layers = 0xFFFFFFFF, keep_factor = 1.2,
}
for name, default in pairs(options.SCENE) do
  OF_REGIONS[name] = default
end
local LOOKED_AT = { "engine", "radius", "slack", "orphan" } -- by the world, too

-- Options of a scene that a world does not have.
local NOT_OF_WORLDS = { record_to = true, recover = true, region = true }

local Map = { NAMES = {} } -- NAMES: of the options of worlds and scenes, sorted
Map.__index = Map
for _, list in ipairs { WORLD, options.SCENE } do
  for name in pairs(list) do
    table.insert(Map.NAMES, not NOT_OF_WORLDS[name] and name or nil)
  end
end
table.sort(Map.NAMES)

local world_map = {
  VERSION = "version of the protocol", -- where others have the name of a word
  version = "14", -- goes up with each change after which older processes do not understand all that is said
}

local function is_number(value)
  return math.type(value) ~= nil and value > -math.huge and value < math.huge
end

local function is_integer(value, least)
  return math.type(value) == "integer" and value >= least
end

local function list_of(text)
  local list = {}
  for item in (text .. ","):gmatch "([^,]*)," do
    list[#list + 1] = item
  end
  return list
end

-- Words that need not be the same on all nodes.
local OF_NODE = { node = true, nodes = true, regions = true, configuration = true, log = true, store = true }

-- The words that must be the same on all nodes, and the version: name -> text. A number has one text, and a
-- word that is left out that of what it is then. Members judge alike only where all have stores, or none.
local function shared_words(own, others)
  local shared = { [world_map.VERSION] = world_map.version }
  for _, words in ipairs { WORLD, OF_REGIONS, others } do
    for name, default in pairs(words) do
      local value = own[name]
      if value == nil then
        value = others[name]
      end
      if value == nil then
        value = default
      end
      if math.type(value) then
        value = ("%.17g"):format(value)
      end
      shared[name] = not OF_NODE[name] and tostring(value) or nil
    end
  end
  shared.store = own.store ~= "" and "a folder" or "none" -- each node may have another one
  if own.redis then
    shared.coordinator = ("redis:%s:%d"):format(own.redis.host, own.redis.port)
  end
  return shared
end

-- Shared words that may be others when a world comes back from its stores. The space of a region comes back
-- as it was, so that with another radius, slack or shape its watchers would be judged otherwise than those of
-- a region that begins.
local FREE = {
  [world_map.VERSION] = true, coordinator = true, lease = true, silence = true, tick = true, margin = true,
  store = true, sync = true, engine = true, cell = true, cols = true, capacity = true,
  max_depth = true,
}
for name in pairs(options.SCENE) do
  FREE[name] = name ~= "extras" or nil
end

local function words_of_stores(shared)
  local list = {}
  for name, text in pairs(shared) do
    list[name] = not FREE[name] and text or nil
  end
  return list
end

-- The n + 1 borders of n columns or rows, numbered from 0; the outer ones are infinite.
local function borders_of(from, length, n)
  local borders = { [0] = -math.huge, [n] = math.huge }
  for i = 1, n - 1 do
    borders[i] = from + i * (length / n)
  end
  return borders
end

local function check(own, expect)
  for _, name in ipairs { "x", "y" } do
    expect(is_number(own[name]), name, "a number")
  end
  for _, name in ipairs { "width", "height" } do
    expect(is_number(own[name]) and own[name] > 0, name, "a number above 0")
  end
  for _, name in ipairs { "columns", "rows" } do
    expect(is_integer(own[name], 1), name, "a whole number, 1 or more")
  end
  expect(is_number(own.max_radius) and own.max_radius >= 0, "max_radius",
    "a finite number, 0 or more: the largest radius of any watcher")
  own.margin = own.margin or own.max_radius / 10
  expect(is_number(own.margin) and own.margin >= 0, "margin", "a finite number, 0 or more")
  expect(is_integer(own.tick, 10) and own.tick % 10 == 0, "tick", "milliseconds, a multiple of 10")
  options.expect_time(expect, "silence", own.silence, 16 * own.tick)
  expect(type(own.regions) == "boolean", "regions", "true or false")
  expect(own.sync == 0 or own.sync == 1, "sync", "0 or 1")
  local least = 4 * own.silence
  expect(is_number(own.orphan) and own.orphan >= least, "orphan",
    ("milliseconds, at least 4 * silence, %d"):format(least))
  expect(own.name:find "^[%w_.-]+$", "name", "letters, digits, _, . and -")
  expect(own.engine ~= "grid" or own.radius, "radius",
    "a number: a grid without one is the classic nine-grid, which is not for a world")
  local is_fit = is_number(own.radius) and own.radius <= own.max_radius
  expect(not own.radius or is_fit, "radius", ("a number, at most max_radius, %s"):format(own.max_radius))
  expect(is_number(own.slack) and own.slack >= 0, "slack", "a finite number, 0 or more")
end

-- The coordinator is a node, or whoever has the lease in Redis.
local function check_coordinator(own, nodes, expect)
  local is_redis = own.coordinator:find "^redis:"
  local host, port = own.coordinator:match "^redis:(.+):(%d+)$"
  expect(not is_redis or host and tonumber(port) <= 65535, "coordinator", "redis:HOST:PORT, or a node's name")
  if not is_redis then
    expect(not own.lease, "lease", "none, as the coordinator is no lease in Redis")
    own.coordinator = own.coordinator ~= "" and own.coordinator or nodes[1]
    return
  end
  own.redis, own.coordinator, own.lease = { host = host, port = tonumber(port) }, nil, own.lease or LEASE
  expect(is_integer(own.lease, 1000), "lease", "milliseconds, a whole number, 1000 or more")
  expect(own.configuration == "", "configuration", "none, as Redis keeps it")
  local least = 4 * own.silence + own.lease
  expect(own.orphan >= least, "orphan", ("milliseconds, at least 4 * silence + lease, %d"):format(least))
end

-- Regions must be wide enough that what is needed beyond a border does not reach across the next region.
local function check_strip(self)
  for _, axis in ipairs { { "column", self.columns, self.width }, { "row", self.rows, self.height } } do
    local word, n, length = axis[1], axis[2], axis[3]
    if n > 1 and self.strip > length / n then
      error(("world: %ss is %d, so that a %s is %s across, expected at least max_radius + 2 * slack + "
        .. "margin = %s + 2 * %s + %s = %s"):format(word, n, word, length / n, self.max_radius, self.slack,
        self.margin, self.strip), 0)
    end
  end
end

-- The words for the scenes that are the regions.
local function words_of_regions(words, engine)
  local kept = {}
  for _, word in ipairs(words) do
    local name = word:match "^([%w_]+)="
    local is_bound = name == "x" or name == "y" or name == "width" or name == "height"
    if WORLD[name] == nil or name == "tick" or is_bound and engine ~= "crosslist" then
      kept[#kept + 1] = word
    end
  end
  return kept
end

-- How a line of the log names one of the shared words.
function world_map.name_of(word)
  return word == world_map.VERSION and word or "word " .. word
end

-- Makes a map from the words of the service, a list of strings such as "columns=2". Its fields are the
-- options above (nodes: a list of names, coordinator: one of them) and
--   redis         { host =, port = } of the lease, coordinator is nil then; or nil
--   count         how many regions there are
--   strip         how far outside its rectangle a region must know of entities
--   words         a list of strings: the words for the scene of a region (options.of_scene)
--   shared        words that must be the same on all nodes, and the version: name -> text
--   of_stores     those of them that must be the same as when the stores were written: name -> text
-- Raises a message that names option, value and what was expected.
function world_map.new(words)
  local own, others = options.split("world", words, WORLD)
  for name in pairs(others) do
    if NOT_OF_WORLDS[name] then
      error(("world: %s is %s, expected none: it is not for a world"):format(name, tostring(others[name])), 0)
    end
  end
  for _, name in ipairs(LOOKED_AT) do
    own[name] = others[name] == nil and OF_REGIONS[name] or others[name]
  end
  local expect = options.expectation("world", setmetatable({}, { __index = function(_, name)
    return own[name] ~= "" and own[name] or "missing"
  end }))
  check(own, expect)
  own.count, own.strip = own.columns * own.rows, own.max_radius + 2 * own.slack + own.margin
  check_strip(own)
  local nodes, seen = list_of(own.nodes), {}
  for _, name in ipairs(nodes) do
    expect(name ~= "" and not seen[name], "nodes", "different names with commas between, as in a,b,c")
    seen[name] = true
  end
  if #nodes > MOST_NODES then
    error(("world: nodes has %d names, expected at most %d"):format(#nodes, MOST_NODES), 0)
  end
  expect(own.node ~= "", "node", "the name of this node")
  own.nodes = nodes
  check_coordinator(own, nodes, expect)
  own.x_borders = borders_of(own.x, own.width, own.columns)
  own.y_borders = borders_of(own.y, own.height, own.rows)
  own.words, own.shared = words_of_regions(words, own.engine), shared_words(own, others)
  own.of_stores = words_of_stores(own.shared)
  return setmetatable(own, Map)
end

-- The number of the half-open interval that has the value, from 0. length: of all n of them together, from
-- `from`; the borders decide, the division is only a guess.
local function interval_of(borders, value, from, length, n)
  local i = (value - from) / (length / n)
  i = i < 0 and 0 or i >= n and n - 1 or i == i and i // 1 | 0 or 0
  while value < borders[i] do
    i = i - 1
  end
  while i < n - 1 and value >= borders[i + 1] do
    i = i + 1
  end
  return i
end

-- The region that has the point; 1 for what is no point. O(1).
function Map:region_at(x, y)
  if not (math.type(x) and math.type(y)) then
    return 1
  end
  local column = interval_of(self.x_borders, x, self.x, self.width, self.columns)
  local row = interval_of(self.y_borders, y, self.y, self.height, self.rows)
  return row * self.columns + column + 1
end

-- The rectangle of a region: x1, y1, x2, y2, infinite at the edge of the map.
function Map:bounds(region)
  local column, row = (region - 1) % self.columns, (region - 1) // self.columns
  return self.x_borders[column], self.y_borders[row], self.x_borders[column + 1], self.y_borders[row + 1]
end

-- How far the point is outside the region, on the axis on which it is farther; 0: it is inside, or on its
-- border.
function Map:distance(region, x, y)
  local x1, y1, x2, y2 = self:bounds(region)
  return math.max(x1 - x, x - x2, y1 - y, y - y2, 0)
end

-- The first and the last interval that are at most `strip` away from the value.
local function intervals_near(borders, value, strip, home, n)
  local first, last = home, home
  while first > 0 and value - borders[first] <= strip do
    first = first - 1
  end
  while last < n - 1 and borders[last + 1] - value <= strip do
    last = last + 1
  end
  return first, last
end

-- The regions whose distance from the point is at most `strip` (left out: the map's), the one that has the
-- point included. Fills and returns t (or a new table), ascending, and how many they are. Grows with these.
function Map:regions_near(x, y, strip, t)
  strip, t = strip or self.strip, t or {}
  local columns = self.columns
  local home = self:region_at(x, y) - 1
  local left, right = intervals_near(self.x_borders, x, strip, home % columns, columns)
  local low, high = intervals_near(self.y_borders, y, strip, home // columns, self.rows)
  local n = 0
  for row = low, high do
    for column = left, right do
      n = n + 1
      t[n] = row * columns + column + 1
    end
  end
  t[n + 1] = nil
  return t, n
end

-- The regions that touch a rectangle: as regions_near.
function Map:regions_in(x1, y1, x2, y2, t)
  t = t or {}
  local first, last = self:region_at(x1, y1) - 1, self:region_at(x2, y2) - 1
  local columns, n = self.columns, 0
  for row = first // columns, last // columns do
    for column = first % columns, last % columns do
      n = n + 1
      t[n] = row * columns + column + 1
    end
  end
  t[n + 1] = nil
  return t, n
end

return world_map
