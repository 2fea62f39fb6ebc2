-- A region says whose its entities are, for the nodes of their agents: each change of an address or a stream,
-- whoever made it, with the next tick. Of an entity that is back from before, these nodes know what is later.

-- Blocks that an agent may have got, at most, in a stream that the region has not known.
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

  -- These entities are here as they were in a tick before. said: list of { id, address, stream, sender }, of
  -- those of which nodes were told more since then: they go on from there.
  function agents.go_on(said)
    for _, one in ipairs(said) do
      local id = one.id
      if not one.address then
        scene.streams:drop(id)
      elseif scene.streams.of[id] ~= one.stream then
        scene.streams:go_on(id, one.stream, BLOCKS)
      end
      scene.addresses:set(id, one.address, one.sender)
      scene.newcomers[id], scene.orphans[id] = one.address and true or nil, nil
    end
  end

  return agents
end
