-- The main program of each process of a test: it meets the others, and does what the last of them, the
-- driver, tells it: starting and ending its part of a world, its walkers or robots. The driver runs the
-- module that AOI_PLAY names. From the environment: AOI_NODE, who we are; AOI_NODES, all; AOI_FOLDER, where
-- files go.
local skynet = require "skynet"
require "skynet.manager"
local cluster = require "skynet.cluster"
local meeting = require "spec.world.meeting"

local FOLDER, NODE = os.getenv "AOI_FOLDER", os.getenv "AOI_NODE"
local MEETING = 30 -- seconds
local world, walkers
local robots = {} -- list of services of examples/world/robots.lua

local NODES = {}
for name in os.getenv "AOI_NODES":gmatch "%S+" do
  NODES[#NODES + 1] = name
end

local COMMAND = {}

-- Starts a world service with these words.
function COMMAND.start_world(words)
  world = skynet.newservice("world", table.unpack(words))
end

-- Starts walkers in this node's world: plan of spec/world/paths.lua, list of the ids, seconds of a step.
function COMMAND.start_walkers(plan, ids, pace, heard)
  walkers = skynet.newservice "walkers"
  skynet.call(walkers, "lua", "start", world, plan, ids, pace, heard and FOLDER .. "/" .. heard)
end

-- Ends the steps of the walkers; returns what they counted.
function COMMAND.stop_walkers()
  return skynet.call(walkers, "lua", "stop")
end

-- Ends the walkers' service; what they heard is in their file then.
function COMMAND.end_walkers()
  return skynet.call(walkers, "lua", "finish")
end

-- Starts wanderers in this node's world, in the place of those before: see wanderers.lua.
function COMMAND.start_wanderers(...)
  if walkers then
    skynet.kill(walkers)
  end
  walkers = skynet.newservice "wanderers"
  skynet.call(walkers, "lua", "start", world, ...)
end

-- Has them do a command.
function COMMAND.wanderers(...)
  return skynet.call(walkers, "lua", ...)
end

-- Starts a scene with these words, in the place of a world.
function COMMAND.start_scene(words)
  world = skynet.newservice("scene", table.unpack(words))
end

-- Starts robots with the ids `first` to `last` in a rectangle of a map of this side; each service stands for
-- `share` of them.
function COMMAND.start_robots(first, last, side, share, ...)
  for id = first, last, share do
    robots[#robots + 1] = skynet.newservice("robots", world, id, math.min(last, id + share - 1), side, ...)
  end
end

-- The counts of the robots of this node, summed up: see robots.lua.
function COMMAND.heard()
  local sum = {}
  for _, robot in ipairs(robots) do
    for name, value in pairs(skynet.call(robot, "lua", "heard")) do
      sum[name] = (sum[name] or 0) + value
    end
  end
  return sum
end

function COMMAND.stop_robots()
  for _, robot in ipairs(robots) do
    skynet.send(robot, "debug", "EXIT")
  end
  robots = {}
end

-- Starts a service that talks to this node's world, or to another service; returns its address.
function COMMAND.start_service(name, other)
  return skynet.newservice(name, other or world)
end

-- Starts a scene with these words, beside the world; returns its address.
function COMMAND.start_scene_beside(words)
  return skynet.newservice("scene", table.unpack(words))
end

-- Has such a service do a command.
function COMMAND.service(address, ...)
  return skynet.call(address, "lua", ...)
end

-- Gives it a name on this node.
function COMMAND.name_service(address, name)
  skynet.name(name, address)
end

-- Ends it as a crash does: it says no word.
function COMMAND.kill_service(address)
  skynet.kill(address)
end

function COMMAND.world_handle()
  return world
end

-- Our own handle: of a service that takes no messages of the world's protocol.
function COMMAND.handle()
  return skynet.self()
end

function COMMAND.stats()
  return skynet.call(world, "lua", "stats")
end

-- Seconds of CPU that this process has used: `process`, all of it; and by the services that do a part of it,
-- `region`, `world`, `scene`, `robots`, and `cluster`, all of skynet's cluster.
function COMMAND.cpu()
  local result = { process = os.clock() }
  local names = skynet.call(".launcher", "lua", "LIST")
  for address, stat in pairs(skynet.call(".launcher", "lua", "STAT", 500)) do
    local name = (names[address] or ""):match "^snlua (%l+)"
    name = name and (name:match "^cluster" or name == "gate" and "cluster") or name
    if name and type(stat) == "table" then
      result[name] = (result[name] or 0) + stat.cpu
    end
  end
  return result
end

function COMMAND.world(...)
  return skynet.call(world, "lua", ...)
end

-- Sends the world a message.
function COMMAND.send_world(...)
  skynet.send(world, "lua", ...)
end

function COMMAND.end_world()
  skynet.send(world, "debug", "EXIT")
  world = nil
end

local function wait_for_the_end()
  while not meeting.read(FOLDER .. "/stop") do
    skynet.sleep(20)
  end
  skynet.abort()
end

local function drive()
  local play = require(os.getenv "AOI_PLAY")
  local ok, message = xpcall(play, debug.traceback, {
    folder = FOLDER,
    nodes = NODES,
    -- Has the n-th process do a command.
    tell = function(n, ...)
      return cluster.call(NODES[n], "@process", ...)
    end,
  })
  if not ok then
    print(message)
  end
  print(ok and "world: all well" or "world: FAILED")
  io.stdout:flush()
  meeting.write(FOLDER .. "/stop", "")
  skynet.sleep(50) -- the others look for it
  skynet.abort()
end

skynet.start(function()
  skynet.dispatch("lua", function(session, _, command, ...)
    if session == 0 then
      COMMAND[command](...)
    else
      skynet.retpack(COMMAND[command](...))
    end
  end)
  cluster.register "process"
  skynet.fork(function()
    meeting.open(FOLDER, NODE, NODES, MEETING)
    if NODE == NODES[#NODES] then
      drive()
    else
      wait_for_the_end()
    end
  end)
end)
