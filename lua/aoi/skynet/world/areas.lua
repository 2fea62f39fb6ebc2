-- The areas of a world, as each member keeps them: commands about them go to all members, and are judged
-- everywhere alike at the begin of a tick, in the order of their stamps; the regions are told what they are
-- then. An area without owner is in all regions that it touches, one with an owner in that of the owner.
local skynet = require "skynet"
local area_rules = require "aoi.skynet.area_rules"
local command_log = require "aoi.skynet.region.command_log"

local is_command = {}
for _, name in ipairs(area_rules.COMMANDS) do
  is_command[name] = true
end

-- `world` is the table of world.lua: map, dims, member.
return function(world)
  local areas = {}
  local map = world.map
  local rules = area_rules.new(world.dims, map.max_radius + 2 * map.slack)
  local all -- { tick, results, undo, fixed, owned }; fixed: area without owner -> what it is; owned: area ->
  -- { what it is, stay of its owner }; results: of the last tick that was judged; undo: list of { id, what
  -- was in fixed, in owned, or false } before each change of that tick
  local changes -- list of { id, "fixed" or "owned", what it is or false, what it was, owner's region }
  local log = map.log ~= "" and command_log.new(0) or nil
  local logged -- the last tick whose commands are in the log

  -- There are none: the process joins, and others know what there is.
  function areas.begin()
    all = { tick = 0, results = {}, undo = {}, fixed = {}, owned = {} }
    changes, logged = {}, 0
  end

  areas.begin()

  -- Whether a command is about areas.
  function areas.has(name)
    return is_command[name]
  end

  -- Areas end with their owners.
  local function sweep(member)
    for id, entry in pairs(all.owned) do
      local known = member.directory[entry[1].owner]
      if not known or known.stay ~= entry[2] then
        all.owned[id] = nil
      end
    end
  end

  -- Why an area can't become another one within a tick, or nil. had: area -> "owner", "none" or false, as it
  -- was before this tick; region: of its owner then.
  local function problem_with_change(member, name, id, old, new, had, regions)
    local is_owned = (new or old).owner ~= nil
    if had and had ~= (is_owned and "owner" or "none") then
      return ("%s: area %d has just been another one, with %s owner: expected a tick in between")
        :format(name, id, is_owned and "no" or "an")
    elseif new and new.owner then
      local known = member.directory[new.owner]
      if not known then
        return ("%s: the owner of area %s is in no region of the world"):format(name, id)
      elseif old and old.owner and regions[id] and regions[id] ~= known.region then
        return ("%s: owner is %d, expected an entity of the same region of the world as the one before")
          :format(name, new.owner)
      elseif not old and regions[id] and regions[id] ~= known.region then
        return ("%s: area %d was in another region of the world until now, expected a tick in between")
          :format(name, id)
      end
    end
  end

  local function put(member, id, old, new)
    if (new or old).owner then
      local known = member.directory[(new or old).owner]
      all.owned[id] = new and { new, known.stay } or nil
      changes[#changes + 1] = { id, "owned", new, old, known and known.region }
    else
      all.fixed[id] = new or nil
      changes[#changes + 1] = { id, "fixed", new, old }
    end
  end

  -- Judges one command. had, regions: of this tick.
  local function judge(member, had, regions, name, id, ...)
    local key = math.type(id) and math.tointeger(id)
    local old = key and (all.owned[key] and all.owned[key][1] or all.fixed[key])
    if key and had[key] == nil then
      had[key] = old and (old.owner and "owner" or "none") or false
      regions[key] = old and old.owner and member.directory[old.owner].region
    end
    local new, message, result = rules:judge(old, name, id, ...)
    message = message or new ~= nil and problem_with_change(member, name, key, old, new, had[key], regions)
    if new == nil or message then
      return nil, message
    end
    table.insert(all.undo, { key, all.fixed[key] or false, all.owned[key] or false })
    put(member, key, old, new)
    return true, result, new
  end

  -- Each node logs its own commands, once their tick is finished.
  local function write_down()
    if log and logged < all.tick then
      log.tick, logged = all.tick, all.tick
      for _, judged in pairs(all.results) do
        if judged.key == world.member.key then
          log:area(table.unpack(judged.line, 1, judged.line.n))
        end
      end
    end
  end

  -- Nobody has finished the last tick that was judged: all is as it was before.
  local function take_back()
    for i = #all.undo, 1, -1 do
      local id, fixed, owned = table.unpack(all.undo[i])
      all.fixed[id], all.owned[id] = fixed or nil, owned or nil
    end
    all.tick, all.results, all.undo = all.tick - 1, {}, {}
  end

  -- Judges the commands of a tick. Returns { outcome, packed answer } for each.
  function areas.judge(member, tick, list)
    sweep(member)
    all.tick, all.results, all.undo = tick, {}, {}
    local had, regions, judged = {}, {}, {}
    for i, command in ipairs(list) do
      local arguments = table.pack(skynet.unpack(command.text))
      local ok, message, area = judge(member, had, regions, table.unpack(arguments, 1, arguments.n))
      judged[i] = { ok and "done" or "refused", skynet.packstring(ok, message) }
      all.results[command.key .. command.uid] = judged[i]
      if log then
        judged[i].key = command.key
        judged[i].line = table.pack(command.stamp, ok == true, command.of_handlers == true, arguments[1],
          arguments[2], area)
      end
    end
    return judged
  end

  -- The changes since the last time, for each region: a function that gives a flat list of area, "owned" or
  -- "fixed", and what it is or false.
  function areas.take_changes()
    local list = changes
    changes = {}
    return function(region)
      local rows = {}
      for _, change in ipairs(list) do
        local id, kind, new, old, of = table.unpack(change, 1, 5)
        local is_here, was_here = of == region, of == region
        if kind == "fixed" then
          is_here = new and area_rules.touches(map, region, new)
          was_here = old and area_rules.touches(map, region, old)
        end
        if is_here or was_here then
          table.move({ id, kind, is_here and new or false }, 1, 3, #rows + 1, rows)
        end
      end
      return rows
    end
  end

  -- All of it, for the lists of a change; and that of another member in its place.
  function areas.all()
    return all
  end

  -- is_unfinished: nobody has finished the last tick that is judged there.
  function areas.replace(member, given, is_unfinished)
    all = given
    if is_unfinished then
      take_back()
    end
    write_down()
    sweep(member)
    changes = {}
  end

  local function bring_back(member, region, owned)
    for id, area in pairs(owned or {}) do
      local known = member.directory[area.owner]
      if known and known.region == region and not all.owned[id] and not all.fixed[id] then
        all.owned[id] = { area, known.stay }
      end
    end
  end

  -- A region has come back from a store, with areas of owners that are back, too; those without owner count
  -- when nobody has told of any, as everything begins anew.
  function areas.back(member, loaded)
    sweep(member) -- nothing was judged while stores were read, and owners may have left since
    bring_back(member, loaded.region, loaded.areas and loaded.areas.owned)
    if member.configuration.is_cold then
      for id, area in pairs(loaded.areas and loaded.areas.fixed or {}) do
        if not all.owned[id] and not all.fixed[id] then
          put(member, id, nil, area)
        end
      end
    end
  end

  -- Entities that the region had given come back to it, and bring their areas.
  function areas.given_back(member, loaded)
    for _, entity in ipairs(loaded.entities) do
      local known = entity.is_given and member.directory[entity.id]
      bring_back(member, loaded.region, known and known.is_given and entity.areas)
    end
  end

  -- The areas of a region: area -> what it is, of those without owner, and of those with an owner there.
  function areas.of_region(region)
    local fixed, owned = {}, {}
    for id, area in pairs(all.fixed) do
      fixed[id] = area_rules.touches(map, region, area) and area or nil
    end
    for id, entry in pairs(all.owned) do
      owned[id] = world.owner_of[entry[1].owner] == region and entry[1] or nil
    end
    return fixed, owned
  end

  -- Lines for the log, a list. The last tick that was judged is finished.
  function areas.take_log()
    write_down()
    return log and log:take() or {}
  end

  -- ---- questions ------------------------------------------------------------------------------

  -- The regions of any node that an area without owner touches, ascending; nil: there is none.
  function areas.regions_of(id)
    local area = all.fixed[id]
    if not area then
      return nil
    end
    local list = {}
    for region = 1, map.count do
      list[#list + 1] = area_rules.touches(map, region, area) and region or nil
    end
    return list
  end

  -- The owner of an area; nil: there is no such area.
  function areas.owner(id)
    return all.owned[id] and all.owned[id][1].owner
  end

  -- All areas: area -> what it is.
  function areas.as_they_are()
    local list = {}
    for id, area in pairs(all.fixed) do
      list[id] = area
    end
    for id, entry in pairs(all.owned) do
      list[id] = entry[1]
    end
    return list
  end

  -- The ids of all areas, ascending, and how many.
  function areas.ids()
    local ids = {}
    for _, list in ipairs { all.fixed, all.owned } do
      for id in pairs(list) do
        ids[#ids + 1] = id
      end
    end
    table.sort(ids)
    return ids, #ids
  end

  return areas
end
