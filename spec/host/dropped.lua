--[[ The script of refuse_lua: spaces that are dropped, and collected while memory is refused. refuse_lua
--fails
when a byte is left after lua_close: a space whose finalizer could not be called would be.

What collects is the binding, when the core lacks memory. Lua's own steps stand still: a finalizer that one of
them can't call is lost, which is Lua's affair.

    refuse_lua spec/host/dropped.lua

HISTORIES=n runs more of them, SEED=n begins with another one. ]]
-- luacheck: globals refusing
local aoi = require "aoi"
local Random = require "spec.support.random"

local HISTORIES = tonumber(os.getenv "HISTORIES") or 1500
local SEED = tonumber(os.getenv "SEED") or 1
local DEEPEST = 6

local ENGINES = {
  { engine = "grid", width = 100, height = 100, cols = 9, rows = 9 },
  { engine = "grid", width = 100, height = 100, radius = 15 },
  { engine = "crosslist", radius = 15, deferred = true, limit = 2 },
  { engine = "quadtree", width = 100, height = 100, radius = 15, capacity = 1 },
}

-- With handlers that refer to it, sometimes.
local function new(random)
  local space, options = nil, { collect = random:chance(0.5) }
  for name, value in pairs(random:pick(ENGINES)) do
    options[name] = value
  end
  if random:chance(0.3) then
    options.on_event = function() return space end
  end
  space = aoi.new(options)
  for id = 1, random:pick { 0, 1, 50 } do
    space:enter(id, random:integer(0, 100), random:integer(0, 100))
  end
  return space
end

-- Calls that ask the core for memory.
local CALLS = {
  function(space) space:enter(100, 1, 1) end,
  function(space) space:update(101, 50, 50, { mode = "w" }) end,
  function(space) space:enter_all { 200, 1, 1, 201, 2, 2, 202, 3, 3, 203, 4, 4 } end,
  function(space) space:query_rect(0, 0, 100, 100) end,
  function(space) space:add_area(1, { x = 50, y = 50, radius = 20, leave_radius = 30 }) end,
  function(space) space:record(true) space:move(1, 20, 20) end,
  function(space) space:tick() end,
  function(space) space:ids() end,
}

-- The methods themselves: without a frame of Lua around them.
local METHODS = {
  { "enter", 100, 1, 1 }, { "enter_all", { 200, 1, 1, 201, 2, 2 } }, { "query_rect", 0, 0, 100, 100 },
  { "markers_of", 1 }, { "ids" },
}

local function at_depth(depth, f, ...)
  if depth == 0 then
    return f(...)
  end
  return (select(2, pcall(at_depth, depth - 1, f, ...)))
end

-- Records of calls that are not in use are freed, half of them each time.
local function collect(times)
  for _ = 1, times do
    collectgarbage()
  end
end

local collected, refusals = 0, 0

local function run(seed)
  local random = Random.new(seed)
  local kept, dropped = new(random), setmetatable({}, { __mode = "k" })
  collect(random:pick { 0, 1, 8 })
  collectgarbage "stop"
  for _ = 1, random:integer(1, 3) do
    dropped[new(random)] = true
  end
  local n, on = random:integer(1, 8), random:chance(0.8)
  local f, arguments = random:pick(CALLS), { kept }
  if random:chance(0.5) then
    local method = random:pick(METHODS)
    f, arguments = kept[method[1]], { kept, table.unpack(method, 2) }
  end
  local depth = random:integer(0, DEEPEST)
  if random:chance(0.5) then
    local thread = coroutine.create(depth == 0 and f or at_depth)
    if depth == 0 then
      refusals = refusals + refusing(n, on, coroutine.resume, thread, table.unpack(arguments))
    else
      refusals = refusals + refusing(n, on, coroutine.resume, thread, depth, f, table.unpack(arguments))
    end
  elseif depth == 0 then
    refusals = refusals + refusing(n, on, f, table.unpack(arguments))
  else
    refusals = refusals + refusing(n, on, at_depth, depth, f, table.unpack(arguments))
  end
  collected = collected + (next(dropped) == nil and 1 or 0)
  collectgarbage "restart"
end

for seed = SEED, SEED + HISTORIES - 1 do
  run(seed)
end
print(("dropped spaces: %d histories, %d allocations refused, %d times all were collected meanwhile")
  :format(HISTORIES, refusals, collected))
