-- Files that stand on the disk once they are written: neither a killed process nor a machine that loses its
-- power undoes that. Without skynet.
local core = require "aoi.core"

local durable = {}

-- Waits until what was given to a file is on the disk. Returns true; or nil and a message.
durable.sync = core.sync

-- Waits until the names in the folder of this path are those on the disk: what was renamed there, or made.
-- Returns as `sync`.
function durable.sync_folder(path)
  local folder, message = io.open(path:match "^.*/" or "./", "r")
  if not folder then
    return nil, message
  end
  local ok
  ok, message = core.sync(folder)
  folder:close()
  return ok, message
end

-- Writes a text in the place of what the file of this path has: all of it or nothing. Returns as `sync`.
function durable.replace(path, text)
  local file, message = io.open(path .. ".new", "wb")
  if not file then
    return nil, message
  end
  local ok
  ok, message = file:write(text)
  if ok then
    ok, message = core.sync(file)
  end
  file:close()
  if ok then
    ok, message = os.rename(path .. ".new", path)
  end
  if not ok then
    return nil, message
  end
  return durable.sync_folder(path)
end

return durable
