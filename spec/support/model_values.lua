-- The values that the brute-force model takes, and how it refuses others.

local INFINITY = math.huge
local ALL_LAYERS = 0xFFFFFFFF

local values = { ALL_LAYERS = ALL_LAYERS }

-- Raises what a call raises that the contract forbids.
local function refuse(text, ...)
  error({ refused = text:format(...) }, 0)
end
values.refuse = refuse

function values.to_id(value)
  local id = math.type(value) and math.tointeger(value)
  if not id then
    refuse("id %s is no integer", value)
  end
  return id
end

-- A float always: Lua's integers wrap around where a double would round.
function values.to_coordinate(value)
  if not math.type(value) or value ~= value or value == INFINITY or value == -INFINITY then
    refuse("coordinate %s is no finite number", value)
  end
  return value + 0.0
end

function values.to_radius(value)
  if not math.type(value) or value ~= value or value < 0 then
    refuse("radius %s is no number from 0 to infinity", value)
  end
  return value + 0.0
end

function values.to_bits(value)
  local bits = math.type(value) and math.tointeger(value)
  if not bits or bits < -1 or bits > ALL_LAYERS then
    refuse("bits %s are not -1 .. 2^32-1", value)
  end
  return bits == -1 and ALL_LAYERS or bits
end

function values.to_mode(value)
  if value ~= "wm" and value ~= "w" and value ~= "m" then
    refuse("mode %s is not wm, w or m", value)
  end
  return value
end

-- A whole number, perhaps as a float, from low to high; `name` says of what.
function values.to_whole(name, value, low, high)
  local whole = math.type(value) and math.tointeger(value)
  if not whole or whole < low or whole > high then
    refuse("%s %s is no whole number from %d to %d", name, value, low, high)
  end
  return whole
end

return values
