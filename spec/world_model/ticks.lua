-- One tick of a member: it begins with the messages of the tick before, and is finished with those of its own
-- tick. All functions decide by the member's state and what has come alone.
--
-- Items of a link are, in turn, the message of a tick and the packets of it, from the first tick of the
-- configuration on.
local calls = require "spec.world_model.calls"
local ghosts = require "spec.world_model.ghosts"
local links = require "spec.world_model.links"
local numbers = require "spec.world_model.numbers"

local ticks = {}

local function number_of_message(member, tick)
  return 2 * (tick - member.first_tick) + 1
end

-- The message of a member for this tick; nil when it is not here.
function ticks.message(member, name, tick)
  return links.item(member.links[name], number_of_message(member, tick))
end

-- Whether messages of this tick are here of all members.
function ticks.all_here(member, tick)
  for _, name in ipairs(member.names) do
    if not ticks.message(member, name, tick) then
      return false
    end
  end
  return true
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

local function result(member, tick, command, outcome)
  member.results[#member.results + 1] = {
    tick = tick, node = command.node, uid = command.uid, outcome = outcome,
  }
end

local function messages_before(member, tick)
  local list = {}
  for _, name in ipairs(member.names) do
    list[#list + 1] = tick > member.first_tick and ticks.message(member, name, tick - 1) or nil
  end
  return list
end

-- Every member judges all enters alike: the directory and the order of stamps say the same everywhere.
local function judge(member, tick, before)
  local configuration = member.configuration
  for _, message in ipairs(before) do
    for _, enter in ipairs(message.enters) do
      local owner, outcome = configuration.owners[enter.region], nil
      if member.directory[enter.id] then
        outcome = "refused"
      elseif not owner or next(member.loading) then
        outcome = "again"
      else
        local number = numbers.ownership(configuration.number, tick, enter.region)
        member.directory[enter.id] = {
          id = enter.id, stay = enter.stay, region = enter.region, number = number, home = enter.key,
        }
        if owner == member.name then
          member.owned[enter.id] = {
            id = enter.id, stay = enter.stay, region = enter.region, number = number, x = enter.x,
            home = enter.key, expected = { [enter.key] = 1 }, held = {}, trail = { enter.uid },
          }
          member.applied[#member.applied + 1] = {
            uid = enter.uid, stay = enter.stay, tick = tick, enters = true,
          }
          result(member, tick, enter, "done")
        end
      end
      if outcome and enter.node == member.name then
        result(member, tick, enter, outcome)
      end
    end
  end
end

local function apply(member, tick, entity, command, news)
  entity.expected[command.key] = command.number + 1
  entity.trail[#entity.trail + 1] = command.uid
  member.applied[#member.applied + 1] = { uid = command.uid, stay = entity.stay, tick = tick }
  if command.kind == "leave" then
    member.owned[entity.id] = nil
    news.left[#news.left + 1] = { id = entity.id, stay = entity.stay }
    for _, key in ipairs(numbers.sorted(entity.held)) do
      for _, number in ipairs(numbers.sorted(entity.held[key])) do
        result(member, tick, entity.held[key][number], "refused")
      end
    end
  else
    entity.x = command.x
  end
  result(member, tick, command, "done")
end

-- Applies a command in its turn, and those that have waited for it.
local function take_command(member, tick, entity, command, news)
  local expected = entity.expected[command.key] or 1
  if command.number < expected then
    return
  end
  local held = entity.held[command.key] or {}
  entity.held[command.key] = held
  held[command.number] = command
  while held[expected] and member.owned[entity.id] == entity do
    local next_one = held[expected]
    held[expected] = nil
    apply(member, tick, entity, next_one, news)
    expected = expected + 1
  end
  if not next(held) then
    entity.held[command.key] = nil
  end
end

local function by_stamp(a, b)
  return numbers.later(b.stamp, a.stamp)
end

local function apply_commands(member, tick, before, own, outgoing, news)
  local commands = {}
  for _, message in ipairs(before) do
    table.move(message.commands, 1, #message.commands, #commands + 1, commands)
  end
  table.move(own, 1, #own, #commands + 1, commands)
  table.sort(commands, by_stamp)
  for _, command in ipairs(commands) do
    local entity, known = member.owned[command.id], member.directory[command.id]
    if entity and entity.stay == command.stay then
      take_command(member, tick, entity, command, news)
    elseif known and known.stay == command.stay and not entity then
      local owner = member.configuration.owners[known.region]
      if owner and owner ~= member.name then
        local list = outgoing.commands[owner]
        list[#list + 1] = command
        outgoing.passed[command.node][calls.name_of(command)] = owner
      else
        result(member, tick, command, "refused")
      end
    else
      result(member, tick, command, "refused")
    end
  end
end

-- Copies an entity as it is now: who gets it must not see what happens to it here, nor the other way round.
function ticks.copy_of(entity)
  local copy = {}
  for key, value in pairs(entity) do
    copy[key] = value
  end
  copy.expected, copy.held, copy.trail = {}, {}, table.move(entity.trail, 1, #entity.trail, 1, {})
  for key, number in pairs(entity.expected) do
    copy.expected[key] = number
  end
  for key, held in pairs(entity.held) do
    copy.held[key] = {}
    for number, command in pairs(held) do
      copy.held[key][number] = command
    end
  end
  return copy
end

local function hand_over(member, tick, outgoing, news)
  for _, id in ipairs(numbers.sorted(member.owned)) do
    local entity = member.owned[id]
    local region = member.region_of(entity.x)
    local taker = member.configuration.owners[region]
    if region ~= entity.region and taker and not member.loading[region] then
      local number = numbers.ownership(member.configuration.number, tick, region)
      local from = entity.region
      entity.region, entity.number = region, number
      member.owned[id] = nil
      outgoing.hand_overs[taker][#outgoing.hand_overs[taker] + 1] = ticks.copy_of(entity)
      member.given[#member.given + 1] = {
        entity = ticks.copy_of(entity), from = from, to = taker, to_key = member.key_of[taker],
        tick = tick, number = number,
      }
      outgoing.gone[#outgoing.gone + 1] = entity
      news.handed[#news.handed + 1] = { id = id, stay = entity.stay, region = region, number = number }
      for _, held in pairs(entity.held) do
        for _, command in pairs(held) do
          if outgoing.passed[command.node] then
            outgoing.passed[command.node][calls.name_of(command)] = taker
          end
        end
      end
    end
  end
end

local function held_of(member, node)
  local held = {}
  for _, entity in pairs(member.owned) do
    for _, by_number in pairs(entity.held) do
      for _, command in pairs(by_number) do
        if command.node == node then
          held[calls.name_of(command)] = true
        end
      end
    end
  end
  return held
end

local function new_outgoing(member)
  local outgoing = {
    place = 0, enters = {}, own = {}, gone = {}, commands = {}, hand_overs = {}, passed = {}, ghosts = {},
  }
  for _, name in ipairs(member.names) do
    outgoing.commands[name], outgoing.hand_overs[name] = {}, {}
    outgoing.passed[name], outgoing.ghosts[name] = {}, {}
  end
  return outgoing
end

-- Commands that a change of the configuration left to send again go first.
local function issue_again(member, tick, outgoing)
  local again = member.again
  member.again = { enters = {}, commands = {} }
  local renamed = {}
  for _, enter in ipairs(again.enters) do
    local call = enter.call
    outgoing.place = outgoing.place + 1
    local stay = ("%s:%d:%s:%d"):format(member.configuration.key, tick, member.name, outgoing.place)
    local region = member.region_of(call.x)
    renamed[enter.stay] = { stay = stay, region = region }
    member.calls.enters[call.uid] = { call = call, stay = stay, tick = tick }
    member.calls.under_way[call.id] = {
      kind = "enter", uid = call.uid, stay = stay, region = region, tick = tick,
    }
    outgoing.enters[#outgoing.enters + 1] = {
      uid = call.uid, id = call.id, x = call.x, stay = stay, region = region, node = member.name,
      key = member.key,
    }
  end
  for _, command in ipairs(again.commands) do
    local enter, known = renamed[command.stay], member.directory[command.id]
    local copy
    if enter then
      local number = member.calls.next_number[enter.stay] or 1
      member.calls.next_number[enter.stay] = number + 1
      copy = calls.renumbered(member, command, number)
      copy.stay = enter.stay
    else
      copy = calls.renumbered(member, command, command.number)
    end
    local owner = member.configuration.owners[enter and enter.region or known.region]
    if owner then
      outgoing.place = outgoing.place + 1
      copy.stamp = { tick, member.place, outgoing.place }
      copy.at, copy.sent = owner, tick
      outgoing.commands[owner][#outgoing.commands[owner] + 1] = copy
      member.calls.kept[#member.calls.kept + 1] = copy
    else
      calls.answer(member, command.uid, "unknown")
    end
  end
end

-- Steps 1 to 3: judges, applies, writes the chunk, sends the message of this tick. The one before is
-- finished.
function ticks.begin(member, tick)
  local before = messages_before(member, tick)
  local outgoing = new_outgoing(member)
  local news = { left = {}, handed = {}, loaded = member.loaded }
  member.loaded = {}
  issue_again(member, tick, outgoing)
  calls.issue(member, tick, outgoing)
  judge(member, tick, before)
  apply_commands(member, tick, before, outgoing.own, outgoing, news)
  ticks.end_orphans(member, tick, news)
  hand_over(member, tick, outgoing, news)
  ghosts.show(member, outgoing.gone, outgoing.ghosts)
  member.tick = tick
  member.write(member)
  for _, name in ipairs(member.names) do
    member.send(member, name, {
      kind = "message", tick = tick, enters = outgoing.enters, news = news,
      commands = outgoing.commands[name], hand_overs = outgoing.hand_overs[name],
      passed = outgoing.passed[name], held = held_of(member, name), ghosts = outgoing.ghosts[name],
    })
  end
end

-- Entities whose agent's process is gone end when nobody has taken them over.
function ticks.end_orphans(member, tick, news)
  for _, id in ipairs(numbers.sorted(member.owned)) do
    local entity = member.owned[id]
    if member.keys[entity.home] then
      entity.orphan_until = nil
    else
      entity.orphan_until = entity.orphan_until or tick + member.orphan_ticks
      if tick >= entity.orphan_until then
        member.owned[id] = nil
        news.left[#news.left + 1] = { id = id, stay = entity.stay }
        member.applied[#member.applied + 1] = { orphan = true, stay = entity.stay, tick = tick }
      end
    end
  end
end

-- A region read from a store: what nobody has is its owner's again.
local function take_loaded(member, tick, loaded)
  local owner = member.configuration.owners[loaded.region]
  for _, entity in ipairs(loaded.entities) do
    if not member.directory[entity.id] and not member.ended[entity.stay] then
      local number = numbers.ownership(member.configuration.number, tick, loaded.region)
      member.directory[entity.id] = {
        id = entity.id, stay = entity.stay, region = loaded.region, number = number, home = entity.home,
        expected = entity.expected, read = true,
      }
      if owner == member.name then
        local own = ticks.copy_of(entity)
        own.region, own.number, own.held = loaded.region, number, {}
        member.owned[entity.id] = own
      end
    end
  end
  member.loading[loaded.region] = nil
end

-- News of messages change the directory, hand-overs are taken in. Also done alone, when the configuration
-- ends in the middle of a tick: then of those messages that are here.
function ticks.take_in(member, tick, message)
  ghosts.take_in(member, message.ghosts)
  for _, left in ipairs(message.news.left) do
    local known = member.directory[left.id]
    if known and known.stay == left.stay then
      member.directory[left.id] = nil
    end
    member.ended[left.stay] = tick
  end
  for _, handed in ipairs(message.news.handed) do
    local known = member.directory[handed.id]
    if known and known.stay == handed.stay then
      known.region, known.number = handed.region, handed.number
    end
  end
  for _, entity in ipairs(message.hand_overs) do
    local have = member.owned[entity.id]
    if not have or numbers.later(entity.number, have.number) then
      member.owned[entity.id] = ticks.copy_of(entity)
      ghosts.take_over(member, entity)
      if member.ghosts[entity.region] then
        member.ghosts[entity.region][entity.id] = nil
      end
    end
  end
  if tick > member.taken_in then
    member.taken_in = tick
  end
end

-- Steps 5 to 7: all messages of this tick are here.
function ticks.finish(member, tick)
  local came = {}
  for i, name in ipairs(member.names) do
    came[i] = ticks.message(member, name, tick)
    ticks.take_in(member, tick, came[i])
  end
  for i, name in ipairs(member.names) do
    calls.settle(member, name, tick, came[i].passed, came[i].held)
  end
  calls.free_lines(member, tick)
  local kept = {}
  for _, given in ipairs(member.given) do
    if given.tick >= tick then
      kept[#kept + 1] = given
    end
  end
  member.given = kept
  member.finished = tick
  if not next(member.loading) then
    for stay, ended in pairs(member.ended) do
      if ended < tick - 2 then
        member.ended[stay] = nil
      end
    end
  end
  member.told[#member.told + 1] = {
    kind = "tick", key = member.configuration.key, tick = tick, owned = ticks.stays_of(member),
    views = ghosts.views(member), members = #member.names,
  }
  -- Entities read from stores are there from the next tick on.
  local read = false
  for _, message in ipairs(came) do
    for _, loaded in ipairs(message.news.loaded) do
      take_loaded(member, tick, loaded)
      read = true
    end
  end
  member.observe(member, tick)
  for _, name in ipairs(member.names) do
    local answers = {}
    for _, one in ipairs(member.results) do
      if one.tick == tick - 1 and one.node == name then
        answers[#answers + 1] = one
      end
    end
    member.send(member, name, { kind = "packets", tick = tick, answers = answers })
  end
  return read
end

-- The entities that this member tells at a tick: id -> { stay, x, astray }. An entity whose region is still
-- read from a store waits with its giver, astray, and does not see all that is near it.
function ticks.stays_of(member)
  local stays = {}
  for id, entity in pairs(member.owned) do
    stays[id] = {
      stay = entity.stay, x = entity.x, astray = member.region_of(entity.x) ~= entity.region,
    }
  end
  return stays
end

-- Packets of ticks that are finished here go to the agents.
function ticks.give_packets(member)
  for _, name in ipairs(member.names) do
    local link = member.links[name]
    while true do
      local tick = member.packets_given[name] + 1
      local number = number_of_message(member, tick) + 1
      local packets = links.item(link, number)
      if not packets or tick > member.finished then
        break
      end
      for _, one in ipairs(packets.answers) do
        calls.answer(member, one.uid, one.outcome)
      end
      member.packets_given[name] = tick
      links.forget(link, number - 2)
    end
  end
end

return ticks
