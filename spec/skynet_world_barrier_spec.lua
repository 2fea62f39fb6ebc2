-- When ticks of a world begin and end: others in time, late, silent, ahead and far ahead.
local new_barrier = require("aoi.skynet.world.barrier").new
local new_random = require("spec.support.random").new

-- Of node 1 of three, all of whom are waited for.
local function barrier_with(patience, silence)
  local barrier = new_barrier(1, 3, patience or 50, silence or 1000)
  for node = 2, 3 do
    barrier:hear(node, 0)
    barrier:welcome(node)
  end
  return barrier
end

local function tick(barrier, t, now, ...)
  barrier:begin(t, now)
  for _, node in ipairs { ... } do
    barrier:arrived(node, t, now)
  end
  return (barrier:may_end(now))
end

describe("a tick", function()
  it("begins when the clock is due or its first message is there", function()
    local barrier = barrier_with()
    assert.is_nil(barrier:next(false))
    assert.equal(1, barrier:next(true))
    barrier:arrived(3, 1, 5)
    assert.equal(1, barrier:next(false))
    barrier:begin(1, 5)
    assert.is_nil(barrier:next(true)) -- it is open
  end)

  it("ends when all messages are there", function()
    local barrier = barrier_with()
    assert.is_false(tick(barrier, 1, 0, 3))
    assert.same({ false, 20 }, { barrier:may_end(30) })
    barrier:arrived(2, 1, 30)
    assert.is_true((barrier:may_end(30)))
    assert.same({}, barrier:finish())
    assert.is_nil(barrier:next(false))
  end)

  it("waits for ever without patience's end", function()
    local barrier = barrier_with(math.huge, math.huge)
    assert.is_false(tick(barrier, 1, 0, 2))
    assert.same({ false, math.huge }, { barrier:may_end(1e9) })
    assert.same({}, barrier:take_silent(1e9))
  end)

  it("counts a message of a later one as that of its own", function()
    local barrier = barrier_with()
    barrier:arrived(2, 2, 0) -- one tick ahead, as it does not need ours
    assert.is_true(tick(barrier, 1, 0, 3))
    assert.same({}, barrier:finish())
    assert.equal(2, barrier:next(false))
  end)

  it("is the newest of the others for who is behind", function()
    local barrier = barrier_with()
    barrier:arrived(2, 7, 0)
    barrier:arrived(3, 5, 0)
    assert.equal(7, barrier:next(false))
    assert.is_false(tick(barrier, 7, 0))
    assert.is_true(tick(barrier, 7, 0, 3))
  end)
end)

describe("a node", function()
  it("that was late is not waited for until it is in time again", function()
    local barrier = barrier_with()
    tick(barrier, 1, 0, 3)
    assert.is_true((barrier:may_end(50)))
    assert.same({ 2 }, barrier:finish())
    assert.same({ "late", 1 }, { barrier.state[2], barrier.late })
    assert.is_true(tick(barrier, 2, 100, 3)) -- not waited for
    barrier:arrived(2, 1, 100)               -- what is late still
    assert.same({ 2 }, barrier:finish())
    tick(barrier, 3, 200, 3)
    barrier:arrived(2, 3, 200)
    assert.same({}, barrier:finish())
    assert.equal("in time", barrier.state[2])
    assert.is_false(tick(barrier, 4, 300, 3)) -- waited for
    assert.equal(2, barrier.late)
  end)

  it("that says nothing for too long is silent, until it is welcomed", function()
    local barrier = barrier_with(50, 1000)
    tick(barrier, 1, 0, 3)
    assert.same({}, barrier:take_silent(1000))
    barrier:arrived(3, 2, 900)
    assert.same({ 2 }, barrier:take_silent(1001))
    assert.same({}, barrier:take_silent(1001))
    assert.is_true((barrier:may_end(1001)))
    assert.same({}, barrier:finish()) -- it does not count as late
    assert.is_true(barrier:hear(2, 1500))
    assert.equal("silent", barrier.state[2])
    barrier:arrived(2, 99, 1500) -- what comes of it says nothing about our ticks
    assert.equal(2, barrier:next(false))
    barrier:restarted(2)
    barrier:welcome(2, true)
    assert.is_true(tick(barrier, 2, 1600, 3))
    assert.same({ 2 }, barrier:finish())
    barrier:arrived(2, 3, 1700)
    tick(barrier, 3, 1700, 3)
    assert.same({}, barrier:finish())
    assert.equal("in time", barrier.state[2])
  end)

  it("that is missed for long is known", function()
    local barrier = barrier_with(math.huge)
    tick(barrier, 1, 0, 3)
    assert.is_false(barrier:waits_long(2, 199, 200))
    assert.is_true(barrier:waits_long(2, 200, 200))
    assert.is_false(barrier:waits_long(3, 200, 200))
  end)

  it("alone has nobody to wait for", function()
    local barrier = new_barrier(1, 1, 50, 1000)
    assert.equal(1, barrier:next(true))
    barrier:begin(1, 0)
    assert.is_true((barrier:may_end(0)))
    assert.same({}, barrier:finish())
  end)
end)

-- Nodes whose clocks have no common phase and whose messages take their time: all tell the same ticks, and
-- nobody ends a tick before all have begun it.
describe("nodes that wait for each other", function()
  it("stay in step", function()
    local draw, n, period = new_random(9), 4, 100
    local nodes, under_way = {}, {}
    for number = 1, n do
      local barrier = new_barrier(number, n, math.huge, math.huge)
      for other = 1, n do
        if other ~= number then
          barrier:welcome(other)
        end
      end
      nodes[number] = { barrier = barrier, due = draw:integer(0, period), told = 0 }
    end
    local longest = 0
    for now = 0, 20000 do
      for i = #under_way, 1, -1 do
        local message = under_way[i]
        if message.at <= now then
          nodes[message.to].barrier:arrived(message.from, message.t, now)
          table.remove(under_way, i)
        end
      end
      for number, node in ipairs(nodes) do
        local t = node.barrier:next(now >= node.due)
        if t then
          assert.equal(node.told + 1, t)
          node.barrier:begin(t, now)
          node.due = now + period
          for to = 1, n do
            under_way[#under_way + 1] = to ~= number and
              { from = number, to = to, t = t, at = now + draw:integer(1, draw:integer(1, 60)) } or nil
          end
        elseif node.barrier.is_open and node.barrier:may_end(now) then
          for _, other in ipairs(nodes) do
            assert.is_true(other.barrier.tick >= node.barrier.tick)
          end
          longest = math.max(longest, now - node.barrier.began)
          node.told = node.barrier.tick
          assert.same({}, node.barrier:finish())
        end
      end
    end
    assert.is_true(nodes[1].told >= 190, nodes[1].told)
    assert.is_true(longest <= 121, longest)
  end)
end)
