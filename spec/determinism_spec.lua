-- The same calls give the same events in the same order, whatever else the process did before: a
-- fingerprint over the events of a long random run says so in one number.

local aoi = require "aoi"
local engines = require "spec.support.engine_features"
local sequences = require "spec.support.sequences"

local SEQUENCES = 30
local CALLS = 1000

-- 64-bit FNV-1a.
local function add_to_fingerprint(fingerprint, text)
  for i = 1, #text do
    fingerprint = (fingerprint ~ text:byte(i)) * 0x100000001b3
  end
  return fingerprint
end

local function run_fingerprint(engine)
  local fingerprint = 0xcbf29ce484222325 -- wraps to a negative integer, as it should
  for seed = 1, SEQUENCES do
    local sequence = sequences.generate(engine, seed, CALLS)
    sequence.options.on_event = function(watcher, marker, op)
      fingerprint = add_to_fingerprint(fingerprint, ("%d %s %d\n"):format(watcher, op, marker))
    end
    local space = aoi.new(sequence.options)
    for _, call in ipairs(sequence.calls) do
      pcall(space[call.method], space, table.unpack(call, 1, call.n)) -- some must be refused
    end
    space:close()
  end
  return ("%016x"):format(fingerprint)
end

local function assert_fingerprint(engine, expected, actual)
  assert(expected == actual, ("the events of the %s have the fingerprint %s, expected %s"):format(
    engine.name, actual, expected))
end

-- What the released build gives, on every compiler and processor. A change of these numbers is a
-- change of the order of events, which is allowed from version to version, but never by accident.
-- The test build has other block sizes, and with them another order.
local PINNED = {
  ["grid with a radius"] = "f495d77bab1674ee",
  ["classic nine-grid"] = "6b6476749561418d",
  ["crosslist"] = "c66280aab348e016",
  ["quadtree"] = "e65efa1000e3af93",
}

for _, engine in ipairs(engines) do
  describe("The " .. engine.name, function()
    if require("aoi.core")._BUILD == "release" then
      it("gives the events in the order that is on record", function()
        assert_fingerprint(engine, PINNED[engine.name], run_fingerprint(engine))
      end)
    end

    it("gives the same events in the same order again", function()
      assert_fingerprint(engine, run_fingerprint(engine), run_fingerprint(engine))
    end)
  end)
end
