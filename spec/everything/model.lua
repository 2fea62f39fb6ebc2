-- The model of a space: its state, and what follows when that changes, by comparing everybody with everybody
-- before and after. Written from DESIGN alone, for being obvious. model.calls has the calls: each returns
-- true and its results; false when the call is an error; "undefined" when DESIGN does not say.
local areas = require "spec.everything.areas"
local calls_of_entities = require "spec.everything.calls_of_entities"
local calls_of_spaces = require "spec.everything.calls_of_spaces"
local delivery = require "spec.everything.delivery"
local sight = require "spec.everything.sight"

local model = {}
model.__index = model

local ALL_LAYERS = 0xffffffff
local ALL_KINDS = { "enter", "leave", "move", "area_enter", "area_leave" }

local function kinds_of(collect)
  if not collect or collect ~= true and #collect == 0 then
    return nil
  end
  local kinds = {}
  for _, kind in ipairs(collect == true and ALL_KINDS or collect) do
    kinds[kind] = true
  end
  return kinds
end

local function crowd_of(options)
  if not (options.limit or options.enter_budget or options.rates or options.move_budget) then
    return nil
  end
  return {
    limit = options.limit or math.huge, limit_layers = (options.limit_layers or -1) & ALL_LAYERS,
    keep_factor = options.keep_factor or 1.2, enter_budget = options.enter_budget or math.huge,
    rates = options.rates or { { math.huge, 1 } }, move_budget = options.move_budget or math.huge,
  }
end

-- options: those of aoi.new, by DESIGN's names, without handlers.
function model.new(options)
  local self = setmetatable({
    options = options, classic = (options.engine or "grid") == "grid" and options.radius == nil,
    dims = options.dims or 2, shape = options.shape or "square", slack = options.slack or 0,
    deferred = options.deferred or false, crowd = crowd_of(options), clamp = options.clamp,
    collect = kinds_of(options.collect), delivery = delivery.new(), tick_number = 0,
  }, model)
  if options.width then
    self.map = { x = options.x or 0, y = options.y or 0, width = options.width, height = options.height,
      cols = options.cols, rows = options.rows, cell = options.cell }
  end
  self:empty()
  return self
end

-- Everything gone, untold.
function model:empty()
  self.entities, self.areas = {}, {}
  self.seen, self.members = {}, {}  -- as of the last change, or in a deferred space of the last tick
  self.told, self.pins, self.touched = {}, {}, {}
  self.sights = {} -- words by watcher and marker
  self.last, self.moved_at = {}, {} -- places at the last tick; markers and the tick at which they moved last
  self.had_owner = {} -- areas at the last tick
  self.arrived = {} -- entities handed in since the last tick
  self.collected = {}
  self.delivery:clear()
end

-- ---- changes -----------------------------------------------------------------------------------

-- Adds what differs between two tables of sets to two lists of pairs.
local function compare_sets(old, new, left, entered)
  for a, set in pairs(old) do
    for b in pairs(set) do
      if not (new[a] and new[a][b]) then
        table.insert(left, { a, b })
      end
    end
  end
  for a, set in pairs(new) do
    for b in pairs(set) do
      if not (old[a] and old[a][b]) then
        table.insert(entered, { a, b })
      end
    end
  end
end

-- A change without events; subject: the entity that it is about.
function model.new_change(subject)
  return { subject = subject, leave = {}, enter = {}, move = {}, area_leave = {}, area_enter = {} }
end

-- A change has happened: it is gathered, and waits to be told.
function model:emit(change)
  if self.collect then
    local gathered = {}
    for _, kind in ipairs(ALL_KINDS) do
      gathered[kind] = self.collect[kind] and change[kind] or {}
    end
    table.insert(self.collected, gathered)
  end
  if self.log then
    table.insert(self.log, change)
  end
  self.delivery:append(change)
end

-- Compares with what was, after the state has changed. subject: the entity that the change is about; moved:
-- whether it counts as moved.
function model:changed(subject, moved)
  if self.deferred then
    return
  end
  local change, old = model.new_change(subject), self.seen
  self.seen = sight.views(self)
  compare_sets(old, self.seen, change.leave, change.enter)
  if moved then
    for w, set in pairs(self.seen) do
      if set[subject] and old[w] and old[w][subject] then
        table.insert(change.move, { w, subject })
      end
    end
  end
  self:compare_members(change)
  self:emit(change)
end

function model:compare_members(change)
  local members = areas.members(self)
  compare_sets(self.members, members, change.area_leave, change.area_enter)
  self.members = members
end

-- ---- arguments ---------------------------------------------------------------------------------

function model:on_map(place)
  local map = self.map
  if not map or self.clamp then
    return true
  end
  return map.x <= place[1] and place[1] <= map.x + map.width
    and map.y <= place[2] and place[2] <= map.y + map.height
end

function model.is_finite(x)
  return x == x and x ~= math.huge and x ~= -math.huge
end

function model:is_place(place)
  for axis = 1, self.dims do
    if not model.is_finite(place[axis]) then
      return false
    end
  end
  return self:on_map(place)
end

-- Whether an anchor may belong to a place.
function model:anchor_fits(anchor, place)
  for axis = 1, self.dims do
    if self.slack == 0 then
      if anchor[axis] ~= place[axis] then
        return false
      end
    elseif math.abs(place[axis] - anchor[axis]) > self.slack then
      return false
    end
  end
  return true
end

-- Whether opts are good for an entity at a place that enters, or is inside already.
function model:traits_fit(opts, place, enters)
  if self.classic and (opts.radius or opts.visible_radius)
    or not self.crowd and (opts.limit or opts.importance) then
    return false
  elseif enters and not self.classic and not opts.radius and self.options.radius == nil then
    return false
  end
  return not opts.anchor or self:anchor_fits(opts.anchor, place)
end

-- ---- entities ----------------------------------------------------------------------------------

function model.copy_of(point)
  return { point[1], point[2], point[3] }
end

local function bits_of(bits)
  return bits and bits & ALL_LAYERS
end

function model.set_traits(entity, opts)
  entity.radius = opts.radius or entity.radius
  entity.visible_radius = opts.visible_radius or entity.visible_radius
  entity.mode = opts.mode or entity.mode
  entity.layers = bits_of(opts.layers) or entity.layers
  entity.sees_layers = bits_of(opts.sees_layers) or entity.sees_layers
  entity.limit = opts.limit or entity.limit
  entity.importance = opts.importance or entity.importance
end

function model:put(id, place, opts)
  local entity = {
    id = id, place = model.copy_of(place), anchor = model.copy_of(opts.anchor or place),
    radius = self.options.radius or 0, visible_radius = 0, mode = "wm", layers = 1, sees_layers = ALL_LAYERS,
    limit = self.crowd and self.crowd.limit, importance = 0,
  }
  model.set_traits(entity, opts)
  self.entities[id] = entity
end

-- Moves an entity; its anchor comes along when it is left behind by more than the slack.
function model:shift(entity, place, anchor)
  entity.place = model.copy_of(place)
  if anchor then
    entity.anchor = model.copy_of(anchor)
  elseif not self:anchor_fits(entity.anchor, place) then
    entity.anchor = model.copy_of(place)
  end
end

-- An entity is gone, with its pins, its sights and the areas that it owns.
function model:drop(id)
  self.entities[id], self.pins[id], self.sights[id] = nil, nil, nil
  for number, area in pairs(self.areas) do
    if area.owner == id then
      self.areas[number] = nil
    end
  end
end

model.calls = {}
for _, part in ipairs { calls_of_entities, calls_of_spaces } do
  for name, call in pairs(part) do
    model.calls[name] = call
  end
end

-- Calls that deliver what waits; the others never do.
local SILENT = { hand_out = true, drain = true, on = true, clear = true }

function model.delivers(name)
  return not SILENT[name]
end

-- Other kinds are gathered from now on (aoi.load); what was gathered of those that are not among them is
-- dropped.
function model:gather_only(collect)
  self.collect = kinds_of(collect)
  for _, change in ipairs(self.collected) do
    for kind in pairs(change) do
      change[kind] = self.collect and self.collect[kind] and change[kind] or {}
    end
  end
end

return model
