-- The module aoi.skynet.players on a simulated skynet: what many players in one service hear and do, by their
-- ids.
local blocks = require "aoi.skynet.blocks"
local simulated_scene = require "spec.support.simulated_scene"

local NAMES = { "entered", "moved", "changed", "left", "said", "notified", "me_moved", "refused", "scene_is",
  "gone" }

describe("players", function()
  local scenes, scene, gate, heard

  -- Runs f in the gate's service until it has ended; returns what it does, or raises.
  local function run(f, ...)
    local result
    local arguments = table.pack(...)
    gate.skynet.fork(function()
      result = table.pack(pcall(f, table.unpack(arguments, 1, arguments.n)))
    end)
    assert(scenes.all:run_until(60000, function() return result end), "it does not end")
    if not result[1] then
      error(result[2], 0)
    end
    return table.unpack(result, 2, result.n)
  end

  local function new_gate()
    local new = {}
    new.service = scenes.process:start_service(function(load)
      new.skynet, new.players = load "skynet", load "aoi.skynet.players"
    end)
    return new
  end

  local function listen(of)
    local callbacks = {}
    for _, name in ipairs(NAMES) do
      callbacks[name] = function(...) heard[#heard + 1] = { name, ... } end
    end
    of.players.on(callbacks)
  end

  -- The events since the last time.
  local function take()
    scenes.all:run(20)
    local list = heard
    heard = {}
    return list
  end

  local function tick(of)
    scenes:tick(of or scene)
    return take()
  end

  before_each(function()
    scenes = simulated_scene.new()
    scene = scenes:scene()
    gate, heard = new_gate(), {}
    listen(gate)
  end)

  after_each(function()
    assert.same({}, scenes.all.failed)
  end)

  local function join(id, x, ...)
    return run(gate.players.join, scene.handle, id, x, 10, ...)
  end

  it("hear each of its own view, with its id first", function()
    join(1, 10, { data = "one" })
    join(2, 15)
    join(3, 100)
    assert.same({ { "entered", 1, 2, 15.0, 10.0, nil, {} }, { "entered", 2, 1, 10.0, 10.0, "one", {} } },
      tick())
    run(gate.players.set_property, 1, 5, "sword")
    run(gate.players.move, 2, 16, 10)
    assert.same({ { "moved", 1, 2, 16.0, 10.0 }, { "changed", 2, 1, nil, { [5] = "sword" } } }, tick())
    run(gate.players.say, 1, "hello", 2)
    assert.same({ { "said", 2, 1, "hello", 2 } }, take())
    assert.is_true(scenes:ask(scene, "notify", 3, "you", 3))
    assert.is_true(scenes:ask(scene, "notify", 1, "you"))
    assert.same({ { "notified", 3, "you", 3 }, { "notified", 1, "you" } }, tick())
    assert.same({ [1] = { 10.0, 10.0, data = "one", properties = { [5] = "sword" } } }, gate.players.known(2))
    assert.same({ {}, {} }, { gate.players.known(3), gate.players.known(4) })
    run(gate.players.update, 3, 17, 10)
    run(gate.players.leave, 1)
    assert.same({ { "left", 1, 2 }, { "left", 2, 1 }, { "entered", 2, 3, 17.0, 10.0, nil, {} },
      { "entered", 3, 2, 16.0, 10.0, nil, {} } }, tick())
    assert.same({ 17, 10 }, { run(gate.players.query, 3, "position", 3) })
  end)

  it("have the functions of the client, all but those that are others here", function()
    local list = { on = true, join = true, known = true, scene = true }
    local text = require("spec.support.files").read "lua/aoi/skynet/client.lua"
    for name in text:gmatch "\nfunction view%.([%w_]+)%(" do
      assert.is_function(gate.players[name], name)
      list[name] = nil
    end
    assert.same({}, list)
    join(1, 10)
    join(2, 35)
    tick()
    run(gate.players.set_traits, 1, { radius = 30 })
    assert.same({ "entered", 1, 2, 35.0, 10.0, nil, {} }, tick()[1])
  end)

  it("are refused by their ids, and know whom there is none of", function()
    join(1, 10)
    assert.has_error(function() join(1, 10) end, "already in a scene: call leave first")
    assert.has_error(function() join("2", 10) end)
    assert.has_error(function() gate.players.move(2, 10, 10) end, "player 2 is in no scene: call join first")
    gate.players.resync(2) -- an outbox does not know
    local ok, message = pcall(join, 2, math.huge)
    assert.same({ false, true }, { ok, message:find("enter: ", 1, true) ~= nil })
    gate.players.set_property(1, 300, 1)
    scenes.all:run(20)
    assert.same({ "refused", 1, "set_property", "set_property: key is 300, expected 0 to 255" }, take()[1])
    assert.same({ { 1 }, scene.handle }, { gate.players.ids(), gate.players.scene(1) })
    assert.is_nil(gate.players.scene(2))
    assert.has_error(function() gate.players.on { view = print } end)
    assert.has_error(function() gate.players.on { entred = print } end)
    local _, refusal = pcall(gate.players.on, { said_to = print })
    assert.truthy(refusal:find("players.on: callback said_to is unknown", 1, true))
    assert.is_nil(refusal:find("expected.*said_to"))
  end)

  it("go, are transferred, are removed, and lose a scene, each for itself", function()
    local other = scenes:scene()
    for id = 1, 4 do
      join(id, 10 + 100 * id)
    end
    tick()
    run(gate.players.go, 1, other.handle, 10, 10)
    assert.is_true(scenes:ask(scene, "transfer", 2, other.handle, 12, 10))
    assert.is_true(scenes:ask(scene, "leave", 3))
    assert.same({ { "scene_is", 2, other.handle }, { "gone", 3, scene.handle, "removed" } }, tick())
    assert.same({ { "entered", 1, 2, 12.0, 10.0, nil, {} }, { "me_moved", 2, 12.0, 10.0 },
      { "entered", 2, 1, 10.0, 10.0, nil, {} } }, tick(other))
    scene:end_it()
    scenes.all:run(6000)
    assert.same({ { "gone", 4, scene.handle, "ended" } }, take())
    local ids = gate.players.ids()
    table.sort(ids)
    assert.same({ 1, 2 }, ids)
    run(gate.players.join, other.handle, 4, 14, 10)
    assert.equal(4, #tick(other))
  end)

  it("may join again from the callback gone, and after a leave", function()
    local list = {}
    gate.players.on {
      gone = function(id)
        list[#list + 1] = id
        gate.players.join(scene.handle, id, 10, 10)
      end,
    }
    join(1, 10)
    tick()
    scenes:ask(scene, "leave", 1)
    tick()
    assert.same({ { 1 }, scene.handle }, { list, gate.players.scene(1) })
    run(gate.players.leave, 1)
    join(1, 20)
    tick()
    assert.same({ 20, 10 }, { run(gate.players.query, 1, "position", 1) })
    listen(gate)
    join(2, 25)
    assert.same({ "entered", 1, 2, 25.0, 10.0, nil, {} }, tick()[1])
  end)

  it("are not forgotten with the stay before, while another scene takes its time to take them in", function()
    local slow = scenes.process:start_service(function(load)
      local skynet = load "skynet"
      skynet.dispatch("lua", function(session)
        skynet.sleep(200)
        if session ~= 0 then
          skynet.retpack(true, 100)
        end
      end)
    end)
    join(1, 10)
    tick()
    run(gate.players.leave, 1)
    local joined
    gate.skynet.fork(function()
      gate.players.join(slow.handle, 1, 10, 10)
      joined = true
    end)
    tick()
    scenes.all:run(1500)
    assert.is_nil(joined)
    scenes.all:run(1000)
    assert.same({ true, slow.handle }, { joined, gate.players.scene(1) })
  end)

  it("whose update is refused are told where they are by their own scene", function()
    local other = scenes:scene()
    join(1, 10)
    run(gate.players.join, other.handle, 2, 10, 10)
    tick()
    tick(other)
    gate.players.move(1, 300, 300)
    tick()
    tick(other)
    assert.has_error(function() run(gate.players.update, 1, 301, 300, { radius = -1 }) end)
    scenes.all:run(1100)
    assert.same({ { "me_moved", 1, 300, 300 } }, tick())
    local me = gate.players.me(1)
    assert.same({ 300, 300 }, { me[1], me[2] })
  end)

  it("that join twice, before the scene has answered, are refused once and join once", function()
    local slow = scenes.process:start_service(function(load)
      local skynet = load "skynet"
      skynet.dispatch("lua", function(session, source, name, id, x, y, opts)
        skynet.sleep(name == "enter" and 150 or 0)
        opts.address = source
        local answer = table.pack(skynet.call(scene.handle, "lua", name, id, x, y, opts))
        if session ~= 0 then
          skynet.retpack(table.unpack(answer, 1, answer.n))
        end
      end)
    end)
    local joined
    gate.skynet.fork(function()
      gate.players.join(slow.handle, 1, 10, 10)
      joined = true
    end)
    scenes.all:run(10)
    local ok, message = pcall(run, gate.players.join, slow.handle, 1, 10, 10)
    assert.is_false(ok)
    assert.truthy(message:find("already in a scene: call leave first", 1, true), message)
    scenes.all:run(3000)
    assert.same({ true, slow.handle }, { joined, gate.players.scene(1) })
    assert.is_true(scenes:ask(scene, "notify", 1, "you"))
    assert.same({ { "notified", 1, "you" } }, tick())
  end)

  it("are given the blocks that are theirs, in order", function()
    local of = {}
    gate.players.on {
      packet = function(id, text)
        of[id] = (of[id] or "") .. text
      end,
    }
    for id = 1, 3 do
      join(id, 10 + id)
    end
    tick()
    gate.players.say(1, "hello")
    gate.players.set_property(2, 300, 1) -- whose refusal is for no client
    scenes.all:run(20)
    scenes:ask(scene, "notify", 2, "you")
    tick()
    for id, expected in ipairs { { 1 }, { 1, 2, 1, 6 }, { 1, 2 } } do
      local kinds, at = {}, 1
      while at <= #of[id] do
        local block
        block, at = blocks.head(of[id], at)
        assert.same({ id, #kinds + 1 }, { block.watcher, block.number })
        kinds[#kinds + 1] = block.kind
      end
      assert.same(expected, kinds)
    end
  end)

  it("that have left are forgotten when the scene has said so, however many there are", function()
    local count = 2000
    gate.players.on {}
    local function memory()
      collectgarbage()
      collectgarbage()
      return collectgarbage "count"
    end
    local before = memory()
    for id = 1, count do
      join(id, 30 * id)
    end
    tick()
    local each = (memory() - before) / count
    assert.is_true(each < 25, each) -- kilobytes, with what the scene and the simulation keep
    for id = 1, count do
      gate.players.leave(id)
    end
    tick()
    scenes.all:run(1100)
    assert.same({}, gate.players.ids())
    assert.has_error(function() gate.players.leave(7) end, "player 7 is in no scene: call join first")
    join(7, 10)
    assert.same({ 7 }, gate.players.ids())
  end)

  it("that leave twice within a second hear the second end as the first one", function()
    join(2, 15)
    join(1, 10)
    tick()
    gate.players.leave(1)
    tick() -- it is forgotten a second from now on, if it is nowhere then
    local over = gate.skynet.now()
    join(1, 10)
    tick()
    take()
    scenes.all:run(10 * (over + 80 - gate.skynet.now()))
    assert.is_true((scenes:ask(scene, "notify", 1, "you have died")))
    gate.players.leave(1)
    assert.is_true(gate.skynet.now() < over + 95)
    scenes.all:run(900)
    assert.same({ { "notified", 1, "you have died" }, { "left", 1, 2 } }, (function()
      local list = {}
      for _, event in ipairs(tick()) do
        list[#list + 1] = event[2] == 1 and event or nil
      end
      return list
    end)())
    scenes.all:run(1100)
    assert.has_error(function() gate.players.leave(1) end, "player 1 is in no scene: call join first")
  end)

  it("that are forgotten do not come back with a load", function()
    join(1, 10)
    join(2, 15)
    tick()
    local saved = scenes:ask(scene, "save")
    gate.players.leave(1)
    tick()
    scenes.all:run(3000)
    assert.has_error(function() gate.players.leave(1) end, "player 1 is in no scene: call join first")
    assert.is_true(scenes:ask(scene, "load", saved))
    tick()
    tick()
    assert.same({ false, true },
      { (scenes:ask(scene, "query", "has", 1)), (scenes:ask(scene, "query", "has", 2)) })
    join(1, 20) -- a new one
    tick()
    assert.same({ scene.handle, true }, { gate.players.scene(1), (gate.players.known(1)[2] ~= nil) })
  end)

  it("that have left a scene which ends before it says so are forgotten, unless elsewhere", function()
    local other = scenes:scene()
    join(1, 10)
    join(2, 15)
    join(3, 50)
    tick()
    gate.players.leave(3)
    run(gate.players.join, other.handle, 3, 10, 10)
    tick(other)
    gate.players.leave(1)
    scene:end_it()
    scenes.all:run(7000)
    assert.equal(other.handle, gate.players.scene(3))
    local events = take() -- in no order
    table.sort(events, function(a, b) return a[1] .. a[2] < b[1] .. b[2] end)
    assert.same({ { "gone", 2, scene.handle, "ended" }, { "left", 1, 2 }, { "left", 2, 1 } }, events)
    for id = 1, 2 do
      assert.has_error(function() gate.players.leave(id) end,
        ("player %d is in no scene: call join first"):format(id))
      assert.same({}, gate.players.known(id))
    end
  end)

  -- The other scene has taken it in, and not told; the one of before ends without a word.
  it("that are forgotten leave where a transfer has taken them in", function()
    local other = scenes:scene()
    local dispatch = other.dispatch
    join(1, 10)
    tick()
    function other.dispatch(...)
      dispatch(...)
      if select(3, ...) == "arrive" then
        scene:kill()
      end
    end
    scenes:send_off(scene, "transfer", 1, other.handle, 20, 0)
    scenes.all:run(20)
    assert.is_true((scenes:ask(other, "query", "has", 1)))
    scenes.all:run(8000)
    assert.same({ { "gone", 1, scene.handle, "ended" } }, take())
    tick(other)
    scenes.all:run(1000)
    assert.is_false((scenes:ask(other, "query", "has", 1)))
    assert.has_error(function() gate.players.leave(1) end, "player 1 is in no scene: call join first")
    assert.same({}, gate.players.known(1))
    run(gate.players.join, other.handle, 1, 30, 0)
    tick(other)
    assert.equal(other.handle, gate.players.scene(1))
  end)
end)
