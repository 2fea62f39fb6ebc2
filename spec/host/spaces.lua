-- The script of count_bytes: functions that make and lose 10,000 spaces each.
-- luacheck: globals dropped closed_in_handlers abandoned reloaded
local aoi = require "aoi"

local ENGINES = {
  { engine = "grid", width = 100, height = 100, cols = 10, rows = 10 },
  { engine = "grid", width = 100, height = 100, radius = 10 },
  { engine = "crosslist", radius = 10 },
  { radius = 10, cell = 6 },
  { engine = "quadtree", width = 100, height = 100, radius = 10, capacity = 2 },
}

local function new(i, handlers)
  local options = { collect = i % 3 == 0 }
  for name, value in pairs(ENGINES[i % #ENGINES + 1]) do
    options[name] = value
  end
  for name, handler in pairs(handlers) do
    options[name] = handler
  end
  return aoi.new(options)
end

local function fill(space)
  for id = 1, 6 do
    space:enter(id, 50 + id / 10, 50)
  end
end

function dropped()
  for i = 1, 10000 do
    local space
    space = new(i, { on_event = function() return space end })
    fill(space)
    space:query_nearest(50, 50, 3)
    space:leave_all { 1, 2 }
  end
end

function closed_in_handlers()
  for i = 1, 10000 do
    local space
    local function close() space:close() end
    space = new(i, i % 2 == 0 and { on_event = close } or { on_view = close })
    pcall(fill, space)
  end
end

function abandoned()
  for i = 1, 10000 do
    local space = new(i, { on_watchers = coroutine.yield })
    coroutine.resume(coroutine.create(fill), space)
  end
end

function reloaded()
  for i = 1, 10000 do
    local space = new(i, { on_event = error })
    pcall(fill, space)
    local saved = space:save()
    assert(aoi.load(saved):save() == saved)
    assert(not pcall(aoi.load, saved:sub(1, -2)))
    assert(not pcall(aoi.load, saved, { on_event = 1 }))
  end
end
