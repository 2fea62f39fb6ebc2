-- Hand-overs in the model: the data that goes along with an entity from one space to another.
local hand_over = {}

local function copy(value)
  if type(value) ~= "table" then
    return value
  end
  local other = {}
  for name, part in pairs(value) do
    other[name] = copy(part)
  end
  return other
end

-- Areas of the owner: the entity takes them along, with the members that they had, and none is told of a
-- leave.
local function take_areas(space, id)
  local owned, members = {}, {}
  for number, area in pairs(space.areas) do
    if area.owner == id then
      owned[number], members[number] = area, space.members[number] or {}
      space.areas[number], space.members[number] = nil, nil
    end
  end
  return owned, members
end

-- The areas without owner that the entity was in at the last tick.
local function fixed_areas(space, id)
  local fixed = {}
  for number, members in pairs(space.members) do
    if members[id] and not space.had_owner[number] then
      fixed[number] = true
    end
  end
  return fixed
end

-- Whether an entity that came in this tick would go on in it, where there are areas: what of them is told
-- about it here is the callers' to drop, and DESIGN does not say what that is.
local function passes_through_areas(space, id)
  return space.arrived[id] and (next(space.areas) or next(space.members)) ~= nil
end

-- Whether an area has got or lost its owner since the last tick: entities are handed over before or after
-- that.
local function has_changed_owners(space)
  for number, area in pairs(space.areas) do
    local was = space.had_owner[number]
    if was ~= nil and was ~= (area.owner ~= nil) then
      return true
    end
  end
  return false
end

-- Whether a space shows its ghosts as their owners have them: what the entity was told of was there at the
-- last tick, and so was the entity itself; what waits to be told as moved has moved here, too.
local function is_consistent(space, luggage)
  local function was_at(id, place)
    local last = space.last[id]
    return not last or last[1] == place[1] and last[2] == place[2] and last[3] == place[3]
  end
  for id, pair in pairs(luggage.told) do
    local has_moved = (space.moved_at[id] or 0) > pair.since
    if not was_at(id, pair.place) or pair.waits and space.last[id] and not has_moved then
      return false
    end
  end
  return not luggage.last or was_at(luggage.id, luggage.last)
end

-- Whether the areas of the entity are the same ones in this space: ids of areas are unique in a world, and
-- one without owner stands wherever it reaches.
local function areas_agree(space, luggage)
  for number in pairs(luggage.fixed) do
    if space.had_owner[number] or space.areas[number] and space.areas[number].owner then
      return false
    end
  end
  for number in pairs(luggage.owned) do
    if space.had_owner[number] ~= nil then
      return false
    end
  end
  for number, members in pairs(space.last[luggage.id] and space.members or {}) do
    if not space.had_owner[number] and (members[luggage.id] or false) ~= (luggage.fixed[number] or false) then
      return false
    end
  end
  return true
end

-- The entity stays as a marker, or is gone when it was only a watcher. Returns what goes along, or nil and
-- "undefined".
function hand_over.out(space, id)
  if has_changed_owners(space) or passes_through_areas(space, id) then
    return nil, "undefined"
  end
  local entity = space.entities[id]
  local luggage = {
    id = id, entity = copy(entity), told = copy(space.told[id] or {}), pins = copy(space.pins[id]),
    sights = copy(space.sights[id]),
    touched = space.touched[id], fixed = fixed_areas(space, id), tick_number = space.tick_number,
    last = copy(space.last[id]),
  }
  luggage.owned, luggage.members = take_areas(space, id)
  space.told[id], space.pins[id], space.sights[id] = nil, nil, nil
  if entity.mode == "w" then
    space.entities[id] = nil
  else
    entity.mode = "m"
  end
  return luggage
end

function hand_over.into(space, luggage)
  if has_changed_owners(space) then
    return "undefined"
  end
  local id, inside = luggage.id, space.entities[luggage.id]
  if space.tick_number ~= luggage.tick_number or not is_consistent(space, luggage)
    or not areas_agree(space, luggage)
  then
    return "undefined" -- spaces that share a world tick together, and show what their neighbours have
  end
  if inside and inside.mode ~= "m" or not space:on_map(luggage.entity.place) then
    return false
  end
  for number in pairs(luggage.owned) do
    if space.areas[number] then
      return false
    end
  end
  space.entities[id], space.arrived[id] = copy(luggage.entity), true
  space.told[id] = next(luggage.told) and copy(luggage.told) or nil
  space.pins[id], space.sights[id] = copy(luggage.pins), copy(luggage.sights)
  space.touched[id] = space.touched[id] or luggage.touched
  for number, members in pairs(space.members) do
    if not space.had_owner[number] then
      members[id] = nil
    end
  end
  for number in pairs(luggage.fixed) do
    space.members[number] = space.members[number] or {}
    space.members[number][id] = true
  end
  for number, area in pairs(luggage.owned) do
    space.areas[number], space.members[number] = copy(area), copy(luggage.members[number])
    space.had_owner[number] = true
  end
  return true
end

return hand_over
