-- A world with stores whose nodes are killed, whole but for skynet (see skynet_world_failures_spec.lua): it
-- comes back with all that it had, at whatever moment of a tick it was killed.
local numbers = require "aoi.skynet.world.numbers"
local fails = require "spec.support.fails"
local files = require "spec.support.files"
local random_failures = require "spec.support.random_failures"
local seeds = require "spec.support.seeds"
local simulated_world = require "spec.support.simulated_world"
local simulation = require "spec.support.simulation"

local NODES = { "a", "b", "c", "d" } -- d has no region

local folder

local function new_world(seed, wanderers)
  return simulated_world.new { seed = seed, nodes = NODES, wanderers = wanderers,
    words = { columns = 2, rows = 2, width = 500, height = 500, store = folder,
      configuration = folder .. "/configuration",
      save_every = 2000 } }:begin(1500)
end

-- How many stays of agents have ended as the entity was lost.
local function count_lost(world)
  local n = 0
  for node = 1, #NODES do
    n = n + assert(world:drive(1000, world.control.tell, node, "world", "stats")).lost
  end
  return n
end

-- How often a store was read, and how many lines complain of one.
local function count_read(world)
  local n, complaints = 0, 0
  for _, line in ipairs(world.all.logged) do
    n = n + (line[3]:find("is back from its store", 1, true) and 1 or 0)
    local complains = line[3]:find("the store", 1, true) or line[3]:find("not saved", 1, true)
    complaints = complaints + (complains and 1 or 0)
  end
  return n, complaints
end

-- All entities as the regions have them: id -> { x, y }.
local function places_of(world)
  local ids, n = world:drive(3000, world.control.tell, 1, "world", "query", "ids")
  assert(ids, n)
  local at = world:drive(3000, world.control.tell, 1, "world", "query", "positions", ids, n)
  local places = {}
  for i = 1, n do
    places[ids[i]] = { at[2 * i - 1], at[2 * i] }
  end
  return places
end

describe("a world with stores", function()
  before_each(function()
    folder = files.new_folder()
  end)

  after_each(function()
    files.remove(folder)
  end)

  it("comes back when a node was killed at any moment of a tick", function()
    local world = new_world(1, 30)
    local moments = 12
    for moment = 1, moments do
      local node = moment % 3 + 1
      world:run(50 * moment / moments)
      world:kill(node)
      world:run(moment % 4 == 0 and 1300 or 120)
      assert.is_true(world:restart(node))
      world:run(400)
    end
    assert.is_nil(world:what_is_wrong())
    assert.equal(0, count_lost(world))
    local read, complaints = count_read(world)
    assert.is_true(read >= 12 and complaints == 0, read .. " " .. complaints)
  end)

  it("tries one full save each second while the disk is full, and nothing else", function()
    local world = simulated_world.new { seed = 5, nodes = { "a", "b", "c" }, wanderers = 0,
      words = { store = folder, configuration = folder .. "/configuration", save_every = 1000 } }
    world:wait_for_members()
    world:run(200)
    local full = ("'%s/b-region-2-new.aoi'"):format(folder)
    assert(os.execute("mkdir " .. full)) -- no full save succeeds any more
    world:run(2000)
    local before = #world.all.logged
    world:run(5000)
    local tried = 0
    for i = before + 1, #world.all.logged do
      local line = world.all.logged[i][3]
      tried = tried + (line:find("b-region-2-new.aoi: ", 1, true) and 1 or 0)
      assert.is_nil(line:find("between two chunks", 1, true))
    end
    assert.is_true(tried >= 4 and tried <= 5, tried)
    assert(os.execute("rmdir " .. full))
    world:run(1200)
    assert.same({}, world.members.a.unsaved)
    assert.is_nil(world.all.failed[1])
  end)

  it("is written again when the region's former service there has ended; no tick waits for it", function()
    local switch = require "spec.support.hanging_switch"
    local world = simulated_world.new { seed = 5, nodes = { "a", "b", "c" }, wanderers = 0,
      words = { store = folder, save_every = 1000, handlers = "spec.support.lingering_handlers" } }
    finally(function()
      switch.is_hung = false
    end)
    local function call(...)
      return world:drive(6000, simulation.call, world.driver, world.worlds[1], ...)
    end
    world:wait_for_members()
    assert.is_true(call("enter", 1, 350, 100, { address = false }))
    switch.is_hung = true
    assert.is_true((call("migrate", 2, "a")))
    world:run(1000)
    assert.is_true((call("migrate", 2, "b")))
    local before = world.members.a.finished
    world:run(8000)
    assert.same({ 2 }, numbers.sorted(world.members.a.unsaved))
    assert.equal(3, #world.members.a.configuration.members)
    assert.is_true(world.members.a.finished > before + 150)
    switch.is_hung = false
    world:run(2500)
    assert.same({}, world.members.a.unsaved)
    world:kill(2)
    world:run(4000)
    assert.equal(2, #world.members.a.configuration.members)
    assert.is_true(call("query", "has", 1))
  end)

  -- A world in which the store of region 2, with entities 1 to 3, can't be written any more, and a function
  -- that calls it.
  local function new_world_behind()
    local world = simulated_world.new { seed = 5, nodes = { "a", "b", "c" }, wanderers = 0,
      words = { store = folder, configuration = folder .. "/configuration", save_every = 1000 } }
    world:wait_for_members()
    local function call(...)
      return world:drive(6000, simulation.call, world.driver, world.worlds[1], ...)
    end
    for id = 1, 3 do
      assert.is_true(call("enter", id, 350, 100, { address = false }))
    end
    world:run(200)
    assert(os.execute(("mkdir '%s/b-region-2-new.aoi'"):format(folder))) -- no full save succeeds any more
    world:run(2500)
    return world, call
  end

  it("has nobody back who has left elsewhere while a region's store was behind", function()
    local world, call = new_world_behind()
    assert.truthy(select(2, count_read(world)) > 0)
    assert.is_true(call("move", 1, 100, 100)) -- to the other region
    assert.is_true(call("leave", 2))
    world:run(300)
    assert.is_true(call("leave", 1))
    world:run(1000)
    world:kill(2)
    world:run(4000)
    assert.equal(1, (count_read(world)))
    assert.same({ false, false, true },
      { call("query", "has", 1), call("query", "has", 2), call("query", "has", 3) })
    assert.is_nil(world.all.failed[1])
  end)

  it("forgets who came and left while a region's store was behind", function()
    local world, call = new_world_behind()
    for id = 1, 10 do
      if id > 3 then
        assert.is_true(call("enter", id, 350, 100, { address = false }))
      end
      if id ~= 3 then
        assert.is_true(call("move", id, 100, 100)) -- to the other region
        world:run(200)
        assert.is_true(call("leave", id))
      end
    end
    world:run(500)
    for _, member in pairs(world.members) do
      assert.same({ 2 }, numbers.sorted(member.unsaved))
      assert.equal(2, #numbers.sorted(member.ended)) -- the store has two of them
    end
    world:kill(2)
    world:run(4000)
    assert.equal(1, (count_read(world)))
    assert.equal(3, next(places_of(world)))
    assert.is_nil(next(places_of(world), 3))
    assert.is_nil(world.all.failed[1])
  end)

  it("tells an agent that its entity is back from an earlier stay, as the store is cut off", function()
    local world = simulated_world.new { seed = 5, nodes = { "a", "b", "c" }, wanderers = 0,
      words = { store = folder, configuration = folder .. "/configuration", save_every = 60000 } }
    world:wait_for_members()
    local agent = world:start_agent(3)
    local function ask(...)
      return world:drive(6000, simulation.call, world.driver, agent, ...)
    end
    assert.is_true(ask("view", "join", 1, 350, 100, { radius = 50 }))
    world:run(200)
    local path = folder .. "/b-region-2-scene.aoi"
    local before = files.read(path)
    assert.is_true(ask("view", "leave"))
    world:run(500)
    assert.is_true(ask("view", "join", 1, 360, 100, { radius = 50 }))
    world:run(500)
    ask "heard"
    world:kill(2)
    files.write(path, before)
    world:run(4000)
    assert.equal(1, (count_read(world)))
    assert.is_true(world:drive(6000, simulation.call, world.driver, world.worlds[1], "enter", 2, 355, 100,
      { address = false }))
    world:run(300)
    local heard = {}
    for _, event in ipairs(ask "heard") do
      heard[event[1]] = event
    end
    assert.truthy(heard.lost)
    assert.equal(2, heard.entered and heard.entered[2])
    assert.same({ 360, 100 }, places_of(world)[1])
    assert.is_nil(world.all.failed[1])
  end)

  it("has who was in two stores as the later one has it", function()
    local world = simulated_world.new { seed = 6, nodes = { "a", "b", "c" }, wanderers = 0,
      words = { store = folder, configuration = folder .. "/configuration", save_every = 1000 } }
    world:wait_for_members()
    local function call(...)
      return world:drive(6000, simulation.call, world.driver, world.worlds[1], ...)
    end
    for id, from in ipairs { 100, 350 } do
      assert.is_true(call("enter", id, from, 100, { address = false }))
    end
    world:run(1500) -- each store has one of them
    for node, name in ipairs { "a", "b" } do
      local path = ("%s/%s-region-%d-new.aoi"):format(folder, name, node)
      assert(os.execute(("mkdir '%s'"):format(path)))
      world:run(2500) -- no full save has succeeded, and no chunk
      assert.is_true(call("move", node, node == 1 and 350 or 100, 100)) -- to the other region
      world:run(300)
      assert.is_true(call("move", node, node == 1 and 360 or 110, 100))
      world:run(300)
      assert(os.execute(("rmdir '%s'"):format(path)))
      for killed = 1, 2 do
        world:kill(killed)
      end
      for killed = 1, 2 do
        world:start_node(killed)
      end
      world:run(4000)
      local at = places_of(world)[node]
      assert.same({ node == 1 and 360 or 110, 100 }, at)
    end
    assert.is_nil(world.all.failed[1])
  end)

  it("has the areas of an entity that was on its way to another region", function()
    for moment = 30, 110, 20 do
      local world = simulated_world.new { seed = 9, nodes = { "a", "b", "c" }, wanderers = 0,
        words = { store = folder, configuration = folder .. "/configuration", save_every = 1000 } }
      world:wait_for_members()
      local function call(...)
        return world:drive(6000, simulation.call, world.driver, world.worlds[1], ...)
      end
      assert.is_true(call("enter", 1, 100, 100, { address = false }))
      assert.is_true(call("add_area", 7, { owner = 1, radius = 10 }))
      world:run(500)
      world:drive(moment, simulation.call, world.driver, world.worlds[1], "move", 1, 350, 100)
      for node = 1, 2 do
        world:kill(node)
      end
      for node = 1, 2 do
        world:start_node(node)
      end
      world:run(2500)
      assert.same({ true, { 7 }, {} }, { call("query", "has", 1), (call("query", "areas")),
        (call("query", "members_of", 7)) })
      assert.is_true(call("remove_area", 7))
      assert.is_true(call("leave", 1))
      assert.is_nil(world.all.failed[1])
      for node = 1, 3 do
        world:kill(node)
      end
      os.execute("rm -r '" .. folder .. "'/*")
    end
  end)

  it("comes back where it was when everything was killed, for agents that are new", function()
    local world = new_world(2, 30)
    assert.is_table(world:drive(16000, world.rightness.places, world.control))
    world:run(150)
    local before = places_of(world)
    assert.is_true(before[1] and before[30] and true)
    for node = 1, #NODES do
      world:kill(node)
      world:run(9)
    end
    for node = #NODES, 1, -1 do
      world:start_node(node)
      world:run(60)
    end
    world:run(2500)
    assert.same(before, places_of(world))
    for node = 1, #NODES do
      assert.is_true(world:start_wanderers(node))
    end
    world:run(2500)
    assert.is_nil(world:what_is_wrong())
    assert.equal(0, count_lost(world))
  end)

  it("has who comes from a scene where it comes, though a copy came back from the store", function()
    local world = new_world(4, 0)
    local function ask(to, ...)
      return world:ask(to, ...)
    end
    local function start(name, ...)
      return world:start_service(1, name, ...)
    end
    for id, data in ipairs { "first", "second" } do
      local agent = world:start_agent(1)
      assert.is_true(ask(agent, "view", "join", id, 100, 100 + id, { data = data }))
    end
    world:run(200)
    for node = 1, #NODES do
      world:kill(node)
    end
    for node = 1, #NODES do
      world:start_node(node)
    end
    world:run(1000)
    local scene = start("scene", "engine=crosslist", "radius=20", "tick=20")
    local agents = {}
    for id = 1, 2 do
      agents[id] = start("agent", scene.handle)
      assert.is_true(ask(agents[id], "view", "join", id, 10, 10))
    end
    assert.same({ true }, { ask(agents[1], "view", "go", world.worlds[1].handle, 400, 400) })
    assert.is_true(ask(scene, "transfer", 2, world.worlds[1].handle, 410, 400))
    world:run(300)
    for id = 1, 2 do
      assert.same({ 390 + 10 * id, 400 }, { ask(world.worlds[2], "query", "position", id) })
      assert.same({ true, world.worlds[1].handle, id }, { ask(agents[id], "view", "scene") })
      local _, known = ask(agents[id], "view", "known")
      assert.same({ [3 - id] = { 420 - 10 * id, 400 } }, known) -- without the data of before
    end
    world:run(4000) -- no orphan is looked for any more
    assert.equal(400, (ask(world.worlds[2], "query", "position", 1)))
    assert.is_nil(world.all.failed[1])
  end)

  it("lets go of entities whose agents do not come back", function()
    local world = new_world(3, 12)
    for node = 1, #NODES do
      world:kill(node)
    end
    for node = 1, #NODES do
      world:start_node(node)
    end
    world:run(2500)
    assert.is_not_nil(next(places_of(world)))
    world:run(3000)
    assert.same({}, places_of(world))
  end)

  it("comes back where its regions have moved to", function()
    local world = new_world(7, 30)
    for region, node in ipairs { "b", "c", "b" } do -- nothing is left on a but the fourth
      assert.is_true(world:drive(5000, world.control.tell, 1, "world", "migrate", region, node))
    end
    world:run(200)
    for _, killed in ipairs { { 2 }, { 1, 2, 3 } } do
      for _, node in ipairs(killed) do
        world:kill(node)
      end
      world:run(700)
      for _, node in ipairs(killed) do
        assert.is_true(world:restart(node))
      end
      world:run(3500)
      assert.is_nil(world:what_is_wrong())
      assert.equal(0, count_lost(world))
    end
  end)

  it("keeps the store of a region that has moved until the new owner has written", function()
    local world = simulated_world.new { seed = 8, nodes = { "a", "b", "c" }, wanderers = 0,
      words = { store = folder, configuration = folder .. "/configuration", save_every = 1000 } }
    world:wait_for_members()
    world:run(500)
    local function is_stored(node)
      local path = ("%s/%s-region-1-scene.aoi"):format(folder, node)
      return os.rename(path, path) ~= nil
    end
    local full = ("'%s/b-region-1-new.aoi'"):format(folder)
    assert(os.execute("mkdir " .. full)) -- b can't save it
    assert.is_true(world:drive(5000, world.control.tell, 1, "world", "migrate", 1, "b"))
    world:run(1000)
    world:kill(3)
    world:run(4000) -- another configuration
    assert.same({ true, false }, { is_stored "a", is_stored "b" })
    assert(os.execute("rmdir " .. full))
    world:run(3000)
    assert.same({ false, true }, { is_stored "a", is_stored "b" })
    assert.is_nil(world.all.failed[1])
  end)

  it("finds the stores of nodes that are in no word, though they do not come back", function()
    local world = simulated_world.new { seed = 1, nodes = { "a", "b", "e", "f" }, wanderers = 0, regions = 3,
      words = { nodes = "a,b", store = folder, configuration = folder .. "/configuration" } }
    world:wait_for_members()
    assert.is_true(world:drive(5000, world.control.tell, 1, "world", "migrate", 2, "e"))
    assert.is_true(world:ask(world.worlds[1], "enter", 7, 350, 100, { address = false }))
    world:run(500)
    for _, name in ipairs { "a", "b" } do -- neither can save it
      assert(os.execute(("mkdir '%s/%s-region-2-new.aoi'"):format(folder, name)))
    end
    for _, last in ipairs { 4, 2 } do -- the second time no configuration has e
      for node = 1, last do
        world:kill(node)
      end
      for node = 1, 2 do
        world:start_node(node)
      end
      world:run(4000)
      assert.same({ "a", "b" }, world.members.a.names)
      assert.same({ [7] = { 350, 100 } }, places_of(world))
    end
    assert.is_nil(world.all.failed[1])
  end)

  it("keeps a configuration whole, or the one before", function()
    local world = simulated_world.new { seed = 1, nodes = { "a", "b", "c" }, wanderers = 0,
      words = { store = folder, configuration = folder .. "/configuration" } }
    world:wait_for_members()
    local path = folder .. "/a-configuration.aoi"
    local before = files.read(path)
    assert(os.execute(("ln -s /dev/full '%s.new'"):format(path)))
    assert.is_true(world:drive(5000, world.control.tell, 1, "world", "migrate", 2, "a"))
    assert.is_nil(os.execute(("test -L '%s'"):format(path)))
    assert.equal(before, files.read(path))
    local text = ""
    for _, line in ipairs(world.all.logged) do
      text = text .. line[3] .. "\n"
    end
    assert.truthy(text:find("the configuration is not kept: No space left on device", 1, true), text)
    assert.is_nil(world.all.failed[1])
  end)

  it("waits for the owners when all begin anew, also without the coordinator's file", function()
    local world = simulated_world.new { seed = 9, nodes = NODES, wanderers = 0, regions = 3,
      words = { columns = 2, rows = 2, width = 500, height = 500, store = folder } }
    -- Each node has a folder of its own.
    for _, name in ipairs(NODES) do
      os.execute(("mkdir %s/%s"):format(folder, name))
    end
    local words = world.words
    local function start(node)
      world.words = {}
      for i, word in ipairs(words) do
        world.words[i] = word:find "^store=" and word .. "/" .. NODES[node] or word
      end
      world:start_node(node)
      world.words = words
    end
    for node = 1, #NODES do
      world:kill(node)
      start(node)
    end
    world:wait_for_members()
    for id = 1, 20 do
      assert.is_true(world:drive(2000, world.control.tell, 4, "world", "enter", id, id * 25 - 10, 400,
        { address = false }))
    end
    world:run(500)
    local before = places_of(world)
    for node = 1, #NODES do
      world:kill(node)
    end
    for _, node in ipairs { 1, 2, 4 } do
      start(node)
    end
    world:run(5000)
    assert.is_nil(world.members.a.configuration)
    start(3)
    world:run(2500)
    assert.same(before, places_of(world))
  end)

  it("lets entities leave whose agents died while their region was read", function()
    local world = new_world(5, 0)
    local agents = {}
    for id = 1, 30 do
      local agent = world:start_agent(4)
      assert.is_true(world:ask(agent, "view", "join", id, 400, 100))
      agents[id] = agent
    end
    world:run(200)
    world:kill(2) -- it has the region there
    for id = 2, 30 do
      world:run(45)
      agents[id]:end_it()
    end
    world:run(2500)
    assert.same({ [1] = { 400, 100 } }, places_of(world))
  end)

  it("passes over stores that are damaged, or of another region, and says so", function()
    local world = new_world(6, 30)
    assert.is_table(world:drive(16000, world.rightness.places, world.control))
    world:run(150)
    local before, of_first = places_of(world), 0
    for _, place in pairs(before) do
      of_first = of_first + (place[1] < 250 and place[2] < 250 and 1 or 0)
    end
    for node = 1, #NODES do
      world:kill(node)
    end
    local function move(from, to)
      local pipe = io.popen(("cd %s; ls *-region-%d-scene.aoi"):format(folder, from))
      local name = pipe:read "l"
      pipe:close()
      assert(os.rename(folder .. "/" .. name, folder .. "/" .. to))
    end
    os.execute("rm -f " .. folder .. "/*-before.aoi")
    move(1, "a-region-9-scene.aoi")
    move(2, "b-region-1-scene.aoi")
    local pipe = io.popen("cd " .. folder .. "; ls *-region-3-scene.aoi")
    files.write(folder .. "/" .. pipe:read "l", "AOIFILE\1damaged")
    pipe:close()
    for node = 1, #NODES do
      world:start_node(node)
    end
    world:run(4000)
    local after, lines = places_of(world), {}
    for id, place in pairs(after) do
      assert.same(before[id], place)
      assert.is_true(place[1] >= 250 and place[2] >= 250) -- the fourth region alone is whole
    end
    for _, line in ipairs(world.all.logged) do
      lines[#lines + 1] = line[3]
    end
    local text = table.concat(lines, "\n")
    assert.is_truthy(text:find("b-region-1- is of region 2", 1, true), text)
    assert.is_truthy(text:find("region-3-scene.aoi: ", 1, true), text)
    assert.is_true(of_first > 0)
  end)

  it("is not started with other words of a space than its stores were written with", function()
    local world = new_world(6, 10)
    assert.is_table(world:drive(16000, world.rightness.places, world.control))
    local before = places_of(world)
    for node = 1, #NODES do
      world:kill(node)
    end
    for word, complaint in pairs {
      ["max_radius=110"] = "was written with max_radius = 100, and here it is 110",
      ["slack=1"] = "was written with slack = 0, and here it is 1",
      ["limit=9"] = "was written with limit = nil, and here it is 9",
      ["extras=2"] = "was written with extras = 0, and here it is 2",
    } do
      fails(complaint, world.start_node, world, 1, word)
    end
    for node = 1, #NODES do
      world:start_node(node, "margin=11", "tick=40", "engine=quadtree", "save_every=3000",
        "orphan=9000")
    end
    world:run(4000)
    assert.same(before, places_of(world))
  end)

  for _, group in ipairs(seeds.groups(3)) do
    it(("loses nothing by failures, seeds %d to %d"):format(group.first, group.last), function()
      for seed = group.first, group.last do
        assert.is_nil(random_failures.run(seed, folder, false, seed % 2 == 0))
        os.execute("rm -f " .. folder .. "/*")
      end
    end)
  end
end)
