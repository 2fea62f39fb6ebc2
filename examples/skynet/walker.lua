-- A walker: an agent for costs.lua that walks as a robot does, and reads nothing of what it is told. Its
-- arguments: id, side of the map.
local skynet = require "skynet"
local packet = require "aoi.skynet.packet"

local id, side = ...
id, side = tonumber(id), tonumber(side)

local PACE = 10 -- hundredths of a second between two steps
local STEP = 3
local TURN = math.pi / 8
local KEY = 1   -- of the property

local scene, kind -- where it is, and what it does there: see COMMAND.go

math.randomseed(id)
local x, y = math.random() * side, math.random() * side
local direction = math.random() * 2 * math.pi

local function walk()
  skynet.timeout(PACE, walk)
  direction = direction + (math.random() * 2 - 1) * TURN
  local dx, dy = STEP * math.cos(direction), STEP * math.sin(direction)
  if x + dx < 0 or x + dx > side or y + dy < 0 or y + dy > side then
    direction = direction + math.pi -- back from the border
    dx, dy = 0, 0
  end
  x, y = x + dx, y + dy
  if not scene then
    return
  end
  skynet.send(scene, "lua", "move", id, x, y, kind == "extras" and direction or nil)
  if kind == "property" then
    skynet.send(scene, "lua", "set_property", id, KEY, math.random(1000))
  end
end

local COMMAND = {}

-- Leaves the scene where it is, and enters another one. what: extras, with one; property, it sets one with
-- each step; else it just walks.
function COMMAND.go(to, what)
  if scene then
    skynet.send(scene, "lua", "leave", id)
  end
  scene, kind = nil, what
  if to then
    assert(skynet.call(to, "lua", "enter", id, x, y))
    scene = to
  end
end

function COMMAND.exit()
  skynet.exit()
end

packet.register(function() end)

skynet.start(function()
  skynet.dispatch("lua", function(_, _, command, ...)
    skynet.retpack(COMMAND[command](...))
  end)
  skynet.timeout(math.random(PACE), walk)
end)
