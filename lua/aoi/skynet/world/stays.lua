-- Entities that a member owns: { id, stay, number = ownership number, region, home = key of the process of
-- its agent, expected = key of a process -> number of its next command, held = key -> number -> command that
-- waits for an earlier one, luggage = of one that comes }. An entity that is back from before has, until its
-- region has taken it, as_of = the tick at whose end it was so, and said = the latest that a node was told of
-- its agent, if that was after this tick.
local stays = {}

-- Notes an entity whose agent's process may be no member: end_orphans looks at it. One that has another agent
-- by now is an orphan no more.
function stays.note_home(member, entity)
  if entity.home and not member.keys[entity.home] then
    member.homeless[entity.id] = true
  else
    entity.orphan_until = nil
  end
end

-- Copies an entity as it is now: who gets it must not see what happens to it here, nor the other way round.
function stays.copy_of(entity)
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

-- The key of the process of an entity's agent, by what its region says of it; nil or false: it has none.
function stays.home_of(said)
  return said.address and said.address:match "^%w+"
end

-- An entity is back, as it was in tick as_of: others may have told its agent's node more since then.
function stays.hear(member, entity)
  local said = member.agents[entity.stay]
  if said and said.tick > entity.as_of then
    entity.said, entity.home = said, stays.home_of(said)
  end
end

-- Regions have taken these entities.
function stays.settle_in(list)
  for _, entity in ipairs(list) do
    entity.luggage, entity.areas, entity.as_of, entity.said = nil, nil, nil, nil
  end
end

return stays
