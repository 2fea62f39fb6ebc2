-- The module aoi: area of interest, who sees whom in a scene and when that changes.
local core = require "aoi.core"

local aoi = { _VERSION = core._VERSION }

-- Makes a space; an error points at the line that called our caller, which must not call this as
-- a tail call: its frame would be missing.
local function make(constructor, ...)
  local ok, result, more = pcall(constructor, ...)
  if not ok then
    -- A memory error is no fault of that line: it stays as Lua made it.
    error(result, result == "not enough memory" and 0 or 3)
  end
  return result, more
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

-- aoi.load(string [, handlers]): a space equal to that of which space:save() made the string. Beside the
-- handlers may stand record = true, and collect, which then counts instead of the saved one.
function aoi.load(...)
  local space = make(core.load, ...)
  return space
end

-- aoi.replay(space, string [, options]): makes the calls of a string from space:recorded() that the space,
-- loaded from a save of the same history, has not made yet. No handler hears of it. Options: tick = n or
-- calls = n ends it when the space has made so many; events = t gathers the events as drain does, and returns
-- t and their number.
function aoi.replay(...)
  local events, n = make(core.replay, ...)
  return events, n
end

-- aoi.record_span(string): a table that says from which call and tick to which the records in the string go
-- (from_calls, from_tick, to_calls, to_tick) and how many bytes are whole; if not all, why not.
function aoi.record_span(...)
  local span, complaint = make(core.record_span, ...)
  return span, complaint
end

-- Of the files of recorder.lua and player.lua, and of GeoJSON, a space knows nothing: these modules are
-- loaded when they are wanted.
for name, module in pairs {
  recorder = "aoi.recorder", player = "aoi.player", recover = "aoi.player", zones = "aoi.zones",
} do
  aoi[name] = function(...)
    return require(module)[name](...)
  end
end

return aoi
