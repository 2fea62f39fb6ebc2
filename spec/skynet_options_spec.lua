-- The words that a scene is started with, as options of the service and of its space.
local options = require "aoi.skynet.options"
local aoi = require "aoi"

-- The space's options that these words give, beside engine and radius.
local function of_space(...)
  local _, result = options.of_scene { "engine=crosslist", "radius=10", ... }
  result.engine, result.radius = nil, nil
  return result
end

describe("the words of a scene", function()
  it("are options of the space, where the service has none of that name", function()
    assert.same({}, of_space("tick=50", "probe=1"))
    assert.same({ limit = 10, keep_factor = 1.5, limit_layers = -1, move_budget = 3, enter_budget = 2,
      clamp = true },
      of_space("limit=10", "keep_factor=1.5", "limit_layers=-1", "move_budget=3", "enter_budget=2",
        "clamp=true"))
    assert.same({ limit = math.huge }, of_space "limit=huge")
  end)

  it("have rings of rates in them", function()
    assert.same({ rates = { { 20, 1 }, { 50, 2 }, { math.huge, 5 } } }, of_space "rates=20:1,50:2,huge:5")
    assert.same({ rates = { { math.huge, 3 } } }, of_space "rates=huge:3")
    assert.same({ rates = { { 0.5, 1 }, { math.huge, 2 } } }, of_space "rates=.5:1,huge:2")
    assert.same({ rates = { { 20, 1 }, { math.huge, math.huge } } }, of_space "rates=20:1,huge:huge")
  end)

  for text, word in pairs {
    ["20"] = "20", ["20:1,50"] = "50", ["20:1,"] = "", [",huge:1"] = "", ["near:1"] = "near:1", ["7"] = "7",
    ["20:1:2"] = "20:1:2", ["20:often"] = "20:often", ["true:1"] = "true:1", ["1:true"] = "1:true",
    [":"] = ":", ["true"] = "true",
  } do
    it("name the ring that is none: " .. text, function()
      assert.error_matches(function()
        of_space("rates=" .. text)
      end, ("scene: rates is %s, and %q in it is no ring"):format(text, word), 1, true)
    end)
  end

  it("name the last ring when it has an end, in the word for none", function()
    assert.error_matches(function()
      of_space "rates=20:1"
    end, "scene: rates is 20:1, and its last ring ends at 20, expected huge, as in 20:1,50:2,huge:5", 1, true)
  end)

  for text, expected in pairs {
    ["50:1,20:2,huge:5"] = "the bound of ring 2 is 20",
    ["20:0,huge:1"] = "the period of ring 1 is 0",
  } do
    it("leave the numbers of the rings to aoi.new: " .. text, function()
      local given = of_space("rates=" .. text)
      given.engine, given.radius, given.deferred = "crosslist", 10, true
      assert.error_matches(function()
        aoi.new(given)
      end, expected, 1, true)
    end)
  end
end)
