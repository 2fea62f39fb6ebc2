-- Writes and reads JSON: as much of it as the results of the benchmark need.
local json = {}

local function quote(text)
  return '"' .. text:gsub('[%c"\\]', function(char)
    return ("\\u%04x"):format(char:byte())
  end) .. '"'
end

local function write(value, indent, out)
  local kind = type(value)
  if kind == "table" then
    local is_list = value[1] ~= nil
    local keys = {}
    for key in pairs(value) do
      keys[#keys + 1] = key
    end
    table.sort(keys)
    out[#out + 1] = is_list and "[" or "{"
    -- A list of plain values stays on one line.
    local inner = is_list and type(value[1]) ~= "table" and " " or "\n" .. indent .. "  "
    for i, key in ipairs(keys) do
      out[#out + 1] = (i > 1 and "," or "") .. inner
      if not is_list then
        out[#out + 1] = quote(key) .. ": "
      end
      write(value[key], indent .. "  ", out)
    end
    out[#out + 1] = (inner == " " and " " or "\n" .. indent) .. (is_list and "]" or "}")
  elseif kind == "number" then
    -- JSON has no word for infinity or "not a number".
    out[#out + 1] = (value ~= value or value - value ~= 0) and "null" or ("%.6g"):format(value)
  elseif kind == "string" then
    out[#out + 1] = quote(value)
  else
    out[#out + 1] = tostring(value)
  end
end

-- An empty table is written as an object.
function json.encode(value)
  local out = {}
  write(value, "", out)
  return table.concat(out) .. "\n"
end

local escapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }
local words = { ["true"] = true, ["false"] = false }

-- Reads one value of the text from position on; returns it and the position behind it.
local function read(text, position)
  position = text:find("%S", position) or #text + 1
  local char = text:sub(position, position)
  if char == "{" or char == "[" then
    local result = {}
    position = text:find("%S", position + 1)
    while text:sub(position, position) ~= (char == "{" and "}" or "]") do
      local key = #result + 1
      if char == "{" then
        key, position = read(text, position)
        position = text:match("^%s*:()", position) or error("a colon is missing at " .. position)
      end
      result[key], position = read(text, position)
      position = text:match("^%s*,?%s*()", position)
    end
    return result, position + 1
  elseif char == '"' then
    local parts = {}
    position = position + 1
    while true do
      local plain, stop, after = text:match('^([^"\\]*)(["\\])()', position)
      if not plain then
        error("a string does not end at " .. position)
      end
      parts[#parts + 1] = plain
      position = after
      if stop == '"' then
        return table.concat(parts), position
      end
      local hex = text:match("^u(%x%x%x%x)", position)
      if hex then
        parts[#parts + 1] = utf8.char(tonumber(hex, 16))
        position = position + 5
      else
        local escaped = text:sub(position, position)
        parts[#parts + 1] = escapes[escaped] or escaped
        position = position + 1
      end
    end
  end
  local word, after = text:match("^([%w%.%+%-]+)()", position)
  if word == "null" then
    return nil, after
  elseif words[word] ~= nil then
    return words[word], after
  end
  return tonumber(word) or error("not JSON at " .. position), after
end

function json.decode(text)
  return (read(text, 1))
end

return json
