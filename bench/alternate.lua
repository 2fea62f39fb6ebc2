--[[ Compares builds of the module with each other, in one process and in turns: the only way to see a few
hundredths on a machine where two runs of the same program differ by a tenth.

The builds are loaded side by side. Each has a space of its own and plays the same moves there, in turns
of some milliseconds, so that whatever else the machine does disturbs all alike; another one begins each
time. Each pass makes new spaces, as where their memory lies matters, too. What is told of a build is the
median of the ratios of its turns to those of the first build. There are passes until that is known well
enough. ]]
local batches = require "bench.batches"
local measure = require "bench.measure"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"
local messages = require "bench.messages"

local alternate = {}

local clock = os.clock

-- PASSES in the environment sets the most.
alternate.least_passes, alternate.most_passes = 3, tonumber(os.getenv "PASSES" or "") or 12
-- Passes end when the medians of all ratios are known as well as this.
alternate.precision = 0.01

local TURNS = 40 -- a pass; fewer where a turn is long

-- A turn is some steps of everybody with about as many moves, at least one step.
local TURN = 10000
local MOVES = 120000

local function tick(space)
  space:tick()
end

-- Takes out what was gathered; returns how many events.
local gathered = {}
local function drain(space)
  return select(2, space:drain(gathered))
end

local function play_batches(...)
  batches.play("tables", ...)
end

-- One in a hundred is seen from four times as far.
local function visible_from_afar(id)
  return id % 100 == 1 and { visible_radius = 4 * worlds.RADIUS } or nil
end

-- Everybody in everybody's view, in a world of 1000 x 1000.
local ONE_VIEW = { deferred = true, radius = 1000 }

local CROWD = { deferred = true, radius = 1000, limit = 50, move_budget = 20 }

-- Ways of telling: options of the space, what follows each step, and the loop where that is not one of
-- single calls. Some also have opts of each entity, and what is done when all are inside.
local ways = {
  ["per call"] = { options = spaces.enter_leave },
  ["with moves"] = { options = spaces.all_events },
  deferred = { options = spaces.enter_leave, more = { deferred = true }, after_step = tick },
  batch = { options = spaces.enter_leave, play = play_batches },
  ["deferred-batch"] = {
    options = spaces.enter_leave, more = { deferred = true }, after_step = tick, play = play_batches,
  },
  drained = { options = { collect = { "enter", "leave" } }, after_step = drain },
  slack = { options = spaces.enter_leave, more = { slack = 12 } },
  view = { options = spaces.by_view, more = { deferred = true }, after_step = tick },
  ["one-view"] = { options = spaces.by_view, more = ONE_VIEW, after_step = tick },
  crowd = { options = spaces.by_view, more = CROWD, after_step = tick },
  visible = { options = spaces.enter_leave, opts = visible_from_afar },
  sights = { options = spaces.enter_leave, prepare = worlds.make_teams },
}

-- Names that options had in builds that know no other.
local former_names = { move_budget = "budget" }

-- The module that a shared object holds.
function alternate.load(path)
  local core = assert(package.loadlib(path, "luaopen_aoi_core"))()
  if core._BUILD ~= "release" then
    error(("%s is a %s build, which is not to be measured"):format(path, core._BUILD or "unknown"), 0)
  end
  return core
end

-- Worlds are many numbers: only the last is kept.
local kept = {}

local function world_of(case)
  if kept.name ~= case.world then
    kept = { name = case.world, in_order = worlds.named(case.world, MOVES, worlds.LONG_WAY) }
  end
  if not case.shuffled then
    return kept.in_order
  end
  local ids = case.in_sequence and "in sequence" or "spread"
  kept[ids] = kept[ids] or messages.of(kept.in_order, case.in_sequence and "in sequence" or nil)
  return kept[ids]
end

-- A new space; where a build does not take the options, it may know them by their former names.
local function new_space(core, options)
  local ok, space = pcall(core.new, options)
  if ok then
    return space
  end
  local former = {}
  for name, value in pairs(options) do
    former[former_names[name] or name] = value
  end
  return core.new(former)
end

-- A space with everybody inside, a function that plays the next turn there, for ever, and one that tells
-- how many events there were; and how many moves a turn has.
local function new_player(core, case, world)
  local way = ways[case.way]
  local play = way.play or worlds.play
  local space = new_space(core, spaces.options(case.engine, world, way.options, way.more or {}))
  worlds.enter(space, world, way.opts)
  if way.prepare then
    way.prepare(space, world)
  end
  local after_step, steps, wanted = way.after_step, 0, math.max(1, TURN // world.entities)
  local drained = 0
  local function end_step()
    if after_step then
      drained = drained + (after_step(space) or 0)
    end
    steps = steps + 1
    if steps % wanted == 0 then
      coroutine.yield()
    end
  end
  local play_turn = coroutine.wrap(function()
    for round = 1, math.huge do
      play(space, world, round, end_step)
    end
  end)
  local function count_events()
    return drained + space:stats().delivered
  end
  return { space = space, play_turn = play_turn, count_events = count_events }, wanted * world.entities
end

-- One pass: appends each build's nanoseconds a move to its list in `times`; returns the events of each.
local function run_pass(cores, case, world, pass, times)
  local n, players, moves = #cores, {}, nil
  for i = 1, n do
    local which = (i + pass) % n + 1
    players[which], moves = new_player(cores[which], case, world)
    players[which].play_turn()
  end
  collectgarbage()
  collectgarbage "stop"
  local turns = math.max(12, TURNS * TURN // math.max(TURN, moves // 3))
  for turn = 1, turns do
    for i = 1, n do
      local which = (i + turn + pass) % n + 1
      local start = clock()
      players[which].play_turn()
      table.insert(times[which], (clock() - start) / moves * 1e9)
    end
  end
  collectgarbage "restart"
  local events = {}
  for i = 1, n do
    events[i] = players[i].count_events()
    players[i].space:close()
  end
  return events
end

-- Why a build can't play a case: what it says to a small space and its first entity. nil when it can.
function alternate.objection(core, case)
  local way = ways[case.way]
  local ok, text = pcall(function()
    local world = { entities = 5, size = 1000, xs = { 1, 1, 1, 1, 1 }, ys = { 1, 1, 1, 1, 1 } }
    local space = new_space(core, spaces.options(case.engine, world, way.options, way.more or {}))
    worlds.enter(space, world, way.opts)
    if way.prepare then
      way.prepare(space, world)
    end
    space:close()
  end)
  return not ok and text:gsub("^%S+:%d+: ", "") or nil
end

local function is_known(results)
  for i = 2, #results do
    local ratio = results[i].ratio
    if ratio.high - ratio.low > 2 * alternate.precision then
      return false
    end
  end
  return true
end

--[[ Runs a case on all builds. A case has `engine`, `world` (its letter), `way` (of telling), `shuffled`,
and `in_sequence`, which is for those that are. Returns for each build { time = summary, ratio = summary to
the first build }, and whether all of them told the same number of events in every pass. ]]
function alternate.run(cores, case)
  local world, times, same = world_of(case), {}, true
  world.batches = world.batches or ways[case.way].play and batches.of(world)
  for i = 1, #cores do
    times[i] = {}
  end
  local results, pass = {}, 0
  repeat
    pass = pass + 1
    local events = run_pass(cores, case, world, pass, times)
    for i = 1, #cores do
      same = same and events[i] == events[1]
      results[i] = { time = measure.summary(times[i]), ratio = measure.compare(times[i], times[1]) }
    end
  until pass >= alternate.most_passes or pass >= alternate.least_passes and is_known(results)
  return results, same
end

return alternate
