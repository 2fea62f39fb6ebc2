-- One player of the churn run: a socket to the client, and an entity in one of the maps. Started by gate.lua.
--
-- The client says:
--   walk <epoch> <x> <y> <pushes>; look <number>; mood <word>; name <words>; say <words>
--   change, transfer, rejoin <map> <x> <y>     by view.go, by the scene's command, by leaving and joining
--   answer <number>    it has read what was sent before that was asked
--   resync             it has missed something
--   echo <number>      for an answer after all that was said before
--   linger             the agent waits for another socket when this one has closed, see gate.lua
--   fill wait, enough  the socket is to be full until then, as the client does not read
--   fill drop          the same, and then the socket is closed
--   exit, vanish       the agent ends without a word; before that it leaves, or not
-- It receives as binary what its entity is told, and as text:
--   you <epoch> <map> <x> <y> <agent> <back> <stream>   where it is, after each coming in; back: 1, the scene
--                                                       had it
--   echo <number> <scene> <open>               open, or behind: a list of all that it sees is on its way
--   over <why>         the scene has ended the stay, and nobody asked for it
--   ask <number>       to be answered
--   kicked, fill <x...>, error <words>
local skynet = require "skynet"
local new_queue = require "skynet.queue"
local socket = require "skynet.socket"
local client = require "aoi.skynet.client"
local new_outbox = require("aoi.skynet.outbox").new
local frames = require "examples.skynet-game.frames"
local of_players = require "spec.skynet.churn.one_of_players"
local maps = require "spec.skynet.churn.maps"
local wire = require "spec.skynet.churn.wire"

local guide, kind = ... -- kind: client or players, by which it is in a scene
guide = tonumber(guide)

local LINGER = 300 -- hundredths of a second
local TRIES = 600  -- to come in

local id, fd, outbox
local me = { epoch = 0 } -- map, x, y, epoch, name, look, mood, how, lingers
local is_over = false    -- ends, or is ended
local is_fenced = false  -- somebody else comes for this entity
local is_full = false    -- the socket
local is_gone = false    -- the scene has ended our stay
local critical = new_queue()
local view = kind == "client" and client or of_players(function() return id end)

-- An error for our session may be somebody else's: the guide lives, so it is asked again.
local function ask_guide(...)
  while true do
    local called, answer = pcall(skynet.call, guide, "lua", ...)
    if called then
      return answer
    end
    skynet.sleep(1)
  end
end

local function tell(...)
  if fd then
    frames.words(fd, ...)
  end
end

-- A new epoch: walks that the client has sent before it knows count no more.
local function tell_place(is_back)
  me.epoch = me.epoch + 1
  tell("you", me.epoch, me.map, wire.exact(me.x), wire.exact(me.y), skynet.self(), is_back and 1 or 0,
    view.stream() or 0)
end

-- Where it is by all that it was told: others may have pushed it.
local function believe()
  local now = view.me()
  if now and now.stream == view.stream() then
    me.x, me.y = now[1], now[2]
  end
end

local function stop()
  is_over = true
  if fd and not is_full then -- what waits for a client that does not read would be waited for
    socket.close(fd)
  end
  skynet.exit()
end

-- The scene must hold it where it believes to be, unless that scene has ended by now. It may be pushed
-- meanwhile, and learns of that with the tick.
local function check_place()
  local asked, x, y
  for _ = 1, 50 do
    asked, x, y = pcall(view.query, "position", id)
    if not asked or x == me.x and y == me.y then
      return
    end
    skynet.sleep(2)
    believe()
  end
  tell("error", ("it came to %g, %g of %s, which holds it at %s, %s"):format(me.x, me.y, me.map, x, y))
end

-- ---- being somewhere --------------------------------------------------------------------------

local function set_properties()
  view.set_property(maps.LOOK, me.look)
  view.set_property(maps.MOOD, me.mood ~= "none" and me.mood or nil)
  view.set_property(maps.SECRET, maps.hidden("secret", id))
  view.set_property(maps.PLAN, maps.hidden("plan", id))
end

-- Opts of a newcomer.
local function looks()
  return { data = me.name, layers = maps.layers(id), visible_radius = maps.visible_radius(id) }
end

-- Opts for a place, with the extra that goes along with it.
local function opts_at(x, y, opts)
  opts.extras = { maps.extra(x, y) }
  return opts
end

-- Comes in, where and as `me` says. One that is inside already is waited for (how = "wait": its agent is
-- dead), or taken over.
local function enter()
  local takes = me.how == "take"
  for _ = 1, TRIES do
    local scene, opts = ask_guide("scene", me.map), opts_at(me.x, me.y, looks())
    opts.take_over = takes
    local ok, x, y = pcall(view.join, scene, id, me.x, me.y, opts)
    if ok then
      if x then
        me.x, me.y = x, y
        pcall(view.move, x, y, maps.extra(x, y)) -- the one of opts was of another place
      end
      pcall(set_properties) -- or the scene has ended by now
      check_place()
      tell_place(x ~= nil)
      return
    end
    -- Either one of ours is inside, or the call has failed; then it may have been taken all the same.
    takes = takes or me.how ~= "wait" or not tostring(x):find "already in the space"
    skynet.sleep(10)
  end
  tell("error", ("it can't come into %s"):format(me.map))
end

-- To the next map of the list.
local function flee()
  local at = 1
  while maps.list[at].name ~= me.map do
    at = at + 1
  end
  me.map = maps.list[at % #maps.list + 1].name
  me.x, me.y = me.x % maps.side[me.map], me.y % maps.side[me.map]
end

-- A map that has ended is waited for; some flee instead, and it comes back with a copy of them.
local function gone(scene, why)
  if is_over or view.scene() then
    return
  elseif ask_guide("has_ended", scene) and not is_fenced then
    if (id + me.epoch) % 3 == 0 then
      flee()
    end
    enter()
  else
    tell("over", tostring(why))
    stop()
  end
end

view.on {
  packet = function(text)
    if fd then
      outbox:pass_on(text)
    end
  end,
  gone = function(scene, why)
    is_gone = true
    skynet.fork(critical, gone, scene, why)
  end,
  me_moved = believe,
  refused = function() end, -- a leave of one that is not inside, or what a quick change has overtaken
}

-- ---- what the client says ---------------------------------------------------------------------

local say = {}

local function to_place(words)
  local map, x, y = words:match "^(%l+) (%S+) (%S+)$"
  return map, tonumber(x), tonumber(y)
end

function say.walk(words)
  local epoch, x, y, pushes = words:match "^(%d+) (%S+) (%S+) (%d+)$"
  if tonumber(epoch) == me.epoch and view.scene() then
    x, y = tonumber(x), tonumber(y)
    view.move(x, y, maps.extra(x, y), { pushes = tonumber(pushes) })
    believe()
  end
end

function say.look(words)
  me.look = tonumber(words)
  pcall(set_properties)
end

function say.mood(words)
  me.mood = words
  pcall(set_properties)
end

function say.name(words)
  me.name = words
  pcall(view.update, me.x, me.y, opts_at(me.x, me.y, { data = me.name }))
end

function say.say(words)
  pcall(view.say, words)
end

function say.change(words)
  local map, x, y = to_place(words)
  local scene = ask_guide("scene", map)
  is_gone = false
  if pcall(view.go, scene, x, y, opts_at(x, y, looks())) then
    if is_gone then
      tell("error", "it has heard of the end of its stay, though it was changing, and has done so")
    end
    me.map, me.x, me.y = map, x, y
    pcall(set_properties)
    check_place()
  end
  tell_place()
end

-- As skynet.call. A service that is killed answers nothing; and when the entity has gone over to another
-- scene by then, nobody else looks whether the former one lives.
local function call_mortal(address, ...)
  local is_done = false
  skynet.fork(function()
    while not is_done and skynet.send(address, "debug", "PING") do
      skynet.sleep(10)
    end
    if not is_done then
      skynet.term(address) -- ends the call
    end
  end)
  local answer = table.pack(pcall(skynet.call, address, ...))
  is_done = true
  return table.unpack(answer, 1, answer.n)
end

-- Waits until its stream is another one.
local function wait_for_stream(before)
  for _ = 1, 100 do
    if view.stream() ~= before then
      believe()
      return
    end
    skynet.sleep(2)
  end
end

-- Whether it is in that scene within a second.
local function comes_to(scene)
  for _ = 1, 50 do
    if view.scene() == scene then
      return true
    end
    skynet.sleep(2)
  end
  return false
end

-- The call may fail because the scene is dead, or for nothing: a scene that lives says so when asked again.
-- One that is dead may have passed the entity on: then the client is there once the other one tells.
function say.transfer(words)
  local map, x, y = to_place(words)
  local from, to, stream = view.scene(), ask_guide("scene", map), view.stream()
  local opts = opts_at(x, y, { radius = maps.radius[map] }) -- its own would go along
  for _ = 1, from ~= to and TRIES or 0 do
    local called, done, message = call_mortal(from, "lua", "transfer", id, to, x, y, opts)
    local is_dead = not called and not skynet.send(from, "debug", "PING")
    if called and done or view.scene() == to or is_dead and comes_to(to) then
      me.map, me.x, me.y = map, x, y
      check_place()
      break
    elseif is_dead then
      break
    elseif called and not message:find "on its way already" then
      if message:find "does not answer" then -- the scene goes on in a later stream, as the next tick tells
        wait_for_stream(stream)
      end
      break
    end
    skynet.sleep(2)
  end
  tell_place()
end

function say.rejoin(words)
  local map, x, y = to_place(words)
  view.leave()
  me.map, me.x, me.y = map, x, y
  enter()
end

function say.linger()
  me.lingers = true
end

local PIECE = ("x"):rep(65536)

-- Tells so much that the socket is full, until `enough`; "drop": until it is full, then it is closed.
function say.fill(words)
  local this = fd
  me.fills = true
  skynet.fork(function()
    while fd == this and me.fills and not (is_full and words == "drop") do
      for _ = 1, is_full and 0 or 4 do
        tell("fill", PIECE)
      end
      skynet.sleep(1)
    end
    if words == "drop" and fd == this then
      skynet.sleep(50)
      socket.shutdown(this)
    end
  end)
end

function say.enough()
  me.fills = false
end

function say.echo(words)
  skynet.sleep(25) -- a place that waits for the next tick is on its way by then
  tell("echo", words, view.scene() or 0, outbox.state == "open" and "open" or "behind")
end

function say.answer(words)
  outbox:echo(tonumber(words))
end

function say.resync()
  outbox:resync()
end

function say.exit()
  skynet.exit()
end

function say.vanish()
  if view.scene() then
    view.leave()
  end
  skynet.exit()
end

-- ---- the socket -------------------------------------------------------------------------------

local function end_of_socket(of)
  socket.close(of)
  if of ~= fd then
    return -- another one has taken its place
  end
  fd = nil
  if me.lingers and not is_full then
    skynet.sleep(LINGER)
  end
  critical(function()
    if not fd then
      if view.scene() and not is_fenced then
        view.leave()
      end
      stop()
    end
  end)
end

local NO_PLACE = { change = true, transfer = true, rejoin = true }

local function obey(text)
  local word, rest = text:match "^(%l+) ?(.*)$"
  if is_over then
    return
  elseif NO_PLACE[word] and not view.scene() then
    tell_place()
  else
    say[word](rest)
  end
end

local function serve(of)
  while true do
    local _, text = wire.read(of)
    if not text then
      end_of_socket(of)
      return
    end
    local word, rest = text:match "^(%l+) ?(.*)$"
    if word == "answer" or word == "resync" then
      say[word](rest) -- also while it waits for something
    else
      critical(obey, text)
    end
  end
end

-- The outbox of the client at this socket. is_back: in the middle of a stay.
local function new_box(of, is_back)
  return new_outbox {
    send = function(text) frames.packet(of, text) end,
    ask = function(number) frames.words(of, "ask", number) end,
    resync = view.resync,
    overflow = function() socket.shutdown(of) end,
    waits = is_back,
  }
end

local function take_socket(new, login, is_back)
  local started = socket.start(new)
  fd, outbox, is_full = new, new_box(new, is_back), false
  me.name, me.look, me.mood, me.how = login.name, login.look, login.mood, login.how
  me.lingers = false
  if not started then
    end_of_socket(new)
    return
  end
  socket.warning(new, function(_, kilobytes)
    is_full = kilobytes > 0
  end)
  skynet.fork(serve, new)
end

-- ---- what the gate says -----------------------------------------------------------------------

local command = {}

function command.start(new, login)
  id, me.map, me.x, me.y = login.id, login.map, login.x, login.y
  skynet.fork(critical, function()
    take_socket(new, login)
    if fd then
      enter()
    end
  end)
  return true
end

-- The client is back at another socket: it is told all anew.
function command.resume(new, login)
  return critical(function()
    if is_over or is_fenced then
      return false
    end
    take_socket(new, login, true)
    pcall(view.update, me.x, me.y, opts_at(me.x, me.y, { data = me.name }))
    pcall(set_properties)
    tell_place()
    view.resync()
    return true
  end)
end

-- Ends: somebody else comes for this entity.
function command.kick()
  return critical(function()
    if view.scene() then
      view.leave()
    end
    is_over = true
    tell "kicked"
    skynet.timeout(0, stop)
    return true
  end)
end

-- Does nothing any more: somebody else takes this entity, and the scene tells us. Returns where it is, a
-- table; false: nowhere.
function command.fence()
  return critical(function()
    is_fenced = true
    if view.scene() then
      return { map = me.map, x = me.x, y = me.y }
    end
    tell "over"
    skynet.timeout(0, stop)
    return false
  end)
end

function command.is_full()
  return is_full
end

-- What it believes of itself.
function command.me()
  return view.me()
end

-- The question of caller.lua.
function command.query()
  return true
end

-- After an error for a session of ours that was somebody else's, the answer comes still.
skynet.dispatch_unknown_response(function() end)

skynet.start(function()
  skynet.dispatch("lua", function(_, _, name, ...)
    skynet.retpack(command[name](...))
  end)
end)
