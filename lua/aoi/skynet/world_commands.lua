-- The commands of a world's agents on their way: stamped when they come, given to the regions that own the
-- entities at the begin of a tick, and answered after it.
--
-- A stamp is tick << 28 | node << 20 | place: commands are applied in its order. Those for regions of other
-- nodes ride in the message of the tick and are applied one tick later. An entity may be handed over on the
-- way: the region that had it passes over what comes too late, and the sender, which hears of the hand-over
-- with the same message, sends it to the new owner; so what one agent sends keeps its order. Pure Lua.
local MOVE = -1 -- the session of a move that was sent: its text is a row of the pattern MOVES
local WIDTH = 6 -- of rows between nodes: stamp, source, session, text, id, goal

-- Who enters where it has just left may be sent on from there; so many ticks later it is known where it is.
local SENT_ON = 4

local MOST_PLACES = (1 << 20) - 1

local MOVES = { [2] = "<i8i8i8dd", [3] = "<i8i8i8ddd" }

-- `world` has map, directory, dims (of the space) and base (this node's part of an address).
return function(world)
  local commands = {}
  local map, owner_of = world.map, world.directory.owner
  local moves = MOVES[world.dims]
  local size_of_move = moves:packsize()
  local own = map.node
  local fallback = map:regions_of(own)[1] or 1 -- refuses what is of no region

  -- What has come since the last begin.
  local count, base = 0, (1 << 28) | own << 20
  local ids, sources, sessions, texts, goals = {}, {}, {}, {}, {}

  local pending = {} -- stamp -> what is owed for it
  local asked = {}   -- stamp -> the node that was asked for it
  local coming, coming_since = {}, {} -- entity -> region that was asked to take it in; the tick of that
  local entering = {} -- entity -> the tick in which its enter was sent to its owner, perhaps a former one

  local inbox = {}   -- list of { tick =, heard =, node =, rows = }: came with the messages of other nodes
  local returned = {} -- list of entries { stamp, source, session, text, id, goal } to be sent elsewhere
  local sent = {}    -- node -> list of { tick =, n =, entries... }: not yet known to be applied there
  local given = {}   -- entity -> the tick in which a region of ours has handed it to another node
  local heard_of = {} -- node -> the last tick of ours that it has applied
  local has_come, applied = {}, {} -- node -> the last tick of its whose commands have come; were applied
  for node = 1, #map.nodes do
    if node ~= own then
      sent[node], heard_of[node], has_come[node], applied[node] = {}, 0, 0, 0
    end
  end

  -- ---- coming in ------------------------------------------------------------------------------

  local function add(source, session, id, text, goal)
    local stamp = base + count
    count = count + 1
    ids[count], sources[count], sessions[count], texts[count], goals[count] = id, source, session, text, goal
    return stamp
  end

  -- A move that was sent. False: it is not one, and goes the ordinary way.
  function commands.add_move(source, id, x, y, z)
    id = math.type(id) and math.tointeger(id)
    if not id or not (math.type(x) and math.type(y)) or (z ~= nil) ~= (world.dims == 3)
      or z ~= nil and not math.type(z) or count >= MOST_PLACES then
      return false
    end
    local address = world.base | source
    add(address, MOVE, id, moves:pack(base + count, address, id, x, y, z))
    return true
  end

  -- Any other command. text: packed by skynet, with its name. owed: what to do with its answer, see `answer`;
  -- nil: nobody wants one. source: a service of this node, or 0. goal: the region where the entity enters
  -- unless it is somewhere already. Returns nil and a message when there are too many.
  function commands.add(source, id, text, owed, goal)
    if count >= MOST_PLACES then
      return nil, "there are more than a million commands in this tick"
    end
    local stamp = add(source ~= 0 and world.base | source or 0, owed and 1 or 0,
      math.type(id) and math.tointeger(id), text, goal)
    pending[stamp] = owed
    return true
  end

  -- The answer to a command has come.
  function commands.answer(stamp, text)
    local owed = pending[stamp]
    if owed then
      pending[stamp], asked[stamp] = nil, nil
      owed(text)
    end
  end

  -- ---- where they go --------------------------------------------------------------------------

  local function new_list(width)
    return { width = width, n = 0, run = {}, length = 0 }
  end

  local function end_run(list)
    if list.length > 0 then
      local n, run = list.n, list.run
      list[n + 1], list[n + 2], list[n + 3] = moves:unpack(run[1]), 0, MOVE
      list[n + 4] = table.concat(run, "", 1, list.length)
      if list.width == WIDTH then
        list[n + 5], list[n + 6] = false, false
      end
      list.n, list.length = n + list.width, 0
    end
  end

  -- Puts a command behind the others; moves that follow each other become one row.
  local function put(list, stamp, source, session, text, id, goal)
    if session == MOVE then
      list.length = list.length + 1
      list.run[list.length] = text
      return
    end
    end_run(list)
    local n = list.n
    list[n + 1], list[n + 2], list[n + 3], list[n + 4] = stamp, source, session, text
    if list.width == WIDTH then
      list[n + 5], list[n + 6] = id or false, goal or false
    end
    list.n = n + list.width
  end

  local function close(lists)
    for _, list in pairs(lists) do
      end_run(list)
      list.width, list.n, list.run, list.length = nil, nil, nil, nil
    end
  end

  -- The region for a command about the entity.
  local function region_for(id, goal, t)
    local region = owner_of[id] or coming[id]
    if region and goal then
      entering[id] = t
    elseif id and goal then
      region = goal
      coming[id], coming_since[id] = region, t
    end
    return region or fallback
  end

  -- Whether nobody knows yet where the entity has entered: what comes behind that must not overtake it.
  local function must_wait(id, t)
    local since = entering[id]
    return since and t > since and t - since <= SENT_ON and not owner_of[id] and not coming[id]
  end

  -- Gives a command to a region of ours, or puts it among those for another node.
  local function give(out, t, region, stamp, source, session, text, id, goal)
    local node = map.owners[region]
    if out.closed[node] then
      out.refused[#out.refused + 1] = { stamp, source, session, text, node }
      return
    end
    if node == own then
      local list = out.regions[region]
      if not list then
        list = new_list(4)
        out.regions[region] = list
      end
      put(list, stamp, source, session, text)
      return
    end
    local list = out.nodes[node]
    if not list then
      list = new_list(WIDTH)
      out.nodes[node] = list
      table.insert(sent[node], { tick = t, n = 0 })
    end
    put(list, stamp, source, session, text, id, goal)
    if pending[stamp] then
      asked[stamp] = node
    end
    local kept = sent[node][#sent[node]]
    kept.n = kept.n + 1
    kept[kept.n] = { stamp, source, session, text, id, goal }
  end

  -- Whether the sender learns, or has learnt by now, that we have handed the entity on, and sends this anew.
  -- A sender that was silent and has not been told of it does not: for that one we pass it on.
  local function comes_again(id, message, has_told)
    local tick = given[id]
    return tick and message.heard < tick and has_told(message.node, tick)
  end

  local function always()
    return true
  end

  -- Adds the commands of a message, moves one by one.
  local function take_apart(entries, message, has_told)
    local rows = message.rows
    for i = 1, #rows, WIDTH do
      local text = rows[i + 3]
      if rows[i + 2] == MOVE then
        for at = 1, #text, size_of_move do
          local stamp, source, id = moves:unpack(text, at)
          if not comes_again(id, message, has_told) then
            entries[#entries + 1] = { stamp, source, MOVE, text:sub(at, at + size_of_move - 1), id }
          end
        end
      else
        local id = rows[i + 4] or nil
        if not (id and comes_again(id, message, has_told)) then
          entries[#entries + 1] = { rows[i], rows[i + 1], rows[i + 2], text, id, rows[i + 5] or nil }
        end
      end
    end
  end

  local function by_stamp(a, b)
    return a[1] < b[1]
  end

  -- At the begin of tick t: all that is to be applied or sent. closed: set of the nodes that are silent.
  -- has_told(node, tick): whether the node was sent our news of that tick; nil: each was, of all.
  -- Returns tables region -> flat list of stamp, source, session, text; node -> flat list of these, id and
  -- goal; and a list of { stamp, source, session, text, node }, for silent nodes.
  function commands.take(t, closed, has_told)
    local out = { regions = {}, nodes = {}, refused = {}, closed = closed or {} }
    local older = returned
    for _, message in ipairs(inbox) do
      take_apart(older, message, has_told or always)
    end
    inbox, returned = {}, {}
    for node, tick in pairs(has_come) do
      applied[node] = tick
    end
    table.sort(older, by_stamp)
    for _, entry in ipairs(older) do
      local id, goal = entry[5], entry[6]
      if must_wait(id, t) then
        returned[#returned + 1] = entry
      else
        give(out, t, region_for(id, goal, t), entry[1], entry[2], entry[3], entry[4], id, goal)
      end
    end
    for i = 1, count do
      local id, goal = ids[i], goals[i]
      if must_wait(id, t) then
        returned[#returned + 1] = { base + i - 1, sources[i], sessions[i], texts[i], id, goal }
      else
        give(out, t, region_for(id, goal, t), base + i - 1, sources[i], sessions[i], texts[i], id, goal)
      end
      goals[i] = nil
    end
    count, base = 0, (t + 1) << 28 | own << 20
    close(out.regions)
    close(out.nodes)
    return out.regions, out.nodes, out.refused
  end

  -- Commands for entities that a region turned out not to own: they are sent anew. rows: flat list of stamp,
  -- source, session, text; read(text) gives name and id of one.
  function commands.send_anew(rows, read)
    for i = 1, #rows, 4 do
      local _, id = read(rows[i + 3])
      returned[#returned + 1] = { rows[i], rows[i + 1], rows[i + 2], rows[i + 3], id }
    end
  end

  -- The last tick of another node whose commands have been applied here.
  function commands.applied(node)
    return applied[node]
  end

  -- ---- after the messages of a tick -----------------------------------------------------------

  -- The commands of another node's message, to be applied at the next begin. tick: its number; heard: the
  -- last tick of ours that was applied there when it was made; handed: flat list of id, to, epoch that the
  -- regions there have handed over in it.
  function commands.hear(node, tick, heard, rows, handed)
    if #rows > 0 then
      inbox[#inbox + 1] = { tick = tick, heard = heard, node = node, rows = rows }
    end
    heard_of[node], has_come[node] = heard, tick
    local list, kept = sent[node], {}
    for _, message in ipairs(list) do
      if message.tick > heard then
        kept[#kept + 1] = message
      end
    end
    sent[node] = kept
    local is_handed, any = {}, false
    for i = 1, #handed, 3 do
      if map.owners[handed[i + 1]] ~= node then
        is_handed[handed[i]], any = true, true
      end
    end
    if not any then
      return
    end
    for _, message in ipairs(kept) do
      for i = 1, message.n do
        local entry = message[i]
        if is_handed[entry[5]] and not entry.is_returned then
          entry.is_returned = true
          returned[#returned + 1] = table.move(entry, 1, 6, 1, {})
        end
      end
    end
  end

  -- A node has begun anew. Returns a list of the stamps of commands that were applied there and are not
  -- answered: nobody knows what became of them. Others are sent there again.
  function commands.restarted(node)
    local is_sent, lost = {}, {}
    for _, message in ipairs(sent[node]) do
      for i = 1, message.n do
        is_sent[message[i][1]] = true
      end
    end
    for stamp, other in pairs(asked) do
      if other == node and not is_sent[stamp] then
        lost[#lost + 1] = stamp
      end
    end
    table.sort(lost)
    has_come[node], applied[node] = 0, 0
    return lost
  end

  -- At the end of tick t: what our own regions have handed over in it.
  function commands.settle(t, handed)
    for i = 1, #handed, 3 do
      if map.owners[handed[i + 1]] ~= own then
        given[handed[i]] = t
      end
    end
    for id, since in pairs(coming_since) do
      local node = map.owners[coming[id]]
      if node == own or heard_of[node] >= since then
        coming[id], coming_since[id] = nil, nil
      end
    end
    for id, since in pairs(entering) do
      if t - since >= SENT_ON then
        entering[id] = nil
      end
    end
    if t % 64 == 0 then
      local least = math.huge
      for _, heard in pairs(heard_of) do
        least = math.min(least, heard)
      end
      for id, tick in pairs(given) do
        if tick <= least then
          given[id] = nil
        end
      end
    end
  end

  return commands
end
