-- Calls the callbacks of the clients of one service, once a message is taken in as a whole: those of a client
-- in order, each when the one before has ended, and beside those of other clients. So a callback may wait, or
-- raise: nothing that was told is lost by that, or overtaken.
local skynet = require "skynet"

local calling_back = {}

local due, first, last = {}, 1, 0 -- list of calls: { line, function, arguments ..., n = }
local is_expected                 -- true: a coroutine begins soon that goes on with them

-- Calls f; an error is logged.
local function call(f, ...)
  local ok, message = xpcall(f, debug.traceback, ...)
  if not ok then
    skynet.error("a callback has failed: " .. tostring(message))
  end
end

calling_back.call = call

local function call_all_of(line, entry)
  line.is_busy = true
  call(table.unpack(entry, 2, entry.n))
  while line.later do
    local later = line.later
    line.later = nil
    for _, one in ipairs(later) do
      call(table.unpack(one, 2, one.n))
    end
  end
  line.is_busy = nil
end

local function begin()
  is_expected = nil
  calling_back.go_on()
end

local function expect()
  if not is_expected then
    is_expected = true
    skynet.fork(begin)
  end
end

-- Calls what is due. Else that is done soon.
function calling_back.go_on()
  while first <= last do
    expect() -- another coroutine goes on when this one waits
    local entry = due[first]
    local line = entry[1]
    due[first], first = nil, first + 1
    if line.is_busy then
      line.later = line.later or {}
      table.insert(line.later, entry)
    else
      call_all_of(line, entry)
    end
  end
  first, last = 1, 0
end

-- Has f called with these arguments, behind all that was added to the same line, a table of the client's own.
function calling_back.add(line, f, ...)
  last = last + 1
  due[last] = table.pack(line, f, ...)
  expect()
end

return calling_back
