-- A scene when the file of its recording can no longer be written; the rest of its records is tested on a
-- real skynet, by spec/skynet.
local fake_skynet = require "spec.support.fake_skynet"

local MODULES = { "aoi.skynet.records", "aoi.skynet.addresses", "aoi.skynet.alive", "aoi.skynet.calls",
  "aoi.skynet.packet", "skynet" }

local function forget_modules()
  for _, name in ipairs(MODULES) do
    package.loaded[name] = nil
  end
end

describe("the records of a scene whose disk is full", function()
  local aoi = require "aoi"
  local recorder_of_aoi = aoi.recorder
  local records, scene, skynet, packet, room, followed

  before_each(function()
    forget_modules()
    skynet, followed = fake_skynet(), {}
    skynet.fork = function() end -- what waits for the death of a follower
    function skynet.rawsend(_, _, text)
      packet.read(text, { piece = function(is_keyframe, from, to)
        followed[#followed + 1] = (is_keyframe and "keyframe %d" or "record %d to %d"):format(from, to)
      end })
      return true
    end
    package.loaded.skynet = skynet
    packet = require "aoi.skynet.packet"
    scene = {
      space = aoi.new { engine = "crosslist", radius = 5, deferred = true },
      tick = 100, counters = { recorded = 0 },
    }
    records = require "aoi.skynet.records" (scene)
    function aoi.recorder(space)
      return recorder_of_aoi(space, {
        write = function(_, bytes)
          room = room - #bytes
          return room >= 0 or nil, "No space left on device"
        end,
        flush = function() return true end,
        close = function() return true end,
      })
    end
  end)

  after_each(function()
    aoi.recorder = recorder_of_aoi
    forget_modules()
  end)

  local function move(count)
    for id = 1, count do
      scene.space:update(id, id, id)
    end
    records.take()
  end

  it("end with a line in the log, and nothing is recorded for nobody", function()
    room = 10000
    assert.is_true(records.write_to "somewhere")
    move(3)
    assert.same({}, skynet.logged)
    local recorded = scene.counters.recorded
    assert.is_true(recorded > 0)
    room = 10
    move(3)
    assert.equal(1, #skynet.logged)
    assert.matches("recording: .*No space left", skynet.logged[1])
    recorded = scene.counters.recorded
    move(3)
    assert.equal(recorded, scene.counters.recorded)
    assert.equal("", scene.space:recorded())
    assert.equal(1, #skynet.logged)
  end)

  it("go on for those who follow, without a gap", function()
    room = 10000
    assert.is_true(records.write_to "somewhere")
    assert.is_true(records.follow(7))
    move(3)
    room = 10
    move(3)
    move(3)
    assert.equal(1, #skynet.logged)
    assert.same({ "keyframe 0", "record 0 to 3", "record 3 to 6", "record 6 to 9" }, followed)
  end)

  it("can't be begun, and nothing is recorded", function()
    room = 10
    local ok, message = records.write_to "somewhere"
    assert.is_nil(ok)
    assert.matches("record_to: .*No space left", message)
    move(3)
    assert.equal("", scene.space:recorded())
    assert.equal(0, scene.counters.recorded)
    assert.is_true(records.follow(7))
    assert.is_nil((records.write_to "somewhere"))
    move(3)
    assert.same({ "keyframe 3", "record 3 to 6" }, followed)
  end)

  it("go to all who follow before another one gets a keyframe, or a file begins or ends", function()
    assert.is_true(records.follow(7))
    scene.space:update(1, 1, 1)
    assert.is_true(records.follow(8))
    assert.same({ "keyframe 0", "record 0 to 1", "keyframe 1" }, followed)
    room = 10000
    scene.space:update(1, 2, 1)
    assert.is_true(records.unfollow(8))
    assert.is_true(records.write_to "somewhere")
    scene.space:update(1, 3, 1)
    assert.is_true(records.write_to(false))
    assert.same({ "record 1 to 2", "record 2 to 3" }, { table.unpack(followed, 4) })
  end)

  it("do not pile up where memory is short, and go on when it is not", function()
    assert.is_true(records.follow(7))
    move(3)
    local space, is_short = scene.space, true
    scene.space = setmetatable({}, { __index = function(_, method)
      return function(_, ...)
        if is_short and method == "recorded" then
          error "not enough memory"
        end
        return space[method](space, ...)
      end
    end })
    for _ = 1, 3 do
      move(3)
    end
    assert.equal(1, #skynet.logged)
    assert.matches("not enough memory", skynet.logged[1])
    assert.equal(3, aoi.record_span(space:recorded()).to_calls - 3) -- those until it was noticed
    is_short = false
    records.take()
    move(3)
    move(3)
    assert.same({ "keyframe 0", "record 0 to 3", "record 12 to 15", "record 15 to 18" }, followed)
    assert.equal(1, #skynet.logged)
  end)

  it("drop what nobody wants any more", function()
    assert.is_true(records.follow(7))
    scene.space:update(1, 1, 1)
    assert.is_true(records.unfollow(7))
    assert.equal("", scene.space:recorded())
    scene.space:update(2, 1, 1)
    assert.is_true(records.follow(7))
    move(3)
    assert.same({ "keyframe 0", "keyframe 2", "record 2 to 5" }, followed)
  end)

  it("end for one who follows no longer, and go on in the file", function()
    room = 10000
    assert.is_true(records.follow(7))
    assert.is_true(records.write_to "somewhere")
    move(3)
    assert.is_true(records.unfollow(7))
    local before = room
    move(3)
    assert.is_true(room < before)
    assert.is_true(records.write_to(false))
    before = room
    move(3)
    assert.equal(before, room)
    assert.same({ "keyframe 0", "record 0 to 3" }, followed)
  end)
end)
