-- The contract by brute force, in plain Lua: what every space must do, written to be obviously
-- right and not to be fast. The differential specs compare real spaces with it.
--
-- A change looks at who sees whom before it and after it, and the difference is the events. Engines
-- differ in two rules only: whether there is a map with borders, and whether cells (the classic
-- nine-grid) or a radius decide.
--
-- In a deferred space calls make no events: a tick looks at who sees whom now and who saw whom at
-- the last tick, both written down pair by pair. Crowds have a file of their own, model_crowds.lua, and
-- areas, too: model_areas.lua.
--
-- An entity has a true place, which is asked for, and an anchor, which decides about visibility.
-- Without slack they are the same.
--
-- Methods are those of a space. A method that changes something returns a list of changes (one
-- for a single call, one per row for a batch), then what the real method returns. A change is
-- { enter = set, leave = set, move = set, area_enter = set, area_leave = set } with keys made by
-- Model.pair_key (of an area and a marker in the last two), and says whose change it is: `id`, or
-- `tick` when it is that of a tick. A call that the contract forbids raises a table
-- { refused = text } and changes nothing.

local areas = require "spec.support.model_areas"
local hand_over = require "spec.support.model_hand_over"
local crowds = require "spec.support.model_crowds"
local values = require "spec.support.model_values"

local refuse, to_id, to_coordinate = values.refuse, values.to_id, values.to_coordinate
local to_radius, to_bits, to_mode = values.to_radius, values.to_bits, values.to_mode

local Model = {}
Model.__index = Model

Model.kinds = { "leave", "enter", "move", "area_leave", "area_enter" } -- in the order of delivery

function Model.pair_key(watcher, marker)
  return watcher .. " sees " .. marker
end

-- ---- who sees whom ----------------------------------------------------------------------------

-- Views compare two anchors; r is the larger of the watcher's radius and the marker's visible radius.
-- Places always have a z; it is 0 in two dimensions, where the tests of z are then true.

local function in_square(watcher, marker, r)
  return watcher.x - r <= marker.x and marker.x <= watcher.x + r
    and watcher.y - r <= marker.y and marker.y <= watcher.y + r
    and watcher.z - r <= marker.z and marker.z <= watcher.z + r
end

local function in_circle(watcher, marker, r)
  local dx, dy, dz = marker.x - watcher.x, marker.y - watcher.y, marker.z - watcher.z
  return in_square(watcher, marker, r) and dx * dx + dy * dy + dz * dz <= r * r
end

-- The cell of a coordinate along one axis. Also outside the map: the nearest border cell.
local function cell_index(value, low, size, count)
  local index = math.floor((value - low) / size)
  if index < 0 then
    return 0
  elseif index > count - 1 then
    return count - 1
  end
  return index
end

-- In the nine-grid a place has a cell.
local function put_into_cell(map, place)
  place.column = cell_index(place.x, map.x, map.cell_width, map.cols)
  place.row = cell_index(place.y, map.y, map.cell_height, map.rows)
end

local function in_nine_cells(watcher, marker)
  return math.abs(watcher.column - marker.column) <= 1 and math.abs(watcher.row - marker.row) <= 1
end

-- The set of ids that the watcher sees, or doesn't, by the game's word is watcher.sights.
function Model:entity_sees(watcher, marker)
  if watcher == marker or watcher.mode == "m" or marker.mode == "w" then
    return false
  elseif watcher.sights[marker.id] ~= nil then
    return watcher.sights[marker.id]
  end
  return marker.layers & watcher.sees_layers ~= 0
    and self.in_view(watcher.anchor, marker.anchor, math.max(watcher.radius or 0, marker.visible_radius))
end

-- All pairs that the entity is in, as a map from pair key to marker.
function Model:pairs_of(id)
  local found = {}
  local entity = self.entities[id]
  for other_id, other in pairs(entity and self.entities or {}) do
    if self:entity_sees(entity, other) then
      found[Model.pair_key(id, other_id)] = other_id
    end
    if self:entity_sees(other, entity) then
      found[Model.pair_key(other_id, id)] = id
    end
  end
  return found
end

function Model:all_pairs()
  local found = {}
  for watcher_id, watcher in pairs(self.entities) do
    for marker_id, marker in pairs(self.entities) do
      if self:entity_sees(watcher, marker) then
        found[Model.pair_key(watcher_id, marker_id)] = marker_id
      end
    end
  end
  return found
end

-- The events between two maps of pairs. `has_moved(marker)` says whether those who see the marker
-- before and after are told of a move.
local function difference(before, after, has_moved)
  local change = { leave = {}, enter = {}, move = {} }
  for key in pairs(before) do
    if not after[key] then
      change.leave[key] = true
    end
  end
  for key, marker in pairs(after) do
    if not before[key] then
      change.enter[key] = true
    elseif has_moved(marker) then
      change.move[key] = true
    end
  end
  return change
end

-- Makes a change that concerns the entity `id` (nil: all of them) and returns its events; nil in a
-- deferred space. `moved` says that the entity was placed, so that those who still see it are told.
function Model:change(id, moved, apply)
  if self.deferred then
    apply()
    return nil
  end
  local before = id and self:pairs_of(id) or self:all_pairs()
  apply()
  local after = id and self:pairs_of(id) or self:all_pairs()
  local change = difference(before, after, function(marker)
    return moved and marker == id
  end)
  change.id = id
  return areas.advance(self, change)
end

-- Writes down all pairs and places of now, which the next tick compares with. Crowds write down told pairs
-- instead.
function Model:write_down()
  local places = {}
  for id, entity in pairs(self.entities) do
    places[id] = { x = entity.x, y = entity.y, z = entity.z, mode = entity.mode }
  end
  return { pairs = self.crowd and {} or self:all_pairs(), places = places }
end

-- number: of the tick; nil for one more than the last.
function Model:tick(number)
  if not self.deferred then
    refuse("the space is not deferred")
  end
  number = values.to_whole("tick", number == nil and self.tick_number + 1 or number, 1, 2 ^ 53)
  if number <= self.tick_number then
    refuse("tick %s after tick %s", number, self.tick_number)
  end
  self.tick_number = number
  local before, after = self.last_tick, self:write_down()
  self.last_tick = after
  local function has_moved(marker)
    local old, new = before.places[marker], after.places[marker]
    return old ~= nil and (self.touched[marker] or old.x ~= new.x or old.y ~= new.y or old.z ~= new.z)
  end
  local change
  if self.crowd then
    change = crowds.tick(self, before.places, has_moved)
  else
    change = difference(before.pairs, after.pairs, has_moved)
    hand_over.tell(self, change)
  end
  self.touched = {}
  change.tick = true
  return { areas.advance(self, change) }
end

function Model:touch(id)
  if not self.deferred then
    refuse("the space is not deferred")
  end
  self:existing(id)
  self.touched[to_id(id)] = true
  return {}
end

-- ---- the map ----------------------------------------------------------------------------------

-- The map of the options with the cells of a classic grid; nil where there are no borders.
function Model:make_map(x, y, width, height)
  local options = self.options
  if not width then
    return nil
  end
  local map = { x = x + 0.0, y = y + 0.0, width = width + 0.0, height = height + 0.0 }
  if self.classic and options.cell then
    map.cell_width, map.cell_height = options.cell + 0.0, options.cell + 0.0
    map.cols = math.ceil(map.width / map.cell_width)
    map.rows = math.ceil(map.height / map.cell_height)
  elseif self.classic then
    map.cell_width, map.cell_height = map.width / options.cols, map.height / options.rows
    map.cols, map.rows = options.cols, options.rows
  end
  return map
end

local function inside(map, place)
  return map.x <= place.x and place.x <= map.x + map.width
    and map.y <= place.y and place.y <= map.y + map.height
end

function Model:check_place(x, y, z)
  local place = { x = to_coordinate(x), y = to_coordinate(y), z = 0.0 }
  if self.dims == 3 then
    place.z = to_coordinate(z)
  elseif z ~= nil then
    refuse("z in two dimensions")
  end
  if self.map and not self.clamp and not inside(self.map, place) then
    refuse("position %s, %s is outside the map", x, y)
  end
  if self.classic then
    put_into_cell(self.map, place)
  end
  return place
end

-- ---- a space ----------------------------------------------------------------------------------

-- Takes the options of aoi.new as a table; those about handlers are ignored.
function Model.new(options)
  local self = setmetatable({}, Model)
  self.options = options
  self.dims = options.dims or 2
  self.clamp = options.clamp
  self.classic = options.engine == "grid" and not options.radius
  self.deferred = options.deferred
  self.slack = (options.slack or 0) + 0.0
  self.crowd = crowds.new(options)
  self.in_view = self.classic and in_nine_cells
    or options.shape == "circle" and in_circle
    or in_square
  self.default_radius = options.radius and to_radius(options.radius)
  self.map = self:make_map(options.x or 0, options.y or 0, options.width, options.height)
  self.entities = {}
  self.tick_number, self.luggages = 0, {}
  areas.clear(self)
  hand_over.clear(self)
  self.last_tick, self.touched = self:write_down(), {} -- set of ids that count as moved at the next tick
  return self
end

-- In two dimensions the optional table stands where z would stand in three.
function Model:split_options(z, opts)
  if self.dims == 2 and type(z) == "table" then
    return nil, z
  end
  return z, opts
end

-- Checked copies of the given opts, so that a bad one is found before anything changes.
function Model:check_traits(opts)
  local traits = {}
  opts = opts or {}
  if opts.radius ~= nil then
    if self.classic then
      refuse("a radius in a classic nine-grid")
    end
    traits.radius = to_radius(opts.radius)
  end
  if opts.visible_radius ~= nil then
    if self.classic then
      refuse("a visible radius in a classic nine-grid")
    end
    traits.visible_radius = to_radius(opts.visible_radius)
  end
  traits.mode = opts.mode and to_mode(opts.mode)
  traits.layers = opts.layers and to_bits(opts.layers)
  traits.sees_layers = opts.sees_layers and to_bits(opts.sees_layers)
  crowds.check_traits(self, opts, traits)
  return traits
end

local function assign(entity, fields)
  for name, value in pairs(fields) do
    entity[name] = value
  end
end

-- Puts the entity there. Its anchor comes along when that is too far behind.
function Model:put(entity, place)
  assign(entity, place)
  local anchor = entity.anchor
  if not anchor
    or math.abs(place.x - anchor.x) > self.slack
    or math.abs(place.y - anchor.y) > self.slack
    or math.abs(place.z - anchor.z) > self.slack then
    entity.anchor = place
  end
end

function Model:existing(id)
  return self.entities[to_id(id)] or refuse("id %s is not in the space", id)
end

-- A new entity, complete but not yet in the space.
function Model:make_entity(id, place, traits, anchor)
  local entity = {
    id = id, radius = self.default_radius, visible_radius = 0.0, mode = "wm", layers = 1,
    sees_layers = values.ALL_LAYERS, sights = {},
  }
  assign(entity, self.crowd and crowds.new_traits(self.crowd) or {})
  assign(entity, traits)
  self:put(entity, place)
  entity.anchor = anchor or entity.anchor
  if not self.classic and not entity.radius then
    refuse("neither the call nor the space gives a radius")
  end
  return entity
end

function Model:enter(id, x, y, z, opts)
  z, opts = self:split_options(z, opts)
  id = to_id(id)
  local place = self:check_place(x, y, z)
  local entity = self:make_entity(id, place, self:check_traits(opts), hand_over.anchor_of(self, place, opts))
  if self.entities[id] then
    refuse("id %s is already in the space", id)
  end
  return { self:change(id, false, function()
    self.entities[id] = entity
  end) }
end

function Model:move(id, x, y, z)
  local entity = self:existing(id)
  local place = self:check_place(x, y, z)
  return { self:change(to_id(id), true, function()
    self:put(entity, place)
  end) }
end

function Model:remove_entity(id)
  self.entities[id] = nil
  areas.end_owned(self, id)
end

function Model:leave(id)
  self:existing(id)
  id = to_id(id)
  return { self:change(id, false, function()
    self:remove_entity(id)
  end) }
end

function Model:update(id, x, y, z, opts)
  local entity = self.entities[to_id(id)]
  if not entity then
    return self:enter(id, x, y, z, opts), true
  end
  z, opts = self:split_options(z, opts)
  local place, traits = self:check_place(x, y, z), self:check_traits(opts)
  local anchor = hand_over.anchor_of(self, place, opts)
  return { self:change(to_id(id), true, function()
    self:put(entity, place)
    entity.anchor = anchor or entity.anchor
    assign(entity, traits)
  end) }, false
end

function Model:set_trait(id, name, value)
  local entity = self:existing(id)
  return { self:change(to_id(id), false, function()
    entity[name] = value
  end) }
end

function Model:set_radius(id, radius)
  if self.classic then
    refuse("a radius in a classic nine-grid")
  end
  return self:set_trait(id, "radius", to_radius(radius))
end

function Model:set_visible_radius(id, radius)
  if self.classic then
    refuse("a visible radius in a classic nine-grid")
  end
  return self:set_trait(id, "visible_radius", to_radius(radius))
end

-- how: true, false, or nil for what the rule says.
function Model:set_sight(w, m, how)
  local watcher = self:existing(w)
  w, m = to_id(w), to_id(m)
  if w == m then
    refuse("id %s has no word about itself", w)
  elseif how ~= nil and type(how) ~= "boolean" then
    refuse("a sight is not %s", how)
  end
  return { self:change(w, false, function()
    watcher.sights[m] = how
  end) }
end

function Model:set_mode(id, mode)
  return self:set_trait(id, "mode", to_mode(mode))
end

function Model:set_layers(id, bits)
  return self:set_trait(id, "layers", to_bits(bits))
end

function Model:set_sees_layers(id, bits)
  return self:set_trait(id, "sees_layers", to_bits(bits))
end

function Model:clear()
  self.entities = {}
  areas.clear(self)
  hand_over.clear(self)
  self.last_tick, self.touched = self:write_down(), {}
  if self.crowd then
    crowds.clear(self.crowd)
  end
  return {}
end

-- ---- batches ----------------------------------------------------------------------------------

-- All or nothing: a copy of the entities goes through the single calls, and only if none of
-- them is refused the space takes the copy.
function Model:batch(rows, call)
  local kept, kept_areas, kept_memberships = self.entities, self.areas_by_id, self.memberships
  self.entities = {}
  for id, entity in pairs(kept) do
    self.entities[id] = {}
    assign(self.entities[id], entity)
  end
  local changes = {}
  local ok, reason = pcall(function()
    for row = 1, rows do
      table.move(call(row), 1, 1, #changes + 1, changes)
    end
  end)
  if not ok then
    self.entities, self.areas_by_id, self.memberships = kept, kept_areas, kept_memberships
    error(reason, 0)
  end
  return changes
end

-- The values of one row of a flat table: id, x, y and, in three dimensions, z.
function Model:row_of(flat, row)
  local width = self.dims + 1
  return table.unpack(flat, (row - 1) * width + 1, row * width)
end

function Model:rows_in(flat, n)
  return n or #flat // (self.dims + 1)
end

function Model:enter_all(flat, n, opts)
  if type(n) == "table" then
    n, opts = nil, n
  end
  return self:batch(self:rows_in(flat, n), function(row)
    local id, x, y, z = self:row_of(flat, row)
    if self.dims == 2 then
      return self:enter(id, x, y, opts)
    end
    return self:enter(id, x, y, z, opts)
  end)
end

function Model:move_all(flat, n, unknown)
  local skipped = 0
  local changes = self:batch(self:rows_in(flat, n), function(row)
    local id, x, y, z = self:row_of(flat, row)
    if unknown == "skip" and not self.entities[to_id(id)] then
      -- A row that is passed over may name a place outside the map.
      for _, value in ipairs(self.dims == 3 and { x, y, z } or { x, y }) do
        to_coordinate(value)
      end
      skipped = skipped + 1
      return {}
    end
    return self:move(id, x, y, z)
  end)
  if unknown == "skip" then
    return changes, skipped
  end
  return changes
end

function Model:update_all(flat, n, opts)
  if type(n) == "table" then
    n, opts = nil, n
  end
  local entered = 0
  local changes = self:batch(self:rows_in(flat, n), function(row)
    local id, x, y, z = self:row_of(flat, row)
    local row_changes, has_entered
    if self.dims == 2 then
      row_changes, has_entered = self:update(id, x, y, opts)
    else
      row_changes, has_entered = self:update(id, x, y, z, opts)
    end
    entered = entered + (has_entered and 1 or 0)
    return row_changes
  end)
  return changes, entered
end

function Model:leave_all(ids, n)
  return self:batch(n or #ids, function(row)
    return self:leave(ids[row])
  end)
end

function Model:set_bounds(x, y, width, height)
  local map = self:make_map(to_coordinate(x), to_coordinate(y), width, height)
  if not self.clamp then
    for id, entity in pairs(self.entities) do
      if not inside(map, entity) then
        refuse("the map would leave id %s outside", id)
      end
    end
  end
  return { self:change(nil, false, function()
    self.map = map
    for _, entity in pairs(self.classic and self.entities or {}) do
      put_into_cell(map, entity.anchor)
    end
  end) }
end

-- ---- questions --------------------------------------------------------------------------------

function Model:count()
  local count = 0
  for _ in pairs(self.entities) do
    count = count + 1
  end
  return count
end

function Model:has(id)
  return self.entities[to_id(id)] ~= nil
end

function Model:position(id)
  local entity = self.entities[to_id(id)]
  if not entity then
    return nil
  elseif self.dims == 3 then
    return entity.x, entity.y, entity.z
  end
  return entity.x, entity.y
end

function Model:radius(id)
  local entity = self.entities[to_id(id)]
  return entity and entity.radius
end

-- All traits, as enter takes them.
function Model:traits(id)
  local entity = self.entities[to_id(id)]
  if not entity then
    return nil
  end
  local traits = { mode = entity.mode, layers = entity.layers, sees_layers = entity.sees_layers,
    limit = entity.limit, importance = entity.importance }
  if not self.classic then
    traits.radius, traits.visible_radius = entity.radius, entity.visible_radius
  end
  return traits
end

-- A list of id, word, id, word, ... and how many pairs.
function Model:sights(id)
  local sights, list = self:existing(id).sights, {}
  local ids = {}
  for m in pairs(sights) do
    ids[#ids + 1] = m
  end
  table.sort(ids)
  for _, m in ipairs(ids) do
    list[#list + 1] = m
    list[#list + 1] = sights[m]
  end
  return list, #ids
end

function Model:sees(a, b)
  local watcher, marker = self.entities[to_id(a)], self.entities[to_id(b)]
  return watcher ~= nil and marker ~= nil and self:entity_sees(watcher, marker)
end

-- All ids that pass the test, in ascending order, and how many.
function Model:select(test)
  local found = {}
  for id, entity in pairs(self.entities) do
    if test(entity) then
      found[#found + 1] = id
    end
  end
  table.sort(found)
  return found, #found
end

function Model:ids()
  return self:select(function()
    return true
  end)
end

function Model:markers_of(id)
  local watcher = self:existing(id)
  return self:select(function(marker)
    return self:entity_sees(watcher, marker)
  end)
end

function Model:watchers_of(id)
  local marker = self:existing(id)
  return self:select(function(watcher)
    return self:entity_sees(watcher, marker)
  end)
end

-- ---- what was told ----------------------------------------------------------------------------

-- Whether w was told of m: at the last tick where only ticks tell.
function Model:was_told(w, m)
  if self.handed[w] then
    return self.handed[w][m] ~= nil
  elseif self.crowd then
    return crowds.was_told(self.crowd, w, m)
  elseif self.deferred then
    return self.last_tick.pairs[Model.pair_key(w, m)] ~= nil
  end
  return self:sees(w, m)
end

-- May name markers that are gone by now.
function Model:told_markers_of(id)
  self:existing(id)
  local found = {}
  local all = self.deferred and self.last_tick.places or self.entities
  for m in pairs(self.handed[to_id(id)] or all) do
    if self:was_told(to_id(id), m) then
      found[#found + 1] = m
    end
  end
  table.sort(found)
  return found, #found
end

-- Of those who were told only who is inside now.
function Model:told_watchers_of(id)
  self:existing(id)
  local found = {}
  for w in pairs(self.entities) do
    if self:was_told(w, to_id(id)) then
      found[#found + 1] = w
    end
  end
  table.sort(found)
  return found, #found
end

-- Why w is told of m or is not, and for "limit" its rank.
function Model:explain(w, m)
  local watcher, marker = self.entities[to_id(w)], self.entities[to_id(m)]
  if not watcher or not marker then
    return "unknown"
  elseif watcher == marker then
    return "self"
  elseif watcher.mode == "m" or marker.mode == "w" then
    return "mode"
  elseif watcher.sights[marker.id] == false then
    return "hidden"
  elseif not watcher.sights[marker.id] and marker.layers & watcher.sees_layers == 0 then
    return "layer"
  elseif not self:entity_sees(watcher, marker) then
    return "range"
  elseif self.crowd then
    return crowds.explain(self, to_id(w), to_id(m))
  end
  return "sees"
end

for _, methods in ipairs { crowds.methods, areas.methods, hand_over.methods } do
  for name, method in pairs(methods) do
    Model[name] = method
  end
end

return Model
