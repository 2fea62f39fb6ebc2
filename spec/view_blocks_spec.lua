-- Blocks of views put together from records by src/lua/view_blocks.c: refusals, records that are made only
-- when they are asked for, long views. The sections of such blocks are in skynet_blocks_spec.lua and in
-- skynet_extras_spec.lua.
local blocks = require "aoi.skynet.blocks"
local core = require "aoi.core"

local LEFT, ENTERED, MOVED, CHANGED = blocks.LEFT, blocks.ENTERED, blocks.MOVED, blocks.CHANGED

local join = core.view_joiner()

local function head(flags, length, watcher, number)
  return blocks.HEAD[flags & blocks.LONG_IDS ~= 0]:pack(blocks.VIEW, flags, length, watcher, 5, number or 6)
end

describe("blocks of views", function()
  it("have sections without the entities that there is no record of, and none that is empty", function()
    local text, n_blocks, n = join(0, 7, 5, 6, 0, {
      LEFT, false, { 3, -1 }, 2,
      ENTERED, {}, { 4 }, 1,
      CHANGED, { [4] = "four", [5] = false, [9] = "nine" }, { 4, 5, 6, 9 }, 4,
    }, 3)
    local body = ("<BI2i4i4"):pack(LEFT, 8, 3, -1)
      .. ("<Bs2"):pack(CHANGED, ("<i4s2i4s2"):pack(4, "four", 9, "nine"))
    assert.same({ head(0, #body, 7) .. body, 1, 4 }, { text, n_blocks, n })
  end)

  it("have the section of the watcher first, and extras before the section that they belong to", function()
    local text = join(0, 7, 5, 6, 1, { MOVED, { "1...one", "2...two" }, { 1, 2 }, 2 }, 1, "me")
    local body = "me" .. ("<BI2B"):pack(blocks.EXTRAS, 9, 1) .. "1...2..." .. ("<Bs2"):pack(MOVED, "onetwo")
    assert.equal(head(0, #body, 7) .. body, text)
  end)

  it("are none when an id is too long for them", function()
    for _, id in ipairs { 1 << 31, -(1 << 31) - 1, math.maxinteger, math.mininteger } do
      assert.is_nil((join(0, 7, 5, 6, 0, { LEFT, false, { 1, id }, 2 }, 1)))
      assert.is_nil((join(0, 7, 5, 6, 0, { MOVED, { [id] = "record" }, { id }, 1 }, 1)))
      local body = ("<BI2i8"):pack(LEFT, 8, id)
      assert.equal(head(blocks.LONG_IDS, #body, id) .. body,
        (join(blocks.LONG_IDS, id, 5, 6, 0, { LEFT, false, { id }, 1 }, 1)))
    end
  end)

  it("are refused with a message that says why", function()
    local function refused(words, ...)
      local ok, message = pcall(join, ...)
      assert.is_false(ok)
      assert.is_truthy(tostring(message):find(words, 1, true), message)
    end
    local ids = { 1 }
    refused("a section of kind 6", 0, 7, 5, 6, 0, { 6, {}, ids, 1 }, 1)
    refused("a section of kind 0", 0, 7, 5, 6, 0, { 0, {}, ids, 1 }, 1)
    refused("table expected", 0, 7, 5, 6, 0, { MOVED, false, ids, 1 }, 1)
    refused("table expected", 0, 7, 5, 6, 0, { MOVED, {}, 7, 1 }, 1)
    refused("an id is nil, expected an integer", 0, 7, 5, 6, 0, { MOVED, {}, ids, 2 }, 1)
    refused("an id is the string", 0, 7, 5, 6, 0, { LEFT, false, { "1" }, 1 }, 1)
    refused("a record of 4 bytes", 0, 7, 5, 6, 1, { MOVED, { "1234" }, ids, 1 }, 1)
    refused("a record of 59982 bytes", 0, 7, 5, 6, 0, { CHANGED, { ("x"):rep(59976) }, ids, 1 }, 1)
    refused("a record of 59982 bytes", 0, 7, 5, 6, 0, { ENTERED, { ("x"):rep(59982) }, ids, 1 }, 1)
    refused("too many", 0, 7, 5, 6, 5, {}, 0)
    refused("too many", 0, 7, 5, 6, -1, {}, 0)
    refused("too long", 0, 7, 5, 6, 0, {}, 0, ("x"):rep(59985))
    refused("number expected", 0, 7, 5, 6, 0, {}, 1)
    refused("number expected", 0, 7)
    local text, n_blocks = join(0, 7, 5, 6, 0, { CHANGED, { ("x"):rep(59975) }, ids, 1 }, 1)
    assert.same({ 60000, 1 }, { #text, n_blocks })
    text, n_blocks = join(blocks.LONG_IDS, 7, 5, 6, 0, { CHANGED, { ("x"):rep(59967) }, ids, 1 }, 1)
    assert.same({ 60000, 1 }, { #text, n_blocks })
  end)

  it("are refused when code that makes a record has begun others, and the next ones are well", function()
    local is_nested = true
    local records = setmetatable({}, { __index = function(_, id)
      if is_nested and id == 2 then
        join(0, 8, 5, 6, 0, { LEFT, false, { 99 }, 1 }, 1)
      end
      return "record" .. id
    end })
    local sections = { MOVED, records, { 1, 2 }, 2 }
    local ok, message = pcall(join, 0, 7, 5, 6, 0, sections, 1)
    assert.is_false(ok)
    assert.is_truthy(message:find("another one was begun in the middle", 1, true), message)
    is_nested = false
    local body = ("<Bs2"):pack(MOVED, "record1record2")
    assert.equal(head(0, #body, 7) .. body, (join(0, 7, 5, 6, 0, sections, 1)))
  end)

  it("live through errors, and through tables that change under them", function()
    local ids = { 1, 2, 3 }
    local records = setmetatable({}, { __index = function(_, id)
      ids[2], ids[3] = nil, nil
      collectgarbage()
      return id == 1 and ("x"):rep(100) or error "no record"
    end })
    assert.is_false((pcall(join, 0, 7, 5, 6, 0, { MOVED, records, ids, 3 }, 1)))
    assert.is_false((pcall(join, 0, 7, 5, 6, 0, { MOVED, records, { 2 }, 1 }, 1)))
    assert.equal(16, #join(0, 7, 5, 6, 0, {}, 0))
  end)

  it("of a long view are cut, each with the number of its own", function()
    local records, ids = {}, {}
    for id = 1, 7 do
      records[id], ids[id] = "ext" .. id .. ("x"):rep(20000), id
    end
    local sections = { ENTERED, records, ids, 7 }
    local text, n_blocks, n = join(blocks.REPLACES, 7, 5, 0xFFFFFFFF, 1, sections, 1, "me")
    local at, seen = 1, {}
    for i = 1, n_blocks do
      local block
      block, at = blocks.head(text, at)
      seen[i] = { block.flags, block.number }
    end
    assert.same({ 4, 7, #text + 1 }, { n_blocks, n, at })
    local more = blocks.MORE
    assert.same({ { blocks.REPLACES | more, 0xFFFFFFFF }, { more, 0 }, { more, 1 }, { 0, 2 } }, seen)
  end)
end)

describe("core.single", function()
  it("gives the nearest single float, and nothing for what is none", function()
    assert.equal(0.5, core.single(0.5))
    assert.equal(string.unpack("<f", string.pack("<f", 0.1)), core.single(0.1))
    for _, wrong in ipairs { 1e39, -1e39, math.huge, 0 / 0, "1", {} } do
      assert.is_nil(core.single(wrong))
    end
  end)
end)
