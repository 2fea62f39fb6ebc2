-- Spaces of the module beside models of them: makes calls on both, and compares.
local acting = require "spec.everything.acting"
local aoi = require "aoi"
local arguments = require "spec.everything.arguments"
local compare = require "spec.everything.compare"
local model = require "spec.everything.model"
local questions = require "spec.everything.questions"
local specials = require "spec.everything.specials"
local writing = require "spec.everything.writing"

-- World: { slots = { { model, real, ... } }, sleepers = calls whose handler sleeps, luggage = strings of
-- hand_out with what the model has for them, write = takes lines, failure = text }
local World = {}
World.__index = World

function World:fail(text)
  if text and not self.failure then
    self.failure = text
    self:note("-- " .. text)
  end
end

-- Says what is done or heard: a format and its arguments.
function World:note(format, ...)
  if self.write then
    self.write(select("#", ...) > 0 and format:format(...) or format)
  end
end

-- ---- making spaces -----------------------------------------------------------------------------

-- A space of its own at a number of the world.
function World.new_slot(world, index, spec)
  local slot = {
    index = index, name = "space" .. index, active = setmetatable({}, { __mode = "k" }),
    spec = spec, classic_call = spec.classic_call,
  }
  slot.model = model.new(spec.options)
  local handlers, set = acting.handlers(world, slot, spec.handlers, spec.script)
  slot.model.delivery:listen(set)
  world:note(("local %s = %s -- handlers: %s"):format(slot.name,
    spec.classic_call and "aoi.new(" .. writing.list(spec.classic_call) .. ", f)"
      or "aoi.new " .. writing.value(spec.options), table.concat(spec.handlers, " ")))
  if spec.classic_call then
    local o = spec.classic_call
    slot.real = aoi.new(o[1], o[2], o[3], o[4], handlers.on_event)
  else
    for name, value in pairs(spec.options) do
      handlers[name] = value
    end
    slot.real = aoi.new(handlers)
  end
  return slot
end

-- ---- calls -------------------------------------------------------------------------------------

-- Compares what a call returned with what the model says. results: as of table.pack.
local function compare_results(world, call, expected, results)
  if call.name == "drain" then
    world:fail(compare.drained(expected[1], results[1], results[2]))
  elseif call.name == "hand_out" then
    world.luggage[call.slot] = { string = results[1], model = expected[1] }
  else
    if results.n ~= expected.n then
      return world:fail(("%s returned %d values, expected %d"):format(call.name, results.n, expected.n))
    end
    for i = 1, expected.n do
      if results[i] ~= expected[i] then
        world:fail(("%s returned %s, expected %s"):format(call.name, tostring(results[i]),
          tostring(expected[i])))
      end
    end
  end
end

-- A call that was made on the module has ended. state: { slot, call, status, expected, nested, thread }.
local function call_ended(world, state, ok, results)
  local slot, call, d = state.slot, state.call, state.slot.model.delivery
  if not state.nested then
    d:forget(state.thread)
  end
  if world.failure then
    return
  elseif not ok then
    if results[1] == slot.thrown and state.status and not state.nested then
      slot.thrown, slot.active[state.thread], d.broken = nil, nil, true
      world:note "-- the error of the handler came here"
      return
    elseif state.status then
      return world:fail(("%s: %s"):format(call.name, tostring(results[1])))
    end
    world:note("-- " .. tostring(results[1]))
    return
  elseif not state.status then
    return world:fail(call.name .. " should have been an error")
  end
  compare_results(world, call, state.expected, results)
  if not state.nested and model.delivers(call.name) then
    d.broken = false
  end
  if not state.nested and model.delivers(call.name) and slot.real == state.real and d:waits() then
    world:fail(("%s has not delivered everything"):format(call.name))
  end
end

-- Makes a call of the module in a coroutine of its own.
local function start(world, state, arguments_of_call)
  local real = state.real
  local method = real[state.call.name]
  if state.nested then
    local results = table.pack(pcall(method, real, table.unpack(arguments_of_call, 1, arguments_of_call.n)))
    return call_ended(world, state, results[1], table.move(results, 2, results.n, 1, { n = results.n - 1 }))
  end
  state.thread = coroutine.create(function()
    return method(real, table.unpack(arguments_of_call, 1, arguments_of_call.n))
  end)
  state.slot.model.delivery.allowed[state.thread] = state.status and model.delivers(state.call.name) or nil
  return world:resume(state)
end

-- Goes on with a coroutine until its call ends or a handler yields.
function World:resume(state)
  self.in_call = state.call.name
  local results = table.pack(coroutine.resume(state.thread))
  if coroutine.status(state.thread) == "suspended" then
    table.insert(self.sleepers, state)
    state.slot.model.delivery.broken = true
    return
  end
  call_ended(self, state, results[1], table.move(results, 2, results.n, 1, { n = results.n - 1 }))
end

-- The call as Lua code; list: its arguments.
local function written_call(slot, call, list)
  if call.name == "hand_in" then
    return ("%s:hand_in(luggage[%d])"):format(slot.name, call.slot)
  elseif call.name == "hand_out" then
    return ("luggage[%d] = %s:hand_out(%d)"):format(call.slot, slot.name, call.id)
  elseif call.name == "on" then
    return ("%s:on { %s }"):format(slot.name, table.concat(call.handlers, ", "))
  end
  return ("%s:%s(%s)"):format(slot.name, call.name, writing.list(list))
end

-- A question of the history.
local function make_query(world, slot, call)
  local expected = questions.find(slot.model, call)
  if not expected then
    return
  end
  local list = arguments.of(call, slot.model.dims)
  world:note("%s", world.write and written_call(slot, call, list))
  local ok, t, n = pcall(slot.real[call.name], slot.real, table.unpack(list, 1, list.n))
  if not ok then
    return world:fail(call.name .. ": " .. tostring(t))
  end
  world:fail(compare.ids_text(call.name, expected, t, n, true))
end

-- A call that must be an error and change nothing: raw arguments.
local function make_error(world, slot, call)
  local real, before = slot.real, slot.real:save()
  world:note(("%s:%s(%s) -- an error"):format(slot.name, call.name, writing.list(call.raw)))
  local ok = pcall(real[call.name], real, table.unpack(call.raw, 1, call.raw.n))
  if ok then
    world:fail(call.name .. " should have been an error")
  elseif real:save() ~= before then
    world:fail(call.name .. " was an error and has changed the space")
  end
end

-- The call that shows an entity of another space as a ghost here; nil when there is none.
function World.mirror(slot, source, id)
  local entity, ghost = source.model.entities[id], slot.model.entities[id]
  if source == slot or not entity or entity.mode == "w" or ghost and ghost.mode ~= "m" then
    return nil
  end
  local opts = { mode = "m", layers = entity.layers }
  if slot.model.slack > 0 then
    opts.anchor = entity.anchor
  end
  if slot.model.options.radius == nil and not slot.model.classic then
    opts.radius = 0
  end
  if not slot.model.classic then
    opts.visible_radius = entity.visible_radius
  end
  if slot.model.crowd then
    opts.importance = entity.importance
  end
  return { name = "update", id = id, place = entity.place, opts = opts }
end

-- The call that a made-up one stands for in this state, or nil when there is none.
local function resolved(world, slot, call)
  if call.name == "hand_in" then
    local luggage = world.luggage[call.slot]
    return luggage and {
      name = "hand_in", slot = call.slot, luggage = luggage.model, raw = { luggage.string, n = 1 },
    }
  elseif call.name ~= "mirror" then
    return call
  end
  return World.mirror(slot, world.slots[call.from], call.id)
end

-- Whether a handler of the space runs further up, in a coroutine that waits for this one: DESIGN does not say
-- whether a call of the space then delivers.
local function is_entangled(slot)
  for thread, count in pairs(slot.active) do
    if count > 0 and coroutine.status(thread) == "normal" then
      return true
    end
  end
  return false
end

-- Whether no change of the space is in the middle of being told.
function World.is_settled(world, slot, nested)
  for _, state in ipairs(world.sleepers) do
    if state.slot == slot then
      return false
    end
  end
  return not nested and not slot.model.delivery.broken
end

-- Makes one call of a history. nested: from a handler.
function World:make(call, nested)
  local slot = self.slots[call.on or 1]
  if not slot or self.failure or is_entangled(slot) then
    return
  elseif specials[call.name] then
    return specials[call.name](self, slot, call, nested)
  elseif call.is_error then
    return make_error(self, slot, call)
  elseif call.name:find "^query_" then
    return make_query(self, slot, call)
  end
  call = resolved(self, slot, call)
  if not call then
    return
  end
  -- From a handler of this space; from a handler of another one it delivers as any call.
  nested = nested and (slot.active[coroutine.running()] or 0) > 0
  if call.name == "on" then
    local functions, set = acting.handlers(self, slot, call.handlers, call.script)
    call = { name = "on", handlers = call.handlers, functions = functions, set = set }
  end
  local list = call.name ~= "on" and arguments.of(call, slot.model.dims)
  local state = { slot = slot, call = call, real = slot.real, nested = nested }
  state.expected = table.pack(model.calls[call.name](slot.model, call))
  state.status = state.expected[1]
  if state.status == "undefined" then
    return
  end
  state.expected = table.move(state.expected, 2, state.expected.n, 1, { n = state.expected.n - 1 })
  self:note("%s%s", nested and "-- in the handler: " or "", self.write and written_call(slot, call, list))
  if call.name == "on" then
    list = { call.functions, n = 1 }
  end
  start(self, state, list)
end

return World
