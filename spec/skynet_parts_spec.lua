-- The parts of an entity of a scene: what goes along with it where, that no two of them have a name in
-- common, and that what is packed here is the same when it is taken there. That whole scenes and regions tell
-- what they must is in the cases on skynet and in skynet_region_spec.lua.

local aoi = require "aoi"
local services = require "spec.support.services"

local machine, new_parts, new_resync, new_notices, own_state, audiences, details, extras, streams

setup(function()
  machine = services.new(function() end)
  details, streams = require "aoi.skynet.details", require "aoi.skynet.streams"
  audiences, extras = require "aoi.skynet.audiences", require "aoi.skynet.extras"
  new_parts, new_resync = require "aoi.skynet.parts", require "aoi.skynet.resync"
  new_notices, own_state = require "aoi.skynet.notices", require "aoi.skynet.own_state"
end)

teardown(function()
  machine.close()
end)

-- The table `scene` as far as parts know it; region: that of a region.
local function new_scene(region)
  local scene = {
    space = aoi.new { engine = "crosslist", radius = 10, deferred = true, limit = 5 },
    addresses = {
      of = {}, sender = {},
      set = function(self, id, address, sender)
        self.of[id], self.sender[id] = address or nil, sender
      end,
      state = function(self) return { of = self.of } end,
      restore = function(self, state) self.of = state.of end,
      take_changes = function() return nil end,
    },
    details = details.new(), extra_values = extras.new(2),
    streams = streams.new(function() return 100 end, region ~= nil),
    orphans = {}, newcomers = {}, changes = {}, told = {}, unsaid = {},
    region = region, number = 7, doubtful_until = 0,
  }
  scene.audiences = audiences.new(function() return 1 end, function() end, function() return false end)
  scene.audiences:use({ [3] = 4 }, {})
  scene.counters = { notified = 0 }
  scene.own = own_state.new(scene)
  local minds = {}
  local ticks = { are_on = function() return true end, changed = function() end }
  local files = {
    ticks = ticks, resync = new_resync(scene, ticks),
    handlers = {
      pack = function(id) return minds[id] end,
      unpack = function(id, packed) minds[id] = packed end,
      save = function() return minds end,
    },
    store = {}, own_state = scene.own,
  }
  scene.notices = new_notices(scene, files.ticks)
  return { scene = scene, parts = new_parts(scene, files), resync = files.resync, minds = minds }
end

-- An entity that has something of everything.
local function fill(here)
  local scene = here.scene
  scene.space:enter(1, 10, 10, { radius = 20, limit = 3, layers = 4 })
  scene.space:pin(1, 2)
  scene.addresses:set(1, 55, 56)
  scene.streams:begin(1)
  scene.streams:count(1, 3)
  scene.details:set(1, 3, "red")
  scene.own.changed_detail(1, 57, nil, 3, true)
  scene.extra_values:put(1, ("<ff"):pack(0.5, 2))
  scene.told[1], here.minds[1] = { base = 4, [2] = 6 }, "angry"
  here.resync.ask(1)
  assert(scene.notices.give(1, "you"))
end

local function names(list)
  table.sort(list)
  return table.concat(list, " ")
end

-- The fields that the parts put into a table, as words; raises when two have a name in common.
local function packed(put)
  local list, seen = {}, {}
  put(setmetatable({ opts = {} }, { __newindex = function(_, name, value)
    assert(not seen[name], "two parts have the name " .. name)
    seen[name] = true
    list[#list + 1] = value ~= nil and name or nil
  end }))
  return names(list)
end

describe("Parts of an entity", function()
  local HANDED = "address asked details extras noted notices number own pushes sender stream told"

  it("go along where they say, under names of their own", function()
    local here, region = new_scene(), new_scene(2)
    for _, of in ipairs { here, region } do
      fill(of)
      of.parts.save("chunk", {})
      of.scene.details:set(1, 4, 5)
      of.scene.extra_values:put(1, ("<ff"):pack(1, 2))
      of.scene.log "something"
    end
    local function of(parts, verb, occasion, ...)
      local more = table.pack(...)
      return packed(function(to)
        more[more.n + 1] = to
        parts[verb](occasion, table.unpack(more, 1, more.n + 1))
      end)
    end
    assert.equal("audiences details extras sender", of(here.parts, "pack", "transfer", 1))
    assert.equal(HANDED, of(region.parts, "pack", "hand_over", 1))
    assert.equal("addresses details extras notices orphans own senders streams unsaid",
      of(here.parts, "save", "save"))
    assert.equal("addressed details extras notices own streams", of(here.parts, "save", "store"))
    assert.equal("details extras notices own", of(region.parts, "save", "store"))
    assert.equal("details extras logged notices", of(here.parts, "save", "chunk"))
    assert.equal("addresses audiences changes details extras newcomers noted notices orphans resync senders "
      .. "streams told unsaid", of(region.parts, "save", "move"))
  end)

  it("are the opts with which it enters another scene, without its pins, and its details", function()
    local here, there = new_scene(), new_scene()
    fill(here)
    local luggage = { opts = {} }
    here.parts.pack("transfer", 1, luggage)
    assert.same({ 20, 3, 4, 55, 101 }, { luggage.opts.radius, luggage.opts.limit, luggage.opts.layers,
      luggage.opts.address, luggage.opts.stream })
    luggage.opts.address, luggage.opts.stream = nil, nil
    there.scene.space:enter(1, 10, 10, luggage.opts) -- which takes nothing that it does not know
    there.parts.take("transfer", 1, luggage)
    assert.equal(here.scene.details:of(1), there.scene.details:of(1))
    assert.same({ 0.5, 2 }, { there.scene.extra_values:values(1) })
    assert.same({ 1, {} }, { there.scene.details:take() }) -- nobody's news
  end)

  it("are in another region what they were in this one, which forgets them", function()
    local here, there = new_scene(1), new_scene(2)
    fill(here)
    local luggage, again = {}, {}
    here.parts.pack("hand_over", 1, luggage)
    there.parts.take("hand_over", 1, luggage, false)
    there.parts.pack("hand_over", 1, again)
    assert.same(luggage, again)
    assert.same({ address = 55, sender = 56, noted = { details = { [3] = true } }, stream = 100, number = 3,
      pushes = 0, asked = true, told = { base = 4, [2] = 6 }, own = "angry", details = luggage.details,
      extras = ("<ff"):pack(0.5, 2), notices = luggage.notices }, luggage)
    assert.equal("you", luggage.notices[1].body)
    here.parts.forget(1, true)
    assert.is_string(here.scene.details:of(1)) -- it is seen still
    here.parts.forget(1, false)
    here.minds[1], again = nil, {}
    here.parts.pack("hand_over", 1, again)
    assert.is_nil(here.scene.details:of(1))
    assert.same({ details = again.details, extras = ("<ff"):pack(0, 0) }, again)
  end)
end)
