-- Handlers of the scenes of cases/store.lua: count ticks, as own data that is saved and logged; and make the
-- store's files go wrong. AOI_KILL="5 0.5" kills the process at the fifth writing or renaming, when half of
-- it is written; the command `fail` fills the disk.
local kill_at, part = (os.getenv "AOI_KILL" or ""):match "^(%d+) ([%d.]+)$"
kill_at, part = tonumber(kill_at), tonumber(part)

local operations = 0
local is_full = false -- the disk

local function die()
  local stat = assert(io.open "/proc/self/stat")
  os.execute("kill -9 " .. stat:read "n")
end

-- Does this operation: all(), or at the chosen moment some(), and then dies.
local function operate(all, some)
  operations = operations + 1
  if operations ~= kill_at then
    return all()
  end
  some()
  die()
end

local File = {}
File.__index = File

function File:setvbuf(...) return self.file:setvbuf(...) end
function File:seek(...) return self.file:seek(...) end
function File:close() return self.file:close() end

function File:write(bytes)
  if is_full then
    self.file:write(bytes:sub(1, #bytes // 2))
    return nil, "No space left on device"
  end
  return operate(function()
    return self.file:write(bytes)
  end, function()
    self.file:write(bytes:sub(1, math.floor(#bytes * part)))
  end)
end

local open, rename = io.open, os.rename

io.open = function(path, mode) -- luacheck: ignore
  local file, message = open(path, mode)
  if file and mode == "wb" then
    return setmetatable({ file = file }, File)
  end
  return file, message
end

os.rename = function(...) -- luacheck: ignore
  local paths = { ... }
  local function all()
    return rename(table.unpack(paths))
  end
  return operate(all, part == 1 and all or function() end)
end

return function(scene)
  local ticks = 0
  return {
    tick = function()
      ticks = ticks + 1
      scene.log("tick", ticks, { nested = { ticks } })
    end,
    save = function() return { ticks = ticks } end,
    load = function(saved) ticks = saved.ticks end,
    logged = function(what, n, more)
      assert(what == "tick" and n == ticks + 1 and more.nested[1] == n, "the log is not what was logged")
      ticks = n
    end,
    commands = {
      ticks = function() return ticks end,
      fail = function(_, fails)
        is_full = fails
        return true
      end,
    },
  }
end
