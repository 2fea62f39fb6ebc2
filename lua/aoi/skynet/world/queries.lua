-- Queries of a world, over one or several regions.
--
-- One region answers at once. Several answer each for its own entities after the same tick, so that the
-- answer is that of one moment; when another configuration begins meanwhile, it is "again".
local area_rules = require "aoi.skynet.area_rules"
local calls = require "aoi.skynet.calls"
local side_by_side = require "aoi.skynet.side_by_side"

local TICKS_AHEAD = 2  -- from now to the tick after which several regions answer

-- Questions about one watcher, or one entity: its owner has the whole answer.
local OF_OWNER = {
  markers_of = true, told_markers_of = true, sees = true, explain = true, position = true, radius = true,
  traits = true, anchor = true, sights = true,
}
-- Questions that all regions have to do with.
local OF_ALL = { watchers_of = true, told_watchers_of = true, areas_of = true, ids = true }

-- The rectangle around a shape, by its arguments in a space of two dimensions or three: x1, y1, x2, y2.
local BOX = {
  rect = {
    [2] = function(x1, y1, x2, y2) return x1, y1, x2, y2 end,
    [3] = function(x1, y1, _, x2, y2) return x1, y1, x2, y2 end,
  },
  circle = {
    [2] = function(x, y, r) return x - r, y - r, x + r, y + r end,
    [3] = function(x, y, _, r) return x - r, y - r, x + r, y + r end,
  },
}
BOX.sector = { [2] = BOX.circle[2], [3] = BOX.circle[2] }
BOX.segment = { [2] = function(x1, y1, x2, y2, width)
  return math.min(x1, x2) - width, math.min(y1, y2) - width, math.max(x1, x2) + width,
    math.max(y1, y2) + width
end }
BOX.segment[3] = BOX.segment[2]
BOX.polygon = { [2] = function(points) return area_rules.box { points = points } end }
BOX.polygon[3] = BOX.polygon[2]

local SHAPES = "rect, circle, sector, segment, polygon, nearest or a question"

-- `world` is the table of world.lua; `parts` has areas and lands, of the files of those names.
-- Returns a table with the commands that ask, and `ask`, for other nodes.
return function(world, parts)
  local queries = { commands = {} }
  local commands = queries.commands
  local map, owner_of, areas = world.map, world.owner_of, parts.areas

  -- ---- asking regions -------------------------------------------------------------------------

  -- The answers of regions of this node, after tick t of the configuration with this key (nil: at once): a
  -- list of tables as of table.pack. For nearest with the places of those found. Or nil: it is another
  -- configuration.
  local function ask_own(key, t, regions, is_own, shape, ...)
    if t and not world.wait_for(key, t) then
      return nil
    end
    local arguments, list = table.pack(...), {}
    for i, region in ipairs(regions) do
      local address = parts.lands.regions[region]
      if not address then
        return nil
      end
      list[i] = function()
        local answer = table.pack(calls.call(address, "lua", "query", is_own, shape,
          table.unpack(arguments, 1, arguments.n)))
        if shape == "nearest" and is_own and answer[1] then
          answer[3] = calls.call(address, "lua", "query", false, "positions", answer[1], answer[2])
          answer.n = 3
        end
        return answer
      end
    end
    local answers = {}
    for i, result in ipairs(side_by_side(list)) do
      answers[i] = result[1] and result[2] or { n = 2, nil, tostring(result[2]) }
    end
    return answers
  end

  -- For another node's world.
  queries.ask = ask_own

  -- Asks regions of any nodes. Returns a table of region and answer; or nil and a message.
  local function ask(regions, is_own, shape, ...)
    local arguments, by_node, configuration = table.pack(...), {}, world.member.configuration
    for _, region in ipairs(regions) do
      local node = configuration and configuration.owners[region]
      if not node then
        return nil, "again"
      end
      by_node[node] = by_node[node] or {}
      table.insert(by_node[node], region)
    end
    local key, t = configuration.key, #regions > 1 and world.member.tick + TICKS_AHEAD or nil
    local list, asked = {}, {}
    for node, those in pairs(by_node) do
      list[#list + 1], asked[#asked + 1] = function()
        if node == map.node then
          return ask_own(key, t, those, is_own, shape, table.unpack(arguments, 1, arguments.n))
        end
        return world.call_fellow(node, "ask", key, t, those, is_own, shape,
          table.unpack(arguments, 1, arguments.n))
      end, node
    end
    local results = side_by_side(list, (2 * map.silence + 2000) // 10)
    local answers = {}
    for i, node in ipairs(asked) do
      local result = results[i]
      if not (result and result[1] and result[2]) then
        return nil, "again"
      end
      for k, region in ipairs(by_node[node]) do
        answers[region] = result[2][k]
      end
    end
    return answers
  end

  -- ---- putting answers together ---------------------------------------------------------------

  -- Lists of ids as one, ascending, and their number. The first refusal is that of all.
  local function join(answers)
    local ids = {}
    for _, answer in pairs(answers) do
      if not answer[1] then
        return nil, answer[2]
      end
      table.move(answer[1], 1, answer[2], #ids + 1, ids)
    end
    table.sort(ids)
    return ids, #ids
  end

  -- The k nearest of those that the regions found; of two as near the one with the smaller id.
  local function join_nearest(answers, x, y, ...)
    local dims = world.dims
    local z, k = ...
    if dims == 2 then
      z, k = 0, ...
    end
    local found = {}
    for _, answer in pairs(answers) do
      local ids, n, places = answer[1], answer[2], answer[3]
      if not ids then
        return nil, n
      end
      for i = 1, n do
        local at = (i - 1) * dims
        local dx, dy = places[at + 1] - x, places[at + 2] - y
        local dz = dims == 3 and places[at + 3] - z or 0
        found[#found + 1] = { dx * dx + dy * dy + dz * dz, ids[i] }
      end
    end
    table.sort(found, function(a, b)
      if a[1] ~= b[1] then
        return a[1] < b[1]
      end
      return a[2] < b[2]
    end)
    local ids = {}
    for i = 1, math.min(k, #found) do
      ids[i] = found[i][2]
    end
    return ids, #ids
  end

  -- The answers of regions that know it; the others refuse an unknown entity.
  local function of_those_who_know(answers)
    local good = {}
    for region, answer in pairs(answers) do
      good[region] = answer[1] and answer or nil
    end
    return good
  end

  local function all_regions()
    local list = {}
    for region = 1, map.count do
      list[region] = region
    end
    return list
  end

  -- Any region: it refuses what is wrong, in the words of a scene.
  local function any()
    return next(parts.lands.regions) or 1
  end

  local function ask_one(region, ...)
    local answers, message = ask({ region or any() }, false, ...)
    if not answers then
      return nil, message
    end
    local _, answer = next(answers)
    return table.unpack(answer, 1, answer.n)
  end

  local function id_of(value)
    return math.type(value) and math.tointeger(value)
  end

  local function are_numbers(...)
    for i = 1, select("#", ...) do
      local value = select(i, ...)
      if not math.type(value) or value ~= value then
        return false
      end
    end
    return true
  end

  -- ---- questions ------------------------------------------------------------------------------

  local function query_shape(shape, ...)
    local box = BOX[shape][world.dims]
    local ok, x1, y1, x2, y2 = pcall(box, ...)
    if not (ok and are_numbers(x1, y1, x2, y2)) then
      return ask_one(nil, shape, ...)
    end
    local reach = map.margin -- an entity may be outside its region by this
    local regions, n = map:regions_in(x1 - reach, y1 - reach, x2 + reach, y2 + reach)
    if n == 0 then
      return ask_one(nil, shape, ...)
    end
    local answers, message = ask(regions, true, shape, ...)
    if not answers then
      return nil, message
    end
    return join(answers)
  end

  local function explain(watcher, marker, why, ...)
    if why == "unknown" and owner_of[id_of(watcher)] and owner_of[id_of(marker)] then
      return "range" -- too far away to be known there
    end
    return why, ...
  end

  local function query_owner(shape, id, ...)
    local region = owner_of[id_of(id)]
    if shape == "explain" then
      return explain(id, (...), ask_one(region, shape, id, ...))
    end
    return ask_one(region, shape, id, ...)
  end

  local function query_nearest(shape, x, y, ...)
    if not are_numbers(x, y, (...), world.dims == 3 and select(2, ...) or 0) then
      return ask_one(nil, shape, x, y, ...)
    end
    local answers, message = ask(all_regions(), true, shape, x, y, ...)
    if not answers then
      return nil, message
    end
    return join_nearest(answers, x, y, ...)
  end

  -- shape: watchers_of, told_watchers_of or areas_of, and then an id; or ids.
  local function query_all(shape, ...)
    if shape ~= "ids" and not owner_of[id_of(...)] then
      return ask_one(nil, shape, ...)
    end
    local answers, message = ask(all_regions(), true, shape, ...)
    if not answers then
      return nil, message
    end
    return join(of_those_who_know(answers))
  end

  -- The members of an area: those of its owner's region, or all regions' own.
  local function query_members_of(shape, area)
    local regions = areas.regions_of(id_of(area))
    local owner = not regions and areas.owner(id_of(area))
    if not regions then
      return ask_one(owner and owner_of[owner], shape, area)
    end
    local answers, message = ask(regions, true, shape, area)
    if not answers then
      return nil, message
    end
    return join(of_those_who_know(answers))
  end

  local function query_in_area(shape, area, id)
    local owner = areas.owner(id_of(area))
    return ask_one(owner_of[owner or id_of(id)], shape, area, id)
  end

  -- The places of a list of ids, each from its owner; false for an unknown one.
  local function query_positions(shape, ids, n, ...)
    n = n or type(ids) == "table" and #ids
    if type(ids) ~= "table" or not math.type(n) then
      return ask_one(nil, shape, ids, n, ...)
    end
    local regions, is_in = {}, {}
    for i = 1, n do
      local region = owner_of[id_of(ids[i])]
      if region and not is_in[region] then
        is_in[region] = true
        regions[#regions + 1] = region
      end
    end
    local answers, message = ask(regions, false, shape, ids, n)
    if not answers then
      return nil, message
    end
    local places, dims = {}, world.dims
    for i = 1, n do
      local answer = answers[owner_of[id_of(ids[i])]]
      for k = (i - 1) * dims + 1, i * dims do
        places[k] = answer and answer[1] and answer[1][k] or false
      end
    end
    return places, n
  end

  -- query(shape, ...) -> what the method of the space gives
  function commands.query(shape, ...)
    if BOX[shape] then
      return query_shape(shape, ...)
    elseif shape == "has" then
      return owner_of[id_of(...)] ~= nil
    elseif OF_OWNER[shape] then
      return query_owner(shape, ...)
    elseif OF_ALL[shape] then
      return query_all(shape, ...)
    elseif shape == "nearest" then
      return query_nearest(shape, ...)
    elseif shape == "positions" then
      return query_positions(shape, ...)
    elseif shape == "members_of" then
      return query_members_of(shape, ...)
    elseif shape == "in_area" then
      return query_in_area(shape, ...)
    elseif shape == "areas" then
      return areas.ids()
    end
    return nil, ("query: shape is %s, expected %s"):format(tostring(shape), SHAPES)
  end

  -- ---- handlers -------------------------------------------------------------------------------

  -- reload([name]) -> true; as of a scene, in all regions of this node
  function commands.reload(...)
    for _, address in pairs(parts.lands.regions) do
      local ok, message = calls.call(address, "lua", "reload", ...)
      if not ok then
        return nil, message
      end
    end
    return true
  end

  return queries
end
