-- Messages of a viewer to its pages, one by one.
local new_pages = require("aoi.skynet.pages").new

local BEGINNING = "AOIFILE\1"

describe("a page of a viewer", function()
  local pages, written, asked

  before_each(function()
    written, asked = {}, 0
    pages = new_pages(100, function(id, bytes)
      written[#written + 1] = id .. " " .. bytes
    end, function()
      asked = asked + 1
    end)
  end)

  -- The messages since the last time.
  local function sent()
    local result = written
    written = {}
    return result
  end

  it("gets a keyframe that it asks for, then the records that follow", function()
    pages:open(1)
    assert.equal(1, asked)
    pages:piece(false, 3, 4, "early")
    pages:piece(true, 5, 5, "key")
    pages:piece(false, 5, 7, "a")
    pages:piece(false, 7, 8, "b")
    pages:piece(true, 8, 8, "for another")
    pages:piece(false, 8, 9, "c")
    assert.same({ "1 " .. BEGINNING .. "key", "1 a", "1 b", "1 c" }, sent())
  end)

  it("is told a text beside the record, unless too much is on its way", function()
    pages:open(1)
    pages:piece(true, 5, 5, "key")
    pages:tell "text"
    pages:piece(false, 5, 6, ("a"):rep(70))
    pages:tell(("too long"):rep(3))
    assert.same({ "1 " .. BEGINNING .. "key", "1 text", "1 " .. ("a"):rep(70) }, sent())
    assert.is_true(pages:has(1, 81), "the text does not count")
  end)

  it("waits for a keyframe when a record does not follow what it has", function()
    pages:open(1)
    pages:piece(true, 5, 5, "key")
    assert.is_true(pages:has(1, 11))
    for _, from in ipairs { 6, 4 } do
      asked = 0
      pages:piece(false, from, 9, "gap")
      assert.equal(1, asked)
      pages:piece(false, 9, 10, "after it")
      pages:piece(true, 10, 10, "key")
      sent()
      assert.is_true(pages:has(1, 14))
      pages:piece(true, 5, 5, "not for it")
      pages:piece(false, 10, 11, "on")
      assert.same({ "1 on" }, sent())
      assert.is_true(pages:has(1, 16))
      pages:close(1)
      pages:open(1)
      pages:piece(true, 5, 5, "key")
      assert.is_true(pages:has(1, 11))
    end
  end)

  it("is sent no more than the limit before it has it, and then a keyframe", function()
    pages:open(1)
    pages:open(2)
    pages:piece(true, 0, 0, "key")
    sent()
    asked = 0
    assert.is_true(pages:has(1, 11))
    assert.is_true(pages:has(2, 11))
    pages:piece(false, 0, 1, ("a"):rep(60))
    assert.is_true(pages:has(2, 71))
    pages:piece(false, 1, 2, ("b"):rep(41)) -- 101 on their way to 1
    assert.same({ "1 " .. ("a"):rep(60), "2 " .. ("a"):rep(60), "2 " .. ("b"):rep(41) }, (function()
      table.sort(written)
      return sent()
    end)())
    pages:piece(false, 2, 3, "c")
    pages:look()
    assert.equal(0, asked) -- it has not caught up
    pages:piece(true, 3, 3, "key")
    assert.same({ "2 c" }, sent())
    assert.is_true(pages:has(1, 70))
    assert.equal(0, asked)
    assert.is_true(pages:has(1, 71))
    assert.equal(1, asked)
    pages:piece(false, 3, 4, "d")
    pages:piece(true, 4, 4, "key")
    pages:piece(false, 4, 5, "e")
    table.sort(written)
    assert.same({ "1 e", "1 key", "2 d", "2 e" }, sent())
  end)

  it("that has everything is sent what is larger than the limit", function()
    pages:open(1)
    local large = ("k"):rep(1000)
    pages:piece(true, 0, 0, large)
    pages:piece(false, 0, 1, "a")
    assert.same({ "1 " .. BEGINNING .. large }, sent())
    asked = 0
    assert.is_true(pages:has(1, 1008))
    assert.equal(1, asked)
    pages:piece(true, 1, 1, "key")
    assert.is_true(pages:has(1, 1011))
    pages:piece(false, 1, 2, large)
    assert.same({ "1 key", "1 " .. large }, sent())
  end)

  it("is sent another keyframe after many records", function()
    pages = new_pages(1 << 30, function(_, bytes) written[#written + 1] = bytes:sub(-3) end,
      function() asked = asked + 1 end)
    pages:open(1)
    pages:piece(true, 0, 0, "key")
    asked = 0
    local record = ("r"):rep(1 << 20)
    for i = 0, 3 do
      assert.equal(0, asked)
      pages:piece(false, i, i + 1, record)
    end
    assert.equal(1, asked)
    pages:piece(true, 4, 4, "new")
    pages:piece(true, 4, 4, "again")
    pages:piece(false, 4, 5, "one")
    assert.same({ "key", "rrr", "rrr", "rrr", "rrr", "new", "one" }, sent())
    assert.equal(1, asked)
    -- Where keyframes are large, after as much as four of them.
    pages:close(1)
    pages:open(1)
    pages:piece(true, 0, 0, record .. record)
    asked = 0
    for i = 0, 7 do
      assert.equal(0, asked)
      pages:piece(false, i, i + 1, record)
    end
    assert.equal(1, asked)
  end)

  it("that is due a keyframe and can't take it waits until it has all", function()
    pages = new_pages(5 << 20, function(_, bytes) written[#written + 1] = #bytes end,
      function() asked = asked + 1 end)
    pages:open(1)
    pages:piece(true, 0, 0, "key")
    assert.is_true(pages:has(1, 11))
    local much = 4 << 20
    pages:piece(false, 0, 1, ("r"):rep(much))
    pages:piece(true, 1, 1, ("k"):rep(2 << 20))
    asked = 0
    pages:piece(false, 1, 2, "small")
    pages:look()
    assert.equal(0, asked)
    assert.same({ 11, much }, sent())
    assert.is_true(pages:has(1, 11 + much))
    assert.equal(1, asked)
  end)

  it("can't have more than it was sent, or less than before", function()
    pages:open(1)
    assert.is_true(pages:has(1, 0))
    assert.is_false(pages:has(1, 1))
    pages:piece(true, 0, 0, "key")
    assert.is_true(pages:has(1, 11))
    assert.is_true(pages:has(1, 11))
    assert.is_false(pages:has(1, 10))
    assert.is_false(pages:has(1, 12))
    assert.is_false(pages:has(2, 0))
  end)
end)
