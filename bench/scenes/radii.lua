-- World B with other radii than 50 for everybody, with visible radii, and with sights.
local measure = require "bench.measure"
local output = require "bench.output"
local features = require "bench.features"
local Random = require "spec.support.random"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local radii = { name = "radii", text = "a move in world B by radii, handlers on_enter and on_leave" }

-- Radius options of entity id, or nil for the default of 50.
local function mixed()
  local draw = Random.draws(7)
  return function()
    if draw() < 0.1 then
      return { radius = 20 + 180 * draw() }
    end
  end
end

local function uniform()
  return nil
end

local function one_huge(id)
  return id == 1 and { radius = 5000 } or nil
end

local function is_boss(id)
  return id % 100 == 1
end

-- One in a hundred is seen from four times as far; or sees as far.
local function bosses(id)
  return is_boss(id) and { visible_radius = 200 } or nil
end

local function scouts(id)
  return is_boss(id) and { radius = 200 } or nil
end

local function one_seen_from_everywhere(id)
  return id == 1 and { visible_radius = math.huge } or nil
end

-- Few entities go to and fro so often, so that a round takes time enough. The number is odd.
local PASSES = 21

-- A case in which only those are timed whose ids `counts` accepts, if it is given; the others go along
-- between the rounds.
local function walking(space, world, counts)
  local entities, xs, ys = world.entities, world.xs, world.ys
  local timed, others = {}, {}
  for id = 1, entities do
    local list = (not counts or counts(id)) and timed or others
    list[#list + 1] = id
  end
  local function move(ids, step)
    local first = entities * step
    for i = 1, #ids do
      local id = ids[i]
      local at = first + id
      space:move(id, xs[at], ys[at])
    end
  end
  local passes = #timed < entities / PASSES and PASSES or 1
  return {
    space = space,
    calls = passes * world.steps * #timed,
    play = function(round)
      for pass = round, round + passes - 1 do
        for step = 1, world.steps do
          move(timed, pass % 2 == 0 and step or world.steps - step)
        end
      end
    end,
    finish = function(round) move(others, round % 2 == 0 and world.steps or 0) end,
  }
end

local function is_no_boss(id)
  return not is_boss(id)
end

-- The row, its text, the opts of each entity, what is done when all are inside, who is timed, and the row
-- that it is compared with, if not the first one.
local kinds = {
  { "uniform", "everybody 50", uniform },
  { "mixed", "9 of 10 have 50, one 20 to 200", mixed },
  { "huge", "one of them has 5,000", function() return one_huge end },
  { "visible", "1 of 100 is seen from 200: the others", function() return bosses end, nil, is_no_boss },
  { "everywhere", "one is seen from everywhere", function() return one_seen_from_everywhere end },
  { "teams", "4 sights each", uniform, worlds.make_teams },
  { "scouts", "1 of 100 has 200: those", function() return scouts end, nil, is_boss },
  { "bosses", "1 of 100 is seen from 200: those", function() return bosses end, nil, is_boss, "scouts" },
}

function radii.run()
  local world = worlds.named("B", measure.settings.moves)
  for _, engine in ipairs(features.engines) do
    if features.has(engine) then
      local cases, by_name = {}, {}
      for i, kind in ipairs(kinds) do
        local space = spaces.new(engine, world, spaces.enter_leave)
        worlds.enter(space, world, kind[3]())
        if kind[4] then
          kind[4](space, world)
        end
        cases[i] = walking(space, world, kind[5])
        by_name[kind[1]] = cases[i]
      end
      measure.run(cases)
      output.note(engine)
      output.header()
      for i, kind in ipairs(kinds) do
        local other = by_name[kind[6] or "uniform"]
        local compared = i > 1 and measure.compare(cases[i].time.rounds, other.time.rounds) or nil
        output.row(("radii/%s/%s"):format(engine, kind[1]), kind[2], cases[i],
          { engine = engine, radii = kind[1], compared = compared }, kind[6] or kinds[1][2])
        cases[i].space:close()
      end
    else
      output.missing(engine)
    end
  end
end

return radii
