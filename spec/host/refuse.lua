--[[ The script of refuse_lua: lets every allocation of every call fail once, Lua's own and the core's. Each
try is a call to a space made for it, with the n-th allocation refused. Afterwards the space must be as
one that never saw the call, or as one that has, all events told or waiting, each once. ]]
-- luacheck: globals refusing
local aoi = require "aoi"

local ENGINES = {
  { engine = "grid", width = 100, height = 100, cols = 9, rows = 9 },
  { engine = "grid", width = 100, height = 100, radius = 15, slack = 1 },
  { engine = "crosslist", radius = 15 },
  { engine = "quadtree", width = 100, height = 100, radius = 15, capacity = 1 },
  { engine = "crosslist", radius = 15, deferred = true },
  { engine = "grid", width = 100, height = 100, radius = 30, deferred = true, limit = 2, enter_budget = 2,
    move_budget = 2, rates = { { 20, 1 }, { math.huge, 2 } } },
  { radius = 15, cell = 9 },
}
local ENTITIES = 24
local OPS = { enter = 1, leave = 2, move = 3, area_enter = 4, area_leave = 5 }

local tries, refusals = 0, 0
local interrupted = 0 -- calls that raised an error after they had changed the space: in a delivery

-- ---- handlers that note what they hear ----

local MOST = 4000
local told = { n = 0 }
for i = 1, MOST do
  told[i] = 0
end

-- A handler that asks for no memory once it runs: HEAR(watcher, marker, op) stands for statements, since
-- a call could fail.
local function handler(parameters, body)
  local statements = body:gsub("HEAR%((.-), (.-), (.-)%)", function(watcher, marker, op)
    local pair = ("%s * 1000 + %s"):format(watcher, marker)
    return ("told.n = told.n + 1 told[told.n] = (%s) * 10 + OPS[%s]"):format(pair, op)
  end)
  local text = ("local told, OPS = ... return function(%s) %s end"):format(parameters, statements)
  return assert(load(text))(told, OPS)
end

-- A frame as large as they get, so that starting it asks for stack.
local locals = {}
for i = 1, 180 do
  locals[i] = "v" .. i
end
local LARGE = "local " .. table.concat(locals, ", ") .. " "

local EVENT = "watcher, marker, op"
local hear = handler(EVENT, "HEAR(watcher, marker, op)")
local by_watchers = handler("marker, op, watchers, n", "for i = 1, n do HEAR(watchers[i], marker, op) end")
local by_markers = handler("watcher, op, markers, n",
  LARGE .. "for i = 1, n do HEAR(watcher, markers[i], op) end")
local by_view = handler("watcher, left, nl, entered, ne, moved, nm", [[
  for i = 1, nl do HEAR(watcher, left[i], "leave") end
  for i = 1, ne do HEAR(watcher, entered[i], "enter") end
  for i = 1, nm do HEAR(watcher, moved[i], "move") end]])

local by_area = handler("area, marker, op", LARGE .. [[
  if op == "enter" then HEAR(area, marker, "area_enter") else HEAR(area, marker, "area_leave") end]])

local function nothing()
end

local HANDLERS = {
  {},
  { on_event = handler(EVENT, LARGE .. "HEAR(watcher, marker, op)") },
  { on_event = handler("...", "local watcher, marker, op = ... " .. LARGE .. "HEAR(watcher, marker, op)") },
  { on_event = hear, on_error = nothing },
  { on_event = nothing, on_enter = handler("watcher, marker", "HEAR(watcher, marker, 'enter')") },
  {
    on_enter = handler("watcher, marker", "HEAR(watcher, marker, 'enter')"),
    on_leave = handler("watcher, marker", LARGE .. "HEAR(watcher, marker, 'leave')"),
    on_move = handler("watcher, marker", LARGE .. "HEAR(watcher, marker, 'move')"),
  },
  { on_watchers = by_watchers },
  { on_watchers = by_watchers, on_markers = by_markers, on_error = nothing },
  { on_view = by_view },
}

-- In spaces with areas.
local AREA_HANDLERS = {
  {},
  { on_area = by_area },
  { on_event = hear, on_area = by_area, on_error = nothing },
  { on_view = by_view, on_area = by_area },
}

-- ---- calls ----

local function rows(first, last, step)
  local t = {}
  for id = first, last do
    t[#t + 1], t[#t + 2], t[#t + 3] = id, id * step % 100, id * 13 % 100
  end
  return t
end

local SOME = {}
for i = 1, 15 do
  SOME[i] = i
end

-- The numbers of a table as packed rows.
local function packed(format, t)
  local list, width = {}, select(2, format:gsub("%a%d?", ""))
  for i = 1, #t, width do
    list[#list + 1] = format:pack(table.unpack(t, i, i + width - 1))
  end
  return table.concat(list)
end

-- More than find room on the C stack.
local MANY = packed("<i8", SOME):rep(20)

local CALLS = {
  { "enter", 99, 50, 50 },
  { "enter", 99, 50, 50, { sees_layers = 3 } },
  { "move", 3, 80, 20 },
  { "update", 3, 1, 1 },
  { "update", 99, 51, 49 },
  { "leave", 4 },
  { "set_mode", 5, "m" },
  { "set_radius", 6, 70 },
  { "set_visible_radius", 6, 70 },
  { "set_visible_radius", 10, 0 },
  { "enter", 99, 50, 50, { visible_radius = 40 } },
  { "set_sight", 5, 99, true },
  { "set_sight", 5, 8, false },
  { "set_sight", 3, 12, nil },
  { "sights", 3 },
  { "move", 10, 80, 20 },
  { "leave", 10 },
  { "enter_all", rows(50, 65, 37) },
  { "move_all", rows(1, 20, 31) },
  { "leave_all", SOME },
  { "update_all", rows(10, 35, 31) },
  { "enter_all", packed("<i8dd", rows(50, 65, 37)) },
  { "move_all", packed("<i8ff", rows(1, 20, 31)), "f" },
  { "update_all", packed("<i8dd", rows(10, 35, 31)), 20, { layers = 2 } },
  { "leave_all", packed("<i8", SOME) },
  { "set_bounds", -10, -10, 300, 300 },
  { "tick" },
  { "flush" },
  { "markers_of", 1 },
  { "watchers_of", 1 },
  { "told_markers_of", 1 },
  { "told_watchers_of", 1 },
  { "ids" },
  { "positions", SOME, 15 },
  { "positions", MANY, nil, "packed" },
  { "ids", "packed" },
  { "query_circle", 50, 50, 40, "packed" },
  { "query_rect", 10, 10, 70, 70 },
  { "query_circle", 50, 50, 40 },
  { "query_sector", 50, 50, 40, 1, 2 },
  { "query_segment", 0, 0, 100, 100, 20 },
  { "query_polygon", { { 10, 10, 90, 10, 50, 80 }, { 45, 20, 55, 20, 50, 30 } } },
  { "query_nearest", 50, 50, 9 },
  { "drain" },
  { "drain", "packed" },
  { "stats" },
  { "save" },
  { "record", true },
  { "recorded" },
  { "clear" },
  { "on", { on_view = function() end } },
}

-- Calls that deferred spaces have beside these; the argument of hand_in is a string that hand_out has just
-- given.
local HAND_OVERS = {
  { "hand_out", 3 },
  { "hand_in", 8 },
  { "enter", 99, 50, 50, { anchor = { 50, 50 } } },
  { "update", 3, 1, 1, { anchor = { 1, 1 } } },
  { "tick", 9 },
}

-- Calls that crowd spaces have beside these, and those that go another way there.
local CROWD_CALLS = {
  { "set_limit", 4, 1 },
  { "set_importance", 22, 9 },
  { "pin", 4, 14 },
  { "pin", 1, 99 },
  { "unpin", 2, 19 },
  { "touch", 24 },
  { "enter", 99, 50, 50, { limit = 3, importance = 4 } },
  { "update_all", rows(10, 35, 31), 20, { limit = 1 } },
  { "leave", 2 },
  { "tick" },
  { "told_markers_of", 1 },
  { "told_markers_of", 1, "packed" },
  { "told_watchers_of", 1 },
  { "explain", 1, 24 },
  { "drain" },
  { "save" },
}

-- Calls that spaces with areas have beside these, and those that go another way there.
local AREAS = {
  { 1, { owner = 3, radius = 30, leave_radius = 40 } },
  { 2, { shape = "rect", x = 50, y = 50, width = 60, height = 30 } },
  { 3, { shape = "polygon", points = { 10, 10, 90, 10, 50, 80 } } },
  { 4, { owner = 3, shape = "square", radius = 10 } },
}
local AREA_CALLS = {
  { "add_area", 9, { x = 50, y = 50, radius = 40, leave_radius = 50 } },
  { "add_area", 9, { owner = 5, shape = "square", radius = 30 } },
  { "add_area", 9, {
    shape = "polygon", points = { { 10, 10, 90, 10, 50, 80 }, { 45, 20, 55, 20, 50, 30 } },
  } },
  { "set_area", 1, { radius = 50, leave_radius = 60 } },
  { "set_area", 2, { owner = 7, dx = 3 } },
  { "set_area", 1, { shape = "polygon", points = { 20, 10, 90, 10, 50, 80 } } },
  { "set_area", 3, { sees_layers = 2 } },
  { "move_area", 2, 70, 40 },
  { "remove_area", 1 },
  { "remove_area", 3 },
  { "members_of", 1 },
  { "members_of", 3, "packed" },
  { "areas_of", 1 },
  { "areas" },
  { "enter", 99, 50, 50 },
  { "move", 3, 80, 20 },
  { "leave", 3 },
  { "set_mode", 5, "w" },
  { "set_layers", 5, 0 },
  { "move_all", rows(1, 20, 31) },
  { "leave_all", SOME },
  { "tick" },
  { "drain" },
  { "drain", "packed" },
  { "save" },
  { "recorded" },
  { "clear" },
}

-- Of an owner, and of one who is in areas.
local AREA_HAND_OVERS = {
  { "hand_out", 3 },
  { "hand_in", 3 },
  { "hand_out", 12 },
  { "hand_in", 12 },
}

-- A call that this engine refuses anyway, or answers like another one.
local DEFERRED = { tick = true, told_markers_of = true, told_watchers_of = true, hand_out = true,
  hand_in = true }
local function is_foreign(engine, call)
  return call[1] == "set_bounds" and not engine.width
    or (call[1] == "set_radius" or call[1] == "set_visible_radius") and engine.cols ~= nil
    or type(call[5]) == "table" and call[5].visible_radius and engine.cols ~= nil
    or DEFERRED[call[1]] and not engine.deferred
end

-- ---- the comparison ----

local has_areas = false -- the spaces that are made now

-- All that is in these tables.
local function merged(...)
  local all = {}
  for _, part in ipairs { ... } do
    for name, value in pairs(part) do
      all[name] = value
    end
  end
  return all
end

-- The options with which every space here is made or loaded.
local function recording(...)
  return merged({ collect = { "enter", "leave", has_areas and "area_enter" or nil }, record = true }, ...)
end

local function new(engine, handlers)
  return aoi.new(recording(engine, handlers))
end

-- The space from a save of it.
local function reloaded(space, options)
  local again = aoi.load(space:save(), options)
  space:close()
  return again
end

local function fill(space)
  for id = 1, ENTITIES do
    local traits = id % 9 == 0 and space:radius(1) ~= 0 and { radius = id } or nil
    space:enter(id, id * 17 % 100, id * 29 % 100, traits)
  end
  pcall(space.set_visible_radius, space, 10, 60)
  for id = 3, 5 do
    space:set_sight(id, id + 9, id ~= 5)
  end
  for _, area in ipairs(has_areas and AREAS or {}) do
    space:add_area(table.unpack(area))
  end
  if not pcall(space.tick, space) then
    return
  end
  pcall(space.pin, space, 2, 19)
  space:hand_in(space:hand_out(7)) -- what it was told waits for the next tick
  for id = 1, ENTITIES, 2 do
    space:move(id, id * 19 % 100, id * 23 % 100)
  end
end

local is_loaded = false -- the spaces that calls are made on come from a save: nothing has its room yet

-- A space with all that `fill` brings.
local function filled(engine, handlers)
  local space = new(engine, handlers)
  fill(space)
  return is_loaded and reloaded(space, recording(handlers)) or space
end

-- Everything of a space that can be asked for without changing it.
local function state_of(space, engine)
  local ids = space:ids()
  table.sort(ids)
  local stats = space:stats()
  local parts = { #ids, stats.collected, tostring(space) }
  for _, id in ipairs(ids) do
    parts[#parts + 1] = table.concat({ id, space:radius(id), space:position(id) }, " ")
    local markers = space:markers_of(id)
    table.sort(markers)
    parts[#parts + 1] = table.concat(markers, ",")
    for _, question in ipairs(engine.deferred and { "told_markers_of", "told_watchers_of" } or {}) do
      local others = space[question](space, id)
      table.sort(others)
      parts[#parts + 1] = table.concat(others, ",")
    end
  end
  local areas = space:areas()
  table.sort(areas)
  for _, area in ipairs(areas) do
    local members = space:members_of(area)
    table.sort(members)
    parts[#parts + 1] = area .. ": " .. table.concat(members, ",")
  end
  return table.concat(parts, "\n")
end

local function sorted_events()
  local events = table.move(told, 1, told.n, 1, {})
  table.sort(events)
  return table.concat(events, " ")
end

-- The events of a space for further calls.
local function later_events(space)
  space:on { on_event = hear, on_area = by_area }
  told.n = 0
  space:update(200, 50, 50)
  space:update(1, 50, 51)
  if pcall(space.tick, space) then
    space:leave(1)
    space:tick()
  end
  space:leave(200)
  return sorted_events()
end

-- As refusing; and no finalizer runs: one that finds no memory never runs again, which is Lua's affair.
local function run_refusing(...)
  collectgarbage()
  collectgarbage "stop"
  local answer = table.pack(refusing(...))
  collectgarbage "restart"
  tries = tries + 1
  refusals = refusals + answer[1]
  return table.unpack(answer, 1, answer.n)
end

-- Calls attempt(n, on) with n = 1, 2, ... until it returns that no allocation was refused: the n-th one is to
-- be, and, on, all later ones, so that the repetition after a collection is refused as well.
local function refuse_each(attempt)
  for _, on in ipairs { true, false } do
    local n = 0
    repeat
      n = n + 1
      assert(n < 2000, "endless")
    until attempt(n, on) == 0
  end
end

-- The records of a space since the save, with those that the call took, make the save into the space.
local function check_records(space, engine, saved, taken, where)
  local again = aoi.load(saved)
  aoi.replay(again, taken .. space:recorded())
  assert(state_of(again, engine) == state_of(space, engine), where .. ": its record is of something else")
  again:close()
end

-- One try; returns how many allocations were refused.
local function try(engine, handlers, call, n, on, in_coroutine)
  local where = ("%s, %s: allocation %d"):format(engine.engine, call[1], n)
  local space, before, after = filled(engine, handlers), filled(engine, handlers), filled(engine, handlers)
  if call[1] == "hand_in" then
    local string
    for _, one in ipairs { space, before, after } do
      string = one:hand_out(call[2])
    end
    call = { "hand_in", string }
  end
  local saved = space:save()
  space:recorded()
  told.n = 0
  after[call[1]](after, table.unpack(call, 2))
  after:flush()
  local expected = sorted_events()

  told.n = 0
  local method = space[call[1]]
  local count_refused, ok, message
  if in_coroutine then
    local status
    count_refused, status, ok, message =
      run_refusing(n, on, coroutine.resume, coroutine.create(method), space, table.unpack(call, 2))
    ok, message = status and ok, status and message or ok
  else
    count_refused, ok, message = run_refusing(n, on, method, space, table.unpack(call, 2))
  end
  if not ok and message ~= "not enough memory" then
    error(where .. ": another error: " .. tostring(message))
  end

  local now = state_of(space, engine)
  local told_at_once = told.n
  local changes = state_of(before, engine) ~= state_of(after, engine)
  local has_failed_whole = not ok and now == state_of(before, engine) and (changes or expected == "")
  if has_failed_whole then
    space:flush()
    assert(told.n == 0, where .. ": a failed call has told something")
  elseif call[1] ~= "drain" and call[1] ~= "on" then
    assert(now == state_of(after, engine), where .. ": neither as before nor as after")
    interrupted = interrupted + (ok and 0 or 1)
    space:flush()
    assert(sorted_events() == expected, ("%s: events lost or told twice (%d told at once, %d in all)")
      :format(where, told_at_once, told.n))
  end
  if call[1] == "drain" and not ok then
    local _, left = space:drain()
    local _, all = before:drain()
    assert(left == all, where .. ": gathered events lost")
  end
  check_records(space, engine, saved, call[1] == "recorded" and ok and message or "", where)
  local twin = has_failed_whole and before or after
  assert(later_events(space) == later_events(twin), where .. ": it goes on otherwise than its twin")
  space:close()
  before:close()
  after:close()
  return count_refused
end

local function try_all(engine, all_handlers, calls)
  for number, handlers in ipairs(all_handlers) do
    for _, call in ipairs(calls) do
      if not is_foreign(engine, call) and not (call[1] == "on" and number > 1) then
        refuse_each(function(n, on)
          return try(engine, handlers, call, n, on, number % 2 == 0)
        end)
      end
    end
  end
end

for _, engine in ipairs(ENGINES) do
  try_all(engine, HANDLERS, engine.limit and CROWD_CALLS or CALLS)
  is_loaded = true
  try_all(engine, { HANDLERS[2] }, CALLS)
  try_all(engine, { HANDLERS[2] }, engine.limit and CROWD_CALLS or {})
  try_all(engine, { HANDLERS[2] }, engine.deferred and HAND_OVERS or {})
  is_loaded = false
  try_all(engine, { HANDLERS[1] }, engine.deferred and HAND_OVERS or {})
end

has_areas = true
for _, number in ipairs { 1, 3, 5 } do
  try_all(ENGINES[number], AREA_HANDLERS, AREA_CALLS)
  try_all(ENGINES[number], { AREA_HANDLERS[2] }, AREA_HAND_OVERS)
  is_loaded = true
  try_all(ENGINES[number], { AREA_HANDLERS[2] }, AREA_CALLS)
  try_all(ENGINES[number], { AREA_HANDLERS[2] }, AREA_HAND_OVERS)
  is_loaded = false
end
has_areas = false

-- Entities that go from one space to another, with areas of their own and what they were told of: a call that
-- lacked memory is made again, and all ends as without that. The spaces come from saves, so that nothing has
-- its room yet.
local DEFERRED_ENGINE = ENGINES[5]
local KINDS = { "enter", "leave", "move", "area_enter", "area_leave" }
local GATHERING = { collect = KINDS, record = true }

-- The space that entity 3 leaves: it, its areas and others have changed since the tick.
local function left_space()
  local space = aoi.new { engine = "crosslist", radius = 40, deferred = true, collect = KINDS }
  for id = 1, ENTITIES do
    space:enter(id, id * 17 % 100, id * 29 % 100)
  end
  for _, area in ipairs(AREAS) do
    space:add_area(table.unpack(area))
  end
  space:add_area(7, { owner = 3, radius = 90 })
  space:tick()
  for id = 1, ENTITIES, 2 do
    space:move(id, id * 19 % 100, id * 23 % 100)
  end
  space:leave(4)
  return reloaded(space, GATHERING)
end

-- The space that it comes to: some of whom it was told are shown there, elsewhere; others are unknown there.
local function entered_space()
  local space = aoi.new { engine = "crosslist", radius = 40, deferred = true, collect = KINDS }
  for id = 5, ENTITIES do
    if id % 3 ~= 0 then
      space:enter(id, id * 7 % 100, id * 5 % 100, { mode = "m" })
    end
  end
  space:add_area(2, AREAS[2][2])
  space:add_area(5, { x = 50, y = 50, radius = 60, leave_radius = 70 })
  space:tick()
  for id = 5, ENTITIES, 2 do
    if space:has(id) then
      space:update(id, id * 11 % 100, id * 3 % 100)
    end
  end
  return reloaded(space, GATHERING)
end

local function gone_over()
  local from, to = left_space(), entered_space()
  to:hand_in(from:hand_out(3))
  from:close()
  return reloaded(to, GATHERING)
end

local STEPS = {
  { left_space, "hand_out", 3 },
  { entered_space, "hand_in", function()
    local from = left_space()
    local string = from:hand_out(3)
    from:close()
    return string
  end },
  { gone_over, "tick" },
  { gone_over, "told_markers_of", 3, "packed" },
  { gone_over, "told_watchers_of", 7 },
  { gone_over, "areas_of", 3 },
  { gone_over, "hand_out", 3 },
  { gone_over, "leave", 3 },
  { gone_over, "save" },
}

-- The results of a call, and all that the space tells with its next tick.
local function outcome_of(space, ...)
  local results = table.pack(...)
  for i = 1, results.n do
    if type(results[i]) == "table" then
      table.sort(results[i])
      results[i] = table.concat(results[i], " ")
    end
    results[i] = tostring(results[i])
  end
  local after = state_of(space, DEFERRED_ENGINE)
  space:tick()
  local events = {}
  local flat, n = space:drain()
  for i = 1, n do
    events[i] = table.concat(flat, " ", 3 * i - 2, 3 * i)
  end
  table.sort(events)
  space:close()
  return table.concat(results, " ") .. "\n" .. after .. "\n" .. table.concat(events, "\n")
end

for _, step in ipairs(STEPS) do
  local make, method = step[1], step[2]
  local arguments = { table.unpack(step, 3) }
  if type(arguments[1]) == "function" then
    arguments[1] = arguments[1]()
  end
  local whole = make()
  local before = state_of(whole, DEFERRED_ENGINE)
  local expected = outcome_of(whole, whole[method](whole, table.unpack(arguments)))
  refuse_each(function(n, on)
    local space = make()
    local answer = table.pack(run_refusing(n, on, space[method], space, table.unpack(arguments)))
    local count = answer[1]
    if not answer[2] then
      assert(answer[3] == "not enough memory", answer[3])
      assert(state_of(space, DEFERRED_ENGINE) == before, method .. " has failed and changed something")
      answer = table.pack(count, true, space[method](space, table.unpack(arguments)))
    end
    assert(outcome_of(space, table.unpack(answer, 3, answer.n)) == expected,
      ("%s of one who goes over: allocation %d"):format(method, n))
    return count
  end)
end

-- A function that makes a space. `look` sees the spaces that were made.
local function make_refusing(look, make, ...)
  local arguments = table.pack(...)
  refuse_each(function(n, on)
    local count, ok, result = run_refusing(n, on, make, table.unpack(arguments, 1, arguments.n))
    assert(ok or result == "not enough memory", result)
    assert(not (ok and on) or count == 0, "a space was made without memory")
    if ok then
      look(result)
      result:close()
    end
    return count
  end)
end

for _, engine in ipairs(ENGINES) do
  make_refusing(function(space)
    assert(#space == 0)
    space:enter(1, 50, 50)
  end, aoi.new, merged({ on_event = hear, collect = true }, engine))

  local original = new(engine, { on_event = error })
  pcall(fill, original)
  local saved = original:save()
  local function expect_whole(space)
    assert(space:save() == saved)
  end
  make_refusing(expect_whole, aoi.load, saved)
  make_refusing(expect_whole, aoi.load, saved, { on_event = hear, record = true })
  original:close()
end

-- A replay that has failed goes on where it was; the events that it gives are then those of the rest.
for _, engine in ipairs(ENGINES) do
  local space = new(engine, {})
  local saved = space:save()
  fill(space)
  local records, whole = space:recorded(), state_of(space, engine)
  refuse_each(function(n, on)
    local again = aoi.load(saved, { on_event = hear })
    local options = { events = n % 2 == 0 and {} or nil }
    told.n = 0
    local count, ok, message = run_refusing(n, on, aoi.replay, again, records, options)
    assert(ok or message == "not enough memory", message)
    aoi.replay(again, records)
    assert(told.n == 0 and again:pending() == 0, "a replay has told something")
    assert(state_of(again, engine) == whole, "a replay that was refused memory ends elsewhere")
    again:close()
    return count
  end)
  space:close()
end

-- A player that lacks memory says so, finds nothing damaged, and goes on.
do
  local file = { text = "", at = 0 }
  function file:write(text) self.text = self.text .. text end
  function file:seek(whence, offset)
    self.at = whence == "end" and #self.text or offset
    return self.at
  end
  function file:read(size)
    self.at = self.at + size
    return self.text:sub(self.at - size + 1, self.at)
  end
  file.flush, file.close = nothing, nothing
  local space = new(ENGINES[5], {})
  local recorder = aoi.recorder(space, file)
  for _ = 1, 4 do
    space:update_all(rows(1, 20, 31 + space:stats().tick))
    space:tick()
    recorder:write()
  end
  for moment = 0, 4, 4 do
    refuse_each(function(n, on)
      local player = aoi.player(file)
      player:seek(4 - moment)
      local count, ok, message = run_refusing(n, on, player.seek, player, moment)
      assert(ok or message == "not enough memory", message)
      assert(player.problem == nil, player.problem)
      assert(player:seek(0) == 0 and #player.space == 0, "the keyframe is lost")
      assert(player:seek(4) == 4 and state_of(player.space, ENGINES[5]) == state_of(space, ENGINES[5]))
      player:close()
      return count
    end)
  end
  space:close()
end

-- A view that could not be put together for lack of memory is made whole by the next call.
do
  local function make_records()
    return setmetatable({}, { __index = function(cache, id)
      local record = ("%4d"):format(id) .. ("x"):rep(200 * id)
      cache[id] = record
      return record
    end })
  end
  local ids = {}
  for i = 1, 40 do
    ids[i] = i
  end
  local function join_all(join)
    return join(0, 7, 5, 6, 1, { 1, false, ids, 40, 2, make_records(), ids, 40 }, 2, "me")
  end
  local core = require "aoi.core"
  local expected = join_all(core.view_joiner())
  refuse_each(function(n, on)
    local join = core.view_joiner()
    local count, ok, text = run_refusing(n, on, join_all, join)
    assert(ok and text == expected or not ok and text == "not enough memory", text)
    assert(join_all(join) == expected, "a view after a lack of memory is another one")
    return count
  end)
  refuse_each(function(n, on)
    local count, ok, join = run_refusing(n, on, core.view_joiner)
    assert(ok and join_all(join) == expected or join == "not enough memory", join)
    return count
  end)
end

-- Handlers that lack memory themselves: on_error hears of it. In a coroutine Lua goes another way.
for variant = 0, 5 do
  local raises, in_coroutine, yields = variant % 2 == 1, variant >= 2, variant >= 4
  local MUCH, heard, space = 500000000, ""
  space = new(ENGINES[3], {
    on_enter = function()
      if yields then
        coroutine.yield()
      end
      space:positions({ [MUCH] = 2 }, MUCH) -- a table that is larger than all that refuse_lua gives
    end,
    on_error = function(err, watcher, marker, op)
      heard = ("%s%s %d %d %s"):format(heard, err, watcher, marker, op)
      if raises then
        error("second")
      end
    end,
  })
  space:enter(1, 50, 50, { mode = "w" })
  local function change()
    space:enter(2, 50, 50, { mode = "m" })
    return true
  end
  if in_coroutine then
    change = coroutine.wrap(change)
  end
  assert(change() or change())
  assert(heard == "not enough memory 1 2 enter", heard)
  space:close()
end

print(("Lua: %d calls, %d allocations refused, %d calls broken off in a delivery: nothing lost, nothing " ..
  "twice"):format(tries, refusals, interrupted))
