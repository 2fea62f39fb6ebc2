-- Areas in the brute-force model: who is in which, by looking at every area and every entity after each
-- change, as the section "Areas" of the contract says it.
--
-- An area is { shape, radius, leave_radius, width, height, rings, x, y, z, owner, dx, dy, dz, sees },
-- with those fields that its shape and its placement have. `model.memberships` maps the id of an area
-- to the set of its members: as of the last change, in a deferred space as of the last tick, where it
-- also has areas that are gone since.

local polygons = require "spec.support.model_polygons"
local values = require "spec.support.model_values"

local refuse, to_id, to_coordinate = values.refuse, values.to_id, values.to_coordinate

local areas = {}

-- ---- inside -----------------------------------------------------------------------------------

local function in_square(c, place, r)
  return c.x - r <= place.x and place.x <= c.x + r
    and c.y - r <= place.y and place.y <= c.y + r
    and c.z - r <= place.z and place.z <= c.z + r
end

-- Whether a place is inside a shape around the centre c. r: radius or leave_radius.
local tests = {
  square = function(_, c, place, r)
    return in_square(c, place, r)
  end,
  circle = function(_, c, place, r)
    local dx, dy, dz = place.x - c.x, place.y - c.y, place.z - c.z
    return in_square(c, place, r) and dx * dx + dy * dy + dz * dz <= r * r
  end,
  rect = function(area, c, place)
    local half_width, half_height = area.width / 2, area.height / 2
    return c.x - half_width <= place.x and place.x <= c.x + half_width
      and c.y - half_height <= place.y and place.y <= c.y + half_height
  end,
  polygon = function(area, _, place)
    return polygons.holds(area.rings, place.x, place.y)
  end,
}

local function centre_of(model, area)
  local owner = area.owner and model.entities[area.owner]
  if owner then
    return { x = owner.x + area.dx, y = owner.y + area.dy, z = owner.z + area.dz }
  end
  return area
end

-- Whether the entity belongs to the area now. was: it did when it was last told.
local function belongs(model, area, id, was)
  local entity = model.entities[id]
  return area.owner ~= id
    and entity.mode ~= "w"
    and entity.layers & area.sees_layers ~= 0
    and tests[area.shape](area, centre_of(model, area), entity,
      was and area.leave_radius or area.radius)
end

-- An entity that was handed in was in those areas that came along, of all that had no owner at the last tick.
local function was_member(model, area_id, id)
  local along = model.areas_along[id]
  if along and not model.owned_then[area_id] then
    return along[area_id] == true
  end
  local members = model.memberships[area_id]
  return members ~= nil and members[id] ~= nil
end

-- The memberships at the last tick, with those of who was handed in since.
local function memberships_then(model)
  local all, then_ = {}, {}
  for area, members in pairs(model.memberships) do
    all[area] = all[area] or {}
    for id in pairs(members) do
      all[area][id] = true
    end
  end
  for id, along in pairs(model.areas_along) do
    for area in pairs(along) do
      all[area] = all[area] or {}
      all[area][id] = true
    end
  end
  for area, ids in pairs(all) do
    then_[area] = {}
    for id in pairs(ids) do
      then_[area][id] = was_member(model, area, id) or nil
    end
  end
  return then_
end

local function members_now(model, area_id)
  local members = {}
  for id in pairs(model.entities) do
    if belongs(model, model.areas_by_id[area_id], id, was_member(model, area_id, id)) then
      members[id] = true
    end
  end
  return members
end

-- ---- changes ----------------------------------------------------------------------------------

local function key(area, marker)
  return area .. " sees " .. marker -- as pairs of entities are named
end

-- The pairs of area and marker that are in `some` and not in `others`.
local function missing(some, others)
  local found = {}
  for area, members in pairs(some) do
    for id in pairs(members) do
      if not (others[area] and others[area][id]) then
        found[key(area, id)] = true
      end
    end
  end
  return found
end

-- Tells the change who came in and went out since the last time.
function areas.advance(model, change)
  local before, after = memberships_then(model), {}
  for area in pairs(model.areas_by_id) do
    after[area] = members_now(model, area)
  end
  change.area_leave, change.area_enter = missing(before, after), missing(after, before)
  model.memberships = after
  model.areas_along, model.owned_then = {}, {}
  for id, area in pairs(model.areas_by_id) do
    model.owned_then[id] = area.owner ~= nil
  end
  return change
end

-- Makes a change of areas alone.
local function make_change(model, apply)
  apply()
  if model.deferred then
    return {}
  end
  return { areas.advance(model, { leave = {}, enter = {}, move = {} }) }
end

function areas.clear(model)
  model.areas_by_id, model.memberships = {}, {}
  model.areas_along, model.owned_then = {}, {}
end

-- The areas that go along with an entity: those that had no owner at the last tick and that it was in then,
-- and those that it owns, with their members then (nil: there was no such area).
function areas.hand_out(model, id)
  local luggage = { memberships = {}, owned = {}, members = {} }
  for area in pairs(memberships_then(model)) do
    if not model.owned_then[area] then
      luggage.memberships[area] = was_member(model, area, id) or nil
    end
  end
  if model.areas_along[id] then
    luggage.memberships = model.areas_along[id]
  end
  local kept = {}
  for area_id, area in pairs(model.areas_by_id) do
    if area.owner == id then
      luggage.owned[area_id], luggage.members[area_id] = area, model.memberships[area_id]
    else
      kept[area_id] = area
    end
  end
  return luggage, kept
end

-- Takes back what areas.hand_out has found, once the entity is out.
function areas.end_hand_out(model, id, luggage, kept)
  model.areas_by_id = kept
  model.areas_along[id] = nil
  for area in pairs(luggage.owned) do
    model.memberships[area], model.owned_then[area] = nil, nil
  end
end

function areas.check_hand_in(model, luggage)
  for area in pairs(luggage.owned) do
    if model.areas_by_id[area] then
      refuse("area %s is in use", area)
    end
  end
end

function areas.hand_in(model, id, luggage)
  model.areas_along[id] = luggage.memberships
  for area_id, area in pairs(luggage.owned) do
    model.areas_by_id[area_id] = area
    if luggage.members[area_id] then
      model.memberships[area_id], model.owned_then[area_id] = luggage.members[area_id], true
    end
  end
end

-- The entity leaves: its areas end.
function areas.end_owned(model, owner)
  local kept = {}
  for id, area in pairs(model.areas_by_id) do
    if area.owner ~= owner then
      kept[id] = area
    end
  end
  model.areas_by_id = kept
end

-- ---- what is given ----------------------------------------------------------------------------

local SHAPE_FIELDS = { "shape", "radius", "leave_radius", "width", "height", "points" }
local PLACE_FIELDS = { "x", "y", "z", "owner", "dx", "dy", "dz" }
local FIELDS_OF_SHAPES = {
  circle = { shape = true, radius = true, leave_radius = true },
  square = { shape = true, radius = true, leave_radius = true },
  rect = { shape = true, width = true, height = true },
  polygon = { shape = true, points = true },
}

local function names_any(opts, fields)
  for _, name in ipairs(fields) do
    if opts[name] ~= nil then
      return true
    end
  end
  return false
end

local function to_rings(points)
  if type(points) ~= "table" then
    refuse("points are no table")
  end
  local MOST, rings = 2.0 ^ 500, {}
  for i, ring in ipairs(type(points[1]) == "table" and points or { points }) do
    rings[i] = {}
    for k, coordinate in ipairs(ring) do
      rings[i][k] = to_coordinate(coordinate)
      if math.abs(rings[i][k]) > MOST then
        refuse("a corner is beyond 2^500")
      end
    end
    if #ring % 2 ~= 0 or #ring < 6 then
      refuse("a ring has %d numbers", #ring)
    end
  end
  if not polygons.are_apart(rings) then
    refuse("two edges meet")
  end
  return rings
end

local function check_shape(opts)
  local shape = opts.shape or "circle"
  local fields = FIELDS_OF_SHAPES[shape] or refuse("shape %s is unknown", shape)
  for _, name in ipairs(SHAPE_FIELDS) do
    if opts[name] ~= nil and not fields[name] then
      refuse("%s of a %s", name, shape)
    end
  end
  if shape == "polygon" then
    return { shape = shape, rings = to_rings(opts.points) }
  elseif shape == "rect" then
    return { shape = shape, width = values.to_radius(opts.width), height = values.to_radius(opts.height) }
  end
  local radius = values.to_radius(opts.radius)
  local leave_radius = values.to_radius(opts.leave_radius or radius)
  if leave_radius < radius then
    refuse("leave_radius %s is less than radius", leave_radius)
  end
  return { shape = shape, radius = radius, leave_radius = leave_radius }
end

local function check_dimensions(model, z, name, needed)
  if model.dims == 2 and z ~= nil then
    refuse("%s in two dimensions", name)
  elseif model.dims == 3 and z == nil and needed then
    refuse("no %s in three dimensions", name)
  end
  return z ~= nil and to_coordinate(z) or 0.0
end

local function check_place(model, opts)
  if opts.owner ~= nil then
    if names_any(opts, { "x", "y", "z" }) then
      refuse("a place beside an owner")
    end
    local owner = to_id(opts.owner)
    if not model.entities[owner] then
      refuse("owner %s is not in the space", owner)
    end
    return {
      owner = owner, dx = to_coordinate(opts.dx or 0), dy = to_coordinate(opts.dy or 0),
      dz = check_dimensions(model, opts.dz, "dz"),
    }
  elseif names_any(opts, { "dx", "dy", "dz" }) then
    refuse("dx, dy or dz without an owner")
  end
  return {
    x = to_coordinate(opts.x), y = to_coordinate(opts.y), z = check_dimensions(model, opts.z, "z", true),
  }
end

-- A checked copy of the area that `old` becomes by opts; nil: a new one.
local function changed(model, old, opts)
  local area = { sees_layers = values.ALL_LAYERS }
  local has_shape, has_place = names_any(opts, SHAPE_FIELDS), names_any(opts, PLACE_FIELDS)
  local shape = (not old or has_shape) and check_shape(opts) or old
  if shape.shape == "polygon" and has_place then
    refuse("a polygon with a place")
  elseif old and old.shape == "polygon" and shape.shape ~= "polygon" and not has_place then
    refuse("no place, where it was a polygon's")
  end
  local place = (not old or has_place) and shape.shape ~= "polygon" and check_place(model, opts) or old
  place = shape.shape ~= "polygon" and place or {}
  for _, name in ipairs { "shape", "radius", "leave_radius", "width", "height", "rings" } do
    area[name] = shape[name]
  end
  for _, name in ipairs(PLACE_FIELDS) do
    area[name] = place[name]
  end
  area.sees_layers = opts.sees_layers ~= nil and values.to_bits(opts.sees_layers)
    or old and old.sees_layers or area.sees_layers
  return area
end

-- ---- methods ----------------------------------------------------------------------------------

local methods = {}

local function existing(model, area)
  return model.areas_by_id[to_id(area)] or refuse("area %s is unknown", area)
end

-- Makes this area the one of the id; nil: none.
local function put(model, id, area)
  return make_change(model, function()
    local all = {}
    for other, value in pairs(model.areas_by_id) do
      all[other] = value
    end
    all[to_id(id)] = area
    model.areas_by_id = all
  end)
end

function methods:add_area(id, opts)
  if self.areas_by_id[to_id(id)] then
    refuse("area %s is in use", id)
  end
  return put(self, id, changed(self, nil, opts))
end

function methods:set_area(id, opts)
  return put(self, id, changed(self, existing(self, id), opts))
end

function methods:update_area(id, opts)
  local is_new = not self.areas_by_id[to_id(id)]
  return self[is_new and "add_area" or "set_area"](self, id, opts), is_new
end

function methods:move_area(id, x, y, z)
  local area = existing(self, id)
  if area.owner or area.shape == "polygon" then
    refuse("area %s is not placed by x and y", id)
  end
  return put(self, id, changed(self, area, { x = to_coordinate(x), y = to_coordinate(y), z = z }))
end

function methods:remove_area(id)
  existing(self, id)
  return put(self, id, nil)
end

local function sorted(set)
  local list = {}
  for id in pairs(set) do
    list[#list + 1] = id
  end
  table.sort(list)
  return list, #list
end

function methods:members_of(id)
  existing(self, id)
  return sorted(members_now(self, to_id(id)))
end

function methods:in_area(id, marker)
  id, marker = to_id(id), to_id(marker)
  local area = self.areas_by_id[id]
  return area ~= nil and self.entities[marker] ~= nil
    and belongs(self, area, marker, was_member(self, id, marker))
end

function methods:areas_of(id)
  self:existing(id)
  local found = {}
  for area in pairs(self.areas_by_id) do
    found[area] = self:in_area(area, id) or nil
  end
  return sorted(found)
end

function methods:areas()
  return sorted(self.areas_by_id)
end

-- Deferred spaces: the pairs of area and marker whose difference to now a tick tells, as a set of keys.
function methods:told_members()
  return missing(memberships_then(self), {})
end

areas.methods = methods

return areas
