-- The picture that a client of a scene keeps: against a scene of the spec's own that packs its changes, with
-- messages that are lost, resyncs, and streams that follow each other.
local blocks = require "aoi.skynet.blocks"
local view_writer = require "aoi.skynet.view_writer"
local known = require "aoi.skynet.known"
local Random = require "spec.support.random"

-- A watcher of a world in which chance moves a few markers: what it was told, and the messages for it.
local Scene = {}
Scene.__index = Scene

local function new_scene(random, stream, dims)
  local self = setmetatable({ random = random, stream = stream, number = 0, dims = dims }, Scene)
  self.markers, self.told = {}, {}
  self.writer = view_writer.new {
    dims = function() return dims end,
    doubles = function() return true end,
    place = function(id) return table.unpack(self.markers[id], 1, dims) end,
    details = function(id)
      local details = self:details(id, {})
      return details ~= "" and details or nil
    end,
  }
  return self
end

-- The details of an entity that are not as in `before`, packed.
function Scene:details(id, before)
  local marker, parts = self.markers[id], {}
  if marker.data ~= before.data then
    parts[1] = blocks.entry(blocks.DATA, marker.data)
  end
  for key = 0, 2 do
    local value = marker.properties[key]
    if value ~= (before.properties or {})[key] then
      parts[#parts + 1] = blocks.entry(key, value)
    end
  end
  return table.concat(parts)
end

local function copy(marker)
  local properties = {}
  for key, value in pairs(marker.properties or {}) do
    properties[key] = value
  end
  return { marker[1], marker[2], marker[3], data = marker.data, properties = properties }
end

local function copies(markers)
  local result = {}
  for id, marker in pairs(markers) do
    result[id] = copy(marker)
  end
  return result
end

function Scene:change()
  local random = self.random
  for _ = 1, random:integer(0, 6) do
    local id = random:integer(1, 12)
    local marker = self.markers[id]
    if not marker then
      marker = { 0, 0, self.dims == 3 and 0 or nil, properties = {} }
      self.markers[id] = marker
    elseif random:chance(0.2) then
      self.markers[id] = nil
    end
    if random:chance(0.6) then
      marker[1], marker[2] = random:integer(0, 3), random:integer(0, 3)
    end
    if random:chance(0.4) then
      marker.properties[random:integer(0, 2)] = random:pick { 1, 2.5, "x", false } or nil
    end
    if random:chance(0.2) then
      marker.data = random:pick { "a", "b", false } or nil
    end
  end
end

-- The message of a tick; nil when there is nothing to be told. is_all: a list that replaces all. pieces: true
-- cuts it into many.
function Scene:tick(is_all)
  local left, entered, with, moved, changed = {}, {}, {}, {}, {}
  local told = is_all and {} or self.told
  for id in pairs(told) do
    if not self.markers[id] then
      left[#left + 1] = id
    end
  end
  for id, marker in pairs(self.markers) do
    local before = told[id]
    if not before then
      table.insert(self:details(id, {}) == "" and entered or with, id)
    else
      if marker[1] ~= before[1] or marker[2] ~= before[2] then
        moved[#moved + 1] = id
      end
      if self:details(id, before) ~= "" then
        changed[#changed + 1] = id
      end
    end
  end
  local lists, changes = {}, {}
  for _, id in ipairs(changed) do
    changes[id] = self:details(id, told[id])
  end
  for kind, ids in ipairs { left, entered, with, moved, changed } do
    if #ids > 0 then
      lists[#lists + 1] = { kind = kind, ids = ids, n = #ids, changes = changes }
    end
  end
  local text, count
  if is_all or #lists > 0 then
    self.writer:forget()
    text, count = self.writer:view(9, self.stream, self.number + 1, is_all, lists, #lists)
    self.number = self.number + count
  end
  self.told = copies(self.markers)
  return text
end

-- A client that checks what it hears against what it heard before: nothing enters twice, and so on.
local function new_client()
  local client = { belief = {}, gaps = 0, said = {}, events = 0 }
  client.known = known.new {
    view = function(watcher, news)
      assert.equal(9, watcher)
      assert.is_truthy(news.left or news.entered or news.moved or news.changed)
      for _, name in ipairs { "left", "entered", "moved", "changed", "details" } do
        assert.is_true(not news[name] or next(news[name]) ~= nil)
        news[name] = news[name] or {}
      end
      local belief, step = client.belief, news.dims + 1
      for _, id in ipairs(news.left) do
        assert.is_truthy(belief[id])
        belief[id] = nil
      end
      for i = 1, #news.entered, step do
        local id = news.entered[i]
        assert.is_nil(belief[id])
        local data, properties = table.unpack(news.details[id] or {}, 1, 2)
        local x, y, z = table.unpack(news.entered, i + 1, i + 3)
        belief[id] = copy { x, y, step == 4 and z or nil, data = data, properties = properties }
      end
      for i = 1, #news.moved, step do
        local marker = belief[news.moved[i]]
        assert.is_true(marker[1] ~= news.moved[i + 1] or marker[2] ~= news.moved[i + 2])
        marker[1], marker[2] = news.moved[i + 1], news.moved[i + 2]
      end
      for _, id in ipairs(news.changed) do
        local marker, data, properties = belief[id], table.unpack(news.details[id], 1, 2)
        assert.is_true(data ~= nil or next(properties) ~= nil)
        if data then
          assert.not_equal(marker.data or "", data)
          marker.data = data ~= "" and data or nil
        end
        for key, value in pairs(properties or {}) do
          assert.not_equal(marker.properties[key] or false, value)
          marker.properties[key] = value or nil
        end
      end
      client.events = client.events + 1
    end,
    said = function(watchers, id, body, is_text)
      table.insert(client.said, { watchers, id, body, is_text })
    end,
    gap = function() client.gaps = client.gaps + 1 end,
    refused = function(body) client.refused = body end,
    elsewhere = function(watcher, address) client.elsewhere = { watcher, address } end,
  }
  function client.check()
    assert.same(copies(client.known:markers(9) or {}), client.belief)
  end
  function client.read(text)
    if text then
      client.known:read(text)
      client.check()
    end
  end
  return client
end

-- The blocks of a message, each as one.
local function cut(text)
  local pieces, at = {}, 1
  while at <= #text do
    local _, stop = blocks.head(text, at)
    pieces[#pieces + 1] = text:sub(at, stop - 1)
    at = stop
  end
  return pieces
end

describe("what a client knows", function()
  it("follows what it is told, and needs no resync while nothing is lost", function()
    for dims = 2, 3 do
      local random = Random.new(dims)
      local scene, client = new_scene(random, 1, dims), new_client()
      client.read(scene:tick(true))
      for tick = 1, 300 do
        scene:change()
        client.read(scene:tick(tick % 10 == 0))
        assert.same(copies(scene.markers), client.belief)
      end
      assert.equal(0, client.gaps)
    end
  end)

  it("is right again after the resync that a lost message makes it ask for", function()
    local random = Random.new(5)
    local scene, client = new_scene(random, 1, 2), new_client()
    local asked, mended = false, 0
    for _ = 1, 2000 do
      scene:change()
      local gaps, text = client.gaps, scene:tick(asked)
      local was_asked = asked
      asked = false
      if text and random:chance(0.8) then
        client.read(text)
        asked = client.gaps > gaps
        if was_asked then
          assert.same(copies(scene.markers), client.belief)
          mended = mended + 1
        end
      end
    end
    assert.is_true(mended > 50, mended .. " resyncs")
  end)

  it("is asked for anew when a list comes that a later message has overtaken", function()
    local scene, client = new_scene(Random.new(2), 1, 2), new_client()
    scene.markers[1] = { 1, 0, properties = {} }
    client.read(scene:tick(true))
    scene.markers[2] = { 2, 0, properties = {} }
    local before = scene:tick()
    scene.markers[2][1] = 3
    local overtaken = scene:tick(true)
    scene.markers[1] = nil
    client.read(scene:tick(true))
    assert.equal(0, client.gaps)
    client.read(before)
    assert.equal(1, client.gaps)
    client.read(overtaken) -- the number behind the one before, and out of date all the same
    assert.equal(2, client.gaps)
    assert.is_true(client.known:is_behind(9))
    client.read(scene:tick(true))
    assert.same(copies(scene.markers), client.belief)
    assert.is_false(client.known:is_behind(9))
    assert.equal(2, client.gaps)
  end)

  it("is not taken for all while pieces of a list are missing, nor before it is complete", function()
    local scene, client = new_scene(Random.new(1), 1, 2), new_client()
    for id = 1, 24 do
      scene.markers[id] = { id, 0, data = ("x"):rep(8000), properties = {} }
    end
    client.read(scene:tick(true))
    assert.equal(1, client.events)
    scene.markers[1], scene.markers[2][2] = nil, 5
    local pieces = cut(scene:tick(true))
    assert.is_true(#pieces >= 3)
    for i = 1, #pieces - 1 do
      client.known:read(pieces[i])
    end
    assert.equal(1, client.events) -- it waits for the last
    client.read(pieces[#pieces])
    assert.same(copies(scene.markers), client.belief)
    scene.markers[3], scene.markers[4][2] = nil, 6
    local function without(missing)
      for i, piece in ipairs(cut(scene:tick(true))) do
        if i ~= missing then
          client.known:read(piece)
        end
      end
      client.check()
      assert.is_truthy(client.belief[3])
      assert.is_true(client.gaps > 0)
      client.gaps = 0
    end
    without(2)
    without(1)
    client.read(scene:tick(true))
    assert.same(copies(scene.markers), client.belief)
  end)

  it("goes over from a stream to a later one with the list that begins it, never to an older one", function()
    local random = Random.new(8)
    local first, second = new_scene(random, 0xFFFFFFFF, 2), new_scene(random, 3, 2)
    local client = new_client()
    first.markers = { [1] = { 1, 1, properties = {} }, [2] = { 2, 2, properties = {} } }
    second.markers = { [2] = { 2, 2, properties = {} }, [3] = { 3, 3, data = "d", properties = {} } }
    client.read(first:tick(true))
    client.known:expect(9, 3)
    local before = copies(client.belief)
    first.markers[1] = nil
    client.read(first:tick(false))
    client.read(blocks.over(9, 0xFFFFFFFF, 3)) -- late, from the first
    client.read(blocks.said(9, 0xFFFFFFFF, 4, 1, "late", true))
    assert.same({ before, {}, 0 }, { client.belief, client.said, client.gaps })
    client.read(second:tick(true))
    assert.same(copies(second.markers), client.belief)
    assert.equal(3, client.known:stream(9))
    client.read(first:tick(true))
    assert.same(copies(second.markers), client.belief)
    client.known:expect(9, 2) -- an older one is no expectation
    second.markers[2][1] = 7
    client.read(second:tick(false))
    assert.same({ copies(second.markers), 0 }, { client.belief, client.gaps })
    -- The list that begins a stream is lost: what comes then is of no use but for what is said.
    local third = new_scene(random, 4, 2)
    third.markers = { [5] = { 5, 5, properties = {} } }
    third:tick(true)
    third.markers[6] = { 6, 6, properties = {} }
    client.read(third:tick(false))
    client.read(blocks.said(9, 4, 3, 6, "hello", true))
    assert.same({ copies(second.markers), 1, { { { 9 }, 6, "hello", true } } },
      { client.belief, client.gaps, client.said })
    client.read(third:tick(true))
    assert.same(copies(third.markers), client.belief)
    client.read(blocks.over(9, 4, 4))
    assert.same({}, client.belief)
    -- A packet that comes late now, from this stay or one before, is not believed; a later stay is.
    client.read(third:tick(true))
    client.read(second:tick(true))
    client.read(blocks.said(9, 4, 5, 6, "late", true))
    assert.same({ {}, 1, 1 }, { client.belief, client.gaps, #client.said })
    assert.is_nil(client.known:markers(9))
    assert.equal(4, client.known:stream(9))
    third.stream, third.number = 5, 0
    client.read(third:tick(true))
    assert.same(copies(third.markers), client.belief)
  end)

  it("remembers the last of many stays that are over, not all", function()
    local client = new_client()
    for watcher = 1, 5000 do
      client.read(blocks.over(watcher, 7, 1))
    end
    for watcher = 1, 5000 do
      local stream = client.known:stream(watcher)
      assert.is_true(stream == nil or stream == 7)
      assert.is_true(stream == 7 or watcher <= 4000)
      assert.is_true(stream == nil or watcher > 3000)
    end
  end)

  it("ends also when a stream is over before it began", function()
    local scene, client = new_scene(Random.new(1), 1, 2), new_client()
    scene.markers = { [1] = { 1, 1, properties = {} } }
    client.read(scene:tick(true))
    client.known:expect(9, 2)
    client.read(blocks.over(9, 2, 1))
    assert.same({}, client.belief)
  end)

  it("counts what is said, what is elsewhere, and kinds that it does not know", function()
    local scene, client = new_scene(Random.new(1), 1, 2), new_client()
    client.read(scene:tick(true))
    client.read(blocks.said(9, 1, 2, 5, "one", true))
    client.read(("<BBI2i4I4I4"):pack(77, 0, 3, 9, 1, 3) .. "???")
    client.read(blocks.said(9, 1, 4, 5, "two", true))
    assert.equal(0, client.gaps)
    client.read(blocks.said(9, 1, 6, 5, "four", true))
    assert.equal(1, client.gaps)
    client.read(blocks.said(9, 1, 7, 5, "five", true))
    assert.equal(2, client.gaps) -- again, until all is told
    scene.number = 7
    client.read(scene:tick(true))
    client.read(blocks.elsewhere(9, 1, 9, 0x55, 2))
    assert.same({ { 9, 0x55 }, 2, 2 }, { client.elsewhere, client.known:stream(9), client.gaps })
    assert.equal(4, #client.said)
    client.read(blocks.elsewhere(9, 1, 9, 0x66, 2)) -- behind the first block of the other scene
    assert.same({ { 9, 0x66 }, 2 }, { client.elsewhere, client.known:stream(9) })
  end)

  it("drops the streams of stale loads, also when stays end and begin meanwhile", function()
    local client = new_client()
    client.known:expect(9, 5)
    client.known:drop(9, 60)
    client.read(blocks.over(9, 5, 1))
    client.known:drop(9, 50)
    assert.equal(60, client.known:stream(9)) -- the next one is to be later
    client.known:expect(9, 20) -- that was asked before
    for _, stream in ipairs { 60, 50 } do
      client.read(blocks.over(9, stream, 2))
      assert.is_true(client.known:is_behind(9))
    end
    -- A save with such a stay is loaded: that is stale, too.
    local is_stale
    client.known.hear.elsewhere = function(_, _, _, _, stale) is_stale = stale end
    client.read(blocks.elsewhere(9, 60, 3, 0x55, 90, true))
    assert.is_true(is_stale)
  end)

  it("goes by watcher: what one says to several comes once, and each has numbers of its own", function()
    local client = new_client()
    local text = ""
    for watcher = 1, 3 do
      text = text .. blocks.said(watcher, watcher, 1, 5, "hi", true)
    end
    client.read(text .. blocks.said(1, 1, 2, 5, "hi", false) .. blocks.refused "no")
    assert.same({ { { 1, 2, 3 }, 5, "hi", true }, { { 1 }, 5, "hi", false } }, client.said)
    assert.equal("no", client.refused)
  end)

  it("asks for all when a watcher that it has never heard of comes in the middle", function()
    local scene, client = new_scene(Random.new(1), 1, 2), new_client()
    scene:tick(true)
    scene.markers = { [1] = { 1, 1, properties = {} } }
    client.read(scene:tick(false))
    assert.same({ 1, {} }, { client.gaps, client.belief })
    client.read(scene:tick(true))
    assert.same(copies(scene.markers), client.belief)
  end)
end)
