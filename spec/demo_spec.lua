-- The demo: what its scenes tell, and the replay of recorded movement.
local aoi = require "aoi"
local replay = require "examples.demo.replay"
local scenes = require "examples.demo.scenes"
local summary = require "examples.demo.summary"

local function lines(text)
  return text:gmatch "[^\n]+"
end

-- The events of one step in words.
local function told(events)
  local sentences = {}
  for i, event in ipairs(events) do
    sentences[i] = scenes.sentence(event)
  end
  return table.concat(sentences, ", ")
end

describe("the scenes of the demo", function()
  for _, engine in ipairs { "grid", "crosslist" } do
    it("tell who comes into view and who leaves it, with " .. engine, function()
      local six = scenes.play(scenes.all[1], engine)
      assert.equal("", told(six[1]))
      assert.equal("2 now sees 3, 3 now sees 2", told(six[3]))
      assert.equal("1 no longer sees 6, 3 no longer sees 6, 6 no longer sees 1, 6 no longer sees 3, " ..
        "5 now sees 6, 6 now sees 5, 2 sees 6 move, 4 sees 6 move", told(six[7]))
      assert.equal("", told(six[13]))

      local three = scenes.play(scenes.all[2], engine)
      assert.equal("1 now sees 2, 1 now sees 3, 2 now sees 1, 3 now sees 1", told(three[4]))
      assert.equal("1 no longer sees 2, 2 no longer sees 1, 2 no longer sees 3, 3 no longer sees 2",
        told(three[5]))
      assert.equal("2 now sees 3, 3 now sees 2, 1 sees 3 move", told(three[6]))
    end)
  end

  it("are told side by side, and both engines tell the same", function()
    for _, scene in ipairs(scenes.all) do
      local text = ""
      local same = scenes.tell(scene, function(...)
        text = text .. table.concat { ... }
      end)
      assert.is_true(same)
      assert.is_truthy(text:find("Both engines told the same", 1, true), text)
    end
  end)
end)

describe("the replay of the demo", function()
  it("enters at the first row, moves, and leaves after the last", function()
    local rows = assert(replay.read(lines [[
time,id,x,y
0,1,0.5,-1
0,2,1.5,-1
10,1,1,0
20,1,9,0
20,3,9,1
]]))
    assert.equal(5, rows.n)
    assert.same({ 0.5, -1, 8.5, 2 }, { rows.min_x, rows.min_y, rows.width, rows.height })
    local events = {}
    local space = aoi.new {
      engine = "crosslist", radius = 2,
      on_event = function(...) events[#events + 1] = table.concat({ ... }, " ") end,
    }
    local calls, most = replay.play(rows, space, function() end)
    assert.equal(8, calls)
    assert.equal(2, most)
    assert.equal(0, #space)
    table.sort(events)
    assert.same({
      "1 2 enter", "1 2 leave", "1 3 enter", "1 3 leave",
      "2 1 enter", "2 1 leave", "3 1 enter", "3 1 leave",
    }, events)
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
    assert.is_truthy(select(2, replay.run "no such file"):find("no such file", 1, true))
  end)
end)

describe("the summary of the demo", function()
  it("groups digits", function()
    assert.equal("0", summary.number(0))
    assert.equal("999", summary.number(999))
    assert.equal("1,000", summary.number(999.7))
    assert.equal("123,456", summary.number(123456))
    assert.equal("1,234,567", summary.number(1234567))
  end)
end)
