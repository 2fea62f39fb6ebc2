-- One world in several deferred spaces, in the most obvious way: a map in columns and rows of regions. Each
-- has a space of its own that owns the entities in its rectangle, and shows those of others, as far as its
-- own can see, as ghosts: markers with the place and the anchor that they have with their owners.
--
-- A tick: the owners have applied the calls; each owner shows its entities where they are needed; whoever
-- is too far beyond the border is handed over; then all regions tick, and what they tell is what one space
-- tells.

local areas = require "spec.support.regions_areas"

local Regions = {}
Regions.__index = Regions

for name, method in pairs(areas.methods) do
  Regions[name] = method
end

-- Fields of `plan`: options (of the spaces, without handlers), x, y, width, height (of the world), columns,
-- rows, max_radius (of any watcher), margin (how far beyond the border an entity keeps its owner), and
-- new_space(options) -> space.
function Regions.new(plan)
  local self = setmetatable({ plan = plan, regions = {}, entities = {}, touched = {}, areas = {},
    is_owned = {} }, Regions)
  self.strip = plan.max_radius + 2 * (plan.options.slack or 0) + plan.margin
  self.hand_overs, self.ghosts = 0, 0
  local options = plan.options
  self.is_crowd = options.limit or options.enter_budget or options.rates or options.move_budget
  local width, height = plan.width / plan.columns, plan.height / plan.rows
  for column = 0, plan.columns - 1 do
    for row = 0, plan.rows - 1 do
      local region = {
        x1 = plan.x + column * width, x2 = plan.x + (column + 1) * width,
        y1 = plan.y + row * height, y2 = plan.y + (row + 1) * height,
        events = {},
        fixed = {}, -- areas without owner that stand here
      }
      -- An entity outside the world belongs to the region nearest to it.
      region.x1 = column == 0 and -math.huge or region.x1
      region.y1 = row == 0 and -math.huge or region.y1
      region.x2 = column == plan.columns - 1 and math.huge or region.x2
      region.y2 = row == plan.rows - 1 and math.huge or region.y2
      region.handlers = { on_area = areas.listener(self, region) }
      function region.handlers.on_event(watcher, marker, op)
        region.events[#region.events + 1] = ("%d %s %d"):format(watcher, op, marker)
      end
      local own = { on_event = region.handlers.on_event, on_area = region.handlers.on_area }
      for name, value in pairs(options) do
        own[name] = value
      end
      region.space = plan.new_space(own)
      self.regions[#self.regions + 1] = region
    end
  end
  return self
end

-- How far the place is outside the region, on the axis on which it is farther.
local function distance(region, x, y)
  return math.max(region.x1 - x, x - region.x2, region.y1 - y, y - region.y2, 0)
end

-- Half-open: each place has one region.
function Regions:region_at(x, y)
  for _, region in ipairs(self.regions) do
    if region.x1 <= x and x < region.x2 and region.y1 <= y and y < region.y2 then
      return region
    end
  end
end

-- ---- commands, where the owner is -------------------------------------------------------------

-- The data that a ghost must know of an entity. An id that has left keeps its owner until the next tick, as
-- it may come back before.
local function note(entity, opts)
  for name, value in pairs(opts or {}) do
    entity[name] = value
  end
end

function Regions:enter(id, place, opts)
  local entity = self.entities[id] or { owner = self:region_at(place[1], place[2]) }
  self.entities[id] = entity
  entity.mode, entity.layers, entity.importance, entity.radius = "wm", 1, 0, nil
  note(entity, opts)
  entity.is_inside = true
  local space = entity.owner.space
  if space:has(id) then -- its own ghost: it comes back to where it is shown still
    space:leave(id)
  end
  local arguments = table.move(place, 1, #place, 1, {})
  arguments[#arguments + 1] = opts
  space:enter(id, table.unpack(arguments))
end

function Regions:leave(id)
  self.entities[id].is_inside = false
  self:end_areas_of(id)
  self.entities[id].owner.space:leave(id)
end

-- Any other method whose first argument is the id.
function Regions:call(method, id, ...)
  local entity = self.entities[id]
  local trait = method:match "^set_(.*)"
  if trait then
    entity[trait] = ...
  elseif method == "touch" then
    self.touched[id] = true
  end
  return entity.owner.space[method](entity.owner.space, id, ...)
end

-- A question about a watcher, where its owner is.
Regions.ask = Regions.call

-- ---- ghosts -----------------------------------------------------------------------------------

function Regions:needs(region, id, entity)
  local x, y = entity.owner.space:position(id)
  return entity.mode ~= "w" and distance(region, x, y) <= self.strip
end

function Regions:show(region, id, entity)
  local owner, place = entity.owner.space, { entity.owner.space:position(id) }
  place[#place + 1] = {
    mode = "m",
    layers = entity.layers,
    importance = self.is_crowd and entity.importance or nil,
    radius = self.plan.options.radius == nil and entity.radius or nil,
    anchor = { owner:anchor(id) },
  }
  region.space:update(id, table.unpack(place))
  if self.touched[id] then
    region.space:touch(id)
  end
  self.ghosts = self.ghosts + 1
end

function Regions:show_all()
  for id, entity in pairs(self.entities) do
    for _, region in ipairs(self.regions) do
      if region ~= entity.owner then
        if entity.is_inside and self:needs(region, id, entity) then
          self:show(region, id, entity)
        elseif region.space:has(id) then
          region.space:leave(id)
        end
      end
    end
  end
end

-- ---- hand-overs -------------------------------------------------------------------------------

function Regions:hand_over(id, entity, to)
  local from = entity.owner
  local string = from.space:hand_out(id)
  if self.plan.before_hand_in then
    self.plan.before_hand_in(self)
  end
  to.space:hand_in(string)
  entity.owner = to
  self.hand_overs = self.hand_overs + 1
end

function Regions:hand_over_all()
  for id, entity in pairs(self.entities) do
    local x, y
    if entity.is_inside then
      x, y = entity.owner.space:position(id)
    end
    if x and distance(entity.owner, x, y) > self.plan.margin then
      local detour = self.plan.detour and self.plan.detour(self)
      if detour and detour ~= entity.owner then
        self:hand_over(id, entity, detour)
      end
      local to = self:region_at(x, y)
      if to ~= entity.owner then
        self:hand_over(id, entity, to)
      end
    end
  end
end

-- ---- a tick -----------------------------------------------------------------------------------

-- Returns what all regions tell, in a list without order. number: nil for one more.
function Regions:tick(number)
  self:show_all()
  self:hand_over_all()
  local events = {}
  for _, region in ipairs(self.regions) do
    if self.plan.before_tick then
      self.plan.before_tick(self, region)
    end
    region.events = {}
    region.space:tick(number)
    table.move(region.events, 1, #region.events, #events + 1, events)
  end
  for id, entity in pairs(self.entities) do
    if not entity.is_inside then
      self.entities[id] = nil
    end
  end
  self.touched = {}
  return events
end

return Regions
