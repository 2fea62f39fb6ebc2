-- A log of the commands that a region has applied, for tests and for the question why: each is one line, a
-- Lua table. Pure Lua, without skynet.
local Log = {}
Log.__index = Log

local command_log = {}

-- The log of this region; its lines name the tick `tick`.
function command_log.new(region)
  return setmetatable({ region = region, tick = 0, lines = {}, ids = {} }, Log)
end

local function scalar_text(value)
  return (("%q"):format(value):gsub("\n", "n"))
end

-- Streams mean nothing to who reads it; of an address the number of its node is enough.
local function text_of(value)
  if type(value) ~= "table" then
    return scalar_text(value)
  end
  local parts = {}
  for key, option in pairs(value) do
    if key == "address" and math.type(option) == "integer" then
      option = option >> 48
    end
    if (key ~= "address" or type(option) ~= "string") and key ~= "stream" then
      parts[#parts + 1] = ("[%s]=%s"):format(scalar_text(key), text_of(option))
    end
  end
  table.sort(parts)
  return "{" .. table.concat(parts, ",") .. "}"
end

local function add(self, id, text)
  local n = #self.lines + 1
  self.lines[n], self.ids[n] = ("{tick=%d,region=%d,%s}"):format(self.tick, self.region, text), id or false
end

-- A command about an entity was applied, or refused. stamp: see region/commands.lua.
function Log:command(stamp, ok, name, id, ...)
  local words = table.pack(name, id, ...)
  words.n = name == "leave" and 2 or words.n -- behind it may be an address
  for i = 1, words.n do
    words[i] = text_of(words[i])
  end
  add(self, id, ("stamp=%d,ok=%s,%s"):format(stamp, ok, table.concat(words, ",")))
end

-- A command about an area. owner: the area's, or nil; area: all that it is then, so that a move is written as
-- a change like others.
function Log:area(stamp, ok, owner, name, id, area)
  local words = { text_of(area and name == "move_area" and "set_area" or name), text_of(id),
    area and text_of(area) or nil }
  add(self, owner, ("stamp=%d,ok=%s,%s"):format(stamp, ok, table.concat(words, ",")))
end

-- An entity was handed over.
function Log:handed(id, to)
  add(self, id, ("handed={{%d,%d}}"):format(id, to))
end

-- Drops all that was written about this entity since the last time.
function Log:drop(id)
  local lines, ids = self.lines, self.ids
  self.lines, self.ids = {}, {}
  for i, line in ipairs(lines) do
    if ids[i] ~= id then
      self.lines[#self.lines + 1], self.ids[#self.ids + 1] = line, ids[i]
    end
  end
end

-- The lines that `take` has not given yet, for `load`.
function Log:save()
  return { lines = self.lines, ids = self.ids, tick = self.tick }
end

function Log:load(saved)
  self.lines, self.ids, self.tick = saved.lines, saved.ids, saved.tick
end

-- The lines since the last time, a list.
function Log:take()
  local lines = self.lines
  self.lines, self.ids = {}, {}
  return lines
end

return command_log
