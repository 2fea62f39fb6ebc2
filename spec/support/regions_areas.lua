-- Areas in a world of regions, see regions.lua. One without owner stands in each region that its leave shape
-- touches, the margin included; each tells of it only what is about the entities that it owns. One with an
-- owner stands where its owner is owned, and tells of everybody.
--
-- An id of an area may not go, within one tick, from fixed to owned or back, nor to another region otherwise
-- than with its owner.

local areas = {}

local SHAPE_FIELDS = { "shape", "radius", "leave_radius", "width", "height", "points" }
local PLACE_FIELDS = { "x", "y", "z", "owner", "dx", "dy", "dz" }

local function names_any(opts, fields)
  for _, name in ipairs(fields) do
    if opts[name] ~= nil then
      return true
    end
  end
  return false
end

-- The whole description of an area that was `old` and is changed by opts.
local function merged(old, opts)
  local whole = { sees_layers = opts.sees_layers or old.sees_layers }
  for _, fields in ipairs { SHAPE_FIELDS, PLACE_FIELDS } do
    local from = names_any(opts, fields) and opts or old
    for _, name in ipairs(fields) do
      whole[name] = from[name]
    end
    if whole.points then -- which say where it is
      break
    end
  end
  return whole
end

local function touches(region, margin, opts)
  local x1, y1, x2, y2 = math.huge, math.huge, -math.huge, -math.huge
  if opts.points then
    for i = 1, #opts.points, 2 do
      x1, x2 = math.min(x1, opts.points[i]), math.max(x2, opts.points[i])
      y1, y2 = math.min(y1, opts.points[i + 1]), math.max(y2, opts.points[i + 1])
    end
  else
    local half_x = opts.leave_radius or opts.radius or opts.width / 2
    local half_y = opts.leave_radius or opts.radius or opts.height / 2
    x1, x2, y1, y2 = opts.x - half_x, opts.x + half_x, opts.y - half_y, opts.y + half_y
  end
  return x1 <= region.x2 + margin and region.x1 - margin <= x2
    and y1 <= region.y2 + margin and region.y1 - margin <= y2
end

-- The handlers of a region for its areas.
function areas.listener(world, region)
  return function(area, marker, op)
    local entity = world.entities[marker]
    if world.is_owned[area] or entity and entity.owner == region then
      region.events[#region.events + 1] = ("area %d %s %d"):format(area, op, marker)
    end
  end
end

areas.methods = {}

function areas.methods:put_fixed(id, opts, change)
  for _, region in ipairs(self.regions) do
    local space, stands = region.space, region.fixed[id]
    region.fixed[id] = opts and touches(region, self.plan.margin, opts) or nil
    if not region.fixed[id] then
      if stands then
        space:remove_area(id)
      end
    elseif stands then
      space:set_area(id, change)
    else
      space:add_area(id, opts)
    end
  end
end

function areas.methods:add_area(id, opts)
  self.areas[id], self.is_owned[id] = opts, opts.owner ~= nil
  if opts.owner then
    self.entities[opts.owner].owner.space:add_area(id, opts)
  else
    self:put_fixed(id, opts)
  end
end

function areas.methods:set_area(id, opts)
  local old = self.areas[id]
  self.areas[id] = merged(old, opts)
  if old.owner then
    self.entities[old.owner].owner.space:set_area(id, opts)
  else
    self:put_fixed(id, self.areas[id], opts)
  end
end

function areas.methods:remove_area(id)
  local old = self.areas[id]
  self.areas[id] = nil
  if old.owner then
    self.entities[old.owner].owner.space:remove_area(id)
  else
    self:put_fixed(id, nil)
  end
end

-- The region where an area with an owner is.
function areas.methods:region_of_area(id)
  return self.entities[self.areas[id].owner].owner
end

-- The owner has left.
function areas.methods:end_areas_of(owner)
  for id, area in pairs(self.areas) do
    if area.owner == owner then
      self.areas[id] = nil
    end
  end
end

-- ---- questions --------------------------------------------------------------------------------

function areas.methods:members_of(id)
  local found = {}
  for _, region in ipairs(self.areas[id].owner and { self:region_of_area(id) } or self.regions) do
    local list, n = {}, 0
    if self.areas[id].owner or region.fixed[id] then
      list, n = region.space:members_of(id)
    end
    for i = 1, n do
      local marker = list[i]
      if self.areas[id].owner or self.entities[marker].owner == region then
        found[#found + 1] = marker
      end
    end
  end
  return found, #found
end

function areas.methods:areas_of(id)
  local found = {}
  for _, region in ipairs(self.regions) do
    local list, n = {}, 0
    if region.space:has(id) then
      list, n = region.space:areas_of(id)
    end
    for i = 1, n do
      if self.is_owned[list[i]] or self.entities[id].owner == region then
        found[#found + 1] = list[i]
      end
    end
  end
  return found, #found
end

return areas
