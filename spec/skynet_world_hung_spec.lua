-- A world in which a region of a node does not answer that node, on simulated processes: a hook of the
-- handlers waits.
local simulated_world = require "spec.support.simulated_world"
local switch = require "spec.support.hanging_switch"

local NODES = { "a", "b", "c", "d" } -- d has no region
local SILENCE = 800                  -- milliseconds

describe("a world with a region that hangs", function()
  local world

  local function new_world(seed, words)
    local of_world = { columns = 3, width = 750, silence = SILENCE, orphan = 10 * SILENCE,
      handlers = "spec.support.hanging_handlers" }
    for name, value in pairs(words or {}) do
      of_world[name] = value
    end
    world = simulated_world.new { seed = seed, nodes = NODES, wanderers = 30, words = of_world }
    return world:begin(500)
  end

  -- The region of this node is to move to another one, and its hook `save` does not return.
  local function hang(node, to)
    switch.is_hung = true
    world.skynet.fork(function()
      local region
      for i, owner in pairs(world.members[NODES[node]].configuration.owners) do
        region = owner == NODES[node] and i or region
      end
      pcall(world.control.tell, 4, "world", "migrate", region, NODES[to])
    end)
  end

  local function names()
    local list = {}
    for i, one in ipairs(world.members.d.configuration.members) do
      list[i] = one.name
    end
    return table.concat(list, " ")
  end

  -- Until there is another configuration, for so many milliseconds.
  local function wait_for_another(milliseconds)
    local key = world.members.d.configuration.key
    assert(world.all:run_until(milliseconds, function()
      return world.members.d.configuration.key ~= key
    end), "the world stands")
  end

  after_each(function()
    switch.is_hung = false
  end)

  it("expels its node alone, whatever the names", function()
    for node = 1, 3 do
      new_world(node, { coordinator = "d" })
      hang(node, node % 3 + 1)
      wait_for_another(2 * SILENCE + 1000)
      assert.equal(("a b c d"):gsub(NODES[node] .. " ", ""), names())
    end
  end)
end)
