-- Step 3 of docs/tutorial.md: one packet for each player and tick, and a client that reads it.
local aoi = require "aoi"
local ANNA, WOLF = 1, 100

local meadow
local function write(left, nl, entered, ne, moved, nm)
  local parts = { ("<I2I2I2"):pack(nl, ne, nm) }
  for i = 1, nl do
    parts[#parts + 1] = ("<i8"):pack(left[i])
  end
  for _, list in ipairs { { entered, ne }, { moved, nm } } do
    local ids, n = list[1], list[2]
    local places = meadow:positions(ids, n)    -- x, y, x, y, ...
    for i = 1, n do
      parts[#parts + 1] = ("<i8ff"):pack(ids[i], places[2 * i - 1], places[2 * i])
    end
  end
  return table.concat(parts)
end

local known = {}                               -- what Anna's client knows: id -> place
local function read(packet)
  local nl, ne, nm, at = ("<I2I2I2"):unpack(packet)
  for _ = 1, nl do
    local id
    id, at = ("<i8"):unpack(packet, at)
    known[id] = nil
  end
  for _ = 1, ne + nm do
    local id, x, y
    id, x, y, at = ("<i8ff"):unpack(packet, at)
    known[id] = x .. ", " .. y
  end
  print(#packet .. " bytes; the wolf is at " .. tostring(known[WOLF]))
end

meadow = aoi.new {
  radius = 50, deferred = true,
  on_view = function(_, ...) read(write(...)) end,
}
meadow:enter(ANNA, 0, 0)
meadow:enter(WOLF, 40, 0, { mode = "m" })      -- no client: nobody reads what it sees
for _, x in ipairs { 40, 30, 30, 90 } do
  meadow:move(WOLF, x, 0)
  meadow:tick()
end
