-- Takes in what has come: news, ghosts and hand-overs of messages, and what was read from stores.
local direct = require "aoi.skynet.world.direct"
local numbers = require "aoi.skynet.world.numbers"
local stays = require "aoi.skynet.world.stays"

local taking = {}

-- Of each entity the state that counts, of all that was read: with the latest ownership number, and of two
-- with the same one that of the owner, not of the giver. Returns entity -> { region, entity }.
local function latest_of(all)
  local latest = {}
  for _, region in ipairs(numbers.sorted(all)) do
    for _, entity in ipairs(all[region].entities) do
      local known = latest[entity.id] and latest[entity.id].entity
      local is_same = known and numbers.are_same(entity.number, known.number)
      if not known or numbers.later(entity.number, known.number) or is_same and known.is_given then
        latest[entity.id] = { region = region, entity = entity }
      end
    end
  end
  return latest
end

-- All stores are read: their entities are the regions' again, unless somebody has them, or they have left.
-- Returns lists of the own ones, by region: those of its store, and those that it had given.
local function take_stored(member, tick, all)
  local kept, back, latest = {}, {}, latest_of(all)
  for region in pairs(all) do
    kept[region], back[region] = {}, {}
  end
  for _, id in ipairs(numbers.sorted(latest)) do
    local region, entity = latest[id].region, latest[id].entity
    if not member.directory[id] and not member.ended[entity.stay] then
      local number = numbers.ownership(member.configuration.number, tick, region)
      member.directory[id] = {
        id = id, stay = entity.stay, region = region, number = number, expected = entity.expected,
        read = true, is_given = entity.is_given,
      }
      if member.configuration.owners[region] == member.name then
        local own = stays.copy_of(entity)
        own.region, own.number, own.held, own.is_given = region, number, {}, nil
        stays.hear(member, own)
        member.owned[id] = own
        table.insert(entity.is_given and back[region] or kept[region], own)
        stays.note_home(member, own)
      end
    end
  end
  return kept, back
end

-- A region was read from a store. All count when all are read: two may have the same entity, where one could
-- not be written for a while, or lists what it gave to the other.
function taking.take_loaded(member, tick, loaded)
  for stay in pairs(loaded.ended) do
    member.ended[stay] = tick
  end
  local all = member.read
  all[loaded.region] = loaded
  for region in pairs(member.loading) do
    if not all[region] then
      return
    end
  end
  member.loading, member.read = {}, {}
  local kept, back = take_stored(member, tick, all)
  for _, region in ipairs(numbers.sorted(all)) do
    member.land.loaded(member, all[region], kept[region])
    stays.settle_in(kept[region])
  end
  for _, region in ipairs(numbers.sorted(all)) do
    if back[region][1] then
      member.land.taken_back(member, region, back[region])
      stays.settle_in(back[region])
    end
  end
  member.agents = {}
end

-- News change the directory. Also done alone, when the configuration ends in the middle of a tick: then of
-- those messages that are here.
local function take_news(member, tick, news)
  for _, said in ipairs(news.raised) do
    member.observe(member, "agent", said.id, nil, said)
  end
  for _, left in ipairs(news.left) do
    local known = member.directory[left.id]
    if known and known.stay == left.stay then
      member.directory[left.id] = nil
      member.observe(member, "left", left.id, left.stay)
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
  stays.settle_in(taken)
end

return taking
