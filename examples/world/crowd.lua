-- Many robots in one world, or in scenes: starts them on all nodes and measures for some seconds. For
-- demo.lua and bench.lua. spec/world/process.lua says what the driver's table `control` is.
local skynet = require "skynet"
local meeting = require "spec.world.meeting"

local crowd = {}

local SHARE = 50   -- robots of one service
local SETTLE = 300 -- hundredths of a second: the first seconds are about getting to know each other

function crowd.setting(name, default)
  return tonumber(os.getenv(name) or "") or default
end

--[[ A crowd; `options` are
  robots        how many
  area          of the map for each of them
  radius        how far each sees
  max_radius    of the world; default: radius
  columns, rows regions; left out: a scene on each node, without a world
  nodes         the first so many nodes share the regions, and the robots
  near          true: robots begin in a region of their node; false: anywhere
  home          true: and they do not leave it
  apart         true: the node after those has all robots, and no region
  words         list of more words for the services ]]
function crowd.new(control, options)
  local self = setmetatable({ control = control, nodes = 1, columns = 1, rows = 1 }, { __index = crowd })
  for name, value in pairs(options) do
    self[name] = value
  end
  self.is_world = options.columns ~= nil
  self.near = self.near and self.is_world
  self.all_nodes = self.nodes + (self.apart and 1 or 0)
  self.side = math.ceil(math.sqrt(self.robots * self.area / (self.is_world and 1 or self.nodes)))
  self.max_radius = self.max_radius or self.radius
  self.margin = self.radius / 10
  return self
end

-- Starts the service of one node.
function crowd:start_service(node)
  local words = { "engine=grid", "radius=" .. self.radius, "places=float", "tick=100",
    "width=" .. self.side, "height=" .. self.side, table.unpack(self.words or {}) }
  if not self.is_world then
    return self.control.tell(node, "start_scene", words)
  end
  for _, word in ipairs {
    "node=" .. self.control.nodes[node], "nodes=" .. table.concat(self.control.nodes, ",", 1, self.all_nodes),
    "columns=" .. self.columns, "rows=" .. self.rows, "regions=" .. tostring(node <= self.nodes),
    "max_radius=" .. self.max_radius, "margin=" .. self.margin,
  } do
    words[#words + 1] = word
  end
  self.control.tell(node, "start_world", words)
end

-- Waits until all nodes are members of the world, and notes who has which region.
function crowd:wait_for_world()
  local configuration
  repeat
    skynet.sleep(10)
    configuration = self.control.tell(1, "world", "configuration")
  until configuration and #configuration.members == self.all_nodes
  self.owners = configuration.owners
end

-- The number of the node that has the region.
function crowd:node_of(region)
  for node, name in ipairs(self.control.nodes) do
    if name == self.owners[region] then
      return node
    end
  end
end

-- Starts the robots of one node.
function crowd:start_robots(node)
  local count, regions = self.robots, self.columns * self.rows
  local function start(i, n, ...)
    self.control.tell(node, "start_robots", (i - 1) * count // n + 1, i * count // n, self.side, SHARE, ...)
  end
  if self.apart then
    return node == self.all_nodes and start(1, 1, 0, 0, self.side, self.side)
  elseif not self.near then
    return start(node, self.nodes, 0, 0, self.side, self.side)
  end
  local width, height = self.side / self.columns, self.side / self.rows
  for region = 1, regions do
    if self:node_of(region) == node then
      local x, y = (region - 1) % self.columns * width, (region - 1) // self.columns * height
      start(region, regions, x, y, x + width, y + height, self.home and 1 or 0)
    end
  end
end

function crowd:start()
  meeting.for_each(self.all_nodes, function(node)
    self:start_service(node)
  end)
  if self.is_world then
    self:wait_for_world()
  end
  meeting.for_each(self.all_nodes, function(node)
    self:start_robots(node)
  end)
  skynet.sleep(SETTLE)
  return self
end

-- A sample of each node until now, a list: the counts of its world or scene; cpu_..., seconds of
-- spec/world/process.lua; heard_..., of its robots. without: a node that is not asked.
function crowd:sample(without)
  return meeting.for_each(self.all_nodes, function(node)
    if node == without then
      return nil
    end
    local one = self.control.tell(node, "stats")
    for name, seconds in pairs(self.control.tell(node, "cpu")) do
      one["cpu_" .. name] = seconds
    end
    for name, count in pairs(self.control.tell(node, "heard")) do
      one["heard_" .. name] = count
    end
    one.seconds = skynet.hpc() / 1e9
    return one
  end)
end

-- The growth on each node between two samples, by its number; `now`: the later sample.
function crowd.growth(before, after)
  local result = {}
  for node, now in pairs(after) do
    local grown = { now = now }
    for name, value in pairs(now) do
      if math.type(value) and before[node][name] then
        grown[name] = value - before[node][name]
      end
    end
    result[node] = grown
  end
  return result
end

-- Lets them walk for so many seconds. Returns what has happened meanwhile.
function crowd:measure(seconds)
  local before = self:sample()
  skynet.sleep(math.floor(seconds * 100))
  return crowd.growth(before, self:sample())
end

function crowd.sum(list, name)
  local sum = 0
  for _, one in pairs(list) do
    sum = sum + (type(one) == "table" and one[name] or 0)
  end
  return sum
end

function crowd.most(list, name)
  local most = 0
  for _, one in pairs(list) do
    most = math.max(most, one[name] or 0)
  end
  return most
end

function crowd:stop()
  meeting.for_each(self.all_nodes, function(node)
    self.control.tell(node, "stop_robots")
  end)
  skynet.sleep(100)
  meeting.for_each(self.all_nodes, function(node)
    self.control.tell(node, "end_world")
  end)
  skynet.sleep(50)
end

return crowd
