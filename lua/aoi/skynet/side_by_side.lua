-- Several calls at once, in a service of skynet.
local skynet = require "skynet"

-- Runs functions side by side, for at most so many hundredths of a second (nil: as long as they take).
-- Returns a list of what pcall gave for each, as of table.pack; nil for one that is not done.
return function(list, limit)
  local results, left, caller = {}, #list, coroutine.running()
  local function wake()
    if caller then
      skynet.wakeup(caller)
    end
  end
  for i, f in ipairs(list) do
    skynet.fork(function()
      results[i] = table.pack(pcall(f))
      left = left - 1
      if left == 0 then
        wake()
      end
    end)
  end
  if left > 0 then
    if limit then
      skynet.timeout(limit, wake)
    end
    skynet.wait(caller)
  end
  caller = nil
  return table.move(results, 1, #list, 1, {})
end
