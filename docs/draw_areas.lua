--[[ Draws docs/pictures/areas.svg: `make pictures`. Two zones that share a border, a trap, and a monster
that notices and gives up; the dots are entities of a real space, coloured by whether they are members of an
area. As a module it returns { file name = text } (a spec compares the committed file with it) and writes
nothing. ]]
local aoi = require "aoi"
local Random = require "spec.support.random"
local drawing = require "docs.drawing"

local WIDTH, HEIGHT, SCALE, MARGIN = 120, 60, 5, 10
local FOUND, OTHER, SHAPE, INK = drawing.FOUND, drawing.OTHER, drawing.SHAPE, drawing.INK
local px, py, length = drawing.places(SCALE, MARGIN, HEIGHT)

local ZONES = {
  { name = "zone 1", points = { 4, 8, 26, 4, 30, 30, 22, 54, 6, 46 }, word = { 13, 49.4 } },
  { name = "zone 2", points = { 26, 4, 52, 10, 50, 48, 22, 54, 30, 30 }, word = { 40, 51.6 } },
}
local TRAP = { x = 64, y = 47, width = 16, height = 12 }
local MONSTER = { x = 92, y = 26, radius = 13, leave_radius = 20 }

-- Who comes first into the inner circle and then stops between both; who never came nearer than that.
local CHASED, IGNORED = { x = 103, y = 38 }, { x = 79, y = 14 }

-- About evenly spread places: one at random in each square of a grid, but where they would be in the way.
local function scattered()
  local draw, list = Random.draws(11), {}
  for column = 0, 19 do
    for row = 0, 9 do
      local x, y = 6 * column + 0.6 + 4.8 * draw(), 6 * row + 0.6 + 4.8 * draw()
      local dx, dy = x - MONSTER.x, y - MONSTER.y
      local is_near = dx * dx + dy * dy < 23 * 23
      if not is_near and draw() < 0.6 then
        list[#list + 1] = { x = x, y = y, mode = #list % 9 == 4 and "w" or "m" }
      end
    end
  end
  return list
end

local function path_of(ring)
  local parts = {}
  for i = 1, #ring, 2 do
    parts[#parts + 1] = ("%s %s %s"):format(i == 1 and "M" or "L", px(ring[i]), py(ring[i + 1]))
  end
  return table.concat(parts, " ") .. " Z"
end

local AREA = ('fill="%s" fill-opacity="0.13" stroke="%s" stroke-width="1.5"'):format(SHAPE, SHAPE)

local function circle(x, y, radius, style)
  return ('<circle cx="%s" cy="%s" r="%s" %s/>'):format(px(x), py(y), radius, style)
end

local function dot(entity, is_member)
  if entity.mode == "w" then
    return circle(entity.x, entity.y, "3.5", ('fill="white" stroke="%s" stroke-width="1.5"'):format(OTHER))
  end
  return circle(entity.x, entity.y, is_member and "4.5" or "3.5",
    ('fill="%s"'):format(is_member and FOUND or OTHER))
end

local function word(x, y, text)
  return ('<text x="%s" y="%s" text-anchor="middle">%s</text>'):format(px(x), py(y), text)
end

-- The space of the picture, and all entities but the monster, by id.
local function make_space()
  local space = aoi.new { engine = "quadtree", width = WIDTH, height = HEIGHT, radius = 0 }
  local entities = scattered()
  for _, place in ipairs { { x = 84, y = 30 }, { x = 97, y = 22 }, CHASED, IGNORED } do
    entities[#entities + 1] = { x = place.x, y = place.y, mode = "m" }
  end
  for id, entity in ipairs(entities) do
    space:enter(id, entity.x, entity.y, { mode = entity.mode })
  end
  local monster = #entities + 1
  space:enter(monster, MONSTER.x, MONSTER.y)
  for area, zone in ipairs(ZONES) do
    space:add_area(area, { shape = "polygon", points = zone.points })
  end
  space:add_area(3, { shape = "rect", x = TRAP.x, y = TRAP.y, width = TRAP.width, height = TRAP.height })
  space:add_area(4, { owner = monster, radius = MONSTER.radius, leave_radius = MONSTER.leave_radius })
  space:move(#entities - 1, MONSTER.x, MONSTER.y + 5)
  space:move(#entities - 1, CHASED.x, CHASED.y)
  return space, entities
end

local function render()
  local space, entities = make_space()
  local lines = drawing.head(WIDTH * SCALE + 2 * MARGIN, HEIGHT * SCALE + 2 * MARGIN,
    "two zones that share a border, a trap, and a monster with a radius and a leave_radius")
  local function add(text)
    lines[#lines + 1] = text
  end
  for _, zone in ipairs(ZONES) do
    add(('<path d="%s" %s/>'):format(path_of(zone.points), AREA))
  end
  add(('<rect x="%s" y="%s" width="%s" height="%s" %s/>'):format(px(TRAP.x - TRAP.width / 2),
    py(TRAP.y + TRAP.height / 2), length(TRAP.width), length(TRAP.height), AREA))
  add(circle(MONSTER.x, MONSTER.y, length(MONSTER.radius), AREA))
  add(circle(MONSTER.x, MONSTER.y, length(MONSTER.leave_radius),
    ('fill="none" stroke="%s" stroke-width="1.5" stroke-dasharray="5 4"'):format(SHAPE)))
  for id, entity in ipairs(entities) do
    add(dot(entity, select(2, space:areas_of(id)) > 0))
  end
  add(circle(MONSTER.x, MONSTER.y, "6", ('fill="%s"'):format(INK)))
  add '<g stroke="white" stroke-width="4" stroke-linejoin="round" paint-order="stroke">'
  for _, zone in ipairs(ZONES) do
    add(word(zone.word[1], zone.word[2] + 4, zone.name))
  end
  add(word(TRAP.x, TRAP.y + TRAP.height / 2 + 1.5, "trap"))
  add(word(MONSTER.x, MONSTER.y - MONSTER.radius - 3.6, "radius"))
  add(word(MONSTER.x, MONSTER.y - MONSTER.leave_radius - 3.6, "leave_radius"))
  add "</g>"
  add "</g>"
  add "</svg>"
  space:close()
  return table.concat(lines, "\n") .. "\n"
end

local files = { ["docs/pictures/areas.svg"] = render() }

if ... ~= "docs.draw_areas" then
  drawing.write(files)
end

return files
