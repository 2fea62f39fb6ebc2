-- The rule of sight, word by word: shapes, cells of the nine-grid, and whether one entity sees another.
local sight = {}

function sight.in_square(centre, r, point, dims)
  for axis = 1, dims do
    if not (centre[axis] - r <= point[axis] and point[axis] <= centre[axis] + r) then
      return false
    end
  end
  return true
end

function sight.distance2(a, b, dims)
  local dx, dy = b[1] - a[1], b[2] - a[2]
  if dims == 3 then
    local dz = b[3] - a[3]
    return dx * dx + dy * dy + dz * dz
  end
  return dx * dx + dy * dy
end

function sight.in_circle(centre, r, point, dims)
  return sight.in_square(centre, r, point, dims) and sight.distance2(centre, point, dims) <= r * r
end

-- Number of cells on an axis, and the size of one.
local function cells(extent, count, size)
  if count then
    return count, extent / count
  end
  return math.ceil(extent / size), size
end

local function cell_on_axis(x, low, n, size)
  local cell = math.floor((x - low) / size)
  return math.max(0, math.min(n - 1, cell))
end

-- Column and row of a point in the nine-grid.
function sight.cell(map, point)
  local cols, width = cells(map.width, map.cols, map.cell)
  local rows, height = cells(map.height, map.rows, map.cell)
  return cell_on_axis(point[1], map.x, cols, width), cell_on_axis(point[2], map.y, rows, height)
end

local function cells_touch(map, a, b)
  local ax, ay = sight.cell(map, a)
  local bx, by = sight.cell(map, b)
  return math.abs(ax - bx) <= 1 and math.abs(ay - by) <= 1
end

function sight.is_watcher(entity)
  return entity.mode ~= "m"
end

function sight.is_marker(entity)
  return entity.mode ~= "w"
end

function sight.in_view(space, w, m)
  if space.classic then
    return cells_touch(space.map, w.place, m.place)
  end
  local r = math.max(w.radius, m.visible_radius)
  if space.shape == "circle" then
    return sight.in_circle(w.anchor, r, m.anchor, space.dims)
  end
  return sight.in_square(w.anchor, r, m.anchor, space.dims)
end

-- The word about a pair: true, false, or nil.
function sight.word(space, w, m)
  return space.sights[w.id] and space.sights[w.id][m.id]
end

function sight.sees(space, w, m)
  if w == m or not sight.is_watcher(w) or not sight.is_marker(m) then
    return false
  end
  local word = sight.word(space, w, m)
  if word ~= nil then
    return word
  end
  return m.layers & w.sees_layers ~= 0 and sight.in_view(space, w, m)
end

-- The markers that w sees, as a set of ids.
function sight.view(space, w)
  local seen = {}
  if sight.is_watcher(w) then
    for id, m in pairs(space.entities) do
      if sight.sees(space, w, m) then
        seen[id] = true
      end
    end
  end
  return seen
end

-- All views: watcher -> set of markers.
function sight.views(space)
  local views = {}
  for id, w in pairs(space.entities) do
    views[id] = sight.view(space, w)
  end
  return views
end

return sight
