--[[ One watcher walks a loop through a crowd of walkers, in a real space: the demo shows it in the terminal,
docs/draw_view.lua draws it. All paths are closed, so after the last step everybody stands where they
started, and the watcher sees whom it saw at first. ]]
local aoi = require "aoi"

local walk = { width = 104, height = 72, radius = 18, watcher = 0, walkers = 40 }

walk.options = {
  engine = "quadtree", width = walk.width, height = walk.height,
  radius = walk.radius, shape = "circle", deferred = true,
}

local TURN = 2 * math.pi

-- Where somebody stands when `part` of the loop is over, 0 … 1.
function walk.place(id, part)
  local angle = TURN * part
  if id == walk.watcher then
    return walk.width / 2 - 31 * math.cos(angle), walk.height / 2 + 15 * math.sin(angle)
  end
  -- Multiples of these two numbers fall evenly over a square; the walkers go round places that do so.
  local across, up = id * 0.7548776662466927 % 1, id * 0.5698402909980532 % 1
  local wide, high = 4 + id * 5 % 9, 4 + id * 7 % 8
  local turn = id % 2 == 0 and angle or -angle
  return wide + 1 + across * (walk.width - 2 * wide - 2) + wide * math.cos(turn + id),
    high + 1 + up * (walk.height - 2 * high - 2) + high * math.sin(turn * (1 + id % 2) + 2 * id)
end

--[[ Walks the loop in so many steps and calls shown(step, events, n, space) after each, step 0 among them:
everybody's entrance. An event is { op, marker }; entry n is the last of that step. place is walk.place if
not given. ]]
function walk.play(steps, shown, place)
  place = place or walk.place
  local events, n
  local space = aoi.new(walk.options)
  space:on {
    on_leave = function(_, marker)
      n = n + 1
      events[n] = { "leave", marker }
    end,
    on_enter = function(_, marker)
      n = n + 1
      events[n] = { "enter", marker }
    end,
  }
  for id = 0, walk.walkers do
    local x, y = place(id, 0)
    space:enter(id, x, y, { mode = id == walk.watcher and "w" or "m" })
  end
  for step = 0, steps do
    for id = 0, step > 0 and walk.walkers or -1 do
      space:move(id, place(id, step / steps))
    end
    events, n = {}, 0
    space:tick()
    shown(step, events, n, space)
  end
  space:close()
end

return walk
