-- Equal calls give equal events in one order, whatever else the process did before: a fingerprint over the
-- events of a long random run says so in one number.

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

-- With `tick_every` the space is deferred, and ticks after so many calls.
local function run_fingerprint(engine, tick_every)
  local fingerprint = 0xcbf29ce484222325 -- wraps to a negative integer, as it should
  for seed = 1, SEQUENCES do
    local sequence = sequences.generate(engine, seed, CALLS)
    sequence.options.on_event = function(watcher, marker, op)
      fingerprint = add_to_fingerprint(fingerprint, ("%d %s %d\n"):format(watcher, op, marker))
    end
    sequence.options.deferred = tick_every ~= nil
    local space = aoi.new(sequence.options)
    for number, call in ipairs(sequence.calls) do
      pcall(space[call.method], space, table.unpack(call, 1, call.n)) -- some must be refused
      if tick_every and number % tick_every == 0 then
        space:tick()
      end
    end
    space:close()
  end
  return ("%016x"):format(fingerprint)
end

local function assert_fingerprint(engine, expected, actual)
  assert(expected == actual, ("the events of the %s have the fingerprint %s, expected %s"):format(
    engine.name, actual, expected))
end

-- The numbers of the released build, on every compiler and processor. A change of these numbers is a change
-- of the order of events, which is allowed from version to version, but never by accident. The test build has
-- other block sizes, and with them another order; the plain build (make check-plain) tells its indexes
-- of moves at once.
local PINNED = {
  ["grid with a radius"] = "4f735f09c1026459",
  ["classic nine-grid"] = "d15635c8e4cea030",
  ["grid without a map"] = "d34fd31197e67fb5",
  ["crosslist"] = "6f52be8bc1943d94",
  ["quadtree"] = "5f3c9bdb862e6f7e",
}

local TICK_EVERY = 12
local PINNED_TICKS = {
  ["grid with a radius"] = "debe38e4325b5bb1",
  ["classic nine-grid"] = "0001118fe5dc8f4f",
  ["grid without a map"] = "829b7f011ae431c3",
  ["crosslist"] = "e7b3a62dde321429",
  ["quadtree"] = "c1ac169f4fc777db",
}

for _, engine in ipairs(engines) do
  describe("The " .. engine.name, function()
    if require("aoi.core")._BUILD == "release" then
      it("gives the events in the order that is on record", function()
        assert_fingerprint(engine, PINNED[engine.name], run_fingerprint(engine))
      end)

      it("gives those of ticks in the order that is on record", function()
        assert_fingerprint(engine, PINNED_TICKS[engine.name], run_fingerprint(engine, TICK_EVERY))
      end)
    end

    it("gives the same events in the same order again", function()
      assert_fingerprint(engine, run_fingerprint(engine), run_fingerprint(engine))
    end)
  end)
end
