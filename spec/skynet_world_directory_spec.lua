-- The owners of entities in a world, as all nodes know them from the regions' news: in order, late, in any
-- order.
local directory = require "aoi.skynet.world.directory"
local new_random = require("spec.support.random").new

local function part(region, tick, fields)
  fields.region, fields.tick, fields.start, fields.starts = region, tick, 1, { 1, 1, 1, 1, 1 }
  fields.node = region
  return fields
end

describe("a directory", function()
  it("follows entities through their regions", function()
    local known = directory.new()
    assert.same({ {}, {}, {}, {} }, { known:tell(1, { part(1, 1, { entered = { 7, 100 } }) }) })
    assert.same({ 1, 1, 1 }, { known.owner[7], known.epoch[7], known.count })
    assert.same({ {}, { 7 }, {}, {} }, { known:tell(2, { part(1, 2, { handed = { 7, 3, 2 } }) }) })
    assert.same({ 3, 2 }, { known.owner[7], known.epoch[7] })
    known:tell(3, { part(3, 3, { left = { 7, 2 } }) })
    assert.same({ n = 1, count = 0 }, { n = 1, known.owner[7], count = known.count })
    known:tell(4, { part(2, 4, { entered = { 7, 400 } }) })
    assert.same({ 2, 4 }, { known.owner[7], known.epoch[7] })
  end)

  it("lets the enter with the lowest stamp count, whatever the order", function()
    local orders = { { 1, 2, 3 }, { 3, 2, 1 }, { 2, 3, 1 }, { 1, 3, 2 } }
    for _, order in ipairs(orders) do
      local known, news = directory.new(), {}
      for i, region in ipairs(order) do
        news[i] = part(region, 5, { entered = { 9, ({ 30, 10, 20 })[region], 10 + region, 50 + region } })
      end
      local refused = known:tell(5, news)
      local losers = {}
      for i = 1, #refused, 2 do
        assert.equal(9, refused[i])
        losers[#losers + 1] = refused[i + 1]
      end
      table.sort(losers)
      assert.same({ 1, 3 }, losers)
      assert.same({ 2, 4 }, { known.owner[9], known.count })
    end
  end)

  it("refuses the hand-over of what is refused, too", function()
    local known = directory.new()
    local refused, changed = known:tell(2, {
      part(2, 2, { entered = { 7, 5 }, handed = { 7, 3, 3 } }), part(1, 2, { entered = { 7, 1 } }),
    })
    assert.same({ { 7, 2 }, {}, 1, 2 }, { refused, changed, known.owner[7], known.epoch[7] })
  end)

  it("refuses an enter where the entity is handed over all the same, of this tick alone", function()
    local function tell(t)
      local news = {
        part(2, 2, { entered = { 7, 5 } }), part(1, 2, { entered = { 7, 1 }, handed = { 7, 2, 3 } }),
      }
      local known = directory.new()
      local refused, _, _, overruled = known:tell(t, news)
      assert.same({ 2, 3 }, { known.owner[7], known.epoch[7] })
      return refused, overruled
    end
    assert.same({ {}, { 7, 2 } }, { tell(2) })
    assert.same({ {}, {} }, { tell(3) })
  end)

  it("lets the later of two owners count that did not know of each other", function()
    local known = directory.new()
    known:tell(4, { part(1, 4, { entered = { 7, 400, 8, 401 } }) })
    assert.same({ 7, 1 }, (known:tell(9, { part(2, 9, { entered = { 7, 900 } }) })))
    assert.same({ 7, 3 }, (known:tell(9, { part(3, 5, { entered = { 7, 500 } }) })))
    assert.same({ 2, 9, 2 }, { known.owner[7], known.epoch[7], known.count })
    local left = part(1, 11, { left = { 8, 4 } })
    assert.same({}, (known:tell(12, { part(2, 12, { entered = { 8, 1200 } }), left })))
    assert.equal(2, known.owner[8])
  end)

  it("believes the same of enters of one tick, whichever came first", function()
    local enters = { part(1, 5, { entered = { 7, 50, 8, 9 } }), part(2, 5, { entered = { 7, 40, 8, 10 } }) }
    local first, second = directory.new(), directory.new()
    first:tell(5, { enters[1] })
    assert.same({ 7, 1, 8, 2 }, (first:tell(6, { enters[2] })))
    second:tell(5, { enters[2] })
    assert.same({ 7, 1, 8, 2 }, (second:tell(6, { enters[1] })))
    assert.same({ { [7] = 2, [8] = 1 }, first.sums }, { first.owner, second.sums })
  end)

  it("tells whose entity another has handed over", function()
    local known = directory.new()
    known:tell(5, { part(1, 5, { entered = { 7, 50, 8, 51 } }) })
    local refused, changed, displaced = known:tell(9, { part(2, 9, { handed = { 7, 3, 9, 8, 3, 4 } }) })
    assert.same({ {}, { 7 }, { 7, 1 } }, { refused, changed, displaced })
    assert.same({ 3, 1 }, { known.owner[7], known.owner[8] })
    known:tell(10, { part(4, 10, { handed = { 8, 2, 5 } }), part(5, 10, { handed = { 8, 3, 5 } }) })
    assert.equal(3, known.owner[8]) -- of equal ones the higher region
  end)

  it("is not led astray by old news", function()
    local known = directory.new()
    known:tell(1, { part(1, 1, { entered = { 7, 100 } }) })
    known:tell(3, { part(2, 3, { handed = { 7, 3, 3 } }) })  -- before the one that gave it to 2
    known:tell(4, { part(1, 2, { handed = { 7, 2, 2 } }) })
    assert.equal(3, known.owner[7])
    known:tell(5, { part(3, 5, { left = { 7, 4 } }) })      -- before the one that gave it back to 3
    assert.is_nil(known.owner[7])
    known:tell(6, { part(3, 4, { handed = { 7, 1, 4 } }) })
    assert.is_nil(known.owner[7])
    known:tell(200, {})
    known:tell(300, {}) -- by then nobody remembers, and nobody needs to
    assert.is_nil(next(known.gone) or next(known.gone_before))
  end)

  it("gives a region's entities to a node that begins", function()
    local known, other = directory.new(), directory.new()
    known:tell(1, { part(1, 1, { entered = { 5, 1, 3, 2, 4, 3 } }), part(2, 1, { entered = { 6, 4 } }) })
    assert.same({ 3, 1, 2, 4, 1, 3, 5, 1, 1 }, known:list(1))
    other:tell(1, { part(2, 1, { entered = { 9, 1 } }) })
    other:tell(2, { part(1, 2, { entered = { 8, 1 } }) })
    other:replace(1, known:list(1), 1, 2, 1, {}, {})
    assert.is_true(known.sums[1] ~= other.sums[1])
    other:tell(3, { part(1, 3, { left = { 8, 2 } }) })
    assert.equal(known.sums[1], other.sums[1])
    other:tell(4, { part(1, 4, { entered = { 8, 1 } }) })
    assert.same({ { 3, 4, 5, 8 }, { 9 }, 5 }, { other:ids_of(1), other:ids_of(2), other.count })
    assert.same({ {}, { 9 } }, { (other:forget(2, 1)), (other:forget(2, 2)) })
    assert.same({ {}, 4 }, { other:ids_of(2), other.count })
  end)

  it("forgets what a process had, but not what the next one of that region has", function()
    local known = directory.new()
    known:tell(1, { part(1, 1, { entered = { 5, 1, 6, 2 } }), part(2, 1, { entered = { 7, 3 } }) })
    local news = part(2, 2, { handed = { 7, 1, 2 } })
    news.starts = { 9 } -- region 1 has begun anew
    known:tell(2, { news })
    assert.same({ { 5, 6 }, 1, { 7 } }, { known:forget(1, 9), known.count, known:ids_of(1) })
    known:add(1, { 7, 2, 6, 1 }, 9, 3, 1, {}) -- one came by a message that the old process had not taken in
    assert.same({ { 6, 7 }, 2 }, { known:ids_of(1), known.count })
  end)

  it("knows who of those that it forgot has not come back", function()
    local known = directory.new()
    known:tell(8, { part(1, 8, { entered = { 5, 1, 6, 2, 7, 3, 8, 4 } }) })
    local ids = known:forget(1, 9)
    assert.same({ { 5, 6, 7, 8 }, { 5, 6, 7, 8 } }, { ids, known:still_lost(ids, 10) })
    known:add(1, { 6, 8 }, 9, 11, 1) -- as it was
    known:tell(11, { part(2, 11, { entered = { 7, 5 } }) }) -- anew
    assert.same({ 5, 7, 8 }, known:still_lost(ids, 10))
  end)

  it("takes a whole list in place of what it knew, but not of what its giver could not know", function()
    local known = directory.new()
    known:tell(1, { part(1, 1, { entered = { 4, 1, 5, 2, 6, 3, 7, 4 } }) })
    known:tell(8, { part(2, 8, { entered = { 8, 1 } }) })
    known:tell(9, { part(2, 9, { handed = { 8, 1, 9 } }) })
    -- Region 1 had heard of tick 8 of node 2.
    known:replace(1, { 4, 1, 1, 6, 1, 3, 9, 7, 0 }, 1, 9, 1, {}, { 0, 8 })
    assert.same({ { 4, 6, 8, 9 }, 4 }, { known:ids_of(1), known.count })
    known:replace(1, { 4, 1, 1 }, 1, 10, 1, {}, { 0, 9 })
    assert.same({ 4 }, known:ids_of(1))
    local displaced = {}
    known:tell(11, { part(2, 11, { entered = { 5, 1, 6, 2 } }) })
    known:replace(1, { 5, 12, 0, 6, 2, 0 }, 1, 13, 1, displaced, { 0, 12 })
    assert.same({ { 5, 2 }, { 6 } }, { displaced, known:ids_of(2) })
  end)

  -- A world in which all that happens is known, told to two directories: to one in order, to the other each
  -- region's news up to five ticks late.
  it("comes to the same, however late the news of a region are", function()
    local draw, regions = new_random(3), 5
    local exact, late = directory.new(), directory.new()
    local owner, epoch, waiting = {}, {}, {}
    for region = 1, regions do
      waiting[region] = {}
    end
    for t = 1, 400 do
      local news = {}
      for region = 1, regions do
        news[region] = part(region, t, { entered = {}, handed = {}, left = {} })
      end
      for id = 1, 20 do
        local kind, region = draw:integer(1, 6), owner[id]
        if not region and kind == 1 then
          region = draw:integer(1, regions)
          owner[id], epoch[id] = region, t
          table.move({ id, t * 100 + id }, 1, 2, #news[region].entered + 1, news[region].entered)
        elseif region and kind == 2 then
          table.move({ id, epoch[id] }, 1, 2, #news[region].left + 1, news[region].left)
          owner[id] = nil
        elseif region and kind <= 4 then
          owner[id], epoch[id] = draw:integer(1, regions), epoch[id] + 1
          table.move({ id, owner[id], epoch[id] }, 1, 3, #news[region].handed + 1, news[region].handed)
        end
      end
      exact:tell(t, news)
      local told = {}
      for region = 1, regions do
        table.insert(waiting[region], news[region])
        if draw:integer(1, 3) == 1 or #waiting[region] > 5 or t % 50 == 0 then
          table.move(waiting[region], 1, #waiting[region], #told + 1, told)
          waiting[region] = {}
        end
      end
      late:tell(t, told)
      for id = 1, 20 do
        assert.equal(owner[id], exact.owner[id])
      end
      if t % 50 == 0 then
        assert.same(exact.owner, late.owner)
        assert.equal(exact.count, late.count)
        assert.same(exact.sums, late.sums)
      end
    end
  end)
end)
