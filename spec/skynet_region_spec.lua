-- Rules of a region alone, on a skynet of one process: what it refuses, its calls of the user's handlers,
-- what becomes of an entity that can not be handed over, and a saved region with which another service goes
-- on.
-- That regions tell what one space tells is in skynet_world_exact_spec.lua.
local aoi = require "aoi"
local files = require "spec.support.files"
local services = require "spec.support.services"

local HERE, THERE = "aa:000001f4", "bb:00000258" -- addresses of the region's process, and of another

local WORDS = {
  "engine=grid", "width=100", "height=100", "radius=10", "columns=2", "rows=1", "max_radius=16", "margin=2",
  "nodes=a,b", "node=a", "tick=100", "handlers=spec.support.minding_handlers", "world=9", "key=aa",
  "extras=1",
}

local machine, told

setup(function()
  machine = services.new(function(address, text)
    told[#told + 1] = { ("aa:%08x"):format(address), text }
  end)
end)

teardown(function()
  machine.close()
end)

local function start(number, ...)
  local words = { "region=" .. number, ... }
  table.move(WORDS, 1, #WORDS, #words + 1, words)
  return machine.start("lua/aoi/skynet/region.lua", 100 + number, words)
end

-- Region 1 has x below 50, region 2 the rest.
local regions, tick
local is_replaced -- true: by another service after each tick

before_each(function()
  regions, tick, told, is_replaced = { start(1), start(2) }, 0, {}, false
end)

after_each(function()
  assert.same({}, machine.errors)
end)

local function replace(number)
  local text, kept = regions[number](9, "save")
  assert(text, kept)
  regions[number] = start(number, "waits=1")
  assert(regions[number](9, "load", text, kept))
end

-- Begins the next tick of a region. commands: a list of their words, with of_world those that no agent has
-- sent; all of them want answers; or of areas with owners, as rows have them. is_first: the tick is the first
-- of a configuration.
local function begin(number, commands, closed, is_first)
  local rows = {}
  for i, command in ipairs(commands or {}) do
    local text = machine.skynet.packstring(table.unpack(command))
    local row = { tick << 28 | 1 << 20 | i, not command.of_world and HERE, true, text }
    table.move(command.areas and { false, false, -2, command.areas } or row, 1, 4, #rows + 1, rows)
  end
  return regions[number](9, "begin", tick, rows, closed or {}, is_first)
end

-- Ends it. Returns what the handlers' calls have answered.
local function finish(number, shown, luggage, is_first)
  local result = regions[number](9, "finish", tick, shown or {}, luggage or {}, is_first or false)
  for key, list in pairs(result.packets) do
    for i = 2, #list, 2 do
      told[#told + 1] = { key, list[i] }
    end
  end
  if is_replaced then
    replace(number)
  end
  return result
end

-- The answers of a `begin`: place -> list.
local function answers_of(result)
  local answers = {}
  for place, one in pairs(result.results) do
    answers[place] = { machine.skynet.unpack(one[2]) }
  end
  return answers
end

-- A tick of both, with what goes from one to the other. Returns the answers of both.
local function run(first, second, closed, is_first)
  tick = tick + 1
  local begun = { begin(1, first, closed, is_first), begin(2, second, closed, is_first) }
  for number, of in ipairs(begun) do
    local luggage, other = {}, begun[3 - number]
    for _, crossed in ipairs(other.crossed) do
      luggage[#luggage + 1] = crossed.luggage
    end
    of.luggage = luggage
  end
  for number, of in ipairs(begun) do
    finish(number, { begun[3 - number].out[number] }, of.luggage, is_first)
  end
  return answers_of(begun[1]), answers_of(begun[2]), begun
end

-- A configuration begins in the middle of a tick, which has begun in both. owned: the areas whose owner is in
-- region 2 then.
local function configure(begun, owned)
  for number, of in ipairs(begun) do
    local other = begun[3 - number]
    assert.is_true(regions[number](9, "configure", { number = 2, key = "cc", drop = {},
      shown = { other.out[number] }, luggage = { other.crossed[1] and other.crossed[1].luggage },
      back = {}, agents = {}, fixed = {}, owned = number == 2 and owned or {}, orphans = {}, anew = {},
      said = {} }), of)
  end
end

-- A question about no entity: a list has only those that the region owns.
local function ask(number, ...)
  return select(2, regions[number](9, "query", nil, ...))
end

local function owns(number, id)
  local ids = ask(number, "ids")
  return ids[1] == id and #ids == 1
end

local function rules()
  it("refuses what a world does not allow", function()
    local answers = run {
      { "enter", 3, 45, 10, { radius = 17 } }, { "enter", 1, 45, 10 }, { "set_radius", 1, 20 },
      { "update", 1, 45, 10, { visible_radius = 16.5 } }, { "move", 8, 1, 1 }, { "say", 8, "hello" },
      { "say", 1, ("x"):rep(60000) }, { "enter", 1, 46, 10 }, { "set_sight", 1, 2, true },
      { "move", 1, 45, 10, 1, 2 },
    }
    local function refused(place, words)
      assert.is_nil(answers[place][1])
      assert.truthy(answers[place][2]:find(words, 1, true), answers[place][2])
    end
    refused(1, "enter: radius is 17, expected at most max_radius of the world, 16")
    assert.is_true(answers[2][1])
    refused(3, "set_radius: radius is 20, expected at most")
    refused(4, "update: visible_radius is 16.5, expected at most")
    refused(5, "id 8 is not in the space")
    refused(6, "say: entity 8 is unknown")
    refused(7, "60000 bytes long")
    refused(8, "already")
    refused(9, "set_sight: how is true, expected false or nil")
    refused(10, "extras are 1, 2, expected 1 number")
    assert.same({ nil, "move is no command of a region: talk to the world" },
      { regions[1](1, "move", 1, 45, 10) })
  end)

  it("refuses commands for what another region owns", function()
    run { { "enter", 1, 45, 10 } }
    assert.is_true(ask(2, "has", 1))
    local _, answers = run(nil, { { "move", 1, 60, 10 }, { "leave", 1 } })
    assert.same({ nil, "move: entity 1 is in another region of the world" }, answers[1])
    assert.same({ nil, "leave: entity 1 is in another region of the world" }, answers[2])
    assert.same({ {}, 0 }, { ask(2, "ids") })
  end)

  -- All nodes have judged that nobody has it.
  it("takes an entity in whatever is left of it, as a ghost", function()
    for id, command in ipairs { "enter", "update" } do
      run { { "enter", id, 45, 10 } }
      assert.is_true(ask(2, "has", id))
      local _, answers = run(nil, { { command, id, 60, 10 } })
      assert.is_true(answers[1][1])
      assert.is_true(ask(2, "has", id))
      assert.truthy(machine.errors[1]:find(("entity %d enters, and what was left"):format(id)))
      machine.errors = {}
      answers = { select(2, run(nil, { { "move", id, 61, 10 }, { "leave", id } })) }
      assert.is_true(answers[1][2][1])
    end
  end)

  it("takes an entity in that is handed over, also where it finds more than a ghost of it", function()
    run { { "enter", 1, 45, 10 } }
    local _, _, begun = run { { "move", 1, 60, 10 } }
    assert.is_true(owns(2, 1))
    tick = tick + 1
    begin(1)
    begin(2)
    finish(1)
    finish(2, {}, begun[2].luggage) -- as if this were from a store
    assert.is_true(owns(2, 1))
    assert.is_true(select(2, run(nil, { { "move", 1, 61, 10 } }))[1][1])
  end)

  it("lets an entity leave for a dead address only while it has that", function()
    run { { "enter", 1, 45, 10 }, { "enter", 2, 46, 10, { address = THERE } } }
    local answers = run {
      { "leave", 1, THERE, "dead", of_world = true }, { "leave", 2, THERE, "dead", of_world = true },
    }
    assert.same({ nil, "leave: entity 1 has another address by now" }, answers[1])
    assert.is_true(answers[2][1])
    assert.is_true(owns(1, 1))
    assert.is_true(run { { "leave", 1, THERE, "dead" } }[1][1]) -- of an agent these are no words
  end)

  it("goes on when a command raises", function()
    local answers = run {
      { "enter", 1, 45, 10 }, { "depart", 1, "x" }, { "pack", "x" }, { "arrive", 2 }, { "move", 1, 44, 10 },
    }
    machine.errors = {}
    for place = 2, 4 do
      assert.is_nil(answers[place] and answers[place][1])
    end
    assert.is_true(answers[5] == nil or answers[5][1] == true)
  end)

  it("asks the user's handlers what goes along, and runs them for what it owns", function()
    run { { "enter", 1, 45, 10 } }
    assert.is_true(regions[1](9, "command", HERE, "think", 1, 0))
    run()
    assert.same({ 45, 15 }, { ask(1, "position", 1) }) -- it has stepped aside
    run { { "move", 1, 54, 10 } }
    assert.is_true(owns(2, 1))
    assert.equal(2, (regions[2](9, "command", HERE, "mind", 1)))
    assert.equal("none", (regions[1](9, "command", HERE, "mind", 1)))
    assert.same({ nil, "nonsense is no command of a world" }, { regions[2](9, "command", HERE, "nonsense") })
  end)

  it("hands over who is more than the margin beyond the border, unless it may not", function()
    run({ { "enter", 1, 45, 10 } }, { { "enter", 2, 55, 10 } })
    run({ { "move", 1, 52, 10 } }, { { "move", 2, 48, 10 } })
    assert.is_true(owns(1, 1) and owns(2, 2))
    run({ { "move", 1, 52.01, 10 } }, nil, { [2] = true })
    assert.is_true(owns(1, 1)) -- the other one is being read from a store
    run(nil, { { "move", 2, 47.99, 10 } })
    assert.is_true(owns(1, 2) and owns(2, 1))
  end)

  it("keeps all of an entity that it could not hand over, as memory was short", function()
    local methods = getmetatable(aoi.new { engine = "crosslist", radius = 1 }).__index
    local hand_out = methods.hand_out
    finally(function() methods.hand_out = hand_out end)
    methods.hand_out = function() error("not enough memory", 0) end
    run { { "enter", 1, 45, 10, { address = THERE, data = "elf", extras = { 0.5 } } } }
    assert.is_true(regions[1](9, "command", HERE, "think", 1, 5))
    run { { "notify", 1, "you" }, { "move", 1, 54, 10 } }
    assert.is_true(owns(1, 1))
    assert.same({ "region: not enough memory" }, machine.errors)
    machine.errors, methods.hand_out = {}, hand_out
    run()
    assert.is_true(owns(2, 1))
    assert.equal(7, (regions[2](9, "command", HERE, "mind", 1)))
    local address, stream = regions[2](9, "where", 1)
    assert.same({ THERE, "number" }, { address, type(stream) })
  end)

  it("says whose an entity is, whoever has changed it, also of one that it hands over then", function()
    local function said(commands)
      tick = tick + 1
      local begun = begin(1, commands)
      finish(1)
      local one = begun.agents[1]
      return one and { one.id, one.address, one.sender, type(one.stream), one.is_for_all }, begun.agents[2]
    end
    assert.same({ 1, THERE, HERE, "number" }, said { { "enter", 1, 45, 10, { address = THERE } } })
    assert.is_nil(said { { "move", 1, 44, 10 }, { "update", 1, 45, 10, { radius = 5 } } })
    assert.is_true(regions[1](9, "command", HERE, "give", 1, 77))
    if is_replaced then
      replace(1)
    end
    assert.same({ 1, "aa:0000004d" }, { table.unpack(said(), 1, 2) })
    assert.same({ 1, false, nil, "nil" }, said { { "set_traits", 1, { address = false } } })
    assert.same({ 1, THERE, HERE, "number" }, said {
      { "set_traits", 1, { address = THERE } }, { "move", 1, 54, 10 },
    })
    assert.is_nil(said { { "enter", 2, 10, 10, { address = false } } })
  end)

  -- How often this was said to agents.
  local function times(words)
    local count = 0
    for _, one in ipairs(told) do
      count = count + select(2, one[2]:gsub(words, ""))
    end
    return count
  end

  it("gives back who was handed over, and tells it all anew, when its taker is lost", function()
    run { { "enter", 1, 45, 10, { address = THERE } }, { "enter", 2, 46, 10 } }
    tick = tick + 1
    local given = begin(1, { { "say", 1, "hello" }, { "move", 1, 54, 10 } })
    finish(1)
    assert.equal(1, times "hello")
    assert.is_false(owns(1, 1))
    assert.is_true(regions[1](9, "configure", { number = 2, key = "cc", drop = {}, shown = {}, luggage = {},
      back = { given.crossed[1].luggage }, agents = {}, fixed = {}, owned = {}, orphans = {}, anew = {},
      said = {} }))
    assert.equal(2, (select(2, ask(1, "ids"))))
    assert.same({ 54, 10 }, { ask(1, "position", 1) })
    told = {}
    run(nil, nil, { [2] = true })
    assert.equal("bb", told[1][1])
    assert.equal(0, times "hello")
  end)

  it("knows an entity still that it hands over in the first tick of a configuration", function()
    run { { "enter", 1, 49, 10 } }
    run({ { "move", 1, 53, 10 } }, nil, nil, true)
    assert.is_true(owns(2, 1))
    assert.same({ 53, 10 }, { ask(1, "position", 1) })
    run({ { "enter", 3, 10, 10 } }, { { "move", 1, 54, 10 } })
    assert.same({ 54, 10 }, { ask(1, "position", 1) })
  end)

  it("tells once what was said in a tick that nobody finished, whose speaker has another owner", function()
    for _, mode in ipairs { "wm", "w" } do -- nobody may see it, up to the next tick
      regions = { start(1), start(2) }
      run({ { "enter", 1, 49, 10, { mode = mode } }, { "enter", 2, 45, 10, { address = THERE } } },
        { { "enter", 3, 55, 10, { address = THERE } } })
      tick = tick + 1
      local begun = { begin(1, { { "say", 1, "hello" }, { "move", 1, 53, 10 } }), begin(2) }
      configure(begun, {})
      assert.is_false(owns(1, 1))
      told = {}
      run(nil, { { "set_mode", 1, "wm" } }, nil, true)
      assert.equal(2, times "hello")
    end
  end)

  it("tells all that handlers say, also in a region that goes on elsewhere", function()
    run { { "enter", 1, 45, 10, { address = THERE } }, { "enter", 2, 46, 10, { address = THERE } } }
    told = {}
    for _, number in ipairs { 1, 2 } do
      assert.is_true(regions[1](9, "command", HERE, "talk", number, "hello"))
      replace(1)
    end
    run()
    assert.equal(2, times "hello")
  end)

  -- Entity 1 of region 1, with an area about it, of which two others are members.
  local AREA = { owner = 1, radius = 12, sees_layers = -1 }

  local function heard()
    return { regions[1](9, "command", HERE, "heard"), (regions[2](9, "command", HERE, "heard")) }
  end

  local function begin_with_area()
    run({ { "enter", 1, 49, 10 }, { "enter", 2, 45, 10 }, { areas = { 7, "owned", AREA } } },
      { { "enter", 3, 55, 10 } })
    heard()
    tick = tick + 1
  end

  local ENDS = { { areas = { 7, "owned", false } }, { "move", 1, 53, 10 } }

  it("tells nothing of an area that ended in a tick that nobody finished, and is there with another owner",
    function()
      for _, of_tick in ipairs { ENDS, { ENDS[1], { areas = { 7, "owned", AREA } }, ENDS[1], ENDS[2] } } do
        regions, is_replaced = { start(1), start(2) }, false
        begin_with_area()
        configure({ begin(1, of_tick), begin(2) }, { [7] = AREA })
        run(nil, nil, nil, true)
        assert.same({ {}, {} }, heard())
        run(nil, { { "move", 1, 90, 10 } })
        assert.same({ {}, { "7 leave 2", "7 leave 3" } }, heard())
      end
    end)

  it("tells once that an area has ended whose owner was handed over in that tick", function()
    is_replaced = false -- what was heard is not saved
    begin_with_area()
    configure({ begin(1, ENDS), begin(2) }, {})
    run(nil, nil, nil, true)
    assert.same({ {}, { "7 leave 2", "7 leave 3" } }, heard())
    regions = { start(1), start(2) }
    begin_with_area()
    local begun = { begin(1, { ENDS[1] }), begin(2) }
    replace(1)
    configure(begun, {})
    run({ ENDS[2] }, nil, nil, true)
    assert.same({ {}, { "7 leave 2", "7 leave 3" } }, heard())
    regions = { start(1), start(2) }
    begin_with_area()
    tick = tick - 1
    run(ENDS)
    assert.same({ {}, { "7 leave 2", "7 leave 3" } }, heard())
    run({}, { { "move", 1, 49, 10 }, { areas = { 7, "owned", AREA } }, { "move", 1, 47, 10 } })
    assert.same({ { "7 enter 2", "7 enter 3" }, {} }, heard())
  end)

  it("tells of an area that has ended when its owner could not be handed over", function()
    local methods = getmetatable(aoi.new { engine = "crosslist", radius = 1 }).__index
    local hand_out = methods.hand_out
    finally(function() methods.hand_out = hand_out end)
    is_replaced = false
    begin_with_area()
    methods.hand_out = function() error("not enough memory", 0) end
    tick = tick - 1
    run(ENDS)
    machine.errors, methods.hand_out = {}, hand_out
    assert.same({ { "7 leave 2", "7 leave 3" }, {} }, heard())
    run()
    assert.equal(2, (select(2, ask(2, "ids"))))
    assert.same({ {}, {} }, heard())
  end)
end

describe("A region", rules)

describe("A region with which another service goes on after each tick", function()
  before_each(function()
    is_replaced = true
  end)

  rules()
end)

describe("A region that was read from a store", function()
  -- Nobody may see the entity, so no ghost of it has taken the place of what the store had.
  it("takes an entity in that comes as a configuration begins, whatever its store had of it", function()
    local folder = files.new_folder()
    finally(function()
      files.remove(folder)
    end)
    local skynet = machine.skynet
    skynet.localname, skynet.register = skynet.self, function() end
    local path, store = folder .. "/r-", "store=" .. folder
    regions[2] = start(2, store)
    run(nil, { { "enter", 7, 90, 10 } })
    assert.is_true(regions[2](9, "write", { path = path, is_full = true, is_new = true, number = 1,
      tick = tick, text = "", is_synced = false }))
    regions[2] = start(2, store, "waits=1") -- 7 has left, and entered in region 1
    assert.truthy(regions[2](9, "recover", path))
    assert.is_true(regions[2](9, "own", { number = 1, key = "cc", fixed = {}, owned = {}, orphans = {},
      agents = {} }, {}))
    tick = tick + 1
    begin(1, { { "enter", 7, 45, 10, { mode = "w" } } })
    finish(1)
    tick = tick + 1
    configure { begin(1, { { "move", 7, 60, 10 } }), begin(2, nil, nil, true) }
    run(nil, nil, nil, true)
    assert.is_true(owns(2, 7))
    assert.is_true(select(2, run(nil, { { "move", 7, 61, 10 } }))[1][1])
  end)
end)

describe("A saved region", function()
  it("has what handlers have changed since the tick", function()
    local all = {}
    for i, is_moved in ipairs { false, true } do
      regions, tick, told = { start(1), start(2) }, 0, {}
      run { { "enter", 1, 45, 10 }, { "enter", 2, 46, 11, { address = THERE } }, { "enter", 3, 47, 10 } }
      for _, words in ipairs {
        { "say", 1, "something" }, { "set_property", 2, 3, "red" }, { "leave", 3 }, { "move", 2, 48, 11, 2 },
        { "set_layers", 1, 2 }, { "notify", 2, "you" },
      } do
        pcall(regions[1], 9, "command", HERE, "later", table.unpack(words)) -- it waits, and does not answer
        machine.skynet.wakeup("later " .. words[1])
      end
      regions[1](9, "stats")
      if is_moved then
        replace(1)
      end
      for _ = 1, 3 do
        run()
      end
      local lines = {}
      for k, entry in ipairs(told) do
        lines[k] = ("%s %q"):format(entry[1], entry[2])
      end
      table.sort(lines)
      all[i] = table.concat(lines, "\n")
    end
    assert.equal(all[1], all[2])
    assert.truthy(all[1]:find("you", 1, true))
  end)

  it("refuses what is no saved region, or another one", function()
    local waiting = start(1, "waits=1")
    assert.same({ nil, "load: this is no string of a region's save" }, { waiting(9, "load", "something") })
    local saved = regions[2](9, "save")
    assert.same({ nil, "load: this is the string of region 2, expected one of region 1" },
      { start(1, "waits=1")(9, "load", saved) })
    assert.same({ nil, "load: this region has begun already" }, { regions[1](9, "load", saved) })
  end)
end)
