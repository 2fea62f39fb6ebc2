-- A service that stands for many wanderers in the world of its node, whatever happens to nodes: who is not
-- inside enters, who is refused tries again, and all that they are told is checked by sequences.lua.
local skynet = require "skynet"
local new_random = require("spec.support.random").new
local blocks = require "aoi.skynet.blocks"
local packet = require "aoi.skynet.packet"
local pulse = require "spec.world.pulse"
local sequences = require "spec.world.sequences"
local traits_of = require "spec.world.traits"

local world, ids, side, height, pace, is_rich, stay_out
local draw
local states = {}    -- id -> { is_inside =, is_asking =, has_left =, x, y, data =, rested = }; has_left: its
                     -- `leave` was answered, so that it is outside until all walk again
local is_walking, is_idle = false, true
local all_come_in = false -- nobody stays outside, while all stand still
local rests = 0
local disturbed = 0  -- stays that have ended since all were at rest, lost or with their node
local heard
local counts = { commands = 0, refused = 0, entered = 0, left = 0, strangers = 0 }
local times            -- of pulse.lua, when we are to note how long all takes; or nil
local LONG = 0.3       -- seconds of a wait that is noted
local waits, backs = {}, {} -- lists of { length =, span =, what = }: for an answer; of those who were lost
local reasons = {}   -- why commands were refused, without numbers -> how often

local function traits(id, data)
  local opts = traits_of.of(id, is_rich)
  opts.data = data
  return opts
end

local function refused(command, message)
  counts.refused = counts.refused + 1
  local reason = tostring(message):gsub("%d+", "N")
  reasons[reason] = (reasons[reason] or 0) + 1
  local id = math.tointeger(tostring(message):match "entity (%d+) is unknown"
    or tostring(message):match "id (%d+) is not in the space")
  if id and states[id] and command ~= "enter" then
    states[id].is_inside = false
  end
end

-- How long the call of an entity has waited, without the time for which this process was stopped.
local function note_wait(id, state)
  local length = times and times:own() - state.asked_own
  if times and length > LONG then
    local what = state.is_asking and "%s of entity %d, without an answer yet" or "%s of entity %d"
    waits[#waits + 1] = { length = length, span = { state.asked_at, pulse.now() },
      what = what:format(state.asks, id) }
  end
end

-- Calls the world; returns what pcall does.
local function ask(id, state, name, ...)
  state.is_asking = true
  state.asks, state.asked = name, skynet.now()
  state.asked_at, state.asked_own = pulse.now(), times and times:own()
  local result = table.pack(pcall(skynet.call, world, "lua", name, id, ...))
  state.is_asking = false
  note_wait(id, state)
  return table.unpack(result, 1, result.n)
end

-- The entity is in again. Whoever was lost as all walked has been away since the configuration changed.
local function note_back(id, state)
  local lost = state.lost
  state.lost = nil
  if times and lost and lost.rests == rests and is_walking then
    local from, now = times:changed_before(lost.told), pulse.now()
    backs[#backs + 1] = { length = now - from, span = { from, now }, what = ("entity %d"):format(id) }
  end
end

local function call(id, name, ...)
  local state = states[id]
  counts.commands = counts.commands + 1
  state.is_asking = true
  local opts = select(3, ...)
  local goes_on = name == "update" and opts.address == nil -- it begins no stay, unless its entity is lost
  local expulsions = state.expulsions
  skynet.fork(function(...)
    local ok, result, message = ask(id, state, name, ...)
    if ok and result ~= nil and goes_on and state.expulsions ~= expulsions then
      state.is_taken = true -- what is left of the earlier stay was changed
    elseif ok and result ~= nil then
      counts.entered = counts.entered + (state.is_inside and 0 or 1)
      state.is_inside, state.is_taken = true, false
      note_back(id, state)
    else
      message = tostring(ok and message or result)
      refused(name, message)
      state.is_taken = message:find("already", 1, true) ~= nil
    end
  end, ...)
end

-- Enters, or takes over what is left of an earlier stay.
local function come_in(id, data)
  local state, opts = states[id], traits(id, data)
  if state.is_taken then
    opts.address = skynet.self()
    call(id, "update", state.x, state.y, opts)
  else
    call(id, "enter", state.x, state.y, opts)
  end
end

local function send(...)
  counts.commands = counts.commands + 1
  skynet.send(world, "lua", ...)
end

-- Leaves until all walk again, when the world has answered that.
local function stay_outside(id, state)
  counts.commands, state.is_asking = counts.commands + 1, true
  skynet.fork(function()
    local ok, result, message = ask(id, state, "leave")
    if ok and result then
      state.is_inside, state.has_left, counts.left = false, not all_come_in, counts.left + 1
    else
      refused("leave", ok and message or result)
    end
  end)
end

local function take_step(id, state)
  if draw:integer(1, 40) == 1 then
    state.x, state.y = draw:integer(0, side), draw:integer(0, height)
  else
    state.x = math.max(0, math.min(side, state.x + draw:integer(-15, 15)))
    state.y = math.max(0, math.min(height, state.y + draw:integer(-15, 15)))
  end
  if state.is_asking or state.has_left then
    return
  elseif not state.is_inside then
    come_in(id)
    return
  elseif stay_out and draw:integer(1, stay_out) == 1 then
    stay_outside(id, state)
    return
  end
  send("move", id, state.x, state.y)
  if is_rich and draw:integer(1, 4) == 1 then
    send(traits_of.change(id, draw, state.x, state.y))
  end
  local what = draw:integer(1, 60)
  if what == 1 then
    send("set_property", id, 1, draw:integer(1, 1000))
  elseif what == 2 then
    send("say", id, "hello")
  elseif what == 3 then
    send("resync", id)
  elseif what == 4 then
    send("leave", id)
    state.is_inside = false
  elseif what == 5 then
    call(id, "update", state.x, state.y, traits(id, "data " .. draw:integer(1, 1000)))
  end
end

local function walk()
  is_idle = false
  while is_walking do
    for _, id in ipairs(ids) do
      take_step(id, states[id])
    end
    skynet.sleep(pace)
  end
  is_idle = true
end

local asked = {} -- watcher -> when it asked for all last

local function ask_anew()
  skynet.timeout(20, ask_anew)
  for watcher in pairs(heard.behind) do
    if skynet.now() - (asked[watcher] or -100) >= 100 then
      asked[watcher] = skynet.now()
      send("resync", watcher)
    end
  end
end

local COMMAND = {}

-- which: list of ids; the width of the map; hundredths of a second of a step; a seed; the height, if another;
-- is_timed: bounds.lua wants to know how long all takes; has_everything: they are rich, of traits.lua;
-- steps_in: one leaves, and stays outside until all walk again, after so many steps on average; nil: none.
function COMMAND.start(to, which, width, hundredths, seed, its_height, is_timed, has_everything, steps_in)
  is_rich, stay_out = has_everything, steps_in
  world, ids, side, pace, draw = to, which, width, hundredths, new_random(seed)
  height = its_height or width
  times = is_timed and pulse.start(world) or nil
  for _, id in ipairs(ids) do
    states[id] = { is_inside = false, expulsions = 0, x = draw:integer(0, side), y = draw:integer(0, height) }
  end
  ask_anew()
  COMMAND.walk()
end

function COMMAND.walk()
  is_walking, all_come_in = true, false
  for _, state in pairs(states) do
    state.has_left = nil
  end
  skynet.fork(walk)
end

-- Asks for all that a rich wanderer has as it stands still. Returns whether it has.
local function settle(id, state, data)
  return not is_rich or traits_of.settle(id, state.x, state.y, data, function(name, id_or_area, ...)
    if name == "notify" then
      state.notices = state.notices or {}
      state.notices[data] = { asked = (state.notices[data] or { asked = 0 }).asked + 1, heard = 0 }
    end
    local ok, result, message = ask(id_or_area, state, name, ...)
    if not (ok and result) and name ~= "remove_area" then
      refused(name, ok and message or result)
    end
    return ok and result
  end)
end

-- Has all entities that are not at rest inside, at a place and with data that the world has confirmed; but
-- those that have left stay outside. Returns a list of id, x, y, data; or nil and why one has found no rest
-- after `seconds`.
local function find_rest(seconds)
  local deadline = skynet.now() + seconds * 100
  local data = "at rest " .. rests
  while true do
    local restless
    for _, id in ipairs(ids) do
      local state = states[id]
      if not is_idle or state.is_asking then
        restless = restless or id
      elseif state.rested ~= rests and not state.has_left then
        restless = restless or id
        if not state.is_inside then
          come_in(id)
        else
          state.is_asking = true
          skynet.fork(function()
            local ok, result, message = ask(id, state, "update", state.x, state.y, traits(id, data))
            if not (ok and result) then
              refused("update", ok and message or result)
            elseif settle(id, state, data) then
              state.rested = state.is_inside and rests or nil -- else its stay has ended meanwhile
            end
          end)
        end
      end
    end
    if not restless then
      break
    elseif skynet.now() > deadline then
      local state = states[restless]
      local lines = { ("entity %d finds no rest; commands were refused:"):format(restless) }
      if state.is_asking then
        lines[1] = ("entity %d: its call of %s has no answer for %.1f s; commands were refused:"):format(
          restless, state.asks, (skynet.now() - state.asked) / 100)
      end
      for reason, n in pairs(reasons) do
        lines[#lines + 1] = ("  %d times %s"):format(n, reason)
      end
      return nil, table.concat(lines, "\n")
    end
    skynet.sleep(5)
  end
  local list = {}
  for _, id in ipairs(ids) do
    list[#list + 1] = not states[id].has_left and { id, states[id].x, states[id].y, data, is_rich } or nil
  end
  return list
end

-- Stands still: see find_rest. all_in: those that have left come in, too.
function COMMAND.rest(seconds, all_in)
  is_walking, all_come_in, rests, disturbed = false, all_in, rests + 1, 0
  for _, state in pairs(all_in and states or {}) do
    state.has_left = nil
  end
  return find_rest(seconds)
end

-- Entities at rest whose agent was told since that the world has lost them, or that its node was expelled,
-- enter anew and find rest again. Nobody else asks for anything: an entity that is missing stays missing when
-- its agent was told nothing. Returns how many there were; or nil and why one found no rest.
function COMMAND.rest_again(seconds)
  local n = disturbed
  disturbed = 0
  if n == 0 then
    return n
  end
  local list, message = find_rest(seconds)
  return list and n, message
end

-- watcher -> marker -> { x, y, data = }, of those that are not behind.
function COMMAND.known()
  local known = {}
  for watcher, state in pairs(heard.watchers) do
    known[watcher] = not state.is_behind and not state.list and state.markers or nil
  end
  return known
end

-- A text about one that was not notified as it stands still, or twice; nil: there is none.
function COMMAND.unheard()
  for _, id in ipairs(ids) do
    local notice = states[id].notices and states[id].notices["at rest " .. rests]
    if notice and (notice.heard < 1 or notice.heard > notice.asked) then
      return ("entity %d asked to be notified %d times, and was %d times"):format(id, notice.asked,
        notice.heard)
    end
  end
end

-- Since the last time: counts, why commands were refused, what was told wrongly; and what pulse.lua and
-- bounds.lua want to know, if we note that.
function COMMAND.news()
  local news = times and times:news() or {}
  for id, state in pairs(states) do
    if state.is_asking and state.asked_own then
      note_wait(id, state)
    end
  end
  news.counts, news.reasons, news.complaints, news.waits, news.backs =
    counts, reasons, heard.complaints, waits, backs
  for name, count in pairs(heard.counts) do
    news.counts[name], heard.counts[name] = count, 0
  end
  counts, reasons, heard.complaints =
    { commands = 0, refused = 0, entered = 0, left = 0, strangers = 0 }, {}, {}
  waits, backs = {}, {}
  return news
end

heard = sequences.new(function(body)
  refused(packet.refusal(body))
end, function(id, flags)
  local state = states[id]
  state.is_inside = false -- lost, or the node was expelled; or we have left
  state.expulsions = state.expulsions + (flags & blocks.EXPELLED ~= 0 and 1 or 0)
  if times and flags & blocks.LOST ~= 0 and is_walking then
    state.lost = { told = pulse.now(), rests = rests }
  end
  if state.rested == rests and flags & (blocks.LOST | blocks.EXPELLED) ~= 0 then
    state.rested, disturbed = nil, disturbed + 1
  end
end, function(id, text)
  local notice = states[id].notices and states[id].notices[text]
  if notice then
    notice.heard = notice.heard + 1
  end
end)

packet.register(function(_, source, text)
  counts.strangers = counts.strangers + (source == world and 0 or 1)
  heard:read(text)
end)

skynet.start(function()
  skynet.dispatch("lua", function(_, _, command, ...)
    skynet.retpack(COMMAND[command](...))
  end)
end)
