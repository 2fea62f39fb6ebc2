--[[ Areas: what they add to a move in world B, handlers on_enter, on_leave and on_area.

A zone or an aura is a circle. The zones lie on a map so large that about three boxes of theirs hold any one
place, so most are far from those who walk. Small ones have the size of a view: a step of three in ten crosses
a border. An aura on everybody is held against what one made of a second
watcher costs: an entity more for each, moved along by hand. ]]
local measure = require "bench.measure"
local output = require "bench.output"
local Random = require "spec.support.random"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local areas = { name = "areas", text = "a move with areas, world B, grid" }

local ZONE, SMALL_ZONE, AURA = 500, 50, 25
local COMPANIONS = 1 << 40 -- their ids begin here

local function nothing() end
local handlers = { on_enter = nothing, on_leave = nothing, on_area = nothing }

local function without(world)
  return spaces.filled("grid", world, handlers)
end

local function with_zones(world, radius)
  local space = without(world)
  local count = measure.settings.quick and 1000 or 100000
  local side = math.sqrt(count * (2 * radius) ^ 2 / 3)
  local draw = Random.draws(3)
  for zone = 1, count do
    space:add_area(zone, { x = draw() * side, y = draw() * side, radius = radius })
  end
  return space
end

local function with_auras(world, radius, leave_radius)
  local space = without(world)
  for id = 1, world.entities do
    space:add_area(id, { owner = id, radius = radius, leave_radius = leave_radius })
  end
  return space
end

-- Everybody once more, as a watcher with the radius of an aura.
local function with_companions(world)
  local space = without(world)
  for id = 1, world.entities do
    space:enter(COMPANIONS + id, world.xs[id], world.ys[id], { radius = AURA, mode = "w" })
  end
  return space
end

-- An island of so many corners on most of the map.
local function with_polygon(corners)
  return function(world)
    local space = without(world)
    local middle, points = world.size / 2, {}
    for i = 1, corners do
      local angle = 2 * math.pi * i / corners
      local reach = middle * (0.7 + 0.1 * math.sin(7 * angle) + 0.02 * math.sin(113 * angle))
      points[2 * i - 1], points[2 * i] = middle + reach * math.cos(angle), middle + reach * math.sin(angle)
    end
    space:add_area(1, { shape = "polygon", points = points })
    return space
  end
end

local function move_pairs(space, world, round)
  worlds.play({
    move = function(_, id, x, y)
      space:move(id, x, y)
      space:move(COMPANIONS + id, x, y)
    end,
  }, world, round)
end

-- Moves one entity each, also through worlds.play: for comparison with move_pairs.
local function move_ones(space, world, round)
  worlds.play({
    move = function(_, id, x, y) space:move(id, x, y) end,
  }, world, round)
end

local kinds = {
  { "without", "no areas", without },
  { "zones", "100,000 zones, three near", function(world) return with_zones(world, ZONE) end,
    to = "without" },
  { "small-zones", "small zones, three near", function(world) return with_zones(world, SMALL_ZONE) end,
    to = "without" },
  { "companions", "a second watcher for each", with_companions, play = move_pairs },
  { "auras", "an aura on each", function(world) return with_auras(world, AURA) end, play = move_ones,
    to = "companions" },
  { "two-radii", "on each, in at 25, out at 35", function(world) return with_auras(world, AURA, 35) end,
    play = move_ones, to = "companions" },
  { "polygon-10", "one of 10 corners", with_polygon(10) },
  { "polygon-10000", "one of 10,000 corners", with_polygon(10000), to = "polygon-10" },
}

function areas.run()
  local world = worlds.named("B", measure.settings.moves)
  local cases, by_name = {}, {}
  for i, kind in ipairs(kinds) do
    cases[i] = spaces.walking(kind[3](world), world, nil, kind.play)
    by_name[kind[1]] = cases[i]
  end
  measure.run(cases)
  output.header()
  for i, kind in ipairs(kinds) do
    local other = by_name[kind.to]
    output.row("areas/" .. kind[1], kind[2], cases[i],
      { compared = other and measure.compare(cases[i].time.rounds, other.time.rounds) or nil }, kind.to)
    cases[i].space:close()
  end
end

return areas
