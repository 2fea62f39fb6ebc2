-- The scene that one writes without this module, for bench.lua: a nine-grid in plain Lua that looks at each
-- step when it comes, and sends a message for each event. Its arguments: side of the map, size of a cell.
local skynet = require "skynet"
local plain_nine_grid = require "bench.plain_nine_grid"

local side, cell = ...
side, cell = tonumber(side), tonumber(cell)

local TICK = 0.1 -- seconds: what the counts are told for

local cells = math.max(1, math.floor(side / cell))
local agents = {} -- id -> address
local counts = { messages = 0, bytes_sent = 0, moves = 0, events = 0 }
local began = skynet.hpc()
local grid

local function tell(watcher, marker, op)
  counts.events = counts.events + 1
  local message, size
  if op == "leave" then
    message, size = skynet.pack("aoi_leave", marker)
  else
    local entity = grid.entities[marker]
    message, size = skynet.pack("aoi_" .. op, marker, entity.x, entity.y)
  end
  counts.messages, counts.bytes_sent = counts.messages + 1, counts.bytes_sent + size
  skynet.rawsend(agents[watcher], "lua", message, size)
end

grid = plain_nine_grid.new(side, side, cells, cells, tell)

local COMMAND = {}

function COMMAND.enter(address, id, x, y)
  agents[id] = address
  grid:enter(id, x, y)
end

function COMMAND.move(_, id, x, y)
  counts.moves = counts.moves + 1
  grid:move(id, x, y)
end

-- The counts that a scene has, too.
function COMMAND.stats()
  local stats = { ticks = (skynet.hpc() - began) / 1e9 / TICK, cpu = skynet.stat "cpu" * 1000,
    ticks_skipped = 0, stored = 0 }
  for name, count in pairs(counts) do
    stats[name] = count
  end
  skynet.retpack(stats)
end

skynet.start(function()
  skynet.dispatch("lua", function(_, address, command, ...)
    COMMAND[command](address, ...)
  end)
end)
