--[[ One case over and over, for a profiler to watch. On the command line: an engine, a world of
bench/worlds.lua, a way of telling and, if not all have radius 50, other radii. `make profile` runs it,
docs/inside/performance.md tells of it. ]]
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

-- Long ways: with slack, who goes to and fro near one place would show too little.
local ROUNDS, MOVES = 4, 500000

local function tick(space)
  space:tick()
end

-- Options of the space; what follows each step.
local ways = {
  ["per-call"] = { spaces.enter_leave },
  ["all-events"] = { spaces.all_events },
  grouped = { spaces.by_other },
  slack = { spaces.enter_leave, { slack = 12 } },
  deferred = { spaces.enter_leave, { deferred = true }, after_step = tick },
  ["deferred-view"] = { spaces.by_view, { deferred = true }, after_step = tick },
  silent = {},
}

-- Every tenth watcher has another radius; one of them sees all of world B.
local radii = {
  mixed = function(id)
    return id % 10 == 0 and { radius = 20 + id % 180 } or nil
  end,
  huge = function(id)
    return id == 1 and { radius = 5000 } or nil
  end,
}

local engine, name, way_name, radius_name = table.unpack(arg)
local way = ways[way_name or "per-call"]
local world = worlds.named(name, MOVES)
local space = spaces.new(engine, world, table.unpack(way))
worlds.enter(space, world, radii[radius_name])
if way.after_step then
  way.after_step(space)
end

local start = os.clock()
for round = 1, ROUNDS do
  worlds.play(space, world, round, way.after_step)
end
local time = (os.clock() - start) / (ROUNDS * world.moves)
print(("%s: %.0f ns a move"):format(table.concat(arg, " "), time * 1e9))
