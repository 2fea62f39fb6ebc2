-- The client of scenes, which an agent requires to be in a scene and to hear of its view:
--
--   local view = require "aoi.skynet.client"
--   view.on { entered = function(id, x, y) ... end, moved = ..., left = function(id) ... end }
--   view.join(scene, id, x, y, opts)
--   view.move(x, y)
--
-- One agent, one entity. A service that stands for many sends the scene's commands itself, and listens
-- through view.on { view = ... }. docs/skynet.md has the whole list, meta.lua the types.
local skynet = require "skynet"
local alive = require "aoi.skynet.alive"
local blocks = require "aoi.skynet.blocks"
local calls = require "aoi.skynet.calls"
local names = require "aoi.skynet.names"
local new_known = require "aoi.skynet.known".new
local packet = require "aoi.skynet.packet"

local view = {}

local scene, entity -- where and who we are; nil: nowhere
local joining       -- true while a scene is asked to take us in
-- A table of its own for each time that we are somewhere; an older one is over. Its fields: stream, the first
-- that is told here (nil: another service is told); has_left; lost, why it ended while we were joining.
local stay

-- ---- hearing ----------------------------------------------------------------------------------

local callbacks = {}

local CALLBACKS = { "entered", "moved", "changed", "left", "said", "refused", "scene_is", "gone", "view",
  "said_to", "packet" }
local is_callback = {}
for _, name in ipairs(CALLBACKS) do
  is_callback[name] = true
end

-- Sets what is called, all at once; each may be left out:
--   entered(id, x, y [, z], data, properties)   came into view. data: a string or nil; properties: a table
--   moved(id, x, y [, z])                       moved within it
--   changed(id, data, properties)               data: the new one, "" for none any more, nil: as before;
--                                               properties: those that are others now, false: gone
--   left(id)                                    is out of it, or gone
--   said(id, ...)                               one in view says something
--   refused(command, message, id)   a command that was sent, and not called, was wrong. id: the entity, or
--                               area, that it was about; nil: none
--   scene_is(scene)             we are in that scene now, though we have not gone there: our entity was
--                               transferred to it, or our scene was loaded into it
--   gone(scene, why)            we are no longer in that scene, and in none, though we have not left it. why:
--                               "ended", the scene has; "removed", it goes on without us
--   view(watcher, left, entered, moved, dims, changed, details)   instead of entered, moved, changed and
--                               left: flat lists; details: id -> { data, properties }
--   said_to(watchers, id, ...)  instead of said: with those of our entities that see id
--   packet(text)                beside the others: each message as it came, to be passed on
-- Raises, and changes nothing, when the list is no table or has something else in it.
function view.on(list)
  if type(list) ~= "table" then
    error(("view.on: the argument is %s, expected a table of functions"):format(
      list == nil and "nil" or "a " .. type(list)), 2)
  end
  for name, callback in pairs(list) do
    if not is_callback[name] then
      error(("view.on: callback %s is unknown%s, expected %s"):format(tostring(name),
        names.hint(name, CALLBACKS), table.concat(CALLBACKS, ", ")), 2)
    elseif type(callback) ~= "function" then
      error(("view.on: callback %s is a %s, expected a function"):format(name, type(callback)), 2)
    end
  end
  callbacks = list
end

local function tell_entered(news, call)
  local list, details = news.entered, news.details or {}
  for i = 1, #list, news.dims + 1 do
    local id, x, y = list[i], list[i + 1], list[i + 2]
    local of = details[id]
    local data, properties = of and of[1], of and of[2] or {}
    if news.dims == 2 then
      call(id, x, y, data, properties)
    else
      call(id, x, y, list[i + 3], data, properties)
    end
  end
end

local function tell_moved(news, call)
  local list = news.moved
  for i = 1, #list, news.dims + 1 do
    if news.dims == 2 then
      call(list[i], list[i + 1], list[i + 2])
    else
      call(list[i], list[i + 1], list[i + 2], list[i + 3])
    end
  end
end

local hear = {}

function hear.view(watcher, news)
  local called = callbacks
  if called.view then
    called.view(watcher, news.left or {}, news.entered or {}, news.moved or {}, news.dims, news.changed or {},
      news.details or {})
    return
  end
  if news.left and called.left then
    for _, id in ipairs(news.left) do
      called.left(id)
    end
  end
  if news.entered and called.entered then
    tell_entered(news, called.entered)
  end
  if news.moved and called.moved then
    tell_moved(news, called.moved)
  end
  if news.changed and called.changed then
    for _, id in ipairs(news.changed) do
      local details = news.details[id]
      called.changed(id, details[1], details[2] or {})
    end
  end
end

function hear.said(watchers, id, body, is_text)
  if callbacks.said_to then
    callbacks.said_to(watchers, id, packet.spoken(body, is_text))
  elseif callbacks.said then
    callbacks.said(id, packet.spoken(body, is_text))
  end
end

function hear.refused(body)
  local command, message, id = packet.refusal(body)
  if callbacks.refused then
    callbacks.refused(command, message, id)
  else
    skynet.error("a scene has refused a command: " .. message)
  end
end

local SECOND = 100     -- in skynet's hundredths
local source           -- of the message that is being read
local asked = {}       -- watcher -> the scene that is to be asked again, or false: within the last second
local known

-- Blocks are missing: asks the scene for all, at most once a second. What is missed within that second may
-- have been the last for long.
local function ask_for_all(watcher, of)
  asked[watcher] = false
  skynet.timeout(SECOND, function()
    local again = asked[watcher]
    asked[watcher] = nil
    if again and known:is_behind(watcher) then
      ask_for_all(watcher, again)
    end
  end)
  skynet.send(of, "lua", "resync", watcher)
end

function hear.gap(watcher)
  if asked[watcher] == nil then
    ask_for_all(watcher, source)
  else
    asked[watcher] = source
  end
end

local begin_stay, lose, send_move

-- The place that waits to be sent; when one was sent last here (nil: none yet), and how long to wait after
-- it, in skynet's hundredths of a second.
local waiting, sent_at, window

-- Our scene says so in a transfer, and the one into which our scene was loaded. An older stream than that of
-- our stay: we have gone elsewhere since that was saved.
function hear.elsewhere(watcher, to, in_stream)
  local is_loaded = source == to and stay and stay.stream and blocks.is_later(in_stream, stay.stream)
  if watcher ~= entity or to == scene or source ~= scene and not is_loaded then
    return
  end
  local place = is_loaded and waiting -- else it was a place in the scene before
  begin_stay(to, in_stream)
  if not known:markers(watcher) then
    lose "removed" -- that scene was quicker than the one that says so
    return
  end
  if place then
    send_move(place)
  end
  if callbacks.scene_is then
    callbacks.scene_is(to)
  end
end

function hear.over(watcher, of_stream)
  if watcher == entity and source == scene and stay.stream
    and not blocks.is_later(stay.stream, of_stream) then
    lose "removed"
  end
end

known = new_known(hear)

packet.register(function(_, from, text)
  if callbacks.packet then
    callbacks.packet(text)
  end
  source = from
  known:read(text)
end)

-- The view, by all that we were told so far: id -> { x, y, z, data =, properties = }, the last three where
-- there are any. watcher: of which of our entities; nil: the one that joined. Not to be changed; {} for an
-- entity that was told nothing.
function view.known(watcher)
  return known:markers(watcher or entity) or {}
end

-- ---- the scene's end --------------------------------------------------------------------------

local PROBE = 500 -- hundredths of a second between two looks for a scene that was killed

-- The stay has ended by itself.
local function be_gone(why)
  local where = scene
  known:forget(entity)
  scene, entity, stay = nil, nil, nil
  if callbacks.gone then
    callbacks.gone(where, why)
  else
    skynet.error(why == "ended" and ("scene %s has ended"):format(where)
      or ("scene %s has removed our entity"):format(where))
  end
end

function lose(why)
  if joining then
    stay.lost = stay.lost or why -- when the other scene takes us in, it makes no difference
  else
    be_gone(why)
  end
end

local watched = {} -- set of scenes whose end is waited for

local function watch(where)
  watched[where] = true
  local is_dead = alive.wait_for_end(where)
  watched[where] = nil
  if is_dead and scene == where then
    lose "ended"
  end
end

-- Sends to a scene.
local function send_to(where, ...)
  if not skynet.send(where, "lua", ...) then
    -- In a coroutine of its own: skynet.term would drop the answer that the running one owes.
    skynet.fork(skynet.term, where)
  end
end

local function send(...)
  send_to(scene, ...)
end

-- Finds out by itself that the scene was killed, when nobody sends.
local function probe(this)
  skynet.sleep(PROBE)
  while stay == this and not alive.is_dead(scene) do
    skynet.sleep(PROBE)
  end
  if stay == this then
    skynet.term(scene)
  end
end

function begin_stay(where, in_stream)
  scene, stay = where, { stream = in_stream }
  waiting, sent_at = nil, nil
  if not watched[where] then
    skynet.fork(watch, where)
  end
  skynet.fork(probe, stay)
end

-- ---- joining, changing, leaving ---------------------------------------------------------------

local stream -- the latest that we asked for

-- A stream later than all that this entity had.
local function new_stream(id)
  local new = skynet.starttime() * 100 + skynet.now() & 0xFFFFFFFF
  for _, before in ipairs { stream or new - 1 & 0xFFFFFFFF, known:stream(id) } do
    if not blocks.is_later(new, before) then
      new = before + 1 & 0xFFFFFFFF
    end
  end
  stream = new
  return new
end

-- Places and opts as they were given, with these among the opts.
local function with_opts(opts, ...)
  local args = table.pack(...)
  local at = (type(args[3]) == "table" or args[3] == nil and args[4] == nil) and 3 or 4
  for name, value in pairs(type(args[at]) == "table" and args[at] or {}) do
    opts[name] = value
  end
  args[at] = opts
  return opts, table.unpack(args, 1, at)
end

-- Enters. Returns whether that was taken, and then the stream that is told here, or false; the length of a
-- tick; and the place when our entity was there already. Or why not. anew: true when we come from elsewhere.
local function ask_to_enter(to, id, anew, ...)
  local number = new_stream(id)
  local args = table.pack(with_opts({ stream = number, anew = anew }, ...))
  joining = true
  local called, ok, tick, x, y, z = pcall(calls.call, to, "lua", "enter", id, table.unpack(args, 2, args.n))
  joining = false
  if not called or not ok then
    return false, called and tick or ok
  end
  local is_ours = args[1].address == nil or args[1].address == skynet.self()
  if is_ours then
    known:expect(id, number)
  end
  return true, is_ours and number, tick, x, y, z
end

local function arrive(to, id, in_stream, tick, x, y, z)
  entity = id
  window = tick // 10
  begin_stay(to, in_stream or nil)
  if x then
    return x, y, z
  end
end

-- Enters the scene; our messages come to this service, unless opts.address names another. Raises when the
-- scene refuses. Returns the place when our entity was there already, in a scene that has come back from its
-- store; else nothing.
function view.join(to, id, ...)
  if scene or joining then
    error("already in a scene: call leave first", 2)
  end
  local answer = table.pack(ask_to_enter(to, id, nil, ...))
  if not answer[1] then
    error(answer[2], 0)
  end
  return arrive(to, id, table.unpack(answer, 2, answer.n))
end

local function joined()
  return scene or error("not in a scene: call join first", 3)
end

-- Goes to another scene: enters there, and leaves the one that we are in. What we see of that stays until the
-- other one tells what is to be seen there. A copy of us that came back from the other one's store leaves
-- first, unless opts have anew=false: then its place stays, and is returned, as `join` does. Raises when that
-- scene refuses, and then we stay where we are.
function view.go(to, ...)
  local from, this, id = joined(), stay, entity
  if joining or to == from then
    error(joining and "already on the way to another scene" or "already in that scene", 2)
  end
  local answer = table.pack(ask_to_enter(to, id, true, ...))
  if not answer[1] then
    if stay == this and this.lost then
      be_gone(this.lost)
    end
    error(answer[2], 0)
  elseif this.has_left then
    send_to(to, "leave", id)
    error("view.leave was called on the way", 0)
  elseif not this.lost then
    send_to(from, "leave", id)
  end
  return arrive(to, id, table.unpack(answer, 2, answer.n))
end

-- Leaves the scene; does not wait. What is in view leaves it with the scene's next tick.
function view.leave()
  joined()
  send("leave", entity)
  stay.has_left = true
  scene, entity, waiting, stay = nil, nil, nil, nil
end

-- ---- doing ------------------------------------------------------------------------------------

function send_move(place)
  waiting, sent_at = nil, skynet.now()
  send("move", entity, table.unpack(place, 1, 3))
end

-- Moves us. At most one message a tick is sent, with the last place; others would make no difference.
function view.move(x, y, z)
  joined()
  local wait = sent_at and sent_at + window - skynet.now() or 0
  if wait <= 0 then
    send_move { x, y, z }
    return
  end
  local is_first = not waiting
  waiting = { x, y, z }
  if is_first then
    local this, sent = stay, sent_at
    skynet.timeout(wait, function()
      -- Unless we are elsewhere by now, or another place was sent meanwhile.
      if stay == this and sent_at == sent and waiting then
        send_move(waiting)
      end
    end)
  end
end

-- Moves us and changes what opts name: radius, mode, layers, sees_layers, data.
function view.update(...)
  local args, where, this = table.pack(...), joined(), stay
  local opts, before = args[args.n], this.stream
  waiting = nil
  if type(opts) == "table" and opts.address ~= nil then
    this.stream = opts.address == skynet.self() and stream or nil
  end
  local ok, message = calls.call(where, "lua", "update", entity, ...)
  if not ok then
    this.stream = before
    error(message, 0)
  end
end

-- Sets a property of ours: key 0 to 255; a string, a number, or nil: it is gone.
function view.set_property(key, value)
  joined()
  send("set_property", entity, key, value)
end

-- Asks to be told all that we see, with the next tick; at most once a second.
function view.resync()
  joined()
  send("resync", entity)
end

-- Says something to all who see us.
function view.say(...)
  joined()
  send("say", entity, ...)
end

-- Asks the scene: view.query("circle", x, y, r) -> ids, n. Raises when the arguments are wrong.
function view.query(...)
  local answer = table.pack(calls.call(joined(), "lua", "query", ...))
  if answer[1] == nil and answer[2] then
    error(answer[2], 2)
  end
  return table.unpack(answer, 1, answer.n)
end

-- The scene, and who we are in it; nil when in none.
function view.scene()
  return scene, entity
end

return view
