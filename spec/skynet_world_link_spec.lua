-- Links between the nodes of a world: whatever a transport does, each text arrives once, whole and in order.
local new_random = require("spec.support.random").new
local world_link = require "aoi.skynet.world.link"

-- Two links that have greeted each other.
local function pair(limit, start)
  local a, b = world_link.new(1, start or 10, limit), world_link.new(2, 20, limit)
  a:meet(20)
  b:meet(start or 10)
  return a, b
end

local function deliver(to, pieces)
  local got = {}
  for _, piece in ipairs(pieces) do
    local texts = to:receive(piece)
    table.move(texts or {}, 1, #(texts or {}), #got + 1, got)
  end
  return got
end

describe("a link", function()
  it("cuts texts into pieces that skynet's cluster keeps in order", function()
    local a, b = pair()
    local text = ("x"):rep(100000)
    local pieces = a:send(text)
    assert.equal(4, #pieces)
    for _, piece in ipairs(pieces) do
      -- The frame that skynet.pack and the cluster put around it: "world", "piece", a name of at most 64
      -- letters.
      assert.is_true(#piece <= 32000 and #piece + 2 * 6 + 5 + 8 + 65 < 32768)
      assert.equal(1, world_link.node_of(piece))
    end
    assert.same({ text }, deliver(b, pieces))
    assert.same({ "" }, deliver(b, (a:send ""))) -- a text may be empty
    assert.equal(2, b.taken)
  end)

  it("puts pieces together in any order, and drops doubled ones", function()
    local a, b = pair(40)
    local first, second = a:send(("1"):rep(30)), a:send(("2"):rep(17))
    assert.same({}, deliver(b, second))
    assert.is_true(b:has_gap())
    assert.same({}, deliver(b, { first[3], first[1], first[1], second[1], first[3] }))
    local rest = { first[2], first[4], first[5] }
    assert.is_nil(first[6])
    rest[4] = rest[1]
    assert.same({ ("1"):rep(30), ("2"):rep(17) }, deliver(b, rest))
    assert.is_false(b:has_gap())
    assert.same({}, deliver(b, first))
  end)

  it("sends again what is kept, until that is acknowledged", function()
    local a, b = pair()
    a:send "lost"
    deliver(b, (a:send "there"))
    assert.same({ "lost", "there" }, deliver(b, a:again(b.taken)))
    a:acknowledge(1, 10)
    assert.equal(1, #a:again(0))
    a:acknowledge(2, 9) -- of the process before ours, whose texts had other numbers
    assert.equal(1, #a:again(0))
    a:acknowledge(99, 10)
    assert.same({}, a:again(0))
  end)

  it("takes nothing in from or for another process", function()
    local a, b = pair()
    local old = a:send "of the old process"
    assert.is_nil(b:receive(""))
    assert.is_nil(b:receive("noise"))
    assert.is_nil(b:receive((world_link.new(1, 11):send "for nobody yet")[1]))
    local new = world_link.new(1, 12)
    new:meet(20)
    assert.is_nil(b:receive((new:send "before its greeting")[1]))
    assert.is_true(b:meet(12))
    assert.is_false(b:meet(12))
    assert.is_nil(b:meet(10)) -- a greeting that was held up
    assert.is_nil(b:receive(old[1]))
    assert.same({ "before its greeting" }, deliver(b, new:again(0)))
    local for_old_b = new:send "for the old b"
    local new_b = world_link.new(2, 30)
    new_b:meet(12)
    assert.is_nil(new_b:receive(for_old_b[1]))
  end)

  it("begins a new run with what was not taken in, and an old run is over", function()
    local a, b = pair()
    deliver(b, (a:send "one"))
    a:acknowledge(1, 10)
    local lost = a:send "two"
    a:restart()
    local three = a:send "three"
    assert.same({ "two" }, deliver(b, { a:again(0)[1] }))
    assert.same({}, deliver(b, lost))
    assert.same({ "three" }, deliver(b, three))
    assert.same({}, deliver(b, lost))
  end)

  -- Loses, doubles and holds up; the receiver asks again whenever something is missing, and both restart.
  it("is exact on every transport", function()
    local draw = new_random(24)
    for _ = 1, 8 do
      local a, b = pair(50 + draw:integer(0, 60), 10)
      local under_way, wanted, got = {}, {}, {}
      local function send(pieces)
        for _, piece in ipairs(pieces) do
          for _ = 1, ({ 0, 1, 1, 2 })[draw:integer(1, 4)] do
            table.insert(under_way, draw:integer(math.max(1, #under_way - 9), #under_way + 1), piece)
          end
        end
      end
      for number = 1, 40 do
        wanted[number] = number .. ("."):rep(draw:integer(0, 120))
        send((a:send(wanted[number])))
        for _ = 1, math.max(draw:integer(0, 12), #under_way - 40) do
          local piece = table.remove(under_way, 1)
          local texts = piece and b:receive(piece) or {}
          table.move(texts, 1, #texts, #got + 1, got)
        end
        if draw:integer(1, 5) == 1 then
          a:acknowledge(b.taken, a.start)
          send(a:again(b.taken))
        end
      end
      while #got < #wanted do
        for _, piece in ipairs(under_way) do
          local texts = b:receive(piece) or {}
          table.move(texts, 1, #texts, #got + 1, got)
        end
        under_way = {}
        send(a:again(b.taken))
      end
      assert.same(wanted, got)
      assert.is_false(b:has_gap())
      assert.is_nil(next(b.parts))
    end
  end)
end)
