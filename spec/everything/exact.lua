-- Signs of cross products without rounding: doubles as whole numbers times a power of two, whole numbers as
-- lists of digits. And the rule of polygons that rests on them.
local exact = {}

local BASE = 1 << 24

-- A number is { sign = -1 | 0 | 1, low digit, ..., high digit }, all with the same power of two.
local function digits_of(mantissa, shift)
  local sign = mantissa < 0 and -1 or mantissa > 0 and 1 or 0
  local rest, list = math.abs(mantissa), { sign = sign }
  for _ = 1, shift // 24 do
    list[#list + 1] = 0
  end
  local low = shift % 24
  -- 53 bits and a shift of less than 24 do not fit into 64 bits with room: lower and upper half apart.
  local lower, upper = (rest & 0xffffff) << low, (rest >> 24) << low
  list[#list + 1] = lower & (BASE - 1)
  upper = upper + (lower >> 24)
  while upper > 0 do
    list[#list + 1] = upper & (BASE - 1)
    upper = upper >> 24
  end
  return list
end

-- A double x as mantissa * 2^exponent with a whole mantissa.
local function parts_of(x)
  if x == 0 then
    return 0, 0
  end
  local bits = string.unpack("<i8", string.pack("<d", x))
  local exponent, mantissa = (bits >> 52) & 0x7ff, bits & ((1 << 52) - 1)
  if exponent == 0 then
    exponent = 1
  else
    mantissa = mantissa | (1 << 52)
  end
  for _, step in ipairs { 32, 16, 8, 4, 2, 1 } do
    if mantissa & ((1 << step) - 1) == 0 then
      mantissa, exponent = mantissa >> step, exponent + step
    end
  end
  return bits < 0 and -mantissa or mantissa, exponent - 1075
end

-- The doubles of a list as whole numbers of one power of two.
local function whole_numbers(list)
  local mantissas, exponents, least = {}, {}, math.huge
  for i, x in ipairs(list) do
    mantissas[i], exponents[i] = parts_of(x)
    if mantissas[i] ~= 0 then
      least = math.min(least, exponents[i])
    end
  end
  for i, mantissa in ipairs(mantissas) do
    mantissas[i] = digits_of(mantissa, mantissa == 0 and 0 or exponents[i] - least)
  end
  return mantissas
end

local function compare_sizes(a, b)
  for i = math.max(#a, #b), 1, -1 do
    local x, y = a[i] or 0, b[i] or 0
    if x ~= y then
      return x < y and -1 or 1
    end
  end
  return 0
end

local function add_sizes(a, b)
  local sum, carry = {}, 0
  for i = 1, math.max(#a, #b) + 1 do
    local digit = (a[i] or 0) + (b[i] or 0) + carry
    sum[i], carry = digit & (BASE - 1), digit >> 24
  end
  return sum
end

-- a - b for a of no smaller size.
local function subtract_sizes(a, b)
  local difference, borrow = {}, 0
  for i = 1, #a do
    local digit = a[i] - (b[i] or 0) - borrow
    borrow = digit < 0 and 1 or 0
    difference[i] = digit + borrow * BASE
  end
  return difference
end

local function subtract(a, b)
  local result
  if a.sign == 0 or b.sign == 0 or a.sign ~= b.sign then
    result = add_sizes(a, b)
    result.sign = a.sign ~= 0 and a.sign or -b.sign
    return result
  end
  local order = compare_sizes(a, b)
  result = order >= 0 and subtract_sizes(a, b) or subtract_sizes(b, a)
  result.sign = order * a.sign
  return result
end

local function multiply(a, b)
  local product = { sign = a.sign * b.sign }
  for i = 1, #a + #b + 1 do
    product[i] = 0
  end
  for i = 1, #a do
    local carry = 0
    for j = 1, #b + 1 do
      local digit = product[i + j - 1] + a[i] * (b[j] or 0) + carry
      product[i + j - 1], carry = digit & (BASE - 1), digit >> 24
    end
  end
  return product
end

-- Numbers of which all that is computed here is a double without rounding: whole multiples of 1/64, and
-- small.
local function are_plain(...)
  for i = 1, 6 do
    local x = (select(i, ...))
    if not (x * 64 % 1 == 0 and -100000 < x and x < 100000) then
      return false
    end
  end
  return true
end

-- The sign of (bx - ax) * (py - ay) - (by - ay) * (px - ax).
function exact.side(ax, ay, bx, by, px, py)
  if are_plain(ax, ay, bx, by, px, py) then
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)
  end
  local n = whole_numbers { ax + 0.0, ay + 0.0, bx + 0.0, by + 0.0, px + 0.0, py + 0.0 }
  local left = multiply(subtract(n[3], n[1]), subtract(n[6], n[2]))
  local right = multiply(subtract(n[4], n[2]), subtract(n[5], n[1]))
  return subtract(left, right).sign
end

-- points as a list of rings.
function exact.rings(points)
  return type(points[1]) == "table" and points or { points }
end

-- Whether a point is in a polygon: even-odd over all edges, each from its lower end up, half-open.
function exact.in_polygon(points, x, y)
  local inside = false
  for _, ring in ipairs(exact.rings(points)) do
    for i = 1, #ring, 2 do
      local j = i + 2 <= #ring and i + 2 or 1
      local ax, ay, bx, by = ring[i], ring[i + 1], ring[j], ring[j + 1]
      if by < ay then
        ax, ay, bx, by = bx, by, ax, ay
      end
      if ay <= y and y < by and exact.side(ax, ay, bx, by, x, y) > 0 then
        inside = not inside
      end
    end
  end
  return inside
end

return exact
