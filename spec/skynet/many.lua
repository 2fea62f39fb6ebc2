-- A gate of many players, by aoi.skynet.players, each with a client of its own behind an aoi.skynet.outbox: a
-- reader at the end of a line of so many bytes a second.
local skynet = require "skynet"
local Random = require "spec.support.random"
local known = require "aoi.skynet.known"
local outbox = require "aoi.skynet.outbox"
local packet = require "aoi.skynet.packet"
local players = require "aoi.skynet.players"

local STEP = 2 -- hundredths of a second between two looks at the lines

local clients = {} -- id -> { scene, x, y, rate, line, left, reader, notices, ... }
local scenes, random, side
local counts = { dropped = 0, closed = 0, lost = 0, wrong = 0, moves = 0 }

local function new_client(id, rate)
  local client = { id = id, rate = rate, line = {}, left = 0, notices = {} }
  local function nothing() end
  client.reader = known.new {
    view = nothing, elsewhere = nothing, refused = nothing, said = nothing,
    notified = function(_, body, is_text)
      table.insert(client.notices, (packet.spoken(body, is_text)))
    end,
    gap = function()
      client.box:resync()
    end,
  }
  client.box = outbox.new {
    tick = 50,
    send = function(text) table.insert(client.line, text) end,
    ask = function(number) table.insert(client.line, number) end,
    resync = function()
      counts.dropped = counts.dropped + 1
      pcall(players.resync, id)
    end,
    overflow = function() counts.closed = counts.closed + 1 end,
  }
  clients[id] = client
end

-- All that has come over the line by now.
local function read(client)
  client.left = client.left + client.rate * STEP / 100
  while client.line[1] do
    local text = client.line[1]
    local size = type(text) == "string" and #text or 8
    if size > client.left then
      return
    end
    client.left = client.left - size
    table.remove(client.line, 1)
    if type(text) == "string" then
      client.reader:read(text)
    else
      client.box:echo(text)
    end
  end
  client.left = 0
end

local function pump()
  skynet.timeout(STEP, pump)
  for _, client in pairs(clients) do
    read(client)
  end
end

local function place()
  return random:integer(0, side), random:integer(0, side)
end

local function join(client)
  client.scene = random:pick(scenes)
  client.x, client.y = place()
  players.join(client.scene, client.id, client.x, client.y)
end

local act = {}

function act.walk(client)
  client.x, client.y = place()
  players.move(client.id, client.x, client.y)
  counts.moves = counts.moves + 1
end

function act.go(client)
  local to = client.scene == scenes[1] and scenes[2] or scenes[1]
  client.x, client.y = place()
  players.go(client.id, to, client.x, client.y)
  client.scene = to
end

function act.rejoin(client)
  players.leave(client.id)
  join(client)
end

function act.say(client)
  players.say(client.id, "hello")
end

local ACTS = { "walk", "walk", "walk", "walk", "walk", "walk", "walk", "walk", "go", "rejoin", "say" }

local command = {}

-- rates: bytes a second, of which each client has one.
function command.start(of_scenes, count, of_side, rates)
  scenes, side, random = of_scenes, of_side, Random.new(count)
  for id = 1, count do
    new_client(id, rates[id % #rates + 1])
    join(clients[id])
  end
  pump()
  return true
end

-- Each does so many things, one every tick or so.
function command.act(rounds)
  for _ = 1, rounds do
    for _, client in pairs(clients) do
      act[random:pick(ACTS)](client)
    end
    skynet.sleep(random:integer(2, 8))
  end
  return true
end

-- All lines are wide from now on; returns whether everything has come.
function command.is_quiet()
  local quiet = true
  for id, client in pairs(clients) do
    client.rate = 1e7
    quiet = quiet and not client.line[1] and client.box.state == "open" and not client.reader:is_behind(id)
  end
  return quiet
end

-- The knowledge of each client: id -> { scene, x, y, seen, notices }; and counts.
function command.beliefs()
  local list = {}
  for id, client in pairs(clients) do
    list[id] = { scene = client.scene, x = client.x, y = client.y, seen = client.reader:markers(id) or {},
      notices = client.notices }
  end
  return list, counts
end

skynet.start(function()
  players.on {
    packet = function(id, text) clients[id].box:pass_on(text) end,
    gone = function() counts.lost = counts.lost + 1 end,
    refused = function() counts.wrong = counts.wrong + 1 end,
  }
  skynet.dispatch("lua", function(_, _, name, ...)
    skynet.retpack(command[name](...))
  end)
end)
