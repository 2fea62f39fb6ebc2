-- Draws numbers for one history: coordinates, radii, ids, layers. Each history has a style of its own, and
-- few different values, so that ties are frequent.
local values = {}
values.__index = values

local FLT_MAX = 3.4028234663852886e38
local HOSTILE = {
  0.0, -0.0, 5e-324, 2.2250738585072014e-308, 1e-310, 1.4e-45, 1e-45, 1e-30, 0.1, 1.0, 3.0, 16777216.0,
  16777217.0, 2147483648.0, 9007199254740992.0, 1e15, 1e30, 3.4e38, FLT_MAX, 3.4028234663852889e38, 3.5e38,
  1e39, 1e39, 1e39, 1e100, 1.3e154, 1.4e154, 1e200, 1.7e308, 1.7e308,
}

-- How a coordinate is drawn.
local STYLES = {
  { weight = 3, name = "ties", high = 6, draw = function(r) return r:integer(0, 6) + 0.0 end },
  { weight = 4, name = "whole", high = 40, draw = function(r) return r:integer(0, 40) end },
  { weight = 2, name = "negative", low = -20, high = 20, draw = function(r) return r:integer(-20, 20) end },
  { weight = 2, name = "quarters", low = -8, high = 8, draw = function(r) return r:integer(-32, 32) / 4 end },
  { weight = 2, name = "tenths", high = 10, draw = function(r) return r:integer(0, 100) * 0.1 end },
  { weight = 3, name = "fractions", low = -50, high = 50, draw = function(r)
    return r:float(-50.0, 50.0)
  end },
  { weight = 4, name = "hostile", low = -30, high = 30, draw = function(r)
    local x = r:chance(0.7) and r:pick(HOSTILE) or r:integer(-30, 30) + 0.0
    return r:chance(0.5) and -x or x
  end },
  { weight = 1, name = "wide", low = -1000, high = 1000, draw = function(r)
    local x = 10.0 ^ r:float(-30.0, 60.0)
    return r:chance(0.5) and -x or x
  end },
}

local ID_STYLES = {
  function(_, i) return i end,
  function(_, i) return i - 5 end,
  function(_, i) return (1 << 53) + i end,
  function(_, i) return math.maxinteger - i + 1 end,
  function(_, i) return math.mininteger + i - 1 end,
  function(_, i) return i * 4294967296 end,
  function(r, i) return (r:bits() << 32 | r:bits() << 1) * 64 + i end,
  function(r, i) return i % 2 == 0 and i or -r:bits() * 64 - i end,
}

-- bounded: coordinates stay on the map. n: how many ids.
function values.new(random, bounded, n)
  local self = setmetatable({ random = random, dims = 2 }, values)
  repeat
    self.style = random:pick_weighted(STYLES)
  until not (bounded and (self.style.name == "hostile" or self.style.name == "wide"))
  self.low, self.high = self.style.low or 0, self.style.high
  self.ids, self.edges = {}, {}
  local style = random:pick(ID_STYLES)
  for i = 1, n do
    self.ids[i] = style(random, i)
  end
  for i = n, 2, -1 do
    local j = random:integer(1, i)
    self.ids[i], self.ids[j] = self.ids[j], self.ids[i]
  end
  self.crowded = random:chance(0.2) -- many at one point
  self:draw_pool()
  return self
end

function values:draw_pool()
  self.pool = {}
  for i = 1, self.random:integer(3, 14) do
    self.pool[i] = self.style.draw(self.random)
  end
end

function values:extent()
  return self.high - self.low
end

function values:is_tame()
  return self.style.name ~= "hostile" and self.style.name ~= "wide"
end

function values:coordinate()
  if self.random:chance(0.5) then
    return self.random:pick(self.pool)
  end
  return self.style.draw(self.random)
end

-- The edges of polygons that were drawn: a list of { x1, y1, x2, y2 }.
function values:note_ring(ring)
  for i = 1, #ring, 2 do
    local j = i + 2 <= #ring and i + 2 or 1
    table.insert(self.edges, { ring[i], ring[i + 1], ring[j], ring[j + 1] })
  end
end

-- A point on an edge, as far as doubles have one, or beside it.
function values:point_at_edge()
  local r = self.random
  local edge = r:pick(self.edges)
  local t = r:pick { 0.0, 0.5, 1.0, r:fraction(), r:fraction() }
  local x, y = edge[1] + t * (edge[3] - edge[1]), edge[2] + t * (edge[4] - edge[2])
  if r:chance(0.3) then
    x = x * (1 + r:pick { 0x1p-52, -0x1p-53 })
  end
  return { x, y, self.dims == 3 and self:coordinate() or nil }
end

-- A point; not a few are on the diagonal, where many stand, and at edges of polygons.
function values:point()
  if #self.edges > 0 and self.random:chance(0.15) then
    return self:point_at_edge()
  end
  if self.crowded and self.random:chance(0.6) then
    return { self.pool[1], self.pool[1], self.dims == 3 and self.pool[1] or nil }
  end
  local x = self:coordinate()
  local y = self.random:chance(0.25) and x or self:coordinate()
  local z = self.dims == 3 and (self.random:chance(0.5) and self.pool[1] or self:coordinate()) or nil
  return { x, y, z }
end

local RADII = {
  { weight = 2, draw = function() return 0 end },
  { weight = 1, draw = function() return 5e-324 end },
  { weight = 2, draw = function(self) return math.abs(self:coordinate()) end },
  { weight = 8, draw = function(self) return self.random:integer(1, 8) * self:extent() / 16 end },
  { weight = 4, draw = function(self) return self.random:integer(1, 8) end },
  { weight = 1, draw = function(self) return self:extent() * 10.0 end },
  { weight = 1, draw = function(self) return self.random:pick { 1e30, 1e39, 1e200, 1.7e308 } end },
  { weight = 1, draw = function() return math.huge end },
}

function values:radius()
  return self.random:pick_weighted(RADII).draw(self)
end

-- A radius as most entities have it: about a quarter of the map.
function values:usual_radius()
  local extent = self:extent()
  return self.random:pick { extent / 8, extent / 4, extent / 4, extent / 2, self.random:integer(1, 8) }
end

function values:id()
  return self.random:pick(self.ids)
end

function values:layers()
  local r = self.random
  return r:pick { 1, 2, 3, r:integer(0, 7), r:integer(0, 7), -1, 0, 1 << 31, 0xffffffff }
end

function values:mode()
  return self.random:pick { "wm", "wm", "wm", "w", "m" }
end

return values
