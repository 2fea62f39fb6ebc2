-- Areas for the sequences: of all shapes, owned and fixed, that come, change and go; entities that step
-- onto their borders; and what handlers do to both.

local sequences = require "spec.support.sequences"

local call, beside = sequences.call, sequences.beside

-- ---- shapes -----------------------------------------------------------------------------------

local function some_length(self)
  local random = self.random
  if random:chance(0.1) then
    return random:pick { 0, 1e9, math.huge }
  end
  return self:some_radius()
end

local function add_radii(self, opts)
  local random = self.random
  opts.radius = some_length(self)
  if random:chance(0.6) then
    opts.leave_radius = opts.radius * random:pick { 1, 1.25, 1.5, 3 }
  end
end

-- A ring around a place, whose corners stand at growing angles: seldom one that crosses itself.
local function star(self, place, reach)
  local random, turns, ring = self.random, {}, {}
  for i = 1, random:pick { 3, 4, 5, 8, 13 } do
    turns[i] = random:float(0, 2 * math.pi)
  end
  table.sort(turns)
  for i, turn in ipairs(turns) do
    local length = reach * random:float(0.3, 1)
    local x, y = place.x + length * math.cos(turn), place.y + length * math.sin(turn)
    if self.style == "integer" or self.style == "coarse" then
      x, y = math.floor(x), math.floor(y)
    end
    ring[2 * i - 1], ring[2 * i] = x, y
  end
  return ring
end

-- Corners in the style of the coordinates, so that entities stand on corners and edges.
local function triangle(self)
  local ring = {}
  for _ = 1, 3 do
    local place = self:fresh_place()
    ring[#ring + 1], ring[#ring + 2] = place.x, place.y
  end
  return ring
end

-- Coordinates beside 0 are too near to it: products of their differences vanish.
local function without_dust(ring)
  for i, coordinate in ipairs(ring) do
    ring[i] = math.abs(coordinate) < 1e-100 and 0 or coordinate
  end
  return ring
end

local function some_points(self)
  local random, region = self.random, self.region
  if random:chance(0.3) then
    return without_dust(triangle(self))
  end
  local place, reach = self:fresh_place(), random:float(0.05, 0.7) * math.min(region.width, region.height)
  local ring = star(self, place, reach)
  if random:chance(0.3) then
    return { ring, star(self, place, reach / 4) }
  elseif random:chance(0.3) then
    return { ring }
  end
  return ring
end

-- Where products of differences vanish, polygons promise nothing.
local function has_polygons(self)
  return self.region.width > 1e-100
end

local function add_shape(self, opts)
  local random = self.random
  local shape = random:pick { "circle", "circle", "square", "rect", "polygon" }
  if shape == "polygon" and has_polygons(self) then
    opts.shape, opts.points = shape, some_points(self)
    return
  elseif shape == "rect" then
    opts.width, opts.height = some_length(self), some_length(self)
  else
    shape = shape == "polygon" and "circle" or shape
    add_radii(self, opts)
  end
  opts.shape = (shape ~= "circle" or random:chance(0.5)) and shape or nil
end

-- ---- places -----------------------------------------------------------------------------------

-- Often such that somebody stands on the border of an area of this radius.
local function some_place(self, radius)
  local random, entity = self.random, self:some_entity()
  local place = self:fresh_place()
  if entity and random:chance(0.6) then
    place = { x = entity.x, y = entity.y, z = entity.z }
    local border = beside(random, radius and radius < math.huge and radius or 0)
    local axis = random:pick { "x", "y", "z" }
    place[axis] = place[axis] + random:pick { -1, 1 } * border
  end
  return place
end

local function some_offset(self)
  return self.style == "integer" and self.random:integer(-3, 3)
    or self.random:float(-0.2, 0.2) * self.region.width
end

local function add_place(self, opts)
  local random = self.random
  if opts.shape == "polygon" then
    return
  elseif random:chance(self.owner_share) then
    opts.owner = random:pick(self.ids)
    for _, name in ipairs(self.options.dims == 3 and { "dx", "dy", "dz" } or { "dx", "dy" }) do
      opts[name] = random:chance(0.4) and some_offset(self) or nil
    end
    return
  end
  local place = some_place(self, opts.radius)
  opts.x, opts.y = place.x, place.y
  opts.z = self.options.dims == 3 and place.z or nil
end

local function add_sees(self, opts)
  if self.mixed_layers and self.random:chance(0.4) then
    opts.sees_layers = sequences.some_bits(self)
  end
end

-- ---- calls ------------------------------------------------------------------------------------

local function some_area(self)
  return self.random:integer(1, self.area_count)
end

-- An area that is there, as far as we know; nil: none was found.
local function known_area(self)
  for _ = 1, 5 do
    local area = some_area(self)
    local opts = self.areas[area]
    if opts and (not opts.owner or self.entities[opts.owner]) then
      return area, opts
    end
  end
  return nil
end

-- Remembers what was given; what the space refuses does little harm.
local function note_area(self, area, opts)
  local known = {}
  for name, value in pairs(self.areas[area] or {}) do
    known[name] = value
  end
  if opts.shape or opts.radius then
    known.shape, known.radius, known.points, known.width, known.height = nil, nil, nil, nil, nil
    known.leave_radius = nil
  end
  if opts.x or opts.owner then
    known.owner, known.x, known.y, known.dx, known.dy = nil, nil, nil, nil, nil
  end
  for name, value in pairs(opts) do
    known[name] = value
  end
  self.areas[area] = known
end

local function add_area(self, area)
  local opts = {}
  add_shape(self, opts)
  add_place(self, opts)
  add_sees(self, opts)
  self.areas[area] = nil
  note_area(self, area, opts)
  return call(self.random:chance(0.2) and "update_area" or "add_area", area, opts)
end

local function set_area(self, area, known)
  local random, opts = self.random, {}
  local choice = random:integer(1, 5)
  if choice == 1 then
    add_shape(self, opts)
    if known.points and opts.shape ~= "polygon" then
      add_place(self, opts)
    end
  elseif choice == 2 and known.radius then
    add_radii(self, opts)
    opts.shape = known.shape
  elseif choice == 3 then
    add_place(self, { shape = known.shape })
    opts.shape = known.points and "polygon" or nil
    add_place(self, opts)
    opts.points = known.points
  elseif choice == 4 then
    add_shape(self, opts)
    add_place(self, opts)
  end
  if choice >= 4 and self.mixed_layers then
    opts.sees_layers = sequences.some_bits(self)
  end
  note_area(self, area, opts)
  return call(self.random:chance(0.2) and "update_area" or "set_area", area, opts)
end

local function move_area(self, area, known)
  local place = some_place(self, known.radius)
  if known.x and self.random:chance(0.5) then
    place = self:step_place { x = known.x, y = known.y, z = known.z or 0 }
  end
  if known.x then
    known.x, known.y, known.z = place.x, place.y, self.options.dims == 3 and place.z or nil
  end
  return self:placing_call("move_area", area, place)
end

local function change_area(self)
  local random = self.random
  local area, known = known_area(self)
  if not area or random:chance(0.1) then
    return add_area(self, some_area(self))
  elseif random:chance(self.remove_share) then
    self.areas[area] = nil
    return call("remove_area", area)
  elseif random:chance(0.4) then
    return move_area(self, area, known)
  end
  return set_area(self, area, known)
end

-- An entity steps onto the border of an area, or a hair beside it.
local function step_to_border(self, id)
  local random, _, known = self.random, known_area(self)
  if not known or not self.entities[id] then
    return nil
  end
  local owner = known.owner and self.entities[known.owner]
  local place = { x = self.entities[id].x, y = self.entities[id].y, z = self.entities[id].z }
  if known.points then
    local ring = type(known.points[1]) == "table" and random:pick(known.points) or known.points
    local n = #ring // 2
    local i = random:integer(1, n)
    local k, part = i % n + 1, random:pick { 0, 0.25, 0.5 }
    place.x = beside(random, ring[2 * i - 1] + (ring[2 * k - 1] - ring[2 * i - 1]) * part)
    place.y = beside(random, ring[2 * i] + (ring[2 * k] - ring[2 * i]) * part)
  else
    local reach = random:pick { known.radius or known.width / 2, known.leave_radius or known.radius
      or known.width / 2 }
    if reach == math.huge then
      return nil
    end
    local axis = random:pick { "x", "y", "z" }
    place.x = owner and owner.x + (known.dx or 0) or known.x
    place.y = owner and owner.y + (known.dy or 0) or known.y
    place.z = owner and owner.z or known.z or 0
    place[axis] = beside(random, place[axis] + random:pick { -1, 1 } * reach)
  end
  place = self:fence(place)
  self:note(id, place)
  return self:placing_call("move", id, place)
end

local function ask(self, id)
  local random = self.random
  local form = random:chance(0.3) and random:pick { "packed", { 7, 7, 7 } } or nil
  local made = random:pick {
    call("members_of", some_area(self), form), call("areas_of", id, form), call("areas", form),
    call("in_area", some_area(self), id),
  }
  return made
end

-- Calls that the contract forbids.
local wrong_calls = {
  function(_, area) return call("add_area", area, {}) end,
  function(_, area) return call("add_area", area, { radius = 1 }) end,
  function(_, area) return call("set_area", area, { leave_radius = 1 }) end,
  function(_, area) return call("set_area", area, { radius = 2, leave_radius = 1 }) end,
  function(_, area) return call("add_area", area, { radius = 0 / 0, x = 0, y = 0 }) end,
  function(_, area) return call("set_area", area, { x = 1 }) end,
  function(_, area) return call("set_area", area, { owner = -7777777 }) end,
  function(_, area) return call("set_area", area, { shape = "polygon", points = { 0, 0, 1, 1, 2, 2 } }) end,
  function(_, area) return call("update_area", area, { radius = 2, leave_radius = 1 }) end,
  function() return call("update_area", 1000, { radius = 2 }) end,
  function() return call("remove_area", 1000) end,
  function(_, area) return call("move_area", area, 0, math.huge, 0) end,
}

-- The call of a handler: for an area, its owner or the marker.
local function inside_call(self, id)
  local random = self.random
  if random:chance(0.4) then
    return change_area(self)
  elseif random:chance(0.3) and self.entities[id] then
    self.entities[id] = nil
    return call("leave", id)
  end
  return sequences.ordinary_call(self, id)
end

local function ordinary_call_with_one_inside(self, id)
  local made = sequences.ordinary_call(self, id)
  if not self.options.deferred and self.random:chance(self.nested_share) then
    made.inside = inside_call(self, self.random:pick(self.ids))
  end
  return made
end

-- Gives the sequence areas. After the prepare of deferred spaces, if there is one.
local function prepare(self)
  local random = self.random
  local lists = require "spec.support.area_listeners"
  self.areas = {} -- id -> opts
  self.area_count = random:pick { 1, 3, 8 }
  self.owner_share = random:pick { 0.1, 0.5, 0.9 }
  self.remove_share = random:pick { 0.02, 0.2, 0.5 }
  self.nested_share = random:pick { 0, 0.2 }
  self.inside_call = inside_call
  self.handlers, self.successors = lists.handlers, lists.successors
end

return {
  prepare = prepare,
  kinds = {
    { weight = 35, make = function(self)
      return change_area(self)
    end },
    { weight = 30, make = step_to_border },
    { weight = 12, make = ask },
    { weight = 20, make = ordinary_call_with_one_inside },
    { weight = 2, make = function(self)
      return self.random:pick(wrong_calls)(self, some_area(self))
    end },
  },
}
