-- Walkers who go the same ways each time, among them a boss that is seen from far off, fireworks that are
-- seen from everywhere, and teams whose members always see each other: every engine against the model,
-- after each call.

local compare = require "spec.support.compare"
local differential = require "spec.support.differential"
local engines = require "spec.support.engine_features"
local walk = require "examples.demo.walk"

local WALKERS, STEPS, TEAM = 24, 24, 4
local BOSS, FIREWORKS = 3, 7

local function call(method, ...)
  return { method = method, n = select("#", ...), ... }
end

-- A call about where a walker is at a step, with what follows in the call.
local function placing(dims, method, id, step, ...)
  local x, y = walk.place(id, step / STEPS)
  if dims == 3 then
    return call(method, id, x, y, (id * 5 + step) % 24, ...)
  end
  return call(method, id, x, y, ...)
end

local function add_sights(calls)
  for id = 1, WALKERS do
    for mate = 1, TEAM - 1 do
      calls[#calls + 1] = call("set_sight", id, (id - 1) // TEAM * TEAM + (id + mate - 1) % TEAM + 1, true)
    end
  end
  calls[#calls + 1] = call("set_sight", 1, BOSS, false)
  calls[#calls + 1] = call("set_sight", 10, FIREWORKS, false)
end

-- The fireworks come and go, and the boss is seen from less far for a while.
local function add_turns(calls, step, has_radius, dims)
  if not has_radius then
    return
  end
  if step == STEPS // 3 then
    calls[#calls + 1] = call("set_visible_radius", BOSS, 25)
    calls[#calls + 1] = call("leave", FIREWORKS)
  elseif step == 2 * STEPS // 3 then
    calls[#calls + 1] = call("set_visible_radius", BOSS, 45)
    calls[#calls + 1] = placing(dims, "enter", FIREWORKS, step, { visible_radius = math.huge })
  end
end

local function calls_of(engine, options)
  local calls, dims = {}, options.dims or 2
  for id = 1, WALKERS do
    local visible = id == BOSS and 45 or id == FIREWORKS and math.huge or nil
    local opts = engine.has_radius and { visible_radius = visible } or {}
    calls[#calls + 1] = placing(dims, "enter", id, 0, opts)
  end
  add_sights(calls)
  for step = 1, STEPS do
    add_turns(calls, step, engine.has_radius, dims)
    for id = 1, WALKERS do
      local is_away = id == FIREWORKS and engine.has_radius and step >= STEPS // 3 and step < 2 * STEPS // 3
      if not is_away then
        calls[#calls + 1] = placing(dims, "move", id, step)
      end
    end
    if options.deferred then
      calls[#calls + 1] = call "tick"
    end
  end
  return calls
end

local function options_of(engine, more)
  local options = { engine = engine.engine }
  if engine.has_map then
    options.width, options.height = walk.width, walk.height
  end
  if engine.has_radius then
    options.radius = 15
  else
    options.cols, options.rows = 8, 6
  end
  for name, value in pairs(more) do
    options[name] = value
  end
  return options
end

local ways = {
  { "", {} },
  { ", in circles", { shape = "circle" } },
  { ", with slack", { slack = 2 } },
  { ", deferred", { deferred = true } },
  { ", in a crowd", { deferred = true, limit = 5 } },
  { ", in three dimensions", { dims = 3, shape = "circle" } },
}

describe("A boss and teams are seen as the model says,", function()
  for _, engine in ipairs(engines) do
    for number, way in ipairs(ways) do
      if engine.has_radius or not (way[2].shape or way[2].slack or way[2].dims) then
        it("on the " .. engine.name .. way[1], function()
          local options = options_of(engine, way[2])
          differential.run {
            seed = number, engine = engine, options = options, listener = compare.listeners[number],
            calls = calls_of(engine, options),
          }
        end)
      end
    end
  end
end)

-- Towers that are seen from the same distance and stand close together: their borders lie side by side.
-- Some move a little, and some leave and come back.
local TOWERS, SEEN_FROM = 12, 30

local function calls_among_towers(scale, origin)
  local calls = {}
  local function place(method, id, step, ...)
    local x, y = walk.place(id, step / STEPS)
    calls[#calls + 1] = call(method, id, origin + scale * x, origin + scale * y, ...)
  end
  local function place_tower(method, id, step, ...)
    local x, y = walk.width / 2 + (id + step) % 5, walk.height / 2 + id * step % 3
    calls[#calls + 1] = call(method, -id, origin + scale * x, origin + scale * y, ...)
  end
  local opts = { visible_radius = scale * SEEN_FROM }
  for id = 1, TOWERS do
    place_tower("enter", id, 0, opts)
  end
  for id = 1, WALKERS do
    place("enter", id, 0, {})
  end
  for step = 1, STEPS do
    local absent = step % TOWERS + 1
    calls[#calls + 1] = call("leave", -absent)
    for id = 1, WALKERS do
      place("move", id, step)
    end
    place_tower("enter", absent, step, opts)
    if step % 3 == 0 then
      place_tower("move", (absent + 5) % TOWERS + 1, step)
    end
  end
  return calls
end

describe("Towers side by side are seen as the model says,", function()
  for _, engine in ipairs(engines) do
    for _, shape in ipairs(engine.has_radius and { "square", "circle" } or {}) do
      for _, far in ipairs(engine.has_map and { 0 } or { 0, 1e10, 1e17 }) do
        it(("on the %s, in a %s, %g away"):format(engine.name, shape, far), function()
          -- So far away, all places are multiples of 16.
          local scale = far > 1e16 and 64 or 1
          local options = { engine = engine.engine, shape = shape, radius = 8 * scale }
          if engine.has_map then
            options.width, options.height = walk.width, walk.height
          end
          differential.run {
            seed = 1, engine = engine, options = options, listener = compare.listeners[1],
            calls = calls_among_towers(scale, far),
          }
        end)
      end
    end
  end
end)
