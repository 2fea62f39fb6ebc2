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
local SEEN_FROM = 31

-- The number of towers, how far from 0 they are, how large everything is, how far walkers jump to and fro,
-- and how much further off towers stand and are seen.
local towers = {
  { "", 12, 0, 1, 0, 0 },
  { ", with jumps", 1, 0, 1, 17, 0 },
  { ", with jumps from end to end", 1, 0, 1, 1e300, 0, without_map = true, both_ways = true },
  { ", 10^10 away", 12, 1e10, 1, 0, 0, without_map = true },
  { ", seen from very far", 2, 0, 2.0 ^ 38, 0, 2.0 ^ 90, without_map = true },
}

local function calls_among_towers(case)
  local calls = {}
  local _, count, origin, scale, jump, far = table.unpack(case)
  local function place(method, id, step, ...)
    local x, y = walk.place(id, step / STEPS)
    local jumps = case.both_ways and step % 2 - 0.5 or step % 2
    x = x + jumps * (x < walk.width / 2 and jump or -jump)
    calls[#calls + 1] = call(method, id, origin + scale * x, origin + scale * y, ...)
  end
  local function place_tower(method, id, step, ...)
    local x, y = walk.width / 2 + (id + step) % 5, walk.height / 2 + id * step % 3
    calls[#calls + 1] = call(method, -id, origin + scale * x + far, origin + scale * y, ...)
  end
  local opts = { visible_radius = scale * SEEN_FROM + far }
  for id = 1, count do
    place_tower("enter", id, 0, opts)
  end
  for id = 1, WALKERS do
    place("enter", id, 0, {})
  end
  for step = 1, STEPS do
    local absent = step % count + 1
    calls[#calls + 1] = call("leave", -absent)
    for id = 1, WALKERS // 2 do
      place("move", id, step)
    end
    place_tower("enter", absent, step, opts)
    for id = WALKERS // 2 + 1, WALKERS do
      place("move", id, step)
    end
    if step % 3 == 0 then
      place_tower("move", (absent + 5) % count + 1, step)
    end
  end
  return calls
end

describe("Towers side by side are seen as the model says,", function()
  for _, engine in ipairs(engines) do
    for _, shape in ipairs(engine.has_radius and { "square", "circle" } or {}) do
      for _, case in ipairs(towers) do
        if not (case.without_map and engine.has_map) then
          it(("on the %s, in a %s%s"):format(engine.name, shape, case[1]), function()
            local scale, jump = case[4], case[5]
            local options = { engine = engine.engine, shape = shape, radius = (jump > 0 and 20 or 8) * scale }
            if engine.has_map then
              options.width, options.height = walk.width, walk.height
            end
            differential.run {
              seed = 1, engine = engine, options = options, listener = compare.listeners[1],
              calls = calls_among_towers(case),
            }
          end)
        end
      end
    end
  end
end)
