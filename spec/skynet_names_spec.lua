-- Refusals of names that services do not know: which are known, and which of them was perhaps meant.
local aoi = require "aoi"
local names = require "aoi.skynet.names"

local OWN = { "address", "data", "stream", "anew" }

describe("names that a service does not know", function()
  local function refusal(opts)
    local space = aoi.new { engine = "crosslist", radius = 1 }
    local ok, message = pcall(space.enter, space, 1, 0, 0, opts)
    assert.is_false(ok)
    return message
  end

  for name, meant in pairs {
    adress = "address", addres = "address", daat = "data", streem = "stream", radus = "radius",
    colour = false, a = false, at = false,
  } do
    it(("are compared with a space's and the service's own: %s"):format(name), function()
      local hint = meant and (" (did you mean %s?)"):format(meant) or ""
      local text = names.with_own(refusal { [name] = "x, y is unknown, expected z" }, OWN)
      assert.equal(("enter: option %s = the string \"x, y is unknown, expected z\" is unknown%s, expected "
        .. "radius, mode, layers, sees_layers, limit, importance, visible_radius, anchor, address, data, "
        .. "stream or anew")
        :format(
        name, hint), text)
    end)
  end

  it("may be known of one engine alone", function()
    local _, message = pcall(aoi.new, { engine = "quadtree", prob = 1 })
    message = names.with_own(message, { "probe", "tick" })
    assert.matches("prob = 1 is unknown (did you mean probe?), expected an option of the quadtree engine: ",
      message, 1, true)
    assert.matches(", probe or tick$", message)
  end)

  it("may be none of this command", function()
    local message = refusal { x = 1 }
    assert.matches("visible_radius, anchor or address$", names.with_own(message, { "address" }))
    assert.matches("visible_radius or address$", names.with_own(message, { "address" }, "anchor"))
  end)

  it("have nothing to do with other messages", function()
    local message = refusal { radius = -1 }
    assert.equal(message, names.with_own(message, OWN))
    assert.equal("no", names.with_own("no", OWN))
  end)

  it("may be anything", function()
    assert.matches("option 1 = true is unknown, expected radius, .* or anew$",
      names.with_own(refusal { true }, OWN))
    assert.is_nil(names.nearest(1, OWN))
    assert.is_nil(names.nearest(("a"):rep(1e6), OWN))
    assert.equal("a", names.listed { "a" })
  end)
end)
