-- Times of the protocol of a world, in milliseconds. They follow from its words `tick` and `silence`.
local times = {
  EPOCH = 1767225600, -- seconds: ticks of a world that begins are counted from this moment of the clock on
}

-- tick, silence: as the words of those names.
function times.new(tick, silence)
  return {
    tick = tick,
    silence = silence,
    round = silence / 8,      -- a member asks, and the coordinator looks, once in it
    rounds = 8,               -- so many without a request, and a member is silent
    doubt = 2,                -- so many, and the coordinator looks whether its process lives
    lease = silence / 2,      -- from when the request was sent that was answered
    greeted = silence / 2,    -- so old may an answered greeting be when a process joins
    wake = 50,                -- a process looks at its timers that often
    repeated = 75,            -- what has not been answered is said again, at every second look
  }
end

return times
