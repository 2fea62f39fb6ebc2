-- Questions of one process of a world to others, and to regions. Each has an answer: `unknown` when the
-- process that was asked is no member any more, or has not answered for long.
local skynet = require "skynet"
local cluster = require "skynet.cluster"
local calls = require "aoi.skynet.calls"

-- `world` is the table of world.lua; `parts` has lands, of the file of its name. patience: milliseconds
-- after which there is an answer. Returns a table with functions.
return function(world, parts, patience)
  local asking = {}
  local open = {} -- set of { key = of the process that is asked, since = when, result = as of table.pack }

  local function answer(one, result)
    one.result = one.result or result
    skynet.wakeup(one)
  end

  local UNKNOWN = { false }

  -- Returns what f returns, which asks the process with this key; nil and "unknown" when there is no answer.
  -- key false: of any process, member or not, which may take its time.
  local function ask(key, f, ...)
    local one, arguments = { key = key, since = world.now() }, table.pack(...)
    open[one] = true
    skynet.fork(function()
      answer(one, table.pack(pcall(f, table.unpack(arguments, 1, arguments.n))))
    end)
    while not one.result do
      skynet.wait(one)
    end
    open[one] = nil
    if not one.result[1] then
      return nil, "unknown"
    end
    return table.unpack(one.result, 2, one.result.n)
  end

  -- A configuration begins, with processes of these keys; nil: this process is no member any more.
  function asking.begin(keys)
    for one in pairs(open) do
      if one.key and not (keys and keys[one.key]) then
        answer(one, UNKNOWN)
      end
    end
  end

  -- Called as often as processes look at their timers.
  function asking.wake()
    local limit = world.now() - patience
    for one in pairs(open) do
      if one.key and one.since <= limit then
        answer(one, UNKNOWN)
      end
    end
  end

  -- When the oldest question was asked that waits for its answer, but for those of operators, which may take
  -- their time; nil: none does. Grows with these.
  function asking.oldest()
    local oldest
    for one in pairs(open) do
      oldest = one.key and math.min(oldest or one.since, one.since) or oldest
    end
    return oldest
  end

  -- Asks the world of another node, a member: a command as of an agent that calls.
  function asking.call(node, ...)
    return ask(world.member.key_of[node] or "?", cluster.call, node, "@" .. world.map.name, ...)
  end

  -- Asks the coordinator's node for a command of an operator.
  function asking.call_coordinator(node, ...)
    local key = world.member.coordinator_keys[node]
    if not key then
      return nil, "again" -- nothing has been heard of it yet
    end
    return ask(false, cluster.call, node, "@" .. world.map.name, "fellow", key, "of_coordinator", ...)
  end

  -- As `call`, for a command of `of_fellows`: only a member can ask for those, by the key of the other one.
  function asking.call_fellow(node, ...)
    return asking.call(node, "fellow", world.member.key_of[node], ...)
  end

  -- Calls a region (nil: any), wherever it is.
  function asking.call_region(region, command, ...)
    local configuration, regions = world.member.configuration, parts.lands.regions
    region = region or next(regions) or configuration and next(configuration.owners)
    local address, node = regions[region], configuration and configuration.owners[region]
    if address then
      return ask(world.key, calls.call, address, "lua", command, ...)
    elseif node and node ~= world.map.node then
      return asking.call_fellow(node, "call_region", region, command, ...)
    end
    return nil, "again"
  end

  return asking
end
