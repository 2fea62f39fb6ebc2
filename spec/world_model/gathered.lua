-- Moves that wait for a tick, as direct.lua wants them, in Lua: the calls themselves.
return function()
  local gathered = {}
  local regions, list = {}, {} -- entity -> region; list of calls

  -- Returns whether the call was taken.
  function gathered.put(call)
    list[#list + 1] = regions[call.id] and call or nil
    return regions[call.id] ~= nil
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
    list = {}
    return batches, strays
  end

  function gathered.ids(batch)
    local ids = {}
    for i, call in ipairs(batch) do
      ids[i] = call.id
    end
    return ids
  end

  function gathered.call(batch, i)
    return batch[i]
  end

  return gathered
end
