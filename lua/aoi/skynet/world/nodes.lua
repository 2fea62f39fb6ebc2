-- The other nodes of a world, over skynet's cluster: greetings, and texts that go by world/link.lua.
--
-- A greeting tells who we are and which process. To a node that is silent nothing else is sent, once a
-- second. A text is only sent to a node that has greeted us.
local skynet = require "skynet"
local cluster = require "skynet.cluster"
local world_link = require "aoi.skynet.world.link"

local SECOND = 100 -- in skynet's hundredths
local GAP = 20     -- between two looks for what is missing

-- `world` is the table of world.lua: map, barrier, start (the number of this process), now().
-- hear has functions:
--   met(node, tick, is_new)   it lives and was silent; its last tick; is_new: another process than before
--   text(node, text, number)  one that it has sent, in order, and its number
--   is_waiting_for(node)      whether a text of its is due
--   lost(node)                it has been silent for too long
--   claimed(list)             what claims() gave there: who has which regions
return function(world, hear)
  local nodes = { pieces = 0, bytes = 0, resent = 0 }
  local map, barrier = world.map, world.barrier
  local own, address = map.node, "@" .. map.name
  local links = {}
  for node = 1, #map.nodes do
    if node ~= own then
      links[node] = world_link.new(own, world.start)
    end
  end

  local function post(node, ...)
    cluster.send(map.nodes[node], address, "world", ...)
  end

  local function post_pieces(node, pieces)
    for _, piece in ipairs(pieces) do
      nodes.pieces, nodes.bytes = nodes.pieces + 1, nodes.bytes + #piece
      post(node, "piece", piece)
    end
  end

  -- Sends a text; to a node that is silent when it lives again.
  function nodes.send(node, text)
    local pieces = links[node]:send(text)
    if barrier.state[node] ~= "silent" then
      post_pieces(node, pieces)
    end
  end

  -- The number of their process, 0: none is known.
  function nodes.start_of(node)
    return links[node].peer_start
  end

  -- The number of the last text of theirs that has come.
  function nodes.taken(node)
    return links[node].taken
  end

  -- They have taken in the texts of our process, if `start` is that, up to this number.
  function nodes.acknowledge(node, number, start)
    links[node]:acknowledge(number, start)
  end

  -- ---- what comes -----------------------------------------------------------------------------

  local on = {}

  local function greet(node, wants_answer)
    post(node, "hello", own, world.start, barrier.tick, wants_answer, hear.claims())
  end

  function on.hello(node, start, tick, wants_answer, claims)
    local link = links[node]
    local is_new = link:meet(start)
    if is_new == nil then
      return -- held up on the way since before its last start
    end
    local was_silent = barrier:hear(node, world.now())
    if wants_answer then
      greet(node, false)
    end
    if is_new then
      link:restart()
    end
    hear.claimed(claims)
    if was_silent or is_new then
      hear.met(node, tick, is_new)
      local pieces = link:again(0)
      nodes.resent = nodes.resent + #pieces
      post_pieces(node, pieces)
    end
  end

  function on.piece(node, piece)
    local texts = links[node]:receive(piece)
    if not texts then
      return
    end
    if barrier:hear(node, world.now()) then
      greet(node, true) -- it does not know that we have given it up
    end
    local number = links[node].taken - #texts
    for i, text in ipairs(texts) do
      hear.text(node, text, number + i)
    end
  end

  -- Asks for what comes after this number.
  function on.again(node, start, after)
    local link = links[node]
    if start == link.peer_start then
      local pieces = link:again(after)
      nodes.resent = nodes.resent + #pieces
      post_pieces(node, pieces)
    end
  end

  -- A message of another node's world.
  function nodes.hear(kind, ...)
    if kind == "piece" then
      local node = type(...) == "string" and world_link.node_of(...)
      if links[node] then
        on.piece(node, ...)
      end
    elseif on[kind] and links[...] then
      on[kind](...)
    end
  end

  -- ---- from time to time ----------------------------------------------------------------------

  local function greet_silent()
    skynet.timeout(SECOND, greet_silent)
    for node in pairs(links) do
      if barrier.state[node] == "silent" then
        greet(node, true)
      end
    end
  end

  local function look()
    skynet.timeout(GAP, look)
    for _, node in ipairs(barrier:take_silent(world.now())) do
      hear.lost(node)
    end
    for node, link in pairs(links) do
      local is_missed = link:has_gap() or hear.is_waiting_for(node)
        or barrier:waits_long(node, world.now(), GAP * 10)
      if is_missed and barrier.state[node] ~= "silent" then
        post(node, "again", own, world.start, link.taken)
      end
    end
  end

  function nodes.start()
    greet_silent()
    skynet.timeout(GAP, look)
  end

  -- Asks the world of another node: a command as of an agent that calls. Raises when it does not answer.
  function nodes.call(node, ...)
    return cluster.call(map.nodes[node], address, ...)
  end

  return nodes
end
