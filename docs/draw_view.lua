--[[ Draws docs/pictures/view.svg, the moving picture: `make pictures`. One watcher walks a loop through a
crowd (examples/demo/walk.lua); a walker lights up at its enter event and fades at its leave event, and
beside the map the events scroll. Everything is taken from a real space. As a module it returns
{ file name = text } (a spec compares the picture with the space's events) and writes nothing.

The picture moves by SMIL, which works inside <img>. Where that is off, the attributes below the
animations show the first moment, and readers who want less motion are shown the same. ]]
local drawing = require "docs.drawing"
local walk = require "examples.demo.walk"

local SECONDS, STEPS = 16, 128
local TICKS = 5 -- of the space in a step of the picture: an event comes where the border is crossed
local SCALE, MARGIN = 6, 12
local PANEL, GAP = 170, 18
local LINE, LINES = 21, 20
local FADE, SCROLL = 6, 2 -- steps
local PALE_INK = "#6b7280"
local px, py, length = drawing.places(SCALE, MARGIN, walk.height)

local short, number = drawing.short, drawing.number
local smooth, _, motion = drawing.animations(SECONDS, STEPS)

-- Plays the loop once: where everybody is at each step (in pixels, rounded as they are drawn), who is lit
-- at the start, and the events after it.
local function film()
  local places, first, events = {}, {}, {}
  for id = 0, walk.walkers do
    places[id] = {}
    for step = 0, STEPS do
      local x, y = walk.place(id, step / STEPS)
      places[id][step] = { tonumber(px(x)), tonumber(py(y)) }
    end
  end
  walk.play(STEPS * TICKS, function(tick, told, n)
    for i = 1, n do
      local op, marker = told[i][1], told[i][2]
      if tick == 0 then
        first[marker] = true
      else
        events[#events + 1] = { step = tick / TICKS, op = op, marker = marker }
      end
    end
  end, drawing.straight(walk.place, STEPS))
  return places, first, events
end

-- How brightly a walker shines: at once with its enter, fading from its leave on.
local function light(id, is_lit, events)
  local keys = { { 0, is_lit and 1 or 0 } }
  local function key(step, value)
    keys[#keys + 1] = { step, value }
  end
  local lit = is_lit
  for i, event in ipairs(events) do
    if event.marker == id then
      if event.op == "enter" then
        key(event.step, 0)
        key(event.step, 1)
        lit = true
      else
        local fading_until = math.min(event.step + FADE, STEPS)
        for k = i + 1, #events do
          if events[k].marker == id then
            fading_until = math.min(fading_until, events[k].step)
            break
          end
        end
        key(event.step, 1)
        key(fading_until, 0)
        lit = false
      end
    end
  end
  if #keys == 1 then
    return ""
  end
  key(STEPS, lit and 1 or 0)
  return smooth('animate attributeName="opacity"', keys)
end

-- The list of events goes up by a line for each.
local function scroll(events)
  local keys, lines, i = { { 0, "0 0" } }, 0, 1
  while i <= #events do
    local step = events[i].step
    keys[#keys + 1] = { step, ("0 %d"):format(-lines * LINE) }
    while events[i] and events[i].step == step do
      lines, i = lines + 1, i + 1
    end
    local arrival = math.min(step + SCROLL, events[i] and events[i].step or STEPS, STEPS)
    keys[#keys + 1] = { arrival, ("0 %d"):format(-lines * LINE) }
  end
  keys[#keys + 1] = { STEPS, ("0 %d"):format(-lines * LINE) }
  return smooth('animateTransform attributeName="transform" type="translate"', keys)
end

-- All that changes, moving or, for those who want less of it, as it is at first.
local function scene(add, places, first, events, moves)
  local function only_if_it_moves(text)
    return moves and text or ""
  end
  local own = places[walk.watcher]
  local own_motion = only_if_it_moves(motion(own))
  add(('<g class="view"><circle cx="%s" cy="%s" r="%s" fill="%s" fill-opacity="0.13" stroke="%s" ' ..
    'stroke-width="1.5"/>%s</g>'):format(short(own[0][1]), short(own[0][2]), length(walk.radius),
    drawing.SHAPE, drawing.SHAPE, own_motion))
  for id = 1, walk.walkers do
    local x, y = short(places[id][0][1]), short(places[id][0][2])
    add(('<g id="%s%d"><circle cx="%s" cy="%s" r="4" fill="%s"/><g opacity="%d"><circle cx="%s" cy="%s" ' ..
      'r="6" fill="%s"/>%s%s</g>%s</g>'):format(moves and "w" or "s", id, x, y, drawing.OTHER,
      first[id] and 1 or 0, x, y, drawing.FOUND, number(places[id][0], id),
      only_if_it_moves(light(id, first[id], events)), only_if_it_moves(motion(places[id]))))
  end
  add(('<g><circle cx="%s" cy="%s" r="6" fill="%s" stroke="white" stroke-width="2"/>%s%s</g>'):format(
    short(own[0][1]), short(own[0][2]), drawing.SHAPE, number(own[0], walk.watcher), own_motion))

  -- Above the list stand the last lines of the round before, so its end looks like its start.
  add '<g clip-path="url(#list)" font-family="monospace" font-size="14"><g>'
  local left = MARGIN + walk.width * SCALE + GAP
  for line = 1 - LINES, moves and #events or 0 do
    local event = events[line > 0 and line or #events + line]
    local y = MARGIN + (line + LINES) * LINE - 5
    local is_enter = event.op == "enter"
    add(('<circle cx="%d" cy="%d" r="%d" fill="%s"/>'):format(left + 6, y - 5, is_enter and 6 or 4,
      is_enter and drawing.FOUND or drawing.OTHER))
    add(('<text x="%d" y="%d" fill="%s">on_%s(%d, %d)</text>'):format(left + 20, y,
      is_enter and drawing.INK or PALE_INK, event.op, walk.watcher, event.marker))
  end
  add(only_if_it_moves(scroll(events)))
  add "</g></g>"
end

local function render()
  local places, first, events = film()
  local width = math.floor(2 * MARGIN + walk.width * SCALE + GAP + PANEL)
  local height = math.floor(2 * MARGIN + walk.height * SCALE)
  local lines = drawing.head(width, height, "on_enter, on_leave")
  local function add(text)
    lines[#lines + 1] = text
  end
  add(drawing.LESS_MOTION)
  add(('<clipPath id="list"><rect x="%d" y="%d" width="%d" height="%d"/></clipPath>'):format(
    MARGIN + walk.width * SCALE + GAP - 2, MARGIN, PANEL + 4, LINES * LINE))
  add(('<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="%s"/>'):format(MARGIN, MARGIN,
    walk.width * SCALE, walk.height * SCALE, drawing.OTHER))
  for _, moves in ipairs { true, false } do
    add(moves and '<g class="moving" font-size="11">' or '<g class="still" display="none" font-size="11">')
    scene(add, places, first, events, moves)
    add "</g>"
  end
  add "</g>"
  add "</svg>"
  return table.concat(lines, "\n") .. "\n"
end

local files = { ["docs/pictures/view.svg"] = render() }

if ... ~= "docs.draw_view" then
  drawing.write(files)
end

return files
