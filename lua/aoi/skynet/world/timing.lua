-- How long a node takes for its ticks, and how long it waits for which other node: for `stats`.
--
-- A tick is the work of its two halves; between them the node waits for the messages of the others, and the
-- one whose message came last is the one that it waited for.

-- `world` is the table of world.lua; `land` that of lands.lua, whose functions are measured from now on.
-- Returns a table of the counts, and a function that is told from which node a message has come.
return function(world, land)
  local counts = { ticks = 0, tick_time = 0, wait_time = 0, waits = {} }
  local sent_at, from = nil, nil
  local begin, tell = land.begin, land.tell

  function land.begin(...)
    local began = world.now()
    local done = begin(...)
    sent_at = world.now()
    counts.tick_time = counts.tick_time + sent_at - began
    return done
  end

  function land.tell(...)
    local began = world.now()
    if sent_at then
      local waited = began - sent_at
      counts.wait_time = counts.wait_time + waited
      if from and from ~= world.map.node then
        counts.waits[from] = (counts.waits[from] or 0) + waited
      end
      sent_at = nil
    end
    local packets = tell(...)
    counts.ticks, counts.tick_time = counts.ticks + 1, counts.tick_time + world.now() - began
    return packets
  end

  return counts, function(name)
    from = name
  end
end
