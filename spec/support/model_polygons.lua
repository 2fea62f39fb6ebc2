-- Polygons of the brute-force model, for any doubles and without rounding: which are refused, and which
-- points are inside. Doubles are whole numbers times a power of two, so sums and products of them are
-- exact in integers of many digits.

local polygons = {}

-- ---- exact numbers ----------------------------------------------------------------------------

-- A number is a list of digits, lowest first, each times BASE ^ (its place - 1). Digits may be
-- negative, or larger than the base, as long as sums and products of them fit an integer of 64 bits.
local BITS = 24
local BASE = 1 << BITS

-- A finite double as a whole number times 2 ^ exponent.
local function parts_of(double)
  local bits = ("<i8"):unpack(("<d"):pack(double))
  local exponent, mantissa = bits >> 52 & 0x7FF, bits & (1 << 52) - 1
  if exponent > 0 then
    mantissa, exponent = mantissa | 1 << 52, exponent - 1
  end
  return bits < 0 and -mantissa or mantissa, exponent
end

-- The double in units of 2 ^ lowest.
local function to_digits(double, lowest)
  local mantissa, exponent = parts_of(double)
  if mantissa == 0 then
    return {}
  end
  local sign, digits = mantissa < 0 and -1 or 1, {}
  local place, shift = (exponent - lowest) // BITS, (exponent - lowest) % BITS
  for i = 1, place + 4 do
    digits[i] = 0
  end
  mantissa = sign * mantissa
  for i = place + 1, place + 3 do
    local part = mantissa % BASE << shift
    digits[i] = digits[i] + sign * (part % BASE)
    digits[i + 1] = digits[i + 1] + sign * (part // BASE)
    mantissa = mantissa // BASE
  end
  return digits
end

local function difference(a, b)
  local digits = {}
  for i = 1, math.max(#a, #b) do
    digits[i] = (a[i] or 0) - (b[i] or 0)
  end
  return digits
end

local function product(a, b)
  local digits = {}
  for i = 1, #a + #b do
    digits[i] = 0
  end
  for i = 1, #a do
    for k = 1, a[i] ~= 0 and #b or 0 do
      digits[i + k - 1] = digits[i + k - 1] + a[i] * b[k]
    end
  end
  return digits
end

local function sign_of(digits)
  local carry, rest = 0, false
  for _, digit in ipairs(digits) do
    carry = carry + digit
    rest = rest or carry % BASE ~= 0
    carry = carry // BASE
  end
  return carry < 0 and -1 or (carry > 0 or rest) and 1 or 0
end

local function exact_side(...)
  local lowest, all = math.huge, {}
  for _, double in ipairs { ... } do
    local mantissa, exponent = parts_of(double)
    lowest = mantissa ~= 0 and math.min(lowest, exponent) or lowest
  end
  if lowest == math.huge then
    return 0
  end
  for i, double in ipairs { ... } do
    all[i] = to_digits(double, math.tointeger(lowest))
  end
  local ax, ay, bx, by, px, py = table.unpack(all)
  return sign_of(difference(
    product(difference(bx, ax), difference(py, ay)),
    product(difference(by, ay), difference(px, ax))))
end

-- The sign of (bx - ax) * (py - ay) - (by - ay) * (px - ax): 1 when p is to the left of the way from a
-- to b, 0 on its line. Where doubles leave no doubt, they decide.
function polygons.side(ax, ay, bx, by, px, py)
  local left, right = (bx - ax) * (py - ay), (by - ay) * (px - ax)
  local size = math.abs(left) + math.abs(right)
  if size < 1e300 and math.abs(left - right) > size * 1e-12 + 1e-290 then
    return left > right and 1 or -1
  end
  return exact_side(ax + 0.0, ay + 0.0, bx + 0.0, by + 0.0, px + 0.0, py + 0.0)
end

-- ---- polygons ---------------------------------------------------------------------------------

-- Calls f(ax, ay, bx, by, number of the edge, number of edges) for each edge of a ring.
local function each_edge(ring, f)
  local n = #ring // 2
  for i = 1, n do
    local k = i % n + 1
    f(ring[2 * i - 1], ring[2 * i], ring[2 * k - 1], ring[2 * k], i, n)
  end
end
polygons.each_edge = each_edge

-- The judgements above by any such function `side`.
function polygons.by(side)
  local judge = {}

  -- Whether the point is inside, by the even-odd rule over the edges of all rings.
  function judge.holds(rings, x, y)
    local odd = false
    for _, ring in ipairs(rings) do
      each_edge(ring, function(ax, ay, bx, by)
        if ay > by then
          ax, ay, bx, by = bx, by, ax, ay
        end
        if ay <= y and y < by and side(ax, ay, bx, by, x, y) > 0 then
          odd = not odd
        end
      end)
    end
    return odd
  end

  local function on_edge(ax, ay, bx, by, px, py)
    return math.min(ax, bx) <= px and px <= math.max(ax, bx)
      and math.min(ay, by) <= py and py <= math.max(ay, by)
      and side(ax, ay, bx, by, px, py) == 0
  end

  local function meet(a, b)
    local ax, ay, bx, by = table.unpack(a)
    local cx, cy, dx, dy = table.unpack(b)
    return side(ax, ay, bx, by, cx, cy) * side(ax, ay, bx, by, dx, dy) < 0
      and side(cx, cy, dx, dy, ax, ay) * side(cx, cy, dx, dy, bx, by) < 0
      or on_edge(ax, ay, bx, by, cx, cy) or on_edge(ax, ay, bx, by, dx, dy)
      or on_edge(cx, cy, dx, dy, ax, ay) or on_edge(cx, cy, dx, dy, bx, by)
  end

  -- Two edges of which the second begins where the first ends share nothing else.
  local function share_a_corner_only(before, after)
    local ax, ay, bx, by = table.unpack(before)
    local cx, cy = after[3], after[4]
    return not (on_edge(ax, ay, bx, by, cx, cy) or on_edge(bx, by, cx, cy, ax, ay))
  end

  -- Whether no two edges share a point but the corner of neighbours.
  function judge.are_apart(rings)
    local edges = {}
    for number, ring in ipairs(rings) do
      each_edge(ring, function(ax, ay, bx, by, i, n)
        edges[#edges + 1] = { ax, ay, bx, by, ring = number, i = i, n = n }
      end)
    end
    for i, a in ipairs(edges) do
      for k = i + 1, #edges do
        local b = edges[k]
        local forward = a.ring == b.ring and b.i == a.i % a.n + 1
        local backward = a.ring == b.ring and a.i == b.i % b.n + 1
        if forward and not share_a_corner_only(a, b) or backward and not share_a_corner_only(b, a)
          or not forward and not backward and meet(a, b) then
          return false
        end
      end
    end
    return true
  end

  return judge
end

local exact = polygons.by(polygons.side)
polygons.holds, polygons.are_apart = exact.holds, exact.are_apart

return polygons
