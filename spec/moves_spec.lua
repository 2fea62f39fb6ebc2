-- core.moves: moves that wait for a tick, and core.rows_outside.
local core = require "aoi.core"
local fails = require "spec.support.fails"
local new_random = require("spec.support.random").new

local pack = string.pack

-- A number as skynet writes it.
local function number(value)
  if math.type(value) == "float" then
    return pack("=Bd", 2 | 8 << 3, value)
  elseif value == 0 then
    return pack("B", 2)
  elseif value > 0 and value < 0x100 then
    return pack("=BB", 2 | 1 << 3, value)
  elseif value > 0 and value < 0x10000 then
    return pack("=BI2", 2 | 2 << 3, value)
  elseif value >= -0x80000000 and value < 0x80000000 then
    return pack("=Bi4", 2 | 4 << 3, value)
  end
  return pack("=Bi8", 2 | 6 << 3, value)
end

local function move_message(...)
  local text = pack("B", 4 | 4 << 3) .. "move"
  for _, value in ipairs { ... } do
    text = text .. number(value)
  end
  return text
end

local LUA = 10 -- a type of messages

-- Has the moves take a message that was sent; returns whether they did. Nobody else may get a message that
-- they took.
local function take(moves, source, message, size)
  local is_taken = true
  local function pass_on()
    is_taken = false
    return true
  end
  moves:taker(LUA, pass_on, pass_on)(LUA, message, size or message and #message or 0, 0, source)
  return is_taken
end

local function put(moves, source, ...)
  return take(moves, source, move_message(...))
end

-- lane -> list of { id, source, x, y [, z] }, as drain gives them.
local function drained(moves, dims)
  local row, lanes = "<i8" .. ("d"):rep(dims), {}
  local list = moves:drain()
  assert.equal(0, #list % 4)
  for at = 1, #list, 4 do
    local lane, rows, sources, n = table.unpack(list, at, at + 3)
    assert.equal(n * row:packsize(), #rows)
    assert.equal(n * 4, #sources)
    lanes[lane] = {}
    for i = 1, n do
      local values = { row:unpack(rows, (i - 1) * row:packsize() + 1) }
      values[#values] = nil
      table.insert(values, 2, (("<I4"):unpack(sources, 4 * i - 3)))
      lanes[lane][i] = values
    end
  end
  return lanes
end

describe("moves that wait", function()
  it("are taken from skynet's messages, with every kind of number", function()
    local moves = core.moves(2)
    local ids = { 0, 7, 255, 256, 65535, 65536, -1, -70000, 0x7FFFFFFF, 0x80000000, math.mininteger,
      math.maxinteger }
    local expected = {}
    for i, id in ipairs(ids) do
      assert.is_true(moves:open(id, 1, 5, 6))
      local x, y = i % 2 == 0 and id or i + 0.5, i % 3 == 0 and -i or 0
      assert.is_true(take(moves, 5 + i % 2, move_message(id, x, y)))
      expected[i] = { id, 5 + i % 2, x + 0.0, y + 0.0 }
    end
    assert.same({ expected }, drained(moves, 2))
    assert.same({}, moves:drain())
  end)

  it("have three coordinates in three dimensions", function()
    local moves = core.moves(3)
    moves:open(9, 4, 1, 1)
    assert.is_true(take(moves, 1, move_message(9, 1.5, 2, 3)))
    assert.is_false(take(moves, 1, move_message(9, 1.5, 2)))
    assert.is_true(put(moves, 1, 9, 4, 5, 6.5))
    assert.same({ [4] = { { 9, 1, 4.0, 5.0, 6.5 } } }, drained(moves, 3))
  end)

  it("are not taken when a message is anything else", function()
    local moves = core.moves(2)
    moves:open(1, 1, 5, 5)
    local good = move_message(1, 2, 3.5)
    for size = 0, #good - 1 do
      assert.is_false(take(moves, 5, good:sub(1, size)))
    end
    for _, text in ipairs {
      good .. "\0", move_message(1, 2, 3, 4), (good:gsub("move", "mova")), (good:gsub("move", "mov")),
      move_message(1.0, 2, 3), move_message(1, 0 / 0, 3), move_message(1, 2, math.huge),
      move_message(2, 2, 3),
      pack("B", 4 | 4 << 3) .. "move" .. pack("B", 1) .. number(2) .. number(3),
      pack("B", 4 | 4 << 3) .. "move" .. pack("BB", 2 | 3 << 3, 1) .. number(2) .. number(3),
      move_message(1, 2) .. pack("B", 4 | 1 << 3) .. "3",
    } do
      assert.is_false(take(moves, 5, text))
    end
    assert.is_false(take(moves, 6, good)) -- somebody else's
    assert.is_false(take(moves, 5, nil, 100))
    assert.is_true(take(moves, 5, good))
    assert.same({ { { 1, 5, 2.0, 3.5 } } }, drained(moves, 2))
  end)

  it("go elsewhere when they are not taken", function()
    local moves, went = core.moves(2), {}
    local taker = moves:taker(LUA, function(source, id, x, y, more)
      went[#went + 1] = { "move", source, id, x, y, more }
      return id ~= 3
    end, function(...)
      went[#went + 1] = { "dispatch", ... }
    end)
    moves:open(1, 1, 5, 5)
    local good, other, third = move_message(1, 2, 3.5), move_message(2, 4, 5), move_message(3, 4, 5)
    taker(LUA, good, #good, 0, 5)    -- taken
    taker(LUA, good, #good, 0, 6)    -- somebody else's
    taker(LUA, other, #other, 0, 5)  -- of one without a lane
    taker(LUA, third, #third, 0, 5)  -- of one that is not wanted so either
    taker(LUA, good, #good, 17, 5)   -- a call
    taker(LUA + 1, good, #good, 0, 5)
    taker(LUA, nil, 0, 0, 5)
    assert.same({
      { "move", 6, 1, 2.0, 3.5 }, { "move", 5, 2, 4.0, 5.0 },
      { "move", 5, 3, 4.0, 5.0 }, { "dispatch", LUA, third, #third, 0, 5 },
      { "dispatch", LUA, good, #good, 17, 5 }, { "dispatch", LUA + 1, good, #good, 0, 5 },
      { "dispatch", LUA, nil, 0, 0, 5 },
    }, went)
    assert.same({ { { 1, 5, 2.0, 3.5 } } }, drained(moves, 2))
    fails("taker: self is", moves.taker, {}, LUA, print, print)
    fails("taker: type is 256", moves.taker, moves, 256, print, print)
    assert.is_false(pcall(moves.taker, moves, LUA, print))
  end)

  it("go where their entity belongs when they are taken out", function()
    local moves = core.moves(2)
    for id = 1, 4 do
      moves:open(id, 1, 1, 1)
      put(moves, 1, id, id, 0)
    end
    moves:open(2, 7, 1, 1)
    moves:close(3)
    assert.is_false(put(moves, 1, 3, 0, 0))
    put(moves, 1, 2, 5, 5)
    assert.same({
      [0] = { { 3, 1, 3.0, 0.0 } }, [1] = { { 1, 1, 1.0, 0.0 }, { 4, 1, 4.0, 0.0 } },
      [7] = { { 2, 1, 5.0, 5.0 } },
    }, drained(moves, 2))
    put(moves, 1, 1, 0, 0)
    moves:close_all()
    assert.is_false(put(moves, 1, 1, 0, 0))
    assert.same({ [0] = { { 1, 1, 0.0, 0.0 } } }, drained(moves, 2))
  end)

  it("find their entity again when that is opened anew, though the table has grown meanwhile", function()
    local moves = core.moves(2)
    for id = 1, 8 do
      moves:open(id, 1, 1, 1)
      put(moves, 1, id, id, 0)
    end
    moves:close_all()
    for id = 101, 400 do
      moves:open(id, 2, 1, 1)
    end
    moves:open(3, 5, 1, 1)
    assert.is_true(put(moves, 1, 3, 30, 0))
    local lanes = drained(moves, 2)
    assert.same({ { 3, 1, 30.0, 0.0 } }, lanes[5])
    assert.equal(7, #lanes[0])
  end)

  it("are as many as the entities, however long a tick takes", function()
    local moves = core.moves(2)
    for id = 1, 3 do
      moves:open(id, 1, 1, 2)
    end
    for step = 1, 1000 do
      assert.is_true(put(moves, 1 + step % 2, step % 3 + 1, step, -step))
    end
    assert.same({ { { 2, 1, 1000.0, -1000.0 }, { 3, 1, 998.0, -998.0 }, { 1, 2, 999.0, -999.0 } } },
      drained(moves, 2))
    for i = 1, 5 do
      put(moves, 1, 3, i, 1)
    end
    assert.equal(4, select(2, moves:drain()))
    put(moves, 1, 3, 1, 1)
    assert.same({ { { 3, 1, 1.0, 1.0 } } }, drained(moves, 2))
    assert.equal(0, select(2, moves:drain()))
  end)

  it("are as a table would have them, with many entities that come and go", function()
    local random, moves = new_random(3), core.moves(2)
    local lanes, waiting = {}, {}
    for step = 1, 20000 do
      local id = random:integer(1, 300) * 0x10000 + step // 5000
      local what = random:integer(1, 10)
      if what <= 3 then
        lanes[id] = random:integer(1, 5)
        moves:open(id, lanes[id], 1, 1)
      elseif what == 4 then
        lanes[id] = nil
        moves:close(id)
      elseif what < 10 then
        local is_taken = put(moves, 1, id, step, -step)
        assert(is_taken == (lanes[id] ~= nil))
        local at = is_taken and #waiting + 1
        for i, move in ipairs(is_taken and waiting or {}) do
          at = move[1] == id and i or at
        end
        if at then
          waiting[at] = { id, 1, step + 0.0, -step + 0.0 }
        end
      elseif random:integer(1, 20) == 1 then
        local expected = {}
        for _, move in ipairs(waiting) do
          local lane = lanes[move[1]] or 0
          expected[lane] = expected[lane] or {}
          table.insert(expected[lane], move)
        end
        waiting = {}
        assert.same(expected, drained(moves, 2))
      end
    end
  end)

  -- A finalizer that runs in the middle of drain, at its n-th chance, while memory is taken: at first for
  -- what drain works with, later for what it returns.
  it("all go on waiting when a finalizer takes a move, or takes all out, in the middle of drain", function()
    local MOVES = 30000
    local has_generations = _VERSION ~= "Lua 5.3"
    local complaints = {}
    local function drain_interrupted(chance, interrupt)
      local moves = core.moves(2)
      local taker = moves:taker(LUA, error, error)
      for id = 1, MOVES do
        local message = move_message(id, 2, 3)
        moves:open(id, 1, 1, 1)
        taker(LUA, message, #message, 0, 1)
      end
      moves:open(MOVES + 1, 1, 1, 1)
      local runs, taken_out = 0, 0
      local function leave_garbage()
        setmetatable({}, { __gc = function()
          runs = runs + 1
          if runs == chance then
            taken_out = interrupt(moves)
          elseif runs < chance then
            leave_garbage()
          end
        end })
      end
      collectgarbage()
      if has_generations then
        collectgarbage("generational", 1, 1000) -- at each hundredth of memory that is taken
      end
      leave_garbage()
      collectgarbage "stop"
      collectgarbage "restart"
      local ok, complaint = pcall(moves.drain, moves)
      chance = 0
      if has_generations then
        collectgarbage("generational", 20, 100)
        collectgarbage "incremental"
      end
      if not ok then
        complaints[complaint] = true
        local list = moves:drain()
        assert.equal(MOVES - taken_out, list[4] or 0)
      end
    end
    for chance = 1, 4 do
      drain_interrupted(chance, function(moves)
        assert.is_true(put(moves, 1, MOVES + 1, 4, 5))
        return -1
      end)
      drain_interrupted(chance, function(moves)
        local list = moves:drain()
        assert.equal(MOVES, list[4])
        return MOVES
      end)
    end
    if _VERSION == "Lua 5.4" then -- others have their own chances
      assert.same({
        ["drain: moves came in between"] = true, ["drain: moves were taken out in between"] = true,
      }, complaints)
    end
  end)

  it("are collected once, and nothing else by their name", function()
    assert.has_no.errors(function()
      local collect = getmetatable(core.moves(2)).__gc
      collect {}
      collect(io.stdout)
      local moves = core.moves(2)
      put(moves, 1, 1, 2, 3)
      collect(moves)
      collect(moves)
    end)
  end)

  it("complain of what is no argument", function()
    local moves = core.moves(2)
    fails("moves: dims is 1, expected 2 or 3", core.moves, 1)
    fails("moves: dims is 4, expected 2 or 3", core.moves, 4)
    fails("open: lane is 0, expected a whole number from 1 up", moves.open, moves, 1, 0, 1, 1)
    fails("open: id is 1.5, expected an integer", moves.open, moves, 1.5, 1, 1, 1)
    fails("drain: self is", moves.drain, io.stdout)
    fails("drain: self is", moves.drain, {})
  end)
end)

describe("rows outside a rectangle", function()
  local function rows(list)
    local text = ""
    for _, row in ipairs(list) do
      text = text .. ("<i8dd"):pack(table.unpack(row))
    end
    return text
  end

  it("are those that are not well inside", function()
    local text = rows {
      { 1, 5, 5 }, { -2, 0, 5 }, { 3, 10, 5 }, { 4, 5, -1 }, { 5, 5, 10 }, { 6, 9.9999999, 5 },
    }
    assert.same({ -2, 3, 4, 5, 6 }, core.rows_outside(text, 2, 0, 0, 10, 10))
    assert.same({ -2, 3, 6 }, core.rows_outside(text, 2, 0, -math.huge, 10, math.huge))
    assert.same({ 8 }, core.rows_outside(("<i8ddd"):pack(8, 1, 11, 0), 3, 0, 0, 10, 10))
    assert.same({}, core.rows_outside("", 2, 0, 0, 1, 1))
  end)

  it("are whole rows", function()
    fails("rows_outside: rows is", core.rows_outside, "123", 2, 0, 0, 1, 1)
    fails("rows_outside: rows is", core.rows_outside, {}, 2, 0, 0, 1, 1)
  end)
end)
