-- Many robots in one world, or in one scene: starts them on all nodes, measures for some seconds. For
-- demo.lua and bench.lua. spec/world/process.lua says what the driver's table `control` is.
local skynet = require "skynet"

local crowd = {}

local RADIUS = 50
local MARGIN = 5
local AREA_PER_ROBOT = 1280 -- some seven others in view
local TICK = 100
local SHARE = 50 -- robots of one service
local SETTLE = 300 -- hundredths of a second: the first seconds are about getting to know each other

function crowd.setting(name, default)
  return tonumber(os.getenv(name) or "") or default
end

-- Calls the function for each number up to n at once and returns what each of them gives.
local function for_each(n, f)
  local waits, left, failed, results = coroutine.running(), n, nil, {}
  for i = 1, n do
    skynet.fork(function()
      local ok, result = pcall(f, i)
      results[i] = result
      failed = failed or not ok and result or nil
      left = left - 1
      if left == 0 then
        skynet.wakeup(waits)
      end
    end)
  end
  skynet.wait(waits)
  if failed then
    error(failed, 0)
  end
  return results
end

local SPACE = { "engine=grid", "radius=" .. RADIUS, "places=float", "tick=" .. TICK }

local function words(side, ...)
  return table.move({ ... }, 1, select("#", ...), #SPACE + 3,
    table.move(SPACE, 1, #SPACE, 3, { "width=" .. side, "height=" .. side }))
end

local function start_robots(self)
  self.robots = for_each(self.nodes, function(node)
    self.control.tell(node, "start_robots", node, self.count, self.nodes, self.side, SHARE)
  end)
end

-- A world of columns x rows regions; the first `nodes` nodes share the regions and the robots.
function crowd.start_world(control, count, columns, rows, nodes, name)
  local side = math.ceil(math.sqrt(count * AREA_PER_ROBOT))
  local self = { control = control, count = count, side = side, nodes = nodes, regions = columns * rows,
    radius = RADIUS, margin = MARGIN }
  local names = table.concat(control.nodes, ",", 1, nodes)
  for_each(nodes, function(node)
    control.tell(node, "start_world", words(side, "x=0", "y=0", "node=" .. control.nodes[node],
      "nodes=" .. names, "columns=" .. columns, "rows=" .. rows, "max_radius=" .. RADIUS,
      "margin=" .. MARGIN, "name=" .. name))
  end)
  start_robots(self)
  return self
end

-- One scene on the first node.
function crowd.start_scene(control, count)
  local side = math.ceil(math.sqrt(count * AREA_PER_ROBOT))
  local self = { control = control, count = count, side = side, nodes = 1, regions = 1, radius = RADIUS }
  control.tell(1, "start_scene", words(side))
  start_robots(self)
  return self
end

local function sample(self)
  return for_each(self.nodes, function(node)
    local one = self.control.tell(node, "stats")
    one.process_cpu = self.control.tell(node, "cpu")
    one.heard, one.heard_bytes = self.control.tell(node, "heard")
    one.at = skynet.hpc()
    one.world_tick = one.world_tick or one.ticks
    return one
  end)
end

-- Lets them walk for so many seconds. Returns a list of what has happened on each node: what its stats count,
-- as growth; `now`: the stats themselves.
function crowd.measure(self, seconds)
  skynet.sleep(SETTLE)
  local before = sample(self)
  skynet.sleep(math.floor(seconds * 100))
  local after = sample(self)
  local result = {}
  for node, now in ipairs(after) do
    local grown = { now = now }
    for name, value in pairs(now) do
      if math.type(value) and before[node][name] then
        grown[name] = value - before[node][name]
      end
    end
    grown.seconds = grown.at / 1e9
    result[node] = grown
  end
  return result
end

function crowd.sum(list, name)
  local sum = 0
  for _, one in ipairs(list) do
    sum = sum + (one[name] or 0)
  end
  return sum
end

function crowd.most(list, name)
  local most = 0
  for _, one in ipairs(list) do
    most = math.max(most, one[name] or 0)
  end
  return most
end

function crowd.stop(self)
  for_each(self.nodes, function(node)
    self.control.tell(node, "stop_robots")
  end)
  skynet.sleep(200)
  for_each(self.nodes, function(node)
    self.control.tell(node, "end_world")
  end)
end

return crowd
