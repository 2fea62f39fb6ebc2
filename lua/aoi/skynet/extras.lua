-- Extras of the entities of a scene: 0 to 4 numbers that go along with each step, such as where an entity
-- looks. Kept as they are sent: as single floats, packed. Pure Lua, without skynet.
local pack, unpack, math_type = string.pack, string.unpack, math.type

local MOST = 4                 -- numbers of an entity
local LARGEST = 0x1.fffffep127 -- of single floats

local Extras = {}
Extras.__index = Extras

local extras = { MOST = MOST, LARGEST = LARGEST }

local function fits(value)
  return math_type(value) and value >= -LARGEST and value <= LARGEST
end

-- Extras of n numbers an entity; all of them are 0.
function extras.new(n)
  local format = "<" .. ("f"):rep(n)
  local zero = pack(format, 0, 0, 0, 0)
  return setmetatable({
    n = n,
    format = format,
    zero = zero,
    of = setmetatable({}, { __index = function() return zero end }), -- entity -> its numbers; none: 0
    noted = nil, -- set of the entities whose numbers have changed, while a store wants it
  }, Extras)
end

-- These numbers packed; nil unless they are exactly as many as there must be, finite and in the range of
-- single floats. more: anything behind them. O(1).
function Extras:packed(a, b, c, d, more)
  local n = self.n
  if n == 1 and not (b or c or d or more) then -- the most frequent ones
    return math_type(a) and a >= -LARGEST and a <= LARGEST and pack("<f", a) or nil
  end
  local given = d ~= nil and 4 or c ~= nil and 3 or b ~= nil and 2 or a ~= nil and 1 or 0
  if given == n and more == nil and n > 0 and fits(a) and (n < 2 or fits(b)) and (n < 3 or fits(c))
    and (n < 4 or fits(d)) then
    return pack(self.format, a, b, c, d)
  end
end

-- Numbers packed; nil when none is given, and false when they are wrong.
function Extras:given(a, b, c, d, more)
  if a == nil and not (b or c or d or more) then
    return nil
  end
  return self:packed(a, b, c, d, more) or false
end

-- The complaint about numbers that somebody has given.
function Extras:complaint(...)
  if self.n == 0 then
    return "the scene takes no extras, expected one with the option extras"
  end
  local words = {}
  for i = 1, math.min(select("#", ...), MOST + 1) do
    words[i] = tostring((select(i, ...)))
  end
  while words[#words] == "nil" do
    words[#words] = nil
  end
  return ("extras are %s, expected %d number%s, finite and in the range of single floats"):format(
    words[1] and table.concat(words, ", ") or "none", self.n, self.n == 1 and "" or "s")
end

-- A list of numbers packed; nil and a message when it is none.
function Extras:packed_list(list)
  if type(list) ~= "table" then
    return nil, self:complaint(list)
  end
  local packed = self:packed(table.unpack(list, 1, math.max(MOST, #list)))
  if not packed then
    return nil, self:complaint(table.unpack(list, 1, math.max(1, #list)))
  end
  return packed
end

-- Gives an entity these, packed, which are others than before. O(1).
function Extras:put_other(id, packed)
  self.of[id] = packed
  local noted = self.noted
  if noted then
    noted[id] = true
  end
end

-- Gives an entity these, packed. Returns whether they are others than before. O(1).
function Extras:put(id, packed)
  if self.of[id] == packed then
    return false
  end
  self:put_other(id, packed)
  return true
end

-- The entity has none any more.
function Extras:forget(id)
  if self:put(id, self.zero) then
    self.of[id] = nil
  end
end

-- The numbers of an entity.
function Extras:values(id)
  local values = { unpack(self.format, self.of[id]) }
  return table.unpack(values, 1, self.n)
end

-- Gives an entity those of a scene that may have another number of them: what there is no place for is
-- dropped, what is missing is 0.
function Extras:put_fitting(id, packed)
  self:put(id, (packed .. self.zero:sub(#packed + 1)):sub(1, 4 * self.n))
end

return extras
