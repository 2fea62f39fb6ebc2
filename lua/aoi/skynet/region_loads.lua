-- The regions of a world as the page of a viewer reads them (viewer/regions.js): JSON. Pure Lua, without
-- skynet.
local region_loads = {}

local COUNTS = { "owned", "ghosts", "ticks", "tick_time", "hand_overs" }

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(character)
    return ("\\u%04x"):format(character:byte())
  end) .. '"'
end

local function region_text(node, counts)
  local fields = { '"node":' .. (node and quoted(node) or "null") }
  for _, name in ipairs(counts and COUNTS or {}) do
    fields[#fields + 1] = ('"%s":%.17g'):format(name, counts[name])
  end
  return "{" .. table.concat(fields, ",") .. "}"
end

-- { "regions": [{ node, owned, ghosts, ticks, tick_time, hand_overs }, ...], "ghosts": [id, ...] }, no
-- counts for a region whose node is silent. Ids are texts, as numbers of JavaScript have 53 bits. by_region:
-- of stats("world"); regions: list of { node = }; ghosts: list of ids, in the region that the page shows.
-- O(regions + ghosts).
function region_loads.text(by_region, regions, ghosts)
  local list, ids = {}, {}
  for region, where in ipairs(regions) do
    local counts = by_region[region]
    list[region] = region_text(counts and counts.node or where.node, counts)
  end
  for i, id in ipairs(ghosts) do
    ids[i] = ('"%d"'):format(id)
  end
  return ('{"regions":[%s],"ghosts":[%s]}'):format(table.concat(list, ","), table.concat(ids, ","))
end

return region_loads
