-- Messages of a member that go again, as the other side may not have them, and when: a large one goes again
-- only when it is lost, however late the other side is.
local change = require "aoi.skynet.world.change"
local links = require "aoi.skynet.world.links"
local member = require "aoi.skynet.world.member"
local times = require("aoi.skynet.world.times").new(100, 2000)

-- A member that changes to its first configuration together with b; it has heard b's first flush.
local function changing()
  local one = member.new {
    name = "a", key = "ka", coordinators = { "a" }, times = times, orphan_ticks = 1, land = {},
    told = function() end,
  }
  change.prepare(one, { number = 1, key = "n1", candidates = { a = "ka", b = "kb" }, moves = {} })
  change.on_flush(one, "b", { number = 1, last = 0, said = 1 })
  return one
end

-- The kinds of what the member has sent to b since the last time.
local function sent(one)
  local kinds = {}
  for i, message in ipairs(one.out) do
    assert.equal("b", message.to)
    kinds[i] = message.kind
  end
  local last = one.out[#one.out]
  one.out = {}
  return kinds, last
end

describe("a list", function()
  it("goes once as long as the flush behind it is on its way", function()
    local one = changing()
    change.proceed(one, 1000)
    assert.same({ "list", "flush" }, (sent(one)))
    for time = 1075, 4000, 75 do
      change.proceed(one, time)
      assert.same({ "flush" }, (sent(one)))
    end
  end)

  it("goes again when the flush behind it has come without it, and not when it has come", function()
    local one = changing()
    change.proceed(one, 1000)
    local _, flush = sent(one)
    change.on_flush(one, "b", { number = 1, last = 0, said = 2, heard = flush.said - 1 })
    change.proceed(one, 1075)
    assert.same({ "flush" }, (sent(one)))
    change.on_flush(one, "b", { number = 1, last = 0, said = 3, heard = flush.said })
    change.proceed(one, 1150)
    assert.same({ "list", "flush" }, (sent(one)))
    change.on_flush(one, "b", { number = 1, last = 0, said = 4, heard = flush.said + 2, has_list = true })
    change.proceed(one, 1225)
    assert.same({ "flush" }, (sent(one)))
  end)

  it("is acknowledged by the flushes that have come", function()
    local one = changing()
    change.on_flush(one, "b", { number = 1, last = 0, said = 7 })
    change.on_flush(one, "b", { number = 1, last = 0, said = 5 })
    change.proceed(one, 1000)
    local _, flush = sent(one)
    assert.same({ 1, 7 }, { flush.said, flush.heard })
  end)
end)

describe("messages that a member lacks", function()
  it("go again once for all its requests that have waited", function()
    local one = changing()
    one.configuration, one.change = { number = 1, key = "n1", owners = {} }, nil
    one.links, one.key_of, one.keys = links.new { "a", "b" }, { a = "ka", b = "kb" }, { ka = "a", kb = "b" }
    for tick = 1, 3 do
      links.add(one.links.b, { kind = "packets", tick = tick, answers = {}, views = {} })
    end
    local function need(now)
      member.receive(one, now, {
        kind = "need", from = "b", from_key = "kb", to_key = "ka", configuration_key = "n1", first = 2,
      })
    end
    for now = 1000, 1004 do
      need(now)
    end
    assert.same({ "item", "item" }, (sent(one)))
    need(1000 + times.repeated)
    assert.same({ "item", "item" }, (sent(one)))
  end)

  -- The other member may begin each tick later, and nothing is lost then.
  it("are asked for when they are late, and not before", function()
    local one = changing()
    one.configuration, one.change, one.phase = { number = 1, key = "n1", owners = {} }, nil, "ticking"
    one.links, one.key_of, one.names = links.new { "b" }, { b = "kb" }, { "b" }
    one.tick, one.waits_since, one.asked_at, one.ticked_at = 1, 1000, 1000, 1000
    member.wake(one, 1000 + times.repeated - 1)
    assert.same({}, (sent(one)))
    member.wake(one, 1000 + times.repeated)
    assert.same({ "need" }, (sent(one)))
  end)
end)
