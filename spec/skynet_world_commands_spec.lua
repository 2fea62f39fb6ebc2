-- Commands that the processes of a world use among themselves, when an agent sends them; on simulated
-- processes.
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c" } -- a has the coordinator, c no regions

describe("an agent of a world", function()
  local world

  -- An agent on node b calls.
  local function call(...)
    return table.pack(world:drive(3000, world.control.tell, 2, "world", ...))
  end

  local function send(...)
    local arguments = table.pack(...)
    world.skynet.fork(function()
      world.worlds[2].skynet.send(world.worlds[2].handle, "lua", table.unpack(arguments, 1, arguments.n))
    end)
    world:run(50)
  end

  -- A message as other processes send it.
  local function send_message(message)
    world.load "aoi.skynet.world.post".new("someone", function(_, piece)
      send("world", piece)
    end):text("b", world.skynet.packstring(message))
  end

  before_each(function()
    world = simulated_world.new { seed = 1, nodes = NODES, wanderers = 20 }
    world:begin(500)
  end)

  it("has none of those", function()
    local before = world.members.b.configuration.key
    for _, command in ipairs {
      { "of_coordinator", "drain_node", "b" }, { "world", "x" }, { "fellow" }, { "fellow", 5, "ask" },
    } do
      local answer = call(table.unpack(command))
      assert.is_nil(answer[1])
      assert.truthy(answer[2]:find "is no command of a world", answer[2])
    end
    assert.same({ nil, "again", n = 2 }, call("fellow", "x", "call_region", 1, "finish", 1, {}, {}, true))
    local key = world.members.b.key -- which "configuration" tells
    assert.same({ nil, "again", n = 2 }, call("fellow", key, "nothing"))
    for _, command in ipairs { "begin", "configure", "finish", "load", "lost", "own", "save", "take_back" } do
      assert.same({ nil, "again", n = 2 }, call("fellow", key, "call_region", 2, command, {}, {}), command)
    end
    for _, text in ipairs { "", "x", ("x"):rep(40) } do
      send("world", text)
    end
    send("world", 5)
    send_message "x"
    send_message { kind = "status", expelled = true }
    send_message { kind = "nothing", to_key = world.members.b.key }
    world:run(500)
    assert.equal(before, world.members.b.configuration.key)
    assert.is_nil(world:what_is_wrong())
  end)

  it("may send what an operator does, from a node that is no member, too", function()
    assert.is_true(call("drain_node", "b")[1])
    world:run(2500)
    assert.equal(2, #world.members.a.configuration.members)
    assert.is_true(call("add_node", "b")[1])
    world:run(500)
    assert.equal(3, #world.members.a.configuration.members)
    assert.is_nil(world:what_is_wrong())
  end)
end)
