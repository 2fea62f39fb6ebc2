-- Lists that members tell each other in a change of the configuration, and what follows from all of them.
local configurations = require "aoi.skynet.world.configurations"
local numbers = require "aoi.skynet.world.numbers"
local stays = require "aoi.skynet.world.stays"

local lists = {}

-- The agents of entities, as this node was told of them, and as its regions have named them so late that the
-- nodes of these may not have been told yet.
local function agents_of(member)
  local list = table.move(member.said, 1, #member.said, 1, {})
  local told = member.land.agents and member.land.agents(member) or {}
  return table.move(told, 1, #told, #list + 1, list)
end

-- The list that this member tells each of the others.
function lists.write(member)
  local owned, results, given = {}, {}, {}
  for id, entity in pairs(member.owned) do
    owned[id] = {
      id = id, stay = entity.stay, number = entity.number, region = entity.region,
      expected = stays.copy_of(entity).expected,
    }
  end
  for _, one in ipairs(member.results) do
    results[#results + 1] = one
  end
  for _, one in ipairs(member.given) do
    given[#given + 1] = {
      id = one.entity.id, stay = one.entity.stay, number = one.number, from = one.from,
      to = one.to, to_key = one.to_key,
      expected = stays.copy_of(one.entity).expected,
    }
  end
  local ended = {}
  for stay, tick in pairs(member.ended) do
    ended[stay] = tick
  end
  return {
    areas = member.land.areas and member.land.areas(member), ended = ended,
    agents = agents_of(member),
    tick = member.tick, finished = member.finished, told = member.packets_given,
    owned = owned, results = results, given = given,
    holds = member.holds(member), unsaved = member.unsaved, keys = member.keys,
  }
end

-- Copies of the regions that move from here: taker -> region -> { entities, state }.
function lists.copies(member)
  local copies = {}
  for _, region in ipairs(numbers.sorted(member.change.moves)) do
    local taker = member.change.moves[region]
    if taker ~= member.name and member.configuration and member.configuration.owners[region] == member.name
      and not member.loading[region] then
      local entities = {}
      for _, id in ipairs(numbers.sorted(member.owned)) do
        if member.owned[id].region == region then
          table.insert(entities, stays.copy_of(member.owned[id]))
        end
      end
      -- They may come back to the region that they left.
      local given = {}
      for _, one in ipairs(member.given) do
        if one.from == region then
          table.insert(given, one)
        end
      end
      copies[taker] = copies[taker] or {}
      copies[taker][region] = { entities = entities, given = given, state = member.land.copy(member, region) }
    end
  end
  return copies
end

-- Whether a list says that a stay has ended.
local function has_ended(all, stay)
  for _, list in pairs(all) do
    if list.ended[stay] then
      return true
    end
  end
  return false
end

-- The directory of a configuration: the union of the lists, by the highest number. What was handed to
-- somebody who is gone, and nobody has, is its giver's again, unless it has left there.
function lists.unite(all, configuration, first_tick)
  local directory = {}
  for _, name in ipairs(numbers.sorted(all)) do
    for _, id in ipairs(numbers.sorted(all[name].owned)) do
      local one = all[name].owned[id]
      local known = directory[id]
      if not known or numbers.later(one.number, known.number) then
        directory[id] = {
          id = id, stay = one.stay, region = one.region, number = one.number,
          expected = one.expected,
        }
      end
    end
  end
  local names = configurations.names_of(configuration)
  for _, name in ipairs(numbers.sorted(all)) do
    for _, given in ipairs(all[name].given) do
      local known = directory[given.id]
      local is_latest = not known or numbers.later(given.number, known.number)
      if not names[given.to_key] and is_latest and not has_ended(all, given.stay) then
        directory[given.id] = {
          id = given.id, stay = given.stay, region = given.from,
          number = numbers.ownership(configuration.number, first_tick, given.from),
          expected = given.expected, taken_back = given.number,
        }
      end
    end
  end
  return directory
end

-- Whether a member of the configuration before is gone. All know it, also those that join.
function lists.lack_member(all, configuration)
  local names = configurations.names_of(configuration)
  for _, list in pairs(all) do
    for key in pairs(list.keys) do
      if not names[key] then
        return true
      end
    end
  end
  return false
end

-- Whether an ownership number is from a tick of which a member, by its list, has not given all packets.
function lists.is_handed_since(number, list)
  return number[2] > list.told
end

-- Whether all owners of areas are in, or have left.
local function has_owners(all, areas)
  local known = {}
  for _, list in pairs(all) do
    for _, one in pairs(list.owned) do
      known[one.stay] = true
    end
    for stay in pairs(list.ended) do
      known[stay] = true
    end
  end
  for _, entry in pairs(areas.owned) do
    if not known[entry[2]] then
      return false
    end
  end
  for _, change in ipairs(areas.undo) do
    local entry = change[3] -- what an area was for a part of the tick
    if entry and not known[entry[2]] then
      return false
    end
  end
  return true
end

-- The areas of a member with the latest tick are all members'. Returns them (nil: there are none), and up to
-- which tick their commands are judged: one that nobody has finished does not count when an owner that
-- entered in it is not in. Else it does: regions have handed owners over with what their areas were in it.
function lists.areas(all)
  local latest, finished = nil, 0
  for _, name in ipairs(numbers.sorted(all)) do
    local areas = all[name].areas
    latest = areas and (not latest or areas.tick > latest.tick) and areas or latest
    finished = math.max(finished, all[name].finished)
  end
  if latest and latest.tick > finished and not has_owners(all, latest) then
    return latest, finished
  end
  return latest, latest and latest.tick or math.huge
end

return lists
