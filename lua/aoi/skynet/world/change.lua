-- A change of the configuration as a member goes through it: prepare, flush, lists, commit. Messages of it
-- are said again until they are answered, so each function may be called with what is known already.
local committing = require "aoi.skynet.world.committing"
local lists = require "aoi.skynet.world.lists"
local numbers = require "aoi.skynet.world.numbers"
local taking = require "aoi.skynet.world.taking"
local ticks = require "aoi.skynet.world.ticks"

local change = {}

-- A change that a member prepares: { number, key, candidates = name -> key, flushes = name -> the last one,
-- moves = region -> member that gets it, lists = name -> list, copies = region -> its entities, own_list,
-- reported, said, how often this member has sent flushes, said_by = name -> the same of that candidate, as
-- far as they have come, heard = name -> how many of the own ones had come there then, listed = name -> the
-- flush that the list went before }.

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
    lists = {}, copies = {}, packets = {}, has_list = {}, said = 0, said_by = {}, heard = {}, listed = {},
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
    ticks.give_packets(member) -- those of the last tick that have not come are given by the lists of all
    for tick = member.finished + 1, member.finished + 2 do
      local messages = {}
      for _, name in ipairs(numbers.sorted(doing.candidates)) do
        -- The own ones have hand-overs between regions of one member.
        local message = member.links[name] and ticks.message(member, name, tick)
        messages[#messages + 1] = message and not member.taken[message] and message or nil
      end
      if messages[1] then
        taking.take_in(member, tick, messages)
      end
    end
  end
  doing.own_list, doing.own_packets = lists.write(member), member.flushed_packets
  doing.lists[member.name] = doing.own_list
  doing.own_copies = lists.copies(member)
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

-- Sends a candidate a flush, and before it the list, unless that has come, or may still come. It has not come
-- where the flush behind it has. A list is large: to send it more often than that would take all time from a
-- world that is late.
local function say(member, name)
  local doing = member.change
  local is_lost = (doing.listed[name] or 0) <= (doing.heard[name] or 0)
  if doing.own_list and not doing.has_list[name] and is_lost then
    doing.listed[name] = doing.said
    member.post(member, name, doing.candidates[name], {
      kind = "list", number = doing.number, list = doing.own_list,
      packets = doing.own_packets and doing.own_packets[name], copies = doing.own_copies[name] or {},
    })
  end
  member.post(member, name, doing.candidates[name], {
    kind = "flush", number = doing.number, configuration = member.configuration,
    configuration_key = member.configuration and member.configuration.key,
    last = last_of(member, name), has_list = doing.lists[name] ~= nil,
    said = doing.said, heard = doing.said_by[name],
  })
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
    doing.said_at, doing.said = now, doing.said + 1
    for _, name in ipairs(numbers.sorted(doing.candidates)) do
      if name ~= member.name then
        say(member, name)
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
  if configuration and reported and reported.key == configuration.key
    and (not member.configuration or configuration.number > member.configuration.number) then
    local doing = member.change
    member.change = reported
    committing.commit(member, configuration)
    if doing ~= reported then
      member.change, member.phase = doing, "prepared"
      doing.own_list, doing.lists, doing.flushes, doing.reported = nil, {}, {}, nil
      doing.packets, doing.has_list, doing.listed = {}, {}, {}
    end
  end
end

function change.on_flush(member, from, message)
  local doing = member.change
  if doing and message.number == doing.number then
    doing.has_list[from] = message.has_list
    doing.said_by[from] = math.max(doing.said_by[from] or 0, message.said)
    doing.heard[from] = math.max(doing.heard[from] or 0, message.heard or 0)
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
  if doing and doing.reported and doing.key == configuration.key then
    committing.commit(member, configuration)
  elseif doing and doing.candidates[from] == key and not doing.own_list then
    change.catch_up(member, configuration)
  end
end

return change
