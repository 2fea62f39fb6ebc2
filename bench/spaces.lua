-- Makes the spaces that the scenes measure.
local aoi = require "aoi"
local worlds = require "bench.worlds"

local spaces = {}

local function nothing() end

-- The handlers do nothing: what is measured is the way to them.
spaces.enter_leave = { on_enter = nothing, on_leave = nothing }
spaces.all_events = { on_event = nothing }
spaces.by_other = { on_watchers = nothing, on_markers = nothing }
spaces.by_view = { on_view = nothing }

-- Options of a space of an engine ("classic" is the grid without a radius, "folded" the one without a map)
-- for a world, with more.
function spaces.options(engine, world, ...)
  local options = { engine = (engine == "classic" or engine == "folded") and "grid" or engine }
  if engine ~= "crosslist" and engine ~= "folded" then
    options.width, options.height = world.size, world.size
  end
  if engine == "classic" then
    local cells = math.ceil(world.size / worlds.RADIUS)
    options.cols, options.rows = cells, cells
  else
    options.radius = worlds.RADIUS
  end
  for _, more in ipairs { ... } do
    for name, value in pairs(more) do
      options[name] = value
    end
  end
  return options
end

-- An empty space with these options.
function spaces.new(engine, world, ...)
  return aoi.new(spaces.options(engine, world, ...))
end

-- A new space with everybody inside.
function spaces.filled(engine, world, ...)
  local space = spaces.new(engine, world, ...)
  worlds.enter(space, world)
  return space
end

-- A case for measure.run: everybody walks, by single calls if no other play is given.
function spaces.walking(space, world, after_step, play)
  play = play or worlds.play
  return {
    space = space,
    calls = world.moves,
    play = function(round)
      -- The warm-up is a round of its own: the measured ones begin where it ends.
      play(space, world, round + 1, after_step)
    end,
  }
end

return spaces
