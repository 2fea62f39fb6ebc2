-- Calls of the model about entities, single and in batches.

local calls = {}

local NO_OPTS = {}

local function enter_fits(self, id, place, opts)
  return not self.entities[id] and self:is_place(place) and self:traits_fit(opts, place, true)
end

local function enter(self, id, place, opts)
  self:put(id, place, opts)
  self:changed(id)
end

local function move(self, id, place)
  self:shift(self.entities[id], place)
  self:changed(id, true)
end

local function leave(self, id)
  self:drop(id)
  self:changed(id)
end

-- Enters or moves; returns whether it entered.
local function update(self, id, place, opts)
  local entity = self.entities[id]
  if not entity then
    enter(self, id, place, opts)
    return true
  end
  self:shift(entity, place, opts.anchor)
  self.set_traits(entity, opts)
  self:changed(id, true)
  return false
end

function calls.enter(self, call)
  local opts = call.opts or NO_OPTS
  if not enter_fits(self, call.id, call.place, opts) then
    return false
  end
  enter(self, call.id, call.place, opts)
  return true
end

function calls.move(self, call)
  if not self.entities[call.id] or not self:is_place(call.place) then
    return false
  end
  move(self, call.id, call.place)
  return true
end

function calls.leave(self, call)
  if not self.entities[call.id] then
    return false
  end
  leave(self, call.id)
  return true
end

function calls.update(self, call)
  local opts = call.opts or NO_OPTS
  if not self:is_place(call.place) or not self:traits_fit(opts, call.place, not self.entities[call.id]) then
    return false
  end
  return true, update(self, call.id, call.place, opts)
end

local function trait_setter(name, needs)
  return function(self, call)
    local entity = self.entities[call.id]
    if not entity or needs == "crowd" and not self.crowd or needs == "radius" and self.classic then
      return false
    end
    self.set_traits(entity, { [name] = call.value })
    if needs ~= "crowd" then -- these speak at the next tick only
      self:changed(call.id)
    end
    return true
  end
end

calls.set_radius = trait_setter("radius", "radius")
calls.set_visible_radius = trait_setter("visible_radius", "radius")
calls.set_mode = trait_setter "mode"
calls.set_layers = trait_setter "layers"
calls.set_sees_layers = trait_setter "sees_layers"
calls.set_limit = trait_setter("limit", "crowd")
calls.set_importance = trait_setter("importance", "crowd")

-- how: true, false, or nil.
function calls.set_sight(self, call)
  if not self.entities[call.id] or call.id == call.other then
    return false
  end
  self.sights[call.id] = self.sights[call.id] or {}
  self.sights[call.id][call.other] = call.how
  self:changed(call.id)
  return true
end

function calls.pin(self, call)
  if not self.crowd or not self.entities[call.id] then
    return false
  elseif call.id == call.other then
    return "undefined"
  end
  self.pins[call.id] = self.pins[call.id] or {}
  self.pins[call.id][call.other] = true
  return true
end

function calls.unpin(self, call)
  if not self.crowd or not self.entities[call.id] then
    return false
  elseif self.pins[call.id] then
    self.pins[call.id][call.other] = nil
  end
  return true
end

function calls.touch(self, call)
  if not self.deferred or not self.entities[call.id] then
    return false
  end
  self.touched[call.id] = true
  return true
end

-- ---- batches: all rows are good, or none has happened ------------------------------------------

local function known_ids(self)
  local inside = {}
  for id in pairs(self.entities) do
    inside[id] = true
  end
  return inside
end

function calls.enter_all(self, call)
  local opts, inside = call.opts or NO_OPTS, known_ids(self)
  for _, row in ipairs(call.rows) do
    if inside[row.id] or not self:is_place(row.place) or not self:traits_fit(opts, row.place, true) then
      return false
    end
    inside[row.id] = true
  end
  for _, row in ipairs(call.rows) do
    enter(self, row.id, row.place, opts)
  end
  return true
end

function calls.move_all(self, call)
  local skipped = 0
  for _, row in ipairs(call.rows) do
    local known = self.entities[row.id]
    if known and not self:is_place(row.place) or not known and not call.skip then
      return false
    elseif not known and not self.is_finite(row.place[1] + row.place[2] + (row.place[3] or 0)) then
      return "undefined"
    end
  end
  for _, row in ipairs(call.rows) do
    if self.entities[row.id] then
      move(self, row.id, row.place)
    else
      skipped = skipped + 1
    end
  end
  if call.skip then
    return true, skipped
  end
  return true
end

function calls.update_all(self, call)
  local opts, entered, inside = call.opts or NO_OPTS, 0, known_ids(self)
  for _, row in ipairs(call.rows) do
    if not self:is_place(row.place) or not self:traits_fit(opts, row.place, not inside[row.id]) then
      return false
    end
    inside[row.id] = true
  end
  for _, row in ipairs(call.rows) do
    if update(self, row.id, row.place, opts) then
      entered = entered + 1
    end
  end
  return true, entered
end

function calls.leave_all(self, call)
  local inside = known_ids(self)
  for _, row in ipairs(call.rows) do
    if not inside[row.id] then
      return false
    end
    inside[row.id] = nil
  end
  for _, row in ipairs(call.rows) do
    leave(self, row.id)
  end
  return true
end

return calls
