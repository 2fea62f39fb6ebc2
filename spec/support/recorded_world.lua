-- A space in which much happens, always the same, and what is known of each moment of it: for the specs of
-- recordings.

local aoi = require "aoi"
local Random = require "spec.support.random"

local world = {}

-- Kinds of spaces: `unit` is what the player counts.
world.kinds = {
  { name = "a space that is not deferred", unit = "calls",
    options = { engine = "grid", width = 100, height = 100, radius = 15 } },
  { name = "a deferred space", unit = "ticks",
    options = { engine = "quadtree", width = 100, height = 100, radius = 15, deferred = true } },
  { name = "a crowd space", unit = "ticks",
    options = { engine = "crosslist", radius = 30, deferred = true, limit = 3, move_budget = 2, dims = 3,
      rates = { { 10, 1 }, { math.huge, 3 } } } },
  { name = "a space that gathers", unit = "ticks",
    options = { engine = "crosslist", radius = 15, deferred = true, collect = true } },
}

-- The calls of one step, as random as its number.
function world.step(space, number, dims)
  local random = Random.new(number)
  local function place()
    return random:integer(0, 100), random:float(0, 100), dims == 3 and random:integer(0, 20) or nil
  end
  for _ = 1, random:integer(1, 4) do
    local id = random:integer(1, 20)
    if space:has(id) and random:chance(0.2) then
      space:leave(id)
    else
      space:update(id, place())
    end
  end
  if random:chance(0.2) and space:has(1) then
    space:set_mode(1, random:pick { "w", "m", "wm" })
  end
end

local function position(space, unit)
  local stats = space:stats()
  return unit == "ticks" and stats.tick or stats.calls
end

-- Runs a space of this kind: some steps, then before(space), then so many steps, with after(space, step)
-- behind each. Returns { saves = { [n] = the space at moment n }, events = { [n] = those that led to it },
-- first, last, space }.
function world.run(kind, steps, before, after)
  local truth = { saves = {}, events = {} }
  local log = {}
  local options = { on_event = function(watcher, marker, op)
    log[#log + 1] = ("%d %s %d"):format(watcher, op, marker)
  end }
  for name, value in pairs(kind.options) do
    options[name] = value
  end
  local space = aoi.new(options)
  local noting = setmetatable({}, { __index = function(_, name)
    return function(_, ...)
      local calls = space:stats().calls
      local answer = space[name](space, ...)
      local now = position(space, kind.unit)
      if space:stats().calls > calls and (kind.unit == "calls" or name == "tick") then
        table.sort(log)
        truth.saves[now], truth.events[now] = space:save(), table.concat(log, ", ")
        log = {}
      end
      return answer
    end
  end })
  local dims = kind.options.dims
  for step = 1, steps + 10 do
    world.step(noting, step, dims)
    if kind.unit == "ticks" then
      noting:tick()
    end
    if step == 10 then
      truth.first = position(space, kind.unit)
      truth.saves[truth.first] = space:save()
      before(space)
    elseif step > 10 then
      after(space, step)
    end
    if kind.options.collect then
      noting:drain()
    end
  end
  truth.last = position(space, kind.unit)
  truth.space = space
  return truth
end

-- The events of a player or drain, as the lists in `events` above.
function world.texts(events, n)
  local texts = {}
  for i = 1, 3 * n, 3 do
    texts[#texts + 1] = ("%d %s %d"):format(events[i], events[i + 2], events[i + 1])
  end
  table.sort(texts)
  return table.concat(texts, ", ")
end

return world
