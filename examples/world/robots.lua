-- Robots: one service that stands for many of them in a world or a scene, as a gate does for its clients. It
-- has them walk about, and counts what comes for them, without reading it. Its arguments: world or scene,
-- first id, last id, distance between two ids, side of the map.
local skynet = require "skynet"
local packet = require "aoi.skynet.packet"

local world, first, last, distance, side = ...
world, first, last, distance = tonumber(world), tonumber(first), tonumber(last), tonumber(distance)
side = tonumber(side)

local PACE = 10                -- hundredths of a second between two steps
local STEP = 3
local TURN = math.pi / 8

local heard = { messages = 0, bytes = 0 }
local robots = {}

math.randomseed(first)
for id = first, last, distance do
  robots[#robots + 1] = { id = id, x = math.random() * side, y = math.random() * side,
    direction = math.random() * 2 * math.pi }
end

local function walk()
  skynet.timeout(PACE, walk)
  for _, robot in ipairs(robots) do
    robot.direction = robot.direction + (math.random() * 2 - 1) * TURN
    local x = robot.x + STEP * math.cos(robot.direction)
    local y = robot.y + STEP * math.sin(robot.direction)
    if x < 0 or x > side or y < 0 or y > side then
      robot.direction = robot.direction + math.pi -- back from the border
    else
      robot.x, robot.y = x, y
      skynet.send(world, "lua", "move", robot.id, x, y)
    end
  end
end

packet.register(function(_, _, text)
  heard.messages = heard.messages + 1
  heard.bytes = heard.bytes + #text
end)

skynet.start(function()
  skynet.dispatch("lua", function()
    skynet.retpack(heard.messages, heard.bytes)
  end)
  for _, robot in ipairs(robots) do
    skynet.send(world, "lua", "enter", robot.id, robot.x, robot.y)
  end
  skynet.timeout(math.random(PACE), walk)
end)
