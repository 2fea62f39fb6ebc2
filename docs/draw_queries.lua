--[[ Draws docs/pictures/query_*.svg, one for each query shape: `make pictures`. The dots are entities of
a real space, coloured by what the query answers. As a module it returns { file name = text } (a spec
compares the committed files with it) and writes nothing. ]]
local aoi = require "aoi"
local Random = require "spec.support.random"
local drawing = require "docs.drawing"

local WIDTH, HEIGHT, SCALE, MARGIN = 96, 60, 5, 10
local FOUND, OTHER, SHAPE, INK = drawing.FOUND, drawing.OTHER, drawing.SHAPE, drawing.INK
local px, py, length = drawing.places(SCALE, MARGIN, HEIGHT)

-- Whether a dot at (x, y) would touch one of the words { x, y, text, anchor }.
local function is_under(words, x, y)
  for _, word in ipairs(words) do
    local width = 1.8 * #word[3]
    local left = word[4] == "start" and word[1] or word[1] - width / 2
    if x > left - 1.5 and x < left + width + 1.5 and y > word[2] - 1.8 and y < word[2] + 3.8 then
      return true
    end
  end
  return false
end

-- About evenly spread places, the same on every machine: one at random in each square of a grid, but
-- where words will stand. Every ninth entity only watches.
local function scattered(words)
  local draw, list = Random.draws(8), {}
  for column = 0, 15 do
    for row = 0, 9 do
      local x, y = 6 * column + 0.6 + 4.8 * draw(), 6 * row + 0.6 + 4.8 * draw()
      if not is_under(words, x, y) then
        list[#list + 1] = { x = x, y = y, mode = #list % 9 == 4 and "w" or "m" }
      end
    end
  end
  return list
end

local function line(x1, y1, x2, y2, style)
  return ('<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" %s/>'):format(px(x1), py(y1), px(x2), py(y2),
    SHAPE, style or "")
end

-- The part of a path that leads to a point on a circle; in the world it turns to the left.
local function arc(radius, x, y)
  return ("A %s %s 0 0 0 %s %s"):format(length(radius), length(radius), px(x), py(y))
end

local function bow(x1, y1, radius, x2, y2)
  return ('<path d="M %s %s %s" fill="none" stroke="%s" stroke-width="1.5"/>'):format(px(x1), py(y1),
    arc(radius, x2, y2), SHAPE)
end

local function centre(x, y)
  return ('<circle cx="%s" cy="%s" r="2.5" fill="%s"/>'):format(px(x), py(y), INK)
end

local function label(x, y, text, anchor)
  return ('<text x="%s" y="%s" text-anchor="%s">%s</text>'):format(px(x), py(y), anchor or "middle", text)
end

local function dot(entity, found)
  local style = ('fill="%s"'):format(found and FOUND or OTHER)
  if entity.mode == "w" then
    style = ('fill="white" stroke="%s" stroke-width="1.5"'):format(OTHER)
  end
  return ('<circle cx="%s" cy="%s" r="%s" %s/>'):format(px(entity.x), py(entity.y), found and "4.5" or "3.5",
    style)
end

local area = ('fill="%s" fill-opacity="0.13" stroke="%s" stroke-width="1.5"'):format(SHAPE, SHAPE)

-- A point at a distance from another, in a direction.
local function towards(x, y, distance, direction)
  return x + distance * math.cos(direction), y + distance * math.sin(direction)
end

--[[ Each picture: `call` is what it shows, `ask` asks the space, `draw` adds the shape below the dots;
`words` { x, y, text, anchor } stand above them, and what `marks` adds; `border` has entities that stand
exactly on the border. ]]
local pictures = {}

pictures.rect = {
  call = "query_rect(20, 12, 74, 48)",
  border = { { x = 20, y = 30 }, { x = 74, y = 48 } },
  ask = function(space) return space:query_rect(20, 12, 74, 48) end,
  draw = function(add)
    add(('<rect x="%s" y="%s" width="%s" height="%s" %s/>'):format(px(20), py(48), length(54), length(36),
      area))
  end,
  words = { { 20, 8.5, "(x1, y1)" }, { 74, 49.8, "(x2, y2)" } },
}

pictures.circle = {
  call = "query_circle(48, 30, 22)",
  border = { { x = 26, y = 30 }, { x = 48, y = 52 } },
  ask = function(space) return space:query_circle(48, 30, 22) end,
  draw = function(add)
    add(('<circle cx="%s" cy="%s" r="%s" %s/>'):format(px(48), py(30), length(22), area))
    add(line(48, 30, 70, 30, 'stroke-width="1.5"'))
  end,
  words = { { 48, 31.6, "(x, y)" }, { 60, 31, "r" } },
  marks = function(add) add(centre(48, 30)) end,
}

local sector = { x = 24, y = 16, r = 46, direction = 0.5, angle = 1.1 }

-- A word at a distance from the sector's centre, in a direction.
local function beside(distance, direction, text, anchor)
  local x, y = towards(sector.x, sector.y, distance, direction)
  return x, y, text, anchor
end

pictures.sector = {
  call = "query_sector(24, 16, 46, 0.5, 1.1)",
  border = { { x = 24, y = 16 } },
  ask = function(space)
    return space:query_sector(sector.x, sector.y, sector.r, sector.direction, sector.angle)
  end,
  draw = function(add)
    local x, y, r = sector.x, sector.y, sector.r
    local ax, ay = towards(x, y, r, sector.direction - sector.angle / 2)
    local bx, by = towards(x, y, r, sector.direction + sector.angle / 2)
    add(('<path d="M %s %s L %s %s %s Z" %s/>'):format(px(x), py(y), px(ax), py(ay), arc(r, bx, by), area))
    local mx, my = towards(x, y, r, sector.direction)
    add(line(x, y, mx, my, 'stroke-width="1.5" stroke-dasharray="5 4"'))
    add(line(x, y, x + 22, y, 'stroke-width="1" stroke-dasharray="2 3"'))
    local cx, cy = towards(x, y, 16, sector.direction)
    add(bow(x + 16, y, 16, cx, cy))
    local fx, fy = towards(x, y, 28, sector.direction - sector.angle / 2)
    local gx, gy = towards(x, y, 28, sector.direction + sector.angle / 2)
    add(bow(fx, fy, 28, gx, gy))
  end,
  words = {
    { sector.x - 1.5, sector.y - 3.5, "(x, y)" },
    { beside(17, 0.2, "direction", "start") },
    { beside(29, 0.75, "angle", "start") },
    { beside(25, sector.direction + sector.angle / 2 + 0.12, "r") },
  },
}

local segment = { x1 = 16, y1 = 14, x2 = 76, y2 = 42, width = 14 }
pictures.segment = {
  call = "query_segment(16, 14, 76, 42, 14)",
  border = { { x = 16, y = 14 }, { x = 46, y = 28 } },
  ask = function(space)
    return space:query_segment(segment.x1, segment.y1, segment.x2, segment.y2, segment.width)
  end,
  draw = function(add)
    local x1, y1, x2, y2, half = segment.x1, segment.y1, segment.x2, segment.y2, segment.width / 2
    local across = math.atan(y2 - y1, x2 - x1) + math.pi / 2
    local ax, ay = towards(x1, y1, half, across)
    local bx, by = towards(x2, y2, half, across)
    local cx, cy = towards(x2, y2, -half, across)
    local dx, dy = towards(x1, y1, -half, across)
    add(('<path d="M %s %s L %s %s %s L %s %s %s Z" %s/>'):format(px(dx), py(dy), px(cx), py(cy),
      arc(half, bx, by), px(ax), py(ay), arc(half, dx, dy), area))
    add(line(x1, y1, x2, y2, 'stroke-width="1.5" stroke-dasharray="5 4"'))
    local mx, my = x1 + (x2 - x1) * 0.7, y1 + (y2 - y1) * 0.7
    local ex, ey = towards(mx, my, half, across)
    local fx, fy = towards(mx, my, -half, across)
    add(line(ex, ey, fx, fy, 'stroke-width="1.5"'))
  end,
  words = {
    { segment.x1, segment.y1 - 11, "(x1, y1)" },
    { segment.x2 + 8, segment.y2 - 1, "(x2, y2)", "start" },
    { 60.3, 36, "width", "start" },
  },
}

local outline = { 14, 10, 46, 6, 82, 16, 74, 50, 52, 44, 24, 54 }
local hole = { 40, 20, 58, 22, 50, 34 }

local function path_of(ring)
  local parts = {}
  for i = 1, #ring, 2 do
    parts[#parts + 1] = ("%s %s %s"):format(i == 1 and "M" or "L", px(ring[i]), py(ring[i + 1]))
  end
  return table.concat(parts, " ") .. " Z"
end

pictures.polygon = {
  call = "query_polygon({ { 14, 10, … }, { 40, 20, … } })",
  border = { { x = 14, y = 10 }, { x = 82, y = 16 }, { x = 24, y = 54 } },
  ask = function(space) return space:query_polygon { outline, hole } end,
  draw = function(add)
    add(('<path d="%s %s" fill-rule="evenodd" %s/>'):format(path_of(outline), path_of(hole), area))
  end,
  words = { { 15, 5.5, "(x1, y1)" }, { 46, 2, "(x2, y2)" }, { 49.5, 24.5, "hole" } },
}

pictures.nearest = {
  call = "query_nearest(50, 30, 8, 16)",
  border = {},
  ask = function(space) return space:query_nearest(50, 30, 8, 16) end,
  draw = function(add, found, n, entities)
    add(('<circle cx="%s" cy="%s" r="%s" fill="none" stroke="%s" stroke-dasharray="5 4"/>'):format(px(50),
      py(30), length(16), SHAPE))
    for i = 1, n do
      local entity = entities[found[i]]
      add(line(50, 30, entity.x, entity.y, 'stroke-width="1.5"'))
    end
  end,
  words = { { 62.5, 42, "max_r", "start" } },
  marks = function(add, found, n, entities)
    add(centre(50, 30))
    for i = 1, n do
      local entity = entities[found[i]]
      -- Away from the centre, so that the line does not cross the number.
      local away = math.atan(entity.y - 30, entity.x - 50)
      local x, y = towards(entity.x, entity.y, 3, away)
      add(label(x, y - 1, tostring(i)))
    end
  end,
}

-- The text of one picture.
local function render(picture)
  local space = aoi.new { engine = "quadtree", width = WIDTH, height = HEIGHT, radius = 10 }
  local entities = scattered(picture.words)
  for _, place in ipairs(picture.border) do
    entities[#entities + 1] = { x = place.x, y = place.y, mode = "m" }
  end
  for id, entity in ipairs(entities) do
    space:enter(id, entity.x, entity.y, { mode = entity.mode })
  end
  local found, n = picture.ask(space)
  local is_found = {}
  for i = 1, n do
    is_found[found[i]] = true
  end

  local width, height = WIDTH * SCALE + 2 * MARGIN, HEIGHT * SCALE + 2 * MARGIN
  local lines = drawing.head(width, height, picture.call)
  local function add(text)
    lines[#lines + 1] = text
  end
  picture.draw(add, found, n, entities)
  for id, entity in ipairs(entities) do
    add(dot(entity, is_found[id]))
  end
  -- Words above the dots, with a white edge.
  add '<g stroke="white" stroke-width="4" stroke-linejoin="round" paint-order="stroke">'
  for _, word in ipairs(picture.words) do
    add(label(table.unpack(word)))
  end
  if picture.marks then
    picture.marks(add, found, n, entities)
  end
  add "</g>"
  add "</g>"
  add "</svg>"
  space:close()
  return table.concat(lines, "\n") .. "\n"
end

local files = {}
for name, picture in pairs(pictures) do
  files[("docs/pictures/query_%s.svg"):format(name)] = render(picture)
end

if ... ~= "docs.draw_queries" then
  drawing.write(files)
end

return files
