-- Many robots in one scene: starts them, measures for some seconds, stops them. For main.lua and bench.lua.
local skynet = require "skynet"
require "skynet.manager"

local crowd = {}

local RADIUS = 50
local AREA_PER_ROBOT = 1280 -- some seven others in view

local function start_robots(name, scene, count, side)
  local robots = {}
  for id = 1, count do
    robots[id] = skynet.newservice(name, scene, id, side)
  end
  return { scene = scene, robots = robots, side = side, radius = RADIUS }
end

local function side_for(count)
  return math.ceil(math.sqrt(count * AREA_PER_ROBOT))
end

-- Robots and a scene with the words of `options` in addition. Returns a table with scene, robots and side.
function crowd.start(count, options)
  local side = side_for(count)
  local scene = skynet.newservice("scene", "engine=grid", "width=" .. side, "height=" .. side,
    "radius=" .. RADIUS, "places=float", options)
  return start_robots("robot", scene, count, side)
end

-- These robots in a nine-grid in plain Lua, with cells of this size.
function crowd.start_plain(count, cell)
  local side = side_for(count)
  local self = start_robots("plain_robot", skynet.newservice("plain_scene", side, cell), count, side)
  self.is_plain = true
  return self
end

local function sample(self)
  local now = skynet.call(self.scene, "lua", "stats")
  now.at = skynet.hpc()
  now.process_cpu = os.clock() * 1000
  now.heard = {}
  for id, robot in ipairs(self.robots) do
    now.heard[id] = skynet.call(robot, "lua", "heard")
  end
  return now
end

-- Lets them walk for so many seconds. Returns what happened, most of it per tick.
function crowd.measure(self, seconds)
  skynet.sleep(200) -- the first seconds are about getting to know each other
  local before = sample(self)
  skynet.sleep(math.floor(seconds * 100))
  local after = sample(self)
  local function grown(name)
    return after[name] - before[name]
  end
  local ticks = math.max(1, grown "ticks")
  local most = 0
  for id in ipairs(self.robots) do
    most = math.max(most, after.heard[id] - before.heard[id])
  end
  return {
    seconds = grown "at" / 1e9,
    ticks = grown "ticks",
    ticks_skipped = grown "ticks_skipped",
    late_mean = after.late_mean,
    late_most = after.late_most,
    messages = grown "messages" / ticks,
    messages_most = most / ticks,          -- to one robot
    bytes_sent = grown "bytes_sent" / ticks,
    moves = grown "moves" / ticks,
    events = grown "events",
    stored = grown "stored" / ticks,
    scene_cpu = grown "cpu" / ticks,       -- milliseconds
    process_cpu = grown "process_cpu" / ticks,
    bytes = after.bytes,
  }
end

function crowd.stop(self)
  for _, robot in ipairs(self.robots) do
    skynet.send(robot, "debug", "EXIT")
  end
  repeat
    skynet.sleep(20)
  until self.is_plain or skynet.call(self.scene, "lua", "stats").entities == 0
  skynet.send(self.scene, "debug", "EXIT")
end

-- Runs a main function, says how it went, and ends skynet.
function crowd.run(main)
  local ok, message = xpcall(main, debug.traceback)
  print(ok and "skynet: all well" or message)
  io.stdout:flush()
  skynet.abort()
end

function crowd.setting(name, default)
  return tonumber(os.getenv(name) or "") or default
end

return crowd
