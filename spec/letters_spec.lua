-- Hand-overs that are kept until the other side has written them.
local new = require("aoi.skynet.region.letters").new

local function sent_to(letters, region)
  local list = {}
  letters:each_to(region, function(tick, letter, id, epoch)
    list[#list + 1] = { tick, letter, id, epoch }
  end)
  return list
end

local function claims_of(letters)
  local list = {}
  letters:add_claims(list)
  return list
end

describe("letters", function()
  it("are kept in order until the other region has written them", function()
    local letters = new()
    letters:send(2, 10, 5, 8, "a")
    letters:send(3, 10, 6, 8, "b")
    letters:send(2, 11, 7, 9, "c")
    assert.same({ { 10, "a", 5, 8 }, { 11, "c", 7, 9 } }, sent_to(letters, 2))
    letters:prune { taken = { [2] = 10 }, written = {} }
    assert.same({ { 11, "c", 7, 9 } }, sent_to(letters, 2))
    assert.same({ { 10, "b", 6, 8 } }, sent_to(letters, 3))
    assert.same({ 6, 8, 7, 9 }, claims_of(letters))
  end)

  it("are taken once each", function()
    local letters = new()
    assert.is_false(letters:is_known(2, 10))
    letters:took(2, 10)
    letters:took(2, 9)
    assert.is_true(letters:is_known(2, 10))
    assert.is_false(letters:is_known(2, 11))
    assert.is_false(letters:is_known(3, 10))
  end)

  it("that came are claims until their sender has written that they are gone", function()
    local letters = new()
    letters:take(2, 10, 5, 8)
    letters:take(2, 11, 6, 9)
    letters:prune { taken = {}, written = { [2] = 10 } }
    assert.same({ 6, 9 }, claims_of(letters))
  end)

  it("are the same when they are saved, and when changes are applied", function()
    local letters, copy = new(), new()
    local function follow()
      local changes = letters:changes()
      if changes then
        copy:apply(changes)
      end
      for _, other in ipairs { copy, new(letters:save()) } do
        assert.same(letters:save(), other:save())
      end
    end
    letters:send(2, 10, 5, 8, "a")
    letters:take(3, 10, 6, 8)
    letters:took(3, 10)
    follow()
    assert.is_nil(letters:changes())
    letters:send(2, 11, 7, 9, "b")
    follow()
    letters:prune { taken = { [2] = 10 }, written = { [3] = 10 } }
    follow()
    letters:prune { taken = { [2] = 10 }, written = { [3] = 10 } }
    assert.is_nil(letters:changes())
    letters:send(3, 12, 8, 1, "c")
    follow()
  end)
end)
