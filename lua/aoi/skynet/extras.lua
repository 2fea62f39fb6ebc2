-- Extras of the entities of a scene: 0 to 4 numbers that go along with each step, such as where an entity
-- looks. Kept as they are sent: as single floats. Without skynet.
--
-- The extras of an entity are one value: of one number that number, as a step with it makes no string then,
-- and of several these packed.
local single = require("aoi.core").single

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
  local zero = n == 1 and 0.0 or pack(format, 0, 0, 0, 0)
  return setmetatable({
    n = n,
    format = format,
    zero = zero,
    of = setmetatable({}, { __index = function() return zero end }), -- entity -> its extras; none: 0
    noted = nil, -- set of the entities whose extras have changed, while a store wants it
  }, Extras)
end

-- Extras of these numbers; nil unless they are exactly as many as there must be, finite and in the range of
-- single floats. more: anything behind them. O(1).
function Extras:made_of(a, b, c, d, more)
  local n = self.n
  local given = d ~= nil and 4 or c ~= nil and 3 or b ~= nil and 2 or a ~= nil and 1 or 0
  if given ~= n or more ~= nil or n == 0 then
    return nil
  elseif n == 1 then
    return single(a)
  elseif fits(a) and fits(b) and (n < 3 or fits(c)) and (n < 4 or fits(d)) then
    return pack(self.format, a, b, c, d)
  end
end

-- Extras of what a command carries: nil when no number is given, and false when they are wrong.
function Extras:given(a, b, c, d, more)
  if a == nil and not (b or c or d or more) then
    return nil
  end
  return self:made_of(a, b, c, d, more) or false
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

-- Extras of a list of numbers; nil and a message when it is none.
function Extras:of_list(list)
  if type(list) ~= "table" then
    return nil, self:complaint(list)
  end
  local made = self:made_of(table.unpack(list, 1, math.max(MOST, #list)))
  if not made then
    return nil, self:complaint(table.unpack(list, 1, math.max(1, #list)))
  end
  return made
end

-- Gives an entity these, which are others than before. O(1).
function Extras:put_other(id, made)
  self.of[id] = made
  local noted = self.noted
  if noted then
    noted[id] = true
  end
end

-- Gives an entity these. Returns whether they are others than before. O(1).
function Extras:put(id, made)
  if self.of[id] == made then
    return false
  end
  self:put_other(id, made)
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
  local made = self.of[id]
  if self.n == 1 then
    return made
  end
  local values = { unpack(self.format, made) }
  return table.unpack(values, 1, self.n)
end

-- The numbers of an entity packed, for `put_fitting`.
function Extras:packed(id)
  return pack(self.format, self:values(id))
end

-- Gives an entity those of a scene that may have another number of them, packed: what there is no place for
-- is dropped, what is missing is 0.
function Extras:put_fitting(id, packed)
  local format = self.format
  local text = (packed .. pack("<ffff", 0, 0, 0, 0)):sub(1, 4 * self.n)
  self:put(id, self.n == 1 and (unpack(format, text)) or text)
end

-- How an entity's extras are packed, as string.pack says it; they are one argument. "": there are none.
function Extras:word()
  return self.n == 1 and "f" or self.n > 1 and "c" .. 4 * self.n or ""
end

return extras
