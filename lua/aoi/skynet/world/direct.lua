-- Direct moves: of agents of this process. They wait in `gathered`, apart from all other calls. The tick that
-- begins next applies those about entities that are owned here. They take no number: as long as the next
-- number that this node would give is the one that its owner expects, nothing of the node is under way about
-- the stay, and a number would say nothing. The others go to their owners with its message, as batches.
local direct = {}

-- The region that applies direct moves of the entity; nil: there are none.
local function region_of(member, id)
  local entity, known, of_node = member.owned[id], member.directory[id], member.calls
  local owner = known and member.configuration.owners[known.region]
  if not owner or member.loading[known.region] then
    return nil
  elseif owner == member.name and (not entity or known.stay ~= entity.stay or entity.held[member.key]
    or (of_node.next_number[entity.stay] or 1) ~= (entity.expected[member.key] or 1)) then
    return nil
  end
  return known.region
end

-- An agent has asked about the entity: what comes behind that waits, too.
function direct.asked(member, id)
  if member.gathered then
    member.gathered.close(id)
    member.asked[id] = true
  end
end

-- The entity has another owner now, or none.
function direct.close(member, id)
  if member.gathered then
    member.gathered.close(id)
  end
end

-- Looks again at the entities about which agents have asked.
function direct.look(member)
  if not next(member.asked) then
    return
  end
  local queued, of_node = {}, member.calls
  for _, call in ipairs(of_node.queue) do
    if call.kind ~= "area" then
      queued[call.id] = true
    end
  end
  for id in pairs(member.asked) do
    local waits = queued[id] or of_node.under_way[id] or of_node.lines[id]
    local region = not waits and region_of(member, id)
    if region then
      member.gathered.open(id, region)
    end
    if region or not waits and not member.owned[id] then
      member.asked[id] = nil
    end
  end
end

-- Puts calls in front of those that wait.
function direct.put_first(member, list)
  if list[1] then
    local queue = member.calls.queue
    member.calls.queue = table.move(queue, 1, #queue, #list + 1, list)
  end
end

-- Takes out the moves that wait as a tick begins: region -> batch, with n, how many they are. Those
-- that have to go another way stand in front of the queue then.
function direct.take(member)
  if not member.gathered then
    return {}
  end
  direct.look(member)
  local batches, strays = member.gathered.drain()
  direct.put_first(member, strays)
  return batches
end

-- Moves that wait are calls like all others from now on.
function direct.end_all(member)
  if member.gathered then
    member.gathered.close_all()
    local _, strays = member.gathered.drain()
    direct.put_first(member, strays)
  end
end

return direct
