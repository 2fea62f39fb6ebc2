-- The callbacks of the client of scenes, those of view.on: which there are, and how they are told of a view.
-- Pure Lua, without skynet.
local names = require "aoi.skynet.names"

local callbacks = {}

-- The list, in which each may be left out:
--   entered(id, x, y [, z] [, e1 ... en], data, properties)   came into view. e1 ... en: the extras, in a
--                               scene that has them; data: a string or nil; properties: a table
--   moved(id, x, y [, z] [, e1 ... en])         moved within it, or only its extras are others
--   changed(id, data, properties)               data: the new one, "" for none any more, nil: as before;
--                                               properties: those that are others now, false: removed
--   left(id)                                    is out of it, or gone
--   said(id, ...)                               one in view says something
--   notified(...)               a message to us alone, by the scene's command `notify`
--   me_moved(x, y [, z])        others have set our place
--   me_changed { data =, properties =, traits = }   others have changed these of us; false: removed
--   refused(command, message, id)   a command that was sent, and not called, was wrong. id: the entity, or
--                               area, that it was about; nil: none
--   scene_is(scene)             we are in that scene now, though we have not gone there: our entity was
--                               transferred to it, or our scene was loaded into it
--   lost(scene)                 in a world: our entity was lost with its region. We enter again where
--                               we were last, with what we had given; `left` has come for all that was seen
--   gone(scene, why)            we are no longer in that scene, and in none, though we have not left it;
--                               `left` has come for all that was seen. why: "ended", the scene has;
--                               "removed", it goes on without us; "expelled", the node of the world that we
--                               asked was drained, or stood still too long
--   view(watcher, left, entered, moved, dims, changed, details, extras)   instead of entered, moved, changed
--                               and left: flat lists; details: id -> { data, properties }; extras: id -> list
--   said_to(watchers, id, ...)  instead of said: with those of our entities that see id
--   packet(text)                beside the others: each message as it came, to be passed on
local NAMES = { "entered", "moved", "changed", "left", "said", "notified", "me_moved", "me_changed",
  "refused", "scene_is", "lost", "gone", "view", "said_to", "packet" }
local is_name = {}
for _, name in ipairs(NAMES) do
  is_name[name] = true
end

-- The complaint about a list of callbacks; nil: none. without: set of names that may not be in it, or nil.
function callbacks.problem(list, without)
  if type(list) ~= "table" then
    return ("the argument is %s, expected a table of functions"):format(
      list == nil and "nil" or "a " .. type(list))
  end
  for name, callback in pairs(list) do
    if not is_name[name] or without and without[name] then
      local known = {}
      for _, other in ipairs(NAMES) do
        known[#known + 1] = not (without and without[other]) and other or nil
      end
      return ("callback %s is unknown%s, expected %s"):format(tostring(name), names.hint(name, known),
        table.concat(known, ", "))
    elseif type(callback) ~= "function" then
      return ("callback %s is a %s, expected a function"):format(name, type(callback))
    end
  end
end

-- Whether a list has something to be told of views.
function callbacks.has_view(called)
  return (called.view or called.moved or called.entered or called.left or called.changed) and true or false
end

-- Calls with a place, extras, and what stands behind them.
local function call_with_extras(f, id, place, extras, data, properties)
  local n = #place
  table.move(extras, 1, #extras, n + 1, place)
  n = n + #extras
  place[n + 1], place[n + 2] = data, properties
  f(id, table.unpack(place, 1, properties and n + 2 or n))
end

-- The functions that tell the lists of news, by their names: f(list, callback, news), from news.at on, where
-- the next one stands that was not told yet.
local tell = {}

function tell.left(list, left, news)
  for i = news.at, #list do
    news.at = i + 1
    left(list[i])
  end
end

function tell.entered(list, entered, news)
  local details, step = news.details or {}, news.dims + 1
  for i = news.at, #list, step do
    local id, x, y = list[i], list[i + 1], list[i + 2]
    local of, extras = details[id], news.extras and news.extras[id]
    local data, properties = of and of[1], of and of[2] or {}
    news.at = i + step
    if extras then
      call_with_extras(entered, id, table.move(list, i + 1, i + news.dims, 1, {}), extras, data, properties)
    elseif step == 3 then
      entered(id, x, y, data, properties)
    else
      entered(id, x, y, list[i + 3], data, properties)
    end
  end
end

function tell.moved(list, moved, news)
  local all_extras, step = news.extras, news.dims + 1
  for i = news.at, #list, step do
    local extras = all_extras and all_extras[list[i]]
    news.at = i + step
    if extras then
      call_with_extras(moved, list[i], table.move(list, i + 1, i + news.dims, 1, {}), extras)
    elseif step == 3 then
      moved(list[i], list[i + 1], list[i + 2])
    else
      moved(list[i], list[i + 1], list[i + 2], list[i + 3])
    end
  end
end

function tell.changed(list, changed, news)
  for i = news.at, #list do
    local details = news.details[list[i]]
    news.at = i + 1
    changed(list[i], details[1], details[2] or {})
  end
end

local IN_ORDER = { "left", "entered", "moved", "changed" }

-- Tells the news of a watcher, of known.lua, by these callbacks. call(f, ...) calls f and does not raise: the
-- others are called, too, when one callback fails.
function callbacks.tell_view(called, watcher, news, call)
  if called.view then
    call(called.view, watcher, news.left or {}, news.entered or {}, news.moved or {}, news.dims,
      news.changed or {}, news.details or {}, news.extras or {})
    return
  end
  for _, name in ipairs(IN_ORDER) do
    local list, callback = news[name], called[name]
    news.at = 1
    while list and callback and news.at <= #list do -- once more behind each that failed
      call(tell[name], list, callback, news)
    end
  end
end

return callbacks
