-- The queries of the brute-force model on scenes worked out by hand: what all else is compared
-- with must itself be right.

local Model = require "spec.support.model_queries"

local function is_refused(call, ...)
  local ok, reason = pcall(call, ...)
  return not ok and type(reason) == "table" and reason.refused ~= nil
end

describe("The model's", function()
  local model
  before_each(function()
    model = Model.new { engine = "crosslist", radius = 5 }
    model:enter(1, 0, 0)
    model:enter(2, 3, 4)
    model:enter(3, -3, 4, { layers = 2 })
    model:enter(4, 0, -5)
    model:enter(5, 1, 1, { mode = "w" }) -- no marker: never found
  end)

  it("query_rect has closed borders and takes any two opposite corners", function()
    assert.same({ 1, 2 }, (model:query_rect(0, 0, 3, 4)))
    assert.same({ 1, 2 }, (model:query_rect(3, 0, 0, 4)))
    assert.same({ 1 }, (model:query_rect(0, 0, 0, 0)))
    assert.same({}, (model:query_rect(0.5, 0.5, 2.9, 9)))
  end)

  it("query_circle has a closed border", function()
    assert.same({ 1, 2, 3, 4 }, (model:query_circle(0, 0, 5)))
    assert.same({ 1 }, (model:query_circle(0, 0, 4.999)))
    assert.same({ 1 }, (model:query_circle(0, 0, 0)))
    assert.is_true(is_refused(model.query_circle, model, 0, 0, -1))
  end)

  it("query_sector has its apex in, and both edges", function()
    assert.same({ 1, 2 }, (model:query_sector(0, 0, 5, 0, math.pi)))
    assert.same({ 1, 2, 3 }, (model:query_sector(0, 0, 5, math.pi / 2, math.pi / 2)))
    assert.same({ 1, 4 }, (model:query_sector(0, 0, 5, -math.pi / 2, 0.1)))
    assert.same({ 1, 2, 3, 4 }, (model:query_sector(0, 0, 5, 1, 2 * math.pi)))
    assert.same({ 1, 2, 3 }, (model:query_sector(0, 0, 5, math.pi / 2, 1.9 * math.pi)))
  end)

  it("query_polygon has its lower and left borders, and not the others", function()
    assert.same({ 1 }, (model:query_polygon { 0, 0, 3, 0, 3, 4, 0, 4 }))
    assert.same({ 1, 2 }, (model:query_polygon { 0, 0, 3.1, 0, 3.1, 4.1, 0, 4.1 }))
    assert.same({ 4 }, (model:query_polygon { -3, -5, 3, -5, 0, 0 }))
  end)

  it("query_segment reaches half its width to all sides, and round its ends", function()
    assert.same({ 2, 3 }, (model:query_segment(-3, 4, 3, 4, 0)))
    assert.same({ 2, 3 }, (model:query_segment(-1, 4, 1, 4, 4)))
    assert.same({}, (model:query_segment(-1, 4, 1, 4, 3.9)))
    assert.same({ 1, 2, 3, 4 }, (model:query_segment(0, 0, 0, 0, 10)))
  end)

  it("query_nearest goes by distance, then id", function()
    assert.same({ 1, 2, 3 }, (model:query_nearest(0, 0, 3)))
    assert.same({ 2, 1, 3, 4 }, (model:query_nearest(3, 3.5, 9)))
    assert.same({ 1 }, (model:query_nearest(0, 0, 9, 4)))
    assert.same({}, (model:query_nearest(0, 0, 0)))
    assert.is_true(is_refused(model.query_nearest, model, 0, 0, -1))
  end)

  it("queries look at the layers that are named", function()
    assert.same({ 3 }, (model:query_circle(0, 0, 9, 2)))
    assert.same({ 3 }, (model:query_circle(0, 0, 9, {}, 2)))
    assert.same({ 3 }, (model:query_nearest(0, 0, 1, nil, nil, 2)))
    assert.same({ 1, 2, 3, 4 }, (model:query_circle(0, 0, 9, -1)))
  end)
end)
