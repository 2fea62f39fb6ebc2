--[[ The worlds of the benchmark and the way everybody walks in them.

All positions are computed before anything is timed. `xs` and `ys` are flat arrays: all entities at the
start, then all after step 1, and so on. A walker goes straight on, 3 units a step, and turns at the
border. Rounds play the steps forward and backward in turn, so that any number of rounds goes over the
same ground. bench/core.c makes the same worlds in C. In these worlds everybody moves in the order in
which they entered; bench/messages.lua shuffles, bench/batches.lua makes rows of the moves. ]]
local messages = require "bench.messages"
local Random = require "spec.support.random"

local worlds = {}

local SEED = 20240601
local STEP = 3
worlds.RADIUS = 50

-- cluster: every second entity stays inside a square of this side at the lower corner.
worlds.definitions = {
  A = { entities = 1000, size = 1000, text = "1,000 in 1000 x 1000" },
  B = { entities = 10000, size = 3200, text = "10,000 in 3200 x 3200" },
  C = { entities = 10000, size = 1000, text = "10,000 in 1000 x 1000 (crowded)" },
  D = { entities = 100000, size = 10000, text = "100,000 in 10000 x 10000" },
  B2 = {
    entities = 10000, size = 3200, cluster = 400,
    text = "B with half of everyone inside 400 x 400 (clustered)",
  },
  F = { entities = 10000, size = 3200, teleport = true, text = "B where every move is a teleport" },
}
worlds.definitions.S = {
  entities = 10000, size = 101200, text = "B's crowd on a map a thousand times larger (sparse)",
}
worlds.definitions["1M"] = { entities = 1000000, size = 31623, text = "1,000,000 in 31623 x 31623" }
worlds.order = { "A", "B", "C", "D", "B2", "F" }

-- With slack, who goes to and fro near one place would show too little: enough steps for one to count.
worlds.LONG_WAY = 6

-- A world with about `moves` moves in it: at least one step of everybody, or least_steps.
function worlds.make(definition, moves, least_steps)
  local entities, size = definition.entities, definition.size
  local steps = math.max(least_steps or 1, moves // entities)
  local draw = Random.draws(SEED)
  local xs, ys, limits, step_x, step_y = {}, {}, {}, {}, {}
  for i = 1, entities do
    local limit = i % 2 == 0 and definition.cluster or size
    xs[i], ys[i] = draw() * limit, draw() * limit
    local angle = draw() * 2 * math.pi
    limits[i], step_x[i], step_y[i] = limit, STEP * math.cos(angle), STEP * math.sin(angle)
  end
  for step = 1, steps do
    for i = 1, entities do
      local x, y
      if definition.teleport then
        x, y = draw() * size, draw() * size
      else
        local limit, before = limits[i], (step - 1) * entities + i
        x, y = xs[before] + step_x[i], ys[before] + step_y[i]
        if x < 0 or x > limit then
          x = x < 0 and -x or 2 * limit - x
          step_x[i] = -step_x[i]
        end
        if y < 0 or y > limit then
          y = y < 0 and -y or 2 * limit - y
          step_y[i] = -step_y[i]
        end
      end
      xs[step * entities + i], ys[step * entities + i] = x, y
    end
  end
  return { entities = entities, size = size, steps = steps, moves = steps * entities, xs = xs, ys = ys }
end

-- In quick mode the worlds are cut to this part, as dense as before.
worlds.part = 1

-- The world by its letter.
function worlds.named(name, moves, least_steps)
  local whole, scale = worlds.definitions[name], math.sqrt(worlds.part)
  return worlds.make({
    entities = math.floor(whole.entities * worlds.part), size = whole.size * scale,
    cluster = whole.cluster and whole.cluster * scale, teleport = whole.teleport,
  }, moves, least_steps)
end

-- n entities as dense as in worlds A and D: one on 1,000 square units.
function worlds.with_entities(n, moves)
  return worlds.make({ entities = n, size = math.sqrt(1000 * n) }, moves)
end

-- Lets everybody of the world enter; options(i), if given, returns the options of entity i.
function worlds.enter(space, world, options)
  local ids = world.ids
  for i = 1, world.entities do
    local id = ids and ids[i] or i
    if options then
      space:enter(id, world.xs[i], world.ys[i], options(i))
    else
      space:enter(id, world.xs[i], world.ys[i])
    end
  end
end

-- Everybody always sees the four others of its team.
function worlds.make_teams(space, world)
  local ids = world.ids
  for i = 1, world.entities do
    for mate = 1, 4 do
      local other = (i - 1) // 5 * 5 + (i + mate - 1) % 5 + 1
      space:set_sight(ids and ids[i] or i, ids and ids[other] or other, true)
    end
  end
end

-- The timed loop: all moves of an odd round forward, of an even round backward. after_step(space), if
-- given, follows each step.
function worlds.play(space, world, round, after_step)
  if world.messages then
    messages.play(space, world, round, after_step)
    return
  end
  local entities, xs, ys, steps = world.entities, world.xs, world.ys, world.steps
  local forward = round % 2 == 1
  for step = 1, steps do
    local first = entities * (forward and step or steps - step)
    for id = 1, entities do
      local at = first + id
      space:move(id, xs[at], ys[at])
    end
    if after_step then
      after_step(space)
    end
  end
end

-- Runs the loop of worlds.play without a move: the cost of the loop itself.
function worlds.play_nothing(world)
  local entities, xs, ys = world.entities, world.xs, world.ys
  local x, y
  for step = 1, world.steps do
    local first = entities * step
    for id = 1, entities do
      local at = first + id
      x, y = xs[at], ys[at]
    end
  end
  return x, y
end

return worlds
