--[[ Records: what it costs to record every move, and how many bytes a move takes.

A space that records and one that does not take turns; the one that does gives its record away as a string
after each step, which is timed with it. Coordinates are doubles that are no floats, unless it says so. ]]
local measure = require "bench.measure"
local output = require "bench.output"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local record = { name = "record", text = "moves that are recorded, handlers on_enter and on_leave" }

local has_zlib, zlib = pcall(require, "zlib")

local function to_float(number)
  return (("<f"):unpack(("<f"):pack(number)))
end

-- The walk on places that are floats.
local function on_floats(world)
  for _, coordinates in ipairs { world.xs, world.ys } do
    for i, number in ipairs(coordinates) do
      coordinates[i] = to_float(number)
    end
  end
  return world
end

-- A space that records, with what its strings come to.
local function recording(world, more)
  local space = spaces.filled("grid", world, spaces.enter_leave, more, { record = true })
  space:recorded()
  local taken = { bytes = 0, moves = 0 }
  local case = spaces.walking(space, world, function()
    if more.deferred then
      space:tick()
    end
    taken.last = space:recorded()
    taken.bytes = taken.bytes + #taken.last
    taken.moves = taken.moves + world.entities
  end)
  case.taken = taken
  return case
end

local function measure_world(id, words, world, more)
  local without = spaces.filled("grid", world, spaces.enter_leave, more)
  local cases = {
    spaces.walking(without, world, more.deferred and function() without:tick() end or nil),
    recording(world, more),
  }
  measure.run(cases)
  local added = {}
  for round in ipairs(cases[1].time.rounds) do
    added[round] = cases[2].time.rounds[round] - cases[1].time.rounds[round]
  end
  local taken = cases[2].taken
  output.value(id .. "/added", words, measure.summary(added).median, "ns a move")
  output.value(id .. "/bytes", "", taken.bytes / taken.moves, "bytes a move")
  if has_zlib then
    output.value(id .. "/zlib", "", #zlib.deflate()(taken.last, "finish") / world.entities,
      "bytes a move, with zlib")
  end
  for _, case in ipairs(cases) do
    case.space:close()
  end
end

function record.run()
  local moves = measure.settings.moves
  measure_world("record/B", "world B", worlds.named("B", moves), {})
  measure_world("record/B-deferred", "world B, deferred", worlds.named("B", moves), { deferred = true })
  measure_world("record/B-floats", "world B, places that are floats", on_floats(worlds.named("B", moves)), {})
  if measure.settings.most_entities >= 100000 then
    measure_world("record/D", "world D", worlds.named("D", moves), {})
  end
end

return record
