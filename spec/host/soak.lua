-- A long run: millions of random calls on each engine, with handlers that call back, raise, yield and
-- are never resumed. All along each pair must hear enter (move)* leave; now and then the pairs told
-- must be those that the space itself names (in crowds, that it says were told); in the end no memory
-- may be left.
--
--     count_bytes spec/host/soak.lua           (make soak; make check-soak is shorter)
--
-- CALLS=n in the environment is the number of calls per space, SEED=n another run, ONLY=name one space.
-- The host
-- (count_bytes.c) has counted_bytes(); under plain Lua the spaces' own memory is not counted.
-- luacheck: globals counted_bytes
local aoi = require "aoi"
local Random = require "spec.support.random"

local CALLS = math.tointeger(tonumber(os.getenv "CALLS" or 10000000))
local SEED = math.tointeger(tonumber(os.getenv "SEED" or 1))
local ONLY = os.getenv "ONLY"
local SIDE, RADIUS, IDS = 400, 40, 200
local RAISED = {}

local SPACES = {
  { name = "nine-grid", options = { engine = "grid", cols = 10, rows = 10 } },
  { name = "grid", options = { engine = "grid", radius = RADIUS } },
  { name = "crosslist", options = { engine = "crosslist", radius = RADIUS, shape = "circle" } },
  { name = "quadtree", options = { engine = "quadtree", radius = RADIUS, capacity = 8 } },
  { name = "deferred nine-grid", options = { engine = "grid", cols = 10, rows = 10, deferred = true } },
  { name = "deferred grid, slack",
    options = { engine = "grid", radius = RADIUS, deferred = true, slack = 5 } },
  { name = "deferred crosslist, slack",
    options = { engine = "crosslist", radius = RADIUS, deferred = true, slack = 5 } },
  { name = "quadtree, slack", options = { engine = "quadtree", radius = RADIUS, slack = 5 } },
  { name = "crowd in a grid", options = {
    engine = "grid", radius = 2 * RADIUS, deferred = true, limit = 8, limit_layers = 1, enter_budget = 3,
    rates = { { RADIUS, 1 }, { math.huge, 4 } }, move_budget = 5,
  } },
  { name = "crowd in a crosslist, slack", options = {
    engine = "crosslist", radius = RADIUS, shape = "circle", deferred = true, slack = 5, limit = math.huge,
    keep_factor = 2, rates = { { 20, 1 }, { math.huge, 3 } },
  } },
}

-- A run is one space and what was told about it.
local Run = {}
Run.__index = Run

-- ---- what is told -----------------------------------------------------------------------------

-- Watcher and marker as one key.
local function pair_of(watcher, marker)
  return watcher << 20 | marker
end

function Run:fail(text, ...)
  io.stderr:write(("%s, call %d, SEED=%d: %s\n"):format(self.name, self.calls, SEED, text:format(...)))
  os.exit(1)
end

function Run:hear(watcher, marker, op)
  local pair = pair_of(watcher, marker)
  self.events = self.events + 1
  if watcher == marker then
    self:fail("%d was told about itself", watcher)
  elseif (op == "enter") == (self.pairs[pair] or false) then
    self:fail("%d hears %s of %d, which it %s", watcher, op, marker,
      self.pairs[pair] and "sees" or "does not see")
  elseif op == "enter" then
    self.pairs[pair] = true
  elseif op == "leave" then
    self.pairs[pair] = nil
  end
end

-- After an event was heard: most handlers return, some do something.
function Run:act()
  if self.acts_left == 0 or not self.random:chance(0.05) then
    return
  end
  self.acts_left = self.acts_left - 1
  local choice = self.random:integer(1, 20)
  if choice == 1 and coroutine.isyieldable() then
    coroutine.yield()
  elseif choice == 2 then
    error(RAISED, 0)
  else
    self:call()
  end
end

-- Sets of handlers that hear all events.
local LISTENERS = {
  function(run)
    return { on_event = function(watcher, marker, op)
      run:hear(watcher, marker, op)
      run:act()
    end }
  end,
  function(run)
    local handlers = {}
    for _, op in ipairs { "enter", "leave", "move" } do
      handlers["on_" .. op] = function(watcher, marker)
        run:hear(watcher, marker, op)
        run:act()
      end
    end
    return handlers
  end,
  function(run)
    return { on_watchers = function(marker, op, watchers, n)
      for i = 1, n do
        run:hear(watchers[i], marker, op)
      end
      run:act()
    end }
  end,
  function(run)
    local function on_watchers(marker, op, watchers, n)
      for i = 1, n do
        run:hear(watchers[i], marker, op)
      end
      run:act()
    end
    local function on_markers(watcher, op, markers, n)
      for i = 1, n do
        run:hear(watcher, markers[i], op)
      end
      run:act()
    end
    return { on_watchers = on_watchers, on_markers = on_markers }
  end,
  function(run)
    return { on_view = function(watcher, left, nl, entered, ne, moved, nm)
      for i = 1, nl do
        run:hear(watcher, left[i], "leave")
      end
      for i = 1, ne do
        run:hear(watcher, entered[i], "enter")
      end
      for i = 1, nm do
        run:hear(watcher, moved[i], "move")
      end
      run:act()
    end }
  end,
  function(run)
    return {
      on_event = function(watcher, marker, op)
        run:hear(watcher, marker, op)
        run:act()
      end,
      on_error = function(err)
        if err ~= RAISED then
          run:fail("on_error: %s", tostring(err))
        end
      end,
    }
  end,
}

-- ---- calls ------------------------------------------------------------------------------------

function Run:coordinate()
  return self.random:bits() % (SIDE * 8) / 8
end

function Run:step(value)
  value = value + self.random:integer(-80, 80) / 8
  return value < 0 and 0 or value > SIDE and SIDE or value
end

function Run:some_id()
  return self.random:bits() % IDS + 1
end

-- Moves one that is inside; else enters it.
local function step(run, space)
  local id = run:some_id()
  local x, y = space:position(id)
  if x then
    space:move(id, run:step(x), run:step(y))
  else
    space:enter(id, run:coordinate(), run:coordinate())
  end
end

local TRAITS = { {}, {}, {}, { mode = "w" }, { mode = "m" }, { mode = "wm" }, { layers = 2 },
  { sees_layers = 1 }, { layers = 1, sees_layers = -1 } }

local function update(run, space)
  space:update(run:some_id(), run:coordinate(), run:coordinate(), run.random:pick(TRAITS))
end

local function leave(run, space)
  local id = run:some_id()
  if space:has(id) then
    space:leave(id)
  end
end

local function set_something(run, space)
  local id, random = run:some_id(), run.random
  if not space:has(id) then
    return
  end
  local choice = random:integer(1, 4)
  if choice == 1 then
    space:set_mode(id, random:pick { "wm", "wm", "w", "m" })
  elseif choice == 2 then
    space:set_layers(id, random:integer(0, 3))
  elseif choice == 3 then
    space:set_sees_layers(id, random:integer(-1, 3))
  elseif run.has_radius then
    space:set_radius(id, random:chance(0.02) and math.huge or random:integer(0, 2 * RADIUS))
  end
end

-- Traits of crowds only; the ids pinned may be anybody's, or nobody's.
local function set_in_crowd(run, space)
  local id, random = run:some_id(), run.random
  local choice = random:integer(1, 5)
  if not run.is_crowd or not space:has(id) then
    return
  elseif choice == 1 then
    space:set_limit(id, random:pick { 0, 1, 3, 8, 20, math.huge })
  elseif choice == 2 then
    space:set_importance(id, random:pick { 0, 0, 0, 1, 255 })
  elseif choice == 3 then
    space:pin(id, run:some_id())
  elseif choice == 4 then
    space:unpin(id, run:some_id())
  else
    space:touch(id)
  end
end

local function move_all(run, space)
  local rows = run.rows
  for i = 1, 30, 3 do
    rows[i], rows[i + 1], rows[i + 2] = run:some_id(), run:coordinate(), run:coordinate()
  end
  space:move_all(rows, 10, "skip")
end

-- A batch that may be refused; then nothing has changed.
local function leave_all(run, space)
  if not pcall(space.leave_all, space, { run:some_id(), run:some_id(), run:some_id() }) then
    run.refused = run.refused + 1
  end
end

local function ask(run, space)
  local random = run.random
  local choice, x, y, t = random:integer(1, 9), run:coordinate(), run:coordinate(), run.answer
  local id = run:some_id()
  if choice == 1 then
    space:query_circle(x, y, 20, t)
  elseif choice == 2 then
    space:query_nearest(x, y, 5, t)
  elseif choice == 3 then
    space:query_rect(x, y, y, x, t)
  elseif choice == 4 then
    space:query_segment(x, y, y, x, 10, t)
  elseif choice == 5 then
    space:explain(id, run:some_id())
  elseif space:has(id) then
    local question = ({ "markers_of", "watchers_of", "told_markers_of", "told_watchers_of" })[choice - 5]
    space[question](space, id, t)
  end
end

local function rare(run, space)
  local random = run.random
  local choice = random:integer(1, 100)
  if choice == 1 then
    space:clear()
    run.pairs = {}
  elseif choice < 20 and run.has_map then
    space:set_bounds(0, 0, SIDE + random:integer(0, 9), SIDE)
  else
    space:on(random:pick(LISTENERS)(run))
  end
end

local CALL_KINDS = {
  { weight = 70, call = step }, { weight = 8, call = update }, { weight = 6, call = leave },
  { weight = 5, call = set_something }, { weight = 3, call = set_in_crowd }, { weight = 1, call = move_all },
  { weight = 0.2, call = leave_all }, { weight = 10, call = ask }, { weight = 0.02, call = rare },
}

function Run:call()
  self.calls = self.calls + 1
  self.random:pick_weighted(CALL_KINDS).call(self, self.space)
end

-- ---- a run ------------------------------------------------------------------------------------

-- Runs f, whose handlers may raise; the rest waits then for the next call.
function Run:protected(f, ...)
  local ok, message = pcall(f, ...)
  if not ok and message ~= RAISED then
    self:fail("%s", tostring(message))
  end
end

-- A call from a coroutine, whose handler may yield. Some that are suspended are resumed later, some
-- never.
function Run:call_in_coroutine()
  local co = coroutine.create(function() self:protected(self.call, self) end)
  self:resume(co)
  if coroutine.status(co) == "suspended" then
    local place = self.random:integer(1, 8)
    local old = self.suspended[place]
    self.suspended[place] = co
    if old and self.random:chance(0.7) then
      self:resume(old)
    end
  end
end

function Run:resume(co)
  local ok, message = coroutine.resume(co)
  if not ok then
    self:fail("%s", tostring(message))
  end
end

-- Tells all that waits, whatever handlers do.
function Run:settle()
  repeat
    self.acts_left = 0
    if self.is_deferred then
      self:protected(self.space.tick, self.space)
    end
    self:protected(self.space.flush, self.space)
  until self.space:pending() == 0
end

-- The pairs that were told must be those that the space names: that see each other, in crowds those told.
function Run:check_pairs()
  self:settle()
  local count = 0
  for _ in pairs(self.pairs) do
    count = count + 1
  end
  local ids, n = self.space:ids()
  for i = 1, n do
    local markers, named = self.space[self.is_crowd and "told_markers_of" or "markers_of"](self.space, ids[i])
    for k = 1, named do
      count = count - 1
      if not self.pairs[pair_of(ids[i], markers[k])] then
        self:fail("the space names %d for %d, who was not told", markers[k], ids[i])
      end
    end
  end
  if count ~= 0 then
    self:fail("%d pairs were told to have met, and the space does not name them", count)
  end
end

-- Lua's own table of strings doubles with the garbage of the moment, and a collection halves it only
-- when less than a quarter is in use. It is always grown first, so that it ends at one size.
local function grow_strings()
  local strings = {}
  for i = 1, 10000 do
    strings[i] = "string " .. i
  end
  return #strings
end

local function collect()
  grow_strings()
  for _ = 1, 10 do
    collectgarbage()
  end
end

-- Bytes of the whole process, or those that Lua knows of.
local function bytes_in_use()
  collect()
  return counted_bytes and counted_bytes() or math.ceil(collectgarbage "count" * 1024)
end

local function new_run(row)
  local self = setmetatable({
    name = row.name, random = Random.new(SEED), calls = 0, events = 0, refused = 0, acts_left = 0,
    pairs = {}, rows = {}, answer = {}, suspended = {},
    has_radius = row.options.radius ~= nil, has_map = row.options.engine ~= "crosslist",
    is_deferred = row.options.deferred, is_crowd = row.options.limit ~= nil,
  }, Run)
  local options = LISTENERS[1](self)
  for name, value in pairs(row.options) do
    options[name] = value
  end
  if self.has_map then
    options.width, options.height = SIDE, SIDE
  end
  self.space = aoi.new(options)
  return self
end

function Run:fill()
  for id = 1, IDS do
    self.space:enter(id, self:coordinate(), self:coordinate())
  end
end

-- Runs `count` calls; shows progress at every tenth. Returns the most bytes that were held in each of them:
-- what a space holds goes up and down, as what was needed is given back.
function Run:soak(count)
  local most, start = {}, os.clock()
  for tenth = 1, 10 do
    most[tenth] = 0
    while self.calls < count * tenth // 10 do
      most[tenth] = math.max(most[tenth], self.space:stats().bytes)
      self.acts_left = 4
      if self.random:chance(0.01) then
        self:call_in_coroutine()
      else
        self:protected(self.call, self)
      end
      if self.is_deferred and self.random:chance(0.05) then
        self:protected(self.space.tick, self.space)
      end
    end
    self:check_pairs()
    print(("  %3d %%: %d calls, %d events, %.1f s, the space held up to %d bytes, Lua holds %d"):format(
      tenth * 10, self.calls, self.events, os.clock() - start, most[tenth],
      math.ceil(collectgarbage "count" * 1024)))
  end
  return most, os.clock() - start
end

-- The whole life of a space. Nothing of it is referred to when this returns.
local function live(row, count)
  local run = new_run(row)
  local fresh = run.space:stats().bytes
  run:fill()
  local most, seconds = run:soak(count)
  run.space:clear()
  run.pairs, run.suspended = {}, {}
  local cleared = run.space:stats().bytes
  if cleared > fresh then
    run:fail("%d bytes after clear, %d when it was new", cleared, fresh)
  end
  -- Arrays grow by halves: the most of the first fifth is at most one such step from that of the rest.
  local first, rest = math.max(most[1], most[2]), math.max(table.unpack(most, 3))
  if count >= 100000 and rest > 2 * first then
    run:fail("%d bytes in the first fifth of the calls, %d in the rest", first, rest)
  end
  run.space:close()
  local text = "%s: %d calls, %d events, %.1f s; most bytes in the first fifth: %d, then: %d, cleared: %d"
  return text:format(row.name, run.calls, run.events, seconds, first, rest, cleared)
end

-- Lives once so that Lua has what it keeps (strings, stacks of nested calls), then soaks: whatever is
-- left then is lost in each life. Returns a line for the summary.
local function soak(row)
  print(row.name)
  live(row, math.min(CALLS, 200000))
  local before = bytes_in_use()
  local line = live(row, CALLS)
  local left = bytes_in_use() - before
  if left > 512 then
    error(("%s: %d bytes are left after close"):format(row.name, left))
  end
  return ("  %s, left after close: %d"):format(line, left)
end

io.stdout:setvbuf "line"
local summary = { "summary" }
for _, row in ipairs(SPACES) do
  if not ONLY or ONLY == row.name then
    summary[#summary + 1] = soak(row)
  end
end
print(table.concat(summary, "\n"))
