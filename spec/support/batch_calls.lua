-- Random enter_all, move_all, update_all and leave_all for the sequences, in tables and as packed rows.
-- Some have a bad row somewhere: those must be refused whole.

local packed = require "spec.support.packed_rows"
local sequences = require "spec.support.sequences"

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

local function dims_of(self)
  return self.options.dims or 2
end

-- The call of a batch, in any form that its rows can have.
local function call(self, method, flat, ...)
  local made = sequences.call(method, flat, ...)
  made.form = packed.form_for(self.random, method, flat, dims_of(self))
  return made
end

-- ---- bad rows ---------------------------------------------------------------------------------

local UNKNOWN = 424242

-- Ways to make a row bad that begins at entry `first`, if its batch and space mind.
local spoilers = {
  function(_, flat, first)
    flat[first] = UNKNOWN
  end,
  function(self, flat, first) -- the id of another row
    local width = dims_of(self) + 1
    flat[first] = flat[self.random:integer(0, #flat // width - 1) * width + 1]
  end,
  function(self, flat, first)
    flat[first + self.random:integer(1, dims_of(self))] = 0 / 0
  end,
  function(self, flat, first)
    flat[first + self.random:integer(1, dims_of(self))] = self.random:pick { -1, 1 } * math.huge
  end,
  function(self, flat, first)
    flat[first + 1] = self.region.high_x + 2 * self.region.width
  end,
}

-- True when it has made one of the rows a bad one, seldom.
local function spoil(self, flat)
  if #flat == 0 or not self.random:chance(0.08) then
    return false
  end
  local width = dims_of(self) + 1
  local row = self.random:integer(0, #flat // width - 1)
  self.random:pick(spoilers)(self, flat, row * width + 1)
  return true
end

-- ---- calls ------------------------------------------------------------------------------------

-- The rows of ids and places. Unless they are spoiled they are noted, for `only_inside` those of unknown
-- ids are not.
local function rows_of(self, ids, places, opts, only_inside)
  local flat = {}
  for i, id in ipairs(ids) do
    self:append_row(flat, id, places[i])
  end
  if not spoil(self, flat) then
    for i, id in ipairs(ids) do
      if self.entities[id] or not only_inside then
        self:note(id, places[i], opts)
      end
    end
  end
  return flat
end

local function enter_all(self)
  local opts, places = self:opts(true), {}
  local ids = some_ids(self, row_count(self), function(id)
    return not self.entities[id]
  end)
  for i = 1, #ids do
    places[i] = self:place_in_map()
  end
  local flat = rows_of(self, ids, places, opts)
  if opts and self.random:chance(0.5) then
    return call(self, "enter_all", flat, opts)
  end
  return call(self, "enter_all", flat, #ids, opts)
end

-- Any ids that pass the test, some of them more than once, and places for them.
local function some_rows(self, test)
  local ids, places = {}, {}
  for _ = 1, row_count(self) do
    local id = self.random:pick(self.ids)
    if test(id) then
      ids[#ids + 1] = id
      places[#ids] = self:place_in_map(self.entities[id])
    end
  end
  return ids, places
end

-- A row behind those that n counts: it is not looked at.
local function append_unread(self, flat)
  if self.random:chance(0.5) then
    self:append_row(flat, 1, { x = 0, y = 0, z = 0 })
  end
end

local function move_all(self)
  local skip = self.random:chance(0.5)
  local ids, places = some_rows(self, function(id)
    return skip or self.entities[id] or self.random:chance(0.02)
  end)
  local flat = rows_of(self, ids, places, nil, true)
  if skip then
    append_unread(self, flat)
    return call(self, "move_all", flat, #ids, "skip")
  elseif self.random:chance(0.5) then
    append_unread(self, flat)
    return call(self, "move_all", flat, #ids)
  end
  return call(self, "move_all", flat)
end

local function update_all(self)
  local ids, places = some_rows(self, function()
    return true
  end)
  local opts = self:opts(true)
  local flat = rows_of(self, ids, places, opts)
  if self.random:chance(0.5) then
    return call(self, "update_all", flat, opts)
  end
  append_unread(self, flat)
  return call(self, "update_all", flat, #ids, opts)
end

local function leave_all(self)
  local ids = some_ids(self, row_count(self), function(id)
    return self.entities[id]
  end)
  local n = self.random:chance(0.5) and #ids or nil
  if ids[1] and self.random:chance(0.08) then
    ids[self.random:integer(1, #ids)] = self.random:pick { UNKNOWN, ids[1] }
    return call(self, "leave_all", ids, n)
  end
  for _, id in ipairs(ids) do
    self.entities[id] = nil
  end
  return call(self, "leave_all", ids, n)
end

return {
  { weight = 6, make = enter_all },
  { weight = 8, make = move_all },
  { weight = 5, make = update_all },
  { weight = 4, make = leave_all },
}
