-- What an agent requires to be in a scene and to hear what it sees:
--
--   local view = require "aoi.skynet.client"
--   view.on { entered = function(id, x, y) ... end, moved = ..., left = function(id) ... end }
--   view.join(scene, id, x, y, opts)
--   view.move(x, y)
--
-- One agent, one entity. A service that stands for many sends the scene's commands itself, and listens
-- through view.on { view = ... }. docs/skynet.md has the whole list.
local skynet = require "skynet"
local packet = require "aoi.skynet.packet"

local view = {}

-- ---- hearing ----------------------------------------------------------------------------------

local callbacks = {}

local CALLBACKS = { "entered", "moved", "left", "said", "refused", "gone", "view", "said_to" }
local is_callback = {}
for _, name in ipairs(CALLBACKS) do
  is_callback[name] = true
end

-- Sets what is called, all at once; each may be left out:
--   entered(id, x, y [, z])   came into view
--   moved(id, x, y [, z])     moved within it
--   left(id)                  is out of it, or gone
--   said(id, ...)             one in view says something
--   refused(command, message) a command that was sent, and not called, was wrong
--   gone(scene)               the scene that we were in has ended: we are in none, and see nobody
--   view(watcher, left, entered, moved, dims)   instead of entered, moved and left: flat lists
--   said_to(watchers, id, ...)                  instead of said: with those of our entities that see id
-- Raises, and changes nothing, when the list is no table or has something else in it.
function view.on(list)
  if type(list) ~= "table" then
    error(("view.on: the argument is %s, expected a table of functions"):format(
      list == nil and "nil" or "a " .. type(list)), 2)
  end
  for name, callback in pairs(list) do
    if not is_callback[name] then
      error(("view.on: callback %s is unknown, expected %s"):format(tostring(name),
        table.concat(CALLBACKS, ", ")), 2)
    elseif type(callback) ~= "function" then
      error(("view.on: callback %s is a %s, expected a function"):format(name, type(callback)), 2)
    end
  end
  callbacks = list
end

local function each_place(list, dims, call)
  local step = dims + 1
  for i = 1, call and #list or 0, step do
    if dims == 2 then
      call(list[i], list[i + 1], list[i + 2])
    else
      call(list[i], list[i + 1], list[i + 2], list[i + 3])
    end
  end
end

local hear = {}

function hear.view(watcher, left, entered, moved, dims)
  if callbacks.view then
    callbacks.view(watcher, left, entered, moved, dims)
    return
  end
  for i = 1, callbacks.left and #left or 0 do
    callbacks.left(left[i])
  end
  each_place(entered, dims, callbacks.entered)
  each_place(moved, dims, callbacks.moved)
end

function hear.said(watchers, id, ...)
  if callbacks.said_to then
    callbacks.said_to(watchers, id, ...)
  elseif callbacks.said then
    callbacks.said(id, ...)
  end
end

function hear.refused(command, message)
  if callbacks.refused then
    callbacks.refused(command, message)
  else
    skynet.error(("scene refused %s: %s"):format(command, message))
  end
end

packet.register(function(_, _, text)
  packet.read(text, hear)
end)

-- Reads a message of a scene: for those who pass messages on as they are and look at some of them.
-- `to` is a table of view, said and refused, with the arguments of view, said_to and refused above.
view.read = packet.read

-- ---- the scene's end --------------------------------------------------------------------------

local scene, entity -- where and who we are; nil: nowhere
local joining       -- true while a scene is asked to take us in
local stay          -- a table of its own for each time that we are somewhere; an older one is over

local PROBE = 500 -- hundredths of a second between two looks for a scene that was killed

-- Ends when the scene does: it answers LINK with an error then. (A scene that was killed answers nothing; but
-- then a send to it fails, and skynet.term ends the LINK.)
local function watch(this, where)
  if pcall(skynet.call, where, "debug", "LINK") or stay ~= this then
    return
  end
  scene, entity, stay = nil, nil, nil
  if callbacks.gone then
    callbacks.gone(where)
  else
    skynet.error(("scene %s has ended"):format(where))
  end
end

-- Sends to the scene.
local function send(...)
  if not skynet.send(scene, "lua", ...) then
    -- In a coroutine of its own: skynet.term would drop the answer that the running one owes.
    skynet.fork(skynet.term, scene)
  end
end

-- Finds out by itself that the scene was killed, when nobody sends.
local function probe(this)
  skynet.sleep(PROBE)
  while stay == this and skynet.send(scene, "debug", "PING") do
    skynet.sleep(PROBE)
  end
  if stay == this then
    skynet.term(scene)
  end
end

local function begin_stay(where)
  scene, stay = where, {}
  local this = stay
  skynet.fork(watch, this, where)
  skynet.fork(probe, this)
end

-- ---- doing ------------------------------------------------------------------------------------

-- The place that waits to be sent; when one was sent last here (nil: none yet), and how long to wait after
-- it, in skynet's hundredths of a second.
local waiting, sent_at, window

local function joined()
  return scene or error("not in a scene: call join first", 3)
end

-- Enters the scene; our messages come to this service, unless opts.address names another. Raises when the
-- scene refuses.
function view.join(to, id, ...)
  if scene or joining then
    error("already in a scene: call leave first", 2)
  end
  joining = true
  local called, ok, tick = pcall(skynet.call, to, "lua", "enter", id, ...)
  joining = false
  if not called or not ok then
    error(called and tick or ok, 0)
  end
  entity = id
  waiting, sent_at, window = nil, nil, tick // 10
  begin_stay(to)
end

local function send_move(place)
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

-- Moves us and changes what opts name: radius, mode, layer, sees.
function view.update(...)
  waiting = nil
  assert(skynet.call(joined(), "lua", "update", entity, ...))
end

-- Leaves the scene; does not wait. The last `left` still come.
function view.leave()
  joined()
  send("leave", entity)
  scene, entity, waiting, stay = nil, nil, nil, nil
end

-- Says something to all who see us.
function view.say(...)
  joined()
  send("say", entity, ...)
end

-- Asks the scene: view.query("circle", x, y, r) -> ids, n. Raises when the arguments are wrong.
function view.query(...)
  local answer = table.pack(skynet.call(joined(), "lua", "query", ...))
  if answer[1] == nil and answer[2] then
    error(answer[2], 2)
  end
  return table.unpack(answer, 1, answer.n)
end

-- The scene, and who we are in it; nil when in none.
function view.where()
  return scene, entity
end

-- The scene has been saved, and loaded into another service: talk to that one from now on.
function view.moved_to(to)
  joined()
  begin_stay(to)
end

return view
