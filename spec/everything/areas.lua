-- The rule of areas: what a table of options makes of one, and who is a member.
local exact = require "spec.everything.exact"
local sight = require "spec.everything.sight"

local areas = {}

local SHAPE_OPTIONS = { "shape", "radius", "leave_radius", "width", "height", "points" }
local PLACE_OPTIONS = { "owner", "dx", "dy", "dz", "x", "y", "z" }

local function names_any(opts, list)
  for _, name in ipairs(list) do
    if opts[name] ~= nil then
      return true
    end
  end
  return false
end

-- The shape that opts names; nil when it is none.
local function shape_of(opts)
  local shape = opts.shape or "circle"
  local round = shape == "circle" or shape == "square"
  local fits = round == (opts.radius ~= nil) and (round or opts.leave_radius == nil)
    and (shape == "rect") == (opts.width ~= nil) and (shape == "rect") == (opts.height ~= nil)
    and (shape == "polygon") == (opts.points ~= nil)
  if not fits or opts.leave_radius and opts.leave_radius < opts.radius then
    return nil
  end
  return {
    shape = shape, radius = opts.radius, leave_radius = opts.leave_radius or opts.radius,
    width = opts.width, height = opts.height, points = opts.points,
  }
end

-- The placement that opts names; nil when it is none.
local function placement_of(space, opts)
  if opts.owner ~= nil then
    if not space.entities[opts.owner] or opts.x or opts.y or opts.z or opts.dz and space.dims == 2 then
      return nil
    end
    return { owner = opts.owner, offset = { opts.dx or 0, opts.dy or 0, opts.dz or 0 } }
  end
  local whole = opts.x and opts.y and (opts.z ~= nil) == (space.dims == 3)
  if not whole or opts.dx or opts.dy or opts.dz then
    return nil
  end
  return { place = { opts.x, opts.y, opts.z } }
end

local function made_of(shape, placement, sees_layers)
  local area = { sees_layers = sees_layers }
  for _, part in ipairs { shape, placement } do
    for name, value in pairs(part) do
      area[name] = value
    end
  end
  return area
end

-- The area that opts makes, of none or of `old`; nil when that is an error.
function areas.make(space, opts, old)
  local shape
  if not old or names_any(opts, SHAPE_OPTIONS) then
    shape = shape_of(opts)
  else
    shape = { shape = old.shape, radius = old.radius, leave_radius = old.leave_radius, width = old.width,
      height = old.height, points = old.points }
  end
  if not shape then
    return nil
  end
  local placed = names_any(opts, PLACE_OPTIONS)
  local placement = old and { owner = old.owner, offset = old.offset, place = old.place }
  if shape.shape == "polygon" then
    if placed then
      return nil
    end
    placement = {}
  elseif placed or not old then
    placement = placement_of(space, opts)
  end
  if not placement or shape.shape ~= "polygon" and not placement.owner and not placement.place then
    return nil
  end
  local layers = opts.sees_layers or old and old.sees_layers or 0xffffffff
  return made_of(shape, placement, layers == -1 and 0xffffffff or layers)
end

local function centre_of(space, area)
  if not area.owner then
    return area.place
  end
  local owner, centre = space.entities[area.owner].place, {}
  for axis = 1, space.dims do
    centre[axis] = owner[axis] + area.offset[axis]
  end
  return centre
end

local function in_rect(centre, width, height, point)
  return centre[1] - width / 2 <= point[1] and point[1] <= centre[1] + width / 2
    and centre[2] - height / 2 <= point[2] and point[2] <= centre[2] + height / 2
end

local function in_shape(space, area, radius, point)
  if area.shape == "polygon" then
    return exact.in_polygon(area.points, point[1], point[2])
  end
  local centre = centre_of(space, area)
  if area.shape == "rect" then
    return in_rect(centre, area.width, area.height, point)
  elseif area.shape == "square" then
    return sight.in_square(centre, radius, point, space.dims)
  end
  return sight.in_circle(centre, radius, point, space.dims)
end

-- Whether m is a member now; `was`: whether it has been one until now.
function areas.is_member(space, area, m, was)
  if not sight.is_marker(m) or m.layers & area.sees_layers == 0 or area.owner == m.id then
    return false
  end
  return in_shape(space, area, area.radius, m.place)
    or was and area.leave_radius ~= area.radius and in_shape(space, area, area.leave_radius, m.place) or false
end

-- The members of all areas now: area -> set of ids. space.members says who has been one until now.
function areas.members(space)
  local members = {}
  for number, area in pairs(space.areas) do
    local was = space.members[number] or {}
    members[number] = {}
    for id, m in pairs(space.entities) do
      if areas.is_member(space, area, m, was[id]) then
        members[number][id] = true
      end
    end
  end
  return members
end

return areas
