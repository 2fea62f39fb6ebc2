-- The steps of the victim of cases/store.lua, and the state that its scene must have after them: a space here
-- makes the same steps.
local aoi = require "aoi"
local crowd = require "spec.skynet.crowd"
local harness = require "spec.skynet.harness"
local Random = require "spec.support.random"

local steps = { COUNT = 9, WALKER = 1001, WATCHER = 1000 }

-- The clock never comes to a full save: the steps ask for one.
steps.OPTIONS = {
  "engine=grid", "width=300", "height=300", "radius=40", harness.BY_HAND, "save_every=3600000",
}

-- The walker is in the middle of the watcher's view, and further right after each step.
local function walk(step)
  return 140 + step, 150
end

-- The step after which the walker is there.
function steps.number(x)
  return math.tointeger(x - 140)
end

-- Draws a step and makes it, by do_it(command, ...).
local function step_of(random, step, do_it)
  if step == 5 then
    do_it "store"
  end
  if step == 1 then
    do_it("enter", steps.WATCHER, 150, 150, { mode = "w" })
    do_it("enter", steps.WALKER, walk(1))
  else
    do_it("move", steps.WALKER, walk(step))
  end
  crowd.stir(nil, random, 20, do_it)
  do_it "tick"
end

local random = Random.new(7)

-- One step, the next of this process, by commands to the scene.
function steps.take(scene, step)
  step_of(random, step, function(...)
    return harness.command(scene, ...)
  end)
end

local METHODS = { enter = true, move = true, leave = true, tick = true }

-- The space after the first `count` steps. Give it back by close.
function steps.space_after(count)
  local space = aoi.new { engine = "grid", width = 300, height = 300, radius = 40, deferred = true }
  local again = Random.new(7)
  for step = 1, count do
    step_of(again, step, function(command, id, x, y, opts)
      if command == "query" then
        return space:has(x)
      elseif command == "update" then
        space:update(id, x, y, { radius = opts.radius })
      elseif METHODS[command] then
        space[command](space, id, x, y, opts)
      end
    end)
  end
  return space
end

-- The step that a scene has come to, by where the walker is; 0: none.
function steps.taken(scene)
  local x = harness.command(scene, "query", "position", steps.WALKER)
  return x and steps.number(x) or 0
end

return steps
