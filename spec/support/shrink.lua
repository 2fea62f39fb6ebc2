-- Shrinks a failing sequence of calls to a short one that still fails, and prints it as a Lua
-- program that can be run by itself.

local compare = require "spec.support.compare"

local shrink = {}

-- The sequence without calls first .. last.
local function without(sequence, first, last)
  local calls = {}
  for index, call in ipairs(sequence.calls) do
    if index < first or index > last then
      calls[#calls + 1] = call
    end
  end
  return {
    seed = sequence.seed, engine = sequence.engine, options = sequence.options,
    listener = compare.listener_of(sequence), calls = calls,
  }
end

-- Takes away chunks of calls, ever smaller ones, as long as the rest still fails (any failure
-- counts). fails(sequence) returns a failure as compare.run does, or nil. Returns the short
-- sequence and its failure.
function shrink.sequence(sequence, fails, failure)
  local short = without(sequence, failure.index + 1, #sequence.calls)
  local chunk = math.max(1, #short.calls // 2)
  while chunk >= 1 do
    local removed = false
    local first = 1
    while first <= #short.calls do
      local candidate = without(short, first, first + chunk - 1)
      local still = fails(candidate)
      if still then
        short, failure, removed = without(candidate, still.index + 1, #candidate.calls), still, true
      else
        first = first + chunk
      end
    end
    -- Single calls are tried again until none can go: one may have needed another.
    if chunk > 1 or not removed then
      chunk = chunk // 2
    end
  end
  return short, failure
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

local function call_to_lua(call)
  local arguments = {}
  for i = 1, call.n do
    arguments[i] = to_lua(call[i])
  end
  return ("space:%s(%s)"):format(call.method, table.concat(arguments, ", "))
end

-- The sequence as a program that prints its events, heard in the same way.
function shrink.program(sequence)
  local listener = compare.listener_of(sequence)
  local lines = {
    'local aoi = require "aoi"',
    "local options = " .. to_lua(sequence.options),
    listener.code,
    "local space = aoi.new(options)",
  }
  for _, call in ipairs(sequence.calls) do
    lines[#lines + 1] = call_to_lua(call)
    lines[#lines + 1] = listener.code_after_call
  end
  return table.concat(lines, "\n")
end

-- The whole report of a failure: how to replay it, what differs, and a short program.
function shrink.report(sequence, fails, failure)
  local short, short_failure = shrink.sequence(sequence, fails, failure)
  local call = sequence.calls[failure.index]
  return table.concat({
    ("%s, listening by %s: call %d of SEED=%d:"):format(
      sequence.engine.name, compare.listener_of(sequence).name, failure.index, sequence.seed),
    "    " .. (call and call_to_lua(call) or "aoi.new"),
    "    " .. failure.text,
    ("SEED=%d replays it. Shrunk to %d calls:"):format(sequence.seed, #short.calls),
    "",
    shrink.program(short),
    "-- the last call: " .. short_failure.text,
    "",
  }, "\n")
end

return shrink
