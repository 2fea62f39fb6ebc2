--[[ Moves as messages from a network bring them: in another order at each step, from entities whose ids
mostly are not 1 to n but spread over 64 bits, half of them negative. Without this the benchmark would
measure a memory that everybody walks through from its beginning to its end.

The messages stand in flat arrays in the order of the calls, so that the loop around them is the same
whoever is called. bench/core.c makes the same ids and orders in C. ]]
local Random = require "spec.support.random"

local messages = {}

local SEED = 20240602

-- Swaps everyone with one who is not behind it.
local function shuffle(list, draw)
  for i = #list, 2, -1 do
    local j = math.floor(draw() * i) + 1
    list[i], list[j] = list[j], list[i]
  end
end

-- The ids of entity i of n that a counter has handed out. At first i has id i. Where some are replaced, the
-- second, the fourth and so on leave, and later ones come in their places; then perhaps the others, too.
local counted = {
  ["in sequence"] = function(i) return i end,
  ["half replaced"] = function(i, n) return i % 2 == 1 and i or n + i // 2 end,
  ["all replaced"] = function(i, n) return i % 2 == 1 and n + n // 2 + i // 2 + 1 or n + i // 2 end,
}

-- The walk of a world, in shuffled order: a world for worlds.enter and worlds.play. counting: nil, or how ids
-- have been handed out, "in sequence", "half replaced" or "all replaced".
function messages.of(world, counting)
  local draw = Random.draws(SEED)
  local entities, xs, ys = world.entities, world.xs, world.ys
  local ids, order = {}, {}
  for i = 1, entities do
    ids[i] = math.floor(draw() * 2^32) << 32 | math.floor(draw() * 2^32)
    ids[i] = counting and counted[counting](i, entities) or ids[i]
    order[i] = i
  end
  local list = { ids = {}, xs = {}, ys = {}, back_xs = {}, back_ys = {} }
  for step = 1, world.steps do
    shuffle(order, draw)
    local before, after = (step - 1) * entities, step * entities
    for k, i in ipairs(order) do
      local at = before + k
      list.ids[at] = ids[i]
      list.xs[at], list.ys[at] = xs[after + i], ys[after + i]
      list.back_xs[at], list.back_ys[at] = xs[before + i], ys[before + i]
    end
  end
  return {
    entities = entities, size = world.size, steps = world.steps, moves = world.moves,
    xs = xs, ys = ys, ids = ids, messages = list,
    has_replaced = counting ~= nil and counting ~= "in sequence",
  }
end

-- Replaces the ids first, first + 2, ...: they leave, later ones come. after(): see messages.enter.
local function replace(space, world, first, after)
  local ids = world.ids
  for i = first, world.entities, 2 do
    if ids[i] ~= i then
      space:leave(i)
    end
  end
  after()
  for i = first, world.entities, 2 do
    if ids[i] ~= i then
      space:enter(ids[i], world.xs[i], world.ys[i])
    end
  end
  after()
end

-- Lets everybody enter. Whoever a later one has replaced enters first, and leaves. after() follows when all
-- have entered or left: a deferred space needs its tick there, as only then places are free.
function messages.enter(space, world, after)
  for i = 1, world.entities do
    space:enter(world.has_replaced and i or world.ids[i], world.xs[i], world.ys[i])
  end
  after()
  if world.has_replaced then
    replace(space, world, 2, after)
    replace(space, world, 1, after)
  end
end

-- See worlds.play.
function messages.play(space, world, round, after_step)
  local list, entities = world.messages, world.entities
  local forward = round % 2 == 1
  local ids = list.ids
  local xs, ys = forward and list.xs or list.back_xs, forward and list.ys or list.back_ys
  for step = 1, world.steps do
    local first, last, way = (step - 1) * entities + 1, step * entities, 1
    if not forward then
      first, last, way = world.moves + 1 - first, world.moves + 1 - last, -1
    end
    for at = first, last, way do
      space:move(ids[at], xs[at], ys[at])
    end
    if after_step then
      after_step(space)
    end
  end
end

return messages
