-- Calls side by side, on a stub of skynet: all are waited for, whatever wakes the caller meanwhile.
describe("calls side by side", function()
  local side_by_side, forked, former, formerly

  before_each(function()
    forked = {}
    former, formerly = package.loaded.skynet, package.loaded["aoi.skynet.side_by_side"]
    package.loaded["aoi.skynet.side_by_side"] = nil
    package.loaded.skynet = {
      fork = function(f) forked[#forked + 1] = f end,
      timeout = function(_, f) forked[#forked + 1] = f end,
      wait = coroutine.yield,
      wakeup = function() end, -- the test resumes the caller
    }
    side_by_side = require "aoi.skynet.side_by_side"
  end)

  after_each(function()
    package.loaded.skynet, package.loaded["aoi.skynet.side_by_side"] = former, formerly
  end)

  it("waits for all, though it is woken for something else", function()
    local results
    local caller = coroutine.wrap(function()
      results = side_by_side { function() return 1 end, function() error("no", 0) end }
    end)
    caller()
    caller() -- a wakeup that was meant for a wait before
    assert.is_nil(results)
    forked[1]()
    caller()
    assert.is_nil(results)
    forked[2]()
    caller()
    assert.same({ true, 1, n = 2 }, results[1])
    assert.same({ false, "no", n = 2 }, results[2])
  end)

  it("waits no longer than it may", function()
    local results
    local caller = coroutine.wrap(function()
      results = side_by_side({ function() return 1 end, function() end }, 10)
    end)
    caller()
    forked[1]()
    forked[3]() -- the time is over
    caller()
    assert.same({ { true, 1, n = 2 } }, results)
  end)
end)
