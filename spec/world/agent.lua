-- An agent as games write it, with aoi.skynet.client, in a process of spec/world/process.lua: it does what it
-- is asked to, and keeps what it is told until it is asked for that.
local skynet = require "skynet"
local blocks = require "aoi.skynet.blocks"
local view = require "aoi.skynet.client"

local world = ...
world = math.tointeger(world)

local heard = {}   -- list of { name of a callback, arguments... }
local streams = {} -- watcher -> list of { stream, number of its first block, of its last, how many }

local callbacks = {}
for _, name in ipairs { "entered", "moved", "changed", "left", "said", "notified", "refused", "lost", "gone",
  "me_moved", "me_changed" } do
  callbacks[name] = function(...)
    heard[#heard + 1] = { name, ... }
  end
end

local function note(block)
  local list = streams[block.watcher] or {}
  streams[block.watcher] = list
  local last = list[#list]
  if not last or last[1] ~= block.stream then
    last = { block.stream, block.number, block.number, 0 }
    list[#list + 1] = last
  end
  last[3], last[4] = math.max(last[3], block.number), last[4] + 1
end

function callbacks.packet(text)
  local at = 1
  while at <= #text do
    local block
    block, at = blocks.head(text, at)
    if block.kind ~= blocks.REFUSED then
      note(block)
    end
  end
end

view.on(callbacks)

local COMMAND = {}

-- Calls a function of the client. Returns whether that was taken, and then what it returned; or the error.
function COMMAND.view(name, ...)
  if name == "join" then
    return pcall(view.join, world, ...)
  end
  return pcall(view[name], ...)
end

-- The world's own commands.
function COMMAND.call(...)
  return skynet.call(world, "lua", ...)
end

function COMMAND.send(...)
  skynet.send(world, "lua", ...)
end

-- The events since the last time.
function COMMAND.heard()
  local list = heard
  heard = {}
  return list
end

function COMMAND.streams(watcher)
  return streams[watcher] or {}
end

function COMMAND.exit()
  skynet.fork(skynet.exit)
end

skynet.start(function()
  skynet.dispatch("lua", function(_, _, command, ...)
    skynet.retpack(COMMAND[command](...))
  end)
end)
