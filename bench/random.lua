-- Random numbers for the worlds: xorshift64*, the same sequence under every Lua and in bench/core.c.
local random = {}

-- Returns a function that gives numbers from 0 up to, not including, 1.
function random.new(seed)
  local state = seed
  return function()
    state = state ~ (state >> 12)
    state = state ~ (state << 25)
    state = state ~ (state >> 27)
    return ((state * 0x2545F4914F6CDD1D) >> 11) * (1.0 / (1 << 53))
  end
end

return random
