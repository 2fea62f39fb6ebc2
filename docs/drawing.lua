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
