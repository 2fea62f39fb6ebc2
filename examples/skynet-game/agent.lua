-- One player: a websocket to the client, and an entity in one of the maps. Started by gate.lua.
--
-- The client says, as text:                    and receives, as text:
--   walk <x> <y>   where it is now               map <name> <width> <height> <radius> <door x> <door y>
--   look <number>  what it looks like            you <id> <x> <y>   where it stands, if it thinks otherwise
--   say <words>                                and as binary what its entity is told: docs/packets.md.
--   resync         it has missed a packet
local skynet = require "skynet"
local socket = require "skynet.socket"
local socketdriver = require "skynet.socketdriver"
local websocket = require "http.websocket"
local view = require "aoi.skynet.client"
local maps = require "maps"
local new_outbox = require "outbox"

local id = tonumber((...))

local SPEED = 150    -- most units a second
local BURST = 75     -- and at once, after a pause
local MOST_NAME = 60  -- bytes: 20 characters of Chinese, as the page lets one write
local MOST_SAID = 300 -- bytes: 100 of them

local scenes         -- name of a map -> its scene
local outbox         -- what goes to the client
local me = { name = "", look = id * 67 % 360, map = "meadow", x = 0, y = 0, reach = BURST, at = skynet.now() }

-- The traits with which an entity of ours enters a map.
local function traits()
  return { layers = maps.PLAYERS, data = me.name }
end

-- ---- places -----------------------------------------------------------------------------------

local function tell_place()
  outbox.tell("you", id, me.x, me.y)
end

local function tell_map()
  local map = maps[me.map]
  outbox.tell("map", me.map, map.width, map.height, map.radius, map.door.x, map.door.y)
  tell_place()
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
  me.map, me.x, me.y = name, door.x, door.y
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
  local x, y = words:match "^(%S+) (%S+)$"
  x, y = tonumber(x), tonumber(y)
  if not (x and y and x >= 0 and x <= map.width and y >= 0 and y <= map.height and can_reach(x, y)) then
    tell_place()
    return
  end
  local was_at_door = is_at_door()
  me.x, me.y = x, y
  view.move(x, y)
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
  view.resync()
end

-- ---- the socket -------------------------------------------------------------------------------

local handle = {}

function handle.message(_, text, kind)
  local word, rest = text:match "^(%l+) ?(.*)$"
  if kind == "text" and say[word] then
    say[word](rest)
  end
end

function handle.warning(_, kilobytes)
  if outbox.warn(kilobytes) then
    view.resync()
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

-- Where we begin: where the map says, unless the address has a place, as robots' have.
local function begin_in(url)
  local name, x, y = value_in(url, "at"):match "^(%l+),(%d+),(%d+)$"
  local map = scenes[name] and maps[name]
  if map and tonumber(x) <= map.width and tonumber(y) <= map.height then
    me.map, me.x, me.y = name, tonumber(x), tonumber(y)
  else
    me.x, me.y = maps[me.map].start.x, maps[me.map].start.y
  end
end

local function play(socket_id, request)
  outbox = new_outbox(socket_id)
  socketdriver.nodelay(socket_id)
  function handle.handshake()
    me.name = name_in(request.url)
    begin_in(request.url)
    local x, y = view.join(scenes[me.map], id, me.x, me.y, traits())
    me.x, me.y = x or me.x, y or me.y -- a map that came back from its store has us already
    view.set_property(maps.LOOK, me.look)
    tell_map()
  end
  websocket.accept(socket_id, handle, "ws", nil, { upgrade = request })
  -- Here the client has gone; so does our entity, when this service ends.
  skynet.exit()
end

view.on {
  packet = function(text)
    outbox.pass_on(text)
  end,
  gone = function()
    skynet.exit() -- the scene has ended: so has the game
  end,
}

skynet.start(function()
  skynet.dispatch("lua", function(_, _, _, socket_id, request, of_maps)
    scenes = of_maps
    assert(socket.start(socket_id))
    skynet.fork(play, socket_id, request)
    skynet.retpack(true)
  end)
end)
