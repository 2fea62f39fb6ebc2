--[[ The walk of a world as batches for move_all: the moves of each step as one flat table, and as one string
of packed rows. They are made before the clock starts, in the order in which worlds.play makes the single
calls. ]]
local worlds = require "bench.worlds"

local batches = {}

-- The steps of a round, each a flat table: what a stand-in for a space is called with.
local function tables_of(world, round)
  local steps, rows, n = {}, {}, 0
  local recorder = {}
  function recorder.move(_, id, x, y)
    rows[n + 1], rows[n + 2], rows[n + 3] = id, x, y
    n = n + 3
  end
  worlds.play(recorder, world, round, function()
    steps[#steps + 1] = rows
    rows, n = {}, 0
  end)
  return steps
end

local function packed(rows)
  local parts = {}
  for at = 1, #rows, 3 do
    parts[#parts + 1] = string.pack("<i8 d d", rows[at], rows[at + 1], rows[at + 2])
  end
  return table.concat(parts)
end

-- { tables = { [1] = steps, [0] = steps }, strings = likewise }: those of odd rounds, which go forward, and
-- of even ones.
function batches.of(world)
  local list = { tables = {}, strings = {} }
  for round = 0, 1 do
    list.tables[round], list.strings[round] = tables_of(world, round), {}
    for step, rows in ipairs(list.tables[round]) do
      list.strings[round][step] = packed(rows)
    end
  end
  return list
end

-- As worlds.play, with a batch for each step, of "tables" or "strings".
function batches.play(kind, space, world, round, after_step)
  for _, rows in ipairs(world.batches[kind][round % 2]) do
    space:move_all(rows)
    after_step(space)
  end
end

-- A batch from one table that the script fills anew for each step, from numbers of its own.
local filled = {}
function batches.play_filled(space, world, round, after_step)
  for _, rows in ipairs(world.batches.tables[round % 2]) do
    local last = #rows
    for at = 1, last, 3 do
      filled[at], filled[at + 1], filled[at + 2] = rows[at], rows[at + 1], rows[at + 2]
    end
    space:move_all(filled, last // 3)
    after_step(space)
  end
end

return batches
