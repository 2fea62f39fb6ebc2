-- The user's handlers in regions that go on elsewhere: what they did between two ticks, and hooks that raise.
-- On simulated processes.
local files = require "spec.support.files"
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c" }

describe("The handlers of a region that goes on elsewhere", function()
  local world

  local function new_world(handlers, words)
    local of_world = { columns = 3, width = 900, handlers = "spec.support." .. handlers }
    for name, value in pairs(words or {}) do
      of_world[name] = value
    end
    world = simulated_world.new { seed = 1, nodes = NODES, wanderers = 0, words = of_world }
    world:wait_for_members()
  end

  local function new_world_with_stores(handlers, save_every)
    local folder = files.new_folder()
    finally(function()
      files.remove(folder)
    end)
    new_world(handlers, { store = folder, save_every = save_every })
  end

  local function ask(node, ...)
    return world:ask(world.worlds[node], ...)
  end

  -- An entity in each region, nobody's.
  local function enter_all()
    for region = 1, 3 do
      assert(ask(3, "enter", region, 300 * region - 200, 100, { address = false }))
    end
    world:run(300)
  end

  local function are_all_in()
    for region = 1, 3 do
      assert.is_true(ask(3, "query", "has", region))
      assert.is_true(world.members.a.directory[region].region == region)
      assert.equal(300 * region - 200, (ask(3, "query", "position", region)))
    end
  end

  it("have let entities leave between two ticks: these have left", function()
    new_world "kicking_handlers"
    assert(ask(1, "enter", 1, 100, 100, { address = false }))
    assert(ask(1, "enter", 2, 100, 100, { address = false }))
    local id = 1000
    for round = 1, 6 do
      local moved
      for i = 1, 30 do
        world:send_off(world.worlds[3], "enter", id, 105, 100, { address = false })
        id = id + 1
        world:run(10 + round)
        moved = i == 20 and world:send_off(world.worlds[1], "migrate", 1, NODES[round % 2 + 1]) or moved
      end
      world:run(600)
      assert.is_true(moved[1], moved[2])
    end
    world:run(2000)
    for entity = 1000, id - 1 do
      assert.is_nil(world.members.a.directory[entity])
    end
    assert.is_true(ask(3, "query", "has", 1))
  end)

  it("raise in `load` and `start`: the region goes on, and the log says so", function()
    new_world "raising_handlers"
    enter_all()
    assert.is_true((ask(1, "migrate", 2, "a")))
    assert.equal(1, world:count_of_logged "this load is wrong")
    assert.equal(1, world:count_of_logged "this start is wrong")
    are_all_in()
  end)

  it("raise in `save`: the region goes on without what they would have saved", function()
    new_world "raising_handlers"
    enter_all()
    assert.is_true((ask(1, "migrate", 1, "b")))
    assert.equal(1, world:count_of_logged "this save is wrong")
    assert.equal(0, world:count_of_logged "this load is wrong")
    are_all_in()
  end)

  it("give what skynet can't pack: the region goes on without it, and the log says so", function()
    new_world "unpackable_handlers"
    enter_all()
    assert(ask(1, "move", 1, 400, 100))
    world:run(500)
    assert.equal(1, world:count_of_logged "the hook pack failed")
    assert.equal(2, world.members.a.directory[1].region)
    assert.is_true((ask(1, "migrate", 3, "b")))
    assert.equal(1, world:count_of_logged "the hook save failed")
    assert.equal(3, #world.members.a.configuration.members)
    assert.equal(0, world:count_of_logged "begins anew")
    for region = 1, 3 do
      assert.is_true(ask(3, "query", "has", region))
    end
  end)

  it("get what they gave, however deep: as much as skynet takes", function()
    new_world "deep_handlers"
    enter_all()
    assert(ask(1, "move", 1, 400, 100))
    world:run(500)
    assert.equal(1, world:count_of_logged "unpacked 32 tables")
    assert.is_true((ask(1, "migrate", 2, "a")))
    assert.equal(1, world:count_of_logged "loaded 32 tables")
    assert.equal(0, world:count_of_logged "begins anew")
  end)

  it("raise as a store was read: the region is back, and no node begins anew", function()
    new_world_with_stores("raising_handlers", 2000)
    enter_all()
    world:kill(2)
    world:run(4000)
    assert.equal(1, world:count_of_logged "this load is wrong")
    assert.equal(2, #world.members.a.configuration.members)
    are_all_in()
  end)

  it("are missing on the new node: the region goes on without them until `reload`", function()
    new_world "kicking_handlers"
    enter_all()
    local search = package.searchpath
    rawset(package, "searchpath", function(name, ...)
      if name == "spec.support.kicking_handlers" then
        return nil, "not here"
      end
      return search(name, ...)
    end)
    finally(function()
      rawset(package, "searchpath", search)
    end)
    assert.is_true((ask(1, "migrate", 2, "a")))
    assert.equal(1, world:count_of_logged "on without handlers, until `reload`: handlers: there is no")
    are_all_in()
    rawset(package, "searchpath", search)
    assert.is_true((ask(1, "reload")))
    assert(ask(3, "enter", 1000, 405, 100, { address = false }))
    world:run(300)
    assert.is_false(ask(3, "query", "has", 1000))
  end)

  it("change in `joined` what has just entered, as in a scene", function()
    new_world "team_handlers"
    local agent = world:start_agent(3)
    assert.is_true(world:ask(agent, "view", "join", 1000, 100, 100))
    assert(ask(2, "enter", 1001, 110, 100, { address = false }))
    assert(ask(1, "update", 2, 400, 100, { address = false }))
    world:run(300)
    local _, known = world:ask(agent, "view", "known")
    assert.same({ [7] = "new 1" }, known[1001].properties)
    local _, me = world:ask(agent, "view", "me")
    assert.same({ [7] = "new 0" }, me.properties)
    assert.same({ 1000, 1001 }, (ask(2, "query", "areas")))
    assert.equal(0, world:count_of_logged "joined")
    assert.same({}, world.all.failed)
  end)

  it("are refused commands in `pack` and `unpack`, for which the tick stands still", function()
    new_world "hasty_handlers"
    enter_all()
    assert(ask(1, "move", 1, 400, 100))
    world:run(1000)
    for _, line in ipairs {
      "pack 1: set_property: the hook pack must not wait", "pack 1: transfer: the hook pack must not wait",
      "unpack 2: set_property: the hook unpack must not wait", "fork 1: set_property: entity 1",
    } do
      assert.equal(1, world:count_of_logged(line), line)
    end
    assert.equal(2, world.members.a.directory[1].region)
    assert.equal(3, #world.members.a.configuration.members)
    assert(ask(1, "move", 1, 410, 100)) -- it did not wait for ever
  end)

  it("are refused commands in `stop` as the region ends elsewhere, and the former service ends", function()
    new_world "hasty_handlers"
    enter_all()
    local function services_of(node)
      local n = 0
      for _ in pairs(world.all.processes[node].services) do
        n = n + 1
      end
      return n
    end
    local before = { services_of "a", services_of "b" }
    assert.is_true((ask(1, "migrate", 1, "b")))
    world:run(1000)
    assert.same({ before[1] - 1, before[2] + 1 }, { services_of "a", services_of "b" })
    assert.equal(1, world:count_of_logged "stop 1: leave: the region ends here")
    are_all_in()
  end)

  it("are refused commands in `save`, for which the tick stands still, where there are stores", function()
    new_world_with_stores("hasty_handlers", 1000)
    enter_all()
    world:run(3000)
    assert.is_true(world:count_of_logged "save 1: set_property: the hook save must not wait" > 2)
    assert.equal(3, #world.members.a.configuration.members)
    are_all_in()
  end)

  it("have no command of a name that the world has for itself", function()
    new_world "hasty_handlers"
    local load, stub = world.load, { map = { silence = 0 }, dims = 2, areas = {} }
    local of_world = { world = true, fellow = true }
    for _, name in ipairs { "queries", "overview", "operators" } do
      for command in pairs(load("aoi.skynet.world." .. name)(stub, stub, 0).commands) do
        of_world[command] = true
      end
    end
    local of_scene = { query = true, stats = true, reload = true }
    local of_region = load "aoi.skynet.region.commands"(stub, stub, of_scene)
    local n = 0
    for command in pairs(of_world) do
      assert.is_truthy(of_region[command], command)
      n = n + 1
    end
    assert.is_true(n > 12)
    local refusal = "where: this is a region of a world, which has no such command"
    assert.same({ nil, refusal }, { of_region.where() })
  end)
end)
