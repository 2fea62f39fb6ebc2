-- Failures of a simulated world (simulated_world.lua), drawn from a seed: nodes that stand still, are killed
-- and start anew, messages lost, doubled and held up, nodes that hear each other no more; one after the
-- other, with moments and lengths of any kind. With a coordinator by a lease in Redis that fails, too. Among
-- rich wanderers regions move, and something may fail while all stand still: what they have must be there.
local new_random = require("spec.support.random").new
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c", "d", "e" } -- d and e have no region

-- Some shorter than `silence`, after which a node is expelled; some longer, and some longer than `orphan`.
local function length(draw)
  return draw:pick { 60, 200, 700, 1500, 2500, 4500 } + draw:integer(0, 100)
end

-- Not the last: its process is left alone.
local function two_nodes(draw)
  local node = draw:integer(1, #NODES - 1)
  return node, (node + draw:integer(0, 2)) % (#NODES - 1) + 1
end

local function with_transport(world, faults, milliseconds)
  world.all:set_transport(faults)
  world:run(milliseconds)
  world.all:set_transport()
end

-- Each returns a list of the nodes that it has started anew, or nil.
local FAILURES = {}

function FAILURES.stop(world, draw)
  local node, other = two_nodes(draw)
  world:stop(node)
  world:run(length(draw))
  if draw:chance(0.5) and other ~= node then
    world:stop(other)
    world:run(length(draw))
    world:continue(other)
  end
  world:continue(node)
end

function FAILURES.kill(world, draw)
  local node, other = two_nodes(draw)
  world:kill(node)
  world:run(length(draw))
  if draw:chance(0.3) and other ~= node then
    world:kill(other)
    world:run(length(draw))
    world:restart(other)
    world:restart(node)
    return { node, other }
  end
  world:restart(node)
  return { node }
end

function FAILURES.messages(world, draw)
  local faults = { loss = draw:pick { 0, 0.1 }, double = draw:pick { 0, 0.3 }, late = draw:pick { 0, 0.2 } }
  with_transport(world, faults, length(draw))
end

function FAILURES.cut(world, draw)
  local sides = {}
  for _, node in ipairs(NODES) do
    sides[node] = draw:integer(1, 2)
  end
  with_transport(world, { sides = sides, is_held = draw:chance(0.5) }, length(draw))
end

function FAILURES.apart(world, draw)
  local node, other = two_nodes(draw)
  with_transport(world, { apart = { [NODES[node] .. " " .. NODES[other]] = true } }, length(draw))
end

function FAILURES.kill_all(world, draw)
  for node = 1, #NODES - 1 do
    world:kill(node)
    world:run(draw:integer(0, 40))
  end
  world:run(length(draw))
  for node = #NODES - 1, 1, -1 do
    world:restart(node)
    world:run(draw:integer(0, 200))
  end
  return { 1, 2, 3, 4 }
end

-- Redis is down, stands still, or is not reached by some.
function FAILURES.redis(world, draw)
  local redis, kind = world.all.redis, draw:integer(1, 4)
  redis.is_down, redis.is_mute = kind == 1, kind == 2
  for _, node in ipairs(NODES) do
    redis.deaf_to[node] = kind == 3 and draw:chance(0.5) or nil
    redis.silent_to[node] = kind == 4 and draw:chance(0.5) or nil
  end
  world:run(length(draw))
  redis.is_down, redis.deaf_to, redis.silent_to = false, {}, {}
  redis:continue()
end

function FAILURES.migrate(world, draw)
  for _ = 1, draw:integer(1, 4) do
    local region, to = draw:integer(1, 4), NODES[draw:integer(1, 3)]
    world:drive(3000, world.control.tell, 1, "world", "migrate", region, to)
  end
end

local NAMES = { "stop", "kill", "messages", "cut", "apart" }
local RICH = { "stop", "kill", "messages", "cut", "apart", "migrate", "migrate" }
local WITH_REDIS = { "stop", "kill", "messages", "cut", "apart", "redis", "redis" }

local random_failures = {}

-- How many stays of agents have ended as nobody had the entity any more.
local function count_lost(world)
  local n = 0
  for node = 1, #NODES do
    n = n + assert(world:drive(1000, world.control.tell, node, "world", "stats")).lost
  end
  return n
end

-- How wrong the clocks of nodes are, in seconds: in every other world they are all right. These numbers are
-- drawn apart, so that all else comes as it does with right clocks.
local function wrong_clocks(seed)
  local draw, wrong = new_random(seed ~ 0x5EED), {}
  local most = draw:pick { 0, 3600 }
  for _, name in ipairs(NODES) do
    wrong[name] = draw:integer(-most, most)
  end
  return wrong
end

-- The words of a space with all that a world knows: of any engine, a crowd or not, whose limit is no limit.
local function rich_words(draw, words)
  words.engine = draw:pick { "grid", "crosslist", "quadtree" }
  if draw:chance(0.5) then
    words.limit, words.enter_budget, words.move_budget = 100, 6, 12
    words.rates = draw:pick { "20:1,50:2,huge:5", "huge:1" }
  end
end

-- Runs a world with one or two failures. folder: of its stores and the coordinator's file; nil: none.
-- has_redis: the coordinator has a lease in Redis, and no file. is_rich: as of simulated_world.lua; then the
-- coordinator has a file also without stores. steps_in: as of spec/world/wanderers.lua. Returns nil when all
-- is right at the end, or what is not.
function random_failures.run(seed, folder, has_redis, is_rich, steps_in)
  local draw = new_random(seed)
  local words = { rows = 2, height = 600 }
  if folder then
    words.store, words.configuration, words.save_every = folder, folder .. "/configuration", 1000
  elseif is_rich then
    words.configuration = os.tmpname()
    os.remove(words.configuration) -- which was made empty
  end
  if has_redis then
    words.coordinator, words.lease, words.orphan, words.configuration = "redis:h:1", 1000, 4200, nil
  end
  if is_rich then
    rich_words(draw, words)
  end
  local world = simulated_world.new { seed = seed, nodes = NODES, wanderers = 40, is_rich = is_rich,
    steps_in = steps_in, piece = draw:chance(0.3) and 1000 or nil, regions = 3, words = words,
    wrong = wrong_clocks(seed) }
  world:begin(1500 + draw:integer(0, 200))
  local done, names = {}, is_rich and RICH or has_redis and WITH_REDIS or NAMES
  local function fail()
    local name = folder and draw:chance(0.2) and "kill_all" or draw:pick(names)
    done[#done + 1] = name
    return FAILURES[name](world, draw)
  end
  for _ = 1, draw:integer(1, 2) do
    fail()
    world:run(draw:pick { 0, 100, 500, 2000 })
  end
  world:run(500)
  local wrong = world:what_is_wrong(is_rich and draw:chance(0.7) and function()
    done[#done + 1] = "at rest"
    local anew = fail()
    world:run(1000)
    return anew
  end or nil)
  if is_rich and not folder then
    os.remove(words.configuration or "")
  end
  if folder and not wrong and count_lost(world) > 0 then
    wrong = ("%d are lost"):format(count_lost(world))
  end
  return wrong and ("seed %d, after %s: %s"):format(seed, table.concat(done, ", "), wrong)
end

return random_failures
