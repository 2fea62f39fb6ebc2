--[[ Draws docs/pictures/sights.svg: `make pictures`. Four watchers with the same radius, a tower that is seen
from further off, and two who stand side by side and never see each other. A line goes from each watcher to
each marker that it sees; a real space says which. As a module it returns { file name = text } (a spec
compares the committed file with it, and the lines with the rule) and writes nothing. ]]
local aoi = require "aoi"
local drawing = require "docs.drawing"

local WIDTH, HEIGHT, SCALE, MARGIN = 120, 64, 5, 10
local RADIUS, VISIBLE = 11, 33
local FOUND, OTHER, SHAPE, INK = drawing.FOUND, drawing.OTHER, drawing.SHAPE, drawing.INK
local px, py, length = drawing.places(SCALE, MARGIN, HEIGHT)

local TOWER = { id = 9, x = 46, y = 32 }
local WATCHERS = {
  { id = 1, x = 20, y = 46 }, { id = 2, x = 52, y = 15 },
  { id = 3, x = 92, y = 42 }, { id = 4, x = 100, y = 38 },
}
-- These are seen by radius alone.
local MARKERS = {
  { id = 11, x = 13, y = 41 }, { id = 12, x = 27, y = 53 }, { id = 13, x = 59, y = 9 },
  { id = 14, x = 46, y = 8 }, { id = 15, x = 95, y = 33 }, { id = 16, x = 86, y = 48 },
  { id = 17, x = 70, y = 55 }, { id = 18, x = 112, y = 12 },
}

local function make_space()
  local space = aoi.new {
    engine = "quadtree", width = WIDTH, height = HEIGHT, radius = RADIUS, shape = "circle",
  }
  for _, watcher in ipairs(WATCHERS) do
    space:enter(watcher.id, watcher.x, watcher.y)
  end
  for _, marker in ipairs(MARKERS) do
    space:enter(marker.id, marker.x, marker.y, { mode = "m" })
  end
  space:enter(TOWER.id, TOWER.x, TOWER.y, { mode = "m", visible_radius = VISIBLE })
  space:set_sight(3, 4, false)
  space:set_sight(4, 3, false)
  return space
end

local function circle(at, radius, style)
  return ('<circle cx="%s" cy="%s" r="%s" %s/>'):format(px(at.x), py(at.y), radius, style)
end

local function line(class, from, to, style)
  return ('<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s" %s/>'):format(class, px(from.x), py(from.y),
    px(to.x), py(to.y), style)
end

local function word(x, y, text)
  return ('<text x="%s" y="%s" text-anchor="middle">%s</text>'):format(px(x), py(y), text)
end

-- A line for each pair that is seen; returns who is seen by anybody.
local function sights(add, space)
  local at, seen = { [TOWER.id] = TOWER }, {}
  for _, list in ipairs { WATCHERS, MARKERS } do
    for _, entity in ipairs(list) do
      at[entity.id] = entity
    end
  end
  for _, watcher in ipairs(WATCHERS) do
    local markers = space:markers_of(watcher.id)
    table.sort(markers)
    for _, id in ipairs(markers) do
      seen[id] = true
      local style = ('stroke="%s" stroke-width="1.5"'):format(FOUND)
      add(line(("s%d-%d"):format(watcher.id, id), watcher, at[id], style))
    end
  end
  return seen
end

local function render()
  local space = make_space()
  local lines = drawing.head(WIDTH * SCALE + 2 * MARGIN, HEIGHT * SCALE + 2 * MARGIN,
    "a tower that is seen from further off, and two side by side who never see each other")
  local function add(text)
    lines[#lines + 1] = text
  end
  add(circle(TOWER, length(VISIBLE), ('fill="%s" fill-opacity="0.07" stroke="%s" stroke-width="1.5" ' ..
    'stroke-dasharray="5 4"'):format(FOUND, FOUND)))
  for _, watcher in ipairs(WATCHERS) do
    local style = 'fill="%s" fill-opacity="0.1" stroke="%s" stroke-width="1.5"'
    add(circle(watcher, length(RADIUS), style:format(SHAPE, SHAPE)))
  end
  local seen = sights(add, space)
  local dotted = ('stroke="%s" stroke-width="2" stroke-dasharray="2 4"'):format(INK)
  add(line("never", WATCHERS[3], WATCHERS[4], dotted))
  for _, marker in ipairs(MARKERS) do
    add(circle(marker, "4", ('fill="%s"'):format(seen[marker.id] and FOUND or OTHER)))
  end
  for _, watcher in ipairs(WATCHERS) do
    add(circle(watcher, "6", ('fill="%s"'):format(SHAPE)))
    add(drawing.number({ tonumber(px(watcher.x)), tonumber(py(watcher.y)) }, watcher.id))
  end
  add(('<rect x="%s" y="%s" width="12" height="24" fill="%s"/>'):format(px(TOWER.x - 1.2), py(TOWER.y + 2.4),
    FOUND))
  add '<g stroke="white" stroke-width="4" stroke-linejoin="round" paint-order="stroke">'
  add(word(WATCHERS[1].x, WATCHERS[1].y + RADIUS + 1, "radius"))
  add(word(TOWER.x, TOWER.y - VISIBLE + 2.4, "visible_radius"))
  add(word(96, 56, "set_sight(3, 4, false)"))
  add "</g>"
  add "</g>"
  add "</svg>"
  space:close()
  return table.concat(lines, "\n") .. "\n"
end

local files = { ["docs/pictures/sights.svg"] = render() }

if ... ~= "docs.draw_sights" then
  drawing.write(files)
end

return files
