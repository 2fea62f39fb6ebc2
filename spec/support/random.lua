-- The random numbers of specs, benchmarks and pictures: the same seed gives the same numbers on every
-- Lua version and machine, which math.random does not promise. bench/core.c draws the same in C.

local Random = {}
Random.__index = Random

local function new(seed)
  local self = setmetatable({ state = seed }, Random)
  -- Neighbouring seeds begin alike; some steps take them apart.
  for _ = 1, 8 do
    self:bits()
  end
  return self
end

-- 31 random bits: the upper ones of a 64-bit linear congruential generator (Knuth's MMIX).
function Random:bits()
  self.state = self.state * 6364136223846793005 + 1442695040888963407
  return self.state >> 33
end

-- An integer in low .. high, both included.
function Random:integer(low, high)
  return low + self:bits() % (high - low + 1)
end

-- A float in 0 .. 1, 1 excluded.
function Random:fraction()
  return self:bits() / 2147483648.0
end

-- A float in low .. high. The bounds stay included whatever the rounding does.
function Random:float(low, high)
  return math.max(low, math.min(high, low + (high - low) * self:fraction()))
end

function Random:chance(probability)
  return self:fraction() < probability
end

function Random:pick(list)
  return list[self:integer(1, #list)]
end

-- Picks a row by its weight; rows are { weight = number, ... }.
function Random:pick_weighted(rows)
  local total = 0
  for _, row in ipairs(rows) do
    total = total + row.weight
  end
  local rest = self:fraction() * total
  for _, row in ipairs(rows) do
    rest = rest - row.weight
    if rest < 0 then
      return row
    end
  end
  return rows[#rows]
end

-- A function that gives floats from 0 up to, not including, 1.
local function draws(seed)
  local random = new(seed)
  return function()
    return random:fraction()
  end
end

return { new = new, draws = draws }
