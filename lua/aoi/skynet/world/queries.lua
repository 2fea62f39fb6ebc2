-- Queries of a world, over one or several regions.
--
-- One region answers for the last tick that was told: at once, or, while a tick is under way, behind it.
-- Several answer with the same tick, each for its own entities (`finish` of region.lua takes the questions
-- along), so that the answer is that of one moment; when another configuration begins meanwhile, it is
-- "again".
local skynet = require "skynet"
local area_rules = require "aoi.skynet.area_rules"
local calls = require "aoi.skynet.calls"
local side_by_side = require "aoi.skynet.side_by_side"

local TICKS_AHEAD = 2  -- from now to the tick after which several regions answer

-- Questions about one watcher, or one entity: its owner has the whole answer. Another region, to which it is
-- shown, knows next to nothing about it.
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
-- patience: milliseconds after which there is an answer. Returns a table with the commands that ask, `ask`,
-- for other nodes, and what takes questions to the regions with ticks.
return function(world, parts, patience)
  local queries = { commands = {} }
  local commands = queries.commands
  local map, owner_of, areas = world.map, world.owner_of, parts.areas

  -- ---- asking regions -------------------------------------------------------------------------

  local with_ticks = {} -- tick -> list of { regions, question, answers = region -> answer, is_over }

  local function finish(one)
    one.is_over = true
    skynet.wakeup(one)
  end

  -- The questions that go to the regions of this node with a tick: region -> list of them, packed.
  function queries.of_tick(tick)
    local lists = {}
    for _, one in ipairs(with_ticks[tick] or {}) do
      for _, region in ipairs(one.regions) do
        lists[region] = lists[region] or {}
        table.insert(lists[region], one.question)
      end
    end
    return lists
  end

  -- The regions have told a tick. answers: region -> list, in the order of those questions.
  function queries.answered(tick, answers)
    local next_of = {}
    for _, one in ipairs(with_ticks[tick] or {}) do
      for _, region in ipairs(one.regions) do
        next_of[region] = (next_of[region] or 0) + 1
        one.answers[region] = answers[region] and answers[region][next_of[region]]
      end
      finish(one)
    end
    with_ticks[tick] = nil
  end

  -- Another configuration begins, or this process is no member any more: the tick of no question comes.
  function queries.begin()
    local lists = with_ticks
    with_ticks = {}
    for _, list in pairs(lists) do
      for _, one in ipairs(list) do
        finish(one)
      end
    end
  end

  local function ask_with_tick(key, t, regions, question)
    local member = world.member
    if not member.configuration or member.configuration.key ~= key or member.finished >= t then
      return nil -- it has come too late
    end
    local one = { regions = regions, question = question, answers = {}, is_over = false }
    with_ticks[t] = with_ticks[t] or {}
    table.insert(with_ticks[t], one)
    while not one.is_over do
      skynet.wait(one)
    end
    local list = {}
    for i, region in ipairs(regions) do
      list[i] = one.answers[region]
      if not list[i] then
        return nil -- it is read from its store
      end
    end
    return list
  end

  -- The answers of regions of this node, with tick t of the configuration with this key: a list of tables as
  -- of table.pack. Or nil: it is another configuration, or that tick is over. t nil: one region answers, and
  -- about is the entity that it has to own, or nil: else its answer is false.
  local function ask_own(key, t, regions, about, ...)
    if t then
      return ask_with_tick(key, t, regions, skynet.packstring(...)) -- raises here, and not in the tick
    end
    local address = parts.lands.regions[regions[1]]
    local answer = address and table.pack(pcall(calls.call, address, "lua", "query", about, ...))
    if not (answer and answer[1]) then
      return nil -- the region is elsewhere by now
    end
    return { answer[2] and table.pack(table.unpack(answer, 3, answer.n)) }
  end

  -- For another node's world.
  queries.ask = ask_own

  -- Asks regions of any nodes; about as of `ask_own`. Returns a table of region and answer; or nil and a
  -- message.
  local function ask(regions, about, ...)
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
          return ask_own(key, t, those, about, table.unpack(arguments, 1, arguments.n))
        end
        return world.call_fellow(node, "ask", key, t, those, about,
          table.unpack(arguments, 1, arguments.n))
      end, node
    end
    local results = side_by_side(list)
    local answers = {}
    for i, node in ipairs(asked) do
      local result = results[i]
      if not (result[1] and result[2]) then
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

  local function id_of(value)
    return math.type(value) and math.tointeger(value)
  end

  -- Asks any region.
  local function ask_any(...)
    local answers, message = ask({ any() }, nil, ...)
    if not answers then
      return nil, message
    end
    local _, answer = next(answers)
    return table.unpack(answer, 1, answer.n)
  end

  -- Asks the region that owns an entity. It may have been handed over, or have left, in a tick that is not
  -- over here: then the directory of after that tick says whom to ask.
  local function ask_owner(about, ...)
    local id, limit = id_of(about), world.now() + patience
    while id and owner_of[id] and world.now() <= limit do
      local region, configuration, tick = owner_of[id], world.member.configuration, world.member.finished
      local answers, message = ask({ region }, id, ...)
      if not answers then
        return nil, message
      elseif answers[region] then
        return table.unpack(answers[region], 1, answers[region].n)
      elseif owner_of[id] == region and not world.wait_for(configuration.key, tick + 1) then
        return nil, "again"
      end
    end
    if id and owner_of[id] then
      return nil, "again"
    end
    return ask_any(...)
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
      return ask_any(shape, ...)
    end
    local reach = map.margin -- an entity may be outside its region by this
    local regions, n = map:regions_in(x1 - reach, y1 - reach, x2 + reach, y2 + reach)
    if n == 0 then
      return ask_any(shape, ...)
    end
    local answers, message = ask(regions, nil, shape, ...)
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
    if shape == "explain" then
      return explain(id, (...), ask_owner(id, shape, id, ...))
    end
    return ask_owner(id, shape, id, ...)
  end

  local function query_nearest(shape, x, y, ...)
    if not are_numbers(x, y, (...), world.dims == 3 and select(2, ...) or 0) then
      return ask_any(shape, x, y, ...)
    end
    local answers, message = ask(all_regions(), nil, shape, x, y, ...)
    if not answers then
      return nil, message
    end
    return join_nearest(answers, x, y, ...)
  end

  -- shape: watchers_of, told_watchers_of or areas_of, and then an id; or ids.
  local function query_all(shape, ...)
    if shape ~= "ids" and not owner_of[id_of(...)] then
      return ask_any(shape, ...)
    end
    local answers, message = ask(all_regions(), nil, shape, ...)
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
      return ask_owner(owner, shape, area)
    end
    local answers, message = ask(regions, nil, shape, area)
    if not answers then
      return nil, message
    end
    return join(of_those_who_know(answers))
  end

  local function query_in_area(shape, area, id)
    local owner = areas.owner(id_of(area))
    return ask_owner(owner or id, shape, area, id)
  end

  -- The regions to ask for entities of a list. If there are several it is all of them: where the entities are
  -- when the answers come nobody knows yet.
  local function regions_of(ids, n)
    local only
    for i = 1, n do
      local region = owner_of[id_of(ids[i])]
      if region and only and region ~= only then
        return all_regions()
      end
      only = only or region
    end
    return { only }
  end

  -- The places of a list of ids, flat, each from its owner; false for an unknown one. Or nil and a message.
  local function ask_places(regions, shape, ids, n)
    local answers, message = ask(regions, nil, shape, ids, n)
    if not answers then
      return nil, message
    end
    local places = {}
    for k = 1, n * world.dims do
      places[k] = false
      for _, answer in pairs(answers) do
        places[k] = answer[1] and answer[1][k] or places[k]
      end
    end
    return places
  end

  local function query_positions(shape, ids, n, ...)
    n = n or type(ids) == "table" and #ids
    if type(ids) ~= "table" or not math.type(n) then
      return ask_any(shape, ids, n, ...)
    end
    local regions = regions_of(ids, n)
    local places, message = ask_places(regions, shape, ids, n)
    for i = 1, places and #regions == 1 and n or 0 do
      if not places[i * world.dims] and owner_of[id_of(ids[i])] then -- it is elsewhere by now
        places, message = ask_places(all_regions(), shape, ids, n)
        break
      end
    end
    return places, places and n or message
  end

  local function query(shape, ...)
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

  -- query(shape, ...) -> what the method of the space gives
  function commands.query(...)
    local arguments = table.pack(...)
    local result = side_by_side({ function()
      return query(table.unpack(arguments, 1, arguments.n))
    end }, patience // 10)[1]
    if not result then
      return nil, "again"
    elseif not result[1] then
      error(result[2], 0)
    end
    return table.unpack(result, 2, result.n)
  end

  -- ---- handlers -------------------------------------------------------------------------------

  -- reload([name]) -> true; as of a scene, in all regions of this node. Or nil and a message: of a region
  -- that has refused it, or, with "unknown", one that does not answer.
  function commands.reload(...)
    local arguments, list = table.pack(...), {}
    for region in pairs(parts.lands.regions) do
      list[#list + 1] = function()
        return world.call_region(region, "reload", table.unpack(arguments, 1, arguments.n))
      end
    end
    for _, result in ipairs(side_by_side(list)) do
      if not result[1] then
        error(result[2], 0)
      elseif not result[2] then
        return nil, result[3]
      end
    end
    return true
  end

  return queries
end
