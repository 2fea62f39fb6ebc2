-- How a node of a world comes back with the regions that its stores have, and what the others make of it.
--
-- Right after their greetings two processes tell each other what their regions own and what they know of
-- entities that the other may believe to own still: with every hand-over the epoch grows, and the higher one
-- counts. Who comes back waits for that of every living node before its first tick, so that no entity is in
-- two regions.
local skynet = require "skynet"
local calls = require "aoi.skynet.calls"

-- `world` is the table of world.lua; `parts` has agents, commands, messages and ticks.
return function(world, parts)
  local returns = {}
  local map, directory, own = world.map, world.directory, world.map.node
  local has_store = world.has_store

  local taken = {}      -- region -> region -> the last tick of its letters that the first one has taken
  local claims = {}     -- entity -> the least epoch that counts, before the first tick
  local applied = {}    -- region -> node -> last tick of which commands were applied there, of ours
  local most = {}       -- node -> the last tick of which any of our regions has applied commands
  local has_told = {}   -- set of nodes whose process has told us what it has
  local missed = {}     -- entity -> true, or "lost": it has entered anew
  local returning = {}  -- node -> list of entity and address here: its first tick has not been told

  -- ---- before the first tick ------------------------------------------------------------------

  local function claim(list, more)
    for i = 1, #list, 2 do
      local id, epoch = list[i], list[i + 1] + more
      claims[id] = math.max(claims[id] or 0, epoch)
    end
  end

  local function take_standing(region, standing, start, node)
    directory:add(region, standing.owned, start, standing.tick + 1, node)
    claim(standing.owned, 0)
    claim(standing.claims, 0)
    claim(standing.left, 1)
    taken[region] = standing.taken
  end

  -- Whether a command of the message of that tick of another node was applied here before we came back: it
  -- must not be again, and nobody knows its answer any more.
  local function is_done(node, tick, id, stamp, session)
    local of_region = applied[id and directory.owner[id]]
    if tick > (of_region and (of_region[node] or 0) or most[node] or 0) then
      return false
    elseif session == 1 then
      local name = map.nodes[own]
      local answer = skynet.packstring(nil, ("node %s of the world has begun anew: no answer"):format(name))
      world.nodes.send(stamp >> 20 & 0xFF, skynet.packstring("packets", 0, {}, { stamp, answer }))
    end
    return true
  end

  -- Takes in what our regions have from their stores; before the first greeting.
  function returns.begin()
    if not has_store then
      return
    end
    local last = 0
    for region, address in pairs(world.regions) do
      local standing = calls.call(address, "lua", "standing")
      take_standing(region, standing, world.start, own)
      calls.call(address, "lua", "orphans_of", own, world.start)
      last, applied[region] = math.max(last, standing.tick), standing.applied
      for node, tick in pairs(standing.applied) do
        most[node] = math.max(most[node] or 0, tick)
      end
    end
    if last > 0 then
      world.is_done = is_done
      world.barrier.tick, world.told = last, last
      parts.messages.begin_after(last)
      skynet.timeout(world.orphan, function()
        parts.agents.leave_of_node(own, world.start)
      end)
    end
  end

  -- Whether the first tick may begin: every node that lives has told what it has.
  function returns.is_ready()
    for node, state in pairs(world.barrier.state) do
      if has_store and state ~= "silent" and not has_told[node] then
        return false
      end
    end
    return true
  end

  -- Region -> the last tick of which it has taken the letters of this one, of those that have told.
  local function taken_of(region)
    local list = {}
    for other, of in pairs(taken) do
      list[other] = of[region]
    end
    return list
  end

  -- Has our regions lose what others have by now, and forget letters that were taken.
  function returns.settle()
    for region, address in pairs(has_store and world.regions or {}) do
      local owned, lost = calls.call(address, "lua", "standing").owned, {}
      for i = 1, #owned, 2 do
        local id, epoch = owned[i], owned[i + 1]
        if claims[id] > epoch then
          lost[#lost + 1] = id
          directory:leave(id, epoch)
        end
      end
      calls.call(address, "lua", "settle", lost, taken_of(region))
      for node in pairs(world.barrier.state) do
        calls.call(address, "lua", "orphans_of", node, world.nodes.start_of(node))
      end
    end
    claims = {}
  end

  -- ---- another process ------------------------------------------------------------------------

  -- The addresses here that are services of that node's process.
  local function addresses_of(node, start)
    local list = {}
    for _, address in pairs(world.regions) do
      local of = calls.call(address, "lua", "addresses_of", node, nil)
      for i = 1, #of, 2 do
        if of[i + 1] >> 32 & 0xFFFF == start & 0xFFFF then
          list[#list + 1], list[#list + 2] = of[i], of[i + 1]
        end
      end
    end
    return list
  end

  -- Another process of a node has greeted us: it is told what we have.
  function returns.met(node)
    if not has_store then
      return
    end
    has_told[node] = nil
    skynet.fork(function()
      local start = world.nodes.start_of(node)
      local regions = {}
      for region, address in pairs(world.regions) do
        regions[region] = calls.call(address, "lua", "standing")
      end
      local addressed = addresses_of(node, start)
      if world.nodes.start_of(node) == start then
        world.nodes.send(node, skynet.packstring("standing", start, regions, directory:list_of_gone(),
          addressed))
      end
    end)
  end

  local function leave(list)
    for i = 1, #list, 2 do
      directory:leave(list[i], list[i + 1])
    end
  end

  -- Takes in the standing of another process, sent to the process of this start.
  function returns.standing(node, to, regions, gone, addressed)
    if to ~= world.start then
      return
    end
    local start = world.nodes.start_of(node)
    for region, standing in pairs(regions) do
      take_standing(region, standing, start, node)
      leave(standing.left)
    end
    leave(gone)
    claim(gone, 1)
    has_told[node], returning[node] = true, addressed
  end

  -- Whether we wait for what a node that lives has.
  function returns.is_waiting_for(node)
    return has_store and not has_told[node]
  end

  -- ---- a process that has come back -----------------------------------------------------------

  -- Services of ours that are dead by now have entities there, which leave; others are watched.
  local function look_after(addressed)
    for i = 1, #addressed, 2 do
      local id, address = addressed[i], addressed[i + 1]
      local handle = address & 0xFFFFFFFF
      if not skynet.send(handle, "debug", "PING") then
        parts.commands.add(0, id, skynet.packstring("leave", id, address))
      elseif not parts.agents.addresses.of[id] then
        parts.agents.addresses:set(id, handle)
      end
    end
  end

  local function is_any_silent()
    for _, state in pairs(world.barrier.state) do
      if state == "silent" then
        return true
      end
    end
    return false
  end

  -- Entities that a process that has come back does not have: hand-overs on their way may bring them.
  function returns.miss(ids)
    for _, id in ipairs(has_store and ids or {}) do
      missed[id] = true
    end
  end

  -- A list of those that are not back; forgets about all.
  function returns.still_missed(ids)
    local list = {}
    for _, id in ipairs(ids) do
      list[#list + 1] = missed[id] and id
      missed[id] = nil
    end
    return list
  end

  -- Looks for missed entities in the news of a tick; an entity that has entered anew is lost all the same.
  local function look_for_missed(part)
    local entered, handed = part.entered or {}, part.handed or {}
    for i = 1, #entered, 2 do
      missed[entered[i]] = missed[entered[i]] and "lost"
    end
    for i = 1, #handed, 3 do
      missed[handed[i]] = missed[handed[i]] == "lost" and "lost" or nil
    end
  end

  -- A tick was told, with these news: when they are the first of a process that has come back, what it does
  -- not have is lost.
  function returns.told(news)
    directory.keeps = has_store and is_any_silent()
    for _, part in ipairs(news) do
      if next(missed) then
        look_for_missed(part)
      end
      local addressed = returning[part.node]
      if addressed and part.start == world.nodes.start_of(part.node) then
        returning[part.node] = nil
        parts.agents.forget(part.node)
        look_after(addressed)
      end
    end
  end

  -- The progress of others that the regions get with each begin of a tick, see region/store.lua; nil without
  -- a store.
  function returns.known()
    if not has_store then
      return nil
    end
    local known = { applied = {}, taken = {}, written = {} }
    for node = 1, #map.nodes do
      if node ~= own then
        known.applied[node] = parts.commands.applied(node)
      end
    end
    for region = 1, map.count do
      known.taken[region], known.written[region] = parts.messages.written(map.owners[region])
    end
    return known
  end

  -- A full save of all regions of this node now. Returns true, or nil and a message.
  function returns.store()
    if not has_store then
      return nil, "store: the world has none, expected one with the option store"
    end
    for _, address in pairs(world.regions) do
      local ok, message = calls.call(address, "lua", "store")
      if not ok then
        return nil, message
      end
    end
    return true
  end

  return returns
end
