-- Takes in what has come: news, ghosts and hand-overs of messages, and what was read from stores.
local direct = require "aoi.skynet.world.direct"
local numbers = require "aoi.skynet.world.numbers"
local stays = require "aoi.skynet.world.stays"

local taking = {}

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

-- Whether an entity of a store counts: nobody has it, or somebody has it with an earlier ownership number,
-- from a store that was behind.
local function counts(member, entity)
  local known = member.directory[entity.id]
  return not member.ended[entity.stay] and not (known and not numbers.later(entity.number, known.number))
end

-- An entity of a store is its region's from now on, with this ownership number. Adds it to `kept` when it is
-- our own, and to `dropped` what we had of it.
local function take_stored(member, region, entity, number, kept, dropped)
  local id = entity.id
  if member.directory[id] then
    dropped[#dropped + 1] = member.owned[id]
    member.owned[id] = nil
    direct.close(member, id)
  end
  member.directory[id] = {
    id = id, stay = entity.stay, region = region, number = number, expected = entity.expected, read = true,
  }
  if member.configuration.owners[region] == member.name then
    local own = stays.copy_of(entity)
    own.region, own.number, own.held, own.is_given = region, number, {}, nil
    member.owned[id], kept[#kept + 1] = own, own
    stays.note_home(member, own)
  end
end

-- Entities that stores list as given, in the order in which they count: the one that was given last first.
function taking.in_turn(waiting)
  table.sort(waiting, function(a, b)
    return numbers.later(a.entity.number, b.entity.number)
  end)
  return waiting
end

-- A region was read from a store. What it had given away counts when all stores are read: another one may
-- have what became of it.
function taking.take_loaded(member, tick, loaded)
  local kept, waiting = {}, member.waiting
  for stay in pairs(loaded.ended) do
    member.ended[stay] = tick
  end
  local dropped = drop_ended(member)
  for _, entity in ipairs(loaded.entities) do
    if entity.is_given then
      waiting[#waiting + 1] = { region = loaded.region, entity = entity }
    elseif counts(member, entity) then
      take_stored(member, loaded.region, entity, entity.number, kept, dropped)
    end
  end
  member.loading[loaded.region] = nil
  member.land.loaded(member, loaded, kept, dropped)
  if not next(member.loading) then
    member.waiting = {}
    for _, one in ipairs(taking.in_turn(waiting)) do
      if counts(member, one.entity) then
        local back, behind = {}, {}
        local number = numbers.ownership(member.configuration.number, tick, one.region)
        take_stored(member, one.region, one.entity, number, back, behind)
        if back[1] then
          member.land.taken_back(member, one.region, back)
        end
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

-- Takes in messages: news, ghosts and hand-overs.
function taking.take_in(member, tick, messages)
  local ghosts, taken = {}, {}
  for _, message in ipairs(messages) do
    member.taken[message] = true
    take_news(member, tick, message.news)
    table.move(message.ghosts, 1, #message.ghosts, #ghosts + 1, ghosts)
    for _, entity in ipairs(message.hand_overs) do
      local have = member.owned[entity.id]
      if not have or numbers.later(entity.number, have.number) then
        local own = stays.copy_of(entity)
        member.owned[entity.id], taken[#taken + 1] = own, own
        stays.note_home(member, own)
        member.holding[entity.id] = next(own.held) and true or nil
      end
    end
  end
  member.land.take(member, tick, ghosts, taken)
  for _, own in ipairs(taken) do
    own.luggage = nil
  end
end

return taking
