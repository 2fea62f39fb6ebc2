-- pairs in an order that no run changes: Lua's own order of strings depends on a seed that each run draws,
-- and what a service sends in that order would differ from run to run.

-- Numbers before strings, each in order; keys of other kinds stay as they come.
local function comes_before(a, b)
  local of_a, of_b = type(a), type(b)
  if of_a ~= of_b then
    return of_a < of_b
  end
  return (of_a == "number" or of_a == "string") and a < b
end

local function comes_behind(a, b)
  return comes_before(b, a)
end

-- is_backward: from the last key to the first, to see that no order matters. Returns a function like pairs,
-- for tables without __pairs. A key that gets nil on the way does not come, nor does a new one.
return function(is_backward)
  local is_earlier = is_backward and comes_behind or comes_before
  return function(t)
    local keys, n, i = {}, 0, 0
    for key in next, t do
      n = n + 1
      keys[n] = key
    end
    if n > 1 then
      table.sort(keys, is_earlier)
    end
    return function()
      while i < n do
        i = i + 1
        local value = rawget(t, keys[i])
        if value ~= nil then
          return keys[i], value
        end
      end
    end
  end
end
