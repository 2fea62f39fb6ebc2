-- The numbers of streams in a world on simulated processes: an agent hears of all its stays in their order,
-- whatever the clocks of other nodes say, as its own node gives them, or hears of others; and that node knows
-- each of them, whoever began it, also where a store is read that does not.
local files = require "spec.support.files"
local simulated_world = require "spec.support.simulated_world"

local A, B, D, C = 1, 2, 3, 4 -- nodes: of regions, and of agents alone
local PLACE, OTHER = { 600, 100 }, { 610, 100 }

describe("streams of a world", function()
  local world, agent
  local left -- list of nodes that have not stood still yet

  local function ask(to, ...)
    return world:ask(to, ...)
  end

  -- wrong: name of a node -> by how many seconds its clock is wrong, or nil.
  local function begin_world(wrong)
    world = simulated_world.new { seed = 1, nodes = { "a", "b", "d", "c" }, wanderers = 0,
      words = { columns = 3, width = 750 }, wrong = wrong }
    world:wait_for_members()
  end

  local function start_service(name, ...)
    return world:start_service(C, name, ...)
  end

  local function new_agent()
    return world:start_agent(C)
  end

  -- What the agent knows of what entity 9 sees.
  local function known()
    local _, markers = ask(agent, "view", "known", 9)
    local ids = {}
    for id in pairs(markers) do
      ids[#ids + 1] = id
    end
    return ids
  end

  local function put_other()
    assert.is_true(ask(world.worlds[A], "enter", 1, OTHER[1], OTHER[2], { address = false }))
    world:run(200)
  end

  local function enter(who)
    assert.is_true((ask(who, "call", "enter", 9, PLACE[1], PLACE[2])))
    world:run(200)
  end

  -- The region has a node beside that of the coordinator, and that one stands still for ever. asks: nil, or
  -- is called while all wait for the node.
  local function lose_region(asks)
    local node = table.remove(left)
    assert.is_true(ask(world.worlds[A], "migrate", 3, world.nodes[node]))
    world:run(200)
    world:stop(node)
    world:run(400)
    if asks then
      asks()
    end
    world:run(2000)
  end

  local WAYS = {}

  function WAYS.enter()
    enter(agent)
  end

  -- It is asked for while the entity is there, and sent when that is lost.
  function WAYS.update()
    enter(agent)
    lose_region(function()
      world:send_off(agent, "call", "update", 9, PLACE[1], PLACE[2], { radius = 60 })
    end)
    put_other()
  end

  -- Its client begins another one, at the same address.
  function WAYS.stream()
    enter(agent)
    local number = (ask(agent, "streams", 9))[1][1] + 1
    assert.is_true((ask(agent, "call", "update", 9, PLACE[1], PLACE[2], { stream = number })))
    world:run(200)
  end

  function WAYS.address()
    local former = agent
    enter(former)
    agent = new_agent()
    assert.is_true((ask(former, "call", "update", 9, PLACE[1], PLACE[2], { address = agent.handle })))
    world:run(200)
  end

  function WAYS.set_traits()
    local former = agent
    enter(former)
    agent = new_agent()
    assert.is_true(ask(former, "call", "set_traits", 9, { address = agent.handle }))
    world:run(200)
  end

  local function new_scene()
    return start_service("scene", "engine=grid", "width=100", "height=100", "radius=20", "tick=20")
  end

  function WAYS.transfer()
    enter(agent)
    local scene = new_scene()
    assert.is_true(ask(world.worlds[C], "transfer", 9, scene.handle, 50, 50))
    world:run(200)
    assert.is_true(ask(scene, "transfer", 9, world.worlds[C].handle, PLACE[1], PLACE[2]))
    world:run(200)
  end

  -- It has been nobody's in the scene.
  WAYS["transfer with an address"] = function()
    local scene = new_scene()
    assert.is_true(ask(scene, "enter", 9, 50, 50, { address = false }))
    assert.is_true(ask(scene, "transfer", 9, world.worlds[C].handle, PLACE[1], PLACE[2],
      { address = agent.handle }))
    world:run(200)
  end

  for name, begin in pairs(WAYS) do
    it(("are in order, with one that begins by %s"):format(name), function()
      begin_world { c = -3600, d = 3600 }
      agent, left = new_agent(), { B, D }
      put_other()
      begin()
      assert.same({ 1 }, known())
      lose_region()
      assert.same({}, known())
      put_other()
      enter(agent)
      assert.same({ 1 }, known())
      assert.is_nil(world.all.failed[1])
    end)
  end

  -- Clocks that are an hour behind: that of the agent that takes over; those of the other one and the region.
  local BEHIND = { ["its own"] = { c = -3600 }, ["the other one's"] = { a = -3600, d = -3600 } }
  local TAKING_OVER = {
    enter = function()
      return (ask(agent, "call", "enter", 9, PLACE[1], PLACE[2], { take_over = true }))
    end,
    update = function()
      return (ask(agent, "call", "update", 9, PLACE[1], PLACE[2], { address = agent.handle }))
    end,
    set_traits = function()
      return (ask(agent, "call", "set_traits", 9, { address = agent.handle }))
    end,
  }

  for name, take_over in pairs(TAKING_OVER) do
    for whose, wrong in pairs(BEHIND) do
      it(("are in order, if an agent takes over by %s, %s clock being behind"):format(name, whose), function()
        begin_world(wrong)
        agent = new_agent()
        put_other()
        enter(agent)
        assert.is_true((ask(agent, "call", "leave", 9)))
        local former = world:start_agent(A)
        assert.is_true((ask(former, "call", "enter", 9, PLACE[1], PLACE[2])))
        assert.is_true(take_over())
        world:run(200)
        assert.same({ 1 }, known())
        for _ = 1, 2 do
          assert.is_true((ask(agent, "call", "leave", 9)))
          assert.same({}, known())
          enter(agent)
          assert.same({ 1 }, known())
        end
        assert.is_nil(world.all.failed[1])
      end)
    end
  end

  -- ---- calls that wait, or are applied in one tick ----------------------------------------------

  local function take_over(who)
    world:send_off(who, "call", "enter", 9, PLACE[1], PLACE[2], { take_over = true })
  end

  local function leave(who)
    assert.is_true((ask(who, "call", "leave", 9)))
  end

  local rival

  -- How an agent on C comes to a stay, behind others of which it may hear.
  local COURSES = {
    ["a client joins while an enter and a leave wait"] = { {}, function()
      local gate = new_agent()
      world:send_off(gate, "call", "enter", 9, PLACE[1], PLACE[2], { address = agent.handle })
      world:send_off(gate, "call", "leave", 9)
      world:run(20)
      world:send_off(agent, "view", "join", 9, PLACE[1], PLACE[2])
    end },
    ["a transfer is asked for while an enter and a leave wait"] = { {}, function()
      local scene = new_scene()
      assert.is_true(ask(scene, "enter", 9, 50, 50, { address = false }))
      world:send_off(agent, "call", "enter", 9, PLACE[1], PLACE[2])
      world:send_off(agent, "call", "leave", 9)
      world:send_off(scene, "transfer", 9, world.worlds[C].handle, PLACE[1], PLACE[2],
        { address = agent.handle })
    end },
    ["it takes over and leaves in one tick"] = { { c = -3600 }, function()
      enter(rival)
      world:send_off(agent, "call", "set_traits", 9, { address = agent.handle })
      world:send_off(agent, "call", "leave", 9)
      world:run(400)
      enter(agent)
    end },
    ["it takes over, and the other one in the same tick"] = { { c = -3600 }, function()
      enter(rival)
      take_over(agent)
      take_over(rival)
      world:run(400)
      leave(rival)
      enter(agent)
    end },
    ["it comes back from a scene that it left"] = { { c = -3600 }, function()
      enter(rival)
      take_over(agent)
      world:run(200)
      local scene = new_scene()
      assert.is_true(ask(world.worlds[C], "transfer", 9, scene.handle, 50, 50))
      world:run(200)
      assert.is_true((ask(scene, "leave", 9)))
      enter(agent)
    end },
  }

  for name, course in pairs(COURSES) do
    it(("are in order, when %s"):format(name), function()
      begin_world(course[1])
      agent, rival = new_agent(), world:start_agent(A)
      put_other()
      course[2]()
      world:run(800)
      assert.same({ 1 }, known())
      assert.is_nil(world.all.failed[1])
    end)
  end

  it("begin with the number that set_traits gives, if that is later", function()
    world = simulated_world.new { seed = 1, nodes = { "a", "b", "d", "c" }, wanderers = 0 }
    world:wait_for_members()
    for _, where in ipairs { new_scene(), world.worlds[C] } do
      agent = new_agent()
      local function set(opts)
        return { ask(where, "set_traits", 9, opts) }
      end
      assert.is_true(ask(where, "enter", 9, 50, 50, { address = agent.handle, stream = 70 }))
      assert.same({ nil, "set_traits: stream is 70, expected a later one than 70, the last of entity 9", 70 },
        set { address = agent.handle, stream = 70 })
      assert.same({ nil, "set_traits: stream is late, expected an integer from 0 to 4294967295" },
        set { address = agent.handle, stream = "late" })
      assert.matches("^set_traits: option stream is none of this command without an address",
        set { stream = 71 }[2])
      assert.same({ true }, set { address = agent.handle, stream = 71 })
      world:run(300)
      local told = ask(agent, "streams", 9)
      assert.equal(71, told[#told][1])
    end
  end)

  -- ---- who knows of them ----------------------------------------------------------------------

  -- The address of an agent as regions of all nodes take it.
  local function full_address(node, of)
    return ("%s:%08x"):format(world.members[world.nodes[node]].key, of.handle)
  end

  local NAMING = {
    enter = function(to, address)
      return ask(to, "enter", 9, PLACE[1], PLACE[2], { address = address, take_over = true })
    end,
    update = function(to, address)
      return ask(to, "update", 9, PLACE[1], PLACE[2], { address = address })
    end,
    set_traits = function(to, address)
      return ask(to, "set_traits", 9, { address = address })
    end,
  }

  local function lost_by(node)
    return ask(world.worlds[node], "stats").lost
  end

  for name, give in pairs(NAMING) do
    it(("are known at the agent's node, when another one gave it the entity by %s"):format(name), function()
      begin_world()
      agent, left = new_agent(), { B, D }
      local former = world:start_agent(A)
      assert.is_true((ask(former, "call", "enter", 9, PLACE[1], PLACE[2])))
      put_other()
      assert.is_true((give(world.worlds[A], full_address(C, agent))))
      world:run(300)
      assert.same({ 1 }, known())
      lose_region()
      assert.same({}, known()) -- it has heard that its entity is lost
      assert.same({ 0, 1 }, { lost_by(A), lost_by(C) })
      assert.is_true((ask(former, "call", "enter", 9, PLACE[1], PLACE[2])))
      assert.is_true((give(world.worlds[A], full_address(C, agent))))
      agent:end_it()
      world:run(400)
      assert.matches("is not in the space", (select(2, ask(world.worlds[A], "where", 9))))
      assert.is_nil(world.all.failed[1])
    end)
  end

  -- Calls that begin a stay of the agent on C, of an entity that is in. `agent` is then its agent.
  local RENEWING = {
    stream = function()
      local number = (ask(agent, "streams", 9))[1][1] + 1
      return ask(agent, "call", "update", 9, PLACE[1], PLACE[2], { stream = number })
    end,
    ["the same address"] = function()
      return ask(agent, "call", "update", 9, PLACE[1], PLACE[2], { address = agent.handle })
    end,
    ["an address"] = function()
      agent = new_agent()
      return NAMING.update(world.worlds[C], agent.handle)
    end,
    set_traits = function()
      agent = new_agent()
      return NAMING.set_traits(world.worlds[C], agent.handle)
    end,
    ["taking over"] = function()
      agent = new_agent()
      return ask(agent, "call", "enter", 9, PLACE[1], PLACE[2], { take_over = true })
    end,
    ["another node's call"] = function()
      agent = new_agent()
      return NAMING.set_traits(world.worlds[A], full_address(C, agent))
    end,
  }

  for name, renew in pairs(RENEWING) do
    for place, of_first in pairs { ["an agent there"] = C, ["an agent of another node"] = A } do
      it(("go on though a store has an earlier one, of %s: %s"):format(place, name), function()
        local folder = files.new_folder()
        finally(function()
          files.remove(folder)
        end)
        world = simulated_world.new { seed = 1, nodes = { "a", "b", "d", "c" }, wanderers = 0, regions = 2,
          words = { width = 1200, store = folder, configuration = folder .. "/configuration",
            save_every = 60000 } }
        world:wait_for_members()
        local former = world:start_agent(of_first)
        agent = former
        assert.is_true((ask(former, "call", "enter", 9, PLACE[1] + 50, PLACE[2])))
        world:run(200)
        if (name == "stream" or name == "the same address") and of_first == A then
          agent = new_agent()
          assert.is_true((ask(agent, "call", "enter", 9, PLACE[1], PLACE[2], { take_over = true })))
          world:run(200)
        end
        local path = folder .. "/b-region-2-scene.aoi"
        local before = files.read(path)
        assert.is_true((renew()))
        world:run(300)
        world:kill(B)
        files.write(path, before)
        world:run(4000)
        assert.is_true(ask(world.worlds[A], "enter", 1, PLACE[1] + 20, PLACE[2], { address = false }))
        world:run(300)
        assert.same({ 1 }, known())
        local told = ask(agent, "streams", 9)
        assert.equal(told[#told][1], ask(world.worlds[C], "where", 9).stream)
        agent:end_it()
        world:run(400)
        assert.matches("is not in the space", (select(2, ask(world.worlds[A], "where", 9))))
        assert.is_nil(world.all.failed[1])
      end)
    end
  end

  -- The store has it from the tick in which its owner is lost: nobody has been told.
  it("end with the address, where a store alone knows of that", function()
    local folder = files.new_folder()
    finally(function()
      files.remove(folder)
    end)
    world = simulated_world.new { seed = 1, nodes = { "a", "b", "d", "c" }, wanderers = 0, regions = 2,
      words = { width = 1200, store = folder, configuration = folder .. "/configuration" } }
    world:wait_for_members()
    agent = new_agent()
    put_other()
    enter(agent)
    assert.same({ 1 }, known())
    world:send_off(agent, "call", "set_traits", 9, { address = false })
    assert(world.all:run_until(2000, function() return not world.members.b.owned[9].home end))
    world:kill(B)
    world:run(4000)
    local where = ask(world.worlds[A], "where", 9)
    assert.is_number(where.region)
    assert.is_nil(where.stream)
    assert.is_nil(world.all.failed[1])
  end)

  -- Ticks are 50 ms long: some of these moments are between the first views of the stream and the answer.
  for after = 60, 160, 20 do
    it(("end for their agent, though the owner stands still %d ms after one begins"):format(after), function()
      begin_world()
      agent = new_agent()
      put_other()
      enter(agent)
      world:send_off(agent, "call", "update", 9, PLACE[1], PLACE[2], { address = agent.handle })
      world:run(after)
      world:stop(D)
      world:run(4000)
      assert.is_nil((ask(world.worlds[A], "where", 9)))
      assert.same({}, known())
    end)
  end

  -- Its enter has no answer yet and is sent again; that of another node comes first.
  for after = 60, 160, 20 do
    it(("end for their agent, though its owner stands still %d ms after its enter"):format(after), function()
      begin_world()
      agent = new_agent()
      put_other()
      world:send_off(agent, "call", "enter", 9, PLACE[1], PLACE[2])
      world:run(after)
      world:stop(D)
      world:run(100)
      world:send_off(world.worlds[A], "enter", 9, PLACE[1], PLACE[2], { address = false })
      world:run(4000)
      assert.is_number(ask(world.worlds[A], "where", 9).region)
      assert.same({}, known())
    end)
  end
end)
