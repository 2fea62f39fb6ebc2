-- Callbacks of agents and gates that wait or raise, on a simulated skynet: what is told is taken in all the
-- same, and each is told all in order.
local simulated_scene = require "spec.support.simulated_scene"

describe("callbacks", function()
  local scenes, scene, service, heard

  before_each(function()
    scenes = simulated_scene.new()
    scene, heard = scenes:scene(), {}
  end)

  after_each(function()
    assert.same({}, scenes.all.failed)
  end)

  -- Starts a service with that module of ours; callbacks are those of `on`.
  local function start(module, callbacks)
    service = {}
    scenes.process:start_service(function(load)
      service.skynet, service.module = load "skynet", load("aoi.skynet." .. module)
    end)
    service.module.on(callbacks)
    return service.module
  end

  -- Runs f in the service, and what comes of it.
  local function run(f)
    service.skynet.fork(f)
    scenes.all:run(100)
  end

  -- Players 1 to n join the scene.
  local function join(players, n)
    run(function()
      for id = 1, n do
        players.join(scene.handle, id, 0, 0)
      end
    end)
    scenes:tick(scene)
  end

  local function note(...)
    heard[#heard + 1] = table.concat({ ... }, " ")
  end

  -- The callbacks of these names note that they were called, for an entity.
  local function noting(...)
    local callbacks = {}
    for _, name in ipairs { ... } do
      callbacks[name] = function(id) note(name, id) end
    end
    return callbacks
  end

  local function enter(id)
    assert.is_true(scenes:ask(scene, "enter", id, 1, 1, { address = false }))
  end

  -- Scenes remove their entities in one tick each.
  local function remove(...)
    for _, id in ipairs { ... } do
      assert.is_true((scenes:ask(scene, "leave", id)))
    end
    scenes:tick(scene)
  end

  it("that wait do not hold up those of other players, whose scene was told in the same message", function()
    local lobby, players = scenes:scene(), nil
    players = start("players", { gone = function(id)
      note("gone", id)
      players.join(lobby.handle, id, 0, 0)
      note("back", id)
    end })
    join(players, 3)
    remove(1, 2, 3)
    assert.same({ "gone 1", "gone 2", "gone 3", "back 1", "back 2", "back 3" }, heard)
    for id = 1, 3 do
      assert.same({ lobby.handle, true }, { players.scene(id), (scenes:ask(lobby, "query", "has", id)) })
    end
  end)

  it("that wait are followed by the next ones of the same player, in order", function()
    local callbacks = noting("entered", "left", "notified")
    callbacks.me_moved = function()
      service.skynet.sleep(10)
      note "me_moved"
    end
    local view = start("client", callbacks)
    run(function() view.join(scene.handle, 1, 0, 0) end)
    scenes:tick(scene)
    enter(5)
    scenes:ask(scene, "move", 1, 2, 2)
    scenes:tick(scene)
    scenes:ask(scene, "notify", 1, "hello")
    remove(5)
    assert.same({ {}, {} }, { heard, view.known() }) -- what is known does not wait
    scenes.all:run(1000)
    assert.same({ "me_moved", "entered 5", "left 5", "notified hello" }, heard)
    for x = 3, 6 do
      scenes:ask(scene, "move", 1, x, 2)
      scenes:tick(scene)
    end
    scenes.all:run(1000)
    assert.equal(8, #heard)
    assert.equal(6, view.me()[1])
  end)

  it("that wait do so with the same list: nobody leaves before they have entered", function()
    local callbacks = noting "left"
    function callbacks.entered(id)
      note("entered", id)
      service.skynet.sleep(10)
    end
    local view = start("client", callbacks)
    run(function() view.join(scene.handle, 1, 0, 0) end)
    scenes:tick(scene)
    for id = 2, 4 do
      enter(id)
    end
    scenes:tick(scene)
    remove(3, 4)
    scenes.all:run(1000)
    assert.same({ "entered 2", "entered 3", "entered 4", "left 3", "left 4" }, heard)
  end)

  it("that raise are logged, and all others are called", function()
    local callbacks = noting("entered", "left")
    for name, callback in pairs(callbacks) do
      callbacks[name] = function(_, other)
        callback(other)
        error("no row of " .. name)
      end
    end
    function callbacks.gone(id)
      note("gone", id)
      error "no row of gone"
    end
    local players = start("players", callbacks)
    run(function()
      players.join(scene.handle, 1, 0, 0)
      players.join(scene.handle, 2, 500, 0)
    end)
    for id = 11, 12 do
      enter(id)
    end
    scenes:tick(scene)
    remove(1, 2, 11)
    assert.same({ "entered 11", "entered 12", "left 11", "left 12", "gone 1", "gone 2" }, heard)
    assert.same({}, players.ids())
    local logged = {}
    for _, entry in ipairs(scenes.all.logged) do
      logged[#logged + 1] = entry[3]:match "a callback has failed: .*: (no row of %w+)\n"
    end
    assert.equal(6, #logged)
    scenes.all:run(1500) -- and they are forgotten
    assert.has_error(function() players.leave(1) end, "player 1 is in no scene: call join first")
  end)

  it("are told of a scene's end, each, when one of them raises and another one waits", function()
    local players = start("players", { gone = function(id)
      note("gone", id)
      if #heard == 2 then
        service.skynet.sleep(1000)
      end
      error "no row"
    end })
    join(players, 5)
    scene:end_it()
    scenes.all:run(7000)
    table.sort(heard) -- they have no order
    assert.same({ "gone 1", "gone 2", "gone 3", "gone 4", "gone 5" }, heard)
    assert.same({}, players.ids())
  end)
end)
