-- Counts of a scene or a world as Prometheus reads them, text of its format 0.0.4. Pure Lua, without skynet.
--
-- Each number is a gauge `aoi_<name>`, in the units of `stats`: which of them only grow, its reader knows.
-- Numbers of a region have the label region, milliseconds of waiting for a node the label node.
local metrics = {}

local function escaped(value)
  return (tostring(value):gsub('[\\"\n]', { ["\\"] = "\\\\", ['"'] = '\\"', ["\n"] = "\\n" }))
end

local function number_text(value)
  return math.type(value) == "integer" and tostring(value) or ("%.17g"):format(value)
end

local function sorted_keys(t)
  local keys = {}
  for key in pairs(t) do
    keys[#keys + 1] = key
  end
  table.sort(keys, function(a, b)
    if math.type(a) and math.type(b) then
      return a < b
    end
    return tostring(a) < tostring(b)
  end)
  return keys
end

local function is_finite(value)
  return math.type(value) and value == value and value ~= math.huge and value ~= -math.huge
end

-- stats: table of name and number; a table in it has one number for each node.
-- by_region: region -> such a table, or nil. O(all of it).
function metrics.text(stats, by_region)
  local lines, samples = {}, {} -- samples: name -> list of { labels, value }
  local function add(name, labels, value)
    if is_finite(value) then
      samples[name] = samples[name] or {}
      table.insert(samples[name], labels .. " " .. number_text(value))
    end
  end
  for _, name in ipairs(sorted_keys(stats)) do
    local value = stats[name]
    for _, key in ipairs(type(value) == "table" and sorted_keys(value) or {}) do
      add("aoi_" .. name, ('{node="%s"}'):format(escaped(key)), value[key])
    end
    add("aoi_" .. name, "", value)
  end
  for _, region in ipairs(sorted_keys(by_region or {})) do
    for _, name in ipairs(sorted_keys(by_region[region])) do
      add("aoi_region_" .. name, ('{region="%s"}'):format(escaped(region)), by_region[region][name])
    end
  end
  for _, name in ipairs(sorted_keys(samples)) do
    lines[#lines + 1] = ("# TYPE %s gauge"):format(name)
    for _, sample in ipairs(samples[name]) do
      lines[#lines + 1] = name .. sample
    end
  end
  lines[#lines + 1] = ""
  return table.concat(lines, "\n")
end

return metrics
