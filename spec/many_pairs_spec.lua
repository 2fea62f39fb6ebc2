-- Ticks in which so many pairs change that they are counted and not listed: a crowd around one point. The
-- events follow from the places: each pair is told once, in one group for each subject.

local aoi = require "aoi"

local CROWD, RADIUS = 40, 10

local function new_options()
  return { engine = "crosslist", radius = RADIUS, shape = "square", deferred = true }
end

-- An event as a text.
local function event(watcher, op, marker)
  return ("%d %s %d"):format(watcher, op, marker)
end

-- Handlers of each way to listen, which write events to heard.told and subjects of groups to heard.groups.
local function listeners(heard)
  local function note(watcher, op, marker)
    table.insert(heard.told, event(watcher, op, marker))
  end
  local function note_group(...)
    table.insert(heard.groups, table.concat({ ... }, " "))
  end
  local on_watchers = function(marker, op, watchers, n)
    note_group("watchers of", marker, op)
    for i = 1, n do
      note(watchers[i], op, marker)
    end
  end
  local on_markers = function(watcher, op, markers, n)
    note_group("markers of", watcher, op)
    for i = 1, n do
      note(watcher, op, markers[i])
    end
  end
  local on_view = function(watcher, left, left_n, entered, entered_n, moved, moved_n)
    note_group("view of", watcher)
    local parts = { { "leave", left, left_n }, { "enter", entered, entered_n }, { "move", moved, moved_n } }
    for _, part in ipairs(parts) do
      for i = 1, part[3] do
        note(watcher, part[1], part[2][i])
      end
    end
  end
  return {
    ["by on_event"] = { on_event = function(watcher, marker, op)
      note(watcher, op, marker)
    end },
    ["by on_watchers"] = { on_watchers = on_watchers },
    ["by on_markers"] = { on_markers = on_markers },
    ["by on_view"] = { on_view = on_view },
  }
end

-- The events of a tick, from what was seen before and is seen now, and from who has moved.
local function expected(before, now, has_moved)
  local list = {}
  for pair, ids in pairs(now) do
    if not before[pair] then
      table.insert(list, event(ids[1], "enter", ids[2]))
    elseif has_moved[ids[2]] then
      table.insert(list, event(ids[1], "move", ids[2]))
    end
  end
  for pair, ids in pairs(before) do
    if not now[pair] then
      table.insert(list, event(ids[1], "leave", ids[2]))
    end
  end
  table.sort(list)
  return list
end

local function check_groups(groups)
  local seen = {}
  for _, group in ipairs(groups) do
    assert.is_nil(seen[group], group)
    seen[group] = true
  end
end

for way in pairs(listeners {}) do
  describe("Many pairs of a tick, told " .. way .. ",", function()
    local space, heard, places, hidden, before

    -- The pairs that see each other, by the places alone.
    local function views()
      local list = {}
      for watcher, at in pairs(places) do
        for marker, its in pairs(places) do
          local is_near = math.max(math.abs(at[1] - its[1]), math.abs(at[2] - its[2])) <= RADIUS
          if watcher ~= marker and is_near and not hidden[watcher .. " " .. marker] then
            list[watcher .. " " .. marker] = { watcher, marker }
          end
        end
      end
      return list
    end

    local function tick(has_moved)
      heard.told, heard.groups = {}, {}
      space:tick()
      local now = views()
      table.sort(heard.told)
      assert.same(expected(before, now, has_moved or {}), heard.told)
      check_groups(heard.groups)
      before = now
      return #heard.told
    end

    local function enter(id, x, y)
      places[id] = { x, y }
      space:enter(id, x, y)
    end

    -- All of these ids take a step.
    local function move(first, last, by)
      local has_moved = {}
      for id = first, last do
        local at = places[id]
        at[1], has_moved[id] = at[1] + by, true
        space:move(id, at[1], at[2])
      end
      return has_moved
    end

    before_each(function()
      heard, places, hidden, before = { told = {}, groups = {} }, {}, {}, {}
      local options = new_options()
      for name, handler in pairs(listeners(heard)[way]) do
        options[name] = handler
      end
      space = aoi.new(options)
      for id = 1, CROWD do
        enter(id, id * 0.3, id % 7 * 0.5)
      end
    end)

    after_each(function()
      space:close()
    end)

    it("are those of all who enter", function()
      assert.is_true(tick() > CROWD * 20)
    end)

    it("are moves of who has moved, and of nobody else", function()
      tick()
      assert.is_true(tick(move(1, 30, 0.25)) > CROWD * 10)
    end)

    it("are those of who comes and goes by a step, too", function()
      tick()
      assert.is_true(tick(move(1, CROWD // 2, -2.25)) > CROWD * 10)
    end)

    it("leave out a pair about which the game has said never", function()
      tick()
      space:set_sight(3, 4, false)
      hidden["3 4"] = true
      tick(move(1, CROWD, 0.25))
      space:set_sight(5, 6, false)
      hidden["5 6"] = true
      assert.is_true(tick(move(1, CROWD, 0.25)) > CROWD * 20)
    end)

    it("go on among those who are handed in together", function()
      tick()
      local other = aoi.new(new_options())
      for id = 101, 130 do
        other:enter(id, 6, 1)
      end
      other:tick()
      for id = 101, 130 do
        places[id] = { 6, 1 }
        space:hand_in(other:hand_out(id))
        for another = 101, 130 do
          before[id .. " " .. another] = id ~= another and { id, another } or nil
        end
      end
      assert.is_true(tick() > CROWD * 20)
    end)
  end)
end
