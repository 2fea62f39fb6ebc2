-- Prints once a second what one robot sees, who came into its view and who went out of it. Its arguments:
-- scene, robot, how many seconds it prints.
--
-- A second entity, a watcher that nobody sees, follows the robot: the scene tells it the same.
local skynet = require "skynet"
local view = require "aoi.skynet.client"

local scene, robot, seconds = ...
scene, robot, seconds = tonumber(scene), tonumber(robot), tonumber(seconds)

local ID = -robot
local in_view = {}
local came, gone = {}, {} -- since the last line; sets of ids

view.on {
  entered = function(id)
    in_view[id], came[id], gone[id] = true, true, nil
  end,
  left = function(id)
    in_view[id], came[id], gone[id] = nil, nil, true
  end,
}

local function list(ids)
  ids[robot] = nil
  local sorted = {}
  for id in pairs(ids) do
    sorted[#sorted + 1] = id
  end
  table.sort(sorted)
  return #sorted > 0 and table.concat(sorted, " ") or "nobody"
end

local function tell()
  seconds = seconds - 1
  if seconds > 0 then
    skynet.timeout(100, tell)
  end
  print(("robot %d sees %s; came: %s; left: %s"):format(robot, list(in_view), list(came), list(gone)))
  came, gone = {}, {}
end

local function follow()
  skynet.timeout(10, follow)
  local x, y = view.query("position", robot)
  if x then
    view.move(x, y)
  end
end

skynet.start(function()
  local x, y = skynet.call(scene, "lua", "query", "position", robot)
  view.join(scene, ID, x, y, { mode = "w" })
  follow()
  skynet.timeout(100, tell)
end)
