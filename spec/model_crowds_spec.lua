-- The crowds of the brute-force model on scenes worked out by hand, each rule of the contract once.

local Model = require "spec.support.model"
local model_answers = require "spec.support.model_answers"

local events, ids, is_refused = model_answers.events, model_answers.ids, model_answers.is_refused

-- A space without borders in which everybody sees 100 far, unless the options say else.
local function new_model(options)
  local all = { engine = "crosslist", radius = 100, deferred = true }
  for name, value in pairs(options or {}) do
    all[name] = value
  end
  return Model.new(all)
end

-- The like with watcher 1, who is no marker, at the origin, and markers 2, 3 ... on the x axis.
local function new_scene(options, ...)
  local model = new_model(options)
  model:enter(1, 0, 0, { mode = "w" })
  for index, x in ipairs { ... } do
    model:enter(index + 1, x, 0, { mode = "m" })
  end
  return model
end

local function told(model, id)
  return ids(model:told_markers_of(id))
end

local function explained(model, w, m)
  local reason, rank = model:explain(w, m)
  return rank and reason .. " " .. rank or reason
end

describe("A crowd of the model", function()
  describe("with a limit", function()
    it("tells of the nearest", function()
      local model = new_scene({ limit = 2 }, 3, 1, 2)
      assert.equal("enter 1>3 1>4", events(model:tick()))
      assert.equal("3 4", told(model, 1))
      model:move(2, 0.5, 0)
      assert.equal("leave 1>4; enter 1>2", events(model:tick()))
    end)

    it("says nothing of those beyond it", function()
      local model = new_scene({ limit = 1 }, 1, 2)
      model:tick()
      model:move(3, 3, 0)
      assert.equal("", events(model:tick()))
      model:leave(3)
      assert.equal("", events(model:tick()))
      model:leave(2)
      assert.equal("leave 1>2", events(model:tick()))
    end)

    it("fills the place of one who is gone", function()
      local model = new_scene({ limit = 1 }, 1, 2)
      model:tick()
      model:leave(2)
      assert.equal("leave 1>2; enter 1>3", events(model:tick()))
    end)

    it("tells nothing at 0, everything at infinity", function()
      local model = new_scene({ limit = 0 }, 1, 2)
      assert.equal("", events(model:tick()))
      model:set_limit(1, math.huge)
      assert.equal("enter 1>2 1>3", events(model:tick()))
      model:set_limit(1, 0)
      assert.equal("leave 1>2 1>3", events(model:tick()))
    end)

    it("takes the watcher's own", function()
      local model = new_scene({ limit = 1 }, 1, 2, 3)
      model:enter(9, 0, 0, { mode = "w", limit = 2.0 })
      assert.equal("enter 1>2 9>2 9>3", events(model:tick()))
      model:update(1, 0, 0, { limit = 3 })
      model:update(9, 0, 0)
      assert.equal("enter 1>3 1>4", events(model:tick()))
      model:set_limit(1, 1)
      assert.equal("leave 1>3 1>4", events(model:tick()))
    end)

    it("lets the smallest id go first where all else is equal", function()
      local model = new_scene({ limit = 2 }, 5, -5, 5)
      assert.equal("enter 1>2 1>3", events(model:tick()))
    end)

    it("does not count other layers", function()
      local model = new_scene({ limit = 1, limit_layers = 2 }, 1, 2)
      model:enter(4, 5, 0, { mode = "m", layers = 2 })
      model:enter(5, 4, 0, { mode = "m", layers = 3 })
      assert.equal("enter 1>2 1>3 1>5", events(model:tick()))
      model:set_layers(2, 6)
      assert.equal("leave 1>5", events(model:tick()))
    end)
  end)

  describe("with keep_factor", function()
    it("swaps over its ratio only, and back over the opposite one", function()
      local model = new_scene({ limit = 1, keep_factor = 2 }, 8)
      model:tick()
      model:enter(3, 4, 0, { mode = "m" })
      assert.equal("", events(model:tick())) -- 16 * 4 is 64: told ones go first
      model:move(3, 3.75, 0)
      assert.equal("leave 1>2; enter 1>3", events(model:tick()))
      model:move(2, 1.875, 0)
      assert.equal("", events(model:tick()))
      model:move(2, 1.75, 0)
      assert.equal("leave 1>3; enter 1>2", events(model:tick()))
    end)

    it("prefers the one who is told at 1, whatever the ids", function()
      local model = new_scene({ limit = 1, keep_factor = 1 }, 6, 5)
      assert.equal("enter 1>3", events(model:tick()))
      model:move(2, 5, 0)
      assert.equal("", events(model:tick()))
      model:move(2, 4.75, 0)
      assert.equal("leave 1>3; enter 1>2", events(model:tick()))
    end)

    it("is 1.2 if not said", function()
      local model = new_scene({ limit = 1 }, 12)
      model:tick()
      model:enter(3, 10.01, 0, { mode = "m" })
      assert.equal("", events(model:tick()))
      model:move(3, 9.99, 0)
      assert.equal("leave 1>2; enter 1>3", events(model:tick()))
    end)
  end)

  it("lets importance go before distance and before who is told", function()
    local model = new_scene({ limit = 1, keep_factor = 1000 }, 1, 90)
    model:tick()
    model:set_importance(3, 1)
    assert.equal("leave 1>2; enter 1>3", events(model:tick()))
    model:update(2, 1, 0, { importance = 255 })
    assert.equal("leave 1>3; enter 1>2", events(model:tick()))
    model:enter(4, 90, 0, { mode = "m", importance = 255.0 })
    assert.equal("", events(model:tick()))
    model:set_importance(2, 254)
    assert.equal("leave 1>2; enter 1>4", events(model:tick()))
  end)

  describe("with an enter_budget", function()
    it("lets in so many at a tick, the first first", function()
      local model = new_scene({ enter_budget = 2 }, 3, 1, 4, 2)
      assert.equal("enter 1>3 1>5", events(model:tick()))
      assert.equal("enter 1>2 1>4", events(model:tick()))
      assert.equal("", events(model:tick()))
    end)

    it("does not count who is free", function()
      local model = new_scene({ enter_budget = 1, limit_layers = 1 }, 1, 2)
      model:enter(4, 3, 0, { mode = "m", layers = 2 })
      model:pin(1, 3)
      assert.equal("enter 1>2 1>3 1>4", events(model:tick()))
    end)

    it("keeps as many who were told as there is room for", function()
      local model = new_scene({ enter_budget = 1, limit = 2 }, 10, 20)
      model:tick()
      assert.equal("enter 1>3", events(model:tick()))
      model:enter(4, 2, 0, { mode = "m" })
      model:enter(5, 1, 0, { mode = "m" })
      assert.equal("leave 1>3; enter 1>5", events(model:tick()))
      assert.equal("leave 1>2; enter 1>4", events(model:tick()))
    end)

    it("withholds no leave", function()
      local model = new_scene({ enter_budget = 1 }, 1, 2, 3)
      for _ = 1, 3 do
        model:tick()
      end
      model:set_limit(1, 1)
      assert.equal("leave 1>3 1>4", events(model:tick()))
      model:leave(1)
      assert.equal("leave 1>2", events(model:tick()))
    end)
  end)

  describe("with rates", function()
    it("tells steps in each ring as often as it says, borders included", function()
      local model = new_scene({ rates = { { 2, 1 }, { 5, 3 }, { math.huge, 5 } } }, 2, 5, 5.5)
      assert.equal("enter 1>2 1>3 1>4", events(model:tick()))
      local heard = {}
      for tick = 2, 7 do
        model:move(2, tick % 2 == 0 and 2 or -2, 0)
        model:move(3, tick % 2 == 0 and 3 or 4, tick % 2 == 0 and 4 or 3)
        model:move(4, 6, tick)
        heard[#heard + 1] = events(model:tick())
      end
      assert.same({
        "", "move 1>2", "move 1>2 1>3", "move 1>2", "move 1>2 1>4", "move 1>2 1>3",
      }, heard) -- at tick 2 marker 2 was moved to where it was
    end)

    it("makes it earlier in a nearer ring, but not later in a farther one", function()
      local model = new_scene({ rates = { { 2, 1 }, { math.huge, 4 } } }, 10)
      model:tick() -- 1
      model:move(2, 11, 0)
      assert.equal("", events(model:tick()))
      model:move(2, 1, 0)
      assert.equal("move 1>2", events(model:tick())) -- 3
      model:move(2, 10, 0)
      assert.equal("move 1>2", events(model:tick()))
      model:move(2, 11, 0)
      for tick = 5, 7 do
        assert.equal("", events(model:tick()), tick)
      end
      assert.equal("move 1>2", events(model:tick())) -- 8
    end)

    it("makes it earlier also without a step of the marker, and for good", function()
      local model = new_scene({ rates = { { 2, 1 }, { math.huge, 9 } } }, 10)
      model:tick() -- 1
      model:move(1, 10, 0)
      assert.equal("", events(model:tick()))
      model:move(1, 0, 0)
      assert.equal("", events(model:tick()))
      model:move(2, 11, 0)
      assert.equal("move 1>2", events(model:tick())) -- 4: due since 2
      model:move(2, 12, 0)
      for tick = 5, 12 do
        assert.equal("", events(model:tick()), tick)
      end
      assert.equal("move 1>2", events(model:tick())) -- 13
    end)

    it("tells of a step whose way back was a tick later", function()
      local model = new_scene({ rates = { { math.huge, 3 } } }, 10)
      model:tick() -- 1
      model:move(2, 11, 0)
      model:tick()
      model:move(2, 10, 0)
      model:tick()
      assert.equal("move 1>2", events(model:tick())) -- 4
      model:move(2, 11, 0)
      model:move(2, 10, 0)
      for tick = 5, 9 do
        assert.equal("", events(model:tick()), tick)
      end
      model:move(2, 11, 0)
      assert.equal("move 1>2", events(model:tick())) -- 10, long due
    end)

    it("never tells of a step in a ring of math.huge", function()
      local model = new_scene({ rates = { { 5, 1 }, { math.huge, math.huge } } }, 10)
      model:tick()
      model:move(2, 11, 0)
      assert.equal("", events(model:tick(2 ^ 40)))
      model:move(2, 5, 0)
      assert.equal("move 1>2", events(model:tick()))
    end)
  end)

  it("with a budget takes those due more than 2^30 ticks ago for equally old", function()
    for late, first in pairs { [2 ^ 30 + 3] = "move 1>3", [2 ^ 30 + 4] = "move 1>2" } do
      local model = new_scene({ move_budget = 1 }, 1, 2)
      model:tick()
      model:move(2, 1, 1)
      model:tick()
      model:move(2, 1, 2)
      model:move(3, 2, 2)
      assert.equal(first, events(model:tick(late)))
    end
  end)

  it("with a budget tells first who is longest due, then the smallest id", function()
    local model = new_scene({ move_budget = 1 }, 1, 2, 3)
    model:tick()
    local heard = {}
    for tick = 2, 6 do
      for marker = 2, 4 do
        model:move(marker, marker, tick)
      end
      heard[#heard + 1] = events(model:tick())
    end
    assert.same({ "move 1>2", "move 1>3", "move 1>4", "move 1>2", "move 1>3" }, heard)
    assert.equal("move 1>4", events(model:tick())) -- due since 5
    assert.equal("move 1>2", events(model:tick())) -- due since 6
    assert.equal("", events(model:tick()))
    assert.equal("", events(model:tick()))
  end)

  it("does not count enters and leaves in the budget of moves", function()
    local model = new_scene({ move_budget = 1 }, 1, 2)
    assert.equal("enter 1>2 1>3", events(model:tick()))
    model:move(2, 1, 1)
    model:leave(3)
    model:enter(4, 5, 0, { mode = "m" })
    assert.equal("leave 1>3; enter 1>4; move 1>2", events(model:tick()))
  end)

  describe("told of one who left and came back within a tick", function()
    it("keeps the pair with its times", function()
      local model = new_scene({ rates = { { math.huge, 3 } } }, 10)
      model:tick()
      model:leave(2)
      model:enter(2, 11, 0, { mode = "m" })
      assert.equal("", events(model:tick()))
      model:leave(1)
      model:enter(1, 0, 0, { mode = "w" })
      assert.equal("", events(model:tick()))
      assert.equal("move 1>2", events(model:tick())) -- 4
    end)

    it("takes the traits of the new enter", function()
      local model = new_scene({ limit = 2 }, 1, 2, 3)
      model:set_limit(1, 1)
      model:set_importance(4, 9)
      model:tick()
      assert.equal("4", told(model, 1))
      model:leave(4)
      model:enter(4, 3, 0, { mode = "m" })
      assert.equal("leave 1>4; enter 1>2", events(model:tick()))
      model:leave(1)
      model:enter(1, 0, 0, { mode = "w" })
      assert.equal("enter 1>3", events(model:tick()))
    end)

    it("begins anew a tick later", function()
      local model = new_scene({ rates = { { math.huge, 3 } } }, 10)
      model:tick()
      model:move(2, 11, 0)
      model:tick()
      model:leave(2)
      assert.equal("leave 1>2", events(model:tick()))
      model:enter(2, 10, 0, { mode = "m" })
      assert.equal("enter 1>2", events(model:tick())) -- 4
      for tick = 5, 8 do
        assert.equal("", events(model:tick()), tick)
      end
    end)
  end)

  describe("touched", function()
    it("tells a move, once", function()
      local model = new_scene({ limit = 1 }, 1, 2)
      model:tick()
      model:touch(2)
      model:touch(3)
      assert.equal("move 1>2", events(model:tick()))
      assert.equal("", events(model:tick()))
    end)

    it("waits for its time as any step", function()
      local model = new_scene({ rates = { { math.huge, 3 } } }, 1)
      model:tick()
      model:touch(2)
      assert.equal("", events(model:tick()))
      assert.equal("", events(model:tick()))
      assert.equal("move 1>2", events(model:tick())) -- 4
    end)

    it("stays so when it leaves and comes back, and adds nothing to an enter", function()
      local model = new_scene({ limit = 9 }, 1)
      model:touch(2)
      assert.equal("enter 1>2", events(model:tick()))
      assert.equal("", events(model:tick()))
      model:touch(2)
      model:leave(2)
      model:enter(2, 1, 0, { mode = "m" })
      assert.equal("move 1>2", events(model:tick()))
    end)
  end)

  describe("with pins", function()
    it("tells of these while they are seen, whatever the limit", function()
      local model = new_scene({ limit = 1 }, 1, 2, 3)
      model:pin(1, 4)
      model:pin(1, 4)
      assert.equal("enter 1>2 1>4", events(model:tick()))
      model:move(4, 101, 0)
      assert.equal("leave 1>4", events(model:tick()))
      model:move(4, 99, 0)
      assert.equal("enter 1>4", events(model:tick()))
      model:unpin(1, 4)
      model:unpin(1, 4)
      assert.equal("leave 1>4", events(model:tick()))
    end)

    it("holds them for whoever has the id, also later", function()
      local model = new_scene({ limit = 0 })
      model:pin(1, 7)
      model:pin(1, 1)
      assert.equal("", events(model:tick()))
      for _ = 1, 2 do
        model:enter(7, 1, 0)
        assert.equal("enter 1>7", events(model:tick()))
        model:leave(7)
        assert.equal("leave 1>7", events(model:tick()))
      end
    end)

    it("ends them when the watcher leaves, even if it comes back", function()
      local model = new_scene({ limit = 0 }, 1)
      model:pin(1, 2)
      model:tick()
      model:leave(1)
      model:enter(1, 0, 0, { mode = "w" })
      assert.equal("leave 1>2", events(model:tick()))
    end)

    it("counts one who is not pinned any more as told", function()
      local model = new_scene({ limit = 1, keep_factor = 2 }, 8, 4)
      model:pin(1, 2)
      assert.equal("enter 1>2 1>3", events(model:tick()))
      model:unpin(1, 2)
      assert.equal("leave 1>2", events(model:tick())) -- 3 is told and nearer
      model:pin(1, 2)
      model:leave(3)
      model:tick()
      model:unpin(1, 2)
      model:enter(3, 4, 0, { mode = "m" })
      assert.equal("", events(model:tick())) -- now 3 is the newcomer
    end)
  end)

  describe("asked who was told", function()
    it("speaks of the last tick", function()
      local model = new_scene({ limit = 2 }, 1, 2)
      assert.equal("", told(model, 1))
      model:tick()
      model:enter(4, 0, 0)
      model:leave(3)
      assert.equal("2 3", told(model, 1))
      assert.equal("", told(model, 4))
      assert.equal("1", ids(model:told_watchers_of(2)))
      assert.equal("", ids(model:told_watchers_of(4)))
      assert.is_true(is_refused(model.told_watchers_of, model, 3))
      model:leave(1)
      assert.is_true(is_refused(model.told_markers_of, model, 1))
      assert.equal("", ids(model:told_watchers_of(2)))
      model:enter(1, 0, 0)
      assert.equal("2 3", told(model, 1))
      assert.equal("1", ids(model:told_watchers_of(2)))
    end)

    it("answers without a crowd, too", function()
      local model = new_scene(nil, 1, 2)
      assert.equal("", told(model, 1))
      model:tick()
      model:leave(3)
      model:enter(4, 3, 0)
      assert.equal("2 3", told(model, 1))
      assert.equal("1", ids(model:told_watchers_of(2)))
      assert.equal("", ids(model:told_watchers_of(4)))
      local at_once = new_scene({ deferred = false }, 1, 2)
      assert.equal("2 3", told(at_once, 1))
      assert.equal("1", ids(at_once:told_watchers_of(3)))
      assert.is_true(is_refused(at_once.told_markers_of, at_once, 9))
      assert.is_true(is_refused(at_once.told_watchers_of, at_once, 9))
    end)
  end)

  describe("asked why", function()
    it("names the first reason", function()
      local model = new_scene({ limit = 1 }, 101)
      model:enter(3, 101, 0, { mode = "w", layers = 2 })
      model:enter(4, 101, 0, { layers = 2, sees_layers = 2 })
      assert.equal("unknown", explained(model, 1, 9))
      assert.equal("unknown", explained(model, 9, 9))
      assert.equal("self", explained(model, 2, 2))
      assert.equal("mode", explained(model, 4, 3))
      assert.equal("mode", explained(model, 2, 4))
      assert.equal("layer", explained(model, 4, 2))
      assert.equal("range", explained(model, 1, 4))
      assert.is_true(is_refused(model.explain, model, 1, "2"))
      assert.is_true(is_refused(model.explain, model, 1.5, 2))
    end)

    it("says where the limit ends", function()
      local model = new_scene({ limit = 2, keep_factor = 2 }, 5, 6, 7, 8)
      assert.equal("waits", explained(model, 1, 3))
      assert.equal("limit 3", explained(model, 1, 4))
      model:tick()
      assert.equal("told", explained(model, 1, 2))
      assert.equal("limit 4", explained(model, 1, 5))
      model:move(4, 3.0, 0) -- 3 * 2 is 6: after 3, who is told and as near
      assert.equal("limit 3", explained(model, 1, 4))
      model:move(4, 2.75, 0)
      assert.equal("waits", explained(model, 1, 4))
      assert.equal("told", explained(model, 1, 3)) -- as of the last tick
      model:pin(1, 5)
      assert.equal("waits", explained(model, 1, 5))
      model:set_limit(1, 0)
      assert.equal("limit 2", explained(model, 1, 4))
    end)

    it("says that one waits for its turn", function()
      local model = new_scene({ enter_budget = 1 }, 5, 6, 7)
      model:tick()
      assert.equal("waits", explained(model, 1, 4))
    end)

    it("says of one who is not seen any more why, though it is told", function()
      local model = new_scene({ limit = 1 }, 5)
      model:tick()
      model:move(2, 101, 0)
      assert.equal("range", explained(model, 1, 2))
      model:set_mode(2, "w")
      assert.equal("mode", explained(model, 1, 2))
      assert.equal("2", told(model, 1))
    end)

    it("has no more to say without a crowd", function()
      assert.equal("sees", explained(new_scene(nil, 1), 1, 2))
      assert.equal("sees", explained(new_scene({ deferred = false }, 1), 1, 2))
    end)
  end)

  it("judges distances of anchors", function()
    local model = new_scene({ limit = 1, keep_factor = 1, slack = 3 }, 5, 6)
    model:tick()
    model:move(3, 4, 0)
    model:move(2, 8, 0)
    assert.equal("move 1>2", events(model:tick()))
    model:move(3, 2.5, 0)
    assert.equal("leave 1>2; enter 1>3", events(model:tick()))
  end)

  it("judges distances of places in a nine-grid", function()
    local model = Model.new {
      engine = "grid", width = 100, height = 100, cols = 2, rows = 2, deferred = true, limit = 1,
    }
    model:enter(1, 49, 49, { mode = "w" })
    model:enter(2, 1, 49, { mode = "m" })
    model:enter(3, 51, 51, { mode = "m" })
    assert.equal("enter 1>3", events(model:tick()))
  end)

  it("judges distances of all three dimensions", function()
    local model = new_model { dims = 3, limit = 1 }
    model:enter(1, 0, 0, 0, { mode = "w" })
    model:enter(2, 1, 1, 9, { mode = "m" })
    model:enter(3, 5, 5, 0, { mode = "m" })
    assert.equal("enter 1>3", events(model:tick()))
  end)

  it("sees and is seen as without a limit", function()
    local model = new_scene({ limit = 0 }, 1, 2)
    assert.equal("2 3", ids(model:markers_of(1)))
    assert.equal("1", ids(model:watchers_of(2)))
    assert.is_true(model:sees(1, 2))
  end)

  it("forgets everything with clear, but counts on", function()
    local model = new_scene({ limit = 0 }, 1)
    model:pin(1, 2)
    model:tick()
    model:touch(2)
    model:clear()
    model:enter(1, 0, 0)
    model:enter(2, 1, 0)
    assert.equal("", told(model, 1))
    assert.equal("", events(model:tick()))
    assert.equal(2, model.crowd.tick)
  end)

  it("leaves a batch that is refused without a trace", function()
    local model = new_scene({ limit = 0 }, 1)
    model:pin(1, 2)
    model:tick()
    assert.is_true(is_refused(model.leave_all, model, { 1, 9 }))
    model:touch(2)
    assert.equal("move 1>2", events(model:tick()))
    model:leave_all { 1, 2 }
    model:update_all({ 1, 0, 0, 2, 1, 0 }, { limit = 1, importance = 3 })
    assert.equal("enter 2>1", events(model:tick()))
  end)
end)

describe("The model refuses", function()
  local function is_no_space(options)
    return is_refused(new_model, options)
  end

  it("options of crowds elsewhere", function()
    for name, value in pairs {
      limit = 1, enter_budget = 1, move_budget = 1, rates = { { math.huge, 1 } }, keep_factor = 2,
      limit_layers = 1,
    } do
      assert.is_true(is_no_space { deferred = false, [name] = value }, name)
    end
    assert.is_true(is_no_space { keep_factor = 2 })
    assert.is_true(is_no_space { limit_layers = 1 })
    assert.is_false(is_no_space { keep_factor = 2, limit_layers = 1, move_budget = 1 })
  end)

  it("values out of range", function()
    for _, limit in ipairs { -1, 1.5, 2 ^ 31, -math.huge, 0 / 0, "1" } do
      assert.is_true(is_no_space { limit = limit }, tostring(limit))
    end
    for _, limit in ipairs { 0, 1.0, 2 ^ 31 - 1, math.huge } do
      assert.is_false(is_no_space { limit = limit }, tostring(limit))
    end
    for _, name in ipairs { "enter_budget", "move_budget" } do
      for _, bad in ipairs { 0, -1, 1.5, 2 ^ 31, math.huge, "1" } do
        assert.is_true(is_no_space { [name] = bad }, name .. tostring(bad))
      end
      assert.is_false(is_no_space { [name] = 1.0 })
      assert.is_false(is_no_space { [name] = 2 ^ 31 - 1 })
    end
    for _, keep in ipairs { 0.999, 1001, 0 / 0, math.huge, "2" } do
      assert.is_true(is_no_space { limit = 1, keep_factor = keep }, tostring(keep))
    end
    assert.is_false(is_no_space { limit = 1, keep_factor = 1 })
    assert.is_false(is_no_space { limit = 1, keep_factor = 1000 })
    for _, bits in ipairs { -2, 2 ^ 32, 1.5 } do
      assert.is_true(is_no_space { limit = 1, limit_layers = bits })
    end
  end)

  it("rings in disorder", function()
    for index, rates in ipairs {
      {}, 5, { 5 }, { { math.huge } }, { { 5, 1 } }, { { math.huge, 0 } }, { { math.huge, 1.5 } },
      { { -1, 1 }, { math.huge, 1 } }, { { 0 / 0, 1 }, { math.huge, 1 } },
      { { 5, 1 }, { 5, 2 }, { math.huge, 3 } }, { { 6, 1 }, { 5, 2 }, { math.huge, 3 } },
      { { 5, 2 }, { math.huge, 1 } }, { { math.huge, 1 }, { math.huge, 2 } },
      { { math.huge, 2 ^ 29 + 1 } }, { { 5, math.huge }, { math.huge, 1 } },
    } do
      assert.is_true(is_no_space { rates = rates }, index)
    end
    assert.is_false(is_no_space { rates = { { 0, 1 }, { 5, 1 }, { math.huge, 2.0 } } })
    assert.is_false(is_no_space { rates = { { 0, 2 ^ 29 }, { 5, math.huge }, { math.huge, math.huge } } })
  end)

  it("calls and traits in a space that is no crowd", function()
    for _, deferred in ipairs { true, false } do
      local model = new_scene({ deferred = deferred }, 1)
      assert.is_true(is_refused(model.set_limit, model, 1, 1))
      assert.is_true(is_refused(model.set_importance, model, 1, 1))
      assert.is_true(is_refused(model.pin, model, 1, 2))
      assert.is_true(is_refused(model.unpin, model, 1, 2))
      assert.is_true(is_refused(model.enter, model, 7, 0, 0, { limit = 1 }))
      assert.is_true(is_refused(model.update, model, 1, 0, 0, { importance = 1 }))
    end
  end)

  it("ids that are not inside, and values out of range", function()
    local model = new_scene({ limit = 1 }, 1)
    for _, method in ipairs { "set_limit", "set_importance", "pin", "unpin", "touch" } do
      assert.is_true(is_refused(model[method], model, 9, 1), method)
      assert.is_true(is_refused(model[method], model, 1.5, 1), method)
    end
    for _, bad in ipairs { -1, 256, 1.5, math.huge, "1" } do
      assert.is_true(is_refused(model.set_importance, model, 1, bad))
      assert.is_true(is_refused(model.enter, model, 7, 0, 0, { importance = bad }))
    end
    assert.is_true(is_refused(model.set_limit, model, 1, -1))
    assert.is_true(is_refused(model.update, model, 1, 0, 0, { limit = 2 ^ 31 }))
    assert.is_true(is_refused(model.pin, model, 1, "2"))
    assert.is_true(is_refused(model.unpin, model, 1, 2.5))
  end)
end)
