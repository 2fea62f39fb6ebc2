-- Calls to other services in which only their own errors count.
--
-- skynet takes an error for a call by the call's number alone, whoever has sent it. But what is left in the
-- mailbox of a dying service is answered with errors: answers to its own calls, too, by the numbers that they
-- have there. These may be the numbers of calls of ours to somebody else, who lives and answers.
local skynet = require "skynet"

local calls = {}

local guarded = {} -- address -> how many calls to it wait for an answer

-- The address that each call waits for, by number: a table of skynet's own, which it hands out to nobody.
local function find_waiting(dispatch)
  for i = 1, dispatch and debug.getinfo(dispatch, "u").nups or 0 do
    local name, value = debug.getupvalue(dispatch, i)
    if name == "watching_session" then
      return value
    end
  end
end

local dispatch = skynet.dispatch "error"
local waiting = find_waiting(dispatch)

if waiting then
  skynet.dispatch("error", function(session, source, ...)
    local address = waiting[session] -- nil also for the number 0: that service has ended
    if math.type(address) == "integer" and guarded[address] and address ~= source then
      skynet.ignoreret()
      return
    end
    return dispatch(session, source, ...)
  end)
end

-- Calls f(address, ...), and counts it among those that wait for that address: address -> how many, or nil.
function calls.counted(counts, f, address, ...)
  counts[address] = (counts[address] or 0) + 1
  local answer = table.pack(pcall(f, address, ...))
  counts[address] = counts[address] > 1 and counts[address] - 1 or nil
  if not answer[1] then
    error(answer[2], 0)
  end
  return table.unpack(answer, 2, answer.n)
end

-- As skynet.call; to services that answer themselves, and have no other answer for them.
function calls.call(address, ...)
  return calls.counted(guarded, skynet.call, address, ...)
end

return calls
