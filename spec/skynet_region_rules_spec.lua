-- Rules of a region: its refusals, its course while others are silent and when it is not the owner after all,
-- its calls of the user's handlers; each also for a region that another service goes on with after each tick.
-- That regions tell what one scene tells is in skynet_region_spec.lua.

local aoi = require "aoi"
local services = require "spec.support.services"

local machine, addresses, told

local WORDS = {
  "engine=grid", "width=100", "height=100", "radius=10", "columns=2", "rows=1", "max_radius=16", "margin=2",
  "nodes=a,b", "owners=1,2", "tick=100", "patience=0", "handlers=spec.support.minding_handlers",
  "start=7", "world=9",
}

local regions, tick
local is_replaced -- true: by another service after each tick

local function start_region(number, ...)
  local words = { "region=" .. number, number == 1 and "node=a" or "node=b", ... }
  table.move(WORDS, 1, #WORDS, #words + 1, words)
  return machine.start("lua/aoi/skynet/region.lua", 100 + number, words)
end

-- Region 1 has x below 50 and is on node 1, region 2 the rest, on node 2.
local function start()
  regions, tick, told = {}, 0, {}
  for number = 1, 2 do
    regions[number] = start_region(number)
  end
end

local function replace(number)
  local text, kept = regions[number](9, "save")
  assert(text, kept)
  regions[number] = start_region(number, "waits=1")
  assert(regions[number](9, "load", text, kept))
end

local SOURCE

setup(function()
  machine = services.new(function(address, text)
    table.insert(told, { address, text })
  end)
  addresses = require "aoi.skynet.region.addresses"
  SOURCE = addresses.global(1, 7, 500)
end)

teardown(function()
  machine.close()
end)

-- Commands to a region, each a table of its words; all of them want answers. Begins the next tick there.
local function begin(region, commands, closed, is_behind)
  local rows = {}
  for i, command in ipairs(commands) do
    rows[#rows + 1], rows[#rows + 2] = tick << 28 | 1 << 20 | i, SOURCE
    rows[#rows + 1], rows[#rows + 2] = 1, machine.skynet.packstring(table.unpack(command))
  end
  return regions[region](9, "begin", tick, rows, closed, nil, nil, nil, is_behind)
end

local function finish(region, incoming, refused, overruled)
  local result = regions[region](9, "finish", tick, incoming or {}, refused, overruled)
  for _, text in pairs(result.packets) do
    local at = 1
    while at <= #text do
      local address, message
      address, message, at = ("<i8s4"):unpack(text, at)
      told[#told + 1] = { address, message }
    end
  end
  local answers = {}
  for stamp, text in pairs(result.answers) do
    answers[stamp & 0xFFFFF] = { machine.skynet.unpack(text) }
  end
  if is_replaced then
    replace(region)
  end
  return answers, result
end

-- A tick of both. Returns the answers of region 1, and what both began with.
local function run(commands, closed, commands_2)
  tick = tick + 1
  local first = begin(1, commands or {}, closed)
  local second = begin(2, commands_2 or {})
  local answers = finish(1, { 2, second.out[1] or "" })
  finish(2, { 1, first.out[2] or "" })
  return answers, first, second
end

local function has(region, id)
  return regions[region](1, "query", false, "has", id)
end

local function owns(region, id)
  return regions[region](1, "query", true, "ids")[1] == id
end

local function rules()
  before_each(start)

  it("refuses what a world does not allow", function()
    local answers = run {
      { "enter", 1, 45, 10, { radius = 17 } },
      { "enter", 1, 45, 10 },
      { "set_radius", 1, 20 },
      { "update", 1, 45, 10, { radius = 16.5 } },
      { "move", 8, 1, 1 },
      { "transfer", 1, 5, 1, 1 },
      { "say", 8, "hello" },
      { "say", 1, ("x"):rep(60000) },
      { "enter", 1, 46, 10 },
    }
    assert.equal("enter: radius is 17, expected at most max_radius of the world, 16", answers[1][2])
    assert.is_true(answers[2][1])
    assert.equal("set_radius: radius is 20, expected at most max_radius of the world, 16", answers[3][2])
    assert.equal("update: radius is 16.5, expected at most max_radius of the world, 16", answers[4][2])
    assert.truthy(answers[5][2]:find "8")
    assert.equal("transfer is no command of a world", answers[6][2])
    assert.equal("say: entity 8 is unknown", answers[7][2])
    assert.truthy(answers[8][2]:find "60000 bytes long")
    assert.truthy(answers[9][2]:find "already")
    local _, message = regions[1](1, "move", 1, 45, 10)
    assert.equal("move is no command of a region: talk to the world", message)
  end)

  it("refuses the words that worlds are still to get, and tells clients so as they enter", function()
    local step = { stream = 1, pushes = 0 }
    local answers = run {
      { "enter", 1, 45, 10, { take_over = true } },
      { "enter", 1, 45, 10, { address = SOURCE, stream = 1 } },
      { "move", 1, 44, 10, step },
      { "update", 1, 44, 10, step },
      { "leave", 1, { stream = 1 } },
      { "resync", 1, { stream = 1 } },
      { "set_property", 1, 1, 1, { stream = 1 } },
      { "set_traits", 1, {} },
      { "say_in", 1, 1, "hello" },
      { "update_area", 1, { radius = 1 } },
    }
    assert.same({ true, 100, nil, nil, nil, "world" }, answers[2])
    for stamp, words in pairs { [1] = "enter: in a world: not yet take_over",
      [3] = "move: in a world: not yet a table with stream", [4] = "update: in a world: not yet pushes",
      [5] = "leave: in a world: not yet a table with stream",
      [6] = "resync: in a world: not yet a table with stream",
      [7] = "set_property: in a world: not yet a table with stream", [8] = "set_traits: in a world: not yet",
      [9] = "say_in: in a world: not yet", [10] = "update_area: in a world: not yet" } do
      assert.same({ nil, words }, answers[stamp])
    end
    assert.is_true(has(1, 1))
  end)

  it("refuses commands for what another region owns", function()
    run { { "enter", 1, 45, 10 } }
    assert.is_true(has(2, 1))
    tick = tick + 1
    begin(2, { { "move", 1, 60, 10 }, { "enter", 1, 60, 10 } })
    local answers = finish(2)
    assert.equal("move: entity 1 is in another region of the world", answers[1][2])
    assert.equal("enter: entity 1 is in another region of the world", answers[2][2])
    assert.is_false(owns(2, 1))
  end)

  it("lets an entity leave for a dead address only while it has that", function()
    local other = addresses.global(2, 7, 600)
    run { { "enter", 1, 45, 10 }, { "enter", 2, 45, 11, { address = other } } }
    assert.same({}, regions[1](1, "addresses_of", 1, 7))
    assert.same({}, regions[1](1, "addresses_of", 1, 179000000 << 16 | 7)) -- a start number is longer
    assert.same({ 1, SOURCE }, regions[1](1, "addresses_of", 1, 8))
    assert.same({ 2, other }, regions[1](1, "addresses_of", 2))
    local answers = run { { "leave", 1, other }, { "leave", 2, other } }
    assert.equal("leave: entity 1 has another address by now", answers[1][2])
    assert.is_true(answers[2][1])
    assert.is_true(has(1, 1))
    assert.is_false(has(1, 2))
  end)

  it("tells of details that come in a late string", function()
    local known = require("aoi.skynet.known").new { view = function() end }
    local function read_told()
      for _, packet in ipairs(told) do
        known:read(packet[2])
      end
      told = {}
    end
    run({ { "enter", 1, 49, 10 } }, nil, { { "enter", 2, 51, 10 } })
    run()
    read_told()
    assert.is_nil(known:markers(2)[1].properties)
    tick = tick + 1
    local late = begin(1, { { "set_property", 1, 5, "news" } }).out[2]
    begin(2, {})
    finish(1)
    finish(2)
    tick = tick + 1
    local next_one = begin(1, {}).out[2]
    begin(2, {})
    finish(1)
    finish(2, { 1, late, 1, next_one or "" })
    read_told()
    assert.same({ [5] = "news" }, known:markers(2)[1].properties)
  end)

  it("tells who entered, left and was handed over, with epochs", function()
    local _, first = run { { "enter", 1, 45, 10 }, { "enter", 2, 45, 10 }, { "leave", 2 } }
    assert.same({ entered = { 1, tick << 28 | 1 << 20 | 2 - 1 }, left = {}, handed = {} }, first.news)
    _, first = run { { "leave", 1 }, { "enter", 1, 47, 10 } }
    assert.same({ entered = {}, left = {}, handed = {} }, first.news)
    _, first = run { { "move", 1, 53, 10 } }
    assert.same({ entered = {}, left = {}, handed = { 1, 2, 2 } }, first.news)
    assert.is_true(owns(2, 1))
    local _, _, second = run({}, nil, { { "leave", 1 } })
    assert.same({ entered = {}, left = { 1, 2 }, handed = {} }, second.news)
    assert.is_false(has(1, 1))
  end)

  it("keeps who stands beyond the border of a silent region, and tells it all later", function()
    run { { "enter", 1, 47, 10, { data = "elf" } }, { "enter", 2, 40, 10 } }
    local _, first = run({ { "move", 1, 60, 10 }, { "set_property", 2, 1, "red" } }, { 2 })
    assert.is_nil(first.out[2])
    assert.same({}, first.news.handed)
    assert.is_true(owns(1, 1))
    regions[1](9, "show_all", 2)
    _, first = run { { "move", 2, 41, 10 } }
    assert.same({ 1, 2, 2 }, first.news.handed)
    assert.is_true(owns(2, 1))
    assert.same({ 41, 10 }, { regions[2](1, "query", false, "position", 2) })
  end)

  it("drops with a full set what that does not name", function()
    run { { "enter", 1, 45, 10 }, { "enter", 2, 40, 10 } }
    run({ { "leave", 1 }, { "set_mode", 2, "w" } }, { 2 })
    assert.is_true(has(2, 1) and has(2, 2))
    regions[1](9, "show_all", 2)
    run()
    assert.is_false(has(2, 1) or has(2, 2))
  end)

  it("forgets what a lost region owned, but not what it owns itself", function()
    run { { "enter", 1, 45, 10 }, { "enter", 2, 47, 10 } }
    run { { "move", 2, 53, 10 } }
    regions[2](9, "forget_region", 1)
    assert.is_false(has(2, 1))
    assert.is_true(owns(2, 2))
  end)

  it("gives way when the same id entered elsewhere, or is owned elsewhere", function()
    tick = 1
    begin(1, { { "enter", 1, 45, 10 } })
    local out = begin(2, { { "enter", 1, 55, 10 } }).out
    local answers = finish(1, { 2, out[1] }, { 1, 1 })
    assert.equal("enter: entity 1 is in the world already", answers[1][2])
    assert.is_false(owns(1, 1))
    assert.same({ 55, 10 }, { regions[1](1, "query", false, "position", 1) })
    answers = finish(2, {}, { 1, 1 })
    assert.is_true(answers[1][1])
    tick = 2
    begin(2, {})
    finish(2, {}, { 1, 2 }) -- after a partition
    assert.is_false(has(2, 1))
  end)

  it("sees who entered elsewhere, though it has let it enter and handed it on", function()
    tick = tick + 1
    local first = begin(1, { { "enter", 1, 60, 10 } })
    assert.equal(1, first.news.handed[1])
    local second = begin(2, { { "enter", 1, 55, 10 } })
    finish(1, { 2, second.out[1] }, { 1, 1 })
    finish(2, { 1, first.out[2] }, { 1, 1 })
    assert.is_true(owns(2, 1) and has(1, 1))
    run({}, nil, { { "move", 1, 54, 11 } })
    assert.equal(54, regions[1](1, "query", false, "position", 1))
  end)

  it("refuses an enter of who entered elsewhere and is handed to it in that tick", function()
    tick = tick + 1
    local first = begin(1, { { "enter", 1, 60, 10 } })
    local second = begin(2, { { "enter", 1, 55, 10 }, { "move", 1, 56, 10 } })
    finish(1, { 2, second.out[1] })
    local answers = finish(2, { 1, first.out[2] })
    assert.same({ nil, "enter: entity 1 is in the world already" }, answers[1])
    assert.is_true(owns(2, 1))
    assert.equal(60, regions[2](1, "query", false, "position", 1))
  end)

  it("refuses an enter of who is to be handed to it, also before that comes", function()
    tick = tick + 1
    begin(2, { { "enter", 1, 55, 10 } })
    local answers = finish(2, {}, nil, { 1, 2 })
    assert.same({ nil, "enter: entity 1 is in the world already" }, answers[1])
    assert.is_false(has(2, 1))
  end)

  it("shows an entity that entered elsewhere as its owner does", function()
    tick = 1
    local lost = begin(1, { { "enter", 1, 45, 10, { data = "lost" } } }).out[2]
    begin(2, { { "enter", 1, 55, 10, { data = "kept" } } })
    finish(2, { 1, lost }, { 1, 1 })
    assert.same({ 55, 10 }, { regions[2](1, "query", false, "position", 1) })
  end)

  it("asks the user's handlers what goes along, and runs them for what it owns", function()
    run { { "enter", 1, 45, 10 }, { "think", 1, 0 } }
    assert.same({ 45, 15 }, { regions[2](1, "query", false, "position", 1) }) -- stepped with the same tick
    run { { "step", 1, 54, 10 } }
    assert.is_true(owns(2, 1))
    tick = tick + 1
    begin(2, { { "mind", 1 }, { "step", 1, 56, 10 }, { "nonsense", 1 } })
    local answers = finish(2)
    assert.same({ 2 }, answers[1])
    assert.same({ true }, answers[2])
    assert.equal("nonsense is no command of a world", answers[3][2])
    assert.same({ 56, 10 }, { regions[2](1, "query", false, "position", 1) })
    assert.same({}, machine.errors)
  end)

  it("keeps all of an entity that it could not hand over, as memory was short", function()
    local methods = getmetatable(aoi.new { engine = "crosslist", radius = 1 }).__index
    local hand_out = methods.hand_out
    finally(function() methods.hand_out = hand_out end)
    methods.hand_out = function() error("not enough memory", 0) end
    run { { "enter", 1, 45, 10, { address = addresses.global(2, 0, 600), data = "elf" } }, { "think", 1, 5 } }
    run { { "step", 1, 54, 10 } }
    assert.is_true(owns(1, 1))
    assert.same({ "region: not enough memory" }, machine.errors)
    machine.errors = {}
    methods.hand_out = hand_out
    local answers = run { { "mind", 1 } }
    assert.same({ 7 }, answers[1])
    assert.is_true(owns(2, 1))
    tick = tick + 1
    begin(2, { { "mind", 1 } })
    assert.same({ 8 }, finish(2)[1])
    assert.same({}, machine.errors)
  end)

  it("lets handlers that have waited change nothing between the halves of a tick", function()
    run { { "enter", 1, 45, 10 } }
    tick = tick + 1
    begin(1, { { "later", "move", 1, 48, 10 } })
    machine.skynet.wakeup "later move"
    assert.same({ 45, 10 }, { regions[1](1, "query", false, "position", 1) })
    assert.same({}, finish(1))
    assert.same({ 48, 10 }, { regions[1](1, "query", false, "position", 1) })
    tick = tick + 1
    assert.is_string(begin(1, {}).out[2])
    local _, result = finish(1)
    assert.same({ true }, { machine.skynet.unpack(select(2, next(result.answers))) })
  end)

  it("hands over who is more than the margin beyond the border", function()
    run({ { "enter", 1, 45, 10 } }, nil, { { "enter", 2, 55, 10 } })
    run({ { "move", 1, 52, 10 } }, nil, { { "move", 2, 48, 10 } })
    assert.is_true(owns(1, 1) and owns(2, 2))
    run({ { "move", 1, 52.01, 10 } }, nil, { { "move", 2, 47.99, 10 } })
    assert.is_true(owns(1, 2) and owns(2, 1))
  end)

  it("takes the tick in which it is applied for the epoch of an enter that comes late", function()
    local before = tick
    tick = tick + 1
    local late = { before << 28 | 2 << 20 | 5, SOURCE, 0, machine.skynet.packstring("enter", 1, 45, 10) }
    regions[1](9, "begin", tick, late)
    finish(1)
    local _, first = run { { "leave", 1 } }
    assert.same({ 1, 1 }, first.news.left)
  end)

  it("passes over what an owner before, or nobody, says of an entity", function()
    local _, first = run { { "enter", 1, 45, 10, { data = "elf" } }, { "enter", 2, 44, 10 } }
    local stands = first.out[2]
    _, first = run { { "move", 1, 46, 10 }, { "move", 2, 43, 10 }, { "say", 1, "hello" },
      { "set_property", 1, 1, 9 } }
    local moved = first.out[2]
    _, first = run { { "move", 1, 20, 10 } }
    local gone = first.out[2]
    run { { "move", 1, 53, 10 } }
    for _, old in ipairs { stands, moved, gone } do
      tick = tick + 1
      begin(2, {})
      finish(2, { 1, old })
      assert.is_true(owns(2, 1))
      assert.same({ 53, 10 }, { regions[2](1, "query", false, "position", 1) })
    end
    run({}, nil, { { "move", 1, 45, 10 } })
    tick = tick + 1
    begin(2, {})
    finish(2, { 1, gone })
    assert.is_true(has(2, 1)) -- the ghost of a later owner
    tick = tick + 1
    begin(2, {})
    finish(2, { 1, stands })
    assert.same({ 45, 10 }, { regions[2](1, "query", false, "position", 1) })
    regions[2](9, "forget_region", 1)
    tick = tick + 1
    begin(2, {})
    finish(2, { 1, moved })
    assert.is_false(has(2, 1) or has(2, 2))
    assert.same({}, machine.errors)
  end)

  it("shows all of an entity that came from elsewhere, where nothing of it may be left", function()
    run { { "enter", 1, 47, 10, { data = "elf" } }, { "enter", 2, 45, 10 } }
    run { { "move", 1, 53, 10 } }
    regions[1](9, "forget_region", 2)
    run()
    run { { "resync", 2 } }
    assert.truthy(told[#told][2]:find("elf", 1, true))
  end)

  -- Four regions, the first two on node 1; and a function that sends a command from a node.
  local function four_regions()
    local World = require "spec.support.world_in_process"
    local words = {
      "engine=grid", "x=0", "y=0", "width=100", "height=100", "radius=10", "columns=2", "rows=2", "log=log",
      "max_radius=16", "margin=2", "nodes=a,b", "owners=1,1,2,2", "tick=100", "patience=0",
    }
    local of_map = table.move(words, 1, #words, 2, { "node=a" })
    local map = require "aoi.skynet.world.map".new(of_map)
    local world = World.new(machine, map, words, function(address, text)
      table.insert(told, { address, text })
    end)
    return world, function(node, ...)
      world:send(node, World.address(node, 1), 0, ...)
    end
  end

  it("does not take for the end of an entity what its next owner was refused before", function()
    local world, command = four_regions()
    command(2, "enter", 1, 48, 49) -- comes a tick late, and counts
    world:run_tick()
    command(1, "enter", 1, 52, 49)
    world:run_tick()
    assert.equal(1, world.refused)
    command(1, "move", 1, 53, 49)
    world:run_tick()
    assert.equal(2, world.owner[1])
    assert.is_true(world.regions[3](1, "query", false, "has", 1))
  end)

  it("makes room in time for who comes in the tick in which its own enter does not count", function()
    local world, command = four_regions()
    command(1, "enter", 2, 56, 45)
    command(2, "enter", 1, 48, 49, { data = "elf" }) -- comes a tick late, and counts
    command(2, "move", 1, 53, 49)
    world:run_tick()
    command(1, "enter", 1, 52, 49, { data = "orc" })
    world:run_tick()
    assert.equal(1, world.refused)
    assert.equal(2, world.owner[1])
    assert.same({ 53, 49 }, { world.regions[2](1, "query", false, "position", 1) })
    world:run_tick()
    local texts = {}
    for i, message in ipairs(told) do
      texts[i] = message[2]
    end
    texts = table.concat(texts)
    assert.is_truthy(texts:find("elf", 1, true))
    assert.is_nil(texts:find("orc", 1, true))
  end)

  it("owns who comes with a later epoch in the tick in which it leaves here", function()
    run({ { "enter", 1, 10, 10 } }, nil, { { "enter", 2, 90, 10 } })
    run({}, nil, { { "enter", 1, 70, 10 } })
    run({ { "leave", 1 } }, nil, { { "move", 1, 30, 10 } })
    assert.is_true(has(1, 1) and owns(1, 1))
    run { { "move", 1, 31, 10 } }
    assert.is_true(owns(1, 1))
    assert.same({ 31, 10 }, { regions[1](1, "query", false, "position", 1) })
  end)

  it("keeps nothing of a ghost that comes and goes while the same entity leaves here", function()
    local strings = {}
    for i, command in ipairs { { "enter", 3, 55, 10 }, { "leave", 3 } } do -- of the other side of a cut
      tick = tick + 1
      strings[i] = begin(2, { command }).out[1]
      begin(1, i == 2 and { { "enter", 3, 10, 10 } } or {})
      finish(1)
      finish(2)
    end
    tick = tick + 1
    begin(1, { { "leave", 3 } })
    finish(1, { 2, strings[1], 2, strings[2] })
    assert.is_false(has(1, 3))
    assert.same({}, machine.errors)
  end)

  it("is shown again what it has forgotten of a region that lives", function()
    run { { "enter", 1, 47, 10 }, { "set_property", 1, 1, "red" } }
    regions[2](9, "forget_region", 1)
    assert.is_false(has(2, 1))
    run()
    run({}, nil, { { "enter", 2, 52, 10 } })
    assert.is_true(has(2, 1))
    assert.is_truthy(told[#told][2]:find("red", 1, true))
  end)

  it("shows again what a region has lost of it, and takes from it what is none of its own", function()
    run { { "enter", 1, 47, 10, { data = "elf" } }, { "enter", 2, 45, 10 } }
    tick = tick + 1
    begin(1, {})
    finish(1)
    begin(2, {})
    finish(2, {}, { 1, 1 })
    assert.is_false(has(2, 1))
    assert.is_true(has(2, 2))
    for _ = 1, 70 do
      run()
    end
    assert.is_true(has(2, 1) and has(2, 2))
    run { { "leave", 2 } }
    assert.is_false(has(2, 2))
    tick = tick + 1 -- the string in which it is gone does not come
    begin(1, { { "leave", 1 } })
    finish(1)
    begin(2, {})
    finish(2)
    assert.is_true(has(2, 1))
    for _ = 1, 70 do
      run()
    end
    assert.is_false(has(2, 1))
    assert.same({}, machine.errors)
  end)

  local function was_told_all()
    local n = 0
    for _, message in ipairs(told) do
      n = n + (message[2]:byte(2) >> 3 & 1) -- the flag of a list that replaces all
    end
    told = {}
    return n == 1
  end

  it("tells all again to who is handed over while news are missing, and for some ticks then", function()
    for ticks_later, expected in pairs { [0] = true, [1] = true, [15] = true, [16] = false } do
      start()
      run { { "enter", 1, 47, 10 }, { "enter", 2, 45, 10 } }
      told = {}
      tick = tick + 1
      local first = begin(1, ticks_later == 0 and { { "move", 1, 53, 10 } } or {}, nil, true)
      begin(2, {})
      finish(1)
      finish(2, { 1, first.out[2] or "" })
      for later = 1, ticks_later do
        run(later == ticks_later and { { "move", 1, 53, 10 } } or {})
      end
      assert.is_true(owns(2, 1))
      assert.equal(expected, was_told_all(), ticks_later)
    end
  end)

  it("tells all again at most once a second, whichever region it asks", function()
    machine.time = 1000
    run { { "enter", 1, 47, 10 } }
    assert.is_true(was_told_all())
    run { { "resync", 1 } }
    assert.is_true(was_told_all())
    machine.time = 1050
    run { { "move", 1, 53, 10 } }
    run({}, nil, { { "resync", 1 } })
    assert.is_false(was_told_all())
    run({}, nil, { { "move", 1, 47, 10 } })
    assert.is_false(was_told_all())
    machine.time = 1101
    run()
    assert.is_true(was_told_all())
  end)

  it("begins the stream that a resync wants", function()
    local blocks = require "aoi.skynet.blocks"
    run { { "enter", 1, 47, 10 } }
    local stream = blocks.head(told[#told][2], 1).stream
    local wanted = stream + 1000 & 0xFFFFFFFF
    run { { "resync", 1, wanted } }
    local block = blocks.head(told[#told][2], 1)
    assert.same({ wanted, 1, blocks.REPLACES }, { block.stream, block.number, block.flags & blocks.REPLACES })
    local wrong = { "one", 1.5, -1 }
    local answers = run {
      { "resync", 1, wrong[1] }, { "resync", 1, wrong[2] }, { "resync", 1, wrong[3] }, { "resync", 2, 1 },
    }
    for i, value in ipairs(wrong) do
      local message = ("resync: stream is %s, expected an integer from 0 to 4294967295"):format(value)
      assert.equal(message, answers[i][2])
    end
    assert.equal("resync: entity 2 is unknown", answers[4][2])
  end)

  it("begins streams later than those of the same entity elsewhere", function()
    local blocks = require "aoi.skynet.blocks"
    local function stream_of(id)
      for i = #told, 1, -1 do
        local block = blocks.head(told[i][2], 1)
        if block.watcher == id then
          return block.stream
        end
      end
    end
    machine.time = 1000
    local commands = {}
    for id = 2, 30 do
      commands[#commands + 1] = { "enter", id, 10, 10 }
    end
    commands[#commands + 1] = { "enter", 1, 47, 10 }
    run(commands)
    local first = stream_of(1)
    machine.time = 1002
    run { { "move", 1, 53, 10 } }
    run({}, nil, { { "leave", 1 }, { "enter", 1, 53, 10 } })
    local second = stream_of(1)
    assert.is_true(blocks.is_later(second, first))
    -- Several in one tick.
    local other = addresses.global(1, 7, 501)
    run({}, nil, {
      { "update", 1, 53, 10, { address = other } }, { "update", 1, 53, 10, { address = SOURCE } },
      { "leave", 1 }, { "enter", 1, 53, 10 },
    })
    assert.is_true(blocks.is_later(stream_of(1), second))
  end)
end

describe("A region", function()
  setup(function()
    is_replaced = false
  end)
  rules()
end)

describe("A region with which another service goes on after each tick", function()
  setup(function()
    is_replaced = true
  end)
  rules()
end)
