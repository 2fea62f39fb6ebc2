-- Moves as messages from a network bring them: in shuffled order, with ids spread over 64 bits. From Lua
-- and, without it, in C.
local c_interface = require "bench.scenes.c_interface"
local measure = require "bench.measure"
local messages = require "bench.messages"
local output = require "bench.output"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local shuffled = { name = "shuffled", text = "a move in shuffled order, ids spread over 64 bits, radius 50" }

local function tick(space)
  space:tick()
end

local ways = {
  { id = "per-call", text = "grid, on_enter + on_leave", engine = "grid" },
  { id = "deferred", text = "same, deferred, a tick a step", engine = "grid", options = { deferred = true },
    after_step = tick },
  { id = "slack", text = "same, slack 12", engine = "grid", options = { slack = 12 } },
  { id = "crosslist", text = "cross-list, on_enter + on_leave", engine = "crosslist" },
  { id = "quadtree", text = "quadtree, on_enter + on_leave", engine = "quadtree" },
}

-- The same moves in order stand beside the shuffled ones: what order makes is their quotient.
local function cases_of(way, in_order)
  local function case(world, floor_world)
    local space = spaces.filled(way.engine, world, spaces.enter_leave, way.options)
    if way.after_step then
      way.after_step(space)
    end
    local walking = spaces.walking(space, world, way.after_step)
    walking.way, walking.floor_world = way, floor_world
    return walking
  end
  local world = messages.of(in_order)
  return case(world, world), case(in_order)
end

function shuffled.run()
  for _, name in ipairs { "A", "B", "C", "D" } do
    local definition = worlds.definitions[name]
    if definition.entities * worlds.part <= measure.settings.most_entities then
      local world = worlds.named(name, measure.settings.moves, worlds.LONG_WAY)
      output.note(("world %s: %s"):format(name, definition.text))
      output.header()
      for _, way in ipairs(ways) do
        local case, in_order = cases_of(way, world)
        measure.run { case, in_order }
        local compared = measure.compare(case.time.rounds, in_order.time.rounds)
        output.row(("shuffled/%s/%s"):format(way.id, name), way.text, case,
          { world = name, compared = compared }, "in order")
        case.space:close()
        in_order.space:close()
      end
    end
  end
  output.note("C interface, events pulled")
  c_interface.run_part("shuffled")
end

return shuffled
