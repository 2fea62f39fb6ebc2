-- Calls of the model about areas, and about the whole space.
local areas = require "spec.everything.areas"
local crowd = require "spec.everything.crowd"
local hand_over = require "spec.everything.hand_over"

local LAST_TICK = 1 << 53

local calls = {}

-- ---- areas -------------------------------------------------------------------------------------

function calls.add_area(self, call)
  local area = not self.areas[call.area] and areas.make(self, call.opts)
  if not area then
    return false
  end
  self.areas[call.area] = area
  self:changed()
  return true
end

function calls.set_area(self, call)
  local old = self.areas[call.area]
  local area = old and areas.make(self, call.opts, old)
  if not area then
    return false
  end
  self.areas[call.area] = area
  self:changed()
  return true
end

function calls.update_area(self, call)
  local is_new = not self.areas[call.area]
  return (is_new and calls.add_area or calls.set_area)(self, call), is_new
end

function calls.move_area(self, call)
  local area = self.areas[call.area]
  if not area or not area.place then
    return false
  end
  area.place = self.copy_of(call.place)
  self:changed()
  return true
end

function calls.remove_area(self, call)
  if not self.areas[call.area] then
    return false
  end
  self.areas[call.area] = nil
  self:changed()
  return true
end

-- ---- the whole space ---------------------------------------------------------------------------

function calls.set_bounds(self, call)
  if not self.map then
    return false
  elseif self.classic and self.delivery.set.has.on_watchers and self.delivery.set.has.on_markers then
    return "undefined" -- which of the two is told: no entity is the one that has changed
  end
  local map, old = {}, self.map
  for name, value in pairs(old) do
    map[name] = value
  end
  map.x, map.y, map.width, map.height = call.x, call.y, call.width, call.height
  self.map = map
  for _, entity in pairs(self.entities) do
    if not self:on_map(entity.place) then
      self.map = old
      return false
    end
  end
  self:changed()
  return true
end

function calls.tick(self, call)
  local number = call.number or self.tick_number + 1
  if not self.deferred or number <= self.tick_number or number > LAST_TICK then
    return false
  end
  self.tick_number = number
  local change = self.new_change()
  change.of_tick = true
  crowd.tick(self, change)
  self.arrived, self.had_owner = {}, {}
  for area_number, area in pairs(self.areas) do
    self.had_owner[area_number] = area.owner ~= nil
  end
  self:compare_members(change)
  self:emit(change)
  return true
end

function calls.clear(self)
  self:empty()
  self.log = nil
  return true
end

function calls.flush()
  return true
end

-- Returns the changes gathered since the last drain, each with its kinds in their order.
function calls.drain(self)
  if not self.collect then
    return false
  end
  local gathered = self.collected
  self.collected = {}
  return true, gathered
end

function calls.hand_out(self, call)
  if not self.deferred or not self.entities[call.id] then
    return false
  end
  local luggage, status = hand_over.out(self, call.id)
  return status or true, luggage
end

function calls.hand_in(self, call)
  if not self.deferred then
    return false
  end
  return hand_over.into(self, call.luggage)
end

function calls.on(self, call)
  if not self.delivery:can_tell_to(call.set) then
    return "undefined"
  end
  self.delivery:listen(call.set)
  return true
end

return calls
