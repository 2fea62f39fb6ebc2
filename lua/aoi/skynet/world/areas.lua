-- Areas in a world, on one node: commands about them go to all nodes with the news of a tick, are judged
-- everywhere alike at the begin of the next one, and change all regions at once.
local skynet = require "skynet"
local area_rules = require "aoi.skynet.area_rules"
local calls = require "aoi.skynet.calls"
local command_log = require "aoi.skynet.region.command_log"
local new_table = require("aoi.skynet.world.area_table").new

local SWEEP = 64 -- ticks between two looks for areas whose owner was lost
local AREAS = -2 -- the session of a row that is about an area with an owner

local is_command = {}
for _, name in ipairs(area_rules.COMMANDS) do
  is_command[name] = true
end

-- `world` is the table of world.lua: map, dims, directory, regions, barrier, nodes; `parts` has commands, of
-- world/commands.lua.
return function(world, parts)
  local areas = {}
  local map, owner_of = world.map, world.directory.owner
  local rules = area_rules.new(world.dims, map.max_radius + 2 * map.slack)
  local all = new_table(rules, function(id)
    return owner_of[id] ~= nil
  end)
  local due = {}      -- list of commands { stamp, name, id, ..., n = } for the next begin
  local wholes = {}   -- list of what other nodes have of areas without owner, for the next begin
  local moved, moved_before = {}, {} -- owner -> the last tick in which it was handed over, of the last SWEEPs
  local owes = {}     -- set of the nodes that are to be told all
  local expects = {}  -- set of those that are to tell us all
  local filled = {}   -- region of ours -> the service that was given all
  local awaiting = {} -- stamp of ours -> { command, message }: no region has said that it has applied it
  local judged = {}   -- list of commands of ours that were judged and are not settled
  local answers = {}  -- list of { stamp, ok, message } to be given when the tick is told
  local of_handlers = {} -- set of stamps of handlers in our regions, not answered
  local log = map.log ~= "" and map.node == 1 and command_log.new(0) or nil -- one for all nodes

  -- Whether a command is about areas.
  function areas.has(name)
    return is_command[name]
  end

  -- ---- begin ----------------------------------------------------------------------------------

  local function is_ours(stamp)
    return stamp >> 20 & 0xFF == map.node or of_handlers[stamp]
  end

  local function answer(stamp, message)
    answers[#answers + 1] = { stamp, message == nil or nil, message }
  end

  -- At the begin of tick t: the last one of which all nodes that are heard have told us, and whether some are
  -- not heard.
  local function settled(t)
    local last, is_anybody_away = t - 1, next(expects) ~= nil
    for node = 1, #map.nodes do
      if world.barrier.state[node] == "silent" then
        is_anybody_away = true
      elseif node ~= map.node then
        last = math.min(last, parts.commands.applied(node))
      end
    end
    return last, is_anybody_away
  end

  local function write_log(t, verdict)
    if log then
      local command = verdict.command
      log.tick = t
      log:area(command[1], not verdict.message, nil, command[2], command[3], verdict.area)
    end
  end

  -- Puts a row for regions in its place among their commands. Between moves that ride as one there is none;
  -- nothing comes of that.
  local function insert(rows, stamp, text)
    local at = 1
    while rows[at] and rows[at] < stamp do
      at = at + 4
    end
    table.move(rows, at, #rows, at + 4)
    rows[at], rows[at + 1], rows[at + 2], rows[at + 3] = stamp, 0, AREAS, text
  end

  local function give_owned(rows, verdict)
    local command = verdict.command
    local text = skynet.packstring(command[2], command[3], verdict.area, verdict.is_same)
    for region in pairs(world.regions) do
      rows[region] = rows[region] or {}
      insert(rows[region], command[1], text)
    end
    if is_ours(command[1]) then
      awaiting[command[1]] = { command }
    end
  end

  -- Answers commands that no other can come before any more.
  local function answer_settled()
    local list = judged
    judged = {}
    for _, command in ipairs(list) do
      if command[1] >> 28 <= all.settled then
        answer(command[1], command.message)
      else
        judged[#judged + 1] = command
      end
    end
  end

  -- Adds what has changed since: area -> what it was before, or false.
  local function note(changed, since)
    for id, before in pairs(since) do
      if changed[id] == nil then
        changed[id] = before
      end
    end
  end

  -- Takes in what a region has that is new here.
  local function learn(region, address, changed)
    local fixed, owned = calls.call(address, "lua", "areas")
    note(changed, all:merge(fixed))
    for id, area in pairs(owned) do
      all:put_owned(id, area.owner, area, 0)
    end
    filled[region] = address
  end

  local function merge_wholes(changed)
    local list = wholes
    wholes = {}
    for _, fixed in ipairs(list) do
      note(changed, all:merge(fixed))
    end
  end

  -- The list for a region: of the areas in `ids`, a list, those that touch it or did. changed: area -> its
  -- description before, or false; nil: the region has nothing yet.
  local function list_for(region, ids, changed)
    local list = {}
    for _, id in ipairs(ids) do
      local area, before = all:get(id) or false, changed and changed[id]
      local is_here = area and area_rules.touches(map, region, area)
      if is_here or before and area_rules.touches(map, region, before) then
        local n = #list
        list[n + 1], list[n + 2], list[n + 3] = id, all:stamp_of(id), is_here and area
      end
    end
    return list
  end

  local function sorted_keys(set)
    local keys = {}
    for key in pairs(set) do
      keys[#keys + 1] = key
    end
    table.sort(keys)
    return keys
  end

  -- At the begin of tick t. rows: region -> flat list of commands, to which those about areas with an owner
  -- are added. Returns region -> list of areas without owner for region/areas.lua, and a set of the regions
  -- for which that is all that there is.
  function areas.begin(t, rows)
    local fresh, changed = {}, {}
    for region, address in pairs(world.regions) do
      if filled[region] ~= address then
        fresh[region] = true
        learn(region, address, changed)
      end
    end
    merge_wholes(changed)
    local commands = due
    due = {}
    local verdicts, by_commands = all:apply(commands, settled(t))
    note(changed, by_commands)
    for _, verdict in ipairs(verdicts) do
      if verdict.is_owned then
        give_owned(rows, verdict)
      else
        write_log(t, verdict)
        judged[#judged + 1] = is_ours(verdict.command[1]) and verdict.command or nil
      end
    end
    answer_settled()
    if t % SWEEP == 0 then
      areas.sweep()
      moved, moved_before = {}, moved
    end
    local lists, ids = {}, sorted_keys(changed)
    for region in pairs(world.regions) do
      if fresh[region] then
        lists[region] = list_for(region, (all:ids()))
      elseif ids[1] then
        lists[region] = list_for(region, ids, changed)
      end
    end
    return lists, fresh
  end

  -- ---- news -----------------------------------------------------------------------------------

  -- Adds to our news of tick t what the agents of this node ask for: a list of { stamp, source, session,
  -- text }.
  function areas.add_news(t, news, asked)
    local list = {}
    for _, entry in ipairs(asked) do
      list[#list + 1], list[#list + 2] = entry[1], entry[4]
    end
    for _, part in ipairs(news) do
      local stamps = part.areas and part.areas.asked or {}
      for i = 1, #stamps, 2 do
        of_handlers[stamps[i]] = true
      end
    end
    if list[1] then
      news[#news + 1] = { region = 0, node = map.node, tick = t, start = world.start,
        areas = { asked = list, events = {} } }
    end
  end

  local on = {}

  function on.on(tick, stamp, id, owner, area)
    all:put_owned(id, owner, area, tick)
    if awaiting[stamp] then
      awaiting[stamp] = nil
      answer(stamp, nil)
    end
  end

  function on.off(_, stamp, id, owner)
    if stamp ~= 0 or not owner_of[owner] then
      all:end_owned(id)
    end
    if awaiting[stamp] then
      awaiting[stamp] = nil
      answer(stamp, nil)
    end
  end

  function on.no(_, stamp, message)
    if awaiting[stamp] then
      awaiting[stamp][2] = message
    end
  end

  -- Whether all nodes that are heard have applied what we sent in that tick.
  local function is_applied_by_all(tick)
    for node = 1, #map.nodes do
      if node ~= map.node and world.barrier.state[node] ~= "silent"
        and parts.commands.heard_of(node) < tick then
        return false
      end
    end
    return true
  end

  -- No region has applied these.
  local function refuse_awaiting(t)
    for stamp, entry in pairs(awaiting) do
      local command, message = entry[1], entry[2]
      if stamp >> 28 < t and is_applied_by_all(stamp >> 28) then
        awaiting[stamp] = nil
        answer(stamp, message or ("%s: the owner of area %s is in no region of the world")
          :format(command[2], command[3]))
      end
    end
  end

  local function in_order(a, b)
    for i = 1, 3 do
      if a[i] ~= b[i] then
        return a[i] < b[i]
      end
    end
    return false
  end

  -- Takes in the news of all nodes, at the end of tick t.
  function areas.hear(t, news)
    local events = {}
    for _, part in ipairs(news) do
      local asked = part.areas and part.areas.asked or {}
      for i = 1, #asked, 2 do
        due[#due + 1] = table.pack(asked[i], skynet.unpack(asked[i + 1]))
      end
      for place, event in ipairs(part.areas and part.areas.events or {}) do
        events[#events + 1] = { part.tick, event[2], place, event }
      end
      local handed = part.handed or {}
      for i = 1, #handed, 3 do
        moved[handed[i]] = part.tick
      end
    end
    table.sort(events, in_order)
    for _, event in ipairs(events) do
      local kind, stamp, id, owner, area = table.unpack(event[4], 1, 5)
      on[kind](event[1], stamp, id, owner, area)
    end
    refuse_awaiting(t)
  end

  -- Answers what was judged, when the tick is told.
  function areas.answer()
    local list = answers
    answers = {}
    for _, given in ipairs(list) do
      local stamp, ok, message = given[1], given[2], given[3]
      if of_handlers[stamp] then
        of_handlers[stamp] = nil
        if message then
          skynet.error("world: a handler's command is refused: " .. message)
        end
      else
        parts.commands.answer(stamp, skynet.packstring(ok, message))
      end
    end
  end

  -- Lines for the log, a list.
  function areas.take_log()
    return log and log:take() or {}
  end

  -- ---- nodes that were silent or begin --------------------------------------------------------

  -- A node lives that was silent or is new: each tells the other all.
  function areas.met(node)
    owes[node], expects[node] = true, true
  end

  -- Forgets areas whose owners are gone with a node.
  function areas.sweep()
    all:sweep()
  end

  -- At the begin of tick t, tells all to those that may have missed something: what has no owner, and what
  -- our own regions have.
  function areas.tell_all(t, closed)
    local owned
    for node = 1, #map.nodes do
      if owes[node] and not closed[node] then
        owes[node] = nil
        if not owned then
          owned = {}
          for _, address in pairs(world.regions) do
            for id, area in pairs(select(2, calls.call(address, "lua", "areas"))) do
              owned[id] = area
            end
          end
        end
        world.nodes.send(node, skynet.packstring("areas", t, all:list(), owned, expects[node]))
      end
    end
  end

  -- That has come from a node; its news of this tick come behind it. is_expecting: it waits for ours.
  function areas.told_all(node, tick, fixed, owned, is_expecting)
    wholes[#wholes + 1] = fixed
    for id, entry in pairs(all.owned) do
      local owner = entry[1]
      local region = owner_of[owner]
      local since = math.max(entry[3], moved[owner] or moved_before[owner] or 0)
      if region and map.owners[region] == node and not owned[id] and since < tick then
        all:end_owned(id)
      end
    end
    for id, area in pairs(owned) do
      all:put_owned(id, area.owner, area, tick)
    end
    expects[node], owes[node] = nil, owes[node] or is_expecting
  end

  -- ---- questions ------------------------------------------------------------------------------

  -- The regions of any node that an area without owner touches, ascending; nil: there is none.
  function areas.regions_of(id)
    local area = all:get(id)
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
    return (all:get_owned(id))
  end

  -- The ids of all areas, ascending, and how many.
  function areas.ids()
    return all:ids()
  end

  return areas
end
