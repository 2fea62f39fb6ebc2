-- The module aoi: area of interest, who sees whom in a scene and when that changes.
local core = require "aoi.core"

local aoi = { _VERSION = core._VERSION }

-- Makes a space; an error points at the line that called our caller, which must not call this as
-- a tail call: its frame would be gone.
local function make(constructor, ...)
  local ok, result = pcall(constructor, ...)
  if not ok then
    -- A memory error is no fault of that line: it stays as Lua made it.
    error(result, result == "not enough memory" and 0 or 3)
  end
  return result
end

-- How an error message shows a value.
local function show(value)
  local kind = type(value)
  if kind == "nil" or kind == "boolean" or kind == "number" then
    return tostring(value)
  end
  return kind == "string" and ("the string %q"):format(value) or "a " .. kind
end

local function refuse(what, value, expected)
  error(("new: %s is %s, expected %s"):format(what, show(value), expected), 3)
end

-- aoi.new(options), or the classic call aoi.new(width, height, cols, rows, callback).
function aoi.new(...)
  local options, height, cols, rows, callback = ...
  if type(options) == "table" then
    if select("#", ...) > 1 then
      refuse("the argument after the options", height, "none")
    end
    local space = make(core.new, options)
    return space
  end
  if type(options) ~= "number" then
    refuse("the first argument", options, "a table of options, or the width of a classic nine-grid")
  end
  local classic = { engine = "grid", width = options, height = height, cols = cols, rows = rows }
  for _, name in ipairs { "width", "height", "cols", "rows" } do
    if type(classic[name]) ~= "number" then
      refuse(name, classic[name], "a number")
    end
  end
  if type(callback) ~= "function" then
    refuse("callback", callback, "a function(space, watcher, marker, op)")
  end
  if select("#", ...) > 5 then
    refuse("the argument after the callback", (select(6, ...)), "none")
  end
  local space = make(core.new, classic, callback)
  return space
end

-- aoi.load(string [, handlers]): a space equal to that of which space:save() made the string.
function aoi.load(...)
  local space = make(core.load, ...)
  return space
end

return aoi
