-- A change of the configuration as a member goes through it: prepare, flush, lists, commit. Messages of it
-- are said again until they are answered, so each function may be called with what is known already.
local calls = require "aoi.skynet.world.calls"
local direct = require "aoi.skynet.world.direct"
local links = require "aoi.skynet.world.links"
local numbers = require "aoi.skynet.world.numbers"
local ticks = require "aoi.skynet.world.ticks"

local change = {}

-- A change that a member prepares: { number, key, candidates = name -> key, flushed = name -> true,
-- moves = region -> member that gets it, lists = name -> list, copies = region -> its entities, own_list,
-- reported }.

-- Obeys the coordinator: `offer` is { number, key, candidates, moves, in_effect = a configuration, or nil }.
function change.prepare(member, offer)
  if offer.number <= member.highest then
    return
  end
  member.highest = offer.number
  if member.change and member.change.reported then
    -- It may be in effect elsewhere: the offer says so, or a flush or message of a member that took it in
    -- effect.
    member.reported_change = member.change
  end
  member.change = {
    number = offer.number, key = offer.key, candidates = offer.candidates, moves = offer.moves, flushes = {},
    lists = {}, copies = {}, packets = {}, has_list = {},
  }
  member.phase = "prepared"
  change.catch_up(member, offer.in_effect)
end

local function last_of(member, name)
  local link = member.links and member.links[name]
  return link and link.last or 0
end

-- Whether all is here that candidates have sent in the configuration in effect.
local function is_flushed(member)
  local doing = member.change
  for name in pairs(doing.candidates) do
    local flush = doing.flushes[name]
    if name ~= member.name then
      if not flush then
        return false
      end
      local fellow = member.configuration and member.keys[doing.candidates[name]]
      if fellow and flush.configuration_key ~= member.configuration.key then
        return false
      end
      if fellow and member.links[name].heard < flush.last then
        return false
      end
    end
  end
  return true
end

-- The list that this member tells each of the others.
local function write_list(member)
  local owned, results, given = {}, {}, {}
  for id, entity in pairs(member.owned) do
    owned[id] = {
      id = id, stay = entity.stay, number = entity.number, region = entity.region,
      expected = ticks.copy_of(entity).expected,
    }
  end
  for _, one in ipairs(member.results) do
    results[#results + 1] = one
  end
  for _, one in ipairs(member.given) do
    given[#given + 1] = {
      id = one.entity.id, stay = one.entity.stay, number = one.number, from = one.from,
      to = one.to, to_key = one.to_key,
      expected = ticks.copy_of(one.entity).expected,
    }
  end
  local ended = {}
  for stay, tick in pairs(member.ended) do
    ended[stay] = tick
  end
  return {
    waiting = member.waiting, areas = member.land.areas and member.land.areas(member), ended = ended,
    tick = member.tick, finished = member.finished, owned = owned, results = results, given = given,
    holds = member.holds(member), unsaved = member.unsaved,
  }
end

-- Copies of the regions that move from here: taker -> region -> { entities, state }.
local function copy_regions(member)
  local copies = {}
  for _, region in ipairs(numbers.sorted(member.change.moves)) do
    local taker = member.change.moves[region]
    if taker ~= member.name and member.configuration and member.configuration.owners[region] == member.name
      and not member.loading[region] then
      local entities = {}
      for _, id in ipairs(numbers.sorted(member.owned)) do
        if member.owned[id].region == region then
          table.insert(entities, ticks.copy_of(member.owned[id]))
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

-- The flush has brought all: the tick that was begun is ended with what is here, and the list is written.
local function end_tick(member)
  local doing = member.change
  if member.configuration then
    -- Not in a later attempt: the first one has taken in what came after this tick.
    if not member.flushed and member.tick > member.finished and ticks.all_here(member, member.tick) then
      ticks.finish(member, member.tick)
      member.flushed_packets = member.last_packets
    end
    member.flushed = true
    for tick = member.finished + 1, member.finished + 2 do
      local messages = {}
      for _, name in ipairs(numbers.sorted(doing.candidates)) do
        -- The own ones have hand-overs between regions of one member.
        local message = member.links[name] and ticks.message(member, name, tick)
        messages[#messages + 1] = message and not member.taken[message] and message or nil
      end
      if messages[1] then
        ticks.take_in(member, tick, messages)
      end
    end
  end
  doing.own_list, doing.own_packets = write_list(member), member.flushed_packets
  doing.lists[member.name] = doing.own_list
  doing.own_copies = copy_regions(member)
end

-- Whether a region that moves here is held by a candidate whose copy has not come.
local function misses_copy(member)
  local doing = member.change
  for region, taker in pairs(doing.moves) do
    if taker == member.name and not doing.copies[region] then
      for name, list in pairs(doing.lists) do
        if name ~= member.name and list.holds[region] == "held" then
          return true
        end
      end
    end
  end
  return false
end

-- Says again what candidates may not have, and goes on as far as what has come allows.
function change.proceed(member, now)
  local doing = member.change
  if not doing then
    return
  end
  if not doing.own_list and is_flushed(member) then
    end_tick(member)
    doing.said_at = nil -- the list goes at once
  end
  if now >= (doing.said_at or 0) + member.times.repeated then
    doing.said_at = now
    for _, name in ipairs(numbers.sorted(doing.candidates)) do
      if name ~= member.name then
        member.post(member, name, doing.candidates[name], {
          kind = "flush", number = doing.number, configuration = member.configuration,
          configuration_key = member.configuration and member.configuration.key,
          last = last_of(member, name), has_list = doing.lists[name] ~= nil,
        })
        if doing.own_list and not doing.has_list[name] then
          member.post(member, name, doing.candidates[name], {
            kind = "list", number = doing.number, list = doing.own_list,
            packets = doing.own_packets and doing.own_packets[name], copies = doing.own_copies[name] or {},
          })
        end
      end
    end
  end
  if doing.own_list and not doing.reported then
    for name in pairs(doing.candidates) do
      if not doing.lists[name] then
        return
      end
    end
    doing.reported = not misses_copy(member)
  end
end

-- Candidates that this member waits for.
function change.waits_for(member)
  local doing, names = member.change, {}
  for _, name in ipairs(numbers.sorted(doing.candidates)) do
    if name ~= member.name then
      local flush = doing.flushes[name]
      local fellow = member.configuration and member.keys[doing.candidates[name]]
      local behind = not flush or fellow and (flush.configuration_key ~= member.configuration.key
        or member.links[name].heard < flush.last)
      if doing.own_list and not doing.lists[name] or not doing.own_list and behind then
        names[#names + 1] = name
      end
    end
  end
  return names
end

-- A configuration that this member reported to is in effect elsewhere: it takes it in effect first.
function change.catch_up(member, configuration)
  local reported = member.reported_change
  if configuration and reported and reported.number == configuration.number
    and (not member.configuration or configuration.number > member.configuration.number) then
    local doing = member.change
    member.change = reported
    change.commit(member, configuration)
    if doing ~= reported then
      member.change, member.phase = doing, "prepared"
      doing.own_list, doing.lists, doing.flushes, doing.reported = nil, {}, {}, nil
      doing.packets, doing.has_list = {}, {}
    end
  end
end

function change.on_flush(member, from, message)
  local doing = member.change
  if doing and message.number == doing.number then
    doing.has_list[from] = message.has_list
    if not doing.own_list then
      change.catch_up(member, message.configuration)
      doing.flushes[from] = message
    end
  end
end

function change.on_list(member, from, message)
  local doing = member.change
  if doing and message.number == doing.number then
    doing.lists[from], doing.packets[from] = message.list, message.packets
    for region, copy in pairs(message.copies) do
      doing.copies[region] = copy
    end
  end
end

-- A message of a configuration that this member only reported to is as good as its commit. Once its list for
-- a later one is written, all candidates have flushed, and nobody else is heard.
function change.on_other_configuration(member, from, key, configuration)
  local doing = member.change
  if doing and doing.reported and doing.number == configuration.number then
    change.commit(member, configuration)
  elseif doing and doing.candidates[from] == key and not doing.own_list then
    change.catch_up(member, configuration)
  end
end

-- The directory of a configuration: the union of the lists, by the highest number. What was handed to
-- somebody who is gone, and nobody has, is its giver's again.
function change.unite(lists, configuration, first_tick)
  local directory = {}
  for _, name in ipairs(numbers.sorted(lists)) do
    for _, id in ipairs(numbers.sorted(lists[name].owned)) do
      local one = lists[name].owned[id]
      local known = directory[id]
      if not known or numbers.later(one.number, known.number) then
        directory[id] = {
          id = id, stay = one.stay, region = one.region, number = one.number,
          expected = one.expected, owner = name,
        }
      end
    end
  end
  local is_member = {}
  for _, one in ipairs(configuration.members) do
    is_member[one.key] = true
  end
  for _, name in ipairs(numbers.sorted(lists)) do
    for _, given in ipairs(lists[name].given) do
      local known = directory[given.id]
      if not is_member[given.to_key] and not (known and not numbers.later(given.number, known.number)) then
        directory[given.id] = {
          id = given.id, stay = given.stay, region = given.from,
          number = numbers.ownership(configuration.number, first_tick, given.from),
          expected = given.expected, owner = name, taken_back = given.number,
        }
      end
    end
  end
  return directory
end

-- Keeps of the own entities what the directory says is its own, takes back what is its own again, and takes
-- in what came with a region. A giver keeps what it gave until the taker's first message is here: the taker
-- has written it by then. Returns what the regions have to do: { drop = list of entities, take = list }.
local function keep_own(member, configuration, first_tick)
  local here, owned, given, keys, had, back = {}, {}, {}, {}, {}, {}
  for _, one in ipairs(configuration.members) do
    keys[one.name] = one.key
  end
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
      if known.taken_back and not numbers.later(known.taken_back, one.number)
        and not numbers.later(one.number, known.taken_back) then
        here[known.stay], back[known.stay] = ticks.copy_of(one.entity), true
      elseif not numbers.later(known.number, one.number) then
        one.tick, one.to_key = first_tick - 1, keys[configuration.owners[known.region]]
        given[#given + 1] = one
      end
    end
  end
  for stay, entity in pairs(member.back) do
    here[stay], back[stay] = ticks.copy_of(entity), true
    here[stay].is_given = nil
  end
  member.back = {}
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

local function lost_member(member, configuration)
  if member.configuration then
    local keys = {}
    for _, one in ipairs(configuration.members) do
      keys[one.key] = true
    end
    for _, one in ipairs(member.configuration.members) do
      if not keys[one.key] then
        return true
      end
    end
  end
  return false
end

-- Packets that have come, and answers of lists. What was refused because its enter had not been taken in
-- is not given when that enter is sent again: its command goes along. Commands about areas are judged up to
-- tick `judged`.
local function give_results(member, lists, judged)
  ticks.give_packets(member)
  for _, name in ipairs(member.names) do
    local link = member.links[name]
    for number = 1, lists[name] and link.heard or 0 do
      local item = links.item(link, number)
      if item and item.kind == "packets" and item.tick > member.packets_given[name] then
        ticks.give(member, name, item)
      end
    end
    local packets = lists[name] and member.change.packets[name]
    if packets and packets.tick > member.packets_given[name] then
      ticks.give(member, name, packets)
    end
  end
  local refused, goes_along = {}, {}
  for _, name in ipairs(numbers.sorted(lists)) do
    for _, one in ipairs(lists[name].results) do
      local counts = one.node == member.name and (one.kind ~= "area" or one.tick <= judged)
      if counts and one.outcome == "refused" and not member.calls.enters[one.uid] then
        refused[#refused + 1] = one
      elseif counts then
        calls.take_result(member, one)
      end
    end
  end
  local entering = {}
  for _, enter in pairs(member.calls.enters) do
    entering[enter.stay] = true
  end
  for _, command in ipairs(member.calls.kept) do
    if entering[command.stay] and command.uid then
      goes_along[command.uid] = true
    end
  end
  for _, one in ipairs(refused) do
    if not one.uid then
      calls.forget(member, one)
    end
    if not (one.uid and goes_along[one.uid]) then
      calls.take_result(member, one)
    end
  end
end

-- Sends again what is kept. Called when a configuration begins, and when the last region has been read.
function change.resume_calls(member, lost, waiting)
  local again = calls.resume(member, function(known)
    return known.expected[member.key] or 1
  end, lost, waiting)
  for _, known in pairs(member.directory) do
    known.expected, known.read = nil, nil
  end
  table.move(again.enters, 1, #again.enters, #member.again.enters + 1, member.again.enters)
  table.move(again.commands, 1, #again.commands, #member.again.commands + 1, member.again.commands)
end

-- The entities that stores list as given, while others are read: as a member with the latest tick knows them.
local function waiting_of(lists)
  local latest
  for _, name in ipairs(numbers.sorted(lists)) do
    latest = (not latest or lists[name].tick > latest.tick) and lists[name] or latest
  end
  return latest.waiting
end

-- All stores are read, or those who read them are gone: what nobody has is its region's again.
local function take_waiting(member, configuration, first_tick)
  for _, one in ipairs(member.waiting) do
    local id, region = one.entity.id, one.region
    if not member.directory[id] and not member.ended[one.entity.stay] then
      member.directory[id] = {
        id = id, stay = one.entity.stay, region = region, expected = one.entity.expected,
        number = numbers.ownership(configuration.number, first_tick, region),
      }
      member.back[one.entity.stay] = one.entity
    end
  end
  member.waiting = {}
end

-- Whether this member is the first in the list of those that were in the configuration before.
local function speaks_first(member, configuration)
  local keys = {}
  for _, one in ipairs(configuration.members) do
    keys[one.key] = true
  end
  for _, one in ipairs(member.configuration and member.configuration.members or {}) do
    if keys[one.key] then
      return one.key == member.key
    end
  end
  return false
end

-- Stays that were in the directory and are so no more; but what entered with a tick that was not finished has
-- not been in.
local function note_missing(member, before)
  for id, known in pairs(before) do
    local now = member.directory[id]
    local is_in = (known.entered or 0) <= member.finished
    if is_in and not (now and now.stay == known.stay) then
      member.missing[known.stay] = { id = id, region = known.region }
    end
  end
end

-- When all stores are read, it is known what became of stays that were missing: they have left, or are lost.
function change.settle_missing(member)
  if next(member.loading) or not next(member.missing) then
    return
  end
  local lost, waiting = {}, {}
  for _, stay in ipairs(numbers.sorted(member.missing)) do
    local one = member.missing[stay]
    local known = member.directory[one.id]
    if member.land.stores and not member.configuration.owners[one.region] then
      waiting[stay] = one -- its region may come back from a store yet
    elseif member.ended[stay] and not known then
      member.observe(member, "left", one.id)
    elseif not member.ended[stay] and not (known and known.stay == stay) then
      lost[#lost + 1] = one
    end
  end
  member.missing = waiting
  if lost[1] then
    member.observe(member, "lost", lost)
  end
end

-- The areas of a member with the latest tick are all members'. Returns them (nil: there are none), and up to
-- which tick their commands are judged: one that nobody has finished does not count, as entities that entered
-- in it may not be in.
local function latest_areas(lists)
  local latest, finished = nil, 0
  for _, name in ipairs(numbers.sorted(lists)) do
    local areas = lists[name].areas
    latest = areas and (not latest or areas.tick > latest.tick) and areas or latest
    finished = math.max(finished, lists[name].finished)
  end
  return latest, latest and math.min(latest.tick, finished) or math.huge
end

local function take_areas(member, latest, judged)
  if latest then
    local results = judged == latest.tick and latest.results or {}
    member.land.put_areas(member, latest, judged < latest.tick)
    calls.resume_areas(member, judged, results)
  end
end

-- Takes a configuration in effect; all its lists are here.
function change.commit(member, configuration)
  local lists = member.change.lists
  local first_tick = configuration.tick or 1
  for _, list in pairs(lists) do
    first_tick = math.max(first_tick, list.tick + 1)
  end
  calls.part(member)
  local areas, judged = latest_areas(lists)
  give_results(member, lists, judged)
  direct.end_all(member)
  local lost = lost_member(member, configuration) or member.was_lost
  for _, list in pairs(lists) do
    for stay in pairs(list.ended) do
      member.ended[stay] = first_tick
    end
    for region in pairs(list.unsaved) do
      member.unsaved[region] = true
    end
  end
  local directory = member.directory
  member.directory = change.unite(lists, configuration, first_tick, member)
  member.waiting = waiting_of(lists)
  if not next(configuration.loads) then
    take_waiting(member, configuration, first_tick)
  end
  note_missing(member, directory)
  member.speaks_first = speaks_first(member, configuration)
  local work, before = keep_own(member, configuration, first_tick), member.configuration
  work.copies = member.change.copies
  member.configuration = configuration
  member.names, member.keys = {}, {}
  for i, one in ipairs(configuration.members) do
    member.names[i] = one.name
    member.keys[one.key] = one.name
    member.place = one.name == member.name and i or member.place
  end
  member.holding, member.homeless = {}, {}
  for _, entity in pairs(member.owned) do
    ticks.note_home(member, entity)
  end
  member.links = links.new(member.names)
  member.first_tick, member.tick = first_tick, first_tick - 1
  member.finished, member.flushed_packets = first_tick - 1, nil
  member.results, member.packets_given = {}, {}
  for _, name in ipairs(member.names) do
    member.packets_given[name] = first_tick - 1
  end
  member.loading, member.loaded = {}, {}
  for region, loads in pairs(configuration.loads) do
    member.loading[region] = loads
  end
  member.has_unread = member.land.stores and configuration.lacks_owner
  member.highest = math.max(member.highest, configuration.number)
  member.change, member.reported_change = nil, nil
  member.phase, member.flushed = "ticking", false
  member.next_at = 0
  -- Commands that the configuration before was about to send again are kept still.
  table.move(member.again.commands, 1, #member.again.commands, #member.calls.kept + 1, member.calls.kept)
  member.again = { enters = {}, commands = {} }
  member.was_lost = lost and next(member.loading) ~= nil
  take_areas(member, areas, judged)
  change.resume_calls(member, lost)
  member.begin_regions(member)
  member.land.configure(member, before, work)
  member.observe(member, "begin")
  change.settle_missing(member)
end

return change
