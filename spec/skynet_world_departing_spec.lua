-- Transfers from a world to a scene beside it, with failures and commands of others on the way, on simulated
-- processes: the entity is in one of both, and its agent knows in which.
local files = require "spec.support.files"
local scene_beside = require "spec.support.scene_beside"

local A, D, C = 1, 3, 4 -- nodes: of the coordinator, of the entity's region, and of its agent and the scene
local PLACE = { 600, 100 }
local BOUND = 2 * 800 + 2000 + 100 -- milliseconds: an answer comes by then

describe("a transfer of a world on its way", function()
  local beside, world, answer

  -- tick: milliseconds, of the scene; nil: 20.
  local function begin(words, tick)
    beside = scene_beside.new(words or {}, tick or 20)
    world = beside.world
  end

  local function with_stores()
    local folder = files.new_folder()
    finally(function() files.remove(folder) end)
    begin { store = folder, configuration = folder .. "/configuration" }
  end

  local function go()
    answer = world:send_off(world.worlds[C], "transfer", 9, beside.scene.handle, 50, 50)
  end

  local function join_and_go()
    assert.is_true((world:ask(beside.agent, "view", "join", 9, PLACE[1], PLACE[2])))
    world:run(300)
    go()
  end

  local function new_agent()
    return world:start_agent(A)
  end

  local function is_unknown()
    return answer[2] == "transfer: unknown"
  end

  -- The entity is in the scene if the transfer was answered so.
  local function is_as_answered()
    assert.equal(answer[1] == true or is_unknown() and beside:is_in_scene(), beside:is_in_scene())
  end

  -- The entity is the agent's, in the world or in the scene, and the agent knows it and what is seen there.
  local function all_is_well()
    beside:check(answer[1] == true or is_unknown() and beside:is_in_scene())
  end

  -- The agent is in the scene, or nowhere: in the world the entity is another one's.
  local function is_there_or_out()
    is_as_answered()
    assert.same(answer[1] and { "scene", "2" } or { "nil", "" }, beside:known())
  end

  for after = 120, 280, 40 do
    for _, tick in ipairs { 20, 2000 } do
      it(("ends in one of both, though its region is lost after %d ms; the scene's ticks have %d"):format(
        after, tick), function()
        begin(nil, tick)
        join_and_go()
        world:run(after)
        world:kill(D)
        world:run(6000)
        all_is_well()
      end)
    end

    it(("ends in one of both, though its region is read after %d ms"):format(after), function()
      with_stores()
      join_and_go()
      world:run(after)
      world:kill(D)
      world:run(5000)
      all_is_well()
    end)

    it(("ends in one of both, though it stands still after %d ms"):format(after), function()
      begin()
      join_and_go()
      world:run(after)
      world:stop(A)
      world:run(5000)
      assert.is_true(answer[1] or is_unknown())
      world:continue(A)
      world:run(3000)
      all_is_well()
    end)

    it(("takes nothing that is another agent's after %d ms"):format(after), function()
      begin()
      join_and_go()
      local other = new_agent()
      world:run(after)
      local taken = world:send_off(other, "call", "enter", 9, PLACE[1], PLACE[2], { take_over = true })
      world:run(1500)
      assert.is_true(taken[1])
      assert.equal("1", beside:seen_by(other))
      is_there_or_out()
    end)

    it(("takes no later stay, when the first one is lost after %d ms"):format(after), function()
      begin()
      local opts = { address = false }
      assert.is_true((world:ask(world.worlds[A], "enter", 9, PLACE[1], PLACE[2], opts)))
      world:run(300)
      go()
      world:run(after)
      world:kill(D)
      while world.members.a.key_of.d do
        world:run(1)
      end
      local entered = world:send_off(world.worlds[A], "enter", 9, PLACE[1], PLACE[2], opts)
      world:run(3000)
      assert.is_true(entered[1])
      assert.is_number(world:ask(world.worlds[A], "where", 9).region)
      is_as_answered()
    end)

    it(("takes no later stay, of %d ms later"):format(after), function()
      begin()
      join_and_go()
      local other = new_agent()
      world:run(after)
      world:send_off(world.worlds[A], "leave", 9)
      local entered = world:send_off(other, "call", "enter", 9, PLACE[1], PLACE[2])
      world:run(1500)
      if entered[1] then
        assert.equal("1", beside:seen_by(other))
      end
      is_there_or_out()
    end)
  end

  it("is one at a time", function()
    begin()
    join_and_go()
    local second = beside:start_scene(20)
    world:run(20)
    assert.same({ nil, "transfer: entity 9 is on its way already" },
      { world:ask(world.worlds[C], "transfer", 9, second.handle, 50, 50) })
    world:run(1000)
    all_is_well()
  end)

  -- The scene takes nobody in until the function that this returns is called.
  local function hang()
    local service, is_hung = beside.scene, true
    local dispatch = service.dispatch
    function service.dispatch(session, source, name, ...)
      while is_hung and name == "arrive" do
        service.skynet.sleep(1)
      end
      return dispatch(session, source, name, ...)
    end
    return function()
      is_hung = false
    end
  end

  it("is answered in time though the scene hangs, and goes on when that answers", function()
    begin()
    local go_on = hang()
    join_and_go()
    world:run(BOUND)
    assert.same({ [2] = "transfer: unknown" }, answer)
    beside:check(false)
    go_on()
    world:run(1000)
    beside:check(true)
  end)

  it("is none when the entity has left before the scene answers", function()
    begin()
    local go_on = hang()
    join_and_go()
    world:run(BOUND)
    assert.is_true((world:ask(world.worlds[A], "leave", 9)))
    world:run(300)
    assert.same({ "nil", "" }, beside:known())
    go_on()
    world:run(1000)
    assert.same({ "nil", "" }, beside:known())
    assert.is_false(beside:is_in_scene())
    assert.is_false(world:ask(world.worlds[A], "query", "has", 9))
  end)

  -- The region's message says so, and it stops before its packets: the agent's own node tells it.
  for after = 0, 3 do
    it(("hides no end of a stay while the scene hangs: %d ms"):format(after), function()
      begin()
      hang()
      join_and_go()
      world:run(BOUND)
      world:send_off(world.worlds[A], "leave", 9)
      assert(world.all:run_until(1000, function()
        return not world.members.d.owned[9]
      end))
      world:run(after)
      world:kill(D)
      world:run(4000)
      local is_in = world:ask(world.worlds[A], "query", "has", 9)
      assert.equal(is_in and "world" or "nil", beside:known()[1])
    end)
  end
end)
