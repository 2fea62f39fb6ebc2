-- enter, move and leave, every event told to on_event, by engine and number of entities.
local measure = require "bench.measure"
local output = require "bench.output"
local plain_nine_grid = require "bench.plain_nine_grid"
local features = require "bench.features"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local calls = { name = "calls", text = "enter, move, leave with on_event, one entity on 1,000 square units" }

local function nothing() end

local kinds = {
  { "grid", "grid, radius 50" },
  { "classic", "classic nine-grid, cell 50" },
  { "crosslist", "cross-list, radius 50" },
  { "quadtree", "quadtree, radius 50" },
  { "plain", "nine-grid in plain Lua, cell 50" },
}

local function new_space(kind, world)
  if kind == "plain" then
    local cells = math.ceil(world.size / worlds.RADIUS)
    return plain_nine_grid.new(world.size, world.size, cells, cells, nothing)
  end
  return spaces.new(kind, world, spaces.all_events)
end

-- The three cases of one kind; they share the spaces that the first one makes.
local function cases_of(kind, world, copies)
  local list = {}
  local function each(f)
    return function()
      for i = 1, copies do
        f(list[i])
      end
    end
  end
  local function leave_all(space)
    for id = 1, world.entities do
      space:leave(id)
    end
  end
  local function make()
    for i = 1, copies do
      list[i] = new_space(kind, world)
    end
  end
  return {
    { kind = kind, call = "enter", calls = copies * world.entities, prepare = make,
      play = each(function(space) worlds.enter(space, world) end) },
    { kind = kind, call = "move", calls = copies * world.moves,
      play = each(function(space) worlds.play(space, world, 1) end) },
    { kind = kind, call = "leave", calls = copies * world.entities, play = each(leave_all) },
  }
end

local function report(cases, entities)
  for _, call in ipairs { "enter", "move", "leave" } do
    local of_call, plain = {}, nil
    for _, case in ipairs(cases) do
      if case.call == call then
        of_call[#of_call + 1] = case
        plain = case -- the last one
      end
    end
    for _, case in ipairs(of_call) do
      local compared = case ~= plain and measure.compare(plain.time.rounds, case.time.rounds) or nil
      output.row(("calls/%s/%s/%d"):format(call, case.kind, entities), case.text, case,
        { call = call, engine = case.kind, entities = entities, compared = compared },
        "as fast as plain Lua")
    end
  end
end

function calls.run()
  local settings = measure.settings
  for _, entities in ipairs { 1000, 10000, 100000 } do
    if entities <= settings.most_entities then
      -- Few entities: several spaces, one after the other, so that a round takes time enough.
      local copies = math.max(1, settings.moves // (10 * entities))
      local world = worlds.with_entities(entities, settings.moves // copies // 4)
      local cases = {}
      for _, kind in ipairs(kinds) do
        if kind[1] == "plain" or features.has(kind[1] == "classic" and "grid" or kind[1]) then
          for _, case in ipairs(cases_of(kind[1], world, copies)) do
            case.text = case.call .. ": " .. kind[2]
            cases[#cases + 1] = case
          end
        end
      end
      measure.run(cases)
      output.note(("%d entities"):format(entities))
      output.header()
      report(cases, entities)
    end
  end
  output.note("x floor: against one empty method call; calls of the handler are not in that floor.")
end

return calls
