-- The queries of the brute-force model: each looks at every entity. Requiring this file adds the
-- query_* methods to the model.
--
-- Arguments that have no meaning are refused: a negative or NaN size, an infinite coordinate.
-- Meaningful where they look degenerate: a rect may be given by any two opposite corners, a
-- radius or width of 0 finds what is exactly there, a segment of no length is a disc, an angle of
-- 0 is a ray, an angle of a full turn or more is a disc, k of 0 finds nothing.

local Model = require "spec.support.model"
local polygons = require "spec.support.model_polygons"

local FULL_TURN = 2 * math.pi

local function refuse(text)
  error({ refused = text }, 0)
end

local function is_number(value)
  return math.type(value) ~= nil and value == value
end

local function finite(value)
  if not is_number(value) or value == math.huge or value == -math.huge then
    refuse("not a finite number")
  end
  return value + 0.0
end

-- From 0 to infinity.
local function size(value)
  if not is_number(value) or value < 0 then
    refuse("not a number from 0 up")
  end
  return value + 0.0
end

-- Splits the arguments of a query into the first `count` ones and the layer bits at the end.
local function split(count, ...)
  local given = table.pack(...)
  local bits = given[count + 2]
  if math.type(given[count + 1]) then
    bits = given[count + 1] -- no table to reuse
  end
  return given, (bits == nil or bits == -1) and 0xFFFFFFFF or bits
end

-- The markers of the layers that pass the test, in ascending order of ids.
function Model:find(bits, test)
  return self:select(function(entity)
    return entity.mode ~= "w" and entity.layers & bits ~= 0 and test(entity)
  end)
end

function Model:query_rect(...)
  local axes = self.dims == 3 and { "x", "y", "z" } or { "x", "y" }
  local given, bits = split(2 * #axes, ...)
  local low, high = {}, {}
  for i, axis in ipairs(axes) do
    local a, b = finite(given[i]), finite(given[i + #axes])
    low[axis], high[axis] = math.min(a, b), math.max(a, b)
  end
  return self:find(bits, function(entity)
    for _, axis in ipairs(axes) do
      if not (low[axis] <= entity[axis] and entity[axis] <= high[axis]) then
        return false
      end
    end
    return true
  end)
end

-- The comparisons of a circle (or ball) with centre c, as for visibility.
local function in_disc(c, r, entity)
  local dx, dy, dz = entity.x - c.x, entity.y - c.y, entity.z - c.z
  return c.x - r <= entity.x and entity.x <= c.x + r
    and c.y - r <= entity.y and entity.y <= c.y + r
    and c.z - r <= entity.z and entity.z <= c.z + r
    and dx * dx + dy * dy + dz * dz <= r * r
end

-- The centre and the arguments after it, z being 0 in two dimensions.
function Model:centre(x, y, z, ...)
  if self.dims == 3 then
    return { x = finite(x), y = finite(y), z = finite(z) }, ...
  end
  return { x = finite(x), y = finite(y), z = 0.0 }, z, ...
end

function Model:query_circle(...)
  local given, bits = split(self.dims + 1, ...)
  local centre, radius = self:centre(table.unpack(given, 1, self.dims + 1))
  radius = size(radius)
  return self:find(bits, function(entity)
    return in_disc(centre, radius, entity)
  end)
end

-- Looks at x and y only.
function Model:query_sector(...)
  local given, bits = split(5, ...)
  local x, y, radius = finite(given[1]), finite(given[2]), size(given[3])
  local direction, angle = finite(given[4]), size(given[5])
  local right_x, right_y = math.cos(direction - angle / 2), math.sin(direction - angle / 2)
  local left_x, left_y = math.cos(direction + angle / 2), math.sin(direction + angle / 2)
  return self:find(bits, function(entity)
    local dx, dy = entity.x - x, entity.y - y
    local flat = { x = entity.x, y = entity.y, z = 0.0 }
    if not in_disc({ x = x, y = y, z = 0.0 }, radius, flat) then
      return false
    elseif angle >= FULL_TURN or dx == 0 and dy == 0 then
      return true
    end
    local left_of_right_edge = right_x * dy - right_y * dx >= 0
    local right_of_left_edge = dx * left_y - dy * left_x >= 0
    if angle > math.pi then
      return left_of_right_edge or right_of_left_edge
    end
    -- The last test matters for an angle of 0 only: both edges are one line there.
    local is_ray = right_x == left_x and right_y == left_y
    return left_of_right_edge and right_of_left_edge
      and (not is_ray or dx * right_x + dy * right_y >= 0)
  end)
end

-- Looks at x and y only.
function Model:query_segment(...)
  local given, bits = split(5, ...)
  local x1, y1, x2, y2 = finite(given[1]), finite(given[2]), finite(given[3]), finite(given[4])
  local half = size(given[5]) / 2
  local along_x, along_y = x2 - x1, y2 - y1
  local length_squared = along_x * along_x + along_y * along_y
  return self:find(bits, function(entity)
    local dx, dy = entity.x - x1, entity.y - y1
    local t = 0.0
    if length_squared > 0 then
      t = math.max(0.0, math.min(1.0, (dx * along_x + dy * along_y) / length_squared))
    end
    local off_x, off_y = dx - t * along_x, dy - t * along_y
    return off_x * off_x + off_y * off_y <= half * half
  end)
end

-- Of rings whose edges do not touch: what is refused is in spec/polygons_spec.lua.
function Model:query_polygon(...)
  local given, bits = split(1, ...)
  local rings = type(given[1][1]) == "table" and given[1] or { given[1] }
  return self:find(bits, function(entity)
    return polygons.holds(rings, entity.x, entity.y)
  end)
end

function Model:query_nearest(...)
  local given, bits = split(self.dims + 2, ...)
  local centre, k, max_radius = self:centre(table.unpack(given, 1, self.dims + 2))
  k = math.type(k) and math.tointeger(k)
  if not k or k < 0 then
    refuse("k is no integer from 0 up")
  end
  max_radius = max_radius and size(max_radius) or math.huge
  local found = self:find(bits, function(entity)
    return in_disc(centre, max_radius, entity)
  end)
  local distance = {}
  for _, id in ipairs(found) do
    local entity = self.entities[id]
    local dx, dy, dz = entity.x - centre.x, entity.y - centre.y, entity.z - centre.z
    distance[id] = dx * dx + dy * dy + dz * dz
  end
  table.sort(found, function(a, b)
    if distance[a] ~= distance[b] then
      return distance[a] < distance[b]
    end
    return a < b
  end)
  for i = #found, math.min(k, #found) + 1, -1 do
    found[i] = nil
  end
  return found, #found
end

return Model
