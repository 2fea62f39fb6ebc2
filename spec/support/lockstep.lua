-- A space and the model side by side, also while handlers are running: whoever makes a call, a
-- handler, a finalizer, a coroutine, makes it through here on both. The model foretells the
-- events, and every handler passes what it hears to the judge (expected_events.lua).
--
-- Two more rules are watched: no handler begins while another one is running (not suspended), and
-- the arrays of a handler stay as they are until it has returned, however long it is suspended.
--
-- Finalizers and debug hooks make calls too. So both are hushed while the model or the judge is asked:
-- the collector stands still, and starts again right before the call that the model has already made;
-- hooks ask is_hushed, which lasts until that call has returned or a handler runs.

local Model = require "spec.support.model"
require "spec.support.model_queries"
local expected_events = require "spec.support.expected_events"
local packed = require "spec.support.packed_rows"

local Lockstep = {}
Lockstep.__index = Lockstep

-- The error that handlers raise on purpose.
local RAISED = setmetatable({}, { __tostring = function() return "raised by a handler" end })

-- options: those of the space, without handlers. deferred spaces tell nothing before tick.
local function new(options)
  local self = setmetatable({
    model = Model.new(options),
    deferred = options.deferred,
    closed = false,
    interrupted = false, -- a handler has yielded or raised on purpose
    running = 0, -- handlers that have begun, have not returned and are not suspended
    problem = nil, -- the first thing that was wrong
    listeners = {}, -- what each of them has still to hear
    next_id = 1000,
  }, Lockstep)
  function self.complain(text)
    self.problem = self.problem or text
  end
  self.collected = self:listener()
  self.main = self:listener()
  return self
end

-- One more that hears all events, in its own time.
function Lockstep:listener()
  local listener = expected_events.new(self.complain)
  self.listeners[#self.listeners + 1] = listener
  return listener
end

-- For a space without the option collect.
function Lockstep:collects_nothing()
  for i, listener in ipairs(self.listeners) do
    if listener == self.collected then
      table.remove(self.listeners, i)
    end
  end
  self.collected = nil
end

function Lockstep:hush()
  collectgarbage "stop"
  self.is_hushed = true
end

function Lockstep:unhush()
  collectgarbage "restart"
  self.is_hushed = false
end

-- ---- handlers ---------------------------------------------------------------------------------

-- The second handler of an event whose first one was suspended runs wherever that one ends.
function Lockstep:begin_handler(is_second)
  if self.running > 0 and not (is_second and self.interrupted) then
    self.complain "a handler began while another one was running"
  elseif self.closed then
    self.complain "a handler began after close"
  elseif self.in_hand_out then
    self.complain "a handler began in hand_out, which delivers nothing"
  end
  self.running = self.running + 1
end

function Lockstep:end_handler()
  self.running = self.running - 1
end

local function copies_of(arguments)
  local copies = {}
  for i = 1, arguments.n do
    if type(arguments[i]) == "table" then
      copies[i] = table.move(arguments[i], 1, #arguments[i], 1, {})
    end
  end
  return copies
end

function Lockstep:check_unchanged(arguments, copies)
  for i, copy in pairs(copies) do
    for k = 1, #copy + 1 do
      if rawget(arguments[i], k) ~= copy[k] then
        self.complain "an array changed before its handler returned"
      end
    end
  end
end

-- A handler: `hear` gets its arguments, then `act` is run. What was told is noted before any
-- finalizer can change more.
function Lockstep:handler(hear, act, is_second)
  return function(...)
    self:hush()
    self:begin_handler(is_second)
    local arguments = table.pack(...)
    local copies = copies_of(arguments)
    hear(...)
    self:unhush()
    if act then
      act(...)
    end
    self:check_unchanged(arguments, copies)
    self:end_handler()
  end
end

-- In a handler: waits to be resumed.
function Lockstep:pause()
  self.interrupted = true
  self.running = self.running - 1
  coroutine.yield()
  self.running = self.running + 1
end

-- In a handler: ends it with an error.
function Lockstep:raise()
  self.interrupted = true
  self:end_handler()
  error(RAISED, 0)
end

-- ---- calls ------------------------------------------------------------------------------------

function Lockstep:fresh_id()
  self.next_id = self.next_id + 1
  return self.next_id
end

-- The model's results, or nil when it refuses.
local function ask_model(model, method, ...)
  local results = table.pack(pcall(model[method], model, ...))
  if results[1] then
    return table.move(results, 2, results.n, 1, {})
  elseif type(results[2]) == "table" and results[2].refused then
    return nil
  end
  error("the model itself failed: " .. tostring(results[2]), 0)
end

function Lockstep:expect(change)
  for _, listener in ipairs(self.listeners) do
    listener:add(change)
  end
end

function Lockstep:forget()
  for _, listener in ipairs(self.listeners) do
    listener:forget()
  end
end

function Lockstep:expect_closed(method, ok, message)
  if ok then
    self.complain(method .. " works on a closed space")
  elseif not tostring(message):find("closed", 1, true) then
    self.complain(method .. " of a closed space says " .. tostring(message))
  end
end

-- A call that changes something, as a table with its method, its arguments and perhaps a form, see
-- packed_rows.lua; is_quiet: no finalizer runs but in handlers. Returns false when a handler raised,
-- else true and what the space returned.
function Lockstep:make(call)
  self:hush()
  local method, was_closed = call.method, self.closed
  local arguments, n = packed.arguments(call, self.model.dims)
  local results = not was_closed and ask_model(self.model, method, table.unpack(call, 1, call.n))
  for _, change in ipairs(results and results[1] or {}) do
    self:expect(change)
  end
  if not call.is_quiet then
    collectgarbage "restart"
  end
  self.in_hand_out = method == "hand_out"
  local ok, result = pcall(self.space[method], self.space, table.unpack(arguments, 1, n))
  self.in_hand_out = false
  self:unhush()
  if was_closed then
    self:expect_closed(method, ok, result)
  elseif not ok and result == RAISED then
    return false
  elseif ok ~= (results ~= nil) then
    self.complain(("%s is %s, the model says otherwise: %s"):format(method,
      ok and "accepted" or "refused", tostring(result)))
  elseif ok and results[2] ~= nil and result ~= results[2] then
    self.complain(("%s returned %s, expected %s"):format(method, tostring(result),
      tostring(results[2])))
  end
  return true, ok and result or nil
end

function Lockstep:change(method, ...)
  return self:make { method = method, n = select("#", ...), ... }
end

local function list_text(list, n, sorted)
  local shown = table.move(list, 1, n, 1, {})
  if not sorted then
    table.sort(shown)
  end
  for i = 1, n do
    shown[i] = tostring(shown[i])
  end
  return table.concat(shown, " ") .. (list[n + 1] ~= nil and " and more" or "")
end

-- Asks a question of both and compares. `compare(model_results, a, b, c)` complains of a difference;
-- without it the plain values have to be equal.
function Lockstep:ask(method, ...)
  self.is_hushed = true
  local is_packed = select("#", ...) > 0 and select(-1, ...) == "packed"
  if is_packed then
    collectgarbage "stop" -- such a string is of one moment in the call, before some finalizers
  end
  local ok, a, b, c = pcall(self.space[method], self.space, ...)
  collectgarbage "stop"
  if self.closed then
    -- A finalizer may have closed it after the answer.
    if not ok then
      self:expect_closed(method, ok, a)
    end
  else
    local expected = ask_model(self.model, method, ...)
    if ok and is_packed then
      a = packed.to_ids(a)
    end
    if ok ~= (expected ~= nil) then
      self.complain(("%s is %s, the model says otherwise: %s"):format(method,
        ok and "answered" or "refused", tostring(a)))
    elseif ok and type(a) == "table" then
      local has_order = method:find("^query_") ~= nil or method == "sights"
      local width = method == "sights" and 2 or 1
      local found = list_text(a, width * b, has_order)
      local wanted = list_text(expected[1], width * expected[2], has_order)
      if found ~= wanted then
        self.complain(("%s gave [%s], expected [%s]"):format(method, found, wanted))
      end
    elseif ok and (a ~= expected[1] or b ~= expected[2] or c ~= expected[3]) then
      self.complain(("%s gave %s, expected %s"):format(method, tostring(a), tostring(expected[1])))
    end
  end
  self:unhush()
end

-- Calls a method that the model does not have; returns what it returns, or nil when the space is
-- closed.
function Lockstep:call(method, ...)
  local was_closed = self.closed
  local results = table.pack(pcall(self.space[method], self.space, ...))
  if results[1] and not was_closed then
    return table.unpack(results, 2, results.n)
  elseif results[2] == RAISED then
    self.raised = true
  elseif self.closed then
    self:expect_closed(method, results[1], results[2])
  else
    self.complain(("%s raised %s"):format(method, tostring(results[2])))
  end
  return nil
end

-- form: nil, or "packed".
function Lockstep:drain(form)
  if not self.collected then
    return
  end
  local t = form or {}
  self:hush()
  local events, n = self:call("drain", t)
  if not events or self.closed then
    return self:unhush()
  elseif form then
    events = packed.to_events(events)
  end
  for i = 1, 3 * n, 3 do
    self.collected:hear(events[i + 2], events[i], events[i + 1])
  end
  if self.collected:waiting() > 0 then
    self.complain(("drain lacks %d events"):format(self.collected:waiting()))
  elseif events[3 * n + 1] ~= nil then
    self.complain "drain gave more than it counted"
  end
  self:unhush()
end

function Lockstep:clear()
  self:hush()
  if not self.closed then
    self.model:clear()
    self:forget()
  end
  -- A text that only the first of two handlers has heard is dropped for the second, too.
  for text in pairs(self.half_told or {}) do
    self.half_told[text] = nil
  end
  self:call "clear"
  self:unhush()
end

function Lockstep:close()
  self.closed = true
  self:forget()
  self.space:close()
end

-- Tells the net change of a deferred space; nothing elsewhere. False when a handler raised.
function Lockstep:tick()
  return not self.deferred or self.closed or self:change "tick"
end

-- ---- the end ----------------------------------------------------------------------------------

-- That nothing waits and that all is as the model says.
function Lockstep:check_settled()
  if self.closed then
    self:expect_closed("ids", pcall(self.space.ids, self.space))
    return
  end
  for _, listener in ipairs(self.listeners) do
    if listener ~= self.collected and listener:waiting() > 0 then
      self.complain(("%d events were never told"):format(listener:waiting()))
    end
  end
  local pending = self.space:pending()
  if pending ~= 0 then
    self.complain(("%d events are pending"):format(pending))
  end
  self:drain()
  if self.half_told and next(self.half_told) and not self.interrupted then
    self.complain("only the first of two handlers has heard " .. next(self.half_told))
  end
  if self.running ~= 0 then
    self.complain "a handler is still running"
  end
  self:ask "ids"
  for id in pairs(self.model.entities) do
    self:ask("position", id)
    self:ask("markers_of", id)
    self:ask("watchers_of", id)
    self:ask("told_markers_of", id)
    self:ask("told_watchers_of", id)
    self:ask("areas_of", id)
  end
  self:ask "areas"
  for area in pairs(self.model.areas_by_id) do
    self:ask("members_of", area)
  end
end

return { new = new }
