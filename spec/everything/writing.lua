-- Values as Lua code, so that what is printed can be run.
local writing = {}

local function number_text(x)
  if x ~= x then
    return "0/0"
  elseif x == math.huge or x == -math.huge then
    return x > 0 and "math.huge" or "-math.huge"
  elseif math.type(x) == "integer" then
    return x == math.mininteger and "math.mininteger" or ("%d"):format(x)
  end
  local short = ("%.14g"):format(x)
  if tonumber(short) ~= x then
    short = ("%.17g"):format(x)
  end
  return short:find "[.en]" and short or short .. ".0"
end

local function table_text(t)
  local items, words, n = {}, {}, 0
  for i, item in ipairs(t) do
    items[i], n = writing.value(item), i
  end
  for name in pairs(t) do
    if math.type(name) ~= "integer" or name < 1 or name > n then
      words[#words + 1] = name
    end
  end
  table.sort(words, function(a, b) return tostring(a) < tostring(b) end)
  for _, name in ipairs(words) do
    local key = type(name) == "string" and name or "[" .. tostring(name) .. "]"
    items[#items + 1] = key .. " = " .. writing.value(t[name])
  end
  return #items == 0 and "{}" or "{ " .. table.concat(items, ", ") .. " }"
end

function writing.value(value)
  if type(value) == "number" then
    return number_text(value)
  elseif type(value) == "table" then
    return table_text(value)
  elseif type(value) == "string" then
    local escaped = value:gsub('["\\]', "\\%0"):gsub("[^%w%p ]", function(c)
      return ("\\x%02x"):format(c:byte())
    end)
    return '"' .. escaped .. '"'
  end
  return tostring(value)
end

-- The first n values of a list (its field n, or all), with commas.
function writing.list(list)
  local texts = {}
  for i = 1, list.n or #list do
    texts[i] = writing.value(list[i])
  end
  return table.concat(texts, ", ")
end

return writing
