-- The ticks of a world on one node: when they begin, commands to the regions, the messages to and from other
-- nodes (world/messages.lua), and then all regions tell. docs/world.md has the order of things.
local skynet = require "skynet"
local calls = require "aoi.skynet.calls"
local side_by_side = require "aoi.skynet.side_by_side"

local PATIENT_TICKS = 10 -- for so many the answers of a node wait for its news

-- `world` is the table of world.lua: map, directory, barrier, regions, nodes, counters, now(); `parts` has
-- agents, areas, commands and messages, of the files of those names. Returns functions, among them those by
-- which world/nodes.lua tells what it hears.
return function(world, parts)
  local ticks = {}
  local map, barrier, directory, counters = world.map, world.barrier, world.directory, world.counters
  local own = map.node

  local running = false   -- true from the begin of a tick to its end
  local waiting = nil     -- the coroutine that waits for messages
  local is_due, due = false, 0
  local alarm = 0         -- the clock's timer that is valid; others are over
  local is_started = false
  local wants_start, is_settling = false, false -- the first tick may begin; is being prepared
  local held = {}         -- list of packets that came before their tick was here
  local wakes = {}        -- list of coroutines that wait for the end of a tick
  local log               -- a file, or nil

  -- Has the tick that is open look whether it may end.
  local function wake()
    if waiting then
      local this = waiting
      waiting = nil -- woken once: a second wakeup would end what it waits for next
      skynet.wakeup(this)
    end
  end

  -- ---- the clock ------------------------------------------------------------------------------

  local function set_alarm(milliseconds)
    alarm = alarm + 1
    local this = alarm
    skynet.timeout(math.max(0, milliseconds) // 10 | 0, function()
      if this == alarm then
        is_due = true
        ticks.go()
      end
    end)
  end

  -- A tick begins: the next one is due a period after this one was; or from now, when another node began it
  -- or we are late by much. What was missed is not made up for: each node would do that at another time, and
  -- the world would have more ticks than its clock.
  local function wind()
    local now = world.now()
    local is_in_step = is_due and now - due < map.tick / 2
    due = (is_in_step and due or now) + map.tick
    is_due = false
    set_alarm(due - now)
  end

  -- ---- regions --------------------------------------------------------------------------------

  -- Calls all regions of this node at once, each with what arguments(region) gives. Returns region -> answer,
  -- or an empty table for one that has failed.
  local function call_regions(command, arguments)
    local list, regions, results = {}, {}, {}
    for region, address in pairs(world.regions) do
      regions[#regions + 1] = region
      list[#list + 1] = function()
        return calls.call(address, "lua", command, arguments(region))
      end
    end
    for i, answer in ipairs(side_by_side(list)) do
      local region, ok, result = regions[i], answer[1], answer[2]
      if not ok then
        skynet.error(("world: region %d failed in %s: %s"):format(region, command, result))
      end
      results[region] = ok and result or {}
    end
    return results
  end

  -- ---- begin ----------------------------------------------------------------------------------

  -- The nodes that are silent, a set, and their regions, a list or nil.
  local function closed_now()
    local nodes, regions = {}, {}
    for node, state in pairs(barrier.state) do
      if state == "silent" then
        nodes[node] = true
        local list = map:regions_of(node)
        table.move(list, 1, #list, #regions + 1, regions)
      end
    end
    return nodes, regions[1] and regions or nil
  end

  -- The processes of the regions to which entities are handed over: region -> number.
  local function starts_of(handed)
    local starts = {}
    for i = 1, #handed, 3 do
      local node = map.owners[handed[i + 1]]
      starts[handed[i + 1]] = node == own and world.start or world.nodes.start_of(node)
    end
    return starts
  end

  local function news_of(t, results)
    local list = {}
    for region = 1, map.count do
      local news = results[region] and results[region].news
      if news then
        list[#list + 1] = { region = region, node = own, tick = t, entered = news.entered,
          handed = news.handed, left = news.left, areas = news.areas, start = world.start,
          starts = starts_of(news.handed or {}) }
      end
    end
    return list
  end

  -- ---- the messages of others -----------------------------------------------------------------

  local function wait_for_messages()
    local began = skynet.hpc()
    while true do
      local may, wait = barrier:may_end(world.now())
      if may then
        break
      end
      waiting = coroutine.running()
      if wait < math.huge then
        local this = waiting
        skynet.timeout(wait // 10 + 1 | 0, function()
          if waiting == this then
            wake()
          end
        end)
      end
      skynet.wait(waiting)
    end
    counters.tick_waits = counters.tick_waits + (skynet.hpc() - began) / 1e6
    counters.ticks_late = counters.ticks_late + #barrier:finish()
  end

  -- Adds to losers what a region of ours has and ought not to have.
  local function add_unless_owner(losers, id, region)
    if world.regions[region] and directory.owner[id] ~= region then
      losers[#losers + 1], losers[#losers + 2] = id, region
    end
  end

  -- Adds those of a flat list of id and region.
  local function add_displaced(losers, displaced)
    for i = 1, #displaced, 2 do
      add_unless_owner(losers, displaced[i], displaced[i + 1])
    end
  end

  -- Adds those that were handed to a region of ours that another one has by now, or that have left: what was
  -- sent with them came late.
  local function add_unowned(losers, news)
    for _, part in ipairs(news) do
      local handed = part.handed or {}
      for i = 1, #handed, 3 do
        add_unless_owner(losers, handed[i], handed[i + 1])
      end
    end
  end

  -- ---- telling --------------------------------------------------------------------------------

  -- Tells agents what a node has for them, if it is time for that: tick t has been told. Answers wait
  -- until its news of that tick are known here, as who has an answer may send the next command at once. For
  -- the news of a silent node nobody waits. False: something is left.
  local function relay_if_time(message, t)
    if message.tick > t then
      return false
    end
    parts.agents.relay(message.packets)
    message.packets = {}
    if message.tick > parts.messages.newest(message.node) and message.tick + PATIENT_TICKS > t then
      return #message.answers == 0
    end
    for i = 1, #message.answers, 2 do
      parts.commands.answer(message.answers[i], message.answers[i + 1])
    end
    return true
  end

  local function relay_held(t)
    local list = held
    held = {}
    for _, message in ipairs(list) do
      if not relay_if_time(message, t) then
        held[#held + 1] = message
      end
    end
  end

  -- Sends the packets for agents to their nodes, and gives answers to ours.
  local function send_packets(t, results)
    local packets, answers = {}, {}
    for region = 1, map.count do
      local result = results[region] or {}
      for node, text in pairs(result.packets or {}) do
        packets[node] = packets[node] or {}
        table.insert(packets[node], text)
      end
      for stamp, text in pairs(result.answers or {}) do
        local node = stamp >> 20 & 0xFF
        if node == own then
          parts.commands.answer(stamp, text)
        else
          answers[node] = answers[node] or {}
          table.insert(answers[node], stamp)
          table.insert(answers[node], text)
        end
      end
      for _, address in ipairs(result.dead or {}) do
        parts.agents.failed(address)
      end
      for _, line in ipairs(log and result.log or {}) do
        log:write(line, "\n")
      end
    end
    if log then
      for _, line in ipairs(parts.areas.take_log()) do
        log:write(line, "\n")
      end
      log:flush()
    end
    for node = 1, #map.nodes do
      local is_silent = barrier.state[node] == "silent" -- then packets are of no use, but answers are
      if packets[node] and not is_silent or answers[node] then
        local texts = not is_silent and packets[node] or {}
        world.nodes.send(node, skynet.packstring("packets", t, texts, answers[node] or {}))
      end
    end
  end

  -- ---- one tick -------------------------------------------------------------------------------

  local function tick(t)
    barrier:begin(t, world.now())
    wind()
    local closed, closed_regions = closed_now()
    parts.messages.show_all(closed)
    local commands, rows, refused, for_all = parts.commands.take(t, closed)
    parts.agents.refuse_all(refused)
    local known = parts.returns.known()
    local areas, is_whole = parts.areas.begin(t, commands)
    local is_behind = not parts.messages.are_all_told(t - 1)
    parts.areas.tell_all(t, closed)
    local results = call_regions("begin", function(region)
      return t, commands[region] or {}, closed_regions, known, areas[region], is_whole[region],
        is_behind
    end)
    local news, incoming = news_of(t, results), parts.messages.new_incoming()
    parts.areas.add_news(t, news, for_all)
    parts.migration.announce(t, closed)
    parts.messages.send(t, results, rows, news, closed)
    for _, part in ipairs(news) do
      counters.hand_overs = counters.hand_overs + #(part.handed or {}) // 3
    end
    for from, result in pairs(results) do
      for to, text in pairs(result.out or {}) do
        if map.owners[to] == own then
          incoming.add(t, from, to, text)
        end
      end
    end
    wait_for_messages()
    local with_lists = parts.messages.take(t, news, incoming)
    local losers, changed, displaced, overruled = directory:tell(t, news)
    add_displaced(losers, displaced)
    add_displaced(losers, parts.messages.replace(with_lists))
    add_unowned(losers, news)
    parts.returns.told(news)
    parts.areas.hear(t, news)
    counters.owners_changed = counters.owners_changed + #changed
    parts.commands.settle(t, news)
    parts.agents.forget_left(news)
    parts.agents.begin_anew()
    results = call_regions("finish", function(region)
      return t, incoming.of(region), #losers > 0 and losers or nil, overruled[1] and overruled or nil
    end)
    send_packets(t, results)
    parts.areas.answer()
    relay_held(t)
    world.told, world.told_here = t, t
    parts.migration.told()
  end

  -- Begins a tick if it is time for one.
  function ticks.go()
    if running then
      return
    end
    parts.claims.settle()
    if not is_started or parts.migration.is_held() then
      return
    end
    local t = barrier:next(is_due)
    if not t then
      return
    end
    running = true
    skynet.fork(function()
      local ok, message = xpcall(tick, debug.traceback, t)
      running = false
      if not ok then
        skynet.error("world: " .. message)
        barrier.is_open = false
      end
      local list = wakes
      wakes = {}
      for _, waits in ipairs(list) do
        skynet.wakeup(waits)
      end
      skynet.fork(ticks.go) -- behind what those ask of the regions
    end)
  end

  -- Waits until a tick is told that begins from now on; has it begin at once.
  function ticks.run()
    local wanted = barrier.tick + 1
    is_due = true
    ticks.go()
    ticks.wait_for(wanted)
  end

  -- Waits until tick t has been told.
  function ticks.wait_for(t)
    while world.told < t do
      local waits = coroutine.running()
      wakes[#wakes + 1] = waits
      skynet.wait(waits)
    end
  end

  -- Whether one has begun and is not over yet.
  function ticks.is_open()
    return running
  end

  -- Begins with the ticks, unless that is done.
  function ticks.start()
    wants_start = true
    if not is_started and not is_settling and parts.returns.is_ready() then
      is_settling = true
      parts.returns.settle()
      is_started = true
      due = world.now() + map.tick
      set_alarm(map.tick)
      ticks.go()
    end
  end

  function ticks.open_log(path)
    log = assert(io.open(path, "w"))
  end

  -- ---- what other nodes say -------------------------------------------------------------------

  local on = {}

  function on.tick(node, number, t, ...)
    parts.messages.received(node, number, t, ...)
    barrier:arrived(node, t, world.now())
    wake()
    ticks.go()
  end

  function on.standing(node, _, ...)
    parts.returns.standing(node, ...)
    if wants_start then
      ticks.start()
    end
  end

  function on.areas(node, _, ...)
    parts.areas.told_all(node, ...)
  end

  function on.packets(node, _, t, packets, answers)
    local message = { node = node, tick = t, packets = packets, answers = answers }
    if not relay_if_time(message, world.told) then
      held[#held + 1] = message
    end
  end

  function on.migration(node, _, ...)
    parts.migration.hear(node, ...)
  end

  function on.claims(node, _, ...)
    parts.claims.hear(node, ...)
  end

  function ticks.text(node, text, number)
    local function hear(kind, ...)
      on[kind](node, number, ...)
    end
    hear(skynet.unpack(text))
  end

  ticks.is_waiting_for = parts.returns.is_waiting_for

  function ticks.claims()
    return parts.claims.list()
  end

  -- A node greets us: it knows who has these regions, see world/claims.lua.
  function ticks.claimed(list)
    parts.claims.hear_all(list)
  end

  -- A node lives that was silent, or is another process now. t: its last tick.
  function ticks.met(node, t, is_new)
    local has_begun = t > 0 or barrier.tick > 0
    if is_new then
      parts.claims.lost(node, true)
      parts.migration.lost(node, true)
      barrier:restarted(node)
      parts.agents.restarted(node, parts.commands.restarted(node))
      parts.returns.met(node)
    end
    if not is_started and t > barrier.tick then
      barrier.tick, world.told = t, t
      parts.messages.begin_after(t)
    end
    barrier:welcome(node, has_begun)
    parts.messages.met(node, has_begun, is_new)
    parts.areas.met(node)
    wake()
    for _, state in pairs(barrier.state) do
      if state == "silent" then
        return
      end
    end
    ticks.start()
  end

  -- A node has been silent for too long.
  function ticks.lost(node)
    skynet.error(("world: node %s is silent"):format(map.nodes[node]))
    parts.agents.lost(node)
    parts.claims.lost(node)
    parts.migration.lost(node)
    if wants_start then
      ticks.start()
    end
    wake()
  end

  return ticks
end
