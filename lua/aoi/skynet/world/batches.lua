-- Moves of agents of one process about entities of one region of another: a batch of them is one command in
-- a message, so that most moves need no table of their own. It has ids, stays and numbers in lists, and the
-- moves themselves as `gathered` of member.lua gave them. The owner takes it in parts: what it can't take as
-- it is becomes single commands.
local batches = {}

-- Numbers the moves of a batch, which go to this region with the message of the tick. stamp: of the first.
function batches.number(member, batch, region, stamp)
  local next_number, directory = member.calls.next_number, member.directory
  batch.kind, batch.region, batch.stamp = "moves", region, stamp
  batch.node, batch.key = member.name, member.key
  local ids, stays, in_turn = member.gathered.ids(batch), {}, {}
  for i, id in ipairs(ids) do
    local stay = directory[id].stay
    local number = next_number[stay] or 1
    stays[i], in_turn[i], next_number[stay] = stay, number, number + 1
  end
  batch.ids, batch.numbers, batch.stays = ids, in_turn, stays
end

-- Move i of the batch as a command.
local function command_of(member, batch, i)
  local call = member.gathered.call(batch, i)
  return {
    uid = call.uid, id = call.id, kind = call.kind, text = call.text, place = call.place,
    source = call.source, stay = batch.stays[i], number = batch.numbers[i], node = batch.node,
    key = batch.key, stamp = batch.stamp + i - 1, at = batch.at, sent = batch.sent,
  }
end

-- The moves of these stays as commands, in their order. stays: a set; nil: of all.
function batches.of_stays(member, batch, stays)
  local list = {}
  for i, stay in ipairs(batch.stays) do
    if not stays or stays[stay] then
      list[#list + 1] = command_of(member, batch, i)
    end
  end
  return list
end

-- A run of moves of the batch as a batch, as its owner needs it.
local function run_of(member, batch, first, last)
  local run = member.gathered.run(batch, first, last)
  run.kind, run.region, run.stamp = batch.kind, batch.region, batch.stamp + first - 1
  run.node, run.key = batch.node, batch.key
  run.ids, run.stays = table.move(batch.ids, first, last, 1, {}), table.move(batch.stays, first, last, 1, {})
  run.numbers = table.move(batch.numbers, first, last, 1, {})
  return run
end

-- The owner takes the batch: moves about entities of its region, in the turn of each, as batches, and each of
-- the others, which has not been taken, as a command. Returns all of these, in their order.
function batches.take(member, batch)
  local ids, stays, in_turn, key, region = batch.ids, batch.stays, batch.numbers, batch.key, batch.region
  local owned, parts, first = member.owned, {}, 1 -- the first one behind those parts
  for i, id in ipairs(ids) do
    local entity = owned[id]
    local expected = entity and entity.expected
    if entity and entity.stay == stays[i] and entity.region == region and not entity.held[key]
      and (expected[key] or 1) == in_turn[i] then
      expected[key] = in_turn[i] + 1
    else
      parts[#parts + 1] = i > first and run_of(member, batch, first, i - 1) or nil
      parts[#parts + 1], first = command_of(member, batch, i), i + 1
    end
  end
  if first == 1 then -- as most
    return { batch }
  end
  parts[#parts + 1] = first <= #ids and run_of(member, batch, first, #ids) or nil
  return parts
end

return batches
