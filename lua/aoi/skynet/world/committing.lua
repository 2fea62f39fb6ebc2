-- The end of a change: a member takes a configuration in effect, by the lists of all.
local calls = require "aoi.skynet.world.calls"
local configurations = require "aoi.skynet.world.configurations"
local direct = require "aoi.skynet.world.direct"
local links = require "aoi.skynet.world.links"
local lists = require "aoi.skynet.world.lists"
local numbers = require "aoi.skynet.world.numbers"
local stays = require "aoi.skynet.world.stays"
local resuming = require "aoi.skynet.world.resuming"
local ticks = require "aoi.skynet.world.ticks"

local committing = {}

-- Whether the taker of what was given has begun a tick with it, and so has written it. What it has written
-- counts from then on, as it may have more that is answered: the giver must not have its copy back. Without
-- stores that copy is all that there is when the taker is lost.
local function is_written(member, one)
  for _, list in pairs(member.land.stores and member.change.lists or {}) do
    local entity = list.owned[one.entity.id]
    if entity and entity.stay == one.entity.stay and numbers.are_same(entity.number, one.number) then
      return list.tick > one.tick
    end
  end
  return false
end

-- Keeps of the own entities what the directory says is its own, takes back what is its own again, and takes
-- in what came with a region. A giver keeps what it gave until the taker's first message is here, or its list
-- says so: the taker has written it by then. Returns what the regions have to do: { drop = list of entities,
-- take = list }.
local function keep_own(member, configuration, first_tick)
  local here, owned, given, had, back = {}, {}, {}, {}, {}
  local keys = configurations.members_of(configuration)
  local all_given = table.move(member.given, 1, #member.given, 1, {})
  for _, region in ipairs(numbers.sorted(member.change.copies)) do
    local copy = member.change.copies[region]
    table.move(copy.given, 1, #copy.given, #all_given + 1, all_given)
    for _, entity in ipairs(copy.entities) do
      here[entity.stay], had[entity.stay] = entity, entity
    end
  end
  for _, entity in pairs(member.owned) do
    here[entity.stay], had[entity.stay] = entity, entity
  end
  for _, one in ipairs(all_given) do
    local known = member.directory[one.entity.id]
    local is_here = configuration.owners[one.from] == member.name -- else it has gone with its region
    if is_here and known and known.stay == one.entity.stay then
      if known.taken_back and numbers.are_same(known.taken_back, one.number) then
        local entity = stays.copy_of(one.entity)
        here[known.stay], back[known.stay] = entity, true
        entity.as_of = one.number[2]
        stays.hear(member, entity)
      elseif not numbers.later(known.number, one.number) and not is_written(member, one) then
        one.tick, one.to_key = first_tick - 1, keys[configuration.owners[known.region]]
        given[#given + 1] = one
      end
    end
  end
  local work = { drop = {}, take = {} }
  for _, id in ipairs(numbers.sorted(member.directory)) do
    local known = member.directory[id]
    if configuration.owners[known.region] == member.name then
      local entity = here[known.stay]
      entity.number, entity.region, entity.held = known.number, known.region, {}
      owned[id], had[known.stay] = entity, nil
      work.take[#work.take + 1] = back[known.stay] and entity or nil
    end
  end
  for _, stay in ipairs(numbers.sorted(had)) do
    table.insert(work.drop, had[stay])
  end
  member.owned, member.given = owned, given
  return work
end

-- A set of entities that have not been handed over since the last tick of which all packets were given here,
-- and are in. list: the own one. When a member is gone, it may be the giver of another one, and what it told
-- last may be missing: what was told since is of no use then. The owner tells all anew, if the stay is not
-- over.
local function not_handed_since(list, directory)
  local set = {}
  for id, known in pairs(directory) do
    set[id] = not lists.is_handed_since(known.number, list) or nil
  end
  return set
end

-- Own entities that were handed over since the last tick of which all packets were given to their agents.
local function to_tell_anew(member, all)
  local anew = {}
  for _, id in ipairs(numbers.sorted(member.owned)) do
    local entity = member.owned[id]
    local list = entity.home and all[member.keys[entity.home]]
    if list and lists.is_handed_since(entity.number, list) then
      anew[#anew + 1] = entity
    end
  end
  return anew
end

-- Own entities that were handed over so late that not all nodes may have heard whose they had become: the
-- giver says so with the packets of its next tick, which are here when the one after that is finished.
local function to_say_anew(member, all)
  local anew, least = {}, math.huge
  for _, list in pairs(all) do
    least = next(list.keys) and math.min(least, list.finished) or least
  end
  for _, id in ipairs(numbers.sorted(member.owned)) do
    local entity = member.owned[id]
    anew[#anew + 1] = entity.number[2] >= least - 1 and entity or nil
  end
  return anew
end

-- Whether a member of the configuration until now is gone.
local function lost_member(member, configuration)
  local now = configurations.names_of(configuration)
  for key in pairs(configurations.names_of(member.configuration)) do
    if not now[key] then
      return true
    end
  end
  return false
end

-- Packets of all members, as far as they have come and were not given, in the order of their ticks: an entity
-- that was handed over is told by one member after the other. A list of { name, packets }.
local function late_packets(member, all)
  local late = {}
  for place, name in ipairs(member.names) do
    local link, given = member.links[name], member.packets_given
    local is_same = all[name] and member.change.candidates[name] == member.key_of[name] -- else it began again
    for number = 1, is_same and link.heard or 0 do
      local item = links.item(link, number)
      if item and item.kind == "packets" and item.tick > given then
        late[#late + 1], given = { name = name, place = place, packets = item }, item.tick
      end
    end
    local packets = all[name] and member.change.packets[name]
    if packets and packets.tick > given then
      late[#late + 1] = { name = name, place = place, packets = packets }
    end
  end
  table.sort(late, function(a, b)
    local first, second = a.packets.tick, b.packets.tick
    return first < second or first == second and a.place < b.place
  end)
  return late
end

-- Packets that have come, and answers of lists. What was refused because its enter had not been taken in
-- is not given when that enter is sent again: its command goes along. Commands about areas are judged up to
-- tick `judged`. whose: a set of entities whose views are given; nil: all. Returns results that say whose
-- entities are: some may have entered in a tick that has not begun here, and are in the next directory.
local function give_results(member, all, judged, whose)
  local of_agents = {}
  for _, one in ipairs(late_packets(member, all)) do
    ticks.give(member, one.name, one.packets, whose, of_agents)
  end
  local refused, goes_along, taken = {}, {}, {}
  for _, name in ipairs(numbers.sorted(all)) do
    for _, one in ipairs(all[name].results) do
      local counts = one.node == member.name and (one.kind ~= "area" or one.tick <= judged)
      local is_not_applied = one.outcome == "refused" or one.outcome == "anew"
      if counts and is_not_applied and not member.calls.enters[one.uid] then
        refused[#refused + 1] = one
      elseif counts then
        calls.take_result(member, one, of_agents)
      end
    end
  end
  local entering = {}
  for _, enter in pairs(member.calls.enters) do
    entering[enter.stay] = true
  end
  for _, command in ipairs(member.calls.kept) do
    if entering[command.stay] then
      goes_along[calls.name_of(command)] = true
    end
  end
  for _, one in ipairs(refused) do
    taken[#taken + 1] = not (one.number and goes_along[calls.name_of(one)]) and one or nil
  end
  calls.forget(member, taken)
  for _, one in ipairs(taken) do
    calls.take_result(member, one)
  end
  table.sort(of_agents, function(a, b) return a.tick < b.tick end)
  return of_agents
end

-- By all lists: stay -> the latest that a node was told of its agent, as `agents` of member.lua's land.
local function known_agents(all)
  local agents = {}
  for _, name in ipairs(numbers.sorted(all)) do
    for _, one in ipairs(all[name].agents) do
      local known = agents[one.stay]
      agents[one.stay] = known and known.tick >= one.tick and known or one
    end
  end
  return agents
end

-- Stays that were in the directory and are so no more; but what entered with a tick that was not finished has
-- not been in.
local function note_missing(member, directory)
  for id, known in pairs(member.directory) do
    local now = directory[id]
    local is_in = (known.entered or 0) <= member.finished
    if is_in and not (now and now.stay == known.stay) then
      member.missing[known.stay] = { id = id, region = known.region, stay = known.stay }
    end
  end
end

-- When all stores are read, it is known what became of stays that were missing: they have left, or are lost.
function committing.settle_missing(member)
  if next(member.loading) or not next(member.missing) then
    return
  end
  local lost, waiting = {}, {}
  for _, stay in ipairs(numbers.sorted(member.missing)) do
    local one = member.missing[stay]
    local known = member.directory[one.id]
    if member.land.stores and not member.configuration.owners[one.region] then
      waiting[stay] = one -- its region may come back from a store yet
    elseif member.ended[stay] then
      member.observe(member, "left", one.id, stay, true)
    elseif not (known and known.stay == stay) then
      lost[#lost + 1] = one
    end
  end
  member.missing = waiting
  if lost[1] then
    member.observe(member, "lost", lost)
  end
end

local function take_areas(member, latest, judged)
  if latest then
    local results = judged == latest.tick and latest.results or {}
    member.land.put_areas(member, latest, judged < latest.tick)
    resuming.areas(member, judged, results)
  end
end

-- Members, links and ticks are those of the configuration from now on.
local function begin_anew(member, configuration, first_tick)
  member.configuration = configuration
  member.names, member.keys = {}, configurations.names_of(configuration)
  for i, one in ipairs(configuration.members) do
    member.names[i] = one.name
    member.place = one.name == member.name and i or member.place
  end
  member.holding, member.homeless = {}, {}
  for _, entity in pairs(member.owned) do
    stays.note_home(member, entity)
  end
  member.links = links.new(member.names)
  member.first_tick, member.tick = first_tick, first_tick - 1
  member.finished, member.flushed_packets, member.took = first_tick - 1, nil, nil
  member.results, member.packets_given = {}, first_tick - 1
  member.loading, member.loaded, member.read = {}, {}, {}
  for region, loads in pairs(configuration.loads) do
    member.loading[region] = loads
  end
  member.has_unread = member.land.stores and configuration.lacks_owner
end

-- Takes a configuration in effect; all its lists are here.
function committing.commit(member, configuration)
  local all = member.change.lists
  local first_tick = configuration.tick or 1
  for _, list in pairs(all) do
    first_tick = math.max(first_tick, list.tick + 1)
  end
  resuming.part(member)
  local areas, judged = lists.areas(all)
  local is_one_gone = lists.lack_member(all, configuration)
  local directory = lists.unite(all, configuration, first_tick, member)
  local whose = is_one_gone and not_handed_since(all[member.name], directory) or nil
  local of_agents = give_results(member, all, judged, whose)
  direct.end_all(member)
  local lost = lost_member(member, configuration) or member.was_lost
  local unsaved = {} -- not that of the own list, which others may still be sent
  for _, list in pairs(all) do
    for stay in pairs(list.ended) do
      member.ended[stay] = first_tick
    end
    for region, since in pairs(list.unsaved) do
      unsaved[region] = math.min(unsaved[region] or since, since)
    end
  end
  member.unsaved = unsaved
  note_missing(member, directory)
  member.directory = directory
  for _, one in ipairs(of_agents) do
    calls.take_result(member, one)
  end
  member.agents = known_agents(all)
  local work = keep_own(member, configuration, first_tick)
  work.copies = member.change.copies
  begin_anew(member, configuration, first_tick)
  work.anew = is_one_gone and to_tell_anew(member, all) or {}
  work.said = is_one_gone and to_say_anew(member, all) or {}
  member.highest = math.max(member.highest, configuration.number)
  member.change, member.reported_change = nil, nil
  member.phase, member.flushed = "ticking", false
  member.next_at = 0
  -- Commands that the configuration before was about to send again are kept still.
  table.move(member.again.commands, 1, #member.again.commands, #member.calls.kept + 1, member.calls.kept)
  member.again = { enters = {}, commands = {} }
  member.was_lost = lost and next(member.loading) ~= nil
  take_areas(member, areas, judged)
  resuming.calls(member, lost)
  member.begin_regions(member)
  member.land.configure(member, work)
  stays.settle_in(work.take)
  member.agents = next(member.loading) and member.agents or {}
  member.observe(member, "begin")
  committing.settle_missing(member)
end

return committing
