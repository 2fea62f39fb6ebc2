-- One cell of the re-entrancy matrix: a small scene in which one call tells many events, and a
-- handler that makes some call when its turn has come.
--
-- Subject 1 steps back and forth between (30, 50) and (45, 50): it leaves some, meets others, and
-- some see it all the time; so do the members of its area and the areas that it is a member of. One call
-- so tells leaves, enters and moves in both directions, and those of areas.

local Lockstep = require "spec.support.lockstep"
local acting_handlers = require "spec.support.acting_handlers"

local Cell = {}
Cell.__index = Cell

local SCENE = {
  { 1, 30, 50 },
  { 2, 25, 50 }, { 3, 24, 53 }, -- left behind
  { 4, 37, 50 }, { 5, 38, 47 }, -- near all the time
  { 6, 52, 50 }, { 7, 51, 53 }, -- met
  { 8, 36, 52, { mode = "w" } }, { 9, 38, 52, { mode = "m" } },
}

local AREAS = {
  { 1, { owner = 1, radius = 7, leave_radius = 8 } },
  { 2, { shape = "rect", x = 30, y = 50, width = 6, height = 20 } },
  { 3, { shape = "polygon", points = { 40, 40, 60, 50, 40, 60 } } },
}

-- options: those of the space, without handlers. call: what to do, of reentrant_calls.lua. turn: at
-- which one of its events the handler does it. later: what finalizers do in some situations.
local function new(options, handlers, call, turn, later)
  local self = setmetatable({
    row = handlers, call = call, turn = turn, later = later,
    is_away = false,
  }, Cell)
  local made = { collect = true }
  for name, value in pairs(options) do
    made[name] = value
  end
  self.lockstep = Lockstep.new(made)
  self:make_space(made)
  for _, entity in ipairs(SCENE) do
    self.lockstep:change("enter", table.unpack(entity))
  end
  for _, area in ipairs(AREAS) do
    self.lockstep:change("add_area", table.unpack(area))
  end
  self.lockstep:tick()
  return self
end

function Cell:make_space(options)
  local aoi = require "aoi"
  local handlers = self:handlers()
  if self.row.classic then
    self.lockstep.space = aoi.new(options.width, options.height, options.cols, options.rows,
      handlers.on_event)
    self.lockstep.space:on(handlers)
    self.lockstep:collects_nothing() -- the classic call takes no options
    return
  end
  for name, handler in pairs(handlers) do
    options[name] = handler
  end
  self.lockstep.space = aoi.new(options)
end

-- ---- handlers ---------------------------------------------------------------------------------

-- The plan of this moment counts the turns down; when its own has come it is taken out.
function Cell:take_plan()
  local plan = self.plan
  if plan then
    plan.turn = plan.turn - 1
    if plan.turn > 0 then
      return nil
    end
    self.plan = nil
  end
  return plan
end

function Cell:handlers(row)
  local plan_after_wait
  local function act()
    local plan = plan_after_wait or self:take_plan()
    if plan and plan.waits and not plan_after_wait then
      self.lockstep:pause()
    end
    plan_after_wait = nil
    if plan and plan.act then
      plan.act()
    end
  end
  -- Where on_error acts, on_event waits for it, and the turn is that of on_event.
  local function wait()
    if self.plan and self.plan.waits and self.plan.turn == 1 then
      local plan = self:take_plan()
      self.lockstep:pause()
      plan_after_wait = plan
    end
  end
  local handlers = (row or self.row).listen(self.lockstep, act, wait)
  handlers.on_area = handlers.on_area or acting_handlers.on_area(self.lockstep)
  return handlers
end

-- Handlers that hear the same events in another way.
function Cell:other_handlers()
  if self.lockstep.second or self.lockstep.half_told or self.row.classic then
    return self:handlers()
  end
  local other = acting_handlers[1]
  return self:handlers(other ~= self.row and other or acting_handlers.groups)
end

-- Sets the act of the handler when its turn comes, once; `waits`: it yields first.
function Cell:in_handler(act, waits)
  self.plan = { turn = self.turn, act = act, waits = waits }
end

-- In a handler: an error, where it would reach the caller.
function Cell:raise()
  if not self.row.catches then
    self.lockstep:raise()
  end
end

-- ---- what happens -----------------------------------------------------------------------------

function Cell:act()
  self.call.run(self)
end

-- A call whose events are many.
function Cell:trigger()
  local lockstep = self.lockstep
  if not lockstep.closed then
    self.is_away = not self.is_away
    lockstep:change("update", 1, self.is_away and 45 or 30, 50)
    lockstep:tick()
  end
end

-- Triggers in a coroutine; returns it when a handler suspended it.
function Cell:trigger_coroutine()
  local co = coroutine.create(function() self:trigger() end)
  self:resume(co)
  if coroutine.status(co) ~= "suspended" then
    self.lockstep.complain "the coroutine was not suspended"
  end
  return co
end

function Cell:resume(co)
  local ok, message = coroutine.resume(co)
  if not ok then
    self.lockstep.complain("the coroutine died: " .. tostring(message))
  end
end

-- Resumes a coroutine that has to end then.
function Cell:resume_to_end(co)
  self:resume(co)
  if coroutine.status(co) ~= "dead" then
    self.lockstep.complain("the coroutine is " .. coroutine.status(co))
  end
end

-- Collects what became garbage just now.
function Cell.collect()
  if not Cell.is_generational or not collectgarbage "step" then
    collectgarbage()
  end
end

-- Garbage whose finalizer makes the call.
function Cell:leave_garbage(finalize)
  setmetatable({}, { __gc = function()
    local ok, message = pcall(finalize)
    if not ok then
      self.lockstep.complain("the finalizer failed: " .. tostring(message))
    end
  end })
end

-- A debug hook that makes a call some times. It may run between an event and the first line of its
-- handler: a call that makes events vanish, or counts them, would judge that event wrong.
function Cell:hook(times)
  local is_left_out = { clear = true, close = true, pending = true }
  return function()
    if times > 0 and not self.lockstep.is_hushed and not is_left_out[self.later.method] then
      times = times - 1
      self.later.run(self)
    end
  end
end

-- After the situation: nothing may be left, unless it leaves a rest; then the space goes on.
function Cell:finish(leaves_rest)
  local lockstep = self.lockstep
  if self.plan then
    lockstep.complain "the handler's turn never came"
  end
  if not lockstep.closed then
    if leaves_rest then
      lockstep:call "flush"
    end
    local pending = lockstep.space:pending()
    if pending > 0 then
      lockstep.complain(("%d events are left"):format(pending))
    end
  end
  lockstep:tick()
  self:trigger()
  lockstep:check_settled()
  if not lockstep.closed then
    lockstep:close()
  end
  return lockstep.problem
end

return { new = new, Cell = Cell }
