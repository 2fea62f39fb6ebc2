-- Shows a scene in a browser: serves the viewer's page, and streams to it the record of the scene. Nobody can
-- change anything through it. Started with the scene's address and options as words:
--
--   local viewer = skynet.newservice("viewer", scene, "port=8001")
--   print(skynet.call(viewer, "lua", "address"))   -- to be opened in a browser
--
-- docs/skynet.md describes the options. What goes over the websocket is a recording as recording.lua
-- describes it, in binary messages of whole pieces; the page answers "have <bytes>", all that it has so far.
-- Where the option stats names a world, texts of region_loads.lua go there, too.
local skynet = require "skynet"
local socket = require "skynet.socket"
local httpd = require "http.httpd"
local sockethelper = require "http.sockethelper"
local websocket = require "http.websocket"
local addresses = require "aoi.skynet.addresses"
local options = require "aoi.skynet.options"
local packet = require "aoi.skynet.packet"
local calls = require "aoi.skynet.calls"
local metrics = require "aoi.skynet.metrics"
local new_pages = require "aoi.skynet.pages".new
local region_loads = require "aoi.skynet.region_loads"
local requests = require "aoi.skynet.requests"

local words = { ... }
local scene = tonumber(words[1])
if not scene then
  error(("viewer: the first word is %s, expected the address of a scene, a number"):format(
    tostring(words[1])), 0)
end
local own = options.of_viewer { table.unpack(words, 2) }

-- Hundredths of a second.
local SILENCE = options.units(own.silence)
local LOOK = math.min(100, SILENCE // 4) -- from one look at the pages to the next
local KEYFRAMES = 100     -- between two keyframes: they cost the scene more than anything else
local LOADS = 100         -- from one text about the regions of a world to the next
local REQUEST_TIME = math.min(1000, SILENCE) -- for a request to come, and for its answer to go
local CLOSE_TIME = 300    -- for a page to take what is on its way to it, before it is cut off

-- Close codes of websockets.
local SCENE_HAS_ENDED, WRONG_MESSAGE, ANOTHER_SPACE = 1001, 1008, 1012

local pages
local connections = 0
local heard = {} -- page -> when it said something last

-- ---- the scene --------------------------------------------------------------------------------

local asks, asked_at = false, -KEYFRAMES

-- Asks the scene for a keyframe, and for the record from there on.
local function ask()
  if asks then
    return
  end
  asks = true
  skynet.timeout(math.max(0, asked_at + KEYFRAMES - skynet.now()), function()
    if not next(heard) then
      asks = false
      return
    end
    asked_at = skynet.now()
    skynet.send(scene, "lua", "follow")
  end)
end

local function forget_page(id)
  pages:close(id)
  if heard[id] then
    heard[id] = nil
    if not next(heard) then
      skynet.send(scene, "lua", "unfollow")
    end
  end
end

-- Says why, and leaves it to the page to close, or to the time: closing here would lose what is on its
-- way.
local function close_page(id, code, reason)
  forget_page(id)
  socket.write(id, (">BBI2"):pack(0x88, 2 + #reason, code) .. reason)
  skynet.timeout(CLOSE_TIME, function()
    socket.shutdown(id)
  end)
end

local function close_pages(code, reason)
  for id in pairs(heard) do
    close_page(id, code, reason)
  end
end

local hear = {}

function hear.piece(is_keyframe, from, to, piece)
  if is_keyframe then
    asks = false
  end
  pages:piece(is_keyframe, from, to, piece)
end

function hear.ended()
  close_pages(ANOTHER_SPACE, "the scene was loaded")
end

function hear.refused(_, message)
  skynet.error("viewer: the scene refused: " .. tostring(message))
end

packet.register(function(_, source, text)
  if source == scene then
    packet.read(text, hear)
  end
end)

-- ---- pages ------------------------------------------------------------------------------------

local function write(id, bytes, kind)
  if not pcall(websocket.write, id, bytes, kind or "binary") then
    socket.shutdown(id) -- its reader ends, which forgets it
  end
end

pages = new_pages(own.limit, write, ask)

local function hears(id)
  heard[id] = heard[id] and skynet.now()
end

local handle = { ping = hears, pong = hears, warning = function() end }

function handle.handshake(id)
  heard[id] = skynet.now()
  pages:open(id)
end

function handle.message(id, text, kind)
  if not heard[id] then
    return -- it is being closed
  end
  hears(id)
  local bytes = kind == "text" and text:match "^have (%d+)$"
  if not bytes or not pages:has(id, tonumber(bytes)) then
    close_page(id, WRONG_MESSAGE, "expected have and a number of bytes")
  end
end

local function look()
  skynet.timeout(LOOK, look)
  local now = skynet.now()
  for id, at in pairs(heard) do
    if now - at > SILENCE then
      forget_page(id)
      socket.shutdown(id)
    elseif now - at > SILENCE // 4 then
      pcall(websocket.ping, id)
    end
  end
  if now - asked_at > 3 * KEYFRAMES then
    asks = false -- it never came
  end
  pages:look()
end

-- Of the regions of the world; nil: `stats` is no world.
local function text_of_regions()
  local counts = calls.call(own.stats, "lua", "stats", "world")
  if type(counts) ~= "table" or not counts.by_region then
    return nil
  end
  local regions, ghosts = calls.call(own.stats, "lua", "regions"), {}
  for _, region in ipairs(regions) do
    if region.address == scene then
      ghosts = calls.call(scene, "lua", "ghosts")
    end
  end
  return region_loads.text(counts.by_region, regions, ghosts)
end

local function tell_loads()
  if next(heard) then
    local ok, text = pcall(text_of_regions)
    if ok and text then
      pages:tell(text)
    end
  end
  skynet.timeout(LOADS, tell_loads)
end

-- ---- requests ---------------------------------------------------------------------------------

local HEADERS = {
  ["content-type"] = "text/html; charset=utf-8",
  ["cache-control"] = "no-store",
  ["connection"] = "close",
  ["referrer-policy"] = "no-referrer", -- the address has the token
  ["x-content-type-options"] = "nosniff",
  -- The page is one file, and talks to nobody but us.
  ["content-security-policy"] = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; "
    .. "style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; base-uri 'none'; "
    .. "form-action 'none'; frame-ancestors 'none'",
}

local PLAIN_HEADERS = {
  ["content-type"] = "text/plain; version=0.0.4; charset=utf-8",
  ["cache-control"] = "no-store",
  ["connection"] = "close",
}

local function page_text()
  local file = io.open(own.page, "rb")
  local text = file and file:read "a"
  if file then
    file:close()
  end
  if text then
    return 200, text
  end
  return 503, requests.message_page("The page is not there",
    ("There is no file %s. `make viewer` of lua-aoi builds build/viewer/viewer.html; the option page of the "
      .. "viewer service names the file."):format(own.page))
end

local function metrics_text()
  local of = own.stats > 0 and own.stats or scene
  local ok, stats, by_region = pcall(calls.call, of, "lua", "stats", "node")
  if not ok or type(stats) ~= "table" then
    return 503, ""
  end
  return 200, metrics.text(stats, by_region)
end

local function serve(id)
  local is_stream = false
  skynet.timeout(REQUEST_TIME, function()
    if not is_stream then
      socket.shutdown(id)
    end
  end)
  socket.limit(id, 64 * 1024)
  local send = sockethelper.writefunc(id)
  local status, url, method, header, body = httpd.read_request(sockethelper.readfunc(id), 0)
  local answer = status == 200 and requests.answer(own.token, method, url, header, body) or 403
  if answer == "stream" then
    is_stream = true
    websocket.accept(id, handle, "ws", nil, { upgrade = { header = header, method = method, url = url } })
    forget_page(id)
  elseif answer == "page" then
    local code, text = page_text()
    httpd.write_response(send, code, text, HEADERS)
  elseif answer == "metrics" then
    local code, text = metrics_text()
    httpd.write_response(send, code, text, PLAIN_HEADERS)
  else
    httpd.write_response(send, answer, "", { connection = "close" })
  end
end

local function accept(id)
  if connections >= own.pages then
    socket.close_fd(id)
    return
  end
  connections = connections + 1
  skynet.fork(function()
    local ok, message = pcall(function()
      if socket.start(id) then
        serve(id)
      end
    end)
    socket.close(id)
    connections = connections - 1
    if not ok then
      skynet.error("viewer: " .. tostring(message))
    end
  end)
end

-- ---- the service ------------------------------------------------------------------------------

local address -- what is opened in a browser

local command = {}

function command.address()
  return address
end

-- How many pages there are, and connections with those that only ask for something.
local function stats()
  local n = 0
  for _ in pairs(heard) do
    n = n + 1
  end
  return { pages = n, connections = connections }
end

function command.stats()
  return stats()
end

local function watch_scene()
  local function ended()
    close_pages(SCENE_HAS_ENDED, "the scene has ended")
    skynet.timeout(CLOSE_TIME, skynet.exit)
  end
  local watched = addresses.new("lua", ended, ended)
  watched:set("scene", scene)
  local function probe()
    skynet.timeout(500, probe)
    watched:probe()
  end
  probe()
end

skynet.start(function()
  if own.token == "" then
    own.token = requests.new_token()
  end
  local listener, _, port = socket.listen(own.host, own.port)
  socket.start(listener, accept)
  address = ("http://%s:%d/?token=%s"):format(own.host, port, own.token)
  skynet.error("viewer: " .. address)
  skynet.info_func(stats)
  watch_scene()
  look()
  if own.stats > 0 then
    tell_loads()
  end
  skynet.dispatch("lua", function(session, _, name, ...)
    local run = command[name]
    if session ~= 0 then
      skynet.retpack(run and run(...))
    end
  end)
end)
