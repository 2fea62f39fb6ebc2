-- Moves of agents of one process about entities of one region of another: a batch of them is one command in
-- a message, so that most moves need no table of their own. It has id, number and stay of each in lists, and
-- the moves themselves as `gathered` of member.lua gave them. A process that can't take a batch as it is
-- makes single commands of it.
local batches = {}

-- Numbers the moves of a batch, which go to this region with the message of the tick. stamp: of the first.
function batches.number(member, batch, region, stamp)
  local next_number, directory = member.calls.next_number, member.directory
  batch.kind, batch.region, batch.stamp = "moves", region, stamp
  batch.node, batch.key = member.name, member.key
  batch.ids, batch.stays, batch.numbers = member.gathered.ids(batch), {}, {}
  for i, id in ipairs(batch.ids) do
    local stay = directory[id].stay
    local number = next_number[stay] or 1
    batch.stays[i], batch.numbers[i], next_number[stay] = stay, number, number + 1
  end
end

-- Move i of the batch as a command.
function batches.command(member, batch, i)
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
      list[#list + 1] = batches.command(member, batch, i)
    end
  end
  return list
end

-- Whether the owner takes the batch: all of it is about entities of its region, in the turn of each. Else
-- nothing has changed.
function batches.take(member, batch)
  local ids, stays, numbers, key, region = batch.ids, batch.stays, batch.numbers, batch.key, batch.region
  for i = 1, #ids do
    local entity = member.owned[ids[i]]
    local expected = entity and entity.expected
    if not entity or entity.stay ~= stays[i] or entity.region ~= region or entity.held[key]
      or (expected[key] or 1) ~= numbers[i] then
      for k = 1, i - 1 do
        local taken = member.owned[ids[k]].expected
        taken[key] = taken[key] - 1
      end
      return false
    end
    expected[key] = numbers[i] + 1
  end
  return true
end

return batches
