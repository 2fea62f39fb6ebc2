-- The memory of an entity, after some walking; and the rest of a high-water mark, and when it goes.
local measure = require "bench.measure"
local output = require "bench.output"
local features = require "bench.features"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local memory = { name = "memory", text = "bytes per entity, held by the module (stats().bytes)" }

local function report(engine, name, id, options, words)
  local world = worlds.named(name, 0)
  local space = spaces.new(engine, world, options)
  local empty = space:stats().bytes
  worlds.enter(space, world)
  worlds.play(space, world, 1)
  local full = space:stats().bytes
  output.value(("memory/%s/%s"):format(id, name), ("%s, world %s, in all"):format(words, name),
    full / world.entities, "bytes")
  output.value(("memory/%s/%s/beyond-cells"):format(id, name),
    ("%s, world %s, beyond empty"):format(words, name), (full - empty) / world.entities, "bytes")
  space:close()
end

-- Ways to be notified by a tick, with what follows it.
local told = {
  { id = "enter-leave", words = "enter and leave", handlers = spaces.enter_leave },
  { id = "view", words = "on_view", handlers = spaces.by_view },
  { id = "events", words = "on_event", handlers = spaces.all_events },
  {
    id = "drain", words = "drain of all events", handlers = { collect = { "enter", "leave", "move" } },
    after_tick = function(space) space:drain() end,
  },
}

local TOLD_STEPS = 12

-- The memory that a deferred grid holds between two ticks in each of which everybody takes a step.
local function report_told(name)
  local world = worlds.named(name, 0, TOLD_STEPS)
  for _, way in ipairs(told) do
    local space = spaces.filled("grid", world, way.handlers, { deferred = true })
    worlds.play(space, world, 1, function()
      space:tick()
      if way.after_tick then
        way.after_tick(space)
      end
    end)
    local stats = space:stats()
    local function value(what, bytes)
      output.value(("memory/told/%s/%s/%s"):format(way.id, name, what),
        ("deferred, world %s, %s: %s"):format(name, way.words, what), bytes / world.entities, "bytes")
    end
    value("all", stats.bytes)
    value("events", stats.held.events)
    value("tick", stats.held.tick)
    space:close()
  end
end

-- Microseconds of so many ticks in which nobody moves: all together, and the slowest.
local function time_quiet_ticks(space, count)
  local total, slowest = 0, 0
  for _ = 1, count do
    local start = os.clock()
    space:tick()
    local time = (os.clock() - start) * 1e6
    total, slowest = total + time, math.max(slowest, time)
  end
  return total, slowest
end

local QUIET_TICKS = 10

-- Everybody enters before one tick of a deferred grid. Memory goes back in the quiet ticks that follow: what
-- that costs is what they take more than as many later ones.
local function report_shrinking(name)
  local world = worlds.named(name, 0)
  local totals, slowest, later, full, quiet = {}, {}, {}, nil, nil
  for round = 1, measure.settings.rounds do
    local space = spaces.filled("grid", world, spaces.enter_leave, { deferred = true })
    space:tick()
    full = space:stats().bytes
    collectgarbage()
    totals[round], slowest[round] = time_quiet_ticks(space, QUIET_TICKS)
    quiet = space:stats().bytes
    later[round] = time_quiet_ticks(space, QUIET_TICKS)
    space:close()
  end
  local function value(what, words, number, unit)
    output.value(("memory/deferred/%s/%s"):format(name, what),
      ("deferred, world %s, %s"):format(name, words), number, unit)
  end
  value("after-enter", "after mass enter", full / world.entities, "bytes")
  value("after-quiet-ticks", "10 quiet ticks on", quiet / world.entities, "bytes")
  value("quiet-ticks", "these ticks", measure.summary(totals).median, "us in all")
  value("slowest-quiet-tick", "slowest of them", measure.summary(slowest).median, "us")
  value("later-ticks", "10 ticks later", measure.summary(later).median, "us in all")
end

function memory.run()
  for _, name in ipairs { "B", "D", "C" } do
    if worlds.definitions[name].entities * worlds.part <= measure.settings.most_entities then
      report("classic", name, "classic", spaces.enter_leave, "classic nine-grid")
      for _, engine in ipairs(features.engines) do
        if features.has(engine) then
          report(engine, name, engine, spaces.enter_leave, engine)
        end
      end
      report_told(name)
      report_shrinking(name)
    end
  end
  output.note("beyond empty: without what the same space holds before the first entity (its cells, mostly).")
end

return memory
