-- The commands of a world's agents on their way: stamped when they come, given to the regions that own the
-- entities at the begin of a tick, and answered after it. Pure Lua.
--
-- A stamp is tick << 28 | node << 20 | place: a tick applies commands in its order. Those for regions of
-- other nodes ride in the message of the tick and are applied one tick later.
--
-- The rule: what one node sends about one entity is applied in the order of the stamps, each once, or
-- refused. It holds as
--   a node has all that is under way about an entity at one other node, the owner's as it knows, and sends
--   nothing elsewhere before it has heard that all of it was applied there;
--   a node never passes on what it can't apply: it gives it back with its next message. So does it with
--   all that was sent before the sender could know of that, or of the entity's having left it;
--   a sender that hears with a message that the entity has left that node takes back at once what was not
--   applied before: it needs not wait until the same is given back.
local MOVE = -1 -- the session of a move that was sent: its text is a row of the pattern MOVES
local WIDTH = 6 -- of rows between nodes: stamp, source, session, text, id, goal

-- For so many ticks a command is sent after its entity; then it is refused.
local MOST_TICKS = 24

-- For so many ticks at least a node remembers which entities have left it.
local KEPT = 256

local MOST_PLACES = (1 << 20) - 1

local type_of, pack = math.type, string.pack -- of moves there are many

local MOVES = { [2] = "<i8i8i8dd", [3] = "<i8i8i8ddd" }

-- `world` has map, directory, dims (of the space), base (this node's part of an address), and with a store
-- is_done, of world/return.lua.
return function(world)
  local commands = { ALL = 0 } -- the goal of a command for the regions of all nodes
  local map, owner_of = world.map, world.directory.owner
  local moves = MOVES[world.dims]
  local size_of_move = moves:packsize()
  local is_flat, base_of_sources = world.dims == 2, world.base
  local own = map.node
  local fallback = map:regions_of(own)[1] or 1 -- refuses what is of no region

  -- The commands that have come since the last begin.
  local count, base = 0, (1 << 28) | own << 20
  local ids, sources, sessions, texts, goals = {}, {}, {}, {}, {}

  local pending = {} -- stamp -> what is owed for it
  local asked = {}   -- stamp -> the node that was asked for it
  local coming = {}  -- entity -> region that was asked in this tick to take it in

  -- Commands sent to another node: entity -> that node, the tick of the last of them, and the region that was
  -- asked to take the entity in, or nil. They are under way until that node has applied our tick.
  local way_node, way_tick, way_goal = {}, {}, {}

  -- While that node is silent later commands go elsewhere: entity -> the stamp of the first of them. What
  -- comes back then of those before is refused. Of the last KEPT ticks, and of the KEPT before.
  local overtaken, overtaken_before = {}, {}

  local inbox = {}    -- list of { tick =, heard =, node =, rows = }: came with the messages of other nodes
  local returned = {} -- list of entries { stamp, source, session, text, id, goal } to be sent anew
  local back = {}     -- node -> flat list: tick of its message, stamp; goes back with our next one
  local sent = {}     -- node -> list of { tick =, n =, entries... }: not yet known to be applied there

  -- Commands sent without knowing of a tick of ours are given back: entity -> the tick that told all nodes
  -- that it left this one; node -> entity -> the tick that told this node that it was not here. Both for the
  -- last KEPT ticks, and for the KEPT before.
  local left, left_before, left_began = {}, {}, 0
  local away, away_before = {}, {}

  local heard_of = {} -- node -> the last tick of ours that it has applied
  local heard_before = {} -- node -> the last that it had applied by its message before
  local has_come, applied = {}, {} -- node -> the last tick of its whose commands have come; were applied
  for node = 1, #map.nodes do
    if node ~= own then
      sent[node], back[node], away[node], away_before[node] = {}, {}, {}, {}
      heard_of[node], heard_before[node], has_come[node], applied[node] = 0, 0, 0, 0
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
    if type_of(id) ~= "integer" then
      id = type_of(id) and math.tointeger(id)
    end
    if not id or not (type_of(x) and type_of(y)) or is_flat and z ~= nil
      or not is_flat and not type_of(z) or count >= MOST_PLACES then
      return false
    end
    local address = base_of_sources | source
    local text = pack(moves, base + count, address, id, x, y, z)
    count = count + 1
    ids[count], sources[count], sessions[count], texts[count] = id, address, MOVE, text
    return true
  end

  -- Any other command. text: packed by skynet, with its name. owed: what to do with its answer, see `answer`;
  -- nil: nobody wants one. source: a service of this node, or 0. goal: the region where the entity enters
  -- unless it is somewhere already, or ALL. Returns nil and a message when there are too many.
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
    return { width = width, n = 0, run = {}, length = 0, goal = nil }
  end

  local function end_run(list)
    if list.length > 0 then
      local n, run = list.n, list.run
      list[n + 1], list[n + 2], list[n + 3] = moves:unpack(run[1]), 0, MOVE
      list[n + 4] = table.concat(run, "", 1, list.length)
      if list.width == WIDTH then
        list[n + 5], list[n + 6] = false, list.goal or false
      end
      list.n, list.length = n + list.width, 0
    end
  end

  -- Puts a command behind the others; moves that follow each other become one row.
  local function put(list, stamp, source, session, text, id, goal)
    if session == MOVE and (list.goal == goal or list.length == 0) then
      list.length, list.goal = list.length + 1, goal
      list.run[list.length] = text
      return
    end
    end_run(list)
    if session == MOVE then
      put(list, stamp, source, session, text, id, goal)
      return
    end
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
      list.width, list.n, list.run, list.length, list.goal = nil, nil, nil, nil, nil
    end
  end

  -- Gives a command to a region of ours.
  local function give(out, region, stamp, source, session, text)
    local list = out.regions[region]
    if not list then
      list = new_list(4)
      out.regions[region] = list
    end
    put(list, stamp, source, session, text)
  end

  -- Puts a command among those for another node. asked_in: the region that is to take the entity in there,
  -- nil: it has it already.
  local function send(out, t, node, asked_in, stamp, source, session, text, id, goal)
    local list, messages = out.nodes[node], sent[node]
    if not list then
      list = new_list(WIDTH)
      out.nodes[node] = list
      messages[#messages + 1] = { tick = t, n = 0 }
    end
    put(list, stamp, source, session, text, id, asked_in)
    if pending[stamp] then
      asked[stamp] = node
    end
    if id then
      way_node[id], way_tick[id], way_goal[id] = node, t, asked_in
    end
    local kept = messages[#messages]
    kept.n = kept.n + 1
    kept[kept.n] = { stamp, source, session, text, id, goal }
  end

  local function refuse(out, node, stamp, source, session, text, id)
    out.refused[#out.refused + 1] = { stamp, source, session, text, node, id }
  end

  -- The node at which something about the entity is under way, and the region there that was asked to take
  -- it in; nil: nothing is, or nobody knows when that node says anything again.
  local function way_of(id, closed)
    local node = way_node[id]
    if node and not closed[node] and heard_of[node] < way_tick[id] then
      return node, way_goal[id]
    end
  end

  -- A command of an agent of this node: to the region that owns the entity, as far as we know, or where it
  -- enters. It waits until what is under way elsewhere has come back or is applied.
  local function route(out, t, stamp, source, session, text, id, goal)
    if not id then
      local node = map.owners[fallback]
      if node == own then
        give(out, fallback, stamp, source, session, text)
      elseif out.closed[node] then
        refuse(out, node, stamp, source, session, text, id)
      else
        send(out, t, node, fallback, stamp, source, session, text, id, goal)
      end
      return
    elseif t - (stamp >> 28) > MOST_TICKS then
      refuse(out, nil, stamp, source, session, text, id)
      return
    end
    if stamp < (overtaken[id] or overtaken_before[id] or 0) then
      refuse(out, nil, stamp, source, session, text, id)
      return
    end
    local region, asked_in = owner_of[id], nil
    local there, goal_there = way_of(id, out.closed)
    if not region then
      region = goal_there or coming[id] or goal or fallback
      asked_in = region
    end
    local node = map.owners[region]
    if not there and way_node[id] and way_node[id] ~= node and heard_of[way_node[id]] < way_tick[id] then
      overtaken[id] = overtaken[id] or overtaken_before[id] or stamp
    end
    if there and there ~= node then
      returned[#returned + 1] = { stamp, source, session, text, id, goal }
    elseif node == own then
      if asked_in and goal then
        coming[id] = region
      end
      give(out, region, stamp, source, session, text)
    elseif out.closed[node] then
      refuse(out, node, stamp, source, session, text, id)
    else
      send(out, t, node, asked_in, stamp, source, session, text, id, goal)
    end
  end

  -- Whether a message was made without knowing that the entity is not here.
  local function is_stale(id, message)
    local node, heard = message.node, message.heard
    return heard < (left[id] or left_before[id] or 0)
      or heard < (away[node][id] or away_before[node][id] or 0)
  end

  -- A command that another node has sent: to our region that owns the entity or takes it in, or back.
  local function accept(out, t, message, stamp, source, session, text, id, goal)
    if world.is_done and world.is_done(message.node, message.tick, id, stamp, session) then
      return
    end
    local region = goal or fallback
    if id then
      region = owner_of[id] or coming[id] or goal
      if is_stale(id, message) then
        region = nil
      elseif not region or map.owners[region] ~= own then
        region, away[message.node][id] = nil, t
      elseif not owner_of[id] then
        coming[id] = region
      end
    end
    if region then
      give(out, region, stamp, source, session, text)
    else
      local list = back[message.node]
      list[#list + 1], list[#list + 2] = message.tick, stamp
    end
  end

  -- Adds the commands of a message to entries, moves one by one: { stamp, source, session, text, id, goal,
  -- message }.
  local function take_apart(entries, message)
    local rows = message.rows
    for i = 1, #rows, WIDTH do
      local text, goal = rows[i + 3], rows[i + 5] or nil
      if rows[i + 2] == MOVE then
        for at = 1, #text, size_of_move do
          local stamp, source, id = moves:unpack(text, at)
          local row = text:sub(at, at + size_of_move - 1)
          entries[#entries + 1] = { stamp, source, MOVE, row, id, goal, message }
        end
      else
        entries[#entries + 1] = { rows[i], rows[i + 1], rows[i + 2], text, rows[i + 4] or nil, goal, message }
      end
    end
  end

  local function by_stamp(a, b)
    return a[1] < b[1]
  end

  -- At the begin of tick t: all that is to be applied or sent. closed: set of the nodes that are silent.
  -- Returns tables region -> flat list of stamp, source, session, text; node -> flat list of these, id and
  -- goal; a list of { stamp, source, session, text, node }: refused, as that node is silent, or (node is nil)
  -- as the entity was not found; and one of { stamp, source, session, text }, for ALL. Grows with the
  -- commands.
  function commands.take(t, closed)
    local out = { regions = {}, nodes = {}, refused = {}, for_all = {}, closed = closed or {} }
    local older = returned
    for _, message in ipairs(inbox) do
      take_apart(older, message)
    end
    inbox, returned, coming = {}, {}, {}
    for node, tick in pairs(has_come) do
      applied[node] = tick
    end
    table.sort(older, by_stamp)
    for _, entry in ipairs(older) do
      local stamp, source, session, text, id, goal, message = table.unpack(entry, 1, 7)
      if message then
        accept(out, t, message, stamp, source, session, text, id, goal)
      else
        route(out, t, stamp, source, session, text, id, goal)
      end
    end
    for i = 1, count do
      local id = ids[i]
      local list = sessions[i] == MOVE and not way_node[id] and out.regions[owner_of[id]]
      if list then -- as most: what `route` would do
        local n = list.length + 1
        list.length, list.run[n] = n, texts[i]
      elseif goals[i] == commands.ALL then
        out.for_all[#out.for_all + 1] = { base + i - 1, sources[i], sessions[i], texts[i] }
      else
        route(out, t, base + i - 1, sources[i], sessions[i], texts[i], id, goals[i])
      end
      goals[i] = nil
    end
    count, base = 0, (t + 1) << 28 | own << 20
    close(out.regions)
    close(out.nodes)
    return out.regions, out.nodes, out.refused, out.for_all
  end

  -- The commands that we give back to another node with the next message: a flat list of the tick of its
  -- message and the stamp.
  function commands.take_back(node)
    local list = back[node]
    back[node] = {}
    return list
  end

  -- The last tick of another node whose commands have been applied here.
  function commands.applied(node)
    return applied[node]
  end

  -- The last tick of ours whose commands another node has applied, as far as it has told.
  function commands.heard_of(node)
    return heard_of[node]
  end

  -- ---- after the messages of a tick -----------------------------------------------------------

  -- Calls visit(id) for each entity that has left the regions of a node, as its news say: gone, or with a
  -- region of another node by now.
  local function each_gone(node, news, visit)
    for _, part in ipairs(news) do
      if part.node == node then
        local handed, gone = part.handed or {}, part.left or {}
        for i = 1, #handed, 3 do
          if map.owners[handed[i + 1]] ~= node then
            visit(handed[i])
          end
        end
        for i = 1, #gone, 2 do
          visit(gone[i])
        end
      end
    end
  end

  local function send_anew(entry)
    returned[#returned + 1] = entry
    asked[entry[1]] = nil
  end

  -- Sends anew the commands sent to a node about entities that have left it, if not applied there by our tick
  -- `heard`.
  local function send_gone_anew(node, heard, is_gone)
    for _, message in ipairs(sent[node]) do
      local n, had = 0, message.tick > heard and message.n or 0
      for i = 1, had do
        local entry = message[i]
        message[i] = nil
        if is_gone[entry[5]] then
          send_anew(entry)
        else
          n = n + 1
          message[n] = entry
        end
      end
      message.n = had > 0 and n or message.n
    end
  end

  -- Sends anew the commands that a node has given back, unless it has been done. Calls visit(id) for each of
  -- their entities: all that is still under way there was sent without knowing of that, and will come back.
  local function take_given_back(node, given_back, visit)
    local is_back = {}
    for i = 1, #given_back, 2 do
      local tick = given_back[i]
      is_back[tick] = is_back[tick] or {}
      is_back[tick][given_back[i + 1]] = true
    end
    for _, message in ipairs(sent[node]) do
      local stamps = is_back[message.tick]
      for i = 1, stamps and message.n or 0 do
        local entry = message[i]
        if stamps[entry[1]] then
          send_anew(entry)
          visit(entry[5])
        end
      end
    end
  end

  -- The commands of another node's message, to be applied at the next begin. tick: its number; heard: the
  -- last tick of ours that was applied there when it was made; given_back: what was not, as take_back gives
  -- it there; news: what its regions tell.
  function commands.hear(node, tick, heard, rows, given_back, news)
    if #rows > 0 and (world.has_store or rows.start == world.start) then -- else all are sent anew
      inbox[#inbox + 1] = { tick = tick, heard = heard, node = node, rows = rows }
    end
    heard_of[node], has_come[node] = math.max(heard_of[node], heard), tick -- a new process begins with 0
    local is_gone, kept = {}, {}
    local function is_away(id)
      is_gone[id] = true
      if way_node[id] == node then
        way_node[id], way_tick[id], way_goal[id] = nil, nil, nil
      end
    end
    each_gone(node, news, is_away)
    take_given_back(node, given_back, is_away)
    local forget = world.has_store and heard_before[node] or heard -- with a store it may get them again
    heard_before[node] = heard
    send_gone_anew(node, heard, is_gone)
    for _, message in ipairs(sent[node]) do
      if message.tick > forget then
        kept[#kept + 1] = message
      end
    end
    sent[node] = kept
  end

  -- A region has moved from that node to another one, between two ticks. heard: the last tick of ours that
  -- was applied there before; nil: nobody knows, and what was not comes back.
  function commands.moved(region, node, heard)
    local is_gone = {}
    for id, owner in pairs(owner_of) do
      if owner == region and node == own then
        left[id] = (base >> 28) - 1
      elseif owner == region and heard then
        is_gone[id] = true
        if way_node[id] == node then
          way_node[id], way_tick[id], way_goal[id] = nil, nil, nil
        end
      end
    end
    if node ~= own and heard then
      send_gone_anew(node, heard, is_gone)
    end
  end

  -- Commands not known to be applied at a node are sent anew, and count for its new process alone.
  local function take_back_all(node)
    for _, message in ipairs(sent[node]) do
      for i = 1, message.n do
        send_anew(message[i])
      end
    end
    sent[node] = {}
    for id, there in pairs(way_node) do
      if there == node then
        way_node[id], way_tick[id], way_goal[id] = nil, nil, nil
      end
    end
  end

  -- A node has begun anew. With a store it gets all messages again whose commands it has not written. Returns
  -- a list of the stamps of commands that were applied there and are not answered: nobody knows what became
  -- of them.
  function commands.restarted(node)
    local is_sent, lost = {}, {}
    if not world.has_store then
      take_back_all(node)
    end
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
    back[node], away[node], away_before[node] = {}, {}, {}
    return lost
  end

  -- At the end of tick t, with its news: those of our own regions say what has left this node.
  function commands.settle(t, news)
    if t - left_began >= KEPT then
      left, left_before, left_began = {}, left, t
      overtaken, overtaken_before = {}, overtaken
      for node in pairs(away) do
        away[node], away_before[node] = {}, away[node]
      end
      for id, node in pairs(way_node) do
        if heard_of[node] >= way_tick[id] then
          way_node[id], way_tick[id], way_goal[id] = nil, nil, nil
        end
      end
    end
    each_gone(own, news, function(id)
      left[id] = t
    end)
  end

  return commands
end
