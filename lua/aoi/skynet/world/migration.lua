-- Moving a region of a world to another node, while all nodes hold their clocks.
--
-- The owner announces it just before its message of a tick t. Each node that has told t begins no other tick,
-- and says so: whatever t has for the region is at its owner then. The owner saves the region and sends the
-- string to the new node, which starts a region with it. When that says so, the owner tells all nodes who has
-- the region from now on (world/claims.lua), and all go on. Until then, whatever fails, the owner calls it
-- off, and all go on as before; when the owner is silent, they do so by themselves.
local skynet = require "skynet"
local calls = require "aoi.skynet.calls"

-- Hundredths of a second.
local MOST_HOLD = 300  -- until all nodes hold their clocks
local MOST_LOAD = 1000 -- until the region is loaded on the new node
local SIGN = 25        -- between two signs of life of a node that holds its clock

local PART = 30000 -- bytes of a saved region in a message, so that each goes in one piece

-- `world` is the table of world.lua; `parts` has ticks, messages, commands and claims, of the files of those
-- names.
return function(world, parts)
  local migration = {}
  local map = world.map
  local own = map.node

  local going      -- the migration of a region of ours, see `migrate`
  local holds = {} -- node -> { region, version, tick, heard, is_told }: what others have announced
  local coming     -- { from, region, version, list, service, late, is_loaded }: a region that comes to us

  local function tell(node, ...)
    world.nodes.send(node, skynet.packstring("migration", ...))
  end

  -- Of a region that is not ours after all.
  local function end_service(service)
    if service then
      skynet.send(service, "lua", "moved")
      skynet.send(service, "debug", "EXIT")
    end
  end

  -- ---- holding the clock ----------------------------------------------------------------------

  -- Whether no tick may begin.
  function migration.is_held()
    local is_held = going and going.is_held or parts.claims.is_any_missing()
    for _, hold in pairs(holds) do
      is_held = is_held or world.told >= hold.tick
    end
    return is_held
  end

  local is_signing = false

  -- A node that holds its clock sends no messages of ticks: others must not take it for silent.
  local function sign()
    is_signing = migration.is_held()
    if is_signing then
      skynet.timeout(SIGN, sign)
      for node, state in pairs(world.barrier.state) do
        if state ~= "silent" then
          tell(node, "sign")
        end
      end
    end
  end

  local function look_at_holds()
    for node, hold in pairs(holds) do
      if world.told >= hold.tick and not hold.is_told then
        hold.is_told = true
        tell(node, "held", hold.region, hold.version)
      end
    end
    if not is_signing and migration.is_held() then
      is_signing = true
      skynet.timeout(SIGN, sign)
    end
  end

  -- ---- at the owner ---------------------------------------------------------------------------

  local function wake(this)
    local waits = this.waits
    if waits then
      this.waits = nil -- woken once
      skynet.wakeup(waits)
    end
  end

  -- Waits for at most so many hundredths of a second. Returns whether it is done.
  local function wait_until(this, limit, done)
    local deadline = skynet.now() + limit
    skynet.timeout(limit, function() wake(this) end)
    while not (done() or this.problem) and skynet.now() < deadline do
      this.waits = coroutine.running()
      skynet.wait(this.waits)
    end
    return not this.problem and done()
  end

  -- Has the region loaded on its new node. Returns nil, or why it is not.
  local function send_region(this)
    if not wait_until(this, MOST_HOLD, function() return not next(this.missing) end) then
      local node = next(this.missing)
      return ("node %s does not hold its clock"):format(map.nodes[node] or "?")
    end
    local ok, text, kept = pcall(calls.call, world.regions[this.region], "lua", "save")
    if not ok or not text then
      return tostring(ok and kept or text)
    end
    text = skynet.packstring(text, kept, parts.messages.strings_for(this.region))
    this.size = #text
    local count = (#text + PART - 1) // PART
    for i = 1, count do
      tell(this.to, "part", this.region, this.version, count, text:sub((i - 1) * PART + 1, i * PART))
    end
    if not wait_until(this, MOST_LOAD, function() return this.is_loaded end) then
      return ("node %s has not loaded it"):format(map.nodes[this.to])
    end
  end

  -- Runs from when the tick of the announcement was told.
  local function go(this)
    local began = skynet.hpc()
    local message = not this.problem and send_region(this)
    message = this.problem or message
    if message then
      this.message = ("migrate: region %d stays here: %s"):format(this.region, message)
      skynet.error("world: " .. this.message)
      for node in pairs(world.barrier.state) do
        tell(node, "called_off", this.region, this.version)
      end
    else
      parts.claims.part(this.region, this.to, this.version)
      world.counters.migrations = world.counters.migrations + 1
    end
    this.pause = (skynet.hpc() - began) / 1e6
    if not message then
      skynet.error(("world: region %d has moved to node %s after tick %d: %d bytes, the world stood for %.1f "
        .. "ms"):format(this.region, map.nodes[this.to], this.tick, this.size, this.pause))
    end
    going = nil
    skynet.wakeup(this.asks)
    parts.ticks.go()
  end

  local function node_of(value)
    return map.nodes[value] and value or map.numbers[value]
  end

  local function problem(region, node)
    if not (math.type(region) == "integer" and region >= 1 and region <= map.count) then
      return ("region is %s, expected a whole number from 1 to %d"):format(tostring(region), map.count)
    elseif not node_of(node) then
      return ("node is %s, expected one of %s, or its number"):format(tostring(node),
        table.concat(map.nodes, ", "))
    elseif map.owners[region] == node_of(node) then
      return ("region %d is on node %s already"):format(region, map.nodes[node_of(node)])
    end
  end

  local function problem_here(region, to)
    if going then
      return ("region %d is on its way to node %s, expected one at a time"):format(going.region,
        map.nodes[going.to])
    elseif world.barrier.state[to] == "silent" then
      return ("node %s is silent"):format(map.nodes[to])
    elseif not world.regions[region] then
      return ("region %d has not begun"):format(region)
    end
  end

  -- migrate(region, node) -> true, the milliseconds for which the world stood; node: its name, or its number
  -- in `nodes`. Answers when the region is there.
  function migration.migrate(region, node)
    local message = problem(region, node)
    if message then
      return nil, "migrate: " .. message
    end
    local to, owner = node_of(node), map.owners[region]
    if owner ~= own then
      local ok, result, answer = pcall(world.nodes.call, owner, "migrate", region, to)
      if not ok then
        return nil, ("migrate: node %s does not answer: %s"):format(map.nodes[owner], result)
      end
      return result, answer
    end
    message = problem_here(region, to)
    if message then
      return nil, "migrate: " .. message
    end
    local this = { region = region, to = to, version = (map.versions[region] or 0) + 1, missing = {},
      asks = coroutine.running() }
    going = this
    skynet.wait(this.asks)
    if this.message then
      return nil, this.message
    end
    return true, this.pause
  end

  -- Before the messages of tick t are sent. closed: set of the nodes that are silent.
  function migration.announce(t, closed)
    local this = going
    if not this or this.tick then
      return
    end
    this.tick = t
    skynet.error(("world: region %d goes to node %s after tick %d"):format(this.region, map.nodes[this.to],
      t))
    if closed[this.to] then
      this.problem = ("node %s is silent"):format(map.nodes[this.to])
      return
    end
    for node in pairs(world.barrier.state) do
      if not closed[node] then
        this.missing[node] = true
        tell(node, "hold", this.region, this.version, t, parts.commands.applied(node))
      end
    end
  end

  -- A tick has been told.
  function migration.told()
    if going and going.tick and not going.is_held then
      going.is_held = true
      skynet.fork(go, going)
    end
    look_at_holds()
  end

  -- ---- at the others --------------------------------------------------------------------------

  -- Whether we hold our clock for this region, and the last tick of ours of which its owner has applied
  -- commands.
  function migration.waits_for(region)
    for _, hold in pairs(holds) do
      if hold.region == region and hold.is_told then
        return true, hold.heard
      end
    end
    return false
  end

  -- It is known who has the region, with this version.
  function migration.is_over(region, version)
    for node, hold in pairs(holds) do
      if hold.region == region and hold.version <= version then
        holds[node] = nil
      end
    end
  end

  -- The service of a region that is ours with this version; nil: it has not come.
  function migration.take(region, version)
    local this = coming
    if not (this and this.region == region and this.version == version and this.is_loaded) then
      return nil
    end
    coming = nil
    for i = 1, #this.late, 3 do
      parts.messages.keep(this.late[i], this.late[i + 1], region, this.late[i + 2])
    end
    return this.service
  end

  local function drop_coming(from)
    if coming and coming.from == from then
      end_service(coming.service)
      coming = nil
    end
  end

  -- The owner has called it off, or is gone: we go on.
  local function let_go(node)
    holds[node] = nil
    drop_coming(node)
    parts.ticks.go()
  end

  local function load(this)
    local began = world.now()
    local text, kept, late = skynet.unpack(table.concat(this.list))
    local service = world.start_region(this.region, true)
    local ok, result, message = pcall(calls.call, service, "lua", "load", text, kept)
    if coming ~= this or not (ok and result) then
      end_service(service)
      if coming == this then
        coming = nil
        tell(this.from, "not_loaded", this.region, this.version, tostring(message or result))
      end
      return
    end
    this.service, this.late, this.is_loaded = service, late, true
    skynet.error(("world: region %d of node %s is loaded, in %d ms"):format(this.region, map.nodes[this.from],
      world.now() - began))
    tell(this.from, "loaded", this.region, this.version)
  end

  local on = {}

  function on.sign() end

  function on.hold(node, region, version, tick, heard)
    if version <= (map.versions[region] or 0) then
      return
    end
    holds[node] = { region = region, version = version, tick = tick, heard = heard }
    if not parts.ticks.is_open() then
      look_at_holds()
    end
  end

  function on.part(node, region, version, count, text)
    local hold = holds[node]
    if not (hold and hold.region == region and hold.version == version) then
      return
    end
    if not (coming and coming.from == node and coming.version == version) then
      drop_coming(node)
      coming = { from = node, region = region, version = version, list = {} }
    end
    table.insert(coming.list, text)
    if #coming.list == count then
      skynet.fork(load, coming)
    end
  end

  function on.called_off(node, region, version)
    local hold = holds[node]
    if hold and hold.region == region and hold.version == version then
      let_go(node)
    end
  end

  -- A handler for words of another node about the migration that we have announced.
  local function of_ours(f)
    return function(node, region, version, ...)
      if going and going.region == region and going.version == version then
        f(node, ...)
        wake(going)
      end
    end
  end

  on.held = of_ours(function(node)
    going.missing[node] = nil
  end)

  on.loaded = of_ours(function()
    going.is_loaded = true
  end)

  on.not_loaded = of_ours(function(node, message)
    going.problem = ("node %s can't load it: %s"):format(map.nodes[node], message)
  end)

  function migration.hear(node, kind, ...)
    on[kind](node, ...)
  end

  -- A node is silent, or another process than before (is_new).
  function migration.lost(node, is_new)
    let_go(node)
    if going and going.tick then
      going.missing[node] = nil
      if going.to == node then
        going.problem = ("node %s is %s"):format(map.nodes[node], is_new and "another process" or "silent")
      end
      wake(going)
    end
  end

  -- The world ends here.
  function migration.stop()
    end_service(coming and coming.service)
  end

  return migration
end
