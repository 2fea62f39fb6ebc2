-- The text about the regions of a world that the pages of a viewer get.
local region_loads = require "aoi.skynet.region_loads"

describe("the text about regions", function()
  it("has the counts of each region, and the node alone where that is silent", function()
    local counts = { node = "a", owned = 12, ghosts = 3, ticks = 100, tick_time = 50.5, hand_overs = 7 }
    assert.equal('{"regions":[{"node":"a","owned":12,"ghosts":3,"ticks":100,"tick_time":50.5,"hand_overs":7},'
      .. '{"node":"b"},{"node":null}],"ghosts":[]}',
      region_loads.text({ counts }, { { node = "a" }, { node = "b" }, {} }, {}))
  end)

  it("names the node that has answered, where a region has just moved", function()
    local counts = { node = "b", owned = 1, ghosts = 0, ticks = 2, tick_time = 0, hand_overs = 0 }
    assert.matches('^{"regions":%[{"node":"b",', region_loads.text({ counts }, { { node = "a" } }, {}))
  end)

  it("has ids of 64 bits whole, and names as they are", function()
    assert.equal([[{"regions":[{"node":"\u0022\u005c\u000a名"}],"ghosts":["9007199254740993","-1"]}]],
      region_loads.text({}, { { node = '"\\\n名' } }, { 9007199254740993, -1 }))
  end)
end)
