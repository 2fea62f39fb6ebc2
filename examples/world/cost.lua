-- The cost of a world on paper: lua examples/world/cost.lua prints the table of docs/world.md. The constants
-- were measured by world-bench, milliseconds of CPU for one tick of 100 ms, on the machine that the document
-- names. Squares of side 100 are seen, robots walk three units with each move.
local PROCESS, REGION, WORLD = 0.8, 0.4, 0.4 -- skynet, a region, a service world, with nobody in them
local PEER, PEER_OF_SKYNET = 0.11, 0.25 -- for each other node: in the service world, and in skynet's cluster
local MOVE, TOLD = 3.5e-3, 6e-5   -- in a region: a move, and telling it to one who sees it
local COMMAND = 2.1e-3            -- in the service world: a command of an agent of its node
local REMOTE = 2.35e-3            -- on top, when its entity is on another node: on both sides
local GHOST = 1.4e-3              -- a ghost that moves: on both sides
local HAND_OVER = 0.075           -- on both sides
local NEWS = 1e-3                 -- a hand-over becomes known to one node; not measured
local GHOST_BYTES, HAND_OVER_BYTES, NEWS_BYTES, REMOTE_BYTES, TOLD_BYTES = 24, 420, 24, 57, 12
local VIEW, STRIP, STEP = 100, 55, 3
local SCENE = 0.65e-3             -- a scene takes moves itself
local FULL = 50                   -- milliseconds of a service in a tick of 100: it is full

-- players, in view of one, moves of one in a second, nodes, regions of a node, whether agents are on the node
-- of their region
local ROWS = {
  { 4000, 8, 10, 4, 1, true }, { 4000, 8, 10, 4, 1, false },
  { 100000, 8, 10, 8, 4, true }, { 100000, 8, 10, 8, 4, false }, { 100000, 8, 10, 16, 4, false },
  { 100000, 50, 10, 16, 4, false }, { 100000, 50, 10, 16, 64, false },
  { 1000000, 8, 10, 16, 16, true }, { 1000000, 8, 2, 16, 16, true }, { 1000000, 8, 2, 16, 16, false },
  { 2000, 500, 10, 4, 1, false },
}

-- The cost of one row.
local function cost(players, seen, moves_per_second, nodes, regions_of_node, near)
  local moves = moves_per_second / 10 -- in a tick
  local regions = nodes * regions_of_node
  local per_area = seen / VIEW ^ 2
  local side = math.sqrt(players / per_area)         -- of the map
  local lines = math.sqrt(regions) - 1               -- borders across the map, in each direction
  local border, corners = 2 * lines * side, lines ^ 2
  local ghosts = per_area * (2 * STRIP * border + 4 * STRIP ^ 2 * corners)
  local hand_overs = 0.6 * STEP * moves * per_area * border
  local far = near and 0 or players * (1 - 1 / nodes)
  local all_regions = regions * REGION + players * moves * (MOVE + TOLD * seen) + ghosts * moves * GHOST
    + hand_overs * HAND_OVER
  local all_worlds = nodes * (WORLD + (nodes - 1) * PEER) + players * moves * COMMAND + far * moves * REMOTE
    + hand_overs * nodes * NEWS
  local of_skynet = nodes * (PROCESS + (nodes - 1) * PEER_OF_SKYNET)
  local bytes = ghosts * moves * GHOST_BYTES + hand_overs * (HAND_OVER_BYTES + nodes * NEWS_BYTES)
    + far * moves * (REMOTE_BYTES + TOLD_BYTES * seen)
  -- The cost with a scene on each node, without borders.
  local scenes = nodes * (PROCESS + REGION) + players * moves * (MOVE + SCENE + TOLD * seen)
  return {
    side = side / math.sqrt(regions), ghosts = ghosts / players, region = all_regions / regions,
    world = all_worlds / nodes, megabytes = bytes * 10 / nodes / 1e6,
    ratio = (all_regions + all_worlds + of_skynet) / scenes,
  }
end

local function with_commas(number)
  local text = ("%d"):format(number)
  return text:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
end

for _, row in ipairs(ROWS) do
  local players, seen, moves, nodes, regions, near = table.unpack(row)
  local one = cost(table.unpack(row))
  local function time(value)
    return value > FULL and ("**%.0f**"):format(value) or ("%.0f"):format(value)
  end
  print(("| %s | %d | %d | %d × %d | %s | %.0f | %.0f %% | %s | %s | %.1f | %.1f |"):format(
    with_commas(players), seen, moves, nodes, regions, near and "=" or "≠", one.side, one.ghosts * 100,
    time(one.region), time(one.world), one.megabytes, one.ratio))
end
