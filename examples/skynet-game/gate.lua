-- Where players come in: serves the page over HTTP, and gives each websocket an agent of its own.
--
-- It listens on 127.0.0.1 alone, so that only this machine can play: there are no passwords here. A real gate
-- asks who somebody is before it starts an agent, and speaks TLS.
local skynet = require "skynet"
local socket = require "skynet.socket"
local httpd = require "http.httpd"
local sockethelper = require "http.sockethelper"

local port = tonumber((...))

local HOST = "127.0.0.1"
local MOST = 4000          -- connections at once
local REQUEST_TIME = 1000  -- hundredths of a second for a request to come, and for its answer to go

local PAGE = "examples/skynet-game/page/"
local FILES = { -- path -> file, type
  ["/"] = { PAGE .. "index.html", "text/html; charset=utf-8" },
  ["/game.js"] = { PAGE .. "game.js", "text/javascript" },
  ["/drawing.js"] = { PAGE .. "drawing.js", "text/javascript" },
  ["/style.css"] = { PAGE .. "style.css", "text/css" },
  ["/aoi_packet.js"] = { "clients/javascript/aoi_packet.js", "text/javascript" },
}

local scenes             -- name of a map -> its scene
local last_id = 0        -- of players
local players = {}       -- name as it is in an address -> { id, map }: who logs in again is the same
local by_id = {}
local connections = 0

-- ---- requests ---------------------------------------------------------------------------------

-- Counts of the process and its scenes so far, one name and number a line; CPU in milliseconds.
local function stats()
  local lines = { ("joined %d"):format(last_id), ("process_cpu %.3f"):format(os.clock() * 1000) }
  for name, scene in pairs(scenes) do
    local of_scene = skynet.call(scene, "lua", "stats")
    for _, key in ipairs { "entities", "ticks", "ticks_skipped", "messages", "bytes_sent", "cpu" } do
      lines[#lines + 1] = ("%s_%s %s"):format(name, key, of_scene[key])
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

-- The answer to a request for something else than a websocket: status, text, type.
local function answer(path)
  if path == "/stats" then
    return 200, stats(), "text/plain"
  end
  local file = FILES[path] and io.open(FILES[path][1], "rb")
  if not file then
    return 404, "not here\n", "text/plain"
  end
  local text = file:read "a"
  file:close()
  return 200, text, FILES[path][2]
end

-- The player who logs in: known by the name, or new.
local function player_of(url)
  local name = url:match "[?&]name=([^&]+)"
  local player = players[name]
  if not player then
    last_id = last_id + 1
    player = { id = last_id, map = nil } -- where it was last
    by_id[last_id] = player
    if name then
      players[name] = player
    end
  end
  return player
end

-- Gives the socket to a new agent; it is none of ours from then on.
local function start_player(id, request)
  local player = player_of(request.url)
  socket.abandon(id)
  local agent = skynet.newservice("agent", player.id, skynet.self())
  skynet.call(agent, "lua", "start", id, request, scenes, player.map)
end

-- Reads a request; true when the socket went to an agent.
local function serve(id)
  local is_over = false
  skynet.timeout(REQUEST_TIME, function()
    if not is_over then
      socket.shutdown(id)
    end
  end)
  socket.limit(id, 64 * 1024)
  local status, url, method, header = httpd.read_request(sockethelper.readfunc(id), 0)
  is_over = status == 200 and method == "GET" and url:match "^[^?]*" == "/play"
  if is_over then
    start_player(id, { url = url, method = method, header = header })
    return true
  end
  local code, text, kind = 400, "a bad request\n", "text/plain"
  if status == 200 and method == "GET" then
    code, text, kind = answer(url:match "^[^?]*")
  end
  httpd.write_response(sockethelper.writefunc(id), code, text,
    { ["content-type"] = kind, ["cache-control"] = "no-store", ["connection"] = "close" })
  is_over = true
end

local function accept(id)
  if connections >= MOST then
    socket.close_fd(id)
    return
  end
  connections = connections + 1
  skynet.fork(function()
    local ok, is_given = pcall(function()
      return socket.start(id) and serve(id)
    end)
    connections = connections - 1
    if not (ok and is_given) then
      socket.close(id)
    end
  end)
end

-- ---- the service ------------------------------------------------------------------------------

local command = {}

-- Opens the gate to these scenes; returns what goes into a browser.
function command.open(of_maps)
  scenes = of_maps
  local listener, _, chosen = socket.listen(HOST, port)
  socket.start(listener, accept)
  return ("http://%s:%d/"):format(HOST, chosen or port)
end

-- An agent says in which map its player is.
function command.is_in(id, map)
  local player = by_id[id]
  player.map = map
end

skynet.start(function()
  skynet.dispatch("lua", function(session, _, name, ...)
    if session == 0 then
      command[name](...)
    else
      skynet.retpack(command[name](...))
    end
  end)
end)
