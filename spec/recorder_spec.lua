-- aoi.recorder: what is written when, to which files, and what is refused.

local aoi = require "aoi"
local fails = require "spec.support.fails"
local files = require "spec.support.files"
local same_space = require "spec.support.same_space"
local string_file = require "spec.support.string_file"

local KEYFRAME, RECORD, INDEX = 1, 2, 3

local function new_space(extra)
  local options = { engine = "crosslist", radius = 10, deferred = true }
  for name, value in pairs(extra or {}) do
    options[name] = value
  end
  return aoi.new(options)
end

-- The kinds of the whole pieces in a recording.
local function kinds(text)
  local list, at = {}, 8
  while at + 48 <= #text and list[#list] ~= INDEX do
    local behind = at + 48 + ("<I8"):unpack(text, at + 9)
    if behind > #text then
      break
    end
    list[#list + 1] = text:byte(at + 1)
    at = behind
  end
  return list
end

local function tick(space, n)
  for _ = 1, n or 1 do
    space:update(1, space:stats().tick, 0)
    space:tick()
  end
end

-- A path that has no file; it is removed after the test.
local function new_path()
  local path = os.tmpname()
  os.remove(path)
  finally(function() os.remove(path) end)
  return path
end

describe("a recorder", function()
  it("begins with a keyframe and has the space record", function()
    local file, space = string_file.new(), new_space()
    tick(space, 3)
    local recorder = aoi.recorder(space, file)
    assert.same({ KEYFRAME }, kinds(file.text))
    tick(space)
    recorder:write()
    assert.same({ KEYFRAME, RECORD }, kinds(file.text))
    recorder:close()
    assert.same({ KEYFRAME, RECORD, INDEX }, kinds(file.text))
  end)

  it("writes each piece in one call and flushes it", function()
    local file, space = string_file.new(), new_space()
    local recorder = aoi.recorder(space, file)
    assert.equal(#file.text, file.flushed)
    for n = 2, 5 do
      tick(space)
      local before = #file.text
      assert.equal(#file.text - before, recorder:write() - (#file.text - before))
      assert.equal(n, #file.writes)
      assert.equal(#file.text, file.flushed)
    end
  end)

  it("says how many bytes it has written, and writes nothing when nothing was done", function()
    local file, space = string_file.new(), new_space()
    local recorder = aoi.recorder(space, file)
    local before = #file.text
    assert.equal(0, recorder:write())
    assert.equal(before, #file.text)
    tick(space)
    assert.equal(recorder:write(), #file.text - before)
    assert.equal(0, recorder:write())
    assert.is_truthy(tostring(recorder):find(("open, %d bytes"):format(#file.text), 1, true))
  end)

  it("takes what somebody else took of the space", function()
    local file, space = string_file.new(), new_space()
    local recorder = aoi.recorder(space, file)
    for _ = 1, 3 do
      tick(space)
      local records = space:recorded()
      assert.equal(48 + #records, recorder:write(records))
      tick(space)
      assert.is_true(recorder:write() > 48)
    end
    for _, wrong in ipairs { 17, true, {} } do
      fails("write: records is", recorder.write, recorder, wrong)
    end
    fails("write: records: ", recorder.write, recorder, "no record")
    recorder:close()
    local player = aoi.player(string_file.new(file.text))
    assert.same({ 0, 6 }, { player:first(), player:last() })
    assert.equal(6, player:seek(6))
    player:close()
  end)

  it("leaves out what the space has recorded before", function()
    local file, space = string_file.new(), new_space { record = true }
    tick(space, 3)
    local recorder = aoi.recorder(space, file)
    assert.equal(0, recorder:write())
    tick(space)
    recorder:close()
    local player = aoi.player(string_file.new(file.text))
    assert.same({ 3, 4 }, { player:first(), player:last() })
    player:close()
  end)

  it("writes a keyframe when the records reach keyframe_bytes", function()
    local file, space = string_file.new(), new_space()
    local recorder = aoi.recorder(space, file, { keyframe_bytes = 400, keyframe_ticks = math.huge })
    local records = 0
    for _ = 1, 40 do
      tick(space)
      local before = #file.text
      recorder:write()
      local written = kinds(file.text:sub(1, 8) .. file.text:sub(before + 1))
      records = records + ("<I8"):unpack(file.text, before + 9)
      assert.same(records >= 400 and { RECORD, KEYFRAME } or { RECORD }, written)
      records = records >= 400 and 0 or records
    end
  end)

  it("writes a keyframe after keyframe_ticks ticks", function()
    local file, space = string_file.new(), new_space()
    local recorder = aoi.recorder(space, file, { keyframe_ticks = 3 })
    for _ = 1, 7 do
      tick(space)
      recorder:write()
    end
    assert.same({ KEYFRAME, RECORD, RECORD, RECORD, KEYFRAME, RECORD, RECORD, RECORD, KEYFRAME, RECORD },
      kinds(file.text))
  end)

  it("says what a device says that takes no bytes", function()
    if io.open("/dev/full", "rb") then
      local ok, message = pcall(aoi.recorder, new_space(), "/dev/full")
      assert.is_false(ok)
      assert.truthy(message:find("No space left", 1, true), message)
    end
  end)

  it("writes a keyframe later when the space goes on while records are written", function()
    local file, space = string_file.new(), new_space()
    local recorder = aoi.recorder(space, file, { keyframe_ticks = 2 })
    local write = file.write
    function file:write(text)
      if coroutine.isyieldable() then
        coroutine.yield()
      end
      return write(self, text)
    end
    tick(space)
    tick(space)
    local writer = coroutine.create(function() recorder:write() end)
    assert(coroutine.resume(writer))
    for _ = 3, 5 do
      tick(space)
    end
    while coroutine.status(writer) ~= "dead" do
      assert(coroutine.resume(writer))
    end
    recorder:write()
    recorder:close()
    assert.same({ KEYFRAME, RECORD, RECORD, KEYFRAME }, table.move(kinds(file.text), 1, 4, 1, {}))
    local player = aoi.player(string_file.new(file.text))
    for moment = player:first(), player:last() do
      assert.equal(moment, player:seek(moment))
    end
    assert.equal(5, player:last() - player:first())
    player:close()
  end)

  it("is by itself in no haste with keyframes: not before 4 MiB, nor 4 keyframes #crowd", function()
    local file = string_file.new()
    local space = new_space { engine = "grid", width = 1000, height = 1000, deferred = false }
    local recorder = aoi.recorder(space, file)
    local rows = {}
    for id = 1, 60000 do
      table.move({ id, id % 1000 + 0.1, id // 1000 }, 1, 3, #rows + 1, rows)
    end
    space:enter_all(rows)
    local sizes, keyframe = {}, 0
    for interval = 1, 2 do
      local first, pieces = #file.writes + 1, #file.writes
      while #file.writes - pieces < 2 do
        space:move_all(rows)
        pieces = #file.writes
        recorder:write()
      end
      sizes[interval] = 0
      for i = first, pieces + 1 do
        sizes[interval] = sizes[interval] + file.writes[i]
      end
      local last, least = file.writes[pieces + 1], math.max(4 << 20, 4 * keyframe)
      assert.is_true(sizes[interval] >= least and sizes[interval] - last < least, "interval " .. interval)
      keyframe = file.writes[pieces + 2]
    end
    assert.is_true(4 * keyframe > 4 << 20, "keyframes are too small to matter")
    recorder:close()
  end)

  it("writes keyframes four times as often in crowds, whose ticks take long #crowd", function()
    local rows = {}
    for id = 1, 20000 do
      table.move({ id, id % 200 + 0.1, id // 200 }, 1, 3, #rows + 1, rows)
    end
    for _, case in ipairs { { limit = 5, least = 1 << 20 }, { limit = nil, least = 4 << 20 } } do
      local file = string_file.new()
      local space = new_space { engine = "grid", width = 200, height = 101, radius = 3, limit = case.limit }
      space:enter_all(rows)
      space:tick()
      local recorder = aoi.recorder(space, file)
      local before, records, written = file.writes[1], 0, 0
      local least = math.max(case.least, (case.limit and 1 or 4) * before)
      repeat
        records = records + written
        space:move_all(rows)
        space:tick()
        local pieces = #file.writes
        recorder:write()
        written = file.writes[pieces + 1]
      until #file.writes == pieces + 2
      assert.is_true(records < least and records + written >= least, records .. " bytes")
      recorder:close()
    end
  end)

  it("writes a keyframe after a gap", function()
    local file, space = string_file.new(), new_space()
    local recorder = aoi.recorder(space, file)
    tick(space)
    recorder:write()
    tick(space)
    space:recorded() -- taken by somebody else
    tick(space)
    recorder:write()
    tick(space)
    recorder:write()
    assert.same({ KEYFRAME, RECORD, KEYFRAME, RECORD }, kinds(file.text))
    local player = aoi.player(string_file.new(file.text))
    assert.equal(4, player:seek(4))
    same_space.check(player.space, space)
    player:close()
  end)

  it("writes a keyframe when the gap is in the middle of what was recorded", function()
    local file, space = string_file.new(), new_space()
    local recorder = aoi.recorder(space, file)
    tick(space)
    space:record(false)
    tick(space)
    space:record(true)
    tick(space)
    recorder:write()
    tick(space)
    recorder:write()
    assert.same({ KEYFRAME, KEYFRAME, RECORD }, kinds(file.text))
    local player = aoi.player(string_file.new(file.text))
    assert.equal(4, player:seek(4))
    assert.is_nil(player.problem)
    same_space.check(player.space, space)
    player:close()
  end)

  it("writes from within a handler", function()
    local file, recorder = string_file.new(), nil
    local space = new_space { deferred = false, on_enter = function() recorder:write() end }
    recorder = aoi.recorder(space, file)
    space:enter(1, 0, 0)
    space:enter(2, 1, 0)
    recorder:close()
    assert.same({ KEYFRAME, RECORD, INDEX }, kinds(file.text))
    local player = aoi.player(string_file.new(file.text))
    player:seek(player:last())
    same_space.check(player.space, space)
    player:close()
  end)

  it("close writes what is left; twice is no error; the space records no longer", function()
    local file, space = string_file.new(), new_space()
    local recorder = aoi.recorder(space, file)
    tick(space)
    recorder:close()
    recorder:close()
    assert.is_true(file.is_closed)
    assert.same({ KEYFRAME, RECORD, INDEX }, kinds(file.text))
    tick(space)
    assert.equal("", space:recorded())
    fails("write: the recorder is closed", recorder.write, recorder)
    assert.is_truthy(tostring(recorder):find("closed", 1, true))
  end)

  it("closes well when the space is closed before it", function()
    local file, space = string_file.new(), new_space()
    local recorder = aoi.recorder(space, file)
    tick(space)
    recorder:write()
    space:close()
    fails("closed", recorder.write, recorder)
    recorder:close()
    assert.same({ KEYFRAME, RECORD, INDEX }, kinds(file.text))
  end)

  it("ends when a write fails, and lets nothing pile up", function()
    for _, failure in ipairs {
      function() return nil, "No space left on device" end,
      function() error "No space left on device" end,
    } do
      local file, space = string_file.new(), new_space()
      local recorder = aoi.recorder(space, file)
      tick(space)
      file.write = failure
      fails("No space left on device", recorder.write, recorder)
      fails("the recorder has ended, as a write failed", recorder.write, recorder)
      tick(space)
      assert.equal("", space:recorded())
      assert.is_truthy(tostring(recorder):find("ended", 1, true))
      recorder:close()
      assert.is_true(file.is_closed)
      local player = aoi.player(string_file.new(file.text))
      assert.equal(0, player:last())
      player:close()
    end
  end)

  it("says when the end can't be written", function()
    local file, space = string_file.new(), new_space()
    local recorder = aoi.recorder(space, file)
    file.flush = function() return nil, "Input/output error" end
    fails("close: Input/output error", recorder.close, recorder)
    assert.is_true(file.is_closed)
    local good = string_file.new()
    good.close = function() return nil, "Quota exceeded" end
    recorder = aoi.recorder(space, good)
    fails("close: Quota exceeded", recorder.close, recorder)
    fails("recorder: Input/output error", aoi.recorder, space, file)
  end)

  it("refuses what is wrong, at the line that called it", function()
    local space, file = new_space(), string_file.new()
    fails("recorder: the first argument is a table, expected a space", aoi.recorder, {}, file)
    fails("recorder: the first argument is nil", aoi.recorder)
    fails("recorder: file is nil, expected a path, or an object with write, flush and close", aoi.recorder,
      space)
    fails("recorder: file is a table", aoi.recorder, space, { write = print })
    fails("recorder: opts is the string \"x\", expected a table", aoi.recorder, space, file, "x")
    fails("recorder: the name of an option is the string \"keyframes\", expected append, keyframe_bytes, "
      .. "keyframe_ticks, zlib", aoi.recorder, space, file, { keyframes = 1 })
    for _, name in ipairs { "keyframe_bytes", "keyframe_ticks" } do
      for _, wrong in ipairs { 0, -1, 1.5, "7", true, 0 / 0 } do
        fails(("recorder: option %s is"):format(name), aoi.recorder, space, file, { [name] = wrong })
      end
    end
    fails("recorder: option append is 1, expected true or false", aoi.recorder, space, file, { append = 1 })
    fails("option zlib is a table, expected require \"zlib\"", aoi.recorder, space, file, { zlib = {} })
    fails("file is a table, expected a path, as append is true", aoi.recorder, space, file, { append = true })
    fails("No such file", aoi.recorder, space, "/nowhere/at/all")
    for _, call in ipairs { aoi.recover, aoi.player } do
      fails("Is a directory", call, ".")
    end
    fails("Is a directory", aoi.recorder, space, ".")
    fails("Is a directory", aoi.recorder, space, ".", { append = true })
    local line = debug.getinfo(1, "l").currentline + 1
    local ok, message = pcall(function() local never = aoi.recorder(space) return never end)
    assert.is_false(ok)
    assert.is_truthy(message:find(("recorder_spec.lua:%d: recorder: file"):format(line), 1, true), message)
    space:close()
    fails("closed", aoi.recorder, space, file)
    assert.equal("", file.text)
  end)
end)

describe("a recording at a path", function()
  it("is written, played and not overwritten", function()
    local path, space = new_path(), new_space()
    local recorder = aoi.recorder(space, path)
    tick(space, 3)
    recorder:close()
    local player = aoi.player(path)
    player:seek(3)
    same_space.check(player.space, space)
    player:close()
    local before = files.read(path)
    fails("exists: append = true continues it", aoi.recorder, space, path)
    assert.equal(before, files.read(path))
  end)

  -- A recording in two parts equals one in a single part: the pieces of the first, and a keyframe.
  local function continue(space, path, expected)
    local recorder = aoi.recorder(space, path, { append = true })
    tick(space, 2)
    recorder:write()
    tick(space, 1)
    recorder:close()
    local list = kinds(files.read(path))
    expected[#expected + 1], expected[#expected + 2], expected[#expected + 3] = KEYFRAME, RECORD, RECORD
    expected[#expected + 1] = INDEX
    assert.same(expected, list)
    -- The index is of all pieces, those of the first part too.
    local text = files.read(path)
    local index = ("<I8"):unpack(text, #text - 15)
    local size, from_calls = ("<I8I8"):unpack(text, index + 9)
    assert.same({ 56 * (#list - 1), 0 }, { size, from_calls })
    local player = aoi.player(path)
    assert.is_nil(player.problem)
    player:seek(player:last())
    same_space.check(player.space, space)
    for moment = player:first(), player:last() do
      assert.equal(moment, player:seek(moment))
    end
    player:close()
  end

  local function first_part(path, is_closed)
    local space = new_space()
    local recorder = aoi.recorder(space, path)
    for _ = 1, 5 do
      tick(space)
      recorder:write()
    end
    if is_closed then
      recorder:close()
    end
    return space
  end

  it("is continued behind its index", function()
    local path = new_path()
    local space = first_part(path, true)
    continue(space, path, { KEYFRAME, RECORD, RECORD, RECORD, RECORD, RECORD })
  end)

  it("is continued where it was left off", function()
    local path = new_path()
    first_part(path)
    continue(aoi.recover(path), path, { KEYFRAME, RECORD, RECORD, RECORD, RECORD, RECORD })
  end)

  it("is continued behind its last whole piece, wherever it was cut", function()
    local path = new_path()
    first_part(path)
    local text = files.read(path)
    for size = #text - 150, #text - 1 do
      files.write(path, text:sub(1, size))
      continue(aoi.recover(path), path, kinds(text:sub(1, size)))
    end
  end)

  it("is continued over a rest that is longer than what is written", function()
    local path, space = new_path(), new_space()
    local recorder = aoi.recorder(space, path)
    tick(space)
    recorder:write()
    local whole = #files.read(path)
    for i = 1, 3000 do
      space:update(i % 50, i, 0)
    end
    recorder:write()
    local text = files.read(path)
    files.write(path, text:sub(1, -2))
    local again = aoi.recover(path)
    assert.equal(1, again:stats().tick)
    recorder = aoi.recorder(again, path, { append = true })
    assert.equal(#text - 1, #files.read(path))
    tick(again, 2)
    recorder:write()
    local player = aoi.player(path) -- before the index is written
    assert.is_nil(player.problem)
    assert.equal(3, player:last())
    player:close()
    recorder:close()
    assert.is_true(#files.read(path) == #text - 1 and whole < #text)
    player = aoi.player(path)
    assert.is_nil(player.problem)
    assert.equal(3, player:seek(3))
    same_space.check(player.space, again)
    player:close()
  end)

  it("has nothing to complain about behind what was written over its index", function()
    local path = new_path()
    local space = first_part(path, true)
    local size = #files.read(path)
    local recorder = aoi.recorder(space, path, { append = true })
    tick(space)
    recorder:write() -- the process is killed here, and the next one, too
    assert.equal(size, #files.read(path))
    for _ = 1, 2 do
      local again, problem = aoi.recover(path)
      assert.is_nil(problem)
      same_space.check(again, space)
      aoi.recorder(again, path, { append = true })
    end
  end)

  -- Writes the text with one bit of its byte number `at` turned.
  local function damage(path, text, at)
    files.write(path, text:sub(1, at - 1) .. string.char(text:byte(at) ~ 1) .. text:sub(at + 1))
  end

  it("is continued behind what can be played, over what is damaged", function()
    local path = new_path()
    first_part(path)
    local text = files.read(path)
    local list = kinds(text)
    for last = 2, #list do -- this piece is damaged; those behind it can't be played without it
      local behind = 8
      for _ = 1, last do
        behind = behind + 48 + ("<I8"):unpack(text, behind + 9)
      end
      damage(path, text, behind - 3)
      local space, problem = aoi.recover(path)
      assert.is_truthy(problem)
      assert.is_true(space:stats().calls >= 2 * (last - 2) and space:stats().calls < 2 * (last - 1))
      if space:stats().calls > 0 then
        fails("it has another history", aoi.recorder, new_space(), path, { append = true })
      end
      continue(space, path, table.move(list, 1, last - 1, 1, {}))
    end
  end)

  it("is not continued over what is packed, where there is no lua-zlib", function()
    local path = new_path()
    local space = first_part(path, true)
    local function same(text)
      return text, true
    end
    local zlib = { deflate = function() return same end, inflate = function() return same end }
    local recorder = aoi.recorder(space, path, { append = true, zlib = zlib })
    tick(space, 2)
    recorder:close()
    local text, installed = files.read(path), package.loaded.zlib
    finally(function() package.loaded.zlib, package.preload.zlib = installed, nil end)
    package.loaded.zlib, package.preload.zlib = nil, function() error "there is none" end
    local again, problem = aoi.recover(path)
    assert.equal(5, again:stats().tick)
    assert.is_truthy(problem:find("there is no module zlib", 1, true))
    fails("it has another history", aoi.recorder, again, path, { append = true })
    assert.equal(text, files.read(path))
  end)

  it("is begun by append when there is none, or nothing whole in it", function()
    local path = new_path()
    for _, text in ipairs { false, "", "AOIF", "AOIFILE\1", "AOIFILE\1\1\0\0" } do
      if text then
        files.write(path, text)
      end
      local space = new_space()
      local recorder = aoi.recorder(space, path, { append = true })
      tick(space)
      recorder:close()
      assert.same({ KEYFRAME, RECORD, INDEX }, kinds(files.read(path)))
    end
  end)

  it("is not continued by a space of another history, nor when it is something else", function()
    local path = new_path()
    first_part(path)
    local text = files.read(path)
    fails("goes to call 10, tick 5, and the space has made 0 calls, 0 ticks", aoi.recorder, new_space(), path,
      { append = true })
    local flat = new_space { deferred = false }
    for i = 1, 20 do
      flat:update(1, i, 0)
    end
    fails("it has another history", aoi.recorder, flat, path, { append = true })
    assert.equal(text, files.read(path))
    files.write(path, "my shopping list")
    fails("is no recording", aoi.recorder, new_space(), path, { append = true })
    assert.equal("my shopping list", files.read(path))
  end)
end)

describe("recover", function()
  it("gives the space at its last recorded call, also behind the last tick", function()
    local path, space = new_path(), new_space()
    local recorder = aoi.recorder(space, path, { keyframe_ticks = 2 })
    for i = 1, 7 do
      tick(space)
      space:update(2, i, i)
      recorder:write()
    end
    local again, problem = aoi.recover(path)
    assert.is_nil(problem)
    same_space.check(again, space)
    assert.equal("", again:recorded())
    again:close()
  end)

  it("keeps the events that wait, until there are handlers", function()
    local path = new_path()
    local space = aoi.new { engine = "crosslist", radius = 5, on_event = function() error("no", 0) end }
    space:enter(1, 0, 0)
    pcall(space.enter, space, 2, 1, 1) -- of the two events the second one waits
    assert.equal(1, space:pending())
    aoi.recorder(space, path)
    local again = aoi.recover(path)
    assert.equal(1, again:pending())
    local heard = 0
    again:on { on_event = function() heard = heard + 1 end }
    again:leave(1)
    assert.equal(3, heard)
  end)

  it("sets handlers, which hear what comes from then on", function()
    local path, space = new_path(), new_space { deferred = false }
    local recorder = aoi.recorder(space, path)
    space:enter(1, 0, 0)
    space:enter(2, 1, 0)
    recorder:close()
    local heard = 0
    local again = aoi.recover(path, { on_event = function() heard = heard + 1 end })
    assert.equal(0, heard)
    again:leave(2)
    assert.equal(2, heard)
    fails("recover: ", aoi.recover, path, { on_evnt = print })
    fails("recover: handlers is 1, expected a table of handlers", aoi.recover, path, 1)
    fails("recover: path is nil, expected a path", aoi.recover)
  end)

  it("gives nil and a reason when there is nothing to come back to", function()
    local path = new_path()
    local space, message = aoi.recover(path)
    assert.is_nil(space)
    assert.is_truthy(message:find("No such file", 1, true))
    files.write(path, "AOIFILE\1\1\0")
    space, message = aoi.recover(path)
    assert.is_nil(space)
    assert.is_truthy(message:find("has no whole keyframe", 1, true))
    files.write(path, "something else")
    fails("is no recording", aoi.recover, path)
  end)

  it("takes the keyframe before when the last is damaged, and says so", function()
    local path, space = new_path(), new_space()
    local recorder = aoi.recorder(space, path, { keyframe_ticks = 2 })
    for _ = 1, 5 do
      tick(space)
      recorder:write()
    end
    local text = files.read(path)
    local places, at = {}, 8
    while at < #text do
      places[#places + 1] = text:byte(at + 1) == KEYFRAME and at or nil
      at = at + 48 + ("<I8"):unpack(text, at + 9)
    end
    assert.equal(3, #places)
    local damaged = text
    for i = 3, 1, -1 do
      at = places[i] + 48 + 20
      damaged = damaged:sub(1, at) .. string.char(damaged:byte(at + 1) ~ 4) .. damaged:sub(at + 2)
      files.write(path, damaged)
      local again, problem = aoi.recover(path)
      local says = ("the keyframe at byte %d is damaged"):format(places[3])
      assert.is_truthy(problem:find(says, 1, true), problem)
      if i > 1 then
        same_space.check(again, space)
      else
        assert.is_nil(again)
      end
    end
  end)
end)
