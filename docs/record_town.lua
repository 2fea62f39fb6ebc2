--[[ Records some ticks of a town, for the pictures of the viewer and its specs:

    lua docs/record_town.lua FILE PEOPLE TICKS SLACK everybody   (all but FILE may be left out)

With the word `everybody` it is no crowd space: each is told of all that it sees.

People walk from one place of the town to another and stay a while, so crowds form; some hide. Wolves roam and
see people only, chests stand about, a hero is important, a camera sees all. The market is an area, a polygon
with the fountain as a hole; wolves notice people near them and lose them farther away. The same numbers give
the same recording. As a module it returns the function that writes it. ]]
local aoi = require "aoi"

local PERSON, WOLF, HIDDEN, THING = 1, 2, 4, 8
local WIDTH, HEIGHT = 1000, 640 -- for 300 people; for more the town is as much larger
local RADIUS = 90
local HERO, CAMERA = 1, 9000000
local MARKET = 100 -- an area; ids of areas are apart from those of entities

-- A small generator of our own: whole numbers only, the same everywhere.
local function random_numbers(seed)
  local state = seed
  return function(low, high)
    state = (state * 1103515245 + 12345) % 2147483648
    return low + (high - low) * (state >> 8) / 8388608
  end
end

local function places_of_town(width, height, people, random)
  local places = { { width / 2, height / 2, 60 } } -- the market
  for i = 2, math.max(7, people // 40) do
    places[i] = { random(0.08, 0.92) * width, random(0.1, 0.9) * height, random(12, 40) }
  end
  return places
end

-- The market's area, and one around each wolf.
local function add_areas(space, market, people)
  local outline, fountain = {}, {}
  for corner = 0, 7 do
    local angle = (corner + 0.5) * math.pi / 4
    for _, ring in ipairs { { outline, 1.3 * market[3] }, { fountain, 0.25 * market[3] } } do
      table.insert(ring[1], market[1] + ring[2] * math.cos(angle))
      table.insert(ring[1], market[2] + ring[2] * math.sin(angle))
    end
  end
  space:add_area(MARKET, { shape = "polygon", points = { outline, fountain }, sees_layers = PERSON })
  for id = 4, people, 9 do
    space:add_area(id, { owner = id, radius = 25, leave_radius = 40, sees_layers = PERSON })
  end
end

local function record_town(path, people, ticks, slack, told)
  people, ticks, slack = people or 300, ticks or 300, slack or 0
  local scale = math.max(1, math.sqrt(people / 300))
  local width, height = WIDTH * scale, HEIGHT * scale
  local random = random_numbers(7)
  local places = places_of_town(width, height, people, random)
  local options = {
    engine = "grid", width = width, height = height, radius = RADIUS, shape = "circle", slack = slack,
    deferred = true,
  }
  local is_crowd = told ~= "everybody"
  if is_crowd then
    options.limit, options.limit_layers, options.move_budget = 12, PERSON | HIDDEN, 16
    options.rates = { { 30, 1 }, { 60, 2 }, { math.huge, 5 } }
  end
  local space = aoi.new(options)

  local walkers = {}
  local function near(place)
    local angle, far = random(0, 2 * math.pi), place[3] * random(0, 1) ^ 0.7
    return math.max(0, math.min(width, place[1] + far * math.cos(angle))),
      math.max(0, math.min(height, place[2] + far * math.sin(angle)))
  end
  local function next_way(walker)
    -- One in three goes to the market.
    local place = random(0, 3) < 1 and places[1] or places[1 + math.floor(random(0, #places - 0.001))]
    walker.to_x, walker.to_y = near(place)
    walker.waits = math.floor(random(0, 25))
  end
  local function walk(walker)
    local dx, dy = walker.to_x - walker.x, walker.to_y - walker.y
    local far = math.sqrt(dx * dx + dy * dy)
    if far > walker.speed then
      walker.x, walker.y = walker.x + dx / far * walker.speed, walker.y + dy / far * walker.speed
    elseif walker.waits > 0 then
      walker.waits = walker.waits - 1
    else
      next_way(walker)
    end
  end

  for id = 1, people do
    local is_wolf = id % 9 == 4
    local walker = { id = id, speed = is_wolf and random(3, 5) or random(1.5, 3.5) }
    walker.x, walker.y = near(places[1 + math.floor(random(0, #places - 0.001))])
    next_way(walker)
    space:enter(id, walker.x, walker.y, {
      layers = is_wolf and WOLF or PERSON, sees_layers = is_wolf and PERSON or PERSON | WOLF | THING,
      importance = is_crowd and id == HERO and 200 or nil,
    })
    walkers[id] = walker
  end
  for i = 1, math.max(8, people // 30) do
    space:enter(1000000 + i, random(0, width), random(0, height), { mode = "m", layers = THING })
  end
  space:enter(CAMERA, width / 2, height / 2, {
    mode = "w", radius = 2 * RADIUS, limit = is_crowd and 40 or nil,
  })
  add_areas(space, places[1], people)
  space:tick()

  os.remove(path) -- a recorder does not overwrite a file
  local recorder = aoi.recorder(space, path, { keyframe_ticks = 50 })
  for tick = 1, ticks do
    for id, walker in ipairs(walkers) do
      local x, y = walker.x, walker.y
      walk(walker)
      if walker.x ~= x or walker.y ~= y then
        space:move(id, walker.x, walker.y)
      end
      if (tick + 7 * id) % 160 == 0 then
        space:set_layers(id, id % 9 == 4 and WOLF or HIDDEN)
      elseif (tick + 7 * id) % 160 == 40 and id % 9 ~= 4 then
        space:set_layers(id, PERSON)
      end
    end
    space:tick()
    recorder:write()
  end
  recorder:close()
  space:close()
end

if ... ~= "docs.record_town" then
  local path, people, ticks, slack, told = ...
  record_town(path, tonumber(people), tonumber(ticks), tonumber(slack), told)
end

return record_town
