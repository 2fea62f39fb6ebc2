-- A transfer of which the other scene tells before the one of before does, on a simulated skynet: what the
-- agent does meanwhile, and the scene of before that ends without a word.
local blocks = require "aoi.skynet.blocks"
local simulated_scene = require "spec.support.simulated_scene"
local streams = require "aoi.skynet.streams"

describe("an agent that sees the other scene before it knows that it is there", function()
  local scenes, from, to, gate, events

  -- A service with the client, of which the functions are at hand. It notes the events that are about where
  -- it is.
  local function new_gate()
    gate, events = {}, {}
    gate.service = scenes.process:start_service(function(load)
      gate.skynet, gate.view = load "skynet", load "aoi.skynet.client"
    end)
    scenes.all:run(10)
    gate.view.on {
      scene_is = function(scene) events[#events + 1] = { "scene_is", scene } end,
      gone = function(scene, why) events[#events + 1] = { "gone", scene, why } end,
      refused = function() end,
    }
  end

  -- Does something in the service, and waits for its end. Returns what pcall does.
  local function act(name, ...)
    local words, result = table.pack(...), nil
    gate.skynet.fork(function()
      result = table.pack(pcall(gate.view[name], table.unpack(words, 1, words.n)))
    end)
    assert(scenes.all:run_until(60000, function() return result end), "view." .. name .. " does not end")
    return table.unpack(result, 1, result.n)
  end

  -- As `act`, but for its first moment alone.
  local function begin(name, ...)
    gate.skynet.fork(pcall, gate.view[name], ...)
  end

  local function ask(...)
    return scenes:ask(...)
  end

  local function place_in(scene)
    return { ask(scene, "query", "position", 7) }
  end

  local function is_in(scene)
    return ask(scene, "query", "has", 7)
  end

  local function transfer()
    return scenes:send_off(from, "transfer", 7, to.handle, 400, 0)
  end

  -- Runs until the agent sees what is in the other scene. Returns whether it has not heard that it is there.
  local function until_overtaken()
    local steps = 0
    while not gate.view.known()[60] do
      steps = steps + 1
      assert(steps < 10000, "nothing is told")
      scenes.all:run(0.02) -- of a millisecond: a message takes up to 0.4
    end
    return gate.view.scene() == from.handle
  end

  -- The agent believes of itself as it is in that scene, and is there alone.
  local function check(scene)
    scenes.all:run(3000)
    scenes:tick(scene)
    assert.same({ scene.handle, 7 }, { gate.view.scene() })
    local me = gate.view.me()
    assert.same(place_in(scene), { me[1], me[2] })
    assert.equal(ask(scene, "query", "radius", 7), me.traits.radius)
    assert.is_true((act("move", 33, 44)))
    scenes.all:run(3000)
    assert.same({ 33, 44 }, place_in(scene))
    assert.same({ 33, 44 }, { table.unpack(gate.view.me(), 1, 2) })
    assert.is_true((act("leave")))
    scenes.all:run(1000)
    assert.is_false(is_in(scene))
    assert.same({}, scenes.all.failed)
  end

  local MINE = { data = "Ada", radius = 12 }

  -- tick: of the other scene; "0": it tells at once. All words are for both.
  local function start(seed, tick, ...)
    scenes = simulated_scene.new(seed)
    from, to = scenes:scene(...), scenes:scene("tick=" .. tick, ...)
    new_gate()
    assert.is_true((ask(to, "enter", 60, 401, 0, { address = false })))
    assert.is_true((act("join", from.handle, 7, 1, 0, MINE)))
    scenes:tick(from)
  end

  -- Calls f for each of some seeds with which the list overtakes the word of the scene of before.
  local function each_overtaken(f, ...)
    local count = 0
    for seed = 1, 16 do
      start(seed, 0, ...)
      transfer()
      if until_overtaken() then
        count = count + 1
        f()
      end
    end
    assert.is_true(count > 4)
  end

  it("believes the scene, and not what it has done meanwhile", function()
    each_overtaken(function()
      begin("move", 2, 2)
      begin("set_property", 3, "lost")
      begin("set_traits", { radius = 9 })
      begin("update", 3, 3, { data = "lost" })
      scenes.all:run(3000)
      local me = gate.view.me()
      local traits, stream = me.traits, me.stream
      assert.same({ 400, 0, data = "Ada", properties = {}, traits = traits, pushes = 0, stream = stream }, me)
      check(to)
    end)
  end)

  it("is there when the one of before ends: in the game once, and not gone", function()
    for _, how in ipairs { "kill", "end_it" } do
      each_overtaken(function()
        from[how](from)
        scenes.all:run(8000)
        assert.same({ { "scene_is", to.handle } }, events)
        check(to)
      end)
    end
  end)

  it("goes where it likes meanwhile, or leaves, and is nowhere else", function()
    local other
    for _, ends in ipairs { false, true } do
      each_overtaken(function()
        other = scenes:scene()
        begin("go", other.handle, 70, 0)
        if ends then
          from:kill()
        end
        scenes.all:run(8000)
        assert.is_false(is_in(to))
        check(other)
      end)
      each_overtaken(function()
        begin "leave"
        if ends then
          from:kill()
        end
        scenes.all:run(8000)
        assert.is_nil(gate.view.scene())
        assert.is_false(is_in(to))
        assert.same({}, events)
      end)
    end
  end)

  it("sends the place that its player chose there, and none that was chosen before", function()
    each_overtaken(function()
      local before, there = gate.view.stream(), gate.view.me().stream
      assert.not_equal(before, there)
      begin("move", 410, 5, { pushes = 0, stream = there })
      scenes.all:run(1000)
      assert.same({ 410, 5 }, place_in(to))
      begin("move", 2, 2, { pushes = 0, stream = before })
      begin("update", 2, 2, { pushes = 0, stream = before, radius = 12 })
      scenes.all:run(1000)
      assert.same({ 410, 5 }, place_in(to))
      assert.equal(12, ask(to, "query", "radius", 7))
      begin("update", 3, 2, { pushes = 0, stream = there })
      scenes.all:run(1000)
      assert.same({ 3, 2 }, place_in(to))
      local ok, message = act("move", 2, 2, { pushes = 0, stream = tostring(there) })
      assert.is_false(ok)
      assert.truthy(message:find("stream is " .. there .. ", expected an integer", 1, true), message)
      check(to)
    end)
  end)

  it("sends the last extras with the place that its player chose there", function()
    each_overtaken(function()
      local there = { pushes = 0, stream = gate.view.me().stream }
      begin("move", 402, 1, 5, there)
      begin("move", 403, 2, there)
      scenes.all:run(1000)
      assert.same({ 403, 2 }, place_in(to))
      assert.equal(5, (ask(to, "extras", 7)))
    end, "extras=1", "handlers=spec.support.waiting_handlers")
  end)

  it("drops place and anchor alone of an update that was chosen in another map", function()
    start(1, 0)
    local older = gate.view.stream() - 4 & 0xFFFFFFFF
    assert.is_true((act("update", 2, 2, { pushes = 0, stream = older, anchor = { 2, 2 }, radius = 5 })))
    assert.equal(5, ask(from, "query", "radius", 7))
    check(from)
  end)

  it("has the coordinates of the scene to which it goes", function()
    start(1, 0)
    local high = scenes:scene "dims=3"
    assert.is_true((act("go", high.handle, 2, 3, 4)))
    local me = gate.view.me()
    assert.same({ { 2, 3, 4 } }, { { table.unpack(me) }, me.extras })
  end)

  it("is in a scene whose address is given as skynet writes it, also when that loads", function()
    start(1, 0)
    assert.is_true((act("go", (":%08x"):format(to.handle), 1, 1, MINE)))
    assert.is_true((ask(to, "load", (ask(to, "save")))))
    check(to)
  end)

  it("is not where it was long before when it is gone, though that tells late", function()
    start(1, 0)
    local late = scenes:scene()
    assert.is_true((act("go", late.handle, 1, 1)))
    local dispatch = late.dispatch
    function late.dispatch(...)
      if select(3, ...) ~= "leave" then
        dispatch(...)
      end
    end
    assert.is_true((act("go", to.handle, 2, 2)))
    assert.is_true((ask(to, "leave", 7)))
    scenes.all:run(20)
    scenes:tick(late)
    scenes.all:run(100)
    assert.same({ { "gone", to.handle, "removed" } }, events)
  end)

  it("has its new extras where it is, when it sets them as it comes", function()
    start(1, 20, "extras=1")
    local other = scenes:agent(to)
    assert.is_true((ask(other, "view", "join", 8, 402, 0)))
    gate.view.on { scene_is = function()
      gate.skynet.send(to.handle, "lua", "tick") -- which tells without these
      gate.view.set_traits { extras = { 5 } }
    end }
    -- The agent believes so, and the other one is told so.
    local function is_at(x, y, turned)
      local me = gate.view.me()
      assert.same({ { x, y }, { turned } }, { { table.unpack(me) }, me.extras })
      scenes.all:run(1000)
      scenes:tick(to)
      assert.same({ x, y, data = "Ada", extras = { turned } }, scenes:known(other)[7])
    end
    act("set_traits", { extras = { 4 } })
    transfer()
    scenes.all:run(1000)
    scenes:tick(to)
    is_at(400, 0, 5)
    act("move", 401, 1)
    act("set_traits", { extras = { 6 } })
    act("move", 402, 2)
    is_at(402, 2, 6)
    act("move", 403, 3, 7)
    is_at(403, 3, 7)
    check(to)
  end)

  it("sends a place in its turn when it is given its view anew just as it has come", function()
    for after = 0, 20 do
      start(1, 20)
      transfer()
      assert(scenes.all:run_until(1000, function() return gate.view.scene() == to.handle end))
      scenes.all:run(after * 0.05)
      begin("update", 400, 0, { address = gate.service.handle })
      begin("move", 401, 0)
      scenes.all:run(1000)
      assert.same({ 401, 0 }, place_in(to))
      check(to)
    end
  end)

  -- Without a transfer: somebody enters it there, and then has it leave here.
  it("is there also when the end of its stay before was overtaken", function()
    start(1, 0)
    assert.is_true((ask(to, "enter", 7, 400, 0,
      { address = gate.service.handle, stream = gate.view.stream() + 4 & 0xFFFFFFFF })))
    assert.is_true(until_overtaken())
    assert.is_true((ask(from, "leave", 7)))
    scenes:tick(from)
    check(to)
  end)

  describe("when the one of before has ended before that", function()
    -- The other scene has it, and has not told; the one of before has not said so.
    local function end_on_the_way()
      start(1, 3600000)
      local dispatch = to.dispatch
      function to.dispatch(...)
        dispatch(...)
        if select(3, ...) == "arrive" then
          from:kill()
        end
      end
      transfer()
      scenes.all:run(8000)
      assert.same({ { "gone", from.handle, "ended" } }, events)
      assert.is_nil(gate.view.scene())
    end

    it("is there when it is told", function()
      end_on_the_way()
      scenes:tick(to)
      assert.same({ "scene_is", to.handle }, events[2])
      check(to)
    end)

    -- The other scene has it, and has not told; the one of before ends in this moment.
    it("is nowhere when it has left just before that, and neither is its entity", function()
      for _, is_ended in ipairs { false, true } do
        start(1, 3600000)
        local dispatch = to.dispatch
        function to.dispatch(...)
          dispatch(...)
          if select(3, ...) == "arrive" then
            gate.skynet.fork(gate.view.leave)
            if is_ended then
              from:kill()
            end
          end
        end
        transfer()
        scenes.all:run(8000)
        scenes:tick(to)
        scenes.all:run(1000)
        assert.is_nil(gate.view.scene())
        assert.is_false(is_in(to))
      end
    end)

    it("has all that it had given when it is lost there, and comes again", function()
      end_on_the_way()
      scenes:tick(to)
      assert.is_true((ask(to, "leave", 7))) -- of which the agent is not told
      scenes.skynet.redirect(gate.service.handle, to.handle, "aoi", 0,
        blocks.over(7, gate.view.stream(), 9, blocks.LOST))
      scenes.all:run(1000)
      scenes:tick(to)
      assert.same({ { 400, 0 }, 12 }, { place_in(to), (ask(to, "query", "radius", 7)) })
      assert.equal("Ada", gate.view.me().data)
    end)

    it("is there though its join elsewhere ends, and it was told meanwhile", function()
      end_on_the_way()
      local other = scenes:scene("handlers=spec.support.waiting_handlers", "tick=0")
      assert.is_true((ask(other, "enter", 1, 0, 0, { address = false })))
      ask(other, "wait", "on_enter", 1, 1)
      begin("join", other.handle, 7, 1, 0)
      scenes.all:run(20)
      scenes:tick(to)
      other:end_it()
      scenes.all:run(8000)
      check(to)
    end)

    it("is there though its join is refused, as it is inside", function()
      end_on_the_way()
      assert.is_false((act("join", to.handle, 7, 5, 5)))
      scenes:tick(to)
      check(to)
    end)

    for when, is_told in pairs { ["behind that"] = false, ["on the way"] = true } do
      it("is where it went meanwhile, alone, and is told " .. when, function()
        end_on_the_way()
        local other = scenes:scene("handlers=spec.support.waiting_handlers", "tick=0")
        assert.is_true((ask(other, "enter", 1, 0, 0, { address = false })))
        ask(other, "wait", "on_enter", 1, 1)
        begin("join", other.handle, 7, 1, 0)
        scenes.all:run(20)
        if is_told then
          scenes:tick(to)
        end
        scenes.all:run(3000)
        scenes:tick(to)
        scenes.all:run(1000)
        assert.is_false(is_in(to))
        assert.equal(other.handle, (gate.view.scene()))
        assert.is_true((act("move", 2, 0)))
        scenes.all:run(1000)
        assert.same({ 2, 0 }, place_in(other))
      end)
    end
  end)
end)

describe("the number of a stream", function()
  it("is of a client or of a load, and never of both, though either was passed on once", function()
    for number = 0xFFFFFFF0, 0x100000010 do
      local first = number & 0xFFFFFFFF
      local client, load = streams.of_client(first), streams.of_load(first)
      assert.is_true((client - first & 0xFFFFFFFF) < 4 and (load - first & 0xFFFFFFFF) < 4)
      assert.equal(2, client - load & 3)
    end
  end)

  it("is chosen so by both", function()
    local scenes = simulated_scene.new(1)
    for _ = 1, 8 do
      scenes.all:run(7)
      local from, to = scenes:scene(), scenes:scene()
      local agent = scenes:agent(from)
      assert.is_true((scenes:ask(agent, "view", "join", 7, 0, 0)))
      local _, joined = scenes:ask(agent, "view", "stream")
      assert.is_true(scenes:ask(to, "load", scenes:ask(from, "save")))
      scenes:tick(to)
      local _, loaded = scenes:ask(agent, "view", "stream")
      assert.same({ 0, 2 }, { joined & 3, loaded & 3 })
    end
  end)
end)
