-- Visible radii and sights: what the differential specs do not say by name. Events, errors, groups, memory.
local aoi = require "aoi"
local engines = require "spec.support.engines"
local random_numbers = require "spec.support.random"

-- A space whose events are gathered as texts; the table of texts is emptied by each call of `heard`.
local function listening(options)
  local texts = {}
  options.on_event = function(watcher, marker, op)
    texts[#texts + 1] = ("%s %s %s"):format(watcher, op, marker)
  end
  local space = aoi.new(options)
  return space, function()
    table.sort(texts)
    local all = table.concat(texts, "; ")
    for i = #texts, 1, -1 do
      texts[i] = nil
    end
    return all
  end
end

for _, row in ipairs(engines.all) do
  local describe = row.exact and describe or function() end
  describe("A visible radius, " .. row.name .. ",", function()
    it("is drawn around the watcher, with both bounds in it, and only by markers that have one", function()
      local space, heard = listening(row.options { radius = 1 })
      local x = 0.1 + 0.2
      space:enter(1, x, 5)
      space:enter(2, x + 3, 5, { visible_radius = 3 })
      assert.equal("1 enter 2", heard())
      space:move(2, x + 3 + 2.0 ^ -49, 5)
      assert.equal("1 leave 2", heard())
      space:set_visible_radius(2, 0)
      space:set_visible_radius(2, math.huge)
      assert.equal("1 enter 2", heard())
      space:set_mode(2, "w")
      assert.equal("1 leave 2", heard())
      space:set_mode(2, "wm")
      space:set_radius(1, 0)
      assert.equal("1 enter 2", heard()) -- a radius of 0 hides nobody
      space:set_sees_layers(1, 0)
      assert.equal("1 leave 2", heard())
      assert.equal(math.huge, space:traits(2).visible_radius)
    end)

    it("that is smaller than the watcher's changes nothing", function()
      local space, heard = listening(row.options { radius = 4 })
      space:enter(1, 5, 5)
      space:enter(2, 8, 5, { visible_radius = 2 })
      assert.equal("1 enter 2; 2 enter 1", heard())
      space:set_visible_radius(2, 3)
      space:set_visible_radius(2, 0)
      assert.equal("", heard())
    end)

    it("follows a map that changes, and a batch that is taken back", function()
      if not row.map then
        return
      end
      local space, heard = listening(row.options { radius = 1 })
      space:enter(1, 10, 10)
      space:enter(2, 50, 50, { visible_radius = 45 })
      assert.equal("1 enter 2", heard())
      space:set_bounds(-1000, -1000, 3000, 3000)
      local rows = { 2, 50, 50, 3, 5, 5, 4, 9999, 0 }
      assert.is_false(pcall(space.update_all, space, rows, { visible_radius = 0 }))
      assert.equal("", heard())
      space:move(2, 56, 50)
      assert.equal("1 leave 2", heard())
      space:move(2, 55, 50)
      assert.equal("1 enter 2", heard())
    end)
  end)
end

for _, row in ipairs(engines.all) do
  describe("A sight, " .. row.name .. ",", function()
    it("is beyond layers and distance, not beyond modes, and waits for a marker", function()
      local space, heard = listening(row.options { radius = row.exact and 3 or nil })
      space:enter(1, 5, 5, { sees_layers = 0 })
      space:set_sight(1, 2, true)
      assert.equal("", heard())
      space:enter(2, 95, 95, { layers = 0 })
      assert.equal("1 enter 2", heard())
      space:move(2, 94, 95)
      assert.equal("1 move 2", heard())
      space:set_sight(1, 2, true)
      space:set_mode(2, "w")
      assert.equal("1 leave 2", heard())
      space:set_mode(2, "m")
      space:leave(2)
      space:enter(2, 5, 6)
      space:set_sees_layers(1, 1)
      assert.equal("1 enter 2; 1 enter 2; 1 leave 2; 2 enter 1", heard())
      space:set_sight(1, 2, false)
      space:set_sight(2, 1, nil)
      assert.equal("1 leave 2", heard())
      assert.equal("hidden", (space:explain(1, 2)))
      space:set_sight(1, 2, nil)
      assert.equal("1 enter 2", heard())
      assert.equal(0, space:stats().sights)
    end)

    it("ends with the watcher's leave, in a tick, too, and with clear", function()
      local space, heard = listening(row.options { radius = row.exact and 3 or nil, deferred = true })
      space:enter(1, 5, 5)
      space:enter(2, 95, 95)
      space:set_sight(1, 2, true)
      space:tick()
      assert.equal("1 enter 2", heard())
      space:leave(1)
      space:enter(1, 5, 5)
      assert.same({}, (space:sights(1)))
      space:tick()
      assert.equal("1 leave 2", heard())
      space:set_sight(1, 2, true)
      space:set_sight(1, 2, nil)
      space:tick()
      assert.equal("", heard())
      space:set_sight(1, 2, true)
      space:clear()
      assert.equal(0, space:stats().sights)
      assert.equal(0, space:stats().held.sights)
    end)
  end)
end

describe("Sights", function()
  it("are one change of the watcher", function()
    local groups = {}
    local space = aoi.new {
      engine = "crosslist", radius = 1,
      on_markers = function(watcher, op, markers, n) groups[#groups + 1] = { watcher, op, markers[1], n } end,
      on_watchers = function(marker, op, watchers, n)
        groups[#groups + 1] = { marker, op, watchers[1], n, "w" }
      end,
    }
    space:enter(1, 0, 0)
    space:enter(2, 9, 0)
    space:set_sight(1, 2, true)
    space:set_visible_radius(1, 9)
    assert.same({ { 1, "enter", 2, 1 }, { 1, "enter", 2, 1, "w" } }, groups)
  end)

  it("are listed by marker, in a table that is used again", function()
    local space = aoi.new { engine = "crosslist", radius = 1 }
    space:enter(5, 0, 0)
    local expected, n = {}, 0
    for _, id in ipairs { 3, -1, 9, 1 << 40, 7 } do
      space:set_sight(5, id, id % 2 == 1)
    end
    for _, id in ipairs { -1, 3, 7, 9, 1 << 40 } do
      n = n + 1
      expected[2 * n - 1], expected[2 * n] = id, id % 2 == 1
    end
    local t = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }
    local list, count = space:sights(5, t)
    assert.equal(t, list)
    assert.equal(n, count)
    assert.is_nil(list[2 * n + 1])
    assert.same(expected, table.move(list, 1, 2 * n, 1, {}))
  end)

  it("say what is wrong", function()
    local space = aoi.new { engine = "grid", width = 9, height = 9, cols = 3, rows = 3 }
    space:enter(1, 1, 1)
    for _, case in ipairs {
      { "set_sight: id 2 is not in the space", "set_sight", 2, 1, true },
      { "set_sight: marker is 1, expected another id than that of the watcher", "set_sight", 1, 1, true },
      { "set_sight: the sight is 1, expected true, false or nil", "set_sight", 1, 2, 1 },
      { "sights: id 2 is not in the space", "sights", 2 },
      { "sights: t is the string \"packed\", expected a table", "sights", 1, "packed" },
    } do
      local ok, message = pcall(space[case[2]], space, table.unpack(case, 3))
      assert.is_false(ok)
      assert.equal(case[1], message)
    end
    for _, call in ipairs { { "set_visible_radius", 1, 5 }, { "enter", 2, 1, 1, { visible_radius = 5 } } } do
      local ok, message = pcall(space[call[1]], space, table.unpack(call, 2))
      assert.is_false(ok)
      assert.matches("radius or visible_radius is given, expected none: the classic", message, 1, true)
    end
  end)

  it("take no more memory when one pair is decided again and again before a tick", function()
    local space = aoi.new { radius = 10, deferred = true }
    space:enter(1, 0, 0)
    space:tick()
    local function decide(times)
      for i = 1, times do
        space:set_sight(1, 2, i % 2 == 0)
      end
      return space:stats().held.sights
    end
    assert.equal(decide(2), decide(1000))
  end)

  -- 100,000 words: so many of each watcher, so many about each marker; the markers are absent.
  for _, shape in ipairs { { 1, 1 }, { 2, 1 }, { 1, 2 }, { 3, 3 }, { 10, 1000 }, { 1000, 10 }, { 1, 100000 },
    { 100000, 1 } } do
    local of_watcher, about_marker = shape[1], shape[2]
    local name = "take at most 32 bytes each, %d of a watcher, %d about a marker, nothing when gone #crowd"
    it(name:format(of_watcher, about_marker), function()
      local watchers, markers = 100000 // of_watcher, 100000 // about_marker
      local space = aoi.new { radius = 10 }
      local words = 0
      for id = 1, watchers do
        space:enter(id, id % 300 * 10, id // 300 * 10)
        for k = 0, of_watcher - 1 do
          space:set_sight(id, 1000000 + (id * of_watcher + k) % markers, k % 3 > 0)
          words = words + 1
        end
      end
      local stats = space:stats()
      assert.equal(words, stats.sights)
      assert.is_true(stats.held.sights <= 32 * words, stats.held.sights / words)
      for id = 1, watchers do
        space:leave(id)
      end
      assert.equal(0, space:stats().held.sights)
    end)
  end

  -- All lists that a watcher's words can make, with others in the chain, in every order of going; and some
  -- long ones, as a word is looked for among a watcher's first few and then among those about the marker.
  it("are found however they are linked", function()
    local space = aoi.new { radius = 1, cell = 1 }
    local words = {}
    local random = random_numbers.new(34)
    for id = 1, 60 do
      space:enter(id, id * 10, 0)
      words[id] = {}
    end
    local function check(id)
      local found, n = space:sights(id)
      local ids = {}
      for marker in pairs(words[id]) do
        ids[#ids + 1] = marker
      end
      table.sort(ids)
      assert.equal(#ids, n)
      for i, marker in ipairs(ids) do
        assert.equal(marker, found[2 * i - 1])
        assert.equal(words[id][marker], found[2 * i])
      end
    end
    for _ = 1, 6000 do
      local id = random:integer(1, 60)
      local marker = random:integer(100, id <= 6 and 140 or 104)
      local how = ({ true, false })[random:integer(1, 4)]
      space:set_sight(id, marker, how)
      words[id][marker] = how
      check(id)
      check(random:integer(1, 60))
    end
    for id = 1, 60 do
      check(id)
    end
  end)
end)
