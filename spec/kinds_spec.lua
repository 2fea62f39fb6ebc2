-- Every set of kinds to gather, with every set of handlers, deferred or not: what is gathered is of the kinds
-- asked for, each handler hears what is its own, and the space can be saved and loaded at any time.

local aoi = require "aoi"

local KINDS = { "enter", "leave", "move", "area_enter", "area_leave" }
local HANDLERS = { "on_enter", "on_leave", "on_move", "on_view", "on_markers", "on_area" }

-- Watchers see 5 far. All are told at the tick where the space is deferred, which follows each call.
local HISTORY = {
  { "enter", 1, 50, 50 },
  { "enter", 2, 51, 50, events = { "1 enter 2", "2 enter 1" } },
  { "add_area", 10, { owner = 1, radius = 3, leave_radius = 4 }, events = { "10 area_enter 2" } },
  { "add_area", 11, { x = 50, y = 50, radius = 2 }, events = { "11 area_enter 1", "11 area_enter 2" } },
  { "move", 2, 53.5, 50, events = { "1 move 2", "11 area_leave 2" } },
  { "move", 2, 70, 50, events = { "1 leave 2", "2 leave 1", "10 area_leave 2" } },
  { "move", 2, 51, 51,
    events = { "1 enter 2", "2 enter 1", "10 area_enter 2", "11 area_enter 2" } },
  { "move", 1, 50, 51, events = { "2 move 1" } },
  { "enter", 3, 52, 52, { mode = "m" }, events = { "1 enter 3", "2 enter 3", "10 area_enter 3" } },
  { "leave", 1,
    events = { "1 leave 2", "2 leave 1", "1 leave 3", "10 area_leave 2", "10 area_leave 3",
      "11 area_leave 1" } },
}
local DRAINED_AFTER = { [4] = true, [10] = true }
local INTERRUPTED = 7 -- here the first handler to be called raises an error

local ENGINES = {
  { engine = "crosslist", radius = 5 },
  { engine = "grid", radius = 5, width = 100, height = 100 },
  { engine = "quadtree", radius = 5, width = 100, height = 100 },
}

-- The members of list that the bits of a number choose.
local function chosen(list, number)
  local some = {}
  for i, value in ipairs(list) do
    if number >> i - 1 & 1 == 1 then
      some[#some + 1] = value
    end
  end
  return some
end

-- The events of some calls that are of these kinds, as one text.
local function expected_text(first, last, kinds)
  local texts = {}
  for number = first, last do
    for _, text in ipairs(HISTORY[number].events or {}) do
      for _, kind in ipairs(kinds) do
        if text:find(" " .. kind .. " ", 1, true) then
          texts[#texts + 1] = text
        end
      end
    end
  end
  table.sort(texts)
  return table.concat(texts, ", ")
end

local function sorted_text(texts)
  table.sort(texts)
  return table.concat(texts, ", ")
end

local VIEW_KINDS = { "enter", "leave", "move" }
local HEARD = {
  on_enter = { "enter" }, on_leave = { "leave" }, on_move = { "move" },
  on_view = VIEW_KINDS, on_markers = VIEW_KINDS, on_area = { "area_enter", "area_leave" },
}

-- Handlers of these names that write down what they hear, each in a list of its own; after(name) is called
-- at the end of each.
local function writing(names, after)
  local heard, handlers = {}, {}
  for _, name in ipairs(names) do
    local list = {}
    local function note(watcher, op, markers, n)
      for i = 1, n do
        list[#list + 1] = ("%d %s %d"):format(watcher, op, markers[i])
      end
    end
    local write = {
      on_enter = function(watcher, marker) note(watcher, "enter", { marker }, 1) end,
      on_leave = function(watcher, marker) note(watcher, "leave", { marker }, 1) end,
      on_move = function(watcher, marker) note(watcher, "move", { marker }, 1) end,
      on_view = function(watcher, left, nl, entered, ne, moved, nm)
        note(watcher, "leave", left, nl)
        note(watcher, "enter", entered, ne)
        note(watcher, "move", moved, nm)
      end,
      on_markers = note,
      on_area = function(area, marker, op) note(area, "area_" .. op, { marker }, 1) end,
    }
    heard[name] = list
    handlers[name] = function(...)
      write[name](...)
      after()
    end
  end
  return handlers, heard
end

local function reloaded(space, handlers)
  local saved = space:save()
  local loaded = aoi.load(saved)
  assert(loaded:save() == saved, "the loaded space is saved as something else")
  space:close()
  loaded:on(handlers)
  return loaded
end

local function check_drained(space, kinds, first, last)
  local events, n = space:drain()
  local texts = {}
  for i = 1, 3 * n, 3 do
    texts[#texts + 1] = ("%d %s %d"):format(events[i], events[i + 2], events[i + 1])
  end
  assert.equal(expected_text(first, last, kinds), sorted_text(texts))
end

local function run(engine, kinds, names, deferred)
  local raises = false
  local handlers, heard = writing(names, function()
    if raises then
      raises = false
      error("interrupted", 0)
    end
  end)
  local options = { deferred = deferred, collect = #kinds > 0 and kinds or nil }
  for name, value in pairs(engine) do
    options[name] = value
  end
  local space, last_drained = aoi.new(options), 0
  space:on(handlers)
  for number, call in ipairs(HISTORY) do
    raises = number == INTERRUPTED
    local ok, message = pcall(space[call[1]], space, table.unpack(call, 2))
    space = reloaded(space, handlers)
    if deferred then
      assert(ok, message)
      ok, message = pcall(space.tick, space)
      space = reloaded(space, handlers)
    end
    assert(ok or message == "interrupted", message)
    raises = false
    space:flush()
    if DRAINED_AFTER[number] and #kinds > 0 then
      check_drained(space, kinds, last_drained + 1, number)
      last_drained = number
    end
  end
  for name, list in pairs(heard) do
    assert.equal(expected_text(1, #HISTORY, HEARD[name]), sorted_text(list), name)
  end
  space:close()
end

describe("With any set of handlers, deferred or not, a space that gathers", function()
  for number = 0, (1 << #KINDS) - 1 do
    local kinds = chosen(KINDS, number)
    local what = #kinds > 0 and table.concat(kinds, ", ") or "nothing"
    it(what .. " can be saved, and gathers nothing else", function()
      for set = 0, (1 << #HANDLERS) - 1 do
        local names = chosen(HANDLERS, set)
        run(ENGINES[(number + set) % #ENGINES + 1], kinds, names, false)
        run(ENGINES[(number + set) % #ENGINES + 1], kinds, names, true)
      end
    end)
  end
end)
