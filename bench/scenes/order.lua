--[[ A move by order and by form: single calls and batches, in order and shuffled, and the ways to take the
events out.

In order is the order of entering, with ids from 1; shuffled is another order at each step, with ids spread
over 64 bits (bench/messages.lua), or with ids from a counter: from 1 on, or half or all of these replaced by
later ones. A batch is a step of everybody. Strings are at
hand when the clock starts, as they come from a socket. Tables come from nowhere, so there is one filled
anew for each step, which counts what filling it costs the script, beside one at hand, which counts the call
alone. What becomes of the events is not measured: handlers do nothing; what is drained, after each step, is
not read. The floor is that of single calls in the same order, for all forms. The last column compares with
the single calls of the same order with handlers; all cases of a world and an order take turns. ]]
local batches = require "bench.batches"
local measure = require "bench.measure"
local messages = require "bench.messages"
local output = require "bench.output"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local order = { name = "order", text = "a move by order of the calls and form of rows and events, radius 50" }

-- How the space is told of moves: the loop around single calls, or around one move_all a step.
local inputs = {
  single = { text = "single", play = worlds.play },
  table = { text = "table", play = function(...) batches.play("tables", ...) end },
  filled = { text = "table filled", play = batches.play_filled },
  string = { text = "string", play = function(...) batches.play("strings", ...) end },
}

local collect = { collect = { "enter", "leave" } }

-- How the space tells of events: take(space, t) returns how many it took out.
local tellings = {
  handlers = { text = "handlers", options = spaces.enter_leave },
  drain = { text = "drain(t)", options = collect, take = function(space, t)
    return select(2, space:drain(t))
  end },
  packed = { text = "packed drain", options = collect, take = function(space)
    return select(2, space:drain("packed"))
  end },
}

-- All forms: calls, events, and another kind of space than a grid that tells at once. `large`: also among a
-- million. The first one is what the others are compared with.
local ways = {
  { "single", "handlers", large = true },
  { "single", "drain" },
  { "single", "packed" },
  { "table", "handlers" },
  { "filled", "handlers", large = true },
  { "string", "handlers", large = true },
  { "string", "drain" },
  { "string", "packed", large = true },
  { "single", "handlers", "deferred", large = true },
  { "string", "handlers", "deferred" },
  { "string", "packed", "deferred", large = true },
  { "single", "handlers", "slack" },
  { "single", "handlers", "crosslist" },
  { "single", "handlers", "quadtree" },
}

local variants = {
  deferred = { text = "deferred", options = { deferred = true }, tick = true },
  slack = { text = "slack 12", options = { slack = 12 } },
  crosslist = { text = "cross-list", engine = "crosslist" },
  quadtree = { text = "quadtree", engine = "quadtree" },
}

for _, way in ipairs(ways) do
  local input, telling, variant = table.unpack(way)
  way.input, way.telling, way.variant = inputs[input], tellings[telling], variants[variant] or {}
  way.id = table.concat(way, "-")
  way.text = table.concat({ way.input.text, way.telling.text, way.variant.text }, ", ")
end

local function new_case(way, world)
  local take, tick = way.telling.take, way.variant.tick
  local space = spaces.new(way.variant.engine or "grid", world, way.telling.options, way.variant.options)
  local told = 0
  local function end_step(t)
    if tick then
      space:tick()
    end
    if take then
      told = told + take(space, t)
    end
  end
  if world.ids then
    messages.enter(space, world, function() end_step({}) end)
  else
    worlds.enter(space, world)
    end_step({}) -- what came in by enter: far more than a step brings
  end
  local events = {}
  local case = spaces.walking(space, world, function() end_step(events) end, way.input.play)
  case.way = way
  if take then
    case.told = function() return told end
  end
  return case
end

-- All forms tell of the same events, but deferred spaces and those with slack of fewer.
local function check_same_events(cases)
  local expected = {}
  for _, case in ipairs(cases) do
    local kind = case.way.variant.options and case.way[3] or "as they happen"
    expected[kind] = expected[kind] or case
    if case.events ~= expected[kind].events then
      error(("%s: %s events a move; %s: %s"):format(case.way.text, case.events, expected[kind].way.text,
        expected[kind].events), 0)
    end
  end
end

-- All forms in one world and order take turns.
local function measure_order(name, which, world, is_large)
  world.batches = batches.of(world)
  local cases = {}
  for _, way in ipairs(ways) do
    if way.large or not is_large then
      local case = new_case(way, world)
      case.floor_world = world
      cases[#cases + 1] = case
    end
  end
  local memory = measure.memory_case(world)
  cases[#cases + 1] = memory
  measure.run(cases)
  cases[#cases] = nil
  check_same_events(cases)
  output.note(("world %s, %s: %s"):format(name, which, worlds.definitions[name].text))
  output.header()
  for i, case in ipairs(cases) do
    local compared = i > 1 and measure.compare(case.time.rounds, cases[1].time.rounds) or nil
    output.row(("order/%s/%s/%s"):format(which, case.way.id, name), case.way.text, case,
      { world = name, order = which, way = case.way.id, compared = compared }, "single calls")
    case.space:close()
  end
  output.value(("order/%s/over-memory/%s"):format(which, name), "single calls over the floor of memory",
    measure.over_memory(cases[1], memory).median, "x")
end

function order.run()
  for _, name in ipairs { "A", "B", "C", "D", "1M" } do
    local entities = worlds.definitions[name].entities
    if entities * worlds.part <= measure.settings.most_entities then
      local is_large = entities > 100000
      -- An entity with slack must go a long way; a million of them take time enough in one step.
      local in_order = worlds.named(name, measure.settings.moves, is_large and 1 or worlds.LONG_WAY)
      local shuffled = messages.of(in_order)
      measure_order(name, "in-order", in_order, is_large)
      in_order.batches = nil
      measure_order(name, "shuffled", shuffled, is_large)
      for _, counting in ipairs { "in sequence", "half replaced", "all replaced" } do
        measure_order(name, "shuffled, ids " .. counting, messages.of(in_order, counting), true)
      end
    end
  end
end

return order
