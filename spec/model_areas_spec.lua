-- Areas of the brute-force model on scenes worked out by hand, each rule of the contract once; and its
-- exact arithmetic against integers.

local Model = require "spec.support.model"
local model_answers = require "spec.support.model_answers"
local polygons = require "spec.support.model_polygons"
local Random = require "spec.support.random"

local events, ids, is_refused = model_answers.events, model_answers.ids, model_answers.is_refused

-- Nobody sees anybody, unless the options say else.
local function new_model(options)
  local all = { engine = "crosslist", radius = 0 }
  for name, value in pairs(options or {}) do
    all[name] = value
  end
  return Model.new(all)
end

local SQUARE = { 0, 0, 10, 0, 10, 10, 0, 10 }

describe("An area of the model", function()
  it("tells who comes in and goes out", function()
    local model = new_model()
    model:enter(1, 3, 4)
    assert.equal("area_enter 7>1", events(model:add_area(7, { x = 0, y = 0, radius = 5 })))
    assert.equal("area_leave 7>1", events(model:move(1, 4, 4)))
    assert.equal("area_enter 7>2", events(model:enter(2, 0, -5)))
    assert.equal("area_leave 7>2; area_enter 7>1", events(model:move_area(7, 5, 5)))
    assert.equal("area_leave 7>1", events(model:leave(1)))
    assert.equal("area_enter 7>2", events(model:set_area(7, { shape = "square", radius = 10 })))
    assert.equal("area_leave 7>2", events(model:remove_area(7)))
    assert.is_true(is_refused(model.remove_area, model, 7))
  end)

  it("goes where its owner goes and ends with it", function()
    local model = new_model()
    model:enter(1, 0, 0)
    model:enter(2, 10, 0)
    assert.equal("", events(model:add_area(7, { owner = 1, dx = 3, radius = 5 })))
    assert.equal("area_enter 7>2", events(model:move(1, 2, 0)))
    assert.equal("", events(model:move(2, 2, 1)))
    assert.is_false(model:in_area(7, 1))
    assert.equal("area_leave 7>2", events(model:leave(1)))
    assert.equal("", ids(model:areas()))
    assert.is_true(is_refused(model.add_area, model, 7, { owner = 1, radius = 5 }))
  end)

  it("keeps its members within leave_radius", function()
    local model = new_model()
    model:enter(1, 7, 0)
    model:add_area(7, { x = 0, y = 0, radius = 5, leave_radius = 8 })
    assert.equal("", ids(model:members_of(7)))
    model:move(1, 5, 0)
    assert.equal("", events(model:move(1, 7, 0)))
    assert.equal("1", ids(model:members_of(7)))
    assert.equal("7", ids(model:areas_of(1)))
    assert.equal("", events(model:set_area(7, { radius = 1, leave_radius = 7 })))
    assert.equal("area_leave 7>1", events(model:set_area(7, { radius = 1 })))
  end)

  it("sees markers of its layers only", function()
    local model = new_model()
    model:enter(1, 0, 0, { layers = 2 })
    model:enter(2, 0, 1, { mode = "w" })
    assert.equal("", events(model:add_area(7, { x = 0, y = 0, radius = 5, sees_layers = 1 })))
    assert.equal("area_enter 7>1", events(model:set_area(7, { sees_layers = 3 })))
    assert.equal("area_leave 7>1", events(model:set_layers(1, 4)))
    assert.equal("area_enter 7>2", events(model:set_mode(2, "wm")))
  end)

  it("may be a rect, which is closed, or a polygon, which is half-open", function()
    local model = new_model()
    model:enter(1, 0, 0)
    model:enter(2, 10, 10)
    model:enter(3, 5, 0)
    model:add_area(7, { shape = "rect", x = 5, y = 5, width = 10, height = 10 })
    assert.equal("1 2 3", ids(model:members_of(7)))
    assert.equal("area_leave 7>2", events(model:set_area(7, { shape = "polygon", points = SQUARE })))
    assert.is_true(is_refused(model.move_area, model, 7, 0, 0))
    assert.is_true(is_refused(model.set_area, model, 7, { radius = 3 }))
    assert.equal("area_leave 7>3", events(model:set_area(7, { radius = 3, x = 0, y = 0 })))
    local hole = { 4, 4, 6, 4, 6, 6, 4, 6 }
    model:enter(4, 5, 5)
    model:add_area(8, { shape = "polygon", points = { SQUARE, hole } })
    assert.equal("1 3", ids(model:members_of(8)))
  end)

  it("of a deferred space tells net changes, and keeps those who were in at the last tick", function()
    local model = new_model { deferred = true }
    local function at(radius, leave_radius)
      return { x = 0, y = 0, radius = radius, leave_radius = leave_radius }
    end
    model:enter(1, 0, 0)
    model:add_area(7, at(5, 8))
    assert.equal("1", ids(model:members_of(7)))
    model:move(1, 7, 0)
    assert.equal("", ids(model:members_of(7)))
    model:move(1, 0, 0)
    assert.equal("area_enter 7>1", events(model:tick()))
    model:move(1, 7, 0)
    assert.equal("1", ids(model:members_of(7)))
    model:move(1, 9, 0)
    assert.equal("", ids(model:members_of(7)))
    model:move(1, 8, 0)
    assert.equal("", events(model:tick()))
    model:leave(1)
    model:enter(1, 6, 0)
    model:remove_area(7)
    model:add_area(7, at(1, 6))
    assert.equal("", events(model:tick()))
    model:remove_area(7)
    assert.equal("area_leave 7>1", events(model:tick()))
    model:add_area(7, at(1, 6))
    assert.equal("", events(model:tick()))
  end)

  it("ends with its owner's leave, also when that comes back within the tick", function()
    local model = new_model { deferred = true }
    model:enter(1, 0, 0)
    model:enter(2, 0, 0)
    model:add_area(7, { owner = 1, radius = 5 })
    model:tick()
    model:leave(1)
    model:enter(1, 0, 0)
    assert.equal("area_leave 7>2", events(model:tick()))
  end)

  it("speaks of true places, and in three dimensions of balls", function()
    local model = new_model { slack = 10, dims = 3 }
    model:enter(1, 0, 0, 0)
    model:add_area(7, { x = 0, y = 0, z = 0, radius = 5 })
    assert.equal("area_leave 7>1", events(model:move(1, 3, 3, 3)))
    assert.equal("area_enter 7>1", events(model:set_area(7, { shape = "square", radius = 3 })))
    assert.equal("area_leave 7>1", events(model:move(1, 3, 3, 3.5)))
    assert.equal("area_enter 7>1", events(model:set_area(7, { shape = "rect", width = 6, height = 6 })))
    assert.is_true(is_refused(model.move_area, model, 7, 0, 0))
  end)

  it("is refused when something about it is wrong", function()
    local model = new_model()
    model:enter(1, 0, 0)
    model:add_area(7, { x = 0, y = 0, radius = 5 })
    for _, opts in ipairs {
      {}, { radius = 5 }, { radius = 5, x = 0 }, { x = 0, y = 0 }, { x = 0, y = 0, radius = -1 },
      { x = 0, y = 0, radius = 5, leave_radius = 4 }, { x = 0, y = 0, radius = 5, owner = 1 },
      { radius = 5, owner = 2 }, { radius = 5, x = 0, y = 0, dx = 1 },
      { radius = 5, x = 0, y = 0, width = 1 },
      { shape = "rect", x = 0, y = 0, radius = 5 }, { shape = "polygon", points = SQUARE, owner = 1 },
      { shape = "polygon", points = { 0, 0, 1, 1 } },
      { shape = "polygon", points = { 0, 0, 2, 2, 2, 0, 0, 2 } },
      { shape = "oval", x = 0, y = 0, radius = 5 }, { radius = 5, x = 0, y = 0, z = 0 },
    } do
      assert.is_true(is_refused(model.add_area, model, 8, opts))
    end
    assert.is_true(is_refused(model.add_area, model, 7, { x = 0, y = 0, radius = 5 }))
  end)
end)

describe("The model's exact arithmetic", function()
  it("is that of integers", function()
    local random = Random.new(47)
    local signs = { [-1] = 0, [0] = 0, [1] = 0 }
    for _ = 1, 2000 do
      local MOST = 1 << random:integer(1, 29)
      local n = {}
      for i = 1, 6 do
        n[i] = random:integer(-MOST, MOST)
      end
      local ax, ay, bx, by, px, py = table.unpack(n)
      if random:chance(0.3) then -- on the line, or nearly
        px, py = ax + (bx - ax) // 2, ay + (by - ay) // 2
      end
      local determinant = (bx - ax) * (py - ay) - (by - ay) * (px - ax)
      local expected = determinant > 0 and 1 or determinant < 0 and -1 or 0
      local unit = 2.0 ^ random:integer(-400, 400)
      assert.equal(expected, polygons.side(ax * unit, ay * unit, bx * unit, by * unit, px * unit, py * unit))
      signs[expected] = signs[expected] + 1
    end
    assert.is_true(signs[0] > 50 and signs[1] > 500 and signs[-1] > 500)
  end)

  it("sees differences that doubles round away", function()
    local tiny = 2.0 ^ -60
    assert.equal(0, polygons.side(0, 0, 3, 3, 1, 1))
    assert.equal(1, polygons.side(0, 0, 3, 3, 1e-20, 2e-20))
    assert.equal(1, polygons.side(tiny, 0, 1, 1, 0.5, 0.5))
    assert.equal(-1, polygons.side(-tiny, 0, 1, 1, 0.5, 0.5))
    assert.equal(1, polygons.side(-1e300, -1e300, 1e300, 1e300, 0, 5e-324))
    assert.equal(-1, polygons.side(-1e300, -1e300, 1e300, 1e300, 0, -5e-324))
    assert.equal(0, polygons.side(0, 0, 0, 0, 0, 0))
  end)
end)
