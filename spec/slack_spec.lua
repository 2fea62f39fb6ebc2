-- Slack: visibility is judged from anchors, which follow an entity only when it is too far away.
local aoi = require "aoi"
local engines = require "spec.support.engines"
local record = require "spec.support.record"

local told, forget = record.told, record.forget

local nan = 0 / 0
local inf = math.huge

local function refuses(words, options)
  local ok, message = pcall(aoi.new, options)
  assert.is_false(ok, "expected an error with: " .. table.concat(words, " | "))
  for _, word in ipairs(words) do
    assert.is_truthy(message:lower():find(word, 1, true), word .. " is missing in: " .. message)
  end
end

describe("the option slack", function()
  it("is a number from 0 up, and finite", function()
    for _, row in ipairs(engines.exact) do
      refuses({ "slack", "-1" }, row.options { slack = -1 })
      refuses({ "slack", "nan" }, row.options { slack = nan })
      refuses({ "slack", "inf" }, row.options { slack = inf })
      refuses({ "slack", "-inf" }, row.options { slack = -inf })
      refuses({ "slack", "77", "number" }, row.options { slack = "77" })
      refuses({ "slack", "true", "number" }, row.options { slack = true })
      refuses({ "slack", "table", "number" }, row.options { slack = {} })
      for _, slack in ipairs { 0, 0.5, 3, 1e300 } do
        assert.equal(0, #row.new { slack = slack })
      end
    end
  end)

  it("is nothing for a classic nine-grid", function()
    for _, row in ipairs(engines.grids) do
      if not row.exact then
        refuses({ "slack", "needs", "radius" }, row.options { slack = 3 })
      end
    end
  end)

  it("needs no default radius where entities bring their own", function()
    local space = aoi.new { engine = "crosslist", slack = 2 }
    space:enter(1, 0, 0, { radius = 5 })
    space:enter(2, 5, 0, { radius = 5 })
    space:move(2, 7, 0)
    assert.is_true(space:sees(1, 2))
  end)
end)

for _, row in ipairs(engines.exact) do
  describe("slack in " .. row.name, function()
    local space, log

    -- A watcher at 50 that sees as far as 60; a marker on that border.
    before_each(function()
      space, log = record.space(row, { slack = 3 })
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 60, 50, { mode = "m" })
      forget(log)
    end)

    it("changes no visibility with steps inside it", function()
      space:move(2, 62, 50)
      space:move(2, 58, 52)
      assert.equal("1: move 2, 1: move 2", told(log))
      space:move(1, 47, 50)
      assert.equal("", told(log))
      assert.is_true(space:sees(1, 2))
    end)

    it("ends a hair beyond the slack, on any axis", function()
      space:move(2, 63, 53)
      assert.equal("1: move 2", told(log))
      space:move(2, 63 + 1e-9, 50)
      assert.equal("1: leave 2", told(log))
      space:update(2, 60, 50)
      assert.equal("1: enter 2", told(log))
      space:move(2, 60.5, 53.5)
      assert.equal("1: leave 2", told(log))
    end)

    it("counts from the place where an entity was when its anchor last came along", function()
      space:move(2, 64, 50)
      assert.equal("1: leave 2", told(log))
      space:move(2, 61, 50)
      assert.equal("", told(log))
      assert.is_false(space:sees(1, 2))
      space:move(2, 60, 50)
      assert.equal("1: enter 2", told(log))
      space:move(2, 63, 50)
      assert.equal("1: move 2", told(log))
    end)

    it("does not flicker at a border", function()
      space:move(2, 60.5, 50)
      space:move(1, 47.5, 50)
      for _ = 1, 10 do
        space:move(2, 61, 50)
        space:move(2, 59, 50)
      end
      assert.is_nil(record.kinds(log):find("[el][ne]"))
    end)

    it("leaves true places to position, positions and queries", function()
      space:move(2, 62, 49)
      assert.same({ 62, 49 }, { space:position(2) })
      local places = space:positions({ 2 }, 1)
      assert.same({ 62, 49 }, { places[1], places[2] })
      assert.equal("2", record.ids(space:query_rect(61, 48, 63, 50)))
      assert.equal("", record.ids(space:query_circle(60, 50, 1)))
      assert.equal("2", record.ids(space:query_nearest(62, 49, 5, 0)))
    end)

    it("lets sees, markers_of and watchers_of speak of anchors", function()
      space:move(2, 63, 50)
      assert.is_true(space:sees(1, 2))
      assert.equal("2", record.ids(space:markers_of(1)))
      assert.equal("1", record.ids(space:watchers_of(2)))
      space:move(2, 64, 50)
      space:move(2, 61, 50)
      assert.is_false(space:sees(1, 2))
      assert.equal("", record.ids(space:markers_of(1)))
      assert.equal("", record.ids(space:watchers_of(2)))
    end)

    it("keeps anchors when something else than the place is set", function()
      space:move(2, 63, 50)
      forget(log)
      space:set_layers(2, 2)
      space:set_sees_layers(1, 3)
      space:set_mode(2, "wm")
      space:set_radius(2, 20)
      space:set_radius(1, 10)
      assert.equal("", told(log))
      assert.is_true(space:sees(1, 2))
      space:set_radius(1, 9.5)
      assert.equal("1: leave 2", told(log))
    end)

    it("starts anew with an enter", function()
      space:move(2, 63, 50)
      forget(log)
      space:leave(2)
      space:enter(2, 63, 50, { mode = "m" })
      assert.equal("1: leave 2", told(log))
      space:clear()
      space:enter(1, 50, 50, { mode = "w" })
      space:enter(2, 61, 50, { mode = "m" })
      assert.equal("", told(log))
    end)

    it("is judged for every row of a batch", function()
      space:move_all { 2, 63, 50, 2, 57, 50 }
      assert.equal("1: move 2, 1: move 2", told(log))
      space:move_all { 2, 63, 50, 2, 66, 50, 2, 63, 50, 2, 60, 50 }
      assert.equal("1: enter 2, 1: leave 2, 1: move 2", told(log))
      assert.has_error(function()
        space:move_all { 2, 30, 50, 77, 0, 0 }
      end)
      assert.equal("", told(log))
      space:move(2, 63, 50)
      assert.equal("1: move 2", told(log))
      assert.has_error(function()
        space:move_all { 2, 62, 50, 77, 0, 0 }
      end)
      assert.equal(63, (space:position(2)))
    end)

    it("works on z too", function()
      local deep, deep_log = record.space(row, { slack = 3, dims = 3 })
      deep:enter(1, 50, 50, 0, { mode = "w" })
      deep:enter(2, 50, 50, 10, { mode = "m" })
      forget(deep_log)
      deep:move(2, 50, 50, 13)
      assert.equal("1: move 2", told(deep_log))
      deep:move(2, 50, 50, 13.5)
      assert.equal("1: leave 2", told(deep_log))
    end)

    it("goes with deferred: a step inside it is a move of the next tick", function()
      local slow, slow_log = record.space(row, { slack = 3, deferred = true })
      slow:enter(1, 50, 50, { mode = "w" })
      slow:enter(2, 60, 50, { mode = "m" })
      slow:tick()
      assert.equal("1: enter 2", told(slow_log))
      slow:move(2, 62, 50)
      slow:tick()
      assert.equal("1: move 2", told(slow_log))
      slow:move(2, 64, 50)
      slow:move(2, 62, 50)
      slow:tick()
      assert.equal("1: leave 2", told(slow_log))
    end)
  end)
end

for _, row in ipairs(engines.mapped) do
  if row.exact then
    describe("slack in " .. row.name, function()
      it("leaves the map to true places", function()
        local space, log = record.space(row, { slack = 30 })
        space:enter(1, 50, 50)
        space:enter(2, 60, 50)
        forget(log)
        assert.has_error(function()
          space:move(2, 60, 100.5)
        end)
        space:move(1, 80, 50)
        space:move(2, 90, 50)
        assert.equal("1: move 2, 2: move 1", told(log))
        assert.has_error(function()
          space:set_bounds(0, 0, 85, 100)
        end)
        -- Both anchors are outside of this one.
        space:set_bounds(70, 0, 30, 100)
        assert.is_true(space:sees(1, 2))
        space:move(2, 75, 50)
        assert.equal("1: move 2", told(log))
        space:move(2, 90.5, 50)
        assert.equal("1: leave 2, 2: leave 1", told(log))
      end)
    end)
  end
end
