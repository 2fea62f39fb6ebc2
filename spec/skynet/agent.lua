-- A scripted agent: does what a test tells it, and keeps what a scene sends. It may stand for many entities.
local skynet = require "skynet"
local view = require "aoi.skynet.client"

local heard  -- since the last take: the messages as they came, and what was in them
local function forget()
  heard = { messages = 0, views = {}, said = {}, refused = {}, events = {}, packets = {} }
end
forget()

local loses, came = 0, 0 -- which messages are lost; how many came

local COMMAND = {}

-- Calls a command of the scene: scene, command, arguments.
function COMMAND.call(...)
  return skynet.call(select(1, ...), "lua", select(2, ...))
end

function COMMAND.send(scene, ...)
  skynet.send(scene, "lua", ...)
end

-- Sends `count` moves of one entity as fast as it can, to places that end in x, y.
function COMMAND.flood(scene, count, id, x, y)
  for i = count - 1, 0, -1 do
    skynet.send(scene, "lua", "move", id, x + i % 7, y)
  end
end

-- Calls a function of the client module.
function COMMAND.view(name, ...)
  return view[name](...)
end

-- Has the scene tick, and sets a property before it can hear of that.
function COMMAND.tick_and_set(scene, key, value)
  skynet.send(scene, "lua", "tick")
  view.set_property(key, value)
end

-- Calls view.move many times, with a pause in hundredths of a second after each.
function COMMAND.walk(steps, pause, x, y, dx)
  for i = 1, steps do
    view.move(x + i * dx, y)
    skynet.sleep(pause)
  end
end

-- The view by all that was heard so far: as view.known gives it, of the entity that joined or of another.
function COMMAND.known(watcher)
  return view.known(watcher)
end

-- From now on every n-th message is lost, 1: all, 0: none.
function COMMAND.lose(n)
  loses = n
end

-- All that was heard since the last take.
function COMMAND.take()
  local result = heard
  forget()
  return result
end

function COMMAND.exit()
  skynet.exit()
end

-- Calls a service many times, is busy for so many seconds, and exits while the answers wait in its mailbox:
-- skynet answers each of them with an error, by the number that it has here.
function COMMAND.ask_and_exit(service, command, count, seconds)
  for _ = 1, count do
    skynet.fork(skynet.call, service, "lua", command)
  end
  skynet.fork(function() -- when all are sent, and no answer has been read
    COMMAND.be_busy(seconds)
    skynet.exit()
  end)
end

-- Is busy for so many seconds: what is sent to it waits.
function COMMAND.be_busy(seconds)
  local began, count = skynet.hpc(), 0
  while skynet.hpc() - began < seconds * 1e9 do
    count = count + 1
  end
end

function COMMAND.ping()
  return true
end

local function event(kind)
  return function(...)
    table.insert(heard.events, { kind, ... })
  end
end

local function listen_to_own()
  view.on { me_moved = event "me_moved", me_changed = event "me_changed", refused = event "refused",
    gone = event "gone" }
end

local function listen_to_events()
  view.on {
    entered = event "entered", moved = event "moved", left = event "left", said = event "said",
    changed = event "changed", notified = event "notified", refused = event "refused",
    scene_is = event "scene_is", gone = event "gone",
  }
end

local function listen_to_views()
  view.on {
    view = function(watcher, left, entered, moved, _, changed, details)
      table.insert(heard.views, { watcher = watcher, left = left, entered = entered, moved = moved,
        changed = changed, details = details })
    end,
    said_to = function(watchers, id, ...)
      table.insert(heard.said, { watchers = watchers, id = id, ... })
    end,
    refused = function(command, message, id)
      table.insert(heard.refused, { command = command, message = message, id = id })
    end,
  }
end

-- Which callbacks are used: "views" (the default), "events", "packets", or "own", what is told of itself.
function COMMAND.listen(kind)
  if kind == "events" then
    listen_to_events()
  elseif kind == "own" then
    listen_to_own()
  elseif kind == "packets" then
    view.on { packet = function(text) table.insert(heard.packets, text) end }
  else
    listen_to_views()
  end
end

skynet.start(function()
  listen_to_views()
  local receive = skynet.dispatch "aoi"
  skynet.dispatch("aoi", function(...)
    heard.messages = heard.messages + 1
    came = came + 1
    if loses == 0 or came % loses ~= 0 then
      receive(...)
    end
  end)
  skynet.dispatch("lua", function(session, _, command, ...)
    if session == 0 then
      COMMAND[command](...)
    else
      skynet.retpack(COMMAND[command](...))
    end
  end)
end)
