-- A client of the churn run: a socket to the gate, a reader of what comes over it, and its own record of
-- where and what it is. It lives in a service of players.lua; events.lua says what it does.
local skynet = require "skynet"
local socket = require "skynet.socket"
local known = require "aoi.skynet.known"
local packet = require "aoi.skynet.packet"
local Random = require "spec.support.random"
local maps = require "spec.skynet.churn.maps"
local wire = require "spec.skynet.churn.wire"

local Client = {}
Client.__index = Client

local PATIENCE = 60 -- seconds that anything may take

-- report(text) is called for each thing that is wrong.
function Client.new(id, port, seed, report)
  local random = Random.new(seed * 100000 + id)
  local map = random:pick(maps.list).name
  local self
  self = setmetatable({
    id = id, port = port, random = random,
    report = function(...)
      report(("client %d: %s; lately: %s"):format(id, (...):format(select(2, ...)),
        table.concat(self.lately, ", ")))
    end,
    name = "client " .. id, look = random:integer(0, 359), mood = "none",
    map = map, x = random:float(0, maps.side[map]), y = random:float(0, maps.side[map]),
    connection = nil, -- the one in use; nil: it is out
    formers = {},     -- connections whose agents are to hear from the scene that their stay has ended
    said = 0,         -- how often
    notices = {},     -- set of numbers
    backs = 0,        -- how often a scene had it already
    lately = {},      -- what it did last, for messages
  }, Client)
  return self
end

-- Where the coroutines of an agent wait, for messages.
local function doings(agent)
  local called, tasks = pcall(skynet.call, agent, "debug", "TASK")
  local list = {}
  for _, traceback in pairs(called and type(tasks) == "table" and tasks or {}) do
    list[#list + 1] = traceback
  end
  return #list > 0 and table.concat(list, "; ") or "nothing"
end

-- agent: of whom something is expected; may be left out.
function Client:wait_until(what, check, agent)
  local last = skynet.now() + PATIENCE * 100
  while not check() do
    if skynet.now() > last then
      self.report("waited in vain: %s%s", what, agent and "; its agent does " .. doings(agent) or "")
      return false
    end
    skynet.sleep(3)
  end
  return true
end

-- ---- what comes -------------------------------------------------------------------------------

local hear = {}

function hear.you(self, connection, words)
  local epoch, map, x, y, agent, is_back, stream =
    words:match "^(%d+) (%l+) (%S+) (%S+) (%d+) (%d) (%d+)$"
  connection.epoch, connection.agent, connection.stream = tonumber(epoch), tonumber(agent), tonumber(stream)
  connection.came_at = connection.came_at or skynet.now()
  local me = connection.reader:me(self.id)
  if me and me.stream == connection.stream then
    me:step_to({ tonumber(x), tonumber(y) }, me.stream, me.pushes)
  end
  if connection == self.connection then
    self:note(("in %s (%d)"):format(map, is_back))
    self.map, self.x, self.y = map, tonumber(x), tonumber(y)
    self.backs = self.backs + tonumber(is_back)
  end
end

function hear.echo(_, connection, words)
  local number, scene, state = words:match "^(%d+) (%d+) (%l+)$"
  connection.echo, connection.scene, connection.is_open = tonumber(number), tonumber(scene), state == "open"
end

function hear.over(_, connection, words)
  connection.over = words
end

hear["error"] = function(self, _, words)
  self.report("%s", words)
end

function hear.ask(_, connection, words)
  wire.tell(connection.fd, "answer", words)
end

function hear.kicked() end
function hear.fill() end

-- It is told of itself. What was pushed stands at whole numbers, as disasters.lua pushes; places that clients
-- choose don't. Nobody can have stepped from there before this was told, but for a former connection.
local function hear_of_itself(self, connection)
  local me = connection.reader:me(self.id)
  local now = me:known()
  local pushes = connection.heard_stream == now.stream and connection.heard_pushes or 0
  if connection.heard_stream and now.pushes ~= pushes and (me.place[1] % 1 ~= 0 or me.place[2] % 1 ~= 0) then
    self.report("was pushed, and stands at %.17g, %.17g, where nobody pushes", me.place[1], me.place[2])
  end
  connection.heard_stream, connection.heard_pushes = now.stream, now.pushes
  if connection == self.connection and now.stream == connection.stream then
    self.x, self.y = now[1], now[2]
  end
end

-- It is told something alone: each once, and those of one map in order.
local function hear_notice(self, connection, map, number)
  if self.notices[number] then
    self.report("is notified of %d in %s twice", number, map)
  elseif number < (connection.notices[map] or 0) then
    self.report("is notified of %d in %s behind %d", number, map, connection.notices[map])
  end
  self.notices[number], connection.notices[map] = true, number
end

local function new_reader(self, connection)
  local function nothing() end
  return known.new {
    me = function()
      hear_of_itself(self, connection)
    end,
    view = nothing, elsewhere = nothing, refused = nothing,
    said = function(_, speaker, body, is_text)
      local text = packet.spoken(body, is_text)
      connection.heard[text] = (connection.heard[text] or 0) + 1
      if not text:find("^" .. speaker .. " ") then
        self.report("hears %d say %q", speaker, text)
      elseif connection.heard[text] > 1 then
        self.report("hears %q %d times", text, connection.heard[text])
      end
    end,
    notified = function(_, body, is_text)
      hear_notice(self, connection, packet.spoken(body, is_text))
    end,
    gap = function()
      wire.tell(connection.fd, "resync") -- after a pause: what was said comes before the list
    end,
  }
end

-- No byte of a property that it may not know is in what it gets.
function Client:search(text)
  for what, of in text:gmatch "(%l+) of (%d+);" do
    if tonumber(of) ~= self.id and (what == "secret" or maps.layers(self.id) & maps.SPIES == 0) then
      self.report("is told the %s of %s", what, of)
    end
  end
end

local function read_one(self, connection)
  local is_text, text = wire.read(connection.fd)
  if is_text == nil then
    return false
  elseif is_text then
    local word, rest = text:match "^(%l+) ?(.*)$"
    hear[word](self, connection, rest)
  else
    self:search(text)
    connection.reader:read(text)
  end
  while connection.hangs do
    skynet.sleep(3)
  end
  return true
end

local function read_all(self, connection)
  while true do
    local ok, goes_on = pcall(read_one, self, connection)
    if not ok then
      self.report("what comes is damaged: %s", goes_on)
    end
    if not (ok and goes_on) then
      break
    end
  end
  socket.close(connection.fd)
  connection.is_closed = true
  if connection == self.connection then
    self.connection = nil
    if not connection.may_end then
      self.report("its agent has ended, though nobody asked for it: %s", connection.over
        and ("the scene of %s has let it go (%s)"):format(self.map, connection.over) or "without a word")
    end
  end
end

local MOST_NOTES = 6

-- Notes what it does.
function Client:note(what)
  table.insert(self.lately, ("%s at %d"):format(what, skynet.now()))
  if #self.lately > MOST_NOTES then
    table.remove(self.lately, 1)
  end
end

-- ---- what it does -----------------------------------------------------------------------------

-- Logs in, as gate.lua says how. Returns the connection that it has had before.
function Client:login(how)
  local former = self.connection
  local fd = assert(socket.open("127.0.0.1", self.port))
  local connection = { fd = fd, epoch = 0, echo = 0, heard = {}, notices = {} }
  connection.reader = new_reader(self, connection)
  if former then
    former.may_end = true
  end
  self.connection = connection
  wire.tell(fd, "login", how, self.id, self.map, wire.exact(self.x), wire.exact(self.y), self.look, self.mood,
    self.name)
  skynet.fork(read_all, self, connection)
  self:wait_until("it comes in (" .. how .. ")", function()
    return connection.epoch > 0 or connection.is_closed
  end)
  return former
end

function Client:tell(...)
  if self.connection then
    wire.tell(self.connection.fd, ...)
  end
end

-- From now on the connection is one that may end; it is not in use any more.
function Client:drop()
  local connection = self.connection
  self.connection = nil
  connection.may_end = true
  return connection
end

function Client:wait_for_end(connection, what)
  return self:wait_until(what, function()
    return connection.is_closed
  end, connection.agent)
end

-- After all that was said up to now. Returns false when the agent has ended.
function Client:echo()
  local connection = self.connection
  if not connection then
    return false
  end
  local number = connection.echo + 1
  self:tell("echo", number)
  self:wait_until("an echo", function()
    return connection.echo == number or connection.is_closed
  end)
  return not connection.is_closed
end

-- Until its former agents have heard that their stays have ended, and its agent is in the scene that the map
-- has now, and passes on what it is told.
function Client:settle(scenes)
  for _, former in ipairs(self.formers) do
    self:wait_for_end(former, "a former agent hears that its stay has ended")
  end
  self.formers = {}
  return self:wait_until("it is in a scene that lives, and told of it", function()
    if not self:echo() then
      return true
    end
    local connection = self.connection
    return connection and connection.is_open and connection.scene == scenes[self.map]
  end)
end

-- A place in a map, as words.
function Client:place(map)
  local side = maps.side[map]
  return wire.exact(self.random:float(0, side)), wire.exact(self.random:float(0, side))
end

function Client:other_map()
  local others = {}
  for _, map in ipairs(maps.list) do
    if map.name ~= self.map then
      others[#others + 1] = map.name
    end
  end
  return self.random:pick(others)
end

local STEP = 10

function Client:walk()
  local connection = self.connection
  local me = connection and connection.reader:me(self.id)
  if not me or me.stream ~= connection.stream then
    return -- the list with which this stay begins has not come yet
  end
  local function step(from)
    return math.max(0, math.min(maps.side[self.map], from + self.random:float(-STEP, STEP)))
  end
  self.x, self.y = step(self.x), step(self.y)
  me:step_to({ self.x, self.y }, me.stream, me.pushes)
  self:tell("walk", connection.epoch, wire.exact(self.x), wire.exact(self.y), me.pushes)
end

function Client:say()
  self.said = self.said + 1
  local text = ("%d says %d"):format(self.id, self.said)
  self:tell("say", text)
  return text
end

-- Whether a notice that a scene has taken at that time must have come by now, as the same agent has been in
-- since then; the scene lives, too.
function Client:must_know(at)
  local connection = self.connection
  return connection ~= nil and connection.came_at ~= nil and connection.came_at < at
end

-- The agent's belief about the entity.
local function ask_agent(connection)
  local called, me = pcall(skynet.call, connection.agent, "lua", "me")
  return called and me or nil
end

-- Its belief about itself and others; nil: it is out.
function Client:belief()
  local connection = self.connection
  local me = connection and connection.reader:me(self.id)
  return connection and {
    own = ask_agent(connection), wound = me and me.details[maps.WOUND],
    id = self.id, map = self.map, x = self.x, y = self.y, notices = connection.notices,
    name = self.name, look = self.look, mood = self.mood, agent = connection.agent, heard = connection.heard,
    seen = connection.reader:markers(self.id) or {}, lately = table.concat(self.lately, ", "),
  }
end

return Client
