-- The first step of a tick: enters and commands of the tick before are judged, go to the regions as work
-- (region -> list of commands), and what became of them is taken in.
local batches = require "aoi.skynet.world.batches"
local calls = require "aoi.skynet.world.calls"
local direct = require "aoi.skynet.world.direct"
local numbers = require "aoi.skynet.world.numbers"
local stays = require "aoi.skynet.world.stays"

local applying = {}

-- text: what its node is told beside the outcome.
local function result(member, tick, command, outcome, text)
  member.results[#member.results + 1] = {
    tick = tick, node = command.node, uid = command.uid, outcome = outcome, text = text,
    source = command.source, id = command.id, kind = command.kind, stay = command.stay,
    number = command.number,
  }
end

local function add_work(work, region, command)
  local list = work[region]
  if not list then
    list = {}
    work[region] = list
  end
  list[#list + 1] = command
end

-- Every member judges all enters alike: the directory and the order of stamps say the same everywhere.
function applying.judge(member, tick, before, work)
  local configuration = member.configuration
  for _, message in ipairs(before) do
    for _, enter in ipairs(message.enters) do
      local owner, outcome = configuration.owners[enter.region], nil
      if member.directory[enter.id] then
        outcome = calls.is_for_both(enter) and "anew" or "refused"
      elseif not owner or next(member.loading) or member.has_unread then
        outcome = "again" -- a store may have it
      else
        local number = numbers.ownership(configuration.number, tick, enter.region)
        member.directory[enter.id] = {
          id = enter.id, stay = enter.stay, region = enter.region, number = number, entered = tick,
        }
        if owner == member.name then
          member.owned[enter.id] = {
            id = enter.id, stay = enter.stay, region = enter.region, number = number,
            expected = { [enter.key] = 1 }, held = {},
          }
          add_work(work, enter.region, enter)
        end
      end
      if outcome and enter.node == member.name then
        if outcome == "anew" then
          calls.answer(member, enter.uid, outcome)
        else
          result(member, tick, enter, outcome)
        end
      end
    end
  end
end

-- Every member judges all commands about areas alike, behind the enters of the tick.
function applying.judge_areas(member, tick, before)
  local list = {}
  for _, message in ipairs(before) do
    table.move(message.areas, 1, #message.areas, #list + 1, list)
  end
  if next(member.loading) or member.has_unread then -- a store may have more of them
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
  result(member, tick, command, calls.is_for_both(command) and "anew" or "refused")
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

-- As give_command, for a batch of moves: what its region takes as it is goes there as batches.
local function give_batch(member, tick, batch, outgoing, work)
  for _, part in ipairs(batches.take(member, batch)) do
    if part.ids then
      add_work(work, part.region, part)
    else
      give_command(member, tick, part, outgoing, work)
    end
  end
end

function applying.give_commands(member, tick, before, outgoing, work)
  local commands = {}
  for _, message in ipairs(before) do
    table.move(message.commands, 1, #message.commands, #commands + 1, commands)
  end
  numbers.sort_by(commands, "stamp") -- only those that are passed on have earlier ones
  for _, command in ipairs(commands) do
    local give = command.ids and give_batch or give_command
    give(member, tick, command, outgoing, work)
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
function applying.end_orphans(member, tick, work)
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

-- The stay is over, if it is one of this region: it has ended, or its enter was refused there.
local function on_left(member, tick, id, region, news)
  local entity = member.owned[id]
  if entity and entity.region == region then
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

-- A region gives an entity to another one, with what it has of it (`luggage`), and beside that its areas, for
-- the world's table of them, should the entity be read from a store.
local function hand_over(member, tick, crossing, outgoing, news)
  local id, region = crossing.id, crossing.to
  local entity, taker = member.owned[id], member.configuration.owners[region]
  local number, from = numbers.ownership(member.configuration.number, tick, region), entity.region
  local copy = stays.copy_of(entity)
  copy.region, copy.number, copy.luggage, copy.areas = region, number, crossing.luggage, crossing.areas
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

-- Takes in what became of a command.
local function take_result(member, tick, command, outcome, text)
  if outcome == "out" then -- a leave makes no room in its own tick
    outcome = calls.is_for_both(command) and "anew" or "refused"
  end
  if command.node and (command.uid or outcome ~= "done") then
    result(member, tick, command, outcome, text)
  end
end

-- Takes in what became of a region's commands: place -> { outcome, text }, each move of a batch has a place.
-- None: it was done, and nobody wants to know.
local function take_results(member, tick, commands, results)
  local n = 0
  for _, command in ipairs(next(results) and commands or {}) do
    local list = nil -- of a batch: its moves as commands
    for i = 1, command.ids and #command.ids or 1 do
      n = n + 1
      local became = results[n]
      if became then
        list = list or command.ids and batches.of_stays(member, command) or { command }
        take_result(member, tick, list[i], became[1], became[2])
      end
    end
  end
end

-- A region says whose entities are: the node of the agent hears it, and that of the agent before; all nodes,
-- when the region that has changed it is lost, as any may have had the agent. That it has numbered a stream
-- itself is news: the agent's node is to know it before it sends the next call that begins one.
local function take_agents(member, tick, list, news)
  for _, one in ipairs(list) do
    local entity = member.owned[one.id]
    one.tick = tick
    if one.is_past then
      news.raised[#news.raised + 1] = one
    elseif entity then
      local before = entity.home
      one.stay = entity.stay
      member.said[#member.said + 1] = one
      entity.home = stays.home_of(one)
      stays.note_home(member, entity)
      for _, name in ipairs(member.names) do
        local key = member.key_of[name]
        if one.is_for_all or key == before or key == entity.home then
          result(member, tick, { node = name, id = one.id, kind = "agent", stay = entity.stay }, "agent", one)
        end
      end
    end
  end
end

-- Takes in what regions have done: done[region] = { results = place in work[region] -> { outcome, text },
-- agents = list of { id, address = of its agent, the key of its process in front, or false, is_for_all },
-- left = list of ids, also of those that were refused when they were to enter,
-- crossed = list of { id, to, luggage }, ghosts = list of { region = for this one, ... },
-- moved = list of { call, outcome, text }: direct moves of which their agents are to hear }.
function applying.take_outcome(member, tick, work, done, outgoing, news)
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
    take_agents(member, tick, of.agents, news)
    for _, id in ipairs(of.left) do
      on_left(member, tick, id, region, news)
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
function applying.held_by_node(member)
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

return applying
