-- Notes of which the last thousand or two are kept.
local recent = require "aoi.skynet.recent"

describe("recent notes", function()
  it("are kept for the last thousand keys at least, and go behind two thousand", function()
    local gone = {}
    local notes = recent.new(function(key) gone[#gone + 1] = key end)
    for key = 1, 3000 do
      notes:note(key, key * 2)
      for _, before in ipairs { 0, 1, 500, 999 } do
        if key > before then
          assert.equal((key - before) * 2, notes:get(key - before))
        end
      end
      assert.is_nil(notes:get(key - 2000))
    end
    table.sort(gone)
    assert.same({ 1000, 1, 1000 }, { #gone, gone[1], gone[1000] })
  end)

  it("count anew for a key that is noted again, and can be forgotten", function()
    local gone = {}
    local notes = recent.new(function(key) gone[key] = true end)
    for key = 1, 2900 do
      notes:note(key, true)
      if key == 1500 then
        notes:note(7, "again")
      end
    end
    assert.same({ "again", nil, true }, { notes:get(7), gone[7], gone[8] })
    notes:forget(7)
    notes:forget(2900)
    assert.same({}, { notes:get(7), notes:get(2900) })
  end)

  it("need nobody who hears of those that go", function()
    local notes = recent.new()
    for key = 1, 3000 do
      notes:note(key, true)
    end
    assert.is_nil(notes:get(1))
  end)
end)
