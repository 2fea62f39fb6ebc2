-- The agent of one player: what it sees goes to its client, here to the terminal.
local skynet = require "skynet"
require "skynet.manager"
local view = require "aoi.skynet.client"

local meadow, town = ...
meadow, town = tonumber(meadow), tonumber(town)

view.on {
  entered = function(id, x, y) print(id .. " came into view at", x, y) end,
  left = function(id) print(id .. " is out of view") end,
  notified = function(what) print(what) end,
}

local function play()
  view.join(meadow, 7, 0, 0)
  for step = 1, 6 do                             -- towards the wolf
    skynet.sleep(20)
    view.move(10 * step, 0)
  end
  skynet.sleep(50)
  view.go(town, 0, 0)                            -- through the gate
  skynet.sleep(50)
  print "skynet: all well"
  io.stdout:flush()
  skynet.abort()
end

skynet.start(function()
  skynet.fork(play)                              -- newservice waits until start returns
end)
