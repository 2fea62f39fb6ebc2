-- Where clients of the churn run come in: reads who somebody is, ends or tells the agent that was there for
-- it, and gives the socket to a new one.
--
-- A login is "login <how> <id> <map> <x> <y> <look> <mood> <name>". how:
--   kick      the former agent leaves and ends first
--   take      the former agent is not asked: the new one takes its entity, the scene tells the former
--   wait      as kick; and what is left of a dead one is waited for
--   resume    the former agent goes on with this socket
local skynet = require "skynet"
local new_queue = require "skynet.queue"
local socket = require "skynet.socket"
local wire = require "spec.skynet.churn.wire"

local guide = tonumber((...))

local agents = {} -- id -> the agent that came last for it
local queues = {} -- id -> of its logins

local function try(agent, ...)
  local called, answer = pcall(skynet.call, agent, "lua", ...)
  return called and answer
end

-- The end of the former agent, before the new one starts. True: it goes on with the socket.
local BEFORE = {
  kick = function(former)
    try(former, "kick")
  end,
  take = function(former, _, login)
    local at = try(former, "fence") or {} -- perhaps elsewhere than the client has heard by now
    login.map, login.x, login.y = at.map or login.map, at.x or login.x, at.y or login.y
  end,
  resume = function(former, fd, login)
    if try(former, "resume", fd, login) then
      return true
    end
    try(former, "kick")
  end,
}
BEFORE.wait = BEFORE.kick

local function start_player(fd, login)
  local former = agents[login.id]
  socket.abandon(fd)
  if former and BEFORE[login.how](former, fd, login) then
    return
  end
  local agent = skynet.newservice("churn/agent", guide, login.id % 2 == 0 and "players" or "client")
  agents[login.id] = agent
  skynet.call(agent, "lua", "start", fd, login)
end

local function serve(fd)
  local _, text = wire.read(fd)
  local how, id, map, x, y, look, mood, name =
    (text or ""):match "^login (%l+) (%d+) (%l+) (%S+) (%S+) (%d+) (%S+) (.+)$"
  if not how then
    socket.close(fd)
    return
  end
  local login = { how = how, id = tonumber(id), map = map, x = tonumber(x), y = tonumber(y),
    look = tonumber(look), mood = mood, name = name }
  queues[login.id] = queues[login.id] or new_queue()
  queues[login.id](start_player, fd, login)
end

local command = {}

-- Opens the gate; returns its port.
function command.open()
  local listener, _, port = socket.listen("127.0.0.1", 0)
  socket.start(listener, function(fd)
    skynet.fork(function()
      if socket.start(fd) then
        serve(fd)
      end
    end)
  end)
  return port
end

-- The agent that came last for this id, dead or alive; nil: none.
function command.agent(id)
  return agents[id]
end

skynet.start(function()
  skynet.dispatch("lua", function(_, _, name, ...)
    skynet.retpack(command[name](...))
  end)
end)
