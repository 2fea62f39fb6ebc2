-- The matrix of re-entrancy: every method of a space, called in every kind of handler, in every
-- situation, on every engine. In each cell the events come in order, each pair is told enter (move)*
-- leave, no handler runs inside another one, and in the end all is as the model says.
--
-- There are some 280,000 cells. A 120th is run: an eighth of all that a call, a handler and a situation
-- can be together, each on one of the fifteen engines with a kind of delivery; MATRIX=n in the environment
-- runs an n-th. With SEQUENCES, which shortens the random sequences of other specs, it is a 180th.

local aoi = require "aoi"
local engines = require "spec.support.engines"
local acting_handlers = require "spec.support.acting_handlers"
local calls = require "spec.support.reentrant_calls"
local cells = require "spec.support.reentrancy_cell"
local situations = require "spec.support.reentrancy_situations"

local STRIDE = math.tointeger(tonumber(os.getenv "MATRIX" or os.getenv "SEQUENCES" and 180 or 120))

-- Kinds of delivery, one row each; `extra` are options of the space.
local deliveries = {
  { name = "" },
  { name = ", deferred", extra = { deferred = true } },
  { name = ", of a crowd", extra = { deferred = true, limit = 4, keep_factor = 2, move_budget = 5 } },
}

local has_generations = _VERSION ~= "Lua 5.3"

-- Methods that are not called in the matrix.
local LEFT_OUT = {
}

-- The calls of finalizers.
local FINALIZER_CALLS = {}
for _, call in ipairs(calls) do
  if not call.name:find "refused" and not call.method:find "^query_" then
    FINALIZER_CALLS[#FINALIZER_CALLS + 1] = call
  end
end

local function exists(space, method)
  return debug.getmetatable(space).__index[method] ~= nil
end

-- Runs cells of all calls, of which the first has the number `first`. One message for all that fails.
local function run_cells(engine, delivery, handlers, situation, first)
  local options = engine.options(delivery.extra)
  local failures = {}
  for i, call in ipairs(calls) do
    local number = first + i - 1
    if number % STRIDE == 0 then
      local run = number // STRIDE
      local later = FINALIZER_CALLS[run % #FINALIZER_CALLS + 1]
      local cell = cells.new(options, handlers, call, 1 + run % 3, later)
      if exists(cell.lockstep.space, call.method) then
        situation.run(cell)
        local problem = cell:finish(situation.leaves_rest)
        if problem then
          failures[#failures + 1] = ("%s (turn %d, later %s): %s"):format(call.name, cell.turn,
            later.name, problem)
        end
      end
    end
  end
  assert(#failures == 0, #failures .. " cells fail:\n" .. table.concat(failures, "\n", 1,
    math.min(#failures, 5)))
end

local function classic_only(engine, delivery)
  return engine.exact or delivery.extra
end

describe("the matrix of re-entrancy", function()
  -- Collecting the garbage of a moment is cheap in generational mode.
  setup(function()
    collectgarbage()
    if has_generations then
      collectgarbage "generational"
    end
    cells.Cell.is_generational = has_generations
  end)

  teardown(function()
    if has_generations then
      collectgarbage "incremental"
    end
  end)

  it("has every method", function()
    local called = {}
    for _, call in ipairs(calls) do
      called[call.method] = true
    end
    local space = aoi.new { engine = "crosslist", radius = 1 }
    for method in pairs(debug.getmetatable(space).__index) do
      assert(called[method] or LEFT_OUT[method], method .. " is not in the matrix")
    end
  end)

  local combination = -1 -- of an engine and a delivery; in the next one the same cells have the next numbers
  for _, engine in ipairs(engines.all) do
    for _, delivery in ipairs(deliveries) do
      combination = combination + 1
      local offset = combination
      for h, handlers in ipairs(acting_handlers) do
        if not (handlers.classic and classic_only(engine, delivery)) then
          describe(engine.name .. delivery.name .. ", " .. handlers.name .. ": calls", function()
            for s, situation in ipairs(situations) do
              if not situation.needs_close or coroutine.close then
                it(situation.name, function()
                  run_cells(engine, delivery, handlers, situation, offset + (h * #situations + s) * #calls)
                end)
              end
            end
          end)
        end
      end
    end
  end
end)
