-- How the tests of a world judge times: spec/world/bounds.lua.
local bounds = require "spec.world.bounds"

-- What one node tells, which has ticked all the time.
local function news_with(fields)
  local news = { since = 0, stood = {}, late = {}, waits = {}, backs = {} }
  for name, value in pairs(fields) do
    news[name] = value
  end
  return { news }
end

-- A row that began at 10, where a member is silent after 0.8 s.
local function judged(fields)
  local row = { began = 10, silence = 0.8, lease = 0, failing = {}, away = {}, unowned = {} }
  return bounds.judge(row, { "a" }, news_with(fields))
end

local function is_within(one)
  return one[1] <= one[2]
end

describe("a judge of times", function()
  local function wait(from, to)
    return judged({ waits = { { length = to - from, span = { from, to }, what = "a call" } } }).wait
  end

  it("lets an answer come twice the silence and two seconds after its call", function()
    assert.is_true(is_within(wait(10, 13.7)))
    assert.is_false(is_within(wait(10, 13.8)))
  end)

  it("lets an answer be as late as the timers of a process that did not fail", function()
    local call = { length = 4.1, span = { 10, 14.1 }, what = "a call" }
    local fields = { waits = { call }, late = { { 11, 11.5 } } }
    assert.is_true(is_within(judged(fields).wait))
    fields.late = { { 15, 16 } }
    assert.is_false(is_within(judged(fields).wait))
  end)

  it("lets the world stand for the silence and a second", function()
    assert.is_true(is_within(judged({ stood = { { 11, 12.7 } } }).stood))
    assert.is_false(is_within(judged({ stood = { { 11, 13.1 } } }).stood))
  end)
end)
