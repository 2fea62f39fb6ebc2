-- Some clients of the churn run in a service of their own: makes them act, and says what they believe.
local skynet = require "skynet"
local side_by_side = require "aoi.skynet.side_by_side"
local Client = require "spec.skynet.churn.client"
local events = require "spec.skynet.churn.events"

local clients = {}
local counts, problems = {}, {} -- of events; texts
local kinds                     -- those of events.lua that are to happen

-- Does it for each client at once; returns when all have done it.
local function for_each(what)
  local deeds = {}
  for i, client in ipairs(clients) do
    deeds[i] = function()
      local ok, message = xpcall(what, debug.traceback, client)
      if not ok then
        problems[#problems + 1] = message
      end
    end
  end
  side_by_side(deeds)
end

local function come_in(client)
  if not client.connection then
    local how = client.random:pick { "kick", "kick", "wait", "take" }
    client:note("in by " .. how)
    client:login(how)
  end
end

-- One step: comes in, or does what is drawn.
local function step(client)
  local random = client.random
  skynet.sleep(random:integer(8, 24))
  if not client.connection then
    if random:chance(0.3) then
      come_in(client)
    end
    return
  end
  local event = random:pick_weighted(kinds)
  if event.name ~= "walk" then
    client:note(event.name)
  end
  event.run(client)
  counts[event.name] = (counts[event.name] or 0) + 1
end

local command = {}

-- Makes the clients of these ids. names: of the events that are to happen; "": all.
function command.start(first, last, port, seed, names)
  kinds = {}
  for _, event in ipairs(events) do
    if names == "" or (" " .. names .. " "):find(" " .. event.name .. " ", 1, true) then
      kinds[#kinds + 1] = event
    end
  end
  for id = first, last do
    clients[#clients + 1] = Client.new(id, port, seed, function(text)
      problems[#problems + 1] = text
    end)
  end
  for_each(come_in)
end

-- So many steps of each on average: while one waits, others take them. Then all come in that are out. Returns
-- the counts up to now, and how often a scene had a client already.
function command.act(steps)
  local left = steps * #clients
  for_each(function(client)
    while left > 0 do
      left = left - 1
      step(client)
    end
    come_in(client)
  end)
  local backs = 0
  for _, client in ipairs(clients) do
    backs = backs + client.backs
  end
  return counts, backs
end

-- Each says a last word, by which a scene's death is noticed, and is waited for until it is where it believes
-- to be.
-- scenes: map -> its scene.
function command.settle(scenes)
  for_each(function(client)
    client:say()
    client:settle(scenes)
  end)
end

-- Until all has come that the agents have been told.
function command.echo()
  for_each(Client.echo)
end

-- One client says something. Returns what.
function command.say(id)
  for _, client in ipairs(clients) do
    if client.id == id then
      return client:say()
    end
  end
end

-- Of the notices that scenes have taken, a list of { id, map, number, at }, those that were lost: a list of
-- texts; and how many had to come.
function command.lost(taken)
  local of, lost, count = {}, {}, 0
  for _, client in ipairs(clients) do
    of[client.id] = client
  end
  for _, notice in ipairs(taken) do
    local client = of[notice.id]
    if client and client:must_know(notice.at) then
      count = count + 1
      lost[#lost + 1] = not client.notices[notice.number]
        and ("%s: %d is not notified of %d, which was taken at %d; lately: %s"):format(notice.map, notice.id,
          notice.number, notice.at, table.concat(client.lately, ", ")) or nil
    end
  end
  return lost, count
end

-- The beliefs of all players: a list.
function command.beliefs()
  local list = {}
  for _, client in ipairs(clients) do
    list[#list + 1] = client:belief()
  end
  return list
end

-- The faults since the last time: a list of texts.
function command.problems()
  local list = problems
  problems = {}
  return list
end

skynet.start(function()
  skynet.dispatch("lua", function(_, _, name, ...)
    skynet.retpack(command[name](...))
  end)
end)
