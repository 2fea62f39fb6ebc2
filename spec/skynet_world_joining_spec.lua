-- A process that joins a world and may not, on simulated processes: its words are others, or it does not hear
-- a member. The logs say why.
local greetings = require "aoi.skynet.world.greetings"
local member = require "aoi.skynet.world.member"
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c", "d" } -- a has the coordinator, d no regions

describe("a process with another word", function()
  local world

  -- How many lines of the log of a node have this text.
  local function lines(node, text)
    local n = 0
    for _, line in ipairs(world.all.logged) do
      n = n + (line[2] == node and line[3]:find(text, 1, true) and 1 or 0)
    end
    return n
  end

  before_each(function()
    world = simulated_world.new { seed = 5, nodes = NODES, wanderers = 20,
      words = { columns = 3, width = 750 } }
    world:begin(500)
    world:kill(3)
    world:run(2000)
  end)

  local function is_kept_out(node, name)
    world:run(3000)
    assert.equal(1, lines("c", ("node c is refused: its word %s is"):format(name)))
    assert.equal(1, lines(node, ("node c may not join: its word %s is"):format(name)))
    assert.equal("a b d", table.concat(world.members.a.names, " "))
  end

  it("is refused by the coordinator", function()
    world:start_node(3, "radius=60")
    is_kept_out("a", "radius")
  end)

  it("is refused by the member that it takes for the coordinator", function()
    world:start_node(3, "coordinator=b")
    is_kept_out("b", "coordinator")
    world:kill(3)
    world:restart(3)
    world:wait_for_members()
    assert.is_nil(world:what_is_wrong())
  end)
end)

describe("a process that does not hear a member", function()
  it("does not count what has answered a greeting of long ago, when that comes late", function()
    local joiner = { name = "c", greeted = {}, fellows = { a = "key a", b = "key b", c = "key c" },
      times = { greeted = 400 } }
    greetings.answered(joiner, { from_key = "key a", sent = 1000 })
    greetings.answered(joiner, { from_key = "key b", sent = 1100 })
    greetings.answered(joiner, { from_key = "key b", sent = 900 })
    assert.same({}, greetings.unheard(joiner, 1400))
    assert.same({ ["key b"] = true }, greetings.heard(joiner, 1500))
    assert.same({ "a" }, greetings.unheard(joiner, 1500))
  end)

  it("hears a member also while that waits for a region", function()
    local waiting = member.new { name = "a", key = "key a", coordinators = { "a" }, times = {}, land = {} }
    waiting.is_busy = true
    local greeting = { kind = "greeting", from = "c", from_key = "key c", to_key = "key a", sent = 7 }
    assert.is_true(member.is_urgent(greeting))
    member.receive(waiting, 10, greeting)
    assert.same({
      { kind = "greeted", from = "a", from_key = "key a", to = "c", to_key = "key c", sent = 7 },
    }, waiting.out)
  end)

  it("does not join, and the world goes on without it until it does", function()
    local world = simulated_world.new { seed = 6, nodes = NODES, wanderers = 20,
      words = { columns = 3, width = 750 } }
    world:begin(500)
    world.all:set_transport { apart = { ["b c"] = true } }
    world:run(2000)
    assert.equal("a b d", table.concat(world.members.a.names, " "))
    local before = world.members.a.finished
    world:run(4000)
    local ticks, due = world.members.a.finished - before, 4000 // world.values.tick
    assert.is_true(ticks > 0.9 * due, ("%d ticks, %d were due"):format(ticks, due))
    assert.equal(1, world:count_of_logged "node c can't join: no messages go between it and b")
    assert.equal(1, world:count_of_logged "is expelled: no messages go between it and")
    world.all:set_transport()
    world:wait_for_members()
    assert.is_nil(world:what_is_wrong())
  end)
end)
