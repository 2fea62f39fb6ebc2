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
    assert.same({}, of_space("tick=50", "probe=1000"))
    assert.same({ limit = 10, keep_factor = 1.5, limit_layers = -1, move_budget = 3, enter_budget = 2,
      clamp = true },
      of_space("limit=10", "keep_factor=1.5", "limit_layers=-1", "move_budget=3", "enter_budget=2",
        "clamp=true"))
    assert.same({ limit = math.huge }, of_space "limit=huge")
  end)

  it("that need ticks say so in the scene's own words", function()
    assert.error_matches(function()
      options.new_space({ radius = 5, limit = 5 }, options.SCENE_NAMES)
    end, "option limit is given and needs ticks, and tick is 0", 1, true)
  end)

  it("leave the service the memory to answer", function()
    assert.equal(1000000, (options.of_scene { "radius=5", "memory_limit=1000000" }).memory_limit)
    assert.error_matches(function()
      of_space "memory_limit=999999"
    end, "memory_limit is 999999, expected a number of bytes, 1000000 or more", 1, true)
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

describe("the times of services", function()
  local function of(service, word)
    return options["of_" .. service] { word }
  end

  for word, expected in pairs {
    ["tick=0.1"] = "milliseconds, 0 or a multiple of 10",
    ["probe=5"] = "milliseconds; did you mean 5000?",
    ["probe=99"] = "milliseconds; did you mean 99000?",
    ["probe=0"] = "milliseconds, 100 or more",
    ["save_every=60"] = "milliseconds; did you mean 60000?",
    ["save_every=never"] = "milliseconds, 1000 or more",
    ["orphan=60"] = "milliseconds; did you mean 60000?",
    ["orphan=0.0625"] = "milliseconds; did you mean 1000?",
    ["orphan=-60"] = "milliseconds, 0 or 1000 or more",
    ["silence=60"] = "milliseconds; did you mean 60000?",
    ["silence=-1"] = "milliseconds, 1000 or more",
  } do
    it("are refused when they are none, or were meant in seconds: " .. word, function()
      local service = word:find "^silence" and "viewer" or "scene"
      assert.error_matches(function()
        of(service, word)
      end, ("%s: %s, expected %s"):format(service, word:gsub("=", " is "), expected), 1, true)
    end)
  end

  it("are milliseconds, and rounded up to skynet's unit", function()
    for _, word in ipairs { "probe=100", "save_every=1000", "save_every=huge", "orphan=0", "orphan=1000",
      "orphan=huge", "tick=0", "tick=10" } do
      of("scene", word)
    end
    assert.equal(1000, of("viewer", "silence=1000").silence)
    local units = options.units
    assert.same({ 0, 1, 1, 2, 0x7FFFFFFF, 0x7FFFFFFF },
      { units(0), units(1), units(10), units(10.5), units(math.huge), units(1 << 60) })
  end)

  it("are not looked for in options that are none of a scene", function()
    assert.error_matches(function()
      of("scene", "record=file")
    end, "scene: option record is not for a scene, expected record_to", 1, true)
  end)
end)
