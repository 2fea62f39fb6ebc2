-- Random queries for the sequences, and how their answers compare: the same ids in the same order.

local compare = require "spec.support.compare"
local sequences = require "spec.support.sequences"

local call = sequences.call

for _, method in ipairs {
  "query_rect", "query_circle", "query_sector", "query_segment", "query_nearest",
} do
  compare.questions[method] = function(_, answer, expected)
    compare.check_same(method .. "'s count", answer[2], expected[2])
    for i = 1, expected[2] + 1 do
      compare.check_same(("result %d of %s"):format(i, method), answer[1][i], expected[1][i])
    end
  end
end

-- The coordinates of a place as a list: two or three.
local function coordinates(self)
  local place = self:fence(self:place(self:some_entity()))
  if self.options.dims == 3 then
    return { place.x, place.y, place.z }
  end
  return { place.x, place.y }
end

local function append(list, values)
  return table.move(values, 1, #values, #list + 1, list)
end

local function some_size(self)
  local random = self.random
  if random:chance(0.15) then
    return random:pick { 0, 1e9, math.huge }
  end
  return self:some_radius()
end

-- More than half of the queries reuse a table or want a string, or name layers, or both.
local function query(self, method, arguments, n)
  local random = self.random
  n = n or #arguments
  local has_result, has_layers = random:chance(0.4), random:chance(0.3)
  if has_result or has_layers then
    n = n + 1
    arguments[n] = has_result and random:pick { "packed", { 7, 7, 7 } } or nil
  end
  if has_layers then
    n = n + 1
    arguments[n] = random:pick { 1, 2, 3, 0x80000000, -1, 0 }
  end
  return call(method, table.unpack(arguments, 1, n))
end

-- Where a product of two coordinates overflows, the formula of a segment gives no number.
local function is_tame(self)
  local LIMIT = 1e100
  for _, entity in pairs(self.entities) do
    if math.abs(entity.x) > LIMIT or math.abs(entity.y) > LIMIT then
      return false
    end
  end
  return self.region.width < LIMIT
end

local query_makers = {
  function(self)
    local corners = append(coordinates(self), coordinates(self))
    return query(self, "query_rect", corners)
  end,
  function(self)
    local arguments = coordinates(self)
    arguments[#arguments + 1] = some_size(self)
    return query(self, "query_circle", arguments)
  end,
  function(self)
    local random, place = self.random, coordinates(self)
    -- Right angles and their multiples put entities exactly onto the edges.
    local direction = random:pick { 0, math.pi / 2, -math.pi, random:float(-7, 7), 100 }
    local angle = random:pick {
      0.01, math.pi / 4, math.pi / 2, math.pi, 3 * math.pi / 2, 2 * math.pi, 7,
      random:float(0.001, 2 * math.pi),
    }
    return query(self, "query_sector", { place[1], place[2], some_size(self), direction, angle })
  end,
  function(self)
    local from, to = coordinates(self), coordinates(self)
    for _, end_point in ipairs { from, to } do
      if not is_tame(self) or math.abs(end_point[1]) > 1e100 or math.abs(end_point[2]) > 1e100 then
        return nil
      end
    end
    if self.random:chance(0.1) then
      to = from
    end
    return query(self, "query_segment", { from[1], from[2], to[1], to[2], some_size(self) })
  end,
  function(self)
    local arguments = coordinates(self)
    local n = #arguments + 1
    arguments[n] = self.random:pick { 0, 1, 2, 3, 5, 1 << 32 }
    n = n + 1 -- the greatest radius, or nil
    if self.random:chance(0.5) then
      arguments[n] = some_size(self)
    end
    return query(self, "query_nearest", arguments, n)
  end,
}

-- Arguments without meaning.
local wrong_queries = {
  function()
    return call("query_circle", 0 / 0, 0, 1, 1)
  end,
  function()
    return call("query_rect", 0, 0, 0, math.huge, 0, 0)
  end,
  function()
    return call("query_sector", 0, 0, 1, 0, -1)
  end,
  function()
    return call("query_segment", 0, 0, 1, 0, -1)
  end,
  function(self)
    return call("query_nearest", table.unpack(append(coordinates(self), { -1 })))
  end,
  function(self)
    return call("query_nearest", table.unpack(append(coordinates(self), { 1.5 })))
  end,
}

local kinds = {
  { weight = 30, make = function(self)
    return self.random:pick(query_makers)(self)
  end },
  { weight = 0.5, make = function(self)
    return self.random:pick(wrong_queries)(self)
  end },
}

return kinds
