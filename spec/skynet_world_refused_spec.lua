-- Enters that a region of a world refuses, as a value is wrong: nothing of them is left, on simulated
-- processes.
local files = require "spec.support.files"
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c" } -- a has the coordinator, c no regions
local A, B, C = 1, 2, 3
local WRONG = { { "x", 100 }, { 400, 100, { radius = -1 } }, { 400, 100, { radius = 1000 } } }

describe("an enter that is refused", function()
  local world, folder

  local function ask(node, ...)
    return world:ask(world.worlds[node], ...)
  end

  -- Who knows of the entity: a list of names of nodes.
  local function knowing(id)
    local names = {}
    for _, name in ipairs(NODES) do
      local member = world.members[name]
      names[#names + 1] = (member.directory[id] or member.owned[id]) and name
    end
    return names
  end

  before_each(function()
    folder = files.new_folder()
    world = simulated_world.new { seed = 1, nodes = NODES, wanderers = 0, words = { store = folder } }
    world:wait_for_members()
    for n, name in ipairs { "enter", "update" } do
      for i, values in ipairs(WRONG) do
        local opts = values[3] or {}
        opts.address = false
        local answer, message = ask(i % 2 == 0 and A or C, name, 10 * n + i, values[1], values[2], opts)
        assert.is_nil(answer)
        assert.matches("expected", message)
      end
    end
    world:run(200)
  end)

  after_each(function()
    files.remove(folder)
  end)

  local function nothing_is_left()
    for id = 11, 23 do
      assert.same({}, knowing(id))
    end
    assert.matches("is not in the space", (select(2, ask(A, "where", 11))))
    assert.matches("leave: id 21 is not in the space", (select(2, ask(A, "leave", 21))))
    assert.is_true((ask(C, "update", 11, 400, 100, { address = false })))
    assert.is_true((ask(A, "enter", 21, 100, 100, { address = false })))
    world:run(100)
    assert.equal(2, (ask(A, "where", 11)).region)
    assert.is_true((ask(A, "leave", 11)))
    assert.is_nil(world.all.failed[1])
  end

  it("leaves nothing", nothing_is_left)

  -- The region's clock is ahead: it is to number no stay of an agent's.
  for between = 0, 100, 20 do
    it(("begins no stay by an update %d ms behind it"):format(between), function()
      world = simulated_world.new { seed = 1, nodes = NODES, wanderers = 0, wrong = { b = 3600 } }
      world:wait_for_members()
      local agent = world:start_agent(C)
      assert.is_true((ask(B, "enter", 1, 410, 100, { address = false })))
      world:send_off(agent, "call", "enter", 9, 400, 100, { radius = -1 })
      world:run(between)
      world:send_off(agent, "call", "update", 9, 400, 100)
      world:run(300)
      assert.equal(2, (ask(A, "where", 9)).region)
      for _ = 1, 2 do
        local _, markers = world:ask(agent, "view", "known", 9)
        assert.truthy(markers[1])
        for _, call in ipairs { { "leave", 9 }, { "enter", 9, 400, 100 } } do
          local ok = world:ask(agent, "call", table.unpack(call))
          assert.is_true(ok)
        end
        world:run(300)
      end
    end)
  end

  it("leaves nothing in stores", function()
    world:kill(B)
    world:run(4000)
    assert.is_true(world:restart(B))
    world:run(3000)
    nothing_is_left()
  end)
end)
