-- A robot: an agent that walks about in a scene and looks around. Its arguments: scene, id, side of the map.
local skynet = require "skynet"
local view = require "aoi.skynet.client"
local wander = require "examples.skynet.wander"

local scene, id, side = ...
scene, id, side = tonumber(scene), tonumber(id), tonumber(side)

local PACE = 10 -- hundredths of a second between two steps

local heard = { messages = 0, events = 0 }

local x, y, step = wander(id, side)

local function walk()
  skynet.timeout(PACE, walk)
  local to_x, to_y = step()
  if to_x then
    view.move(to_x, to_y)
  end
end

local in_view = {} -- id -> its place
local function take_in(other, its_x, its_y)
  heard.events = heard.events + 1
  local place = in_view[other]
  if place then
    place.x, place.y = its_x, its_y
  else
    in_view[other] = { x = its_x, y = its_y }
  end
end

view.on {
  entered = take_in,
  moved = take_in,
  left = function(other)
    heard.events = heard.events + 1
    in_view[other] = nil
  end,
}

-- Every message counts, however much is in it.
local receive = skynet.dispatch "aoi"
skynet.dispatch("aoi", function(...)
  heard.messages = heard.messages + 1
  receive(...)
end)

local COMMAND = {}

-- The counts of messages and events heard so far.
function COMMAND.heard()
  return heard.messages, heard.events
end

function COMMAND.exit()
  skynet.exit()
end

skynet.start(function()
  skynet.dispatch("lua", function(_, _, command)
    skynet.retpack(COMMAND[command]())
  end)
  view.join(scene, id, x, y)
  skynet.timeout(math.random(PACE), walk)
end)
