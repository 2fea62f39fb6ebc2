-- A world seen from outside: what one node or all of them count, where regions are, and viewers of them.
local skynet = require "skynet"
local calls = require "aoi.skynet.calls"
local side_by_side = require "aoi.skynet.side_by_side"

local PATIENCE = 300 -- hundredths of a second that other nodes have for their answer

-- Counts of regions or nodes that have no sum.
local NO_SUM = {
  region = true, tick = true, tick_length = true, dims = true, depth = true, cols = true, rows = true,
  cell_width = true, cell_height = true, longest_chain = true, entities_of_world = true, nodes_silent = true,
}

local function add(sums, counts)
  for name, value in pairs(counts) do
    if math.type(value) and not NO_SUM[name] then
      sums[name] = (sums[name] or 0) + value
    end
  end
end

-- `world` is the table of world.lua. Returns a table with the commands.
return function(world)
  local overview = { commands = {} }
  local commands, map = overview.commands, world.map

  -- The counts of this node, and a table of region and its own.
  local function of_node()
    local result, by_region, list, regions = {}, {}, {}, {}
    for region, address in pairs(world.regions) do
      regions[#regions + 1] = region
      list[#list + 1] = function()
        return calls.call(address, "lua", "stats")
      end
    end
    for i, answer in ipairs(side_by_side(list)) do
      if answer[1] then
        by_region[regions[i]] = answer[2]
        add(result, answer[2])
      end
    end
    for name, value in pairs(world.counters) do
      result[name] = value
    end
    result.tick, result.tick_length = world.told, map.tick
    result.regions, result.entities_of_world = #map:regions_of(map.node), world.directory.count
    result.node_pieces, result.node_bytes = world.nodes.pieces, world.nodes.bytes
    result.node_resent, result.nodes_silent = world.nodes.resent, 0
    for _, state in pairs(world.barrier.state) do
      result.nodes_silent = result.nodes_silent + (state == "silent" and 1 or 0)
    end
    result.mailbox, result.cpu = skynet.mqlen(), (result.cpu or 0) + skynet.stat "cpu" * 1000
    return result, by_region
  end

  -- All answers of nodes as one.
  local function of_world()
    local list = {}
    for node = 1, #map.nodes do
      list[node] = node == map.node and of_node or function()
        if world.barrier.state[node] == "silent" then
          error("is silent", 0)
        end
        return world.nodes.call(node, "stats", "node")
      end
    end
    local answers = side_by_side(list, PATIENCE)
    local result = { by_node = {}, by_region = {} }
    for node, name in ipairs(map.nodes) do
      local answer = answers[node] or { false, "does not answer" }
      result.by_node[name] = answer[2]
      if answer[1] then
        add(result, answer[2])
        result.tick = math.min(result.tick or math.huge, answer[2].tick)
        for region, counts in pairs(answer[3]) do
          counts.node = name
          result.by_region[region] = counts
        end
      end
    end
    local own = result.by_node[map.nodes[map.node]]
    result.tick_length, result.nodes_silent = own.tick_length, own.nodes_silent
    result.entities_of_world = own.entities_of_world
    return result
  end

  -- stats() -> table; of this node and its regions, flat, so that the debug console shows all of it
  -- stats("world") -> table; the same summed over all nodes; by_node: name of a node -> that of the node, or
  --   a text when it does not answer; by_region: region -> that of its service
  function commands.stats(of)
    if of == "world" then
      return of_world()
    elseif of == "node" then
      return of_node() -- for another node
    end
    return (of_node())
  end

  -- regions() -> region -> { node =, and on this node address = }
  function commands.regions()
    local result = {}
    for region = 1, map.count do
      result[region] = { node = map.nodes[map.owners[region]], address = world.regions[region] }
    end
    return result
  end

  -- viewer(region, words...) -> address for a browser; nil and a message when it is refused. Starts a viewer
  -- of the region with these words, on the region's node.
  function commands.viewer(region, ...)
    local node = math.type(region) and map.owners[region]
    if not node then
      return nil, ("viewer: region is %s, expected a whole number from 1 to %d"):format(tostring(region),
        map.count)
    elseif world.regions[region] then
      local ok, viewer = pcall(skynet.newservice, "viewer", world.regions[region], ...)
      if not ok then
        return nil, "viewer: it did not start: its log says why"
      end
      return calls.call(viewer, "lua", "address")
    elseif node == map.node then
      return nil, ("viewer: region %d is on its way to this node"):format(region)
    elseif world.barrier.state[node] == "silent" then
      return nil, ("viewer: node %s is silent"):format(map.nodes[node])
    end
    return world.nodes.call(node, "viewer", region, ...)
  end

  return overview
end
