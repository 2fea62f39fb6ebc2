-- Plays fixed histories on every engine and writes down all that a space tells: events in their order,
-- answers, and the bytes of its saves. The text must be the same on every processor and with every C library:
-- tools/check_processors.sh compares it.
--
--     lua spec/host/histories.lua play COUNT FOLDER      histories 1 to COUNT of each engine; each
--                                                        space is also saved in the middle
--     lua spec/host/histories.lua resume COUNT FOLDER FROM
--                                                        loads those saves from the folder FROM,
--                                                        and plays the second halves
--
-- Into FOLDER go for each history NAME.txt, what was told; NAME.middle and NAME.end, the saves.

local aoi = require "aoi"
local batch_calls = require "spec.support.batch_calls"
local bounds_calls = require "spec.support.bounds_calls"
local crowd_calls = require "spec.support.crowd_calls"
local engines = require "spec.support.engine_features"
local files = require "spec.support.files"
local packed = require "spec.support.packed_rows"
local query_calls = require "spec.support.query_calls"
local Random = require "spec.support.random"
local sequences = require "spec.support.sequences"
local slack_calls = require "spec.support.slack_calls"
local tick_calls = require "spec.support.tick_calls"

-- ---- what happens -----------------------------------------------------------------------------

local function prepare_with(...)
  local steps = { ... }
  return function(generator)
    for _, step in ipairs(steps) do
      step(generator)
    end
    generator.on_share = 0 -- who listens stays the same
  end
end

local usual = { batch_calls, bounds_calls, query_calls }

-- The kinds of histories, in turn. Crowds are large, so these are short.
local kinds = {
  { name = "told at once", calls = 400, taste = { call_kinds = sequences.with_kinds(table.unpack(usual)) } },
  { name = "deferred", calls = 400, taste = {
    call_kinds = sequences.with_kinds(tick_calls.kinds, table.unpack(usual)),
    prepare = prepare_with(tick_calls.prepare),
  } },
  { name = "slack", calls = 400, has_radius = true, taste = {
    call_kinds = sequences.with_kinds(slack_calls.kinds, table.unpack(usual)),
    prepare = prepare_with(slack_calls.prepare),
  } },
  { name = "deferred, slack", calls = 400, has_radius = true, taste = {
    call_kinds = sequences.with_kinds(tick_calls.kinds, slack_calls.kinds, table.unpack(usual)),
    prepare = prepare_with(tick_calls.prepare, slack_calls.prepare),
  } },
  { name = "deferred crowd", calls = 60, taste = {
    call_kinds = sequences.with_kinds(tick_calls.kinds, crowd_calls.kinds),
    prepare = prepare_with(tick_calls.prepare, crowd_calls.prepare),
  } },
}

-- In a grid without a map some hundred come, walk, and go: its fold grows and shrinks. Those of the other
-- histories are too few for that. The middle is where all are inside.
local MANY, GROUP = 900, 30

local function many_come_and_go()
  local random, calls = Random.new(1), {}
  local function add(method, ...)
    calls[#calls + 1] = { method = method, n = select("#", ...), ... }
  end
  local function rows_of(first, last, step)
    local rows = {}
    for id = first, last, step do
      table.move({ id * 3, random:integer(-3000, 3000) / 8, random:float(-400, 400) }, 1, 3, #rows + 1, rows)
    end
    return rows
  end
  for first = 1, MANY, GROUP do
    add("enter_all", rows_of(first, first + GROUP - 1, 1))
    add("move_all", rows_of(1, first, 17))
    add("query_nearest", random:float(-400, 400), 0, 5)
  end
  local middle = #calls
  for first = 1, MANY - GROUP, GROUP do
    for id = first, first + GROUP - 1 do
      add("leave", id * 3)
    end
    add("move_all", rows_of(first + GROUP, MANY, 17))
    add("query_rect", -50, -50, 50, 50)
  end
  for step = 1, MANY do -- each moves some points to the smaller fold
    add("move", 3 * MANY, step % 2, 0)
  end
  return { calls = calls, middle = middle, options = { engine = "grid", radius = 10 } }
end

-- ---- what is told -----------------------------------------------------------------------------

local out -- the file of the history that is played
local inside -- a call that the next handler makes
local space, dims

local function write(...)
  out:write(table.concat({ ... }, " "), "\n")
end

-- Up to n entries of a list; all in order.
local function listed(list, n)
  return "(" .. table.concat(list, " ", 1, n) .. ")"
end

local function to_hex(string)
  return (string:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

-- Makes a call and writes what it answers. Messages of errors may show a processor's own numbers.
local function make(call)
  local arguments, n = packed.arguments(call, dims)
  local result = table.pack(pcall(space[call.method], space, table.unpack(arguments, 1, n)))
  if not result[1] then
    write(call.method, "refused")
  elseif type(result[2]) == "string" then
    write(call.method, to_hex(result[2]))
  elseif type(result[2]) == "table" then
    write(call.method, listed(result[2], result[3]))
  elseif result.n > 1 then
    write(call.method, tostring(result[2]))
  end
end

local function make_inside()
  if inside then
    local call = inside
    inside = nil
    make(call)
  end
end

local function told(...)
  write(...)
  make_inside()
end

-- The ways to listen, in turn: { handlers, collects }.
local listeners = {
  { handlers = {
    on_event = told,
  } },
  { handlers = {
    on_watchers = function(marker, op, watchers, n)
      told("watchers", marker, op, listed(watchers, n))
    end,
    on_markers = function(watcher, op, markers, n)
      told("markers", watcher, op, listed(markers, n))
    end,
  } },
  { handlers = {
    on_view = function(watcher, left, left_n, entered, entered_n, moved, moved_n)
      told("view", watcher, listed(left, left_n), listed(entered, entered_n), listed(moved, moved_n))
    end,
  } },
  { handlers = {}, collects = true },
}

-- ---- playing ----------------------------------------------------------------------------------

local function copy(from, to)
  for key, value in pairs(from) do
    to[key] = value
  end
  return to
end

local function play(calls, first, last, listener)
  for i = first, last do
    inside = calls[i].inside
    -- The C library's cosine and sine decide who is on the edge of a sector.
    if calls[i].method ~= "query_sector" then
      make(calls[i])
    end
    if listener.collects and i % 5 == 0 then
      local events, n = space:drain(i % 2 == 0 and "packed" or {})
      write("drained", n, type(events) == "string" and to_hex(events) or listed(events, 3 * n))
    end
    if i % 50 == 0 then
      local ids = space:ids "packed"
      write("positions", to_hex(ids), to_hex((space:positions(ids .. ("<i8"):pack(-77), nil, "packed"))))
      write("cells", tostring(space:stats().cells))
    end
  end
end

local task, count, folder, from = arg[1], math.tointeger(arg[2]), arg[3], arg[4]
assert((task == "play" or task == "resume" and from) and count and folder, "see the top of this file")

local function run(name, sequence, listener)
  local calls = sequence.calls
  local middle = sequence.middle or #calls // 2
  dims = sequence.options.dims or 2
  out = assert(io.open(folder .. "/" .. name .. ".txt", "wb"))
  if task == "play" then
    local options = copy(listener.handlers, sequence.options)
    options.collect = listener.collects
    space = aoi.new(options)
    play(calls, 1, middle, listener)
    files.write(folder .. "/" .. name .. ".middle", space:save())
  else
    space = aoi.load(files.read(from .. "/" .. name .. ".middle"), listener.handlers)
  end
  play(calls, middle + 1, #calls, listener)
  files.write(folder .. "/" .. name .. ".end", space:save())
  space:close()
  out:close()
end

for _, engine in ipairs(engines) do
  for number = 1, count do
    local kind = kinds[number % #kinds + 1]
    if engine.has_radius or not kind.has_radius then
      run(("%s %d, %s"):format(engine.name, number, kind.name),
        sequences.generate(engine, number, kind.calls, kind.taste),
        listeners[number // #kinds % #listeners + 1])
    end
  end
end
run("many in a grid without a map", many_come_and_go(), listeners[1])
