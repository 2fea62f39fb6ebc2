-- A crowd of walkers as movement to replay, like that of a file: everybody goes straight on, and turns round
-- at the border.
local crowd = { radius = 50, title = "a crowd" }

local WALKERS, SIDE, STRIDE, STEPS = 10000, 3200, 3, 20

-- The rows of all, in the shape that replay.read gives.
function crowd.rows()
  local rows = {
    n = 0, time = {}, id = {}, x = {}, y = {}, last = {},
    min_x = 0, min_y = 0, width = SIDE, height = SIDE,
  }
  math.randomseed(42)
  local x, y, dx, dy = {}, {}, {}, {}
  for id = 1, WALKERS do
    local direction = math.random() * 2 * math.pi
    x[id], y[id] = math.random() * SIDE, math.random() * SIDE
    dx[id], dy[id] = STRIDE * math.cos(direction), STRIDE * math.sin(direction)
  end
  for step = 0, STEPS do
    for id = 1, WALKERS do
      if step > 0 then
        if x[id] + dx[id] < 0 or x[id] + dx[id] > SIDE then
          dx[id] = -dx[id]
        end
        if y[id] + dy[id] < 0 or y[id] + dy[id] > SIDE then
          dy[id] = -dy[id]
        end
        x[id], y[id] = x[id] + dx[id], y[id] + dy[id]
      end
      local n = rows.n + 1
      rows.n, rows.time[n], rows.id[n], rows.x[n], rows.y[n], rows.last[id] = n, step, id, x[id], y[id], n
    end
  end
  return rows
end

return crowd
