-- The moves of agents of one process that wait for a tick, as direct.lua wants them: gathered by the module
-- aoi.core from skynet's messages, without a Lua value for each.
local core = require "aoi.core"

-- dims: of the world; agent_of(id): the address of an entity's agent, if that is here, and who gave it; only
-- their moves are taken. Returns a table with the functions of direct.lua, and
--   taker(type, on_move, dispatch)  takes skynet's messages, as core.moves has it
-- on_taken(n, replaced): so many moves were taken, and so many more in whose place later ones came.
return function(dims, agent_of, on_taken)
  local gathered = {}
  local moves = core.moves(dims)
  local ROW, SOURCE = "<i8" .. ("d"):rep(dims), "<I4"
  local row_size, source_size = ROW:packsize(), SOURCE:packsize()

  function gathered.taker(...)
    return moves:taker(...)
  end

  function gathered.open(id, region)
    local address, sender = agent_of(id)
    if address then
      moves:open(id, region, address, sender or address)
    end
  end

  function gathered.close(id)
    moves:close(id)
  end

  function gathered.close_all()
    moves:close_all()
  end

  -- The entities of a batch.
  function gathered.ids(batch)
    local ids, rows, unpack = {}, batch.rows, string.unpack
    for i = 1, batch.n do
      ids[i] = unpack("<i8", rows, (i - 1) * row_size + 1)
    end
    return ids
  end

  -- Move i of a batch as a call.
  function gathered.call(batch, i)
    local id, x, y, z = ROW:unpack(batch.rows, (i - 1) * row_size + 1)
    return {
      id = id, kind = "move", source = SOURCE:unpack(batch.sources, (i - 1) * source_size + 1),
      place = dims == 3 and { x, y, z } or { x, y },
    }
  end

  -- The moves of a batch from the first to the last of these places, as a batch.
  function gathered.run(batch, first, last)
    return {
      rows = batch.rows:sub((first - 1) * row_size + 1, last * row_size),
      sources = batch.sources:sub((first - 1) * source_size + 1, last * source_size), n = last - first + 1,
    }
  end

  -- Returns region -> { rows, sources, n }, rows as space:move_all takes them, and a list of calls: those
  -- whose entity was closed meanwhile.
  function gathered.drain()
    local list, replaced = moves:drain()
    local batches, strays, n = {}, {}, 0
    for at = 1, #list, 4 do
      local batch = { rows = list[at + 1], sources = list[at + 2], n = list[at + 3] }
      n = n + batch.n
      if list[at] > 0 then
        batches[list[at]] = batch
      else
        for i = 1, batch.n do
          strays[i] = gathered.call(batch, i)
        end
      end
    end
    on_taken(n, replaced)
    return batches, strays
  end

  return gathered
end
