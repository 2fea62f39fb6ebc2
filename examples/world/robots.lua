-- Robots: one service that stands for many of them in a world or a scene, as a gate does for its clients. It
-- has them walk about, and counts what comes for them, without reading it. A robot whose node was killed, and
-- that is in the world no more, comes back. Its arguments: world or scene, first id, last id, side of the
-- map, the rectangle in which they begin: x1, y1, x2, y2, and 1 if they do not leave it.
local skynet = require "skynet"
local packet = require "aoi.skynet.packet"
local REFUSED = require("aoi.skynet.blocks").REFUSED

local arguments = { ... }
for i, word in ipairs(arguments) do
  arguments[i] = tonumber(word)
end
local world, first, last, side, x1, y1, x2, y2, stays = table.unpack(arguments)
local left, bottom, right, top = 0, 0, side, side
if stays == 1 then
  left, bottom, right, top = x1, y1, x2, y2
end

local PACE = 10                -- hundredths of a second between two steps
local STEP = 3
local TURN = math.pi / 8

local heard = { messages = 0, bytes = 0, refused = 0, back = 0 }
local robots = {}

math.randomseed(first)
for id = first, last do
  robots[id] = { x = x1 + math.random() * (x2 - x1), y = y1 + math.random() * (y2 - y1),
    direction = math.random() * 2 * math.pi }
end

local function walk()
  skynet.timeout(PACE, walk)
  for id = first, last do
    local robot = robots[id]
    robot.direction = robot.direction + (math.random() * 2 - 1) * TURN
    local x = robot.x + STEP * math.cos(robot.direction)
    local y = robot.y + STEP * math.sin(robot.direction)
    if x < left or x > right or y < bottom or y > top then
      robot.direction = robot.direction + math.pi -- back from the border
    elseif not robot.is_out then
      robot.x, robot.y = x, y
      skynet.send(world, "lua", "move", id, x, y)
    end
  end
end

-- Enters again, when the world takes it. An update also takes one that is there after all.
local function come_back(id)
  local robot = robots[id]
  if robot and not robot.is_out then
    robot.is_out = true
    while not skynet.call(world, "lua", "update", id, robot.x, robot.y) do
      skynet.sleep(50)
    end
    robot.is_out, heard.back = false, heard.back + 1
  end
end

local hear = {}

function hear.refused(_, message)
  heard.refused = heard.refused + 1
  local id = message:match "id (%d+) is not in the space"
  if id then
    skynet.fork(come_back, tonumber(id))
  end
end

packet.register(function(_, _, text)
  heard.messages = heard.messages + 1
  heard.bytes = heard.bytes + #text
  if text:byte() == REFUSED then
    packet.read(text, hear)
  end
end)

skynet.start(function()
  skynet.dispatch("lua", function()
    skynet.retpack(heard)
  end)
  for id = first, last do
    skynet.send(world, "lua", "enter", id, robots[id].x, robots[id].y)
  end
  skynet.timeout(math.random(PACE), walk)
end)
