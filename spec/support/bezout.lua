-- For whole numbers a and b: their greatest divisor, and x and y with a * x + b * y = the divisor. So points
-- are found whose determinant against an edge is 1 or -1.
return function(a, b)
  local x0, y0, x1, y1 = 1, 0, 0, 1 -- remainders of a and b as sums of both
  while b ~= 0 do
    local q = a // b
    a, b = b, a - q * b
    x0, x1 = x1, x0 - q * x1
    y0, y1 = y1, y0 - q * y1
  end
  return a, x0, y0
end
