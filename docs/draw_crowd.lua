--[[ Draws docs/pictures/crowd.svg: `make pictures`. One watcher in a crowd, with a limit: who is in its told
set (filled), who else is in its view (hollow), and beside the map a line for each marker that says from when
to when it was in the told set. Everything is taken from a real crowd space. As a module it returns
{ file name = text } (a spec compares the picture with the rules) and writes nothing.

It moves by SMIL, as docs/draw_view.lua does; the walkers are those of the demo, only more. ]]
local aoi = require "aoi"
local drawing = require "docs.drawing"
local walk = require "examples.demo.walk"

local SECONDS, STEPS = 20, 64
local TICKS = 4 -- of the space in a step of the picture
local WATCHER, WALKERS = 0, 96
local RADIUS, LIMIT, KEEP = 26, 12, 1.2
local SCALE, MARGIN = 6, 12
local PANEL, GAP, HEAD, NUMBERS = 264, 18, 66, 26 -- of the chart; NUMBERS: for the ids beside it
local short, number = drawing.short, drawing.number
local _, sudden = drawing.animations(SECONDS, STEPS * TICKS)
local _, _, motion = drawing.animations(SECONDS, STEPS)
local px, py, length = drawing.places(SCALE, MARGIN, walk.height)

local function place(id, part)
  if id == WATCHER then
    local angle = 2 * math.pi * part
    return walk.width / 2 - 12 * math.cos(angle), walk.height / 2 + 7 * math.sin(angle)
  end
  return walk.place(id, part)
end

local straight = drawing.straight(place, STEPS)

--[[ Plays one round, after another one that has brought the told set to where it is at the end of each.
Returns two lists by marker, of the ticks at which it came into the told set and into the view, and out of
them: { { from, to }, ... } with ticks 0 … STEPS * TICKS; and the number of enter events. ]]
local function play(keep)
  local last = STEPS * TICKS
  local space = aoi.new {
    engine = "quadtree", width = walk.width, height = walk.height, radius = RADIUS, shape = "circle",
    deferred = true, limit = LIMIT, keep_factor = keep,
  }
  for id = 0, WALKERS do
    local x, y = place(id, 0)
    space:enter(id, x, y, { mode = id == WATCHER and "w" or "m" })
  end
  space:tick()
  local spans, enters = { told = {}, seen = {} }, 0
  local open = { told = {}, seen = {} }
  local function note(kind, tick, list, n)
    local present = {}
    for i = 1, n do
      local id = list[i]
      present[id] = true
      if not open[kind][id] then
        open[kind][id] = tick
        enters = enters + (kind == "told" and tick > 0 and 1 or 0)
      end
    end
    for id = 1, WALKERS do
      local from = open[kind][id]
      if from and (not present[id] or tick == last) then
        spans[kind][id] = spans[kind][id] or {}
        table.insert(spans[kind][id], { from, tick })
        open[kind][id] = nil
      end
    end
  end
  for round = 1, 2 do
    for tick = round == 1 and 1 or 0, last do
      for id = 0, WALKERS do
        space:move(id, straight(id, tick / last))
      end
      space:tick()
      if round == 2 then
        note("told", tick, space:told_markers_of(WATCHER))
        note("seen", tick, space:markers_of(WATCHER))
      end
    end
  end
  space:close()
  return spans.told, spans.seen, enters
end

local function places_of(id)
  local places = {}
  for step = 0, STEPS do
    local x, y = place(id, step / STEPS)
    places[step] = { tonumber(px(x)), tonumber(py(y)) }
  end
  return places
end

-- Whether something is to be seen at tick 0, and the animation of that.
local function light(spans)
  local keys, is_lit = { { 0, 0 } }, false
  for _, span in ipairs(spans or {}) do
    if span[1] == 0 then
      keys[1][2], is_lit = 1, true
    else
      keys[#keys + 1] = { span[1], 1 }
    end
    if span[2] < STEPS * TICKS then
      keys[#keys + 1] = { span[2], 0 }
    end
  end
  return is_lit and 1 or 0, #keys > 1 and sudden('animate attributeName="opacity"', keys) or ""
end

local function scene(add, told, seen, moves)
  local function only_if_it_moves(text)
    return moves and text or ""
  end
  local own = places_of(WATCHER)
  local own_motion = only_if_it_moves(motion(own))
  add(('<g class="view"><circle cx="%s" cy="%s" r="%s" fill="%s" fill-opacity="0.1" stroke="%s" ' ..
    'stroke-width="1.5"/>%s</g>'):format(short(own[0][1]), short(own[0][2]), length(RADIUS),
    drawing.SHAPE, drawing.SHAPE, own_motion))
  for id = 1, WALKERS do
    local places = places_of(id)
    local x, y = short(places[0][1]), short(places[0][2])
    local is_seen, seeing = light(seen[id])
    local is_told, telling = light(told[id])
    add(('<g id="%s%d"><circle cx="%s" cy="%s" r="3" fill="%s"/>'):format(moves and "w" or "s", id, x, y,
      drawing.OTHER))
    if seen[id] and (moves or is_seen == 1) then
      add(('<circle class="seen" cx="%s" cy="%s" r="5" fill="white" stroke="%s" stroke-width="1.5" ' ..
        'opacity="%d">%s</circle>'):format(x, y, drawing.FOUND, is_seen, only_if_it_moves(seeing)))
    end
    if told[id] and (moves or is_told == 1) then
      add(('<g class="told" opacity="%d"><circle cx="%s" cy="%s" r="6.5" fill="%s"/>%s%s</g>'):format(
        is_told, x, y, drawing.FOUND, number(places[0], id), only_if_it_moves(telling)))
    end
    add(only_if_it_moves(motion(places)) .. "</g>")
  end
  add(('<g><circle cx="%s" cy="%s" r="6" fill="%s" stroke="white" stroke-width="2"/>%s</g>'):format(
    short(own[0][1]), short(own[0][2]), drawing.SHAPE, own_motion))
end

-- Those who were ever in the told set, in the order of the first time.
local function rows_of(told)
  local rows = {}
  for id in pairs(told) do
    rows[#rows + 1] = id
  end
  table.sort(rows, function(a, b)
    local one, other = told[a][1], told[b][1]
    if one[1] ~= other[1] then
      return one[1] < other[1]
    end
    return one[2] ~= other[2] and one[2] < other[2] or one[2] == other[2] and a < b
  end)
  return rows
end

-- A line for each that was ever in the told set, over the time of the round, and where the picture is now.
local function chart(add, told, width, height)
  local rows = rows_of(told)
  local high = height / #rows
  local function across(tick)
    return short(NUMBERS + (width - NUMBERS) * tick / (STEPS * TICKS))
  end
  for row, id in ipairs(rows) do
    local y = (row - 1) * high
    add(('<text x="%d" y="%s" font-size="9" text-anchor="end" fill="#6b7280">%d</text>'):format(NUMBERS - 5,
      short(y + high / 2 + 3), id))
    for _, span in ipairs(told[id]) do
      local from, to = across(span[1]), across(span[2])
      add(('<rect class="b%d" x="%s" y="%s" width="%s" height="%s" fill="%s"/>'):format(id, from,
        short(y + high * 0.18), short(to - from), short(high * 0.64), drawing.FOUND))
    end
  end
  add(('<g class="moving"><path d="M%d 0v%s" stroke="%s" stroke-width="1.5"/>'):format(NUMBERS, short(height),
    drawing.SHAPE))
  add(('<animateTransform attributeName="transform" type="translate" values="0 0;%d 0" dur="%ds" ' ..
    'repeatCount="indefinite"/></g>'):format(width - NUMBERS, SECONDS))
end

-- What is filled and what is hollow, in words of the module; and how many came, with and without keep.
local function legend(add, enters, enters_without)
  add(('<circle cx="8" cy="8" r="6.5" fill="%s"/>' ..
    '<text x="22" y="13">told_markers_of(%d), limit = %d</text>'):format(drawing.FOUND, WATCHER, LIMIT))
  add(('<circle cx="8" cy="30" r="5" fill="white" stroke="%s" stroke-width="1.5"/>' ..
    '<text x="22" y="35">markers_of(%d)</text>'):format(drawing.FOUND, WATCHER))
  add(('<text x="0" y="57" font-size="12">keep_factor = %s: %d × enter ' ..
    '(1: %d ×)</text>'):format(KEEP, enters, enters_without))
end

local function render()
  local told, seen, enters = play(KEEP)
  local _, _, enters_without = play(1)
  local width = math.floor(2 * MARGIN + walk.width * SCALE + GAP + PANEL)
  local height = math.floor(2 * MARGIN + walk.height * SCALE)
  local lines = drawing.head(width, height, "limit = 12, keep_factor = 1.2")
  local function add(text)
    if text ~= "" then
      lines[#lines + 1] = text
    end
  end
  add(drawing.LESS_MOTION)
  add(('<clipPath id="map"><rect x="%d" y="%d" width="%d" height="%d"/></clipPath>'):format(MARGIN, MARGIN,
    walk.width * SCALE, walk.height * SCALE))
  add(('<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="%s"/>'):format(MARGIN, MARGIN,
    walk.width * SCALE, walk.height * SCALE, drawing.OTHER))
  for _, moves in ipairs { true, false } do
    add(moves and '<g class="moving" font-size="11">' or '<g class="still" display="none" font-size="11">')
    add '<g clip-path="url(#map)">'
    scene(add, told, seen, moves)
    add "</g>"
    add "</g>"
  end
  add(('<g class="legend" transform="translate(%d %d)">'):format(MARGIN + walk.width * SCALE + GAP, MARGIN))
  legend(add, enters, enters_without)
  add "</g>"
  add(('<g class="chart" transform="translate(%d %d)">'):format(MARGIN + walk.width * SCALE + GAP,
    MARGIN + HEAD))
  chart(add, told, PANEL, walk.height * SCALE - HEAD)
  add "</g>"
  add "</g>"
  add "</svg>"
  return table.concat(lines, "\n") .. "\n"
end

local files = { ["docs/pictures/crowd.svg"] = render() }

if ... ~= "docs.draw_crowd" then
  drawing.write(files)
end

return files
