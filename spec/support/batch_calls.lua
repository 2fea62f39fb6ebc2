-- Random enter_all, move_all and leave_all for the sequences, bad rows included: those must be
-- refused whole.

local sequences = require "spec.support.sequences"

local call = sequences.call

-- Up to `count` different ids that pass the test.
local function some_ids(self, count, test)
  local ids, taken = {}, {}
  for _ = 1, count do
    local id = self.random:pick(self.ids)
    if not taken[id] and test(id) then
      taken[id] = true
      ids[#ids + 1] = id
    end
  end
  return ids
end

local function row_count(self)
  return self.random:pick { 0, 1, 2, 3, 5, 8 }
end

local function enter_all(self)
  local flat, opts = {}, self:opts(true)
  local ids = some_ids(self, row_count(self), function(id)
    return not self.entities[id]
  end)
  local spoiled = self.random:chance(0.05)
  for _, id in ipairs(ids) do
    local place = self:place_in_map()
    self:append_row(flat, id, place)
    if not spoiled then
      self:note(id, place, opts)
    end
  end
  if spoiled and ids[1] then
    self:append_row(flat, ids[1], self:fresh_place())
    ids[#ids + 1] = ids[1]
  end
  if opts and self.random:chance(0.5) then
    return call("enter_all", flat, opts)
  end
  return call("enter_all", flat, #ids, opts)
end

-- An id may have several rows.
local function move_all(self)
  local flat, rows = {}, row_count(self)
  local skip = self.random:chance(0.5)
  for _ = 1, rows do
    local id = self.random:pick(self.ids)
    if skip or self.entities[id] or self.random:chance(0.02) then
      local place = self:place_in_map(self.entities[id])
      self:append_row(flat, id, place)
      if self.entities[id] then
        self:note(id, place)
      end
    end
  end
  local n = #flat // ((self.options.dims or 2) + 1)
  if skip then
    return call("move_all", flat, n, "skip")
  elseif self.random:chance(0.5) then
    self:append_row(flat, 1, { x = 0, y = 0, z = 0 }) -- beyond n: not looked at
    return call("move_all", flat, n)
  end
  return call("move_all", flat)
end

local function leave_all(self)
  local ids = some_ids(self, row_count(self), function(id)
    return self.entities[id]
  end)
  if ids[1] and self.random:chance(0.05) then
    ids[#ids + 1] = ids[1]
    return call("leave_all", ids)
  end
  for _, id in ipairs(ids) do
    self.entities[id] = nil
  end
  return call("leave_all", ids, self.random:chance(0.5) and #ids or nil)
end

return {
  { weight = 6, make = enter_all },
  { weight = 8, make = move_all },
  { weight = 4, make = leave_all },
}
