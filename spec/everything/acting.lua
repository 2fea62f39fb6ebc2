-- The handlers of a space under test: what they hear is checked against the model's delivery, then they do
-- what a script says: call back, yield, raise.
local delivery = require "spec.everything.delivery"

local acting = {}

local first_of = function(list, n)
  return table.move(list, 1, n, 1, {})
end

-- The key of a handler's call, as the model's delivery writes it.
local KEYS = {
  on_event = function(w, m, op) return delivery.key_of_single(w, m, op) end,
  on_enter = function(w, m) return delivery.key_of_single(w, m, "enter") end,
  on_leave = function(w, m) return delivery.key_of_single(w, m, "leave") end,
  on_move = function(w, m) return delivery.key_of_single(w, m, "move") end,
  on_area = function(area, m, op) return delivery.key_of_single(area, m, "area_" .. op) end,
  on_watchers = function(m, op, list, n) return delivery.key_of_group(m, op, first_of(list, n)) end,
  on_markers = function(w, op, list, n) return delivery.key_of_group(w, op, first_of(list, n)) end,
  on_view = function(w, left, nl, entered, ne, moved, nm)
    return delivery.key_of_view(w, first_of(left, nl), first_of(entered, ne), first_of(moved, nm))
  end,
}

-- Does what the script says for this call of a handler. The script counts calls of handlers of its set.
local function act(world, slot, job)
  local set = job.set
  set.heard = set.heard + 1
  for _, action in ipairs(set.script[set.heard] or {}) do
    if world.failure then
      return
    elseif action.act == "call" then
      world:make(action.call, true)
    elseif action.act == "yield" and coroutine.isyieldable() then
      world:note("-- the handler yields")
      coroutine.yield()
      world:note("-- a handler that has yielded goes on")
    elseif action.act == "raise" then
      world:note("-- the handler raises")
      local thrown = setmetatable({ job = job }, { __tostring = function() return "thrown by a handler" end })
      slot.thrown = thrown
      slot.model.delivery:raised(coroutine.running())
      error(thrown, 0)
    end
  end
end

local function new_handler(world, slot, set, name)
  return function(...)
    if world.failure then
      return
    end
    local thread = coroutine.running()
    local gets_space = name == "on_event" and slot.classic_call
    if gets_space and slot.real and (...) ~= slot.real then
      world:fail "on_event of the classic call did not get the space first"
    end
    local key = KEYS[name](select(gets_space and 2 or 1, ...))
    world:note("-- %s: %s %s", slot.name, name, key)
    local job, expected = slot.model.delivery:heard(thread, set, name, key)
    if not job then
      return world:fail(("%s heard %s in %s, expected %s"):format(name, key, world.in_call, expected))
    end
    slot.active[thread] = (slot.active[thread] or 0) + 1
    local active = slot.active
    act(world, slot, job)
    active[thread] = active[thread] - 1
  end
end

local function on_error_of(world, slot, set)
  return function(thrown, watcher, marker, op)
    if world.failure then
      return
    elseif thrown ~= slot.thrown or thrown.job.set ~= set then
      return world:fail("on_error got " .. tostring(thrown))
    end
    local job, thread = thrown.job, coroutine.running()
    slot.active[thread] = slot.active[thread] - 1
    if watcher ~= job.watcher or marker ~= job.marker or op ~= job.op then
      world:fail(("on_error got %s, %s, %s"):format(tostring(watcher), tostring(marker), tostring(op)))
    end
  end
end

-- The handlers for a list of names, and the set that they are of, which the model's delivery listens with.
function acting.handlers(world, slot, list, script)
  local set, handlers = { names = list, has = {}, script = script or {}, heard = 0 }, {}
  for _, name in ipairs(list) do
    local make = name == "on_error" and on_error_of or new_handler
    handlers[name], set.has[name] = make(world, slot, set, name), true
  end
  return handlers, set
end

return acting
