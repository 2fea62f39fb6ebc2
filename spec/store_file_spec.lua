-- The files of a scene's store: what was written is read back, wherever it was cut off or damaged.
local store_file = require "aoi.skynet.store_file"
local durable = require "aoi.skynet.durable"
local files = require "spec.support.files"

local folder

local function path_of(name)
  return folder .. "/" .. name
end

local function write_bytes(name, bytes)
  files.write(path_of(name), bytes)
end

-- A moment, and the way from one to the next; one call a tick.
local function span(from, to)
  return { from_calls = from, from_tick = from, to_calls = to or from, to_tick = to or from }
end

-- The content that is read, as a list: the full save and its notes, then each chunk; and the error, if any.
-- refuse: a function of the list so far and the text that says whether to raise.
local function contents(refuse)
  local list = {}
  local function take(text, notes)
    if refuse and refuse(list, text) then
      error("no " .. text, 0)
    end
    list[#list + 1] = text .. "+" .. notes
  end
  local found, problem = store_file.read(folder .. "/", { full = take, chunk = take })
  assert.equal(#list > 0 or nil, found)
  return list, problem
end

-- A store with a full save and three chunks.
local function filled()
  local writer = store_file.writer(folder .. "/")
  assert(writer:begin("save", span(5), "n0"))
  for i = 1, 3 do
    assert(writer:append("record" .. i, span(4 + i, 5 + i), "n" .. i))
  end
  return writer
end

local whole = { "save+n0", "record1+n1", "record2+n2", "record3+n3" }

describe("the files of a store", function()
  before_each(function()
    folder = files.new_folder()
  end)

  after_each(function()
    files.remove(folder)
  end)

  it("are read as they were written, and nothing where nothing was", function()
    assert.same({ n = 2, {} }, table.pack(contents()))
    local writer = filled()
    assert.same({ n = 2, whole }, table.pack(contents()))
    assert.is_true(writer:begin("later", span(8), "m0") > 0)
    assert.same({ n = 2, { "later+m0" } }, table.pack(contents()))
    writer:append("more", span(8, 9), ("long"):rep(1000))
    writer:close()
    assert.same({ n = 2, { "later+m0", "more+" .. ("long"):rep(1000) } }, table.pack(contents()))
  end)

  it("have all chunks before a cut, wherever it is", function()
    local writer = store_file.writer(folder .. "/")
    local ends = { 8 + writer:begin("save", span(5), "n0") - 8 }
    for i = 1, 3 do
      ends[i + 1] = ends[i] + writer:append("record" .. i, span(4 + i, 5 + i), "n" .. i)
    end
    writer:close()
    local bytes = files.read(path_of "scene.aoi")
    assert.equal(#bytes, ends[4])
    for size = 0, #bytes do
      write_bytes("scene.aoi", bytes:sub(1, size))
      local expected, boundary = {}, size == 0
      for i, at in ipairs(ends) do
        expected[#expected + 1] = at <= size and whole[i] or nil
        boundary = boundary or at == size
      end
      local list, problem = contents()
      assert.same(expected, list, size)
      assert.is_true(boundary and size > 0 and problem == nil or problem ~= nil
        or size - (ends[#list] or 0) == 48 + #("record" .. #list), size)
    end
  end)

  it("have all before a byte that is not as it was", function()
    filled():close()
    local bytes = files.read(path_of "scene.aoi")
    local full_save = 8 + 48 + #"save" + 48 + 8 + #"n0"
    for at = 1, #bytes do
      write_bytes("scene.aoi", bytes:sub(1, at - 1) .. string.char(bytes:byte(at) ~ 1) .. bytes:sub(at + 1))
      -- The space itself checks what is in keyframes and records.
      local list = contents(function(list, text)
        return text ~= ({ "save", "record1", "record2", "record3" })[#list + 1]
      end)
      assert.is_true(#list < 4, at)
      assert.same(table.move(whole, 1, #list, 1, {}), list, at)
      assert.equal(at <= full_save, #list == 0, at)
    end
  end)

  it("fall back to the full save before when the last one can't be read", function()
    local writer = filled()
    writer:begin("later", span(8), "m0")
    writer:append("more", span(8, 9), "m1")
    writer:close()
    local list, problem = contents(function(_, text) return text == "later" end)
    assert.same(whole, list)
    assert.equal(path_of "scene.aoi" .. ": no later", problem)
    os.remove(path_of "scene.aoi") -- as if killed between the two renamings
    assert.same({ n = 2, whole }, table.pack(contents()))
  end)

  it("are refused, and not the save before taken, when the last one is of another version", function()
    local writer = filled()
    writer:begin("later", span(8), "m0")
    writer:close()
    local list = {}
    local found, problem = store_file.read(folder .. "/", {
      full = function(text)
        if text == "later" then
          error("its notes have version 7, expected 8", 0)
        end
        list[#list + 1] = text
      end,
      chunk = function() end,
    })
    assert.is_nil(found)
    assert.same({}, list)
    assert.equal(path_of "scene.aoi" .. ": its notes have version 7, expected 8", problem)
  end)

  it("end at a chunk that is refused", function()
    filled():close()
    local list, problem = contents(function(_, text) return text == "record2" end)
    assert.same({ whole[1], whole[2] }, list)
    assert.equal(path_of "scene.aoi" .. ": no record2", problem)
  end)

  it("say when there is something, and nothing of it can be read", function()
    write_bytes("scene.aoi", "something else")
    write_bytes("before.aoi", "")
    local list, problem = contents()
    assert.same({}, list)
    assert.matches("scene.aoi: is no recording", problem, 1, true)
    assert.matches("before.aoi: the beginning is cut off", problem, 1, true)
  end)

  it("stay as they were when a full save can't be written", function()
    local nowhere = store_file.writer(folder .. "/nowhere/")
    local size, message = nowhere:begin("save", span(5), "")
    assert.is_nil(size)
    assert.matches("No such file", message)
    local writer = filled()
    assert(os.execute("ln -s /dev/full " .. path_of "new.aoi"))
    size, message = writer:begin("later", span(8), "")
    assert.is_nil(size)
    assert.matches("No space left", message)
    assert.same(whole, (contents()))
    assert(writer:append("record4", span(8, 9), "n4"))
    assert.equal(5, #(contents()))
    os.remove(path_of "new.aoi")
    assert(writer:begin("later", span(9), "m0"))
    assert.same({ "later+m0" }, (contents()))
    writer:close()
  end)

  it("are not written over by a scene that another has followed", function()
    local first = filled()
    local second = store_file.writer(folder .. "/")
    second:begin("second", span(8), "")
    second:append("more", span(8, 9), "")
    assert(first:append("record4", span(8, 9), "n4"))
    local size, message = first:begin("first", span(9), "")
    assert.is_nil(size)
    assert.matches("is written by another scene", message)
    assert.same({ "second+", "more+" }, (contents()))
    first:close()
    second:close()
  end)

  it("say what notes stand first and last, as far as they are whole", function()
    assert.same({ n = 2 }, table.pack(store_file.notes(folder .. "/")))
    filled()
    assert.same({ "n0", "n3" }, { store_file.notes(folder .. "/") })
    local bytes = files.read(path_of "scene.aoi")
    write_bytes("scene.aoi", bytes:sub(1, -2))
    assert.same({ "n0", "n2" }, { store_file.notes(folder .. "/") })
    write_bytes("scene.aoi", bytes:sub(1, -2) .. "!")
    assert.same({ "n0", "n2" }, { store_file.notes(folder .. "/") })
    write_bytes("scene.aoi", bytes:sub(1, 90))
    local first, problem = store_file.notes(folder .. "/")
    assert.is_nil(first)
    assert.is_truthy(problem:find("scene.aoi: ", 1, true))
    write_bytes("before.aoi", bytes)
    assert.same({ "n0", "n3", problem }, { store_file.notes(folder .. "/") })
  end)

  it("are put aside, and read no more", function()
    filled():begin("save", span(9), "n9")
    store_file.put_aside(folder .. "/")
    assert.same({ n = 2, {} }, table.pack(contents()))
    assert.is_truthy(io.open(path_of "aside.aoi"))
  end)

  it("are the same when each chunk waits for the disk", function()
    local writer = store_file.writer(folder .. "/", true)
    assert(writer:begin("save", span(5), "n0"))
    assert(writer:append("record1", span(5, 6), "n1"))
    assert.same({ { "save+n0", "record1+n1" } }, { contents() })
    writer.file:close()
    assert.has_error(function() writer:append("record2", span(6, 7), "n2") end)
    writer.file = assert(io.open("/dev/full", "w"))
    assert.is_nil((writer:append("record2", span(6, 7), "n2")))
  end)
end)

describe("a chunk without calls", function()
  before_each(function()
    folder = files.new_folder()
  end)

  after_each(function()
    files.remove(folder)
  end)

  it("has its notes alone, and is read in its turn", function()
    local writer = store_file.writer(folder .. "/")
    assert(writer:begin("save", span(5), "n0"))
    assert(writer:append("", span(5), "n1"))
    assert.same({ "n0", "n1" }, { store_file.notes(folder .. "/") })
    assert(writer:append("record", span(5, 6), "n2"))
    assert(writer:append("", span(6), "n3"))
    assert.same({ "n0", "n3" }, { store_file.notes(folder .. "/") })
    assert.same({ "save+n0", "+n1", "record+n2", "+n3" }, (contents()))
  end)
end)

describe("a durable file", function()
  before_each(function()
    folder = files.new_folder()
  end)

  after_each(function()
    files.remove(folder)
  end)

  it("takes the place of the one before, whole or not at all", function()
    local path = path_of "configuration"
    assert.is_true(durable.replace(path, "one"))
    assert.is_true(durable.replace(path, "two"))
    assert.equal("two", files.read(path))
    assert.is_nil(io.open(path .. ".new"))
    assert.is_nil((durable.replace(path_of "nowhere/configuration", "three")))
    assert.equal("two", files.read(path))
  end)

  it("waits for the disk, its folder does so too", function()
    local file = assert(io.open(path_of "file", "wb"))
    assert(file:write "text")
    assert.is_true(durable.sync(file))
    assert.equal("text", files.read(path_of "file"))
    file:close()
    assert.error(function() durable.sync(file) end, "sync: the file is closed")
    assert.is_true(durable.sync_folder(folder .. "/"))
    assert.is_true(durable.sync_folder "file of this folder")
    assert.is_nil((durable.sync_folder(path_of "nowhere/")))
  end)

  it("of a store that is to wait for the disk waits for its folder, too", function()
    local sync_folder, waited = durable.sync_folder, nil
    function durable.sync_folder(path)
      waited = path
      return nil, "the disk is gone"
    end
    local lazy, synced = store_file.writer(folder .. "/a-"), store_file.writer(folder .. "/b-", true)
    local begun = { lazy:begin("save", span(5), "n0"), waited, synced:begin("save", span(5), "n0") }
    durable.sync_folder = sync_folder
    assert.same({ begun[1], nil, nil, "the disk is gone" }, begun)
    assert.equal(folder .. "/b-", waited)
    assert.truthy(synced:begin("save", span(5), "n0"))
  end)

  it("of a store goes on when its folder can be waited for again", function()
    local writer, sync_folder = store_file.writer(folder .. "/", true), durable.sync_folder
    assert(writer:begin("save", span(5), "n0"))
    function durable.sync_folder()
      return nil, "the disk is gone"
    end
    local begun = { writer:begin("a longer one", span(6), "n1") }
    durable.sync_folder = sync_folder
    assert.same({ nil, "the disk is gone" }, begun)
    assert.same({ "a longer one+n1" }, (contents()))
    assert.is_nil((writer:append("record", span(6, 7), "n2")))
    assert.same({ "a longer one+n1" }, (contents()))
    assert(writer:begin("the next", span(7), "n3"))
    assert(writer:append("record", span(7, 8), "n4"))
    assert.same({ "the next+n3", "record+n4" }, (contents()))
    writer:close()
  end)
end)
