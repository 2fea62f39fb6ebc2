-- Moves of agents of one process about entities of one region of another: a batch of them is one command in
-- a message, so that most moves need no table of their own. It has ids and numbers in lists, the stays in one
-- string, so that none of them is made anew where it comes, and the moves themselves as `gathered` of
-- member.lua gave them. A process that can't take a batch as it is makes single commands of it.
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
  batch.ids, batch.numbers, batch.stays = ids, in_turn, table.concat(stays, " ")
end

-- Move i of the batch as a command.
local function command_of(member, batch, i, stay)
  local call = member.gathered.call(batch, i)
  return {
    uid = call.uid, id = call.id, kind = call.kind, text = call.text, place = call.place,
    source = call.source, stay = stay, number = batch.numbers[i], node = batch.node,
    key = batch.key, stamp = batch.stamp + i - 1, at = batch.at, sent = batch.sent,
  }
end

-- The moves of these stays as commands, in their order. stays: a set; nil: of all.
function batches.of_stays(member, batch, stays)
  local list, i = {}, 0
  for stay in batch.stays:gmatch "%S+" do
    i = i + 1
    if not stays or stays[stay] then
      list[#list + 1] = command_of(member, batch, i, stay)
    end
  end
  return list
end

-- Whether the owner takes the batch: all of it is about entities of its region, in the turn of each. Else
-- nothing has changed.
function batches.take(member, batch)
  local ids, in_turn, key, region = batch.ids, batch.numbers, batch.key, batch.region
  local owned, stays, n = member.owned, {}, 0
  for i, id in ipairs(ids) do
    local entity = owned[id]
    local expected = entity and entity.expected
    if not entity or entity.region ~= region or entity.held[key] or (expected[key] or 1) ~= in_turn[i] then
      break
    end
    stays[i], expected[key], n = entity.stay, in_turn[i] + 1, i
  end
  local is_taken = n == #ids and table.concat(stays, " ") == batch.stays
  for i = 1, is_taken and 0 or n do
    local expected = owned[ids[i]].expected
    expected[key] = expected[key] - 1
  end
  return is_taken
end

return batches
