-- A region says whose its entities are, for the nodes of their agents: each change of an address or a stream,
-- whoever made it, with the next tick. Where a store is behind, the knowledge of these nodes counts.
local blocks = require "aoi.skynet.blocks"

-- Blocks that an agent may have got in a stream that a store does not have, at most.
local BLOCKS = 1 << 24

-- `scene` is the table of region.lua; scene.renewed: entity -> "changed", or "anew": to all nodes.
return function(scene)
  local agents = {}
  local raised = {} -- list, as of `take`

  -- The entity may have another address or stream than these, which it had.
  function agents.note(id, address, stream)
    if scene.addresses.of[id] ~= address or scene.streams.of[id] ~= stream then
      scene.renewed[id] = scene.renewed[id] or "changed"
    end
  end

  -- An agent at this address hears of the entity in a stream that its node has not numbered so, and may have
  -- another one in the same tick.
  function agents.raised(id, address, stream)
    raised[#raised + 1] = { id = id, address = address, stream = stream, is_past = true }
  end

  -- Takes out all that is to be said: a list of { id =, address = false: nobody's, stream =, sender = who
  -- gave the address, is_for_all = nobody knows who has heard what, is_past = the stay may be over by now }.
  function agents.take()
    local list, renewed = raised, scene.renewed
    raised, scene.renewed = {}, {}
    for id, why in pairs(renewed) do
      if scene.owned[id] and scene.space:has(id) then
        list[#list + 1] = {
          id = id, address = scene.addresses.of[id] or false, stream = scene.streams.of[id],
          sender = scene.addresses.sender[id], is_for_all = why == "anew" or nil,
        }
      end
    end
    return list
  end

  -- All nodes are to hear whose these entities are.
  function agents.say_anew(ids)
    for _, id in ipairs(ids) do
      scene.renewed[id] = "anew"
    end
  end

  -- Of two states of an entity the earlier one; of a stream, that it has ended is the later one.
  local function is_earlier(a, b)
    if a.stream == b.stream then
      return a.address and not b.address
    end
    return blocks.is_later(b.stream, a.stream)
  end

  -- These entities, a list, were read from a store. known: list of { id, address, stream, sender }, as nodes
  -- were told of them last. Where that is later than what the store has, it goes on from there: the address
  -- is told all, or, if it is false, nobody is.
  function agents.read(ids, known)
    table.sort(known, is_earlier)
    for _, one in ipairs(known) do
      local id = one.id
      local of_store = { stream = scene.streams.of[id] or one.stream, address = scene.addresses.of[id] }
      if scene.owned[id] and (is_earlier(of_store, one) or one.address and not of_store.address) then
        scene.streams:drop(id)
        if one.address then
          scene.streams:go_on(id, one.stream, BLOCKS)
        end
        scene.addresses:set(id, one.address, one.sender)
        scene.newcomers[id], scene.orphans[id] = one.address and true, nil
      end
    end
    agents.say_anew(ids)
  end

  return agents
end
