-- The parts of an entity of a scene: what goes along with it where, that no two of them have a name in
-- common, and that what is packed here is the same when it is taken there. That whole scenes and regions tell
-- what they must is in the cases on skynet and in skynet_region_spec.lua.

local aoi = require "aoi"
local services = require "spec.support.services"

local machine, new_parts, new_resync, new_notices, audiences, details, extras, streams

setup(function()
  machine = services.new(function() end)
  details, streams = require "aoi.skynet.details", require "aoi.skynet.streams"
  audiences, extras = require "aoi.skynet.audiences", require "aoi.skynet.extras"
  new_parts, new_resync = require "aoi.skynet.parts", require "aoi.skynet.resync"
  new_notices = require "aoi.skynet.notices"
end)

teardown(function()
  machine.close()
end)

-- The table `scene` as far as parts know it; region: that of a region.
local function new_scene(region)
  local scene = {
    space = aoi.new { engine = "crosslist", radius = 10, deferred = true, limit = 5 },
    addresses = {
      of = {}, set = function(self, id, address) self.of[id] = address or nil end,
      state = function(self) return { of = self.of } end,
      restore = function(self, state) self.of = state.of end,
      take_changes = function() return nil end,
    },
    details = details.new(), extra_values = extras.new(region and 0 or 2),
    streams = streams.new(function() return 100 end, region ~= nil),
    orphans = {}, newcomers = {}, changes = {}, told = {}, unsaid = {},
    region = region, number = 7, doubtful_until = 0,
  }
  scene.audiences = audiences.new(function() return 1 end, function() end, function() return false end)
  scene.audiences:use(region and {} or { [3] = 4 }, {})
  local minds = {}
  local ticks = { are_on = function() return true end, changed = function() end }
  local files = {
    ticks = ticks, resync = new_resync(scene, ticks),
    handlers = {
      pack = function(id) return minds[id] end,
      unpack = function(id, packed) minds[id] = packed end,
      save = function() return minds end,
    },
    store = {},
  }
  scene.counters = { notified = 0 }
  scene.notices = not region and new_notices(scene, files.ticks) or nil
  return { scene = scene, parts = new_parts(scene, files), resync = files.resync, minds = minds }
end

-- An entity that has something of everything.
local function fill(here)
  local scene = here.scene
  scene.space:enter(1, 10, 10, { radius = 20, limit = 3, layers = 4 })
  scene.space:pin(1, 2)
  scene.addresses:set(1, 55)
  scene.streams:begin(1)
  scene.streams:count(1, 3)
  scene.details:set(1, 3, "red")
  if not scene.region then
    scene.extra_values:put(1, ("<ff"):pack(0.5, 2))
  end
  scene.told[1], here.minds[1] = { base = 4, [2] = 6 }, "angry"
  here.resync.ask(1)
  if scene.notices then
    assert(scene.notices.give(1, "you"))
  end
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
  local HANDED = "address asked details number own stream told"

  it("go along where they say, under names of their own", function()
    local here, region = new_scene(), new_scene(2)
    for _, of in ipairs { here, region } do
      fill(of)
      of.parts.save("chunk", {})
      of.scene.details:set(1, 4, 5)
      if of == here then
        of.scene.extra_values:put(1, ("<ff"):pack(1, 2))
      end
      of.scene.log "something"
    end
    local function of(parts, verb, occasion, ...)
      local more = table.pack(...)
      return packed(function(to)
        more[more.n + 1] = to
        parts[verb](occasion, table.unpack(more, 1, more.n + 1))
      end)
    end
    assert.equal("audiences details extras", of(here.parts, "pack", "transfer", 1))
    assert.equal(HANDED, of(region.parts, "pack", "hand_over", 1))
    assert.equal("addresses details extras notices own streams unsaid", of(here.parts, "save", "save"))
    assert.equal("addressed details extras notices own streams", of(here.parts, "save", "store"))
    assert.equal("details own", of(region.parts, "save", "store"))
    assert.equal("details extras logged notices", of(here.parts, "save", "chunk"))
    assert.equal("addresses changes details newcomers orphans resync streams told unsaid",
      of(region.parts, "save", "move"))
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
    assert.same({ address = 55, stream = 100, number = 3, asked = true, own = "angry",
      told = { base = 4, [2] = 6 }, details = luggage.details }, luggage)
    here.parts.forget(1, true)
    assert.is_string(here.scene.details:of(1)) -- it is seen still
    here.parts.forget(1, false)
    here.minds[1], again = nil, {}
    here.parts.pack("hand_over", 1, again)
    assert.is_nil(here.scene.details:of(1))
    assert.same({ details = again.details }, again)
  end)
end)
