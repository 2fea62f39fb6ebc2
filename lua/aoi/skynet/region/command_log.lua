-- A log of the commands that a region has applied, for tests and for the question why: each is one line, a
-- Lua table. Pure Lua, without skynet.
local Log = {}
Log.__index = Log

local command_log = {}

-- The log of this region; its lines name the tick `tick`.
function command_log.new(region)
  return setmetatable({ region = region, tick = 0, lines = {} }, Log)
end

local function scalar_text(value)
  return (("%q"):format(value):gsub("\n", "n"))
end

-- Streams mean nothing to who reads it; of an address the key of its process is enough.
local function text_of(value)
  if type(value) ~= "table" then
    return scalar_text(value)
  end
  local parts = {}
  for key, option in pairs(value) do
    if key == "address" and type(option) == "string" then
      option = option:match "^(%x+):" or option
    end
    if key ~= "stream" then
      parts[#parts + 1] = ("[%s]=%s"):format(scalar_text(key), text_of(option))
    end
  end
  table.sort(parts)
  return "{" .. table.concat(parts, ",") .. "}"
end

-- Lines of one tick count in the order of `order`: enters, areas (by stamps), other commands.
local ENTER, AREA, OTHER = 1, 2, 3

local function add(self, text)
  self.lines[#self.lines + 1] = ("{tick=%d,region=%d,%s}"):format(self.tick, self.region, text)
end

-- A command about an entity was applied, or refused. stamp: of world/numbers.lua; entered: by this an entity
-- has entered.
function Log:command(stamp, ok, entered, name, id, ...)
  local words = table.pack(name, id, ...)
  words.n = name == "leave" and 2 or words.n -- behind it may be an address
  for i = 1, words.n do
    words[i] = text_of(words[i])
  end
  add(self, ("order=%d,stamp=%d,ok=%s,%s"):format(entered and ENTER or OTHER, stamp, ok,
    table.concat(words, ",", 1, words.n)))
end

-- A command about an area. of_handlers: it was theirs; area: all that it is then, so that a move is written
-- as a change like others.
function Log:area(stamp, ok, of_handlers, name, id, area)
  local words = { text_of(area and name == "move_area" and "set_area" or name), text_of(id),
    area and text_of(area) or nil }
  add(self, ("order=%d,stamp=%d,ok=%s,of_handlers=%s,%s"):format(AREA, stamp, ok, of_handlers,
    table.concat(words, ",")))
end

-- An entity was handed over.
function Log:handed(id, to)
  add(self, ("handed={{%d,%d}}"):format(id, to))
end

-- The lines since the last time, a list.
function Log:take()
  local lines = self.lines
  self.lines = {}
  return lines
end

return command_log
