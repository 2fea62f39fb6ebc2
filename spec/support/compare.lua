-- Runs a sequence of calls on a space and on the model side by side, and says where they first
-- differ: in what a call answers, in the events that follow it, or in what can be asked afterwards.

local listeners = require "spec.support.event_listeners"
local Model = require "spec.support.model"
local packed = require "spec.support.packed_rows"

local unpack = table.unpack

-- ---- comparing --------------------------------------------------------------------------------

-- Raised by a check and caught by run: the space and the model differ.
local Difference = {}

local function differ(text, ...)
  error(setmetatable({ text = text:format(...) }, Difference), 0)
end

local function show_list(values, n)
  local shown = {}
  for i = 1, n do
    shown[i] = tostring(values[i])
  end
  return "(" .. table.concat(shown, ", ") .. ")"
end

local function check_same(what, actual, expected)
  if actual ~= expected then
    differ("%s is %s, expected %s", what, tostring(actual), tostring(expected))
  end
end

-- A list in any order, as the space fills it: n values, none twice, then nil.
local function check_set(what, list, n, expected, expected_n)
  local wanted = {}
  for i = 1, expected_n do
    wanted[expected[i]] = true
  end
  for i = 1, n do
    if not wanted[list[i]] then
      differ("%s has %s, which is not expected or is there twice", what, tostring(list[i]))
    end
    wanted[list[i]] = nil
  end
  if next(wanted) ~= nil then
    differ("%s lacks %s", what, tostring(next(wanted)))
  end
  check_same(what .. ": the entry after the last", list[n + 1], nil)
end

local function show_event(event)
  local watcher, marker, op = unpack(event, 1, 3)
  return tostring(op) .. ": " .. Model.pair_key(tostring(watcher), tostring(marker))
end

local function check_order_of_kinds(log, first, last)
  local rank = {}
  for place, kind in ipairs(Model.kinds) do
    rank[kind] = place
  end
  for i = first + 1, last do
    if rank[log[i][3]] < rank[log[i - 1][3]] then
      differ("event %s comes too late: leave, then enter, then move, then those of areas",
        show_event(log[i]))
    end
  end
end

-- The events of one change: log[first .. last].
local function check_change(log, first, last, change, listener)
  local expected = {}
  for _, kind in ipairs(Model.kinds) do
    for key in pairs(listener.kinds[kind] and change[kind] or {}) do
      expected[kind .. ": " .. key] = true
    end
  end
  for i = first, last do
    local shown = show_event(log[i])
    if not expected[shown] then
      differ("event %s is not expected or comes twice", shown)
    end
    expected[shown] = nil
  end
  if next(expected) then
    differ("event %s is missing", next(expected))
  end
  local check_order = listener.check_order or check_order_of_kinds
  check_order(log, first, last, change)
end

-- How many events of the change are heard.
local function count_heard(change, kinds)
  local count = 0
  for _, kind in ipairs(Model.kinds) do
    for _ in pairs(kinds[kind] and change[kind] or {}) do
      count = count + 1
    end
  end
  return count
end

-- The log against the changes, each with the slice of the log that has its length.
local function check_events(log, changes, listener)
  local first = 1
  for index, change in ipairs(changes) do
    local last = first + count_heard(change, listener.kinds) - 1
    if index == #changes or last > #log then
      last = #log
    end
    check_change(log, first, last, change, listener)
    first = last + 1
  end
  if #log >= first then
    differ("%d events without a change", #log - first + 1)
  end
end

-- Follows each ordered pair through the whole sequence: enter (move)* leave, again and again.
-- It knows nothing of the model, so that it also guards against a mistake there. The same of areas and
-- markers; a map of pairs is nil where not all of them was heard.
local function follow_pairs(log, seen, members)
  for _, event in ipairs(log) do
    local watcher, marker, op = unpack(event, 1, 3)
    local key, of_area = Model.pair_key(watcher, marker), op:find("^area_") ~= nil
    local pairs_now, enter, leave = seen, "enter", "leave"
    if of_area then
      pairs_now, enter, leave = members, "area_enter", "area_leave"
    end
    if pairs_now and (op == enter) == (pairs_now[key] or false) then
      differ("pair %s gets %s while it is %s", key, op, pairs_now[key] and "seen" or "not seen")
    elseif pairs_now then
      pairs_now[key] = op ~= leave or nil
    end
  end
end

-- The ids that a question is answered with, as packed rows.
local function check_packed(what, rows, n, expected, expected_n)
  check_same(what .. ", packed: the size", #rows, 8 * n)
  check_set(what .. ", packed", packed.to_ids(rows), n, expected, expected_n)
end

-- The questions about one entity that are answered with ids.
local OBSERVERS = { "markers_of", "watchers_of", "told_markers_of", "told_watchers_of", "areas_of" }

local function check_observers(space, model, id, methods)
  for _, method in ipairs(methods) do
    local list, n = space[method](space, id)
    check_set(("%s(%s)"):format(method, id), list, n, model[method](model, id))
  end
end

local function check_explanation(space, model, watcher, marker)
  local reason, rank = space:explain(watcher, marker)
  local expected_reason, expected_rank = model:explain(watcher, marker)
  check_same(("explain(%s, %s)"):format(watcher, marker), reason, expected_reason)
  check_same(("the rank of explain(%s, %s)"):format(watcher, marker), rank, expected_rank)
end

-- The lists of all entities, as packed rows.
local function check_all_packed(space, model, ids, n)
  local rows, rows_n = space:ids("packed")
  check_packed("ids", rows, rows_n, ids, n)
  for _, id in ipairs(ids) do
    for _, method in ipairs(OBSERVERS) do
      rows, rows_n = space[method](space, id, "packed")
      check_packed(("%s(%s)"):format(method, id), rows, rows_n, model[method](model, id))
    end
  end
end

-- Positions of these ids and of an unknown one, asked for in all ways.
local function check_positions(space, model, ids)
  local UNKNOWN = -7777777
  local asked = table.move(ids, 1, #ids, 2, { UNKNOWN })
  local expected = { table.unpack({ false, false, false }, 1, model.dims) }
  for _, id in ipairs(ids) do
    for _, coordinate in ipairs { model:position(id) } do
      expected[#expected + 1] = coordinate
    end
  end
  local packed_ids = packed.ids(asked)
  local list = space:positions(asked, #asked)
  local again, n = space:positions(packed_ids)
  local rows, rows_n = space:positions(asked, #asked, "packed")
  check_same("positions(string, nil, \"packed\")", space:positions(packed_ids, nil, "packed"), rows)
  check_same("count of positions", n, #asked)
  check_same("count of positions, packed", rows_n, #asked)
  local numbers = packed.to_coordinates(rows)
  for i = 1, #asked * model.dims + 1 do
    check_same(("positions, value %d"):format(i), list[i], expected[i])
    check_same(("positions(string), value %d"):format(i), again[i], expected[i])
    if expected[i] == false then
      check_same(("positions, packed, value %d is NaN"):format(i), numbers[i] ~= numbers[i], true)
    else
      check_same(("positions, packed, value %d"):format(i), numbers[i], expected[i])
    end
  end
end

-- All traits and sights of an entity.
local function check_traits(space, model, id)
  local traits, expected = space:traits(id), model:traits(id)
  for name in pairs(traits) do
    check_same(("traits(%s).%s"):format(id, name), traits[name], expected[name])
  end
  for name in pairs(expected) do
    check_same(("traits(%s).%s"):format(id, name), traits[name], expected[name])
  end
  local sights, n = space:sights(id)
  local expected_sights, expected_n = model:sights(id)
  check_same(("how many sights(%s)"):format(id), n, expected_n)
  for i = 1, 2 * n + 1 do
    check_same(("sights(%s), value %d"):format(id, i), sights[i], expected_sights[i])
  end
end

local function check_entity(space, model, id)
  local known = model:has(id)
  check_same(("has(%s)"):format(id), space:has(id), known)
  local actual = { space:position(id) }
  local expected = { model:position(id) }
  for axis = 1, math.max(#actual, #expected) do
    check_same(("position(%s), value %d"):format(id, axis), actual[axis], expected[axis])
  end
  if not model.classic then
    check_same(("radius(%s)"):format(id), space:radius(id), model:radius(id))
  end
  if known then
    check_traits(space, model, id)
    check_observers(space, model, id, OBSERVERS)
  end
end

local function check_members(space, model, area)
  local list, n = space:members_of(area)
  check_set(("members_of(%s)"):format(area), list, n, model:members_of(area))
end

-- All areas and their members.
local function check_areas(space, model, ids)
  local areas, n = model:areas()
  local found, found_n = space:areas()
  check_set("areas()", found, found_n, areas, n)
  check_same("stats().areas", space:stats().areas, n)
  if n == 0 then
    return
  end
  local rows, rows_n = space:areas("packed")
  check_packed("areas()", rows, rows_n, areas, n)
  for _, area in ipairs(areas) do
    check_members(space, model, area)
    rows, rows_n = space:members_of(area, "packed")
    check_packed(("members_of(%s)"):format(area), rows, rows_n, model:members_of(area))
    for _, id in ipairs(ids) do
      check_same(("in_area(%s, %s)"):format(area, id), space:in_area(area, id), model:in_area(area, id))
    end
  end
end

-- Everything that can be asked, also with a reused table that is longer than needed. The model takes its
-- time to explain a crowd.
local function check_everything(space, model, thorough)
  local ids, n = space:ids({})
  local expected_ids, expected_n = model:ids()
  check_set("ids", ids, n, expected_ids, expected_n)
  check_all_packed(space, model, expected_ids, expected_n)
  check_positions(space, model, expected_ids)
  check_areas(space, model, expected_ids)
  local reused = {}
  for i = 1, n + 3 do
    reused[i] = 0
  end
  for _, id in ipairs(expected_ids) do
    check_entity(space, model, id)
    for _, method in ipairs(OBSERVERS) do
      local list, list_n = space[method](space, id, reused)
      check_same(("the table that %s returns"):format(method), list, reused)
      check_set(("%s(%s, t)"):format(method, id), list, list_n, model[method](model, id))
    end
    for _, other in ipairs(expected_ids) do
      check_same(("sees(%s, %s)"):format(id, other), space:sees(id, other), model:sees(id, other))
      if thorough or not model.crowd then
        check_explanation(space, model, id, other)
      end
    end
  end
end

-- ---- running ----------------------------------------------------------------------------------

-- Methods that change nothing, and how their answers compare.
local questions = {}

local function answers_are_equal(call, actual, expected)
  for i = 1, math.max(actual.n, expected.n) do
    check_same(("answer %d of %s"):format(i, call.method), actual[i], expected[i])
  end
end

local function answers_are_sets(call, actual, expected)
  check_set(call.method, actual[1], actual[2], expected[1], expected[2])
end

questions.sees = answers_are_equal
questions.anchor = answers_are_equal
questions.explain = answers_are_equal
questions.ids = answers_are_sets
questions.told_markers_of = answers_are_sets
questions.in_area = answers_are_equal
questions.members_of = answers_are_sets
questions.areas_of = answers_are_sets
questions.areas = answers_are_sets
questions.told_watchers_of = answers_are_sets

-- Whether the call is a question that is answered with ids, in a table or packed.
local function gives_ids(call)
  return questions[call.method] ~= nil and questions[call.method] ~= answers_are_equal
end

-- The values that a changing call returned, apart from the model's list of changes.
local function check_returned(call, actual, expected)
  if call.method == "update" then
    check_same("update's answer", actual[1] or false, expected[2])
  elseif expected[2] ~= nil then
    check_same(call.method .. "'s answer", actual[1], expected[2])
  elseif actual.n > 0 then
    differ("%s returned %s", call.method, show_list(actual, actual.n))
  end
end

-- Calls a method on the model; false and the reason when the contract forbids the call.
local function ask_model(model, call)
  local answer = table.pack(pcall(model[call.method], model, unpack(call, 1, call.n)))
  if not answer[1] and not (type(answer[2]) == "table" and answer[2].refused) then
    error("the model itself failed: " .. tostring(answer[2]), 0)
  end
  return answer[1], answer[1] and table.pack(unpack(answer, 2, answer.n)) or answer[2].refused
end

-- Rows that are refused are so in a table as well, for the same reason.
local function check_refused_as_table(space, call, message)
  local ok, message_of_table = pcall(space[call.method], space, unpack(call, 1, call.n))
  if ok or message_of_table ~= message then
    differ("packed %s: %s; in a table: %s", call.form, tostring(message), tostring(message_of_table))
  end
end

-- ---- handing over -----------------------------------------------------------------------------

-- The argument of hand_in in a sequence is the number of a string that hand_out gave.
local function with_string(run, call)
  if call.method ~= "hand_in" then
    return call
  end
  local strings = run.strings
  local string = #strings > 0 and strings[(call[1] - 1) % #strings + 1] or "nobody"
  return { method = "hand_in", n = 1, string }
end

-- Calls a method on the space; what it answers, with `accepted` when it was no error. A list of ids that
-- is packed is unpacked.
local function ask_space(run, call)
  call = with_string(run, call)
  local space = run.space
  local arguments, n = packed.arguments(call, run.model.dims)
  local answer = table.pack(pcall(space[call.method], space, unpack(arguments, 1, n)))
  answer.accepted = table.remove(answer, 1)
  answer.n = answer.n - 1
  if call.form and not answer.accepted then
    check_refused_as_table(space, call, answer[1])
  elseif answer.accepted and gives_ids(call) and type(answer[1]) == "string" then
    answer[1] = packed.to_ids(answer[1])
  end
  return answer
end

-- Of whom the watcher was told is now known elsewhere, or from there.
local function follow_hand_over(run, id, told)
  local watcher = id .. " sees "
  for key in pairs(run.seen or {}) do
    if key:sub(1, #watcher) == watcher then
      run.seen[key] = nil
    end
  end
  for m in pairs(run.seen and told or {}) do
    run.seen[Model.pair_key(id, m)] = true
  end
  run.members = run.members and run.model:told_members()
end

local function check_handed(run, call, answer)
  local model = run.model
  if call.method == "hand_in" then
    local luggage = model.luggages[call[1]]
    follow_hand_over(run, luggage.id, luggage.told)
    return
  end
  check_same("the type of what hand_out gives", type(answer[1]), "string")
  model:keep_string(answer[1])
  run.strings[#run.strings + 1] = answer[1]
  follow_hand_over(run, model.luggage.id)
end

-- Makes the call on the model too and compares; returns the changes that must be told.
local function check_answer(run, call, answer)
  call = with_string(run, call)
  local allowed, expected = ask_model(run.model, call)
  if answer.accepted ~= allowed then
    differ(answer.accepted and "accepted, but must be refused: %s" or "refused: %s",
      tostring(answer.accepted and expected or answer[1]))
  end
  if not allowed then
    check_same("the type of the error", type(answer[1]), "string")
    return {}
  elseif questions[call.method] then
    questions[call.method](call, answer, expected)
    return {}
  end
  if call.method == "hand_out" or call.method == "hand_in" then
    check_handed(run, call, answer)
    return expected[1]
  end
  if call.method == "clear" then
    run.seen, run.members = run.seen and {}, run.members and {}
  end
  check_returned(call, answer, expected)
  return expected[1]
end

local replace_listener

-- Makes the call that waits for a handler to make it.
local function call_inside(run)
  local call = run.inside
  run.inside = nil
  if call.listener then
    -- The rest of the change goes to the present one, and into its log.
    run.earlier = { log = run.log, listener = run.listener }
    run.log = {}
    replace_listener(run, call.listener)
  else
    run.inside_answer = ask_space(run, call)
  end
end

-- Lets the listener hear what the handlers in `options` are told. The first handler that is called
-- makes the call that waits in run.inside.
local function listen(run, listener, options)
  run.listener = listener
  -- A call that is not heard can't be followed, nor those after it.
  run.seen = run.seen and listener.kinds.enter and listener.kinds.leave and run.seen
  run.members = run.members and listener.kinds.area_enter and listener.kinds.area_leave and run.members
  run.log.beside = nil
  listener.listen(options, run.log)
  for name, handler in pairs(options) do
    if name:find("^on_") then
      options[name] = function(...)
        handler(...)
        if run.inside then
          call_inside(run)
        end
      end
    end
  end
end

function replace_listener(run, listener)
  local handlers = {}
  listen(run, run.listener.gather and run.listener or listener, handlers)
  handlers.collect = nil
  run.space:on(handlers)
end

-- True when another listener can replace the present one amid a call: what this one did not want was not
-- computed, and what is gathered is not cut between the two.
local function may_be_replaced_amid_a_call(run, successor)
  for kind in pairs(successor.kinds) do
    if not run.listener.kinds[kind] then
      return false
    end
  end
  return not run.listener.gather
end

-- Makes the call and what waits inside it; returns the changes that must be told.
local function make_both_calls(run, call)
  run.inside, run.inside_answer = call.inside, nil
  local successor = call.inside and call.inside.listener
  if successor and not may_be_replaced_amid_a_call(run, successor) then
    run.inside = nil
  end
  local changes = check_answer(run, call, ask_space(run, call))
  local inside = run.inside_answer ~= nil or run.inside -- made, or nobody was called
  run.inside = nil
  if inside and not call.inside.listener then
    local answer = run.inside_answer or ask_space(run, call.inside)
    local more = check_answer(run, call.inside, answer)
    changes = table.move(more, 1, #more, #changes + 1, changes)
  end
  return changes
end

-- The first change that the earlier listener heard of is all its own. Returns the others.
local function check_earlier(run, changes)
  local earlier = run.earlier
  run.earlier = nil
  local last = 1
  while last < #changes and count_heard(changes[last], earlier.listener.kinds) == 0 do
    last = last + 1
  end
  check_events(earlier.log, table.move(changes, 1, last, 1, {}), earlier.listener)
  follow_pairs(earlier.log, run.seen, run.members)
  return table.move(changes, last + 1, #changes, 1, {})
end

-- Empties a log, and the logs beside it that several_listeners.lua keeps.
local function empty(log)
  for i = #log, 1, -1 do
    log[i] = nil
  end
  for _, beside in ipairs(log.beside or {}) do
    empty(beside.log)
  end
end

local function make_call(run, call)
  if call.listener then
    return replace_listener(run, call.listener)
  end
  local changes = make_both_calls(run, call)
  if run.listener.gather then
    run.listener.gather(run.log, run.space)
  end
  if run.earlier then
    changes = check_earlier(run, changes)
  end
  check_events(run.log, changes, run.listener)
  follow_pairs(run.log, run.seen, run.members)
  empty(run.log)
end

-- In a crowd above this size not everything is asked after every call.
local CROWD = 60

local TOLD = { "told_markers_of", "told_watchers_of" }

-- In a crowd what was told to each of them after a tick; before some ticks, what it will be for one.
local function check_crowd(space, model, calls, index)
  local ids, n = model:ids()
  for _, id in ipairs(calls[index].method == "tick" and ids or {}) do
    check_observers(space, model, id, TOLD)
  end
  local watcher = index % 3 == 0 and ids[index % (n + 1)]
  if watcher and calls[index + 1] and calls[index + 1].method == "tick" then
    for _, marker in ipairs(ids) do
      check_explanation(space, model, watcher, marker)
    end
  end
end

-- Checks after call number `index`: the entity of the call and that of the call before; all
-- entities now and then, or each time when `thorough`.
local function check_state(run, calls, index, thorough)
  local space, model = run.space, run.model
  check_same("#space", #space, model:count())
  check_same("pending()", space:pending(), 0)
  if thorough and #space <= CROWD or index == #calls or index % 100 == 0 then
    check_everything(space, model, thorough)
  end
  if model.crowd then
    check_crowd(space, model, calls, index)
  end
  for i = math.max(1, index - 1), index do
    local area = calls[i].method:find "_area$" and calls[i][1]
    if area and model.areas_by_id[area] then
      check_members(space, model, area)
    end
    local id = math.type(calls[i][1]) and math.tointeger(calls[i][1])
    if id then
      check_entity(space, model, id)
      check_same("an entity sees itself", space:sees(id, id), false)
    end
  end
end

local compare = {
  listeners = listeners, questions = questions, differ = differ, check_same = check_same,
  check_change = check_change, check_order_of_kinds = check_order_of_kinds,
}

local function copy(options)
  local copied = {}
  for name, value in pairs(options) do
    copied[name] = value
  end
  return copied
end

-- The listener that a sequence is heard with.
function compare.listener_of(sequence)
  return sequence.listener or listeners[sequence.seed % #listeners + 1]
end

-- Runs the sequence on a space made by new_space(options). Returns nil when the space does all
-- that the model does, else { index = number of the call (0: new_space), text = what differs }.
-- With `thorough` everything is compared after every call.
function compare.run(sequence, new_space, thorough)
  local run = { log = {}, seen = {}, strings = {}, members = {} }
  local options = copy(sequence.options)
  listen(run, compare.listener_of(sequence), options)
  run.model = Model.new(sequence.options)
  local made, space = pcall(new_space, options)
  if not made then
    return { index = 0, text = "cannot be made: " .. tostring(space) }
  end
  run.space = space
  local failure
  for index, call in ipairs(sequence.calls) do
    local ok, reason = pcall(function()
      make_call(run, call)
      check_state(run, sequence.calls, index, thorough)
    end)
    if not ok and getmetatable(reason) ~= Difference then
      reason = { text = "error outside a comparison: " .. tostring(reason) }
    end
    if not ok then
      failure = { index = index, text = reason.text }
      break
    end
  end
  space:close()
  return failure
end

return compare
