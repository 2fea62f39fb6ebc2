-- The first script of the README: who comes into whose view, moves in it, and goes out of it.
local aoi = require "aoi"

local scene = aoi.new {
  radius = 50,
  on_event = function(watcher, marker, op)
    print(watcher, op, marker)
  end,
}

scene:enter(1, 100, 100)                  -- a knight
scene:enter(2, 130, 100)                  -- a dragon: the two see each other
scene:move(2, 140, 110)                   -- the knight sees it move
scene:enter(3, 145, 110, { mode = "m" })  -- a chest: it is seen and sees nobody
scene:move(2, 900, 900)                   -- the dragon is gone
