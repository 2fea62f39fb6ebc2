-- Extras: which numbers are taken, what is a change, how they are packed beside places, and what a reader
-- makes of them.
local blocks = require "aoi.skynet.blocks"
local extras = require "aoi.skynet.extras"
local known = require "aoi.skynet.known"
local view_writer = require "aoi.skynet.view_writer"
local writer = require "spec.support.packet_writer"

local LARGEST = 0x1.fffffep127

describe("Extras of entities", function()
  it("are exactly as many finite numbers as the scene has, in the range of single floats", function()
    for n = 1, 4 do
      local all, list = extras.new(n), { 0.5, -3, LARGEST, -LARGEST }
      all:put(7, all:made_of(table.unpack(list, 1, n)))
      assert.equal(("<" .. ("f"):rep(n)):pack(table.unpack(list, 1, n)), all:packed(7))
      assert.same({ table.unpack(list, 1, n) }, { all:values(7) })
      assert.equal(all:made_of(table.unpack(list, 1, n)), all:of_list { table.unpack(list, 1, n) })
      for i = 1, n do
        for _, wrong in ipairs { 0 / 0, 1 / 0, -1 / 0, LARGEST * 1.0001, -LARGEST * 1.0001, "5", true, {} } do
          local with = { table.unpack(list, 1, n) }
          with[i] = wrong
          assert.is_nil(all:made_of(table.unpack(with, 1, n)))
          local packed, message = all:of_list(with)
          assert.is_nil(packed)
          assert.truthy(message:find(("expected %d number"):format(n), 1, true))
        end
      end
      assert.is_nil(all:made_of(table.unpack(list, 1, n - 1)))
      assert.is_nil(all:made_of(1, 2, 3, 4, 5))
      assert.is_nil(all:made_of(table.unpack({ 1, 2, 3, 4, 5 }, 1, n + 1)))
      assert.same({ false, nil }, { all:given(nil, 5), all:given() })
    end
    assert.is_nil(extras.new(0):made_of())
    assert.equal("the scene takes no extras, expected one with the option extras", extras.new(0):complaint(1))
    assert.equal("extras are 1, x, expected 3 numbers, finite and in the range of single floats",
      extras.new(3):complaint(1, "x", nil))
  end)

  it("have changed when they are others after rounding", function()
    local all = extras.new(1)
    all.noted = {}
    assert.is_false(all:put(5, all:made_of(0)))
    assert.is_true(all:put(5, all:made_of(0.1)))
    assert.is_false(all:put(5, all:made_of(0.1 + 1e-12)))
    assert.equal(("<f"):unpack(("<f"):pack(0.1)), all:values(5))
    assert.same({ [5] = true }, all.noted)
    all:forget(5)
    assert.equal(0, all:values(5))
  end)

  it("of another scene: what there is no place for is dropped, what is missing is 0", function()
    local two, three = extras.new(2), extras.new(3)
    two:put(9, two:made_of(1.5, 2))
    three:put_fitting(1, two:packed(9))
    assert.same({ 1.5, 2, 0 }, { three:values(1) })
    three:put(9, three:made_of(4, 5, 6))
    two:put_fitting(1, three:packed(9))
    assert.same({ 4, 5 }, { two:values(1) })
    assert.equal(8, #two.of[1])
    local one = extras.new(1)
    one:put_fitting(1, three:packed(9))
    assert.equal(4, one:values(1))
    three:put_fitting(1, one:packed(1))
    assert.same({ 4, 0, 0 }, { three:values(1) })
  end)
end)

-- A writer of places with extras, and those.
local function new_writer(n, dims)
  local all = extras.new(n)
  return view_writer.new {
    dims = function() return dims end,
    doubles = function() return true end,
    place = function(id) return id, -id, dims == 3 and 0.5 or nil end,
    details = function(id) return id > 8000 and id < 9000 and blocks.entry(1, 5) end,
    extras = function() return all end,
  }, all
end

local function ids_to(count)
  local ids = {}
  for i = 1, count do
    ids[i] = i
  end
  return ids
end

-- All that the blocks of a text say: extras by id, entered, moved; and how many blocks there are.
local function read(text)
  local at, result, count = 1, { extras = {}, entered = 0, moved = 0 }, 0
  while at <= #text do
    local block
    block, at = blocks.head(text, at)
    local view = blocks.view(text, block)
    for id, values in pairs(view.extras or {}) do
      result.extras[id] = values
    end
    result.entered = result.entered + #(view.entered or {}) // (view.dims + 1)
    result.moved = result.moved + #(view.moved or {}) // (view.dims + 1)
    count = count + 1
    assert.is_true(at - 1 <= #text and block.last - block.first + 1 <= blocks.LIMIT)
  end
  return result, count
end

describe("A view with extras", function()
  it("has those of each entity that entered and moved, in lists of any length", function()
    for n = 1, 4 do
      for _, count in ipairs { 1, 2, 3, 4, 31, 32, 33, 100, 2500, 6000 } do
        local made, all = new_writer(n, 2 + n % 2)
        local ids = ids_to(count)
        for _, id in ipairs(ids) do
          local values = {}
          for i = 1, n do
            values[i] = id + i / 4
          end
          if id % 7 ~= 0 then -- else 0
            all:put(id, all:made_of(table.unpack(values)))
          end
        end
        local sections = {
          { kind = blocks.LEFT, ids = { 9000 }, n = 1 },
          { kind = blocks.ENTERED, ids = ids, n = count },
          { kind = blocks.ENTERED_WITH, ids = { 8001, 8002 }, n = 2 },
          { kind = blocks.MOVED, ids = ids, n = count },
        }
        for first = 1, 4 do
          local text = made.view(made, 1, 1, 1, false, { table.unpack(sections, first) }, 5 - first)
          local view = read(text)
          assert.equal(count, view.moved)
          assert.equal(({ count + 2, count + 2, 2, 0 })[first], view.entered)
          for _, id in ipairs(ids) do
            for i = 1, n do
              assert.equal(id % 7 == 0 and 0 or id + i / 4, view.extras[id][i])
            end
            assert.equal(n, #view.extras[id])
          end
        end
      end
    end
  end)

  it("costs 4 bytes for each number, and 4 for a section", function()
    local sizes = {}
    for n = 0, 2 do
      local made = new_writer(n, 2)
      sizes[n] = #made.view(made, 1, 1, 1, false, { { kind = blocks.MOVED, ids = ids_to(10), n = 10 } }, 1)
    end
    assert.same({ 44, 84 }, { sizes[1] - sizes[0], sizes[2] - sizes[0] })
  end)
end)

describe("Readers of extras", function()
  local function view(...)
    local text = writer.block(writer.VIEW, 0, 7, 1, 1, table.concat { ... })
    return blocks.view(text, (blocks.head(text, 1)))
  end

  local place = writer.place(0, 1, 2, 3)

  it("pass over what is no part of a place", function()
    assert.is_nil(view(writer.extras(1, { 5 }), writer.section(writer.LEFT, writer.id(0, 1))).extras)
    assert.is_nil(view(writer.extras(5, { 5 }), writer.section(writer.MOVED, place)).extras)
    assert.is_nil(view(writer.extras(0, {}), writer.section(writer.MOVED, place)).extras)
    assert.same({ [1] = { 5 } }, view(writer.extras(1, { 4 }), writer.extras(1, { 5 }),
      writer.section(writer.MOVED, ""), writer.section(writer.ENTERED, place)).extras)
  end)

  it("refuse as many as belong to other records", function()
    for _, values in ipairs { {}, { 1 }, { 1, 2, 3 } } do
      assert.has_error(function()
        view(writer.extras(2, values), writer.section(writer.MOVED, place))
      end, "packet: a section of extras has another number of records than the next one")
    end
  end)
end)

describe("The knowledge of an agent", function()
  it("has extras, and tells a turn as a move", function()
    local told, count = {}, 0
    local client = known.new {
      view = function(_, news) told[#told + 1] = news end,
      said = function() end, refused = function() end, elsewhere = function() end, gap = function() end,
    }
    local function hear(flags, ...)
      told, count = {}, count + 1
      client:read(writer.block(writer.VIEW, flags, 7, 1, count, table.concat { ... }))
      return told[1] or {}
    end
    local place = writer.place(0, 1, 2, 3)
    local news = hear(writer.REPLACES, writer.extras(1, { 0.5 }), writer.section(writer.ENTERED, place))
    assert.same({ { 1, 2, 3 }, { [1] = { 0.5 } } }, { news.entered, news.extras })
    assert.same({ [1] = { 2, 3, extras = { 0.5 } } }, client:markers(7))
    assert.same({}, hear(0, writer.extras(1, { 0.5 }), writer.section(writer.MOVED, place)))
    news = hear(0, writer.extras(1, { 1.5 }), writer.section(writer.MOVED, place))
    assert.same({ { 1, 2, 3 }, { [1] = { 1.5 } } }, { news.moved, news.extras })
    news = hear(writer.REPLACES, writer.extras(1, { 2.5 }), writer.section(writer.ENTERED, place))
    assert.same({ { 1, 2, 3 }, { [1] = { 2.5 } } }, { news.moved, news.extras })
    assert.same({}, hear(writer.REPLACES, writer.extras(1, { 2.5 }), writer.section(writer.ENTERED, place)))
    assert.same({ [1] = { 2, 3, extras = { 2.5 } } }, client:markers(7))
  end)
end)
