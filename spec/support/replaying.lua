-- A space that records, and is made anew again and again, from a save and the records since then, in one of
-- many ways; its user sees no difference. A comparison with a model so also compares the future of a space
-- made anew.

local aoi = require "aoi"
local Random = require "spec.support.random"
local same_space = require "spec.support.same_space"

local MOST_SAVES = 3

local Replaying = {}
Replaying.__index = Replaying

local function copy(options)
  local copied = {}
  for name, value in pairs(options) do
    copied[name] = value
  end
  return copied
end

local function handlers_of(options)
  local handlers = {}
  for name, value in pairs(options) do
    if name:find "^on_" then
      handlers[name] = value
    end
  end
  return handlers
end

-- ---- the history ------------------------------------------------------------------------------

function Replaying:save()
  self.saves[#self.saves + 1] = self.space:save()
  if #self.saves > MOST_SAVES then
    table.remove(self.saves, 1)
  end
end

-- Takes what was recorded. Strings that end before the oldest save stay: replay passes over them.
function Replaying:take()
  local string = self.space:recorded()
  assert(self.space:recorded() == "", "recorded() gives something twice")
  if string ~= "" then
    self.strings[#self.strings + 1] = string
  end
end

function Replaying:begin()
  self.saves, self.strings = { self.space:save() }, {}
end

-- Calls that are not recorded follow.
function Replaying:pause()
  self.space:record(false)
  self.space:recorded()
  self.is_paused = true
end

function Replaying:resume()
  assert(self.space:recorded() == "", "recorded without recording")
  self.space:record(true)
  self.is_paused = false
  self:begin()
end

-- ---- making anew ------------------------------------------------------------------------------

-- Makes the calls of all strings, at once or one by one, perhaps with a stop.
function Replaying:replay(space)
  local random, joined = self.random, table.concat(self.strings)
  local choice = random:integer(1, 4)
  if choice == 1 then
    aoi.replay(space, joined)
  elseif choice == 2 then
    aoi.replay(space, "") -- what waits in the save has been told since
    for _, string in ipairs(self.strings) do
      aoi.replay(space, string)
    end
  else
    local from, to = space:stats().calls, self.space:stats().calls
    local stop = random:integer(from, to)
    aoi.replay(space, joined, { calls = stop })
    assert(space:stats().calls == stop, "replay did not stop where it should")
    aoi.replay(space, joined)
  end
end

-- Nothing of a damaged string is made. True when it was only shorter; the space is then closed.
function Replaying:check_damage(space)
  local random, joined = self.random, table.concat(self.strings)
  if joined == "" or not random:chance(0.3) then
    return
  end
  local saved, at = space:save(), random:integer(1, #joined)
  local byte = string.char(joined:byte(at) ~ random:integer(1, 255))
  local damaged = joined:sub(1, at - 1) .. byte .. joined:sub(at + 1)
  if random:chance(0.3) then
    damaged = joined:sub(1, -1 - random:integer(1, math.min(40, #joined)))
  end
  local ok, message = pcall(aoi.replay, space, damaged)
  if ok then
    local span = assert(aoi.record_span(damaged)) -- cut between two records it is whole, and shorter
    assert(span.whole == #damaged and #damaged < #joined, "a damaged record is replayed")
    space:close()
    return true
  end
  assert(message:find("whole", 1, true), message)
  assert(space:save() == saved, "a damaged record has changed something")
  return false
end

-- One more space like this one. `loud` handlers must not be called while it is made.
function Replaying:make_anew()
  self:take()
  local saved, told, space = self.random:pick(self.saves), 0
  if self.random:chance(0.5) then
    local loud = {}
    for name in pairs(self.handlers) do
      loud[name] = function()
        told = told + 1
      end
    end
    space = aoi.load(saved, loud)
  else
    space = aoi.load(saved)
  end
  if self:check_damage(space) then
    space = aoi.load(saved)
  end
  self:replay(space)
  assert(told == 0, "replay has called a handler")
  space:on(self.handlers)
  same_space.check(space, self.space)
  self.times = self.times + 1
  return space
end

function Replaying:replace()
  local space = self:make_anew()
  if self.random:chance(0.7) then
    space:record(true)
    self.space, space = space, self.space
  end
  space:close()
end

-- ---- using it ---------------------------------------------------------------------------------

local ACTS = {
  { weight = 3, name = "save" },
  { weight = 3, name = "take" },
  { weight = 5, name = "replace" },
  { weight = 0.3, name = "pause" },
}

-- Before a call; also before one that a handler makes, while another call delivers in this space.
function Replaying:act()
  if self.is_paused then
    return self:resume()
  end
  local name = self.random:pick_weighted(ACTS).name
  if self.depth == 0 or name ~= "replace" then
    self[name](self)
  end
end

-- After a difference all calls raise: one that should be refused does not hide it.
function Replaying:call(name, ...)
  if not self.problem and self.random:chance(self.share) then
    local ok, problem = pcall(self.act, self)
    self.problem = not ok and "made anew: " .. tostring(problem) or nil
  end
  if self.problem and name ~= "close" then
    error(self.problem, 0)
  end
  self.depth = self.depth + 1
  local answer = table.pack(pcall(self.space[name], self.space, ...))
  self.depth = self.depth - 1
  if not answer[1] then
    error(answer[2], 0)
  end
  if name == "on" then
    self.handlers = handlers_of((...))
  end
  return table.unpack(answer, 2, answer.n)
end

-- As aoi.new; before a call something of the above is done with the probability `share`.
local function new(options, seed, share)
  options = copy(options)
  options.record = true
  local self = setmetatable({
    space = aoi.new(options), handlers = handlers_of(options), random = Random.new(seed), share = share,
    depth = 0, times = 0,
  }, Replaying)
  self:begin()
  local methods = {}
  return setmetatable({}, {
    __index = function(_, name)
      methods[name] = methods[name] or function(_, ...)
        return self:call(name, ...)
      end
      return methods[name]
    end,
    __len = function()
      return #self.space
    end,
  }), self
end

return { new = new }
