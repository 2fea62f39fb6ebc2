-- The walk of a robot: some steps straight on, a small turn, and back from the border of the map.
local STEP = 3
local TURN = math.pi / 8

-- Returns where it begins, and a function that makes the next step and returns where that leads; nil for a
-- step that only turns around. The same id takes the same walk.
return function(id, side)
  math.randomseed(id)
  local x, y = math.random() * side, math.random() * side
  local direction = math.random() * 2 * math.pi
  return x, y, function()
    direction = direction + (math.random() * 2 - 1) * TURN
    local dx, dy = STEP * math.cos(direction), STEP * math.sin(direction)
    if x + dx < 0 or x + dx > side or y + dy < 0 or y + dy > side then
      direction = direction + math.pi
      return nil
    end
    x, y = x + dx, y + dy
    return x, y
  end
end
