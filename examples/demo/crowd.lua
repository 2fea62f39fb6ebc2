-- A crowd of walkers for some seconds: every one takes step after step, every event is counted.
local aoi = require "aoi"
local summary = require "examples.demo.summary"

local crowd = {}

local walkers, side, radius, stride = 10000, 3200, 50, 3
local spaces = {
  grid = { engine = "grid", width = side, height = side, radius = radius },
  crosslist = { engine = "crosslist", radius = radius },
  quadtree = { engine = "quadtree", width = side, height = side, radius = radius },
}

-- Lets the crowd walk for so many seconds of computing on one engine.
function crowd.run(engine, seconds)
  local counts, handlers = summary.counters()
  local space = aoi.new(spaces[engine])
  space:on(handlers)
  io.write(("%s walkers on %d x %d, a view of %d, steps of %d, engine %s\n"):format(
    summary.number(walkers), side, side, radius, stride, engine))

  math.randomseed(42)
  local x, y, dx, dy = {}, {}, {}, {}
  for id = 1, walkers do
    local direction = math.random() * 2 * math.pi
    x[id], y[id] = math.random() * side, math.random() * side
    dx[id], dy[id] = stride * math.cos(direction), stride * math.sin(direction)
  end

  local show = summary.progress(1)
  local start = os.clock()
  for id = 1, walkers do
    space:enter(id, x[id], y[id])
  end
  local calls = walkers
  local elapsed
  repeat
    for id = 1, walkers do
      local to_x, to_y = x[id] + dx[id], y[id] + dy[id]
      if to_x < 0 or to_x > side then -- turn round at the border
        dx[id], to_x = -dx[id], x[id]
      end
      if to_y < 0 or to_y > side then
        dy[id], to_y = -dy[id], y[id]
      end
      x[id], y[id] = to_x, to_y
      space:move(id, to_x, to_y)
    end
    calls = calls + walkers
    elapsed = os.clock() - start
    show(("%4.1f s   %s calls   %s events"):format(elapsed, summary.number(calls),
      summary.number(counts.enter + counts.leave + counts.move)))
  until elapsed >= seconds
  show(nil, true)
  summary.print(calls, counts, elapsed)
  space:close()
end

return crowd
