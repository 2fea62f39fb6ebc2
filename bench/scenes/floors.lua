-- The cost of Lua without the module; every other scene measures it again next to its own cases.
local measure = require "bench.measure"
local output = require "bench.output"

local floors = { name = "floors", text = "floors: what the border between Lua and C costs by itself" }

local kinds = {
  { "method", "empty method call", measure.method_floor },
  { "handler", "empty handler call, 3 arguments", measure.handler_floor },
  { "fill", "write of one table slot", measure.fill_floor },
  { "loop", "the loop around the moves", measure.loop_floor },
}

function floors.run()
  output.header()
  for _, kind in ipairs(kinds) do
    local times = {}
    for round = 0, measure.settings.rounds do
      local time = kind[3]()
      if round > 0 then
        times[round] = time
      end
    end
    output.row("floors/" .. kind[1], kind[2], { time = measure.summary(times) })
  end
  output.note("the empty method: luaL_checkudata, luaL_checkinteger, two luaL_checknumber, in the same loop")
  output.note("as the moves. Floor of a case = one empty method call + its events x one empty handler call.")
end

return floors
