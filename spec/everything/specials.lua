-- Calls of a history that are no methods of a space: it is saved and loaded, replayed, asked; handlers that
-- sleep go on.
local acting = require "spec.everything.acting"
local aoi = require "aoi"
local compare = require "spec.everything.compare"
local questions = require "spec.everything.questions"
local writing = require "spec.everything.writing"

local specials = {}

-- Everything is asked.
function specials.ask(world, slot, _, nested)
  world:fail(compare.all(slot.model, slot.real))
  world:fail(compare.pending(slot.model, slot.real, world:is_settled(slot, nested)))
end

-- A save loaded beside the space is the same space.
function specials.copy(world, slot)
  local saved = slot.real:save()
  local ok, other = pcall(aoi.load, saved)
  world:note(("aoi.load(%s:save())"):format(slot.name))
  if not ok then
    return world:fail("load: " .. tostring(other))
  elseif other:save() ~= saved then
    return world:fail "load: the save of what was loaded is another one"
  end
  if not slot.model.delivery:waits() then
    world:fail(compare.all(slot.model, other))
  end
  other:close()
end

-- Whether a space may be put in the place of another one now: nobody is in the middle of an event.
local function may_swap(slot, nested)
  return not nested and not slot.model.delivery:has_frames()
end

-- Coroutines that sleep in calls of a space that is no more will not be resumed.
local function forget_sleepers(world, slot)
  for i = #world.sleepers, 1, -1 do
    if world.sleepers[i].slot == slot then
      slot.model.delivery:forget(world.sleepers[i].thread)
      table.remove(world.sleepers, i)
    end
  end
end

-- Goes on with the space that was loaded from a save.
function specials.reload(world, slot, call, nested)
  if not may_swap(slot, nested) then
    return
  end
  local list, between = call.handlers, world:is_settled(slot)
  if not between or slot.model.delivery:is_midway() then
    list = slot.model.delivery.last_set.names -- the change that it is in goes on with handlers like its own
  elseif #list == 0 and slot.model.delivery:waits() then
    list = slot.model.delivery.set.names
  end
  local handlers, set = acting.handlers(world, slot, list, call.script)
  if not slot.model.delivery:can_tell_to(set) then
    return
  end
  if call.collect ~= nil then
    handlers.collect = call.collect
    slot.model:gather_only(call.collect)
  end
  world:note(("%s = aoi.load(%s:save(), { %s%s })"):format(slot.name, slot.name, table.concat(list, ", "),
    call.collect ~= nil and ", collect = " .. writing.value(call.collect) or ""))
  local ok, other = pcall(aoi.load, slot.real:save(), handlers)
  if not ok then
    return world:fail("load: " .. tostring(other))
  end
  forget_sleepers(world, slot)
  slot.model.delivery.broken = not between
  if call.close then
    slot.real:close()
  end
  slot.model.delivery:take_over(set)
  slot.real, slot.records = other, nil
end

local function show_ghost(world, slot, source, id)
  local shown = world.mirror(slot, source, id)
  if shown then
    shown.on = slot.index
    world:make(shown)
    if source.model.touched[id] then
      world:make { name = "touch", on = slot.index, id = id }
    end
  end
end

-- Every space of a world shows the watchers of the others as ghosts, and drops those that are no more. Then
-- all tick.
function specials.tick_world(world, _, call, nested)
  if nested then
    return
  end
  for _, slot in ipairs(world.slots) do
    local alive = {}
    for _, source in ipairs(world.slots) do
      for _, id in ipairs(questions.ids(source.model)) do
        if source.model.entities[id] and source.model.entities[id].mode ~= "m" then
          alive[id] = true
          show_ghost(world, slot, source, id)
        end
      end
    end
    for _, id in ipairs(questions.ids(slot.model)) do
      local entity = slot.model.entities[id]
      if entity and entity.mode == "m" and not alive[id] then
        world:make { name = "leave", on = slot.index, id = id }
      end
    end
  end
  for index in ipairs(world.slots) do
    world:make { name = "tick", on = index, number = call.number }
  end
end

-- A sleeping handler goes on.
function specials.resume(world, _, call, nested)
  if nested or #world.sleepers == 0 then
    return
  end
  local index = (call.which - 1) % #world.sleepers + 1
  world:resume(table.remove(world.sleepers, index))
end

-- A sleeping handler is never resumed.
function specials.abandon(world, _, call, nested)
  if nested or #world.sleepers == 0 then
    return
  end
  local state = table.remove(world.sleepers, (call.which - 1) % #world.sleepers + 1)
  state.slot.model.delivery:forget(state.thread)
  world:note "-- a sleeping handler is abandoned"
  if call.close and coroutine.close then -- luacheck: ignore 143
    coroutine.close(state.thread) -- luacheck: ignore 143
  end
  state.thread = nil
  if call.collect then
    collectgarbage()
  end
end

-- From here on the space records, beside a save.
function specials.record(world, slot, _, nested)
  if not nested then
    world:note(slot.name .. ":record(true)")
    slot.records, slot.model.log = { save = slot.real:save(), strings = {} }, {}
    slot.real:record(false)
    slot.real:recorded()
    slot.real:record(true)
  end
end

-- The space that the save and the records since give, made in two steps; the events on the way are compared,
-- too.
local function replayed(world, slot)
  table.insert(slot.records.strings, slot.real:recorded())
  local records, other = table.concat(slot.records.strings), aoi.load(slot.records.save)
  if records == "" then
    aoi.replay(other, records)
    return other
  end
  local span, events, n = aoi.record_span(records), {}, 0
  local middle = (span.from_calls + span.to_calls) // 2
  for _, calls in ipairs { middle, math.maxinteger } do
    local t, count = aoi.replay(other, records, { events = {}, calls = calls })
    table.move(t, 1, 3 * count, 3 * n + 1, events)
    n = n + count
    if calls == middle and other:stats().calls ~= middle then
      world:fail("replay: went to another call than " .. middle)
    end
  end
  if slot.model.log then
    world:fail(compare.drained(slot.model.log, events, n))
  end
  if other:stats().calls ~= slot.real:stats().calls then
    world:fail "replay: another number of calls"
  end
  return other
end

-- The save and the records since give the space of now. call.go_on: and take its place.
function specials.replay(world, slot, call, nested)
  if not slot.records or nested then
    return
  end
  world:note(slot.name .. ": replayed from its record")
  local ok, other = pcall(replayed, world, slot)
  if not ok then
    return world:fail("replay: " .. tostring(other))
  elseif slot.model.delivery:waits() or not may_swap(slot) then
    return other:close()
  end
  world:fail(compare.all(slot.model, other))
  if call.go_on then
    local handlers, set = acting.handlers(world, slot, slot.model.delivery.set.names)
    other:on(handlers)
    forget_sleepers(world, slot)
    slot.model.delivery:listen(set)
    slot.real, slot.records = other, nil
  else
    other:close()
  end
end

-- A string of the module with one byte changed, or cut off.
local function damaged(string, call)
  local at = math.min(#string, 1 + math.floor(call.where * #string))
  if call.cut then
    return string:sub(1, at - 1)
  end
  return string:sub(1, at - 1) .. string.char(string:byte(at) ~ call.bits) .. string:sub(at + 1)
end

-- Whether a damaged record is refused, and changes nothing. One that is cut off between two calls is whole.
local function refuses_record(slot, call)
  local string = damaged(slot.records.strings[1], call)
  if call.cut and (string == "" or select(2, aoi.record_span(string)) == nil) then
    return true
  end
  local other = aoi.load(slot.records.save)
  local before = other:save()
  return not pcall(aoi.replay, other, string) and other:save() == before
end

-- A damaged save, entity or record is an error, and changes nothing.
function specials.damage(world, slot, call)
  local before, luggage, records = slot.real:save(), world.luggage[call.slot], slot.records
  world:note("-- damage at %g", call.where)
  local ok, loaded = pcall(aoi.load, damaged(before, call))
  if ok then
    loaded:close()
    return world:fail "load of a damaged save"
  elseif luggage and pcall(slot.real.hand_in, slot.real, damaged(luggage.string, call)) then
    return world:fail "hand_in of a damaged string"
  elseif records and records.strings[1] and records.strings[1] ~= "" and not refuses_record(slot, call) then
    return world:fail "replay of a damaged record"
  elseif slot.real:save() ~= before then
    world:fail "a damaged string has changed the space"
  end
end

-- A space ends, and another one with the options of it begins.
function specials.renew(world, slot, _, nested)
  if nested then
    return
  end
  forget_sleepers(world, slot)
  slot.real:close()
  slot.real:close()
  if pcall(slot.real.ids, slot.real) then
    world:fail "a closed space answers"
  end
  world.slots[slot.index] = world:new_slot(slot.index, slot.spec)
end

return specials
