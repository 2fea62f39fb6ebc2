-- The client of scenes, which an agent requires to be in a scene and to hear of its view:
--
--   local view = require "aoi.skynet.client"
--   view.on { entered = function(id, x, y) ... end, moved = ..., left = function(id) ... end }
--   view.join(scene, id, x, y, opts)
--   view.move(x, y)
--
-- One agent, one entity. A service that stands for many requires players.lua, or sends the scene's commands
-- itself and listens through view.on { view = ... }. docs/skynet.md has the whole list, meta.lua the types.
--
-- players.lua runs this file once for each of its players, and names the entity.
local skynet = require "skynet"
local blocks = require "aoi.skynet.blocks"
local calls = require "aoi.skynet.calls"
local of_callbacks = require "aoi.skynet.callbacks"
local calling_back = require "aoi.skynet.calling_back"
local ends = require "aoi.skynet.ends"
local entering = require "aoi.skynet.entering"
local new_given = require "aoi.skynet.given".new
local hearing = require "aoi.skynet.hearing"
local new_stay = require "aoi.skynet.stay".new
local packet = require "aoi.skynet.packet"

local player = math.type(...) and (...) -- the entity of players.lua that we are for; nil: we are the agent's
local known = hearing.known
local ask, with_opts, leave_there = entering.new(hearing), entering.with_opts, entering.leave_there

local view = {}

local scene, entity -- where and who we are; nil: nowhere
local joining       -- while a scene is asked to take us in: the list of coroutines that wait for its answer
local stay          -- of stay.lua: another one for each time that we are somewhere; an older one is over

-- ---- hearing ----------------------------------------------------------------------------------

local callbacks = {}
local line = {} -- of calling_back.lua

-- Sets what is called, all at once; each may be left out: the list is in callbacks.lua. Raises, and changes
-- nothing, when the list is no table or has something else in it.
function view.on(list)
  local problem = of_callbacks.problem(list)
  if problem then
    error("view.on: " .. problem, 2)
  end
  callbacks = list
end

-- Stand in for callbacks that were left out.
local otherwise = {}

function otherwise.refused(_, message)
  skynet.error("a scene has refused a command: " .. message)
end

function otherwise.gone(where, why)
  skynet.error(why == "ended" and ("scene %s has ended"):format(where)
    or ("scene %s has removed our entity"):format(where))
end

local function call_back(name, ...)
  local callback = callbacks[name] or otherwise[name]
  if callback then
    callback(...)
  end
end

-- Has a callback called once all that we hear now is taken in.
local function tell(name, ...)
  if callbacks[name] or otherwise[name] then
    calling_back.add(line, call_back, name, ...)
  end
end

local hear = {}

local function tell_view(watcher, news)
  of_callbacks.tell_view(callbacks, watcher, news, calling_back.call)
end

function hear.view(watcher, news)
  if of_callbacks.has_view(callbacks) then
    calling_back.add(line, tell_view, watcher, news)
  end
end

function hear.said(watchers, id, body, is_text)
  if callbacks.said_to then
    tell("said_to", watchers, id, packet.spoken(body, is_text))
  elseif callbacks.said then
    tell("said", id, packet.spoken(body, is_text))
  end
end

function hear.notified(_, body, is_text)
  if callbacks.notified then
    tell("notified", packet.spoken(body, is_text))
  end
end

-- Entity -> the stream in which we have left, as long as it may be said that it goes on elsewhere.
local left = {}
local last_left, last_left_in -- the entity with which we have left last, and in which stream
-- Of the stay that has ended by itself since we were somewhere last: { id =, stream =, given = }; nil: none.
local gone

local OF_OURSELVES = { move = true, set_property = true }

function hear.refused(command, message, id)
  local is_ours = left[id] or id == entity and hearing.source() ~= scene
  if command == "leave" and is_ours and message:find("is not in the space", 1, true) then
    return -- a transfer was quicker: the scene that has taken us in is asked, too
  end
  if OF_OURSELVES[command] and id == entity and hearing.source() == scene and stay then
    stay:refused(command == "move")
  end
  tell("refused", command, message, id)
end

local begin_stay, end_stay, come_back, send_move, send_later, follow

-- Of given.lua. While we are lost, and not back, that is all that becomes of what we do.
local given
local is_lost = false

-- The place that waits to be sent, with what it carries; when one was sent last here (nil: none yet), and how
-- long to wait after it, in skynet's hundredths of a second.
local waiting, sent_at, window

-- A place of the stay behind ours, see Stay:ahead: sent when we are there. nil: none.
local early

-- While the scene is asked to begin another stream for our entity: a list of what is to be done in it.
local behind

-- We come back to the place that was told last.
local function keep_place(me)
  if given and me then
    table.move(me, 1, #given.place, 1, given.place)
  end
end

local function tell_me(me, is_moved, changed)
  if is_moved then
    tell("me_moved", table.unpack(me, 1, #me))
  end
  if changed then
    tell("me_changed", changed)
  end
end

-- We have left, and a transfer that was on its way has taken us in elsewhere: the scene that we have left may
-- have ended since, so that nobody else knows.
local function leave_behind(watcher)
  local where, in_stream = known:told_by(watcher)
  if watcher == last_left and last_left_in and where and not scene and not joining
    and in_stream - last_left_in & 0xFFFFFFFF < entering.AHEAD then -- else it is no transfer
    leave_there(where, watcher, in_stream)
  end
end

-- An entity that is gone, and in no scene, is where a scene has it in a later stream. to: nil: nowhere.
-- Returns whether it is.
local function follow_from_nowhere(watcher, to, in_stream, is_loaded)
  local is_ours = to and gone and gone.id == watcher and not scene and not joining
  if is_ours and (is_loaded or not gone.stream or blocks.is_later(in_stream, gone.stream)) then
    entity, given = watcher, gone.given
    follow(to, in_stream, is_loaded)
    return true
  end
  return false
end

function hear.me(watcher, is_moved, changed)
  if watcher ~= entity and not follow_from_nowhere(watcher, known:told_by(watcher)) then
    leave_behind(watcher)
    return
  end
  if waiting and stay:is_late(waiting.carried) then
    waiting = nil
  end
  local me = is_moved and view.me()
  if hearing.source() == scene then -- else we may go there, or may not
    keep_place(me)
  end
  tell_me(me, is_moved, changed)
end

-- The ticks of a scene into which we did not go ourselves may have another length.
local function ask_for_ticks(of, this)
  local ok, stats = pcall(calls.call, of, "lua", "stats")
  if ok and stay == this and type(stats) == "table" and math.type(stats.tick_length) then
    window = stats.tick_length // 10
    if waiting and sent_at then -- else it is sent in its turn
      send_later()
    end
  end
end

-- Our stay goes on in that scene.
function follow(to, in_stream, is_loaded)
  local from, loaded, place = scene, is_loaded and waiting, early
  begin_stay(to, in_stream, in_stream)
  skynet.fork(ask_for_ticks, to, stay)
  if not known:markers(entity) then
    end_stay "removed" -- that scene was quicker than the one that says so
    return
  end
  keep_place(view.me())
  if loaded then
    loaded.carried = nil -- it counts there, too
    send_move(loaded)
  elseif place and place.stream == in_stream then
    given:note(place)
    place.carried = stay:step(place, place.pushes)
    send_move(place)
  end
  if to ~= from then
    tell("scene_is", to)
  end
end

-- A scene says so in a transfer, and one into which another was loaded. The latest stream counts, whoever
-- says so: of several scenes that pass us on the last may be the quickest. A load is stale when the save is
-- from before we have left, or gone elsewhere; it brings back who is gone and in no scene.
function hear.elsewhere(watcher, to, in_stream, is_loaded, is_stale)
  local told = left[watcher]
  if is_stale then
    if watcher == entity or watcher == last_left then
      known:drop(watcher, in_stream)
      leave_there(to, watcher, in_stream)
    end
    return
  elseif is_loaded and follow_from_nowhere(watcher, to, in_stream, true) then
    return
  elseif watcher == entity then
    told = stay.stream -- nil: another service is told where we are
    if told and blocks.is_later(in_stream, told) or not told and hearing.source() == scene then
      follow(to, in_stream, is_loaded)
      return
    end
  end
  if told then
    leave_there(to, watcher, in_stream)
  end
end

-- A scene in which we are not begins to tell us what we see there: one that has loaded a save of another,
-- which ended while a transfer had us on the way. Most often it only has not heard of our leave yet.
function hear.late_list(watcher, of_stream)
  local is_ours = watcher == entity and stay.stream or watcher == last_left
    or known:is_dropped(watcher, of_stream)
  if is_ours and hearing.source() ~= scene then
    leave_there(hearing.source(), watcher, of_stream)
  end
end

-- The end of our stay may be overtaken by the list of the next one. A world that has lost us says more:
-- whether it has passed us on.
function hear.late_over(watcher, of_stream, reason)
  if watcher == entity and hearing.source() == scene and reason ~= "lost" and stay:ahead()
    and not blocks.is_later(stay.stream, of_stream) then
    end_stay "removed"
  end
end

function hear.over(watcher, of_stream, reason)
  if left[watcher] and not blocks.is_later(left[watcher], of_stream) then
    left[watcher] = nil
  end
  if watcher ~= entity or not stay.stream then
    return
  end
  local is_here = hearing.source() == scene and not blocks.is_later(stay.stream, of_stream)
  if not is_here and of_stream ~= stay:current() then -- the scene of before may say it, too
    return
  elseif reason == "lost" and not joining and not is_lost then
    come_back()
  else
    end_stay(reason == "expelled" and reason or "removed")
  end
end

function hear.packet(text)
  tell("packet", text)
end

hearing.listen(player, hear)

-- The view, by all that we were told so far: id -> { x, y, z, extras =, data =, properties = }, the last four
-- where there are any. watcher: of which of our entities; nil: the one that joined. Not to be changed; {} for
-- an entity that was told nothing.
function view.known(watcher)
  return known:markers(watcher or entity) or {}
end

-- Ourselves, by all that we were told so far, with our own calls laid over it: { x, y [, z], data =,
-- properties =, traits =, extras =, pushes =, stream = }, a new table; nil when we were told nothing yet.
-- watcher: as for `known`.
function view.me(watcher)
  local me = known:me(watcher or entity)
  return me and me:known()
end

-- ---- the scene's end --------------------------------------------------------------------------

-- The stay has ended by itself. What was seen leaves first, if nobody has said so; unless another scene has
-- taken us in, and we see what is there.
local function be_gone(why)
  local where, id = scene, entity
  local to, in_stream = stay:ahead()
  if to then
    follow(to, in_stream)
    return
  end
  gone = { id = id, stream = stay:current(), given = given }
  scene, entity, stay, given, is_lost = nil, nil, nil, nil, false
  known:finish(id)
  known:forget(id)
  tell("gone", where, why)
end

function end_stay(why)
  if joining or behind then
    stay.ended = stay.ended or why -- when we are taken in, there or anew, it makes no difference
  else
    be_gone(why)
  end
end

local function send(...)
  if not is_lost then
    ends.send(scene, ...)
  end
end

-- told, number: as for stay.new.
function begin_stay(where, told, number)
  local this = new_stay(known, entity, told, number, where)
  scene, stay, gone = where, this, nil
  waiting, early, sent_at, is_lost = nil, nil, nil, false
  ends.wait(where, view, function()
    if scene == where then
      end_stay "ended"
    elseif this.left_in then
      known:finish(this.id, this.left_in) -- the scene can't say so any more
    end
  end)
end

-- ---- joining, changing, leaving ---------------------------------------------------------------

-- Calls f when it is known in which stream we are.
local function in_turn(f)
  if behind then
    behind[#behind + 1] = f
  else
    f()
  end
end

-- Waits until that is known.
local function wait_for_turn()
  while behind do
    local this = coroutine.running()
    in_turn(function()
      skynet.wakeup(this)
    end)
    skynet.wait(this)
  end
end

local function end_turn()
  local list = behind
  behind = nil
  for _, f in ipairs(list) do
    f()
  end
end

-- Waits while a scene is asked to take us in.
local function wait_for_answer()
  while joining do
    table.insert(joining, (coroutine.running()))
    skynet.wait()
  end
end

-- Enters. Returns how, a table for `arrive`; or nil and why not. anew: true when we come from elsewhere. What
-- the scene tells us before it answers is heard when we have arrived.
local function ask_to_enter(to, id, anew, ...)
  joining = {}
  local args, ok, tick, x, y, z = ask(to, "enter", id, anew, ...)
  local waits = joining
  joining = nil
  for _, one in ipairs(waits) do
    skynet.wakeup(one)
  end
  if not ok then
    for _, told in ipairs(hearing.drop(id, args[1].stream, tick == "unknown")) do
      leave_there(told[1], id, told[2]) -- we are there, whatever was answered
    end
    return nil, tick
  end
  local opts = args[1]
  local is_ours = opts.address == nil or opts.address == skynet.self()
  if is_ours then
    local at, of_stream = known:told_by(id)
    if at and at ~= scene and at ~= to then
      leave_there(at, id, of_stream) -- a transfer has brought us there meanwhile
    end
    known:expect(id, opts.stream)
  end
  return {
    id = id, number = opts.stream, tick = tick, opts = opts, told = is_ours and opts.stream or nil,
    was_inside = x ~= nil, place = x and { x, y, z } or { table.unpack(args, 2, args.n - 1) },
  }
end

local function arrive(to, how)
  local is_new = entity ~= how.id -- what was told by now was not ours
  entity = how.id
  window = how.tick // 10
  begin_stay(to, how.told, how.number)
  local is_moved, changed = stay:came_in(how.place, how.opts)
  if is_new then
    tell_me(is_moved and view.me(), is_moved, changed)
  end
  hearing.release(how.id, how.number)
  if how.was_inside then
    return table.unpack(how.place)
  end
end

local AGAIN = 20 -- hundredths of a second until a world that can't take us in is asked again

-- Our entity is lost: enters again, until the world takes us in or refuses, or we have left.
function come_back()
  local where, id, this = scene, entity, stay
  is_lost, waiting = true, nil
  known:forget(id)
  tell("lost", where)
  skynet.fork(function()
    local how, message
    while not how and stay == this do
      wait_for_answer()
      if stay ~= this then
        break
      end
      how, message = ask_to_enter(where, id, nil, given:arguments(message == "unknown"))
      if not how and message ~= "again" and message ~= "unknown" then
        break
      elseif not how then
        skynet.sleep(AGAIN)
      end
    end
    if stay ~= this then
      if how then
        ends.send(where, "leave", id, { stream = how.number })
        hearing.release(id, how.number)
      end
      return
    end
    if not how then
      be_gone(this.ended or "removed")
      return
    end
    arrive(where, how)
    for key, value in pairs(scene and given.properties or {}) do -- else we were removed as we entered
      view.set_property(key, value)
    end
  end)
end

-- The address of a scene, also given as skynet writes it, or by the name of its service: messages come from
-- the number.
local function address_of(name, to)
  local address = to
  if type(to) == "string" and to:find "^%." then
    address = skynet.localname(to)
  elseif type(to) == "string" and to:find "^:%x+$" then
    address = tonumber(to:sub(2), 16)
  end
  if math.type(address) ~= "integer" and type(address) ~= "string" then
    error(("view.%s: scene is %s, expected the address of a scene"):format(name, tostring(to)), 3)
  end
  return address
end

-- Enters the scene; our messages come to this service, unless opts.address names another. Raises when the
-- scene refuses. Returns the place when our entity was there already, in a scene that has come back from its
-- store; else nothing.
function view.join(to, id, ...)
  to = address_of("join", to)
  wait_for_turn()
  if scene or joining then
    error("already in a scene: call leave first", 2)
  end
  local how, message = ask_to_enter(to, id, nil, ...)
  if not how then
    follow_from_nowhere(id, known:told_by(id)) -- told while we asked
    error(message, 0)
  end
  given = new_given(...)
  return arrive(to, how)
end

local function joined()
  return scene or error("not in a scene: call join first", 3)
end

-- Goes to another scene: enters there, and leaves the one that we are in. What we see of that stays until the
-- other one tells what is to be seen there. Nothing is taken over: a copy of us that came back from the other
-- one's store leaves first. Raises when that scene refuses, and then we stay where we are.
function view.go(to, ...)
  to = address_of("go", to)
  wait_for_turn()
  local from, this, id = joined(), stay, entity
  if joining or to == from then
    error(joining and "already on the way to another scene" or "already in that scene", 2)
  elseif with_opts({}, ...).anew == false then
    error("anew is false: view.go takes nothing over; call leave, and then join", 2)
  end
  local carried = this:carried() -- before we hear of the next stay
  local how, message = ask_to_enter(to, id, true, ...)
  if not how then
    if stay and stay.ended then
      be_gone(stay.ended)
    end
    error(message, 0)
  elseif not stay then
    ends.send(to, "leave", id, { stream = how.number })
    hearing.release(id, how.number) -- with the end of it
    error("view.leave was called on the way", 0)
  elseif stay ~= this then
    leave_there(scene, id, stay.stream) -- to which we were transferred
  elseif not this.ended then
    ends.send(from, "leave", id, carried)
  end
  given = new_given(...)
  arrive(to, how)
end

-- Leaves the scene; does not wait. What is in view leaves it with the scene's next tick.
function view.leave()
  local from, this, id, was_lost = joined(), stay, entity, is_lost
  local at, of_stream = this:ahead()
  if at then
    leave_there(at, id, of_stream)
  end
  last_left = id
  scene, entity, waiting, stay, given, is_lost = nil, nil, nil, nil, nil, false
  local function note()
    this.left_in = this:current()
    left[id], last_left_in = this.stream and this.left_in, this.left_in
  end
  note() -- the scene may end before our turn
  in_turn(function()
    if not was_lost then
      ends.send(from, "leave", id, this:carried())
    end
    note()
  end)
end

-- ---- doing ------------------------------------------------------------------------------------

function send_move(place)
  waiting, sent_at = nil, skynet.now()
  local args = table.move(place, 1, place.n, 1, {})
  args[place.n + 1] = place.carried
  send("move", entity, table.unpack(args, 1, place.n + 1))
end

-- Sends the place that waits once its time has come.
function send_later()
  local this, sent = stay, sent_at
  skynet.timeout(math.max(0, sent_at + window - skynet.now()), function()
    -- Unless we are elsewhere by now, another place was sent meanwhile, or this one has its turn.
    if stay == this and sent_at == sent and waiting and not behind then
      send_move(waiting)
    end
  end)
end

-- Whether a place was chosen in another stay than the present one. opts: of `move`.
local function is_of_another(opts)
  if opts.stream ~= nil and math.type(opts.stream) ~= "integer" then
    error(("stream is %s, expected an integer: that of view.me()"):format(tostring(opts.stream)), 3)
  end
  return opts.stream ~= nil and opts.stream ~= stay:current()
end

-- A place behind one that is not sent yet: without extras it has those, which they are to become still.
local function with_extras_of(before, place)
  for i = place.n + 1, before and before.n or 0 do
    place[i], place.n = before[i], i
  end
  return place
end

-- Moves us: x, y [, z] [, e1 ... en] [, opts]; e1 ... en: the extras. At most one message a tick is sent,
-- with the last place; others would make no difference. opts: { pushes =, stream = }, of `me` when the place
-- was chosen; none: it is chosen now. A place that others have overtaken by a push or a transfer makes no
-- difference, wherever it is on its way.
function view.move(...)
  joined()
  local place, opts = table.pack(...), {}
  if type(place[place.n]) == "table" then
    opts, place[place.n], place.n = place[place.n], nil, place.n - 1
  end
  if is_of_another(opts) then
    local is_same = early and early.stream == opts.stream and early.pushes == opts.pushes
    place.stream, place.pushes = opts.stream, opts.pushes
    early = with_extras_of(is_same and early or nil, place)
    return
  end
  with_extras_of(waiting, place)
  given:note(place)
  if is_lost then
    return
  end
  place.carried = stay:step(place, opts.pushes)
  if behind then
    local this = stay
    waiting = place
    in_turn(function()
      if stay == this and waiting == place then
        place.carried = this:step(place)
        send_move(place)
      end
    end)
    return
  end
  if not sent_at or sent_at + window <= skynet.now() then
    send_move(place)
    return
  end
  local is_first = not waiting
  waiting = place
  if is_first then
    send_later()
  end
end

-- Waits until we are in a scene with nothing under way, and returns it: one from which we go is told to have
-- us leave in the stream that we have had there.
local function settled()
  while joining or behind do
    wait_for_answer()
    wait_for_turn()
  end
  return joined()
end

-- Our entity was transferred as it was given its view anew, and so has entered here once more: here it is to
-- be, alone. Returns the stay.
local function come_again(where, in_stream)
  leave_there(scene, entity, stay.stream)
  known:expect(entity, in_stream)
  begin_stay(where, in_stream, in_stream)
  tell("scene_is", where)
  return stay
end

-- Another address for our entity: a stay of its own. Raises when the scene refuses.
local function update_address(address, ...)
  local where, this = settled(), stay
  local before, is_ours = this.stream, address == skynet.self()
  this.stream = is_ours and before or nil -- that of another service: the end of ours is no news
  waiting, behind = nil, {}
  local args, ok, message = ask(where, "update", entity, nil, ...)
  local in_stream = args[1].stream
  if ok and stay and stay ~= this and blocks.is_later(in_stream, stay.stream) then
    this = come_again(where, in_stream)
  end
  if ok and (stay == this or not stay) then
    this.stream, this.number = is_ours and in_stream or nil, in_stream
    this.ended = nil
    this:came_in({ table.unpack(args, 2, args.n - 1) }, args[1])
  elseif not ok then
    this.stream = before
  end
  end_turn()
  if stay and stay.ended then
    be_gone(stay.ended)
  end
  if not ok then
    error(message, 0)
  end
end

-- A call of that stay was refused. What was laid in it is over with it: what we have done since stands.
local function was_refused(this, is_step, carried)
  if stay == this then
    this:refused(is_step, carried)
  end
end

-- Moves us and changes what opts name: radius, mode, layers, sees_layers, data. pushes, stream: as for move.
function view.update(...)
  wait_for_turn()
  local where, this = joined(), stay
  local wanted, before = with_opts({}, ...), waiting or {}
  if wanted.address ~= nil then
    update_address(wanted.address, ...)
    return
  elseif is_of_another(wanted) then -- as for a push, the rest counts
    wanted.stream, wanted.pushes, wanted.extras, wanted.anchor = nil, nil, nil, nil
    view.set_traits(wanted)
    return
  end
  waiting = nil
  local args = table.pack(with_opts({}, ...))
  local opts, place = args[1], { table.unpack(args, 2, args.n - 1) }
  given:note(place, opts)
  if is_lost then
    return
  elseif opts.extras == nil and #before > #place then -- they were waiting, and are to become these still
    opts.extras = table.move(before, #place + 1, #before, 1, {})
  end
  local step, carried = this:step(place, opts.pushes, opts.extras), nil
  if step then
    carried = this:next_call()
    opts.stream, opts.pushes, opts.call = step.stream, step.pushes, carried.call
  end
  this:lay_opts(opts, carried)
  local ok, message = calls.call(where, "lua", "update", entity, table.unpack(args, 2, args.n))
  if not ok then
    was_refused(this, true, carried)
    error(message, 0)
  end
end

-- Changes what opts name, as `update` does, and stays where we are. Raises when the scene refuses.
function view.set_traits(opts)
  wait_for_turn()
  local where, this = joined(), stay
  if type(opts) ~= "table" or opts.address ~= nil then
    error(("view.set_traits: %s, expected a table of what is to change, without address"):format(
      type(opts) == "table" and "there is an address" or "opts is " .. tostring(opts)), 2)
  end
  given:note({}, opts)
  if is_lost then
    return
  end
  local carried = this:next_call()
  if opts.extras and waiting then
    send_move(waiting) -- they come behind it
  end
  local step = opts.extras and this:step(nil, nil, opts.extras)
  if step then
    carried.pushes = step.pushes
  end
  this:lay_opts(opts, carried)
  local ok, message = calls.call(where, "lua", "set_traits", entity, opts, carried)
  if not ok then
    was_refused(this, opts.extras ~= nil, carried)
    error(message, 0)
  end
end

-- Sets a property of ours: key 0 to 255; a string, a number, or nil: none.
function view.set_property(key, value)
  joined()
  if key == nil or key ~= key then
    error(("view.set_property: key is %s, expected an integer from 0 to 255"):format(tostring(key)), 2)
  end
  given.properties[key] = value
  local this = stay
  in_turn(function()
    if stay == this then
      local carried = this:next_call()
      this:lay_property(key, value, carried)
      send("set_property", entity, key, value, carried)
    end
  end)
end

-- Asks to be told all that we see, with the next tick; at most once a second. In no scene there is nothing to
-- be told: whoever passes packets on hears of an end later than we.
function view.resync()
  if scene then
    send("resync", entity, stay:carried())
  end
end

-- Says something to all who see us.
function view.say(...)
  joined()
  local this, words = stay, table.pack(...)
  in_turn(function()
    local carried = stay == this and this:carried()
    if carried then
      send("say_in", entity, carried.stream, table.unpack(words, 1, words.n))
    elseif stay == this then
      send("say", entity, table.unpack(words, 1, words.n))
    end
  end)
end

-- Asks the scene: view.query("circle", x, y, r) -> ids, n. Raises when the arguments are wrong.
function view.query(...)
  local answer = table.pack(calls.call(joined(), "lua", "query", ...))
  if answer[1] == nil and answer[2] then
    error(answer[2], 2)
  end
  return table.unpack(answer, 1, answer.n)
end

-- The number of our stay's stream, as blocks carry it; nil: in no scene, or not known yet.
function view.stream()
  return stay and stay:current()
end

-- The scene, and who we are in it; nil when in none.
function view.scene()
  return scene, entity
end

return view
