-- Random and adversarial sequences of calls on a space, the same for the same engine and seed on
-- every Lua version and machine.
--
-- A sequence is { seed, engine, options, calls }; a call is { method = name, n = count, ... }. It may
-- have `inside`, a call that the first handler makes, and `listener`, for a call of `on` (without
-- arguments): who hears from now on.
-- Each sequence has a taste of its own (what coordinates look like, how far steps go, who has
-- which radius, ...), because a mixture of everything rarely meets two rare things at once.

local Random = require "spec.support.random"

local Generator = {}
Generator.__index = Generator

local call_kinds -- what calls there are; below

-- ---- coordinates ------------------------------------------------------------------------------

-- The neighbouring doubles of a number, roughly: one to two units in the last place away.
local function just_above(value)
  return value + math.max(math.abs(value) * 2.0 ^ -52, 2.0 ^ -1074)
end

local function just_below(value)
  return -just_above(-value)
end

-- The number itself or one a hair beside it, where closed and open borders differ.
local function beside(random, value)
  local choice = random:integer(1, 3)
  if choice == 1 then
    return just_below(value)
  elseif choice == 2 then
    return just_above(value)
  end
  return value
end

-- A number between low and high that is whole when it is taken so many times; any, on a map so small
-- that there is none.
local function whole_part(random, low, high, parts)
  local first, last = math.ceil(low * parts), math.floor(high * parts)
  if first > last then
    return random:float(low, high)
  end
  return parts == 1 and random:integer(first, last) or random:integer(first, last) / parts
end

-- Ways to choose a coordinate between low and high; `size` is about one cell.
local coordinate_styles = {
  integer = function(random, low, high)
    return whole_part(random, low, high, 1)
  end,
  tenths = function(random, low, high)
    return whole_part(random, low, high, 10)
  end,
  fraction = function(random, low, high)
    return random:float(low, high)
  end,
  -- Few different values: many equal coordinates, and distances that are equal to a radius.
  coarse = function(random, low, high)
    return low + random:integer(0, 6) * ((high - low) / 6)
  end,
  cell_border = function(random, low, high, size)
    local index = random:integer(0, math.ceil((high - low) / size))
    return beside(random, low + index * size)
  end,
  map_border = function(random, low, high)
    return random:chance(0.5) and low or high
  end,
}

local coordinate_style_names = {
  "integer", "tenths", "fraction", "coarse", "cell_border", "map_border",
}

-- ---- the taste of a sequence ------------------------------------------------------------------

local region_sizes = { { 300, 250 }, { 100, 100 }, { 64, 32 }, { 10, 7 }, { 7, 1000 } }
local region_corners = {
  { 0, 0 }, { -150, -125 }, { -1000, 37 }, { 0.1, -0.3 }, { 1e6, -1e6 },
  { 1e8, 1e8 }, { 1e15, -1e15 },
}

-- Regions where doubles come to their ends: squares of distances vanish or overflow.
local extreme_regions = {
  { size = { 1e-161, 1e-161 }, corner = { 0, 0 } },
  { size = { 1e200, 1e200 }, corner = { -5e199, -5e199 } },
  { size = { 1e300, 1e300 }, corner = { -5e299, 0 } },
}

local function choose_region(random)
  local size, corner = random:pick(region_sizes), random:pick(region_corners)
  if random:chance(0.2) then -- no multiple of any cell
    size = { size[1] + 0.7, size[2] + 1 / 3 }
  end
  if random:chance(0.05) then
    local extreme = random:pick(extreme_regions)
    size, corner = extreme.size, extreme.corner
  end
  return {
    x = corner[1], y = corner[2], width = size[1], height = size[2],
    high_x = corner[1] + size[1], high_y = corner[2] + size[2],
  }
end

-- A radius that fits the region, of the kind that the coordinates are.
local function choose_radius(random, region, style)
  local share = random:pick { 0.02, 0.05, 0.1, 0.15, 0.25, 0.4 }
  local radius = share * math.min(region.width, region.height)
  if random:chance(0.04) then
    return random:pick { 0, 1e9, 1e308, math.huge }
  elseif style == "integer" then
    return math.ceil(radius)
  elseif style == "tenths" then
    return math.ceil(radius * 10) / 10
  elseif style == "coarse" then
    return region.width / 6
  end
  return radius
end

-- A grid without a map can't take its cell from every radius.
local function add_missing_cell(engine, region, options)
  local has_usual_radius = options.radius and options.radius > 0 and options.radius < math.huge
  if engine.has_cells and not engine.has_map and not has_usual_radius and not options.cell then
    options.cell = math.max(region.width, region.height) / 5
  end
end

-- A cell count that no engine refuses, about as many cells as a person would choose.
local function choose_cells(random, engine, region, options)
  if not engine.has_cells then
    return
  end
  local extent = math.max(region.width, region.height)
  local choice = random:integer(engine.has_map and 1 or 2, engine.has_radius and 3 or 2)
  if choice == 1 then
    options.cols, options.rows = random:integer(1, 12), random:integer(1, 12)
  elseif choice == 2 then
    options.cell = extent / random:pick { 2.5, 4, 7, 10, 13.3 }
  else -- the cell follows the radius
    add_missing_cell(engine, region, options)
  end
end

local function choose_options(random, engine, region, style)
  local options = { engine = engine.engine, dims = random:pick(engine.dims) }
  if options.dims == 2 then
    options.dims = nil
  end
  if engine.has_map then
    options.width, options.height = region.width, region.height
    if region.x ~= 0 or region.y ~= 0 or random:chance(0.5) then
      options.x, options.y = region.x, region.y
    end
    options.clamp = random:chance(0.3) or nil
    choose_cells(random, engine, region, options)
  end
  if engine.has_radius then
    if engine.has_map or engine.needs_radius or random:chance(0.8) then
      options.radius = choose_radius(random, region, style)
    end
    options.shape = random:pick { "circle", "circle", "square", false } or nil
  end
  if not engine.has_map then
    choose_cells(random, engine, region, options)
  end
  for _, extra in ipairs(engine.extra_options or {}) do
    if random:chance(0.5) then
      options[extra.name] = random:pick(extra.values)
    end
  end
  return options
end

local id_styles = {
  { weight = 6, make = function(_, index)
    return index
  end },
  { weight = 2, make = function(_, index)
    return -index
  end },
  { weight = 2, make = function(_, index)
    return (index << 32) + index % 3 -- equal in their low bits
  end },
  { weight = 1, make = function(random, index)
    return (random:bits() << 33) ~ (random:bits() << 8) ~ index
  end },
  { weight = 1, make = function(_, index)
    local extremes = { math.mininteger, math.maxinteger, 0, -1, 2 ^ 40 }
    return extremes[index] or index * 1000003
  end },
}

local function choose_ids(random)
  local count = random:pick_weighted {
    { weight = 30, low = 2, high = 6 },
    { weight = 62, low = 7, high = 20 },
    { weight = 7, low = 21, high = 60 },
    { weight = 1, low = 100, high = 200 },
  }
  local style, ids = random:pick_weighted(id_styles), {}
  for index = 1, random:integer(count.low, count.high) do
    ids[index] = style.make(random, index)
  end
  return ids
end

local function new_generator(engine, seed)
  local random, more = Random.new(seed), Random.new(seed + 7777777)
  local style = random:pick(coordinate_style_names)
  local region = choose_region(random)
  local self = setmetatable({
    random = random,
    engine = engine,
    region = region,
    options = choose_options(random, engine, region, style),
    ids = choose_ids(random),
    entities = {}, -- id -> { x, y, z, radius } of those inside
    last_places = {}, -- the like, also of those who have left
    call_kinds = call_kinds,
    style = style,
    mixed_styles = random:chance(0.3),
    mixed_radii = random:chance(0.5),
    mixed_modes = random:chance(0.5),
    mixed_layers = random:chance(0.5),
    visible_share = more:pick { 0, 0, 0, 0.02, 0.1, 0.4 }, -- markers with a visible radius
    sight_weight = more:pick { 0, 0, 0, 3, 15, 60 },
    leave_share = random:pick { 0.02, 0.1, 0.4 },
    setter_share = random:pick { 0.02, 0.1, 0.4 },
    far_share = random:pick { 0.02, 0.3 }, -- teleports among the moves
    step = random:pick { 0.001, 0.02, 0.1, 0.3 }, -- of the region
    outside_share = random:chance(0.3) and 0.05 or 0, -- positions outside the region
  }, Generator)
  local options = self.options
  self.cell_width = options.cell or region.width / (options.cols or 6)
  self.cell_height = options.cell or region.height / (options.rows or 6)
  return self
end

-- ---- places -----------------------------------------------------------------------------------

function Generator:coordinate(low, high, size)
  local name = self.style
  if self.mixed_styles and self.random:chance(0.5) then
    name = self.random:pick(coordinate_style_names)
  end
  return coordinate_styles[name](self.random, low, high, size)
end

-- Some entity that is inside; nil when none is found.
function Generator:some_entity()
  for _ = 1, 20 do
    local entity = self.entities[self.random:pick(self.ids)]
    if entity then
      return entity
    end
  end
  return nil
end

-- Any place of the region.
function Generator:fresh_place()
  local region = self.region
  return {
    x = self:coordinate(region.x, region.high_x, self.cell_width),
    y = self:coordinate(region.y, region.high_y, self.cell_height),
    z = self:coordinate(0, 20, 5),
  }
end

-- A small step from where the entity is; in the style of the coordinates, so that integer
-- worlds stay integer.
function Generator:step_place(entity)
  local random, region = self.random, self.region
  local function step(value, extent)
    local distance = random:float(-self.step, self.step) * extent
    if self.style == "integer" then
      distance = random:integer(-2, 2)
    elseif self.style == "tenths" then
      return math.floor((value + distance) * 10 + 0.5) / 10
    end
    return value + distance
  end
  return {
    x = random:chance(0.2) and entity.x or step(entity.x, region.width),
    y = random:chance(0.2) and entity.y or step(entity.y, region.height),
    z = random:chance(0.5) and entity.z or step(entity.z, 20),
  }
end

-- On the border of another one's view, or such that the other is on the border of ours.
function Generator:border_place(entity, other)
  local random = self.random
  local mine = entity and (entity.visible_radius or entity.radius) or other.radius
  local radius = random:pick { other.radius, mine, other.visible_radius }
  local place = { x = other.x, y = other.y, z = other.z }
  local axes = random:pick { "x", "y", "xy", "z" }
  for axis in axes:gmatch(".") do
    local border = beside(random, other[axis] + random:pick { -1, 1 } * radius)
    if math.abs(border) < math.huge then
      place[axis] = border
    end
  end
  return place
end

local place_kinds = {
  { weight = 60, name = "step" },
  { weight = 6, name = "same" },
  { weight = 6, name = "other" },
  { weight = 12, name = "border" },
}

-- Most maps have borders: brings a place back into the region, except sometimes.
function Generator:fence(place)
  local random, region = self.random, self.region
  if random:chance(self.outside_share) then
    place.x = random:pick { just_below(region.x), just_above(region.high_x), -1e300, 1e17 }
    if random:chance(0.1) then
      place.x, place.y = random:pick { -1.7e308, 1.7e308 }, random:pick { -1.7e308, 1.7e308 }
    end
    return place
  end
  if self.engine.has_map or random:chance(0.5) then
    place.x = math.max(region.x, math.min(region.high_x, place.x))
    place.y = math.max(region.y, math.min(region.high_y, place.y))
  end
  return place
end

-- A place for an entity that is at `entity` now (nil: not in the space).
function Generator:place(entity)
  local kind = self.random:pick_weighted(place_kinds).name
  local other = self:some_entity()
  if self.random:chance(self.far_share) then
    return self:fence(self:fresh_place())
  elseif kind == "other" and other then
    return self:fence { x = other.x, y = other.y, z = other.z }
  elseif kind == "border" and other then
    return self:fence(self:border_place(entity, other))
  elseif kind == "same" and entity then
    return self:fence { x = entity.x, y = entity.y, z = entity.z }
  elseif entity then
    return self:fence(self:step_place(entity))
  end
  return self:fence(self:fresh_place())
end

-- ---- what entities are ------------------------------------------------------------------------

-- Another default radius than the usual ones.
function Generator:set_default_radius(radius)
  self.options.radius = radius
  add_missing_cell(self.engine, self.region, self.options)
end

function Generator:some_radius()
  local random = self.random
  local usual = self.options.radius or self.region.width / 10
  if usual == math.huge or random:chance(0.1) then
    return random:pick { 0, 1, 3, self.region.width / 6, 1e9, 1e308, math.huge }
  end
  local radius = usual * random:integer(2, 40) / 10
  return self.style == "integer" and math.ceil(radius) or radius
end

-- Small ones, which the radius hides, and large ones.
function Generator:some_visible_radius()
  if self.random:chance(0.15) then
    return 0
  end
  return self:some_radius()
end

local function some_mode(self)
  return self.random:pick { "wm", "w", "m" }
end

local function some_bits(self)
  return self.random:pick { 0, 1, 2, 3, 4, -1, 0xFFFFFFFF, 0x80000000, 0x80000001 }
end

-- The opts of an enter or update; nil when there are none.
function Generator:opts(entering)
  local random, opts = self.random, {}
  if self.engine.has_radius then
    local needed = entering and not self.options.radius
    if needed and random:chance(0.98) or self.mixed_radii and random:chance(0.2) then
      opts.radius = self:some_radius()
    end
  end
  if self.engine.has_radius and random:chance(self.visible_share) then
    opts.visible_radius = self:some_visible_radius()
  end
  if self.mixed_modes and random:chance(0.3) then
    opts.mode = some_mode(self)
  end
  if self.mixed_layers and random:chance(0.3) then
    opts.layers = some_bits(self)
  end
  if self.mixed_layers and random:chance(0.3) then
    opts.sees_layers = some_bits(self)
  end
  if self.add_opts then
    self:add_opts(opts)
  end
  if next(opts) == nil and random:chance(0.9) then
    return nil
  end
  return opts
end

-- ---- calls ------------------------------------------------------------------------------------

local function call(method, ...)
  return { method = method, n = select("#", ...), ... }
end

-- A call whose place and opts are the last arguments.
function Generator:placing_call(method, id, place, opts)
  local made = call(method, id, place.x, place.y)
  if self.options.dims == 3 then
    made[4], made.n = place.z, 4
  end
  if opts then
    made.n = made.n + 1
    made[made.n] = opts
  end
  return made
end

-- Remembers where an entity is, if the space will take the call.
function Generator:note(id, place, opts)
  local region = self.region
  local known = self.entities[id]
  local radius = opts and opts.radius or known and known.radius or self.options.radius
  local outside = place.x < region.x or place.x > region.high_x
  if self.engine.has_radius and not radius
    or self.engine.has_map and outside and not self.options.clamp then
    return
  end
  local visible_radius = opts and opts.visible_radius or known and known.visible_radius
  self.entities[id] = {
    x = place.x, y = place.y, z = place.z, radius = radius or 0, visible_radius = visible_radius,
  }
  self.last_places[id] = self.entities[id]
end

-- A place for one who is at `entity` (nil: not in the space) that a map never refuses.
function Generator:place_in_map(entity)
  local outside_share = self.outside_share
  self.outside_share = 0
  local place = self:place(entity)
  self.outside_share = outside_share
  return place
end

-- Adds a row to the flat table of a batch.
function Generator:append_row(flat, id, place)
  flat[#flat + 1] = id
  flat[#flat + 1] = place.x
  flat[#flat + 1] = place.y
  if self.options.dims == 3 then
    flat[#flat + 1] = place.z
  end
end

local function enter(self, id)
  local place, opts = self:place(), self:opts(true)
  self:note(id, place, opts)
  return self:placing_call("enter", id, place, opts)
end

local function move(self, id)
  local place = self:place(self.entities[id])
  self:note(id, place)
  return self:placing_call("move", id, place)
end

local function leave(self, id)
  self.entities[id] = nil
  return call("leave", id)
end

local function update(self, id)
  local place, opts = self:place(self.entities[id]), self:opts(self.entities[id] == nil)
  self:note(id, place, opts)
  return self:placing_call("update", id, place, opts)
end

local setters = {
  function(self, id)
    return self.engine.has_radius and call("set_radius", id, self:some_radius()) or nil
  end,
  function(self, id)
    if not self.engine.has_radius or self.visible_share == 0 then
      return nil
    end
    local radius = self:some_visible_radius()
    self.entities[id].visible_radius = radius
    return call("set_visible_radius", id, radius)
  end,
  function(self, id)
    return self.mixed_modes and call("set_mode", id, some_mode(self)) or nil
  end,
  function(self, id)
    return self.mixed_layers and call("set_layers", id, some_bits(self)) or nil
  end,
  function(self, id)
    return self.mixed_layers and call("set_sees_layers", id, some_bits(self)) or nil
  end,
}

-- Calls that the contract forbids: each must raise and change nothing.
local wrong_calls = {
  function(self, id)
    return self:placing_call(self.entities[id] and "enter" or "move", id, self:fresh_place())
  end,
  function(self, id)
    return self.entities[id] and self:placing_call("enter", id, self:fresh_place(), { radius = 1 })
      or call("leave", id)
  end,
  function(_, id)
    return call("set_layers", id, 1 << 32)
  end,
  function(_, id)
    return call("set_mode", id, "x")
  end,
  function(_, id)
    return call("set_sees_layers", id, -2)
  end,
  function(_, id)
    return call("set_radius", id, -1)
  end,
  function(self, id)
    return call("set_visible_radius", id, self.engine.has_radius and -1 or 1)
  end,
  function(self, id)
    return call("set_sight", id, self.random:pick { id, "one" }, true)
  end,
  function(self, id)
    return self:placing_call("update", id, { x = 0 / 0, y = 0, z = 0 })
  end,
  function(self, id)
    return self:placing_call("move", id, { x = 0, y = math.huge, z = 0 })
  end,
  function(self, id)
    return self:placing_call("enter", id, self:fresh_place(), { radius = 0 / 0 })
  end,
  function(_, _)
    return call("leave", 1.5)
  end,
}

-- Some pairs get a word again and again, and one side of most is not inside.
local function set_sight(self, id)
  local random = self.random
  if not random:chance(self.sight_weight / 60) then
    return nil
  end
  local other = random:chance(0.5) and random:pick(self.ids) or self.ids[1]
  local how = random:pick { true, true, false, false, "nil" }
  if how == "nil" then
    how = nil
  end
  return call("set_sight", id, other, how)
end

-- Brings somebody in, moves them or takes them out: what a space is for.
local function ordinary_call(self, id)
  if not self.entities[id] then
    return enter(self, id)
  elseif self.random:chance(self.leave_share) then
    return leave(self, id)
  elseif self.random:chance(self.setter_share) then
    return self.random:pick(setters)(self, id) or move(self, id)
  end
  return move(self, id)
end

-- Kinds of calls, picked by weight; `make` returns nil when the kind does not fit the moment.
call_kinds = {
  { weight = 3, make = function(self, id)
    return self.random:pick(wrong_calls)(self, id)
  end },
  { weight = 2, make = function(self, id)
    return call("sees", id, self.random:pick(self.ids))
  end },
  { weight = 0.3, make = function()
    return call("ids")
  end },
  { weight = 0.2, make = function(self)
    self.entities = {}
    return call("clear")
  end },
  { weight = 12, make = update },
  { weight = 12, make = set_sight },
  { weight = 100, make = ordinary_call },
}

-- ---- sequences --------------------------------------------------------------------------------

local sequences = {
  call = call, beside = beside, ordinary_call = ordinary_call, some_bits = some_bits,
}

-- The usual kinds of calls and more, as a field of a taste.
function sequences.with_kinds(...)
  local kinds = table.move(call_kinds, 1, #call_kinds, 1, {})
  for _, more in ipairs { ... } do
    table.move(more, 1, #more, #kinds + 1, kinds)
  end
  return kinds
end

-- The sequence of `length` calls for a row of spec/support/engine_features.lua. `taste` replaces
-- fields of the generator, such as outside_share or call_kinds; with a field `prepare`, a method of
-- the generator, it can change what was chosen; with a field `ticks`, there are more calls until there
-- are so many ticks.
function sequences.generate(engine, seed, length, taste)
  local generator = new_generator(engine, seed)
  for name, value in pairs(taste or {}) do
    generator[name] = value
  end
  if generator.prepare then
    generator:prepare()
  end
  local calls, ticks = {}, 0
  while #calls < length or ticks < (generator.ticks or 0) do
    local id = generator.random:pick(generator.ids)
    local made = generator.random:pick_weighted(generator.call_kinds).make(generator, id)
    calls[#calls + 1] = made
    ticks = ticks + (made and made.method == "tick" and 1 or 0)
  end
  return { seed = seed, engine = engine, options = generator.options, calls = calls }
end

return sequences
