-- Links of one configuration: what a member has sent to each member, numbered from 1 and kept until it is
-- acknowledged, and what has come from it, in order. An item is a table that is not changed any more. Lost
-- items are asked for by their number, so transport may lose, double, hold up and reorder them.
local links = {}

-- names: of all members, the own one too.
function links.new(names)
  local all = {}
  for _, name in ipairs(names) do
    all[name] = {
      sent = {}, last = 0, acknowledged = 0, came = {}, heard = 0, needed_at = 0, sent_again_at = 0,
    }
  end
  return all
end

-- An item as it is sent: without the tables in it that are empty, as most of a quiet tick are.
function links.light(item)
  local light = {}
  for name, value in pairs(item) do
    if type(value) ~= "table" then
      light[name] = value
    elseif next(value) ~= nil then
      light[name] = name == "news" and links.light(value) or value
    end
  end
  return light
end

local NONE = {} -- never changed, as no item is
local TABLES = {
  message = { "enters", "areas", "commands", "hand_overs", "passed", "held", "ghosts" },
  packets = { "answers", "views" },
  news = { "raised", "left", "handed", "loaded" },
}

local function fill(of, names)
  for _, name in ipairs(names) do
    of[name] = of[name] or NONE
  end
end

-- An item that was sent so has all its tables again.
function links.fill(item)
  if item.kind == "message" then
    item.news = item.news or {}
    fill(item.news, TABLES.news)
  end
  fill(item, TABLES[item.kind] or NONE)
end

-- Keeps the item; returns its number.
function links.add(link, item)
  link.last = link.last + 1
  link.sent[link.last] = item
  return link.last
end

-- An item with its number has come. `heard` is the last one without a gap before it.
function links.take(link, number, item)
  if number > link.heard then
    link.came[number] = item
    while link.came[link.heard + 1] do
      link.heard = link.heard + 1
    end
  end
end

-- The other side has all up to this number.
function links.acknowledge(link, number)
  for i = link.acknowledged + 1, number do
    link.sent[i] = nil
  end
  link.acknowledged = math.max(link.acknowledged, number)
end

-- An item of the other side, by its number; nil when it is not here yet, or there is a gap before it.
function links.item(link, number)
  return number <= link.heard and link.came[number] or nil
end

-- Forgets what came up to this number.
function links.forget(link, number)
  for i = number, 1, -1 do
    if link.came[i] == nil then
      return
    end
    link.came[i] = nil
  end
end

return links
