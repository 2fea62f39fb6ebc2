-- What a world is asked: queries over one or several regions, and counts of one node or all.
local skynet = require "skynet"

-- `world` is the table of world.lua. Returns a table with the commands that ask.
return function(world)
  local queries = { commands = {} }
  local commands = queries.commands
  local map = world.map

  -- stats() -> table; of this node and its regions, flat, so that the debug console shows all of it
  function commands.stats()
    local result = {}
    for _, address in pairs(world.regions) do
      for name, value in pairs(skynet.call(address, "lua", "stats")) do
        if math.type(value) then
          result[name] = (result[name] or 0) + value
        end
      end
    end
    for name, value in pairs(world.counters) do
      result[name] = value
    end
    result.world_tick, result.tick = world.told, map.tick
    result.regions, result.entities_of_world = #map:regions_of(map.node), world.directory.count
    result.node_pieces, result.node_bytes = world.nodes.pieces, world.nodes.bytes
    result.mailbox, result.cpu = skynet.mqlen(), (result.cpu or 0) + skynet.stat "cpu"
    return result
  end

  return queries
end
