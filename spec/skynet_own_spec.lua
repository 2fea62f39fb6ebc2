-- The own section of packets, and the client's belief of itself: that is what the scene holds whenever
-- nothing is on its way, whatever others do meanwhile and however late messages come.
local blocks = require "aoi.skynet.blocks"
local extras = require "aoi.skynet.extras"
local view_writer = require "aoi.skynet.view_writer"
local new_details = require("aoi.skynet.details").new
local known = require "aoi.skynet.known"
local own_section = require "aoi.skynet.own_section"
local own_state = require "aoi.skynet.own_state"
local stays = require "aoi.skynet.stay"
local streams = require "aoi.skynet.streams"
local Random = require "spec.support.random"

local DATA, ID, AGENT, OTHER = blocks.DATA, 7, 100, 200

describe("The own section", function()
  local all = {
    pushes = 0xFFFFFFFF, is_whole = true, place = { 1.25, -2.5 }, extras = { 0.5, 3 }, details = "details",
    traits = blocks.entry(1, 50), calls = 9,
  }

  it("is read as it was packed, and what is not in it is nil", function()
    local text = own_section.pack(all)
    assert.equal(own_section.ME, text:byte())
    assert.same(all, own_section.read(text, 4, #text + 1, 2))
    text = own_section.pack { pushes = 0, place = { 1, 2, 3 } }
    assert.same({ pushes = 0, is_whole = false, place = { 1, 2, 3 } },
      own_section.read(text, 4, #text + 1, 3))
  end)

  it("is refused cut off at any byte but between fields", function()
    local text, whole = own_section.pack(all), 0
    for stop = 4, #text do
      local ok, message = pcall(own_section.read, text, 4, stop, 2)
      whole = whole + (ok and 1 or 0)
      assert.is_true(ok or message == "packet: the own section is cut off", message)
    end
    assert.equal(5, whole) -- behind the head, and behind each field but the last
    assert.is_false(pcall(own_section.read, own_section.pack { pushes = 0, place = { 1, 2 } }, 4, 28, 3))
  end)

  it("has fields of later versions, which are passed over", function()
    local text = own_section.pack { pushes = 1, place = { 1, 2 } } .. ("<Bs2"):pack(99, "later")
    assert.same({ pushes = 1, is_whole = false, place = { 1, 2 } }, own_section.read(text, 4, #text + 1, 2))
  end)

  it("stands in the first block of a view, long ones too", function()
    local writer = view_writer.new {
      dims = function() return 2 end, doubles = function() return true end,
      place = function(id) return id, 0 end, details = function() return nil end,
    }
    local ids = {}
    for i = 1, 10000 do
      ids[i] = i
    end
    for _, watcher in ipairs { ID, 1 << 40 } do
      local list = { kind = blocks.ENTERED, ids = ids, n = #ids }
      local text, count = writer:view(watcher, 1, 1, true, { list }, 1, own_section.pack(all))
      local at, told = 1, 0
      for number = 1, count do
        local block
        block, at = blocks.head(text, at)
        assert.is_true(at - 1 - block.first < blocks.LIMIT)
        local view = blocks.view(text, block)
        assert.same(number == 1 and all or nil, view.me)
        told = told + #view.entered // 3
      end
      assert.same({ #ids, #text + 1 }, { told, at })
    end
  end)
end)

-- A scene with one entity and its client, and messages on their way between them.
local Play = {}
Play.__index = Play

local function new_play(random)
  local self = setmetatable({ random = random, place = { 0, 0 }, traits = { radius = 10, layers = 1 },
    to_client = {}, to_scene = {}, heard = {} }, Play)
  local scene = { addresses = { of = {}, sender = {} }, counters = { late_steps = 0, late_commands = 0 },
    details = new_details(), extra_values = extras.new(1), newcomers = {} }
  scene.streams = streams.new(function() return 0xFFFFFFFE end)
  scene.space = {
    has = function() return true end,
    position = function() return table.unpack(self.place) end,
    traits = function() return self.traits end,
  }
  self.scene, self.own = scene, own_state.new(scene)
  self.writer = view_writer.new { dims = function() return 2 end, doubles = function() return false end }
  self.known = known.new {
    view = function() end, gap = function() end,
    me = function(_, is_moved, changed)
      self.heard[#self.heard + 1] = { is_moved, changed }
    end,
  }
  return self
end

function Play:join()
  local number = self.scene.streams.last or 5
  number = number + 1 & 0xFFFFFFFF
  self.scene.streams:begin(ID, number)
  self.scene.streams.last = number
  self.scene.addresses.of[ID] = AGENT
  self.is_new = true
  self.known:expect(ID, number)
  self.stay = stays.new(self.known, ID, number, number, true)
  self.stay:came_in(self.place, {})
end

function Play:tick(is_all)
  local scene = self.scene
  is_all, self.is_new = is_all or self.is_new, nil
  local me = is_all and self.own.whole(ID) or self.own.take(ID)
  if me then
    local text = self.writer:view(ID, scene.streams.of[ID], scene.streams:count(ID, 1), is_all, {}, 0, me)
    table.insert(self.to_client, text)
  end
end

function Play:apply(source, name, ...)
  local own, a, b, carried, extra = self.own, ...
  if name == "move" then
    local how = own.judge(ID, source, carried and carried.stream, carried and carried.pushes)
    if how == "push" then
      own.push(ID)
    end
    if how ~= "late" then
      self.place, self.pushed = { a, b }, how == "push" and { a, b } or nil
      if extra then
        self.scene.extra_values:put(ID, self.scene.extra_values:made_of(extra))
      end
    end
  elseif not (carried and own.is_late(ID, carried.stream)) then
    if carried then
      own.called(ID, carried)
    end
    if name == "radius" then
      self.traits.radius = a
      own.changed_trait(ID, source, carried and carried.stream, "radius")
    else
      local may_know = own.may_know(ID, a)
      self.scene.details:set(ID, a, b)
      own.changed_detail(ID, source, carried and carried.stream, a, may_know)
    end
  end
end

function Play:own_call()
  local random, stay = self.random, self.stay
  local x = random:integer(0, 99)
  if random:chance(0.5) then
    local extra = random:chance(0.5) and random:integer(0, 9) / 2 or nil
    table.insert(self.to_scene, { "move", x, 1, stay:step({ x, 1, extra }), extra })
  elseif random:chance(0.8) then
    local key, carried = random:integer(0, 2), stay:next_call()
    stay:lay_property(key, x, carried)
    table.insert(self.to_scene, { "set", key, x, carried })
  else
    local carried = stay:next_call()
    stay:lay_opts({ data = "own " .. x }, carried)
    table.insert(self.to_scene, { "set", DATA, "own " .. x, carried })
  end
end

function Play:others_call()
  local random = self.random
  local x = random:integer(100, 199)
  if random:chance(0.4) then
    self:apply(OTHER, "move", x, 2, nil, random:chance(0.5) and random:integer(10, 19) / 2 or nil)
  elseif random:chance(0.6) then
    self:apply(OTHER, "set", random:integer(0, 2), random:chance(0.3) and nil or x)
  elseif random:chance(0.5) then
    self:apply(OTHER, "set", DATA, random:pick { "", "theirs" })
  else
    self:apply(OTHER, "radius", x)
  end
end

function Play:deliver(all)
  while #self.to_scene > 0 and (all or self.random:chance(0.5)) do
    self:apply(AGENT, table.unpack(table.remove(self.to_scene, 1), 1, 5))
  end
  while #self.to_client > 0 and (all or self.random:chance(0.5)) do
    self.known:read(table.remove(self.to_client, 1))
  end
end

function Play:check()
  local me = self.known:me(ID):known()
  local data, properties = self.scene.details:values(ID)
  assert.same({ self.place, { self.scene.extra_values:values(ID) }, data or false, properties, self.traits },
    { { me[1], me[2] }, me.extras, me.data or false, me.properties, me.traits })
  assert.equal(self.scene.streams.pushes[ID], me.pushes)
end

describe("The client's belief of itself", function()
  for seed = 1, 40 do
    it("is what the scene holds when all is heard, seed " .. seed, function()
      local random = Random.new(seed)
      local play = new_play(random)
      play:join()
      play:tick()
      for _ = 1, 60 do
        for _ = 1, random:integer(0, 5) do
          local act = random:pick_weighted {
            { weight = 6, run = play.own_call }, { weight = 4, run = play.others_call },
            { weight = 4, run = play.deliver }, { weight = 3, run = play.tick },
            { weight = 0.3, run = function() play:tick(true) end },
          }
          act.run(play)
        end
        if random:chance(0.1) then -- a transfer, or another address and this again
          play:deliver(true)
          play:join()
          play:tick()
        end
        if random:chance(0.2) then
          play:deliver(true)
          play:tick()
          play:deliver(true)
          play:check()
        end
      end
      assert.is_true(#play.heard > 10)
      assert.is_true(play.scene.counters.late_steps > 0)
    end)
  end

  it("tells what others did and nothing else, false for what is gone", function()
    local play = new_play(Random.new(1))
    play:apply(OTHER, "set", 1, 5) -- before it is here: it is told with the first list
    play:join()
    play:tick()
    play:deliver(true)
    assert.same({ { false, { properties = { [1] = 5 }, traits = {} } } }, play.heard)
    play.heard = {}
    play:apply(AGENT, "move", 3, 3, play.stay:step { 3, 3 })
    play:tick()
    play:tick(true)
    play:deliver(true)
    assert.same({ { false } }, play.heard)
    play.heard = {}
    play:apply(OTHER, "move", 3, 3) -- to the same point
    play:apply(OTHER, "set", 1)
    play:apply(OTHER, "set", DATA, "theirs")
    play:apply(OTHER, "radius", 20)
    play:tick()
    play:deliver(true)
    play:apply(OTHER, "set", DATA, "")
    play:tick()
    play:deliver(true)
    assert.same({ { true, { data = "theirs", properties = { [1] = false }, traits = { radius = 20 } } },
      { false, { data = false, properties = {}, traits = {} } } }, play.heard)
  end)

  it("hears nothing of what came and went between two ticks, unless it has set it meanwhile", function()
    local play = new_play(Random.new(1))
    play:join()
    play:tick()
    play:deliver(true)
    play.heard = {}
    local function come_and_go(key, value)
      play:apply(OTHER, "set", key, value)
      play:apply(OTHER, "set", key, key == DATA and "" or nil)
    end
    come_and_go(1, 5)
    come_and_go(1, 6)
    come_and_go(DATA, "theirs")
    play:apply(OTHER, "set", 2) -- there is none
    play:tick()
    assert.same({}, play.to_client)
    play:apply(OTHER, "set", 1, 5)
    local carried = play.stay:next_call()
    play.stay:lay_property(1, 7, carried)
    play:apply(AGENT, "set", 1, 7, carried)
    play:apply(OTHER, "set", 1)
    play:tick()
    play:deliver(true)
    assert.same({ { false, { properties = { [1] = false }, traits = {} } } }, play.heard)
    play:check()
  end)

  it("goes back to the call before one that the scene has refused", function()
    local play = new_play(Random.new(1))
    play:join()
    play:tick()
    play:deliver(true)
    for _, radius in ipairs { 15, -1 } do
      local carried = play.stay:next_call()
      play.stay:lay_opts({ radius = radius }, carried)
      if radius < 0 then
        play.stay:refused(false, carried)
      end
    end
    assert.equal(15, play.known:me(ID):known().traits.radius)
    assert.is_true(play.known:is_behind(ID)) -- and asks for all
  end)

  it("does not count when it was sent in another stay", function()
    local play = new_play(Random.new(1))
    play:join()
    local carried, step = play.stay:next_call(), play.stay:step { 5, 5 }
    play:join()
    play:apply(AGENT, "set", 1, 5, carried)
    play:apply(AGENT, "move", 5, 5, step)
    play:tick()
    play:deliver(true)
    play:check()
    local counters = play.scene.counters
    assert.same({ { 0, 0 }, 1, 1 }, { play.place, counters.late_commands, counters.late_steps })
  end)

  it("counts pushes with 32 bits, and begins anew with a stream", function()
    local play = new_play(Random.new(1))
    play:join()
    play.scene.streams.pushes[ID] = 0xFFFFFFFF
    play:apply(OTHER, "move", 1, 1)
    assert.equal(0, play.scene.streams.pushes[ID])
    play:apply(OTHER, "move", 1, 1)
    play:join()
    assert.equal(0, play.scene.streams.pushes[ID])
  end)
end)
