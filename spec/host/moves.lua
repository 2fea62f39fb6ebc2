-- The script of refuse_lua for core.moves: lets every allocation of every call fail once. Afterwards the
-- moves that wait are as if the call had not been, or had been whole.
-- luacheck: globals refusing
local core = require "aoi.core"

local ENTITIES, MOST_TRIES = 60, 40

local LUA = 10 -- a type of messages

local refusals = 0

-- Messages as skynet writes them, by the id of who moves.
local messages = {}
for id = 1, 10 * ENTITIES do
  messages[id] = string.pack("=Bc4BI2BI2B", 4 | 4 << 3, "move", 2 | 2 << 3, id, 2 | 2 << 3, id, 2)
end

-- Some that are open, and some moves that wait; and a function that says whether the move of an id is taken.
local function new()
  local moves, is_taken = core.moves(2), true
  local function pass_on()
    is_taken = false
    return true
  end
  local take = moves:taker(LUA, pass_on, pass_on)
  local function put(id)
    is_taken = true
    take(LUA, messages[id], #messages[id], 0, 1)
    return is_taken
  end
  for id = 1, ENTITIES do
    moves:open(id, id % 3 + 1, 1, 1)
    assert(put(id))
  end
  return moves, put
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
    local moves, put = new()
    local refused, ok, result = refusing(n, false, call, moves, put)
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
try(function(moves, put)
  for id = ENTITIES + 1, 10 * ENTITIES do
    if not (moves:open(id, 1, 1, 1) and put(id)) then
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
