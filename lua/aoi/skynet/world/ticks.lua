-- One tick of a member: it begins with the messages of the tick before, and is finished with those of its own
-- tick. All functions decide by the member's state and what has come alone.
--
-- Items of a link are, in turn, the message of a tick and the packets of it, from the first tick of the
-- configuration on.
local batches = require "aoi.skynet.world.batches"
local calls = require "aoi.skynet.world.calls"
local direct = require "aoi.skynet.world.direct"
local links = require "aoi.skynet.world.links"
local numbers = require "aoi.skynet.world.numbers"

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

-- text: what its node is told beside the outcome.
local function result(member, tick, command, outcome, text)
  member.results[#member.results + 1] = {
    tick = tick, node = command.node, uid = command.uid, outcome = outcome, text = text,
    source = command.source, id = command.id, kind = command.kind, stay = command.stay,
    number = command.number,
  }
end

local function messages_before(member, tick)
  local list = {}
  for _, name in ipairs(member.names) do
    list[#list + 1] = tick > member.first_tick and ticks.message(member, name, tick - 1) or nil
  end
  return list
end

local function add_work(work, region, command)
  local list = work[region]
  if not list then
    list = {}
    work[region] = list
  end
  list[#list + 1] = command
end

-- Notes an entity whose agent's process may be no member: end_orphans looks at it.
function ticks.note_home(member, entity)
  if entity.home and not member.keys[entity.home] then
    member.homeless[entity.id] = true
  end
end

-- ---- begin ------------------------------------------------------------------------------------

-- Whether a command fits an entity that is in, and one that is not.
local function is_for_both(command)
  return command.kind == "update" or command.takes_over
end

-- Every member judges all enters alike: the directory and the order of stamps say the same everywhere.
local function judge(member, tick, before, work)
  local configuration = member.configuration
  for _, message in ipairs(before) do
    for _, enter in ipairs(message.enters) do
      local owner, outcome = configuration.owners[enter.region], nil
      if member.directory[enter.id] then
        outcome = is_for_both(enter) and "anew" or "refused"
      elseif not owner or next(member.loading) or member.has_unread then
        outcome = "again" -- a store may have it
      else
        local number = numbers.ownership(configuration.number, tick, enter.region)
        member.directory[enter.id] = {
          id = enter.id, stay = enter.stay, region = enter.region, number = number, entered = tick,
        }
        if owner == member.name then
          member.owned[enter.id] = {
            id = enter.id, stay = enter.stay, region = enter.region, number = number, home = enter.home,
            expected = { [enter.key] = 1 }, held = {},
          }
          ticks.note_home(member, member.owned[enter.id])
          add_work(work, enter.region, enter)
        end
      end
      if outcome and enter.node == member.name then
        result(member, tick, enter, outcome)
      end
    end
  end
end

-- Every member judges all commands about areas alike, behind the enters of the tick.
local function judge_areas(member, tick, before)
  local list = {}
  for _, message in ipairs(before) do
    table.move(message.areas, 1, #message.areas, #list + 1, list)
  end
  if next(member.loading) then -- which may bring more of them
    for _, command in ipairs(list) do
      if command.node == member.name then
        result(member, tick, command, "again")
      end
    end
  elseif member.land.judge_areas then
    for i, judged in ipairs(member.land.judge_areas(member, tick, list)) do
      if list[i].node == member.name then
        result(member, tick, list[i], judged[1], judged[2])
      end
    end
  end
end

-- Gives a command to its region in its turn, and those that have waited for it.
local function take_command(member, entity, command, work)
  local expected = entity.expected[command.key] or 1
  if command.number < expected then
    return
  end
  local held = entity.held[command.key]
  if command.number == expected and not held then -- as most
    entity.expected[command.key] = expected + 1
    add_work(work, entity.region, command)
    return
  end
  held = held or {}
  entity.held[command.key] = held
  member.holding[entity.id] = true
  held[command.number] = command
  while held[expected] do
    add_work(work, entity.region, held[expected])
    held[expected] = nil
    expected = expected + 1
  end
  entity.expected[command.key] = expected
  if not next(held) then
    entity.held[command.key] = nil
  end
end

local function by_stamp(a, b)
  return a.stamp < b.stamp
end

-- A command whose entity is not here: on to its owner, or it is refused.
local function pass_on(member, tick, command, outgoing)
  local known = member.directory[command.id]
  local owner = known and known.stay == command.stay and member.configuration.owners[known.region]
  if owner and owner ~= member.name then
    local list = outgoing.commands[owner]
    list[#list + 1] = command
    if outgoing.passed[command.node] then
      outgoing.passed[command.node][calls.name_of(command)] = owner
    end
    return owner
  end
  result(member, tick, command, is_for_both(command) and "anew" or "refused")
end

-- Gives a command of a message to the owner of its entity. Returns it, should that be another member.
local function give_command(member, tick, command, outgoing, work)
  local entity = member.owned[command.id]
  if entity and entity.stay == command.stay then
    take_command(member, entity, command, work)
  else
    return pass_on(member, tick, command, outgoing)
  end
end

local function give_commands(member, tick, before, outgoing, work)
  local commands = {}
  for _, message in ipairs(before) do
    table.move(message.commands, 1, #message.commands, #commands + 1, commands)
  end
  if commands[1] then
    table.sort(commands, by_stamp)
  end
  for _, command in ipairs(commands) do
    if not command.ids then
      give_command(member, tick, command, outgoing, work)
    elseif batches.take(member, command) then
      add_work(work, command.region, command)
    else
      for _, one in ipairs(batches.of_stays(member, command)) do
        give_command(member, tick, one, outgoing, work)
      end
    end
  end
  -- The own agents have come last. Their commands that are applied now need not be kept.
  for _, command in ipairs(outgoing.own) do
    local entity = member.owned[command.id]
    local owner = give_command(member, tick, command, outgoing, work)
    local held = entity and entity.stay == command.stay and entity.held[command.key]
    if owner or held and held[command.number] then
      calls.keep(member, command, member.name, tick - 1)
    end
  end
end

-- Entities whose agent's process is gone end when nobody has taken them over.
local function end_orphans(member, tick, work)
  for _, id in ipairs(next(member.homeless) and numbers.sorted(member.homeless) or {}) do
    local entity = member.owned[id]
    if not entity then
      member.homeless[id] = nil
    elseif not entity.home or member.keys[entity.home] then
      entity.orphan_until, member.homeless[id] = nil, nil
    else
      entity.orphan_until = entity.orphan_until or tick + member.orphan_ticks
    end
    if member.homeless[id] and tick >= entity.orphan_until then
      add_work(work, entity.region, { id = id, kind = "leave", stay = entity.stay, is_orphan = true })
    end
  end
end

-- Copies an entity as it is now: who gets it must not see what happens to it here, nor the other way round.
function ticks.copy_of(entity)
  local copy = {}
  for key, value in pairs(entity) do
    copy[key] = value
  end
  copy.expected, copy.held = {}, {}
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

-- The stay is over.
local function on_left(member, tick, id, news)
  local entity = member.owned[id]
  if entity then
    member.owned[id] = nil
    member.ended[entity.stay] = tick -- for the chunk, should nobody else hear of it
    direct.close(member, id)
    news.left[#news.left + 1] = { id = id, stay = entity.stay }
    for _, key in ipairs(numbers.sorted(entity.held)) do
      for _, number in ipairs(numbers.sorted(entity.held[key])) do
        result(member, tick, entity.held[key][number], "refused")
      end
    end
  end
end

-- A region gives an entity to another one, with what it has of it (`luggage`).
local function hand_over(member, tick, crossing, outgoing, news)
  local id, region = crossing.id, crossing.to
  local entity, taker = member.owned[id], member.configuration.owners[region]
  local number, from = numbers.ownership(member.configuration.number, tick, region), entity.region
  local copy = ticks.copy_of(entity)
  copy.region, copy.number, copy.luggage = region, number, crossing.luggage
  member.owned[id] = nil
  direct.close(member, id)
  outgoing.hand_overs[taker][#outgoing.hand_overs[taker] + 1] = copy
  member.given[#member.given + 1] = {
    entity = copy, from = from, to = taker, to_key = member.key_of[taker], tick = tick, number = number,
  }
  news.handed[#news.handed + 1] = { id = id, stay = entity.stay, region = region, number = number }
  for _, held in pairs(entity.held) do
    for _, command in pairs(held) do
      if outgoing.passed[command.node] then
        outgoing.passed[command.node][calls.name_of(command)] = taker
      end
    end
  end
end

-- Takes in what became of a region's commands: a list of { outcome, text }, for each move of a batch one.
local function take_results(member, tick, commands, results)
  local n = 0
  for _, command in ipairs(commands) do
    local list = command.ids
    for i = 1, list and #list or 1 do
      n = n + 1
      local outcome, text = results[n][1], results[n][2]
      local one = list and (outcome ~= "done" or command.wants) and batches.command(member, command, i)
        or command
      local entity = not list and member.owned[one.id]
      if outcome == "done" and one.home ~= nil and entity and entity.stay == one.stay then
        entity.home = one.home
        ticks.note_home(member, entity)
      end
      if one.node and (one.uid or outcome ~= "done") then
        result(member, tick, one, outcome, text)
      end
    end
  end
end

-- Takes in what regions have done: done[region] = { results = list of { outcome, text } like work[region],
-- left = list of ids, crossed = list of { id, to, luggage }, ghosts = list of { region = for this one, ... },
-- moved = list of { call, outcome, text }: direct moves of which their agents are to hear }.
local function take_outcome(member, tick, work, done, outgoing, news)
  local owners = member.configuration.owners
  for _, region in ipairs(numbers.sorted(done)) do
    local of = done[region]
    take_results(member, tick, work[region] or {}, of.results)
    for _, one in ipairs(of.moved or {}) do
      local call = one[1]
      result(member, tick, {
        node = member.name, uid = call.uid, source = call.source, id = call.id, kind = call.kind,
      }, one[2], one[3])
    end
    for _, id in ipairs(of.left) do
      on_left(member, tick, id, news)
    end
    for _, crossing in ipairs(of.crossed) do
      hand_over(member, tick, crossing, outgoing, news)
    end
    for _, ghosts in ipairs(of.ghosts) do
      local owner = owners[ghosts.region]
      if owner then
        outgoing.ghosts[owner][#outgoing.ghosts[owner] + 1] = ghosts
      end
    end
  end
end

-- The commands that wait here for earlier ones: node -> name -> true.
local function held_by_node(member)
  local held = {}
  for id in pairs(member.holding) do
    local entity = member.owned[id]
    if not entity or not next(entity.held) then
      member.holding[id] = nil
    else
      for _, by_number in pairs(entity.held) do
        for _, command in pairs(by_number) do
          held[command.node] = held[command.node] or {}
          held[command.node][calls.name_of(command)] = true
        end
      end
    end
  end
  return held
end

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

-- Commands that a change of the configuration left to send again go first.
local function issue_again(member, tick, outgoing)
  local again = member.again
  member.again = { enters = {}, commands = {} }
  local renamed = {}
  for _, enter in ipairs(again.enters) do
    renamed[enter.stay] = {
      stay = calls.send_enter(member, enter.call, tick, outgoing), region = enter.call.region,
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
      copy.stamp = numbers.stamp(tick, member.place, outgoing.place)
      outgoing.commands[owner][#outgoing.commands[owner] + 1] = copy
      calls.keep(member, copy, owner, tick)
    else
      calls.answer(member, command.uid, "unknown")
    end
  end
end

-- Steps 1 to 3: judges, applies, writes the chunk, sends the message of this tick. The one before is
-- finished.
function ticks.begin(member, tick)
  local before = messages_before(member, tick)
  local outgoing, work = new_outgoing(member), {}
  local news = { left = {}, handed = {}, loaded = member.loaded }
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
  issue_again(member, tick, outgoing)
  calls.issue(member, tick, outgoing)
  judge(member, tick, before, work)
  judge_areas(member, tick, before)
  give_commands(member, tick, before, outgoing, work)
  end_orphans(member, tick, work)
  local done = member.land.begin(member, tick, work, moves)
  take_outcome(member, tick, work, done, outgoing, news)
  direct.look(member)
  member.tick = tick
  news.unsaved = member.land.write(member)
  for region, owner in pairs(member.configuration.owners) do
    if owner == member.name and not member.loading[region] then
      member.written[region] = member.configuration.number
    end
  end
  local held = held_by_node(member)
  for _, name in ipairs(member.names) do
    member.send(member, name, {
      kind = "message", tick = tick, enters = outgoing.enters, areas = outgoing.areas, news = news,
      commands = outgoing.commands[name], hand_overs = outgoing.hand_overs[name],
      passed = outgoing.passed[name], held = held[name] or {}, ghosts = outgoing.ghosts[name],
    })
  end
end

-- ---- finish -----------------------------------------------------------------------------------

-- Takes out again what another store has that does not know yet of its end. Returns a list of those that were
-- owned here.
local function drop_ended(member)
  local dropped = {}
  for id, known in pairs(member.directory) do
    if known.read and member.ended[known.stay] then
      member.directory[id] = nil
      dropped[#dropped + 1] = member.owned[id]
      member.owned[id] = nil
      direct.close(member, id)
    end
  end
  return dropped
end

-- An entity of a store is its region's again, unless somebody has it. Adds it to `kept` when it is our own.
local function take_stored(member, tick, region, entity, kept)
  if not member.directory[entity.id] and not member.ended[entity.stay] then
    local number = numbers.ownership(member.configuration.number, tick, region)
    member.directory[entity.id] = {
      id = entity.id, stay = entity.stay, region = region, number = number, expected = entity.expected,
      read = true,
    }
    if member.configuration.owners[region] == member.name then
      local own = ticks.copy_of(entity)
      own.region, own.number, own.held, own.is_given = region, number, {}, nil
      member.owned[entity.id], kept[#kept + 1] = own, own
      ticks.note_home(member, own)
    end
  end
end

-- A region was read from a store. What it had given away counts when all stores are read: another one may
-- have what became of it.
local function take_loaded(member, tick, loaded)
  local kept, waiting = {}, member.waiting
  for stay in pairs(loaded.ended) do
    member.ended[stay] = tick
  end
  for _, entity in ipairs(loaded.entities) do
    if entity.is_given then
      waiting[#waiting + 1] = { region = loaded.region, entity = entity }
    else
      take_stored(member, tick, loaded.region, entity, kept)
    end
  end
  member.loading[loaded.region] = nil
  member.land.loaded(member, loaded, kept, drop_ended(member))
  if not next(member.loading) and not next(member.unsaved) then
    member.waiting = {}
    for _, one in ipairs(waiting) do
      local back = {}
      take_stored(member, tick, one.region, one.entity, back)
      if back[1] then
        member.land.taken_back(member, one.region, back)
      end
    end
  end
end

-- News change the directory. Also done alone, when the configuration ends in the middle of a tick: then of
-- those messages that are here.
local function take_news(member, tick, news)
  for _, left in ipairs(news.left) do
    local known = member.directory[left.id]
    if known and known.stay == left.stay then
      member.directory[left.id] = nil
      member.observe(member, "left", left.id)
    end
    member.ended[left.stay] = tick
    member.calls.next_number[left.stay] = nil
    direct.close(member, left.id)
  end
  for _, handed in ipairs(news.handed) do
    local known = member.directory[handed.id]
    if known and known.stay == handed.stay then
      known.region, known.number = handed.region, handed.number
      direct.close(member, handed.id)
    end
  end
end

-- Notes which of the regions of a member have a store that is behind.
local function note_unsaved(member, name, unsaved)
  if unsaved or next(member.unsaved) then
    for region, owner in pairs(member.configuration.owners) do
      member.unsaved[region] = owner ~= name and member.unsaved[region] or nil
    end
    for _, region in ipairs(unsaved or {}) do
      member.unsaved[region] = true
    end
  end
end

-- Takes in messages: news, ghosts and hand-overs.
function ticks.take_in(member, tick, messages)
  local ghosts, taken = {}, {}
  for _, message in ipairs(messages) do
    member.taken[message] = true
    take_news(member, tick, message.news)
    table.move(message.ghosts, 1, #message.ghosts, #ghosts + 1, ghosts)
    for _, entity in ipairs(message.hand_overs) do
      local have = member.owned[entity.id]
      if not have or numbers.later(entity.number, have.number) then
        local own = ticks.copy_of(entity)
        member.owned[entity.id], taken[#taken + 1] = own, own
        ticks.note_home(member, own)
        member.holding[entity.id] = next(own.held) and true or nil
      end
    end
  end
  member.land.take(member, tick, ghosts, taken)
  for _, own in ipairs(taken) do
    own.luggage = nil
  end
end

local function forget_old(member, tick)
  local kept = {}
  for _, given in ipairs(member.given) do
    if given.tick >= tick then
      kept[#kept + 1] = given
    end
  end
  member.given = kept
  -- A store that is read, or is behind, may have stays that ended long ago.
  if not next(member.loading) and not next(member.unsaved) then
    for stay, ended in pairs(member.ended) do
      if ended < tick - 2 then
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
  ticks.take_in(member, tick, came)
  for i, name in ipairs(member.names) do
    calls.settle(member, name, tick, came[i].passed, came[i].held)
    note_unsaved(member, name, came[i].news.unsaved)
  end
  calls.free_lines(member, tick)
  forget_old(member, tick)
  member.finished = tick
  local packets = member.land.tell(member, tick)
  -- Entities read from stores are there from the next tick on.
  local read = false
  for _, message in ipairs(came) do
    for _, loaded in ipairs(message.news.loaded) do
      take_loaded(member, tick, loaded)
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
    if one.tick < tick then
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
    local item = { kind = "packets", tick = tick, answers = answers[name], texts = packets[name] or {} }
    member.last_packets[name] = item
    member.send(member, name, item)
  end
  return read
end

-- Gives the agents what packets of this member have for them.
function ticks.give(member, name, packets)
  member.packets_given[name] = packets.tick
  for _, one in ipairs(packets.answers) do
    calls.take_result(member, one)
  end
  member.land.give(member, name, packets.texts)
end

-- Packets of ticks that are finished here go to the agents: those of one tick before those of the next.
function ticks.give_packets(member)
  local least = math.huge
  for _, name in ipairs(member.names) do
    least = math.min(least, member.packets_given[name])
  end
  for tick = least + 1, member.finished do
    for _, name in ipairs(member.names) do
      local number = number_of_message(member, tick) + 1
      local packets = links.item(member.links[name], number)
      if packets and member.packets_given[name] < tick then
        ticks.give(member, name, packets)
        links.forget(member.links[name], number - 2)
      end
    end
  end
end

return ticks
