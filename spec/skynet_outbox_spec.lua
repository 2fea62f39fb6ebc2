-- The module aoi.skynet.outbox: messages for a client that may read slower than a scene tells, on a line of
-- so many bytes a second, in simulated time.
local known = require "aoi.skynet.known"
local outbox = require "aoi.skynet.outbox"
local new_random = require("spec.support.random").new
local writer = require "spec.support.packet_writer"

local WATCHER, IDS = 7, 12
local TICK = 10 -- hundredths of a second

-- A scene of one watcher: its entities' x is the tick in which they moved last. A list replaces all at most
-- once a second, as a scene has it.
local function new_scene()
  local scene = { tick = 0, stream = 1, number = 0, told_at = -100, wants_list = true, seen = {}, said = 0 }
  for id = 1, IDS do
    scene.seen[id] = 0
  end

  function scene.block(kind, flags, body)
    scene.number = scene.number + 1
    return writer.block(kind, flags, WATCHER, scene.stream, scene.number, body)
  end

  local function places(kind)
    local records = {}
    for id = 1, IDS do
      records[id] = writer.place(writer.DOUBLES, id, scene.seen[id], 0)
    end
    return writer.section(kind, table.concat(records))
  end

  -- The packet of the next tick: all entities move.
  function scene.packet()
    scene.tick = scene.tick + 1
    for id = 1, IDS do
      scene.seen[id] = scene.tick
    end
    if scene.wants_list and scene.tick * TICK - scene.told_at >= 100 then
      scene.wants_list, scene.told_at = false, scene.tick * TICK
      return scene.block(writer.VIEW, writer.REPLACES | writer.DOUBLES, places(writer.ENTERED))
    end
    return scene.block(writer.VIEW, writer.DOUBLES, places(writer.MOVED))
  end

  function scene.say()
    scene.said = scene.said + 1
    return scene.block(writer.NOTIFIED, writer.TEXT, tostring(scene.said))
  end

  return scene
end

-- A client at the end of a line: rate bytes in a hundredth of a second, delay hundredths each way.
local function new_client(rate, delay)
  local client = { line = {}, time = 0, left = 0, back = {}, ages = 0, views = 0, heard = {}, asked = 0,
    bytes = 0 }
  local reader
  reader = known.new {
    view = function(_, news)
      client.views = client.views + 1
      client.ages = math.max(client.ages, client.time / TICK - (news.entered or news.moved)[2])
    end,
    said = function() end, refused = function() end, elsewhere = function() end,
    notified = function(_, body) client.heard[#client.heard + 1] = body end,
    gap = function() client.asked = client.asked + 1 end,
  }
  client.reader = reader

  function client.put(what, size)
    table.insert(client.line, { what = what, left = size, from = client.time + delay })
  end

  -- A hundredth of a second goes by.
  function client.step(box)
    client.time = client.time + 1
    client.left = client.line[1] and client.line[1].from <= client.time and client.left + rate or 0
    while client.line[1] and client.line[1].from <= client.time and client.left >= client.line[1].left do
      local message = table.remove(client.line, 1)
      client.left, client.bytes = client.left - message.left, client.bytes + message.left
      if type(message.what) == "number" then
        table.insert(client.back, { message.what, client.time + delay })
      else
        reader:read(message.what)
      end
    end
    while client.back[1] and client.back[1][2] <= client.time do
      box:echo(table.remove(client.back, 1)[1])
    end
  end

  -- The place of the entities, as the client knows them: all are the same.
  function client.knows()
    local markers = reader:markers(WATCHER) or {}
    return markers[1] and markers[1][1]
  end

  return client
end

local function new_line(rate, delay, more)
  local scene, client = new_scene(), new_client(rate, delay or 1)
  local line = { scene = scene, client = client, closed = 0, resyncs = 0, most = 0 }
  local of = {
    send = function(text) client.put(text, #text) end,
    ask = function(number) client.put(number, 8) end,
    resync = function()
      line.resyncs = line.resyncs + 1
      scene.wants_list = true
    end,
    overflow = function() line.closed = line.closed + 1 end,
    now = function() return client.time end,
  }
  for name, value in pairs(more or {}) do
    of[name] = value
  end
  line.box = outbox.new(of)

  function line.run(ticks, each)
    for tick = 1, ticks do
      line.box:pass_on(scene.packet())
      if each then
        each(tick)
      end
      for _ = 1, TICK do
        client.step(line.box)
      end
      line.most = math.max(line.most, #client.line)
    end
  end

  -- The scene stands still until all is read.
  function line.settle()
    for _ = 1, 20 do
      for _ = 1, 500 do
        client.step(line.box)
      end
      if scene.wants_list then
        scene.tick = scene.tick + TICK
        line.box:pass_on(scene.packet())
      end
    end
  end

  return line
end

describe("an outbox", function()
  it("passes on all to a client that keeps up, whatever the way takes", function()
    for _, delay in ipairs { 0, 3, 15, 30 } do
      local line = new_line(1000, delay)
      line.run(300)
      line.settle()
      assert.same({ 300, 300, 0, 0 }, { line.client.knows(), line.client.views, line.resyncs, line.closed })
    end
  end)

  -- A view has 260 bytes or so: 2.6 kB a second.
  for _, rate in ipairs { 20, 15, 10 } do
    it(("gives a client at %d bytes a second no view older than n ticks"):format(rate * 100), function()
      local line = new_line(rate, 2)
      line.run(1200)
      assert.is_true(line.client.ages <= 30, line.client.ages)
      assert.is_true(line.client.views > 60, line.client.views)
      assert.is_true(line.client.bytes > 0.3 * rate * 12000, line.client.bytes) -- it is not left waiting
      assert.is_true(line.resyncs > 3)
      line.settle()
      assert.equal(line.scene.tick, line.client.knows())
      assert.is_false(line.client.reader:is_behind(WATCHER))
    end)
  end

  it("has at most n messages on their way, and asks each n / 4 and each second", function()
    local asks, sent = {}, 0
    local time = 0
    local box = outbox.new { n = 40, now = function() return time end, resync = function() end,
      send = function() sent = sent + 1 end, ask = function(number) asks[number] = sent end }
    local scene = new_scene()
    for _ = 1, 100 do
      box:pass_on(scene.block(writer.VIEW, 0, ""))
    end
    assert.same({ 1, 11 }, { asks[1], asks[2] })
    assert.is_true(sent <= 40)
    asks, sent, time = {}, 0, 0
    box = outbox.new { tick = 2000, n = 8, now = function() return time end, resync = function() end,
      send = function() sent = sent + 1 end, ask = function(number)
        asks[#asks + 1] = sent
        sent = sent + 0 * number
      end }
    for _ = 1, 5 do
      box:pass_on(scene.block(writer.VIEW, 0, ""))
      time = time + 100
    end
    assert.same({ 1, 2, 3, 4, 5 }, asks)
    for _ = 1, 20 do
      box:pass_on(scene.block(writer.VIEW, 0, ""))
    end
    assert.equal(8, sent)
  end)

  it("takes the larger of 20 and three seconds of ticks", function()
    local function n_of(tick)
      return outbox.new { tick = tick, now = function() return 0 end }.n
    end
    assert.same({ 30, 20, 60, 300, 20 }, { n_of(), n_of(200), n_of(50), n_of(10), n_of(0) })
  end)

  it("keeps what is notified, said and ended, in order, and each once", function()
    local line = new_line(8, 2)
    line.run(600, function(tick)
      if tick % 7 == 0 then
        line.box:pass_on(line.scene.say())
      end
    end)
    line.settle()
    local expected = {}
    for i = 1, line.scene.said do
      expected[i] = tostring(i)
    end
    assert.same(expected, line.client.heard)
    assert.equal(0, line.closed)
    assert.equal(line.scene.tick, line.client.knows())
  end)

  it("closes a client for which more than 64 kB would be kept", function()
    local written, asks, overflows = {}, 0, 0
    local box = outbox.new { n = 4, now = function() return 0 end, resync = function() end,
      send = function(text) written[#written + 1] = text end, ask = function() asks = asks + 1 end,
      overflow = function() overflows = overflows + 1 end }
    local function said(size)
      return writer.block(writer.SAID, writer.TEXT, 7, 1, 1, ("x"):rep(size - 16))
    end
    for _ = 1, 4 do
      box:pass_on(said(100))
    end
    box:pass_on(said(32768))
    box:pass_on(said(32768))
    assert.equal(0, overflows)
    assert.equal(4, #written)
    box:pass_on(said(20))
    box:pass_on(said(20))
    assert.equal(1, overflows)
    for number = 1, asks do
      box:echo(number)
    end
    assert.equal(4, #written)
  end)

  it("begins anew with a stream: its list needs no resync", function()
    local written, asks, resyncs = {}, 0, 0
    local box = outbox.new { n = 4, now = function() return 0 end,
      resync = function() resyncs = resyncs + 1 end,
      send = function(text) written[#written + 1] = text end, ask = function() asks = asks + 1 end }
    local function view(flags, stream, number)
      return writer.block(writer.VIEW, flags, 7, stream, number, "")
    end
    box:pass_on(view(writer.REPLACES, 1, 1))
    for number = 2, 6 do
      box:pass_on(view(0, 1, number))
    end
    local over = writer.block(writer.OVER, 0, 7, 1, 7, "")
    box:pass_on(view(0, 1, 7) .. over)
    for number = 1, asks do
      box:echo(number)
    end
    assert.same({ 0, over }, { resyncs, written[5] })
    box:pass_on(view(0, 1, 8))
    box:resync() -- the client has noticed, too
    local list = view(writer.REPLACES, 2, 1)
    box:pass_on(list)
    box:pass_on(view(0, 2, 2))
    assert.same({ 0, list, view(0, 2, 2) }, { resyncs, written[6], written[7] })
    box:resync()
    assert.equal(1, resyncs)
  end)

  it("asks for a resync in the later of two streams, though the former one ends after it began", function()
    local asks, resyncs = 0, 0
    local box = outbox.new { n = 4, now = function() return 0 end, send = function() end,
      resync = function() resyncs = resyncs + 1 end, ask = function() asks = asks + 1 end }
    local function view(flags, stream, number)
      return writer.block(writer.VIEW, flags, 7, stream, number, "")
    end
    box:pass_on(view(writer.REPLACES, 1, 1))
    for number = 1, 6 do
      box:pass_on(view(number == 1 and writer.REPLACES or 0, 2, number))
    end
    box:pass_on(view(0, 1, 2) .. writer.block(writer.OVER, 0, 7, 1, 3, ""))
    for number = 1, asks do
      box:echo(number)
    end
    assert.equal(1, resyncs)
  end)

  it("that goes on in the middle of a stay waits for a list", function()
    local written = {}
    local box = outbox.new { waits = true, now = function() return 0 end, ask = function() end,
      send = function(text) written[#written + 1] = text end }
    local list = writer.block(writer.VIEW, writer.REPLACES, 7, 1, 9, "")
    local said = writer.block(writer.SAID, writer.TEXT, 7, 1, 8, "\1\0\0\0hi")
    box:pass_on(writer.block(writer.VIEW, 0, 7, 1, 7, "") .. said)
    box:pass_on(list)
    assert.same({ said, list }, written)
  end)

  it("takes any answer, and believes none that it has not asked for", function()
    local box = outbox.new { n = 4, now = function() return 0 end, send = function() end,
      ask = function() end, resync = function() end }
    for _, number in ipairs { 1, 0, -1, 5, 1.5, math.maxinteger } do
      box:echo(number)
    end
    box:echo "1"
    box:echo(nil)
    for _ = 1, 3 do
      box:pass_on(writer.block(writer.VIEW, writer.REPLACES, 7, 1, 1, ""))
    end
    box:echo(3)
    box:echo(2)
    box:echo(1)
    box:echo(1)
    assert.has_error(function() box:pass_on "\1" end, "packet: the head of a block is cut off")
  end)

  it("loses nothing with clients of any speed, whose speed changes", function()
    for seed = 1, 20 do
      local random = new_random(seed)
      local line = new_line(random:integer(3, 60), random:integer(0, 30))
      for _ = 1, 5 do
        line.run(random:integer(20, 200), function()
          if random:chance(0.1) then
            line.box:pass_on(line.scene.say())
          end
        end)
        if random:chance(0.3) then
          line.scene.stream, line.scene.number, line.scene.wants_list = line.scene.stream + 1, 0, true
          line.scene.told_at = -100
        end
      end
      line.settle()
      assert.equal(line.scene.said, #line.client.heard, seed)
      assert.equal(tostring(line.scene.said), line.client.heard[line.scene.said] or "0")
      assert.equal(line.scene.tick, line.client.knows(), seed)
    end
  end)
end)
