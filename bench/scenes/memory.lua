-- What an entity costs in memory, after some walking.
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

function memory.run()
  for _, name in ipairs { "B", "D", "C" } do
    if worlds.definitions[name].entities * worlds.part <= measure.settings.most_entities then
      report("classic", name, "classic", spaces.enter_leave, "classic nine-grid")
      for _, engine in ipairs(features.engines) do
        if features.has(engine) then
          report(engine, name, engine, spaces.enter_leave, engine)
        end
      end
    end
  end
  output.note("beyond empty: without what the same space holds before the first entity (its cells, mostly).")
end

return memory
