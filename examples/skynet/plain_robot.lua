-- A robot in the scene of plain_scene.lua: it walks as that of robot.lua does, and keeps who is in its view.
-- Its arguments: scene, id, side of the map.
local skynet = require "skynet"
local wander = require "examples.skynet.wander"

local scene, id, side = ...
scene, id, side = tonumber(scene), tonumber(id), tonumber(side)

local PACE = 10 -- hundredths of a second between two steps

local x, y, step = wander(id, side)
local messages = 0

local function walk()
  skynet.timeout(PACE, walk)
  local to_x, to_y = step()
  if to_x then
    skynet.send(scene, "lua", "move", id, to_x, to_y)
  end
end

local in_view = {} -- id -> its place
local COMMAND = {}

function COMMAND.aoi_enter(other, its_x, its_y)
  in_view[other] = { x = its_x, y = its_y }
end

function COMMAND.aoi_move(other, its_x, its_y)
  local place = in_view[other]
  place.x, place.y = its_x, its_y
end

function COMMAND.aoi_leave(other)
  in_view[other] = nil
end

skynet.start(function()
  skynet.dispatch("lua", function(_, _, command, ...)
    if command == "heard" then
      skynet.retpack(messages)
    else
      messages = messages + 1
      COMMAND[command](...)
    end
  end)
  skynet.send(scene, "lua", "enter", id, x, y)
  skynet.timeout(math.random(PACE), walk)
end)
