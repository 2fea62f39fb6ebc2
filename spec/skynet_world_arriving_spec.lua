-- Transfers from a scene to the world beside it, with failures on the way, on simulated processes: the entity
-- is in one of both, and its agent knows in which.
local scene_beside = require "spec.support.scene_beside"

local A, C = 1, 4 -- nodes: of the coordinator, and of the agent and the scene
local PLACE = { 600, 100 }

describe("a transfer to a world on its way", function()
  local beside, world, answer

  local function begin(words)
    beside = scene_beside.new(words or {}, 20)
    world = beside.world
  end

  local function come()
    answer = world:send_off(beside.scene, "transfer", 9, world.worlds[C].handle, PLACE[1], PLACE[2])
  end

  local function join_and_come(after)
    beside.agent = world:start_service(C, "agent", beside.scene.handle)
    assert.is_true((world:ask(beside.agent, "view", "join", 9, 50, 50)))
    world:run(300)
    come()
    world:run(after)
  end

  -- Where the entity is, its agent is too, and knows what is seen there.
  local function all_is_well()
    beside:check(answer[1] == nil)
  end

  for after = 0, 120, 40 do
    it(("ends in one of both, though the world stands still for long after %d ms"):format(after), function()
      begin()
      join_and_come(after)
      world:stop(A)
      world:run(5000)
      world:continue(A)
      world:run(2000)
      all_is_well()
    end)
  end

  it("leaves nobody's entity in one of both, too, though the world stands still for long", function()
    begin()
    assert.is_true(world:ask(beside.scene, "enter", 9, 50, 50, { address = false }))
    come()
    world:run(40)
    world:stop(A)
    world:run(5000)
    world:continue(A)
    world:run(2000)
    assert.same({ nil, "transfer: unknown" }, answer)
    assert.is_true(beside:is_in_scene())
    assert.is_nil((world:ask(world.worlds[A], "where", 9)))
  end)

  for after = 20, 80, 20 do -- later the node has heard that it is in the world
    it(("ends in the scene, though the node is expelled after %d ms"):format(after), function()
      begin { orphan = 60000 }
      join_and_come(after)
      world.all:set_transport { sides = { a = 1, b = 1, d = 1, c = 2 } }
      world:run(3000)
      world.all:set_transport()
      world:run(3000)
      assert.same({ nil, "transfer: unknown" }, answer)
      all_is_well()
    end)
  end
end)
