-- The messages of ticks between the nodes of a world: one to each other node in each tick, and what it tells
-- to whoever was silent or has begun anew; those of the others, until their tick is told.
local skynet = require "skynet"

local CHECK = 8  -- ticks from one comparison of directories to the next
local UNLIKE = 3 -- so often they may differ in a row, as news are late

-- `world` is the table of world.lua: map, directory, regions, nodes, counters; `parts` has commands and
-- claims, of the files of those names.
return function(world, parts)
  local messages = {}
  local map, directory, counters = world.map, world.directory, world.counters
  local own = map.node

  local received = {}     -- node -> list of messages of ticks, in order, not yet told
  local first_tick = 0    -- the last one before ours
  local is_blank = {}     -- set of nodes that are shown everything with the next tick
  local asks = {}         -- set of nodes whose list of entities we want with their next message
  local wants = {}        -- set of nodes that are told ours
  local is_behind = {}    -- set of nodes that were told nothing for a while: no packets, too
  local unlike = {}       -- region -> how often in a row its sum was another one than here
  local numbers, numbers_before = {}, {} -- node -> number of its last text that was told; a tick before that
  local newest = {}       -- node -> the last tick of which its message was told
  local heard_there = {}  -- node -> the last tick of ours that it has told and written
  local kept = {}         -- list of { tick, from, to, string }: late ones for regions that have moved
  for node = 1, #map.nodes do
    received[node] = {}
    numbers[node], numbers_before[node], newest[node], heard_there[node] = 0, 0, 0, 0
  end

  -- ---- telling --------------------------------------------------------------------------------

  -- Node -> its last tick that has been applied here.
  local function all_applied()
    local applied = {}
    for node = 1, #map.nodes do
      applied[node] = node ~= own and parts.commands.applied(node) or 0
    end
    return applied
  end

  -- Has our regions tell everything to those of nodes that were silent, unless they are closed still.
  function messages.show_all(closed)
    for node in pairs(is_blank) do
      for _, address in pairs(closed[node] and {} or world.regions) do
        for _, region in ipairs(map:regions_of(node)) do
          skynet.send(address, "lua", "show_all", region)
        end
      end
      is_blank[node] = closed[node] and true or nil
    end
  end

  -- All that our regions own, for a node that does not know.
  local function whole_directory()
    local lists = {}
    for region in pairs(world.regions) do
      lists[region] = directory:list(region)
    end
    return lists
  end

  -- The sums that all nodes ought to have of our regions; nil most of the time.
  local function own_sums(t)
    if t % CHECK ~= 0 then
      return nil
    end
    local sums = {}
    for region in pairs(world.regions) do
      sums[region] = directory.sums[region] or 0
    end
    return sums
  end

  -- The number of the last text of a node that it need not keep any more: with a store, whose commands are
  -- applied and written.
  local function taken_of(node)
    return world.has_store and numbers_before[node] or world.nodes.taken(node)
  end

  -- The progress of a node's regions in writing, by its messages: the last tick whose letters of ours they
  -- have taken, and the last of their own ticks.
  function messages.written(node)
    if node == own then
      return world.told_here, world.told_here
    end
    return heard_there[node], newest[node] - 1
  end

  -- Sends every other node its message of this tick.
  function messages.send(t, results, rows, news, closed)
    local packed, strings, sums = skynet.packstring(news), {}, own_sums(t)
    for region, result in pairs(results) do
      for to, text in pairs(result.out or {}) do
        local node = map.owners[to]
        if node ~= own and text ~= "" then
          local list = strings[node] or {}
          strings[node] = list
          list[#list + 1], list[#list + 2], list[#list + 3] = region, to, text
        end
      end
    end
    for node = 1, #map.nodes do
      if node ~= own and closed[node] then
        is_behind[node] = true
      elseif node ~= own then
        local commands, has_list = rows[node] or {}, wants[node]
        commands.start = world.nodes.start_of(node)
        world.nodes.send(node, skynet.packstring("tick", t, parts.commands.applied(node),
          taken_of(node), commands, parts.commands.take_back(node), strings[node] or {}, packed, {
            sums = sums, asks = asks[node], is_behind = is_behind[node],
            all = has_list and whole_directory(), heard_of = has_list and all_applied(),
          }))
        wants[node], asks[node], is_behind[node] = nil, nil, nil
        counters.node_messages = counters.node_messages + 1
      end
    end
  end

  -- ---- hearing --------------------------------------------------------------------------------

  -- The strings for regions of ours: in the order of ticks, as some may be late, and then of where they come
  -- from.
  function messages.new_incoming()
    local lists = {}
    local incoming = {}
    function incoming.add(tick, from, to, text)
      if text ~= "" then
        local list = lists[to] or {}
        lists[to] = list
        list[#list + 1] = { tick, from, text }
      end
    end
    function incoming.of(region)
      local list, flat = lists[region] or {}, {}
      table.sort(list, function(a, b)
        if a[1] ~= b[1] then
          return a[1] < b[1]
        end
        return a[2] < b[2]
      end)
      for i, entry in ipairs(list) do
        flat[2 * i - 1], flat[2 * i] = entry[2], entry[3]
      end
      return flat
    end
    return incoming
  end

  -- A string for a region of ours, which comes with the next tick.
  function messages.keep(...)
    kept[#kept + 1] = { ... }
  end

  -- The strings for a region of ours that have come and are not taken: a flat list of tick, from, string.
  -- They go along with the region.
  function messages.strings_for(region)
    local list = {}
    for _, of_node in ipairs(received) do
      for _, message in ipairs(of_node) do
        for i = 1, #message.strings, 3 do
          if message.strings[i + 1] == region then
            table.move({ message.tick, message.strings[i], message.strings[i + 2] }, 1, 3, #list + 1, list)
            message.sent_on = message.sent_on or {}
            message.sent_on[region] = true
          end
        end
      end
    end
    return list
  end

  -- All other nodes are to have a list of what is ours.
  function messages.tell_all_anew()
    for node = 1, #map.nodes do
      wants[node] = node ~= own or nil
    end
  end

  -- Compares what a node has of its regions with what is known here, after the same tick. What stays unlike
  -- is asked for.
  local function compare(node, sums)
    for region, sum in pairs(sums) do
      unlike[region] = sum ~= (directory.sums[region] or 0) and (unlike[region] or 0) + 1 or nil
      if unlike[region] == UNLIKE then
        asks[node], unlike[region] = true, nil
      end
    end
  end

  -- Takes the messages up to tick t, in order: adds their news, and their strings. Returns those of them that
  -- have lists of entities, for `replace`.
  function messages.take(t, news, incoming)
    local with_lists = {}
    for _, late in ipairs(kept) do
      incoming.add(table.unpack(late))
    end
    kept = {}
    for node = 1, #map.nodes do
      local list, later = received[node], {}
      numbers_before[node] = numbers[node]
      for _, message in ipairs(list) do
        if message.tick > t then
          later[#later + 1] = message
        else
          local is_handed = false
          if message.start == world.nodes.start_of(node) then
            numbers[node] = message.number
          end
          newest[node], heard_there[node] = math.max(newest[node], message.tick), message.heard
          for _, part in ipairs(message.news) do
            news[#news + 1] = part
            is_handed = is_handed or #(part.handed or {}) > 0
          end
          for i = 1, #message.strings, 3 do
            local from, to, string = message.strings[i], message.strings[i + 1], message.strings[i + 2]
            if map.owners[to] == own then
              incoming.add(message.tick, from, to, string)
            elseif not (message.sent_on and message.sent_on[to]) then
              parts.claims.pass_on(message.tick, from, to, string)
            end
          end
          parts.commands.hear(node, message.tick, message.heard, message.rows, message.back, message.news)
          if message.more.sums and message.tick == t and not list[2] then
            compare(node, message.more.sums)
          end
          if message.more.is_behind then
            parts.agents.tell_anew()
          end
          if message.more.all then
            with_lists[#with_lists + 1] = message
          end
          if message.tick <= first_tick and is_handed then
            messages.tell_all_anew() -- it may be for us, and the others believe that we have nothing
          end
        end
      end
      received[node] = later
    end
    return with_lists
  end

  -- Takes in the lists of entities that messages had, when all news up to theirs have been told. Returns a
  -- flat list of id and region: what regions had, as far as we knew, that are others'.
  function messages.replace(with_lists)
    local displaced = {}
    for _, message in ipairs(with_lists) do
      for region, list in pairs(message.more.all) do
        directory:replace(region, list, message.start, message.tick, message.node, displaced,
          message.more.heard_of)
      end
    end
    return displaced
  end

  -- The message of a tick has come from a node, with what `send` there has put into it.
  function messages.received(node, number, t, heard, taken, rows, back, strings, news, more)
    table.insert(received[node], { node = node, number = number, tick = t, heard = heard, rows = rows,
      back = back, strings = strings, news = skynet.unpack(news), more = more,
      start = world.nodes.start_of(node) })
    wants[node] = more.asks or wants[node]
    world.nodes.acknowledge(node, taken, rows.start)
  end

  -- ---- nodes that come and go -----------------------------------------------------------------

  -- The last tick of which the message of a node was told here.
  function messages.newest(node)
    return newest[node]
  end

  -- Whether all that the regions of other nodes have told up to tick t has been taken here. While it has not,
  -- what our regions know of them is out of date.
  function messages.are_all_told(t)
    for region = 1, map.count do
      local node = map.owners[region]
      if node ~= own and newest[node] < t then
        return false
      end
    end
    return true
  end

  -- Our first tick will be the one after t.
  function messages.begin_after(t)
    first_tick = t
  end

  -- A node lives that was silent, or it is another process than before. has_begun: the world had ticks
  -- before. What has become of our entities meanwhile it learns by a list of them.
  function messages.met(node, has_begun, is_new)
    if is_new then
      numbers[node], numbers_before[node] = 0, 0
    end
    is_blank[node], wants[node] = has_begun or nil, has_begun or nil
  end

  -- A node has been silent for so long that what it owns is forgotten here.
  function messages.give_up(node)
    asks[node] = true
  end

  return messages
end
