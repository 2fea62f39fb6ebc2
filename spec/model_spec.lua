-- The brute-force model on scenes worked out by hand: what all else is compared with must itself
-- be right.

local Model = require "spec.support.model"
local model_answers = require "spec.support.model_answers"

local told, is_refused = model_answers.events, model_answers.is_refused

describe("The model", function()
  describe("with a radius", function()
    local model
    before_each(function()
      model = Model.new { engine = "crosslist", radius = 5 }
    end)

    it("follows a passer-by", function()
      assert.equal("", told(model:enter(1, 0, 0)))
      assert.equal("", told(model:enter(2, 6, 0)))
      assert.equal("enter 1>2 2>1", told(model:move(2, 5, 0)))
      assert.equal("move 1>2", told(model:move(2, 5, -5)))
      assert.equal("move 1>2", told(model:move(2, 5, -5)))
      assert.equal("leave 1>2 2>1", told(model:move(2, 5, -5.5)))
    end)

    it("takes the radius of the watcher", function()
      model:enter(1, 0, 0)
      assert.equal("enter 2>1", told(model:enter(2, 8, 0, { radius = 8 })))
      assert.equal("leave 2>1", told(model:set_radius(2, 7.5)))
      assert.equal("enter 1>2", told(model:set_radius(1, math.huge)))
    end)

    it("ends every pair of one who leaves", function()
      model:enter(1, 0, 0)
      model:enter(2, 1, 1)
      model:enter(3, 9, 0, { radius = 10 })
      assert.equal("leave 1>2 2>1 3>1", told(model:leave(1)))
    end)

    it("knows modes and layers", function()
      model:enter(1, 0, 0, { mode = "w" })
      assert.equal("enter 1>2", told(model:enter(2, 1, 1, { mode = "m" })))
      assert.equal("leave 1>2", told(model:set_layers(2, 0)))
      assert.equal("enter 1>2", told(model:set_layers(2, -1)))
      assert.equal("leave 1>2", told(model:set_mode(2, "w")))
      assert.equal("enter 2>1", told(model:set_mode(1, "m")))
      assert.equal("leave 2>1", told(model:set_sees_layers(2, 2)))
    end)

    it("updates in one change", function()
      local changes, entered = model:update(1, 0, 0)
      assert.is_true(entered)
      assert.equal("", told(changes))
      model:enter(2, 20, 0)
      changes, entered = model:update(1, 16, 0, { radius = 3 })
      assert.is_false(entered)
      assert.equal("enter 2>1", told(changes))
      assert.equal("enter 1>2; move 2>1", told((model:update(1, 17, 0))))
    end)

    it("refuses what the contract forbids", function()
      model:enter(1, 0, 0)
      assert.is_true(is_refused(model.enter, model, 1, 0, 0))
      assert.is_true(is_refused(model.move, model, 2, 0, 0))
      assert.is_true(is_refused(model.leave, model, 2))
      assert.is_true(is_refused(model.leave, model, "1"))
      assert.is_true(is_refused(model.move, model, 1, 0 / 0, 0))
      assert.is_true(is_refused(model.move, model, 1, 0, math.huge))
      assert.is_true(is_refused(model.set_radius, model, 1, -1))
      assert.is_true(is_refused(model.set_layers, model, 1, 1 << 32))
    end)
  end)

  it("cuts the corners of the square for a circle", function()
    local model = Model.new { engine = "crosslist", radius = 5, shape = "circle" }
    model:enter(1, 0, 0)
    assert.equal("enter 1>2 2>1", told(model:enter(2, 3, 4)))
    assert.equal("leave 1>2 2>1", told(model:move(2, 3.0001, 4)))
  end)

  describe("of the nine-grid", function()
    local model
    before_each(function()
      model = Model.new { engine = "grid", width = 300, height = 250, cols = 6, rows = 5 }
    end)

    it("sees into cells that touch", function()
      model:enter(1, 25, 25)
      assert.equal("enter 1>2 2>1", told(model:enter(2, 99.9, 99.9)))
      assert.equal("leave 1>2 2>1", told(model:move(2, 100, 99.9)))
    end)

    it("has a map that is closed on all four sides", function()
      model:enter(1, 300, 250)
      assert.equal("enter 1>2 2>1", told(model:enter(2, 200, 150)))
      assert.is_true(is_refused(model.enter, model, 3, -0.001, 0))
      assert.is_true(is_refused(model.enter, model, 3, 0, 250.001))
    end)
  end)

  describe("deferred", function()
    local model
    before_each(function()
      model = Model.new { engine = "crosslist", radius = 5, deferred = true }
      model:enter(1, 0, 0)
      model:enter(2, 1, 0)
    end)

    it("tells nothing before the tick, then the net change", function()
      assert.equal("", told(model:move(2, 2, 0)))
      assert.equal("enter 1>2 2>1", told(model:tick()))
      assert.equal("", told(model:tick()))
      model:enter(3, 20, 0)
      model:move(2, 9, 0)
      model:move(2, 16, 0)
      assert.equal("leave 1>2 2>1; enter 2>3 3>2", told(model:tick()))
    end)

    it("tells a move when the place differs from the last tick's", function()
      model:tick()
      model:move(2, 9, 0)
      model:move(2, 1, 0)
      model:move(1, 0, 0)
      assert.equal("", told(model:tick()))
      model:move(2, 2, 0)
      assert.equal("move 1>2", told(model:tick()))
    end)

    it("takes one who came back for one who stayed", function()
      model:tick()
      model:leave(2)
      model:enter(2, 1, 1)
      model:enter(3, 1, 1)
      model:leave(3)
      assert.equal("move 1>2", told(model:tick()))
      model:leave(2)
      assert.equal("leave 1>2 2>1", told(model:tick()))
    end)

    it("forgets everything with clear", function()
      model:tick()
      model:clear()
      model:enter(1, 0, 0)
      model:enter(2, 1, 0)
      assert.equal("enter 1>2 2>1", told(model:tick()))
    end)

    it("refuses a tick elsewhere", function()
      local other = Model.new { engine = "crosslist", radius = 5 }
      assert.is_true(is_refused(other.tick, other))
    end)
  end)

  describe("with slack", function()
    local model
    before_each(function()
      model = Model.new { engine = "crosslist", radius = 5, slack = 2 }
      model:enter(1, 0, 0)
      model:enter(2, 5, 0)
    end)

    it("lets an anchor be up to the slack away, on each axis", function()
      assert.equal("move 1>2", told(model:move(2, 7, 2)))
      assert.equal("leave 1>2 2>1", told(model:move(2, 7.001, 2)))
      assert.equal("", told(model:move(2, 5.001, 0)))
      assert.equal(5.001, (model:position(2)))
      assert.is_false(model:sees(1, 2))
      assert.equal("enter 1>2 2>1", told(model:move(2, 5, 0)))
    end)

    it("judges setters by anchors", function()
      model:move(2, 7, 0)
      assert.equal("leave 1>2", told(model:set_radius(1, 4.9)))
      assert.equal("enter 1>2", told(model:set_radius(1, 5)))
    end)

    it("lets an anchor begin where one enters", function()
      model:move(2, 7, 0)
      assert.equal("leave 1>2 2>1", told(model:leave(2)))
      assert.equal("", told(model:enter(2, 7, 0)))
    end)
  end)

  it("tells a move inside the slack with the tick", function()
    local model = Model.new { engine = "crosslist", radius = 5, slack = 2, deferred = true }
    model:enter(1, 0, 0)
    model:enter(2, 5, 0)
    model:tick()
    model:move(2, 7, 0)
    assert.equal("move 1>2", told(model:tick()))
    model:move(2, 8, 0)
    model:move(2, 7, 0)
    assert.equal("leave 1>2 2>1", told(model:tick()))
  end)

  it("counts places outside a map that clamps in the nearest border cell", function()
    local model = Model.new {
      engine = "grid", width = 100, height = 100, cols = 10, rows = 10, clamp = true,
    }
    model:enter(1, 5, 5)
    assert.equal("enter 1>2 2>1", told(model:enter(2, -1e300, 15)))
    assert.equal(-1e300, (model:position(2)))
  end)
end)
