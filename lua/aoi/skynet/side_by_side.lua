-- Several calls at once, in a service of skynet.
local skynet = require "skynet"

-- Runs functions side by side, for at most so many hundredths of a second (nil: as long as they take).
-- Returns a list of what pcall gave for each, as of table.pack; nil for one that is not done.
return function(list, limit)
  if #list == 1 and not limit then
    return { table.pack(pcall(list[1])) } -- no coroutine is needed for it
  end
  local results, running, caller, is_over = {}, #list, coroutine.running(), false
  local function wake()
    if caller then
      skynet.wakeup(caller)
    end
  end
  for i, f in ipairs(list) do
    skynet.fork(function()
      results[i] = table.pack(pcall(f))
      running = running - 1
      if running == 0 then
        wake()
      end
    end)
  end
  if limit then
    skynet.timeout(limit, function()
      is_over = true
      wake()
    end)
  end
  while running > 0 and not is_over do
    skynet.wait(caller) -- which may end for a wakeup that was meant for an earlier wait of the caller
  end
  caller = nil
  return table.move(results, 1, #list, 1, {})
end
