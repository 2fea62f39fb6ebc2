-- A gate that stands for many entities, splits what comes for them, and passes the blocks on to a client
-- each, or drops them as docs/packets.md says. A client is a reader, and knows what it has been told.
local skynet = require "skynet"
local known = require "aoi.skynet.known"
local packet = require "aoi.skynet.packet"

local VIEW, LONG_IDS, REPLACES = 1, 1, 8

local scene
local clients = {} -- entity -> { state, reader }
local counts = { passed = 0, dropped = 0, gaps = 0, said = 0 }

local function new_client()
  local function nothing() end
  return {
    state = "open",
    reader = known.new {
      view = nothing, elsewhere = nothing,
      said = function() counts.said = counts.said + 1 end,
      refused = error,
      gap = function() counts.gaps = counts.gaps + 1 end,
    },
  }
end

local function split(text, pass)
  local at = 1
  while at <= #text do
    local _, flags, length = ("<BBI2"):unpack(text, at)
    local format = flags & LONG_IDS ~= 0 and "<i8I4I4" or "<i4I4I4"
    local watcher, _, _, body = format:unpack(text, at + 4)
    pass(watcher, text:sub(at, body + length - 1))
    at = body + length
  end
end

local function pass_on(id, block)
  local client = clients[id]
  local kind, flags = block:byte(1, 2)
  if client.state == "asked" and kind == VIEW and flags & REPLACES ~= 0 then
    client.state = "open"
  end
  local what = client.state == "open" and "passed" or "dropped"
  counts[what] = counts[what] + 1
  if client.state == "open" then
    client.reader:read(block)
  end
end

local command = {}

function command.enter(to, id, ...)
  scene, clients[id] = to, new_client()
  assert(skynet.call(scene, "lua", "enter", id, ...))
end

-- This client takes nothing, or takes something again.
function command.warn(id, is_full)
  local client = clients[id]
  if is_full then
    client.state = "full"
  elseif client.state == "full" then
    client.state = "asked"
    skynet.send(scene, "lua", "resync", id)
  end
end

-- The entities that a client knows: marker -> { x, y, data =, properties = }.
function command.seen(id)
  return clients[id].reader:markers(id)
end

function command.counts()
  return counts
end

packet.register(function(_, _, text)
  split(text, pass_on)
end)

skynet.start(function()
  skynet.dispatch("lua", function(_, _, name, ...)
    skynet.retpack(command[name](...))
  end)
end)
