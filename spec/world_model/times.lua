-- Times of the model, in milliseconds. They keep the relations of real ones: two ticks are at most an
-- eighth of the silence; only the silence is shorter than usual, so that schedules are short.
return {
  tick = 100,
  silence = 1600,
  round = 200,    -- an eighth of the silence: a member asks, and the coordinator looks, once in it
  rounds = 8,     -- so many without a request, and a member is silent
  doubt = 2,      -- so many, and the coordinator looks whether its process lives
  lease = 800,    -- half of the silence, from when the request was sent that was answered
  greeted = 800,  -- so old may an answered greeting be when a process joins
  wake = 50,      -- processes look at their timers that often
  repeated = 100, -- what has not been answered is said again after this time
  seat = 1200,    -- how long Redis keeps the coordinator's lease
  load = 400,     -- most that reading a store takes
}
