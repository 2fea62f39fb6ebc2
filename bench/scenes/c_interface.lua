-- The C interface without Lua, in order and shuffled: runs the program made from bench/core.c and takes over
-- its numbers.
local measure = require "bench.measure"
local output = require "bench.output"

local c_interface = {
  name = "c", text = "C interface, events pulled, enter and leave unless it says otherwise",
}

local function split(line)
  local fields = {}
  for field in line:gmatch("[^\t]+") do
    fields[#fields + 1] = field
  end
  return fields
end

-- Runs the program with moves in this order, "in-order" or "shuffled", and prints its rows.
local function run_in(order)
  local settings = measure.settings
  local program = assert(os.getenv("BENCH_BUILD"), "BENCH_BUILD is not set: use make bench") .. "/bench/core"
  local before = measure.method_floor()
  local pipe = assert(io.popen(("%s %d %d %d %s"):format(program, settings.rounds, settings.moves,
    settings.quick and 1 or 0, order)))
  local lines = {}
  for line in pipe:lines() do
    lines[#lines + 1] = line
  end
  assert(pipe:close(), program .. " failed")
  -- One floor for all: the program runs by itself.
  local method = (before + measure.method_floor()) / 2
  output.note(("%s, next to an empty method call from Lua: %.1f ns"):format(order, method))
  output.header()
  for _, line in ipairs(lines) do
    -- id, words, events a call, nanoseconds of each round
    local fields = split(line)
    local times, ratios = {}, {}
    for i = 4, #fields do
      times[i - 3] = tonumber(fields[i])
      ratios[i - 3] = times[i - 3] / method
    end
    output.row("c/" .. fields[1], fields[2], {
      time = measure.summary(times), ratio = measure.summary(ratios), events = tonumber(fields[3]),
    }, { method = method })
  end
end

function c_interface.run()
  run_in("in-order")
  run_in("shuffled")
  output.note("x floor: against one empty method call from Lua.")
end

return c_interface
