-- What the scripts that draw docs/pictures/ share: the colours, and how files are written.
local drawing = {
  FOUND = "#d95f02", -- what a query finds, whom a watcher sees
  OTHER = "#b9bec5", -- everybody else
  SHAPE = "#1f77b4", -- the shape of a query, the border of a view
  INK = "#222222",
}

-- The first lines of a picture: its size in pixels, what a reader hears who doesn't see it, a white ground.
function drawing.head(width, height, title)
  return {
    ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">'):format(width,
      height, width, height),
    ("<title>%s</title>"):format(title),
    ('<g font-family="sans-serif" font-size="15" fill="%s">'):format(drawing.INK),
    ('<rect width="%d" height="%d" fill="white"/>'):format(width, height),
  }
end

-- A point of the world in the picture: y goes up in the world and down in an SVG. Returns px(x), py(y) and
-- length(units), all as text.
function drawing.places(scale, margin, world_height)
  local function text(number)
    return ("%.1f"):format(number)
  end
  return function(x) return text(margin + x * scale) end,
    function(y) return text(margin + (world_height - y) * scale) end,
    function(units) return text(units * scale) end
end

-- At most one digit behind the point, and none that says nothing.
function drawing.short(number)
  local text = ("%.1f"):format(number):gsub("%.0$", "")
  return text == "-0" and "0" or text
end

--[[ Animations of a picture that begins anew every so many seconds, its time cut into steps 0 … steps. A key
is { step, value }, in order, from step 0 on. Returns
  smooth(element, keys)  straight lines between the keys, the last of which is of the last step
  sudden(element, keys)  each value stays until the next key
  motion(places)         the way from places[0] = { x, y } through all others, one for each step ]]
function drawing.animations(seconds, steps)
  local function animation(element, keys, mode)
    local times, values = {}, {}
    for i, key in ipairs(keys) do
      times[i] = ("%.5f"):format(key[1] / steps):gsub("%.?0+$", "")
      values[i] = key[2]
    end
    return ('<%s%s values="%s" keyTimes="%s" dur="%ds" repeatCount="indefinite"/>'):format(element, mode,
      table.concat(values, ";"), table.concat(times, ";"), seconds)
  end
  return function(element, keys) return animation(element, keys, "") end,
    function(element, keys) return animation(element, keys, ' calcMode="discrete"') end,
    function(places)
      local ways = {}
      for step = 0, steps do
        ways[#ways + 1] = drawing.short(places[step][1] - places[0][1]) .. "," ..
          drawing.short(places[step][2] - places[0][2])
      end
      return ('<animateMotion calcMode="linear" dur="%ds" repeatCount="indefinite" values="%s"/>'):format(
        seconds, table.concat(ways, ";"))
    end
end

-- Where a picture goes straight on between its steps, so does the space: the place of `id` by
-- place(id, part) when `part` of the round is over, exact at the steps.
function drawing.straight(place, steps)
  return function(id, part)
    local before = math.floor(part * steps)
    local rest = part * steps - before
    local x, y = place(id, before / steps)
    local next_x, next_y = place(id, (before + 1) / steps)
    return x + rest * (next_x - x), y + rest * (next_y - y)
  end
end

-- An id beside its dot, with a white edge that keeps it readable above other dots.
function drawing.number(place, id)
  return ('<text x="%s" y="%s" stroke="white" stroke-width="3" paint-order="stroke">%d</text>'):format(
    drawing.short(place[1] + 7), drawing.short(place[2] - 6), id)
end

-- Readers who want less motion see the still part of a picture, the others the moving one.
drawing.LESS_MOTION = [[<style>
@media (prefers-reduced-motion: reduce) { .moving { display: none } .still { display: inline } }
</style>]]

-- Writes { file name = text }.
function drawing.write(files)
  for name, text in pairs(files) do
    local file = assert(io.open(name, "w"))
    file:write(text)
    file:close()
    print("wrote " .. name)
  end
end

return drawing
