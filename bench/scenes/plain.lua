-- With move events too: ours against a nine-grid in plain Lua, on the same moves. The classic grid and
-- the plain one must tell the same events, which is checked before anything is timed.
local measure = require "bench.measure"
local output = require "bench.output"
local plain_nine_grid = require "bench.plain_nine_grid"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local plain = { name = "plain", text = "a move with on_event, and the nine-grid in plain Lua" }

local function nothing() end

local function new_plain(world, callback, cell)
  local cells = math.ceil(world.size / (cell or worlds.RADIUS))
  return plain_nine_grid.new(world.size, world.size, cells, cells, callback)
end

-- Numbers of events by kind over a round there and one back, entering and leaving included.
local function count_events(world, new)
  local counts = { enter = 0, leave = 0, move = 0 }
  local space = new(function(_, _, op)
    counts[op] = counts[op] + 1
  end)
  worlds.enter(space, world)
  local after_enter = counts.enter
  worlds.play(space, world, 1)
  worlds.play(space, world, 2)
  local walked = { enter = counts.enter - after_enter, leave = counts.leave, move = counts.move }
  for id = 1, world.entities do
    space:leave(id)
  end
  return counts, walked
end

local function check_same_events(world)
  local ours, walked = count_events(world, function(callback)
    return spaces.new("classic", world, { on_event = callback })
  end)
  local theirs = count_events(world, function(callback)
    return new_plain(world, callback)
  end)
  for op, count in pairs(ours) do
    if count ~= theirs[op] then
      error(("the classic grid told %d %s events, the plain Lua one %d"):format(count, op, theirs[op]))
    end
  end
  output.note(("same events from the classic grid and the plain one: %d enter, %d leave, %d move"):format(
    ours.enter, ours.leave, ours.move))
  return (walked.enter + walked.leave + walked.move) / (2 * world.moves)
end

-- With cells of this size, nine of them are as large as the view of the exact grid, so that the plain one
-- has about as many events to tell: the comparison per event that favours neither.
local SAME_VIEW_CELL = 2 * worlds.RADIUS / 3

local function new_plain_case(world, text, events, cell)
  local case = spaces.walking(new_plain(world, nothing, cell), world)
  worlds.enter(case.space, world)
  case.engine, case.text, case.events = "plain", text, events
  return case
end

local function count_plain_events(world, cell)
  local _, walked = count_events(world, function(callback)
    return new_plain(world, callback, cell)
  end)
  return (walked.enter + walked.leave + walked.move) / (2 * world.moves)
end

-- Times per event of the exact grid and the plain one that sees as much.
local function compare_per_event(name, ours, theirs)
  local case_ids = { [ours] = "grid", [theirs] = "plain" }
  for _, case in ipairs { ours, theirs } do
    output.value(("plain/per-event/%s/%s"):format(case_ids[case], name), case.text,
      case.time.median / case.events, "ns an event")
  end
  local ratio = measure.compare(theirs.time.rounds, ours.time.rounds).median
  output.value(("plain/as-many/grid/%s"):format(name), "plain Lua / grid, as many events",
    ratio * ours.events / theirs.events, "times")
end

function plain.run()
  for _, name in ipairs { "B", "C" } do
    -- C has ten times the events.
    local world = worlds.named(name, measure.settings.moves // (name == "C" and 10 or 2))
    output.note(("world %s: %s"):format(name, worlds.definitions[name].text))
    local plain_events = check_same_events(world)
    local function add(engine, text)
      local case = spaces.walking(spaces.filled(engine, world, spaces.all_events), world)
      case.engine, case.text = engine, text
      return case
    end
    local theirs = new_plain_case(world, "nine-grid in plain Lua, cell 50", plain_events)
    local same_view = new_plain_case(world, "the same, cell 33, as many events",
      count_plain_events(world, SAME_VIEW_CELL), SAME_VIEW_CELL)
    local exact = add("grid", "grid, radius 50")
    local cases = {
      exact, add("classic", "classic nine-grid, cell 50"), add("crosslist", "cross-list, radius 50"),
      theirs, same_view,
    }
    measure.run(cases)
    output.header()
    for _, case in ipairs(cases) do
      local id = case == same_view and "plain-same-view" or case.engine
      output.row(("plain/%s/%s"):format(id, name), case.text, case,
        { engine = case.engine, world = name, per_event = case.time.median / case.events })
    end
    for _, case in ipairs(cases) do
      if case.engine ~= "plain" then
        local ratio = measure.compare(theirs.time.rounds, case.time.rounds).median
        output.value(("plain/speed-up/%s/%s"):format(case.engine, name), "plain Lua / " .. case.engine
          .. ", per event", ratio * case.events / theirs.events, "times")
      end
    end
    compare_per_event(name, exact, same_view)
  end
end

return plain
