-- Whether a command about an area of a world is right, and what the area is after it; where it reaches. Every
-- node and region judges with these alone, so that all of them judge alike. Without skynet.
local aoi = require "aoi"

local SHAPE = { "shape", "radius", "leave_radius", "width", "height", "points" }
local PLACE = { "x", "y", "z", "owner", "dx", "dy", "dz" }

local area_rules = {
  COMMANDS = { "add_area", "set_area", "update_area", "move_area", "remove_area" },
}

local Rules = {}
Rules.__index = Rules

-- dims: of the space; reach: how far from its owner an area may be, on each axis.
function area_rules.new(dims, reach)
  return setmetatable({
    dims = dims, reach = reach,
    -- Has the area that is judged, nothing else: it refuses what any space would refuse, in the same words.
    scratch = aoi.new { engine = "crosslist", radius = 0, dims = dims },
  }, Rules)
end

local function names_any(opts, names)
  for _, name in ipairs(names) do
    if opts[name] ~= nil then
      return true
    end
  end
  return false
end

-- All that there is to say of an area that was `old` and is changed by opts; both are right.
local function merged(old, opts)
  local whole = { sees_layers = opts.sees_layers or old.sees_layers or -1 }
  for _, names in ipairs { SHAPE, PLACE } do
    local from = names_any(opts, names) and opts or old
    for _, name in ipairs(names) do
      whole[name] = from[name]
    end
    if whole.points then -- which say where it is
      break
    end
  end
  return whole
end

-- How far an area with an owner reaches from it, on the axis on which it is more.
local function reach_of(area)
  local half = area.leave_radius or area.radius
  return math.max(math.abs(area.dx or 0) + (half or area.width / 2),
    math.abs(area.dy or 0) + (half or area.height / 2))
end

-- The complaint of a world about an area that was `old`, or nil.
function Rules:problem(old, new, id)
  if old and not old.owner ~= not new.owner then
    return ("area %d has %s, expected a change that leaves it so: in a world only another area has %s")
      :format(id, old.owner and "an owner" or "no owner", old.owner and "none" or "one")
  elseif new.owner and reach_of(new) > self.reach then
    return ("area %d reaches %s from its owner, expected at most max_radius + 2 * slack of the world, %s")
      :format(id, reach_of(new), self.reach)
  end
end

function Rules:add_owner(owner)
  owner = math.type(owner) and math.tointeger(owner)
  if owner and not self.scratch:has(owner) then
    self.scratch:enter(owner, table.unpack { 0, 0, self.dims == 3 and 0 or nil })
  end
end

-- A command about the area of this id, of which `old` is what this function gave; nil: there is none. name:
-- one of COMMANDS, and then what the method of a space takes. Returns what the area is now, a table with all
-- that it has and not to be changed; false: it is no more; or nil and a message. Any entity may be an owner.
-- Third, what the method gives.
-- O(1); polygons: as to add them.
function Rules:judge(old, name, id, ...)
  local scratch, opts = self.scratch, (...)
  if type(opts) == "table" then
    self:add_owner(opts.owner)
  end
  if old then
    self:add_owner(old.owner)
    scratch:add_area(id, old)
  end
  local ok, message = pcall(scratch[name], scratch, id, ...)
  local result = ok and message
  scratch:clear()
  if not ok then
    return nil, message
  elseif name == "remove_area" then
    return false
  end
  if name == "move_area" then
    local x, y, z = ...
    opts = { x = x, y = y, z = z }
  end
  local new = merged(name ~= "add_area" and old or {}, opts)
  local problem = self:problem(name ~= "add_area" and old or nil, new, id)
  if problem then
    return nil, name .. ": " .. problem
  end
  return new, nil, result
end

local function box_of_points(points)
  local x1, y1, x2, y2 = math.huge, math.huge, -math.huge, -math.huge
  for _, ring in ipairs(type(points[1]) == "table" and points or { points }) do
    for i = 1, #ring, 2 do
      x1, x2 = math.min(x1, ring[i]), math.max(x2, ring[i])
      y1, y2 = math.min(y1, ring[i + 1]), math.max(y2, ring[i + 1])
    end
  end
  return x1, y1, x2, y2
end

-- The rectangle around an area without owner: x1, y1, x2, y2. O(1), of a polygon O(corners).
function area_rules.box(area)
  if area.points then
    return box_of_points(area.points)
  end
  local half = area.leave_radius or area.radius
  local half_x, half_y = half or area.width / 2, half or area.height / 2
  return area.x - half_x, area.y - half_y, area.x + half_x, area.y + half_y
end

-- Whether a marker that the region owns can be in an area without owner: those up to `margin` outside are its
-- own, too. map: of world/map.lua.
function area_rules.touches(map, region, area)
  local x1, y1, x2, y2 = map:bounds(region)
  local left, low, right, high = area_rules.box(area)
  local margin = map.margin + 2 ^ -30 * (map.margin + map.width + map.height) -- differences are rounded
  return left - x2 <= margin and x1 - right <= margin and low - y2 <= margin and y1 - high <= margin
end

return area_rules
