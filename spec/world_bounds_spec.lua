-- How tests on real processes judge the times of a world (spec/world/bounds.lua).
local bounds = require "spec.world.bounds"

local NAMES = { "a", "b" }

-- A row that began at 10 s, in which b failed; changes take the place of ours.
local function row(changes)
  local of = { began = 10, silence = 1, lease = 0, failing = { b = true }, away = {}, unowned = {} }
  for name, value in pairs(changes or {}) do
    of[name] = value
  end
  return of
end

local function news(changes)
  local one = { since = 10, late = {}, stood = {}, waits = {}, backs = {} }
  for name, value in pairs(changes or {}) do
    one[name] = value
  end
  return one
end

local function of_call(from, to)
  return { length = to - from, span = { from, to }, what = "a call" }
end

local function near(expected, value)
  assert.is_true(math.abs(expected - value) < 1e-9, ("%s, expected %s"):format(value, expected))
end

describe("the bounds of a world", function()
  it("are about spans", function()
    assert.same({ { 1, 4 }, { 6, 7 } }, bounds.union { { 6, 7 }, { 1, 3 }, { 2, 4 }, { 2, 3 } })
    assert.same({ { 2, 3 }, { 6, 7 } }, bounds.both({ { 1, 3 }, { 5, 8 } }, { { 2, 4 }, { 6, 7 } }))
    near(2, bounds.overlap({ { 1, 3 }, { 5, 8 } }, { 2, 6 }))
  end)

  it("are about the time in which no node ticks", function()
    local judged = bounds.judge(row(), NAMES, {
      news { stood = { { 11, 14 } } }, news { stood = { { 10, 12 }, { 13, 20 } } } }).stood
    near(1, judged[1])
    assert.is_true(judged[1] < judged[2])
    judged = bounds.judge(row(), NAMES, { news { stood = { { 11, 14 } } }, news { since = 15 } }).stood
    near(3, judged[1]) -- b was killed, and began anew at 15
    assert.is_true(judged[1] > judged[2])
    near(0, judged[3])
  end)

  it("are about all long standstills together where the world may stand once", function()
    local all = { news { stood = { { 11, 12.5 }, { 13, 13.25 }, { 14, 15.5 } } }, news { since = 20 } }
    near(1.5, bounds.judge(row(), NAMES, all).stood[1])
    local judged = bounds.judge(row { once = true }, NAMES, all).stood
    near(3, judged[1])
    assert.is_true(judged[1] > judged[2])
  end)

  it("show the longest time beside the worst, which may have had more", function()
    local all = { news { stood = { { 11, 12.5 }, { 14, 18 } } }, news { since = 20 } }
    local judged = bounds.judge(row { away = { { 14, 19 } } }, NAMES, all).stood
    near(1.5, judged[1])
    near(4, judged.longest[1])
    near(2 + 4, judged.longest[2] - 0.15)
  end)

  it("grow while nobody can coordinate, and while timers of processes that did not fail are late", function()
    local all = { news { stood = { { 11, 14 } }, late = { { 10.5, 11.5 }, { 13, 13.25 } } },
      news { since = 15, late = { { 10, 20 } } } }
    local judged = bounds.judge(row { away = { { 12, math.huge } } }, NAMES, all).stood
    near(0.75, judged[3])
    near(2 + 2 + 0.75, judged[2] - 0.15)
    near(3.5 + 0.75, bounds.judge(row { stands = 3, lease = 0.5 }, NAMES, all).stood[2] - 0.15)
  end)

  it("are about calls and lost players, the worst of all", function()
    local judged = bounds.judge(row(), NAMES, {
      news { waits = { of_call(10, 12), of_call(11, 20) }, backs = { of_call(12, 13) } },
      news { waits = { of_call(10, 18) }, backs = { of_call(12, 13.25) } } })
    assert.same({ 11, 20 }, judged.wait.span)
    near(4, judged.wait[2] - 0.15)
    assert.is_true(judged.wait[1] > judged.wait[2])
    assert.same({ 12, 13.25 }, judged.back.span)
    assert.is_true(judged.back[1] > judged.back[2])
    judged = bounds.judge(row { unowned = { { 12, 12.5 } } }, NAMES, {
      news { backs = { of_call(12, 13.25) } } })
    assert.is_true(judged.back[1] < judged.back[2])
  end)
end)
