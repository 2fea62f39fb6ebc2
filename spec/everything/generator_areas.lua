-- Draws calls about areas: all shapes, with owners and without, two radii, polygons of many forms.
local areas = {}

-- Rings around 0, 0 in quarters of a unit; edges of one do not touch but at corners.
local RINGS = {
  { { -4, -4, 4, -4, 4, 4, -4, 4 } },
  { { -4, -4, 4, -4, 0, 4 } },
  { { 0, -5, 5, 0, 0, 5, -5, 0 } },
  { { -4, -4, 4, -4, 4, 0, 0, 0, 0, 4, -4, 4 } },
  { { -8, -8, 8, -8, 8, 8, -8, 8 }, { -4, -4, -4, 4, 4, 4, 4, -4 } },
  { { -8, -8, 8, -7, 7, 8, -7, 7 }, { -4, -4, -4, 4, 4, 4, 4, -4 }, { -1, -1, 2, 0, 0, 2 } },
  { { -9, -1, 9, -1, 9, 1, -9, 1 } },
  { { 0, 0, 7, 3, 2, 9 } },
}

local function draw_points(c)
  local r, v = c.random, c.v
  local rings, scale = r:pick(RINGS), r:pick { 0.25, 0.5, 1, 2 } * (v:extent() >= 30 and 1 or 0.5)
  local x, y = r:integer(v.low // 1, v.high // 1), r:integer(v.low // 1, v.high // 1)
  local points = {}
  for i, ring in ipairs(rings) do
    points[i] = {}
    for j = 1, #ring, 2 do
      points[i][j], points[i][j + 1] = x + ring[j] * scale, y + ring[j + 1] * scale
    end
  end
  for _, ring in ipairs(points) do
    v:note_ring(ring)
  end
  return #points == 1 and r:chance(0.5) and points[1] or points
end

areas.draw_points = draw_points

local function add_shape(c, opts)
  local r, v = c.random, c.v
  local shape = r:pick { "circle", "circle", "square", "rect", v:is_tame() and "polygon" or "circle" }
  if shape ~= "circle" or r:chance(0.3) then
    opts.shape = shape
  end
  if shape == "rect" then
    opts.width, opts.height = v:radius(), v:radius()
  elseif shape == "polygon" then
    opts.points = draw_points(c)
  else
    opts.radius = v:radius()
    if r:chance(0.4) then
      opts.leave_radius = r:pick { opts.radius, opts.radius * 1.5, opts.radius + 2, math.huge }
    end
  end
end

local function add_placement(c, opts, pick_entity)
  local r, v = c.random, c.v
  if r:chance(0.5) then
    opts.owner = pick_entity(c)
    if r:chance(0.3) then
      opts.dx, opts.dy = r:integer(-3, 3), r:integer(-3, 3)
      opts.dz = v.dims == 3 and r:integer(-1, 1) or nil
    end
  else
    local place = v:point()
    opts.x, opts.y, opts.z = place[1], place[2], place[3]
  end
end

-- An area that may be there, from those that were added last.
local function an_area(c)
  local known = c.areas[c.space]
  if known and #known > 0 and c.random:chance(0.9) then
    return c.random:pick(known)
  end
  return c.random:pick(c.v.ids)
end

local function note_area(c, area)
  local known = c.areas[c.space] or {}
  c.areas[c.space] = known
  table.insert(known, area)
  if #known > 4 then
    table.remove(known, 1)
  end
  return area
end

local make = {}

function make.add_area(c, pick_entity)
  local opts = {}
  add_shape(c, opts)
  if opts.shape ~= "polygon" then
    add_placement(c, opts, pick_entity)
  end
  if c.random:chance(0.2) then
    opts.sees_layers = c.v:layers()
  end
  return { name = "add_area", area = note_area(c, c.random:pick(c.v.ids)), opts = opts }
end

function make.set_area(c, pick_entity)
  local opts = {}
  if c.random:chance(0.6) then
    add_shape(c, opts)
  end
  if c.random:chance(0.5) and opts.shape ~= "polygon" then
    add_placement(c, opts, pick_entity)
  end
  if c.random:chance(0.3) then
    opts.sees_layers = c.v:layers()
  end
  return { name = "set_area", area = an_area(c), opts = opts }
end

-- It adds or sets: the options are such as either would take.
function make.update_area(c, pick_entity)
  local sets = c.random:chance(0.5)
  local call = (sets and make.set_area or make.add_area)(c, pick_entity)
  call.name = "update_area"
  return call
end

function make.move_area(c)
  return { name = "move_area", area = an_area(c), place = c.v:point() }
end

function make.remove_area(c)
  return { name = "remove_area", area = an_area(c) }
end

local KINDS = { "add_area", "add_area", "add_area", "add_area", "set_area", "update_area", "update_area",
  "move_area", "remove_area" }

-- pick_entity(context) draws the id of an owner. In a world an area without owner mostly stands in all
-- spaces.
function areas.draw(c, pick_entity)
  local call = make[c.random:pick(KINDS)](c, pick_entity)
  local is_fixed = not (call.opts and call.opts.owner)
  if is_fixed and c.flags.spaces > 1 and c.random:chance(0.8) then
    for space = 1, c.flags.spaces do
      if space ~= c.space then
        local other = { on = space }
        for name, value in pairs(call) do
          other[name] = value
        end
        c:add_call(other)
      end
    end
  end
  return call
end

return areas
