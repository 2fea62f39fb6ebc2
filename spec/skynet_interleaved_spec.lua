-- Commands that come while another one waits, for a handler or for another scene, on a simulated skynet: each
-- has its effect, and on nobody else.
local files = require "spec.support.files"
local simulated_scene = require "spec.support.simulated_scene"
local simulation = require "spec.support.simulation"

local HANDLERS = "handlers=spec.support.waiting_handlers"

describe("a command that comes while another one waits", function()
  local scenes

  before_each(function()
    scenes = simulated_scene.new(1)
  end)

  after_each(function()
    assert.same({}, scenes.all.failed)
  end)

  local function ask(...)
    return scenes:ask(...)
  end

  local function new_scene(...)
    return scenes:scene(HANDLERS, ...)
  end

  local function begin(...)
    return scenes:begin(...)
  end

  local function enter(scene, id, x, opts)
    assert.is_true((ask(scene, "enter", id, x, 0, opts or { address = false })))
  end

  local function join(scene, id, x, opts)
    local agent = scenes:agent(scene)
    assert.is_true((ask(agent, "view", "join", id, x, 0, opts)))
    return agent
  end

  local function knows(agent)
    return scenes:known(agent)
  end

  local function is_in(agent)
    return scenes:where(agent)
  end

  -- A scene with some entities, in a tick that waits again and again.
  local function waiting_scene()
    local scene = new_scene()
    for id = 1, 3 do
      enter(scene, id, id)
      ask(scene, "wait", "on_enter", id, 10)
    end
    begin(scene, "tick")
    return scene
  end

  it("is told with its tick when it is of the hook, which waits for nothing but lives", function()
    local scene = scenes:scene "handlers=spec.support.entering_handlers"
    local agent = join(scene, 7, 0)
    scenes:tick(scene)
    scenes:heard(agent)
    ask(scene, "change")
    scenes:tick(scene)
    assert.same({ [-1] = { 1, 1, properties = { "a" } }, [-2] = { 2, 0 } }, knows(agent))
  end)

  for name, word in pairs { ["without ticks"] = "tick=0", ["with ticks"] = "probe=5000" } do
    it("is told with the place of now, " .. name, function()
      local scene = new_scene(word)
      local one, two = join(scene, 1, 0), join(scene, 2, 5)
      enter(scene, 3, 2)
      local function tick()
        if word ~= "tick=0" then
          scenes:tick(scene)
        end
      end
      tick()
      ask(scene, "wait", "on_view", 1, 1)
      local answer = begin(scene, "move", 3, 3, 0)
      local told = nil
      if word ~= "tick=0" then
        told = begin(scene, "tick")
        enter(scene, 50, 500) -- which has the rest of it told
      end
      assert.is_true((ask(scene, "move", 3, 4, 0)))
      tick()
      assert.same({ 4, 0 }, knows(two)[3])
      scenes.all:run(3000)
      tick()
      assert.is_true(answer[1] and (not told or told[1]))
      assert.same({ 4, 0 }, knows(one)[3])
      assert.same({ 4, 0 }, knows(two)[3])
    end)
  end

  it("takes over an entity of an agent that has died, and is not removed in its place", function()
    local scene = new_scene()
    local gate = scenes:agent(scene)
    enter(scene, 1, 501, { address = gate.handle })
    enter(scene, 2, 502, { address = gate.handle })
    enter(scene, 8, 3)
    enter(scene, 9, 4)
    ask(scene, "wait", "on_enter", 8, 1)
    ask(scene, "wait", "on_enter", 9, 1)
    begin(scene, "tick")
    gate:end_it()
    scenes.all:run(50)
    local is_left = ask(scene, "query", "has", 2)
    local id = is_left and 2 or 1
    local agent = join(scene, id, 50, { take_over = true })
    scenes.all:run(3000)
    scenes:tick(scene)
    assert.is_true((ask(scene, "query", "has", id)))
    assert.equal(scene.handle, is_in(agent))
    assert.is_false((ask(scene, "query", "has", 3 - id)))
  end)

  it("takes over an entity that could not leave as memory was short", function()
    local scene = new_scene()
    local dead = join(scene, 1, 0)
    scenes:tick(scene)
    ask(scene, "hold", 1)
    dead:end_it()
    scenes.all:run(200)
    local agent = join(scene, 1, 5, { take_over = true })
    scenes:tick(scene)
    scenes.all:run(3000)
    scenes:tick(scene)
    assert.is_true((ask(scene, "query", "has", 1)))
    assert.equal(scene.handle, is_in(agent))
  end)

  it("has the last word about extras, and none about those of the next entity with this id", function()
    for _, leaves in ipairs { false, true } do
      local scene = new_scene "extras=1"
      enter(scene, 1, 0)
      enter(scene, 2, 1)
      enter(scene, 7, 100)
      ask(scene, "wait", "on_enter", 1, 1)
      ask(scene, "wait", "on_enter", 2, 1)
      begin(scene, "tick")
      local answer = begin(scene, "move", 7, 101, 0, 0.5)
      if leaves then
        assert.is_true((ask(scene, "leave", 7)))
      else
        assert.is_true((ask(scene, "move", 7, 102, 0, 0.75)))
      end
      scenes.all:run(3000)
      assert.is_true(answer[1])
      scenes:tick(scene)
      if leaves then
        enter(scene, 7, 100)
      end
      assert.equal(leaves and 0 or 0.75, (ask(scene, "extras", 7)))
    end
  end)

  it("enters an entity whose copy another one has leave, and keeps it", function()
    local scene, from = new_scene "tick=0", new_scene()
    enter(scene, 9, 1)
    join(scene, 7, 0)
    local traveller, agent = join(from, 7, 0), scenes:agent(scene)
    ask(scene, "wait", "on_leave", 9, 1)
    local going = begin(traveller, "view", "go", scene.handle, 1, 1, { take_over = true })
    assert.is_nil(going.n)
    assert.is_true((ask(agent, "view", "join", 7, 2, 0)))
    scenes.all:run(2000)
    assert.is_true((ask(scene, "move", 9, 3, 0)))
    assert.equal(scene.handle, is_in(agent))
    assert.same({ 3, 0 }, knows(agent)[9])
    assert.equal(from.handle, is_in(traveller))
  end)

  it("goes on where it was when the scene that takes it in ends, though that has told it all", function()
    local scene, other = new_scene(), waiting_scene()
    local agent = join(scene, 7, 5)
    enter(scene, 50, 6)
    scenes:tick(scene)
    local going = begin(scene, "transfer", 7, other.handle, 0, 5)
    begin(other, "tick")
    scenes:heard(agent)
    other:end_it()
    scenes.all:run(200)
    assert.is_nil(going[2])
    assert.equal(scene.handle, is_in(agent))
    assert.is_true((ask(scene, "move", 50, 7, 0)))
    scenes:tick(scene)
    ask(agent, "view", "move", 9, 9)
    scenes.all:run(200)
    scenes:tick(scene)
    assert.same({ 9, 9 }, { ask(scene, "query", "position", 7) })
    assert.same({ 7, 0 }, knows(agent)[50])
  end)

  for _, how in ipairs { "end_it", "kill" } do
    it("hears where it was when the scene to which it goes has told it all, and then: " .. how, function()
      local scene, other = new_scene(), waiting_scene()
      local agent, bystander = join(scene, 7, 5), scenes:agent(other)
      enter(scene, 50, 6)
      scenes:tick(scene)
      local going = begin(agent, "view", "go", other.handle, 0, 5)
      local joining = begin(bystander, "view", "join", 8, 0, 5)
      begin(other, "tick")
      scenes.all:run(100)
      assert.is_nil(going.n or joining.n)
      assert.equal(2, ask(other, "stats").messages)
      assert.same({ [50] = { 6, 0 } }, knows(agent)) -- it is not there yet
      other[how](other)
      scenes.all:run(6000)
      assert.is_false(going[2])
      assert.is_false(joining[2])
      assert.equal(scene.handle, is_in(agent))
      assert.is_nil(is_in(bystander))
      assert.is_true((ask(scene, "move", 50, 7, 0)))
      ask(agent, "view", "move", 9, 9)
      scenes.all:run(200)
      scenes:tick(scene)
      assert.same({ 9, 9 }, { ask(scene, "query", "position", 7) })
      assert.same({ [50] = { 7, 0 } }, knows(agent))
      assert.same({ true, {} }, { ask(bystander, "view", "known", 8) })
      assert.same({}, scenes:heard(bystander))
    end)
  end

  -- An agent on the way from one scene to another, which has told it all that is there, and not answered yet.
  local function on_the_way()
    local scene, other = new_scene(), waiting_scene()
    local agent = join(scene, 7, 5)
    enter(scene, 50, 6)
    scenes:tick(scene)
    local going = begin(agent, "view", "go", other.handle, 0, 5)
    begin(other, "tick")
    scenes.all:run(100)
    assert.is_nil(going.n)
    assert.equal(1, ask(other, "stats").messages)
    scenes:heard(agent)
    return agent, scene, other, going
  end

  local function names_of(events)
    local names = {}
    for _, event in ipairs(events) do
      names[event[1]] = (names[event[1]] or 0) + 1
    end
    return names
  end

  it("is gone when it is removed on a way that ends nowhere, and does not come again", function()
    local agent, scene, other, going = on_the_way()
    assert.is_true((ask(scene, "leave", 7)))
    scenes:tick(scene)
    other:end_it()
    scenes.all:run(500)
    assert.is_false(going[2])
    assert.is_nil(is_in(agent))
    assert.is_false((ask(scene, "query", "has", 7)))
    assert.same({ true, {} }, { ask(agent, "view", "known", 7) })
    assert.equal(1, names_of(scenes:heard(agent)).gone)
  end)

  it("hears where it was transferred on a way that ends nowhere", function()
    local agent, scene, other, going = on_the_way()
    local third = new_scene()
    enter(third, 60, 6)
    assert.is_true((ask(scene, "transfer", 7, third.handle, 5, 0)))
    scenes:tick(third)
    other:end_it()
    scenes.all:run(500)
    scenes:tick(third)
    assert.is_false(going[2])
    assert.equal(third.handle, is_in(agent))
    assert.same({ [60] = { 6, 0 } }, knows(agent))
  end)

  it("hears where it was when that tries to transfer it as its way ends", function()
    local agent, scene, other, going = on_the_way()
    local slow = waiting_scene()
    begin(scene, "transfer", 7, slow.handle, 0, 5)
    other:end_it()
    scenes.all:run(200)
    slow:kill()
    scenes.all:run(8000)
    scenes:tick(scene)
    assert.is_false(going[2])
    assert.equal(scene.handle, is_in(agent))
    assert.same({ [50] = { 6, 0 } }, knows(agent))
  end)

  it("is where it was until it has come, with what it does there", function()
    local agent, scene, other, going = on_the_way()
    ask(agent, "view", "move", 8, 8)
    ask(agent, "view", "set_property", 1, "red")
    scenes:tick(scene)
    assert.same({ 8, 8 }, { ask(scene, "query", "position", 7) })
    ask(agent, "view", "move", 9, 9) -- which waits for the next tick
    other:end_it()
    scenes.all:run(500)
    scenes:tick(scene)
    assert.is_false(going[2])
    assert.same({ 8, 8 }, { ask(scene, "query", "position", 7) })
    local _, me = ask(agent, "view", "me")
    assert.same({ 9, 9, { "red" } }, { me[1], me[2], me.properties })
  end)

  for _, how in ipairs { "end_it", "kill" } do
    it("leaves on a way that ends nowhere, and is nowhere: " .. how, function()
      local agent, scene, other, going = on_the_way()
      assert.is_true((ask(agent, "view", "leave")))
      scenes:tick(scene)
      assert.is_false((ask(scene, "query", "has", 7)))
      other[how](other)
      scenes.all:run(6000)
      assert.is_false(going[2])
      assert.is_nil(is_in(agent))
      assert.same({ true, {} }, { ask(agent, "view", "known", 7) })
    end)
  end

  -- A service that answers as a world does. `lose` has it say that entity 7 is lost, `list` that it sees
  -- nobody. delay: hundredths of a second until it answers an enter, which it takes, or refuses with
  -- world.refusal.
  local function fake_world(delay)
    local world = { left = {} }
    world.service = scenes.process:start_service(function(load)
      local skynet, packet, blocks = load "skynet", load "aoi.skynet.packet", load "aoi.skynet.blocks"
      local writer = load "aoi.skynet.view_writer".new {
        dims = function() return 2 end, doubles = function() return false end,
      }
      packet.register()
      local stream, agent
      skynet.start(function()
        skynet.dispatch("lua", function(session, source, name, id, _, _, opts)
          local refusal = world.refusal
          if name == "enter" then
            agent, stream = source, opts.stream
            skynet.sleep(delay)
          elseif name == "lose" then
            skynet.rawsend(agent, packet.protocol, blocks.over(7, stream, 0, blocks.LOST))
          elseif name == "list" then
            skynet.rawsend(agent, packet.protocol, writer:view(7, stream, 1, true, {}, 0))
          elseif name == "leave" then
            table.insert(world.left, name .. id)
          end
          if session ~= 0 then
            local is_refused = name == "enter" and refusal
            skynet.retpack(not is_refused or nil, is_refused or 100)
          end
        end)
      end)
    end)
    return world
  end

  for _, is_told_before in ipairs { true, false } do
    local when = is_told_before and "before the answer" or "later"
    it("leaves where nobody knew whether it came, and was told " .. when, function()
      local scene, world = new_scene(), fake_world(20)
      local agent = join(scene, 7, 5)
      enter(scene, 50, 6)
      scenes:tick(scene)
      scenes:heard(agent)
      world.refusal = "unknown"
      local going = begin(agent, "view", "go", world.service.handle, 0, 5)
      if is_told_before then
        ask(world.service, "list")
      end
      scenes.all:run(500)
      assert.same({ true, false, "unknown" }, { table.unpack(going, 1, 3) })
      assert.equal(is_told_before and "leave7" or nil, world.left[1])
      ask(world.service, "list")
      scenes.all:run(100)
      assert.equal("leave7", world.left[1])
      assert.is_true((ask(scene, "move", 50, 7, 0)))
      ask(agent, "view", "move", 6, 6)
      scenes.all:run(100)
      scenes:tick(scene)
      assert.equal(scene.handle, is_in(agent))
      assert.same({ { "moved", 50, 7, 0 } }, scenes:heard(agent))
      assert.same({ 6, 6 }, { ask(scene, "query", "position", 7) })
    end)
  end

  it("goes elsewhere while it is lost, and tries to come back no more", function()
    local world, other = fake_world(30), fake_world(50)
    scenes.all:run(20)
    local agent = scenes:agent(world.service)
    assert.is_true((ask(agent, "view", "join", 7, 1, 1)))
    world.refusal = "again"
    ask(world.service, "lose")
    scenes.all:run(400) -- it was asked once, and is to be asked again
    world.refusal = nil
    local going = begin(agent, "view", "go", other.service.handle, 2, 2)
    scenes.all:run(5000)
    assert.is_true(going[2], going[3])
    assert.equal(other.service.handle, is_in(agent))
    assert.same({ "leave7" }, world.left)
    assert.same({}, other.left)
  end)

  it("leaves what another one does with an entity whose place it wants and does not get", function()
    local scene, from = new_scene "tick=0", new_scene()
    enter(scene, 9, 1)
    enter(scene, 7, 500)
    local traveller, owner = join(from, 7, 0), scenes:agent(scene)
    ask(scene, "wait", "on_enter", 9, 1)
    local update = begin(scene, "update", 7, 1, 0, { address = owner.handle, data = "x" })
    local going = begin(traveller, "view", "go", scene.handle, 0 / 0, 1, { take_over = true })
    scenes.all:run(3000)
    assert.is_true(update[2])
    assert.is_false(going[2])
    assert.equal(1, ask(scene, "stats").addresses)
  end)

  it("comes where a copy has left by itself meanwhile", function()
    local scene, from = new_scene "tick=0", new_scene()
    enter(scene, 9, 1)
    local copy, traveller = join(scene, 7, 500), join(from, 7, 0)
    ask(scene, "wait", "on_enter", 9, 1)
    local going = begin(traveller, "view", "go", scene.handle, 1, 1, { take_over = true })
    assert.is_nil(going.n)
    assert.is_true((ask(copy, "view", "leave")))
    scenes.all:run(3000)
    assert.is_true(going[2], going[3])
    assert.equal(scene.handle, is_in(traveller))
    assert.same({ 1, 1 }, { ask(scene, "query", "position", 7) })
  end)

  it("goes to another scene when the one that was to take it in is killed in the middle", function()
    local scene, other, third = new_scene(), waiting_scene(), new_scene()
    enter(scene, 7, 5)
    local going = begin(scene, "transfer", 7, other.handle, 0, 5)
    other:kill()
    assert.is_nil(ask(scene, "transfer", 7, third.handle, 0, 5))
    scenes.all:run(6000)
    assert.equal("transfer: the scene " .. other.handle .. " does not answer", going[3])
    assert.is_true((ask(scene, "transfer", 7, third.handle, 0, 5)))
    assert.is_true((ask(third, "query", "has", 7)))
  end)

  it("leaves on the way, and has no other one of its id leave there", function()
    for seed = 1, 60 do
      scenes = simulated_scene.new(seed)
      local scene, other = new_scene(), new_scene()
      local agent = join(scene, 7, 5)
      scenes:tick(scene)
      scenes:send_off(scene, "transfer", 7, other.handle, 0, 5)
      scenes.all:run(seed % 10 * 0.1)
      scenes:send_off(agent, "view", "leave")
      local second = scenes.process:start_service(simulation.path_of "agent", other.handle)
      scenes.all:run(0.1)
      local joining = scenes:send_off(second, "view", "join", 7, 9, 9, { take_over = true })
      scenes.all:run(500)
      for _ = 1, 2 do
        scenes:tick(scene)
        scenes:tick(other)
      end
      assert.is_true(joining[2], seed)
      assert.is_true((ask(other, "query", "has", 7)), seed)
      assert.equal(other.handle, is_in(second), seed)
    end
  end)

  it("loads a save in which an entity on its way has nobody, and it is in one scene", function()
    for _, is_same in ipairs { false, true } do
      local scene, other = new_scene(), waiting_scene()
      local agent = join(scene, 7, 5)
      scenes:tick(scene)
      local saved = ask(scene, "save")
      local going = begin(scene, "transfer", 7, other.handle, 10, 10)
      assert.is_nil(going.n)
      assert.is_true((ask(scene, "load", saved, is_same and { [7] = agent.handle } or {})))
      scenes.all:run(8000)
      assert.is_true(going[1] and going[2], going[3])
      for _ = 1, 2 do
        scenes:tick(scene)
        scenes:tick(other)
      end
      assert.is_false((ask(scene, "query", "has", 7)))
      assert.is_true((ask(other, "query", "has", 7)))
    end
  end)

  it("loads another space while an entity enters: each life has its beginning and its end", function()
    for _, is_saved in ipairs { false, true } do
      local scene = new_scene "tick=0"
      enter(scene, 1, 0)
      local saved = ask(scene, "save")
      ask(scene, "wait", "on_enter", 1, 1)
      ask(scene, "notes")
      local agent = scenes:agent(scene)
      local joining = begin(agent, "view", "join", 2, 1, 0)
      saved = is_saved and ask(scene, "save") or saved
      assert.is_true((ask(scene, "load", saved)))
      scenes.all:run(2000)
      assert.is_true(joining[1] and joining[2])
      local lives = {}
      for word in (ask(scene, "notes")):gmatch "%l+ 2 %l+" do
        lives[#lives + 1] = not word:find "met" and word or nil
      end
      assert.equal("joined 2 new; ended 2 replaced" .. (is_saved and "; joined 2 restored" or ""),
        table.concat(lives, "; "))
      assert.equal(is_saved, (ask(scene, "query", "has", 2)))
      assert.equal(is_saved and scene.handle or nil, is_in(agent))
    end
  end)

  it("loads another space while an entity gets an address: its next stay does not have it", function()
    local scene = new_scene "tick=0"
    enter(scene, 1, 0)
    local saved = ask(scene, "save")
    enter(scene, 2, 500)
    local agent = scenes:agent(scene)
    ask(scene, "wait", "on_enter", 1, 1)
    begin(scene, "update", 2, 1, 0, { address = agent.handle })
    assert.is_true((ask(scene, "load", saved)))
    scenes.all:run(2000)
    scenes:heard(agent)
    enter(scene, 2, 1)
    assert.same({}, scenes:heard(agent))
    assert.equal(0, ask(scene, "stats").addresses)
  end)

  it("hands a notice out for good, though the full save of that tick fails", function()
    local folder = files.new_folder()
    local scene = new_scene("store=" .. folder, "save_every=1000")
    local agent = join(scene, 1, 0)
    scenes:tick(scene)
    ask(scene, "notify_later", 1)
    enter(scene, 2, 1)
    scenes:tick(scene) -- stores the notice
    scenes.all:run(1500)
    ask(scene, "fail_to_save")
    scenes:tick(scene) -- hands it out
    local function notices(of)
      local n = 0
      for _, event in ipairs(scenes:heard(of)) do
        n = n + (event[1] == "notified" and 1 or 0)
      end
      return n
    end
    assert.equal(1, notices(agent))
    scene:kill()
    agent:end_it()
    scenes.all:run(10)
    local again = new_scene("store=" .. folder)
    agent = join(again, 1, 0)
    scenes:tick(again)
    assert.equal(0, notices(agent))
    files.remove(folder)
  end)
end)
