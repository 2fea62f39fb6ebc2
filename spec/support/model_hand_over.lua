-- Handing over in the brute-force model: what goes along with an entity, and what those are told who came.
--
-- A luggage is the content of a string from hand_out: id, traits, place, anchor, pins, sights, touched, and
-- told: for each id that the entity was told of, x, y and z where that was, and in a crowd since, due and
-- waits; areas: see areas.hand_out.
-- model.handed has the told of those who were handed in since the last tick, by id.

local areas = require "spec.support.model_areas"
local values = require "spec.support.model_values"

local refuse = values.refuse

local hand_over = {}

function hand_over.clear(model)
  model.handed = {}
end

local function copy(fields)
  local copied = {}
  for name, value in pairs(fields) do
    copied[name] = value
  end
  return copied
end

-- A pair told elsewhere was told at the last tick here at the latest; before it, where a move waits since.
local function brought_forward(model, told)
  local result = {}
  for m, pair in pairs(told) do
    result[m] = copy(pair)
    if pair.since then
      result[m].since = math.min(pair.since, model.tick_number - (pair.waits and 1 or 0))
      result[m].due = result[m].since + (pair.due - pair.since)
    end
  end
  return result
end

local function check_deferred(model)
  if not model.deferred then
    refuse("the space is not deferred")
  end
end

local function key_of(watcher, marker)
  return watcher .. " sees " .. marker
end

local function is_elsewhere(a, b)
  return a.x ~= b.x or a.y ~= b.y or a.z ~= b.z
end

-- Of whom the entity was told at the last tick.
local function told_of(model, id)
  if model.handed[id] then
    return copy(model.handed[id])
  end
  local told, crowd = {}, model.crowd
  for m, place in pairs(model.last_tick.places) do
    if model:was_told(id, m) then
      told[m] = { x = place.x, y = place.y, z = place.z }
      if crowd then
        local pair = crowd.told[id][m]
        told[m].since, told[m].due = pair.since, pair.due
        told[m].waits = (crowd.moved[m] or -1) > pair.since
      end
    end
  end
  return told
end

-- The entity was no watcher at the last tick; a mere watcher was nowhere.
local function end_watching(model, id)
  local last = model.last_tick
  for m in pairs(last.places) do
    last.pairs[key_of(id, m)] = nil
  end
  model.handed[id] = nil
  if model.crowd then
    model.crowd.told[id] = nil
  end
  if last.places[id] and last.places[id].mode == "w" then
    last.places[id] = nil
  end
end

-- Tells the entities that were handed in, at a tick: where the difference says that they see somebody anew.
function hand_over.tell(model, change)
  for w, told in pairs(model.handed) do
    for m, then_ in pairs(told) do
      local key, now = key_of(w, m), model.entities[m]
      if not change.enter[key] then
        change.leave[key] = true
      elseif is_elsewhere(then_, now) or model.touched[m] then
        change.move[key] = true
      end
      change.enter[key] = nil
    end
  end
  model.handed = {}
end

-- In a crowd: who counts as moved at this tick because of what was told elsewhere.
function hand_over.note_moves(model)
  local crowd = model.crowd
  for w, told in pairs(model.handed) do
    for m, then_ in pairs(told) do
      local now = model.entities[w] and model.entities[m]
      if now and then_.waits then
        crowd.moved[m] = math.max(crowd.moved[m] or -1, then_.since + 1)
      end
      if now and (is_elsewhere(then_, now) or model.touched[m]) then
        crowd.moved[m] = crowd.tick
      end
    end
  end
  model.handed = {}
end

-- The anchor that opts give for an entity at this place, or nil.
function hand_over.anchor_of(model, place, opts)
  local given = opts and opts.anchor
  if given == nil then
    return nil
  elseif type(given) ~= "table" or #given ~= model.dims then
    refuse("the anchor is no point")
  end
  local anchor = copy(place)
  anchor.x, anchor.y = values.to_coordinate(given[1]), values.to_coordinate(given[2])
  anchor.z = model.dims == 3 and values.to_coordinate(given[3]) or 0.0
  for _, axis in ipairs { "x", "y", "z" } do
    if math.abs(place[axis] - anchor[axis]) > model.slack then
      refuse("the anchor is too far away")
    end
  end
  return anchor
end

-- ---- calls ------------------------------------------------------------------------------------

-- Become methods of the model.
hand_over.methods = {}

function hand_over.methods:anchor(id)
  local entity = self.entities[values.to_id(id)]
  if not entity then
    return nil
  elseif self.dims == 3 then
    return entity.anchor.x, entity.anchor.y, entity.anchor.z
  end
  return entity.anchor.x, entity.anchor.y
end

-- The string that a space gives is to be passed to keep_string.
function hand_over.methods:hand_out(id)
  check_deferred(self)
  local entity = self:existing(id)
  id = values.to_id(id)
  local of_areas, kept_areas = areas.hand_out(self, id)
  self.luggage = {
    areas = of_areas,
    id = id,
    traits = { radius = entity.radius, visible_radius = entity.visible_radius, mode = entity.mode,
      layers = entity.layers, sees_layers = entity.sees_layers,
      limit = entity.limit, importance = entity.importance },
    place = { entity.x, entity.y, self.dims == 3 and entity.z or nil },
    anchor = copy(entity.anchor),
    pins = copy(entity.pins or {}),
    sights = copy(entity.sights),
    touched = self.touched[id],
    told = told_of(self, id),
  }
  return { self:change(id, false, function()
    end_watching(self, id)
    areas.end_hand_out(self, id, of_areas, kept_areas)
    if entity.mode == "w" then
      self:remove_entity(id)
    else
      entity.mode = "m"
      entity.pins = entity.pins and {}
      entity.sights = {}
    end
  end) }
end

-- The space calls the string of the last hand_out so.
function hand_over.methods:keep_string(string)
  self.luggages[string] = self.luggage
end

function hand_over.methods:hand_in(string)
  check_deferred(self)
  local luggage = self.luggages[string] or refuse("nobody has handed out %s", string)
  local id = luggage.id
  local entity = self.entities[id]
  if entity and entity.mode ~= "m" then
    refuse("id %s is inside and watches", id)
  end
  local place = self:check_place(table.unpack(luggage.place, 1, 3))
  areas.check_hand_in(self, luggage.areas)
  return { self:change(id, true, function()
    entity = entity or { id = id }
    self.entities[id] = entity
    entity.sights = copy(luggage.sights)
    for name, value in pairs(luggage.traits) do
      entity[name] = value
    end
    for name, value in pairs(place) do
      entity[name] = value
    end
    entity.anchor = self.slack > 0 and copy(luggage.anchor) or copy(place)
    end_watching(self, id)
    self.handed[id] = brought_forward(self, luggage.told)
    self.touched[id] = self.touched[id] or luggage.touched
    areas.hand_in(self, id, luggage.areas)
    if self.crowd then
      entity.pins = copy(luggage.pins)
      self.crowd.told[id] = copy(self.handed[id])
    end
  end) }
end

return hand_over
