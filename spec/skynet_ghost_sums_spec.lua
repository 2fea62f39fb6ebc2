-- The numbers by which regions find out whether the ghosts of one are what the other shows there. That they
-- never differ where nothing is lost is in skynet_region_spec.lua, and what is done when they do in
-- skynet_region_rules_spec.lua.
local ghost_sums = require "aoi.skynet.region.ghost_sums"

describe("the sums of ghosts", function()
  local shows, has
  local owned, shown, shown_by, epochs

  before_each(function()
    shows, has = ghost_sums.new(), ghost_sums.new()
    owned, shown = { [1] = 5, [2] = 7, [-3] = 7 }, { [1] = { 2, 3 }, [2] = { 3 }, [-3] = { 2 } }
    shown_by, epochs = { [1] = 1, [-3] = 1, [9] = 4 }, { [1] = 5, [-3] = 7, [9] = 1 }
  end)

  -- Region 2 compares what it has of region 1 so often. Returns how many regions it wants to ask.
  local function compare(times, given)
    local n = 0
    for _ = 1, times do
      n = n + has:compare({ shows:of_shown(owned, shown)[2] }, shown_by, epochs, given or {}, 100)
    end
    return n
  end

  it("are alike while the ghosts are", function()
    assert.equal(0, compare(10))
    assert.is_nil(has:take_ask(1))
  end)

  it("differ when a ghost is missing, is too many, or is that of another owner", function()
    shown_by[1] = nil
    assert.equal(0, compare(2))
    assert.is_nil(has:take_ask(1))
    assert.equal(1, compare(1))
    assert.is_nil(has:take_ask(2))
    assert.is_true(has:take_ask(1))
    assert.is_nil(has:take_ask(1))
    assert.equal(1, compare(3)) -- and again
    shown_by[1], epochs[1] = 1, 6
    assert.equal(1, compare(3))
    epochs[1], shown_by[2], epochs[2] = 5, 1, 7
    assert.equal(1, compare(3))
    shown_by[2] = nil
    assert.equal(0, compare(3))
  end)

  it("may differ now and then", function()
    for _ = 1, 5 do
      shown_by[1] = nil
      assert.equal(0, compare(2))
      shown_by[1] = 1
      assert.equal(0, compare(1))
    end
  end)

  it("do not count what another region has given, for a while", function()
    shown_by[8], epochs[8] = 1, 3
    assert.equal(0, compare(10, { [8] = 101 - ghost_sums.PERIOD }))
    assert.equal(1, compare(3, { [8] = 100 - ghost_sums.PERIOD }))
  end)

  it("are told where nothing is shown any more", function()
    shows:told_markers_of(2)
    shows:told_markers_of(3)
    shown = {}
    assert.equal(1, compare(3))
    local other = ghost_sums.new()
    other:load(shows:save())
    assert.same({ [2] = 0, [3] = 0 }, other:of_shown(owned, shown))
  end)
end)
