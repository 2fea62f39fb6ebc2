-- The script of refuse_lua for core.moves: lets every allocation of every call fail once. Afterwards the
-- moves that wait are as if the call had not been, or had been whole.
-- luacheck: globals refusing
local core = require "aoi.core"

local ENTITIES, MOST_TRIES = 60, 40

local refusals = 0

-- Some that are open, and some moves that wait.
local function new()
  local moves = core.moves(2)
  for id = 1, ENTITIES do
    moves:open(id, id % 3 + 1, 1, 1)
    moves:put(1, id, id, 0)
  end
  return moves
end

local function text_of(list)
  local parts = {}
  for _, value in ipairs(list) do
    parts[#parts + 1] = tostring(value)
  end
  return table.concat(parts, " ")
end

local undisturbed = text_of(new():drain())

-- Fails unless `expected` holds of the moves that wait, by whether the call was refused.
local function try(call, expected)
  for n = 1, MOST_TRIES do
    local moves = new()
    local refused, ok, result = refusing(n, false, call, moves)
    refusals = refusals + refused
    if not ok then
      assert(result == "not enough memory", result)
    end
    assert(expected(moves, ok, result))
  end
end

try(new().drain, function(moves, ok, list)
  return text_of(ok and list or moves:drain()) == undisturbed and #moves:drain() == 0
end)

-- As many as make both of its arrays grow.
try(function(moves)
  for id = ENTITIES + 1, 10 * ENTITIES do
    if not (moves:open(id, 1, 1, 1) and moves:put(1, id, 0, 0)) then
      return id
    end
  end
end, function(moves, ok, stopped)
  assert(ok)
  local n, list = 0, moves:drain()
  for at = 4, #list, 4 do
    n = n + list[at]
  end
  return n == (stopped or 10 * ENTITIES + 1) - 1
end)

try(function()
  return core.moves(3)
end, function() return true end)

assert(refusals > 10)
print(("moves that wait: %d allocations refused"):format(refusals))
