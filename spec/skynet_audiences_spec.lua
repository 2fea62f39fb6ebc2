-- Audiences of properties: which words a module may give, what is hidden from whom, and who is told anew when
-- layers or the module change.
local audiences = require "aoi.skynet.audiences"
local blocks = require "aoi.skynet.blocks"
local new_details = require("aoi.skynet.details").new
local view_writer = require "aoi.skynet.view_writer"

local HP, PLAN, RANK, NAME = 1, 2, 3, 4

-- Audiences of watchers with these layers, and the list of those that are to be told anew.
local function new(layers, is_at_once)
  local renewed = {}
  return audiences.new(function(watcher) return layers[watcher] end,
    function(watcher) renewed[#renewed + 1] = watcher end, function() return is_at_once end), renewed
end

local function keys(set)
  local list = {}
  for key in pairs(set or {}) do
    list[#list + 1] = key
  end
  table.sort(list)
  return list
end

describe("Audiences of properties", function()
  it("are to me, or layers", function()
    assert.same({ [HP] = 0, [PLAN] = 4 }, audiences.compile { [HP] = { to = "me" }, [PLAN] = { layers = 4 } })
    assert.same({}, audiences.compile {})
    for words, wrong in pairs {
      ["properties is 5, expected a table"] = 5,
      ["a key is name, expected 0 to 255"] = { name = { to = "me" } },
      ["a key is 256, expected 0 to 255"] = { [256] = { to = "me" } },
      ["key 1 is 4, expected { to"] = { [HP] = 4 },
      ["key 1 has the word layer (did you mean layers?), expected to or layers"] = { [HP] = { layer = 4 } },
      ["key 1 has to and layers, expected one of them"] = { [HP] = { to = "me", layers = 4 } },
      ['key 1 is to us, expected "me"'] = { [HP] = { to = "us" } },
      ["key 1 has layers 0, expected bits"] = { [HP] = { layers = 0 } },
      ["key 1 has layers nil, expected bits"] = { [HP] = {} },
      ["key 1 has layers 4.0, expected bits"] = { [HP] = { layers = 4.0 } },
    } do
      local ok, message = pcall(audiences.compile, wrong)
      assert.is_false(ok)
      assert.truthy(message:find(words, 1, true), message)
    end
  end)

  it("hide keys from those whose entity has none of the layers", function()
    local all = new { [1] = 1, [2] = 4, [3] = 6, [4] = 1 }
    assert.is_nil(all:hidden(1))
    all:use(audiences.compile { [HP] = { to = "me" }, [PLAN] = { layers = 4 }, [RANK] = { layers = 3 } }, {})
    assert.same({ { HP, PLAN }, { HP, RANK }, { HP } },
      { keys(all:hidden(1)), keys(all:hidden(2)), keys(all:hidden(3)) })
    assert.equal(all:hidden(1), all:hidden(4)) -- the same table
    assert.is_true(all:may_know(2, PLAN))
    assert.is_true(all:may_know(2, NAME))
    assert.is_false(all:may_know(1, PLAN))
    assert.same({ HP, PLAN }, all:named { [PLAN] = "x", [NAME] = "y", [HP] = "z" })
    assert.is_nil(all:named { [NAME] = "y" })
    assert.same({ NAME, nil }, { all:open_one { HP, NAME }, all:open_one { HP, PLAN } })
  end)

  it("hold for a whole tick; who may know others then is told anew", function()
    local layers = { [1] = 1, [2] = 4, [3] = 4 }
    local all, renewed = new(layers)
    all:use(audiences.compile { [PLAN] = { layers = 4 } }, {})
    for watcher = 1, 3 do
      all:hidden(watcher)
    end
    layers[1], layers[2], layers[3] = 4, 1, 12
    assert.same({ { PLAN }, {} }, { keys(all:hidden(1)), keys(all:hidden(2)) })
    all:begin_tick()
    table.sort(renewed)
    assert.same({ 1, 2 }, renewed)
    assert.same({ {}, { PLAN } }, { keys(all:hidden(1)), keys(all:hidden(2)) })
    -- There and back within a tick.
    layers[1] = 1
    layers[1] = 4
    all:begin_tick()
    assert.equal(2, #renewed)
  end)

  it("without ticks hold at once", function()
    local layers = { [1] = 4 }
    local all, renewed = new(layers, true)
    all:use(audiences.compile { [PLAN] = { layers = 4 } }, {})
    assert.is_true(all:may_know(1, PLAN))
    layers[1] = 1
    assert.is_false(all:may_know(1, PLAN))
    all:begin_tick()
    assert.same({ 1 }, renewed)
  end)

  it("of another module: those are told anew who may know other keys than before", function()
    local all, renewed = new { [1] = 1, [2] = 4 }
    local watchers = { [1] = 11, [2] = 22 }
    local function use(properties)
      all:use(audiences.compile(properties), watchers)
      all:begin_tick()
      table.sort(renewed)
      local list = table.move(renewed, 1, #renewed, 1, {})
      for i in ipairs(renewed) do
        renewed[i] = nil
      end
      return list
    end
    assert.same({ 1 }, use { [PLAN] = { layers = 4 } })
    assert.same({}, use { [PLAN] = { layers = 12 } })
    assert.same({ 1, 2 }, use { [PLAN] = { layers = 1 } })
    assert.same({ 1 }, use { [PLAN] = { to = "me" } })
    assert.same({ 1, 2 }, use {})
    assert.same({}, use {})
  end)

  it("go along with a region: of layers that changed before and after that the next tick tells", function()
    local layers = { [1] = 4, [2] = 4, [3] = 4, [4] = 4 }
    local properties = audiences.compile { [PLAN] = { layers = 4 } }
    local before = new(layers)
    local after, renewed = new(layers)
    before:use(properties, layers)
    layers[1], layers[2] = 1, 1
    after:restore(before:state())
    after:use(properties, layers) -- as its handlers say so
    layers[2], layers[3] = 4, 1
    after:begin_tick()
    table.sort(renewed)
    assert.same({ 1, 3 }, renewed)
    for watcher, hidden in ipairs { { PLAN }, {}, { PLAN }, {} } do
      assert.same(hidden, keys(after:hidden(watcher)))
    end
  end)
end)

describe("Details with hidden keys", function()
  local hidden = { [HP] = true, [PLAN] = true }

  it("leave them out of all that is told, and tell nothing of what has only these", function()
    local details = new_details()
    details:set(1, HP, 50)
    assert.is_nil(details:of(1, hidden))
    assert.same({ "", false }, { details:since(1, 1, hidden), details:has_since(1, 1, hidden) })
    details:set(1, NAME, "Ada")
    details:set(1, blocks.DATA, "d")
    assert.equal(blocks.entry(blocks.DATA, "d") .. blocks.entry(NAME, "Ada"), details:of(1, hidden))
    assert.equal(details:of(1, hidden), details:since(1, 1, hidden))
    assert.truthy(details:of(1):find(blocks.entry(HP, 50), 1, true))
    details:take()
    details:set(1, HP, nil)
    details:set(1, PLAN, "secret")
    assert.same({ "", false }, { details:since(1, 2, hidden), details:has_since(1, 2, hidden) })
    details:set(1, NAME, nil)
    assert.equal(blocks.entry(NAME), details:since(1, 2, hidden))
    assert.equal(blocks.entry(blocks.DATA, "d"), details:of(1, hidden))
    details:leave(1)
    assert.is_nil(details:of(1, hidden))
  end)

  it("are packed for each set of them apart", function()
    local details = new_details()
    for id = 1, 3 do
      details:set(id, HP, 77)
      details:set(id, NAME, "n" .. id)
    end
    local writer = view_writer.new {
      dims = function() return 2 end, doubles = function() return true end,
      place = function(id) return id, id end,
      details = function(id, without) return details:of(id, without) end,
    }
    local value = blocks.entry(HP, 77)
    local section = { kind = blocks.ENTERED_WITH, ids = { 1, 2, 3 }, n = 3 }
    for _, set in ipairs { false, hidden, false } do
      section.hidden = set or nil
      local text = writer:view(9, 1, 1, false, { section }, 1)
      assert.equal(not set, text:find(value, 1, true) ~= nil)
      assert.truthy(text:find("n3", 1, true))
    end
  end)
end)
