-- Whether another service lives, and when it ends.
--
-- skynet answers its debug command LINK with an error when a service exits. But an error proves nothing, see
-- calls.lua. Only a send that fails tells that a service is dead.
local skynet = require "skynet"
local calls = require "aoi.skynet.calls"

local alive = {}

local PAUSE = 1 -- hundredths of a second between two links: a service that exits takes messages for a moment
local PROBE = 500 -- hundredths of a second between two looks for a service that was killed

-- Whether nothing can be sent to this address.
function alive.is_dead(address)
  local ok, session = pcall(skynet.send, address, "debug", "PING")
  return not (ok and session)
end

-- Waits until the service is dead. A service that is killed answers nothing: skynet.term, called when a send
-- has failed, ends the waiting. Returns false, at once, for an address that answers LINK, as services
-- that are not in Lua may do: there only failed sends tell.
function alive.wait_for_end(address)
  while not pcall(calls.call, address, "debug", "LINK") do
    if alive.is_dead(address) then
      return true
    end
    skynet.sleep(PAUSE)
  end
  return false
end

-- Finds out that the service was killed, when nobody sends to it, and ends all calls that wait for it. Ends
-- when nobody awaits that any more, by is_awaited().
function alive.probe(address, is_awaited)
  repeat
    skynet.sleep(PROBE)
    if not is_awaited() then
      return
    end
  until alive.is_dead(address)
  skynet.term(address)
end

local asked = {} -- address -> how many calls of ours wait for it
local probed = {} -- address -> true: `probe` looks for its end

-- As calls.call, for what may take its time: the call also fails when the service is killed in the middle.
function alive.call(address, ...)
  if not probed[address] then
    probed[address] = true
    skynet.fork(function()
      alive.probe(address, function() return asked[address] end)
      probed[address] = nil
    end)
  end
  return calls.counted(asked, calls.call, address, ...)
end

return alive
