-- The demo: the walker's view, what its scenes tell, and the replay of movement.
local aoi = require "aoi"
local crowd = require "examples.demo.crowd"
local replay = require "examples.demo.replay"
local scenes = require "examples.demo.scenes"
local view = require "examples.demo.view"
local walk = require "examples.demo.walk"

local function lines(text)
  return text:gmatch "[^\n]+"
end

-- A function that takes what is written, and one that gives it.
local function collector()
  local texts = {}
  return function(...) texts[#texts + 1] = table.concat { ... } end,
    function() return table.concat(texts) end
end

local HIDE, SHOW = "\27[?25l", "\27[?25h"

describe("the view of the demo", function()
  it("lights up those that the watcher sees, from its events alone", function()
    local state, most = view.new_state(), 0
    walk.play(100, function(step, events, n, space)
      view.update(state, step, events, n)
      local seen = {}
      for id in pairs(state.seen) do
        seen[#seen + 1] = id
      end
      table.sort(seen)
      local markers = space:markers_of(walk.watcher)
      table.sort(markers)
      assert.same(markers, seen)
      most = math.max(most, #seen)
    end)
    assert.is_true(most > 5 and most < walk.walkers)
    assert.is_true(state.told > 50)
  end)

  it("ends where it began", function()
    local first, last
    walk.play(100, function(step, _, _, space)
      local markers = space:markers_of(walk.watcher)
      table.sort(markers)
      first, last = first or markers, step == 100 and markers
    end)
    assert.same(first, last)
  end)

  it("is drawn with the letters of those seen, and no more than a terminal holds", function()
    local state = view.new_state()
    walk.play(200, function(step, events, n)
      view.update(state, step, events, n)
      local plain, coloured = view.picture(state, step, false), view.picture(state, step, true)
      assert.is_true(#plain < 24)
      for i, line in ipairs(plain) do
        assert.is_true(#line < 80)
        assert.is_nil(line:find "[^ -~]")
        if i < 3 or i > #plain - 2 then
          assert.equal(line, (coloured[i]:gsub("\27%[[%d;]*m", "")))
        end
      end
      assert.equal(#plain, #coloured)
    end)
    local state_at_2 = view.new_state()
    view.update(state_at_2, 0, { { "enter", 1 }, { "enter", 2 } }, 2)
    view.update(state_at_2, 1, { { "leave", 1 } }, 1)
    local picture = view.picture(state_at_2, 2, false)
    local map = table.concat(picture, "\n", 3, 20)
    assert.is_truthy(map:find("|[^|\n]*B[^|\n]*|"))
    assert.is_nil(map:find("|[^|\n]*A[^|\n]*|"))
    assert.is_truthy(map:find("0.05 s  leave A", 1, true))
    assert.is_truthy(picture[22]:find("sees B ", 1, true))
  end)

  it("moves on a terminal: the pictures follow each other in place, without busy waiting", function()
    local write, written = collector()
    local waited = 0
    assert.is_nil(view.show("moving", write, function(seconds)
      waited = waited + seconds
      return true
    end))
    assert.is_true(waited > 9 and waited < 11)
    local text = written()
    assert.equal(HIDE, text:sub(1, #HIDE))
    assert.equal(SHOW .. "\n", text:sub(-#SHOW - 1))
    assert.equal(200, select(2, text:gsub("\27%[22A", "")))
    assert.is_nil(text:find("\27[2J", 1, true))
  end)

  it("gives the cursor back after an interruption and after an error", function()
    local write, written = collector()
    local pauses = 0
    assert.equal("interrupted", view.show("moving", write, function()
      pauses = pauses + 1
      return pauses < 5
    end))
    assert.equal(5, pauses)
    assert.equal(SHOW .. "\n", written():sub(-#SHOW - 1))

    write, written = collector()
    assert.has_error(function()
      view.show("moving", write, function() error("no clock", 0) end)
    end, "no clock")
    assert.equal(SHOW .. "\n", written():sub(-#SHOW - 1))
  end)

  it("is a few pictures at once elsewhere, without colours", function()
    local write, written = collector()
    assert.is_nil(view.show("plain", write, function() error "nobody looks" end))
    assert.is_nil(written():find "[^\n -~]")
    assert.equal(3, select(2, written():gsub("moves made", "")))
  end)
end)

describe("the scenes of the demo", function()
  for _, engine in ipairs(scenes.engines) do
    it("tell who comes into view and who leaves it, with " .. engine.engine, function()
      for _, scene in ipairs(scenes.all) do
        local told = scenes.play(scene, engine)
        assert.equal(#scene.steps, #told)
        for i, step in ipairs(scene.steps) do
          assert.same(step.expected or {}, told[i])
        end
      end
    end)
  end

  it("are told with what each engine says", function()
    for _, scene in ipairs(scenes.all) do
      local write, written = collector()
      assert.is_true(scenes.tell(scene, write))
      assert.is_truthy(written():find("All engines told these %d+ events, as expected"))
      assert.is_nil(written():find "MISSING" or written():find "WRONG")
    end
  end)

  it("show an event that is missing, and one too many", function()
    local scene = {
      title = "A scene", radius = 2,
      steps = { { "enter", 1, 1, 1 }, { "enter", 2, 2, 2, expected = { "1 now sees 2", "1 now sees 3" } } },
    }
    local write, written = collector()
    assert.is_false(scenes.tell(scene, write))
    local text = written()
    assert.is_truthy(text:find "1 now sees 2 +told +told +told\n")
    assert.is_truthy(text:find "1 now sees 3 +MISSING +MISSING +MISSING\n")
    assert.is_truthy(text:find "2 now sees 1 +WRONG +WRONG +WRONG\n")
    assert.is_truthy(text:find "Not all engines told what is expected")
  end)
end)

describe("the replay of the demo", function()
  local five_rows = [[
time,id,x,y
0,1,0.5,-1
0,2,1.5,-1
10,1,1,0
20,1,9,0
20,3,9,1
]]

  it("enters at the first row, moves, and leaves after the last", function()
    local rows = assert(replay.read(lines(five_rows)))
    assert.equal(5, rows.n)
    assert.same({ 0.5, -1, 8.5, 2 }, { rows.min_x, rows.min_y, rows.width, rows.height })
    local events = {}
    local space = aoi.new {
      engine = "crosslist", radius = 2,
      on_event = function(...) events[#events + 1] = table.concat({ ... }, " ") end,
    }
    local calls, most, bytes = replay.play(rows, space)
    assert.equal(8, calls)
    assert.equal(2, most)
    assert.is_true(bytes > 0)
    assert.equal(0, #space)
    table.sort(events)
    assert.same({
      "1 2 enter", "1 2 leave", "1 3 enter", "1 3 leave",
      "2 1 enter", "2 1 leave", "3 1 enter", "3 1 leave",
    }, events)
  end)

  it("compares the engines in one table", function()
    local write, written = collector()
    assert.is_true(replay.compare(assert(replay.read(lines(five_rows))), "five rows", 2, write))
    local text = written()
    assert.is_truthy(text:find "grid +crosslist +quadtree\n")
    assert.is_truthy(text:find "calls: enter, move, leave +8 +8 +8\n")
    assert.is_truthy(text:find "events +8 +8 +8\n")
    assert.is_truthy(text:find "  enter +4 +4 +4\n")
    for line in lines(text) do
      assert.is_true(#line < 80, line)
    end
  end)

  it("says which line is wrong", function()
    local function complaint(text)
      local rows, message = replay.read(lines(text))
      assert.is_nil(rows)
      return message
    end
    assert.is_truthy(complaint("time,id,x,y\n0,1,2,3\n0,one,2,3"):find("line 3 ", 1, true))
    assert.is_truthy(complaint("5,1,2,3\n4,1,2,3"):find("line 2: time 4 comes after 5", 1, true))
    assert.is_truthy(complaint("time,id,x,y"):find("no rows", 1, true))
    assert.is_truthy(complaint("0,1,2,3\n0,1,2,"):find("line 2 ", 1, true))
    assert.is_truthy(select(2, replay.read_file "no such file"):find("no such file", 1, true))
  end)

  it("has a crowd of its own that stays on its map", function()
    local rows = crowd.rows()
    assert.equal(rows.n, #rows.time)
    assert.is_true(rows.n > 100000)
    for i = 1, rows.n do
      if rows.x[i] < 0 or rows.x[i] > rows.width or rows.y[i] < 0 or rows.y[i] > rows.height then
        error(("row %d is outside"):format(i))
      end
    end
  end)

  it("groups digits", function()
    assert.equal("0", replay.number(0))
    assert.equal("999", replay.number(999))
    assert.equal("1,000", replay.number(999.7))
    assert.equal("123,456", replay.number(123456))
    assert.equal("1,234,567", replay.number(1234567))
  end)
end)

describe("the whole demo", function()
  it("does not wait where there is no terminal, and all is well #crowd", function()
    local first = 0
    while arg[first - 1] do
      first = first - 1
    end
    local command = ("LUA_PATH='%s' LUA_CPATH='%s' TERM=dumb '%s' examples/demo/main.lua 2>&1"):format(
      package.path, package.cpath, arg[first])
    local pipe = assert(io.popen(command))
    local text = pipe:read "a"
    assert.is_true(pipe:close(), text)
    assert.is_nil(text:find("\27", 1, true))
    assert.equal(2, select(2, text:gsub("All engines told these", "")))
    assert.is_truthy(text:find "calls: enter, move, leave +220,000 +220,000 +220,000\n")
  end)
end)
