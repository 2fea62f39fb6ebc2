-- Shrinks a failing sequence of calls to a short one that still fails, and prints it as a Lua
-- program that can be run by itself.

local compare = require "spec.support.compare"
local packed = require "spec.support.packed_rows"

local shrink = {}

local function with_calls(sequence, calls)
  return {
    seed = sequence.seed, engine = sequence.engine, options = sequence.options,
    listener = compare.listener_of(sequence), calls = calls,
  }
end

-- The sequence without calls first .. last.
local function without_calls(sequence, first, last)
  local calls = {}
  for index, call in ipairs(sequence.calls) do
    if index < first or index > last then
      calls[#calls + 1] = call
    end
  end
  return with_calls(sequence, calls)
end

local function count_calls(sequence)
  return #sequence.calls
end

local function dims_of(sequence)
  return sequence.options.dims or 2
end

-- How many values a row of the call has; nil when it is no batch.
local function row_width(sequence, call)
  if call.method == "leave_all" then
    return 1
  end
  return call.method:find("_all$") and dims_of(sequence) + 1 or nil
end

-- The ids that the calls speak of, in the order in which they first occur.
local function ids_of(sequence)
  local ids, known = {}, {}
  local function add(id)
    if math.type(id) == "integer" and not known[id] then
      known[id] = true
      ids[#ids + 1] = id
    end
  end
  for _, call in ipairs(sequence.calls) do
    local width = row_width(sequence, call)
    if width then
      for i = 1, #call[1], width do
        add(call[1][i])
      end
    elseif not call.method:find("^query_") and call.method ~= "set_bounds" then
      add(call[1])
    end
  end
  return ids
end

local function count_ids(sequence)
  return #ids_of(sequence)
end

-- The batch without the rows of the ids in `gone`.
local function without_rows(call, width, gone)
  local rows, n = {}, 0
  for i = 1, #call[1], width do
    if not gone[call[1][i]] then
      table.move(call[1], i, i + width - 1, #rows + 1, rows)
      n = n + (math.type(call[2]) and i <= call[2] * width and 1 or 0)
    end
  end
  local shorter = { rows, table.unpack(call, 2, call.n) }
  shorter.method, shorter.n, shorter.inside, shorter.form = call.method, call.n, call.inside, call.form
  if math.type(call[2]) then
    shorter[2] = n
  end
  return shorter
end

-- The sequence without the ids of number first .. last.
local function without_ids(sequence, first, last)
  local gone, calls = {}, {}
  for index, id in ipairs(ids_of(sequence)) do
    gone[id] = index >= first and index <= last
  end
  for _, call in ipairs(sequence.calls) do
    local width = row_width(sequence, call)
    if width then
      calls[#calls + 1] = without_rows(call, width, gone)
    elseif not gone[call[1]] or call.method:find("^query_") or call.method == "set_bounds" then
      calls[#calls + 1] = call
    end
  end
  return with_calls(sequence, calls)
end

-- Takes away chunks of what `count` counts, ever smaller ones, as long as the rest still fails.
local function take_away(sequence, fails, failure, count, without)
  local short = without_calls(sequence, failure.index + 1, #sequence.calls)
  local chunk = math.max(1, count(short) // 2)
  while chunk >= 1 do
    local removed = false
    local first = 1
    while first <= count(short) do
      local candidate = without(short, first, first + chunk - 1)
      local still = fails(candidate)
      if still then
        short = without_calls(candidate, still.index + 1, #candidate.calls)
        failure, removed = still, true
      else
        first = first + chunk
      end
    end
    -- Single ones are tried again until none can go: one may have needed another.
    if chunk > 1 or not removed then
      chunk = chunk // 2
    end
  end
  return short, failure
end

-- Takes away entities and calls as long as the rest still fails (any failure counts).
-- fails(sequence) returns a failure as compare.run does, or nil. Returns the short sequence and its
-- failure.
function shrink.sequence(sequence, fails, failure)
  local short = sequence
  short, failure = take_away(short, fails, failure, count_ids, without_ids)
  short, failure = take_away(short, fails, failure, count_calls, without_calls)
  return take_away(short, fails, failure, count_ids, without_ids)
end

-- ---- as Lua code ------------------------------------------------------------------------------

local to_lua

local function number_to_lua(number)
  if number ~= number then
    return "0/0"
  elseif number == math.huge or number == -math.huge then
    return number > 0 and "math.huge" or "-math.huge"
  elseif number == math.mininteger and math.type(number) == "integer" then
    return "math.mininteger"
  elseif math.type(number) == "integer" then
    return ("%d"):format(number)
  end
  local short = ("%.14g"):format(number)
  if tonumber(short) ~= number then
    short = ("%.17g"):format(number)
  end
  return short:find("[.e]") and short or short .. ".0"
end

local function table_to_lua(value)
  local items, names = {}, {}
  for index, item in ipairs(value) do
    items[index] = to_lua(item)
  end
  for name in pairs(value) do
    if type(name) == "string" then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    items[#items + 1] = name .. " = " .. to_lua(value[name])
  end
  return #items == 0 and "{}" or "{ " .. table.concat(items, ", ") .. " }"
end

function to_lua(value)
  if type(value) == "number" then
    return number_to_lua(value)
  elseif type(value) == "table" then
    return table_to_lua(value)
  elseif type(value) == "string" then
    return ("%q"):format(value)
  end
  return tostring(value)
end

local call_to_lua

-- A call of `on` that lets another listener hear.
local function replacement_to_lua(listener, old)
  local code = old.gather and old.code or listener.code
  return table.concat({ "options = {}", code, "options.collect = nil", "space:on(options)" }, "\n")
end

function call_to_lua(call, dims, old_listener)
  if call.listener then
    return replacement_to_lua(call.listener, old_listener)
  elseif call.inside then
    return ("space:%s() -- and in its first handler: %s"):format(call.method,
      call.inside.listener and "on, then " .. call.inside.listener.name or call_to_lua(call.inside, dims))
  end
  local arguments, values, n = {}, packed.arguments(call, dims)
  for i = 1, n do
    arguments[i] = to_lua(values[i])
  end
  if call.form then
    arguments[1] = ("(%s):pack(table.unpack(%s))"):format(to_lua(packed.format_of(call, dims)),
      to_lua(call[1]))
  end
  return ("space:%s(%s)"):format(call.method, table.concat(arguments, ", "))
end

-- The sequence as a program that prints its events, heard in the same way.
function shrink.program(sequence)
  local listener, dims = compare.listener_of(sequence), dims_of(sequence)
  local lines = {
    'local aoi = require "aoi"',
    "local options = " .. to_lua(sequence.options),
    listener.code,
    "local space = aoi.new(options)",
  }
  for _, call in ipairs(sequence.calls) do
    lines[#lines + 1] = call_to_lua(call, dims, listener)
    lines[#lines + 1] = listener.code_after_call
  end
  return table.concat(lines, "\n")
end

-- The whole report of a failure: how to replay it, what differs, and a short program. With SHRINK=0 in the
-- environment without that: tools/mutate.lua only asks whether there is a failure.
function shrink.report(sequence, fails, failure)
  local call = sequence.calls[failure.index]
  local what = table.concat({
    ("%s, listening by %s: call %d of SEED=%d:"):format(
      sequence.engine.name, compare.listener_of(sequence).name, failure.index, sequence.seed),
    "    " .. (call and call_to_lua(call, dims_of(sequence), compare.listener_of(sequence)) or "aoi.new"),
    "    " .. failure.text,
    ("SEED=%d replays it."):format(sequence.seed),
  }, "\n")
  if os.getenv "SHRINK" == "0" then
    return what
  end
  local short, short_failure = shrink.sequence(sequence, fails, failure)
  return table.concat({
    what .. (" Shrunk to %d calls:"):format(#short.calls),
    "",
    shrink.program(short),
    "-- the last call: " .. short_failure.text,
    "",
  }, "\n")
end

return shrink
