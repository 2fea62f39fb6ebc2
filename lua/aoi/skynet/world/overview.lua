-- A world seen from outside: what one node or all of them count, where regions are, and viewers of them.
local skynet = require "skynet"
local calls = require "aoi.skynet.calls"
local side_by_side = require "aoi.skynet.side_by_side"

-- Hundredths of a second that other nodes have for their answer, and regions of this one.
local PATIENCE, PATIENCE_HERE = 300, 200

-- Counts of regions or nodes that have no sum; of LARGEST the world has that of the node where it is largest.
local LARGEST = { "oldest_call", "stood" }
local NO_SUM = {
  region = true, tick = true, tick_length = true, dims = true, depth = true, cols = true, rows = true,
  cell_width = true, cell_height = true, longest_chain = true, entities_of_world = true,
}
for _, name in ipairs(LARGEST) do
  NO_SUM[name] = true
end

local function add(sums, counts)
  for name, value in pairs(counts) do
    if math.type(value) and not NO_SUM[name] then
      sums[name] = (sums[name] or 0) + value
    end
  end
end

-- `world` is the table of world.lua; `parts` has lands, of the file of its name. Returns a table with the
-- commands.
return function(world, parts)
  local overview = { commands = {} }
  local commands, map = overview.commands, world.map

  -- The counts of this node, and a table of region and its own.
  local function of_node()
    local result, by_region, list, regions = {}, {}, {}, {}
    for region, address in pairs(parts.lands.regions) do
      regions[#regions + 1] = region
      list[#list + 1] = function()
        return calls.call(address, "lua", "stats")
      end
    end
    local answers = side_by_side(list, PATIENCE_HERE)
    for i = 1, #list do
      local answer = answers[i]
      if answer and answer[1] then
        by_region[regions[i]] = answer[2]
        add(result, answer[2])
      end
    end
    for name, value in pairs(world.counters) do
      result[name] = value
    end
    local member, n, oldest = world.member, 0, world.asking.oldest()
    for _ in pairs(member.directory) do
      n = n + 1
    end
    for _, call in pairs(member.calls.open) do
      oldest = math.min(oldest or math.huge, call.asked)
    end
    result.tick, result.tick_length, result.entities_of_world = member.finished, map.tick, n
    result.regions, result.members = #regions, #member.names
    result.configuration = member.configuration and member.configuration.number or 0
    result.coordinates = world.seat.is_held() and 1 or 0
    result.queued, result.kept = #member.calls.queue, #member.calls.kept
    result.oldest_call, result.stood = oldest and world.now() - oldest or 0, world.stood
    for name, value in pairs(world.timing) do
      result[name] = value
    end
    result.node_pieces, result.node_bytes = world.post.pieces, world.post.bytes
    result.mailbox, result.cpu = skynet.mqlen(), (result.cpu or 0) + skynet.stat "cpu" * 1000
    return result, by_region
  end

  -- All answers of nodes as one.
  local function of_world()
    local list, names = {}, world.member.names
    for i, node in ipairs(names) do
      list[i] = node == map.node and of_node or function()
        return world.call(node, "stats", "node")
      end
    end
    local answers = side_by_side(list, PATIENCE)
    local result = { by_node = {}, by_region = {} }
    for i, name in ipairs(names) do
      local answer = answers[i] or { false }
      result.by_node[name] = answer[2] or "does not answer"
      if answer[1] and answer[2] then
        add(result, answer[2])
        result.tick = math.min(result.tick or math.huge, answer[2].tick)
        for _, count in ipairs(LARGEST) do
          result[count] = math.max(result[count] or 0, answer[2][count])
        end
        for region, counts in pairs(answer[3]) do
          counts.node = name
          result.by_region[region] = counts
        end
      end
    end
    local own = result.by_node[map.node] or of_node()
    for _, name in ipairs { "tick_length", "members", "configuration", "entities_of_world" } do
      result[name] = own[name]
    end
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
    local result, configuration = {}, world.member.configuration
    for region = 1, map.count do
      result[region] = {
        node = configuration and configuration.owners[region], address = parts.lands.regions[region],
      }
    end
    return result
  end

  -- where(id) -> { region =, node = its owner, address = of its agent as regions know it, stream = }; or nil
  -- and a message
  function commands.where(id)
    local known = math.type(id) and world.member.directory[math.tointeger(id)]
    local configuration = world.member.configuration
    if not known or not configuration then
      return nil, configuration and ("where: id %s is not in the space"):format(tostring(id)) or "again"
    end
    local address, stream = world.call_region(known.region, "where", known.id)
    if address == false or address == nil and stream ~= nil then
      return nil, "again" -- on its way, or its owner does not answer
    end
    local node = configuration.owners[known.region]
    return { region = known.region, node = node, address = address, stream = stream }
  end

  -- configuration() -> the one in effect here: number, key, members, owners; nil: none
  function commands.configuration()
    return world.member.configuration
  end

  -- picture_of(region) -> what it owns; for picture.lua
  function commands.picture_of(region)
    return world.call_region(region, "picture")
  end

  -- areas_as_they_are() -> area -> what it is, packed; for picture.lua
  function commands.areas_as_they_are()
    local list = {}
    for id, area in pairs(parts.areas.as_they_are()) do
      list[id] = skynet.packstring(area)
    end
    return list
  end

  -- A viewer of a service, with the words for it, whose counts are those of this node.
  local function start_viewer(address, ...)
    local ok, viewer = pcall(skynet.newservice, "viewer", address, "stats=" .. skynet.self(), ...)
    if not ok then
      return nil, "viewer: it did not start: its log says why"
    end
    return calls.call(viewer, "lua", "address")
  end

  local picture -- the service of picture.lua; nil: nobody has wanted it; false: it is being started

  local function get_picture()
    while picture == false do
      skynet.sleep(1)
    end
    if not picture then
      picture = false
      local ok, address = pcall(skynet.newservice, "picture", skynet.self(), table.unpack(world.words))
      picture = ok and address or nil
    end
    return picture
  end

  -- viewer(region, words...) -> address for a browser; nil and a message when it is refused. Starts a viewer
  -- of the region with these words, on the region's node. region "world": of all of them, on this node.
  function commands.viewer(region, ...)
    if region == "world" then
      local address = get_picture()
      if not address then
        return nil, "viewer: the picture of the world did not start: its log says why"
      end
      return start_viewer(address, ...)
    end
    local configuration = world.member.configuration
    local node = math.type(region) and configuration and configuration.owners[region]
    local until_then = skynet.now() + PATIENCE
    while node == map.node and not parts.lands.regions[region] and skynet.now() < until_then do
      skynet.sleep(5) -- its service is about to begin
    end
    if not node then
      return nil, ("viewer: region is %s, expected a whole number from 1 to %d"):format(tostring(region),
        map.count)
    elseif parts.lands.regions[region] then
      return start_viewer(parts.lands.regions[region], ...)
    elseif node == map.node then
      return nil, ("viewer: region %d is on its way to this node"):format(region)
    end
    return world.call(node, "viewer", region, ...)
  end

  return overview
end
