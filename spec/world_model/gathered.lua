-- Moves that wait for a tick, as direct.lua wants them, in Lua: the calls themselves.
local calls = require "aoi.skynet.world.calls"

return function()
  local gathered = {}
  local regions, list = {}, {} -- entity -> region; list of calls
  local last = {} -- entity -> the last call about it in `list`

  -- Returns whether the call was taken. A bare move takes the place of one that waits, whoever sent that, as
  -- those of aoi.core do.
  function gathered.put(call)
    local before = last[call.id]
    if not regions[call.id] then
      return false
    elseif before and calls.is_bare_move(before) and calls.is_bare_move(call) then
      before.place, before.source = call.place, call.source
    else
      list[#list + 1], last[call.id] = call, call
    end
    return true
  end

  function gathered.open(id, region)
    regions[id] = region
  end

  function gathered.close(id)
    regions[id] = nil
  end

  function gathered.close_all()
    regions = {}
  end

  function gathered.drain()
    local batches, strays = {}, {}
    for _, call in ipairs(list) do
      local region = regions[call.id]
      if region then
        batches[region] = batches[region] or { n = 0 }
        table.insert(batches[region], call)
        batches[region].n = batches[region].n + 1
      else
        strays[#strays + 1] = call
      end
    end
    list, last = {}, {}
    return batches, strays
  end

  function gathered.ids(batch)
    local ids = {}
    for i, call in ipairs(batch) do
      ids[i] = call.id
    end
    return ids
  end

  function gathered.run(batch, from, to)
    local run = table.move(batch, from, to, 1, {})
    run.n = #run
    return run
  end

  function gathered.call(batch, i)
    return batch[i]
  end

  return gathered
end
