-- Compares what the module says about a space with what the model says. Each function returns nil when they
-- agree, else a text.
local questions = require "spec.everything.questions"

local compare = {}

local function number_text(x)
  return math.type(x) == "float" and ("%.17g"):format(x) or tostring(x)
end

local function list_text(list, n)
  local texts = {}
  for i = 1, n or #list do
    texts[i] = number_text(list[i])
  end
  return "{ " .. table.concat(texts, ", ") .. " }"
end

-- Two lists with the same entries in the same order, the first of n.
local function same_list(list, n, expected)
  for i = 1, math.max(n, #expected) do
    if list[i] ~= expected[i] then
      return false
    end
  end
  return n == #expected and list[n + 1] == nil
end

-- The answer to a call for a list of ids, as a sorted table.
function compare.ids_text(what, expected, list, n, ordered)
  if type(list) == "string" then
    local unpacked = {}
    for i = 1, n do
      unpacked[i] = string.unpack("<i8", list, 8 * i - 7)
    end
    if #list ~= 8 * n then
      return ("%s: %d bytes for %d ids"):format(what, #list, n)
    end
    list = unpacked
  end
  if not ordered then
    table.sort(list)
  end
  if not same_list(list, n, expected) then
    return ("%s is %s, expected %s"):format(what, list_text(list, n), list_text(expected))
  end
end

local LISTS_OF_ENTITIES = { "markers_of", "watchers_of", "told_markers_of", "told_watchers_of", "areas_of" }

local function ask(real, name, ...)
  return real[name](real, ...)
end

-- form: nil, or "packed".
local function compare_list(model, real, name, id, form)
  return compare.ids_text(("%s(%d)"):format(name, id), questions[name](model, id), ask(real, name, id, form))
end

local function compare_point(what, expected, dims, ...)
  if not same_list({ ... }, select("#", ...), table.move(expected, 1, dims, 1, {})) then
    return ("%s is %s, expected %s"):format(what, list_text { ... }, list_text(expected))
  end
end

local function compare_sights(model, real, id)
  local found, n = real:sights(id)
  if not same_list(found, 2 * n, questions.sights(model, id)) then
    return ("sights(%d)"):format(id)
  end
end

local function compare_traits(model, real, id)
  local found, expected = real:traits(id), questions.traits(model, id)
  for name, value in pairs(expected) do
    if found[name] ~= value then
      return ("traits(%d).%s is %s, expected %s"):format(id, name, number_text(found[name]),
        number_text(value))
    end
  end
  for name in pairs(found) do
    if expected[name] == nil then
      return ("traits(%d) has %s"):format(id, name)
    end
  end
end

local function compare_entity(model, real, id, entity, form)
  local what = ("(%d)"):format(id)
  local anchor = model.classic and entity.place or entity.anchor
  local text = compare_point("position" .. what, entity.place, model.dims, real:position(id))
    or compare_point("anchor" .. what, anchor, model.dims, real:anchor(id))
    or compare_traits(model, real, id)
    or compare_sights(model, real, id)
  if text or real:radius(id) ~= (model.classic and 0 or entity.radius) then
    return text or "radius" .. what
  end
  for _, name in ipairs(LISTS_OF_ENTITIES) do
    text = compare_list(model, real, name, id, form)
    if text then
      return text
    end
  end
end

local function compare_pair(model, real, a, b)
  local expected = questions.sees(model, a, b)
  if real:sees(a, b) ~= expected then
    return ("sees(%d, %d) is %s"):format(a, b, tostring(not expected))
  end
  local word, rank = real:explain(a, b)
  local expected_word, expected_rank = questions.explain(model, a, b)
  if word ~= expected_word or rank ~= expected_rank then
    return ("explain(%d, %d) is %s %s, expected %s %s"):format(a, b, word, tostring(rank), expected_word,
      tostring(expected_rank))
  end
end

local function compare_area(model, real, number, ids, form)
  for _, id in ipairs(ids) do
    local expected = questions.in_area(model, number, id)
    if real:in_area(number, id) ~= expected then
      return ("in_area(%d, %d) is %s"):format(number, id, tostring(not expected))
    end
  end
  return compare_list(model, real, "members_of", number, form)
end

-- Numbers that say how much there is.
local function compare_stats(model, real)
  local stats = real:stats()
  local collected = 0
  for _, change in ipairs(model.collected) do
    for _, events in pairs(change) do
      collected = collected + #events
    end
  end
  local expected = {
    entities = #questions.ids(model), areas = #questions.areas(model), collected = collected,
    tick = model.deferred and model.tick_number or nil, deferred = model.deferred, dims = model.dims,
  }
  for name, value in pairs(expected) do
    if stats[name] ~= value then
      return ("stats().%s is %s, expected %s"):format(name, tostring(stats[name]), tostring(value))
    end
  end
  local held = 0
  for _, bytes in pairs(stats.held) do
    held = held + bytes
  end
  if held ~= stats.bytes or #real ~= expected.entities then
    return ("stats().held adds up to %d of %d bytes; %d entities"):format(held, stats.bytes, #real)
  end
end

-- An id that nobody has.
local function unknown_id(model)
  local id = 1
  while model.entities[id] do
    id = id + 1
  end
  return id
end

-- The places of all, and of one who is not inside, in one call.
local function compare_positions(model, real, ids)
  local asked, expected = table.move(ids, 1, #ids, 1, {}), {}
  asked[#asked + 1] = unknown_id(model)
  for _, id in ipairs(asked) do
    local entity = model.entities[id]
    if real:has(id) ~= (entity ~= nil) then
      return ("has(%d) is %s"):format(id, tostring(real:has(id)))
    end
    for axis = 1, model.dims do
      expected[#expected + 1] = entity and entity.place[axis] or false
    end
  end
  local t, n = real:positions(asked, #asked)
  if n ~= #asked or not same_list(t, #expected, expected) then
    return "positions of all"
  end
end

-- How many events wait. settled: no handler is being called or sleeps, and none has raised since the last
-- delivery. Else a change that is told in several stages may count events of which nobody else will hear.
function compare.pending(model, real, settled)
  local pending, expected = real:pending(), model.delivery:pending()
  if model.delivery:has_frames() or not settled and not model.delivery:has_one_stage() then
    return nil
  elseif expected and pending ~= expected or not expected and pending == 0 then
    return ("pending() is %d, expected %s"):format(pending, expected or "some")
  end
end

-- Where many are, not all pairs are asked: every so many.
local PAIRS_ASKED = 1000

-- Everything at once, about everybody; lists of ids by turns as tables and packed.
function compare.all(model, real)
  local ids, numbers = questions.ids(model), questions.areas(model)
  local form = #ids % 2 == 1 and "packed" or nil
  local text = compare.ids_text("ids()", ids, real:ids(form))
    or compare.ids_text("areas()", numbers, real:areas(form))
    or compare_stats(model, real) or compare_positions(model, real, ids)
  for _, id in ipairs(ids) do
    text = text or compare_entity(model, real, id, model.entities[id], form)
  end
  for pair = 0, #ids * #ids - 1, math.max(1, #ids * #ids // PAIRS_ASKED) do
    text = text or compare_pair(model, real, ids[pair // #ids + 1], ids[pair % #ids + 1])
  end
  for _, number in ipairs(numbers) do
    text = text or compare_area(model, real, number, ids, form)
  end
  return text
end

-- ---- gathered events ---------------------------------------------------------------------------

local KINDS = { "leave", "enter", "move", "area_leave", "area_enter" }
local CODES = { [1] = "enter", [2] = "leave", [4] = "move", [8] = "area_enter", [16] = "area_leave" }

-- The answer of drain as a list of texts "watcher op marker".
local function events_of(t, n)
  local events, at = {}, 1
  for i = 1, n do
    local w, m, op
    if type(t) == "string" then
      w, m, op, at = string.unpack("<i8 i8 B", t, at)
      op = CODES[op]
    else
      w, m, op = t[3 * i - 2], t[3 * i - 1], t[3 * i]
    end
    events[i] = ("%s %s %s"):format(tostring(w), tostring(op), tostring(m))
  end
  return events
end

-- Events of one kind in one change are in any order.
function compare.drained(changes, t, n)
  local events, at = events_of(t, n), 1
  for _, change in ipairs(changes) do
    for _, kind in ipairs(KINDS) do
      local expected = {}
      for _, pair in ipairs(change[kind]) do
        local text = ("%d %s %d"):format(pair[1], kind, pair[2])
        expected[text] = (expected[text] or 0) + 1
      end
      for _ = 1, #change[kind] do
        local text = events[at] or "nothing"
        if not expected[text] then
          return ("drain: event %d is %s, expected one of: %s"):format(at, text, next(expected))
        end
        expected[text] = expected[text] > 1 and expected[text] - 1 or nil
        at = at + 1
      end
    end
  end
  if at ~= n + 1 then
    return ("drain gave %d events, expected %d"):format(n, at - 1)
  end
  if type(t) == "table" and t[3 * n + 1] ~= nil then
    return "drain: no nil behind the last event"
  end
end

return compare
