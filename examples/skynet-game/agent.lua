-- One player: a websocket to the client, and an entity in one of the maps. Started by gate.lua.
--
-- The client says, as text:                    and receives, as text:
--   walk <x> <y> <facing> <pushes> <stream>   map <name> <width> <height> <radius> <door x> <door y>
--                  where it is, looks to, and         [<fire x> <fire y> <fire radius>]
--                  how often it was pushed before   you <id> <x> <y> <stream>   where it stands, when it
--                  that in which stream                comes into a map, or if it thinks otherwise
--   look <number>  its colour                   echo <number>      to be said again, when all is read
--   say <words>                               and as binary what its entity is told: docs/packets.md.
--   resync         it has missed a packet
--   echo <number>  as it was asked
local skynet = require "skynet"
local socket = require "skynet.socket"
local socketdriver = require "skynet.socketdriver"
local websocket = require "http.websocket"
local view = require "aoi.skynet.client"
local maps = require "maps"
local frames = require "frames"
local outbox = require "aoi.skynet.outbox"

local id, gate = ...
id, gate = tonumber(id), tonumber(gate)

local SPEED = 150    -- most units a second
local BURST = 75     -- and at once, after a pause
local MOST_NAME = 60  -- bytes: 20 characters of Chinese, as the page lets one write
local MOST_SAID = 300 -- bytes: 100 of them

local scenes         -- name of a map -> its scene
local client         -- the socket to the client
local box            -- of outbox.lua: the packets for it
local me = { name = "", look = id * 67 % 360, map = "meadow", x = 0, y = 0, reach = BURST, at = skynet.now() }

-- The traits with which an entity of ours enters a map.
local function traits()
  return { layers = maps.PLAYERS, data = me.name }
end

-- ---- places -----------------------------------------------------------------------------------

local function tell_place()
  frames.words(client, "you", id, me.x, me.y, view.stream())
end

-- Ourselves, as far as that was told in this stay; nil: nothing was.
local function told_me()
  local now = view.me()
  return now and now.stream == view.stream() and now or nil
end

local function tell_map()
  local map = maps[me.map]
  local fire = map.fire and { map.fire.x, map.fire.y, map.fire.radius } or {}
  frames.words(client, "map", me.map, map.width, map.height, map.radius, map.door.x, map.door.y,
    table.unpack(fire))
  tell_place()
  skynet.send(gate, "lua", "is_in", id, me.map)
end

local function is_at_door()
  local door = maps[me.map].door
  return (me.x - door.x) ^ 2 + (me.y - door.y) ^ 2 <= maps.DOOR_RADIUS ^ 2
end

-- Through the door: to that of the other map. If that refuses, we stay where we are.
local function change_map()
  local name = maps[me.map].door.to
  local door = maps[name].door
  local ok, message = pcall(view.go, scenes[name], door.x, door.y, traits())
  if not ok then
    skynet.error(message)
    return
  end
  view.set_property(maps.LOOK, me.look)
  local now = told_me() -- others may have set our place
  me.map, me.x, me.y = name, now and now[1] or door.x, now and now[2] or door.y
  tell_map()
end

-- True when somebody can have come from where we are to there since the last step.
local function can_reach(x, y)
  local now = skynet.now()
  me.reach = math.min(BURST, me.reach + SPEED * (now - me.at) / 100)
  me.at = now
  local far = math.sqrt((x - me.x) ^ 2 + (y - me.y) ^ 2)
  if far > me.reach then
    return false
  end
  me.reach = me.reach - far
  return true
end

-- ---- what the client says ---------------------------------------------------------------------

local say = {}

function say.walk(words)
  local map = maps[me.map]
  local x, y, facing, pushes, stream = words:match "^(%S+) (%S+) (%d+) (%d+) (%d+)$"
  x, y, pushes, stream = tonumber(x), tonumber(y), math.tointeger(pushes), math.tointeger(stream)
  local now = told_me()
  if stream ~= view.stream() or pushes ~= (now and now.pushes or 0) then
    return -- chosen in another map, or before a push, which the client hears of
  elseif not (x and y and x >= 0 and x <= map.width and y >= 0 and y <= map.height and can_reach(x, y)) then
    tell_place()
    return
  end
  local was_at_door = is_at_door()
  me.x, me.y = x, y
  view.move(x, y, tonumber(facing), { pushes = pushes })
  -- The player who has come through a door stands at one: it leads back only after a step off it. So an arrow
  -- key that is held leads on, and not to and fro.
  if is_at_door() and not was_at_door then
    change_map()
  end
end

function say.look(words)
  local look = math.tointeger(tonumber(words))
  if look and look >= 0 and look < 360 then
    me.look = look
    view.set_property(maps.LOOK, look)
  end
end

function say.say(words)
  if #words > 0 and #words <= MOST_SAID then
    view.say(words)
  end
end

function say.resync()
  box:resync()
end

function say.echo(words)
  box:echo(tonumber(words))
end

-- ---- the socket -------------------------------------------------------------------------------

local handle = {}

function handle.message(_, text, kind)
  local word, rest = text:match "^(%l+) ?(.*)$"
  if kind == "text" and say[word] then
    say[word](rest)
  end
end

-- A value from the address that was asked for: of ?name=Ann&at=meadow,10,20.
local function value_in(url, name)
  local value = url:match("[?&]" .. name .. "=([^&]*)") or ""
  return (value:gsub("+", " "):gsub("%%(%x%x)", function(code)
    return string.char(tonumber(code, 16))
  end))
end

local function name_in(url)
  local name = value_in(url, "name")
  return name ~= "" and #name <= MOST_NAME and name or "player " .. id
end

-- Where we begin: where the map says, unless the address has a place, as robots' have. map: where we were; we
-- are there still, or go there again.
local function begin_in(url, map_before)
  local name, x, y = value_in(url, "at"):match "^(%l+),(%d+),(%d+)$"
  local map = scenes[name] and maps[name]
  if map and tonumber(x) <= map.width and tonumber(y) <= map.height then
    me.map, me.x, me.y = name, tonumber(x), tonumber(y)
  else
    me.map = map_before or me.map
    local start = maps[me.map].start or maps[me.map].door
    me.x, me.y = start.x, start.y
  end
end

local function new_box()
  return outbox.new {
    send = function(packet) frames.packet(client, packet) end,
    ask = function(number) frames.words(client, "echo", number) end,
    resync = view.resync,
    overflow = function() socket.shutdown(client) end,
  }
end

-- map: where the entity of this player was last; nil: it is a new one.
local function play(socket_id, request, map)
  client, box = socket_id, new_box()
  socketdriver.nodelay(socket_id)
  function handle.handshake()
    me.name = name_in(request.url)
    begin_in(request.url, map)
    local opts = traits()
    opts.take_over = true -- from an agent that is still there, or from the store of a map that has come back
    local x, y = view.join(scenes[me.map], id, me.x, me.y, opts)
    me.x, me.y = x or me.x, y or me.y
    view.set_property(maps.LOOK, me.look)
    tell_map()
  end
  websocket.accept(socket_id, handle, "ws", nil, { upgrade = request })
  -- Here the client has gone; so does our entity, when this service ends.
  skynet.exit()
end

view.on {
  packet = function(text)
    box:pass_on(text)
  end,
  me_moved = function(x, y)
    me.x, me.y = x, y -- the client is told by the packet
  end,
  gone = function()
    skynet.exit() -- the scene has ended, or this player has logged in again: so have we
  end,
}

skynet.start(function()
  skynet.dispatch("lua", function(_, _, _, socket_id, request, of_maps, map)
    scenes = of_maps
    assert(socket.start(socket_id))
    skynet.fork(play, socket_id, request, map)
    skynet.retpack(true)
  end)
end)
