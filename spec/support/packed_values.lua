-- Values as texts, as skynet packs them: a copy of nil, booleans, numbers, strings and tables of these, in
-- plain Lua. A value that can't be packed raises, as there.
local packed_values = {}

local pack, unpack = string.pack, string.unpack

local MOST = 32 -- tables in each other

local put = {}

local function write(list, value, depth)
  local f = put[type(value)]
  if depth > MOST then
    error("skynet.pack: too many tables in each other", 0)
  end
  if not f then
    error(("skynet.pack: a %s can't be packed"):format(type(value)), 0)
  end
  f(list, value, depth)
end

put["nil"] = function(list)
  list[#list + 1] = "N"
end

function put.boolean(list, value)
  list[#list + 1] = value and "T" or "F"
end

function put.number(list, value)
  list[#list + 1] = math.type(value) == "integer" and pack("<c1i8", "I", value) or pack("<c1d", "D", value)
end

function put.string(list, value)
  list[#list + 1] = pack("<c1s4", "S", value)
end

function put.table(list, value, depth)
  local n = #value
  list[#list + 1] = pack("<c1I4", "{", n)
  for i = 1, n do
    write(list, value[i], depth + 1)
  end
  for key, inner in pairs(value) do
    if not (math.type(key) == "integer" and key >= 1 and key <= n) then
      write(list, key, depth + 1)
      write(list, inner, depth + 1)
    end
  end
  list[#list + 1] = "}"
end

local read

local take = {
  N = function(_, at) return nil, at end,
  T = function(_, at) return true, at end,
  F = function(_, at) return false, at end,
  I = function(text, at) return unpack("<i8", text, at) end,
  D = function(text, at) return unpack("<d", text, at) end,
  S = function(text, at) return unpack("<s4", text, at) end,
  ["{"] = function(text, at)
    local value, n = {}, unpack("<I4", text, at)
    at = at + 4
    for i = 1, n do
      value[i], at = read(text, at)
    end
    while text:byte(at) ~= 125 do -- "}"
      local key
      key, at = read(text, at)
      value[key], at = read(text, at)
    end
    return value, at + 1
  end,
}

read = function(text, at)
  return take[text:sub(at, at)](text, at + 1)
end

-- A text with copies of all values.
function packed_values.pack(...)
  local list = {}
  for i = 1, select("#", ...) do
    write(list, (select(i, ...)), 0)
  end
  return table.concat(list)
end

-- The values of a text.
function packed_values.unpack(text)
  local values, n, at = {}, 0, 1
  while at <= #text do
    n = n + 1
    values[n], at = read(text, at)
  end
  return table.unpack(values, 1, n)
end

return packed_values
