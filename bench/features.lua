-- Features of the build at hand: the benchmark also knows options that come later.
local aoi = require "aoi"

local features = {}

local function nothing() end

-- A small space with the options of an engine.
local engines = {
  grid = { engine = "grid", width = 100, height = 100, radius = 10 },
  folded = { engine = "grid", radius = 10 },
  crosslist = { engine = "crosslist", radius = 10 },
  quadtree = { engine = "quadtree", width = 100, height = 100, radius = 10 },
}
features.engines = { "grid", "folded", "crosslist", "quadtree" }

local samples = {
  deferred = true, slack = 1,
  on_watchers = nothing, on_markers = nothing, on_view = nothing,
}

local known = {}

local function can_make(options)
  local ok, space = pcall(aoi.new, options)
  if ok then
    space:close()
  end
  return ok
end

-- Whether the engine is there and, if options are named (deferred, slack, on_watchers, ...), takes each.
function features.has(engine, ...)
  for _, option in ipairs { "engine", ... } do
    local key = engine .. " " .. option
    if known[key] == nil then
      local options = {}
      for name, value in pairs(engines[engine]) do
        options[name] = value
      end
      if option ~= "engine" then
        options[option] = samples[option]
      end
      known[key] = can_make(options)
    end
    if not known[key] then
      return false
    end
  end
  return true
end

function features.has_method(name)
  local space = aoi.new(engines.grid)
  local there = space[name] ~= nil
  space:close()
  return there
end

return features
