-- One tick of a member: it begins with the messages of the tick before, and is finished with those of its own
-- tick. All functions decide by the member's state and what has come alone.
--
-- Items of a link are, in turn, the message of a tick and the packets of it, from the first tick of the
-- configuration on.
local applying = require "aoi.skynet.world.applying"
local calls = require "aoi.skynet.world.calls"
local direct = require "aoi.skynet.world.direct"
local links = require "aoi.skynet.world.links"
local numbers = require "aoi.skynet.world.numbers"
local resuming = require "aoi.skynet.world.resuming"
local taking = require "aoi.skynet.world.taking"

local ticks = {}

local function number_of_message(member, tick)
  return 2 * (tick - member.first_tick) + 1
end

-- The message of a member for this tick; nil when it is not here.
function ticks.message(member, name, tick)
  return links.item(member.links[name], number_of_message(member, tick))
end

-- Members whose message of this tick is missing.
function ticks.missing(member, tick)
  local names = {}
  for _, name in ipairs(member.names) do
    if not ticks.message(member, name, tick) then
      names[#names + 1] = name
    end
  end
  return names
end

-- Whether messages of this tick are here of all members.
function ticks.all_here(member, tick)
  return ticks.missing(member, tick)[1] == nil
end

-- By how much earlier than others this member has begun the tick before this one, of which all messages are
-- here. All finish a tick at the same time: it took longest where it began first. 0: that is not known.
function ticks.head_start(member, tick)
  local least = math.huge
  for _, name in ipairs(member.names) do
    local message = ticks.message(member, name, tick)
    if not (message and message.took) then
      return 0
    end
    least = math.min(least, message.took)
  end
  return ticks.message(member, member.name, tick).took - least
end

local function messages_before(member, tick)
  local list = {}
  for _, name in ipairs(member.names) do
    list[#list + 1] = tick > member.first_tick and ticks.message(member, name, tick - 1) or nil
  end
  return list
end

-- ---- begin ------------------------------------------------------------------------------------

local function new_outgoing(member)
  local outgoing = {
    place = 0, enters = {}, areas = {}, own = {}, commands = {}, hand_overs = {}, passed = {}, ghosts = {},
  }
  for _, name in ipairs(member.names) do
    outgoing.commands[name], outgoing.hand_overs[name] = {}, {}
    outgoing.passed[name], outgoing.ghosts[name] = {}, {}
  end
  return outgoing
end

-- Steps 1 to 3: judges, applies, writes the chunk, sends the message of this tick. The one before is
-- finished.
function ticks.begin(member, tick)
  local before = messages_before(member, tick)
  local outgoing, work = new_outgoing(member), {}
  local news = { raised = {}, left = {}, handed = {}, loaded = member.loaded }
  member.loaded = {}
  local moves = direct.take(member)
  for _, region in ipairs(numbers.sorted(moves)) do
    local batch = moves[region]
    if member.configuration.owners[region] ~= member.name then
      calls.send_moves(member, batch, region, tick, outgoing)
      moves[region] = nil
    else
      batch.stamp = numbers.stamp(tick, member.place, outgoing.place + 1)
      outgoing.place = outgoing.place + batch.n
    end
  end
  resuming.issue(member, tick, outgoing)
  calls.issue(member, tick, outgoing)
  applying.judge(member, tick, before, work)
  applying.judge_areas(member, tick, before)
  applying.end_orphans(member, tick, work) -- first: what would take one over in this tick comes too late
  applying.give_commands(member, tick, before, outgoing, work)
  direct.look(member) -- before the regions work: moves that come meanwhile would go the long way for ever
  local done = member.land.begin(member, tick, work, moves)
  applying.take_outcome(member, tick, work, done, outgoing, news)
  member.tick = tick
  news.unsaved = member.land.write(member)
  local is_unsaved = {}
  for _, region in ipairs(news.unsaved or {}) do
    is_unsaved[region] = true
  end
  for region, owner in pairs(member.configuration.owners) do
    if owner == member.name and not member.loading[region] and not is_unsaved[region] then
      member.written[region] = member.configuration.number
    end
  end
  local held = applying.held_by_node(member)
  for _, name in ipairs(member.names) do
    member.send(member, name, {
      kind = "message", tick = tick, enters = outgoing.enters, areas = outgoing.areas, news = news,
      commands = outgoing.commands[name], hand_overs = outgoing.hand_overs[name],
      passed = outgoing.passed[name], held = held[name] or {}, ghosts = outgoing.ghosts[name],
      took = member.took, -- the tick before; nil: it was of another configuration
    })
  end
end

-- ---- finish -----------------------------------------------------------------------------------

-- Notes which of the regions of a member have a store that is behind, and since which tick. One that is read
-- is behind for as long as that takes: nothing is written of it.
local function note_unsaved(member, tick, name, unsaved)
  if unsaved or next(member.unsaved) then
    local is_behind = {}
    for _, region in ipairs(unsaved or {}) do
      is_behind[region] = true
    end
    for region, owner in pairs(member.configuration.owners) do
      if owner == name and not member.loading[region] then
        member.unsaved[region] = is_behind[region] and (member.unsaved[region] or tick) or nil
      end
    end
  end
end

-- Whether a store that is behind may have a stay that ended in this tick. It has none that began since then,
-- so those that are kept while a disk is full are no more than were in when it became full, or when the
-- configuration began: it may have been written in a tick of the one before that nobody has finished. And it
-- names those that ended before.
local function may_be_stored(member, stay, ended)
  local began = numbers.tick_of(stay)
  for _, since in pairs(member.unsaved) do
    if began <= math.max(since, member.first_tick) and ended >= since - 2 then
      return true
    end
  end
  return false
end

-- A copy of a list without what is from before this tick.
local function since(list, tick)
  local kept = {}
  for _, one in ipairs(list) do
    kept[#kept + 1] = one.tick >= tick and one or nil
  end
  return kept
end

local function forget_old(member, tick)
  member.given, member.said = since(member.given, tick), since(member.said, tick - 2)
  -- A store that is read, is not read yet, or is behind may have stays that ended long ago.
  if not next(member.loading) and not member.has_unread then
    for stay, ended in pairs(member.ended) do
      if ended < tick - 2 and not may_be_stored(member, stay, ended) then
        member.ended[stay] = nil
      end
    end
  end
end

-- Steps 5 to 7: all messages of this tick are here. Returns whether a region was read from its store.
function ticks.finish(member, tick)
  local came = {}
  for i, name in ipairs(member.names) do
    came[i] = ticks.message(member, name, tick)
  end
  taking.take_in(member, tick, came)
  for i, name in ipairs(member.names) do
    calls.settle(member, name, tick, came[i].passed, came[i].held)
    note_unsaved(member, tick, name, came[i].news.unsaved)
  end
  calls.free_lines(member, tick)
  forget_old(member, tick)
  member.finished = tick
  local packets = member.land.tell(member, tick)
  -- Entities read from stores are there from the next tick on.
  local read = false
  for _, message in ipairs(came) do
    for _, loaded in ipairs(message.news.loaded) do
      taking.take_loaded(member, tick, loaded)
      read = true
    end
  end
  member.observe(member, tick)
  local results, answers = member.results, {}
  member.results = {}
  for _, name in ipairs(member.names) do
    answers[name] = {}
  end
  for _, one in ipairs(results) do
    -- Whose an entity is its agent's node hears together with the first views of it.
    if one.tick < tick or one.outcome == "agent" then
      if answers[one.node] then
        table.insert(answers[one.node], one)
      end
    else
      table.insert(member.results, one)
    end
  end
  -- Others may not have them, should this tick be the last one of the configuration.
  member.last_packets = {}
  for _, name in ipairs(member.names) do
    local item = { kind = "packets", tick = tick, answers = answers[name], views = packets[name] or {} }
    member.last_packets[name] = item
    member.send(member, name, item)
  end
  return read
end

-- Gives the agents what packets of this member have for them. whose: set of entities whose views are given;
-- nil: all. later: as of calls.take_result.
function ticks.give(member, name, packets, whose, later)
  for _, one in ipairs(packets.answers) do
    calls.take_result(member, one, later)
  end
  member.land.give(member, name, packets.views, whose)
end

-- Packets of ticks that are finished here go to the agents, those of one tick at once, when all are here: an
-- entity that is handed over may be told of by its taker alone, and the giver says whose it has become.
function ticks.give_packets(member)
  for tick = member.packets_given + 1, member.finished do
    local number, packets = number_of_message(member, tick) + 1, {}
    for i, name in ipairs(member.names) do
      packets[i] = links.item(member.links[name], number)
      if not packets[i] then
        return
      end
    end
    member.packets_given = tick
    for i, name in ipairs(member.names) do
      ticks.give(member, name, packets[i])
      links.forget(member.links[name], number - 2)
    end
  end
end

return ticks
