-- The commands of a world for those who run it: regions move, nodes come and go, the first configuration is
-- made with those that are there. Each node takes them, and has the coordinator's node carry them out.
local skynet = require "skynet"
local side_by_side = require "aoi.skynet.side_by_side"

local WAY = 1000 -- milliseconds that the answer of the coordinator's node has, when that has its own

-- `world` is the table of world.lua.
return function(world)
  local commands = {}
  local map = world.map

  local PATIENCE = 4 * map.silence + 4000 -- milliseconds: as long as two failures may take

  -- Waits until done() says so, for that long. Returns whether it did.
  local function wait_until(done)
    local limit = world.now() + PATIENCE
    while not done() do
      if world.now() > limit then
        return false
      end
      skynet.sleep(1)
    end
    return true
  end

  -- The configuration in effect, as far as is known here; nil: none.
  local function in_effect()
    return world.seat.configuration() or world.member.configuration
  end

  local function member(name)
    local configuration = in_effect()
    for _, one in ipairs(configuration and configuration.members or {}) do
      if one.name == name then
        return one
      end
    end
  end

  -- How many regions a node has.
  local function regions_of(name)
    local n, configuration = 0, in_effect()
    for _, owner in pairs(configuration and configuration.owners or {}) do
      n = n + (owner == name and 1 or 0)
    end
    return n
  end

  -- migrate(region, node) -> true, milliseconds for which the world stood; or nil and a message. The node:
  -- its name.
  function commands.migrate(region, name)
    local configuration = world.member.configuration
    if math.type(region) ~= "integer" or region < 1 or region > map.count then
      return nil, ("migrate: region is %s, expected a whole number from 1 to %d"):format(tostring(region),
        map.count)
    elseif not configuration then
      return nil, "migrate: again"
    elseif not member(name) then
      return nil, ("migrate: node is %s, expected a member of the world"):format(tostring(name))
    elseif configuration.owners[region] == name then
      return true, 0
    end
    local takes_regions = world.seat.ask("takes_regions", name)
    if not takes_regions then
      return nil, takes_regions == false and ("migrate: node %s takes no regions"):format(name)
        or "migrate: again"
    end
    world.seat.want("migrate", region, name)
    local is_there = wait_until(function()
      local now = world.member.configuration
      return now and now.owners[region] == name
    end)
    if not is_there then
      return nil, ("migrate: region %d has not moved to node %s"):format(region, name)
    end
    return true, world.stood
  end

  -- add_node(node) -> true: it is a member, also one that was drained; or nil and a message
  function commands.add_node(name)
    if type(name) ~= "string" or name == "" then
      return nil, ("add_node: node is %s, expected a name"):format(tostring(name))
    end
    world.seat.want("add", name)
    local is_member = wait_until(function()
      local configuration = in_effect()
      return member(name) and not (configuration.drained and configuration.drained[name])
    end)
    if not is_member then
      return nil, ("add_node: node %s has not joined: its log says why"):format(name)
    end
    return true
  end

  -- drain_node(node) -> true: its regions have moved, and it is no member any more; true and a message: it is
  -- the coordinator's, which stays; or nil and a message
  function commands.drain_node(name)
    if not member(name) then
      return nil, ("drain_node: node is %s, expected a member of the world"):format(tostring(name))
    end
    if regions_of(name) > 0 and not world.seat.ask("has_taker", name) then
      return nil, ("drain_node: node %s stays: no other node takes its regions"):format(name)
    end
    world.seat.want("drain", name)
    local stays = name == map.coordinator
    local is_done = wait_until(function()
      return in_effect() and (stays and regions_of(name) == 0 or not member(name))
    end)
    if not is_done then
      world.seat.want("add", name)
      return nil, ("drain_node: node %s stays: the world stands"):format(name)
    end
    return true, stays and "the coordinator's node stays: only its regions have gone" or nil
  end

  -- begin() -> true: the first configuration may be made without nodes that are missing; or nil and a message
  function commands.begin()
    if world.seat.configuration() then
      return nil, "begin: the world has begun"
    end
    world.seat.want "begin"
    return true
  end

  -- Carries out a command of the name, if the coordinator is here.
  local function carry_out(name, ...)
    if world.seat.is_held() then
      return commands[name](...)
    end
    return nil, name .. ": again"
  end

  local function ask_coordinator(node, name, ...)
    local arguments = table.pack(...)
    local answer = side_by_side({ function()
      return world.asking.call_coordinator(node, name, table.unpack(arguments, 1, arguments.n))
    end }, (PATIENCE + WAY) // 10)[1]
    local is_lost = not answer or answer[2] == nil and answer[3] == "unknown"
    if is_lost or answer[2] == nil and answer[3] == "again" then
      return nil, name .. (is_lost and ": unknown" or ": again")
    end
    return table.unpack(answer, 2, answer.n)
  end

  -- They go to the coordinator's node.
  local result = { commands = {}, carry_out = carry_out }
  for name in pairs(commands) do
    result.commands[name] = function(...)
      local node = world.seat.node()
      if not node or node == map.node then
        return carry_out(name, ...)
      end
      return ask_coordinator(node, name, ...)
    end
  end
  return result
end
