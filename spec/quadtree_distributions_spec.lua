-- Places that are hard on a quadtree, against the brute-force model: many on one point, lines,
-- the centre, a corner, the map's edge, and leaving in the order that merges most.

local aoi = require "aoi"
require "spec.support.model_queries"
require "spec.support.query_calls" -- says how answers to queries compare
local differential = require "spec.support.differential"
local sequences = require "spec.support.sequences"

local call = sequences.call

local SIZE = 1024
local COUNT = 40

-- name -> function(i): the place of entity i (1 .. COUNT).
local distributions = {
  ["on one point"] = function()
    return 300, 700
  end,
  ["on one line"] = function(i)
    return i * 25, 512
  end,
  ["on the diagonal"] = function(i)
    return i * 25, i * 25
  end,
  ["alternating over the centre"] = function(i)
    local side = i % 2 == 0 and 1 or -1
    return 512 + side * i / 1000, 512 - side * i / 1000
  end,
  ["exactly on the centre lines"] = function(i)
    return i % 2 == 0 and 512 or i * 25, i % 2 == 0 and i * 25 or 512
  end,
  ["in a spiral towards one corner"] = function(i)
    local distance = SIZE * 0.75 ^ i
    return distance * (i % 3) / 2, distance * ((i + 1) % 3) / 2
  end,
  ["on the map's edge"] = function(i)
    local along = i * 25
    local edges = { { along, 0 }, { SIZE, along }, { along, SIZE }, { 0, along } }
    return table.unpack(edges[i % 4 + 1])
  end,
}

-- Orders to leave in: the i-th to leave.
local leave_orders = {
  ["in the order of entering"] = function(i)
    return i
  end,
  ["the last first"] = function(i)
    return COUNT + 1 - i
  end,
  ["every other one, then the rest"] = function(i)
    return i <= COUNT / 2 and 2 * i or 2 * (i - COUNT / 2) - 1
  end,
}

local option_rows = {
  { capacity = 1 },
  { capacity = 2, max_depth = 3 },
  { capacity = 4 },
  {},
}

-- All enter, each steps to and fro over the point it stands on, all trade places, all leave.
local function calls_for(place, leave_order)
  local calls = {}
  local function add(...)
    calls[#calls + 1] = call(...)
  end
  local function move(id, x, y)
    add("move", id, math.max(0, math.min(SIZE, x)), math.max(0, math.min(SIZE, y)))
  end
  for id = 1, COUNT do
    add("enter", id, place(id))
  end
  for id = 1, COUNT do
    local x, y = place(id)
    for _ = 1, 2 do
      move(id, x + 0.5, y + 0.5)
      move(id, x - 0.5, y - 0.5)
    end
  end
  add("query_nearest", 512, 512, 10)
  for id = 1, COUNT do
    move(id, place(COUNT + 1 - id))
  end
  add("query_rect", 0, 0, 512, 512)
  for i = 1, COUNT do
    add("leave", leave_order(i))
  end
  for id = 1, COUNT do
    add("enter", id, place(id))
  end
  add("clear")
  return calls
end

local function sorted_names(rows)
  local names = {}
  for name in pairs(rows) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

-- One walks towards each border, and stays in its quarter.
it("The quadtree tells a step of who stands beyond a border of the walker's quarter", function()
  for _, row in ipairs { { 10, 60, 10, 52, 10, 45 }, { 60, 10, 52, 10, 45, 10 }, { 10, 40, 10, 48, 10, 55 },
    { 40, 10, 48, 10, 55, 10 } } do
    local entered = {}
    local space = aoi.new {
      engine = "quadtree", width = 100, height = 100, radius = 10, capacity = 1,
      on_enter = function(watcher, marker) entered[#entered + 1] = watcher .. " " .. marker end,
    }
    space:enter(1, row[1], row[2])
    space:enter(2, row[5], row[6], { mode = "m" })
    space:move(1, row[3], row[4])
    assert.same({ "1 2" }, entered)
  end
end)

describe("The quadtree, with entities", function()
  for _, place_name in ipairs(sorted_names(distributions)) do
    for _, order_name in ipairs(sorted_names(leave_orders)) do
      it(place_name .. ", leaving " .. order_name, function()
        for index, row in ipairs(option_rows) do
          differential.run {
            seed = index,
            engine = { name = "quadtree" },
            options = {
              engine = "quadtree", width = SIZE, height = SIZE, radius = 40,
              capacity = row.capacity, max_depth = row.max_depth,
            },
            calls = calls_for(distributions[place_name], leave_orders[order_name]),
          }
        end
      end)
    end
  end
end)
