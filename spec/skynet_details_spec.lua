-- Data and properties of a scene's entities: what is taken, what is refused, and what has changed since when,
-- against a table that is compared as a whole.
local blocks = require "aoi.skynet.blocks"
local details = require "aoi.skynet.details"
local new_part = require "aoi.skynet.parts.details"
local streams = require "aoi.skynet.streams"
local Random = require "spec.support.random"

local DATA = blocks.DATA

local function read(text)
  local data, properties = blocks.details(text or "")
  return { data, properties or {} }
end

describe("details", function()
  it("give back what was set", function()
    local all = details.new()
    assert.is_nil(all:of(1))
    assert.is_true(all:set(1, 3, "sword"))
    assert.is_true(all:set(1, 0, 5.0))
    assert.is_true(all:set(1, 255.0, 0.5))
    assert.is_true(all:set(1, DATA, "look"))
    assert.same({ "look", { [0] = 5, [3] = "sword", [255] = 0.5 } }, read(all:of(1)))
    assert.same({ "look", { [0] = 5, [3] = "sword", [255] = 0.5 } }, { all:values(1) })
    all:set(1, 3, nil)
    all:set(1, DATA, "")
    assert.same({ nil, { [0] = 5, [255] = 0.5 } }, read(all:of(1)))
    local other = details.new()
    other:put(9, all.entries[1])
    assert.equal(all:of(1), other:of(9))
    assert.equal(all:of(1), details.new(all.entries):of(1))
  end)

  it("refuse what can't be, and say why", function()
    local all = details.new()
    local function refused(words, ...)
      local ok, message = all:set(7, ...)
      assert.is_nil(ok)
      assert.matches(words, message, 1, true)
      assert.same({ nil, message }, { all:check(7, ...) })
    end
    refused("key is 257, expected 0 to 255", 257, 1)
    refused("key is -1, expected 0 to 255", -1, 1)
    refused("key is 0.5, expected", 0.5, 1)
    refused("key is hp, expected", "hp", 1)
    refused("the value of key 1 is a boolean, expected a string, a number or nil", 1, true)
    refused("the value of key 1 is a table", 1, {})
    refused("data is 5, expected a string", DATA, 5)
    assert.is_nil(all:of(7))
    assert.same({ 1, {} }, { all:take() })
  end)

  it("of an entity take at most 16,384 bytes together", function()
    local all = details.new()
    assert.is_true(all:set(7, DATA, ("x"):rep(10000)))     -- 10,003
    assert.is_true(all:set(7, 1, ("x"):rep(6363)))         -- 6,367
    assert.is_true(all:set(7, 2, 1))                       -- 6
    local ok, message = all:set(7, 1, ("x"):rep(6372))
    assert.is_nil(ok)
    assert.equal("the value of key 1 of entity 7 is 6372 bytes long; data and properties would be 16385 "
      .. "bytes together (now data 10003, properties 6373), expected at most 16384", message)
    assert.is_true(all:set(7, 1, ("x"):rep(6371)))
    assert.equal(16384, #all:of(7))
    assert.is_nil((all:set(7, 9, 1)))
    assert.is_true(all:set(7, 2, 5))
    assert.is_true(all:set(7, 1, nil))
    assert.is_true(all:set(7, 9, 1))
    ok, message = all:set(8, 1, ("x"):rep(70000))
    assert.is_nil(ok)
    assert.matches("the value of key 1 of entity 8 is 70000 bytes long", message, 1, true)
  end)

  it("tell what has changed since a turn, once for each key", function()
    local random = Random.new(3)
    local all, model = details.new(), { {}, {}, {}, {}, {} }
    local history = {} -- turn -> the model as it was when that turn began
    local function copy(properties)
      return table.move(properties, 0, 3, 0, {})
    end
    for turn = 1, 60 do
      history[turn] = {}
      for id, properties in ipairs(model) do
        history[turn][id] = copy(properties)
      end
      local is_touched = {}
      for _ = 1, random:integer(0, 12) do
        local id, key = random:integer(1, 5), random:integer(0, 3)
        local value = random:pick { 1, 2, "a", false } or nil
        is_touched[id] = is_touched[id] or model[id][key] ~= value or nil
        model[id][key] = value
        assert.is_true(all:set(id, key, value))
      end
      local number, fresh = all:take()
      assert.equal(turn, number)
      local is_fresh = {}
      for _, id in ipairs(fresh) do
        assert.is_nil(is_fresh[id])
        is_fresh[id] = true
      end
      assert.same(is_touched, is_fresh)
      -- A reader that knew an entity as it was before a turn, and learns the changes since, knows it as it
      -- is.
      for id, properties in ipairs(model) do
        local since = random:integer(math.max(1, turn - 5), turn)
        local known = copy(history[since][id])
        for key, value in pairs(read(all:since(id, since))[2]) do
          known[key] = value or nil
        end
        assert.same(properties, known)
      end
    end
  end)

  it("that nobody was told are not told as gone", function()
    local all = details.new()
    local function is_told(since)
      assert.equal(all:since(1, since) ~= "", all:has_since(1, since))
      return all:has_since(1, since)
    end
    all:set(1, 7, 5)
    all:set(1, 7, nil)
    assert.is_false(is_told(1))
    all:set(1, 7, 5)
    all:take() -- 1
    all:set(1, 7, nil)
    assert.is_false(is_told(1)) -- to somebody who was told nothing since
    assert.is_true(is_told(2))
    all:take() -- 2
    all:set(1, 7, 6)
    all:set(1, 7, nil)
    assert.is_true(is_told(2)) -- the 5
    assert.is_false(is_told(3))
    all:take() -- 3
    all:set(1, 7, 8)
    all:set(1, 9, 1)
    all:take() -- 4
    all:set(1, 7, nil)
    assert.same({ nil, { [7] = false } }, read(all:since(1, 5)))
    assert.same({ nil, { [9] = 1 } }, read(all:since(1, 3)))
    all:leave(1)
    all:sweep(function() return false end)
    all:set(1, 7, 8, true)
    all:take()
    all:set(1, 7, nil)
    assert.is_true(is_told(6))
  end)

  it("that are set to what they are have not changed", function()
    local all = details.new()
    all:set(1, 0, 5)
    all:take()
    all:set(1, 0, 5.0)
    all:set(1, 4, nil)
    assert.same({ 2, {} }, { all:take() })
  end)

  it("that have changed can be noted, and made again elsewhere", function()
    local random = Random.new(4)
    local all, copy = details.new(), details.new()
    local part, part_of_copy = new_part { details = all }, new_part { details = copy }
    local function changes()
      local state = {}
      part.save.chunk(state)
      return state
    end
    all:set(1, 1, 1)
    assert.same({}, changes()) -- nobody had wanted them
    copy:put(1, all.entries[1])
    assert.same({}, changes())
    for _ = 1, 50 do
      for _ = 1, random:integer(0, 8) do
        local id = random:integer(1, 4)
        if random:chance(0.2) then
          all:leave(id)
        else
          all:set(id, random:pick { 1, 2, DATA }, random:pick { "a", "b", "" }, random:chance(0.5))
        end
      end
      part_of_copy.load.chunk(changes())
      for id = 1, 4 do
        assert.equal(all:of(id), copy:of(id))
      end
    end
    for id = 1, 4 do
      all:leave(id)
    end
    part_of_copy.load.chunk(changes())
    assert.same({}, copy.entries)
  end)

  it("of who enters are no changes; of who left and came back all are", function()
    local all = details.new()
    all:set(1, 0, 5, true)
    all:set(1, DATA, "a", true)
    assert.same({ 1, {} }, { all:take() })
    all:leave(1)
    assert.is_nil(all:of(1))
    assert.is_true(all:has_any(1))
    all:set(1, 7, "new", true)
    all:renew(1)
    all:sweep(function() return true end)
    assert.same({ 2, { 1 } }, { all:take() })
    assert.same({ "", { [0] = false, [7] = "new" } }, read(all:since(1, 2)))
    all:leave(1)
    all:sweep(function() return false end)
    assert.is_false(all:has_any(1))
    all:take()
    assert.equal("", all:since(1, 1))
    assert.same({}, all.entries)
  end)
end)

describe("streams", function()
  local time
  local function new()
    return streams.new(function() return time end)
  end

  it("are numbered by the time, each later than those before", function()
    time = 100
    local all = new()
    all:begin(1)
    all:begin(2)
    all:begin(3, 5000)
    time = 200
    all:begin(4)
    all:begin(5, nil, 7000)
    all:begin(6)
    assert.same({ 100, 101, 5000, 200, 7001, 7002 }, all.of)
    time = (1 << 40) - 1 -- the clock goes round
    all = new()
    all:begin(1)
    all:begin(2)
    assert.same({ 0xFFFFFFFF, 0 }, all.of)
    time = 1 << 40
    all:begin(3)
    assert.equal(1, all.of[3])
  end)

  it("count their blocks", function()
    local all = new()
    all:begin(1)
    assert.same({ 1, 2, 5 }, { all:count(1, 1), all:count(1, 3), all:count(1, 1) })
    all.numbers[1] = 0xFFFFFFFF
    assert.same({ 0, 1 }, { all:count(1, 1), all:count(1, 1) })
  end)

  it("that are over are told to those who do not come back", function()
    time = 5
    local all = new()
    all:begin(1)
    all:count(1, 3)
    all:finish(1, "a")
    all:begin(1)
    all:finish(1, "b")
    all:begin(1)
    all:returned(1, "a")
    all:begin(2)
    all:finish(2) -- nobody is there
    local saved = all:save()
    local function over(of)
      local told = {}
      of:take_over(function(...) told[#told + 1] = { ... } end)
      return told
    end
    local other = new()
    other:load(saved, false)
    assert.same({}, over(other))
    other:load(saved, true)
    assert.same({ { "b", 1, 6, 1, true } }, over(other))
    assert.same({ { "b", 1, 6, 1, true } }, over(all))
    assert.same({}, over(all))
    other:begin(9)
    assert.equal(9, other.of[9])
  end)

  it("go to another region with their turns", function()
    local here, there = details.new(), details.new()
    here:set(1, blocks.DATA, "elf", true)
    here:set(1, 2, "old")
    here:take()
    here:set(1, 3, "new")
    here:set(1, 2, nil)
    here:count_as(7)
    there:count_as(7)
    there:put_rows(1, here:rows(1))
    assert.equal(here:of(1), there:of(1))
    assert.equal(here:since(1, 7), there:since(1, 7))
    local turn, changed = there:take()
    assert.same({ 7, { 1 } }, { turn, changed })
    here:take()
    here:set(1, 4, 5)
    there:put_rows(1, here:rows(1, 8))
    assert.equal(here:of(1), there:of(1))
    assert.equal(blocks.entry(4, 5), there:since(1, 8))
    assert.is_true(there:has_changed(1))
  end)

  it("that changed elsewhere in earlier turns are known with these, and told when they come late", function()
    local here, there, late = details.new(), details.new(), details.new()
    here:set(1, 2, "red")
    here:take()
    for _, to in ipairs { there, late } do
      to:count_as(2)
      to:set(1, 5, "kept", true)
      to:put_rows(1, here:rows(1), to == late)
    end
    assert.equal(blocks.entry(2, "red"), there:since(1, 1))
    assert.equal("", there:since(1, 2))
    assert.is_false(there:has_changed(1))
    assert.equal(blocks.entry(2, "red"), late:since(1, 2))
    assert.is_true(late:has_changed(1))
  end)

  it("that left and are back in one turn, with older ones from elsewhere, have changed", function()
    local here, there = details.new(), details.new()
    here:set(1, 2, "red", true)
    here:set(1, 2, nil)
    there:count_as(7)
    there:set(1, 2, "red", true)
    there:leave(1)
    there:put_rows(1, here:rows(1))
    assert.equal(blocks.entry(2), there:since(1, 7))
  end)
end)
