-- Draws a history from a seed: which spaces there are, who hears what, and a list of calls. Nothing is
-- planned with the help of a model: a call that can't be made is an error on both sides.
local draw_calls = require "spec.everything.generator_calls"
local draw_handlers = require "spec.everything.generator_handlers"
local new_random = require("spec.support.random").new
local values = require "spec.everything.values"

local generator = {}

local KINDS = { "enter", "leave", "move", "area_enter", "area_leave" }

local ENGINES = {
  { weight = 3, name = "classic" },
  { weight = 4, name = "grid" },
  { weight = 4, name = "folded" }, -- the grid without a map
  { weight = 4, name = "crosslist" },
  { weight = 4, name = "quadtree" },
}

local function has_map(engine)
  return engine ~= "crosslist" and engine ~= "folded"
end

-- A map around where entities are.
local function add_map(options, random, v)
  local margin = random:pick { 0, 0, 1, v:extent() }
  options.width, options.height = v:extent() + 2 * margin, v:extent() + 2 * margin
  if v.low ~= margin or random:chance(0.2) then
    options.x, options.y = v.low - margin, v.low - margin
  end
end

local function add_cells(options, random, v, engine)
  if engine == "classic" or engine == "grid" and random:chance(0.3) then
    options.cols, options.rows = random:integer(1, 9), random:integer(1, 9)
  elseif random:chance(0.3) then
    options.cell = random:pick { v:extent() / 7, v:extent() / 3, v:extent() * 2 }
  end
end

local function add_leaves(options, random)
  if random:chance(0.6) then
    options.capacity = random:pick { 1, 2, 3, 8 }
  end
  if random:chance(0.3) then
    options.max_depth = random:integer(0, 32)
  end
end

-- Options of one engine: those that the spaces of a history need not share.
local function engine_options(random, v, name, clamp)
  local options = { engine = name }
  if name == "classic" or name == "folded" then
    options.engine = "grid"
  end
  if has_map(name) then
    add_map(options, random, v)
    options.clamp = clamp or nil
  end
  if options.engine == "grid" then
    add_cells(options, random, v, name)
  elseif name == "quadtree" then
    add_leaves(options, random)
  end
  return options
end

local function draw_period(random)
  return random:pick { 1, 2, 3, 5, 100, (1 << 29) - 1, 1 << 29, 1 << 28, math.huge }
end

local function draw_rates(random, v)
  local rates, bound, period = {}, 0, 1
  for _ = 1, random:integer(0, 3) do
    bound = bound + v:extent() / random:pick { 4, 8, 16 }
    rates[#rates + 1] = { bound, period }
    period = math.max(period, draw_period(random))
  end
  rates[#rates + 1] = { math.huge, math.max(period, draw_period(random)) }
  return rates
end

local function add_crowd(shared, random, v)
  if random:chance(0.6) then
    shared.limit = random:pick { 0, 1, 2, 3, 5, 8, math.huge, 2147483647 }
  end
  if random:chance(0.3) then
    shared.enter_budget = random:pick { 1, 2, 3, 2147483647 }
  end
  if random:chance(0.6) then
    shared.rates = draw_rates(random, v)
  end
  if random:chance(0.5) then
    shared.move_budget = random:pick { 1, 2, 3, 2147483647 }
  end
  if not (shared.limit or shared.enter_budget or shared.rates or shared.move_budget) then
    shared.limit = 2
  end
  if random:chance(0.4) then
    shared.keep_factor = random:pick { 1, 1, 1.2, 2, 1000 }
  end
  if random:chance(0.3) then
    shared.limit_layers = random:pick { 1, 2, 0, -1 }
  end
end

-- Options that all spaces of a history share.
local function shared_options(random, v, classic, flags)
  local shared = { deferred = flags.deferred or nil }
  if not classic then
    shared.radius = v:usual_radius()
    shared.shape = random:chance(0.4) and "circle" or nil
    shared.dims = v.dims == 3 and 3 or nil
    if random:chance(0.3) then
      shared.slack = random:pick { v:extent() / 16, v:extent() / 4, 0.5, 1, 1e30 }
    end
  end
  if flags.crowd then
    add_crowd(shared, random, v)
  end
  return shared
end

local function draw_collect(random)
  if random:chance(0.3) then
    return true
  end
  local kinds = {}
  for _, kind in ipairs(KINDS) do
    if random:chance(0.4) then
      kinds[#kinds + 1] = kind
    end
  end
  return kinds
end

-- Properties of the history as a whole.
local function draw_flags(random)
  local flags = { deferred = random:chance(0.6), areas = random:chance(0.6), gathers = random:chance(0.5),
    spaces = 1 }
  flags.crowd = flags.deferred and random:chance(0.6)
  if flags.deferred and random:chance(0.35) then
    flags.spaces = random:integer(2, 3)
  end
  flags.shows_ghosts = flags.spaces > 1 and random:chance(0.7)
  flags.far_ticks = flags.deferred and random:chance(0.4)
  flags.misbehaves = random:chance(0.4)
  flags.visible_share = random:pick { 0, 0, 0.05, 0.4 }
  flags.sights = random:chance(0.4)
  return flags
end

local function draw_space(random, v, shared, flags, engine)
  local options = engine_options(random, v, engine, flags.clamp)
  for name, value in pairs(shared) do
    options[name] = value
  end
  -- An engine with a default radius or without; a grid without one is the nine-grid.
  if (engine == "crosslist" or engine == "quadtree") and flags.no_radius then
    options.radius = nil
  end
  if engine == "folded" and not (options.radius > 0 and options.radius < math.huge) then
    options.cell = v:extent() / 7
  end
  if flags.gathers then
    options.collect = draw_collect(random)
  end
  local spec = { options = options, handlers = draw_handlers.list(random) }
  if engine == "classic" and flags.classic_call then
    spec.classic_call = { options.width, options.height, options.cols, options.rows }
    spec.options = { engine = "grid", width = options.width, height = options.height, cols = options.cols,
      rows = options.rows }
    spec.handlers = { "on_event" }
  end
  return spec
end

-- A history: a plain table of options and calls, the same for the same seed.
function generator.history(seed)
  local random = new_random(seed)
  local flags = draw_flags(random)
  local engine = random:pick_weighted(ENGINES).name
  flags.clamp = random:chance(0.5)
  flags.no_radius = random:chance(0.15)
  flags.classic_call = not flags.deferred and random:chance(0.3)
  local bounded = has_map(engine) and not flags.clamp or flags.spaces > 1 and not flags.clamp
  local size = random:pick { 3, 5, 8, 8, 12, 12, 20, flags.deferred and random:chance(0.3) and 100 or 30 }
  if random:chance(0.02) then
    size = flags.deferred and 150 or 80
  end
  local v = values.new(random, bounded, size)
  v.dims = engine ~= "classic" and random:chance(0.3) and 3 or 2
  local shared = shared_options(random, v, engine == "classic", flags)
  flags.engine, flags.shared = engine, shared
  local history = { seed = seed, spaces = {}, ask = random:pick { 1, 1, 3, 10, 1000 } }
  for i = 1, flags.spaces do
    local name = engine
    if i > 1 and engine ~= "classic" then
      name = random:pick { "grid", "folded", "crosslist", "quadtree" }
    end
    history.spaces[i] = draw_space(random, v, shared, flags, name)
    history.spaces[i].script = draw_handlers.script(random, v, flags, i)
  end
  history.calls = draw_calls.list(random, v, flags, size < 80 and random:pick { 20, 60, 100, 200 } or 30)
  return history
end

return generator
