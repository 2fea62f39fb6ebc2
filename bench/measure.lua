--[[ Times cases in rounds.

The cases of a group take turns: round 0 (the warm-up, dropped), then every round runs each case once,
and right before it both floors. So a ratio always compares two times that were taken next to each other,
and a busy machine disturbs both alike. What is told of a number is the median over the rounds, with the
smallest and the largest. Time is CPU time of the process. The collector runs as usual, so who makes
garbage also pays for it; before the clock starts it makes a full round. ]]
local floor = require "bench.floor"
local worlds = require "bench.worlds"

local measure = {}

local clock = os.clock

measure.settings = {
  rounds = 7,
  moves = 100000,     -- moves a round, about
  most_entities = math.huge,
  floor_calls = 50000,
}

-- A few seconds: shows that everything runs; the numbers are worth little.
function measure.use_quick_mode()
  measure.settings = {
    rounds = 2, moves = 2000, most_entities = 1000, floor_calls = 5000, quick = true,
  }
  worlds.part = 0.1
end

-- Sorts a copy; returns { median, min, max }, and the numbers themselves as `rounds`; the median of many
-- such numbers would lie between low and high in 95 of 100 cases.
function measure.summary(numbers)
  local sorted = { table.unpack(numbers) }
  table.sort(sorted)
  local n = #sorted
  local first = math.floor((n - 1.96 * math.sqrt(n)) / 2)
  return {
    median = (sorted[(n + 1) // 2] + sorted[n // 2 + 1]) / 2,
    min = sorted[1], max = sorted[n], rounds = numbers,
    low = sorted[math.max(1, first)], high = sorted[math.min(n, n + 1 - first)],
  }
end

-- Nanoseconds for each of `count` things done in f(...).
function measure.nanoseconds(count, f, ...)
  collectgarbage()
  local start = clock()
  f(...)
  return (clock() - start) / count * 1e9
end

-- ---- floors ----

local floor_world, floor_userdata

local function empty_handler() end

-- An empty method call, in the same loop as the moves are; over the moves of a world, if one is given.
function measure.method_floor(world)
  floor_world = floor_world or worlds.with_entities(1000, measure.settings.floor_calls)
  floor_userdata = floor_userdata or floor.new()
  world = world or floor_world
  return measure.nanoseconds(world.moves, worlds.play, floor_userdata, world, 1)
end

function measure.handler_floor()
  local calls = 4 * measure.settings.floor_calls
  return measure.nanoseconds(calls, floor.call_handler, empty_handler, calls)
end

function measure.loop_floor()
  measure.method_floor() -- makes the world
  return measure.nanoseconds(floor_world.moves, worlds.play_nothing, floor_world)
end

local filled = {}
function measure.fill_floor()
  local slots = measure.settings.floor_calls
  return measure.nanoseconds(slots, floor.fill, filled, slots)
end

-- ---- cases ----

local function delivered(case)
  if case.told then
    return case.told()
  end
  return case.space and case.space.stats and case.space:stats().delivered
end

local function run_once(case, round)
  if case.prepare then
    case.prepare(round)
  end
  local method, handler = measure.method_floor(case.floor_world), measure.handler_floor()
  local before = delivered(case)
  local time = measure.nanoseconds(case.calls, case.play, round)
  local events = before and (delivered(case) - before) / case.calls or case.events
  if case.finish then
    case.finish(round)
  end
  return time, events, method, handler
end

--[[ Runs a group of cases; each gets its results: `time` (nanoseconds a call), `events` (a call), `floor`
and `ratio` (time over floor). A case has
  play(round)                      what is timed: `calls` calls
  calls                            how many
  told()                           the number of events so far, if given; else its
  space                            is asked, if given; else there are `events` a call
  floor_world                      whose moves the floor goes over, if given; else a small world of its own
  prepare(round), finish(round)    around it, not timed, if given ]]
function measure.run(cases)
  local rounds = {}
  for i in ipairs(cases) do
    rounds[i] = { time = {}, events = {}, floor = {}, ratio = {} }
  end
  for round = 0, measure.settings.rounds do
    for i, case in ipairs(cases) do
      local time, events, method, handler = run_once(case, round)
      if round > 0 then
        local lists = rounds[i]
        local least = method + (events or 0) * handler
        lists.time[round], lists.events[round] = time, events
        lists.floor[round], lists.ratio[round] = least, time / least
      end
    end
  end
  for i, case in ipairs(cases) do
    case.time = measure.summary(rounds[i].time)
    case.floor = measure.summary(rounds[i].floor)
    case.ratio = measure.summary(rounds[i].ratio)
    case.events = #rounds[i].events > 0 and measure.summary(rounds[i].events).median or nil
  end
end

-- A case that is the floor of memory of a world: an empty method that also finds an entity by its id, writes
-- its place and reads the cells around.
function measure.memory_case(world)
  local memory = floor.memory(world.entities, world.size)
  worlds.enter(memory, world)
  return {
    calls = world.moves, events = 0, floor_world = world,
    play = function(round) worlds.play(memory, world, round + 1) end,
  }
end

-- How many times as long a case took as the floor of memory and its handlers' calls, round by round.
function measure.over_memory(case, memory)
  local ratios = {}
  for i, time in ipairs(case.time.rounds) do
    local handlers = math.max(0, case.floor.rounds[i] - memory.floor.rounds[i])
    ratios[i] = time / (memory.time.rounds[i] + handlers)
  end
  return measure.summary(ratios)
end

-- How many times as long one series took as another, round by round.
function measure.compare(rounds, other_rounds)
  local ratios = {}
  for i = 1, math.min(#rounds, #other_rounds) do
    ratios[i] = rounds[i] / other_rounds[i]
  end
  return measure.summary(ratios)
end

return measure
