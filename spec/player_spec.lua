-- Recordings, written by aoi.recorder and played by aoi.player: every moment is the space as it was,
-- whatever has happened to the file since.

local aoi = require "aoi"
local fails = require "spec.support.fails"
local Random = require "spec.support.random"
local same_space = require "spec.support.same_space"
local string_file = require "spec.support.string_file"
local world = require "spec.support.recorded_world"

local has_zlib, zlib = pcall(require, "zlib")

local STEPS = 40

-- A recording of so many steps as a string, and what is true of its moments. opts: those of the recorder;
-- with `open` it is not closed, as if the process had ended.
local function recorded(kind, opts, steps)
  local file, recorder = string_file.new(), nil
  local own = { keyframe_ticks = 7, keyframe_bytes = 900 }
  for name, value in pairs(opts or {}) do
    own[name] = name ~= "open" and value or nil
  end
  local truth = world.run(kind, steps or STEPS, function(space)
    recorder = aoi.recorder(space, file, own)
  end, function(_, step)
    if step % 3 ~= 0 then
      recorder:write()
    end
  end)
  recorder:write()
  if not (opts and opts.open) then
    recorder:close()
  end
  return file.text, truth
end

local function play(text, opts)
  return aoi.player(string_file.new(text), opts)
end

-- That the player is at moment n, as the space was.
local function check_moment(player, truth, n)
  assert.equal(n, player:position())
  local expected = aoi.load(truth.saves[n])
  same_space.check(player.space, expected)
  expected:close()
end

-- The places of the heads in a recording, and that of the index as the last.
local function heads(text)
  local places, at = {}, 8
  repeat
    places[#places + 1] = at
    local kind = text:byte(at + 1)
    at = at + 48 + ("<I8"):unpack(text, at + 9)
  until kind == 3 or at >= #text
  return places
end

for _, kind in ipairs(world.kinds) do
  describe("a recording of " .. kind.name, function()
    local text, truth
    setup(function()
      text, truth = recorded(kind)
    end)

    it("has all moments from the recorder's beginning to its end", function()
      local player = play(text)
      assert.equal(kind.unit, player.unit)
      assert.is_nil(player.problem)
      assert.same({ truth.first, truth.last }, { player:first(), player:last() })
      assert.equal(truth.first, player:position())
      player:close()
    end)

    it("is played step by step, with the events of each", function()
      local player = play(text)
      check_moment(player, truth, truth.first)
      local events, n = player:events()
      assert.same({ {}, 0 }, { events, n })
      for moment = truth.first + 1, truth.last do
        assert.equal(moment, player:step())
        check_moment(player, truth, moment)
        assert.equal(truth.events[moment], world.texts(player:events()))
      end
      assert.equal(truth.last, player:step())
      assert.equal(truth.last, player:step(5))
      assert.equal(truth.first, player:step(math.mininteger))
      assert.equal(truth.last, player:step(math.maxinteger))
      player:seek(truth.last - 1)
      assert.equal(truth.last, player:step(math.maxinteger))
      player:seek(truth.first + 1)
      assert.equal(truth.first, player:step(math.mininteger))
      player:close()
    end)

    it("is played backwards", function()
      local player = play(text)
      player:seek(player:last())
      for moment = truth.last - 1, truth.first, -1 do
        assert.equal(moment, player:step(-1))
        check_moment(player, truth, moment)
        if moment > truth.first then
          assert.equal(truth.events[moment], world.texts(player:events()))
        end
      end
      assert.equal(truth.first, player:step(-1))
      player:close()
    end)

    it("can be sought in, in any order", function()
      local player, random = play(text), Random.new(5)
      for _ = 1, 40 do
        local moment = random:integer(truth.first, truth.last)
        assert.equal(moment, player:seek(moment))
        check_moment(player, truth, moment)
        if moment > truth.first then
          assert.equal(truth.events[moment], world.texts(player:events()))
        end
      end
      player:close()
    end)

    it("is played without its index, as one that was not closed", function()
      local open = recorded(kind, { open = true })
      assert.equal(open, text:sub(1, #open))
      local player = play(open)
      assert.is_nil(player.problem)
      player:seek(truth.last)
      check_moment(player, truth, truth.last)
      player:close()
    end)

    it("is played as far as it is whole when it is cut at any byte of its last piece", function()
      local places = heads(text)
      local last, index = places[#places - 1], places[#places]
      local before = play(text:sub(1, last))
      local last_before = before:last()
      assert.is_nil(before.problem)
      before:close()
      for size = last + 1, index - 1 do
        local player = play(text:sub(1, size))
        assert.equal(last_before, player:last())
        assert.is_truthy(player.problem:find(("%d of %d bytes are whole"):format(last, size), 1, true))
        player:close()
      end
      local player = play(text:sub(1, last + 20))
      player:seek(last_before)
      check_moment(player, truth, last_before)
      player:close()
    end)

    it("is played whole when it is cut at any byte of its index", function()
      local places = heads(text)
      local index = places[#places]
      for size = index, #text - 1 do
        local player = play(text:sub(1, size))
        assert.equal(truth.last, player:last())
        -- The index is a help, and its own end is not missed.
        assert.equal(size > index and size < #text - 16, player.problem ~= nil)
        player:close()
      end
    end)

    it("says when it is cut before its first piece is whole", function()
      local second = heads(text)[2]
      for size = 0, second - 1 do
        fails("has no whole keyframe", play, text:sub(1, size))
      end
    end)

    it("shows nothing wrong when any of its bytes are damaged", function()
      local random = Random.new(11)
      local played, short = 0, 0
      for _ = 1, 100 do
        local damaged = text
        for _ = 1, random:integer(1, 3) do
          local at = random:integer(1, #text)
          damaged = damaged:sub(1, at - 1) .. string.char(damaged:byte(at) ~ random:integer(1, 255))
            .. damaged:sub(at + 1)
        end
        local ok, player = pcall(play, damaged)
        if not ok then
          assert.is_truthy(tostring(player):find("player: the file", 1, true), player)
        else
          for _ = 1, 6 do
            local moment = random:integer(player:first(), player:last())
            if player:seek(moment) == moment then
              check_moment(player, truth, moment)
              played = played + 1
            else
              assert.is_string(player.problem)
              short = short + 1
            end
          end
          player:close()
        end
      end
      assert.is_true(played > 150 and short > 5, ("%d %d"):format(played, short))
    end)

    if has_zlib then
      it("is smaller with zlib, and the same", function()
        local rarely = { keyframe_ticks = 50, keyframe_bytes = 20000 }
        local plain = recorded(kind, rarely)
        rarely.zlib = zlib
        local packed, packed_truth = recorded(kind, rarely)
        assert.is_true(#packed < #plain)
        for _, opts in ipairs { { zlib = zlib }, {} } do
          local player = play(packed, opts)
          for moment = truth.first, truth.last do
            player:seek(moment)
            check_moment(player, packed_truth, moment)
          end
          player:close()
        end
      end)

      it("says what is damaged in a packed piece", function()
        local packed = recorded(kind, { zlib = zlib })
        local second, third = heads(packed)[2], heads(packed)[3]
        local at = (second + 48 + third) // 2
        local damaged = packed:sub(1, at) .. string.char(packed:byte(at + 1) ~ 85) .. packed:sub(at + 2)
        local player = play(damaged)
        player:seek(player:last())
        player:seek(player:first() + 2)
        assert.is_truthy(player.problem:find("is packed by zlib, and damaged", 1, true), player.problem)
        player:close()
      end)
    else
      pending "with zlib: lua-zlib is not installed"
    end
  end)
end

describe("a damaged record", function()
  local kind = world.kinds[2]

  -- The second record of several between two keyframes with a byte changed.
  local function damage(text)
    local places = heads(text)
    for i = 2, #places - 2 do
      if text:byte(places[i] + 1) == 2 and text:byte(places[i + 1] + 1) == 2 then
        local at = places[i + 1] + 48 + 60
        return text:sub(1, at) .. string.char(text:byte(at + 1) ~ 1) .. text:sub(at + 2), places[i + 1]
      end
    end
    error "no two records behind each other"
  end

  it("is a gap to the next keyframe: nothing else is lost", function()
    local text, truth = recorded(kind)
    local damaged, place = damage(text)
    local player = play(damaged)
    assert.is_nil(player.problem)
    local reached, missing = {}, 0
    for moment = truth.first, truth.last do
      reached[moment] = player:seek(moment)
      check_moment(player, truth, reached[moment])
      missing = missing + (reached[moment] < moment and 1 or 0)
    end
    assert.is_true(missing > 0 and missing < 10, tostring(missing))
    assert.equal(truth.last, reached[truth.last])
    local says = ("the record at byte %d can't be played: replay:"):format(place)
    assert.is_truthy(player.problem:find(says, 1, true), player.problem)
    -- Steps go over the gap in both directions.
    player:seek(truth.first)
    local steps = 0
    while player:position() < truth.last do
      assert.is_true(player:position() < player:step())
      check_moment(player, truth, player:position())
      steps = steps + 1
    end
    assert.equal(truth.last - truth.first - missing, steps)
    while player:position() > truth.first do
      assert.is_true(player:position() > player:step(-1))
      check_moment(player, truth, player:position())
      steps = steps - 1
    end
    assert.equal(0, steps)
    player:close()
  end)
end)

describe("a keyframe between two ticks", function()
  it("is later than the tick before it, and not taken for that", function()
    local file = string_file.new()
    local space = aoi.new { engine = "crosslist", radius = 10, deferred = true }
    local recorder = aoi.recorder(space, file, { keyframe_ticks = 1 })
    for tick = 1, 6 do
      space:update(1, tick, 0)
      space:tick()
      space:update(1, -tick, 0)
      recorder:write()
    end
    recorder:close()
    local player = play(file.text)
    for _, moment in ipairs { 6, 1, 3, 2, 5, 4, 4, 6, 5, 1 } do
      assert.equal(moment, player:seek(moment))
      assert.equal(moment, (player.space:position(1)))
    end
    player:close()
  end)
end)

describe("a recording of ticks with numbers that leave some out", function()
  -- For each number the tick that it shows, what that one told, and what was seen then; and the recording.
  local function record(seed)
    local random = Random.new(seed)
    local file, truth, told = string_file.new(), {}, nil
    local space = aoi.new { engine = "crosslist", radius = 10, deferred = true, on_event = function(...)
      table.insert(told, table.concat({ ... }, " "))
    end }
    local recorder = aoi.recorder(space, file, { keyframe_ticks = random:integer(1, 9) })
    local tick = 0
    for _ = 1, 12 do
      for id = 1, 4 do
        space:update(id, random:integer(0, 20), 0)
      end
      told = {}
      local before = tick
      tick = tick + random:integer(1, 4)
      space:tick(tick)
      local moment = { tick = tick, told = told, place = space:position(1) }
      for n = before + 1, tick - 1 do
        truth[n] = truth[before]
      end
      truth[tick] = moment
      space:update(1, -1, 0) -- between two ticks
      if random:integer(1, 2) == 1 then
        recorder:write()
      end
    end
    recorder:close()
    return play(file.text), truth
  end

  it("shows at such a number the tick before, and each tick with all its events", function()
    for seed = 1, 20 do
      local player, truth = record(seed)
      local random = Random.new(seed + 1000)
      local function check(n)
        assert.equal(truth[n].tick, player:position())
        assert.equal(truth[n].place, (player.space:position(1)))
        local events, count = player:events()
        local told = {}
        for i = 1, count do
          told[i] = table.concat({ events[3 * i - 2], events[3 * i - 1], events[3 * i] }, " ")
        end
        assert.same(player:position() > player:first() and truth[n].told or {}, told)
      end
      local first, last = player:first(), player:last()
      for _ = 1, 30 do
        local n = random:integer(first, last)
        if truth[n] and truth[n].tick >= first then
          assert.equal(truth[n].tick, player:seek(n))
          check(n)
        end
      end
      player:seek(first)
      while player:position() < last do
        local before = player:position()
        assert.is_true(player:step() > before)
        check(player:position())
        for n = before + 1, player:position() - 1 do
          assert.is_true(truth[n] == nil or truth[n].tick <= before) -- none was passed over
        end
      end
      player:close()
    end
  end)
end)

describe("a gap, where nothing was recorded,", function()
  it("is stepped over, and a seek into it ends before it", function()
    local file = string_file.new()
    local space = aoi.new { engine = "crosslist", radius = 10, deferred = true }
    local recorder = aoi.recorder(space, file)
    local function tick(n)
      for _ = 1, n do
        space:update(1, space:stats().tick, 0)
        space:tick()
      end
    end
    tick(5)
    space:update(1, -1, 0) -- between two ticks
    recorder:write()
    space:record(false)
    tick(10)
    space:record(true)
    tick(3)
    recorder:write() -- a keyframe
    tick(2)
    recorder:close()
    local player = play(file.text)
    local places = {}
    for moment = 0, 20 do
      places[moment] = player:seek(moment)
    end
    assert.same({ 4, 5, 5, 5, 18, 19, 20 },
      { places[4], places[5], places[6], places[17], places[18], places[19], places[20] })
    player:seek(17)
    assert.equal(-1, (player.space:position(1)))
    player:seek(5)
    assert.equal(4, (player.space:position(1)))
    assert.equal(18, player:step())
    assert.equal(0, select(2, player:events()))
    assert.equal(5, player:step(-1))
    assert.equal(18, player:step(3))
    player:close()
  end)
end)

describe("a player", function()
  local text = recorded(world.kinds[2])

  it("refuses what is no file, and options it does not know", function()
    fails("player: file is nil, expected a path, or a file that is open for reading", aoi.player)
    fails("player: file is a table", aoi.player, {})
    fails("/nowhere/at/all", aoi.player, "/nowhere/at/all")
    fails("player: opts is 1, expected a table of options", play, text, 1)
    fails("player: the name of an option is the string \"x\", expected zlib", play, text, { x = 1 })
    fails("player: option zlib is 1, expected require \"zlib\"", play, text, { zlib = 1 })
    fails("is no recording", play, "something else altogether")
    fails("is a recording of version 2, expected version 1", play, "AOIFILE\2" .. text:sub(9))
  end)

  it("refuses moments that the recording has not, and stays where it is", function()
    local player = play(text)
    player:seek(20)
    for _, wrong in ipairs { player:first() - 1, player:last() + 1, 20.5, "21", {}, 0 / 0 } do
      fails(("expected a whole number from %d to %d"):format(player:first(), player:last()), player.seek,
        player, wrong)
    end
    fails("seek: tick is nil", player.seek, player)
    fails("step: n is 0.5, expected a whole number", player.step, player, 0.5)
    fails("events: t is 7, expected a table", player.events, player, 7)
    assert.equal(20, player:position())
    assert.equal(20, player:seek(20.0))
    player:close()
  end)

  it("names the line that called it", function()
    local player = play(text)
    local line = debug.getinfo(1, "l").currentline + 1
    local ok, message = pcall(function() player:seek(-1) end)
    assert.is_false(ok)
    assert.is_truthy(message:find(("player_spec.lua:%d: seek: tick is -1"):format(line), 1, true), message)
    line = debug.getinfo(1, "l").currentline + 1
    ok, message = pcall(function() local never = aoi.player(1) return never end)
    assert.is_false(ok)
    assert.is_truthy(message:find(("player_spec.lua:%d: player: file is 1"):format(line), 1, true), message)
    player:close()
  end)

  it("fills the table that it is given", function()
    local player = play(text)
    player:seek(player:last())
    local t = {}
    for i = 1, 1000 do
      t[i] = i
    end
    local events, n = player:events(t)
    assert.equal(t, events)
    assert.is_nil(t[3 * n + 1])
    player:close()
  end)

  it("closes its space, and a file that it has opened; twice is no error", function()
    local file = string_file.new(text)
    local player = aoi.player(file)
    local space = player.space
    player:close()
    player:close()
    fails("closed", space.ids, space)
    assert.is_nil(file.is_closed)
    fails("seek: the player is closed", player.seek, player, 1)
    fails("step: the player is closed", player.step, player)
    fails("events: the player is closed", player.events, player)
    assert.equal("aoi.player (closed)", tostring(player))
  end)

  it("closes the space of a moment when it loads another", function()
    local player = play(text)
    player:seek(player:last())
    local space = player.space
    player:seek(player:first())
    fails("closed", space.ids, space)
    player:close()
  end)

  it("records nothing, and may be asked anything", function()
    local player = play(text)
    player:seek(player:last())
    assert.equal("", player.space:recorded())
    for _, id in ipairs((player.space:ids())) do
      assert.is_string(player.space:explain(1, id))
    end
    player:close()
  end)
end)
